//! Values without a size, and types without a value.
#![allow(dead_code)]
use optverify::verify;
//@ expect: safe
#[verify]
fn push_safe(n: u8) { let mut v: Vec<()> = Vec::new(); for _ in 0..n % 4 { v.push(()); } assert!(v.len() == n as usize % 4); }
//@ expect: unsafe
#[verify]
fn push_unsafe(n: u8) { let mut v: Vec<()> = Vec::new(); for _ in 0..n % 4 { v.push(()); } assert!(v.len() < 3); }
//@ expect: safe
#[verify]
fn pop_safe() { let mut v: Vec<()> = Vec::new(); v.push(()); v.push(()); let p = v.pop(); assert!(p.is_some() && v.len() == 1); v.pop(); assert!(v.pop().is_none()); }
//@ expect: unsafe
#[verify]
fn pop_unsafe() { let mut v: Vec<()> = Vec::new(); v.push(()); v.push(()); v.pop(); assert!(v.pop().is_none()); }
// all of them may be at one address
//@ expect: unsafe
//@ known: unknown because addresses of such values are not known
#[verify]
fn apart_unsafe() { let a = [(); 2]; assert!(&a[0] as *const () != &a[1] as *const ()); }
//@ expect: unsafe
//@ known: unknown because addresses of such values are not known
#[verify]
fn position_unsafe(v: &[()], i: usize, j: usize) { if i < v.len() && j < v.len() { assert!((&v[i] as *const () == &v[j] as *const ()) == (i == j)); } }
//@ expect: safe
#[verify]
fn position_safe(v: &[u8], i: usize, j: usize) { if i < v.len() && j < v.len() { assert!((&v[i] as *const u8 == &v[j] as *const u8) == (i == j)); } }
#[repr(C)]
struct Row { a: [u8; 2], b: u8 }
// one past a field is the next one
//@ expect: unsafe
//@ known: unknown because addresses of fields are not known
#[verify]
fn past_unsafe(r: &Row) { let p = unsafe { r.a.as_ptr().add(2) }; assert!(p != &r.b as *const u8); }
enum Void {}
struct Within { a: u8, v: Void }
enum Mixed { A(u8), B(Void), C(u8, Within), D }
enum Plain { A(u8), B(bool), C }
//@ expect: safe
//@ known: unknown because a parameter may have no value
#[verify]
fn none_safe(o: Option<Void>) { assert!(o.is_none()); }
//@ expect: safe
//@ known: unknown because a parameter may have no value
#[verify]
fn within_safe(o: Option<Within>) { assert!(o.is_none()); }
//@ expect: safe
//@ known: unknown because a parameter may have no value
#[verify]
fn variants_safe(m: Mixed) { assert!(matches!(m, Mixed::A(_) | Mixed::D)); }
//@ expect: unsafe
#[verify]
fn variants_unsafe(m: Plain) { assert!(matches!(m, Plain::A(_) | Plain::C)); }
//@ expect: safe
//@ known: unknown because a parameter may have no value
#[verify]
fn behind_safe(o: Option<&Void>, b: [Option<Void>; 2]) { assert!(o.is_none() && b[1].is_none()); }
//@ expect: safe
//@ known: unknown because a parameter may have no value
#[verify]
fn result_safe(r: Result<u8, std::convert::Infallible>) { assert!(r.is_ok()); }
//@ expect: safe
#[verify]
fn made_safe(n: u8) { let r: Result<u8, Void> = Ok(n); match r { Ok(x) => assert!(x == n), Err(v) => match v {} } }
//@ expect: unsafe
#[verify]
fn made_unsafe(n: u8) { let r: Result<u8, Void> = Ok(n); match r { Ok(x) => assert!(x != 9), Err(v) => match v {} } }
