//! Copies of bytes into numbers and back, and ranges of memory inside the rows of nested arrays.
use optverify::verify;
use std::ptr;

fn load64(b: &[u8], at: usize) -> u64 {
    assert!(at + 8 <= b.len());
    let mut out = 0u64;
    unsafe { ptr::copy_nonoverlapping(b.as_ptr().add(at), &mut out as *mut u64 as *mut u8, 8) };
    out
}

//@ expect: safe
#[verify]
fn load(b: [u8; 16]) {
    let x = load64(&b, 3);
    assert!(x.to_le_bytes() == [b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10]]);
}

//@ expect: unsafe
#[verify]
fn load_wrong(b: [u8; 16]) {
    let x = load64(&b, 3);
    assert!(x as u8 != 77);
}

//@ expect: unsafe
#[verify]
fn order_wrong(b: [u8; 16]) {
    let x = load64(&b, 3);
    assert!((x >> 56) as u8 == b[3]);
}

//@ expect: safe
#[verify]
fn read_unaligned(b: &[u8]) {
    if b.len() < 4 { return; }
    let x = unsafe { (b.as_ptr() as *const u32).read_unaligned() };
    assert!(x & 0xff == b[0] as u32 && x >> 24 == b[3] as u32);
}

//@ expect: unsafe
#[verify]
fn read_unaligned_wrong(b: &[u8]) {
    if b.len() < 3 { return; }
    let x = unsafe { (b.as_ptr() as *const u32).read_unaligned() };
    assert!(x & 0xff == b[0] as u32);
}

//@ expect: safe
#[verify]
fn write_unaligned(mut b: [u8; 8], x: u32) {
    let old = b;
    unsafe { (b.as_mut_ptr().add(2) as *mut u32).write_unaligned(x) };
    assert!(b[1] == old[1] && b[2] == x as u8 && b[5] == (x >> 24) as u8 && b[6] == old[6]);
}

//@ expect: unsafe
#[verify]
fn write_unaligned_wrong(mut b: [u8; 8], x: u32) {
    let old = b;
    unsafe { (b.as_mut_ptr().add(2) as *mut u32).write_unaligned(x) };
    assert!(b[5] == old[5]);
}

//@ expect: safe
#[verify]
fn partial(b: &[u8]) {
    let n = b.len();
    if n > 7 { return; }
    let mut out = 0u64;
    unsafe { ptr::copy_nonoverlapping(b.as_ptr(), &mut out as *mut u64 as *mut u8, n) };
    assert!(out < 1 << 56);
    if n == 2 { assert!(out == b[0] as u64 | (b[1] as u64) << 8); }
}

//@ expect: unsafe
#[verify]
fn partial_wrong(b: &[u8]) {
    let n = b.len();
    if n > 8 { return; }
    let mut out = 0u64;
    unsafe { ptr::copy_nonoverlapping(b.as_ptr(), &mut out as *mut u64 as *mut u8, n) };
    assert!(out < 1 << 56);
}

//@ expect: safe
#[verify]
fn number_to_number(x: u64) {
    let mut y = 0u32;
    unsafe { ptr::copy_nonoverlapping(&x as *const u64 as *const u8, &mut y as *mut u32 as *mut u8, 4) };
    assert!(y == x as u32);
}

//@ expect: unsafe
#[verify]
fn number_to_number_wrong(x: u64) {
    let mut y = 0u32;
    unsafe { ptr::copy_nonoverlapping(&x as *const u64 as *const u8, &mut y as *mut u32 as *mut u8, 4) };
    assert!(y == (x >> 32) as u32);
}

//@ expect: unsafe
//@ known: unknown because beyond a number may be the rest of what it is a part of
#[verify]
fn beyond(b: [u8; 16]) {
    let mut y = 0u32;
    unsafe { ptr::copy_nonoverlapping(b.as_ptr(), &mut y as *mut u32 as *mut u8, 5) };
    assert!(y > 0 || y == 0);
}

//@ expect: unsafe
//@ known: unknown because a number is initialised as a whole
#[verify]
fn uninit(b: [u8; 16]) {
    let mut y = std::mem::MaybeUninit::<u32>::uninit();
    unsafe { ptr::copy_nonoverlapping(b.as_ptr(), y.as_mut_ptr() as *mut u8, 3) };
    let y = unsafe { y.assume_init() };
    assert!(y > 0 || y == 0);
}

//@ expect: safe
#[verify]
fn rows(b: [u8; 4], i: usize) {
    let mut m = [[0u8; 4]; 3];
    if i >= 3 { return; }
    m[i].copy_from_slice(&b);
    m[i][1..3].copy_from_slice(&b[..2]);
    assert!(m[i][0] == b[0] && m[i][1] == b[0] && m[i][2] == b[1] && m[i][3] == b[3]);
    assert!(m[(i + 1) % 3][2] == 0);
}

//@ expect: unsafe
#[verify]
fn rows_wrong(b: [u8; 4], i: usize) {
    let mut m = [[0u8; 4]; 3];
    if i >= 3 { return; }
    m[i].copy_from_slice(&b);
    assert!(m[1][2] == 0);
}

