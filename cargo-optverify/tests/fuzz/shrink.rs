//! Makes a program with a wrong verdict small: deletes statements, opens blocks, replaces expressions by literals, as
//! long as the verdict stays wrong in the same way. Many candidates share one compile and one run of the tool.

use crate::claims::without_fuel;
use crate::confirm;
use crate::functions::{ALLOWED, Function};
use crate::judge::{Wrong, accused};
use crate::tool::{self, Profile, Verdict};
use crate::truth::{Build, Native, plain_library};
use std::collections::BTreeSet;
use std::path::Path;

/// Candidates tried at once, and rounds of them.
const BATCH: usize = 24;
const ROUNDS: usize = 60;

/// A program with a wrong verdict.
pub struct Case<'a> {
    pub function: &'a Function,
    pub profile: Profile,
    pub wrong: Wrong,
    /// The input that panics, for a program that is called safe.
    pub input: Option<Vec<String>>,
}

/// The smallest program found, and the verdict on it; nothing if the verdict on it alone is not wrong.
pub fn shrink(case: &Case<'_>, prelude: &str, folder: &Path) -> Option<(String, Verdict)> {
    let text = format!("{prelude}#[verify]\n{}", case.function.text);
    let mut best: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut verdict = case.wrong_ones(&[best.clone()], folder).pop()?.1;
    let (mut next, mut again) = (0, false);
    for _ in 0..ROUNDS {
        let mut all = candidates(&best);
        let head = format!("pub fn {}(", case.function.name);
        all.retain(|c| {
            c.windows(2)
                .any(|w| w[0] == "#[verify]" && w[1].starts_with(&head))
        });
        if next >= all.len() {
            if !again {
                break;
            }
            (next, again) = (0, false);
        }
        let batch: Vec<Vec<String>> = all.iter().skip(next).take(BATCH).cloned().collect();
        let found = case.wrong_ones(&batch, folder);
        match found.into_iter().min_by_key(|(n, _)| size(&batch[*n])) {
            Some((n, v)) => {
                // what was in vain before will mostly be so again
                next = next.saturating_sub(BATCH);
                again = true;
                (best, verdict) = (batch[n].clone(), v);
            }
            None => next += BATCH,
        }
    }
    Some((without_fuel(&(best.join("\n") + "\n")), verdict))
}

fn size(lines: &[String]) -> usize {
    lines.iter().map(|l| l.len() + 1).sum()
}

impl Case<'_> {
    /// The candidates whose verdict is wrong in the same way.
    fn wrong_ones(&self, candidates: &[Vec<String>], folder: &Path) -> Vec<(usize, Verdict)> {
        match self.try_candidates(candidates, folder) {
            Ok(found) => found,
            Err(why) => {
                eprintln!("shrinking: {}", why.lines().next().unwrap_or_default());
                vec![]
            }
        }
    }

    fn try_candidates(
        &self,
        candidates: &[Vec<String>],
        folder: &Path,
    ) -> Result<Vec<(usize, Verdict)>, String> {
        let build = match self.wrong {
            Wrong::Safe(stage) | Wrong::Unsafe(stage) => stage.build(self.profile),
            Wrong::Broken => Build::Dev,
        };
        let mut kept: BTreeSet<usize> = (0..candidates.len()).collect();
        let native = loop {
            let (text, ends) = modules(candidates, &kept, "#[cfg(any())]");
            let head = plain_library("").lines().count();
            match Native::build(folder, build, &plain_library(&text)) {
                Ok(native) => break native,
                Err(why) => {
                    let lines = why.split("generated.rs:").skip(1);
                    let lines = lines.filter_map(|l| l.split(':').next()?.parse::<usize>().ok());
                    let bad = lines.filter_map(|l| {
                        let at = l.checked_sub(head + 1)?;
                        ends.iter().find(|(_, end)| at < *end).map(|(n, _)| *n)
                    });
                    let bad: BTreeSet<usize> = bad.collect();
                    let before = kept.len();
                    kept.retain(|n| !bad.contains(n));
                    if kept.is_empty() {
                        return Ok(vec![]);
                    }
                    if kept.len() == before {
                        return Err(why);
                    }
                }
            }
        };
        let (text, _) = modules(candidates, &kept, "#[verify]");
        let file = folder.join("shrunk.rs");
        let text = format!("{ALLOWED}{}", without_fuel(&text));
        std::fs::write(&file, text).map_err(|e| e.to_string())?;
        let mut found: Vec<(usize, Verdict)> = vec![];
        for (root, verdict) in tool::verdicts(&file, self.profile, 5000)? {
            let number = root.split("::").next().and_then(|m| m[1..].parse().ok());
            found.extend(number.map(|n| (n, verdict)));
        }
        self.confirmed(found, &native)
    }

    fn confirmed(
        &self,
        mut found: Vec<(usize, Verdict)>,
        native: &Native,
    ) -> Result<Vec<(usize, Verdict)>, String> {
        let panics = match self.wrong {
            Wrong::Broken => {
                found.retain(|(_, v)| v.is_broken());
                return Ok(found);
            }
            Wrong::Safe(stage) => {
                found.retain(|(_, v)| stage.verdict(v) == "safe");
                true
            }
            Wrong::Unsafe(stage) => {
                found.retain(|(_, v)| stage.verdict(v) == "unsafe" && accused(v) == Some(stage));
                false
            }
        };
        let name = &self.function.name;
        let calls = found.iter().map(|(n, v)| {
            let inputs = self.input.as_ref().or(v.inputs.as_ref());
            let inputs = inputs.cloned().unwrap_or_default();
            let call = confirm::call(name, self.function, &inputs).unwrap_or("no call".into());
            format!("{{ use generated::c{n}::*; {call} }}")
        });
        let calls: Vec<String> = calls.collect();
        let ends = confirm::run(native, &calls)?;
        let both = found.into_iter().enumerate();
        let same = both.filter(|(i, _)| match ends.get(i) {
            Some(confirm::Ended::Panicked(_)) => panics,
            Some(confirm::Ended::Returned) => !panics,
            _ => false,
        });
        Ok(same.map(|(_, pair)| pair).collect())
    }
}

