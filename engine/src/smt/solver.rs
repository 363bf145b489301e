//! One incremental solver: permanent facts, assumption literals, models and cores in terms of the pool.

use super::Budget;
use super::answer::{Answer, Deadline, Model, Why, record};
use super::eager::Eager;
use super::integers::Integers;
use super::opaque;
use super::translate::{Ast, Translator};
use crate::term::{ArrayValue, BinOp, FastMap, FastSet, Node, Pool, Term, UnOp, Value, mask};
use std::sync::Arc;
use std::time::Instant;
use z3::ast::{BV, Bool};
use z3::{Params, SatResult, StatisticsValue, Tactic};

/// About 2 ms, and 15.
const GLANCE_RLIMIT: u32 = 30_000;
const QUICK_RLIMIT: u32 = 200_000;
/// About 100 ms: what bits may cost that come before the integers.
const BITS_FIRST_RLIMIT: u32 = 1_500_000;
/// What the integers may cost before the bits are tried again.
const INTEGERS_RLIMIT: u32 = 400_000;

pub struct Solver {
    z3: z3::Solver,
    translator: Translator,
    /// Everything asserted for good, for solvers that start afresh.
    facts: Vec<Bool>,
    /// The facts that came as terms.
    asserted: Vec<Term>,
    /// One literal for each assumed term: `literal -> term` is asserted once.
    literals: FastMap<Term, Bool>,
    by_literal: FastMap<String, Term>,
    deadline: Deadline,
    set: Option<(u32, u32)>,
    core: Vec<Term>,
    /// Was the last answer the integers'?
    by_integers: bool,
    broken: Option<String>,
    /// Was a query broken off by its limits? Z3 may then have forgotten what it was just taking in.
    broken_off: bool,
    /// It had: its models are of less than was asked.
    forgetful: bool,
    /// The same facts over the integers, once they were needed.
    integers: Integers,
    eager: Eager,
    /// Is each question asked only once?
    once: bool,
}

impl Solver {
    /// A solver in this thread's context; every query ends by the deadline.
    pub fn new(deadline: &Deadline) -> Solver {
        let z3 = z3::Solver::new_for_logic("QF_BV").unwrap_or_default();
        Solver {
            z3,
            translator: Translator::default(),
            facts: vec![],
            asserted: vec![],
            literals: FastMap::default(),
            by_literal: FastMap::default(),
            deadline: deadline.clone(),
            set: None,
            core: vec![],
            by_integers: false,
            broken: None,
            broken_off: false,
            forgetful: false,
            integers: Integers::default(),
            eager: Eager::default(),
            once: false,
        }
    }

    /// A solver for questions that are asked once: where bits are mixed, elimination of variables and bit-blasting come
    /// before the integers, which know nothing of bits, and before the search that pays only for those that follow.
    pub fn for_once(deadline: &Deadline) -> Solver {
        let mut s = Solver::new(deadline);
        s.once = true;
        s
    }

    /// A solver for questions that read arrays at symbolic places: its core knows functions, so that equal
    /// places have equal contents by congruence and not bit by bit. Slower where no array is read.
    pub fn with_functions(deadline: &Deadline) -> Solver {
        let mut s = Solver::new(deadline);
        s.z3 = z3::Solver::new();
        s.translator.functions = true;
        s
    }

    /// From here on queries end by this deadline.
    pub fn extend(&mut self, deadline: &Deadline) {
        self.deadline = deadline.clone();
    }

    pub fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    /// Adds a fact for good.
    pub fn assert(&mut self, pool: &Pool, fact: Term) {
        if pool.is_true(fact) {
            return;
        }
        match self.translator.bool(pool, fact) {
            Ok(b) => {
                self.z3.assert(&b);
                self.eager.look(pool, fact);
                self.asserted.push(fact);
                self.facts.push(b);
            }
            // A fact that is missing must not turn into an answer: every later query fails.
            Err(e) => self.broken = Some(e),
        }
    }

