//! Slices that are rotated: std keeps the shorter side in scratch memory of another type, which user code may do as well.
use optverify::verify;
use std::mem::MaybeUninit;

//@ expect: safe
#[verify]
fn left(mut r: [u32; 5], n: usize, i: usize) {
    if n > 5 || i >= 5 { return; }
    let before = r;
    r.rotate_left(n);
    assert!(r[i] == before[(i + n) % 5]);
}

//@ expect: unsafe
#[verify]
fn left_wrong(mut r: [u32; 5], n: usize, i: usize) {
    if n > 5 || i >= 5 { return; }
    let before = r;
    r.rotate_left(n);
    assert!(r[i] == before[(i + n + 1) % 5]);
}

//@ expect: unsafe
#[verify]
fn left_too_far(mut r: [u32; 5], n: usize) { r.rotate_left(n); }

//@ expect: safe
#[verify]
fn row(mut m: [[u8; 4]; 4], r: usize) {
    if r >= 4 { return; }
    let before = m;
    m[r].rotate_left(r);
    assert!(m[r][0] == before[r][r]);
}

//@ expect: unsafe
#[verify]
fn row_wrong(mut m: [[u8; 4]; 4], r: usize) {
    if r >= 4 { return; }
    let before = m;
    m[r].rotate_left(r);
    assert!(m[r][0] == before[r][0]);
}

//@ expect: safe
#[verify]
fn part(v: &mut [u16]) {
    if v.len() < 6 { return; }
    let a = v[1];
    v[1..4].rotate_left(1);
    assert!(v[3] == a);
}

//@ expect: unsafe
#[verify]
fn part_wrong(v: &mut [u16]) {
    if v.len() < 6 { return; }
    let a = v[1];
    v[1..4].rotate_left(1);
    assert!(v[2] == a);
}

//@ expect: safe
#[verify]
fn pairs(mut r: [(u8, u32); 3]) { let o = r; r.rotate_right(2); assert!(r[0].0 == o[1].0 && r[0].1 == o[1].1); }

//@ expect: unsafe
#[verify]
fn pairs_wrong(mut r: [(u8, u32); 3]) { let o = r; r.rotate_right(2); assert!(r[0].0 == o[1].0 && r[0].1 == o[0].1); }

//@ expect: safe
#[verify]
fn without_size(mut r: [(); 7]) { r.rotate_left(3); }

//@ expect: unsafe
#[verify]
fn without_size_too_far(mut r: [(); 7]) { r.rotate_left(8); }

type Scratch = MaybeUninit<([usize; 4], [u16; 0])>;

//@ expect: safe
#[verify]
fn scratch(a: u16) {
    let mut s: Scratch = MaybeUninit::uninit();
    let p = s.as_mut_ptr() as *mut u16;
    unsafe { p.add(15).write(a); assert!(p.add(15).read() == a); }
}

//@ expect: unsafe
#[verify]
fn scratch_too_small(a: u16) {
    let mut s: Scratch = MaybeUninit::uninit();
    let p = s.as_mut_ptr() as *mut u16;
    unsafe { p.add(16).write(a); }
}

//@ expect: unsafe
//@ known: unknown because elements that may not be initialised are not violations
#[verify]
fn scratch_not_written(a: u16) -> u16 {
    let mut s: Scratch = MaybeUninit::uninit();
    let p = s.as_mut_ptr() as *mut u16;
    unsafe { p.write(a); p.add(1).read() }
}

//@ expect: safe
//@ known: unknown because memory has one type
#[verify]
fn scratch_of_two_types(a: u16) {
    let mut s: Scratch = MaybeUninit::uninit();
    let p = s.as_mut_ptr() as *mut u16;
    unsafe {
        for i in 0..4 { p.add(i).write(if i < 2 { a } else { 0 }); }
        assert!(*(s.as_ptr() as *const usize) == (a as usize) * 0x10001);
    }
}

//@ expect: safe
//@ known: unknown because its value is used, too
#[verify]
fn scratch_moved(a: u16) {
    let mut s: Scratch = MaybeUninit::uninit();
    unsafe { (s.as_mut_ptr() as *mut u16).write(a); }
    let t = s;
    unsafe { assert!(*(t.as_ptr() as *const u16) == a); }
}
