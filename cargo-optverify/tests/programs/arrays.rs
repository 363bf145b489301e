//! Fixed arrays, nested arrays, const tables, statics.
use optverify::verify;

const TABLE: [u8; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
static WEEKDAYS: [u16; 7] = [0, 10, 20, 30, 40, 50, 60];

//@ expect: safe
#[verify]
fn const_table(i: usize) {
    let v = TABLE[i % 8];
    assert!(v.is_power_of_two());
}

//@ expect: unsafe
#[verify]
fn const_table_out(i: usize) { assert!(TABLE[i % 9] > 0); }

//@ expect: safe
#[verify]
fn static_table(i: u8) { assert!(WEEKDAYS[(i % 7) as usize] <= 60); }

//@ expect: unsafe
#[verify]
fn static_table_wrong(i: u8) { assert!(WEEKDAYS[(i % 7) as usize] < 60); }

//@ expect: safe
#[verify]
fn nested(i: usize, j: usize, v: u8) {
    let mut m = [[0u8; 4]; 3];
    if i < 3 && j < 4 {
        m[i][j] = v;
        assert!(m[i][j] == v);
        assert!(m[(i + 1) % 3][j] == 0);
    }
}

//@ expect: unsafe
#[verify]
fn nested_wrong(i: usize, j: usize, v: u8) {
    let mut m = [[0u8; 4]; 3];
    if i < 4 && j < 3 { m[i][j] = v; }
}

//@ expect: safe
#[verify]
fn fill_all(v: u8) {
    let mut a = [0u8; 16];
    for i in 0..16 { a[i] = v; }
    for x in a { assert!(x == v); }
}

//@ expect: unsafe
#[verify]
fn fill_most(v: u8) {
    let mut a = [0u8; 16];
    for i in 0..15 { a[i] = v; }
    for x in a { assert!(x == v); }
}

//@ expect: safe
#[verify]
fn bubble_sort(mut a: [u8; 4]) {
    let n = a.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if a[j] > a[j + 1] { a.swap(j, j + 1); }
        }
    }
    assert!(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]);
}

//@ expect: unsafe
#[verify]
fn bubble_sort_wrong(mut a: [u8; 4]) {
    let n = a.len();
    for i in 0..n {
        for j in 0..n - 1 - i {
            if a[j] > a[j + 1] { a[j] = a[j + 1]; }
        }
        if i == 1 { break; }
    }
    assert!(a[0] <= a[1] && a[1] <= a[2] && a[2] <= a[3]);
}

//@ expect: safe
#[verify]
fn array_map_and_eq(a: [u8; 4]) {
    let b = a.map(|x| x ^ 0xff);
    let c = b.map(|x| !x);
    assert!(a == c);
}

//@ expect: unsafe
#[verify]
fn array_map_and_eq_wrong(a: [u8; 4]) {
    let b = a.map(|x| x ^ 1);
    assert!(a[0] < b[0] || a[3] == 7);
}

//@ expect: safe
#[verify(timeout = "3s")]
fn array_of_structs(k: usize, v: u16) {
    #[derive(Clone, Copy)]
    struct Cell { v: u16, set: bool }
    let mut a = [Cell { v: 0, set: false }; 5];
    if k < 5 {
        a[k] = Cell { v, set: true };
        let mut n = 0;
        for c in &a { if c.set { n += 1; assert!(c.v == v); } }
        assert!(n == 1);
    }
}

//@ expect: unsafe
#[verify]
fn array_of_structs_wrong(k: usize, v: u16) {
    #[derive(Clone, Copy)]
    struct Cell { v: u16, set: bool }
    let mut a = [Cell { v: 0, set: false }; 5];
    if k < 5 {
        a[k] = Cell { v, set: true };
        for c in &a { assert!(!c.set || c.v != 77); }
    }
}

//@ expect: safe
#[verify]
fn from_fn_squares(i: usize) {
    let a: [u32; 6] = std::array::from_fn(|k| (k * k) as u32);
    if i < 6 { assert!(a[i] == (i * i) as u32); }
}

//@ expect: unsafe
#[verify]
fn from_fn_squares_wrong(i: usize) {
    let a: [u32; 6] = std::array::from_fn(|k| (k * k) as u32);
    if i < 6 { assert!(a[i] < 25); }
}

//@ expect: safe
#[verify]
fn enum_array_parameter(a: [Light; 3]) {
    let mut n = 0u32;
    for l in a { n += match l { Light::Red => 1, Light::Green => 2, Light::Blue => 4 }; }
    assert!(n >= 3 && n <= 12);
}

//@ expect: unsafe
#[verify]
fn enum_array_parameter_wrong(a: [Light; 3]) {
    let mut n = 0u32;
    for l in a { n += match l { Light::Red => 1, Light::Green => 2, Light::Blue => 4 }; }
    assert!(n < 12);
}