    /// Makes the translation of a term now, so that later queries are cheap.
    fn literal(&mut self, pool: &Pool, t: Term) -> Result<Bool, String> {
        if let Some(l) = self.literals.get(&t) {
            return Ok(l.clone());
        }
        let b = self.translator.bool(pool, t)?;
        self.eager.look(pool, t);
        let l = self.translator.fresh_bool();
        self.z3.assert(l.implies(&b));
        self.by_literal.insert(l.to_string(), t);
        self.literals.insert(t, l.clone());
        Ok(l)
    }

    /// Is the conjunction of the facts and the assumptions satisfiable?
    pub fn check(
        &mut self,
        pool: &Pool,
        name: &'static str,
        assumptions: &[Term],
        budget: Budget,
    ) -> Answer {
        let start = Instant::now();
        let before = self.resources();
        self.by_integers = false;
        let answer = match super::fault::of_this_query(&self.deadline) {
            Some(fault) => fault,
            None => self.check_unrecorded(pool, assumptions, budget),
        };
        let spent = self.resources().saturating_sub(before);
        record(name, &answer, self.by_integers, start.elapsed(), spent);
        self.dump_if_slow(name, assumptions, start.elapsed());
        answer
    }

    /// What the solvers of this thread have done so far, in Z3's own units.
    fn resources(&self) -> u64 {
        match self.z3.get_statistics().value("rlimit count") {
            Some(StatisticsValue::UInt(n)) => u64::from(n),
            Some(StatisticsValue::Double(n)) => n as u64,
            None => 0,
        }
    }

    /// For us: `OPTVERIFY_SLOW_QUERIES=dir` keeps queries of more than 50 ms as SMT-LIB files.
    fn dump_if_slow(&self, name: &str, assumptions: &[Term], took: std::time::Duration) {
        if took.as_millis() < 50 {
            return;
        }
        let Ok(dir) = std::env::var("OPTVERIFY_SLOW_QUERIES") else {
            return;
        };
        let literals: Vec<String> = assumptions
            .iter()
            .filter_map(|t| self.literals.get(t))
            .map(|l| l.to_string())
            .collect();
        let body = self.z3.to_smt2().replace("(check-sat)", "");
        let text = format!("{body}\n(check-sat-assuming ({}))\n", literals.join(" "));
        let file = format!("{dir}/{name}-{}ms-{:p}.smt2", took.as_millis(), self);
        let _ = std::fs::write(file, text);
    }

