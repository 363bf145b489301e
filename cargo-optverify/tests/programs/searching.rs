//! Texts searched by texts: what std prepares of a needle has a stand-in.
#![allow(dead_code, unused)]
use optverify::verify;
//@ expect: unsafe
#[verify]
fn find_u(s: &str) { assert!(s.find("=>").is_none()); }
//@ expect: unsafe
#[verify]
fn contains_u(s: &str) { if s.contains("ab") { assert!(s.len() > 2); } }
//@ expect: safe
#[verify]
fn split_once_s(s: &str) { if let Some((k, v)) = s.split_once("=") { assert!(k.len() + v.len() + 1 == s.len()); } }
//@ expect: unsafe
#[verify]
fn split_once_u(s: &str) { if let Some((k, v)) = s.split_once(": ") { assert!(k.len() > 0); } }
//@ expect: safe
#[verify]
fn strip_suf_s(s: &str) { if let Some(r) = s.strip_suffix(".rs") { assert!(r.len() + 3 == s.len()); } }
//@ expect: unsafe
#[verify]
fn rfind_u(s: &str) { let i = s.rfind("/").unwrap(); }
//@ expect: unsafe
#[verify]
fn split_u(s: &str) { for p in s.split(", ") { assert!(p.len() > 0); } }
//@ expect: safe
#[verify]
fn lit_find_s() { assert!("key=value".find("=v") == Some(3)); }
//@ expect: unsafe
#[verify]
fn lit_find_u() { assert!("key=value".find("v=").is_some()); }

//@ expect: safe
#[verify]
fn literal_again() { assert!("aXbXa".rfind("Xa") == Some(3)); assert!("abab".find("ab") == Some(0)); }
//@ expect: unsafe
#[verify]
fn literal_again_u() { assert!("aXbXa".rfind("Xb") == Some(3)); }
//@ expect: safe
#[verify]
fn empty_needle(k: u8) { assert!("ab".starts_with("") && "ab".len() == 2); }
mod mine { pub struct StrSearcher; impl StrSearcher { pub fn new(a: &str, b: &str) -> usize { a.len() - b.len() } } }
//@ expect: unsafe
#[verify]
fn own_searcher_u(s: &str) { let _ = mine::StrSearcher::new(s, "ab"); assert!(s.len() >= 2); }
// Deep inside of generic functions rustc leaves calls of what walks over characters, and of what extends vectors.
struct Text<'a>(&'a str);
impl<'a, 'b> IntoIterator for &'a Text<'b> { type Item = char; type IntoIter = std::str::Chars<'b>; fn into_iter(self) -> Self::IntoIter { self.0.chars() } }
fn generic_distance<'a, 'b, A, B, E, F>(a: &'a A, b: &'b B) -> usize where &'a A: IntoIterator<Item = E>, &'b B: IntoIterator<Item = F>, E: PartialEq<F> {
    let n = b.into_iter().count();
    let mut row: Vec<usize> = (1..n + 1).collect();
    let mut used = vec![false; n];
    for (i, x) in a.into_iter().enumerate() { for (j, y) in b.into_iter().enumerate() { if x == y { row[j] = i; used[j] = true; } } }
    row.len() + row[0] + used.len()
}
fn distance(a: &str, b: &str) -> usize { generic_distance(&Text(a), &Text(b)) }
//@ expect: safe
#[verify]
fn generic_s() { assert!(distance("ax", "xyz") == 7); }
//@ expect: unsafe
#[verify]
fn generic_u(n: usize) { assert!(distance("ax", "xyz") != n); }
