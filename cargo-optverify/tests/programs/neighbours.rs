//! Functions of one name inside of other functions: what one of them does with raw pointers is not the others' business.
use optverify::verify;

//@ expect: safe
#[verify]
fn tame(a: u8) {
    fn f(a: u8) -> Result<u8, String> { let b = a.checked_add(1).ok_or("over")?; Ok(b) }
    match f(a) { Ok(b) => assert!(b == a + 1), Err(e) => assert!(a == 255 && e.len() == 4) }
}

//@ expect: unsafe
#[verify]
fn tame_wrong(a: u8) {
    fn f(a: u8) -> Result<u8, String> { let b = a.checked_add(1).ok_or("over")?; Ok(b) }
    match f(a) { Ok(b) => assert!(b == a + 1), Err(_) => assert!(a < 255) }
}

//@ expect: safe
//@ known: unknown because raw pointers beside the heap have no model
#[verify]
fn wild(x: u8) {
    fn f(x: u8) -> *mut u8 { Box::into_raw(Box::new(x)) }
    let p = f(x);
    unsafe { assert!(*p == x); drop(Box::from_raw(p)); }
}

//@ expect: unsafe
//@ known: unknown because raw pointers beside the heap have no model
#[verify]
fn wild_wrong(x: u8) {
    fn f(x: u8) -> *mut u8 { Box::into_raw(Box::new(x)) }
    let p = f(x);
    unsafe { drop(Box::from_raw(p)); assert!(*p == x); }
}

// By a pointer to the function, and by another function of its name.
//@ expect: unsafe
//@ known: unknown because raw pointers beside the heap have no model
#[verify]
fn wild_by_a_pointer(x: u8) {
    fn f(v: &mut Vec<u8>) { unsafe { v.set_len(4); } }
    fn g(v: &mut Vec<u8>) { v.push(1); }
    let h: fn(&mut Vec<u8>) = if x > 3 { f } else { g };
    let mut v = Vec::with_capacity(4);
    h(&mut v);
    assert!(v[0] == 1);
}
