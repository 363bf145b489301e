//! The interpreter compiled: statements as flat code over registers, for millions of steps a second.
//!
//! `interp` is the oracle, this is its fast twin (tested against it): long counterexamples, and the samples that
//! invariants are guessed from. Each statement's term DAG becomes a run of three-address operations.

use super::interp::Outcome;
use super::{BlockId, Draw, Program, Stmt, Terminator};
use crate::term::{
    ArrayValue, BinOp, FastMap, FloatOp, Node, Sort, Term, UnOp, Value, Var, apply_binary,
    apply_float, is_open_float, mask, to_signed,
};
use std::sync::Arc;

type Reg = u32;

enum Op {
    Add(Reg, Reg, Reg, u128),
    Sub(Reg, Reg, Reg, u128),
    Eq(Reg, Reg, Reg),
    Ult(Reg, Reg, Reg),
    And(Reg, Reg, Reg),
    Or(Reg, Reg, Reg),
    Not(Reg, Reg),
    Ite(Reg, Reg, Reg, Reg),
    Binary(BinOp, Reg, Reg, Reg, u32, u32),
    Neg(Reg, Reg, u128),
    BvNot(Reg, Reg, u128),
    Extract(Reg, Reg, u32, u128),
    Copy(Reg, Reg),
    Sext(Reg, Reg, u32, u128),
    Float(FloatOp, Reg, Vec<Reg>, u32, u32),
    Select(Reg, Reg, Reg),
    ArrayCopy(Reg, Reg),
    ArrayFill(Reg, Reg),
    ArrayStore(Reg, Reg, Reg),
    ArrayIte(Reg, Reg, Reg, Reg),
    /// dst, src, dst_at, src_at, len
    ArrayBlit(Reg, Reg, Reg, Reg, Reg),
    Draw(Var),
    Approximate(usize),
    Assume(Reg),
    Watch(BlockId),
    Jump(BlockId),
    Branch(Reg, BlockId, BlockId),
    Return,
    Stop(usize),
    Blocked,
    Unknown,
}

/// An array in motion: small indices in a vector, others in a map.
#[derive(Clone, Default)]
struct Cells {
    default: u128,
    dense: Vec<u128>,
    sparse: FastMap<u128, u128>,
}

const DENSE: u128 = 1 << 16;

impl Cells {
    fn get(&self, i: u128) -> u128 {
        if i < self.dense.len() as u128 {
            return self.dense[i as usize];
        }
        self.sparse.get(&i).copied().unwrap_or(self.default)
    }

    fn set(&mut self, i: u128, v: u128) {
        if i < DENSE {
            let i = i as usize;
            if i >= self.dense.len() {
                self.dense.resize(i + 1, self.default);
            }
            self.dense[i] = v;
        } else {
            self.sparse.insert(i, v);
        }
    }

    fn of(value: &ArrayValue) -> Cells {
        assert!(value.is_plain(), "an input is no wide copy");
        let mut c = Cells {
            default: value.default,
            ..Cells::default()
        };
        for (i, v) in &value.at {
            c.set(*i, *v);
        }
        c
    }

    fn value(&self) -> ArrayValue {
        let dense = self.dense.iter().enumerate().map(|(i, v)| (i as u128, *v));
        let all = dense.chain(self.sparse.iter().map(|(i, v)| (*i, *v)));
        let at = all.filter(|(_, v)| *v != self.default).collect();
        ArrayValue::new(self.default, at)
    }
}

/// A compiled program.
pub struct Machine {
    code: Vec<Op>,
    starts: Vec<usize>,
    requires: usize,
    n_regs: usize,
    n_arrays: usize,
    /// Register or array slot of each variable.
    place: Vec<(bool, Reg)>,
    constants: Vec<(Reg, u128)>,
    reasons: Vec<String>,
    sorts: Vec<Sort>,
}

/// The values of a run at some point.
#[derive(Clone)]
pub struct State {
    regs: Vec<u128>,
    arrays: Vec<Cells>,
    /// Was something computed whose bits Rust leaves open (a NaN)? Another run of the same inputs may end elsewhere.
    pub is_open: bool,
}

