//! The portfolio against brute force: random small loop programs at tiny widths, every run enumerated.

use super::portfolio::{Settings, prove};
use super::{Verdict, concrete::Random};
use crate::program::interp::{self, Blind, Outcome, Script};
use crate::program::*;
use crate::term::{Pool, Sort, Term, Value, Var};
use std::time::Duration;

/// A small structured language, compiled to blocks; the tests' only way to write programs.
pub enum S {
    Set(Var, Term),
    Any(Var),
    Assume(Term),
    Assert(Term),
    If(Term, Vec<S>, Vec<S>),
    While(Term, Vec<S>),
}

pub struct Build {
    pub p: Program,
}

impl Build {
    pub fn new() -> Build {
        let stop = Stop {
            kind: StopKind::Panic("assertion failed".to_string()),
            span: None,
        };
        Build {
            p: Program {
                pool: Pool::new(),
                name: "test".to_string(),
                blocks: vec![],
                entry: BlockId(0),
                stops: vec![stop],
                vars: vec![],
                inputs: vec![],
                source_names: vec![],
                draw_kinds: vec![],
                requires: vec![],
                outputs: vec![],
                returned: crate::program::InputShape::Tuple(vec![]),
            },
        }
    }

    pub fn var(&mut self, name: &str, sort: Sort) -> (Var, Term) {
        let v = self.p.pool.fresh(name, sort);
        self.p.vars.push(v);
        (v, self.p.pool.var(v))
    }

    pub fn input(&mut self, name: &str, sort: Sort) -> (Var, Term) {
        let (v, t) = self.var(name, sort);
        let kind = match sort {
            Sort::Bv(w) => ScalarKind::Unsigned(w),
            _ => ScalarKind::Bool,
        };
        self.p.inputs.push(Input {
            name: name.to_string(),
            shape: InputShape::Scalar { var: v, kind },
        });
        (v, t)
    }

    fn block(&mut self) -> BlockId {
        self.p.blocks.push(Block {
            stmts: vec![],
            terminator: Terminator::Return,
            span: None,
            origin: Default::default(),
        });
        BlockId(self.p.blocks.len() as u32 - 1)
    }

    pub fn finish(mut self, body: Vec<S>) -> Program {
        let start = self.block();
        let end = self.body(start, body);
        self.p.blocks[end.index()].terminator = Terminator::Return;
        self.p
    }

    fn body(&mut self, mut at: BlockId, body: Vec<S>) -> BlockId {
        for s in body {
            match s {
                S::Set(v, t) => self.p.blocks[at.index()].stmts.push(Stmt::Assign(v, t)),
                S::Any(v) => self.p.blocks[at.index()]
                    .stmts
                    .push(Stmt::Havoc(v, Draw::Any)),
                S::Assume(c) => self.p.blocks[at.index()].stmts.push(Stmt::Assume(c)),
                S::Assert(c) => {
                    let (ok, bad) = (self.block(), self.block());
                    self.p.blocks[bad.index()].terminator = Terminator::Stop(0);
                    self.p.blocks[at.index()].terminator = Terminator::Branch {
                        cond: c,
                        then: ok,
                        otherwise: bad,
                    };
                    at = ok;
                }
                S::If(c, yes, no) => {
                    let (y, n, join) = (self.block(), self.block(), self.block());
                    self.p.blocks[at.index()].terminator = Terminator::Branch {
                        cond: c,
                        then: y,
                        otherwise: n,
                    };
                    let y = self.body(y, yes);
                    let n = self.body(n, no);
                    self.p.blocks[y.index()].terminator = Terminator::Goto(join);
                    self.p.blocks[n.index()].terminator = Terminator::Goto(join);
                    at = join;
                }
                S::While(c, inner) => {
                    let (head, first, after) = (self.block(), self.block(), self.block());
                    self.p.blocks[at.index()].terminator = Terminator::Goto(head);
                    self.p.blocks[head.index()].terminator = Terminator::Branch {
                        cond: c,
                        then: first,
                        otherwise: after,
                    };
                    let end = self.body(first, inner);
                    self.p.blocks[end.index()].terminator = Terminator::Goto(head);
                    at = after;
                }
            }
        }
        at
    }
}

