//! A counterexample as a unit test: its text, and the place in the source where it belongs.

pub mod fields;
mod place;
pub mod run;

use anyhow::{Context, Result, bail};
use optverify_engine::capture::Root;
use optverify_engine::report::Counterexample;
use place::Function;

/// A test that fails as long as the violation is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitTest {
    pub name: String,
    /// Beginning at the margin.
    pub text: String,
    /// What a test outside of the root's crate begins with; the root has to be public for it.
    pub import: String,
    /// Bytes of the source before it.
    at: usize,
    indent: usize,
}

/// Writes the test of a counterexample against the source that the root is in.
pub fn unit_test(source: &str, root: &Root, found: &Counterexample) -> Result<UnitTest> {
    let function = place::find(source, root)?;
    let name = free_name(source, &format!("optverify_{}", function.name));
    let mut arguments = Vec::new();
    for (index, (parameter, value)) in found.inputs.iter().enumerate() {
        let value = value.as_str().context("an input is no text")?;
        let value = expression(value, function.takes_mut.get(index) == Some(&true))
            .with_context(|| format!("the input `{parameter}` cannot be written as Rust"))?;
        arguments.push(format!("core::hint::black_box({value})"));
    }
    let mut call = format!("{}({})", callee(&function, root), arguments.join(", "));
    if !found.any.is_empty() {
        let draws: Vec<String> = found.any.iter().map(|v| format!("{v:?}")).collect();
        call = format!(
            "optverify::replay::with(&[{}], || {call})",
            draws.join(", ")
        );
    }
    let body = match function.ensures.as_slice() {
        [] => format!("    let _ = {call};\n"),
        conditions => {
            let mut body = String::from(
                "    fn holds<T>(value: &T, condition: impl Fn(&T) -> bool) -> bool {\n        condition(value)\n    }\n",
            );
            // conditions speak about parameters by their names
            for ((parameter, _), value) in found.inputs.iter().zip(&arguments) {
                body += &format!("    let {parameter} = {value};\n");
                call = call.replacen(value, parameter, 1);
            }
            body += &format!("    let result = {call};\n");
            for condition in conditions {
                body += &format!("    assert!(holds(&result, {condition}));\n");
            }
            body
        }
    };
    let text = format!(
        "/// Found by `cargo optverify`: {}.\n#[cfg(test)]\n#[test]\nfn {name}() {{\n{body}}}\n",
        found.panic.lines().next().unwrap_or_default()
    );
    Ok(UnitTest {
        name,
        text,
        import: import(&function, root),
        at: function.end,
        indent: function.indent,
    })
}

/// First and last line of the root's function, with its attributes.
pub fn function_lines(source: &str, root: &Root) -> Option<(usize, usize)> {
    place::find(source, root)
        .ok()
        .map(|function| function.lines)
}

impl UnitTest {
    /// The source with the test after the root.
    pub fn inserted(&self, source: &str) -> String {
        let margin = " ".repeat(self.indent);
        let text: String = self
            .text
            .lines()
            .map(|line| format!("{margin}{line}\n"))
            .collect();
        let (before, after) = source.split_at(self.at);
        format!("{before}\n\n{}{after}", text.trim_end_matches('\n'))
    }
}

fn free_name(source: &str, wanted: &str) -> String {
    let taken = |name: &str| source.contains(&format!("fn {name}("));
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| !taken(name))
        .unwrap_or_default()
}

/// How the test calls the root: `f`, `f::<u32>`, `Type::f`.
fn callee(function: &Function, root: &Root) -> String {
    // `crate::module::Type::f::<u32>`: the instance belongs to the last segment
    let (path, instance) = match root.name.find("::<") {
        Some(at) => root.name.split_at(at),
        None => (root.name.as_str(), ""),
    };
    let segments: Vec<&str> = path.split("::").collect();
    let wanted = if function.in_impl { 2 } else { 1 };
    let start = segments.len().saturating_sub(wanted);
    format!("{}{instance}", segments[start..].join("::"))
}

