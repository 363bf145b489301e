//! Replays a counterexample whose loops run too often to be executed: exact accelerators jump over iterations.
//!
//! The run is concrete from the first block to the stop: given inputs and draws, every guard folds to a constant.
//! At a loop head the largest number of iterations that the accelerator's guard allows is found by bisection (the
//! guard is downward closed in the count), and the state after them is the closed form's. Each jump is checked
//! against single steps of the graph at its first, last and some pseudo-random iterations; inner loops inside such
//! a step are jumped over and checked in the same way. Nothing here looks at the symbolic search.

use super::accelerator::{Accelerator, Precision};
use super::graph::{Accelerated, Target};
use super::path::live;
use crate::program::cpg::{Cpg, CutPoint};
use crate::program::{Draw, Program};
use crate::smt::Deadline;
use crate::term::{Node, Pool, Sort, Subst, Term, Value, Var, mask};
use petgraph::graph::NodeIndex;
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// What a finished replay has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    pub stop: usize,
    /// Single steps compared with the closed forms.
    pub samples: usize,
    /// Edges taken one by one.
    pub steps: u64,
    pub jumps: usize,
    /// Iterations jumped over, those of inner loops not counted.
    pub iterations: u64,
}

/// Loops shorter than this are walked.
const SHORT: u128 = 24;
const MAX_STEPS: u64 = 200_000;
/// Sampled steps may contain jumps, which are sampled again, with fewer points further in.
const SAMPLES: [usize; 3] = [6, 2, 1];

/// Runs the program from the given inputs and draws to a stop, jumping over long loops.
pub fn replay(
    program: &mut Program,
    cpg: &Cpg,
    graph: &Accelerated,
    inputs: &[(Var, Value)],
    draws: &[Value],
    deadline: &Deadline,
) -> Result<Replay, String> {
    let mut state = BTreeMap::new();
    for (v, value) in inputs {
        let sort = program.pool.var_info(*v).sort;
        let t = constant(&mut program.pool, value, sort);
        state.insert(*v, t);
    }
    let needed = live(&program.pool, cpg);
    let mut run = Run {
        program,
        cpg,
        graph,
        needed,
        draws: draws.to_vec(),
        at_draw: 0,
        deadline,
        out: Replay {
            stop: 0,
            samples: 0,
            steps: 0,
            jumps: 0,
            iterations: 0,
        },
    };
    match run.walk(cpg.entry, state, None, 0)? {
        End::Stop(s) => {
            run.out.stop = s;
            Ok(run.out)
        }
        End::Back(_) => Err("the replay came back to the entry".to_string()),
    }
}

type State = BTreeMap<Var, Term>;

enum End {
    Stop(usize),
    /// Arrived at the head where the walk was to end.
    Back(State),
}

struct Run<'a> {
    program: &'a mut Program,
    cpg: &'a Cpg,
    graph: &'a Accelerated,
    needed: BTreeMap<NodeIndex, BTreeSet<Var>>,
    draws: Vec<Value>,
    at_draw: usize,
    deadline: &'a Deadline,
    out: Replay,
}

