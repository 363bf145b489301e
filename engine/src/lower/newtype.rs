//! Structs that are nothing but a slice or a text (`struct Secret([u8])`, `facts.slices`): before anything is lowered their
//! types become what they hold, and their only field the place itself. A pointer to one has the length of its content.
//!
//! Names of functions stay as they are, so that methods and their impls still mean the struct. Where the type itself
//! decides what is called, in a trait object, the cast has no model.

use super::types::{element, smart_pointee};
use crate::mir::{
    Aggregate, Body, CastKind, Const, ConstFields, DebugValue, Elem, FnSig, GenericArg, MirFile,
    Operand, Path, Place, PointerCoercion, Rvalue, StatementKind, TerminatorKind, Ty, TyKind,
    parse_ty,
};
use std::collections::{BTreeMap, HashMap};

/// The structs, by path, with what they hold.
#[derive(Default)]
pub struct Newtypes {
    held: HashMap<String, Ty>,
}

impl Newtypes {
    pub fn new(slices: &BTreeMap<String, String>) -> Newtypes {
        let held = slices.iter();
        Newtypes {
            held: held
                .filter_map(|(path, text)| Some((path.clone(), parse_ty(text).ok()?)))
                .collect(),
        }
    }

    /// The file with the content in place of the structs.
    pub fn open(&self, mut file: MirFile) -> MirFile {
        if !self.held.is_empty() {
            for body in &mut file.bodies {
                self.body(body);
            }
        }
        file
    }

    fn content(&self, ty: &Ty) -> Option<&Ty> {
        match ty.kind() {
            TyKind::Adt { path, args } if args.is_empty() => self.held.get(&**path),
            _ => None,
        }
    }

    fn ty(&self, ty: &Ty) -> Ty {
        if let Some(content) = self.content(ty) {
            return content.clone();
        }
        Ty::new(match ty.kind() {
            TyKind::Tuple(parts) => TyKind::Tuple(parts.iter().map(|p| self.ty(p)).collect()),
            TyKind::Array(elem, len) => TyKind::Array(self.ty(elem), len.clone()),
            TyKind::Slice(elem) => TyKind::Slice(self.ty(elem)),
            TyKind::Ref {
                lifetime,
                mutable,
                ty,
            } => TyKind::Ref {
                lifetime: lifetime.clone(),
                mutable: *mutable,
                ty: self.ty(ty),
            },
            TyKind::RawPtr { mutable, ty } => TyKind::RawPtr {
                mutable: *mutable,
                ty: self.ty(ty),
            },
            TyKind::Adt { path, args } => TyKind::Adt {
                path: path.clone(),
                args: args.iter().map(|a| self.argument(a)).collect(),
            },
            TyKind::FnPtr(sig) => TyKind::FnPtr(FnSig {
                inputs: sig.inputs.iter().map(|t| self.ty(t)).collect(),
                output: sig.output.as_ref().map(|t| self.ty(t)),
                ..sig.clone()
            }),
            _ => return ty.clone(),
        })
    }

    fn argument(&self, argument: &GenericArg) -> GenericArg {
        match argument {
            GenericArg::Type(ty) => GenericArg::Type(self.ty(ty)),
            other => other.clone(),
        }
    }

    fn mentions(&self, ty: &Ty) -> bool {
        self.ty(ty) != *ty
    }

    fn body(&self, body: &mut Body) {
        let before: Vec<Ty> = body.locals.iter().map(|l| l.ty.clone()).collect();
        let at = Opened {
            newtypes: self,
            locals: &before,
        };
        body.signature_ret = self.ty(&body.signature_ret);
        for local in &mut body.locals {
            local.ty = self.ty(&local.ty);
        }
        if let Some(value) = &mut body.value {
            self.constant(value);
        }
        for info in &mut body.debug_infos {
            match &mut info.value {
                DebugValue::Place(place) => at.place(place),
                DebugValue::Const(value) => self.constant(value),
            }
        }
        for block in &mut body.blocks {
            for statement in &mut block.statements {
                at.statement(&mut statement.kind);
            }
            at.terminator(&mut block.terminator.kind);
        }
    }

