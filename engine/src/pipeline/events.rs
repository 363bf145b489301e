//! What happens on a counterexample's way, for people: changes of named variables, line by line. A loop is told by
//! its first rounds and by where it stands when it is left; what is in between is one line with the number of rounds.

use super::witness::scalar_text;
use crate::lower::is_foreign;
use crate::program::cpg::CutPoint;
use crate::program::interp::Observer;
use crate::program::wto::{Wto, WtoElem};
use crate::program::{BlockId, Program, ScalarKind, SourceSpan, Stmt};
use crate::report::Step;
use crate::term::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of a loop that are told one by one.
const TOLD: u64 = 2;
/// Steps kept at the start and at the end of a run.
const KEPT: usize = 16;

/// Follows the values of named variables from block to block.
pub struct Tracer<'a> {
    program: &'a Program,
    names: Vec<Named>,
    /// The blocks of each loop, by its head.
    loops: BTreeMap<BlockId, BTreeSet<BlockId>>,
    /// The loops that control is in, outermost first.
    active: Vec<Active>,
    steps: Vec<Step>,
    previous: Option<BlockId>,
    last_line: Option<SourceSpan>,
    /// The cut-point that control was at last.
    at: CutPoint,
    /// In the order of the first time; a graph has few.
    path: Vec<(CutPoint, CutPoint)>,
}

/// A run, told.
pub struct Story {
    pub steps: Vec<Step>,
    /// Types of this crate, by the variables of which parts are told.
    pub structs: BTreeMap<String, String>,
    /// The edges of the cut-point graph that it went along.
    pub path: Vec<(String, String)>,
    /// The last line of the user's own source: a panic's own line may be inside of a macro of std.
    pub last_line: Option<SourceSpan>,
}

/// A variable that the source names.
struct Named {
    var: usize,
    name: String,
    kind: ScalarKind,
    of: Option<String>,
    last: Option<u128>,
    /// Has any value of it been told?
    is_told: bool,
}

struct Active {
    head: BlockId,
    rounds: u64,
    /// Steps up to the end of the rounds that are told.
    told: usize,
    /// The named variables that changed in it.
    changed: BTreeSet<usize>,
    /// Their values when control was last at the head.
    at_head: BTreeMap<String, String>,
}

impl<'a> Tracer<'a> {
    pub fn new(program: &'a Program) -> Self {
        let named = program.source_names.iter().filter_map(|(v, name)| {
            Some(Named {
                var: v.0 as usize,
                name: name.name.clone(),
                kind: name.kind.filter(|_| name.is_users)?,
                of: name.of.clone(),
                last: None,
                is_told: false,
            })
        });
        let mut loops = BTreeMap::new();
        members(&Wto::of(program).elems, &mut loops);
        Self {
            names: named.collect(),
            program,
            loops,
            active: vec![],
            steps: vec![],
            previous: None,
            last_line: None,
            at: CutPoint::Entry,
            path: vec![],
        }
    }

    /// The story, when the run is over.
    pub fn finish(mut self, end: CutPoint) -> Story {
        while let Some(left) = self.active.pop() {
            self.leave(&left);
        }
        self.go(end);
        // a caller's variable and the parameter of the same name are one piece of news
        self.steps
            .dedup_by(|b, a| (&a.file, a.line, &a.what) == (&b.file, b.line, &b.what));
        let path = self.path.iter().map(|(from, to)| (from.name(), to.name()));
        let mut structs: BTreeMap<String, String> = BTreeMap::new();
        for named in self.names.iter().filter(|n| n.is_told) {
            if let (Some((variable, _)), Some(of)) = (named.name.split_once('.'), &named.of) {
                let known = structs.entry(variable.to_string());
                // two variables of one name: neither is meant for sure
                let known = known.or_insert_with(|| of.clone());
                if known != of {
                    known.clear();
                }
            }
        }
        Story {
            structs,
            path: path.collect(),
            steps: shorten(self.steps),
            last_line: self.last_line,
        }
    }

    fn go(&mut self, to: CutPoint) {
        let edge = (std::mem::replace(&mut self.at, to), to);
        if !self.path.contains(&edge) {
            self.path.push(edge);
        }
    }

    /// Puts the line about the rounds that are not told before what happened in the last one.
    fn leave(&mut self, left: &Active) {
        let Some(span) = &self.program.block(left.head).span else {
            return;
        };
        if left.rounds <= TOLD || left.at_head.is_empty() {
            return;
        }
        let step = Step {
            file: span.file.to_string(),
            line: span.line,
            column: span.column,
            what: format!(
                "after {} iterations: {}",
                grouped(left.rounds),
                list(&left.at_head)
            ),
            values: left.at_head.clone(),
        };
        self.steps.insert(left.told.min(self.steps.len()), step);
    }