/// Is a stop reachable? All inputs, with at most `draws` choices each enumerated; cycles are cut by steps.
pub fn brute_force(p: &Program, w: u32) -> bool {
    // Explicit-state search over (block, state) pairs.
    use std::collections::BTreeSet;
    let mut seen: BTreeSet<(u32, Vec<u128>)> = BTreeSet::new();
    let mut inputs = vec![];
    for i in &p.inputs {
        super::trace::input_vars(&i.shape, &mut inputs);
    }
    let mut todo: Vec<(BlockId, Vec<u128>)> = vec![];
    let n = 1u128 << (w * inputs.len() as u32);
    for k in 0..n {
        let mut s = vec![0; p.pool.n_vars()];
        for (i, v) in inputs.iter().enumerate() {
            s[v.0 as usize] = (k >> (w * i as u32)) & ((1 << w) - 1);
        }
        todo.push((p.entry, s));
    }
    while let Some((b, s)) = todo.pop() {
        if !seen.insert((b.0, s.clone())) {
            continue;
        }
        let block = p.block(b);
        let mut states = vec![s];
        for stmt in &block.stmts {
            let mut next = vec![];
            for s in states {
                let env: Vec<Value> = s.iter().map(|b| Value::Bits(*b)).collect();
                match stmt {
                    Stmt::Assign(v, t) => {
                        let mut s = s.clone();
                        s[v.0 as usize] = p.pool.eval_bits(*t, &env);
                        next.push(s);
                    }
                    Stmt::Havoc(v, _) => {
                        let n = match p.pool.var_info(*v).sort {
                            Sort::Bv(w) => 1u128 << w,
                            _ => 2,
                        };
                        for k in 0..n {
                            let mut s = s.clone();
                            s[v.0 as usize] = k;
                            next.push(s);
                        }
                    }
                    Stmt::Assume(c) => {
                        if p.pool.eval_bool(*c, &env) {
                            next.push(s);
                        }
                    }
                }
            }
            states = next;
        }
        for s in states {
            let env: Vec<Value> = s.iter().map(|b| Value::Bits(*b)).collect();
            match block.terminator {
                Terminator::Goto(t) => todo.push((t, s)),
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                } => {
                    let to = if p.pool.eval_bool(cond, &env) {
                        then
                    } else {
                        otherwise
                    };
                    todo.push((to, s));
                }
                Terminator::Stop(_) => return true,
                Terminator::Return | Terminator::Blocked => {}
            }
        }
    }
    false
}

fn operand(b: &mut Build, r: &mut Random, vars: &[Term], w: u32) -> Term {
    if r.below(2) == 0 {
        vars[r.below(vars.len() as u64) as usize]
    } else {
        b.p.pool.bv(u128::from(r.below(1 << w)), w)
    }
}

fn condition(b: &mut Build, r: &mut Random, vars: &[Term], w: u32) -> Term {
    let x = vars[r.below(vars.len() as u64) as usize];
    let y = operand(b, r, vars, w);
    let pool = &mut b.p.pool;
    match r.below(6) {
        0 => pool.eq(x, y),
        1 => {
            let e = pool.eq(x, y);
            pool.not(e)
        }
        2 => pool.ult(x, y),
        3 => pool.ule(y, x),
        4 => pool.slt(x, y),
        _ => {
            let low = pool.extract(x, 0, 1);
            let one = pool.bv(1, 1);
            pool.eq(low, one)
        }
    }
}