#[derive(Clone, Copy)]
enum Light { Red, Green, Blue }

//@ expect: safe
#[verify]
fn matrix_transpose(m: [[i8; 2]; 2]) {
    let mut t = [[0i8; 2]; 2];
    for i in 0..2 { for j in 0..2 { t[j][i] = m[i][j]; } }
    assert!(t[0][1] == m[1][0] && t[1][1] == m[1][1]);
}

//@ expect: unsafe
#[verify]
fn matrix_transpose_wrong(m: [[i8; 2]; 2]) {
    let mut t = [[0i8; 2]; 2];
    for i in 0..2 { for j in 0..2 { t[i][j] = m[i][j]; } }
    assert!(t[0][1] == m[1][0]);
}

//@ expect: safe
#[verify]
fn array_slices(a: [u8; 6]) {
    let (l, r) = a.split_at(2);
    assert!(l.len() == 2 && r.len() == 4);
    assert!(l[1] == a[1] && r[0] == a[2]);
    let s = &a[1..=3];
    assert!(s.len() == 3 && s[2] == a[3]);
    assert!(a.first() == Some(&a[0]) && a.last() == Some(&a[5]));
}

//@ expect: unsafe
#[verify]
fn array_slices_wrong(a: [u8; 6], k: usize) {
    let s = &a[k % 8..];
    assert!(s.len() <= 6);
}

//@ expect: safe
#[verify(timeout = "5s")]
fn ring_buffer(n: u32, v: u8) {
    struct Ring { data: [u8; 8], head: usize, len: usize }
    impl Ring {
        fn push(&mut self, v: u8) -> bool {
            if self.len == 8 { return false; }
            let at = (self.head + self.len) % 8;
            self.data[at] = v;
            self.len += 1;
            true
        }
        fn pop(&mut self) -> Option<u8> {
            if self.len == 0 { return None; }
            let v = self.data[self.head];
            self.head = (self.head + 1) % 8;
            self.len -= 1;
            Some(v)
        }
    }
    let mut r = Ring { data: [0; 8], head: 0, len: 0 };
    let mut i = 0;
    while i < n {
        if optverify::any::<bool>() { r.push(v); } else { r.pop(); }
        i += 1;
    }
    assert!(r.len <= 8 && r.head < 8);
}

//@ expect: unsafe
#[verify]
fn ring_buffer_wrong(n: u32, v: u8) {
    let (mut data, mut head, mut len) = ([0u8; 4], 0usize, 0usize);
    let mut i = 0;
    while i < n {
        if optverify::any::<bool>() { data[(head + len) % 4] = v; len += 1; } else if len > 0 { head += 1; len -= 1; }
        i += 1;
    }
    assert!(len <= 4);
}

static SQUARE: [[u16; 3]; 2] = [[1, 2, 3], [40, 50, 60]];

//@ expect: safe
#[verify]
fn nested_table(i: usize, j: usize) { if i < 2 && j < 3 { let v = SQUARE[i][j]; assert!((v >= 40) == (i == 1)); assert!(SQUARE[1][2] == 60); } }

//@ expect: unsafe
#[verify]
fn nested_table_wrong(i: usize, j: usize) { if i < 2 && j < 3 { assert!(SQUARE[i][j] != 50); } }

static IS_ODD: [bool; 6] = [false, true, false, true, false, true];

//@ expect: safe
#[verify]
fn table_of_bools(i: usize) { if i < 6 { assert!(IS_ODD[i] == (i % 2 == 1)); } }

//@ expect: unsafe
#[verify]
fn table_of_bools_wrong(i: usize) { if i < 6 { assert!(!IS_ODD[i] || i < 5); } }

//@ expect: safe
#[verify]
fn any_array(i: usize) {
    let a: [i32; 8] = optverify::any();
    let m: [[u8; 2]; 2] = optverify::any();
    let mut sum = 0;
    for row in &m { for &x in row { sum += x as u32; } }
    if i < 8 { assert!(a[i] == a[i % 8]); }
    assert!(sum <= 4 * 255);
}

//@ expect: unsafe
#[verify]
fn any_array_wrong(i: usize) {
    let a: [i32; 8] = optverify::any();
    let m: [(u8, bool); 2] = optverify::any();
    if i < 8 && m[1].1 { assert!(a[i] != 77 || m[0].0 != 3); }
}

//@ expect: safe
#[verify]
fn binary_search(a: [u8; 4], x: u8) { if let Ok(i) = a.binary_search(&x) { assert!(a[i] == x); } }

//@ expect: unsafe
#[verify]
fn binary_search_wrong(a: [u8; 4], x: u8) { if let Err(i) = a.binary_search(&x) { assert!(a[i] != x); } }
