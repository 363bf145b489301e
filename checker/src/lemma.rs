//! Lemmas as a proof file has them: a small part of SMT-LIB, read into a tree, sorted, and printed again. Nothing of
//! the file's own text reaches a solver, so a lemma cannot be more than a term.

use crate::term::{Modelled, Scalar, Sort, Term, gap};
use std::collections::HashMap;

const MOST_NODES: usize = 200_000;
const MOST_DEPTH: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Sexpr {
    Atom(String),
    /// Between bars.
    Quoted(String),
    List(Vec<Sexpr>),
}

#[derive(Debug, Clone)]
pub struct Lemma {
    body: Sexpr,
}

/// Says what the name of a place stands for.
pub type Meaning<'a> = dyn FnMut(&str) -> Modelled<Term> + 'a;

impl Lemma {
    pub fn parse(text: &str) -> Result<Lemma, String> {
        let mut parser = Parser {
            rest: text,
            nodes: 0,
        };
        let body = parser.expression(0)?;
        match parser.rest.trim().is_empty() {
            true => Ok(Lemma { body }),
            false => Err("more than one term".into()),
        }
    }

    pub fn body(&self) -> &Sexpr {
        &self.body
    }

    /// The lemma as a boolean term, given what its places hold.
    pub fn term(&self, meaning: &mut Meaning<'_>) -> Modelled<Term> {
        let mut printer = Printer {
            meaning,
            bound: HashMap::new(),
            n_bound: 0,
        };
        let term = printer.print(&self.body)?;
        match term.sort == Sort::scalar(Scalar::Bool) {
            true => Ok(term),
            false => gap("a lemma that is not a truth value"),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
    nodes: usize,
}

impl Parser<'_> {
    fn expression(&mut self, depth: usize) -> Result<Sexpr, String> {
        self.nodes += 1;
        if self.nodes > MOST_NODES || depth > MOST_DEPTH {
            return Err("a term that is too large".into());
        }
        self.rest = self.rest.trim_start();
        if let Some(r) = self.rest.strip_prefix('(') {
            self.rest = r;
            let mut items = vec![];
            loop {
                self.rest = self.rest.trim_start();
                if let Some(r) = self.rest.strip_prefix(')') {
                    self.rest = r;
                    return Ok(Sexpr::List(items));
                }
                items.push(self.expression(depth + 1)?);
            }
        }
        if let Some(r) = self.rest.strip_prefix('|') {
            let (name, r) = r.split_once('|').ok_or("a name without its end")?;
            self.rest = r;
            return Ok(Sexpr::Quoted(name.to_string()));
        }
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || "()|\";".contains(c))
            .unwrap_or(self.rest.len());
        if end == 0 {
            return Err("a term that is cut off".into());
        }
        let (atom, r) = self.rest.split_at(end);
        self.rest = r;
        Ok(Sexpr::Atom(atom.to_string()))
    }
}

struct Printer<'a, 'm> {
    meaning: &'a mut Meaning<'m>,
    /// By the name in the lemma: the name in the script, and its sort.
    bound: HashMap<String, Term>,
    n_bound: usize,
}

impl Printer<'_, '_> {
    fn print(&mut self, e: &Sexpr) -> Modelled<Term> {
        match e {
            Sexpr::Atom(a) => match a.as_str() {
                "true" => Ok(Term::boolean(true)),
                "false" => Ok(Term::boolean(false)),
                other => gap(format!("`{other}` in a lemma")),
            },
            Sexpr::Quoted(name) => match self.bound.get(name) {
                Some(t) => Ok(t.clone()),
                None => (self.meaning)(name),
            },
            Sexpr::List(items) => match items.as_slice() {
                [Sexpr::Atom(u), Sexpr::Atom(value), Sexpr::Atom(width)] if u == "_" => {
                    let value = value.strip_prefix("bv").and_then(|v| v.parse().ok());
                    match (value, self.width(width)) {
                        (Some(value), Ok(width)) => Ok(Term::bits(value, width)),
                        _ => gap("a number in a lemma"),
                    }
                }
                [Sexpr::Atom(l), Sexpr::List(pairs), body] if l == "let" => {
                    self.bind_terms(pairs, body)
                }
                [Sexpr::Atom(q), Sexpr::List(vars), body] if q == "forall" => {
                    self.for_all(vars, body)
                }
                [Sexpr::List(head), arg] => self.indexed(head, arg),
                [Sexpr::Atom(op), args @ ..] => {
                    let args: Vec<Term> = args
                        .iter()
                        .map(|a| self.print(a))
                        .collect::<Modelled<_>>()?;
                    apply(op, &args)
                }
                _ => gap("a lemma of unknown form"),
            },
        }
    }

