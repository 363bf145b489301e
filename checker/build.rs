//! Records where libz3 was found as run path, so that tests and binaries start without LD_LIBRARY_PATH.

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    if let Ok(lib) = std::env::var("Z3_LIBRARY_PATH_OVERRIDE") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
    }
}
