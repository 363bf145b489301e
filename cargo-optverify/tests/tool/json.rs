//! `--message-format json`: every field of the format, with its type.

use crate::common;

use common::Project;
use serde_json::Value;

const SOURCE: &str = "use optverify::{any, verify};\n#[verify]\nfn good(n: u8) -> u8 { n / 2 }\n\
                      #[verify]\nfn bad(n: u8) -> u8 { let d: u8 = any(); n / d }\n\
                      #[verify]\nfn beyond() -> usize { std::env::args().count() }\n";

enum Shape {
    Text,
    Number,
    Flag,
    OneOf(&'static [&'static str]),
    Maybe(&'static Shape),
    Object(&'static [(&'static str, Shape)]),
    List(&'static Shape),
    Map(&'static Shape),
}
use Shape::{Flag, List, Map, Maybe, Number, Object, OneOf, Text};

const VERDICT: Shape = OneOf(&["safe", "unsafe", "unknown"]);
const HOW: Shape = Maybe(&OneOf(&[
    "unchanged",
    "adapted",
    "strengthened",
    "reverified",
]));
const ROOT: Shape = Object(&[
    ("reason", OneOf(&["optverify-root"])),
    ("format_version", Number),
    ("package", Text),
    ("root", Text),
    ("file", Text),
    ("line", Number),
    ("verdict", VERDICT),
    ("rustc", Text),
    ("profile", Text),
    ("overflow_checks", Flag),
    (
        "reference",
        Object(&[
            ("verdict", VERDICT),
            ("engine", Maybe(&Text)),
            ("ms", Number),
            ("why", Maybe(&Text)),
        ]),
    ),
    (
        "passes",
        List(&Object(&[
            ("index", Number),
            ("name", Text),
            ("verdict", VERDICT),
            ("how", HOW),
            ("ms", Number),
            ("prepare_ms", Number),
            ("scratch_ms", Maybe(&Number)),
            ("why", Maybe(&Text)),
        ])),
    ),
    (
        "optimized",
        Object(&[("verdict", VERDICT), ("how", HOW), ("ms", Number)]),
    ),
    (
        "counterexample",
        Maybe(&Object(&[
            ("inputs", Map(&Text)),
            ("any", List(&Text)),
            ("panic", Text),
            ("file", Text),
            ("line", Number),
            ("replayed", Flag),
            ("steps", List(&Object(&[("line", Number), ("what", Text)]))),
        ])),
    ),
    ("why", Maybe(&Text)),
    (
        "assumptions",
        List(&Object(&[("code", Text), ("text", Text)])),
    ),
]);
const FINISHED: Shape = Object(&[
    ("reason", OneOf(&["optverify-finished"])),
    ("format_version", Number),
    ("roots", Number),
    ("safe", Number),
    ("unsafe", Number),
    ("unknown", Number),
    ("ms", Number),
]);

fn check(value: &Value, shape: &Shape, path: &str) {
    match shape {
        Text => assert!(value.is_string(), "{path} is {value}"),
        Number => assert!(value.is_u64(), "{path} is {value}"),
        Flag => assert!(value.is_boolean(), "{path} is {value}"),
        OneOf(words) => assert!(words.iter().any(|w| value == w), "{path} is {value}"),
        Maybe(shape) if !value.is_null() => check(value, shape, path),
        Maybe(_) => {}
        // fields may be added, none may be missing
        Object(fields) => {
            for (name, shape) in *fields {
                let field = value
                    .get(name)
                    .unwrap_or_else(|| panic!("{path} has no {name}: {value}"));
                check(field, shape, &format!("{path}.{name}"));
            }
        }
        List(shape) => {
            let list = value
                .as_array()
                .unwrap_or_else(|| panic!("{path} is {value}"));
            list.iter().for_each(|item| check(item, shape, path));
        }
        Map(shape) => {
            let map = value
                .as_object()
                .unwrap_or_else(|| panic!("{path} is {value}"));
            map.values().for_each(|item| check(item, shape, path));
        }
    }
}

#[test]
fn messages_have_every_field() {
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    let ran = project.run(&["sample.rs", "--message-format", "json"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let messages = ran.messages();
    let (finished, roots) = messages.split_last().expect("messages");
    roots
        .iter()
        .for_each(|message| check(message, &ROOT, "root"));
    check(finished, &FINISHED, "finished");
    assert_eq!(
        [&finished["safe"], &finished["unsafe"], &finished["unknown"]],
        [1, 1, 1]
    );
    let find = |name: &str| roots.iter().find(|m| m["root"] == name).expect("a message");
    assert_eq!(
        find("sample::bad")["counterexample"]["any"],
        serde_json::json!(["0"])
    );
    assert!(
        find("sample::beyond")["why"]
            .as_str()
            .expect("a reason")
            .contains("std::env::args")
    );
    assert_eq!(find("sample::good")["optimized"]["verdict"], "safe");
}

/// The same from a captured folder: no compiler, the same verdicts.
#[test]
fn captures_replay_without_rustc() {
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    assert_eq!(project.run(&["capture", "sample.rs", "-o", "kept"]).code, 0);
    let mut tool = project.tool(&["--from-capture", "kept", "--message-format", "json"]);
    let ran = common::Ran::of(
        tool.env("PATH", "")
            .env("RUSTC", "/nowhere")
            .output()
            .expect("runs"),
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let verdicts: Vec<String> = ran
        .messages()
        .iter()
        .map(|m| m["verdict"].to_string())
        .collect();
    assert_eq!(
        verdicts.iter().filter(|v| *v == "\"safe\"").count(),
        1,
        "{ran:?}"
    );
}
