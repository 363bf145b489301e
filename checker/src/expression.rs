//! Lemmas as expressions of Rust, for people and for witnesses. What Rust has no exact word for (a width of 33 bits, a
//! place without a name in the source, a division that may be by zero) is an error, and stays SMT-LIB.

use crate::lemma::Sexpr;
use optverify_engine::mir::ty::{IntTy, Ty, TyKind};
use std::collections::HashMap;

/// No exact words: a reason for people who debug this.
pub type Said<T> = Result<T, String>;

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Bool,
    Int(IntTy),
    /// A number that takes the type of what it stands beside.
    Literal(u128, u32),
    /// Elements of this type.
    Array(Ty),
}

#[derive(Debug, Clone)]
pub struct Expr {
    /// Safe to put an operator or a method beside.
    text: String,
    kind: Kind,
}

impl Expr {
    pub fn new(text: impl Into<String>, kind: Kind) -> Expr {
        Expr {
            text: text.into(),
            kind,
        }
    }

    /// A value of this type.
    pub fn of(text: String, ty: &Ty) -> Said<Expr> {
        Ok(match ty.kind() {
            TyKind::Bool => Expr::new(text, Kind::Bool),
            TyKind::Int(i) => Expr::new(text, Kind::Int(*i)),
            TyKind::Char => Expr::new(format!("({text} as u32)"), Kind::Int(IntTy::U32)),
            TyKind::Array(elem, _) | TyKind::Slice(elem) => {
                Expr::new(text, Kind::Array(elem.clone()))
            }
            other => return Err(format!("a value of type {other}")),
        })
    }

    fn boolean(text: String) -> Expr {
        Expr::new(text, Kind::Bool)
    }

    fn truth(self) -> Said<String> {
        match self.kind {
            Kind::Bool => Ok(self.text),
            _ => Err("a number for a truth value".into()),
        }
    }

    fn width(&self) -> Said<u32> {
        match &self.kind {
            Kind::Int(i) => Ok(i.bits()),
            Kind::Literal(_, w) => Ok(*w),
            _ => Err("bits of what has none".into()),
        }
    }

    /// The same bits as a value of this type.
    fn cast(&self, to: IntTy) -> Said<String> {
        if self.width()? != to.bits() {
            return Err("a cast that changes the width".into());
        }
        Ok(match &self.kind {
            Kind::Literal(bits, _) => literal(*bits, to),
            Kind::Int(from) if *from == to => self.text.clone(),
            _ => format!("({} as {to})", self.text),
        })
    }
}

fn literal(bits: u128, ty: IntTy) -> String {
    if !ty.signed() {
        return bits.to_string();
    }
    let unused = 128 - ty.bits();
    let value = ((bits << unused) as i128) >> unused;
    match value < 0 {
        true => format!("({value})"),
        false => value.to_string(),
    }
}

fn integer(width: u32, signed: bool) -> Said<IntTy> {
    let plain = |i: &IntTy| !matches!(i, IntTy::Isize | IntTy::Usize);
    let mut all = IntTy::ALL.into_iter().filter(plain);
    let found = all.find(|i| i.bits() == width && i.signed() == signed);
    found.ok_or_else(|| format!("a number of {width} bits"))
}

/// What a place is called at the cut-point, and its type.
pub type Names<'a> = dyn FnMut(&str) -> Said<Expr> + 'a;

pub struct Speaker<'a, 'n> {
    names: &'a mut Names<'n>,
    bound: HashMap<String, Expr>,
    n_bound: usize,
}

impl<'a, 'n> Speaker<'a, 'n> {
    pub fn new(names: &'a mut Names<'n>) -> Self {
        Speaker {
            names,
            bound: HashMap::new(),
            n_bound: 0,
        }
    }

    /// A lemma, without brackets around the whole.
    pub fn sentence(&mut self, e: &Sexpr) -> Said<String> {
        let text = self.say(e)?.truth()?;
        let inside = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        Ok(match inside {
            Some(inside) if balanced(inside) => inside.to_string(),
            _ => text,
        })
    }