    fn check_unrecorded(&mut self, pool: &Pool, assumptions: &[Term], budget: Budget) -> Answer {
        self.core.clear();
        if let Some(e) = &self.broken {
            return Answer::Failed(e.clone());
        }
        let mut literals = Vec::with_capacity(assumptions.len());
        for &t in assumptions {
            if pool.is_false(t) {
                self.core = vec![t];
                return Answer::Unsat;
            }
            if pool.is_true(t) {
                continue;
            }
            match self.literal(pool, t) {
                Ok(l) => literals.push(l),
                Err(e) => return Answer::Failed(e),
            }
        }
        let start = Instant::now();
        let left = |d: &Deadline| {
            let spent = start.elapsed().as_millis() as u64;
            d.left_millis()
                .min(u64::from(budget.millis).saturating_sub(spent))
        };
        // The cheapest first: a glance at the bits, the integers, a quick try of the bits. What these cannot do is
        // often easy after elimination of variables by equations, which only a fresh solver does.
        let at_most = |rlimit: u32| match budget.rlimit {
            0 => rlimit,
            limit => limit.min(rlimit),
        };
        loop {
            for d in std::mem::take(&mut self.translator.definitions) {
                self.z3.assert(&d);
                self.facts.push(d);
            }
            let mine = left(&self.deadline);
            if mine == 0 {
                return self.out_of_time();
            }
            // Rounded to powers of two, so that the parameters are seldom set again.
            let timeout = mine
                .next_power_of_two()
                .min(self.deadline.left_millis())
                .max(1) as u32;
            let mut result = SatResult::Unknown;
            let integers_first =
                self.eager.is_due() && !self.forgetful && !self.translator.functions;
            if integers_first && self.refuted_by_integers(pool, assumptions, mine) {
                return Answer::Unsat;
            }
            if !self.forgetful {
                self.set_limits(timeout, at_most(GLANCE_RLIMIT));
                result = self.z3.check_assumptions(&literals);
                self.broken_off |= result == SatResult::Unknown;
            } else if self.translator.functions {
                return Answer::Unknown(Why::Other("the solver forgot what it was told".into()));
            }
            if result == SatResult::Unknown && !self.translator.functions {
                let mine = left(&self.deadline) as u32 / 4;
                let facts = self.asserted.iter().copied();
                let all: Vec<Term> = facts.chain(assumptions.iter().copied()).collect();
                let deadline = &self.deadline;
                if mine > 0 && opaque::refute(pool, &all, mine, |ask| interruptible(deadline, ask))
                {
                    self.core = assumptions.to_vec();
                    return Answer::Unsat;
                }
            }
            let mut fresh = None;
            if result == SatResult::Unknown && self.once && self.mixes_bits(pool, assumptions) {
                let mine = left(&self.deadline) as u32;
                if mine == 0 {
                    return self.out_of_time();
                }
                let solver = match self.afresh(pool, assumptions, mine, at_most(BITS_FIRST_RLIMIT))
                {
                    Ok(s) => s,
                    Err(e) => return Answer::Failed(e),
                };
                result = interruptible(&self.deadline, || solver.check());
                fresh = (result != SatResult::Unknown).then_some(solver);
            }
            if result == SatResult::Unknown && !self.forgetful {
                let mine = left(&self.deadline);
                if !integers_first && self.refuted_by_integers(pool, assumptions, mine) {
                    return Answer::Unsat;
                }
                let mine = left(&self.deadline);
                if mine == 0 {
                    return self.out_of_time();
                }
                // A quick query is soon over; a long one can be ended from outside.
                result = if self.translator.functions {
                    self.set_limits(mine as u32, budget.rlimit);
                    interruptible(&self.deadline, || self.z3.check_assumptions(&literals))
                } else {
                    self.set_limits(timeout, at_most(QUICK_RLIMIT));
                    self.z3.check_assumptions(&literals)
                };
            }
            if result == SatResult::Unknown && !self.translator.functions {
                let mine = left(&self.deadline);
                if mine == 0 {
                    return self.out_of_time();
                }
                let solver = match self.afresh(pool, assumptions, mine as u32, budget.rlimit) {
                    Ok(s) => s,
                    Err(e) => return Answer::Failed(e),
                };
                result = interruptible(&self.deadline, || solver.check());
                fresh = Some(solver);
            }
            match result {
                SatResult::Unsat => {
                    self.core = match fresh {
                        Some(_) => assumptions.to_vec(),
                        None => self
                            .z3
                            .get_unsat_core()
                            .iter()
                            .filter_map(|l| self.by_literal.get(&l.to_string()).copied())
                            .collect(),
                    };
                    return Answer::Unsat;
                }
                SatResult::Unknown => {
                    let solver = fresh.as_ref().unwrap_or(&self.z3);
                    let why = solver.get_reason_unknown().unwrap_or_default();
                    if self.deadline.passed() {
                        return Answer::Unknown(Why::Deadline);
                    }
                    return Answer::Unknown(match why.as_str() {
                        "timeout" | "canceled" | "" | "max. resource limit exceeded" => Why::Budget,
                        _ => Why::Other(why),
                    });
                }
                SatResult::Sat => {
                    let solver = fresh.as_ref().unwrap_or(&self.z3);
                    let Some(m) = solver.get_model() else {
                        return Answer::Failed("a satisfiable query without a model".to_string());
                    };
                    let Some(model) = self.consistent(&m) else {
                        continue;
                    };
                    if fresh.is_none() && self.broken_off && !self.holds(pool, assumptions, &model)
                    {
                        self.forgetful = true;
                        continue;
                    }
                    return Answer::Sat(model);
                }
            }
        }
    }

    fn mixes_bits(&self, pool: &Pool, assumptions: &[Term]) -> bool {
        let facts = self.asserted.iter();
        let all: Vec<Term> = facts.chain(assumptions).copied().collect();
        pool.mixes_bits(&all)
    }

