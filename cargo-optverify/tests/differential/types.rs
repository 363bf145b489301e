//! The types that generated functions speak of, and values of them as they travel between generator, native
//! program and interpreter.

use crate::random::Random;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    /// The Rust name, the width, and whether it is signed.
    Int(&'static str, u32, bool),
    Bool,
    Char,
    Array(Box<Ty>, usize),
    Tuple(Vec<Ty>),
    Struct(usize),
    Enum(usize),
    Option(Box<Ty>),
    Result(Box<Ty>, Box<Ty>),
}

pub const INTS: [Ty; 12] = [
    Ty::Int("u8", 8, false),
    Ty::Int("u16", 16, false),
    Ty::Int("u32", 32, false),
    Ty::Int("u64", 64, false),
    Ty::Int("u128", 128, false),
    Ty::Int("usize", 64, false),
    Ty::Int("i8", 8, true),
    Ty::Int("i16", 16, true),
    Ty::Int("i32", 32, true),
    Ty::Int("i64", 64, true),
    Ty::Int("i128", 128, true),
    Ty::Int("isize", 64, true),
];

pub const USIZE: Ty = Ty::Int("usize", 64, false);
pub const U32: Ty = Ty::Int("u32", 32, false);
pub const U8: Ty = Ty::Int("u8", 8, false);

/// The structs and enums of one generated file: types of fields, types of the payload of each variant.
#[derive(Default)]
pub struct Items {
    pub structs: Vec<Vec<Ty>>,
    pub enums: Vec<Vec<Vec<Ty>>>,
}

impl Ty {
    pub fn is_int(&self) -> bool {
        matches!(self, Ty::Int(..))
    }

    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Int(..) | Ty::Bool | Ty::Char)
    }

    pub fn name(&self) -> String {
        match self {
            Ty::Int(name, ..) => (*name).to_owned(),
            Ty::Bool => "bool".to_owned(),
            Ty::Char => "char".to_owned(),
            Ty::Array(t, n) => format!("[{}; {n}]", t.name()),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| p.name() + ",").collect();
                format!("({})", parts.join(" "))
            }
            Ty::Struct(i) => format!("S{i}"),
            Ty::Enum(i) => format!("E{i}"),
            Ty::Option(t) => format!("Option<{}>", t.name()),
            Ty::Result(t, e) => format!("Result<{}, {}>", t.name(), e.name()),
        }
    }

    /// The variants in the order of their declaration, each with the types of its payload.
    pub fn variants(&self, items: &Items) -> Option<Vec<(String, Vec<Ty>)>> {
        Some(match self {
            Ty::Option(t) => vec![
                ("None".into(), vec![]),
                ("Some".into(), vec![(**t).clone()]),
            ],
            Ty::Result(t, e) => vec![
                ("Ok".into(), vec![(**t).clone()]),
                ("Err".into(), vec![(**e).clone()]),
            ],
            Ty::Enum(i) => {
                let all = items.enums[*i].iter().enumerate();
                all.map(|(v, payload)| (format!("V{v}"), payload.clone()))
                    .collect()
            }
            _ => return None,
        })
    }

    /// The parts of a tuple, struct or array.
    pub fn parts(&self, items: &Items) -> Option<Vec<Ty>> {
        Some(match self {
            Ty::Tuple(parts) => parts.clone(),
            Ty::Struct(i) => items.structs[*i].clone(),
            Ty::Array(t, n) => vec![(**t).clone(); *n],
            _ => return None,
        })
    }
}

/// A value: bits of a scalar, parts of an aggregate or slice, a variant with its payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Val {
    Bits(u128),
    Parts(Vec<Val>),
    Variant(usize, Vec<Val>),
}

pub fn mask(bits: u32) -> u128 {
    if bits >= 128 {
        u128::MAX
    } else {
        (1 << bits) - 1
    }
}

