//! Small programs for the tests of acceleration, built by hand.

use crate::program::{
    Block, BlockId, Draw, Input, InputShape, Program, ScalarKind, Stmt, Stop, StopKind, Terminator,
};
use crate::term::{Pool, Sort, Term, Var};

/// A program under construction: blocks are added in order, block 0 is the entry.
pub struct Build {
    pub program: Program,
}

impl Build {
    pub fn new() -> Build {
        Build {
            program: Program {
                pool: Pool::new(),
                name: "example".to_string(),
                blocks: vec![],
                entry: BlockId(0),
                stops: vec![Stop {
                    kind: StopKind::Panic("assertion failed".to_string()),
                    span: None,
                }],
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
        let v = self.program.pool.fresh(name, sort);
        self.program.vars.push(v);
        self.program.inputs.push(Input {
            name: name.to_string(),
            shape: InputShape::Scalar {
                var: v,
                kind: ScalarKind::Unsigned(64),
            },
        });
        (v, self.program.pool.var(v))
    }

    pub fn pool(&mut self) -> &mut Pool {
        &mut self.program.pool
    }

    pub fn block(&mut self, stmts: Vec<Stmt>, terminator: Terminator) {
        self.program.blocks.push(Block {
            stmts,
            terminator,
            span: None,
            origin: Default::default(),
        });
    }
}

pub fn goto(b: u32) -> Terminator {
    Terminator::Goto(BlockId(b))
}

pub fn branch(cond: Term, then: u32, otherwise: u32) -> Terminator {
    Terminator::Branch {
        cond,
        then: BlockId(then),
        otherwise: BlockId(otherwise),
    }
}

#[allow(dead_code, reason = "for programs that draw")]
pub fn any(v: Var) -> Stmt {
    Stmt::Havoc(v, Draw::Any)
}

/// `x = n; y = 0; while x > 0 { x -= step; y += step }; assert!(y == n)` (or `!=`).
pub fn count_up_down(w: u32, step: u128, holds: bool) -> Program {
    let mut b = Build::new();
    let (_, n) = b.var("n", Sort::Bv(w));
    let (xv, x) = b.var("x", Sort::Bv(w));
    let (yv, y) = b.var("y", Sort::Bv(w));
    let p = b.pool();
    let zero = p.bv(0, w);
    let c = p.bv(step, w);
    let more = p.ult(zero, x);
    let (x1, y1) = (p.sub(x, c), p.add(y, c));
    let mut claim = p.eq(y, n);
    if !holds {
        claim = p.not(claim);
    }
    b.block(vec![Stmt::Assign(xv, n), Stmt::Assign(yv, zero)], goto(1));
    b.block(vec![], branch(more, 2, 3));
    b.block(vec![Stmt::Assign(xv, x1), Stmt::Assign(yv, y1)], goto(1));
    b.block(vec![], branch(claim, 4, 5));
    b.block(vec![], Terminator::Return);
    b.block(vec![], Terminator::Stop(0));
    b.program
}

/// `for i in 0..len { a[i] = i + 7 }; assert!(a[at] == at + 7)` for an arbitrary `at < len` (or `!=`).
pub fn fill(len: u128, holds: bool) -> Program {
    let mut b = Build::new();
    let (iv, i) = b.var("i", Sort::Bv(64));
    let (_, at) = b.var("at", Sort::Bv(64));
    let (av, a) = b.var(
        "a",
        Sort::Array {
            index: 64,
            elem: 64,
        },
    );
    let p = b.pool();
    let (zero, one, seven, end) = (p.bv(0, 64), p.bv(1, 64), p.bv(7, 64), p.bv(len, 64));
    let more = p.ult(i, end);
    let value = p.add(i, seven);
    let stored = p.store(a, i, value);
    let next = p.add(i, one);
    let inside = p.ult(at, end);
    let read = p.select(a, at);
    let expected = p.add(at, seven);
    let mut claim = p.eq(read, expected);
    if !holds {
        claim = p.not(claim);
    }
    b.block(vec![Stmt::Assume(inside), Stmt::Assign(iv, zero)], goto(1));
    b.block(vec![], branch(more, 2, 3));
    b.block(
        vec![Stmt::Assign(av, stored), Stmt::Assign(iv, next)],
        goto(1),
    );
    b.block(vec![], branch(claim, 4, 5));
    b.block(vec![], Terminator::Return);
    b.block(vec![], Terminator::Stop(0));
    b.program
}

/// Three nested counters up to `size`, then a claim about a constant that fails.
pub fn heavy(size: u128) -> Program {
    let mut b = Build::new();
    let (iv, i) = b.var("i", Sort::Bv(64));
    let (jv, j) = b.var("j", Sort::Bv(64));
    let (kv, k) = b.var("k", Sort::Bv(64));
    let (sv, s) = b.var("s", Sort::Bv(64));
    let p = b.pool();
    let (zero, one, end) = (p.bv(0, 64), p.bv(1, 64), p.bv(size, 64));
    let (ci, cj, ck) = (p.ult(i, end), p.ult(j, end), p.ult(k, end));
    let (i1, j1, k1) = (p.add(i, one), p.add(j, one), p.add(k, one));
    let s1 = p.add(s, one);
    let claim = {
        let cube = p.bv(size.wrapping_mul(size).wrapping_mul(size), 64);
        let e = p.eq(s, cube);
        p.not(e)
    };
    b.block(
        vec![Stmt::Assign(iv, zero), Stmt::Assign(sv, zero)],
        goto(1),
    );
    b.block(vec![], branch(ci, 2, 8));
    b.block(vec![Stmt::Assign(jv, zero)], goto(3));
    b.block(vec![], branch(cj, 4, 7));
    b.block(vec![Stmt::Assign(kv, zero)], goto(5));
    b.block(vec![], branch(ck, 6, 9));
    b.block(vec![Stmt::Assign(kv, k1), Stmt::Assign(sv, s1)], goto(5));
    b.block(vec![Stmt::Assign(iv, i1)], goto(1));
    b.block(vec![], branch(claim, 10, 11));
    b.block(vec![Stmt::Assign(jv, j1)], goto(3));
    b.block(vec![], Terminator::Return);
    b.block(vec![], Terminator::Stop(0));
    b.program
}
