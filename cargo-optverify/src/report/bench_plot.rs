//! The quantile plot of a bench: the correct answers of a run in the order of their times; x is the sum of their points,
//! beginning with what the wrong answers cost, y the time of the answer. To the right is stronger, low is faster.

use super::bench_html::{Run, escape};
use std::fmt::Write;

/// Colours on white and on black that differ in lightness as well as in hue, and the dashes of each.
const LINES: [(&str, &str, &str); 5] = [
    ("#2457c5", "#8fb3ff", ""),
    ("#c2410c", "#ffa36b", "6 3"),
    ("#15803d", "#7fd99a", "2 3"),
    ("#86198f", "#e9a3f2", "9 3 2 3"),
    ("#475569", "#b9c4d4", "1 4"),
];

const WIDTH: f64 = 820.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 60.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 20.0;

/// The plot alone, an SVG.
pub fn plot(runs: &[Run]) -> String {
    let lines: Vec<(i64, Vec<(i64, u64)>)> = runs.iter().map(Run::quantiles).collect();
    let points = || lines.iter().flat_map(|(_, line)| line);
    let low = lines
        .iter()
        .map(|(start, _)| *start)
        .min()
        .unwrap_or(0)
        .min(0) as f64;
    let high = points().map(|(score, _)| *score).max().unwrap_or(1).max(1) as f64;
    let decades = points()
        .map(|(_, ms)| (*ms as f64).log10())
        .fold(1.0, f64::max)
        .ceil();
    let x = |score: f64| LEFT + (score - low) / (high - low) * (WIDTH - LEFT - RIGHT);
    let y = |ms: f64| HEIGHT - BOTTOM - ms.max(1.0).log10() / decades * (HEIGHT - BOTTOM - TOP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} \
         {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>Quantile plot: score and time of the \
         answers</title>\n<style>{}</style>\n<rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n",
        style()
    );
    for decade in 0..=decades as i32 {
        let at = y(10f64.powi(decade));
        let label = match decade {
            0..=2 => format!("{} ms", 10i64.pow(decade as u32)),
            _ => format!("{} s", 10i64.pow(decade as u32 - 3)),
        };
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0
        );
    }
    for step in 0..=5 {
        let score = low + (high - low) * f64::from(step) / 5.0;
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}</text>",
            x(score),
            HEIGHT - BOTTOM + 18.0,
            score
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">accumulated score</text>",
        (LEFT + WIDTH) / 2.0,
        HEIGHT - BOTTOM + 36.0
    );
    let _ = writeln!(
        svg,
        "<text x=\"14\" y=\"{0:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {0:.1})\">time of the answer</text>",
        (TOP + HEIGHT - BOTTOM) / 2.0
    );
    for (index, (run, (start, line))) in runs.iter().zip(&lines).enumerate() {
        let line_of = index % LINES.len();
        let dashes = LINES[line_of].2;
        let first = line.first().map_or(1, |(_, ms)| *ms);
        let mut path = format!("M{:.1},{:.1}", x(*start as f64), y(first as f64));
        for (score, ms) in line {
            let _ = write!(path, " L{:.1},{:.1}", x(*score as f64), y(*ms as f64));
        }
        let legend = TOP + 14.0 + 18.0 * index as f64;
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" class=\"run{line_of}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\
             <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{legend}\" y2=\"{legend}\" class=\"run{line_of}\" stroke-width=\"2\" \
             stroke-dasharray=\"{dashes}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT + 12.0,
            LEFT + 44.0,
            LEFT + 52.0,
            legend + 4.0,
            escape(&run.name)
        );
    }
    svg + "</svg>\n"
}

/// On white, and on black for those who prefer it.
fn style() -> String {
    let lines = |pick: fn(&(&'static str, &'static str, &str)) -> &'static str| -> String {
        let line = |(i, l)| format!(".plot .run{i}{{stroke:{}}}", pick(l));
        LINES.iter().enumerate().map(line).collect()
    };
    format!(
        ".plot .sheet{{fill:#fff}}.plot text{{fill:#222}}.plot .grid{{stroke:#ddd}}{}\
         @media (prefers-color-scheme:dark){{.plot .sheet{{fill:#12151b}}.plot text{{fill:#e4e8ef}}\
         .plot .grid{{stroke:#333c4a}}{}}}",
        lines(|l| l.0),
        lines(|l| l.1)
    )
}
