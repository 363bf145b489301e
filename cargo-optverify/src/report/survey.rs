//! Where a crate stands (`--all-functions`): functions by verdict, the unknown ones by reason, and those that are no
//! roots. The dearest reasons first: they are what to work on.

use crate::report::RootResult;
use crate::report::reason::Code;
use optverify_engine::capture::Manifest;
use optverify_engine::report::Verdict;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The table, a line a string, none wider than `width`.
pub fn table(results: &[RootResult], width: usize) -> Vec<String> {
    let captures = captures(results);
    let left_out = captures.iter().flat_map(|c| &c.left_out);
    let left_out = left_out.map(|f| (f.why.clone(), f.function.as_str()));
    // Only the engine sees what is inside a parameter.
    let (no_input, results): (Vec<_>, Vec<_>) = results.iter().partition(|r| lacks_input(r));
    let no_input = no_input.into_iter().map(|r| {
        let why = r.report.why.as_deref().unwrap_or_default();
        (why.to_owned(), r.root.name.as_str())
    });
    let left_out = grouped(left_out.chain(no_input));
    let count = |verdict| {
        let all = results.iter();
        all.filter(|r| r.report.verdict == verdict).count()
    };
    let outside: usize = left_out.iter().map(|group| group.names.len()).sum();
    let mut table = Table {
        width,
        lines: vec![],
    };
    table.head("functions", results.len() + outside);
    table.head("safe", count(Verdict::Safe));
    let of = |verdict| {
        let all = results.iter().filter(move |r| r.report.verdict == verdict);
        grouped(all.filter_map(|r| {
            let code = Code::of_report(&r.report)?;
            let reason = format!("{} {}", code.id, code.title());
            Some((reason, r.root.name.as_str()))
        }))
    };
    for verdict in [Verdict::Unsafe, Verdict::Unknown] {
        table.head(verdict.as_str(), count(verdict));
        of(verdict).iter().for_each(|group| table.group(group));
    }
    if outside > 0 {
        table.head("no roots", outside);
        left_out.iter().for_each(|group| table.group(group));
    }
    table.lines
}

/// Can no value stand for one of its parameters?
fn lacks_input(result: &RootResult) -> bool {
    let why = result.report.why.as_deref();
    result.report.verdict == Verdict::Unknown
        && why.is_some_and(|why| why.starts_with("a parameter"))
}

struct Group<'a> {
    reason: String,
    names: Vec<&'a str>,
}

/// By reason, the largest group first.
fn grouped<'a>(all: impl Iterator<Item = (String, &'a str)>) -> Vec<Group<'a>> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (reason, name) in all {
        groups.entry(reason).or_default().push(name);
    }
    let group = |(reason, names)| Group { reason, names };
    let mut groups: Vec<Group<'_>> = groups.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.names.len()));
    groups
}

struct Table {
    width: usize,
    lines: Vec<String>,
}

impl Table {
    fn head(&mut self, name: &str, count: usize) {
        self.lines.push(format!("{name:>12} {count:>5}"));
    }

    /// The reason, and as many examples as there is room for.
    fn group(&mut self, group: &Group<'_>) {
        let mut line = format!("{:>18}  {}", group.names.len(), group.reason);
        let mut opens = " (";
        for name in &group.names {
            if line.chars().count() + opens.len() + name.chars().count() + 5 > self.width {
                break;
            }
            line = line + opens + name;
            opens = ", ";
        }
        if opens == ", " {
            let all = line.matches(", ").count() + 1 >= group.names.len();
            line += if all { ")" } else { ", ..)" };
        }
        self.lines.push(line);
    }
}

/// Every capture that results came from, once.
fn captures(results: &[RootResult]) -> Vec<&Manifest> {
    let mut seen: Vec<&Arc<Manifest>> = Vec::new();
    for result in results {
        if !seen.iter().any(|s| Arc::ptr_eq(s, &result.capture)) {
            seen.push(&result.capture);
        }
    }
    seen.into_iter().map(|capture| &**capture).collect()
}
