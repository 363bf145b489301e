//! Constants that rustc promoted inside std's generic functions: no capture has their bodies, and rustc evaluates them only
//! for code generation. Those of the functions that are inlined most are written down here, as MIR.

use crate::mir::{self, Body, MirFile, Path, TyKind};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

/// The methods of iterators that have such constants.
pub const FUNCTIONS: [&str; 4] = ["all", "any", "lt", "gt"];

/// `all` compares what `try_fold` gives with `Continue(())`, `any` with `Break(())`; `lt` and `gt` compare an order with
/// `Some(Less)` and `Some(Greater)`.
const BODIES: &str = "\
const all::promoted[0]: &ControlFlow<()> = {
    let mut _0: &std::ops::ControlFlow<()>;
    let mut _1: std::ops::ControlFlow<()>;
    let mut _2: ();

    bb0: {
        _2 = ();
        _1 = ControlFlow::<()>::Continue(move _2);
        _0 = &_1;
        return;
    }
}

const any::promoted[0]: &ControlFlow<()> = {
    let mut _0: &std::ops::ControlFlow<()>;
    let mut _1: std::ops::ControlFlow<()>;
    let mut _2: ();

    bb0: {
        _2 = ();
        _1 = ControlFlow::<()>::Break(move _2);
        _0 = &_1;
        return;
    }
}

const lt::promoted[0]: &Option<std::cmp::Ordering> = {
    let mut _0: &std::option::Option<std::cmp::Ordering>;
    let mut _1: std::option::Option<std::cmp::Ordering>;
    let mut _2: std::cmp::Ordering;

    bb0: {
        _2 = std::cmp::Ordering::Less;
        _1 = Option::<std::cmp::Ordering>::Some(move _2);
        _0 = &_1;
        return;
    }
}

const gt::promoted[0]: &Option<std::cmp::Ordering> = {
    let mut _0: &std::option::Option<std::cmp::Ordering>;
    let mut _1: std::option::Option<std::cmp::Ordering>;
    let mut _2: std::cmp::Ordering;

    bb0: {
        _2 = std::cmp::Ordering::Greater;
        _1 = Option::<std::cmp::Ordering>::Some(move _2);
        _0 = &_1;
        return;
    }
}
";

/// The bodies in the words of a crate that has std (`true`), or only core.
fn bodies(in_std: bool) -> &'static [Body] {
    static FILES: OnceLock<[Option<MirFile>; 2]> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        let of_core = BODIES.replace("std::", "core::");
        [BODIES, &of_core].map(|text| mir::parse_file(text).ok())
    });
    let file = &files[usize::from(!in_std)];
    file.as_ref().map_or(&[], |file| &file.bodies)
}

/// `<&[T]>::default()` gives a reference to this, whatever the elements are.
const EMPTY: &str = "\
const default::promoted[0]: &[{T}; 0] = {
    let mut _0: &[{T}; 0];
    let mut _1: [{T}; 0];

    bb0: {
        _1 = [];
        _0 = &_1;
        return;
    }
}
";

/// The body of `core::slice::<impl std::default::Default for &[T]>::default::promoted[0]`, one for each type that is asked for.
fn empty_slice(path: &Path) -> Option<&'static Body> {
    static MADE: OnceLock<Mutex<HashMap<String, Option<&'static Body>>>> = OnceLock::new();
    let text = path.to_string();
    let rest = text.strip_prefix("core::slice::<impl ")?;
    let (of_trait, rest) = rest.split_once(" for &[")?;
    let element = rest.strip_suffix("]>::default::promoted[0]")?;
    if !["std::default::Default", "core::default::Default"].contains(&of_trait) {
        return None;
    }
    let mut made = MADE.get_or_init(Mutex::default).lock().ok()?;
    *made.entry(element.to_owned()).or_insert_with(|| {
        let file = mir::parse_file(&EMPTY.replace("{T}", element)).ok()?;
        let [body] = <[Body; 1]>::try_from(file.bodies).ok()?;
        // it stays: a constant's value outlives every program that mentions it
        Some(Box::leak(Box::new(body)))
    })
}

/// The body of `<I as std::iter::Iterator>::all::<F>::promoted[0]`.
pub fn of(path: &Path) -> Option<&'static Body> {
    if path.qself.is_none() {
        return empty_slice(path);
    }
    let of_trait = path.qself.as_ref()?.trait_ref.as_ref()?;
    let TyKind::Adt { path: of_trait, .. } = of_trait.kind() else {
        return None;
    };
    if super::types::in_std(of_trait) != Some("iter::Iterator") {
        return None;
    }
    let text = path.to_string();
    let (function, _) = text.rsplit_once("::promoted[")?;
    let own = &text[function.len()..];
    let name = format!("{}{own}", super::last_segment(function));
    let in_std = of_trait.starts_with("std::");
    bodies(in_std).iter().find(|body| *body.path == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_slices_of_any_type() {
        let of = |name: &str| {
            let text = format!(
                "fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n        _0 = const {name};\n        return;\n    }}\n}}\n"
            );
            let file = mir::parse_file(&text).expect("a body");
            let statement = &file.bodies[0].blocks[0].statements[0];
            let mir::StatementKind::Assign(_, mir::Rvalue::Use { operand, .. }) = &statement.kind
            else {
                panic!("an assignment");
            };
            let mir::Operand::Const(mir::Const::Named(path)) = operand else {
                panic!("a constant");
            };
            super::of(path).map(|body| body.ret().to_string())
        };
        let name =
            "core::slice::<impl std::default::Default for &[(u8, m::S)]>::default::promoted[0]";
        assert_eq!(of(name).as_deref(), Some("&[(u8, m::S); 0]"));
        for other in [
            "mine::slice::<impl std::default::Default for &[u8]>::default::promoted[0]",
            "core::slice::<impl mine::Default for &[u8]>::default::promoted[0]",
            "core::slice::<impl std::default::Default for &[u8]>::default::promoted[1]",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn every_body_is_read() {
        for in_std in [true, false] {
            let paths: Vec<&str> = bodies(in_std).iter().map(|b| &*b.path).collect();
            assert_eq!(paths, FUNCTIONS.map(|f| format!("{f}::promoted[0]")));
            let crate_name = if in_std { "&std::" } else { "&core::" };
            let of_it = |b: &Body| b.ret().to_string().starts_with(crate_name);
            assert!(bodies(in_std).iter().all(of_it));
        }
    }
}