    fn say(&mut self, e: &Sexpr) -> Said<Expr> {
        match e {
            Sexpr::Atom(a) if a == "true" || a == "false" => Ok(Expr::boolean(a.clone())),
            Sexpr::Atom(other) => Err(format!("`{other}`")),
            Sexpr::Quoted(name) => match self.bound.get(name) {
                Some(e) => Ok(e.clone()),
                None => (self.names)(name),
            },
            Sexpr::List(items) => match items.as_slice() {
                [Sexpr::Atom(u), Sexpr::Atom(value), Sexpr::Atom(width)] if u == "_" => {
                    let value = value
                        .strip_prefix("bv")
                        .and_then(|v| v.parse::<u128>().ok());
                    match (value, width.parse::<u32>()) {
                        (Some(v), Ok(w)) if w >= 128 || v >> w == 0 => {
                            Ok(Expr::new(v.to_string(), Kind::Literal(v, w)))
                        }
                        _ => Err("a number".into()),
                    }
                }
                [Sexpr::Atom(l), Sexpr::List(pairs), body] if l == "let" => self.named(pairs, body),
                [Sexpr::Atom(q), Sexpr::List(vars), body] if q == "forall" => {
                    self.for_all(vars, body)
                }
                [Sexpr::List(head), arg] => self.resized(head, arg),
                [Sexpr::Atom(op), args @ ..] => {
                    let args: Said<Vec<Expr>> = args.iter().map(|a| self.say(a)).collect();
                    apply(op, &args?)
                }
                _ => Err("an unknown form".into()),
            },
        }
    }

    fn fresh(&mut self, letter: char) -> String {
        self.n_bound += 1;
        format!("{letter}{}", self.n_bound)
    }

    /// `{ let t1 = a.wrapping_add(b); t1 == c }`.
    fn named(&mut self, pairs: &[Sexpr], body: &Sexpr) -> Said<Expr> {
        let mut text = String::from("{ ");
        let mut new = vec![];
        for pair in pairs {
            let Sexpr::List(pair) = pair else {
                return Err("an unknown form".into());
            };
            let [Sexpr::Quoted(name), value] = pair.as_slice() else {
                return Err("an unknown form".into());
            };
            let value = self.say(value)?;
            let here = self.fresh('t');
            let is_value = matches!(value.kind, Kind::Bool | Kind::Int(_));
            if is_value {
                text += &format!("let {here} = {}; ", value.text);
                new.push((name.clone(), Expr::new(here, value.kind)));
            } else {
                new.push((name.clone(), value));
            }
        }
        let before = self.bound.clone();
        self.bound.extend(new);
        let body = self.say(body);
        self.bound = before;
        let body = body?;
        Ok(Expr::new(format!("{text}{} }}", body.text), body.kind))
    }

    fn for_all(&mut self, vars: &[Sexpr], body: &Sexpr) -> Said<Expr> {
        let mut shown = vec![];
        let before = self.bound.clone();
        for var in vars {
            let Sexpr::List(var) = var else {
                return Err("an unknown form".into());
            };
            let [Sexpr::Quoted(name), Sexpr::List(sort)] = var.as_slice() else {
                return Err("a quantifier over truth values".into());
            };
            let [_, Sexpr::Atom(_), Sexpr::Atom(width)] = sort.as_slice() else {
                return Err("a sort".into());
            };
            let ty = integer(width.parse().map_err(|_| "a width".to_string())?, false)?;
            let here = self.fresh('i');
            shown.push(format!("{here}: {ty}"));
            let e = Expr::new(here, Kind::Int(ty));
            self.bound.insert(name.clone(), e);
        }
        let body = self.say(body);
        self.bound = before;
        let text = format!("forall(|{}| {})", shown.join(", "), body?.truth()?);
        Ok(Expr::boolean(text))
    }

