//! Terms as SMT-LIB text over names of MIR places.
//!
//! Arrays of arrays are one function of a joined index in the model (64 bits, then 32 for each further dimension);
//! here they are arrays of arrays again. Terms that share much are written with `let`.

use crate::term::{BinOp, Node, Pool, Sort, Term, UnOp, Var, mask};
use std::collections::HashMap;
use std::fmt::Write;

type Names = HashMap<Var, String>;

/// `name = value`, a constant.
pub fn known(pool: &Pool, var: Var, name: &str, value: Term) -> Result<String, String> {
    let (sort, names) = (pool.var_info(var).sort, Names::new());
    if !sort.is_array() {
        let value = Writer::new(pool, &names).term(value)?;
        return Ok(format!("(= |{name}| {value})"));
    }
    let Node::ConstArray(element) = *pool.node(value) else {
        return Err("an array term".into());
    };
    let mut text = Writer::new(pool, &names).term(element)?;
    let mut of = scalar_sort(sort.element());
    for _ in dimensions(sort, name)? {
        of = format!("(Array (_ BitVec 64) {of})");
        text = format!("((as const {of}) {text})");
    }
    Ok(format!("(= |{name}| {text})"))
}

/// The body for all values of the bound variables; free ones are named.
pub fn lemma(pool: &Pool, bound: &[Var], body: Term, names: &Names) -> Result<String, String> {
    let mut names = names.clone();
    let mut binder = String::new();
    for (i, v) in bound.iter().enumerate() {
        let name = format!("?{i}");
        let sort = pool.var_info(*v).sort;
        if sort.is_array() {
            return Err("a lemma for all arrays".into());
        }
        let _ = write!(binder, "(|{name}| {})", scalar_sort(sort));
        names.insert(*v, name);
    }
    let text = Writer::new(pool, &names).shared(body)?;
    Ok(match bound {
        [] => text,
        _ => format!("(forall ({binder}) {text})"),
    })
}

fn scalar_sort(sort: Sort) -> String {
    match sort {
        Sort::Bv(w) => format!("(_ BitVec {w})"),
        _ => "Bool".into(),
    }
}

/// The widths of the parts of an array's index, outermost first.
fn dimensions(sort: Sort, name: &str) -> Result<Vec<u32>, String> {
    let Sort::Array { index, .. } = sort else {
        return Ok(vec![]);
    };
    let n = name.matches("[]").count() as u32;
    let usual = |n: u32| (0..n).map(|i| if i == 0 { 64 } else { 32 }).collect();
    match n {
        0 => Err("an array without dimensions".into()),
        2 if index == 128 => Ok(vec![64, 64]),
        n if index == 64 + 32 * (n - 1) => Ok(usual(n)),
        _ => Err("an array with an unusual index".into()),
    }
}

struct Writer<'a> {
    pool: &'a Pool,
    names: &'a Names,
    /// Terms that have a name of their own by now.
    bound: HashMap<Term, String>,
}

