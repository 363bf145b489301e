//! The paper's running example (its Fig. 6): a loop with two assertions, to be expanded `n` times.

use crate::program::{Block, BlockId, InputShape, Program, Stmt, Stop, StopKind, Terminator};
use crate::term::{BinOp, Pool, Sort};

/// `assume 0 <= x <= 50 && y < x; while x < 100 { assert y < 100; x += 1; y += 1; assert y <= 100 }`
pub fn running_example() -> Program {
    let mut pool = Pool::new();
    let (x, y) = (pool.fresh("x", Sort::Bv(32)), pool.fresh("y", Sort::Bv(32)));
    let (tx, ty) = (pool.var(x), pool.var(y));
    let constant = |pool: &mut Pool, n: u128| pool.bv(n, 32);
    let (zero, fifty) = (constant(&mut pool, 0), constant(&mut pool, 50));
    let (hundred, one) = (constant(&mut pool, 100), constant(&mut pool, 1));
    let requires = vec![
        pool.binary(BinOp::Sle, zero, tx),
        pool.binary(BinOp::Sle, tx, fifty),
        pool.binary(BinOp::Slt, ty, tx),
    ];
    let go_on = pool.binary(BinOp::Slt, tx, hundred);
    let first = pool.binary(BinOp::Slt, ty, hundred);
    let second = pool.binary(BinOp::Sle, ty, hundred);
    let steps = vec![
        Stmt::Assign(x, pool.add(tx, one)),
        Stmt::Assign(y, pool.add(ty, one)),
    ];
    let branch = |cond, then, otherwise| Terminator::Branch {
        cond,
        then: BlockId(then),
        otherwise: BlockId(otherwise),
    };
    let blocks = vec![
        (vec![], branch(go_on, 1, 3)),
        (vec![], branch(first, 2, 4)),
        (steps, branch(second, 0, 4)),
        (vec![], Terminator::Return),
        (vec![], Terminator::Stop(0)),
    ];
    let blocks = blocks.into_iter().map(|(stmts, terminator)| Block {
        stmts,
        terminator,
        span: None,
        origin: Default::default(),
    });
    Program {
        blocks: blocks.collect(),
        pool,
        name: "running_example".to_string(),
        entry: BlockId(0),
        stops: vec![Stop {
            kind: StopKind::Panic("assertion failed".to_string()),
            span: None,
        }],
        vars: vec![x, y],
        inputs: vec![],
        source_names: vec![],
        draw_kinds: vec![],
        requires,
        outputs: vec![],
        returned: InputShape::Tuple(vec![]),
    }
}
