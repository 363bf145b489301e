//! Bounded model checking of the accelerated graph in product with the trace automaton.
//!
//! Lineage: section 5 of the trace-automata paper: when every way to go further is infeasible (the unwinding
//! assertions hold) and no stop was reached, the program is safe. Changed: the unrolling is by paths of large
//! blocks, composed symbolically, so that constants fold; a path that cannot be extended ends by itself.
//! What is concluded: `Safe` only if the whole tree was explored and every cut was an unsatisfiable query;
//! a stop only if no accelerator on the way over-approximates.

use super::accelerator::Precision;
use super::graph::{Accelerated, Kind, Move, Target};
use crate::program::{Draw, Program};
use crate::smt::{Answer, Budget, Deadline, Model, Solver, Why};
use crate::term::{BinOp, FastMap, FastSet, Node, Pool, Subst, Term, Value, Var};
use petgraph::graph::NodeIndex;
use std::collections::BTreeMap;
use std::rc::Rc;

/// One step of a symbolic run: which edge, and its draws and count under their names in the query.
pub struct Link {
    pub before: Option<Rc<Link>>,
    pub letter: usize,
    /// (the edge's variable, its instance)
    pub renamed: Vec<(Var, Var)>,
    /// The number of iterations, if the edge stands for several.
    pub count: Option<Term>,
}

/// A symbolic run to a head.
struct Item {
    node: NodeIndex,
    automaton: usize,
    /// What led here: conjuncts.
    conditions: Vec<Term>,
    state: BTreeMap<Var, Term>,
    link: Option<Rc<Link>>,
    /// Does a step over-approximate?
    over: bool,
}

/// A run to a stop, with concrete values.
pub struct Hit {
    pub stop: usize,
    pub model: Model,
    /// Letters in order, with their draws (by the edge's own variables) and counts.
    pub steps: Vec<HitStep>,
}

pub struct HitStep {
    pub letter: usize,
    pub draws: FastMap<Var, Value>,
    pub count: Option<u128>,
}

#[allow(dead_code, reason = "the reasons are for a debugger")]
pub enum Explored {
    /// Everything was explored; the obligations are the conjunctions that had to be unsatisfiable.
    All {
        obligations: Vec<Vec<Term>>,
        depth: usize,
    },
    /// A violation that the caller has confirmed.
    Hit(usize),
    /// A reason that concerns the program: an unsupported construct, or approximations on every run found.
    Unsupported(usize, usize),
    Approximate(String, usize),
    /// Not finished.
    Stuck(String, usize),
}

pub struct Limits {
    pub max_depth: usize,
    pub max_items: usize,
    pub query: Budget,
}

/// Explores breadth first. `confirm` decides whether a hit is a violation; if not, the search goes on, but can no
/// longer end in `All`.
pub fn explore(
    program: &mut Program,
    graph: &Accelerated,
    entry: NodeIndex,
    deadline: &Deadline,
    limits: &Limits,
    confirm: &mut dyn FnMut(&mut Program, &Hit) -> bool,
) -> Explored {
    let mut search = Search {
        graph,
        solver: Solver::new(deadline),
        limits,
        obligations: vec![],
        doubt: None,
    };
    let mut frontier = vec![Item {
        node: entry,
        automaton: graph.dfa.start,
        conditions: vec![],
        state: BTreeMap::new(),
        link: None,
        over: false,
    }];
    let mut n_items = 0;
    let mut depth = 0;
    while !frontier.is_empty() {
        let mut next = vec![];
        for item in &frontier {
            let counted = search.countable(program, item);
            for (letter, mv) in graph.moves.iter().enumerate() {
                if mv.from != item.node {
                    continue;
                }
                let skip = match mv.kind {
                    Kind::Jump {
                        accelerator,
                        saturated: false,
                    } => counted.contains(&accelerator),
                    Kind::Complete { accelerator, .. } | Kind::Remainder { accelerator } => {
                        !counted.contains(&accelerator)
                    }
                    _ => false,
                };
                if skip {
                    continue;
                }
                let automaton = graph.dfa.step(item.automaton, letter);
                if graph.dfa.accepting[automaton] {
                    continue;
                }
                if deadline.passed() {
                    return Explored::Stuck("time is up".to_string(), depth);
                }
                match search.take(program, item, letter, mv, confirm) {
                    Taken::Cut => {}
                    Taken::On(mut item) => {
                        item.automaton = automaton;
                        next.push(*item);
                    }
                    Taken::Hit => return Explored::Hit(depth),
                }
            }
        }
        n_items += next.len();
        if n_items > limits.max_items {
            return Explored::Stuck("too many paths".to_string(), depth);
        }
        frontier = next;
        depth += 1;
        if depth > limits.max_depth {
            return Explored::Stuck("too deep".to_string(), depth);
        }
    }
    match search.doubt {
        None => Explored::All {
            obligations: search.obligations,
            depth,
        },
        Some(Doubt::Unsupported(s)) => Explored::Unsupported(s, depth),
        Some(Doubt::Approximate(why)) => Explored::Approximate(why, depth),
        Some(Doubt::Other(why)) => Explored::Stuck(why, depth),
    }
}

