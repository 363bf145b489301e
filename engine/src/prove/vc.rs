//! Hoare triples of functional edges: what must be unsatisfiable for lemmas to be kept.
//!
//! A lemma with bound variables is, as a goal, asked at fresh variables; as a hypothesis it is used at the index
//! terms that occur in the question (and the fresh ones): enough for array ranges, and always sound.

use super::{Lemma, Lemmas, Task};
use crate::program::cpg::CutPoint;
use crate::term::{BinOp, FastSet, Node, Pool, Sort, Subst, Term, Var};
use petgraph::graph::EdgeIndex;
use std::collections::BTreeMap;

/// For each obligation of this edge the conjuncts that must be unsatisfiable together.
pub fn triples(task: &mut Task, edge: EdgeIndex, lemmas: &Lemmas) -> Vec<Vec<Term>> {
    let Some((from, to)) = task.full.graph.edge_endpoints(edge) else {
        return vec![];
    };
    let (from, to) = (task.full.graph[from], task.full.graph[to]);
    let weight = task.full.graph[edge].clone();
    let none = vec![];
    let hypotheses = lemmas.get(&from).unwrap_or(&none);
    let pool = &mut task.program.pool;
    let mut goals: Vec<Vec<Term>> = vec![];
    match to {
        CutPoint::Exit | CutPoint::Entry => return vec![],
        CutPoint::Stop(_) => goals.push(vec![]),
        CutPoint::Head(_) => {
            let mut s = Subst::new();
            for (v, t) in &weight.updates {
                s.bind(*v, *t);
            }
            for l in lemmas.get(&to).unwrap_or(&none) {
                // Bound variables are not state: the substitution leaves them alone.
                let (body, witnesses) = l.skolemized(pool);
                let after = s.apply(pool, body);
                let mut not = pool.not(after);
                for &w in &witnesses {
                    if let Some(j) = pool.as_var(w) {
                        not = case_split(pool, not, j, 4);
                    }
                }
                if pool.is_false(not) {
                    continue;
                }
                let mut goal = vec![not];
                goal.extend(witnesses.iter().map(|w| pool.eq(*w, *w)));
                goals.push(goal);
            }
        }
    }
    let mut out = vec![];
    for goal in goals {
        let mut query = vec![weight.guard];
        query.extend(goal);
        for l in hypotheses {
            if l.bound.is_empty() {
                query.push(l.body);
            }
        }
        for t in instances(pool, hypotheses, &query) {
            query.push(t);
        }
        out.push(query);
    }
    out
}

/// The term, split by whether `j` is one of the places that it compares `j` with: `g` is equivalent to
/// `j = t && g[t/j] || j != t && g[false/(j = t)]`. Bit-blasted, congruence of reads is hard; split, it folds.
pub fn case_split(pool: &mut Pool, g: Term, j: Var, depth: u32) -> Term {
    if depth == 0 {
        return g;
    }
    let Some((atom, place)) = comparison_with(pool, g, j) else {
        return g;
    };
    let mut there = Subst::new();
    there.bind(j, place);
    let hit = there.apply(pool, g);
    let hit = pool.and(atom, hit);
    let mut elsewhere = Subst::new();
    let never = pool.bool(false);
    elsewhere.fix(atom, never);
    let miss = elsewhere.apply(pool, g);
    let miss = case_split(pool, miss, j, depth - 1);
    let not = pool.not(atom);
    let miss = pool.and(not, miss);
    pool.or(hit, miss)
}

/// An equation in the term that can be solved for `j`, with the solution.
fn comparison_with(pool: &mut Pool, g: Term, j: Var) -> Option<(Term, Term)> {
    let tj = pool.var(j);
    let mut seen: FastSet<Term> = FastSet::default();
    let mut todo = vec![g];
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Binary(BinOp::Eq, a, b) = *pool.node(t) {
            for (x, y) in [(a, b), (b, a)] {
                if pool.sort(x) != pool.sort(tj) || pool.free_vars(&[y]).contains(&j) {
                    continue;
                }
                if x == tj {
                    return Some((t, y));
                }
                // j + c = y
                if let Node::Binary(BinOp::Add, z, c) = *pool.node(x)
                    && z == tj
                    && pool.as_const(c).is_some()
                {
                    let place = pool.sub(y, c);
                    return Some((t, place));
                }
            }
        }
        todo.extend(pool.children(t));
    }
    None
}

