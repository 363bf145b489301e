//! `bench --html FILE`: the score table of the competition and its quantile plot, for several runs.
//!
//! Quantile plot by score: the correct answers of a run in the order of their times; x is the sum of their points,
//! beginning with what the wrong answers cost, y the time of the answer. To the right is stronger, low is faster.

use serde_json::Value;
use std::fmt::Write;

/// The results of one run, as `bench --json` writes them.
pub struct Run {
    pub name: String,
    pub tasks: Vec<Value>,
}

impl Run {
    /// Of a file that `bench --json` wrote.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let tasks = value["tasks"]
            .as_array()
            .ok_or("there are no tasks in it")?;
        Ok(Self {
            name: name.to_owned(),
            tasks: tasks.clone(),
        })
    }

    fn suites(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self
            .tasks
            .iter()
            .filter_map(|t| t["suite"].as_str())
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Where the line begins, and a point per correct answer: (score, milliseconds).
    fn quantiles(&self) -> (i64, Vec<(i64, u64)>) {
        let points = |t: &Value| t["points"].as_i64().unwrap_or(0);
        let start: i64 = self.tasks.iter().map(points).filter(|p| *p < 0).sum();
        let mut correct: Vec<(u64, i64)> = self
            .tasks
            .iter()
            .filter(|t| points(t) > 0)
            .map(|t| (t["wall_ms"].as_u64().unwrap_or(0).max(1), points(t)))
            .collect();
        correct.sort_unstable();
        let mut score = start;
        let line = correct.into_iter().map(|(ms, points)| {
            score += points;
            (score, ms)
        });
        (start, line.collect())
    }
}

