//! Odd Rust: one program per corner of MIR syntax. Source of `odd-*.mir`; see the README beside it.
#![feature(coroutines, coroutine_trait, stmt_expr_attributes, explicit_tail_calls, unsafe_binders, extern_types, adt_const_params, generic_const_exprs, trait_upcasting, yield_expr, gen_blocks, unsized_const_params, f16, f128, never_type, thread_local, async_closure, core_intrinsics, freeze, c_variadic, decl_macro, asm_goto, type_alias_impl_trait, offset_of_enum, pattern_types, pattern_type_macro)]
#![allow(incomplete_features, internal_features, unused, static_mut_refs)]
#![crate_type="lib"]
use std::ops::Coroutine;
use std::marker::ConstParamTy;
pub struct Add(u32, u32);
pub struct Not(u8);
pub struct Len(u8);
pub struct SizeOf;
pub fn mk_add(a: u32, b: u32) -> (Add, Not, Len, SizeOf) { (Add(a, b), Not(a as u8), Len(3), SizeOf) }
#[allow(non_snake_case)] pub fn Sub(a: u32, b: u32) -> u32 { std::hint::black_box(a ^ b) }
pub fn callsub(a: u32) -> u32 { Sub(a, 4) }
unsafe extern "C" { static EXT: u32; static mut EXTM: [u8; 4]; type Opaque; fn extf(x: *const Opaque, ...) -> i32; }
pub fn ext() -> u32 { unsafe { EXT + EXTM[2] as u32 + extf(std::ptr::null(), 3i32) as u32 } }
#[repr(C, packed)] pub struct Pk { a: u8, p: &'static u8, q: &'static str, z: [u8; 3] , r: &'static [u8]}
pub static PK: Pk = Pk { a: 1, p: &7, q: "hey", z: [1,2,3], r: &[1,2] };
pub static DYNS: [&(dyn std::fmt::Debug + Send + Sync); 3] = [&1u8, &"x", &2.5f32];
pub static FNS: [fn(u32) -> u32; 2] = [callsub, callsub];
pub static mut TM: (u64, Option<&'static u8>, *mut u32) = (3, None, std::ptr::null_mut());
pub static SLICE_IN: &u8 = &[1u8, 2, 3][2];
static SELF_REF: &'static (u8, u8) = &(1, 2);
pub static OFF: &'static u8 = &SELF_REF.1;
#[thread_local] static mut TLM: u32 = 4;
pub fn tlm() -> u32 { unsafe { TLM += 1; TLM } }
pub static MU: std::mem::MaybeUninit<[u8; 20]> = std::mem::MaybeUninit::uninit();
pub union UU { a: [u8; 3], b: u32 }
pub static UN: UU = UU { a: [1, 2, 3] };
pub fn statics() -> (usize, u32) { unsafe { (PK.q.len() + DYNS.len() + *OFF as usize + *SLICE_IN as usize, FNS[1](3) + TM.0 as u32 + UN.a[0] as u32 + MU.as_ptr() as usize as u32) } }
pub fn co() -> impl Coroutine<u8, Yield = u32, Return = String> { #[coroutine] |x: u8| { let y = yield x as u32; let s = String::from("a"); yield y as u32 + 1; s } }
pub fn gn() -> impl Iterator<Item = u32> { gen { yield 1; for i in 0..3 { yield i } } }
pub async fn asc(f: impl AsyncFn(u8) -> u8) -> u8 { f(3).await + (async || 4)().await }
pub fn tail(n: u64, acc: u64) -> u64 { if n == 0 { return acc } become tail(n - 1, acc + n) }
pub fn fl(a: f32, b: f64, c: f16, d: f128) -> (f32, f64, f16, f128, bool) { (a + f32::INFINITY + -0.0, b * -f64::INFINITY + 1e-300 + f64::MIN_POSITIVE + 123456789.125, c + 1.5, d - 2.0, a > f32::MIN) }
pub fn strs() -> (&'static str, char, char, char, &'static [u8], &'static [u8; 3], [u8; 2], &'static std::ffi::CStr) { ("tab\t nul\0 é ́ \u{200b} 'q' \\ // \" x", '"', '\'', '\u{301}', b"\t\r\n\0'", b"a\"b", *b"xy", c"cstr") }
#[derive(ConstParamTy, PartialEq, Eq)] pub struct CP { a: u8, b: bool, c: &'static str }
#[derive(ConstParamTy, PartialEq, Eq)] pub enum CE { A, B(i8) }
pub struct Wc<const S: &'static str, const C: char, const B: bool, const I: i8, const P: CP, const E: CE>;
impl<const S: &'static str, const C: char, const B: bool, const I: i8, const P: CP, const E: CE> Wc<S, C, B, I, P, E> { pub fn f(&self) -> usize { S.len() + C as usize + B as usize + I as usize + P.a as usize } }
pub fn wc() -> usize { Wc::<"a>b", '>', true, -3, { CP { a: 1, b: false, c: "x" } }, { CE::B(-1) }>.f() + Wc::<"", '\'', false, {i8::MIN}, { CP { a: 1, b: false, c: "x" } }, { CE::A }>.f() }
pub fn gce<const N: usize>(x: [u8; N]) -> [u8; N + 1] where [(); N + 1]: { [x[0]; N + 1] }
pub fn asm1(a: u64) -> u64 { let mut x = a; let y: u64; unsafe { std::arch::asm!("add {0}, 5", "nop // \"hi\" {{}}", "mov {1}, {0}", "// {2} {3}", inout(reg) x, lateout(reg) y, const 3, sym callsub, out("rcx") _,  options(nomem, nostack)); } x + y }
pub fn asm2(a: u64) -> u64 { unsafe { std::arch::asm!("jmp {}", label { return 3 }) }; unsafe { std::arch::asm!("ud2", options(noreturn)) } }
pub fn asm3(a: u64) -> u64 { let mut x=a; unsafe { std::arch::asm!("/* {} */ jmp {}", in(reg) a, label { x = 4; }, options(att_syntax)); std::arch::asm!("xor eax, eax", inlateout("rax") a => x) }; x }
pub trait Gat { type A<'a, T> where Self: 'a, T: 'a; const K: &'static [u8]; fn g<'a>(&'a self) -> Self::A<'a, u8>; }
pub fn gat<G: Gat>(g: &G) -> (G::A<'_, u8>, usize) { (g.g(), G::K.len()) }
pub fn hrtb(f: &mut dyn for<'a, 'b> FnMut(&'a (dyn std::any::Any + 'a), Box<dyn Fn(&'b u8) -> (u8, &'b u8) + 'static>) -> Option<&'a mut (u8, u16)>) -> bool { f(&3, Box::new(|x| (*x, x))).is_some() }
pub fn up<'z>(x: &'z (dyn std::error::Error + Send + 'static)) -> (&'z dyn std::error::Error, *const (dyn std::error::Error + 'static)) { (x, x as *const _ as *const _) }
pub fn casts(a: u8, f: f32, p: *const u8, g: fn(u8), i: i64) -> (f32, u8, f64, usize, *const u32, usize, char, *mut u8, *const [u8]) { (a as f32, f as u8, f as f64, p as usize, p.cast(), g as usize, a as char, i as usize as *mut u8, std::ptr::slice_from_raw_parts(p, 3)) }
pub fn ops(a: u32, b: u32, x: i8) -> (u32, Option<u32>, (u32, bool), i8, std::cmp::Ordering, u32, bool) { unsafe { (a.unchecked_add(b).unchecked_mul(3).unchecked_sub(1).unchecked_shl(2), a.checked_mul(b), a.overflowing_sub(b), -x, a.cmp(&b), (a >> b) % (a << 3) / b, !(a >= b) & (a != b) | (a <= b)) } }
pub fn big() -> (u128, i128, u64, i64, u8, i8) { (u128::MAX - 1, i128::MIN + 1, u64::MAX, i64::MIN, 255, -128) }
pub fn sw(x: i128, c: char, y: u128) -> u8 { match x { -1 => 1, 5 => 2, i128::MIN => 3, _ => match c { 'a' => 4, '\u{10ffff}' => 5, _ => match y { u128::MAX => 6, _ => 7 } } } }
pub fn en(x: Result<Option<Box<dyn Fn() -> !>>, !>) -> bool { match x { Ok(Some(f)) => f(), Ok(None) => true } }
pub enum Rg { r#type(u8), B { r#fn: u8 } }
pub fn raw(r: Rg) -> u8 { match r { Rg::r#type(x) => x, Rg::B { r#fn } => r#fn } }
pub fn mkraw(r: u8) -> Rg { if r == 0 { Rg::B { r#fn: r } } else { Rg::r#type(r) } }
pub mod r#mod { pub fn r#match() -> u8 { std::hint::black_box(3) } }
pub fn cm() -> u8 { r#mod::r#match() + ünïcode::größe() }
pub mod ünïcode { pub fn größe() -> u8 { let straße = std::hint::black_box(1); straße } }
pub fn locals() -> u8 { struct L<T>(T); impl<T: Copy> L<T> { fn g(&self) -> T { fn inner<U>(u: U) -> U { u } inner(self.0) } } let f = || { struct In; std::mem::size_of::<In>() as u8 }; L(3).g() + f() }
pub fn fnitems() -> (usize, fn() -> u8) { let f = locals; let g = Some::<u8>; let h = E2::V; (std::mem::size_of_val(&f) + std::mem::size_of_val(&g) + std::mem::size_of_val(&h), locals) }
pub enum E2 { V(u8), W }
pub const CF: fn() -> u8 = locals;
pub fn ccall() -> u8 { CF() + (const { CF })() }
pub static PTRARR: [Option<&'static Rec>; 2] = [Some(&Rec(1, None)), None];
pub struct Rec(u8, Option<&'static Rec>);
pub fn ptrarr() -> u8 { PTRARR[0].unwrap().0 }
pub const CT: (u8, (), [u16; 3], Option<(i8, char)>, E3) = (1, (), [1, 2, 3], Some((-1, 'x')), E3::S { a: 1, b: [true; 2] });
pub enum E3 { S { a: u8, b: [bool; 2] }, T() , U{} }
pub fn ct(i: usize) -> (u16, E3, E3) { (CT.2[i], E3::T(), E3::U{}) }
pub unsafe extern "C" fn var(n: u32, mut args: ...) -> u32 { n }
pub fn off() -> usize { std::mem::offset_of!(Pk, q) + std::mem::offset_of!(Option<u8>, Some.0) }
pub fn nonnull(p: std::ptr::NonNull<u8>, n: std::num::NonZero<i16>) -> (u8, i16) { unsafe { (*p.as_ptr(), n.get()) } }
pub fn dropf(v: Vec<Box<dyn Drop2>>, c: bool) { if c { drop(v) } }
pub trait Drop2 { fn d(self: Box<Self>) where Self: Sized {} }
#[track_caller] pub fn tc() -> &'static str { std::panic::Location::caller().file() }
pub fn ub<'b>(x: unsafe<'a> &'a u8) -> u8 { 3 }
pub fn simd() { #[cfg(target_arch="x86_64")] unsafe { use std::arch::x86_64::*; std::hint::black_box(_mm_add_epi8(_mm_set1_epi8(3), _mm_setzero_si128())); } }
pub fn ifs(a: Option<u8>, b: &Result<String, ()>) -> u8 { if let Some(x) = a && let Ok(y) = b && x > 3 { y.len() as u8 } else { 0 } }
pub fn subsl(a: [String; 4], b: &mut [u8]) -> usize { let [x, y @ .., z] = a; if let [.., q] = b { *q = 3; } if let [p, rest @ ..] = b { rest.len() } else { y.len() } }
pub fn tables(i: usize) -> (&'static Pk, &'static (dyn std::fmt::Debug + Send + Sync), fn(u32) -> u32, &'static UU, &'static [Pk; 3]) { (&PK, DYNS[i], FNS[i], &UN, &PKS) }
pub static PKS: [Pk; 3] = [PK2, PK2, PK2];
const PK2: Pk = Pk { a: 1, p: &7, q: "hey", z: [1,2,3], r: &[1,2] };
