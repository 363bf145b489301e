//! Terms as SMT-LIB text with their sorts, and a script that gives names to them. Only literals are computed with.

use crate::fold;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    Bv(u32),
}

impl Scalar {
    pub fn width(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Bv(w) => w,
        }
    }
}

/// A scalar, or an array of arrays of .. of it; indices have 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Sort {
    pub dims: u32,
    pub of: Scalar,
}

impl Sort {
    pub fn scalar(of: Scalar) -> Sort {
        Sort { dims: 0, of }
    }

    pub fn text(self) -> String {
        let mut out = match self.of {
            Scalar::Bool => "Bool".to_string(),
            Scalar::Bv(w) => format!("(_ BitVec {w})"),
        };
        for _ in 0..self.dims {
            out = format!("(Array (_ BitVec 64) {out})");
        }
        out
    }
}

/// A name, a literal or an application, as text.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Term {
    pub text: Rc<str>,
    pub sort: Sort,
    /// The bits of a literal.
    pub literal: Option<u128>,
}

impl Term {
    pub fn new(text: impl Into<Rc<str>>, sort: Sort) -> Term {
        Term {
            text: text.into(),
            sort,
            literal: None,
        }
    }

    pub fn boolean(value: bool) -> Term {
        Term {
            text: if value { "true" } else { "false" }.into(),
            sort: Sort::scalar(Scalar::Bool),
            literal: Some(u128::from(value)),
        }
    }

    pub fn bits(value: u128, width: u32) -> Term {
        let value = value & (u128::MAX >> (128 - width.clamp(1, 128)));
        Term {
            text: format!("(_ bv{value} {width})").into(),
            sort: Sort::scalar(Scalar::Bv(width)),
            literal: Some(value),
        }
    }

    pub fn is(&self, value: bool) -> bool {
        self.sort.of == Scalar::Bool && self.literal == Some(u128::from(value))
    }

    pub fn width(&self) -> u32 {
        self.sort.of.width()
    }
}

/// Something that the checker has no model of.
#[derive(Clone, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub struct Gap(pub String);

pub type Modelled<T> = Result<T, Gap>;

pub fn gap<T>(what: impl Into<String>) -> Modelled<T> {
    Err(Gap(what.into()))
}

/// Declarations and definitions, in order. A definition only names a term, so no script contradicts itself by them.
#[derive(Default)]
pub struct Script {
    pub text: String,
    declared: HashMap<String, Sort>,
    /// What holds of declared constants: ranges of inputs, lemmas at the start.
    pub assumptions: Vec<Term>,
    n_names: usize,
}

impl Script {
    /// A constant with this name, the same one each time.
    pub fn constant(&mut self, name: &str, sort: Sort) -> Modelled<Term> {
        match self.declared.get(name) {
            Some(known) if *known == sort => {}
            Some(_) => return gap(format!("`{name}` at two types")),
            None => {
                let _ = writeln!(self.text, "(declare-const |{name}| {})", sort.text());
                self.declared.insert(name.to_string(), sort);
            }
        }
        Ok(Term::new(format!("|{name}|"), sort))
    }

    /// A constant that nothing else speaks of.
    pub fn fresh(&mut self, sort: Sort) -> Term {
        self.n_names += 1;
        let name = format!("?{}", self.n_names);
        let _ = writeln!(self.text, "(declare-const |{name}| {})", sort.text());
        Term::new(format!("|{name}|"), sort)
    }

    /// A short name for a long term.
    pub fn define(&mut self, term: Term) -> Term {
        if term.text.len() < 24 {
            return term;
        }
        self.n_names += 1;
        let name = format!("!{}", self.n_names);
        let _ = writeln!(
            self.text,
            "(define-fun |{name}| () {} {})",
            term.sort.text(),
            term.text
        );
        Term::new(format!("|{name}|"), term.sort)
    }

    /// `(operator a b ..)` of this sort, named.
    pub fn apply(&mut self, operator: &str, args: &[&Term], sort: Sort) -> Term {
        if let Some(value) = fold::fold(operator, args, sort) {
            return value;
        }
        let mut text = format!("({operator}");
        for a in args {
            text.push(' ');
            text.push_str(&a.text);
        }
        text.push(')');
        self.define(Term::new(text, sort))
    }

    pub fn bv(&mut self, operator: &str, args: &[&Term], width: u32) -> Term {
        self.apply(operator, args, Sort::scalar(Scalar::Bv(width)))
    }

    pub fn test(&mut self, operator: &str, args: &[&Term]) -> Term {
        self.apply(operator, args, Sort::scalar(Scalar::Bool))
    }

    // The four connectives drop literals, so that code that is there for other builds costs nothing.

    pub fn and(&mut self, a: &Term, b: &Term) -> Term {
        match (a, b) {
            (a, b) if a.is(true) || b.is(false) => b.clone(),
            (a, b) if b.is(true) || a.is(false) => a.clone(),
            (a, b) => self.test("and", &[a, b]),
        }
    }

    pub fn or(&mut self, a: &Term, b: &Term) -> Term {
        match (a, b) {
            (a, b) if a.is(false) || b.is(true) => b.clone(),
            (a, b) if b.is(false) || a.is(true) => a.clone(),
            (a, b) => self.test("or", &[a, b]),
        }
    }

    pub fn not(&mut self, a: &Term) -> Term {
        match a.literal {
            Some(bit) => Term::boolean(bit == 0),
            None => self.test("not", &[a]),
        }
    }

    pub fn ite(&mut self, c: &Term, a: &Term, b: &Term) -> Term {
        match c {
            c if c.is(true) => a.clone(),
            c if c.is(false) => b.clone(),
            _ if a == b => a.clone(),
            c => self.apply("ite", &[c, a, b], a.sort),
        }
    }

    pub fn eq(&mut self, a: &Term, b: &Term) -> Term {
        match (a.literal, b.literal) {
            (Some(x), Some(y)) => Term::boolean(x == y),
            _ if a == b => Term::boolean(true),
            _ => self.test("=", &[a, b]),
        }
    }

    pub fn select(&mut self, array: &Term, index: &Term) -> Term {
        let sort = Sort {
            dims: array.sort.dims.saturating_sub(1),
            of: array.sort.of,
        };
        self.apply("select", &[array, index], sort)
    }

    pub fn store(&mut self, array: &Term, index: &Term, value: &Term) -> Term {
        self.apply("store", &[array, index, value], array.sort)
    }

    /// The array that has this value everywhere.
    pub fn repeat(&mut self, value: &Term) -> Term {
        let sort = Sort {
            dims: value.sort.dims + 1,
            of: value.sort.of,
        };
        self.apply(&format!("(as const {})", sort.text()), &[value], sort)
    }
}
