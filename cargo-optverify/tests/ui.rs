//! What the tool prints, file by file: the folder is the expected exit code, the `.stdout` and `.stderr`
//! beside each file the expected text. `cargo test -p cargo-optverify --test ui -- --bless` writes them.

use ui_test::diagnostics::Diagnostics;
use ui_test::spanned::Spanned;
use ui_test::status_emitter::StatusEmitter;
use ui_test::{Args, CommandBuilder, Config, Format, default_file_filter, run_tests_generic};

fn main() -> ui_test::color_eyre::Result<()> {
    let args = Args::test()?;
    let folders = [("safe", 0), ("unsafe", 1), ("unknown", 2), ("error", 101)];
    let configs = folders
        .iter()
        .map(|(folder, code)| config(folder, *code, &args))
        .collect();
    let emitter: Box<dyn StatusEmitter> = match args.format {
        Format::Pretty => Format::Terse.into(),
        other => other.into(),
    };
    run_tests_generic(configs, default_file_filter, |_, _| {}, emitter)
}

fn config(folder: &str, code: i32, args: &Args) -> Config {
    let mut config = Config::dummy();
    config.root_dir = format!("tests/ui/{folder}").into();
    config.out_dir = std::env::temp_dir().join("optverify-ui");
    config.program = CommandBuilder::cmd(env!("CARGO_BIN_EXE_cargo-optverify"));
    config.program.args = ["optverify", "--timeout", "60s", "-j1"]
        .map(Into::into)
        .to_vec();
    config.program.envs = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"]
        .map(|name| (name.into(), None))
        .to_vec();
    let width = ("COLUMNS".into(), Some("120".into()));
    config.program.envs.push(width);
    // otherwise it would ask the "compiler" for them
    config.host = Some("host".to_owned());
    config.target = Some("host".to_owned());
    config.bless_command = Some("cargo test -p cargo-optverify --test ui -- --bless".to_owned());
    config.diagnostic_extractor = |_, stderr| Diagnostics {
        rendered: stderr.to_vec(),
        messages: Vec::new(),
        messages_from_unknown_file_or_line: Vec::new(),
    };
    let defaults = config.comment_defaults.base();
    defaults.exit_status = Spanned::dummy(code).into();
    defaults.require_annotations = Spanned::dummy(false).into();
    // what differs from machine to machine and from compiler to compiler
    config.filter("[0-9]+ ms|[0-9]+[.][0-9]+ s", "TIME");
    config.filter("[0-9]+ passes(, [0-9]+ changed it)?", "N passes");
    config.filter("rustc [0-9][^,]*, [^,]*, profile", "RUSTC, TARGET, profile");
    config.filter(" [(]number [0-9]+[)]", " (number N)");
    config.with_args(args);
    config
}
