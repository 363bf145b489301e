//! Terms to Z3 ASTs, memoised, without recursion; reads of array variables become constants with a record.

use super::divide::Division;
use super::float_arithmetic::FloatResult;
use super::polynomial;
use crate::term::{BinOp, FastMap, FastSet, Node, Pool, Sort, Term, UnOp, Var};
use z3::FuncDecl;
use z3::ast::{BV, Bool};

#[derive(Clone)]
pub(super) enum Ast {
    Bool(Bool),
    Bv(BV),
}

impl Ast {
    pub(super) fn equals(&self, other: &Ast) -> Bool {
        match (self, other) {
            (Ast::Bool(a), Ast::Bool(b)) => a.iff(b),
            (Ast::Bv(a), Ast::Bv(b)) => a.eq(b),
            _ => Bool::from_bool(false),
        }
    }
}

/// One read of an array variable.
pub(super) struct Read {
    pub index: BV,
    pub index_const: Option<u128>,
    pub value: Ast,
}

/// The translation's memory; belongs to one solver.
#[derive(Default)]
pub(super) struct Translator {
    memo: FastMap<Term, Ast>,
    pub scalars: Vec<(Var, Ast)>,
    pub reads: FastMap<Var, Vec<Read>>,
    /// Pairs of reads that are constrained already.
    pub related: FastSet<(Var, usize, usize)>,
    /// Facts that define the constants introduced here; always satisfiable, to be asserted.
    pub definitions: Vec<Bool>,
    names: u32,
    pub divisions: Vec<Division>,
    pub divided: FastMap<(Term, Term, bool), usize>,
    pub float_results: Vec<FloatResult>,
    /// Array variables as uninterpreted functions, if the solver has these.
    pub functions: bool,
    declared: FastMap<Var, FuncDecl>,
    /// Something was replaced by an arbitrary value.
    pub approximate: bool,
    /// Products that stand for unknowns, by their factors in order; nothing if products are products (`opaque`).
    pub opaque: Option<FastMap<Vec<Term>, BV>>,
}

impl Translator {
    pub(super) fn fresh_name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    pub(super) fn fresh_bool(&mut self) -> Bool {
        Bool::new_const(self.fresh_name())
    }

    fn fresh(&mut self, sort: Sort) -> Ast {
        let name = self.fresh_name();
        match sort {
            Sort::Bool => Ast::Bool(Bool::new_const(name)),
            Sort::Bv(w) => Ast::Bv(BV::new_const(name, w)),
            Sort::Array { .. } => unreachable!("arrays have no constants here"),
        }
    }

    pub(super) fn bool(&mut self, pool: &Pool, t: Term) -> Result<Bool, String> {
        match self.ast(pool, t)? {
            Ast::Bool(b) => Ok(b),
            Ast::Bv(_) => Err("a condition is not boolean".to_string()),
        }
    }

    fn ast(&mut self, pool: &Pool, root: Term) -> Result<Ast, String> {
        let mut todo = vec![(root, false)];
        while let Some((t, ready)) = todo.pop() {
            if self.memo.contains_key(&t) {
                continue;
            }
            if ready {
                let ast = self.build(pool, t)?;
                self.memo.insert(t, ast);
                continue;
            }
            todo.push((t, true));
            match pool.node(t) {
                Node::Select(_, i) => todo.push((*i, false)),
                Node::Store(..) | Node::ConstArray(_) | Node::Blit { .. } | Node::Lambda { .. } => {
                    return Err("an array reached the solver as a value".to_string());
                }
                _ => todo.extend(
                    pool.children(t)
                        .into_iter()
                        .filter(|c| !self.memo.contains_key(c))
                        .map(|c| (c, false)),
                ),
            }
        }
        Ok(self.memo[&root].clone())
    }

    pub(super) fn bv(&self, t: Term) -> &BV {
        match &self.memo[&t] {
            Ast::Bv(b) => b,
            Ast::Bool(_) => panic!("bit-vector expected"),
        }
    }

    fn boolean(&self, t: Term) -> &Bool {
        match &self.memo[&t] {
            Ast::Bool(b) => b,
            Ast::Bv(_) => panic!("bool expected"),
        }
    }

