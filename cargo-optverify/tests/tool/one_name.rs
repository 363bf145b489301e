//! Names that mean two things: an item of the crate and one of another crate, or items of two crates. MIR prints both alike.
//! What natively fails must never be safe, and what cannot fail never unsafe; where nobody can tell, it is unknown.

use super::common::{Project, Ran, manifest};

const PLAIN: &str = "version = \"0.1.0\"\nedition = \"2021\"\n";

/// What a crate has that its namesake has, too.
fn items(panics_at: u32, limit: u32, method: &str) -> String {
    format!(
        "#[inline(never)]\npub fn half(x: u32) -> u32 {{ assert!(x != {panics_at}); x / 2 }}\n\
         const fn limit() -> u32 {{ {limit} }}\npub const LIMIT: u32 = limit();\npub static mut COUNT: u32 = 0;\n\
         pub struct S(pub u32);\nimpl S {{ #[inline(never)]\npub fn get(&self) -> u32 {{ {method} }} }}\n"
    )
}

/// Roots that use another crate's items under `name`; the namesakes are in `own`.
fn roots(name: &str, own: &str) -> String {
    format!(
        "#[optverify::verify]\npub fn panics(x: u32) {{ {name}::half(x); }}\n\
         #[optverify::verify]\npub fn method(x: u32) {{ assert!({name}::S(x).get() == x / 2); }}\n\
         #[optverify::verify]\npub fn constant() {{ assert!({name}::LIMIT == 10); }}\n\
         #[optverify::verify]\npub fn statics() {{ unsafe {{ {own}COUNT = 1; {name}::COUNT = 2; assert!({own}COUNT == 2); }} }}\n\
         #[optverify::verify]\npub fn own(x: u32) {{ assert!({own}half(x) <= x); }}\n"
    )
}

fn verdict(ran: &Ran, root: &str) -> String {
    let messages = ran.messages();
    let name = |m: &serde_json::Value| m["root"].as_str().unwrap_or_default().to_owned();
    let mut found = messages
        .iter()
        .filter(|m| name(m).rsplit("::").next() == Some(root));
    let found = found.next().map(|m| m["verdict"].to_string());
    found.unwrap_or_else(|| panic!("no verdict of {root}: {ran:?}"))
}

fn verified(project: &Project, arguments: &[&str]) -> Ran {
    let asked = [
        "--message-format",
        "json",
        "--no-native",
        "--timeout",
        "10s",
    ];
    project.run(&[arguments, &asked].concat())
}

/// Of the roots above, with another crate's items behind `name`.
fn check(ran: &Ran) {
    assert_ne!(verdict(ran, "panics"), "\"safe\"", "{ran:?}");
    assert_ne!(verdict(ran, "method"), "\"safe\"", "{ran:?}");
    assert_ne!(verdict(ran, "constant"), "\"unsafe\"", "{ran:?}");
    assert_ne!(verdict(ran, "statics"), "\"safe\"", "{ran:?}");
}

#[test]
fn a_binary_beside_its_own_library() {
    let project = Project::package("app", &items(77, 10, "self.0"));
    let main = items(1_000, 20, "self.0 / 2") + &roots("app", "") + "fn main() {}\n";
    project.file("src/main.rs", &main);
    let ran = verified(&project, &[]);
    check(&ran);
    // its own function is its own
    assert_eq!(verdict(&ran, "own"), "\"unsafe\"", "{ran:?}");
}

#[test]
fn a_module_named_like_a_dependency() {
    let project = Project::empty();
    project.file(
        "dep/Cargo.toml",
        &format!("[package]\nname = \"dep\"\n{PLAIN}"),
    );
    project.file("dep/src/lib.rs", &items(77, 10, "self.0"));
    project.file("Cargo.toml", &manifest("app", "dep = { path = \"dep\" }\n"));
    let module = format!("pub mod dep {{ {} }}\n", items(1_000, 20, "self.0 / 2"));
    let other = "#[optverify::verify]\npub fn other(x: u32) { assert!(x / 2 <= x); }\n";
    project.file("src/lib.rs", &(module + &roots("::dep", "dep::") + other));
    let ran = verified(&project, &["-p", "app"]);
    check(&ran);
    // roots that have nothing to do with it are none the worse
    assert_eq!(verdict(&ran, "other"), "\"safe\"", "{ran:?}");
}

#[test]
fn a_module_named_like_a_dependency_of_a_dependency() {
    let project = Project::empty();
    project.file(
        "util/Cargo.toml",
        &format!("[package]\nname = \"util\"\n{PLAIN}"),
    );
    project.file("util/src/lib.rs", &items(77, 10, "self.0"));
    project.file(
        "libx/Cargo.toml",
        &format!(
            "[package]\nname = \"libx\"\n{PLAIN}[dependencies]\nutil = {{ path = \"../util\" }}\n"
        ),
    );
    project.file(
        "libx/src/lib.rs",
        "#[inline(always)]\npub fn through(x: u32) -> u32 { util::half(x) }\n",
    );
    project.file(
        "Cargo.toml",
        &manifest("app", "libx = { path = \"libx\" }\n"),
    );
    project.file(
        "src/lib.rs",
        &format!(
            "mod util {{ {} }}\n#[optverify::verify]\npub fn panics(x: u32) {{ libx::through(x); util::half(3); }}\n",
            items(1_000, 20, "self.0 / 2")
        ),
    );
    let ran = verified(&project, &["-p", "app"]);
    assert_ne!(verdict(&ran, "panics"), "\"safe\"", "{ran:?}");
}

