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
