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