    fn constant(&self, value: &mut Const) {
        match value {
            Const::Tuple(parts) | Const::Array(parts) => {
                parts.iter_mut().for_each(|p| self.constant(p));
            }
            Const::Adt { fields, .. } => match fields {
                ConstFields::Positional(parts) => {
                    parts.iter_mut().for_each(|p| self.constant(p));
                }
                ConstFields::Named(parts) | ConstFields::NamedInType(parts) => {
                    parts.iter_mut().for_each(|(_, p)| self.constant(p));
                }
            },
            Const::Ref(value) | Const::Pattern { value, .. } => self.constant(value),
            Const::ZeroSized(ty)
            | Const::Alloc { ty, .. }
            | Const::Address { ty, .. }
            | Const::Transmute { ty, .. }
            | Const::Slice { ty, .. }
            | Const::Indirect { ty, .. }
            | Const::Scalar { ty, .. } => *ty = self.ty(ty),
            // sizes and alignments; all other functions keep their names
            Const::FnItem(path) if is_intrinsic(path) => {
                let mut data = (*path.0).clone();
                for args in data.segments.iter_mut().filter_map(|s| s.args.as_mut()) {
                    *args = args.iter().map(|a| self.argument(a)).collect();
                }
                *path = Path(data.into());
            }
            _ => {}
        }
    }
}

fn is_intrinsic(path: &Path) -> bool {
    let names: Vec<&str> = path.segments.iter().map(|s| &*s.name).collect();
    path.qself.is_none() && matches!(names[..], ["std" | "core", "intrinsics" | "mem", _])
}

/// A body while its types change: places are read by the types that its locals had.
struct Opened<'a> {
    newtypes: &'a Newtypes,
    locals: &'a [Ty],
}