    /// Does a model satisfy what was asked?
    fn holds(&self, pool: &Pool, assumptions: &[Term], model: &Model) -> bool {
        let facts = self.asserted.iter().copied();
        let mut all = facts.chain(assumptions.iter().copied());
        all.all(|t| pool.eval_bool(t, model))
    }

    /// Do the integers show soon that the assumptions clash? Then the core is known, too.
    fn refuted_by_integers(&mut self, pool: &Pool, assumptions: &[Term], left: u64) -> bool {
        if left == 0 {
            return false;
        }
        let limits = (left as u32, INTEGERS_RLIMIT);
        let deadline = &self.deadline;
        let core = self
            .integers
            .refute(pool, &self.asserted, assumptions, limits, |ask| {
                interruptible(deadline, ask)
            });
        self.eager.note(core.is_some());
        let Some(core) = core else {
            return false;
        };
        self.core = core;
        self.by_integers = true;
        true
    }

    fn out_of_time(&self) -> Answer {
        Answer::Unknown(if self.deadline.passed() {
            Why::Deadline
        } else {
            Why::Budget
        })
    }

    /// A solver for this question alone, with elimination of variables before bit-blasting.
    fn afresh(
        &mut self,
        pool: &Pool,
        assumptions: &[Term],
        millis: u32,
        rlimit: u32,
    ) -> Result<z3::Solver, String> {
        let solver = preprocessing().solver();
        let mut p = Params::new();
        p.set_u32("timeout", millis);
        p.set_u32("rlimit", rlimit);
        solver.set_params(&p);
        for f in &self.facts {
            solver.assert(f);
        }
        for &t in assumptions {
            solver.assert(&self.translator.bool(pool, t)?);
        }
        // What is bounded by each other is equal: the solver finds out bit by bit, elimination needs it said.
        let facts = self.asserted.iter().copied();
        for (a, b) in antisymmetric(pool, facts.chain(assumptions.iter().copied())) {
            let equal = self.translator.bv(a).eq(self.translator.bv(b));
            solver.assert(&equal);
        }
        Ok(solver)
    }

    /// The assumptions of the last `Unsat` that were needed.
    pub fn core(&self) -> &[Term] {
        &self.core
    }

    fn set_limits(&mut self, millis: u32, rlimit: u32) {
        if self.set == Some((millis, rlimit)) {
            return;
        }
        let mut p = Params::new();
        p.set_u32("timeout", millis);
        p.set_u32("rlimit", rlimit);
        self.z3.set_params(&p);
        self.set = Some((millis, rlimit));
    }

    /// The model in our values, or nothing if two reads of one place disagree: then they are related, and the
    /// query must be asked again.
    fn consistent(&mut self, m: &z3::Model) -> Option<Model> {
        let mut model = Model::default();
        let mut clashes = vec![];
        for (&array, reads) in &self.translator.reads {
            let mut seen: FastMap<u128, (usize, u128)> = FastMap::default();
            let mut value = ArrayValue::default();
            for (n, r) in reads.iter().enumerate() {
                let at = r
                    .index_const
                    .unwrap_or_else(|| bits(m, &Ast::Bv(r.index.clone())));
                let v = bits(m, &r.value);
                match seen.get(&at) {
                    Some(&(first, w)) if w != v => clashes.push((array, first, n)),
                    Some(_) => {}
                    None => {
                        seen.insert(at, (n, v));
                        value.at.insert(at, v);
                    }
                }
            }
            model.values.insert(array, Value::Array(Arc::new(value)));
        }
        let mut refined = false;
        for (array, i, j) in clashes {
            refined |= self.translator.relate(array, i, j);
        }
        for n in 0..self.translator.divisions.len() {
            let d = &self.translator.divisions[n];
            let of = |b: &BV| bits(m, &Ast::Bv(b.clone()));
            let (x, y, q, r) = (of(&d.x), of(&d.y), of(&d.quotient), of(&d.remainder));
            let w = d.x.get_size();
            let right = match y {
                0 => q == mask(w) && r == x,
                _ => q == x / y && r == x % y,
            };
            if !right {
                self.translator.refine_division(n, x, y);
                refined = true;
            }
        }
        refined |= (self.translator).refine_floats(|b| bits(m, &Ast::Bv(b.clone())));
        if refined {
            return None;
        }
        model.exact = !self.translator.approximate;
        for (v, ast) in &self.translator.scalars {
            model.values.insert(*v, Value::Bits(bits(m, ast)));
        }
        Some(model)
    }
}

