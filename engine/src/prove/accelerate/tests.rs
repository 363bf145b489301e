//! Accelerators against brute force: at widths 3 and 4 every state, every count, every small loop of a family.
//!
//! For each loop: (1) each accelerated step is exactly n single steps; (2) chains of accelerated steps, in which all
//! but the last are saturated, reach every state that iterations reach. The failing twins break one of the two on
//! purpose and must be caught.

use super::*;
use crate::term::{FastMap, Pool, Sort, Term, Value, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Decides validity by trying all values of the free variables.
pub struct BruteForce;

impl Oracle for BruteForce {
    fn valid(&mut self, pool: &mut Pool, condition: Term) -> bool {
        let vars = pool.free_vars(&[condition]);
        let widths: Vec<u32> = vars.iter().map(|&v| width(pool, v)).collect();
        let total: u32 = widths.iter().sum();
        if total > 12 {
            return false;
        }
        (0u128..1 << total).all(|bits| {
            let mut env: FastMap<Var, Value> = FastMap::default();
            let mut rest = bits;
            for (&v, &w) in vars.iter().zip(&widths) {
                env.insert(v, Value::Bits(rest & crate::term::mask(w)));
                rest >>= w;
            }
            pool.eval_bool(condition, &env)
        })
    }
}

fn width(pool: &Pool, v: Var) -> u32 {
    match pool.var_info(v).sort {
        Sort::Bv(w) => w,
        _ => 1,
    }
}

type State = Vec<u128>;

fn env_of(vars: &[Var], state: &State) -> FastMap<Var, Value> {
    vars.iter()
        .zip(state)
        .map(|(&v, &x)| (v, Value::Bits(x)))
        .collect()
}

/// One iteration, if the path can be taken.
fn iterate(pool: &Pool, path: &Path, vars: &[Var], state: &State) -> Option<State> {
    let env = env_of(vars, state);
    if !path.literals.iter().all(|&l| pool.eval_bool(l, &env)) {
        return None;
    }
    Some(
        vars.iter()
            .zip(state)
            .map(|(v, &x)| path.updates.get(v).map_or(x, |&t| pool.eval_bits(t, &env)))
            .collect(),
    )
}

fn all_states(pool: &Pool, vars: &[Var]) -> Vec<State> {
    let mut out = vec![vec![]];
    for &v in vars {
        let w = width(pool, v);
        out = out
            .into_iter()
            .flat_map(|s: State| {
                (0..1u128 << w).map(move |x| {
                    let mut s = s.clone();
                    s.push(x);
                    s
                })
            })
            .collect();
    }
    out
}

/// What went wrong with an accelerated loop.
#[derive(Debug, PartialEq, Eq)]
enum Flaw {
    Unsound,
    Lost,
    WrongExit,
}

/// Where the exit count says that the path is left, and the guard agrees, it is left there and not earlier; where it
/// says never, never.
fn exit_is_right(pool: &Pool, a: &Accelerator, vars: &[Var], states: &[State]) -> bool {
    let Some(exit) = a.exit else { return true };
    states.iter().all(|s| {
        let mut orbit = vec![s.clone()];
        let mut seen = BTreeSet::from([s.clone()]);
        let mut endless = false;
        while let Some(next) = iterate(pool, &a.path, vars, &orbit[orbit.len() - 1]) {
            endless = !seen.insert(next.clone());
            orbit.push(next);
            if endless {
                break;
            }
        }
        let mut env = env_of(vars, s);
        if !pool.eval_bool(exit.known, &env) {
            return endless;
        }
        let count = pool.eval_bits(exit.count, &env);
        env.insert(a.count, Value::Bits(count));
        let possible = count == 0 || pool.eval_bool(a.guard, &env);
        if !possible {
            return true;
        }
        // Still on the path there: the caller sees that and does not believe the count.
        let there: State = if count == 0 {
            s.clone()
        } else {
            vars.iter()
                .zip(s)
                .map(|(v, &x)| a.updates.get(v).map_or(x, |&t| pool.eval_bits(t, &env)))
                .collect()
        };
        iterate(pool, &a.path, vars, &there).is_some()
            || (!endless && orbit.len() as u128 - 1 == count)
    })
}

/// Checks the accelerators of one path against brute force; says how many accelerators there were.
fn check(pool: &mut Pool, path: &Path, vars: &[Var]) -> Result<usize, Flaw> {
    let cases = accelerate(pool, &mut BruteForce, path);
    check_cases(pool, path, vars, &cases)
}

fn check_cases(
    pool: &mut Pool,
    path: &Path,
    vars: &[Var],
    cases: &[(Path, Result<Accelerator, Refusal>)],
) -> Result<usize, Flaw> {
    let states = all_states(pool, vars);
    // Accelerated steps from each state: (successor, saturated), for each case.
    let mut steps: BTreeMap<State, Vec<(usize, State, bool)>> = BTreeMap::new();
    let mut n_accelerators = 0;
    for (case, result) in cases.iter().enumerate() {
        let (sub, Ok(a)) = (&result.0, &result.1) else {
            continue;
        };
        n_accelerators += 1;
        if a.precision != Precision::Exact {
            continue;
        }
        let n_width = width(pool, a.count);
        if !exit_is_right(pool, a, vars, &states) {
            return Err(Flaw::WrongExit);
        }
        for s in &states {
            // Brute force orbit on this case.
            let mut orbit = vec![s.clone()];
            while orbit.len() < 1 << n_width
                && let Some(next) = iterate(pool, sub, vars, &orbit[orbit.len() - 1])
            {
                orbit.push(next);
            }
            for n in 0..1u128 << n_width {
                let mut env = env_of(vars, s);
                env.insert(a.count, Value::Bits(n));
                let mut memo = FastMap::default();
                if pool.eval_memo(a.guard, &env, &mut memo).bits() == 0 {
                    continue;
                }
                let claimed: State = vars
                    .iter()
                    .zip(s)
                    .map(|(v, &x)| {
                        a.updates
                            .get(v)
                            .map_or(x, |&t| pool.eval_memo(t, &env, &mut memo).bits())
                    })
                    .collect();
                if n == 0 || orbit.get(n as usize) != Some(&claimed) {
                    return Err(Flaw::Unsound);
                }
                let saturated = pool.eval_memo(a.saturated, &env, &mut memo).bits() != 0;
                steps
                    .entry(s.clone())
                    .or_default()
                    .push((case, claimed, saturated));
            }
        }
    }
    // Chains, as the trace automaton allows them.
    for s in &states {
        let mut reached: BTreeSet<State> = BTreeSet::new();
        let mut at = s.clone();
        while let Some(next) = iterate(pool, path, vars, &at) {
            if !reached.insert(next.clone()) {
                break;
            }
            at = next;
        }
        let mut seen: BTreeSet<(State, Option<usize>)> = BTreeSet::new();
        let mut todo = vec![(s.clone(), None)];
        let mut chained: BTreeSet<State> = BTreeSet::new();
        while let Some((at, forbidden)) = todo.pop() {
            if !seen.insert((at.clone(), forbidden)) {
                continue;
            }
            for (case, to, saturated) in steps.get(&at).into_iter().flatten() {
                if Some(*case) == forbidden {
                    continue;
                }
                chained.insert(to.clone());
                todo.push((to.clone(), (!saturated).then_some(*case)));
            }
            // Paths that no accelerator subsumes stay in the program.
            for (sub, result) in cases {
                let subsumed = match result {
                    Ok(a) => a.subsumes_path && a.precision == Precision::Exact,
                    Err(Refusal::Stutters) => true,
                    Err(_) => false,
                };
                if !subsumed && let Some(to) = iterate(pool, sub, vars, &at) {
                    chained.insert(to.clone());
                    todo.push((to, None));
                }
            }
        }
        reached.remove(s);
        chained.remove(s);
        if reached != chained {
            return Err(if chained.is_subset(&reached) {
                Flaw::Lost
            } else {
                Flaw::Unsound
            });
        }
    }
    Ok(n_accelerators)
}

const GUARDS: [&str; 10] = [
    "u<", "u<=", "u>", "u>=", "s<", "s<=", "s>", "s>=", "!=", "==",
];

fn compare(pool: &mut Pool, op: &str, a: Term, b: Term) -> Term {
    match op {
        "u<" => pool.ult(a, b),
        "u<=" => pool.ule(a, b),
        "u>" => pool.ult(b, a),
        "u>=" => pool.ule(b, a),
        "s<" => pool.slt(a, b),
        "s<=" => pool.sle(a, b),
        "s>" => pool.slt(b, a),
        "s>=" => pool.sle(b, a),
        "==" => pool.eq(a, b),
        _ => {
            let e = pool.eq(a, b);
            pool.not(e)
        }
    }
}

struct Loop {
    pool: Pool,
    vars: Vec<Var>,
    path: Path,
}

/// `while g(x) { x += c }` and friends: builds a path from literals and updates given by closures.
fn build(
    w: u32,
    n_vars: usize,
    make: impl FnOnce(&mut Pool, &[Term]) -> (Vec<Term>, Vec<Term>),
) -> Option<Loop> {
    let mut pool = Pool::new();
    let vars: Vec<Var> = (0..n_vars)
        .map(|i| pool.fresh(["x", "y", "z"][i], Sort::Bv(w)))
        .collect();
    let terms: Vec<Term> = vars.iter().map(|&v| pool.var(v)).collect();
    let (literals, news) = make(&mut pool, &terms);
    let updates = vars
        .iter()
        .zip(news)
        .filter(|&(&v, t)| pool.as_var(t) != Some(v))
        .map(|(&v, t)| (v, t))
        .collect();
    let guard = pool.and_all(&literals);
    if pool.is_false(guard) {
        return None;
    }
    let mut literals = vec![];
    path::conjuncts(&mut pool, guard, &mut literals);
    Some(Loop {
        pool,
        vars,
        path: Path {
            literals,
            updates,
            draws: vec![],
        },
    })
}

#[test]
fn every_single_variable_loop_of_width_4() {
    let mut accelerated = 0;
    for op in GUARDS {
        for bound in 0..16 {
            for step in 0..16 {
                let Some(mut l) = build(4, 1, |pool, v| {
                    let b = pool.bv(bound, 4);
                    let c = pool.bv(step, 4);
                    (vec![compare(pool, op, v[0], b)], vec![pool.add(v[0], c)])
                }) else {
                    continue;
                };
                match check(&mut l.pool, &l.path, &l.vars) {
                    Ok(n) => accelerated += n,
                    Err(flaw) => panic!("{flaw:?}: while x {op} {bound} {{ x += {step} }}"),
                }
            }
        }
    }
    assert!(accelerated > 1800, "{accelerated}");
}

#[test]
fn every_loop_with_a_moving_bound_of_width_3() {
    for op in GUARDS {
        for cx in 0..8 {
            for cy in 0..8 {
                let Some(mut l) = build(3, 2, |pool, v| {
                    let (a, b) = (pool.bv(cx, 3), pool.bv(cy, 3));
                    (
                        vec![compare(pool, op, v[0], v[1])],
                        vec![pool.add(v[0], a), pool.add(v[1], b)],
                    )
                }) else {
                    continue;
                };
                if let Err(flaw) = check(&mut l.pool, &l.path, &l.vars) {
                    panic!("{flaw:?}: while x {op} y {{ x += {cx}; y += {cy} }}");
                }
            }
        }
    }
}

/// Updates of a second variable, by kind.
fn second_update(pool: &mut Pool, kind: u64, w: u32, x: Term, y: Term, c: Term) -> Term {
    match kind {
        0 => pool.add(y, c),
        1 => pool.add(y, x),
        2 => {
            let two = pool.bv(2, w);
            pool.mul(y, two)
        }
        3 => c,
        4 => pool.sub(c, y),
        5 => {
            let p = pool.mul(x, x);
            pool.add(y, p)
        }
        6 => pool.add(x, c),
        7 => {
            let three = pool.bv(3, w);
            let p = pool.mul(y, three);
            pool.add(p, x)
        }
        8 => {
            let one = pool.bv(1, w);
            pool.binary(crate::term::BinOp::Lshr, y, one)
        }
        9 => {
            let one = pool.bv(1, w);
            pool.binary(crate::term::BinOp::Ashr, y, one)
        }
        10 => x,
        _ => y,
    }
}

struct Rng(u64);
impl Rng {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Random loops: two variables, one or two atoms, every kind of second update, symbolic steps.
fn random_loops(seed: u64, rounds: u64, w: u32) -> usize {
    let mut rng = Rng(seed);
    let mut accelerated = 0;
    for round in 0..rounds {
        let size = 1u64 << w;
        let (op1, op2) = (
            GUARDS[rng.below(10) as usize],
            GUARDS[rng.below(10) as usize],
        );
        let (b1, b2, c, d) = (
            rng.below(size),
            rng.below(size),
            rng.below(size),
            rng.below(size),
        );
        let (kind, first, shape) = (rng.below(12), rng.below(8), rng.below(5));
        let describe = format!(
            "seed {seed} round {round}: x {op1} {b1}, {op2} {b2}, c {c} d {d} kind {kind} first {first} shape {shape}"
        );
        let Some(mut l) = build(w, 2, |pool, v| {
            let (k1, k2) = (pool.bv(b1.into(), w), pool.bv(b2.into(), w));
            let (c, d) = (pool.bv(c.into(), w), pool.bv(d.into(), w));
            let mut literals = vec![compare(pool, op1, v[0], k1)];
            match shape {
                0 => literals.push(compare(pool, op2, v[0], k2)),
                1 => literals.push(compare(pool, op2, v[1], k2)),
                2 => literals.push(compare(pool, op2, v[0], v[1])),
                3 => {
                    let one = pool.bv(1, w);
                    let masked = pool.binary(crate::term::BinOp::BvAnd, v[0], one);
                    let zero = pool.bv(0, w);
                    literals.push(compare(pool, op2, masked, zero));
                }
                _ => {}
            }
            let x = match first {
                0 => pool.add(v[0], v[1]),
                1 => pool.sub(v[0], v[1]),
                2 => {
                    let s = pool.add(v[0], v[1]);
                    pool.add(s, c)
                }
                _ => pool.add(v[0], c),
            };
            let y = second_update(pool, kind, w, v[0], v[1], d);
            (literals, vec![x, y])
        }) else {
            continue;
        };
        match check(&mut l.pool, &l.path, &l.vars) {
            Ok(n) => accelerated += n,
            Err(flaw) => panic!("{flaw:?}: {describe}"),
        }
    }
    accelerated
}

#[test]
fn random_two_variable_loops_of_width_3() {
    let n = random_loops(0x9e37_79b9_7f4a_7c15, 1500, 3);
    assert!(n > 700, "{n}");
}

#[test]
#[ignore = "minutes; run after changes of the rules"]
fn many_random_loops() {
    for seed in 1..40u64 {
        random_loops(seed.wrapping_mul(0x1234_5678_9abc_def1), 2000, 3);
        random_loops(seed.wrapping_mul(0x0fed_cba9_8765_4321), 100, 4);
    }
}

/// The twins: an accelerator with a condition missing must be caught.
#[test]
fn broken_accelerators_are_caught() {
    let mut l = build(3, 1, |pool, v| {
        let (b, c) = (pool.bv(6, 3), pool.bv(3, 3));
        (vec![pool.ult(v[0], b)], vec![pool.add(v[0], c)])
    })
    .expect("a loop");
    let cases = accelerate(&mut l.pool, &mut BruteForce, &l.path);
    assert_eq!(check_cases(&mut l.pool, &l.path, &l.vars, &cases), Ok(1));

    let mut unguarded = cases.clone();
    if let Ok(a) = &mut unguarded[0].1 {
        let n = l.pool.var(a.count);
        let w = l.pool.width(n);
        let zero = l.pool.bv(0, w);
        a.guard = l.pool.ult(zero, n);
    }
    assert_eq!(
        check_cases(&mut l.pool, &l.path, &l.vars, &unguarded),
        Err(Flaw::Unsound)
    );

    let mut never_saturated = cases;
    if let Ok(a) = &mut never_saturated[0].1 {
        a.saturated = l.pool.bool(false);
    }
    assert_eq!(
        check_cases(&mut l.pool, &l.path, &l.vars, &never_saturated),
        Err(Flaw::Lost)
    );
}

/// The candidates that hold on all runs, together with the exit guard, give the property.
#[test]
fn candidates_of_counting_up_and_down() {
    use crate::program::cpg::Cpg;
    use crate::program::interp::{Observer, Script, initial_state, run};
    use crate::program::{BlockId, Terminator};
    struct Heads(BTreeSet<Vec<u128>>);
    impl Observer for Heads {
        fn at(&mut self, block: BlockId, state: &[Value]) {
            if block == BlockId(1) {
                self.0.insert(state[..3].iter().map(Value::bits).collect());
            }
        }
    }
    let mut program = examples::count_up_down(4, 1, true);
    let cpg = Cpg::of(&mut program);
    let lemmas = candidates(&mut program, &cpg);
    assert!(!lemmas.is_empty());
    let mut seen = Heads(BTreeSet::new());
    for n in 0..16 {
        let mut state = initial_state(&program);
        state[0] = Value::Bits(n);
        run(&program, state, &mut Script::new(vec![]), 1000, &mut seen);
    }
    let vars: Vec<Var> = program.vars.clone();
    let holding: Vec<Term> = lemmas
        .iter()
        .filter(|(_, l)| {
            seen.0
                .iter()
                .all(|s| program.pool.eval_bool(l.body, &env_of(&vars, s)))
        })
        .map(|(_, l)| l.body)
        .collect();
    let Terminator::Branch { cond, .. } = program.blocks[1].terminator else {
        panic!("a loop head")
    };
    let Terminator::Branch { cond: claim, .. } = program.blocks[3].terminator else {
        panic!("an assertion")
    };
    for s in all_states(&program.pool, &vars) {
        let env = env_of(&vars, &s);
        if holding.iter().all(|&l| program.pool.eval_bool(l, &env))
            && !program.pool.eval_bool(cond, &env)
        {
            assert!(program.pool.eval_bool(claim, &env), "{s:?}");
        }
    }
}
