//! Vectors that are collected in the place of others; none here is asked how much room it has.
use optverify::verify;

//@ expect: safe
#[verify]
fn collected_in_place(a: u32, b: u32) { let v: Vec<u32> = vec![a, b].into_iter().map(|x| x / 2).collect(); assert!(v.len() == 2 && v[1] == b / 2); }

//@ expect: unsafe
#[verify]
fn collected_in_place_wrong(a: u32, b: u32) { let v: Vec<u32> = vec![a, b].into_iter().map(|x| x / 2).collect(); assert!(v[0] != 7); }

//@ expect: safe
#[verify]
fn filtered_in_place(a: u8, b: u8) { let v: Vec<u8> = vec![a, b].into_iter().filter(|x| *x > 9).collect(); assert!(v.len() <= 2); for x in v { assert!(x > 9); } }

//@ expect: unsafe
#[verify]
fn filtered_in_place_wrong(a: u8, b: u8) { let v: Vec<u8> = vec![a, b].into_iter().filter(|x| *x > 9).collect(); assert!(v.len() > 0); }

//@ expect: safe
#[verify]
fn collected_wider(a: u8) { let k = a / 2; let v: Vec<u32> = vec![a, k].into_iter().map(|x| u32::from(x) * u32::from(k)).collect(); assert!(v[1] == u32::from(k) * u32::from(k)); }

//@ expect: unsafe
#[verify]
fn collected_of_any(v: Vec<u8>) { let w: Vec<u8> = v.into_iter().map(|x| 100 / x).collect(); assert!(w.len() < 1000); }

//@ expect: safe
#[verify]
fn into_an_option(a: Option<u8>, b: Option<u8>) {
    let v: Option<Vec<u8>> = [a, b].into_iter().collect();
    assert!(v.is_some() == (a.is_some() && b.is_some()));
}

//@ expect: unsafe
#[verify]
fn into_an_option_wrong(a: Option<u8>, b: Option<u8>) {
    let v: Option<Vec<u8>> = [a, b].into_iter().collect();
    assert!(v.is_some() == a.is_some());
}

//@ expect: safe
#[verify]
fn into_a_result(a: [Result<u8, ()>; 2]) {
    let r: Result<Vec<u8>, ()> = a.into_iter().collect();
    if let Ok(v) = r { assert!(v.len() == 2); }
}

//@ expect: unsafe
#[verify]
fn into_a_result_wrong(a: [Result<u8, ()>; 2]) {
    let r: Result<Vec<u8>, ()> = a.into_iter().collect();
    if let Ok(v) = r { assert!(v[0] != 9); }
}

fn two_ranges(n: i32) -> Vec<i32> {
    (0..3).chain(5..n).collect()
}

fn handed_on(n: i32) -> Vec<i32> {
    two_ranges(n)
}

fn once_more(n: i32) -> Vec<i32> {
    handed_on(n)
}

//@ expect: safe
#[verify]
fn one_range_behind_another(n: i32) {
    if (5..8).contains(&n) {
        let all = once_more(n);
        assert!(all.len() == n as usize - 2);
    }
}

//@ expect: unsafe
#[verify]
fn one_range_behind_another_fails(n: i32) {
    if (5..8).contains(&n) {
        assert!(once_more(n).len() < 5);
    }
}

#[derive(Clone, Copy, PartialEq)]
struct P { x: u8, y: u16 }

//@ expect: safe
#[verify]
fn of_structs(v: [u8; 3]) { let w: Vec<P> = v.to_vec().into_iter().map(|x| P { x, y: 3 }).collect(); assert!(w.len() == 3 && w[1].y == 3); }

//@ expect: unsafe
#[verify]
fn of_structs_wrong(v: [u8; 3]) { let w: Vec<P> = v.to_vec().into_iter().map(|x| P { x, y: 3 }).collect(); assert!(w[1].x != 3); }

//@ expect: safe
#[verify]
fn filter_mapped(v: [u8; 3]) { let w: Vec<u8> = v.to_vec().into_iter().filter_map(|x| if x > 3 { Some(x - 1) } else { None }).collect(); for x in &w { assert!(*x >= 3); } }

//@ expect: unsafe
#[verify]
fn filter_mapped_wrong(v: [u8; 3]) { let w: Vec<u8> = v.to_vec().into_iter().filter_map(|x| if x > 3 { Some(x - 1) } else { None }).collect(); assert!(w.len() < 3); }

//@ expect: safe
#[verify]
fn of_texts(v: [u8; 2]) { let w: Vec<String> = v.to_vec().into_iter().map(|x| if x > 3 { String::from("big") } else { String::new() }).collect(); assert!(v[0] <= 3 || w[0].len() == 3); }

//@ expect: unsafe
#[verify]
fn of_texts_wrong(v: [u8; 2]) { let w: Vec<String> = v.to_vec().into_iter().map(|x| if x > 3 { String::from("big") } else { String::new() }).collect(); assert!(w[0].len() == 3); }

struct Loud(u8);
impl Drop for Loud { fn drop(&mut self) { assert!(self.0 != 7); } }

// what the filter leaves out is dropped
//@ expect: unsafe
#[verify]
fn dropped_by_the_filter(a: u8) { let w: Vec<Loud> = vec![Loud(a), Loud(1)].into_iter().filter(|l| l.0 < 5).collect(); std::mem::forget(w); }

// depth of inlining and a stand-in in one root
//@ expect: safe
#[verify]
fn deep_and_in_place(a: [u8; 3]) { let v: Vec<u16> = a.iter().map(|x| *x as u16).collect(); let w: Vec<u16> = v.into_iter().map(|p| p + 1).collect(); assert!(w.len() == 3 && w[0] > 0); }

//@ expect: unsafe
#[verify]
fn deep_and_in_place_wrong(a: [u8; 3]) { let v: Vec<u16> = a.iter().map(|x| *x as u16).collect(); let w: Vec<u16> = v.into_iter().map(|p| p + 1).collect(); assert!(w[2] > 1); }

//@ expect: safe
#[verify]
fn sorted_list(mut v: Vec<u32>) { let n = v.len(); v.sort(); assert!(v.len() == n); }

//@ expect: safe
#[verify]
fn sorted_few(a: [u16; 3]) { let mut v = a.to_vec(); v.sort_unstable(); assert!(v[0] <= v[1] && v[1] <= v[2]); }

//@ expect: unsafe
#[verify]
fn sorted_few_wrong(a: [u16; 3]) { let mut v = a.to_vec(); v.sort_unstable(); assert!(v[0] < v[1]); }

//@ expect: safe
#[verify]
fn lists_of_lists(n: u8) { let v = vec![vec![n], vec![]]; let w = vec![vec![n], vec![]]; assert!(v == w); }

//@ expect: unsafe
#[verify]
fn lists_of_lists_wrong(n: u8) { let v = vec![vec![n], vec![]]; let w = vec![vec![3], vec![]]; assert!(v != w); }
