//! The MIR before and after a pass side by side: what the pass changed, with a little around it.
//!
//! Lines are aligned by a longest common subsequence. Comments, declarations and debug information are left out:
//! what matters is in the blocks.

use crate::report::MirRow;

/// Lines that are the same on both sides are shown this far around a change.
const AROUND: usize = 2;
/// More rows than this are a different program, not a difference.
const MOST_ROWS: usize = 80;
/// The alignment is quadratic.
const MOST_LINES: usize = 3000;

/// The rows to show; a row without text on both sides stands for rows left out.
pub fn side_by_side(before: &str, after: &str) -> Vec<MirRow> {
    let (a, b) = (code(before), code(after));
    let rows = aligned(&a, &b);
    let n = rows.len();
    let mut keep = vec![false; n];
    for (i, (x, y)) in rows.iter().enumerate() {
        if x == y {
            continue;
        }
        for k in &mut keep[i.saturating_sub(AROUND)..(i + AROUND + 1).min(n)] {
            *k = true;
        }
        // The name of the block that the change is in.
        let is_start = |j: &usize| {
            rows[*j]
                .0
                .or(rows[*j].1)
                .is_some_and(|l| l.starts_with("bb"))
        };
        if let Some(j) = (0..=i).rev().find(is_start) {
            keep[j] = true;
        }
    }
    let mut out: Vec<MirRow> = vec![];
    let mut skipped = false;
    for ((x, y), keep) in rows.into_iter().zip(keep) {
        if !keep || out.len() >= MOST_ROWS {
            skipped = true;
            continue;
        }
        if skipped && !out.is_empty() {
            out.push(MirRow::default());
        }
        skipped = false;
        out.push(MirRow {
            changed: x != y,
            before: x.unwrap_or_default().to_string(),
            after: y.unwrap_or_default().to_string(),
        });
    }
    out
}

/// The lines of the blocks, without comments; statements are indented, blocks are not.
fn code(text: &str) -> Vec<String> {
    let mut out = vec![];
    let mut inside = false;
    for line in text.lines() {
        let line = line.split(" // ").next().unwrap_or("").trim();
        let line = line.split("//").next().unwrap_or("").trim();
        if line.starts_with("bb") && line.ends_with('{') {
            inside = true;
            out.push(line.trim_end_matches(['{', ' ', ':']).to_string() + ":");
        } else if line == "}" {
            inside = false;
        } else if inside && !line.is_empty() && out.len() < MOST_LINES {
            out.push(format!("  {line}"));
        }
    }
    out
}

type Row<'a> = (Option<&'a str>, Option<&'a str>);

/// Longest common subsequence; what is not in it stands alone, replaced lines beside each other.
fn aligned<'a>(a: &'a [String], b: &'a [String]) -> Vec<Row<'a>> {
    let (n, m) = (a.len(), b.len());
    let mut best = vec![vec![0u32; m + 1]; n + 1];
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            best[i][j] = if a[i] == b[j] {
                best[i + 1][j + 1] + 1
            } else {
                best[i + 1][j].max(best[i][j + 1])
            };
        }
    }
    let mut rows: Vec<Row<'a>> = vec![];
    let (mut i, mut j) = (0, 0);
    let (mut left, mut right): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    let flush = |left: &mut Vec<&'a str>, right: &mut Vec<&'a str>, rows: &mut Vec<Row<'a>>| {
        for k in 0..left.len().max(right.len()) {
            rows.push((left.get(k).copied(), right.get(k).copied()));
        }
        left.clear();
        right.clear();
    };
    while i < n || j < m {
        if i < n && j < m && a[i] == b[j] {
            flush(&mut left, &mut right, &mut rows);
            rows.push((Some(&a[i]), Some(&b[j])));
            (i, j) = (i + 1, j + 1);
        } else if j == m || (i < n && best[i + 1][j] >= best[i][j + 1]) {
            left.push(&a[i]);
            i += 1;
        } else {
            right.push(&b[j]);
            j += 1;
        }
    }
    flush(&mut left, &mut right, &mut rows);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "fn f() -> u8 {\n    let mut _0: u8;\n    bb0: {\n        _1 = const 1_u8; // scope 0\n        \
                          _2 = Add(copy _1, const 2_u8);\n        _0 = copy _2;\n        goto -> bb1;\n    }\n\n    \
                          bb1: {\n        return;\n    }\n}\n";

    #[test]
    fn only_the_change_and_its_neighbours() {
        let after = BEFORE.replace("Add(copy _1, const 2_u8)", "const 4_u8");
        let rows = side_by_side(BEFORE, &after);
        let changed: Vec<&MirRow> = rows.iter().filter(|r| r.changed).collect();
        assert_eq!(changed.len(), 1, "{rows:?}");
        assert_eq!(changed[0].before.trim(), "_2 = Add(copy _1, const 2_u8);");
        assert_eq!(changed[0].after.trim(), "_2 = const 4_u8;");
        assert_eq!(rows[0].before, "bb0:");
        assert!(
            !rows.iter().any(|r| r.before.contains("return")),
            "{rows:?}"
        );
    }

    #[test]
    fn a_dropped_line_has_nothing_beside_it() {
        let after = BEFORE.replace("        _0 = copy _2;\n", "");
        let rows = side_by_side(BEFORE, &after);
        let changed: Vec<&MirRow> = rows.iter().filter(|r| r.changed).collect();
        assert_eq!(changed.len(), 1, "{rows:?}");
        assert_eq!(
            (changed[0].before.trim(), changed[0].after.as_str()),
            ("_0 = copy _2;", "")
        );
    }

    #[test]
    fn equal_texts_have_no_rows() {
        assert!(side_by_side(BEFORE, BEFORE).is_empty());
    }
}
