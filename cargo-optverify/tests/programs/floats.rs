//! Floats in arithmetic and guards.
use optverify::verify;

//@ expect: safe
#[verify]
fn not_a_number(x: f32) { if x != x { assert!(x.is_nan()); } }

//@ expect: unsafe
#[verify]
fn not_a_number_wrong(x: f32) { assert!(x == x); }

//@ expect: safe
#[verify]
fn float_to_int(x: f32) { let n = x as u8; assert!(n as f32 <= 255.0); if x >= 0.0 && x <= 255.0 { assert!(n as f32 <= x); } }

//@ expect: unsafe
#[verify]
fn float_to_int_wrong(x: f32) { assert!((x as i8) as f32 <= x); }

//@ expect: safe
#[verify]
fn int_to_float(n: u16) { let x = n as f32; assert!(x >= 0.0 && x as u16 == n); }

//@ expect: unsafe
#[verify]
fn int_to_float_wrong(n: u32) { assert!((n as f32) as u32 == n); }

//@ expect: safe
#[verify]
fn float_min_max(a: f32, b: f32) { if !a.is_nan() && !b.is_nan() { assert!(a.min(b) <= a.max(b)); assert!(a.abs() >= 0.0); } }

//@ expect: unsafe
#[verify]
fn float_min_max_wrong(a: f32, b: f32) { assert!(a.min(b) <= a.max(b)); }

//@ expect: safe
#[verify]
fn float_bits(x: f32) { assert!(f32::from_bits(x.to_bits()).to_bits() == x.to_bits()); }

//@ expect: unsafe
#[verify]
fn float_bits_wrong(x: u32) { assert!(f32::from_bits(x) == f32::from_bits(x)); }

//@ expect: safe
#[verify]
fn clamp_unit(x: f32) { let y = if x > 1.0 { 1.0 } else if x >= 0.0 { x } else { 0.0 }; assert!(y >= 0.0 && y <= 1.0); }

//@ expect: unsafe
#[verify]
fn clamp_unit_wrong(x: f32) { let y = if x > 1.0 { 1.0 } else if x < 0.0 { 0.0 } else { x }; assert!(y >= 0.0 && y <= 1.0); }

//@ expect: safe
#[verify]
fn sum_grows(x: f32, y: f32) { if x >= 0.0 && y >= 0.0 { assert!(x + y >= x); } }

//@ expect: unsafe
#[verify]
fn sum_grows_wrong(x: f32, y: f32) { if x >= 0.0 && y > 0.0 && x < 1e30 { assert!(x + y > x); } }

//@ expect: safe
#[verify]
fn square_is_not_negative(x: f32) { if x >= -10.0 && x <= 10.0 { let s = x * x; assert!(s >= 0.0 && s <= 100.0); } }

//@ expect: unsafe
#[verify]
fn square_is_not_negative_wrong(x: f32) { assert!(x * x >= 0.0); }

//@ expect: safe
#[verify]
fn rounded_down(x: f32) { if x.abs() < 1e6 { assert!(x.floor() <= x && x.ceil() >= x && x.trunc().abs() <= x.abs()); } }

//@ expect: unsafe
#[verify]
fn rounded_down_wrong(x: f32) { if x.abs() < 1e6 { assert!(x.round() <= x); } }

//@ expect: safe
#[verify]
fn quotient(x: f32) { if x > 2.0 { assert!(1.0 / x < 1.0); } }

//@ expect: unsafe
#[verify]
fn quotient_wrong(x: f32) { assert!(1.0 / x != f32::NEG_INFINITY); }

//@ expect: safe
#[verify]
fn narrowed(x: f64) { if x >= 0.0 && x <= 1.0 { let y = x as f32; assert!(y >= 0.0 && y <= 1.0); } }

//@ expect: unsafe
#[verify]
fn narrowed_wrong(x: f64) { if x > 0.0 && x < 1.0 { let y = x as f32; assert!(y > 0.0 && y < 1.0); } }

//@ expect: safe
#[verify]
fn sum_of_a_loop(n: u8) { let mut s = 0.0f32; for i in 0..n { s += i as f32; } assert!(s >= 0.0); }

