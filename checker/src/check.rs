//! Checks the claim of one snapshot: every fragment between cut-points keeps the lemmas and meets no violation.
//!
//! Floyd's method, from the text up: from the entry, with nothing assumed, and from every cut-point, with its lemmas
//! assumed, every path to the next cut-point is walked; on arrival its lemmas must hold, and on the way nothing may
//! panic. A loop that the claim does not cut is claimed to have no second round, and that is checked like a lemma.

use crate::bodies::Bodies;
use crate::graph::{Graph, Point};
use crate::lemma::Lemma;
use crate::machine::{Kind, Machine, Obligation, State};
use crate::name::{self, Part};
use crate::proof_file::{Cut, Places};
use crate::shape::{self, Shapes};
use crate::solver::{self, Answer, Query, Second};
use crate::term::{Modelled, Scalar, Sort, Term, gap};
use crate::value::{Step, V};
use crate::{Settings, Verdict};
use optverify_engine::capture::Root;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Rounds of walking until shapes are settled.
const MOST_ROUNDS: usize = 400;

/// A claim, read.
pub struct Claimed {
    lemmas: BTreeMap<Point, Vec<Lemma>>,
    pub cuts: BTreeSet<Point>,
    places: Places,
    /// What the claim says is missing from it.
    pub left_out: BTreeSet<String>,
}

impl Claimed {
    pub fn read(graph: &Graph<'_>, cuts: &[Cut], places: &Places) -> Result<Claimed, String> {
        let mut out = Claimed {
            lemmas: BTreeMap::new(),
            cuts: BTreeSet::new(),
            places: places.clone(),
            left_out: BTreeSet::new(),
        };
        for cut in cuts {
            let at = cut
                .at
                .as_ref()
                .ok_or("a cut-point that is no point of MIR")?;
            let point = graph.point(at, cut.statement)?;
            let lemmas = out.lemmas.entry(point.clone()).or_default();
            for text in &cut.lemmas {
                lemmas.push(Lemma::parse(text).map_err(|e| format!("a lemma is {e}"))?);
            }
            out.cuts.insert(point);
            out.left_out.extend(cut.left_out.keys().cloned());
        }
        Ok(out)
    }
}

/// The conditions of one fragment.
pub struct Fragment<'a> {
    pub machine: Machine<'a>,
    pub arrivals: BTreeMap<Point, State>,
}

/// Walks from the entry, or from a cut-point of these shapes.
pub fn walk<'a>(
    graph: &'a Graph<'a>,
    claimed: &Claimed,
    from: Option<(&Point, &Shapes)>,
) -> Result<Fragment<'a>, String> {
    let mut machine = Machine::new(graph);
    let start = match from {
        None => {
            machine.inputs()?;
            graph.entry()
        }
        Some((point, shapes)) => {
            for (object, shape) in shapes {
                let name = object.name();
                let v = shape::value(&mut machine.arena, &mut machine.script, shape, &name);
                machine
                    .state
                    .objects
                    .insert(object.clone(), v.map_err(|g| g.0)?);
            }
            for lemma in claimed.lemmas.get(point).into_iter().flatten() {
                let state = machine.state.clone();
                match lemma.term(&mut |name| meaning(&mut machine, &state, &claimed.places, name)) {
                    Ok(t) => machine.script.assumptions.push(t),
                    // less is known: what then cannot be shown is not the claim's fault
                    Err(gap) => {
                        machine
                            .approximations
                            .insert(format!("a lemma over {}", gap.0));
                    }
                }
            }
            point.clone()
        }
    };
    if from.is_none() && claimed.cuts.contains(&start) {
        let arrivals = BTreeMap::from([(start, machine.state.clone())]);
        return Ok(Fragment { machine, arrivals });
    }
    let order = graph.order(&start, &claimed.cuts)?;
    let arrivals = machine.walk(&start, &order, &claimed.cuts)?;
    Ok(Fragment { machine, arrivals })
}

/// What a name in a lemma stands for in a state.
fn meaning(
    machine: &mut Machine<'_>,
    state: &State,
    places: &Places,
    text: &str,
) -> Modelled<Term> {
    // whether a place has a value is asked of the place itself, at its own width
    let place = text.strip_suffix("#init").unwrap_or(text);
    let (Some(name), Some(width)) = (name::parse(text), places.get(place)) else {
        return gap(format!("the unknown place `{text}`"));
    };
    let of = match width {
        0 => Scalar::Bool,
        1..=128 => Scalar::Bv(*width),
        _ => return gap(format!("the unknown place `{text}`")),
    };
    let before = std::mem::replace(&mut machine.state, state.clone());
    let found = part(machine, &name, of);
    machine.state = before;
    found
}

