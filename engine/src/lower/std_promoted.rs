//! Constants that rustc promoted inside std's generic functions: no capture has their bodies, and rustc evaluates them only
//! for code generation. Those of the functions that are inlined most are written down here, as MIR.

use crate::mir::{self, Body, MirFile, Path, TyKind};
use std::sync::OnceLock;

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

/// The body of `<I as std::iter::Iterator>::all::<F>::promoted[0]`.
pub fn of(path: &Path) -> Option<&'static Body> {
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