    fn width(&self, text: &str) -> Modelled<u32> {
        match text.parse() {
            Ok(w) if (1..=256).contains(&w) => Ok(w),
            _ => gap("a width in a lemma"),
        }
    }

    fn name(&mut self) -> String {
        self.n_bound += 1;
        format!("|%{}|", self.n_bound)
    }

    fn bind_terms(&mut self, pairs: &[Sexpr], body: &Sexpr) -> Modelled<Term> {
        let mut text = String::from("(let (");
        let mut new = vec![];
        for pair in pairs {
            let Sexpr::List(pair) = pair else {
                return gap("a lemma of unknown form");
            };
            let [Sexpr::Quoted(name), value] = pair.as_slice() else {
                return gap("a lemma of unknown form");
            };
            let value = self.print(value)?;
            let inside = self.name();
            text.push_str(&format!("({inside} {})", value.text));
            new.push((name.clone(), Term::new(inside, value.sort)));
        }
        let before = self.bound.clone();
        self.bound.extend(new);
        let body = self.print(body);
        self.bound = before;
        let body = body?;
        Ok(Term::new(format!("{text}) {})", body.text), body.sort))
    }

    fn for_all(&mut self, vars: &[Sexpr], body: &Sexpr) -> Modelled<Term> {
        let mut text = String::from("(forall (");
        let mut new = vec![];
        for var in vars {
            let Sexpr::List(var) = var else {
                return gap("a lemma of unknown form");
            };
            let [Sexpr::Quoted(name), sort] = var.as_slice() else {
                return gap("a lemma of unknown form");
            };
            let of = match sort {
                Sexpr::Atom(b) if b == "Bool" => Scalar::Bool,
                Sexpr::List(l) => match l.as_slice() {
                    [Sexpr::Atom(u), Sexpr::Atom(b), Sexpr::Atom(w)]
                        if u == "_" && b == "BitVec" =>
                    {
                        Scalar::Bv(self.width(w)?)
                    }
                    _ => return gap("a sort in a lemma"),
                },
                _ => return gap("a sort in a lemma"),
            };
            let inside = self.name();
            let sort = Sort::scalar(of);
            text.push_str(&format!("({inside} {})", sort.text()));
            new.push((name.clone(), Term::new(inside, sort)));
        }
        let before = self.bound.clone();
        self.bound.extend(new);
        let body = self.print(body);
        self.bound = before;
        let body = body?;
        match body.sort == Sort::scalar(Scalar::Bool) {
            true => Ok(Term::new(format!("{text}) {})", body.text), body.sort)),
            false => gap("a lemma that is not a truth value"),
        }
    }

    /// `((_ extract 7 0) x)`, `((_ zero_extend 8) x)`, `((as const ..) x)`.
    fn indexed(&mut self, head: &[Sexpr], arg: &Sexpr) -> Modelled<Term> {
        let arg = self.print(arg)?;
        if let [Sexpr::Atom(a), Sexpr::Atom(c), _] = head
            && a == "as"
            && c == "const"
        {
            let sort = Sort {
                dims: arg.sort.dims + 1,
                of: arg.sort.of,
            };
            let text = format!("((as const {}) {})", sort.text(), arg.text);
            return Ok(Term::new(text, sort));
        }
        let (0, Scalar::Bv(width)) = (arg.sort.dims, arg.sort.of) else {
            return gap("bits of what has none, in a lemma");
        };
        let number = |e: &Sexpr| match e {
            Sexpr::Atom(a) => a.parse::<u32>().ok().filter(|n| *n <= 512),
            _ => None,
        };
        let text = |op: &str| format!("((_ {op}) {})", arg.text);
        let (term, width) = match head {
            [Sexpr::Atom(u), Sexpr::Atom(op), high, low] if u == "_" && op == "extract" => {
                match (number(high), number(low)) {
                    (Some(h), Some(l)) if l <= h && h < width => {
                        (text(&format!("extract {h} {l}")), h - l + 1)
                    }
                    _ => return gap("an extract in a lemma"),
                }
            }
            [Sexpr::Atom(u), Sexpr::Atom(op), more]
                if u == "_" && (op == "zero_extend" || op == "sign_extend") =>
            {
                match number(more) {
                    Some(m) => (text(&format!("{op} {m}")), width + m),
                    None => return gap("an extension in a lemma"),
                }
            }
            _ => return gap("a lemma of unknown form"),
        };
        Ok(Term::new(term, Sort::scalar(Scalar::Bv(width))))
    }
}