fn part(machine: &mut Machine<'_>, name: &name::Name, of: Scalar) -> Modelled<Term> {
    let number = Sort::scalar(Scalar::Bv(64));
    if let (name::Part::Length, true, crate::value::Object::Pointee(_)) =
        (name.part, name.path.is_empty(), &name.object)
    {
        // an input that never changes
        return machine
            .script
            .constant(&format!("{}#len", name.object.name()), number);
    }
    let v = machine.object(&name.object)?;
    if name.part == Part::Init {
        let read = machine.arena.read(&mut machine.script, v, &name.path, of)?;
        return match read.term.sort.dims {
            0 => Ok(machine.script.not(&read.absent)),
            _ => gap("whether elements have values"),
        };
    }
    if name.part == Part::Value {
        return value(machine, v, name, of);
    }
    let v = machine.arena.view(v, &name.path);
    let mut out: Option<Term> = None;
    for (when, p) in machine.pointers_in(v)?.into_iter().rev() {
        let indices: Vec<&Term> = p
            .path
            .iter()
            .filter_map(|s| match s {
                Step::Index(t) => Some(t),
                _ => None,
            })
            .collect();
        let t = match (name.part, &p.meta) {
            (Part::Length, Some(len)) => len.clone(),
            (Part::At(k), _) if k < indices.len() => indices[k].clone(),
            // a slice starts where its array does
            (Part::At(k), Some(_)) if k == indices.len() => Term::bits(0, 64),
            _ => return gap("a part that a pointer does not have"),
        };
        out = Some(match out {
            None => t,
            Some(other) => machine.script.ite(&when, &t, &other),
        });
    }
    out.ok_or(crate::term::Gap("a pointer that leads nowhere".into()))
}

/// The value of a place in a lemma. Where there is none, lemmas mean zero: it is a way of speaking, the same on arrival
/// and at the start, and no run looks at it.
fn value(machine: &mut Machine<'_>, v: V, name: &name::Name, of: Scalar) -> Modelled<Term> {
    let read = machine.arena.read(&mut machine.script, v, &name.path, of)?;
    if read.absent.is(false) {
        return Ok(read.term);
    }
    let what = "a lemma about a place that may have no value";
    machine.approximations.insert(what.into());
    if read.term.sort.dims > 0 {
        return Ok(read.term);
    }
    let zero = match of {
        Scalar::Bool => Term::boolean(false),
        Scalar::Bv(w) => Term::bits(0, w),
    };
    Ok(machine.script.ite(&read.absent, &zero, &read.term))
}

/// Finds the shapes at all cut-points that are reached.
fn settle(graph: &Graph<'_>, claimed: &Claimed) -> Result<BTreeMap<Point, Shapes>, String> {
    let mut shapes: BTreeMap<Point, Shapes> = BTreeMap::new();
    let mut todo: VecDeque<Option<Point>> = [None].into();
    for _ in 0..MOST_ROUNDS {
        let Some(next) = todo.pop_front() else {
            return Ok(shapes);
        };
        let from = next.as_ref().and_then(|p| Some((p, shapes.get(p)?)));
        let fragment = walk(graph, claimed, from)?;
        for (cut, state) in &fragment.arrivals {
            let new = shape::of_state(&fragment.machine.arena, state);
            let merged = match shapes.get(cut) {
                None => new,
                Some(old) => shape::meet_all(old, &new),
            };
            if shapes.get(cut) != Some(&merged) {
                shapes.insert(cut.clone(), merged);
                if !todo.contains(&Some(cut.clone())) {
                    todo.push_back(Some(cut.clone()));
                }
            }
        }
    }
    Err("the shapes of values at cut-points do not settle".into())
}

