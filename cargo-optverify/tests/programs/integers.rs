//! Integer operations of every family, casts, bits.
use optverify::verify;

//@ expect: safe
#[verify]
fn checked_family(a: i32, b: i32) {
    match a.checked_add(b) { Some(s) => assert!(s as i64 == a as i64 + b as i64), None => assert!((a as i64 + b as i64).abs() > i32::MAX as i64) }
    if let Some(d) = a.checked_div(b) { assert!(b != 0 && d == a / b); }
    if let Some(n) = a.checked_neg() { assert!(n == -a && a != i32::MIN); }
    if let Some(n) = a.checked_rem(b) { assert!(n == a % b); }
}

//@ expect: unsafe
#[verify]
fn checked_family_wrong(a: i32, b: i32) { if b != 0 { a.checked_div(b).unwrap(); } }

//@ expect: safe
#[verify]
fn saturating_family(a: u8, b: u8) {
    assert!(a.saturating_add(b) >= a);
    assert!(a.saturating_sub(b) <= a);
    assert!(a.saturating_mul(2) >= a);
    assert!((a as i8).saturating_neg() != i8::MIN);
}

//@ expect: unsafe
#[verify]
fn saturating_family_wrong(a: u8, b: u8) { assert!(a.saturating_add(b) - b == a); }

//@ expect: safe
#[verify(timeout = "3s")]
fn overflowing_family(a: u16, b: u16) {
    let (s, o) = a.overflowing_add(b);
    assert!(o == (s < a));
    let (m, p) = a.overflowing_mul(b);
    assert!(p || m as u32 == a as u32 * b as u32);
}

//@ expect: unsafe
#[verify]
fn overflowing_family_wrong(a: u16, b: u16) { assert!(!a.overflowing_sub(b).1); }

//@ expect: safe
#[verify]
fn wrapping_family(a: i8, b: i8) {
    assert!(a.wrapping_add(b).wrapping_sub(b) == a);
    assert!(a.wrapping_neg().wrapping_neg() == a);
    assert!(i8::MIN.wrapping_abs() == i8::MIN);
    assert!(a.wrapping_shl(3) == a.wrapping_mul(8));
}

//@ expect: unsafe
#[verify]
fn wrapping_family_wrong(a: i8, b: i8) { if b > 0 { assert!(a.wrapping_add(b) > a); } }

//@ expect: safe
//@ known: unknown because the engines are slow here
#[verify(timeout = "3s")]
fn bit_counts(x: u32) {
    assert!(x.count_ones() + x.count_zeros() == 32);
    if x != 0 { assert!(x.leading_zeros() + x.trailing_zeros() < 32); assert!(x >> x.trailing_zeros() & 1 == 1); }
    assert!(x.rotate_left(7).rotate_right(7) == x);
    assert!(x.swap_bytes().swap_bytes() == x);
    assert!(x.reverse_bits().reverse_bits() == x);
}

//@ expect: unsafe
#[verify]
fn bit_counts_wrong(x: u32) { assert!(1u32.rotate_left(x.trailing_zeros()) & x != 0); }

//@ expect: safe
#[verify(timeout = "3s")]
fn power_of_two(x: u32) {
    if x != 0 && x & (x - 1) == 0 { assert!(x.is_power_of_two() && x.count_ones() == 1); }
    if x <= 1 << 31 { let p = x.next_power_of_two(); assert!(p >= x && p.is_power_of_two()); }
}

//@ expect: unsafe
#[verify]
fn power_of_two_wrong(x: u32) { if x & x.wrapping_sub(1) == 0 { assert!(x.is_power_of_two()); } }

//@ expect: safe
#[verify]
fn min_max_clamp(a: i16, lo: i16, hi: i16) {
    if lo <= hi { let c = a.clamp(lo, hi); assert!(c >= lo && c <= hi && (c == a || a < lo || a > hi)); }
    assert!(a.min(lo) <= a.max(lo));
    assert!(a.signum() * 1 >= -1);
}

