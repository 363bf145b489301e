//! Statics that hold texts, functions and references.
use optverify::verify;

static NAMES: [&str; 3] = ["a", "bb", "ccc"];
fn half(x: u8) -> u8 { x / 2 }
fn third(x: u8) -> u8 { x % 3 }
static STEPS: [fn(u8) -> u8; 2] = [half, third];
struct Rule { name: &'static str, max: u32, next: Option<&'static str> }
static RULES: &[Rule] = &[Rule { name: "x", max: 5, next: None }, Rule { name: "yy", max: 7, next: Some("x") }];
struct Hidden { n: std::sync::atomic::AtomicU32, s: &'static str }
static HIDDEN: Hidden = Hidden { n: std::sync::atomic::AtomicU32::new(1), s: "h" };
enum Maybe { No, Yes(&'static std::sync::atomic::AtomicU32) }
static COUNTER: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);
static CHOICES: [(&str, Maybe); 2] = [("no", Maybe::No), ("yes", Maybe::Yes(&COUNTER))];
static GREETING: &str = "hello";

//@ expect: safe
#[verify]
fn lengths(i: usize) { if i < 3 { assert!(NAMES[i].len() == i + 1); } }

//@ expect: unsafe
#[verify]
fn lengths_wrong(i: usize) { if i < 3 { assert!(NAMES[i].len() == 2); } }

//@ expect: safe
#[verify]
fn all_lengths() { let mut n = 0; for s in NAMES.iter() { n += s.len(); } assert!(n == 6); }

//@ expect: unsafe
#[verify]
fn all_lengths_wrong(k: usize) { let mut n = 0; for s in &NAMES { n += s.len(); } assert!(n != k); }

//@ expect: safe
#[verify]
fn one_place() { let (a, b): (*const _, *const _) = (&NAMES, &NAMES); assert!(a == b); }

//@ expect: safe
#[verify]
fn equal() { assert!(NAMES[1] == "bb"); }

//@ expect: unsafe
#[verify]
fn equal_wrong(i: usize) { if i < 3 { assert!(NAMES[i] != "bb"); } }

//@ expect: safe
#[verify]
fn dispatched(second: bool, x: u8) { assert!(STEPS[second as usize](x) < 128); }

//@ expect: unsafe
#[verify]
fn dispatched_wrong(second: bool, x: u8) { assert!(STEPS[second as usize](x) < 127); }

//@ expect: safe
#[verify]
fn ruled(n: u32) { for r in RULES { if n > r.max { continue; } assert!(n <= 7 && r.name.len() < 3); if let Some(k) = r.next { assert!(k.len() == 1); } } }

//@ expect: unsafe
#[verify]
fn ruled_wrong(n: u32) { for r in RULES { assert!(r.max != n); } }

//@ expect: unsafe
//@ known: unknown because other threads see it
#[verify]
fn shared() { assert!(HIDDEN.n.load(std::sync::atomic::Ordering::SeqCst) == 1 && HIDDEN.s.len() == 1); }

//@ expect: safe
#[verify]
fn greeting(i: usize) { if i < GREETING.len() { assert!(GREETING.as_bytes()[i] >= b'e'); } }

//@ expect: unsafe
#[verify]
fn greeting_wrong(i: usize) { if i < GREETING.len() { assert!(GREETING.as_bytes()[i] > b'e'); } }

//@ expect: unsafe
//@ known: unknown because other threads see it
#[verify]
fn shared_in_enum() { for (_, m) in &CHOICES { if let Maybe::Yes(n) = m { assert!(n.load(std::sync::atomic::Ordering::SeqCst) == 1); } } }

// A module with nothing but types and tables.
mod tables {
    #[repr(align(64))]
    pub struct Aligned<T>(pub T);
    pub struct Pair { pub low: [u8; 2], pub high: u16 }
    pub static ROOT: Aligned<[u8; 4]> = Aligned([1, 2, 3, 4]);
    pub static LEAVES: Aligned<[[u8; 2]; 5]> = Aligned([[0, 9], [1, 8], [2, 7], [3, 6], [4, 5]]);
    pub static PAIRS: [Pair; 2] = [Pair { low: [1, 2], high: 300 }, Pair { low: [3, 4], high: 400 }];
}

//@ expect: safe
#[verify]
fn two_tables(i: u8) { let leaf = tables::LEAVES.0[tables::ROOT.0[usize::from(i >> 6)] as usize]; assert!(leaf[0] + leaf[1] == 9 && leaf[0] > 0); }

//@ expect: unsafe
#[verify]
fn two_tables_wrong(i: u8) { let leaf = tables::LEAVES.0[tables::ROOT.0[usize::from(i >> 6)] as usize]; assert!(leaf[0] < 4); }

//@ expect: safe
//@ known: unknown because arrays of structs with arrays are not made by a body
#[verify]
fn table_of_structs(i: usize) { for p in &tables::PAIRS { assert!(p.low[i % 2] < 5 && p.high >= 300); } }

//@ expect: unsafe
//@ known: unknown because arrays of structs with arrays are not made by a body
#[verify]
fn table_of_structs_wrong(i: usize) { for p in &tables::PAIRS { assert!(p.low[i % 2] < 4); } }

// `static mut` holds anything when a root is called.
static mut ROUNDS: u32 = 0;
static mut SLOTS: [u8; 4] = [1, 2, 3, 4];
fn bump() -> u32 { unsafe { ROUNDS = ROUNDS.wrapping_add(1); ROUNDS } }

//@ expect: safe
#[verify]
fn counted_twice() { let a = bump(); let b = bump(); assert!(b == a.wrapping_add(1)); }

//@ expect: unsafe
#[verify]
fn written_static(n: u32) { unsafe { ROUNDS = n; } assert!(bump() > n); }

//@ expect: safe
#[verify]
fn written_slot(i: usize, v: u8) { unsafe { if i < 4 { SLOTS[i] = v; let p = &raw const SLOTS; assert!((*p)[i] == v); } } }

//@ expect: unsafe
//@ known: unknown because what earlier calls wrote is not known
#[verify]
fn first_value() { assert!(unsafe { ROUNDS } == 0); }

// The first call finds what the statics begin with, and is a run.
static mut STRIDE: u32 = 7;
static WEIGHTS: core::sync::atomic::AtomicU32 = core::sync::atomic::AtomicU32::new(3);

//@ expect: unsafe
#[verify]
fn first_call(n: u32) { unsafe { STRIDE = STRIDE.wrapping_add(n); assert!(STRIDE != 12); } }

//@ expect: unsafe
#[verify]
fn first_call_of_a_table(i: usize) { unsafe { if i < 4 { assert!(SLOTS[i] != 3); } } }

//@ expect: unsafe
#[verify]
fn first_call_of_atomics() { let w = WEIGHTS.fetch_add(1, core::sync::atomic::Ordering::SeqCst); assert!(w < 3); }

#[inline(never)]
fn weigh(w: u32) { WEIGHTS.store(w, core::sync::atomic::Ordering::SeqCst); }
#[inline(never)]
fn weight() -> u32 { WEIGHTS.load(core::sync::atomic::Ordering::SeqCst) }

// What one function stores, another one finds, also on the first call: only another thread could come between.
//@ expect: safe
//@ known: unknown because other threads write to a static of atomics
#[verify]
fn first_call_of_two_functions(w: u32) { weigh(w); assert!(weight() == w); }

//@ expect: unsafe
#[verify]
fn first_call_of_two_functions_wrong(w: u32) { weigh(w); assert!(weight() != 9); }

//@ expect: safe
#[verify]
fn any_call_of_atomics() { let w = WEIGHTS.load(core::sync::atomic::Ordering::SeqCst); assert!(w as u64 <= u32::MAX as u64); }

// A static in whose place GVN puts its address.
static LEVELS: [u8; 40] = { let mut t = [0; 40]; let mut i = 0; while i < 40 { t[i] = (i as u8) * 3 % 7; i += 1; } t };

//@ expect: safe
#[verify]
fn level(i: usize) { let l = *LEVELS.get(i).unwrap_or(&LEVELS[2]); assert!(l < 7); }

//@ expect: unsafe
#[verify]
fn level_wrong(i: usize) { let l = *LEVELS.get(i).unwrap_or(&LEVELS[2]); assert!(l < 6); }
