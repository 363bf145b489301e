//! `Drop` of the crate inside its own enums, arrays that are iterated over by value, closures and options that are taken;
//! and types that hold none, beside an `impl Drop` that is not theirs.
use optverify::verify;
use std::cell::Cell;

struct D<'a>(&'a Cell<u32>, u32);

impl Drop for D<'_> {
    fn drop(&mut self) { self.0.set(self.0.get() * 10 + self.1); }
}

enum E<'a> { A(D<'a>), B { first: D<'a>, second: D<'a> }, C(u8), N }

fn some<'a>(c: &'a Cell<u32>, n: u8) -> E<'a> {
    match n {
        0 => E::A(D(c, 1)),
        1 => E::B { first: D(c, 2), second: D(c, 3) },
        2 => E::C(n),
        _ => E::N,
    }
}

//@ expect: safe
#[verify]
fn in_an_enum(n: u8) {
    let c = Cell::new(0);
    { let _e = some(&c, n); }
    assert!(c.get() == match n { 0 => 1, 1 => 23, _ => 0 });
}

//@ expect: unsafe
#[verify]
fn in_an_enum_wrong(n: u8) {
    let c = Cell::new(0);
    { let _e = some(&c, n); }
    assert!(c.get() <= 3);
}

//@ expect: safe
#[verify]
fn moved_out_of_an_enum(n: u8) {
    let c = Cell::new(0);
    if let E::B { first, second } = some(&c, n) { drop(second); drop(first); assert!(c.get() == 32); };
}

//@ expect: unsafe
#[verify]
fn moved_out_of_an_enum_wrong(n: u8) {
    let c = Cell::new(0);
    if let E::B { first, second } = some(&c, n) { drop(second); drop(first); assert!(c.get() == 23); };
}

struct Checked(i32);

impl Drop for Checked {
    fn drop(&mut self) { assert!(self.0 > 0); }
}

enum Pair { One(Checked), Two(Checked, Checked) }

//@ expect: safe
#[verify]
fn constants_in_an_enum(b: bool) { let _p = if b { Pair::One(Checked(1)) } else { Pair::Two(Checked(2), Checked(3)) }; }

//@ expect: unsafe
#[verify]
fn constants_in_an_enum_wrong(b: bool) { let _p = if b { Pair::One(Checked(1)) } else { Pair::Two(Checked(2), Checked(0)) }; }

//@ expect: safe
#[verify]
fn taken_out_of_an_option() { let mut o = Some(Checked(1)); let t = o.take(); assert!(o.is_none()); drop(t); }

//@ expect: unsafe
#[verify]
fn taken_out_of_an_option_wrong() { let mut o = Some(Checked(0)); let t = o.take(); assert!(o.is_none()); drop(t); }

//@ expect: safe
#[verify]
fn captured_by_a_closure() { let d = Checked(2); let f = move || { let _x = &d; }; f(); }

//@ expect: unsafe
#[verify]
fn captured_by_a_closure_wrong() { let d = Checked(0); let f = move || { let _x = &d; }; f(); }

//@ expect: safe
#[verify]
fn an_array_by_value() {
    let c = Cell::new(0);
    for d in [D(&c, 1), D(&c, 2)] { drop(d); }
    assert!(c.get() == 12);
}

//@ expect: unsafe
#[verify]
fn an_array_by_value_wrong() {
    let c = Cell::new(0);
    for d in [D(&c, 1), D(&c, 2)] { drop(d); }
    assert!(c.get() == 21);
}

//@ expect: safe
#[verify]
fn the_rest_of_an_array() {
    let c = Cell::new(0);
    {
        let mut all = [D(&c, 1), D(&c, 2), D(&c, 3)].into_iter();
        std::mem::forget(all.next());
    }
    assert!(c.get() == 23);
}

//@ expect: unsafe
#[verify]
fn the_rest_of_an_array_wrong() {
    let c = Cell::new(0);
    {
        let mut all = [D(&c, 1), D(&c, 2), D(&c, 3)].into_iter();
        std::mem::forget(all.next());
    }
    assert!(c.get() == 123);
}

