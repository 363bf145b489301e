//! Draws a small directed graph as SVG, without any external program: layers from the entry downwards
//! (after Sugiyama: ranks by the longest path, crossings reduced by barycentres, long edges through
//! placeholders), edges back to a loop's head on the right.

use std::fmt::Write;

/// What is drawn.
#[derive(Debug, Default)]
pub struct Drawing {
    pub title: String,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

#[derive(Debug)]
pub struct Node {
    /// One or more lines.
    pub lines: Vec<String>,
    pub kind: NodeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Entry,
    LoopHead,
    Exit,
    Violation,
    Unsupported,
}

#[derive(Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub label: String,
    /// Does the counterexample go along it?
    pub is_taken: bool,
}

/// Classes instead of colours, so that a page can bring its own.
const STYLE: &str = ".cpg .sheet{fill:#fff}.cpg .under{fill:#fff;opacity:.9}.cpg .edge{fill:none;stroke:#444;\
    stroke-width:1.2}.cpg .tip{fill:#444}.cpg .edge.taken{stroke:#b03030;stroke-width:2.4}.cpg .tip.taken{fill:#b03030}\
    .cpg .along{fill:#345}.cpg .entry{fill:#eef3ff;stroke:#4060b0}.cpg .loop{fill:#fff7e0;stroke:#b08020}\
    .cpg .exit{fill:#e9f8ec;stroke:#2f8a45}.cpg .violation{fill:#fdeaea;stroke:#b03030}\
    .cpg .unsupported{fill:#f0f0f0;stroke:#707070}";

const CHARACTER: f64 = 7.3;
const LINE: f64 = 17.0;
const BETWEEN_RANKS: f64 = 74.0;
const BETWEEN_NODES: f64 = 34.0;
const MARGIN: f64 = 24.0;
/// How far a loop on a node itself goes out.
const LOOP: f64 = 22.0;

/// A node or, on the way of a long edge, a placeholder.
struct Place {
    node: Option<usize>,
    rank: usize,
    /// Of the box itself.
    width: f64,
    /// Of the box and, on both sides of it, what a loop on the node itself needs.
    room: f64,
    height: f64,
    x: f64,
    y: f64,
}

struct Layout {
    places: Vec<Place>,
    /// Per edge: the places it goes through, first and last are nodes.
    routes: Vec<Vec<usize>>,
    width: f64,
    height: f64,
}

pub fn render(drawing: &Drawing) -> String {
    let layout = layout(drawing);
    // edges back leave on the right, each in a lane of its own
    let lanes = (0..drawing.edges.len())
        .filter(|e| is_back(&layout, *e) && !is_own_loop(&layout, *e))
        .count() as f64;
    let widest = drawing
        .edges
        .iter()
        .map(|e| text_width(&e.label))
        .fold(0.0, f64::max);
    let width = (layout.width + lanes * 26.0 + if lanes > 0.0 { widest } else { 0.0 })
        .max(text_width(&drawing.title) * 1.15)
        + 2.0 * MARGIN;
    let height = layout.height + 2.0 * MARGIN + 30.0;
    let mut svg = String::new();
    // several pictures may be in one page
    let name = format!("tip-{:x}", hash(&drawing.title));
    let tip = |id: &str, class: &str| {
        format!(
            "<marker id=\"{id}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path class=\"{class}\" d=\"M0,0 L8,4 L0,8 z\"/></marker>"
        )
    };
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cpg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"monospace\" font-size=\"12\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<defs>{}{}</defs>\n\
         <rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n\
         <text x=\"{MARGIN}\" y=\"{MARGIN}\" font-size=\"13\" font-weight=\"bold\">{title}</text>\n\
         <g transform=\"translate({MARGIN},{:.0})\">",
        tip(&name, "tip"),
        tip(&format!("{name}-taken"), "tip taken"),
        MARGIN + 26.0,
        title = escape(&drawing.title)
    );
    let mut lane = 0.0;
    let mut labels = String::new();
    for (index, edge) in drawing.edges.iter().enumerate() {
        let (path, at) = if is_own_loop(&layout, index) {
            own_loop_path(&layout, index, &edge.label)
        } else if is_back(&layout, index) {
            lane += 1.0;
            back_path(&layout, index, layout.width + lane * 26.0 - 10.0)
        } else {
            forward_path(&layout, index)
        };
        let _ = writeln!(
            svg,
            "<path class=\"edge{}\" d=\"{path}\" marker-end=\"url(#{name}{})\"/>",
            if edge.is_taken { " taken" } else { "" },
            if edge.is_taken { "-taken" } else { "" }
        );
        if !edge.label.is_empty() {
            let half = text_width(&edge.label) / 2.0;
            let _ = writeln!(
                labels,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"15\" class=\"under\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" class=\"along\" font-size=\"11\">{}</text>",
                at.0 - half,
                at.1 - 11.0,
                2.0 * half,
                at.0,
                at.1,
                escape(&edge.label)
            );
        }
    }
    for place in &layout.places {
        if let Some(node) = place.node {
            box_of(&mut svg, &drawing.nodes[node], place);
        }
    }
    svg.push_str(&labels);
    svg.push_str("</g>\n</svg>\n");
    svg
}

