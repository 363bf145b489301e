//! Atomics that a root has for itself, and `Arc`; statics, which hold anything whenever they are read; what other threads
//! may see of parameters is unknown.
use optverify::verify;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{Ordering::*, *};

static ALL: AtomicU32 = AtomicU32::new(0);

struct Count<'a>(&'a Cell<u32>);
impl Drop for Count<'_> { fn drop(&mut self) { self.0.set(self.0.get() + 1); } }

//@ expect: safe
#[verify]
fn counted(n: u32) { let a = AtomicU32::new(n); let old = a.fetch_add(1, SeqCst); assert!(old == n); assert!(a.load(SeqCst) == n.wrapping_add(1)); }

//@ expect: unsafe
#[verify]
fn counted_wrong(n: u32) { let a = AtomicU32::new(n); a.fetch_add(1, SeqCst); assert!(a.load(SeqCst) > n); }

//@ expect: safe
#[verify]
fn flag(b: bool) { let a = AtomicBool::new(b); let old = a.swap(true, AcqRel); assert!(old == b); assert!(a.load(Relaxed)); a.fetch_and(false, SeqCst); assert!(!a.into_inner()); }

//@ expect: unsafe
#[verify]
fn flag_wrong(b: bool) { let a = AtomicBool::new(b); a.fetch_xor(true, Acquire); assert!(a.load(Relaxed)); }

//@ expect: safe
#[verify]
fn exchanged(n: usize) { let a = AtomicUsize::new(n); match a.compare_exchange(5, 6, SeqCst, SeqCst) { Ok(o) => assert!(o == 5 && n == 5), Err(o) => assert!(o == n && n != 5) } }

//@ expect: unsafe
#[verify]
fn exchanged_wrong(n: usize) { let a = AtomicUsize::new(n); let _ = a.compare_exchange(5, 6, SeqCst, SeqCst); assert!(a.load(SeqCst) != 6); }

//@ expect: safe
#[verify]
fn weakly(n: u8) { let a = AtomicU8::new(n); if a.compare_exchange_weak(n, 1, SeqCst, SeqCst).is_ok() { assert!(a.load(SeqCst) == 1); } }

//@ expect: unsafe
//@ known: unknown because it depends on luck
#[verify]
fn weakly_wrong(n: u8) { let a = AtomicU8::new(n); assert!(a.compare_exchange_weak(n, 1, SeqCst, SeqCst).is_ok()); }

//@ expect: safe
#[verify]
fn largest(x: i8, y: i8) { let a = AtomicI8::new(x); a.fetch_max(y, SeqCst); assert!(a.load(SeqCst) >= x && a.load(SeqCst) >= y); a.fetch_min(-3, SeqCst); assert!(a.load(SeqCst) <= -3); a.fetch_nand(0, SeqCst); assert!(a.into_inner() == -1); }

//@ expect: unsafe
#[verify]
fn largest_wrong(x: u8, y: u8) { let a = AtomicU8::new(x); a.fetch_max(y, SeqCst); assert!(a.load(SeqCst) == x); }

//@ expect: safe
#[verify]
fn updated(n: u8) { let a = AtomicU8::new(n); let r = a.fetch_update(SeqCst, SeqCst, |x| x.checked_add(1)); if n == 255 { assert!(r.is_err()); } else { assert!(a.load(SeqCst) == n + 1); } }

//@ expect: safe
#[verify]
fn shared(n: u32) { let a = Arc::new(n); let b = a.clone(); assert!(*b == n && Arc::strong_count(&a) == 2); drop(b); assert!(Arc::strong_count(&a) == 1); }

//@ expect: unsafe
#[verify]
fn shared_wrong(n: u32) { let a = Arc::new(n); let b = a.clone(); drop(a); assert!(*b != 3); }

//@ expect: safe
#[verify]
fn dropped() { let n = Cell::new(0); { let a = Arc::new(Count(&n)); let b = a.clone(); drop(a); assert!(n.get() == 0); drop(b); } assert!(n.get() == 1); }

//@ expect: unsafe
#[verify]
fn dropped_wrong() { let n = Cell::new(0); { let a = Arc::new(Count(&n)); drop(a.clone()); } assert!(n.get() == 2); }

//@ expect: unsafe
//@ known: unknown because other threads see what is passed in
#[verify]
fn passed_in(a: &AtomicU32) { a.store(1, SeqCst); assert!(a.load(SeqCst) == 1); }

//@ expect: unsafe
//@ known: unknown because other threads see statics
#[verify]
fn of_all() { ALL.store(1, SeqCst); assert!(ALL.load(SeqCst) == 1); }

//@ expect: unsafe
//@ known: unknown because threads are not modelled
#[verify]
fn spawned() { let a = Arc::new(AtomicU32::new(0)); let b = a.clone(); let t = std::thread::spawn(move || b.store(1, SeqCst)); assert!(a.load(SeqCst) == 0); let _ = t.join(); }

//@ expect: unsafe
//@ known: unknown because threads are not modelled
#[verify]
fn scoped() { let a = AtomicU32::new(0); std::thread::scope(|s| { s.spawn(|| a.store(1, SeqCst)); assert!(a.load(SeqCst) == 0); }); }

static FLAGS: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
struct Counters { hits: AtomicUsize, misses: AtomicU8 }
static COUNTERS: Counters = Counters { hits: AtomicUsize::new(0), misses: AtomicU8::new(0) };

//@ expect: safe
#[verify]
fn next_number() -> u32 { let n = ALL.fetch_add(1, Relaxed); assert!(n % 8 < 8); n % 8 }

//@ expect: safe
#[verify]
fn static_in_loop(v: &[u8]) -> usize { let mut n = 0; for _ in v { if FLAGS[n % 3].load(Relaxed) { n += 1; } } assert!(n <= v.len()); n }

//@ expect: unsafe
//@ known: unknown because only what earlier calls left makes it fail
#[verify]
fn static_in_loop_wrong(v: &[u8]) { let mut n = 0; for _ in v { if FLAGS[n % 3].load(Relaxed) { n += 1; } } assert!(n == 0); }

//@ expect: safe
#[verify]
fn counters(hit: bool) { if hit { COUNTERS.hits.fetch_add(1, SeqCst); } else { COUNTERS.misses.fetch_sub(1, SeqCst); } assert!(COUNTERS.misses.load(SeqCst) as u32 <= 255); }

//@ expect: unsafe
#[verify]
fn counters_wrong(hit: bool) { if hit { COUNTERS.hits.fetch_add(1, SeqCst); } assert!(!hit); }

//@ expect: unsafe
#[verify]
fn index_out(i: usize) { FLAGS[i].store(true, Release); }

//@ expect: safe
#[verify]
fn detected(v: &[u8]) -> usize { if std::is_x86_feature_detected!("sse4.1") { v.len() / 2 } else { v.len() } }

//@ expect: safe
//@ known: unknown because closures of std are not captured where rustc leaves them as calls
#[verify]
fn locked(n: u32) { let m = std::sync::Mutex::new(n); { let mut g = m.lock().unwrap(); *g /= 2; } assert!(m.into_inner().unwrap() == n / 2); }

//@ expect: unsafe
//@ known: unknown because closures of std are not captured where rustc leaves them as calls
#[verify]
fn locked_wrong(n: u32) { let m = std::sync::Mutex::new(n); { let mut g = m.lock().unwrap(); *g /= 2; } assert!(*m.lock().unwrap() < 1 << 30); }