/// The last word on an inductive claim.
pub fn inductive(
    bodies: &Bodies<'_>,
    root: &Root,
    cuts: &[Cut],
    places: &Places,
    settings: &Settings,
) -> Result<Verdict, String> {
    let graph = Graph::new(bodies, bodies.root(root)?);
    let claimed = Claimed::read(&graph, cuts, places)?;
    let shapes = settle(&graph, &claimed)?;
    let mut verdict = Verdict::Valid {
        second: settings.second.as_ref().map(|_| true),
    };
    let starts = [None].into_iter().chain(shapes.iter().map(Some));
    for from in starts {
        let mut fragment = walk(&graph, &claimed, from)?;
        let start = from.map_or_else(|| "the entry".to_string(), |(p, _)| p.shown());
        arrivals(&mut fragment, &claimed, &shapes)?;
        let answer = decide(&fragment.machine, &start, &claimed.left_out, settings);
        verdict = match answer {
            Verdict::Valid { second } => match verdict {
                Verdict::Valid { second: before } => Verdict::Valid {
                    second: before.and_then(|b| Some(b && second?)),
                },
                other => other,
            },
            other => return Ok(other),
        };
    }
    Ok(verdict)
}

/// The obligations of arriving at cut-points.
fn arrivals(
    fragment: &mut Fragment<'_>,
    claimed: &Claimed,
    shapes: &BTreeMap<Point, Shapes>,
) -> Result<(), String> {
    let machine = &mut fragment.machine;
    for (cut, state) in &fragment.arrivals {
        // settled: nothing arrives that the walk from there did not start with
        let new = shape::of_state(&machine.arena, state);
        let known = shapes
            .get(cut)
            .ok_or("a cut-point that was not reached before")?;
        if shape::meet_all(known, &new) != *known {
            return Err("the shapes of values at cut-points are not settled".into());
        }
        for (n, lemma) in claimed.lemmas.get(cut).into_iter().flatten().enumerate() {
            let what = format!("lemma {} at {}", n + 1, cut.shown());
            machine.state = state.clone();
            match lemma.term(&mut |name| meaning(machine, state, &claimed.places, name)) {
                Ok(t) => {
                    let fails = machine.script.not(&t);
                    let when = machine.script.and(&state.when, &fails);
                    machine.obligations.push(Obligation {
                        kind: Kind::Lemma,
                        what,
                        when,
                    });
                }
                Err(gap) => machine.obligations.push(Obligation {
                    kind: Kind::Gap,
                    what: format!("{what}: {}", gap.0),
                    when: state.when.clone(),
                }),
            }
        }
    }
    Ok(())
}

/// Asks about all obligations at once, and one by one if that fails.
pub fn decide(
    machine: &Machine<'_>,
    start: &str,
    left_out: &BTreeSet<String>,
    settings: &Settings,
) -> Verdict {
    let all: Vec<&Term> = machine.obligations.iter().map(|o| &o.when).collect();
    if all.is_empty() {
        return Verdict::Valid {
            second: settings.second.as_ref().map(|_| true),
        };
    }
    let query = Query::any_of(&machine.script, &all);
    settings.keep(&query);
    if solver::z3(&query, settings.timeout) == Answer::Unsat {
        return second(settings.second.as_ref(), &query, settings);
    }
    // violations and lemmas first: a gap behind a real failure is not the news
    let mut order: Vec<&Obligation> = machine.obligations.iter().collect();
    order.sort_by_key(|o| o.kind == Kind::Gap);
    let mut gave_up = None;
    for o in order {
        let query = Query::any_of(&machine.script, &[&o.when]);
        match solver::z3(&query, settings.timeout) {
            Answer::Unsat => {}
            Answer::Unknown(why) => {
                gave_up.get_or_insert(format!("{}, from {start}: {why}", o.what));
            }
            Answer::Sat if o.kind == Kind::Gap => return Verdict::NotCheckable(o.what.clone()),
            Answer::Sat => {
                let vague = machine.approximations.iter().chain(left_out).next();
                return match vague {
                    Some(what) => Verdict::NotCheckable(what.clone()),
                    None => Verdict::Refuted(format!("{}, from {start}", o.what)),
                };
            }
        }
    }
    match gave_up {
        Some(why) => Verdict::GaveUp(why),
        None => second(settings.second.as_ref(), &query, settings),
    }
}

fn second(second: Option<&Second>, query: &Query, settings: &Settings) -> Verdict {
    let Some(solver) = second else {
        return Verdict::Valid { second: None };
    };
    match solver.ask(query, settings.timeout) {
        Answer::Unsat => Verdict::Valid { second: Some(true) },
        Answer::Unknown(_) => Verdict::Valid {
            second: Some(false),
        },
        Answer::Sat => Verdict::Refuted("the second solver disagrees".into()),
    }
}
