//! Expressions that seldom panic: wrapping and guarded arithmetic, masked indices, and now and then a plain
//! operator, so that about half of the functions are safe.

use crate::random::Random;
use crate::scope::{Generator, Variable};
use crate::types::{INTS, Ty, USIZE};

/// What lives on the heap, by the name of its variable.
#[derive(Clone, PartialEq)]
pub enum Heap {
    Vector(Ty),
    Boxed(Ty),
    OptionBoxed(Ty),
    Text,
}

/// Writes one function, a statement a line.
pub struct Writer<'a> {
    pub g: Generator<'a>,
    pub lines: Vec<String>,
    pub heap: Vec<(String, Heap)>,
    /// Loops around, each with a label or not.
    pub labels: Vec<Option<String>>,
    /// Claims so far; natively they are counted, and the useful ones become assertions.
    pub claims: usize,
    pub bounds: usize,
    /// The integer types of this function: few, so that its variables meet.
    pub palette: Vec<Ty>,
}

const SMALL: [u64; 18] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 16, 31, 50, 64, 100, 127, 200,
];

pub fn small(random: &mut Random, ty: &Ty) -> String {
    let n = *random.pick(&SMALL);
    match ty {
        Ty::Int(_, 8, true) if n > 127 => "127".to_owned(),
        Ty::Int(name, ..) if random.one_in(12) => format!("{name}::MAX"),
        Ty::Int(name, _, true) if random.one_in(12) => format!("{name}::MIN"),
        Ty::Int(_, _, true) if random.one_in(6) => format!("(-{n})"),
        _ => n.to_string(),
    }
}