/// What a run needs from outside.
pub trait World {
    /// The next value of `any()`.
    fn draw(&mut self, var: Var, sort: Sort) -> Option<Value>;
    /// Control is at a watched block; false ends the run.
    fn watch(&mut self, _block: BlockId, _state: &State, _machine: &Machine) -> bool {
        true
    }
}

struct Compiler<'a> {
    program: &'a Program,
    m: Machine,
    constants: FastMap<u128, Reg>,
    memo: FastMap<Term, Reg>,
}

impl Machine {
    /// Compiles; `watched` blocks report to the world whenever control gets there.
    pub fn of(program: &Program, watched: &[BlockId]) -> Machine {
        let mut place = vec![];
        let (mut n_regs, mut n_arrays) = (0, 0);
        let mut sorts = vec![];
        for i in 0..program.pool.n_vars() {
            let sort = program.pool.var_info(Var(i as u32)).sort;
            let n = if sort.is_array() {
                &mut n_arrays
            } else {
                &mut n_regs
            };
            place.push((sort.is_array(), *n as Reg));
            *n += 1;
            sorts.push(sort);
        }
        let mut c = Compiler {
            program,
            m: Machine {
                code: vec![],
                starts: vec![],
                requires: 0,
                n_regs,
                n_arrays,
                place,
                constants: vec![],
                reasons: vec![],
                sorts,
            },
            constants: FastMap::default(),
            memo: FastMap::default(),
        };
        for b in 0..program.blocks.len() {
            let id = BlockId(b as u32);
            c.m.starts.push(c.m.code.len());
            if watched.contains(&id) {
                c.m.code.push(Op::Watch(id));
            }
            c.block(id);
        }
        c.m.requires = c.m.code.len();
        for &r in &program.requires {
            c.memo.clear();
            let r = c.scalar(r);
            c.m.code.push(Op::Assume(r));
        }
        c.m.code.push(Op::Jump(program.entry));
        c.m
    }

    /// Runs from the entry with these inputs; all other variables are zero.
    pub fn run(
        &self,
        inputs: &[(Var, Value)],
        world: &mut dyn World,
        max_blocks: u64,
    ) -> (Outcome, State, u64) {
        self.start(self.requires, inputs, world, max_blocks)
    }

    /// Runs from a block in the middle, in a given state.
    pub fn run_from(
        &self,
        block: BlockId,
        values: &[(Var, Value)],
        world: &mut dyn World,
        max_blocks: u64,
    ) -> (Outcome, State, u64) {
        self.start(self.starts[block.index()], values, world, max_blocks)
    }

    /// Goes on from a state that another run was in.
    pub fn resume(
        &self,
        block: BlockId,
        state: &State,
        world: &mut dyn World,
        max_blocks: u64,
    ) -> (Outcome, State, u64) {
        let mut state = state.clone();
        let at = self.starts[block.index()];
        let (outcome, blocks) = self.execute(at, &mut state, world, max_blocks);
        (outcome, state, blocks)
    }

    fn start(
        &self,
        at: usize,
        values: &[(Var, Value)],
        world: &mut dyn World,
        max_blocks: u64,
    ) -> (Outcome, State, u64) {
        let mut state = State {
            regs: vec![0; self.n_regs],
            arrays: vec![Cells::default(); self.n_arrays],
            is_open: false,
        };
        for &(r, c) in &self.constants {
            state.regs[r as usize] = c;
        }
        for (v, value) in values {
            self.set(&mut state, *v, value);
        }
        let (outcome, blocks) = self.execute(at, &mut state, world, max_blocks);
        (outcome, state, blocks)
    }

    fn set(&self, state: &mut State, v: Var, value: &Value) {
        let (_, at) = self.place[v.0 as usize];
        match value {
            Value::Bits(b) => state.regs[at as usize] = *b,
            Value::Array(a) => state.arrays[at as usize] = Cells::of(a),
        }
    }

    /// The bits of a scalar variable.
    pub fn scalar(&self, state: &State, v: Var) -> u128 {
        state.regs[self.place[v.0 as usize].1 as usize]
    }