impl Opened<'_> {
    fn place(&self, place: &mut Place) {
        let mut here = self.locals.get(place.local.0 as usize).cloned();
        let elems = std::mem::take(&mut place.projection);
        for elem in elems {
            let content = here.as_ref().and_then(|t| self.newtypes.content(t));
            if let (Elem::Field(0, ty), true) = (&elem, content.is_some()) {
                here = Some(ty.clone());
                continue;
            }
            here = match &elem {
                Elem::Field(_, ty)
                | Elem::OpaqueCast(ty)
                | Elem::Subtype(ty)
                | Elem::UnwrapUnsafeBinder(ty) => Some(ty.clone()),
                Elem::Deref => here.as_ref().and_then(smart_pointee).cloned(),
                Elem::Index(_) | Elem::ConstantIndex { .. } => here.as_ref().and_then(element),
                Elem::Subslice { .. } | Elem::Downcast(_) | Elem::DowncastIndex(_) => here,
            };
            place.projection.push(match elem {
                Elem::Field(n, ty) => Elem::Field(n, self.newtypes.ty(&ty)),
                Elem::OpaqueCast(ty) => Elem::OpaqueCast(self.newtypes.ty(&ty)),
                Elem::Subtype(ty) => Elem::Subtype(self.newtypes.ty(&ty)),
                other => other,
            });
        }
    }

    fn operand(&self, operand: &mut Operand) {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.place(place),
            Operand::Const(value) => self.newtypes.constant(value),
            Operand::RuntimeChecks(_) => {}
        }
    }

    fn operands<'o>(&self, operands: impl IntoIterator<Item = &'o mut Operand>) {
        operands.into_iter().for_each(|o| self.operand(o));
    }

    /// The type that an operand had.
    fn operand_type(&self, operand: &Operand) -> Option<Ty> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => match place.projection.last() {
                None => self.locals.get(place.local.0 as usize).cloned(),
                Some(Elem::Field(_, ty)) => Some(ty.clone()),
                Some(_) => None,
            },
            _ => None,
        }
    }

    fn statement(&self, kind: &mut StatementKind) {
        match kind {
            StatementKind::Assign(place, rvalue) => {
                self.place(place);
                self.rvalue(rvalue);
            }
            StatementKind::FakeRead(_, place)
            | StatementKind::SetDiscriminant(place, _)
            | StatementKind::Deinit(place)
            | StatementKind::Retag(_, place)
            | StatementKind::PlaceMention(place)
            | StatementKind::BackwardIncompatibleDropHint(place, _) => self.place(place),
            StatementKind::Assume(operand) => self.operand(operand),
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                self.operands([dst, src, count]);
            }
            StatementKind::StorageLive(_)
            | StatementKind::StorageDead(_)
            | StatementKind::AscribeUserType(_)
            | StatementKind::Coverage(_)
            | StatementKind::ConstEvalCounter
            | StatementKind::Nop => {}
        }
    }

    fn rvalue(&self, rvalue: &mut Rvalue) {
        match rvalue {
            Rvalue::Use { operand, .. }
            | Rvalue::Repeat(operand, _)
            | Rvalue::Unary(_, operand) => {
                self.operand(operand);
            }
            Rvalue::Cast { operand, ty, kind } => {
                let source = self.operand_type(operand);
                let is_object =
                    matches!(kind, CastKind::PointerCoercion(PointerCoercion::Unsize, _))
                        && smart_pointee(ty).is_none_or(|t| matches!(t.kind(), TyKind::Dyn { .. }));
                if is_object && source.is_none_or(|t| self.newtypes.mentions(&t)) {
                    *kind = CastKind::Other(
                        "trait object of a pointer to a struct that is a slice".into(),
                    );
                }
                self.operand(operand);
                *ty = self.newtypes.ty(ty);
            }
            Rvalue::ShallowInitBox(operand, ty) | Rvalue::WrapUnsafeBinder(operand, ty) => {
                self.operand(operand);
                *ty = self.newtypes.ty(ty);
            }
            Rvalue::Ref { place, .. }
            | Rvalue::RawPtr { place, .. }
            | Rvalue::Len(place)
            | Rvalue::Discriminant(place)
            | Rvalue::CopyForDeref(place) => self.place(place),
            Rvalue::Binary(_, a, b) => self.operands([a, b]),
            Rvalue::Aggregate(aggregate) => self.aggregate(aggregate),
            Rvalue::ThreadLocalRef { .. } | Rvalue::Nullary(_) | Rvalue::Other(_) => {}
        }
    }

    fn aggregate(&self, aggregate: &mut Aggregate) {
        match aggregate {
            Aggregate::Array(parts)
            | Aggregate::Tuple(parts)
            | Aggregate::AdtPositional(_, parts) => {
                self.operands(parts);
            }
            Aggregate::AdtNamed(_, parts)
            | Aggregate::Closure(_, parts)
            | Aggregate::Coroutine(_, parts) => self.operands(parts.iter_mut().map(|(_, p)| p)),
            Aggregate::RawPtr { ty, parts, .. } => {
                *ty = self.newtypes.ty(ty);
                self.operands(parts);
            }
            Aggregate::AdtUnit(_) => {}
        }
    }

    fn terminator(&self, kind: &mut TerminatorKind) {
        match kind {
            TerminatorKind::SwitchInt { operand, .. } => self.operand(operand),
            TerminatorKind::Drop { place, .. } => self.place(place),
            TerminatorKind::Call {
                func,
                args,
                destination,
                ..
            } => {
                self.operand(func);
                self.operands(args);
                self.place(destination);
            }
            TerminatorKind::TailCall { func, args } => {
                self.operand(func);
                self.operands(args);
            }
            TerminatorKind::Assert { cond, message, .. } => {
                self.operand(cond);
                self.operands(&mut message.args);
            }
            TerminatorKind::Yield {
                value, resume_arg, ..
            } => {
                self.operand(value);
                self.place(resume_arg);
            }
            _ => {}
        }
    }
}
