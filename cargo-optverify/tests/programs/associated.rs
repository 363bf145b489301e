//! Constants of types and traits, and statics of every shape: tables as people write them.
#![allow(dead_code)]
use optverify::verify;

struct Table { x: u8 }
impl Table {
    const ALL: [u8; 4] = [1, 2, 3, 4];
    const SIZE: usize = 4;
    const ZERO: Table = Table { x: 0 };
    fn get(i: usize) -> u8 { Self::ALL[i] }
}
//@ expect: safe
#[verify]
fn table(i: usize) { if i < Table::SIZE { assert!(Table::get(i) > 0); } }
//@ expect: unsafe
#[verify]
fn table_wrong(i: usize) { if i <= Table::SIZE { assert!(Table::get(i) > 0); } }
//@ expect: safe
#[verify]
fn table_by_reference(i: usize) { if let Some(x) = Table::ALL.get(i) { assert!(*x < 5); } for x in &Table::ALL { assert!(*x > 0); } }
//@ expect: unsafe
#[verify]
fn table_by_reference_wrong(i: usize) { if let Some(x) = Table::ALL.get(i) { assert!(*x < 4); } }
//@ expect: safe
#[verify]
fn whole_struct(i: u8) { let t = Table::ZERO; assert!(t.x <= i); }
//@ expect: unsafe
#[verify]
fn whole_struct_wrong(i: u8) { let t = Table::ZERO; assert!(t.x < i); }

#[derive(Clone, Copy, PartialEq, Debug)]
enum Way { North, East, South, West }
impl Way {
    const ALL: [Way; 4] = [Way::North, Way::East, Way::South, Way::West];
    const STEP: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    fn step(self) -> (i32, i32) { Self::STEP[self as usize] }
    fn right(self) -> Way { Self::ALL[(self as usize + 1) % 4] }
}
impl TryFrom<u8> for Way { type Error = u8; fn try_from(x: u8) -> Result<Self, u8> { Way::ALL.get(usize::from(x)).copied().ok_or(x) } }
//@ expect: safe
#[verify]
fn ways(k: usize) { if k < 4 { let d = Way::ALL[k]; assert!(d.right().right().right().right() == d); let (x, y) = d.step(); assert!(x.abs() + y.abs() == 1); } }
//@ expect: unsafe
#[verify]
fn ways_wrong(k: usize) { let d = Way::ALL[k % 5]; let (x, y) = d.step(); assert!(x + y != 0); }
//@ expect: safe
#[verify]
fn promoted_in_try_from(x: u8) { match Way::try_from(x) { Ok(w) => assert!(w as u8 == x), Err(e) => assert!(e == x && x > 3) } }
//@ expect: unsafe
#[verify]
fn promoted_in_try_from_wrong(x: u8) { if let Ok(w) = Way::try_from(x) { assert!(w != Way::West); } }

// two traits, two types, one name
trait Limit { const MOST: [u8; 2]; }
trait Other { const MOST: [u8; 2]; }
struct A;
struct B;
impl Limit for A { const MOST: [u8; 2] = [1, 2]; }
impl Limit for B { const MOST: [u8; 2] = [3, 4]; }
impl Other for A { const MOST: [u8; 2] = [5, 6]; }
//@ expect: safe
#[verify]
fn whose(i: usize) { if i < 2 { assert!(<A as Limit>::MOST[i] < <B as Limit>::MOST[i] && <B as Limit>::MOST[i] < <A as Other>::MOST[i]); } }
//@ expect: unsafe
#[verify]
fn whose_wrong(i: usize) { if i < 2 { assert!(<A as Other>::MOST[i] == <A as Limit>::MOST[i]); } }
static PAIRS: [(u8, char); 3] = [(1, 'a'), (2, 'b'), (9, 'z')];
//@ expect: safe
#[verify]
fn pairs(k: u8) { let c = PAIRS.iter().find(|(n, _)| *n == k).map(|(_, c)| *c); if let Some(c) = c { assert!(c.is_ascii_lowercase()); } }
//@ expect: unsafe
#[verify]
fn pairs_wrong(k: u8) { let c = PAIRS.iter().find(|(n, _)| *n == k).map(|(_, c)| *c); assert!(c != Some('z')); }

mod aliases {
    pub struct Buffer<T> {
        pub data: T,
    }
    pub struct Core<T> {
        pub buffer: Buffer<T>,
    }
    pub mod of_bytes {
        type ByteBuffer = super::Buffer<[u8; 4]>;
        type ByteCore = super::Core<[u8; 4]>;
        impl ByteBuffer {
            #[inline(never)]
            pub fn fresh() -> Self {
                ByteBuffer { data: [1; 4] }
            }
        }
        impl ByteCore {
            #[inline(never)]
            pub fn fresh() -> Self {
                let mut buffer = ByteBuffer::fresh();
                buffer.data[0] = 2;
                ByteCore { buffer }
            }
        }
    }
}

//@ expect: safe
#[verify]
fn impls_of_two_aliases() {
    let b = aliases::Buffer::<[u8; 4]>::fresh();
    let c = aliases::Core::<[u8; 4]>::fresh();
    assert!(b.data[0] == 1 && c.buffer.data[0] == 2);
}

//@ expect: unsafe
#[verify]
fn impls_of_two_aliases_mixed() {
    let b = aliases::Buffer::<[u8; 4]>::fresh();
    let c = aliases::Core::<[u8; 4]>::fresh();
    assert!(b.data[0] == c.buffer.data[0]);
}
