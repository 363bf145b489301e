//! What a generated expression can see: locals, parameters, helpers; and the places inside of them.

use crate::random::Random;
use crate::types::{INTS, Items, Ty, USIZE, int_bits};

#[derive(Clone)]
pub struct Variable {
    pub name: String,
    /// The element type, for a slice.
    pub ty: Ty,
    pub mutable: bool,
    /// A reference to a slice.
    pub slice: bool,
    /// A reference to a value of the type.
    pub reference: bool,
}

/// A function of the generated file that others call: `fn name(x: &mut T, y: U) -> V`.
#[derive(Clone)]
pub struct Helper {
    pub name: String,
    pub target: Ty,
    pub argument: Ty,
    pub result: Ty,
}

pub struct Generator<'a> {
    pub random: Random,
    pub items: &'a Items,
    pub scope: Vec<Variable>,
    pub helpers: Vec<Helper>,
    pub result: Ty,
    /// Inside a closure, `return` and `?` mean something else.
    pub in_closure: bool,
    /// The number of loops around, and how many there may be.
    pub loops: usize,
    pub loops_allowed: usize,
    pub next_name: usize,
}

/// The types whose constant tables every generated file has, with the tables' names.
pub const TABLES: [(Ty, &str); 4] = [
    (Ty::Int("u8", 8, false), "TABLE_U8"),
    (Ty::Int("u16", 16, false), "TABLE_U16"),
    (Ty::Int("i32", 32, true), "TABLE_I32"),
    (Ty::Int("u64", 64, false), "TABLE_U64"),
];

impl Variable {
    pub fn local(name: &str, ty: &Ty, mutable: bool) -> Variable {
        Variable {
            name: name.to_owned(),
            ty: ty.clone(),
            mutable,
            slice: false,
            reference: false,
        }
    }

    fn place(&self) -> String {
        if self.reference {
            format!("(*{})", self.name)
        } else {
            self.name.clone()
        }
    }
}