//@ expect: unsafe
#[verify]
fn min_max_clamp_wrong(a: i16, lo: i16, hi: i16) { let c = a.clamp(lo, hi); assert!(c <= hi); }

//@ expect: safe
#[verify(timeout = "3s")]
fn abs_diff(a: i32, b: i32) {
    assert!(a.abs_diff(b) == b.abs_diff(a));
    assert!(a.unsigned_abs() as i64 == (a as i64).abs());
    if a != i32::MIN { assert!(a.abs() >= 0); }
}

//@ expect: unsafe
#[verify]
fn abs_wrong(a: i32) { assert!(a.wrapping_abs() >= 0); }

//@ expect: safe
#[verify(timeout = "3s")]
fn pow(x: u8) {
    let p = (x as u32 % 10).pow(3);
    assert!(p <= 729);
    assert!((x as u16).checked_pow(2).is_some());
}

//@ expect: unsafe
#[verify]
fn pow_wrong(x: u8) { x.checked_pow(2).unwrap(); }

//@ expect: safe
#[verify]
fn casts(x: i32, u: u64, c: char, b: bool) {
    assert!(x as u32 as i32 == x);
    assert!(x as i64 as i32 == x);
    assert!((u as u8) as u64 == u & 0xff);
    assert!(c as u32 <= 0x10ffff);
    assert!((b as u8) < 2);
    assert!(x as i8 as i32 == (x << 24) >> 24);
}

//@ expect: unsafe
#[verify]
fn casts_wrong(x: i32) { assert!(x as u16 as i32 == x || x < 0); }

//@ expect: safe
#[verify]
fn try_from_ints(x: i64) {
    match u8::try_from(x) { Ok(v) => assert!(v as i64 == x), Err(_) => assert!(x < 0 || x > 255) }
    let r: Result<i16, _> = x.try_into();
    if r.is_err() { assert!(x > 100 || x < 100); }
}

//@ expect: unsafe
#[verify]
fn try_from_ints_wrong(x: i64) { if x < 256 { u8::try_from(x).unwrap(); } }

//@ expect: safe
#[verify]
fn wide_multiply(a: u64, b: u64) {
    let p = a as u128 + b as u128;
    assert!(p >> 65 == 0);
    assert!((p as u64) == a.wrapping_add(b));
}

//@ expect: unsafe
#[verify]
fn wide_wrong(a: u64, b: u64) { assert!((a as u128 + b as u128) >> 64 == 0); }

//@ expect: safe
#[verify]
fn midpoint(a: u32, b: u32) {
    let m = (a & b) + ((a ^ b) >> 1);
    assert!(m as u64 == (a as u64 + b as u64) / 2);
}

//@ expect: unsafe
#[verify]
fn midpoint_wrong(a: u32, b: u32) { assert!((a.wrapping_add(b) / 2) as u64 == (a as u64 + b as u64) / 2); }

//@ expect: safe
#[verify]
fn byte_arrays(x: u32) {
    assert!(u32::from_le_bytes(x.to_le_bytes()) == x);
    assert!(u32::from_be_bytes(x.to_be_bytes()) == x);
    assert!(x.to_be_bytes()[3] == x as u8);
    assert!(u16::from_ne_bytes([x as u8, (x >> 8) as u8]) == x as u16);
}

//@ expect: unsafe
#[verify]
fn byte_arrays_wrong(x: u32) { assert!(x.to_be_bytes()[0] == x as u8); }

//@ expect: safe
#[verify]
fn shifts(x: u32, n: u32) {
    let y = x >> (n & 31);
    assert!(y <= x);
    assert!(x.checked_shl(n).is_some() == (n < 32));
    if n < 32 { assert!((x >> n) << n <= x); }
}

//@ expect: unsafe
#[verify]
fn shifts_wrong(x: u32, n: u32) { x.checked_shr(n).unwrap(); }

//@ expect: safe
#[verify(timeout = "3s")]
fn rem_euclid(a: i32, b: i32) {
    if b > 0 { let r = a.rem_euclid(b); assert!(r >= 0 && r < b); }
}

