//! The reference's part of a proof as people would write it: invariants at loops of the source, in its own names.
//!
//! Made from the proof and the captured MIR alone, so that whoever reads such a text can make it again and compare.
//! Nothing is checked here; the proof that it is made of is.

use crate::bodies::{Bodies, Files};
use crate::expression::{Expr, Kind, Said, Speaker};
use crate::graph::{Frame, Graph, Point};
use crate::lemma::Lemma;
use crate::name::{self, Part};
use crate::proof_file::{Claim, ProofFile};
use crate::value::{Object, Step};
use optverify_engine::capture::{Capture, Root};
use optverify_engine::mir::ty::{GenericArg, IntTy, Ty, TyKind};
use optverify_engine::mir::{Body, DebugInfo, DebugValue, SourceInfo, Span};
use std::rc::Rc;

/// What holds at a loop's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invariant {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub value: String,
    /// An expression of Rust; else SMT-LIB over places of MIR, as in the proof.
    pub is_rust: bool,
}

/// The invariants of the program as written. Loops of which nothing is claimed have none.
pub fn invariants(
    capture: &Capture,
    root: &Root,
    proof: &ProofFile,
) -> Result<Vec<Invariant>, String> {
    let reference = proof.snapshots.iter().find(|s| s.number == "reference");
    let Some(Claim::Inductive { cuts, .. }) = reference.map(|s| &s.claim) else {
        return Ok(vec![]);
    };
    let files = Files::default();
    let bodies = Bodies::new(capture, &files, None);
    let graph = Graph::new(&bodies, bodies.root(root)?);
    let mut out = vec![];
    for cut in cuts {
        let Some(at) = &cut.at else { continue };
        let point = graph.point(at, cut.statement)?;
        let frame = graph.frame(&point.chain).ok_or("no such point")?;
        let span = location(&frame, &point);
        for text in &cut.lemmas {
            let lemma = Lemma::parse(text)?;
            let mut names = |place: &str| named(&frame, place);
            let said = Speaker::new(&mut names).sentence(lemma.body());
            out.push(Invariant {
                file: span
                    .as_ref()
                    .map_or(root.file.clone(), |s| s.file.to_string()),
                line: span.as_ref().map_or(root.line, |s| s.line),
                column: span.as_ref().map_or(1, |s| s.col),
                is_rust: said.is_ok(),
                value: said.unwrap_or_else(|_| text.clone()),
            });
        }
    }
    Ok(out)
}

/// Where the user's own source is at this point: what stands in std is where it is called.
fn location(frame: &Rc<Frame>, point: &Point) -> Option<Span> {
    let block = frame.body.blocks.get(point.block as usize)?;
    let statements = block.statements.iter().skip(point.statement as usize);
    let mut infos = statements
        .map(|s| &s.source_info)
        .chain([&block.terminator.source_info]);
    let here = infos.find_map(|info| own(&frame.body, info));
    here.or_else(|| {
        let (caller, block) = frame.caller.as_ref()?;
        let at = caller.body.blocks.get(*block as usize)?;
        let statement = at.statements.len() as u32;
        let point = Point {
            chain: caller.chain.clone(),
            block: *block,
            statement,
        };
        location(caller, &point)
    })
}

fn own(body: &Body, info: &SourceInfo) -> Option<Span> {
    let mut span = info.span.clone();
    let mut scope = Some(info.scope);
    loop {
        if let Some(s) = span.filter(|s| !is_foreign(&s.file)) {
            return Some(s);
        }
        // up to the next inlined call, which stands in another file perhaps
        let inlined = loop {
            let s = body.scopes.get(scope? as usize)?;
            scope = s.parent;
            if s.inlined.is_some() {
                break s;
            }
        };
        span = inlined.span.clone();
    }
}

/// Of std, of another crate, of this tool's own library.
fn is_foreign(file: &str) -> bool {
    let libraries = ["/rustlib/src/rust/library/", "/.cargo/registry/"];
    let own = ["lib.rs", "nondet.rs", "any.rs", "any_of_std.rs"];
    file.starts_with("/rustc/")
        || libraries.iter().any(|part| file.contains(part))
        || own
            .iter()
            .any(|name| file.ends_with(&format!("optverify/src/{name}")))
}

/// What the source calls a place, if there is exactly one such name where control is.
fn named(frame: &Rc<Frame>, place: &str) -> Said<Expr> {
    let name = name::parse(place).ok_or("not the name of a place")?;
    let (mut text, mut ty) = match &name.object {
        Object::Local(chain, local) if *chain == frame.chain => variable(&frame.body, *local)?,
        Object::Pointee(of) => {
            let (local, behind) = match name::parse(of) {
                Some(n) if n.path.is_empty() && n.part == Part::Value => match n.object {
                    Object::Local(chain, local) if chain == frame.chain => {
                        variable(&frame.body, local)?
                    }
                    _ => return Err("a place of another function".into()),
                },
                _ => return Err("a reference inside of something".into()),
            };
            let TyKind::Ref { ty, .. } = behind.kind() else {
                return Err("a pointer that is no reference".into());
            };
            match ty.kind() {
                // indexing and `len` see through references
                TyKind::Array(..) | TyKind::Slice(_) => (local, ty.clone()),
                _ => (format!("(*{local})"), ty.clone()),
            }
        }
        _ => return Err("a place of another function".into()),
    };
    for step in &name.path {
        match (step, ty.clone().kind()) {
            (Step::Field(i), TyKind::Tuple(parts)) => {
                text = format!("{text}.{i}");
                ty = parts.get(*i as usize).ok_or("no such field")?.clone();
            }
            (Step::Field(i @ (0 | 1)), TyKind::Adt { path, args })
                if path.ends_with("ops::Range") =>
            {
                text = format!("{text}.{}", ["start", "end"][*i as usize]);
                let Some(GenericArg::Type(of)) = args.first() else {
                    return Err("a range of what".into());
                };
                ty = of.clone();
            }
            (Step::Elements, TyKind::Array(..) | TyKind::Slice(_)) if name.path.len() == 1 => {}
            _ => return Err("a part without a name".into()),
        }
    }
    match name.part {
        Part::Value => Expr::of(text, &ty),
        Part::Length => Ok(Expr::new(format!("{text}.len()"), Kind::Int(IntTy::Usize))),
        Part::At(_) | Part::Init => Err("what the source has no name for".into()),
    }
}

/// The name of a local in the function's own scopes, if it means nothing else there.
fn variable(body: &Body, local: u32) -> Said<(String, Ty)> {
    let own = |scope: u32| {
        let mut at = Some(scope);
        while let Some(s) = at.and_then(|id| body.scopes.get(id as usize)) {
            if s.inlined.is_some() {
                return false;
            }
            at = s.parent;
        }
        true
    };
    let mut names = body.debug_infos.iter().filter(|d| {
        let is_it =
            matches!(&d.value, DebugValue::Place(p) if p.as_local().is_some_and(|l| l.0 == local));
        is_it && own(d.source_info.scope)
    });
    let info = names.next().ok_or("a temporary")?;
    let same = |d: &&DebugInfo| d.name == info.name && own(d.source_info.scope);
    if body.debug_infos.iter().filter(same).count() > 1 {
        return Err("a name that is used twice".into());
    }
    let decl = body.locals.get(local as usize).ok_or("no such local")?;
    Ok((info.name.to_string(), decl.ty.clone()))
}