/// The quantified lemmas at the indices at which the terms read arrays; two rounds, as instances read, too.
pub fn instances(pool: &mut Pool, lemmas: &[Lemma], about: &[Term]) -> Vec<Term> {
    let found = instances_of(pool, lemmas, about);
    found.into_iter().map(|(t, _)| t).collect()
}

/// As `instances`, with the lemma of each.
pub fn instances_of(pool: &mut Pool, lemmas: &[Lemma], about: &[Term]) -> Vec<(Term, Lemma)> {
    let mut out: Vec<(Term, Lemma)> = vec![];
    if lemmas.iter().all(|l| l.bound.is_empty()) {
        return out;
    }
    let mut seen: FastSet<Term> = FastSet::default();
    let mut roots = about.to_vec();
    for _ in 0..2 {
        let at = indices(pool, &roots);
        let mut new = vec![];
        for l in lemmas {
            let [bound] = l.bound[..] else { continue };
            let sort = pool.var_info(bound).sort;
            for &i in &at {
                if pool.sort(i) == sort {
                    let t = l.instance(pool, &[i]);
                    if !pool.is_true(t) && seen.insert(t) {
                        out.push((t, l.clone()));
                        new.push(t);
                    }
                }
            }
        }
        if new.is_empty() || out.len() > 400 {
            break;
        }
        roots.extend(new);
    }
    out
}

/// The index terms of all reads below the roots.
pub fn indices(pool: &Pool, roots: &[Term]) -> Vec<Term> {
    let mut seen: FastSet<Term> = FastSet::default();
    let mut out = vec![];
    let mut todo = roots.to_vec();
    while let Some(t) = todo.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Node::Select(_, i) = pool.node(t)
            && !out.contains(i)
        {
            out.push(*i);
        }
        todo.extend(pool.children(t));
    }
    out.sort();
    out
}

/// Variables that are another one and a constant, or a constant alone, by these conjunctions. The values speak of
/// variables that are not given themselves.
pub fn offsets(pool: &mut Pool, known: &[Term]) -> BTreeMap<Var, Term> {
    let mut given = Subst::new();
    let mut todo = known.to_vec();
    while let Some(t) = todo.pop() {
        let (a, b) = match *pool.node(t) {
            Node::Binary(BinOp::And, a, b) => {
                todo.extend([a, b]);
                continue;
            }
            Node::Binary(BinOp::Eq, a, b) if pool.sort(a) != Sort::Bool => (a, b),
            _ => continue,
        };
        let (a, b) = (given.apply(pool, a), given.apply(pool, b));
        let (Some((x, c)), Some((y, d))) = (pool.offset(a), pool.offset(b)) else {
            continue;
        };
        // x + c = y + d
        let w = pool.width(a);
        let (v, other, distance) = match (x, y) {
            (Some(x), y) if Some(x) != y => (x, y, d.wrapping_sub(c)),
            (None, Some(y)) => (y, None, c.wrapping_sub(d)),
            _ => continue,
        };
        let distance = pool.bv(distance, w);
        let value = match other {
            Some(y) => {
                let y = pool.var(y);
                pool.add(y, distance)
            }
            None => distance,
        };
        let mut last = Subst::new();
        last.bind(v, value);
        let earlier: Vec<(Var, Term)> = given.iter().collect();
        for (u, t) in earlier {
            let t = last.apply(pool, t);
            given.bind(u, t);
        }
        given.bind(v, value);
    }
    given.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_speak_of_what_is_not_given() {
        let mut pool = Pool::new();
        let vars: Vec<Var> = (0..4)
            .map(|i| pool.fresh(format!("v{i}"), Sort::Bv(8)))
            .collect();
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| pool.var(vars[i]));
        let (three, nine) = (pool.bv(3, 8), pool.bv(9, 8));
        let sum = pool.add(b, three);
        // a = b + 3, c = a, d + 3 = 9
        let (e1, e2) = (pool.eq(a, sum), pool.eq(c, a));
        let shifted = pool.add(d, three);
        let e3 = pool.eq(shifted, nine);
        let all = pool.and_all(&[e1, e2, e3]);
        let given = offsets(&mut pool, &[all]);
        assert_eq!(given.len(), 3);
        for value in given.values() {
            let free = pool.free_vars(&[*value]);
            assert!(free.iter().all(|v| !given.contains_key(v)));
        }
        // whatever is left to choose, the values satisfy what is known
        let mut s = Subst::new();
        for (v, t) in given {
            s.bind(v, t);
        }
        let holds = s.apply(&mut pool, all);
        assert!(pool.is_true(holds));
    }
}
