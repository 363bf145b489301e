//! Enums with payload and discriminants, Option, Result and `?`.
use optverify::verify;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape { Circle(u8), Rect { w: u8, h: u8 }, Empty }

fn area(s: Shape) -> u32 {
    match s {
        Shape::Circle(r) => 3 * r as u32 * r as u32,
        Shape::Rect { w, h } => w as u32 * h as u32,
        Shape::Empty => 0,
    }
}

//@ expect: safe
#[verify]
fn area_is_bounded(k: u8, a: u8, b: u8) {
    let s = match k { 0 => Shape::Circle(a), 1 => Shape::Rect { w: a, h: b }, _ => Shape::Empty };
    assert!(area(s) <= 3 * 255 * 255);
}

//@ expect: unsafe
#[verify]
fn area_is_bounded_wrong(k: u8, a: u8, b: u8) {
    let s = match k { 0 => Shape::Circle(a), 1 => Shape::Rect { w: a, h: b }, _ => Shape::Empty };
    assert!(area(s) < 3 * 255 * 255);
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Level { Low = 1, Mid = 5, High = 9 }

//@ expect: safe
#[verify]
fn explicit_discriminants(l: Level) {
    let n = l as u8;
    assert!(n == 1 || n == 5 || n == 9);
    assert!(n % 4 == 1);
}

//@ expect: unsafe
#[verify]
fn explicit_discriminants_wrong(l: Level) {
    assert!((l as u8) < 9);
}

impl TryFrom<u8> for Level {
    type Error = u8;
    fn try_from(v: u8) -> Result<Level, u8> {
        Ok(match v { 1 => Level::Low, 5 => Level::Mid, 9 => Level::High, other => return Err(other) })
    }
}

//@ expect: safe
#[verify]
fn try_from_round_trip(v: u8) {
    match Level::try_from(v) {
        Ok(l) => assert!(l as u8 == v),
        Err(e) => assert!(e == v && v != 5),
    }
}

//@ expect: unsafe
#[verify]
fn try_from_unwrapped(v: u8) {
    if v % 4 == 1 && v < 13 && v != 0 {
        let l = Level::try_from(v).ok();
        assert!(l.is_none() || v < 9);
    }
}

#[derive(Clone, Copy)]
#[repr(i16)]
enum Signed { Neg = -3, Zero = 0, Pos = 400 }

//@ expect: safe
#[verify]
fn negative_discriminant(s: Signed) {
    let v = s as i16 as i32;
    assert!(v * v <= 160000 && v >= -3);
    if let Signed::Neg = s { assert!(v < 0); }
    if let Signed::Zero = s { assert!(v == 0); }
    if let Signed::Pos = s { assert!(v > 0); }
}

//@ expect: unsafe
#[verify]
fn negative_discriminant_wrong(s: Signed) {
    assert!(s as i16 >= 0);
}

fn checked_ratio(a: u32, b: u32) -> Option<u32> {
    let q = a.checked_div(b)?;
    q.checked_mul(2)
}

//@ expect: safe
#[verify]
fn question_mark_option(a: u32, b: u32) {
    if let Some(v) = checked_ratio(a, b) { assert!(b != 0 && v % 2 == 0); }
    if b == 0 { assert!(checked_ratio(a, b).is_none()); }
}

//@ expect: unsafe
#[verify]
fn question_mark_unwrap(a: u32, b: u32) {
    if b != 0 { checked_ratio(a, b).unwrap(); }
}

#[derive(Debug, PartialEq)]
enum ParseError { Empty, Bad(u8), TooLong }

fn digit(b: u8) -> Result<u32, ParseError> {
    if b.is_ascii_digit() { Ok((b - b'0') as u32) } else { Err(ParseError::Bad(b)) }
}

fn parse(bytes: &[u8]) -> Result<u32, ParseError> {
    if bytes.is_empty() { return Err(ParseError::Empty); }
    if bytes.len() > 4 { return Err(ParseError::TooLong); }
    let mut n = 0;
    let mut i = 0;
    while i < bytes.len() { n = n * 10 + digit(bytes[i])?; i += 1; }
    Ok(n)
}

//@ expect: safe
#[verify]
fn parse_four_digits(a: u8, b: u8, c: u8) {
    match parse(&[a, b, c]) {
        Ok(n) => assert!(n < 1000),
        Err(ParseError::Bad(x)) => assert!(x == a || x == b || x == c),
        Err(_) => unreachable!(),
    }
}

//@ expect: unsafe
#[verify]
fn parse_four_digits_wrong(a: u8, b: u8, c: u8) {
    assert!(parse(&[a, b, c]).unwrap() < 1000);
}

//@ expect: safe
#[verify]
fn option_combinators(x: Option<u8>) {
    let y = x.map(|v| v as u16 + 1).filter(|v| *v > 1).unwrap_or(7);
    assert!(y >= 2 && y <= 256);
    assert!(x.is_some() || y == 7);
    assert_eq!(x.or(Some(3)).is_some(), true);
    assert!(x.and_then(|v| v.checked_add(1)).map_or(true, |v| v > 0));
}

//@ expect: unsafe
#[verify]
fn option_combinators_wrong(x: Option<u8>) {
    let y = x.map(|v| v as u16 + 1).filter(|v| *v > 1).unwrap_or(0);
    assert!(y >= 2);
}

//@ expect: safe
#[verify(timeout = "3s")]
fn result_combinators(a: i32, b: i32) {
    let r: Result<i32, &'static str> = if b == 0 { Err("zero") } else { Ok(a.wrapping_div(b)) };
    let s = r.map(|v| v / 2).map_err(|e| e.len());
    match s { Ok(v) => assert!(v.checked_abs().is_some()), Err(n) => assert!(n == 4) }
    assert!(r.is_ok() == (b != 0));
    assert!(r.ok().is_some() || b == 0);
}

//@ expect: unsafe
#[verify]
fn result_expect(a: i32, b: i32) {
    let r: Result<i32, u8> = if b == 0 { Err(1) } else { Ok(a.wrapping_div(b)) };
    r.expect("b is not zero");
}

//@ expect: safe
#[verify]
fn take_and_replace(v: u8) {
    let mut slot = Some(v);
    let t = slot.take();
    assert!(slot.is_none() && t == Some(v));
    let old = slot.replace(9);
    assert!(old.is_none() && slot == Some(9));
    *slot.get_or_insert(1) += 1;
    assert_eq!(slot, Some(10));
}

//@ expect: unsafe
#[verify]
fn take_twice(v: u8) {
    let mut slot = Some(v);
    slot.take();
    slot.take().unwrap();
}

#[derive(Clone, Copy, PartialEq)]
enum State { Idle, Busy(u8), Done }

//@ expect: safe
#[verify]
fn state_machine(n: u8, work: u8) {
    let mut s = State::Idle;
    let mut i = 0u8;
    while i < n {
        s = match s {
            State::Idle => State::Busy(work),
            State::Busy(0) => State::Done,
            State::Busy(k) => { assert!(k <= work); State::Busy(k - 1) }
            State::Done => State::Idle,
        };
        i += 1;
    }
}

//@ expect: unsafe
#[verify]
fn state_machine_done(n: u8, work: u8) {
    let mut s = State::Idle;
    let mut i = 0u8;
    while i < n {
        s = match s {
            State::Idle => State::Busy(work),
            State::Busy(0) => State::Done,
            State::Busy(k) => State::Busy(k - 1),
            State::Done => State::Idle,
        };
        i += 1;
    }
    assert!(s != State::Done);
}

// Only a pattern reads the payload.
fn of_pattern(x: Option<bool>) -> u32 { match x { None => 0, Some(false) => 1, Some(true) => 2 } }

//@ expect: safe
#[verify]
fn payload_read_by_a_pattern(x: Option<bool>, y: (u8, Option<u8>)) { let k = match y.1 { Some(0) => 1, Some(9) => 2, _ => 0 }; assert!(of_pattern(x) + k < 5); }

//@ expect: unsafe
#[verify]
fn payload_read_by_a_pattern_wrong(x: Option<bool>, y: (u8, Option<u8>)) { let k = match y.1 { Some(0) => 1, Some(9) => 2, _ => 0 }; assert!(of_pattern(x) + k < 4); }

#[repr(i8)]
#[derive(Clone, Copy)]
enum Limits { Low = i8::MIN, Next, Minus = -3 << 1 | 1, High = i8::MAX }
fn limit(x: u8) -> i8 { (match x % 4 { 0 => Limits::Low, 1 => Limits::Next, 2 => Limits::Minus, _ => Limits::High }) as i8 }

//@ expect: safe
#[verify]
fn limits_of_the_type(x: u8) { let v = limit(x); assert!(v == -128 && x % 4 == 0 || v == -127 || v == -5 || v == 127); }

//@ expect: unsafe
#[verify]
fn limits_of_the_type_wrong(x: u8) { assert!(limit(x) != -127); }