/// Bits of an integer: the edges of its range and small numbers often, anything else sometimes.
pub fn int_bits(random: &mut Random, bits: u32) -> u128 {
    let edge = 1u128 << (bits - 1);
    let raw = match random.below(12) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => edge,
        4 => edge - 1,
        5 => u128::from(random.next() % 300),
        6 => 0u128.wrapping_sub(u128::from(random.next() % 20)),
        7 => 1u128 << (random.below(bits as usize)),
        8..=9 => u128::from(random.next() % 8),
        _ => random.wide(),
    };
    raw & mask(bits)
}

impl Val {
    pub fn random(ty: &Ty, items: &Items, random: &mut Random) -> Val {
        if let Some(variants) = ty.variants(items) {
            let v = random.below(variants.len());
            let payload = variants[v].1.iter();
            return Val::Variant(v, payload.map(|t| Val::random(t, items, random)).collect());
        }
        if let Some(parts) = ty.parts(items) {
            return Val::Parts(
                parts
                    .iter()
                    .map(|t| Val::random(t, items, random))
                    .collect(),
            );
        }
        Val::Bits(match ty {
            Ty::Int(_, bits, _) => int_bits(random, *bits),
            Ty::Bool => u128::from(random.next() & 1),
            Ty::Char => {
                let c = *random.pick(&[
                    'a',
                    'Z',
                    '0',
                    '9',
                    ' ',
                    '\u{0}',
                    '\u{7f}',
                    'é',
                    'ß',
                    '\u{d7ff}',
                    '\u{e000}',
                    '\u{10ffff}',
                    '世',
                ]);
                c as u128
            }
            _ => unreachable!("aggregates are above"),
        })
    }

    pub fn write(&self, out: &mut String) {
        match self {
            Val::Bits(b) => out.push_str(&format!("{b} ")),
            Val::Parts(parts) => parts.iter().for_each(|p| p.write(out)),
            Val::Variant(v, payload) => {
                out.push_str(&format!("{v} "));
                payload.iter().for_each(|p| p.write(out));
            }
        }
    }

    /// Reads what `write` (here or in the native program) has written.
    pub fn read(ty: &Ty, items: &Items, words: &mut dyn Iterator<Item = u128>) -> Option<Val> {
        if let Some(variants) = ty.variants(items) {
            let v = words.next()? as usize;
            let payload = variants[v].1.iter().map(|t| Val::read(t, items, words));
            return Some(Val::Variant(v, payload.collect::<Option<_>>()?));
        }
        if let Some(parts) = ty.parts(items) {
            let parts = parts.iter().map(|t| Val::read(t, items, words));
            return Some(Val::Parts(parts.collect::<Option<_>>()?));
        }
        words.next().map(Val::Bits)
    }
}

/// Some type; `depth` bounds the nesting.
pub fn random_type(random: &mut Random, items: &Items, depth: usize) -> Ty {
    let scalar = |random: &mut Random| match random.below(10) {
        0 => Ty::Bool,
        1 => Ty::Char,
        _ => random.pick(&INTS).clone(),
    };
    if depth == 0 {
        return scalar(random);
    }
    match random.below(14) {
        0..=1 => {
            let n = 1 + random.below(6);
            Ty::Array(Box::new(random_type(random, items, depth - 1)), n)
        }
        2 => {
            let n = 2 + random.below(2);
            Ty::Tuple(
                (0..n)
                    .map(|_| random_type(random, items, depth - 1))
                    .collect(),
            )
        }
        3..=4 if !items.structs.is_empty() => Ty::Struct(random.below(items.structs.len())),
        5..=6 if !items.enums.is_empty() => Ty::Enum(random.below(items.enums.len())),
        7 => Ty::Option(Box::new(random_type(random, items, depth - 1))),
        8 => {
            let error = scalar(random);
            Ty::Result(
                Box::new(random_type(random, items, depth - 1)),
                Box::new(error),
            )
        }
        _ => scalar(random),
    }
}
