//! `bench --html FILE`: the score table of the competition, its quantile plot (`bench_plot`), and what differs between
//! several runs.

use super::bench_plot::plot;
use super::html::STYLE as COMMON;
use serde_json::Value;

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
    pub fn quantiles(&self) -> (i64, Vec<(i64, u64)>) {
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
         content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>cargo optverify bench</title>\n<style>\n{COMMON}{STYLE}</style>\n\
         </head>\n<body>\n<h1>cargo optverify bench</h1>\n<h2>Scores</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Scores\">\n<table class=\"scores\">\n<thead><tr><th scope=\"col\">run</th><th scope=\"col\">suite</th>\
         <th scope=\"col\">tasks</th><th scope=\"col\">correct safe</th><th scope=\"col\">correct unsafe</th>\
         <th scope=\"col\">wrong</th><th scope=\"col\">unknown</th><th scope=\"col\">median</th><th scope=\"col\">score \
         2012</th><th scope=\"col\">score now</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n\
         <p>2012: safe +2, unsafe +1, false alarm -2, missed bug -4. Now: +2, +1, -16, -32.</p>\n\
         <h2>Quantiles</h2>\n<p>The correct answers of a run, from the fastest to the slowest. To the right is stronger, low is \
         faster; wrong answers move the beginning to the left.</p>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Quantile plot\">\n{}</div>\n\
         {}<h2>Tasks</h2>\n{tasks}</body>\n</html>\n",
        plot(runs),
        differences(runs)
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

/// A task of two runs differs by its time if the one took this many times the other, and this many milliseconds more.
const SLOWER: (u64, u64) = (2, 250);

/// Tasks that the runs answer differently, or in very different times.
fn differences(runs: &[Run]) -> String {
    let [first, others @ ..] = runs else {
        return String::new();
    };
    if others.is_empty() {
        return String::new();
    }
    let mut rows = String::new();
    for task in &first.tasks {
        let of = |run: &Run| {
            let same = |t: &&Value| t["task"] == task["task"] && t["suite"] == task["suite"];
            run.tasks.iter().find(same).cloned()
        };
        let all: Vec<Option<Value>> = runs.iter().map(of).collect();
        let verdicts: Vec<&str> = all
            .iter()
            .map(|t| t.as_ref().and_then(|t| t["verdict"].as_str()).unwrap_or(""))
            .collect();
        let times: Vec<u64> = all
            .iter()
            .flatten()
            .filter_map(|t| t["wall_ms"].as_u64())
            .collect();
        let (low, high) = (
            times.iter().min().copied().unwrap_or(0),
            times.iter().max().copied().unwrap_or(0),
        );
        let otherwise = verdicts.windows(2).any(|w| w[0] != w[1]);
        let slower = high >= low * SLOWER.0 && high - low >= SLOWER.1;
        if !otherwise && !slower {
            continue;
        }
        let cells: String = all.iter().map(cell).collect();
        rows += &format!(
            "<tr><th scope=\"row\">{}/{}</th>{cells}</tr>\n",
            escape(task["suite"].as_str().unwrap_or_default()),
            escape(task["task"].as_str().unwrap_or_default())
        );
    }
    let head = "<h2>What differs</h2>\n";
    if rows.is_empty() {
        return format!("{head}<p>Nothing: the same answers in much the same times.</p>\n");
    }
    let columns: String = runs
        .iter()
        .map(|run| format!("<th scope=\"col\">{}</th>", escape(&run.name)))
        .collect();
    format!(
        "{head}<p>Tasks with different answers, or with times that differ by a factor of {} and more.</p>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"What differs\">\n<table>\n\
         <thead><tr><th scope=\"col\">task</th>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n</div>\n",
        SLOWER.0
    )
}

/// One run's answer.
fn cell(task: &Option<Value>) -> String {
    let Some(task) = task else {
        return "<td>not in it</td>".to_owned();
    };
    let verdict = escape(task["verdict"].as_str().unwrap_or_default());
    let wrong = if task["category"] == "WRONG" {
        " (wrong)"
    } else {
        ""
    };
    let class = match verdict.as_str() {
        "safe" | "unsafe" => &verdict,
        _ => "unknown",
    };
    format!(
        "<td><span class=\"verdict {class}\">{verdict}</span>{wrong} {} ms</td>",
        task["wall_ms"].as_u64().unwrap_or(0)
    )
}

const STYLE: &str = "table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.2rem .6rem;text-align:left;\
    font-weight:normal}thead th{font-weight:600}.scores td:nth-child(n+3){text-align:right;\
    font-variant-numeric:tabular-nums}.wide{overflow-x:auto}.wrong{outline:2px solid var(--unsafe)}\
    summary{cursor:pointer}svg{max-width:none}.plot .sheet{fill:none}\n";

pub(super) fn escape(text: &str) -> String {
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
        // a hundred times slower is a difference; one run has none
        assert!(
            page.contains("What differs") && page.contains("</span> 5000 ms"),
            "{page}"
        );
        assert!(!super::page(&runs[..1]).contains("What differs"));
        let same = [
            run("a", &[("correct", 2, 50)]),
            run("b", &[("correct", 2, 60)]),
        ];
        assert!(super::page(&same).contains("<p>Nothing: the same answers"));
    }
}