fn box_of(svg: &mut String, node: &Node, place: &Place) {
    let (class, corner) = match node.kind {
        NodeKind::Entry => ("entry", 14.0),
        NodeKind::LoopHead => ("loop", 3.0),
        NodeKind::Exit => ("exit", 14.0),
        NodeKind::Violation => ("violation", 3.0),
        NodeKind::Unsupported => ("unsupported", 3.0),
    };
    let _ = writeln!(
        svg,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{corner}\" class=\"{class}\"/>",
        place.x - place.width / 2.0,
        place.y,
        place.width,
        place.height
    );
    for (index, line) in node.lines.iter().enumerate() {
        let y = place.y + LINE * (index as f64 + 1.0) - 1.0;
        let weight = if index == 0 {
            " font-weight=\"bold\""
        } else {
            ""
        };
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{weight}>{}</text>",
            place.x,
            escape(line)
        );
    }
}

/// Names a picture within a page (FNV-1a).
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn layout(drawing: &Drawing) -> Layout {
    let ranks = ranks(drawing);
    let mut places: Vec<Place> = drawing
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| Place {
            node: Some(index),
            rank: ranks[index],
            width: node
                .lines
                .iter()
                .map(|l| text_width(l))
                .fold(40.0, f64::max)
                + 20.0,
            height: LINE * node.lines.len() as f64 + 8.0,
            room: 0.0,
            x: 0.0,
            y: 0.0,
        })
        .collect();
    for (index, place) in places.iter_mut().enumerate() {
        let own_loops = drawing
            .edges
            .iter()
            .filter(|e| e.from == index && e.to == index);
        let label = own_loops
            .map(|e| text_width(&e.label) + 2.0 * LOOP)
            .fold(0.0, f64::max);
        place.room = place.width + 2.0 * label;
    }
    let mut routes = Vec::new();
    for edge in &drawing.edges {
        let mut route = vec![edge.from];
        for rank in ranks[edge.from] + 1..ranks[edge.to] {
            places.push(Place {
                node: None,
                rank,
                width: 12.0,
                room: 12.0,
                height: 0.0,
                x: 0.0,
                y: 0.0,
            });
            route.push(places.len() - 1);
        }
        route.push(edge.to);
        routes.push(route);
    }
    let mut rows: Vec<Vec<usize>> =
        vec![Vec::new(); places.iter().map(|p| p.rank + 1).max().unwrap_or(0)];
    for (index, place) in places.iter().enumerate() {
        rows[place.rank].push(index);
    }
    reduce_crossings(&mut rows, &routes, &places);
    // edges back go out on the right: what they leave and reach stands there
    for row in &mut rows {
        row.sort_by_key(|place| {
            let node = places[*place].node;
            drawing
                .edges
                .iter()
                .any(|e| e.from != e.to && Some(e.from) == node && ranks[e.to] <= ranks[e.from])
                || drawing
                    .edges
                    .iter()
                    .any(|e| e.from != e.to && Some(e.to) == node && ranks[e.to] <= ranks[e.from])
        });
    }
    let (width, height) = assign_coordinates(&rows, &mut places);
    Layout {
        places,
        routes,
        width,
        height,
    }
}