    fn build(&mut self, pool: &Pool, t: Term) -> Result<Ast, String> {
        let sort = pool.sort(t);
        Ok(match pool.node(t) {
            Node::Const(c) => match sort {
                Sort::Bool => Ast::Bool(Bool::from_bool(*c != 0)),
                _ => Ast::Bv(number(*c, sort.width())),
            },
            Node::Var(v) => {
                if sort.is_array() {
                    return Err("an array reached the solver as a value".to_string());
                }
                let ast = self.fresh(sort);
                self.scalars.push((*v, ast.clone()));
                ast
            }
            Node::Unary(UnOp::Not, a) => Ast::Bool(self.boolean(*a).not()),
            Node::Unary(UnOp::BvNot, a) => Ast::Bv(self.bv(*a).bvnot()),
            Node::Unary(UnOp::Neg, a) => Ast::Bv(self.bv(*a).bvneg()),
            Node::Binary(BinOp::Udiv, a, b) if sort.width() > 8 => {
                Ast::Bv(self.divide(pool, *a, *b, false).0)
            }
            Node::Binary(BinOp::Urem, a, b) if sort.width() > 8 => {
                Ast::Bv(self.divide(pool, *a, *b, false).1)
            }
            Node::Binary(BinOp::Sdiv, a, b) if sort.width() > 8 => {
                Ast::Bv(self.divide_signed(pool, *a, *b).0)
            }
            Node::Binary(BinOp::Srem, a, b) if sort.width() > 8 => {
                Ast::Bv(self.divide_signed(pool, *a, *b).1)
            }
            Node::Binary(BinOp::Eq, a, b) if matches!(pool.sort(*a), Sort::Bv(_)) => {
                match polynomial::difference(pool, *a, *b) {
                    Some(p) => Ast::Bool(self.vanishes(&p, pool.width(*a))),
                    None => self.binary(pool, BinOp::Eq, *a, *b),
                }
            }
            Node::Binary(BinOp::UmulOverflows | BinOp::SmulOverflows, ..)
                if self.opaque.is_some() && pool.multiplies_at(t) =>
            {
                self.fresh(sort)
            }
            Node::Binary(BinOp::Mul, a, b) if self.opaque.is_some() && pool.multiplies_at(t) => {
                let mut factors = vec![*a, *b];
                factors.sort();
                Ast::Bv(self.product(&factors, sort.width()))
            }
            Node::Binary(op, a, b) => self.binary(pool, *op, *a, *b),
            Node::Ite(c, a, b) => {
                let c = self.boolean(*c);
                match (&self.memo[a], &self.memo[b]) {
                    (Ast::Bool(a), Ast::Bool(b)) => Ast::Bool(c.ite(a, b)),
                    (Ast::Bv(a), Ast::Bv(b)) => Ast::Bv(c.ite(a, b)),
                    _ => return Err("branches of different sorts".to_string()),
                }
            }
            Node::Extract { arg, lo } => Ast::Bv(self.bv(*arg).extract(lo + sort.width() - 1, *lo)),
            Node::Zext(a) => Ast::Bv(self.bv(*a).zero_ext(sort.width() - pool.width(*a))),
            Node::Sext(a) => Ast::Bv(self.bv(*a).sign_ext(sort.width() - pool.width(*a))),
            Node::Float(op, args) => match self.float(pool, *op, args, sort) {
                Some(ast) => ast,
                None => {
                    self.approximate = true;
                    self.fresh(sort)
                }
            },
            Node::Select(a, i) => {
                let Some(array) = pool.as_var(*a) else {
                    return Err("a read of an array that is not a variable".to_string());
                };
                let value = if self.functions {
                    self.application(pool, array, *i, sort)
                } else {
                    self.fresh(sort)
                };
                let read = Read {
                    index: self.bv(*i).clone(),
                    index_const: pool.as_const(*i),
                    value: value.clone(),
                };
                self.reads.entry(array).or_default().push(read);
                if !self.functions {
                    self.relate_few(array);
                }
                value
            }
            _ => return Err("an array reached the solver as a value".to_string()),
        })
    }

    /// The polynomial is 0. Its atoms are translated already: they occur in the equation.
    fn vanishes(&mut self, p: &polynomial::Polynomial, w: u32) -> Bool {
        let mut sum = number(0, w);
        for (atoms, c) in p {
            let product = self.product(atoms, w);
            sum = sum.bvadd(product.bvmul(number(*c, w)));
        }
        sum.eq(number(0, w))
    }

    /// The product of some terms, in order.
    fn product(&mut self, factors: &[Term], w: u32) -> BV {
        let [first, others @ ..] = factors else {
            return number(1, w);
        };
        if let (Some(known), false) = (&self.opaque, others.is_empty()) {
            if let Some(product) = known.get(factors) {
                return product.clone();
            }
            let product = BV::new_const(self.fresh_name(), w);
            if let Some(known) = &mut self.opaque {
                known.insert(factors.to_vec(), product.clone());
            }
            return product;
        }
        let first = self.bv(*first).clone();
        others.iter().fold(first, |p, t| p.bvmul(self.bv(*t)))
    }

