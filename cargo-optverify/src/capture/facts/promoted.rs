//! Constants promoted in methods. Code names such a method by its type and trait (`<m::S as Tr>::f::promoted[0]`), and the
//! constant's body by the place of the impl (`m::<impl at src/lib.rs:3:1: 3:9>::f::promoted[0]`). What a method's own code
//! names, outside of everything that was inlined, is its own: so the compiler tells which is which, also for impls of
//! aliases, of macros, and of types whose names others have.

use crate::capture::mir_text::{BodyText, functions};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// By the name in code: the name of the body. `reference`: the closed crate, in which nothing is optimized.
pub fn collect(reference: &str) -> BTreeMap<String, String> {
    let mut defined: HashMap<&str, u32> = HashMap::new();
    for line in reference.lines().filter_map(|l| l.strip_prefix("const ")) {
        if let Some(path) = promoted(line) {
            *defined.entry(path).or_default() += 1;
        }
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for body in functions(reference) {
        if !body.path.contains("<impl at ") || !body.text.contains("::promoted[") {
            continue;
        }
        for (code, number) in own(&body) {
            let of = format!("{}::{number}", body.path);
            // a macro's impls stand at one place
            if defined.get(of.as_str()) == Some(&1) {
                let code = format!("{code}::{number}");
                found.entry(code).or_default().insert(of);
            }
        }
    }
    let one = found.into_iter().filter(|(_, of)| of.len() == 1);
    one.filter_map(|(code, of)| Some((code, of.into_iter().next()?)))
        .collect()
}

/// `m::f::promoted[0]` of `m::f::promoted[0]: &u8 = {`.
fn promoted(line: &str) -> Option<&str> {
    let at = line.find("::promoted[")?;
    let end = line[at..].find(']')? + at + 1;
    line[end..].starts_with(": ").then_some(&line[..end])
}

/// What the function's own code names, as `<m::S as Tr>::f` and `promoted[0]`.
fn own<'t>(body: &BodyText<'t>) -> BTreeSet<(&'t str, &'t str)> {
    let inlined = inlined_scopes(body.text);
    let (_, name) = body.path.rsplit_once("<impl at ").unwrap_or_default();
    let method = name.split_once(">::").map_or("", |(_, method)| method);
    let lines = body.text.lines().filter_map(|line| {
        let (code, place) = line.split_once("; // scope ")?;
        let (_, constant) = code.split_once(" = const ")?;
        let scope = place.split(' ').next()?.parse::<u32>().ok()?;
        let (function, number) = constant.rsplit_once("::")?;
        let is_own = number.starts_with("promoted[")
            && number.ends_with(']')
            && function.ends_with(&format!("::{method}"))
            && !inlined.contains(&scope);
        is_own.then_some((function, number))
    });
    let own: BTreeSet<_> = lines.collect();
    let functions: BTreeSet<&str> = own.iter().map(|(function, _)| *function).collect();
    match functions.len() {
        1 => own,
        _ => BTreeSet::new(),
    }
}

/// The scopes of a body that are of other functions.
fn inlined_scopes(text: &str) -> BTreeSet<u32> {
    let mut inlined = BTreeSet::new();
    let mut open: Vec<bool> = vec![];
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("bb0") {
            break;
        }
        if let Some(rest) = line.strip_prefix("scope ") {
            let is_inlined = rest.contains(" (inlined ") || open.last() == Some(&true);
            if is_inlined && let Some(number) = rest.split(' ').next().and_then(|n| n.parse().ok())
            {
                inlined.insert(number);
            }
            open.push(is_inlined);
        } else if line == "}" {
            open.pop();
        }
    }
    inlined
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATE: &str = "\
fn m::<impl at src/lib.rs:3:1: 3:9>::f() -> &u8 {
    let mut _0: &u8;                     // return place in scope 0 at src/lib.rs:4:5: 4:6
    scope 1 {
        scope 2 (inlined m::S::<u8>::f) { // at src/lib.rs:4:5: 4:6
            scope 3 {
            }
        }
    }

    bb0: {
        _0 = const m::S::<u16>::f::promoted[0]; // scope 1 at src/lib.rs:4:5: 4:6
        _1 = const m::S::<u8>::f::promoted[0]; // scope 3 at src/lib.rs:9:5: 9:6
        return;                          // scope 0 at src/lib.rs:4:5: 4:6
    }
}

const m::<impl at src/lib.rs:3:1: 3:9>::f::promoted[0]: &u8 = {
}
";

    #[test]
    fn what_a_method_names_outside_of_others_is_its_own() {
        let found = collect(CRATE);
        let of = "m::<impl at src/lib.rs:3:1: 3:9>::f::promoted[0]";
        let expected = ("m::S::<u16>::f::promoted[0]".to_owned(), of.to_owned());
        assert_eq!(found, BTreeMap::from([expected]));
    }

    #[test]
    fn names_with_two_meanings_have_none() {
        let macros = format!(
            "{CRATE}\nconst m::<impl at src/lib.rs:3:1: 3:9>::f::promoted[0]: &u16 = {{\n}}\n"
        );
        assert!(collect(&macros).is_empty());
        let other = CRATE.replace("3:1: 3:9", "5:1: 5:9");
        assert!(collect(&format!("{CRATE}\n{other}")).is_empty());
        // two names in one function
        let two = CRATE.replace("// scope 3", "// scope 1");
        assert!(collect(&two).is_empty());
    }
}