#[test]
fn two_versions_of_a_crate() {
    let project = Project::empty();
    for (folder, version, limit) in [("one", "0.1.0", 10), ("two", "0.2.0", 20)] {
        project.file(
            &format!("{folder}/Cargo.toml"),
            &format!("[package]\nname = \"dep\"\nversion = \"{version}\"\nedition = \"2021\"\n"),
        );
        let text = items(77, limit, "self.0");
        project.file(&format!("{folder}/src/lib.rs"), &text);
    }
    let both = "one = { package = \"dep\", path = \"one\" }\ntwo = { package = \"dep\", path = \"two\" }\n";
    project.file("Cargo.toml", &manifest("app", both));
    project.file("src/lib.rs", &roots("one", "two::"));
    let ran = verified(&project, &["-p", "app"]);
    check(&ran);
}

/// Functions that are only declared have no body, whatever else has their name.
#[test]
fn declared_functions_are_not_their_namesakes() {
    let project = Project::package(
        "app",
        "mod h { unsafe extern \"C\" { pub fn labs(x: i64) -> i64; } }\n\
         #[inline(never)]\npub fn h() -> i64 { #[inline(never)]\nfn labs(x: i64) -> i64 { x }\nlabs(0) }\n\
         #[optverify::verify]\npub fn declared(x: i64) { unsafe { assert!(h::labs(x) == x); } }\n\
         #[inline(never)]\nfn called(f: unsafe extern \"C\" fn(i64) -> i64, x: i64) -> i64 { unsafe { f(x) } }\n\
         #[optverify::verify]\npub fn by_pointer(x: i64) { assert!(called(h::labs, x) == x); }\n",
    );
    let ran = verified(&project, &[]);
    for root in ["declared", "by_pointer"] {
        assert_eq!(verdict(&ran, root), "\"unknown\"", "{root}: {ran:?}");
    }
}

#[test]
fn types_named_like_numbers_and_functions_like_std_s() {
    let project = Project::package(
        "app",
        "#[allow(non_camel_case_types)]\npub struct i8;\nimpl i8 { pub const MIN: isize = 3; }\n\
         #[derive(Clone, Copy)]\npub enum E { A = i8::MIN + 1, B = 1 }\n\
         #[inline(never)]\nfn pick(x: bool) -> E { if x { E::A } else { E::B } }\n\
         #[optverify::verify]\npub fn number(x: bool) { assert!(pick(x) as isize != 4); }\n",
    );
    assert_ne!(verdict(&verified(&project, &[]), "number"), "\"safe\"");
    let project = Project::package(
        "app",
        "mod intrinsics { #[inline(never)]\npub fn select_unpredictable<T: Copy>(c: bool, a: T, b: T) -> T { if c { b } else { a } } }\n\
         #[optverify::verify]\npub fn chosen(c: bool, a: u32, b: u32) {\n\
         assert!(intrinsics::select_unpredictable(c, a, b) == if c { a } else { b }); }\n",
    );
    assert_ne!(verdict(&verified(&project, &[]), "chosen"), "\"safe\"");
}

/// A dependency's function that rustc does not inline has no body here, and a namesake's must not stand in for it.
#[test]
fn methods_of_a_dependency_s_types_are_not_those_of_namesakes() {
    let project = Project::empty();
    let dep = "pub struct S(pub u32);\nimpl S { #[inline(never)]\npub fn get(&self) -> u32 { assert!(self.0 != 77); self.0 } }\n\
               pub struct G<T>(pub T);\nimpl<T: Copy> G<T> { #[inline(never)]\npub fn get(&self) -> T { panic!() } }\n\
               pub trait Tr { fn of(&self) -> u32; }\nimpl Tr for u8 { #[inline(never)]\nfn of(&self) -> u32 { panic!() } }\n";
    let own = "pub struct S(pub u32);\nimpl S { #[inline(never)]\npub fn get(&self) -> u32 { self.0 } }\n\
               pub struct G<T>(pub T);\nimpl<T: Copy> G<T> { #[inline(never)]\npub fn get(&self) -> T { self.0 } }\n\
               pub trait Tr { fn of(&self) -> u32; }\nimpl Tr for u8 { #[inline(never)]\nfn of(&self) -> u32 { 1 } }\n\
               #[optverify::verify]\npub fn method(x: u32) { dep::S(x).get(); }\n\
               #[optverify::verify]\npub fn generic(x: u32) { dep::G(x).get(); }\n\
               #[optverify::verify]\npub fn of_trait(x: u8) { dep::Tr::of(&x); }\n\
               #[optverify::verify]\npub fn own(x: u32) { assert!(S(x).get() == x && G(x).get() == x && Tr::of(&3u8) == 1); }\n";
    project.file(
        "dep/Cargo.toml",
        &format!("[package]\nname = \"dep\"\n{PLAIN}"),
    );
    project.file("dep/src/lib.rs", dep);
    project.file("Cargo.toml", &manifest("app", "dep = { path = \"dep\" }\n"));
    project.file("src/lib.rs", own);
    let ran = verified(&project, &["-p", "app"]);
    for root in ["method", "generic", "of_trait"] {
        assert_ne!(verdict(&ran, root), "\"safe\"", "{root}: {ran:?}");
    }
    assert_eq!(verdict(&ran, "own"), "\"safe\"", "{ran:?}");
}