//@ expect: unsafe
#[verify]
fn row_len_wrong(b: &[u8], i: usize) {
    let mut m = [[0u8; 4]; 3];
    if i >= 3 { return; }
    m[i].copy_from_slice(b);
}

//@ expect: safe
#[verify]
fn row_fill(m: &mut [[u32; 5]; 2], k: u32) {
    m[1].fill(k);
    assert!(m[1][4] == k && m[1][0] == k);
}

//@ expect: unsafe
#[verify]
fn row_fill_wrong(m: &mut [[u32; 5]; 2], k: u32) {
    m[1].fill(k);
    assert!(m[0][4] == k);
}

//@ expect: safe
#[verify]
fn row_to_row(m: &mut [[u16; 6]; 4], i: usize, j: usize) {
    if i >= 4 || j >= 4 { return; }
    let r = m[i];
    m[j][2..5].copy_from_slice(&r[1..4]);
    assert!(m[j][2] == r[1] && m[j][4] == r[3]);
}

//@ expect: safe
#[verify]
fn within(m: &mut [[u16; 6]; 4], i: usize) {
    if i >= 4 { return; }
    let r = m[i];
    m[i].copy_within(1..5, 2);
    assert!(m[i][2] == r[1] && m[i][5] == r[4] && m[i][0] == r[0] && m[i][1] == r[1]);
}

//@ expect: unsafe
#[verify]
fn within_wrong(m: &mut [[u16; 6]; 4], i: usize) {
    if i >= 4 { return; }
    let r = m[i];
    m[i].copy_within(1..5, 2);
    assert!(m[i][3] == r[1]);
}

//@ expect: safe
#[verify]
fn volatile(x: u32, y: &mut u32) {
    unsafe { ptr::write_volatile(y, x) };
    assert!(unsafe { ptr::read_volatile(y) } == x);
}

//@ expect: unsafe
#[verify]
fn volatile_wrong(x: u32, y: &mut u32) {
    let old = unsafe { ptr::read_volatile(y) };
    unsafe { ptr::write_volatile(y, x) };
    assert!(unsafe { ptr::read_volatile(y) } == old);
}

//@ expect: safe
#[verify]
fn equal_rows(a: [[i16; 3]; 4], i: usize) {
    let b = a;
    assert!(a == b);
    if i < 4 {
        let mut c = a;
        c[i][2] ^= 1;
        assert!(a != c);
    }
}

//@ expect: unsafe
#[verify]
fn equal_rows_wrong(a: [[i16; 3]; 4], mut b: [[i16; 3]; 4]) {
    b[0] = a[0];
    b[1] = a[1];
    b[2] = a[2];
    assert!(a == b);
}

//@ expect: safe
#[verify]
fn lanes(b: &[u8], i: usize) {
    if b.len() < 16 || i > b.len() - 16 { return; }
    let l = unsafe { b.as_ptr().add(i).cast::<[u32; 4]>().read_unaligned() };
    assert!(l[3] == u32::from_le_bytes([b[i + 12], b[i + 13], b[i + 14], b[i + 15]]));
}

//@ expect: unsafe
#[verify]
fn lanes_beyond(b: &[u8], i: usize) -> u32 {
    if b.len() < 16 || i > b.len() - 15 { return 0; }
    let l = unsafe { b.as_ptr().add(i).cast::<[u32; 4]>().read_unaligned() };
    l[3]
}

//@ expect: safe
#[verify]
fn lanes_written(l: [u32; 2]) {
    let mut b = [0u8; 12];
    unsafe { b.as_mut_ptr().add(2).cast::<[u32; 2]>().write_unaligned(l) };
    assert!(b[2] == l[0] as u8 && b[9] == (l[1] >> 24) as u8 && b[10] == 0);
}

//@ expect: unsafe
#[verify]
fn lanes_written_beyond(l: [u32; 2]) {
    let mut b = [0u8; 12];
    unsafe { b.as_mut_ptr().add(5).cast::<[u32; 2]>().write_unaligned(l) };
}

//@ expect: unsafe
//@ known: unknown because elements that may not be initialised are not violations
#[verify]
fn lanes_not_written() -> u32 {
    let mut b = [std::mem::MaybeUninit::<u8>::uninit(); 8];
    b[0].write(1);
    let l = unsafe { b.as_ptr().cast::<[u32; 2]>().read_unaligned() };
    l[1]
}

//@ expect: safe
#[verify]
fn initialised_by_its_own_array(n: usize) -> u8 {
    let mut b = [std::mem::MaybeUninit::<u8>::uninit(); 4];
    b[0].write(1);
    b[1].write(2);
    if n != 2 { return 0; }
    unsafe {
        let p = b.as_mut_ptr();
        ptr::copy(p, p.add(2), n);
        b[3].assume_init()
    }
}

//@ expect: unsafe
#[verify]
fn lost_in_its_own_array(n: usize) -> u8 {
    let mut b = [std::mem::MaybeUninit::<u8>::uninit(); 4];
    b[0].write(1);
    b[1].write(2);
    unsafe {
        let p = b.as_mut_ptr();
        if n == 2 { ptr::copy(p.add(2), p, n); }
        b[0].assume_init()
    }
}
