//! Constants that rustc promoted inside std's generic functions: no capture has their bodies, and rustc evaluates them only
//! for code generation. Those of the functions that are inlined most are written down here, as MIR.

use crate::mir::{self, Body, MirFile, Path, TyKind};
use std::sync::OnceLock;

/// `all` compares what `try_fold` gives with `Continue(())`, `any` with `Break(())`.
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
";

fn bodies() -> &'static [Body] {
    static FILE: OnceLock<Option<MirFile>> = OnceLock::new();
    let file = FILE.get_or_init(|| mir::parse_file(BODIES).ok());
    file.as_ref().map_or(&[], |file| &file.bodies)
}

/// The body of `<I as std::iter::Iterator>::all::<F>::promoted[0]`.
pub fn of(path: &Path) -> Option<&'static Body> {
    let of_trait = path.qself.as_ref()?.trait_ref.as_ref()?;
    let of_iterator = matches!(of_trait.kind(), TyKind::Adt { path, .. }
        if super::types::in_std(path) == Some("iter::Iterator"));
    if !of_iterator {
        return None;
    }
    let text = path.to_string();
    let (function, _) = text.rsplit_once("::promoted[")?;
    let own = &text[function.len()..];
    let name = format!("{}{own}", super::last_segment(function));
    bodies().iter().find(|body| *body.path == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_body_is_read() {
        let paths: Vec<&str> = bodies().iter().map(|b| &*b.path).collect();
        assert_eq!(paths, ["all::promoted[0]", "any::promoted[0]"]);
    }
}
