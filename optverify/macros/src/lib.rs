//! The attributes of the `optverify` crate: `#[verify]`, `#[requires]`, `#[ensures]`, `#[derive(Any)]`.
//!
//! An ordinary build gets its items back token for token. Only when the capture wrapper of
//! `cargo optverify` compiles (it says so in the environment, see [`mode`]) are items added, and then
//! only *inside* the marked function's body: nested items leave the function's own MIR as it was.
//! Parsed by hand, so that users compile no dependency for the sake of an attribute.

mod contract;
mod derive_any;
mod item_fn;
mod mode;
mod options;
mod root;
mod tokens;

use proc_macro::TokenStream;

/// Marks a function for `cargo optverify`.
///
/// Options: `timeout = "10s"`, `overflow = "wrap" | "check"`, `expect = "safe" | "unsafe"`,
/// `assume_total = "dep::f, c_function"`, and for a generic function one `T = u32` per parameter.
#[proc_macro_attribute]
pub fn verify(options: TokenStream, item: TokenStream) -> TokenStream {
    root::expand(options, item)
}

/// A precondition: `cargo optverify` assumes it where it verifies the function itself.
///
/// Callers are verified against the function as it ships, so the condition is never assumed there.
#[proc_macro_attribute]
pub fn requires(condition: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand("requires", condition, item)
}

/// A postcondition `|ret| condition`: `cargo optverify` proves it for every return value.
/// `ret` is bound by reference.
#[proc_macro_attribute]
pub fn ensures(condition: TokenStream, item: TokenStream) -> TokenStream {
    contract::expand("ensures", condition, item)
}

/// Implements `optverify::Any`: every field arbitrary, every variant possible.
#[proc_macro_derive(Any)]
pub fn derive_any(item: TokenStream) -> TokenStream {
    derive_any::expand(item)
}
