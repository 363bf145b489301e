//! `bench --baseline FILE`: this run beside the JSON of an earlier one, as ratios.
//!
//! Machines differ and are noisy, so times are never compared as they are: a fixed piece of work (the yardstick) is timed
//! in every run that writes JSON, and a task's time counts in units of it. A ratio of 1.00 is the same speed.

use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Tasks below this are all start-up and noise.
const LEAST_MS: f64 = 5.0;
/// The slowest tasks are named from this ratio on.
const NOTABLE: f64 = 1.5;

/// Microseconds for a fixed piece of work: hashing and memory, as the engines do; the best of several tries.
pub fn yardstick() -> u64 {
    let work = || {
        let start = Instant::now();
        let mut table: BTreeMap<u64, u64> = BTreeMap::new();
        let mut x = 1_u64;
        for i in 0..200_000 {
            x = x
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *table.entry(x >> 50).or_default() += i;
        }
        std::hint::black_box(&table);
        start.elapsed().as_micros() as u64
    };
    (0..5).map(|_| work()).min().unwrap_or(1).max(1)
}

/// One task's verdict and time.
struct Measured {
    suite: String,
    category: String,
    ms: f64,
}

fn measured(run: &Value) -> BTreeMap<String, Measured> {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let tasks = run["tasks"].as_array().into_iter().flatten();
    tasks
        .map(|t| {
            let task = Measured {
                suite: text(&t["suite"]),
                category: text(&t["category"]),
                ms: t["engine_ms"].as_f64().unwrap_or(0.0),
            };
            (format!("{}/{}", task.suite, text(&t["task"])), task)
        })
        .collect()
}

/// Prints how this run compares with the one in the file.
pub fn compare(now: &Value, baseline: &Path) -> Result<()> {
    let file = baseline.display();
    let text = std::fs::read_to_string(baseline)
        .with_context(|| format!("cannot read the baseline {file}"))?;
    let before: Value = serde_json::from_str(&text)
        .with_context(|| format!("{file} is not a result of `bench --json`"))?;
    let unit = |run: &Value| run["yardstick_us"].as_f64().filter(|u| *u > 0.0);
    let (Some(unit_before), Some(unit_now)) = (unit(&before), unit(now)) else {
        anyhow::bail!("{file} has no yardstick; write it anew with `bench --json`");
    };
    let machine = unit_now / unit_before;
    let (old, new) = (measured(&before), measured(now));
    let mut suites: BTreeMap<&str, Vec<(f64, &str)>> = BTreeMap::new();
    let mut changed = vec![];
    for (name, task) in &new {
        let Some(was) = old.get(name) else { continue };
        if was.category != task.category {
            changed.push(format!("{name}: {} -> {}", was.category, task.category));
        } else if task.category == "correct" {
            let ratio = task.ms.max(LEAST_MS) / was.ms.max(LEAST_MS) / machine;
            suites.entry(&task.suite).or_default().push((ratio, name));
        }
    }
    println!("\nagainst {file} (this machine takes {machine:.2} times as long for the yardstick)");
    println!(
        "{:<18} {:>5} {:>10} {:>8} {:>8}",
        "suite", "tasks", "geo. mean", "best", "worst"
    );
    for (suite, ratios) in &mut suites {
        ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mean = geometric_mean(ratios.iter().map(|r| r.0));
        let (best, worst) = (ratios[0].0, ratios[ratios.len() - 1].0);
        println!(
            "{suite:<18} {:>5} {mean:>10.2} {best:>8.2} {worst:>8.2}",
            ratios.len()
        );
        for (ratio, name) in ratios.iter().rev().take(3).filter(|r| r.0 > NOTABLE) {
            println!("    {ratio:.2} times: {name}");
        }
    }
    for line in changed {
        println!("    {line}");
    }
    Ok(())
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = ratios.fold((0.0, 0.0), |(s, n), r| (s + r.ln(), n + 1.0));
    if n == 0.0 { 1.0 } else { f64::exp(sum / n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mean_of_ratios_is_geometric() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-9);
        assert!((geometric_mean([].into_iter()) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_baseline_that_is_none_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("b.json");
        assert!(compare(&json!({}), &file).is_err());
        std::fs::write(&file, "{").expect("written");
        assert!(compare(&json!({}), &file).is_err());
        std::fs::write(&file, r#"{"tasks": []}"#).expect("written");
        assert!(compare(&json!({"yardstick_us": 3, "tasks": []}), &file).is_err());
        std::fs::write(&file, r#"{"yardstick_us": 3, "tasks": []}"#).expect("written");
        assert!(compare(&json!({"yardstick_us": 3, "tasks": []}), &file).is_ok());
    }
}
