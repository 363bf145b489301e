//! The points of the inlined program, and the order in which a fragment between cut-points is walked.
//!
//! A point is a place in a body under a chain of calls. A fragment must have no cycle that a run can take: whoever
//! claims a proof has to name a cut-point on every loop, and this is where a loop without one is found.

use crate::bodies::Bodies;
use optverify_engine::mir::{Block, Body, Const, Operand, RuntimeChecks, TerminatorKind};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Calls nested deeper than this are not followed.
const MOST_CALLS: usize = 40;
const MOST_POINTS: usize = 200_000;

/// A function under a chain of calls: `bb4/bb12/`.
#[derive(Clone)]
pub struct Frame {
    pub chain: Rc<str>,
    pub body: Rc<Body>,
    /// The caller, and its block that ends in the call.
    pub caller: Option<(Rc<Frame>, u32)>,
    depth: usize,
}

impl Frame {
    /// The body of a constant, outside every chain of calls.
    pub fn of_constant(path: &str, body: Rc<Body>) -> Frame {
        Frame {
            chain: format!("const {path}").into(),
            body,
            caller: None,
            depth: 0,
        }
    }
}

/// Before a statement of a block (past the last one: before the terminator).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Point {
    pub chain: Rc<str>,
    pub block: u32,
    pub statement: u32,
}

impl Point {
    pub fn shown(&self) -> String {
        match self.statement {
            0 => format!("{}bb{}", self.chain, self.block),
            n => format!("{}bb{}[{n}]", self.chain, self.block),
        }
    }
}

pub struct Graph<'a> {
    pub bodies: &'a Bodies<'a>,
    pub root: Rc<Frame>,
    pub ub_checks: bool,
    pub overflow_checks: bool,
    frames: std::cell::RefCell<HashMap<Rc<str>, Rc<Frame>>>,
}

