//! Machine formats: each valid by its own rules, and several at once in one run.

use crate::common;

use common::Project;
use serde_json::Value;
use std::path::{Path, PathBuf};

const SOURCE: &str = "use optverify::{any, verify};\n#[verify]\nfn good(n: u8) -> u8 { n / 2 }\n\
                      #[verify]\nfn bad(n: u8) -> u8 {\n    let d: u8 = any();\n    n / d\n}\n\
                      #[verify]\nfn beyond() -> usize { std::env::args().count() }\n";

fn project() -> Project {
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    project
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn assert_valid(schema: &Value, instance: &Value) {
    let validator = jsonschema::validator_for(schema).expect("the schema is one");
    let errors: Vec<String> = validator
        .iter_errors(instance)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{instance:#}");
}

/// The committee's schema, out of the sources of the crate serde-sarif that cargo has for this build.
fn sarif_schema() -> Value {
    let version = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version
        .lines()
        .find_map(|l| l.strip_prefix("host: "))
        .expect("a host");
    // what other platforms need is not here
    let options = ["--offline", "--filter-platform", host].map(str::to_owned);
    let metadata = cargo_metadata::MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .other_options(options)
        .exec()
        .expect("cargo metadata");
    let package = metadata.packages.iter().find(|p| p.name == "serde-sarif");
    let manifest: PathBuf = package
        .expect("a dev-dependency")
        .manifest_path
        .clone()
        .into();
    let text = read(manifest.with_file_name("src").join("schema.json"));
    // a pattern of the committee's (languages, which we do not write) closes a bracket that it never opened
    assert_eq!(text.matches("{2}]?$").count(), 2);
    parse(&text.replace("{2}]?$", "{2}$"))
}

#[test]
fn several_formats_at_once() {
    let project = project();
    let ran = project.run(&[
        "sample.rs",
        "-j1",
        "--message-format",
        "json",
        "--sarif",
        "out/report.sarif",
        "--junit",
        "out/junit.xml",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let schema_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/messages-v1.json");
    let schema = parse(&read(schema_file));
    let mut messages = ran.messages();
    assert_eq!(messages.len(), 4);
    let listed = project.run(&["list", "sample.rs", "--message-format", "json"]);
    messages.extend(listed.messages());
    messages
        .iter()
        .for_each(|message| assert_valid(&schema, message));
    let bad = messages.iter().find(|m| m["root"] == "sample::bad");
    let bad = &bad.expect("a message")["counterexample"];
    let place = ["line", "column", "end_line", "end_column"].map(|key| bad[key].as_u64());
    assert_eq!(place, [7, 5, 7, 10].map(Some), "{bad:#}");
    // the schema can say no
    let mut wrong = messages[0].clone();
    wrong["verdict"] = "perhaps".into();
    assert!(!jsonschema::is_valid(&schema, &wrong));

    let sarif = parse(&read(project.path().join("out/report.sarif")));
    check_sarif(&sarif);
    check_junit(&read(project.path().join("out/junit.xml")));
}

fn check_sarif(sarif: &Value) {
    assert_valid(&sarif_schema(), sarif);
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 2, "{sarif:#}");
    for result in results {
        // what code scanning wants besides the schema
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(
            run["tool"]["driver"]["rules"][index]["id"],
            result["ruleId"]
        );
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "sample.rs");
        assert!(
            result["message"]["text"]
                .as_str()
                .is_some_and(|t| t.contains("sample::"))
        );
    }
    let bad = &results[0];
    assert_eq!(
        (&bad["ruleId"], &bad["level"]),
        (&"OV1001".into(), &"error".into())
    );
    // `n / d`, and nothing of its line besides; what is unknown has a line only
    let region = |result: &Value| result["locations"][0]["physicalLocation"]["region"].clone();
    let division =
        serde_json::json!({"startLine": 7, "startColumn": 5, "endLine": 7, "endColumn": 10});
    assert_eq!(region(bad), division);
    assert_eq!(
        region(&results[1]),
        serde_json::json!({"startLine": 10}),
        "{sarif:#}"
    );
    let flow = &bad["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(
        flow.as_array().is_some_and(|steps| !steps.is_empty()),
        "{bad:#}"
    );
    let beyond = &results[1];
    assert_eq!(
        (&beyond["ruleId"], &beyond["level"]),
        (&"OV0003".into(), &"warning".into())
    );
}

fn check_junit(xml: &str) {
    let report = quick_junit::Report::deserialize_from_str(xml).expect("it is JUnit XML");
    assert_eq!(
        (report.tests, report.failures, report.errors),
        (3, 1, 1),
        "{xml}"
    );
    let suite = &report.test_suites[0];
    assert_eq!(suite.name.as_str(), "sample");
    let case = |name: &str| {
        let found = suite.test_cases.iter().find(|c| c.name.as_str() == name);
        &found.unwrap_or_else(|| panic!("no {name} in {xml}")).status
    };
    use quick_junit::{NonSuccessKind, TestCaseStatus};
    assert!(matches!(
        case("sample::good"),
        TestCaseStatus::Success { .. }
    ));
    match case("sample::bad") {
        TestCaseStatus::NonSuccess {
            kind,
            message,
            description,
            ..
        } => {
            assert_eq!(*kind, NonSuccessKind::Failure);
            assert!(
                message
                    .as_ref()
                    .is_some_and(|m| m.as_str().contains("divide by zero"))
            );
            assert!(
                description
                    .as_ref()
                    .is_some_and(|d| d.as_str().contains("any() = 0"))
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        case("sample::beyond"),
        TestCaseStatus::NonSuccess {
            kind: NonSuccessKind::Error,
            ..
        }
    ));
}

/// A single document on standard output is nothing but that document.
#[test]
fn documents_on_standard_output() {
    let project = project();
    let ran = project.run(&["sample.rs", "--message-format", "sarif"]);
    assert_valid(&sarif_schema(), &parse(&ran.stdout));
    let ran = project.run(&["sample.rs", "--message-format", "junit"]);
    quick_junit::Report::deserialize_from_str(&ran.stdout).expect("JUnit XML");
    // nothing found is also a valid document
    project.file(
        "fine.rs",
        "#[optverify::verify]\nfn fine(n: u8) -> u8 { n / 2 }\n",
    );
    let ran = project.run(&["fine.rs", "--message-format", "sarif"]);
    assert_eq!(ran.code, 0);
    assert_valid(&sarif_schema(), &parse(&ran.stdout));
    assert_eq!(
        parse(&ran.stdout)["runs"][0]["results"],
        Value::Array(vec![])
    );
}

#[test]
fn github_annotations_and_summary() {
    let project = project();
    let summary = project.path().join("summary.md");
    std::fs::write(&summary, "before\n").expect("a file");
    let mut tool = project.tool(&["sample.rs", "--message-format", "github"]);
    let ran = common::Ran::of(
        tool.env("GITHUB_STEP_SUMMARY", &summary)
            .output()
            .expect("runs"),
    );
    assert_eq!(ran.code, 1, "{ran:?}");
    let errors: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|l| l.starts_with("::error "))
        .collect();
    assert_eq!(
        errors,
        [
            "::error file=sample.rs,line=7,col=5,endColumn=10,title=OV1001 sample%3A%3Abad::`sample::bad` can fail: attempt to divide by \
          zero%0Ainput: n = 0, any() = 0"
        ]
    );
    assert_eq!(
        ran.stdout
            .lines()
            .filter(|l| l.starts_with("::warning "))
            .count(),
        1
    );
    let text = read(&summary);
    assert!(
        text.starts_with("before\n### cargo optverify: 3 roots: 1 safe, 1 unsafe, 1 unknown"),
        "{text}"
    );
    assert!(
        text.contains("| `sample::good` | :white_check_mark: safe | safe | safe |"),
        "{text}"
    );
}

#[test]
fn a_report_that_cannot_be_written_fails_the_run() {
    let project = project();
    project.file("taken", "a file, not a folder");
    let ran = project.run(&["sample.rs", "--sarif", "taken/report.sarif"]);
    assert_eq!(ran.code, 101, "{ran:?}");
    assert!(ran.stderr.contains("taken"), "{ran:?}");
}

#[test]
fn short_is_one_line_a_finding() {
    let ran = project().run(&["sample.rs", "--message-format", "short", "-j1"]);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines.len(), 6, "{ran:?}");
    assert_eq!(
        lines[3],
        "sample.rs:7:5: error[OV1001]: `sample::bad` can fail: attempt to divide by zero (input: n = 0, any() = 0)"
    );
}