/// Each candidate in a module of its own, and the line after each.
fn modules(
    candidates: &[Vec<String>],
    kept: &BTreeSet<usize>,
    attribute: &str,
) -> (String, Vec<(usize, usize)>) {
    let (mut text, mut ends, mut lines) = (String::new(), vec![], 0);
    let marked = attribute == "#[verify]";
    for n in kept {
        let import = if marked { "use optverify::verify;" } else { "" };
        text.push_str(&format!("pub mod c{n} {{ {import}\n"));
        lines += candidates[*n].len() + 2;
        for line in &candidates[*n] {
            if marked || line != "#[verify]" {
                text.push_str(line);
            }
            text.push('\n');
        }
        text.push_str("}\n");
        ends.push((*n, lines));
    }
    (text, ends)
}

/// Smaller programs, the smallest first.
fn candidates(lines: &[String]) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = vec![];
    let change = |line: &str| line.matches('{').count() as i64 - line.matches('}').count() as i64;
    for (i, line) in lines.iter().enumerate() {
        let mut depth = 0;
        for (j, end) in lines.iter().enumerate().skip(i) {
            depth += change(end);
            if depth < 0 {
                break;
            }
            if depth == 0 && !end.starts_with("#[") {
                out.push([&lines[..i], &lines[j + 1..]].concat());
                // the block without its head and its end
                if j > i + 1 && line.ends_with('{') {
                    out.push([&lines[..i], &lines[i + 1..j], &lines[j + 1..]].concat());
                }
            }
            if j > i + 60 {
                break;
            }
        }
    }
    out.sort_by_key(|c| size(c));
    for (i, line) in lines.iter().enumerate() {
        for simpler in simpler(line) {
            let mut changed = lines.to_vec();
            changed[i] = simpler;
            out.push(changed);
        }
    }
    out
}

/// A line with one of its groups in parentheses replaced by a literal, or by a group inside of it.
fn simpler(line: &str) -> Vec<String> {
    let mut out = vec![];
    let mut open = vec![];
    let mut groups = vec![];
    for (at, c) in line.char_indices() {
        match c {
            '(' => open.push(at),
            ')' => groups.extend(open.pop().map(|from| (from, at + 1))),
            _ => {}
        }
    }
    groups.sort_by_key(|(from, to)| std::cmp::Reverse(to - from));
    for &(from, to) in &groups {
        let with = |text: &str| format!("{}{text}{}", &line[..from], &line[to..]);
        if to - from > 3 {
            out.extend([with("0"), with("1"), with("true")]);
            out.extend([with("(0)"), with("(1)")]);
        }
        let inner = groups.iter().find(|(f, t)| *f > from && *t < to);
        out.extend(inner.map(|&(f, t)| with(&line[f..t])));
    }
    out
}