impl Run<'_> {
    /// Walks from a node to a stop, or back to `home`. Jumps at `home` itself belong to the caller.
    fn walk(
        &mut self,
        from: NodeIndex,
        mut state: State,
        home: Option<NodeIndex>,
        level: usize,
    ) -> Result<End, String> {
        let mut node = from;
        loop {
            if self.deadline.passed() {
                return Err("time is up".to_string());
            }
            if Some(node) != home
                && let Some(after) = self.jump(node, &state, level)?
            {
                state = after;
            }
            let (to, next) = self.step(node, &state)?;
            match to {
                Target::Stop(s) => return Ok(End::Stop(s)),
                Target::Incomplete => return Err("the run returns".to_string()),
                Target::Head(n) => {
                    if Some(n) == home {
                        return Ok(End::Back(next));
                    }
                    node = n;
                    state = next;
                }
            }
        }
    }

    /// Takes the one edge that is enabled.
    fn step(&mut self, node: NodeIndex, state: &State) -> Result<(Target, State), String> {
        self.out.steps += 1;
        if self.out.steps > MAX_STEPS {
            return Err("too many steps".to_string());
        }
        let edges: Vec<_> = self
            .cpg
            .graph
            .edges(node)
            .map(|e| (e.id(), e.target()))
            .collect();
        // Draws are made in program order; those of an edge that is not taken must not be used up.
        for (id, target) in edges {
            let edge = self.cpg.graph[id].clone();
            let mut s = subst(state);
            let mut used = self.at_draw;
            let mut blocked = false;
            for d in &edge.draws {
                // Earlier draws decide whether this one happens.
                let when = s.apply(&mut self.program.pool, d.when);
                if !self.program.pool.is_true(when) {
                    blocked |= !self.program.pool.is_false(when);
                    continue;
                }
                match &d.draw {
                    Draw::Approximate(why) => return Err(format!("approximate: {why}")),
                    Draw::Any => {
                        let Some(value) = self.draws.get(used).cloned() else {
                            blocked = true;
                            continue;
                        };
                        used += 1;
                        let sort = self.program.pool.var_info(d.var).sort;
                        let t = constant(&mut self.program.pool, &value, sort);
                        s.bind(d.var, t);
                    }
                }
            }
            let guard = s.apply(&mut self.program.pool, edge.guard);
            if self.program.pool.is_false(guard) {
                continue;
            }
            if blocked || !self.program.pool.is_true(guard) {
                return Err("a guard does not fold to a constant".to_string());
            }
            self.at_draw = used;
            let to = match self.cpg.graph[target] {
                CutPoint::Head(_) => Target::Head(target),
                CutPoint::Stop(stop) => Target::Stop(stop),
                CutPoint::Entry | CutPoint::Exit => Target::Incomplete,
            };
            let mut next = state.clone();
            for (&v, &t) in &edge.updates {
                if self.needed[&target].contains(&v) {
                    let t = s.apply(&mut self.program.pool, t);
                    next.insert(v, t);
                }
            }
            return Ok((to, next));
        }
        Err("no edge is enabled".to_string())
    }

    /// Jumps over as many iterations as an accelerator of this head allows, if that is worth it.
    fn jump(
        &mut self,
        node: NodeIndex,
        state: &State,
        level: usize,
    ) -> Result<Option<State>, String> {
        let graph = self.graph;
        let all = graph.accelerators.iter().chain(&graph.completed);
        for (_, a) in all.filter(|(n, _)| *n == node) {
            if a.precision != Precision::Exact || !a.path.draws.is_empty() {
                continue;
            }
            let n = self.most(a, state);
            if n < SHORT {
                continue;
            }
            let after = self.after(a, state, n);
            self.sample(node, a, state, n, level)?;
            self.out.jumps += 1;
            if level == 0 {
                let n = u64::try_from(n).unwrap_or(u64::MAX);
                self.out.iterations = self.out.iterations.saturating_add(n);
            }
            return Ok(Some(after));
        }
        Ok(None)
    }

    fn possible(&mut self, a: &Accelerator, state: &State, n: u128) -> bool {
        let pool = &mut self.program.pool;
        let mut s = subst(state);
        let n = pool.bv(n, pool.var_info(a.count).sort.width());
        s.bind(a.count, n);
        let g = s.apply(pool, a.guard);
        pool.is_true(g)
    }

    /// The largest possible number of iterations.
    fn most(&mut self, a: &Accelerator, state: &State) -> u128 {
        if !self.possible(a, state, 1) {
            return 0;
        }
        let w = self.program.pool.var_info(a.count).sort.width();
        let (mut low, mut high) = (1, mask(w));
        if self.possible(a, state, high) {
            return high;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.possible(a, state, middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn after(&mut self, a: &Accelerator, state: &State, n: u128) -> State {
        if n == 0 {
            return state.clone();
        }
        let pool = &mut self.program.pool;
        let mut s = subst(state);
        let n = pool.bv(n, pool.var_info(a.count).sort.width());
        s.bind(a.count, n);
        let mut out = state.clone();
        for (&v, &t) in &a.updates {
            let t = s.apply(pool, t);
            out.insert(v, t);
        }
        out
    }

    /// Compares the closed form with single steps at some iterations.
    fn sample(
        &mut self,
        node: NodeIndex,
        a: &Accelerator,
        state: &State,
        n: u128,
        level: usize,
    ) -> Result<(), String> {
        let per_side = SAMPLES[level.min(SAMPLES.len() - 1)] as u128;
        let mut points: BTreeSet<u128> = BTreeSet::new();
        let mut seed = n ^ 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
        for i in 0..per_side {
            points.insert(i.min(n - 1));
            points.insert((n - 1).saturating_sub(i));
            seed ^= seed << 23;
            seed ^= seed >> 41;
            seed ^= seed << 7;
            points.insert(seed % n);
        }
        let draws_before = self.at_draw;
        for k in points {
            let here = self.after(a, state, k);
            let End::Back(stepped) = self.walk_once(node, here, level + 1)? else {
                return Err("a sampled iteration ends the run".to_string());
            };
            let claimed = self.after(a, state, k + 1);
            for &v in a.updates.keys() {
                if !self.same(stepped.get(&v).copied(), claimed.get(&v).copied(), k) {
                    return Err(format!(
                        "the closed form of {} is wrong at iteration {k}",
                        self.program.pool.var_info(v).name
                    ));
                }
            }
            self.out.samples += 1;
        }
        self.at_draw = draws_before;
        Ok(())
    }

    /// One iteration of the loop at `home`.
    fn walk_once(&mut self, home: NodeIndex, state: State, level: usize) -> Result<End, String> {
        let (to, next) = self.step(home, &state)?;
        match to {
            Target::Stop(s) => Ok(End::Stop(s)),
            Target::Incomplete => Err("the run returns".to_string()),
            Target::Head(n) if n == home => Ok(End::Back(next)),
            Target::Head(n) => self.walk(n, next, Some(home), level),
        }
    }

    /// Equal constants, or arrays that agree around the places of interest.
    fn same(&mut self, a: Option<Term>, b: Option<Term>, k: u128) -> bool {
        let (Some(a), Some(b)) = (a, b) else {
            return a == b;
        };
        if a == b {
            return true;
        }
        let pool = &mut self.program.pool;
        let Sort::Array { index, .. } = pool.sort(a) else {
            return false;
        };
        let mut places: Vec<u128> = vec![0, 1, 2, k, k.wrapping_add(1), k.wrapping_sub(1)];
        // Where the step wrote.
        for t in [a, b] {
            if let Node::Store(_, i, _) = *pool.node(t)
                && let Some(i) = pool.as_const(i)
            {
                places.push(i);
            }
        }
        places.into_iter().all(|i| {
            let i = pool.bv(i, index);
            pool.select(a, i) == pool.select(b, i)
        })
    }
}

fn subst(state: &State) -> Subst {
    let mut s = Subst::new();
    for (&v, &t) in state {
        s.bind(v, t);
    }
    s
}

/// A value as a term.
pub fn constant(pool: &mut Pool, value: &Value, sort: Sort) -> Term {
    match value {
        Value::Bits(b) => pool.constant(*b, sort),
        Value::Array(a) => {
            let default = pool.constant(a.default, sort.element());
            let index = match sort {
                Sort::Array { index, .. } => index,
                _ => 1,
            };
            let mut out = pool.const_array(default, sort);
            for (&i, &x) in &a.at {
                let i = pool.bv(i, index);
                let x = pool.constant(x, sort.element());
                out = pool.store(out, i, x);
            }
            out
        }
    }
}