/// The longest path from the entry, without the edges that close a cycle.
fn ranks(drawing: &Drawing) -> Vec<usize> {
    let count = drawing.nodes.len();
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut state = vec![0u8; count];
    let mut order = Vec::new();
    // depth first, iteratively: (node, next edge)
    for start in 0..count {
        if state[start] != 0 {
            continue;
        }
        let mut stack = vec![(start, 0)];
        state[start] = 1;
        while let Some((node, next)) = stack.pop() {
            let successors: Vec<usize> = drawing
                .edges
                .iter()
                .filter(|e| e.from == node)
                .map(|e| e.to)
                .collect();
            match successors.get(next) {
                Some(&to) => {
                    stack.push((node, next + 1));
                    if state[to] != 1 {
                        forward[node].push(to);
                    }
                    if state[to] == 0 {
                        state[to] = 1;
                        stack.push((to, 0));
                    }
                }
                None => {
                    state[node] = 2;
                    order.push(node);
                }
            }
        }
    }
    let mut ranks = vec![0; count];
    for &node in order.iter().rev() {
        for &to in &forward[node] {
            ranks[to] = ranks[to].max(ranks[node] + 1);
        }
    }
    ranks
}

fn reduce_crossings(rows: &mut [Vec<usize>], routes: &[Vec<usize>], places: &[Place]) {
    let links: Vec<(usize, usize)> = routes
        .iter()
        .flat_map(|route| route.windows(2).map(|w| (w[0], w[1])))
        .filter(|(a, b)| places[*a].rank + 1 == places[*b].rank)
        .collect();
    for sweep in 0..6 {
        let downwards = sweep % 2 == 0;
        let positions =
            |row: &[usize], place: usize| row.iter().position(|p| *p == place).unwrap_or(0) as f64;
        let indices: Vec<usize> = if downwards {
            (1..rows.len()).collect()
        } else {
            (0..rows.len().saturating_sub(1)).rev().collect()
        };
        for row in indices {
            let neighbour_row = if downwards {
                rows[row - 1].clone()
            } else {
                rows[row + 1].clone()
            };
            let key = |place: usize| {
                let neighbours: Vec<f64> = links
                    .iter()
                    .filter_map(|(a, b)| match downwards {
                        true if *b == place => Some(positions(&neighbour_row, *a)),
                        false if *a == place => Some(positions(&neighbour_row, *b)),
                        _ => None,
                    })
                    .collect();
                if neighbours.is_empty() {
                    f64::MAX
                } else {
                    neighbours.iter().sum::<f64>() / neighbours.len() as f64
                }
            };
            rows[row].sort_by(|a, b| key(*a).total_cmp(&key(*b)));
        }
    }
}

fn assign_coordinates(rows: &[Vec<usize>], places: &mut [Place]) -> (f64, f64) {
    let row_width = |row: &[usize], places: &[Place]| {
        row.iter().map(|p| places[*p].room).sum::<f64>()
            + BETWEEN_NODES * row.len().saturating_sub(1) as f64
    };
    let width = rows
        .iter()
        .map(|row| row_width(row, places))
        .fold(0.0, f64::max);
    let mut y = 0.0;
    for row in rows {
        let mut x = (width - row_width(row, places)) / 2.0;
        let height = row.iter().map(|p| places[*p].height).fold(0.0, f64::max);
        for &place in row {
            places[place].x = x + places[place].room / 2.0;
            places[place].y = y;
            x += places[place].room + BETWEEN_NODES;
        }
        y += height + BETWEEN_RANKS;
    }
    (width, (y - BETWEEN_RANKS).max(0.0))
}

fn is_back(layout: &Layout, edge: usize) -> bool {
    let route = &layout.routes[edge];
    layout.places[route[0]].rank >= layout.places[route[route.len() - 1]].rank
}