/// `use gauges::inner::drawn;`, the type for a method.
fn import(function: &Function, root: &Root) -> String {
    let path = root.name.split("::<").next().unwrap_or(&root.name);
    let path = match function.in_impl {
        true => path.rsplit_once("::").map_or(path, |(ty, _)| ty),
        false => path,
    };
    format!("use {path};\n")
}

/// A value as the report writes it, as an expression.
fn expression(value: &str, is_mut: bool) -> Result<String> {
    if value.contains(", ..; ") {
        bail!("it is too long");
    }
    Ok(match value {
        "NaN" => "0.0 / 0.0".to_owned(),
        "inf" => "1.0 / 0.0".to_owned(),
        "-inf" => "-1.0 / 0.0".to_owned(),
        _ => match value.strip_prefix('&') {
            Some(rest) if is_mut => format!("&mut {rest}"),
            _ => value.to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn root(name: &str, line: u32) -> Root {
        Root {
            name: name.into(),
            function: name.into(),
            file: "src/lib.rs".into(),
            line,
            harness: false,
            options: BTreeMap::new(),
        }
    }

    fn found(inputs: &[(&str, &str)], any: &[&str]) -> Counterexample {
        Counterexample {
            inputs: inputs
                .iter()
                .map(|(n, v)| ((*n).to_owned(), (*v).into()))
                .collect(),
            any: any.iter().map(|v| (*v).to_owned()).collect(),
            panic: "attempt to divide by zero".into(),
            ..Counterexample::default()
        }
    }

    #[test]
    fn a_private_function_in_a_module() {
        let source = "mod m {\n    #[verify]\n    fn f(a: &mut [u8], b: u8) {\n        a[0] /= b;\n    }\n\n    fn g() {}\n}\n";
        let test = unit_test(
            source,
            &root("p::m::f", 3),
            &found(&[("a", "&[1, 2]"), ("b", "0")], &["7"]),
        )
        .expect("a test");
        let written = test.inserted(source);
        let expected = "        a[0] /= b;\n    }\n\n    /// Found by `cargo optverify`: attempt to divide by zero.\n    \
                        #[cfg(test)]\n    #[test]\n    fn optverify_f() {\n        let _ = \
                        optverify::replay::with(&[\"7\"], || f(core::hint::black_box(&mut [1, 2]), \
                        core::hint::black_box(0)));\n    }\n\n    fn g() {}\n";
        assert!(written.contains(expected), "{written}");
    }

    #[test]
    fn a_method_is_called_behind_its_impl() {
        let source = "struct S(u8);\nimpl S {\n    #[verify]\n    fn f(&self) -> u8 { 1 / self.0 }\n    fn g(&self) {}\n}\nfn last() {}\n";
        let test = unit_test(
            source,
            &root("p::S::f", 4),
            &found(&[("self", "&S(0)")], &[]),
        )
        .expect("a test");
        assert!(
            test.text
                .contains("let _ = S::f(core::hint::black_box(&S(0)));"),
            "{}",
            test.text
        );
        let written = test.inserted(source);
        let (before, after) = written.split_once("/// Found").expect("it is in");
        assert!(
            before.ends_with("fn g(&self) {}\n}\n\n") && after.ends_with("fn last() {}\n"),
            "{written}"
        );
    }

    #[test]
    fn conditions_on_the_result_are_checked() {
        let source = "#[verify]\n#[ensures(|ret| *ret > n)]\nfn f(n: u8) -> u8 {\n    n\n}\nfn optverify_f() {}\n";
        let test = unit_test(source, &root("p::f", 3), &found(&[("n", "0")], &[])).expect("a test");
        assert_eq!(test.name, "optverify_f_2");
        assert!(
            test.text
                .contains("let n = core::hint::black_box(0);\n    let result = f(n);"),
            "{}",
            test.text
        );
        assert!(
            test.text
                .contains("assert!(holds(&result, |ret| *ret > n));"),
            "{}",
            test.text
        );
    }
}