//@ expect: unsafe
#[verify]
fn sum_of_a_loop_wrong(n: u8) { let mut s = 0.0f32; for i in 0..n { s += i as f32; } assert!(s != 45.0); }
// Rust leaves the bits of a NaN open that arithmetic makes, and compilers differ: the machine's 0.0 / 0.0 is negative, LLVM's is not
#[inline(never)]
fn no_number() -> f32 { let z = 0.0f32; z / z }
//@ expect: unsafe
//@ known: unknown because nobody chooses the bits of a NaN
#[verify]
fn nan_sign_unsafe() { assert!(no_number().is_sign_negative()); }
//@ expect: unsafe
//@ known: unknown because nobody chooses the bits of a NaN
#[verify(timeout = "3s")]
fn nan_sign_of_few_unsafe(x: u8) { let z = (x >> 7 >> 1) as f32; assert!((z / z).is_sign_negative()); }
//@ expect: safe
#[verify]
fn nan_is_nan_safe(x: u8) { let z = (x >> 7 >> 1) as f32; let n = z / z; assert!(n.is_nan() && n != n && n as i32 == 0); }
// MIR prints every NaN alike
//@ expect: safe
//@ known: unknown because constants of std that are floats are not known
#[verify]
fn nan_payload_safe(c: bool) { let y = if c { f32::from_bits(0x7fc0_0005) } else { f32::NAN }; assert!(c == (y.to_bits() == 0x7fc0_0005)); }
//@ expect: safe
#[verify]
fn nan_bits_safe() { let y = f32::from_bits(0xffc0_0001); assert!(y.to_bits() == 0xffc0_0001); }

// every operation may choose bits of its own, also for the same values
//@ expect: unsafe
//@ known: unknown because nobody chooses the bits of a NaN
#[verify]
fn nan_twice_unsafe(x: f32, y: f32) { let (a, b) = (x / y, x / y); assert!(a.to_bits() == b.to_bits()); }
//@ expect: safe
#[verify]
fn nan_twice_safe(x: f32) { let (a, b) = (x * 2.0, x * 2.0); assert!(a.is_nan() || a.to_bits() == b.to_bits()); }
//@ expect: safe
#[verify]
fn half_is_positive(x: f32) { let a = x * 0.5; if a > 0.0 { assert!(a.to_bits() >> 31 == 0); } }
//@ expect: unsafe
#[verify]
fn half_is_positive_wrong(x: f32) { let a = x * 0.5; if a <= 0.0 { assert!(a.to_bits() >> 31 == 1); } }

//@ expect: safe
#[verify]
fn nan_by_name(x: f64) { let y = if x < 0.0 { f64::NAN } else { x }; assert!(y.is_nan() || y >= 0.0); }
//@ expect: unsafe
#[verify]
fn nan_by_name_wrong(x: f64) { let y = if x < 0.0 { f64::NAN } else { x }; assert!(y >= 0.0); }
//@ expect: unsafe
//@ known: unknown because nobody chooses between two zeros
#[verify(timeout = "3s")]
fn which_zero(a: f64) { let z = a.max(0.0); assert!(1.0 / z > -1.0); }
//@ expect: safe
#[verify]
fn at_least_zero(a: f64) { let z = a.max(0.0); assert!(z >= 0.0); }

//@ expect: safe
#[verify]
fn infinities(x: f64) { if x < f64::INFINITY && x > f64::NEG_INFINITY { assert!(x.is_finite()); } let y = x as f32; if y > f32::MAX { assert!(y == f32::INFINITY); } }

//@ expect: unsafe
#[verify]
fn infinities_wrong(x: f64) { assert!(x < f64::INFINITY); }

//@ expect: safe
#[verify]
fn sign_copied(x: f64, y: f64) { let z = x.copysign(y); assert!(z.is_sign_negative() == y.is_sign_negative()); assert!(x.is_nan() || z.abs() == x.abs()); }

//@ expect: unsafe
#[verify]
fn sign_copied_wrong(x: f32, y: f32) { assert!(x.is_nan() || x.copysign(y) == x); }

//@ expect: unsafe
//@ known: unknown because the sign of a NaN that is made is open
#[verify]
fn sign_of_made_nan(x: f64) { if x.is_infinite() { assert!(1f64.copysign(x - x) == 1.0); } }

//@ expect: safe
#[verify]
fn constant_nan(x: f32) { let m = x.min(f32::NAN); assert!(m == x || x.is_nan()); }

//@ expect: unsafe
#[verify]
fn constant_nan_wrong(x: f32) { assert!(f32::NAN.max(x) == x); }
