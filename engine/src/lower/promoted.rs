//! Constants that rustc promotes in generic functions. A use names the instance (`f::<u8>::promoted[0]`), the body is
//! printed once for all of them. Where it consists of literals, of named constants and of types that no parameter can be,
//! it has one value in every instance; all others have none here.

use super::instance::BodyRef;
use super::{Lowered, Lowerer};
use crate::mir::{
    Aggregate, ArrayLen, Body, BodyKind, Const, GenericArg, Operand, Path, Rvalue, StatementKind,
    TerminatorKind, Ty, TyKind,
};

impl<'a> Lowerer<'a> {
    /// The body of `<m::S as Tr>::f::promoted[0]`, as the method's own code told. In a generic impl a name may be an
    /// instance's, of a type that is named like the parameter.
    pub fn promoted_in_method(&self, constant: &str) -> Lowered<Option<BodyRef<'a>>> {
        let Some(of) = self.source.facts.promoted.get(constant) else {
            return Ok(None);
        };
        let method = of.rsplit_once("::").map_or("", |(method, _)| method);
        let header = self.source.impls.get(method);
        let is_plain = header.is_some_and(|h| !h.is_generic);
        let body = self.bodies.by_path(of, BodyKind::Promoted)?;
        Ok(body.filter(|b| is_plain || is_one_value(b.body)))
    }

    /// The body of `m::f::<u8>::promoted[0]`, if it is the same for all `f`.
    pub fn promoted_in_generic(&self, path: &Path) -> Option<BodyRef<'a>> {
        let is_type = |a: &GenericArg| !matches!(a, GenericArg::Lifetime(_));
        let arguments = path.segments.iter().filter_map(|s| s.args.as_ref());
        let is_instance = arguments.flatten().any(is_type);
        if path.qself.is_some() || !is_instance || !path.last_name().starts_with("promoted[") {
            return None;
        }
        let found = self.bodies.by_path(&path.plain(), BodyKind::Promoted);
        found.ok().flatten().filter(|b| is_one_value(b.body))
    }
}

fn is_one_value(body: &Body) -> bool {
    let of_literals = match &body.value {
        Some(value) => is_one_constant(value),
        None => body.blocks.iter().all(|block| {
            let statements = block.statements.iter().map(|s| &s.kind);
            matches!(block.terminator.kind, TerminatorKind::Return)
                && statements.into_iter().all(|kind| match kind {
                    StatementKind::Assign(_, rvalue) => is_of_literals(rvalue),
                    StatementKind::StorageLive(_)
                    | StatementKind::StorageDead(_)
                    | StatementKind::Nop => true,
                    _ => false,
                })
        }),
    };
    of_literals && body.locals.iter().all(|local| is_closed(&local.ty))
}

/// Can no parameter stand in this type? A parameter prints like a type at the top of the crate.
fn is_closed(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Adt { path, args } => {
            let is_closed = |a: &GenericArg| match a {
                GenericArg::Type(ty) => is_closed(ty),
                GenericArg::Const(c) => is_literal(c) || matches!(c, Const::UntypedInt { .. }),
                GenericArg::Lifetime(_) => true,
            };
            path.contains("::") && !path.starts_with('<') && args.iter().all(is_closed)
        }
        TyKind::Bool | TyKind::Char | TyKind::Str | TyKind::Int(_) | TyKind::Float(_) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_closed),
        TyKind::Array(ty, ArrayLen::Known(_)) | TyKind::Slice(ty) => is_closed(ty),
        TyKind::Ref { ty, .. } => is_closed(ty),
        _ => false,
    }
}

fn is_of_literals(rvalue: &Rvalue) -> bool {
    let literal = |operand: &Operand| match operand {
        Operand::Copy(_) | Operand::Move(_) => true,
        Operand::Const(constant) => is_one_constant(constant),
        Operand::RuntimeChecks(_) => false,
    };
    match rvalue {
        Rvalue::Use { operand, .. } => literal(operand),
        Rvalue::Repeat(operand, ArrayLen::Known(_)) => literal(operand),
        Rvalue::Ref { .. } => true,
        Rvalue::Aggregate(
            Aggregate::Array(parts) | Aggregate::Tuple(parts) | Aggregate::AdtPositional(_, parts),
        ) => parts.iter().all(literal),
        Rvalue::Aggregate(Aggregate::AdtNamed(_, parts)) => parts.iter().all(|(_, p)| literal(p)),
        Rvalue::Aggregate(Aggregate::AdtUnit(_)) => true,
        _ => false,
    }
}

/// A literal, or a constant whose name says that it has no parameters: `m::LIMIT`, `m::<impl m::Flags>::NONE`. A parameter
/// has one word, and a constant of its type the type in brackets.
fn is_one_constant(constant: &Const) -> bool {
    let Const::Named(path) = constant else {
        return is_literal(constant);
    };
    let is_word = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let is_type = |name: &str| name.split("::").all(is_word);
    let of_type = |name: &str| {
        let ty = name
            .strip_prefix("<impl ")
            .and_then(|n| n.strip_suffix('>'));
        ty.is_some_and(is_type)
    };
    path.qself.is_none()
        && path.segments.len() > 1
        && (path.segments.iter())
            .all(|s| s.args.is_none() && (is_word(&s.name) || of_type(&s.name)))
}

pub fn is_literal(constant: &Const) -> bool {
    match constant {
        Const::Int { .. }
        | Const::Bool(_)
        | Const::Char(_)
        | Const::Float { .. }
        | Const::Str(_)
        | Const::ByteStr(_)
        | Const::ByteArray(_) => true,
        Const::Tuple(parts) | Const::Array(parts) => parts.iter().all(is_literal),
        _ => false,
    }
}
