//! Vectors that grow: by the size of their elements, whatever the memory is counted in.
use optverify::verify;

// Of elements without a size there may be `usize::MAX`, and not one more.
//@ expect: unsafe
#[verify]
fn one_more_of_nothing(n: usize) { let mut v: Vec<()> = vec![(); n]; v.push(()); }

//@ expect: safe
#[verify]
fn few_of_nothing(n: usize) { if n < 1000 { let mut v: Vec<()> = vec![(); n]; v.push(()); assert!(v.len() == n + 1); } }

//@ expect: safe
#[verify]
fn arrays_pushed(n: u8) {
    let mut v: Vec<[u8; 16]> = Vec::new();
    v.push([n; 16]);
    v.push([1; 16]);
    assert!(v[0][15] == n && v[1][0] == 1);
}

//@ expect: unsafe
#[verify]
fn arrays_pushed_wrong(n: u8) {
    let mut v: Vec<[u8; 16]> = Vec::new();
    v.push([n; 16]);
    v.push([1; 16]);
    assert!(v[1][0] == v[0][15]);
}

// The least room that pays is told by the whole element: 4 for four bytes, not 8.
//@ expect: safe
#[verify]
fn capacity_of_arrays() { let mut v: Vec<[u8; 4]> = Vec::new(); v.push([1; 4]); assert!(v.capacity() == 4); }

//@ expect: unsafe
#[verify]
fn capacity_of_arrays_wrong() { let mut v: Vec<[u8; 4]> = Vec::new(); v.push([1; 4]); assert!(v.capacity() == 8); }

// Memory that nobody has looked at yet has elements as large as any.
//@ expect: unsafe
#[verify]
fn reserved_too_much(n: usize) { if n <= 1 << 62 { let mut v: Vec<u64> = Vec::with_capacity(2); v.reserve(n); } }

//@ expect: safe
#[verify]
fn reserved_some(n: usize) { if n <= 1 << 30 { let mut v: Vec<u64> = Vec::with_capacity(2); v.reserve(n); assert!(v.capacity() >= n); } }