    pub fn value(&self, state: &State, v: Var) -> Value {
        match self.place[v.0 as usize] {
            (false, r) => Value::Bits(state.regs[r as usize]),
            (true, a) => Value::Array(Arc::new(state.arrays[a as usize].value())),
        }
    }

    fn execute(
        &self,
        mut at: usize,
        state: &mut State,
        world: &mut dyn World,
        max_blocks: u64,
    ) -> (Outcome, u64) {
        let mut blocks = 0u64;
        loop {
            let r = &mut state.regs;
            match &self.code[at] {
                Op::Add(d, a, b, m) => {
                    r[*d as usize] = r[*a as usize].wrapping_add(r[*b as usize]) & m
                }
                Op::Sub(d, a, b, m) => {
                    r[*d as usize] = r[*a as usize].wrapping_sub(r[*b as usize]) & m
                }
                Op::Eq(d, a, b) => r[*d as usize] = u128::from(r[*a as usize] == r[*b as usize]),
                Op::Ult(d, a, b) => r[*d as usize] = u128::from(r[*a as usize] < r[*b as usize]),
                Op::And(d, a, b) => r[*d as usize] = r[*a as usize] & r[*b as usize],
                Op::Or(d, a, b) => r[*d as usize] = r[*a as usize] | r[*b as usize],
                Op::Not(d, a) => r[*d as usize] = r[*a as usize] ^ 1,
                Op::Ite(d, c, a, b) => {
                    r[*d as usize] = r[if r[*c as usize] != 0 { *a } else { *b } as usize]
                }
                Op::Binary(op, d, a, b, w, wb) => {
                    r[*d as usize] = apply_binary(*op, r[*a as usize], r[*b as usize], *w, *wb)
                }
                Op::Neg(d, a, m) => r[*d as usize] = r[*a as usize].wrapping_neg() & m,
                Op::BvNot(d, a, m) => r[*d as usize] = !r[*a as usize] & m,
                Op::Extract(d, a, lo, m) => r[*d as usize] = (r[*a as usize] >> lo) & m,
                Op::Copy(d, a) => r[*d as usize] = r[*a as usize],
                Op::Sext(d, a, w, m) => {
                    r[*d as usize] = (to_signed(r[*a as usize], *w) as u128) & m
                }
                Op::Float(op, d, args, wa, w) => {
                    let bits: Vec<u128> = args.iter().map(|a| r[*a as usize]).collect();
                    let out = apply_float(*op, &bits, *wa, *w);
                    r[*d as usize] = out;
                    state.is_open |= is_open_float(*op, &bits, *wa, out, *w);
                }
                Op::Select(d, a, i) => {
                    r[*d as usize] = state.arrays[*a as usize].get(r[*i as usize])
                }
                Op::ArrayCopy(d, a) => {
                    if d != a {
                        let cells = state.arrays[*a as usize].clone();
                        state.arrays[*d as usize] = cells;
                    }
                }
                Op::ArrayFill(d, v) => {
                    let cells = &mut state.arrays[*d as usize];
                    cells.default = r[*v as usize];
                    cells.dense.clear();
                    cells.sparse.clear();
                }
                Op::ArrayStore(d, i, v) => {
                    state.arrays[*d as usize].set(r[*i as usize], r[*v as usize])
                }
                Op::ArrayIte(d, c, a, b) => {
                    let from = if r[*c as usize] != 0 { a } else { b };
                    if d != from {
                        let cells = state.arrays[*from as usize].clone();
                        state.arrays[*d as usize] = cells;
                    }
                }
                Op::ArrayBlit(d, s, to, from, n) => {
                    let (to, from, n) = (r[*to as usize], r[*from as usize], r[*n as usize]);
                    if n > 1 << 20 {
                        return (Outcome::OutOfSteps, blocks);
                    }
                    let src = state.arrays[*s as usize].clone();
                    let dst = &mut state.arrays[*d as usize];
                    for k in 0..n {
                        dst.set(to + k, src.get(from + k));
                    }
                }
                Op::Draw(v) => match world.draw(*v, self.sorts[v.0 as usize]) {
                    Some(value) => self.set(state, *v, &value),
                    None => return (Outcome::OutOfDraws, blocks),
                },
                Op::Approximate(why) => {
                    return (Outcome::Approximate(self.reasons[*why].clone()), blocks);
                }
                Op::Assume(c) => {
                    if r[*c as usize] == 0 {
                        return (Outcome::Blocked, blocks);
                    }
                }
                Op::Watch(b) => {
                    if !world.watch(*b, state, self) {
                        return (Outcome::OutOfSteps, blocks);
                    }
                }
                Op::Jump(b) => {
                    blocks += 1;
                    if blocks > max_blocks {
                        return (Outcome::OutOfSteps, blocks);
                    }
                    at = self.starts[b.index()];
                    continue;
                }
                Op::Branch(c, yes, no) => {
                    blocks += 1;
                    if blocks > max_blocks {
                        return (Outcome::OutOfSteps, blocks);
                    }
                    let b = if r[*c as usize] != 0 { yes } else { no };
                    at = self.starts[b.index()];
                    continue;
                }
                Op::Return => return (Outcome::Returned, blocks),
                Op::Stop(s) => return (Outcome::Stopped(*s), blocks),
                Op::Blocked => return (Outcome::Blocked, blocks),
                // A term that has no compiled form: the run must not go on as if nothing was.
                Op::Unknown => return (Outcome::OutOfSteps, blocks),
            }
            at += 1;
        }
    }
}