impl Writer<'_> {
    pub fn some_int(&mut self) -> Ty {
        if self.g.random.one_in(10) {
            return self.g.random.pick(&INTS).clone();
        }
        let palette = self.palette.clone();
        self.g.random.pick(&palette).clone()
    }

    /// The scalars of a type that can be read without an index.
    pub fn scalars(&self, ty: &Ty, mutable: bool) -> Vec<String> {
        let seen = self.g.scope.iter();
        seen.filter(|v| v.ty == *ty && !v.slice && (v.mutable || !mutable))
            .map(read)
            .collect()
    }

    pub fn of_heap(&self, wanted: impl Fn(&Heap) -> bool) -> Vec<(String, Heap)> {
        let all = self.heap.iter().filter(|(_, h)| wanted(h));
        all.cloned().collect()
    }

    pub fn atom(&mut self, ty: &Ty) -> String {
        let own = self.scalars(ty, false);
        if !own.is_empty() && !self.g.random.one_in(4) {
            return self.g.random.pick(&own).clone();
        }
        let others: Vec<Variable> = {
            let ints = self.g.scope.iter().filter(|v| v.ty.is_int() && !v.slice);
            ints.cloned().collect()
        };
        if !others.is_empty() && self.g.random.one_in(2) {
            let v = self.g.random.pick(&others).clone();
            return format!("({} as {})", read(&v), ty.name());
        }
        typed(&small(&mut self.g.random, ty), ty)
    }

    /// An integer.
    pub fn int(&mut self, ty: &Ty, depth: usize) -> String {
        let &Ty::Int(name, bits, signed) = ty else {
            return self.g.literal(ty);
        };
        if depth == 0 {
            return self.atom(ty);
        }
        let d = depth - 1;
        let (a, b) = (self.int(ty, d), self.int(ty, d));
        match self.g.random.below(24) {
            0..=3 => {
                let op = *self.g.random.pick(&["add", "sub", "mul"]);
                format!("({a}).wrapping_{op}({b})")
            }
            4..=5 => {
                let op = *self.g.random.pick(&["&", "|", "^"]);
                format!("({a} {op} {b})")
            }
            6 => {
                let op = *self.g.random.pick(&["/", "%", "%"]);
                let k = 1 + self.g.random.below(20);
                format!("({a} {op} {k})")
            }
            7 => {
                let op = *self.g.random.pick(&["<<", ">>", ">>"]);
                let k = self.g.random.below(bits as usize);
                format!("({a} {op} {k})")
            }
            8 => {
                let op = *self.g.random.pick(&["add", "sub", "mul"]);
                format!("({a}).saturating_{op}({b})")
            }
            9 => {
                let op = *self
                    .g
                    .random
                    .pick(&["add", "sub", "mul", "div", "rem", "shl"]);
                let n = if op == "shl" {
                    format!("{b} as u32")
                } else {
                    b
                };
                format!("({a}).checked_{op}({n}).unwrap_or({})", self.atom(ty))
            }
            10 => {
                let c = self.condition(d);
                format!("(if {c} {{ {a} }} else {{ {b} }})")
            }
            11 => {
                let op = *self.g.random.pick(&["min", "max"]);
                format!("({a}).{op}({b})")
            }
            12 => {
                let op = *self.g.random.pick(&[
                    "count_ones()",
                    "leading_zeros()",
                    "trailing_zeros()",
                    "count_zeros()",
                ]);
                format!("(({a}).{op} as {name})")
            }
            13 => {
                let (x, y) = (self.g.random.below(64), self.g.random.below(60));
                let op = *self.g.random.pick(&["+", "*"]);
                let op = if bits == 8 { "+" } else { op };
                format!("(({a} & {x}) {op} ({b} & {y}))")
            }
            14 if !signed => format!("(if {a} > {b} {{ {a} - {b} }} else {{ {b} - {a} }})"),
            14 => format!("({a}).wrapping_abs()"),
            15 => {
                let op = *self.g.random.pick(&["+", "-", "*", "+", "-", "/", "%"]);
                format!("({a} {op} {b})")
            }
            16 => {
                let from = self.some_int();
                let e = self.int(&from, d);
                match self.g.random.below(3) {
                    0 => format!("{name}::try_from({e}).unwrap_or({a})"),
                    _ => format!("({e} as {name})"),
                }
            }
            17..=19 => self.element(ty, d).unwrap_or(a),
            20..=21 => self.heap_integer(ty).unwrap_or(a),
            22 => self.payload(ty).unwrap_or(a),
            _ => {
                let op = *self
                    .g
                    .random
                    .pick(&["rotate_left", "wrapping_shl", "wrapping_shr"]);
                format!("({a}).{op}({b} as u32)")
            }
        }
    }

    /// An element of an array or slice, or a field: mostly with an index that is in bounds.
    fn element(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let sequences = self.g.sequences(ty, false);
        if sequences.is_empty() || self.g.random.one_in(4) {
            let fields = self.fields(ty);
            return (!fields.is_empty()).then(|| self.g.random.pick(&fields).clone());
        }
        let (_, s, n) = self.g.random.pick(&sequences).clone();
        let i = self.int(&USIZE, depth.min(1));
        Some(match (self.g.random.below(10), n) {
            (0, _) => format!("{s}[{i}]"),
            (1..=4, Some(n)) => format!("{s}[{i} % {n}]"),
            (5, Some(n)) => format!("{s}[{i} & {}]", (n + 1).next_power_of_two() / 2 - 1),
            (1, None) => format!("{s}[{i} % {s}.len()]"),
            (2..=5, None) => format!("(if {i} < {s}.len() {{ {s}[{i}] }} else {{ 1 }})"),
            (6, _) => format!(
                "{s}.iter().fold(0, |x: {0}, y| x.wrapping_add(*y))",
                ty.name()
            ),
            (7, _) => format!("{s}.last().copied().unwrap_or(3)"),
            _ => format!("{s}.get({i}).copied().unwrap_or(2)"),
        })
    }

    /// Fields of structs and tuples, by name.
    fn fields(&self, ty: &Ty) -> Vec<String> {
        let mut found = vec![];
        for v in self.g.scope.iter().filter(|v| !v.slice) {
            match &v.ty {
                Ty::Tuple(parts) => {
                    let fitting = parts.iter().enumerate().filter(|(_, t)| *t == ty);
                    found.extend(fitting.map(|(i, _)| format!("{}.{i}", v.name)));
                }
                Ty::Struct(s) => {
                    let parts = self.g.items.structs[*s].iter().enumerate();
                    let fitting = parts.filter(|(_, t)| *t == ty);
                    found.extend(fitting.map(|(i, _)| format!("{}.f{i}", v.name)));
                }
                _ => {}
            }
        }
        found
    }

    /// An integer out of an enum's payload.
    fn payload(&mut self, ty: &Ty) -> Option<String> {
        let with_variants: Vec<Variable> = {
            let all = self.g.scope.iter();
            let all = all.filter(|v| !v.slice && v.ty.variants(self.g.items).is_some());
            all.cloned().collect()
        };
        if with_variants.is_empty() {
            return None;
        }
        let v = self.g.random.pick(&with_variants).clone();
        let prefix = if matches!(v.ty, Ty::Enum(_)) {
            v.ty.name() + "::"
        } else {
            String::new()
        };
        let mut arms = String::new();
        for (variant, payload) in v.ty.variants(self.g.items)? {
            let names: Vec<String> = (0..payload.len()).map(|i| format!("p{i}")).collect();
            let int = payload.iter().position(Ty::is_int);
            let value = match int {
                Some(i) => format!("p{i} as {}", ty.name()),
                None => self.atom(ty),
            };
            let binds = if names.is_empty() {
                String::new()
            } else {
                format!("({})", names.join(", "))
            };
            arms.push_str(&format!("{prefix}{variant}{binds} => {value}, "));
        }
        Some(format!("(match {} {{ {arms}}})", read(&v)))
    }

    pub fn condition(&mut self, depth: usize) -> String {
        let bools = self.scalars(&Ty::Bool, false);
        match self.g.random.below(12) {
            0..=1 if !bools.is_empty() => self.g.random.pick(&bools).clone(),
            2 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            3 if depth > 0 => {
                let op = *self.g.random.pick(&["&&", "||", "^"]);
                let (a, b) = (self.condition(depth - 1), self.condition(depth - 1));
                format!("(({a}) {op} ({b}))")
            }
            4 => {
                let vectors = self.of_heap(|h| matches!(h, Heap::Vector(_) | Heap::Text));
                match vectors.first() {
                    Some((v, _)) => format!("{v}.is_empty()"),
                    None => "true".to_owned(),
                }
            }
            _ => {
                let ty = self.some_int();
                let compare = *self.g.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let (a, b) = (self.int(&ty, depth.min(1)), self.int(&ty, depth.min(1)));
                format!("({a}) {compare} ({b})")
            }
        }
    }
}

pub fn read(v: &Variable) -> String {
    if v.reference {
        format!("(*{})", v.name)
    } else {
        v.name.clone()
    }
}

/// A literal with its type.
pub fn typed(literal: &str, ty: &Ty) -> String {
    if literal.contains("::") {
        return literal.to_owned();
    }
    match literal.strip_prefix("(-").and_then(|l| l.strip_suffix(')')) {
        Some(digits) => format!("(-{digits}{})", ty.name()),
        None => format!("{literal}{}", ty.name()),
    }
}