enum Doubt {
    Unsupported(usize),
    Approximate(String),
    Other(String),
}

enum Taken {
    Cut,
    On(Box<Item>),
    Hit,
}

struct Search<'a> {
    graph: &'a Accelerated,
    solver: Solver,
    limits: &'a Limits,
    obligations: Vec<Vec<Term>>,
    doubt: Option<Doubt>,
}

impl Search<'_> {
    fn take(
        &mut self,
        program: &mut Program,
        item: &Item,
        letter: usize,
        mv: &Move,
        confirm: &mut dyn FnMut(&mut Program, &Hit) -> bool,
    ) -> Taken {
        let pool = &mut program.pool;
        let (mut s, renamed) = self.instance(pool, item, mv);
        let guard = s.apply(pool, mv.guard);
        if pool.is_false(guard) {
            return Taken::Cut;
        }
        let mut conditions = item.conditions.clone();
        let mut model = None;
        if !pool.is_true(guard) {
            super::path::conjuncts(pool, guard, &mut conditions);
            match self
                .solver
                .check(pool, "accelerate", &conditions, self.limits.query)
            {
                Answer::Unsat => {
                    self.obligations.push(conditions);
                    return Taken::Cut;
                }
                Answer::Sat(m) => model = Some(m),
                // Going on is sound; what is behind it may still be cut.
                Answer::Unknown(_) | Answer::Failed(_) => {}
            }
        }
        let over = item.over || self.is_over(mv);
        let count = match mv.kind {
            Kind::Complete { count, .. } => Some(count),
            Kind::Jump { accelerator, .. } | Kind::Remainder { accelerator } => {
                let v = self.graph.accelerators[accelerator].1.count;
                Some(pool.var(v))
            }
            _ => None,
        };
        let count = count.map(|c| s.apply(pool, c));
        let link = Rc::new(Link {
            before: item.link.clone(),
            letter,
            renamed,
            count,
        });
        match mv.to {
            Target::Head(node) => {
                let mut state = item.state.clone();
                for (&v, &t) in &mv.updates {
                    let t = s.apply(pool, t);
                    state.insert(v, t);
                }
                Taken::On(Box::new(Item {
                    node,
                    automaton: 0,
                    conditions,
                    state,
                    link: Some(link),
                    over,
                }))
            }
            Target::Incomplete => {
                self.doubt
                    .get_or_insert(Doubt::Other("an inner loop may wrap around".to_string()));
                Taken::Cut
            }
            Target::Stop(stop) => {
                if model.is_none() {
                    match self
                        .solver
                        .check(pool, "accelerate", &conditions, self.limits.query)
                    {
                        Answer::Sat(m) => model = Some(m),
                        Answer::Unsat => {
                            self.obligations.push(conditions);
                            return Taken::Cut;
                        }
                        Answer::Unknown(Why::Deadline | Why::Budget) => {
                            self.doubt
                                .get_or_insert(Doubt::Other("a query took too long".to_string()));
                            return Taken::Cut;
                        }
                        Answer::Unknown(Why::Other(e)) | Answer::Failed(e) => {
                            self.doubt.get_or_insert(Doubt::Other(e));
                            return Taken::Cut;
                        }
                    }
                }
                if !program.stops[stop].is_violation() {
                    self.doubt = Some(Doubt::Unsupported(stop));
                    return Taken::Cut;
                }
                if over {
                    self.doubt.get_or_insert(Doubt::Other(
                        "a violation behind an over-approximated loop".to_string(),
                    ));
                    return Taken::Cut;
                }
                if let Some(why) = self.approximate(program, &link) {
                    self.doubt.get_or_insert(Doubt::Approximate(why));
                    return Taken::Cut;
                }
                let model = self.smaller(program, &conditions, &link).or(model);
                let Some(model) = model else {
                    return Taken::Cut;
                };
                let hit = self.hit(&program.pool, stop, &link, model);
                if confirm(program, &hit) {
                    return Taken::Hit;
                }
                self.doubt.get_or_insert(Doubt::Other(
                    "a violation that could not be confirmed".to_string(),
                ));
                Taken::Cut
            }
        }
    }

    /// The substitution of an edge's variables at the end of a run; draws and counts become fresh.
    fn instance(&self, pool: &mut Pool, item: &Item, mv: &Move) -> (Subst, Vec<(Var, Var)>) {
        let mut s = Subst::new();
        for (&v, &t) in &item.state {
            s.bind(v, t);
        }
        let mut renamed = vec![];
        let mut own: Vec<Var> = mv.draws.iter().map(|d| d.var).collect();
        if let Some(accelerator) = mv.kind.accelerator() {
            let a = &self.graph.accelerators[accelerator].1;
            own.push(a.count);
            own.extend(&a.unknowns);
        }
        for v in own {
            let info = pool.var_info(v).clone();
            let fresh = pool.fresh(info.name, info.sort);
            let t = pool.var(fresh);
            s.bind(v, t);
            renamed.push((v, fresh));
        }
        (s, renamed)
    }

    fn is_over(&self, mv: &Move) -> bool {
        mv.kind
            .accelerator()
            .is_some_and(|a| self.graph.accelerators[a].1.precision == Precision::Over)
    }

    /// The accelerators whose iterations can be counted here without dividing by something symbolic: a formula for
    /// the count is better than a search for it, but a divider is not.
    fn countable(&self, program: &mut Program, item: &Item) -> Vec<usize> {
        let pool = &mut program.pool;
        let mut s = Subst::new();
        for (&v, &t) in &item.state {
            s.bind(v, t);
        }
        let mut out = vec![];
        for mv in &self.graph.moves {
            if let Kind::Complete { accelerator, count } = mv.kind
                && mv.from == item.node
            {
                let count = s.apply(pool, count);
                if !divides(pool, count) {
                    out.push(accelerator);
                }
            }
        }
        out
    }

    /// A draw on the way that stands for a value the model does not know.
    fn approximate(&self, _: &Program, link: &Rc<Link>) -> Option<String> {
        let mut at = Some(link.clone());
        while let Some(l) = at {
            for d in &self.graph.moves[l.letter].draws {
                if let Draw::Approximate(why) = &d.draw {
                    return Some(why.clone());
                }
            }
            at = l.before.clone();
        }
        None
    }

    /// A model with few iterations, if there is one: easier to run and to read.
    fn smaller(
        &mut self,
        program: &mut Program,
        conditions: &[Term],
        link: &Rc<Link>,
    ) -> Option<Model> {
        let counts: Vec<Term> = links(link).iter().filter_map(|l| l.count).collect();
        if counts.is_empty() {
            return None;
        }
        let pool = &mut program.pool;
        let mut conditions = conditions.to_vec();
        for n in counts {
            let w = pool.width(n);
            let few = pool.bv(1000.min(crate::term::mask(w)), w);
            let c = pool.ule(n, few);
            conditions.push(c);
        }
        match self
            .solver
            .check(pool, "accelerate-smaller", &conditions, Budget::steady(100))
        {
            Answer::Sat(m) => Some(m),
            _ => None,
        }
    }

    fn hit(&self, pool: &Pool, stop: usize, link: &Rc<Link>, model: Model) -> Hit {
        let mut steps = vec![];
        for l in links(link) {
            let mut step = HitStep {
                letter: l.letter,
                draws: FastMap::default(),
                count: l.count.map(|c| pool.eval_bits(c, &model)),
            };
            for (own, fresh) in &l.renamed {
                if let Some(value) = model.values.get(fresh) {
                    step.draws.insert(*own, value.clone());
                }
            }
            steps.push(step);
        }
        Hit { stop, model, steps }
    }
}

/// The steps of a run in order.
fn links(last: &Rc<Link>) -> Vec<Rc<Link>> {
    let mut out = vec![];
    let mut at = Some(last.clone());
    while let Some(l) = at {
        at = l.before.clone();
        out.push(l);
    }
    out.reverse();
    out
}

/// Does the term divide by anything but folds and shifts?
fn divides(pool: &Pool, t: Term) -> bool {
    let mut seen = FastSet::default();
    let mut todo = vec![t];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Udiv | BinOp::Urem | BinOp::Sdiv | BinOp::Srem, ..) =
            pool.node(t)
        {
            return true;
        }
        todo.extend(pool.children(t));
    }
    false
}