fn apply(op: &str, args: &[Term]) -> Modelled<Term> {
    let wrong = || gap(format!("`{op}` of other sorts in a lemma"));
    let sorts: Vec<Sort> = args.iter().map(|a| a.sort).collect();
    let boolean = Sort::scalar(Scalar::Bool);
    let same = sorts.windows(2).all(|w| w[0] == w[1]);
    let bits = |s: &Sort| s.dims == 0 && matches!(s.of, Scalar::Bv(_));
    let sort = match (op, sorts.as_slice()) {
        ("not", [s]) if *s == boolean => boolean,
        ("and" | "or" | "=>", [_, _, ..]) if sorts.iter().all(|s| *s == boolean) => boolean,
        ("=", [_, _]) if same => boolean,
        ("ite", [c, a, b]) if *c == boolean && a == b => *a,
        ("bvnot" | "bvneg", [s]) if bits(s) => *s,
        (
            "bvadd" | "bvsub" | "bvmul" | "bvudiv" | "bvurem" | "bvsdiv" | "bvsrem" | "bvand"
            | "bvor" | "bvxor" | "bvshl" | "bvlshr" | "bvashr",
            [a, _],
        ) if same && bits(a) => *a,
        ("bvult" | "bvule" | "bvslt" | "bvsle", [a, _]) if same && bits(a) => boolean,
        ("concat", [a, b]) if bits(a) && bits(b) => {
            Sort::scalar(Scalar::Bv(a.of.width() + b.of.width()))
        }
        ("select", [a, i]) if a.dims > 0 && *i == Sort::scalar(Scalar::Bv(64)) => Sort {
            dims: a.dims - 1,
            of: a.of,
        },
        _ => return wrong(),
    };
    let mut text = format!("({op}");
    for a in args {
        text.push(' ');
        text.push_str(&a.text);
    }
    text.push(')');
    Ok(Term::new(text, sort))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str) -> Result<String, String> {
        let lemma = Lemma::parse(text)?;
        let mut meaning = |name: &str| match name {
            "_1" => Ok(Term::new("|a|", Sort::scalar(Scalar::Bv(8)))),
            "_2" => Ok(Term::new("|b|", Sort::scalar(Scalar::Bool))),
            _ => gap("no such place"),
        };
        let term = lemma.term(&mut meaning).map_err(|g| g.0)?;
        Ok(term.text.to_string())
    }

    #[test]
    fn terms_are_printed_anew() {
        assert_eq!(
            printed("(and |_2| (bvule |_1| (_ bv7 8)))"),
            Ok("(and |b| (bvule |a| (_ bv7 8)))".into())
        );
        assert_eq!(
            printed("(let ((|!0| (bvadd |_1| |_1|))) (= |!0| (_ bv300 8)))"),
            Ok("(let ((|%1| (bvadd |a| |a|))) (= |%1| (_ bv44 8)))".into())
        );
    }

    #[test]
    fn a_lemma_is_a_term_and_nothing_else() {
        for text in [
            "",
            "(",
            "true) (assert false) (assert (and true",
            "(assert false)",
            "(and |_2|",
            "(= |_1| |_2|)",
            "|_1|",
            "x",
            "|_9|",
            "(forall ((|_1| Int)) true)",
            "(bvule |_1| (_ bv7 9))",
            "((_ extract 9 0) |_1|)",
            "(define-fun f () Bool true)",
        ] {
            assert!(printed(text).is_err(), "{text}");
        }
        let deep = "(not ".repeat(100_000) + "true" + &")".repeat(100_000);
        assert!(printed(&deep).is_err());
    }
}
