//! All sixteen generators against each other and against the interpreter, on random unstructured fragments; and
//! broken ones, to show that the comparison can fail.

use super::*;
use crate::program::interp::{self, Blind, Script};
use crate::program::{Block, BlockId, Draw, InputShape, Program, Stmt, Stop, StopKind, Terminator};
use crate::prove::concrete::Random;
use crate::smt::{Budget, Deadline};
use crate::term::{BinOp, Sort, Value, Var};

const WIDTH: u32 = 2;

struct Maker {
    p: Program,
    r: Random,
    scalars: Vec<Var>,
    array: Var,
}

impl Maker {
    fn pick(&mut self, n: u64) -> u64 {
        self.r.below(n)
    }

    fn operand(&mut self) -> Term {
        match self.pick(5) {
            0 => {
                let c = u128::from(self.r.below(4));
                self.p.pool.bv(c, WIDTH)
            }
            1 => {
                let (a, i) = (self.p.pool.var(self.array), self.scalar());
                self.p.pool.select(a, i)
            }
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Term {
        let n = self.pick(self.scalars.len() as u64) as usize;
        self.p.pool.var(self.scalars[n])
    }

    fn value(&mut self) -> Term {
        let (a, b) = (self.operand(), self.operand());
        let ops = [
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::BvXor,
            BinOp::BvAnd,
        ];
        match self.pick(12) {
            n if n < 5 => self.p.pool.binary(ops[n as usize], a, b),
            n if n < 8 => a,
            n => self.p.pool.bv(u128::from(n - 8), WIDTH),
        }
    }

    fn condition(&mut self) -> Term {
        let (a, b) = (self.operand(), self.operand());
        let ops = [BinOp::Eq, BinOp::Ult, BinOp::Ule, BinOp::Slt];
        let op = ops[self.pick(4) as usize];
        let c = self.p.pool.binary(op, a, b);
        if self.pick(2) == 0 {
            c
        } else {
            self.p.pool.not(c)
        }
    }

    fn statement(&mut self) -> Stmt {
        match self.pick(8) {
            0 => Stmt::Assume(self.condition()),
            1 => {
                let (i, x) = (self.scalar(), self.operand());
                let a = self.p.pool.var(self.array);
                Stmt::Assign(self.array, self.p.pool.store(a, i, x))
            }
            _ => {
                let n = self.pick(3) as usize;
                Stmt::Assign(self.scalars[n], self.value())
            }
        }
    }
}

/// A program without loops: any block may go to any later one.
fn random_fragment(seed: u64) -> Program {
    let mut pool = crate::term::Pool::new();
    let scalars: Vec<Var> = ["x", "y", "z"]
        .iter()
        .map(|n| pool.fresh(*n, Sort::Bv(WIDTH)))
        .collect();
    let sort = Sort::Array {
        index: WIDTH,
        elem: WIDTH,
    };
    let array = pool.fresh("a", sort);
    let mut vars = scalars.clone();
    vars.push(array);
    let mut m = Maker {
        p: Program {
            pool,
            name: format!("fragment {seed}"),
            blocks: vec![],
            entry: BlockId(0),
            stops: vec![Stop {
                kind: StopKind::Panic(String::new()),
                span: None,
            }],
            vars,
            inputs: vec![],
            source_names: vec![],
            draw_kinds: vec![],
            requires: vec![],
            outputs: vec![],
            returned: InputShape::Tuple(vec![]),
        },
        r: Random::new(seed),
        scalars,
        array,
    };
    if m.pick(2) == 0 {
        let c = m.condition_without_array();
        m.p.requires.push(c);
    }
    let n_blocks = 4 + m.pick(9) as u32;
    for b in 0..n_blocks {
        let mut stmts = vec![];
        if b == 0 {
            let zero = m.p.pool.bv(0, WIDTH);
            let fresh = m.p.pool.const_array(zero, sort);
            stmts.push(Stmt::Assign(array, fresh));
        }
        for _ in 0..m.pick(3) {
            stmts.push(m.statement());
        }
        // Often true: assertions that nothing keeps would make every fragment a violation.
        let kept = m.unequal();
        // One draw at most, so that all runs can be enumerated.
        if b == 1 && m.pick(2) == 0 {
            stmts.push(Stmt::Havoc(m.scalars[2], Draw::Any));
        }
        let later =
            |m: &mut Maker| BlockId(b + 1 + m.pick(u64::from(n_blocks - b - 1).min(4)) as u32);
        let terminator = match m.pick(12) {
            _ if b + 1 == n_blocks => Terminator::Return,
            0 => Terminator::Return,
            1 if m.pick(8) == 0 => Terminator::Stop(0),
            2 => Terminator::Blocked,
            3 => Terminator::Goto(later(&mut m)),
            n if n < 7 => Terminator::Branch {
                cond: kept,
                then: later(&mut m),
                otherwise: BlockId(n_blocks),
            },
            _ => Terminator::Branch {
                cond: m.condition(),
                then: later(&mut m),
                otherwise: later(&mut m),
            },
        };
        m.p.blocks.push(Block {
            stmts,
            terminator,
            span: None,
            origin: Default::default(),
        });
    }
    m.p.blocks.push(Block {
        stmts: vec![],
        terminator: Terminator::Stop(0),
        span: None,
        origin: Default::default(),
    });
    m.p
}

impl Maker {
    /// A scalar is not this constant.
    fn unequal(&mut self) -> Term {
        let (x, n) = (self.scalar(), self.pick(4));
        let c = self.p.pool.bv(u128::from(n), WIDTH);
        let equal = self.p.pool.eq(x, c);
        self.p.pool.not(equal)
    }

    fn condition_without_array(&mut self) -> Term {
        let (a, b) = (self.scalar(), self.scalar());
        self.p.pool.ule(a, b)
    }
}

/// Does some run get to a stop?
fn violated(p: &Program) -> bool {
    let values = 1u128 << WIDTH;
    for n in 0..values.pow(4) {
        let mut state = interp::initial_state(p);
        for (k, v) in p.vars.iter().take(3).enumerate() {
            state[v.0 as usize] = Value::Bits(n / values.pow(k as u32) % values);
        }
        let mut draws = Script::new(vec![Value::Bits(n / values.pow(3))]);
        let run = interp::run(p, state, &mut draws, 1000, &mut Blind);
        if matches!(run.outcome, interp::Outcome::Stopped(_)) {
            return true;
        }
    }
    false
}

fn verdict(p: &mut Program, f: &Fragment, conditions: &[Condition]) -> Outcome {
    let deadline = Deadline::after_millis(20_000);
    solve(
        &mut p.pool,
        f,
        conditions,
        Budget::millis(10_000),
        &deadline,
    )
}

fn expected(p: &Program) -> Outcome {
    if violated(p) {
        Outcome::Invalid
    } else {
        Outcome::Valid
    }
}

#[test]
fn all_generators_agree_with_the_interpreter() {
    let mut counts = [0, 0];
    for seed in 0..250 {
        let mut p = random_fragment(seed);
        let right = expected(&p);
        counts[usize::from(right == Outcome::Valid)] += 1;
        let f = whole(&mut p);
        for g in Generator::all() {
            let conditions = g.conditions(&mut p.pool, &f);
            assert_eq!(
                verdict(&mut p, &f, &conditions),
                right,
                "{g} on seed {seed}\n{f:?}"
            );
        }
    }
    assert!(counts[0] > 40 && counts[1] > 40, "one-sided: {counts:?}");
}

/// Ways to get a generator wrong; each must be noticed by the comparison above.
/// The same with paths kept apart, as proofs by cases are certified.
#[test]
fn paths_apart_agree_with_the_interpreter() {
    for seed in 0..200 {
        let mut p = random_fragment(seed);
        let expected = expected(&p);
        let start = Start {
            block: p.entry,
            entry: true,
            known: &[],
            paths: true,
        };
        let f = passify(&mut p, &start, &[], &Ends::new());
        let conditions = Generator::default().conditions(&mut p.pool, &f);
        assert_eq!(verdict(&mut p, &f, &conditions), expected, "seed {seed}");
    }
}

#[test]
fn broken_generators_are_noticed() {
    type Breaks = fn(&mut Program, &mut Fragment, &mut Vec<Condition>);
    let forget_joins: Breaks = |p, f, conditions| {
        f.edges.iter_mut().for_each(|e| e.copies.clear());
        *conditions = Generator::default().conditions(&mut p.pool, f);
    };
    let forget_branches: Breaks = |p, f, conditions| {
        let always = p.pool.bool(true);
        f.edges.iter_mut().for_each(|e| e.condition = always);
        *conditions = Generator::default().conditions(&mut p.pool, f);
    };
    let forget_assumptions: Breaks = |p, f, conditions| {
        for n in &mut f.nodes {
            n.items.retain(|i| !matches!(i, Item::Assume(_)));
        }
        *conditions = Generator::default().conditions(&mut p.pool, f);
    };
    let forget_an_assertion: Breaks = |p, f, conditions| {
        *conditions = "sp-p"
            .parse::<Generator>()
            .expect("a name")
            .conditions(&mut p.pool, f);
        conditions.pop();
    };
    for (name, breaks) in [
        ("joins", forget_joins),
        ("branches", forget_branches),
        ("assumptions", forget_assumptions),
        ("an assertion", forget_an_assertion),
    ] {
        let noticed = (0..250).any(|seed| {
            let mut p = random_fragment(seed);
            let right = expected(&p);
            let mut f = whole(&mut p);
            let mut conditions = vec![];
            breaks(&mut p, &mut f, &mut conditions);
            verdict(&mut p, &f, &conditions) != right
        });
        assert!(noticed, "nobody noticed that {name} were forgotten");
    }
}

/// The paper's analysis of its running example: lean is linear, the others are not.
#[test]
fn growth_on_the_running_example() {
    let size = |g: Generator, n: usize| {
        let mut p = unroll(&running_example(), n, 100_000).expect("small");
        let f = whole(&mut p);
        assert_eq!(f.asserts(), 2 * (n + 1));
        let conditions = g.conditions(&mut p.pool, &f);
        written(&mut p.pool, &conditions)
    };
    for g in Generator::all() {
        // Doubling a linear part doubles, a quadratic part gets four times as large, a cubic one eight times.
        let (a, b, c) = (size(g, 16), size(g, 32), size(g, 64));
        let growth = (c - b) as f64 / (b - a) as f64;
        let degree = match (g.encoding, g.context) {
            (Encoding::Lean, _) => 1.0..2.3,
            (Encoding::Sp, _) | (Encoding::Cnf | Encoding::Ssa, Context::Global) => 3.2..4.3,
            (Encoding::Ssa, Context::Partial) => 3.2..4.3,
            (Encoding::Cnf | Encoding::Ssa, _) => 6.0..8.6,
        };
        assert!(
            degree.contains(&growth),
            "{g}: {a} {b} {c} grows by {growth:.2}"
        );
    }
}

#[test]
fn expansion_keeps_the_verdict_of_bounded_loops() {
    let mut p = unroll(&running_example(), 3, 1000).expect("small");
    let f = whole(&mut p);
    for g in Generator::all() {
        let conditions = g.conditions(&mut p.pool, &f);
        assert_eq!(verdict(&mut p, &f, &conditions), Outcome::Valid, "{g}");
    }
    // One step too far is seen: with `y <= x` at the start the first assertion can still hold, the second not.
    let mut bad = running_example();
    bad.requires.truncate(2);
    let mut p = unroll(&bad, 3, 1000).expect("small");
    let f = whole(&mut p);
    for g in Generator::all() {
        let conditions = g.conditions(&mut p.pool, &f);
        assert_eq!(verdict(&mut p, &f, &conditions), Outcome::Invalid, "{g}");
    }
}

#[test]
fn names_are_read_back() {
    for g in Generator::all() {
        assert_eq!(g.to_string().parse(), Ok(g));
    }
    assert!("lean".parse::<Generator>().is_err());
    assert!("lean-x".parse::<Generator>().is_err());
}
