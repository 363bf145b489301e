//! `bench --html --svg --compare`: the pages exist, and a run is compared with an earlier one.

use crate::common;

use common::Project;

#[test]
fn two_runs_in_one_page() {
    let project = Project::empty();
    project.file(
        "tasks/good.rs",
        "//@ expect: safe\n#[optverify::verify]\nfn good(n: u8) -> u8 { n / 2 }\n",
    );
    project.file(
        "tasks/bad.rs",
        "//@ expect: unsafe\n#[optverify::verify]\nfn bad(n: u8) -> u8 { 2 / n }\n",
    );
    let first = project.run(&["bench", "tasks", "--json", "first.json"]);
    assert_eq!(first.code, 0, "{first:?}");
    let second = project.run(&[
        "bench",
        "tasks",
        "--json",
        "second.json",
        "--compare",
        "first.json",
        "--html",
        "page.html",
        "--svg",
        "plot.svg",
    ]);
    assert_eq!(second.code, 0, "{second:?}");
    let page = std::fs::read_to_string(project.path().join("page.html")).expect("the page");
    for run in ["first", "second"] {
        // one safe and one unsafe correct, nothing wrong, nothing unknown; 3 points
        let row = format!(
            "<th scope=\"row\">{run}</th><td>all</td><td>2</td><td>1</td><td>1</td><td>0</td><td>0</td>"
        );
        assert!(page.contains(&row), "{page}");
    }
    let plot = std::fs::read_to_string(project.path().join("plot.svg")).expect("the plot");
    assert!(
        plot.starts_with("<svg") && plot.matches("<path d=\"M").count() == 2,
        "{plot}"
    );
    let none = project.run(&[
        "bench",
        "tasks",
        "--html",
        "page.html",
        "--compare",
        "tasks/good.rs",
    ]);
    assert_eq!(none.code, 101, "{none:?}");
}