fn update(b: &mut Build, r: &mut Random, vars: &[(Var, Term)], w: u32) -> S {
    let terms: Vec<Term> = vars.iter().map(|v| v.1).collect();
    let (v, t) = vars[r.below(vars.len() as u64) as usize];
    let y = operand(b, r, &terms, w);
    let pool = &mut b.p.pool;
    match r.below(7) {
        0..=2 => S::Set(v, pool.add(t, y)),
        3 => S::Set(v, pool.sub(t, y)),
        4 => S::Set(v, y),
        5 => {
            let two = pool.bv(2, w);
            S::Set(v, pool.mul(t, two))
        }
        _ => S::Any(v),
    }
}

fn statements(b: &mut Build, r: &mut Random, vars: &[(Var, Term)], w: u32, depth: u32) -> Vec<S> {
    let terms: Vec<Term> = vars.iter().map(|v| v.1).collect();
    let mut out = vec![];
    for _ in 0..1 + r.below(3) {
        match r.below(8) {
            0 if depth > 0 => {
                let c = condition(b, r, &terms, w);
                let inner = statements(b, r, vars, w, depth - 1);
                out.push(S::While(c, inner));
            }
            1 => {
                let c = condition(b, r, &terms, w);
                let yes = statements(b, r, vars, w, 0);
                let no = statements(b, r, vars, w, 0);
                out.push(S::If(c, yes, no));
            }
            2 if r.below(3) == 0 => out.push(S::Assert(condition(b, r, &terms, w))),
            3 if r.below(4) == 0 => out.push(S::Assume(condition(b, r, &terms, w))),
            _ => out.push(update(b, r, vars, w)),
        }
    }
    out
}

pub fn random_program(seed: u64) -> (Program, u32) {
    let mut r = Random::new(seed);
    let w = 3 + (seed % 2) as u32;
    let mut b = Build::new();
    let mut vars = vec![];
    for i in 0..1 + r.below(3) {
        vars.push(if r.below(2) == 0 {
            b.input(&format!("n{i}"), Sort::Bv(w))
        } else {
            b.var(&format!("x{i}"), Sort::Bv(w))
        });
    }
    let terms: Vec<Term> = vars.iter().map(|v| v.1).collect();
    let mut body = vec![];
    // What is no input starts with a constant, as in a real program.
    for (v, _) in &vars {
        let mut inputs = vec![];
        for i in &b.p.inputs {
            super::trace::input_vars(&i.shape, &mut inputs);
        }
        if !inputs.contains(v) {
            let c = b.p.pool.bv(u128::from(r.below(1 << w)), w);
            body.push(S::Set(*v, c));
        }
    }
    let c = condition(&mut b, &mut r, &terms, w);
    let inner = statements(&mut b, &mut r, &vars, w, 1);
    body.push(S::While(c, inner));
    if r.below(3) == 0 {
        body.extend(statements(&mut b, &mut r, &vars, w, 1));
    }
    body.push(S::Assert(condition(&mut b, &mut r, &terms, w)));
    (b.finish(body), w)
}

fn settings() -> Settings {
    Settings {
        timeout: Duration::from_millis(10_000),
        ..Settings::default()
    }
}

fn check_against_brute_force(seeds: std::ops::Range<u64>) -> (usize, usize, usize) {
    let (mut safe, mut found, mut unknown) = (0, 0, 0);
    for seed in seeds {
        let (p, w) = random_program(seed);
        let expected = brute_force(&p, w);
        let answer = prove(&p, &settings());
        match answer.verdict {
            Verdict::Safe(_) => {
                assert!(!expected, "seed {seed}: called safe by {}", answer.engine);
                safe += 1;
            }
            Verdict::Unsafe(cex) => {
                assert!(expected, "seed {seed}: called unsafe by {}", answer.engine);
                let mut s = interp::initial_state(&p);
                for (v, x) in &cex.inputs {
                    s[v.0 as usize] = x.clone();
                }
                let run = interp::run(&p, s, &mut Script::new(cex.draws), 1 << 20, &mut Blind);
                assert_eq!(run.outcome, Outcome::Stopped(cex.stop), "seed {seed}");
                found += 1;
            }
            Verdict::Unknown(r) => {
                eprintln!(
                    "seed {seed}: {r} (expected unsafe: {expected}) {:?}",
                    answer.timings
                );
                unknown += 1;
            }
        }
    }
    (safe, found, unknown)
}

