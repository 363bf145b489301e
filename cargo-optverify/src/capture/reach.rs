//! Which functions of the crate a root can reach, as far as names tell. Too many is harmless: they are
//! only captured.

use crate::capture::mir_text::{BodyText, last_segment, names_used};
use std::collections::{BTreeMap, BTreeSet};

/// The initializer of every `thread_local!`.
const THREAD_LOCAL: &str = "__rust_std_internal_init_fn";

/// For every function: the functions of the crate that it may call, itself included.
pub struct Reach(BTreeMap<String, BTreeSet<String>>);

impl Reach {
    /// `bodies`: the closed reference, in which inlined callees are named by their scopes. `constants`: the bodies of the
    /// crate's statics and constants, whose pointers to functions anybody may follow.
    pub fn of(bodies: &[BodyText<'_>], constants: &str) -> Self {
        let mut pointed_at = names_used(constants);
        // Who reads a `thread_local!` runs its initializer, whose name is in the macro's closures alone.
        pointed_at.insert(THREAD_LOCAL.to_owned());
        let mut by_name: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for body in bodies {
            by_name
                .entry(last_segment(body.path))
                .or_default()
                .push(body.path);
        }
        let direct: BTreeMap<&str, BTreeSet<&str>> = bodies
            .iter()
            .map(|body| {
                let names = names_used(body.text);
                let callees = names
                    .iter()
                    .chain(&pointed_at)
                    .filter_map(|name| by_name.get(name))
                    .flatten()
                    .copied();
                let closures = bodies.iter().map(|b| b.path);
                let prefix = format!("{}::{{closure", body.path);
                (
                    body.path,
                    callees
                        .chain(closures.filter(|p| p.starts_with(&prefix)))
                        .collect(),
                )
            })
            .collect();
        Self(
            bodies
                .iter()
                .map(|body| (body.path.to_owned(), transitive(body.path, &direct)))
                .collect(),
        )
    }

    /// Everything that `roots` can reach.
    pub fn from<'a>(&self, roots: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
        roots
            .into_iter()
            .filter_map(|root| self.0.get(root))
            .flatten()
            .cloned()
            .collect()
    }
}

fn transitive(start: &str, direct: &BTreeMap<&str, BTreeSet<&str>>) -> BTreeSet<String> {
    let mut seen = BTreeSet::from([start]);
    let mut open = vec![start];
    while let Some(function) = open.pop() {
        for callee in direct.get(function).into_iter().flatten() {
            if seen.insert(callee) {
                open.push(callee);
            }
        }
    }
    seen.into_iter().map(str::to_owned).collect()
}