//@ expect: unsafe
#[verify]
fn rem_euclid_wrong(a: i32, b: i32) { if b > 0 { assert!(a % b >= 0); } }

//@ expect: safe
#[verify(timeout = "3s")]
fn division(a: i32, b: i32) { if b != 0 && !(a == i32::MIN && b == -1) { let q = a / b; assert!(q.unsigned_abs() <= a.unsigned_abs()); } }

//@ expect: unsafe
#[verify]
fn division_wrong(a: i32, b: i32) -> i32 { if b != 0 { a / b } else { 0 } }

//@ expect: safe
#[verify]
fn ilog(x: u32) { if x > 0 { let l = x.ilog2(); assert!(l < 32 && x >> l == 1); } }

//@ expect: unsafe
#[verify]
fn ilog_wrong(x: u32) { assert!(x.ilog2() < 32); }

//@ expect: safe
#[verify]
fn isqrt_small(x: u8) { let r = x.isqrt(); assert!(r as u16 * r as u16 <= x as u16); }

//@ expect: unsafe
#[verify]
fn isqrt_small_wrong(x: u8) { let r = x.isqrt(); assert!(r as u16 * r as u16 == x as u16 || r < 15); }

//@ expect: safe
#[verify(timeout = "3s")]
fn carrying(a: u8, b: u8) {
    let (s, c) = a.overflowing_add(b);
    assert!((c as u16) << 8 | s as u16 == a as u16 + b as u16);
    assert!(a.abs_diff(b) == a.max(b) - a.min(b));
    assert!(a.div_ceil(3) as u16 * 3 >= a as u16);
}

//@ expect: unsafe
#[verify]
fn carrying_wrong(a: u8, b: u8) { assert!(a.div_ceil(b) >= 1 || a == 0); }

// Std's operators on references keep their checks in MIR for every build; this one drops them when it makes code.
//@ expect: safe
#[verify]
fn add_by_reference_wraps(a: &u32, b: &u32) { let mut s = *a; s += b; assert!(s == a.wrapping_add(*b)); }

//@ expect: unsafe
#[verify]
fn add_by_reference_wraps_wrong(a: &u32, b: &u32) { let mut s = *a; s += b; assert!(s >= *a); }

//@ expect: unsafe
#[verify(overflow = "check")]
fn add_by_reference_checked(a: &u32, b: &u32) { let mut s = *a; s += b; assert!(s == a.wrapping_add(*b)); }

//@ expect: safe
#[verify]
fn limits_of_the_old_modules(x: u64) { let low = x & (std::u8::MAX as u64); assert!(low < 256); }

//@ expect: unsafe
#[verify]
fn limits_of_the_old_modules_wrong(x: u64) { let low = x & (std::u8::MAX as u64); assert!(low < 255); }

//@ expect: safe
#[verify]
fn signed_remainder(a: i64, b: i64) { if b > 0 { assert!((a % b).abs() < b); } }

//@ expect: unsafe
#[verify]
fn signed_remainder_wrong(a: i64, b: i64) { if b > 1 { assert!(a % b >= 0); } }

//@ expect: safe
#[verify]
fn ones_and_zeros(x: u32) { assert_eq!(x.count_ones() + x.count_zeros(), 32); }

//@ expect: unsafe
#[verify]
fn ones_and_zeros_wrong(x: u32) { assert!(x.count_ones() != 29); }

//@ expect: safe
#[verify]
fn quotient_and_rest(a: i32, b: i32) { if b != 0 && !(a == i32::MIN && b == -1) { assert!((a / b) * b + a % b == a); } }

//@ expect: unsafe
#[verify]
fn quotient_and_rest_wrong(a: i32, b: i32) { if b != 0 && !(a == i32::MIN && b == -1) { assert!((a / b) * b == a); } }

//@ expect: safe
#[verify]
fn strict(a: u8, b: u8) -> u8 { (a / 2).strict_add(b / 2).strict_sub(a / 2) }

//@ expect: unsafe
#[verify]
fn strict_wrong(a: u8, b: u8) -> u8 { a.strict_add(b) }