/// Colours that differ in lightness as well as in hue, and the dashes of each.
const LINES: [(&str, &str); 5] = [
    ("#2457c5", ""),
    ("#c2410c", "6 3"),
    ("#15803d", "2 3"),
    ("#86198f", "9 3 2 3"),
    ("#475569", "1 4"),
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
         answers</title>\n<style>.plot .sheet{{fill:#fff}}.plot text{{fill:#222}}.plot .grid{{stroke:#ddd}}</style>\n\
         <rect class=\"sheet\" width=\"100%\" height=\"100%\"/>\n"
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
    for (index, (run, (start, line))) in runs.iter().zip(&lines).enumerate() {
        let (colour, dashes) = LINES[index % LINES.len()];
        let first = line.first().map_or(1, |(_, ms)| *ms);
        let mut path = format!("M{:.1},{:.1}", x(*start as f64), y(first as f64));
        for (score, ms) in line {
            let _ = write!(path, " L{:.1},{:.1}", x(*score as f64), y(*ms as f64));
        }
        let legend = TOP + 14.0 + 18.0 * index as f64;
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>\
             <line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{legend}\" y2=\"{legend}\" stroke=\"{colour}\" stroke-width=\"2\" \
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

/// The whole page.
pub fn page(runs: &[Run]) -> String {
    let mut rows = String::new();
    for run in runs {
        for suite in run.suites() {
            let tasks: Vec<&Value> = run.tasks.iter().filter(|t| t["suite"] == suite).collect();
            rows += &score_row(&run.name, suite, &tasks);
        }
        rows += &score_row(&run.name, "all", &run.tasks.iter().collect::<Vec<_>>());
    }
    let tasks: String = runs.iter().map(task_table).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>cargo optverify bench</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>cargo optverify bench</h1>\n<h2>Scores</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Scores\">\n<table>\n<thead><tr><th scope=\"col\">run</th><th scope=\"col\">suite</th>\
         <th scope=\"col\">tasks</th><th scope=\"col\">correct safe</th><th scope=\"col\">correct unsafe</th>\
         <th scope=\"col\">wrong</th><th scope=\"col\">unknown</th><th scope=\"col\">median</th><th scope=\"col\">score \
         2012</th><th scope=\"col\">score now</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n\
         <p>2012: safe +2, unsafe +1, false alarm -2, missed bug -4. Now: +2, +1, -16, -32.</p>\n\
         <h2>Quantiles</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Quantile plot\">\n{}</div>\n\
         <h2>Tasks</h2>\n{tasks}</body>\n</html>\n",
        plot(runs)
    )
}

fn score_row(run: &str, suite: &str, tasks: &[&Value]) -> String {
    let count = |category: &str, verdict: Option<&str>| {
        let of = tasks.iter().filter(|t| t["category"] == category);
        of.filter(|t| verdict.is_none_or(|v| t["verdict"] == v))
            .count()
    };
    let sum = |field: &str| tasks.iter().filter_map(|t| t[field].as_i64()).sum::<i64>();
    let mut times: Vec<u64> = tasks.iter().filter_map(|t| t["wall_ms"].as_u64()).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or(0);
    let wrong = count("WRONG", None);
    let class = if wrong > 0 { " class=\"wrong\"" } else { "" };
    format!(
        "<tr{class}><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{wrong}</td><td>{}</td>\
         <td>{median} ms</td><td>{}</td><td>{}</td></tr>\n",
        escape(run),
        escape(suite),
        tasks.len(),
        count("correct", Some("safe")),
        count("correct", Some("unsafe")),
        count("unknown", None),
        sum("points_2012"),
        sum("points")
    )
}

fn task_table(run: &Run) -> String {
    let text = |value: &Value| escape(value.as_str().unwrap_or_default());
    let rows: String = run
        .tasks
        .iter()
        .map(|t| {
            let class = if t["category"] == "WRONG" { " class=\"wrong\"" } else { "" };
            format!(
                "<tr{class}><th scope=\"row\">{}/{}</th><td>{}</td><td>{}</td><td>{}</td><td>{} ms</td><td>{}</td><td>{}</td></tr>\n",
                text(&t["suite"]),
                text(&t["task"]),
                text(&t["expect"]),
                text(&t["verdict"]),
                text(&t["category"]),
                t["wall_ms"],
                text(&t["engine"]),
                text(&t["why"])
            )
        })
        .collect();
    format!(
        "<details><summary>{}: {} tasks</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Tasks of \
         {}\">\n<table>\n<thead><tr><th scope=\"col\">task</th><th scope=\"col\">expected</th><th scope=\"col\">verdict</th>\
         <th scope=\"col\"></th><th scope=\"col\">time</th><th scope=\"col\">by</th><th scope=\"col\">why</th></tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table>\n</div>\n</details>\n",
        escape(&run.name),
        run.tasks.len(),
        escape(&run.name)
    )
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;\
    padding:1.5rem}table{border-collapse:collapse}th,td{border:1px solid #8886;padding:.2rem .6rem;text-align:left;\
    font-weight:normal}thead th{font-weight:600}.wide{overflow-x:auto}.wrong{outline:2px solid #c00}\
    summary{cursor:pointer}svg{max-width:none}\n";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(name: &str, tasks: &[(&str, i64, u64)]) -> Run {
        let tasks = tasks.iter().map(|(category, points, ms)| {
            json!({"suite": "s", "task": "t", "verdict": "safe", "category": category, "points": points,
                   "points_2012": points, "wall_ms": ms, "why": ""})
        });
        Run {
            name: name.into(),
            tasks: tasks.collect(),
        }
    }

    #[test]
    fn a_line_begins_with_what_wrong_answers_cost() {
        let run = run(
            "a",
            &[
                ("correct", 2, 50),
                ("WRONG", -32, 3),
                ("correct", 1, 5),
                ("unknown", 0, 9),
            ],
        );
        assert_eq!(run.quantiles(), (-32, vec![(-31, 5), (-29, 50)]));
    }

    #[test]
    fn several_runs_in_one_plot() {
        let runs = [
            run("first <1>", &[("correct", 2, 50)]),
            run("second", &[("correct", 2, 5000)]),
        ];
        let page = page(&runs);
        assert_eq!(page.matches("<path d=").count(), 2);
        assert!(
            page.contains("first &lt;1&gt;") && page.contains("10 s"),
            "{page}"
        );
        assert!(page.contains("<td>1</td><td>1</td><td>0</td><td>0</td><td>0</td><td>50 ms</td><td>2</td><td>2</td>"), "{page}");
        assert!(Run::parse("x", "{}").is_err());
    }
}
