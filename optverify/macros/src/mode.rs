//! What the compiler that runs this macro was started for. The wrapper of `cargo optverify` owns its
//! target directory, so an environment variable is as good as a `--cfg` here, and users see neither
//! extra tokens nor `unexpected_cfgs` warnings.

/// Roots are to be marked, contracts are to be compiled.
pub fn is_capture() -> bool {
    std::env::var_os("OPTVERIFY_CAPTURE").is_some()
}

/// Is the root at `location` (`file:line`) one of those whose calls have to be inlined deeper?
pub fn wants_deeper(location: &str) -> bool {
    let asked = std::env::var("OPTVERIFY_DEEPER").unwrap_or_default();
    asked.split('|').any(|root| root == location)
}

/// The native run of one root, as the tool asks for it: `src/lib.rs:12|argument, argument`.
pub struct NativeRun {
    /// `file:line` of the function's name, as the root's marker gives it.
    pub location: String,
    /// Rust expressions, comma-separated.
    pub arguments: String,
}

pub fn native_run() -> Option<NativeRun> {
    let asked = std::env::var("OPTVERIFY_NATIVE").ok()?;
    let (location, arguments) = asked.split_once('|')?;
    Some(NativeRun {
        location: location.to_owned(),
        arguments: arguments.to_owned(),
    })
}