impl<'a> Writer<'a> {
    fn new(pool: &'a Pool, names: &'a Names) -> Writer<'a> {
        Writer {
            pool,
            names,
            bound: HashMap::new(),
        }
    }

    /// The term, with `let` for everything that occurs more than once.
    fn shared(&mut self, root: Term) -> Result<String, String> {
        let mut uses: HashMap<Term, u32> = HashMap::new();
        let mut order = vec![];
        let mut todo = vec![(root, false)];
        while let Some((t, done)) = todo.pop() {
            if done {
                order.push(t);
                continue;
            }
            let n = uses.entry(t).or_default();
            *n += 1;
            if *n > 1 {
                continue;
            }
            todo.push((t, true));
            todo.extend(self.pool.children(t).into_iter().map(|c| (c, false)));
        }
        let mut out = String::new();
        let mut closing = 0;
        for t in order {
            let small = matches!(self.pool.node(t), Node::Const(_) | Node::Var(_));
            if t == root || small || uses[&t] < 2 || self.pool.sort(t).is_array() {
                continue;
            }
            let text = self.term(t)?;
            let name = format!("!{closing}");
            let _ = write!(out, "(let ((|{name}| {text})) ");
            self.bound.insert(t, format!("|{name}|"));
            closing += 1;
        }
        out.push_str(&self.term(root)?);
        out.extend(std::iter::repeat_n(')', closing));
        Ok(out)
    }

    fn term(&self, t: Term) -> Result<String, String> {
        if let Some(name) = self.bound.get(&t) {
            return Ok(name.clone());
        }
        let sub = |t: &Term| self.term(*t);
        let width = |t: Term| match self.pool.sort(t) {
            Sort::Bv(w) => w,
            _ => 1,
        };
        Ok(match self.pool.node(t) {
            Node::Const(c) => match self.pool.sort(t) {
                Sort::Bool => (*c != 0).to_string(),
                Sort::Bv(w) => format!("(_ bv{} {w})", c & mask(w)),
                Sort::Array { .. } => return Err("an array term".into()),
            },
            Node::Var(v) => {
                let name = self.names.get(v).ok_or("a variable without a place")?;
                format!("|{name}|")
            }
            Node::Unary(op, a) => {
                let name = match op {
                    UnOp::Not => "not",
                    UnOp::BvNot => "bvnot",
                    UnOp::Neg => "bvneg",
                };
                format!("({name} {})", sub(a)?)
            }
            Node::Binary(op @ (BinOp::UmulOverflows | BinOp::SmulOverflows), a, b) => {
                overflows(*op, &sub(a)?, &sub(b)?, width(*a))
            }
            Node::Binary(op, a, b) => format!("({} {} {})", operator(*op), sub(a)?, sub(b)?),
            Node::Ite(c, a, b) => format!("(ite {} {} {})", sub(c)?, sub(a)?, sub(b)?),
            Node::Extract { arg, lo } => {
                format!("((_ extract {} {lo}) {})", lo + width(t) - 1, sub(arg)?)
            }
            Node::Zext(a) => format!("((_ zero_extend {}) {})", width(t) - width(*a), sub(a)?),
            Node::Sext(a) => format!("((_ sign_extend {}) {})", width(t) - width(*a), sub(a)?),
            Node::Select(a, i) => self.select(*a, &sub(i)?)?,
            Node::Float(..) => return Err("a floating-point operation".into()),
            Node::Store(..) | Node::ConstArray(_) | Node::Blit { .. } | Node::Lambda { .. } => {
                return Err("an array term".into());
            }
        })
    }

    fn select(&self, array: Term, index: &str) -> Result<String, String> {
        let name = self.pool.as_var(array).and_then(|v| self.names.get(&v));
        let name = name.ok_or("an array term")?;
        let dimensions = dimensions(self.pool.sort(array), name)?;
        if let [_] = dimensions.as_slice() {
            return Ok(format!("(select |{name}| {index})"));
        }
        let mut low: u32 = dimensions.iter().sum();
        let mut out = format!("|{name}|");
        for width in dimensions {
            low -= width;
            let part = format!("((_ extract {} {low}) {index})", low + width - 1);
            out = match 64 - width {
                0 => format!("(select {out} {part})"),
                more => format!("(select {out} ((_ zero_extend {more}) {part}))"),
            };
        }
        Ok(out)
    }
}

/// The product at twice the width does not come back from the width.
fn overflows(op: BinOp, a: &str, b: &str, w: u32) -> String {
    let extend = match op {
        BinOp::UmulOverflows => "zero_extend",
        _ => "sign_extend",
    };
    let product = format!("(bvmul ((_ {extend} {w}) {a}) ((_ {extend} {w}) {b}))");
    let back = format!("((_ {extend} {w}) ((_ extract {} 0) {product}))", w - 1);
    format!("(not (= {product} {back}))")
}

fn operator(op: BinOp) -> &'static str {
    match op {
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Eq => "=",
        BinOp::Add => "bvadd",
        BinOp::Sub => "bvsub",
        BinOp::Mul => "bvmul",
        BinOp::Udiv => "bvudiv",
        BinOp::Urem => "bvurem",
        BinOp::Sdiv => "bvsdiv",
        BinOp::Srem => "bvsrem",
        BinOp::BvAnd => "bvand",
        BinOp::BvOr => "bvor",
        BinOp::BvXor => "bvxor",
        BinOp::Shl => "bvshl",
        BinOp::Lshr => "bvlshr",
        BinOp::Ashr => "bvashr",
        BinOp::Ult => "bvult",
        BinOp::Ule => "bvule",
        BinOp::Slt => "bvslt",
        BinOp::Sle => "bvsle",
        BinOp::Concat => "concat",
        BinOp::UmulOverflows | BinOp::SmulOverflows => "",
    }
}
