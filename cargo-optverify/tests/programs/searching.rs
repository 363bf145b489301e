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