    fn at_head(&mut self, head: BlockId) {
        let Some(active) = self.active.last_mut().filter(|a| a.head == head) else {
            self.active.push(Active {
                head,
                rounds: 0,
                told: 0,
                changed: BTreeSet::new(),
                at_head: BTreeMap::new(),
            });
            return;
        };
        active.rounds += 1;
        if active.rounds <= TOLD {
            active.told = self.steps.len();
        } else {
            self.steps.truncate(active.told);
        }
        let value = |i: &usize| {
            let named = &self.names[*i];
            let text = scalar_text(named.last?, Some(named.kind)).ok()?;
            Some((named.name.clone(), text))
        };
        active.at_head = active.changed.iter().filter_map(value).collect();
    }
}

impl Observer for Tracer<'_> {
    fn at(&mut self, block: BlockId, state: &[Value]) {
        while let Some(left) = self.active.pop_if(|a| {
            let inside = self.loops.get(&a.head);
            !inside.is_some_and(|blocks| blocks.contains(&block))
        }) {
            self.leave(&left);
        }
        // at the start only the inputs have values, the others none yet
        let at_start = self.previous.is_none();
        let inputs = &self.program.inputs;
        let is_told = |name: &str| !at_start || inputs.iter().any(|input| input.name == name);
        let mut values = BTreeMap::new();
        for (index, named) in self.names.iter_mut().enumerate() {
            let Value::Bits(bits) = &state[named.var] else {
                continue;
            };
            // a variable begins with zero in the model, which a run may assign to it as well
            let is_first = !named.is_told
                && self
                    .previous
                    .is_some_and(|b| assigns(self.program, b, named.var));
            if named.last.replace(*bits) == Some(*bits) && !is_first {
                continue;
            }
            for active in &mut self.active {
                active.changed.insert(index);
            }
            if let Ok(text) = scalar_text(*bits, Some(named.kind))
                && is_told(&named.name)
            {
                // the parameter comes before a callee's variable of the same name
                if at_start && values.contains_key(&named.name) {
                    continue;
                }
                named.is_told = true;
                values.insert(named.name.clone(), text);
            }
        }
        if let Some(span) = self.program.block(block).span.as_ref()
            && !is_foreign(&span.file)
        {
            self.last_line = Some(span.clone());
        }
        // the change was made on the way here
        let made_in = self.previous.replace(block).unwrap_or(block);
        if let (false, Some(span)) = (values.is_empty(), &self.program.block(made_in).span) {
            self.steps.push(Step {
                file: span.file.to_string(),
                line: span.line,
                column: span.column,
                what: list(&values),
                values,
            });
        }
        if self.loops.contains_key(&block) {
            self.go(CutPoint::Head(block));
            self.at_head(block);
        }
    }
}

fn assigns(program: &Program, block: BlockId, var: usize) -> bool {
    let statements = &program.block(block).stmts;
    statements
        .iter()
        .any(|s| matches!(s, Stmt::Assign(v, _) | Stmt::Havoc(v, _) if v.0 as usize == var))
}

/// The blocks of every component, its head included; returns those of the whole list.
fn members(elems: &[WtoElem], out: &mut BTreeMap<BlockId, BTreeSet<BlockId>>) -> BTreeSet<BlockId> {
    let mut all = BTreeSet::new();
    for elem in elems {
        match elem {
            WtoElem::Vertex(block) => drop(all.insert(*block)),
            WtoElem::Component(head, inner) => {
                let mut inside = members(inner, out);
                inside.insert(*head);
                all.extend(inside.iter().copied());
                out.insert(*head, inside);
            }
        }
    }
    all
}

fn list(values: &BTreeMap<String, String>) -> String {
    let parts: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v}")).collect();
    parts.join(", ")
}

/// `1,000,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The beginning and the end of a long story.
fn shorten(mut steps: Vec<Step>) -> Vec<Step> {
    if steps.len() <= 2 * KEPT {
        return steps;
    }
    let left_out = steps.len() - 2 * KEPT;
    let tail = steps.split_off(steps.len() - KEPT);
    steps.truncate(KEPT);
    let at = &tail[0];
    steps.push(Step {
        file: at.file.clone(),
        line: at.line,
        column: at.column,
        what: format!("... {left_out} more steps ..."),
        values: BTreeMap::new(),
    });
    steps.extend(tail);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_groups() {
        assert_eq!(
            [7, 999, 1000, 1_000_000].map(grouped),
            ["7", "999", "1,000", "1,000,000"]
        );
    }
}
