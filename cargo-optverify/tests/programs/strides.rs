//! Slices as slices of arrays: a pointer to arrays counts several elements of the memory at once.
use optverify::verify;

//@ expect: safe
#[verify]
fn sum_of_chunks(s: &[u8]) -> u32 {
    let (chunks, rest) = s.as_chunks::<4>();
    let mut sum = 0u32;
    for c in chunks {
        sum = sum.wrapping_add(u32::from_le_bytes(*c));
    }
    assert!(rest.len() < 4);
    assert!(chunks.len() == s.len() / 4);
    sum
}

//@ expect: safe
#[verify]
fn chunk_at(s: &[u8], i: usize) -> u8 {
    let (c, _) = s.as_chunks::<3>();
    if i < c.len() {
        assert!(c[i][2] == s[3 * i + 2]);
        c[i][1]
    } else {
        0
    }
}

//@ expect: unsafe
#[verify]
fn chunk_at_end(s: &[u8], i: usize) -> u8 {
    let (c, _) = s.as_chunks::<3>();
    if i <= c.len() { c[i][2] } else { 0 }
}

//@ expect: unsafe
#[verify]
fn chunk_elsewhere(s: &[u8]) {
    let (c, _) = s.as_chunks::<3>();
    if c.len() > 1 {
        assert!(c[1][0] == s[4]);
    }
}

//@ expect: safe
#[verify]
fn written_chunks(s: &mut [u16]) {
    if s.len() < 8 {
        return;
    }
    let (c, _) = s.as_chunks_mut::<2>();
    c[2] = [5, 6];
    c[3][1] = 9;
    assert!(s[4] == 5 && s[5] == 6 && s[7] == 9);
}

//@ expect: unsafe
#[verify]
fn written_elsewhere(s: &mut [u16]) {
    if s.len() < 8 {
        return;
    }
    let (c, _) = s.as_chunks_mut::<2>();
    c[2] = [5, 6];
    assert!(s[3] == 5);
}

//@ expect: safe
#[verify]
fn rest_of_chunks(s: &[u8]) {
    let (c, _) = s.as_chunks::<2>();
    if let [_, rest @ ..] = c {
        if let Some(f) = rest.first() {
            assert!(f[0] == s[2]);
        }
        assert!(rest.len() == c.len() - 1);
    }
}

//@ expect: unsafe
#[verify]
fn rest_of_chunks_elsewhere(s: &[u8]) {
    let (c, _) = s.as_chunks::<2>();
    if let [_, rest @ ..] = c {
        if let Some(f) = rest.first() {
            assert!(f[0] == s[1]);
        }
    }
}

//@ expect: safe
#[verify]
fn chunks_of_an_array(a: [u8; 12], i: usize) {
    let (c, _) = a.as_chunks::<4>();
    assert!(c.len() == 3);
    if i < 3 {
        assert!(c[i][3] == a[4 * i + 3]);
    }
}

// `chunks` with a loop over each: positions, lengths and the smaller of two.
//@ expect: safe
#[verify]
fn checksum_by_chunks(data: &[u8]) -> u16 {
    let (mut a, mut b) = (0u16, 0u16);
    for chunk in data.chunks(21) {
        for e in chunk {
            a = a.wrapping_add(u16::from(*e));
            b = b.wrapping_add(a);
        }
        assert!(chunk.len() <= 21);
    }
    a ^ b
}

//@ expect: unsafe
#[verify]
fn checksum_by_full_chunks(data: &[u8]) -> u16 {
    let mut a = 0u16;
    for chunk in data.chunks(3) {
        for e in chunk {
            a = a.wrapping_add(u16::from(*e));
        }
        assert!(chunk.len() == 3);
    }
    a
}

// An inlined instance whose promoted constants are left: `&N` for `N = 8`.
trait Back<T> {
    fn back<const N: usize>(&self) -> (&[[T; N]], &[T]);
}

impl<T> Back<T> for [T] {
    fn back<const N: usize>(&self) -> (&[[T; N]], &[T]) {
        assert_ne!(N, 0);
        let len = self.len() / N;
        let (head, tail) = unsafe { self.split_at_unchecked(len * N) };
        let head = unsafe { core::slice::from_raw_parts(head.as_ptr().cast(), len) };
        (head, tail)
    }
}

//@ expect: safe
#[verify]
fn own_chunks(s: &[u8]) -> u64 {
    let (c, r) = s.back::<8>();
    assert!(r.len() < 8);
    let mut sum = 0;
    for x in c {
        sum ^= u64::from_le_bytes(*x);
    }
    sum
}

//@ expect: unsafe
#[verify]
fn own_chunks_of_nothing(s: &[u8]) -> usize {
    s.back::<0>().1.len()
}

// A trait that is brought into scope without a name is still the only one of its own.
mod elsewhere {
    use super::Back as _;
    pub fn rest(s: &[u8]) -> usize { s.back::<16>().1.len() }
}

//@ expect: safe
#[verify]
fn own_chunks_elsewhere(s: &[u8]) { assert!(elsewhere::rest(s) < 16); }

//@ expect: unsafe
#[verify]
fn own_chunks_elsewhere_wrong(s: &[u8]) { assert!(elsewhere::rest(s) < 15); }

//@ expect: safe
#[verify]
fn first_pair_of_words(bytes: &mut [u8]) {
    let (words, _) = bytes.as_chunks_mut::<8>();
    let (pairs, rest) = words.as_chunks_mut::<2>();
    assert!(rest.len() < 2);
    if let Some([a, b]) = pairs.first_mut() {
        a[0] = 3;
        b[0] = a[0] + 1;
        assert!(a[0] == 3);
    }
}

//@ expect: unsafe
#[verify]
fn first_pair_of_words_overlaps(bytes: &mut [u8]) {
    let (words, _) = bytes.as_chunks_mut::<8>();
    let (pairs, _) = words.as_chunks_mut::<2>();
    if let Some([a, b]) = pairs.first_mut() {
        a[0] = 3;
        b[0] = a[0] + 1;
    }
    if bytes.len() > 16 {
        assert!(bytes[8] != 4);
    }
}

//@ expect: safe
#[verify]
fn second_of_pair(bytes: &[u8]) {
    let (words, _) = bytes.as_chunks::<4>();
    let (pairs, _) = words.as_chunks::<2>();
    if let Some(p) = pairs.first() {
        assert!(p[1][0] == bytes[4]);
        assert!(p[0][3] == bytes[3]);
    }
}

//@ expect: unsafe
#[verify]
fn second_of_pair_elsewhere(bytes: &[u8]) {
    let (words, _) = bytes.as_chunks::<4>();
    let (pairs, _) = words.as_chunks::<2>();
    if let Some(p) = pairs.first() {
        assert!(p[1][0] == bytes[2]);
    }
}