    /// `((_ extract 7 0) x)`, `((_ zero_extend 8) x)`.
    fn resized(&mut self, head: &[Sexpr], arg: &Sexpr) -> Said<Expr> {
        let arg = self.say(arg)?;
        let width = arg.width()?;
        let words: Vec<&str> = head
            .iter()
            .map(|e| match e {
                Sexpr::Atom(a) => a.as_str(),
                _ => "",
            })
            .collect();
        let number = |text: &str| text.parse::<u32>().map_err(|_| "a width".to_string());
        let (signed, to) = match words.as_slice() {
            ["_", "extract", high, "0"] => (false, number(high)?.saturating_add(1)),
            ["_", "zero_extend", more] => (false, width.saturating_add(number(more)?)),
            ["_", "sign_extend", more] => (true, width.saturating_add(number(more)?)),
            _ => return Err("an operator without words".into()),
        };
        let (from, to) = (integer(width, signed)?, integer(to, signed)?);
        let text = match &arg.kind {
            // a type of the same sign extends alike
            Kind::Int(i) if i.signed() == signed => arg.text.clone(),
            _ => format!("({} as {from})", arg.cast(from)?),
        };
        Ok(Expr::new(format!("({text} as {to})"), Kind::Int(to)))
    }
}

fn balanced(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

/// Both in one type.
fn alike(a: &Expr, b: &Expr) -> Said<IntTy> {
    match (&a.kind, &b.kind) {
        (Kind::Int(i), Kind::Int(j)) if i == j => Ok(*i),
        (Kind::Int(i), Kind::Literal(..)) | (Kind::Literal(..), Kind::Int(i)) => Ok(*i),
        _ => integer(a.width()?, false),
    }
}

fn apply(op: &str, args: &[Expr]) -> Said<Expr> {
    let joined = |by: &str| -> Said<Expr> {
        let parts: Said<Vec<String>> = args.iter().cloned().map(Expr::truth).collect();
        Ok(Expr::boolean(format!("({})", parts?.join(by))))
    };
    match (op, args) {
        ("and", [_, _, ..]) => joined(" && "),
        ("or", [_, _, ..]) => joined(" || "),
        ("=>", [a, b]) => {
            let (a, b) = (a.clone().truth()?, b.clone().truth()?);
            Ok(Expr::boolean(format!("(!{a} || {b})")))
        }
        ("not", [a]) => Ok(Expr::boolean(format!("!{}", a.clone().truth()?))),
        ("ite", [c, a, b]) => {
            let c = c.clone().truth()?;
            if a.kind == Kind::Bool {
                let (a, b) = (a.clone().truth()?, b.clone().truth()?);
                return Ok(Expr::boolean(format!("(if {c} {{ {a} }} else {{ {b} }})")));
            }
            let ty = alike(a, b)?;
            let text = format!("(if {c} {{ {} }} else {{ {} }})", a.cast(ty)?, b.cast(ty)?);
            Ok(Expr::new(text, Kind::Int(ty)))
        }
        ("=", [a, b]) if a.kind == Kind::Bool => {
            let (a, b) = (a.clone().truth()?, b.clone().truth()?);
            Ok(Expr::boolean(format!("({a} == {b})")))
        }
        ("select", [array, at]) => {
            let Kind::Array(elem) = &array.kind else {
                return Err("an element of what has none".into());
            };
            let at = at.cast(IntTy::Usize)?;
            Expr::of(format!("{}[{at}]", array.text), elem)
        }
        ("bvnot" | "bvneg", [a]) => {
            let ty = alike(a, a)?;
            let text = match op {
                "bvnot" => format!("!{}", a.cast(ty)?),
                _ => format!("{}.wrapping_neg()", receiver(a, ty)?),
            };
            Ok(Expr::new(text, Kind::Int(ty)))
        }
        (_, [a, b]) => binary(op, a, b),
        _ => Err(format!("`{op}`")),
    }
}

/// A number that a method is called on says its type.
fn receiver(e: &Expr, ty: IntTy) -> Said<String> {
    Ok(match &e.kind {
        Kind::Literal(..) => format!("({} as {ty})", e.cast(ty)?),
        _ => e.cast(ty)?,
    })
}

fn binary(op: &str, a: &Expr, b: &Expr) -> Said<Expr> {
    let signed = matches!(op, "bvslt" | "bvsle" | "bvsdiv" | "bvsrem" | "bvashr");
    let sign_matters = signed || matches!(op, "bvult" | "bvule" | "bvudiv" | "bvurem" | "bvlshr");
    let mut ty = alike(a, b)?;
    if sign_matters && ty.signed() != signed {
        ty = integer(ty.bits(), signed)?;
    }
    let small = |e: &Expr| matches!(e.kind, Kind::Literal(n, w) if n > 0 && n < 1 << (w - 1));
    let (word, is_boolean) = match op {
        "=" => ("==", true),
        "bvult" | "bvslt" => ("<", true),
        "bvule" | "bvsle" => ("<=", true),
        "bvand" => ("&", false),
        "bvor" => ("|", false),
        "bvxor" => ("^", false),
        "bvudiv" | "bvsdiv" if small(b) => ("/", false),
        "bvurem" | "bvsrem" if small(b) => ("%", false),
        "bvadd" | "bvsub" | "bvmul" => {
            let method = op.trim_start_matches("bv");
            let text = format!("{}.wrapping_{method}({})", receiver(a, ty)?, b.cast(ty)?);
            return Ok(Expr::new(text, Kind::Int(ty)));
        }
        "bvshl" | "bvlshr" | "bvashr" => {
            let (Kind::Literal(by, _), word) = (&b.kind, if op == "bvshl" { "<<" } else { ">>" })
            else {
                return Err("a shift by what is not constant".into());
            };
            if *by >= u128::from(ty.bits()) {
                return Err("a shift past the end".into());
            }
            let text = format!("({} {word} {by})", receiver(a, ty)?);
            return Ok(Expr::new(text, Kind::Int(ty)));
        }
        other => return Err(format!("`{other}`")),
    };
    let (a, b) = match (&a.kind, &b.kind) {
        (Kind::Literal(..), Kind::Literal(..)) => (receiver(a, ty)?, b.cast(ty)?),
        _ => (a.cast(ty)?, b.cast(ty)?),
    };
    let kind = if is_boolean {
        Kind::Bool
    } else {
        Kind::Int(ty)
    };
    Ok(Expr::new(format!("({a} {word} {b})"), kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lemma::Lemma;
    use optverify_engine::mir::ty::ArrayLen;

    fn said(text: &str) -> Said<String> {
        let lemma = Lemma::parse(text)?;
        let mut names = |name: &str| match name {
            "_1" => Ok(Expr::new("x", Kind::Int(IntTy::U32))),
            "_2" => Ok(Expr::new("y", Kind::Int(IntTy::I32))),
            "_3" => Ok(Expr::new("done", Kind::Bool)),
            "_4" => {
                let elem = Ty::new(TyKind::Int(IntTy::U8));
                let len = ArrayLen::Known(8);
                Expr::of("table".into(), &Ty::new(TyKind::Array(elem, len)))
            }
            _ => Err("no name".into()),
        };
        Speaker::new(&mut names).sentence(lemma.body())
    }

    #[test]
    fn sentences() {
        for (lemma, text) in [
            ("(bvule |_1| (_ bv7 32))", "x <= 7"),
            ("(bvsle |_2| (_ bv4294967295 32))", "y <= (-1)"),
            ("(bvslt |_1| (_ bv7 32))", "(x as i32) < 7"),
            ("(= |_1| |_2|)", "x == (y as u32)"),
            (
                "(and |_3| (= (bvadd |_1| (_ bv1 32)) |_1|))",
                "done && (x.wrapping_add(1) == x)",
            ),
            (
                "(let ((|!0| (bvmul |_1| |_1|))) (not (= |!0| (_ bv2 32))))",
                "{ let t1 = x.wrapping_mul(x); !(t1 == 2) }",
            ),
            (
                "(forall ((|%i| (_ BitVec 64))) (bvult (select |_4| |%i|) (_ bv9 8)))",
                "forall(|i1: u64| (table[(i1 as usize)] < 9))",
            ),
            (
                "(= ((_ zero_extend 32) |_1|) (_ bv5 64))",
                "(x as u64) == 5",
            ),
        ] {
            assert_eq!(said(lemma).as_deref(), Ok(text), "{lemma}");
        }
    }

    #[test]
    fn what_has_no_exact_words_has_none() {
        for lemma in [
            "(= |_9| |_1|)",
            "(= ((_ zero_extend 1) |_1|) (_ bv5 33))",
            "(= (bvudiv |_1| |_1|) (_ bv1 32))",
            "(= (bvshl |_1| |_1|) (_ bv1 32))",
            "|_1|",
        ] {
            assert!(said(lemma).is_err(), "{lemma}");
        }
    }
}