    fn application(&mut self, pool: &Pool, array: Var, index: Term, sort: Sort) -> Ast {
        if !self.declared.contains_key(&array) {
            let domain = z3::Sort::bitvector(pool.width(index));
            let range = match sort {
                Sort::Bv(w) => z3::Sort::bitvector(w),
                _ => z3::Sort::bool(),
            };
            let f = FuncDecl::new(self.fresh_name(), &[&domain], &range);
            self.declared.insert(array, f);
        }
        let value = self.declared[&array].apply(&[self.bv(index)]);
        match (value.as_bv(), value.as_bool()) {
            (Some(b), _) => Ast::Bv(b),
            (_, Some(b)) => Ast::Bool(b),
            _ => self.fresh(sort),
        }
    }

    /// With few reads all pairs are related at once: cheaper than another round of the solver.
    fn relate_few(&mut self, array: Var) {
        let n = self.reads[&array].len();
        if n <= 6 {
            for i in 0..n - 1 {
                self.relate(array, i, n - 1);
            }
        }
    }

    /// `i = j -> a[i] = a[j]` for two reads, by their numbers.
    pub(super) fn relate(&mut self, array: Var, i: usize, j: usize) -> bool {
        let reads = &self.reads[&array];
        let (a, b) = (&reads[i], &reads[j]);
        if a.index_const.is_some() && b.index_const.is_some() {
            return false; // Different terms, so different constants.
        }
        if !self.related.insert((array, i.min(j), i.max(j))) {
            return false;
        }
        let same = a.index.eq(&b.index);
        self.definitions
            .push(same.implies(a.value.equals(&b.value)));
        true
    }

    fn binary(&self, pool: &Pool, op: BinOp, a: Term, b: Term) -> Ast {
        if pool.sort(a) == Sort::Bool {
            let (a, b) = (self.boolean(a), self.boolean(b));
            return Ast::Bool(match op {
                BinOp::And => Bool::and(&[a, b]),
                BinOp::Or => Bool::or(&[a, b]),
                _ => a.iff(b),
            });
        }
        let (a, b) = (self.bv(a), self.bv(b));
        match op {
            BinOp::Eq => Ast::Bool(a.eq(b)),
            BinOp::Ult => Ast::Bool(a.bvult(b)),
            BinOp::Ule => Ast::Bool(a.bvule(b)),
            BinOp::Slt => Ast::Bool(a.bvslt(b)),
            BinOp::Sle => Ast::Bool(a.bvsle(b)),
            BinOp::UmulOverflows => Ast::Bool(a.bvmul_no_overflow(b, false).not()),
            BinOp::SmulOverflows => Ast::Bool(Bool::or(&[
                a.bvmul_no_overflow(b, true).not(),
                a.bvmul_no_underflow(b).not(),
            ])),
            BinOp::Add => Ast::Bv(a.bvadd(b)),
            BinOp::Sub => Ast::Bv(a.bvsub(b)),
            BinOp::Mul => Ast::Bv(a.bvmul(b)),
            BinOp::Udiv => Ast::Bv(a.bvudiv(b)),
            BinOp::Urem => Ast::Bv(a.bvurem(b)),
            BinOp::Sdiv => Ast::Bv(a.bvsdiv(b)),
            BinOp::Srem => Ast::Bv(a.bvsrem(b)),
            BinOp::BvAnd => Ast::Bv(a.bvand(b)),
            BinOp::BvOr => Ast::Bv(a.bvor(b)),
            BinOp::BvXor => Ast::Bv(a.bvxor(b)),
            BinOp::Shl => Ast::Bv(a.bvshl(b)),
            BinOp::Lshr => Ast::Bv(a.bvlshr(b)),
            BinOp::Ashr => Ast::Bv(a.bvashr(b)),
            BinOp::Concat => Ast::Bv(a.concat(b)),
            BinOp::And | BinOp::Or => unreachable!("booleans only"),
        }
    }
}

/// A bit-vector numeral of up to 128 bits.
pub(super) fn number(bits: u128, w: u32) -> BV {
    if w <= 64 {
        return BV::from_u64(bits as u64, w);
    }
    BV::from_str(w, &bits.to_string()).unwrap_or_else(|| {
        let high = BV::from_u64((bits >> 64) as u64, w - 64);
        high.concat(BV::from_u64(bits as u64, 64))
    })
}