/// Asks; a cancellation of the deadline interrupts the solver.
fn interruptible(deadline: &Deadline, ask: impl FnOnce() -> SatResult) -> SatResult {
    let context = z3::Context::thread_local();
    let handle = context.handle();
    deadline.interruptible(|| handle.interrupt(), ask)
}

/// Elimination of variables by equations, then bits.
pub(super) fn preprocessing() -> Tactic {
    let steps = [
        "propagate-values",
        "solve-eqs",
        "elim-uncnstr",
        "simplify",
        "bit-blast",
        "sat",
    ];
    let first = Tactic::new("simplify");
    steps.iter().fold(first, |t, s| t.and_then(&Tactic::new(s)))
}

/// Pairs of terms that conjuncts of these bound by each other, both unsigned or both signed; terms that a conjunct
/// makes equal count as one.
fn antisymmetric(pool: &Pool, terms: impl Iterator<Item = Term>) -> Vec<(Term, Term)> {
    let mut todo: Vec<Term> = terms.collect();
    let mut stands: FastMap<Term, Term> = FastMap::default();
    let mut bounds = vec![];
    while let Some(t) = todo.pop() {
        match *pool.node(t) {
            Node::Binary(BinOp::And, a, b) => todo.extend([a, b]),
            Node::Binary(BinOp::Ule, a, b) => bounds.push((false, a, b)),
            Node::Binary(BinOp::Sle, a, b) => bounds.push((true, a, b)),
            Node::Binary(BinOp::Eq, a, b) => {
                let (a, b) = (last(&stands, a), last(&stands, b));
                if a != b {
                    stands.insert(a, b);
                }
            }
            Node::Unary(UnOp::Not, n) => match *pool.node(n) {
                Node::Binary(BinOp::Ult, a, b) => bounds.push((false, b, a)),
                Node::Binary(BinOp::Slt, a, b) => bounds.push((true, b, a)),
                _ => {}
            },
            _ => {}
        }
    }
    let one = |(signed, a, b): &(bool, Term, Term)| (*signed, last(&stands, *a), last(&stands, *b));
    let known: FastSet<(bool, Term, Term)> = bounds.iter().map(one).collect();
    let mutual = |x: &&(bool, Term, Term)| {
        let (signed, a, b) = one(x);
        a != b && known.contains(&(signed, b, a))
    };
    let found = bounds.iter().filter(mutual);
    found.map(|(_, a, b)| (*a, *b)).collect()
}

/// The term that stands for all that are equal to this one.
fn last(stands: &FastMap<Term, Term>, mut t: Term) -> Term {
    while let Some(&next) = stands.get(&t) {
        t = next;
    }
    t
}

/// The value of a constant or index term in a model, completed.
fn bits(m: &z3::Model, ast: &Ast) -> u128 {
    match ast {
        Ast::Bool(b) => m
            .eval(b, true)
            .and_then(|b| b.as_bool())
            .map_or(0, u128::from),
        Ast::Bv(b) => m.eval(b, true).map_or(0, |b| match b.as_u64() {
            Some(n) if b.get_size() <= 64 => u128::from(n),
            _ => parse_numeral(&b.to_string()),
        }),
    }
}

/// `#x..` and `#b..`, as Z3 prints numerals.
fn parse_numeral(s: &str) -> u128 {
    if let Some(h) = s.strip_prefix("#x") {
        u128::from_str_radix(h, 16).unwrap_or(0)
    } else if let Some(b) = s.strip_prefix("#b") {
        u128::from_str_radix(b, 2).unwrap_or(0)
    } else {
        0
    }
}