fn is_own_loop(layout: &Layout, edge: usize) -> bool {
    let route = &layout.routes[edge];
    route[0] == route[route.len() - 1]
}

type Point = (f64, f64);

/// Out of the box on the right and back into it.
fn own_loop_path(layout: &Layout, edge: usize, label: &str) -> (String, Point) {
    let place = &layout.places[layout.routes[edge][0]];
    let x = place.x + place.width / 2.0;
    let (low, high) = (place.y + place.height * 0.75, place.y + place.height * 0.25);
    let out = x + 2.0 * LOOP;
    let path = format!("M{x:.1},{low:.1} C{out:.1},{low:.1} {out:.1},{high:.1} {x:.1},{high:.1}");
    let label_at = (
        x + 2.0 * LOOP + text_width(label) / 2.0 - 4.0,
        (low + high) / 2.0 + 4.0,
    );
    (path, label_at)
}

/// Through the placeholders, from bottom to top; the label in the first gap.
fn forward_path(layout: &Layout, edge: usize) -> (String, Point) {
    let route = &layout.routes[edge];
    let start = &layout.places[route[0]];
    let mut from = (start.x, start.y + start.height);
    let mut path = format!("M{:.1},{:.1}", from.0, from.1);
    let mut label = from;
    for (step, &index) in route[1..].iter().enumerate() {
        let place = &layout.places[index];
        let to = (place.x, place.y);
        let middle = (from.1 + to.1) / 2.0;
        let _ = write!(
            path,
            " C{:.1},{middle:.1} {:.1},{middle:.1} {:.1},{:.1}",
            from.0, to.0, to.0, to.1
        );
        if step == 0 {
            // nearer to the target, where the edges of one source have parted
            label = (
                from.0 + (to.0 - from.0) * 0.84,
                from.1 + (to.1 - from.1) * 0.68 + 4.0,
            );
        }
        from = (to.0, to.1 + place.height);
    }
    (path, label)
}

/// Out on the right, up in its lane, and back in.
fn back_path(layout: &Layout, edge: usize, lane: f64) -> (String, Point) {
    let route = &layout.routes[edge];
    let (from, to) = (
        &layout.places[route[0]],
        &layout.places[route[route.len() - 1]],
    );
    let (x1, y1) = (from.x + from.width / 2.0, from.y + from.height * 0.7);
    let (x2, y2) = (to.x + to.width / 2.0, to.y + to.height * 0.3);
    let lane = lane.max(x1 + 24.0).max(x2 + 24.0);
    let path = format!(
        "M{x1:.1},{y1:.1} L{:.1},{y1:.1} Q{lane:.1},{y1:.1} {lane:.1},{:.1} L{lane:.1},{:.1} Q{lane:.1},{y2:.1} {:.1},{y2:.1} L{x2:.1},{y2:.1}",
        lane - 8.0,
        y1 - (y1 - y2).min(8.0),
        y2 + (y1 - y2).min(8.0),
        lane - 8.0
    );
    (path, (lane + 4.0, (y1 + y2) / 2.0 + 4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_between_entry_and_exit() {
        let node = |text: &str, kind| Node {
            lines: vec![text.to_owned()],
            kind,
        };
        let edge = |from, to, label: &str| Edge {
            is_taken: false,
            from,
            to,
            label: label.to_owned(),
        };
        let drawing = Drawing {
            title: "f <reference>".to_owned(),
            nodes: vec![
                node("entry", NodeKind::Entry),
                node("exit", NodeKind::Exit),
                node("loop", NodeKind::LoopHead),
                node("panic", NodeKind::Violation),
            ],
            edges: vec![
                edge(0, 2, "1"),
                edge(2, 2, "2-3"),
                edge(2, 1, "4"),
                edge(2, 3, "5"),
                edge(0, 1, "6"),
            ],
        };
        assert_eq!(ranks(&drawing), [0, 2, 1, 2]);
        let svg = render(&drawing);
        assert!(svg.contains("f &lt;reference&gt;") && svg.matches(" d=\"M").count() >= 5);
        assert!(!svg.contains("NaN"));
    }
}
