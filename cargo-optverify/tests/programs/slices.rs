//! Slices of any length: indexing, iterators, sub-slices.
use optverify::verify;

//@ expect: safe
#[verify]
fn index_loop(s: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..s.len() { sum = sum.wrapping_add(s[i]); }
    sum
}

//@ expect: unsafe
#[verify]
fn index_loop_off_by_one(s: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..=s.len() { sum = sum.wrapping_add(s[i]); }
    sum
}

//@ expect: safe
#[verify(timeout = "3s")]
fn iterate(s: &[u8]) {
    let mut n = 0usize;
    for _ in s { n += 1; }
    assert!(n == s.len());
}

//@ expect: unsafe
#[verify]
fn iterate_wrong(s: &[u8]) {
    let mut n = 0usize;
    for x in s { if *x != 3 { n += 1; } }
    assert!(n == s.len());
}

//@ expect: safe
#[verify(timeout = "3s")]
fn iterate_mut(s: &mut [u8]) {
    for x in s.iter_mut() { *x = 1; }
    if !s.is_empty() { assert!(s[0] == 1); }
}

//@ expect: unsafe
#[verify]
fn iterate_mut_wrong(s: &mut [u8]) {
    for x in s.iter_mut() { if *x < 100 { *x = 1; } }
    if !s.is_empty() { assert!(s[0] == 1); }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn enumerate(s: &[u16]) {
    for (i, x) in s.iter().enumerate() { assert!(i < s.len() && s[i] == *x); }
}

//@ expect: unsafe
#[verify]
fn enumerate_wrong(s: &[u16]) {
    for (i, x) in s.iter().enumerate() { assert!(i < s.len() && (i < 3 || *x != 9)); }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn zip(a: &[u8], b: &[u8]) {
    let mut n = 0usize;
    for (x, y) in a.iter().zip(b) { n += 1; let _ = x.wrapping_add(*y); }
    assert!(n <= a.len() && n <= b.len());
}

//@ expect: unsafe
#[verify]
fn zip_wrong(a: &[u8], b: &[u8]) {
    let mut n = 0usize;
    for (_, _) in a.iter().zip(b) { n += 1; }
    assert!(n == a.len());
}

//@ expect: safe
#[verify(timeout = "3s")]
fn find_position(s: &[u8]) {
    if let Some(p) = s.iter().position(|x| *x == 7) { assert!(s[p] == 7); }
}

//@ expect: unsafe
#[verify]
fn find_position_wrong(s: &[u8]) {
    if let Some(p) = s.iter().position(|x| *x == 7) { assert!(p == 0); }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn any_all(s: &[u8]) {
    if s.iter().all(|x| *x < 10) { assert!(!s.iter().any(|x| *x == 200)); }
}

//@ expect: unsafe
#[verify]
fn any_all_wrong(s: &[u8]) {
    assert!(s.iter().all(|x| *x < 10) || s.iter().any(|x| *x > 10));
}

//@ expect: safe
#[verify(timeout = "3s")]
fn max_of_slice(s: &[u8]) {
    let mut m = 0u8;
    for &x in s { if x > m { m = x; } }
    for &x in s { assert!(x <= m); }
}

//@ expect: unsafe
#[verify]
fn max_of_slice_wrong(s: &[u8]) {
    let mut m = 0u8;
    for &x in s { if x < m { m = x; } }
    for &x in s { assert!(x <= m); }
}

//@ expect: safe
#[verify]
fn get_is_checked(s: &[u8], i: usize) {
    match s.get(i) { Some(v) => assert!(*v == s[i]), None => assert!(i >= s.len()) }
}

//@ expect: unsafe
#[verify]
fn get_unwrapped(s: &[u8], i: usize) { if i <= s.len() { s.get(i).unwrap(); } }

//@ expect: safe
#[verify(timeout = "3s")]
fn sub_slice(s: &[u8], a: usize, b: usize) {
    if a <= b && b <= s.len() {
        let t = &s[a..b];
        assert!(t.len() == b - a);
        if a < b { assert!(t[0] == s[a]); }
    }
}

//@ expect: unsafe
#[verify]
fn sub_slice_wrong(s: &[u8], a: usize, b: usize) {
    if b <= s.len() { let t = &s[a..b]; assert!(t.len() <= s.len()); }
}

//@ expect: safe
#[verify]
fn swap_ends(s: &mut [u32]) {
    let n = s.len();
    if n >= 2 {
        let (a, b) = (s[0], s[n - 1]);
        s.swap(0, n - 1);
        assert!(s[0] == b && s[n - 1] == a);
    }
}

//@ expect: unsafe
#[verify]
fn swap_ends_wrong(s: &mut [u32]) { let n = s.len(); s.swap(0, n.wrapping_sub(1)); }

//@ expect: safe
#[verify(timeout = "3s")]
fn reverse_in_place(s: &mut [u8]) {
    let n = s.len();
    let (mut i, mut j) = (0, n);
    while i + 1 < j { j -= 1; s.swap(i, j); i += 1; }
    assert!(s.len() == n);
}

//@ expect: unsafe
#[verify]
fn reverse_in_place_wrong(s: &mut [u8]) {
    let (mut i, mut j) = (0, s.len());
    while i <= j { s.swap(i, j); j = j.wrapping_sub(1); i += 1; }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn windows(s: &[u8]) {
    let mut n = 0usize;
    for w in s.windows(2) { assert!(w.len() == 2); if w[0] <= w[1] { n += 1; } }
    assert!(n <= s.len());
}

//@ expect: unsafe
#[verify]
fn windows_wrong(s: &[u8]) { for w in s.windows(2) { assert!(w[0] <= w[1]); } }

//@ expect: safe
#[verify(timeout = "3s")]
fn chunks(s: &[u8]) {
    for c in s.chunks(4) { assert!(c.len() >= 1 && c.len() <= 4); }
}

//@ expect: unsafe
#[verify]
fn chunks_wrong(s: &[u8]) { for c in s.chunks(4) { assert!(c.len() == 4); } }

//@ expect: safe
#[verify(timeout = "3s")]
fn chunks_exact(s: &[u8]) {
    let mut n = 0usize;
    for c in s.chunks_exact(4) { n += c.len(); let _ = c[3]; }
    assert!(n <= s.len());
}

//@ expect: unsafe
#[verify]
fn chunks_exact_wrong(s: &[u8]) { for c in s.chunks_exact(4) { let _ = c[c.len()]; } }

//@ expect: safe
#[verify(timeout = "3s")]
fn reversed(s: &[u8]) {
    let mut last = None;
    for x in s.iter().rev() { last = Some(*x); }
    if let Some(v) = last { assert!(v == s[0]); }
}

//@ expect: unsafe
#[verify]
fn reversed_wrong(s: &[u8]) {
    let mut last = None;
    for x in s.iter().rev() { last = Some(*x); }
    if let Some(v) = last { assert!(v == s[s.len() - 1]); }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn binary_search(s: &[u32], key: u32) -> Option<usize> {
    let (mut lo, mut hi) = (0usize, s.len());
    while lo < hi {
        let mid = lo + (hi - lo) / 2;
        if s[mid] == key { return Some(mid); }
        if s[mid] < key { lo = mid + 1; } else { hi = mid; }
    }
    None
}

//@ expect: unsafe
#[verify]
fn binary_search_wrong(s: &[u32], key: u32) -> Option<usize> {
    let (mut lo, mut hi) = (0usize, s.len());
    while lo <= hi {
        let mid = lo + (hi - lo) / 2;
        if s[mid] == key { return Some(mid); }
        if s[mid] < key { lo = mid + 1; } else { hi = mid; }
    }
    None
}

//@ expect: safe
#[verify]
fn slice_patterns(s: &[u8]) -> u32 {
    match s {
        [] => 0,
        [x] => *x as u32,
        [first, .., last] => { assert!(s.len() >= 2); *first as u32 + *last as u32 }
    }
}

//@ expect: unsafe
#[verify]
fn slice_patterns_wrong(s: &[u8]) -> u8 {
    match s { [a, b] => *a / *b, [_, rest @ ..] => rest.len() as u8, [] => 0 }
}

//@ expect: safe
#[verify]
fn split_first_walk(mut s: &[u8]) {
    let mut n = 0usize;
    while let Some((_, rest)) = s.split_first() { assert!(rest.len() < s.len()); s = rest; n = n.wrapping_add(1); }
    assert!(s.is_empty());
}

//@ expect: unsafe
#[verify]
fn split_first_walk_wrong(mut s: &[u8]) {
    while let Some((a, rest)) = s.split_first() { assert!(*a != 42); s = rest; }
}

//@ expect: safe
#[verify(timeout = "3s")]
fn sum_bytes(s: &[u8]) -> u64 {
    if s.len() > 1000 { return 0; }
    let t: u64 = s.iter().map(|x| *x as u64).sum();
    t
}

//@ expect: unsafe
#[verify]
fn sum_bytes_wrong(s: &[u8]) {
    let t: u64 = s.iter().map(|x| *x as u64).sum();
    assert!(t < 256);
}

//@ expect: safe
#[verify(timeout = "3s")]
fn fold_or(s: &[u8]) {
    let f = s.iter().fold(0u8, |a, x| a | (x & 0x0f));
    assert!(f < 16);
}

//@ expect: unsafe
#[verify]
fn fold_or_wrong(s: &[u8]) {
    let f = s.iter().fold(0u8, |a, x| a | (x & 0x0f));
    assert!(f < 15);
}

//@ expect: safe
#[verify]
fn copy_and_fill(dst: &mut [u8], src: &[u8]) {
    if dst.len() == src.len() {
        dst.copy_from_slice(src);
        if let Some(x) = src.first() { assert!(dst[0] == *x); }
    } else { dst.fill(9); if let Some(x) = dst.last() { assert!(*x == 9); } }
}

//@ expect: unsafe
#[verify]
fn copy_wrong_length(dst: &mut [u8], src: &[u8]) { if dst.len() >= src.len() { dst.copy_from_slice(src); } }

//@ expect: safe
#[verify]
fn starts_with(s: &[u8]) { if s.starts_with(&[1, 2]) { assert!(s.len() >= 2 && s[1] == 2); } }

//@ expect: unsafe
#[verify]
fn starts_with_wrong(s: &[u8]) { if s.starts_with(&[1, 2]) { assert!(s.len() == 2); } }

//@ expect: safe
//@ known: unknown because call of `<{closure@<std::iter::StepBy<I> as std::iter::adapters::step_by::StepByImpl<I>>::
#[verify]
fn iterator_chain(s: &[u8]) {
    let n = s.iter().skip(1).step_by(2).take(5).filter(|x| **x > 3).count();
    assert!(n <= 5);
}

//@ expect: unsafe
#[verify]
fn iterator_chain_wrong(s: &[u8]) {
    let n = s.iter().skip(1).take(3).filter(|x| **x > 3).count();
    assert!(n < 3);
}

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn min_max_iter(s: &[u8]) {
    if let (Some(a), Some(b)) = (s.iter().min(), s.iter().max()) { assert!(a <= b); }
}

//@ expect: unsafe
#[verify]
fn min_max_iter_wrong(s: &[u8]) { if let Some(m) = s.iter().max() { assert!(*m > 0); } }

//@ expect: safe
#[verify]
fn bytes_of_a_slice(s: &[u16], t: &str) { assert!(s.len() <= isize::MAX as usize / 2 && t.len() <= isize::MAX as usize); }

//@ expect: unsafe
#[verify]
fn slice_of_nothing(s: &[()]) { assert!(s.len() <= isize::MAX as usize); }

//@ expect: unsafe
#[verify]
fn slice_of_no_elements(s: &[[u8; 0]], t: &mut [()]) { assert!(s.len().checked_add(t.len()).is_some()); }

pub struct Unit;

//@ expect: unsafe
//@ known: unknown because the size of a struct whose fields nobody mentions is not known
#[verify]
fn slice_of_units(s: &[Unit]) { assert!(s.len() < 1 << 63); }

//@ expect: safe
#[verify]
fn words_equal(v: &[u16; 3], w: &[u16; 3]) {
    if v[..2] == w[..2] {
        assert!(v[0] == w[0] && v[1] == w[1]);
    }
}

//@ expect: unsafe
#[verify]
fn words_equal_in_part(v: &[u16; 3], w: &[u16; 3]) {
    if v[..2] == w[..2] {
        assert!(v == w);
    }
}

// a comparison of no elements, and what comes after it
//@ expect: safe
#[verify]
fn nothing_equals_nothing(v: &[u32], w: &[u32]) { assert!(v[..0] == w[..0]); }

//@ expect: unsafe
#[verify]
fn after_nothing(v: &[u32], w: &[u32]) {
    assert!(v[..0] == w[..0]);
    assert!(w.len() == 1);
}

//@ expect: safe
#[verify]
fn letters_start(v: &[char]) {
    if v.starts_with(&['a', 'b']) {
        assert!(v[0] == 'a');
    }
}

//@ expect: unsafe
#[verify]
fn letters_start_only(v: &[char]) {
    if v.starts_with(&['a', 'b']) {
        assert!(v[2] == 'a');
    }
}

// what a comparison says of an element
//@ expect: safe
#[verify]
fn equal_slices(v: &[u8], w: &[u8]) {
    if v == w && v.len() > 3 {
        assert!(v[2] == w[2]);
    }
}

//@ expect: unsafe
#[verify]
fn unequal_slices(v: &[u8], w: &[u8]) {
    if v != w && v.len() > 3 && w.len() > 3 {
        assert!(v[2] == w[2]);
    }
}

// two values an element may have
//@ expect: safe
#[verify]
fn one_or_two(n: usize) {
    optverify::assume(n <= 50);
    let mut a = [0u8; 50];
    for i in 0..n {
        if i % 2 == 0 {
            a[i] = 1
        } else {
            a[i] = 2
        }
    }
    for i in 0..n {
        assert!(a[i] == 1 || a[i] == 2);
    }
}

//@ expect: unsafe
#[verify]
fn one_or_two_or_none(n: usize) {
    optverify::assume(n <= 50);
    let mut a = [0u8; 50];
    for i in 1..n {
        if i % 2 == 0 {
            a[i] = 1
        } else {
            a[i] = 2
        }
    }
    for i in 0..n {
        assert!(a[i] == 1 || a[i] == 2);
    }
}

//@ expect: safe
#[verify]
fn as_chunks(a: &[u8; 6]) { let (c, _) = a.as_chunks::<2>(); assert!(c.len() == 3 && c[1][0] == a[2]); }

//@ expect: unsafe
#[verify]
fn as_chunks_wrong(a: &[u8; 6]) { let (c, _) = a.as_chunks::<2>(); assert!(c[1][0] == a[1]); }

//@ expect: safe
#[verify]
fn as_chunks_words(a: &[u8; 8]) {
    let mut s = 0u8;
    for w in a.as_chunks::<4>().0 { s = s.wrapping_add(w[0]); }
    assert!(s == a[0].wrapping_add(a[4]));
}

//@ expect: unsafe
#[verify]
fn as_chunks_words_wrong(a: &[u8; 8]) {
    let mut s = 0u8;
    for w in a.as_chunks::<4>().0 { s = s.wrapping_add(w[0]); }
    assert!(s == a[0].wrapping_add(a[1]));
}

//@ expect: safe
//@ known: unknown because a range of memory over several rows of nested arrays
#[verify]
fn as_flattened(a: &[[u8; 2]; 3]) { let f = a.as_flattened(); assert!(f.len() == 6 && f[3] == a[1][1]); }

//@ expect: unsafe
//@ known: unknown because a range of memory over several rows of nested arrays
#[verify]
fn as_flattened_wrong(a: &[[u8; 2]; 3]) { let f = a.as_flattened(); assert!(f[3] == a[1][0]); }

//@ expect: safe
#[verify]
fn taken_while(a: &[u8]) { let n = a.iter().take_while(|x| **x != 0).count(); assert!(n <= a.len()); }

//@ expect: unsafe
#[verify]
fn taken_while_wrong(a: &[u8]) { let n = a.iter().take_while(|x| **x != 0).count(); assert!(n < 3); }

//@ expect: safe
#[verify]
fn zipped(a: &[u8], b: &[u8]) { let n = a.iter().zip(b.iter()).count(); assert!(n <= a.len() && n <= b.len()); }

//@ expect: unsafe
#[verify]
fn zipped_wrong(a: &[u8], b: &[u8]) { let n = a.iter().zip(b.iter()).count(); assert!(n == a.len()); }

//@ expect: safe
#[verify]
fn moved_within(mut x: [i8; 8], i: usize) { if i < 8 { x.copy_within(i + 1.., i); } }

//@ expect: unsafe
#[verify]
fn moved_within_wrong(mut x: [i8; 8], i: usize) { if i <= 8 { x.copy_within(i + 1.., i); } }

//@ expect: safe
#[verify]
fn halved(s: &[u32], k: u32) {
    let (mut size, mut base) = (s.len(), 0usize);
    if size == 0 { return; }
    while size > 1 { let half = size / 2; if s[base + half] <= k { base += half; } size -= half; }
    assert!(base < s.len());
}

//@ expect: unsafe
#[verify]
fn halved_wrong(s: &[u32], k: u32) {
    let (mut size, mut base) = (s.len(), 0usize);
    while size > 1 { let half = size / 2; if s[base + half] <= k { base += half; } size -= half; }
    assert!(base < s.len());
}

//@ expect: safe
#[verify]
fn searched(s: &[u32], k: u32) { match s.binary_search(&k) { Ok(i) => assert!(i < s.len()), Err(i) => assert!(i <= s.len()) } }

//@ expect: unsafe
#[verify]
fn searched_wrong(s: &[u32], k: u32) { let i = s.partition_point(|x| *x < k); assert!(i < s.len()); }