impl<'a> Graph<'a> {
    pub fn new(bodies: &'a Bodies<'a>, root: Rc<Body>) -> Graph<'a> {
        let root = Rc::new(Frame {
            chain: "".into(),
            body: root,
            caller: None,
            depth: 0,
        });
        let profile = &bodies.capture.info.profile;
        Graph {
            bodies,
            root,
            ub_checks: profile.debug_assertions,
            overflow_checks: profile.overflow_checks,
            frames: Default::default(),
        }
    }

    pub fn frame(&self, chain: &str) -> Option<Rc<Frame>> {
        if chain.is_empty() {
            return Some(self.root.clone());
        }
        self.frames.borrow().get(chain).cloned()
    }

    pub fn entry(&self) -> Point {
        Point {
            chain: "".into(),
            block: 0,
            statement: 0,
        }
    }

    /// The function that a block's call enters, if it is one whose body is at hand.
    pub fn callee(&self, frame: &Rc<Frame>, block: &Block) -> Option<Rc<Frame>> {
        let TerminatorKind::Call { func, args, .. } = &block.terminator.kind else {
            return None;
        };
        let Operand::Const(Const::FnItem(path) | Const::Named(path)) = func else {
            return None;
        };
        let chain: Rc<str> = format!("{}bb{}/", frame.chain, block.id.0).into();
        if let Some(known) = self.frames.borrow().get(&chain) {
            return Some(known.clone());
        }
        let body = self.bodies.called(&path.to_string())?;
        if frame.depth >= MOST_CALLS || body.arg_count as usize != args.len() {
            return None;
        }
        let callee = Rc::new(Frame {
            chain: chain.clone(),
            body,
            caller: Some((frame.clone(), block.id.0)),
            depth: frame.depth + 1,
        });
        self.frames.borrow_mut().insert(chain, callee.clone());
        Some(callee)
    }

    /// The point that a proof names: `bb4/bb12` and a statement.
    pub fn point(&self, at: &str, statement: u32) -> Result<Point, String> {
        let missing = || format!("there is no point `{at}`");
        let mut frame = self.root.clone();
        let mut blocks = at.split('/').peekable();
        while let Some(text) = blocks.next() {
            let number = text.strip_prefix("bb").and_then(|n| n.parse::<u32>().ok());
            let block = number.and_then(|n| frame.body.blocks.get(n as usize));
            let block = block.ok_or_else(missing)?;
            if blocks.peek().is_none() {
                return Ok(Point {
                    chain: frame.chain.clone(),
                    block: block.id.0,
                    statement: statement.min(block.statements.len() as u32),
                });
            }
            frame = self.callee(&frame, block).ok_or_else(missing)?;
        }
        Err(missing())
    }

    /// A value that the build fixes.
    pub fn fixed(&self, operand: &Operand) -> Option<u128> {
        match operand {
            Operand::RuntimeChecks(RuntimeChecks::UbChecks) => Some(u128::from(self.ub_checks)),
            Operand::RuntimeChecks(RuntimeChecks::OverflowChecks) => {
                Some(u128::from(self.overflow_checks))
            }
            Operand::RuntimeChecks(RuntimeChecks::ContractChecks) => Some(0),
            Operand::Const(Const::Bool(b)) => Some(u128::from(*b)),
            Operand::Const(Const::Int { bits, .. }) => Some(*bits),
            _ => None,
        }
    }

    /// Where a run may go from a point, without what only unwinding does. The next cut-point in the block is next.
    fn successors(&self, at: &Point, cuts: &BTreeSet<Point>) -> Vec<Point> {
        if let Some(cut) = next_cut(at, cuts) {
            return vec![cut];
        }
        let Some(frame) = self.frame(&at.chain) else {
            return vec![];
        };
        let block = &frame.body.blocks[at.block as usize];
        let here = |b: u32| Point {
            chain: at.chain.clone(),
            block: b,
            statement: 0,
        };
        match &block.terminator.kind {
            TerminatorKind::Goto(b) => vec![here(b.0)],
            TerminatorKind::SwitchInt {
                operand,
                targets,
                otherwise,
            } => {
                if let Some(bits) = self.fixed(operand) {
                    let hit = targets.iter().find(|(v, _)| *v == bits).map(|(_, b)| b);
                    return hit
                        .or(otherwise.as_ref())
                        .map(|b| here(b.0))
                        .into_iter()
                        .collect();
                }
                let all = targets.iter().map(|(_, b)| b).chain(otherwise);
                all.map(|b| here(b.0)).collect()
            }
            TerminatorKind::Drop { target, .. } | TerminatorKind::Assert { target, .. } => {
                vec![here(target.0)]
            }
            TerminatorKind::FalseEdge { real, .. } | TerminatorKind::FalseUnwind { real, .. } => {
                vec![here(real.0)]
            }
            TerminatorKind::Call { target, .. } => match self.callee(&frame, block) {
                Some(callee) => vec![Point {
                    chain: callee.chain.clone(),
                    block: 0,
                    statement: 0,
                }],
                None => target.iter().map(|b| here(b.0)).collect(),
            },
            TerminatorKind::Return => return_point(&frame).into_iter().collect(),
            _ => vec![],
        }
    }

    /// The points of the fragment behind `start`, in topological order, without the cut-points that end it.
    pub fn order(&self, start: &Point, cuts: &BTreeSet<Point>) -> Result<Order, String> {
        let mut is_open: HashMap<Point, bool> = HashMap::from([(start.clone(), true)]);
        let mut order = Order::default();
        let mut stack = vec![(start.clone(), self.successors(start, cuts))];
        while let Some((point, left)) = stack.last_mut() {
            let Some(next) = left.pop() else {
                is_open.insert(point.clone(), false);
                order.points.push(point.clone());
                stack.pop();
                continue;
            };
            if cuts.contains(&next) {
                continue;
            }
            match is_open.get(&next) {
                Some(true) => {
                    order.back.insert((point.clone(), next));
                }
                Some(false) => {}
                None => {
                    if is_open.len() > MOST_POINTS {
                        return Err("the program is too large".into());
                    }
                    is_open.insert(next.clone(), true);
                    let successors = self.successors(&next, cuts);
                    stack.push((next, successors));
                }
            }
        }
        order.points.reverse();
        Ok(order)
    }
}

/// A fragment: its points in an order in which every step but the backward ones goes forward.
#[derive(Default)]
pub struct Order {
    pub points: Vec<Point>,
    /// Steps that close a loop without a cut-point: no run may take them.
    pub back: HashSet<(Point, Point)>,
}

/// The first cut-point after a point in its block.
pub fn next_cut(at: &Point, cuts: &BTreeSet<Point>) -> Option<Point> {
    let mut later = at.clone();
    later.statement += 1;
    let next = cuts.range(later..).next()?;
    (next.chain == at.chain && next.block == at.block).then(|| next.clone())
}

/// Where a function returns to.
pub fn return_point(frame: &Frame) -> Option<Point> {
    let (caller, block) = frame.caller.as_ref()?;
    match &caller.body.blocks[*block as usize].terminator.kind {
        TerminatorKind::Call {
            target: Some(b), ..
        } => Some(Point {
            chain: caller.chain.clone(),
            block: b.0,
            statement: 0,
        }),
        _ => None,
    }
}