impl Generator<'_> {
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// A variable that only `inside` can see.
    pub fn with<T>(&mut self, name: &str, ty: &Ty, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.len();
        self.scope.push(Variable::local(name, ty, false));
        let out = inside(self);
        self.scope.truncate(before);
        out
    }

    /// `inside` cannot see this variable: it is borrowed.
    pub fn without<T>(&mut self, name: &str, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.clone();
        self.scope.retain(|v| v.name != name);
        let out = inside(self);
        self.scope = before;
        out
    }

    pub fn some_int(&mut self) -> Ty {
        self.random.pick(&INTS).clone()
    }

    /// All places of a type, each with the name of its variable.
    pub fn places(&mut self, wanted: &Ty, mutable: bool) -> Vec<(String, String)> {
        let mut found = vec![];
        for v in self.scope.clone() {
            if mutable && !v.mutable {
                continue;
            }
            if v.slice {
                let index = self.slice_index(&v.name);
                self.descend(
                    &v.name,
                    &format!("{}[{index}]", v.name),
                    &v.ty,
                    wanted,
                    &mut found,
                );
            } else {
                self.descend(&v.name, &v.place(), &v.ty, wanted, &mut found);
            }
        }
        found
    }

    fn descend(
        &mut self,
        root: &str,
        place: &str,
        ty: &Ty,
        wanted: &Ty,
        found: &mut Vec<(String, String)>,
    ) {
        if ty == wanted {
            found.push((root.to_owned(), place.to_owned()));
            return;
        }
        match ty {
            Ty::Array(elem, n) => {
                let index = self.array_index(*n);
                self.descend(root, &format!("{place}[{index}]"), elem, wanted, found);
            }
            Ty::Tuple(parts) => {
                for (i, t) in parts.iter().enumerate() {
                    self.descend(root, &format!("{place}.{i}"), t, wanted, found);
                }
            }
            Ty::Struct(s) => {
                for (i, t) in self.items.structs[*s].clone().iter().enumerate() {
                    self.descend(root, &format!("{place}.f{i}"), t, wanted, found);
                }
            }
            _ => {}
        }
    }

    pub fn place(&mut self, wanted: &Ty, mutable: bool) -> Option<(String, String)> {
        let all = self.places(wanted, mutable);
        (!all.is_empty()).then(|| self.random.pick(&all).clone())
    }

    /// Slices and arrays of a type that can be iterated over: name of the variable, expression, is it a slice.
    pub fn sequences(&mut self, elem: &Ty, mutable: bool) -> Vec<(String, String, Option<usize>)> {
        let mut found = vec![];
        for v in self.scope.clone() {
            if mutable && !v.mutable {
                continue;
            }
            match &v.ty {
                t if v.slice && t == elem => found.push((v.name.clone(), v.name, None)),
                Ty::Array(t, n) if !v.slice && **t == *elem => {
                    found.push((v.name.clone(), v.place(), Some(*n)));
                }
                Ty::Struct(s) if !v.slice => {
                    for (i, t) in self.items.structs[*s].iter().enumerate() {
                        if let Ty::Array(t, n) = t
                            && **t == *elem
                        {
                            found.push((v.name.clone(), format!("{}.f{i}", v.place()), Some(*n)));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    pub fn sequence(
        &mut self,
        elem: &Ty,
        mutable: bool,
    ) -> Option<(String, String, Option<usize>)> {
        let all = self.sequences(elem, mutable);
        (!all.is_empty()).then(|| self.random.pick(&all).clone())
    }

    /// The element types of the sequences in scope.
    pub fn element_types(&self) -> Vec<Ty> {
        let mut out: Vec<Ty> = vec![];
        for v in &self.scope {
            match &v.ty {
                t if v.slice => out.push(t.clone()),
                Ty::Array(t, _) => out.push((**t).clone()),
                _ => {}
            }
        }
        out
    }

    /// A scalar variable as a `usize`, or a small number.
    fn plain_index(&mut self) -> String {
        let ints: Vec<Variable> = self
            .scope
            .iter()
            .filter(|v| v.ty.is_int() && !v.slice)
            .cloned()
            .collect();
        if ints.is_empty() || self.random.one_in(5) {
            return format!("{}usize", self.random.below(6));
        }
        let v = self.random.pick(&ints).clone();
        if v.ty == USIZE {
            v.place()
        } else {
            format!("({} as usize)", v.place())
        }
    }

    fn array_index(&mut self, n: usize) -> String {
        match self.random.below(10) {
            0..=4 => self.random.below(n).to_string(),
            5..=7 => format!("({} % {n})", self.plain_index()),
            8 => format!("({} % {})", self.plain_index(), n + 1),
            _ => self.plain_index(),
        }
    }

    fn slice_index(&mut self, name: &str) -> String {
        match self.random.below(10) {
            0 => "0".to_owned(),
            1..=6 => format!("({} % {name}.len().max(1))", self.plain_index()),
            7 => format!("({name}.len().wrapping_sub(1))"),
            _ => self.plain_index(),
        }
    }

    pub fn literal(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int(name, bits, signed) => {
                let raw = int_bits(&mut self.random, *bits);
                if !signed {
                    return format!("{raw}{name}");
                }
                let shift = 128 - bits;
                let value = ((raw << shift) as i128) >> shift;
                if *bits < 128 || value != i128::MIN {
                    format!("({value}{name})")
                } else {
                    "i128::MIN".to_owned()
                }
            }
            Ty::Bool => if self.random.one_in(2) {
                "true"
            } else {
                "false"
            }
            .to_owned(),
            Ty::Char => format!(
                "{:?}",
                *self
                    .random
                    .pick(&['a', 'Q', '7', ' ', 'é', '\u{10ffff}', '\n'])
            ),
            _ => self.composed(ty, 0),
        }
    }

    /// A place or a literal.
    pub fn atom(&mut self, ty: &Ty) -> String {
        if !self.random.one_in(5)
            && let Some((_, place)) = self.place(ty, false)
        {
            return place;
        }
        self.literal(ty)
    }
}