#[test]
fn no_wrong_verdict_on_random_programs() {
    let n = std::env::var("OPTVERIFY_RANDOM_PROGRAMS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(300);
    let (safe, found, unknown) = check_against_brute_force(0..n);
    eprintln!("random programs: {safe} safe, {found} unsafe, {unknown} unknown");
    assert!(safe > 0 && found > 0);
    assert!(unknown * 10 <= n as usize, "too many unknowns: {unknown}");
}

/// x + y = n over 32 bits: the first thing that anybody tries.
#[test]
fn counting_up_and_down_is_proved() {
    for (w, claim) in [(32, true), (64, true), (8, true), (128, true), (32, false)] {
        let mut b = Build::new();
        let (_, n) = b.input("n", Sort::Bv(w));
        let (x, tx) = b.var("x", Sort::Bv(w));
        let (y, ty) = b.var("y", Sort::Bv(w));
        let (zero, one) = (b.p.pool.bv(0, w), b.p.pool.bv(1, w));
        let guard = b.p.pool.ult(zero, tx);
        let down = b.p.pool.sub(tx, one);
        let up = b.p.pool.add(ty, one);
        let mut goal = b.p.pool.eq(ty, n);
        if !claim {
            goal = b.p.pool.not(goal);
        }
        let p = b.finish(vec![
            S::Set(x, n),
            S::Set(y, zero),
            S::While(guard, vec![S::Set(x, down), S::Set(y, up)]),
            S::Assert(goal),
        ]);
        let answer = prove(&p, &settings());
        let expected = if claim { "safe" } else { "unsafe" };
        assert_eq!(answer.verdict.word(), expected, "{w} {:?}", answer.timings);
    }
}

/// `c[i] = a[i] + b[i]` for all i, then checked for all i: needs a lemma about a range.
#[test]
fn element_wise_sums_are_proved() {
    for (good, w) in [(true, 32), (true, 8), (false, 32)] {
        let mut b = Build::new();
        let arr = Sort::Array { index: 64, elem: w };
        let (_, a1) = b.input("a", arr);
        let (_, a2) = b.input("b", arr);
        let (c, tc) = b.input("c", arr);
        let (_, m) = b.input("m", Sort::Bv(64));
        let (i, ti) = b.var("i", Sort::Bv(64));
        let p = &mut b.p.pool;
        let (zero, one) = (p.bv(0, 64), p.bv(1, 64));
        let (x, y) = (p.select(a1, ti), p.select(a2, ti));
        let sum = p.add(x, y);
        let store = p.store(tc, ti, sum);
        let next = p.add(ti, one);
        let guard = p.ult(ti, m);
        let z = p.select(tc, ti);
        let claim = if good { p.eq(z, sum) } else { p.eq(z, x) };
        let p = b.finish(vec![
            S::Set(i, zero),
            S::While(guard, vec![S::Set(c, store), S::Set(i, next)]),
            S::Set(i, zero),
            S::While(guard, vec![S::Assert(claim), S::Set(i, next)]),
        ]);
        let answer = prove(&p, &settings());
        let expected = if good { "safe" } else { "unsafe" };
        eprintln!("{} {:?}", answer.engine, answer.timings);
        assert_eq!(answer.verdict.word(), expected, "{w} {:?}", answer.timings);
    }
}

/// A table of 1024 numbers is written and one is looked at: executes outright.
#[test]
fn concrete_loops_over_arrays_execute() {
    for good in [true, false] {
        let mut b = Build::new();
        let arr = Sort::Array {
            index: 64,
            elem: 32,
        };
        let (c, tc) = b.input("table", arr);
        let (i, ti) = b.var("i", Sort::Bv(64));
        let p = &mut b.p.pool;
        let (zero, one, n) = (p.bv(0, 64), p.bv(1, 64), p.bv(1024, 64));
        let v = p.extract(ti, 0, 32);
        let store = p.store(tc, ti, v);
        let next = p.add(ti, one);
        let guard = p.ult(ti, n);
        let (at, k) = (p.bv(1023, 64), p.bv(if good { 1023 } else { 7 }, 32));
        let z = p.select(tc, at);
        let claim = p.eq(z, k);
        let p = b.finish(vec![
            S::Set(i, zero),
            S::While(guard, vec![S::Set(c, store), S::Set(i, next)]),
            S::Assert(claim),
        ]);
        let answer = prove(&p, &settings());
        let expected = if good { "safe" } else { "unsafe" };
        eprintln!("{} {:?}", answer.engine, answer.timings);
        assert_eq!(answer.verdict.word(), expected, "{:?}", answer.timings);
    }
}

/// `while z < k { z *= 2 }` leaves `z >= 1`: what is known of the first round decides.
#[test]
fn doubling_is_proved_by_peeling() {
    let mut b = Build::new();
    let (_, k) = b.input("k", Sort::Bv(32));
    let (z, tz) = b.var("z", Sort::Bv(32));
    let p = &mut b.p.pool;
    let (one, two) = (p.bv(1, 32), p.bv(2, 32));
    let guard = p.slt(tz, k);
    let next = p.mul(tz, two);
    let claim = p.sle(one, tz);
    let p = b.finish(vec![
        S::Set(z, one),
        S::While(guard, vec![S::Set(z, next)]),
        S::Assert(claim),
    ]);
    let answer = prove(&p, &settings());
    eprintln!("{} {:?}", answer.engine, answer.timings);
    assert_eq!(answer.verdict.word(), "safe", "{:?}", answer.timings);
}

/// The compiled interpreter and the oracle agree on random programs and runs.
#[test]
fn the_machine_is_the_interpreter() {
    use crate::program::machine::{Machine, World};
    struct Fixed(Vec<Value>, usize);
    impl World for Fixed {
        fn draw(&mut self, _: Var, _: Sort) -> Option<Value> {
            self.1 += 1;
            self.0.get(self.1 - 1).cloned()
        }
    }
    for seed in 0..400 {
        let (p, w) = random_program(seed);
        let mut r = Random::new(seed);
        let machine = Machine::of(&p, &[]);
        for _ in 0..5 {
            let draws: Vec<Value> = (0..40)
                .map(|_| Value::Bits(u128::from(r.below(1 << w))))
                .collect();
            let mut inputs = vec![];
            for i in &p.inputs {
                super::trace::input_vars(&i.shape, &mut inputs);
            }
            let inputs: Vec<(Var, Value)> = inputs
                .into_iter()
                .map(|v| (v, Value::Bits(u128::from(r.below(1 << w)))))
                .collect();
            let mut s = interp::initial_state(&p);
            for (v, x) in &inputs {
                s[v.0 as usize] = x.clone();
            }
            let slow = interp::run(&p, s, &mut Script::new(draws.clone()), 500, &mut Blind);
            let (outcome, state, _) = machine.run(&inputs, &mut Fixed(draws, 0), 500);
            if slow.outcome == Outcome::OutOfSteps || outcome == Outcome::OutOfSteps {
                continue;
            }
            assert_eq!(slow.outcome, outcome, "seed {seed}");
            for &v in &p.vars {
                assert_eq!(
                    slow.state[v.0 as usize],
                    machine.value(&state, v),
                    "seed {seed}"
                );
            }
        }
    }
}