impl Compiler<'_> {
    fn block(&mut self, id: BlockId) {
        let block = self.program.block(id);
        self.memo.clear();
        for stmt in &block.stmts {
            match stmt {
                Stmt::Assign(v, t) => {
                    let (is_array, place) = self.m.place[v.0 as usize];
                    if is_array {
                        self.array_into(*t, place);
                    } else {
                        let r = self.scalar(*t);
                        self.m.code.push(Op::Copy(place, r));
                    }
                    self.memo.clear();
                }
                Stmt::Havoc(v, Draw::Any) => {
                    self.m.code.push(Op::Draw(*v));
                    self.memo.clear();
                }
                Stmt::Havoc(_, Draw::Approximate(why)) => {
                    self.m.reasons.push(why.clone());
                    self.m.code.push(Op::Approximate(self.m.reasons.len() - 1));
                }
                Stmt::Assume(c) => {
                    let r = self.scalar(*c);
                    self.m.code.push(Op::Assume(r));
                }
            }
        }
        let end = match block.terminator {
            Terminator::Goto(b) => Op::Jump(b),
            Terminator::Branch {
                cond,
                then,
                otherwise,
            } => {
                let r = self.scalar(cond);
                Op::Branch(r, then, otherwise)
            }
            Terminator::Return => Op::Return,
            Terminator::Stop(s) => Op::Stop(s),
            Terminator::Blocked => Op::Blocked,
        };
        self.m.code.push(end);
    }

    fn fresh(&mut self) -> Reg {
        self.m.n_regs += 1;
        (self.m.n_regs - 1) as Reg
    }

    fn fresh_array(&mut self) -> Reg {
        self.m.n_arrays += 1;
        (self.m.n_arrays - 1) as Reg
    }

    fn constant(&mut self, c: u128) -> Reg {
        if let Some(&r) = self.constants.get(&c) {
            return r;
        }
        let r = self.fresh();
        self.m.constants.push((r, c));
        self.constants.insert(c, r);
        r
    }

    /// The register that holds a scalar term, after the code pushed so far.
    fn scalar(&mut self, root: Term) -> Reg {
        let pool = &self.program.pool;
        let mut todo = vec![(root, false)];
        while let Some((t, ready)) = todo.pop() {
            if self.memo.contains_key(&t) {
                continue;
            }
            if pool.sort(t).is_array() {
                continue;
            }
            if ready {
                let r = self.operation(t);
                self.memo.insert(t, r);
                continue;
            }
            todo.push((t, true));
            todo.extend(pool.children(t).into_iter().map(|c| (c, false)));
        }
        self.memo[&root]
    }

    fn operation(&mut self, t: Term) -> Reg {
        let pool = &self.program.pool;
        let sort = pool.sort(t);
        let width = |s: Sort| match s {
            Sort::Bv(w) => w,
            _ => 1,
        };
        let w = width(sort);
        let m = mask(w);
        let get = |x: &Term| self.memo[x];
        let d = match pool.node(t) {
            Node::Const(c) => return self.constant(*c),
            Node::Var(v) => return self.m.place[v.0 as usize].1,
            _ => self.m.n_regs as Reg,
        };
        let op = match pool.node(t) {
            Node::Unary(UnOp::Not, a) => Op::Not(d, get(a)),
            Node::Unary(UnOp::BvNot, a) => Op::BvNot(d, get(a), m),
            Node::Unary(UnOp::Neg, a) => Op::Neg(d, get(a), m),
            Node::Binary(op, a, b) => {
                let (ra, rb) = (get(a), get(b));
                match op {
                    BinOp::Add => Op::Add(d, ra, rb, m),
                    BinOp::Sub => Op::Sub(d, ra, rb, m),
                    BinOp::Eq => Op::Eq(d, ra, rb),
                    BinOp::Ult => Op::Ult(d, ra, rb),
                    BinOp::And | BinOp::BvAnd => Op::And(d, ra, rb),
                    BinOp::Or | BinOp::BvOr => Op::Or(d, ra, rb),
                    _ => Op::Binary(*op, d, ra, rb, width(pool.sort(*a)), width(pool.sort(*b))),
                }
            }
            Node::Ite(c, a, b) => Op::Ite(d, get(c), get(a), get(b)),
            Node::Extract { arg, lo } => Op::Extract(d, get(arg), *lo, m),
            Node::Zext(a) => Op::Copy(d, get(a)),
            Node::Sext(a) => Op::Sext(d, get(a), pool.width(*a), m),
            Node::Float(op, args) => {
                let regs = args.iter().map(get).collect();
                Op::Float(*op, d, regs, pool.width(args[0]), w)
            }
            Node::Select(a, i) => match pool.as_var(*a) {
                Some(v) => Op::Select(d, self.m.place[v.0 as usize].1, get(i)),
                None => Op::Unknown,
            },
            _ => Op::Unknown,
        };
        self.m.n_regs += 1;
        self.m.code.push(op);
        d
    }

    /// Code that leaves an array term in a slot; the slot may occur in the term.
    fn array_into(&mut self, t: Term, slot: Reg) {
        let pool = &self.program.pool;
        // Writes on top of the slot's own contents happen in place, oldest first.
        let mut writes = vec![];
        let mut base = t;
        while let Node::Store(a, i, v) = *pool.node(base) {
            writes.push((i, v));
            base = a;
        }
        writes.reverse();
        let values: Vec<(Reg, Reg)> = writes
            .into_iter()
            .map(|(i, v)| (self.scalar(i), self.scalar(v)))
            .collect();
        match *self.program.pool.node(base) {
            Node::Var(v) => {
                let from = self.m.place[v.0 as usize].1;
                self.m.code.push(Op::ArrayCopy(slot, from));
            }
            Node::ConstArray(v) => {
                let r = self.scalar(v);
                self.m.code.push(Op::ArrayFill(slot, r));
            }
            Node::Ite(c, a, b) => {
                let (x, y) = (self.array(a), self.array(b));
                let c = self.scalar(c);
                self.m.code.push(Op::ArrayIte(slot, c, x, y));
            }
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => {
                let (d, s) = (self.array(dst), self.array(src));
                let regs = (self.scalar(dst_at), self.scalar(src_at), self.scalar(len));
                let temp = self.fresh_array();
                self.m.code.push(Op::ArrayCopy(temp, s));
                self.m.code.push(Op::ArrayCopy(slot, d));
                self.m
                    .code
                    .push(Op::ArrayBlit(slot, temp, regs.0, regs.1, regs.2));
            }
            _ => self.m.code.push(Op::Unknown),
        }
        for (i, v) in values {
            self.m.code.push(Op::ArrayStore(slot, i, v));
        }
    }

    fn array(&mut self, t: Term) -> Reg {
        if let Some(v) = self.program.pool.as_var(t) {
            return self.m.place[v.0 as usize].1;
        }
        let slot = self.fresh_array();
        self.array_into(t, slot);
        slot
    }
}
