//! `cargo optverify FILE.rs`: no Cargo.toml, the crate `optverify` available.

use crate::common;

use common::{Project, Ran};

const ROOT: &str =
    "use optverify::{any, verify};\n#[verify]\nfn root(n: u8) -> u8 {\n    n ^ any::<u8>()\n}\n";

#[test]
fn outside_any_project() {
    let project = Project::empty();
    project.file("lone-file.rs", ROOT);
    assert_eq!(
        project.run(&["list", "lone-file.rs"]).listed(),
        ["lone_file::root"]
    );
    // nothing is left beside the file
    assert_eq!(
        std::fs::read_dir(project.path())
            .expect("the folder")
            .count(),
        1
    );
    // a program is a crate, too
    project.file("program.rs", &format!("{ROOT}\nfn main() {{ root(1); }}\n"));
    assert_eq!(
        project.run(&["list", "program.rs"]).listed(),
        ["program::root"]
    );
}

fn overflow_checks(ran: &Ran) -> bool {
    let messages = ran.messages();
    assert_eq!(messages[0]["reason"], "optverify-root", "{ran:?}");
    messages[0]["overflow_checks"].as_bool().expect("a bool")
}

#[test]
fn rustflags_and_cargos_configuration_are_honoured() {
    let project = Project::empty();
    project.file("f.rs", ROOT);
    let args = ["f.rs", "--message-format", "json"];
    assert!(!overflow_checks(&project.run(&args)));
    let with_rustflags = project
        .tool(&args)
        .env("RUSTFLAGS", "-C overflow-checks=on")
        .output();
    assert!(overflow_checks(&Ran::of(with_rustflags.expect("runs"))));
    project.file(
        ".cargo/config.toml",
        "[build]\nrustflags = [\"-Coverflow-checks=on\"]\n",
    );
    assert!(overflow_checks(&project.run(&args)));
    assert!(overflow_checks(&project.run(&[
        "f.rs",
        "--message-format",
        "json",
        "--profile",
        "dev"
    ])));
}

#[test]
fn errors_are_rustcs_own() {
    let project = Project::empty();
    project.file(
        "broken.rs",
        "use optverify::verify;\n#[verify]\nfn f() -> u32 { \"text\" }\n",
    );
    let ran = project.run(&["broken.rs"]);
    assert_eq!(ran.code, 101);
    assert!(
        ran.stderr.contains("error[E0308]: mismatched types") && ran.stderr.contains("broken.rs:3"),
        "{ran:?}"
    );
    let missing = project.run(&["missing.rs"]);
    assert_eq!(missing.code, 101);
    assert!(
        missing.stderr.contains("could not read missing.rs"),
        "{missing:?}"
    );
    let typo = project.run(&["lst"]);
    assert_eq!(typo.code, 101);
    assert!(
        typo.stderr.contains("neither a command nor a .rs file"),
        "{typo:?}"
    );
}

#[test]
fn misuse_of_the_attributes_is_explained() {
    let cases = [
        (
            "#[verify]\nasync fn f() {}",
            "#[verify] does not support async functions",
        ),
        (
            "#[verify]\nfn f<T>(_: T) {}",
            "a generic function needs an instance",
        ),
        (
            "#[verify(T = u8)]\nfn f() {}",
            "`f` has no generic parameter `T`",
        ),
        (
            "#[verify(timeot = \"1s\")]\nfn f() {}",
            "unknown option `timeot`",
        ),
        (
            "#[verify(expect = \"fine\")]\nfn f() {}",
            "`expect` is \"safe\" or \"unsafe\"",
        ),
        ("#[verify]\nstruct S;", "go on a function with a body"),
        (
            "#[verify]\n#[requires(a > 1)]\nfn f((a, b): (u8, u8)) {}",
            "need plain parameter names",
        ),
        (
            "#[verify]\n#[ensures(true)]\nfn f() {}",
            "expected #[ensures(|ret| condition)]",
        ),
    ];
    let project = Project::empty();
    for (source, message) in cases {
        project.file("misuse.rs", &format!("use optverify::*;\n{source}\n"));
        let ran = project.run(&["misuse.rs"]);
        assert_eq!(ran.code, 101, "{source}: {ran:?}");
        assert!(ran.stderr.contains(message), "{source}: {ran:?}");
    }
}
