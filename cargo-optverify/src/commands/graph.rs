//! `cargo optverify graph ROOT`: the cut-point graph as SVG, with the source's lines on the edges.

use crate::cli::GraphArgs;
use crate::exit_code::ExitCode;
use crate::report::graph_svg::{self, Drawing, Edge, Node, NodeKind};
use crate::source;
use anyhow::{Context, Result, bail};
use optverify_engine::capture::{Capture, Root, Snapshot};
use optverify_engine::pipeline::{prepare_reference, prepare_snapshot};
use optverify_engine::program::Texts;
use optverify_engine::program::cpg::{Cpg, CutPoint};
use optverify_engine::program::{BlockId, Program, StopKind, Terminator};
use std::collections::BTreeSet;

/// Panic messages can be long.
const MOST_CHARACTERS: usize = 48;
/// Groups of lines on one edge.
const MOST_RUNS: usize = 4;

pub fn run(args: &GraphArgs) -> Result<ExitCode> {
    let captures = source::captures(
        args.file.as_deref(),
        &args.build,
        std::slice::from_ref(&args.root),
    )?;
    let (capture, root) = captures.root(&args.root)?;
    let svg = picture(capture, root, args.pass.as_deref(), &[])?;
    match &args.output {
        Some(file) => std::fs::write(file, svg)
            .with_context(|| format!("could not write {}", file.display()))?,
        None => print!("{svg}"),
    }
    Ok(ExitCode::AllSafe)
}

/// The graph of the reference or after a pass; `path` are the edges of a counterexample.
pub fn picture(
    capture: &Capture,
    root: &Root,
    pass: Option<&str>,
    path: &[(String, String)],
) -> Result<String> {
    let snapshot = pass
        .map(|pass| find_pass(capture, root, pass))
        .transpose()?;
    let mut program = program(capture, root, snapshot.as_ref())?;
    let cpg = Cpg::of(&mut program);
    let stage = match &snapshot {
        Some(snapshot) => format!("after {} (number {})", snapshot.name, snapshot.index),
        None => "reference".to_owned(),
    };
    let title = format!("{}, {stage}", root.name);
    Ok(graph_svg::render(&draw(&program, &cpg, &title, path)))
}

fn find_pass(capture: &Capture, root: &Root, wanted: &str) -> Result<Snapshot> {
    let snapshots = capture.snapshots(&root.function)?;
    let is_wanted =
        |s: &&Snapshot| s.name == wanted || s.number == wanted || s.index.to_string() == wanted;
    if let Some(found) = snapshots.iter().find(is_wanted) {
        return Ok(found.clone());
    }
    let names: Vec<String> = snapshots
        .iter()
        .map(|s| format!("{} {}", s.index, s.name))
        .collect();
    bail!(
        "there is no pass `{wanted}`; the passes are: {}",
        names.join(", ")
    )
}

fn program(capture: &Capture, root: &Root, snapshot: Option<&Snapshot>) -> Result<Program> {
    let (reference, crate_mir) = prepare_reference(capture, root, Texts::AnyBytes)?;
    Ok(match snapshot {
        Some(snapshot) => {
            prepare_snapshot(capture, root, snapshot, &crate_mir, Texts::AnyBytes)?.program
        }
        None => reference.program,
    })
}

fn draw(program: &Program, cpg: &Cpg, title: &str, path: &[(String, String)]) -> Drawing {
    let mut drawing = Drawing {
        title: title.to_owned(),
        ..Drawing::default()
    };
    for node in cpg.graph.node_weights() {
        drawing.nodes.push(describe(program, cpg, *node));
    }
    for edge in cpg.graph.edge_indices() {
        if let Some((from, to)) = cpg.graph.edge_endpoints(edge) {
            let label = lines(
                program,
                &on_the_way(program, &cpg.graph[edge].blocks, cpg.graph[to]),
            );
            let ends = (cpg.graph[from].name(), cpg.graph[to].name());
            drawing.edges.push(Edge {
                is_taken: path.contains(&ends),
                from: from.index(),
                to: to.index(),
                label,
            });
        }
    }
    drawing
}

fn describe(program: &Program, cpg: &Cpg, node: CutPoint) -> Node {
    let at = |line: Option<u32>| line.map(|line| format!("line {line}"));
    let (kind, first, second) = match node {
        CutPoint::Entry => (NodeKind::Entry, "entry".to_owned(), None),
        CutPoint::Exit => (NodeKind::Exit, "return".to_owned(), None),
        CutPoint::Head(block) => {
            let depth = cpg.depth.get(&block).copied().unwrap_or(0);
            let name = if depth == 0 {
                "loop".to_owned()
            } else {
                format!("inner loop (depth {depth})")
            };
            (
                NodeKind::LoopHead,
                name,
                at(program.block(block).span.as_ref().map(|s| s.line)),
            )
        }
        CutPoint::Stop(stop) => {
            let stop = &program.stops[stop];
            let (kind, text) = match &stop.kind {
                StopKind::Panic(message) => (NodeKind::Violation, format!("panic: {message}")),
                StopKind::Undefined(what) => (NodeKind::Violation, format!("undefined: {what}")),
                StopKind::Unsupported(what) => {
                    (NodeKind::Unsupported, format!("not modelled: {what}"))
                }
            };
            (kind, shorten(&text), at(stop.span.as_ref().map(|s| s.line)))
        }
    };
    Node {
        lines: std::iter::once(first).chain(second).collect(),
        kind,
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= MOST_CHARACTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MOST_CHARACTERS).collect();
    format!("{start}..")
}

/// The blocks of a fragment, in topological order, from which control may get to this end of it.
fn on_the_way(program: &Program, fragment: &[BlockId], end: CutPoint) -> Vec<BlockId> {
    let mut found: Vec<BlockId> = Vec::new();
    for block in fragment.iter().rev() {
        let leads = |to: BlockId| end == CutPoint::Head(to) || found.contains(&to);
        let is_on = match program.block(*block).terminator {
            Terminator::Goto(to) => leads(to),
            Terminator::Branch {
                then, otherwise, ..
            } => leads(then) || leads(otherwise),
            Terminator::Return => end == CutPoint::Exit,
            Terminator::Stop(stop) => end == CutPoint::Stop(stop),
            Terminator::Blocked => false,
        };
        if is_on {
            found.push(*block);
        }
    }
    found
}

/// The source lines of blocks: `12-14, 17`.
fn lines(program: &Program, blocks: &[BlockId]) -> String {
    let lines: BTreeSet<u32> = blocks
        .iter()
        .filter_map(|b| program.block(*b).span.as_ref().map(|s| s.line))
        .collect();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, end)) if line <= *end + 1 => *end = line,
            _ => runs.push((line, line)),
        }
    }
    let text = |(start, end): &(u32, u32)| {
        if start == end {
            start.to_string()
        } else {
            format!("{start}-{end}")
        }
    };
    // a fragment of half a function: where it starts and ends
    if let (true, Some(first), Some(last)) = (runs.len() > MOST_RUNS, runs.first(), runs.last()) {
        return format!("within {}-{}", first.0, last.1);
    }
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}