// Nothing of these has a `Drop`, wherever else one stands.
enum List { Cons(u32, Box<List>), Nil }
enum Shape { Circle(u32), Named { name: String, sides: Vec<u32> } }
struct Drawing { shapes: Vec<Shape>, next: Option<Box<Drawing>> }

fn sum(list: &List) -> u32 { match list { List::Cons(n, rest) => n.wrapping_add(sum(rest)), List::Nil => 0 } }

//@ expect: safe
#[verify]
fn a_recursive_enum(a: u32) { let l = List::Cons(a, Box::new(List::Nil)); assert!(sum(&l) == a); }

//@ expect: unsafe
#[verify]
fn a_recursive_enum_wrong(a: u32) { let l = List::Cons(a, Box::new(List::Nil)); assert!(sum(&l) == 0); }

//@ expect: safe
#[verify]
fn a_variant_that_nobody_builds(n: u32) {
    let d = Drawing { shapes: vec![Shape::Circle(n)], next: None };
    assert!(matches!(d.shapes[0], Shape::Circle(m) if m == n) && d.next.is_none());
}

//@ expect: unsafe
#[verify]
fn a_variant_that_nobody_builds_wrong(n: u32) {
    let d = Drawing { shapes: vec![Shape::Circle(n)], next: None };
    match &d.shapes[0] { Shape::Circle(m) => assert!(*m != 5), Shape::Named { name, sides } => assert!(name.len() > sides.len()) }
}

// A type that holds one by an argument, an object, or a trait's own type.
struct Held<T>(Option<T>);
trait Gives { type Out; fn out(self) -> Self::Out; }
impl Gives for i32 { type Out = Checked; fn out(self) -> Checked { Checked(self) } }
struct Given<T: Gives>(T::Out);

//@ expect: unsafe
#[verify]
fn by_an_argument(n: i32) { let _h = Held(if n > 5 { Some(Checked(n)) } else { Some(Checked(n.wrapping_sub(9))) }); }

//@ expect: unsafe
#[verify]
fn by_the_type_of_a_trait(n: i32) { let _g = Given::<i32>(n.out()); }

//@ expect: safe
#[verify]
fn by_the_type_of_a_trait_that_holds(n: i32) { if n > 0 { let _g = Given::<i32>(n.out()); } }

//@ expect: safe
#[verify]
fn a_vector_by_value() {
    let c = Cell::new(0);
    for d in vec![D(&c, 1), D(&c, 2)] { drop(d); }
    assert!(c.get() == 12);
}

//@ expect: unsafe
#[verify]
fn a_vector_by_value_wrong() {
    let c = Cell::new(0);
    for d in vec![D(&c, 1), D(&c, 2)] { drop(d); }
    assert!(c.get() == 21);
}

//@ expect: safe
#[verify]
fn the_rest_of_a_vector() {
    let c = Cell::new(0);
    {
        let mut all = vec![D(&c, 1), D(&c, 2), D(&c, 3)].into_iter();
        std::mem::forget(all.next());
    }
    assert!(c.get() == 23);
}

//@ expect: unsafe
#[verify]
fn the_rest_of_a_vector_wrong() {
    let c = Cell::new(0);
    {
        let mut all = vec![D(&c, 1), D(&c, 2), D(&c, 3)].into_iter();
        std::mem::forget(all.next());
    }
    assert!(c.get() == 3);
}

//@ expect: safe
#[verify]
fn in_a_cell(n: u32) {
    let c = Cell::new(0);
    { let _cell = std::cell::RefCell::new(Some(D(&c, n & 7))); }
    assert!(c.get() == n & 7);
}

//@ expect: unsafe
#[verify]
fn in_a_cell_wrong(n: u32) {
    let c = Cell::new(0);
    { let _cell = std::cell::RefCell::new(Some(D(&c, n & 7))); }
    assert!(c.get() == 0);
}
