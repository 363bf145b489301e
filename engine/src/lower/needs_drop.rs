//! `needs_drop::<T>()`, which the compiler answers where the type is known: has dropping a value of it any code at all?
//! Freeing is code, too; only what is certain has an answer here.

use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::mir::{GenericArg, Path, Ty, TyKind};

/// Types of std that free memory.
const FREE: &[&str] = &[
    "boxed::Box",
    "collections::VecDeque",
    "rc::Rc",
    "string::String",
    "sync::Arc",
    "vec::Vec",
];

/// Types of std that hold values of their arguments and have no `Drop` of their own.
const HOLD: &[&str] = &[
    "cell::Cell",
    "cell::RefCell",
    "cell::UnsafeCell",
    "cmp::Reverse",
    "num::NonZero",
    "num::Wrapping",
    "ops::Range",
    "ops::RangeInclusive",
    "option::Option",
    "result::Result",
];

const NOTHING: &[&str] = &[
    "marker::PhantomData",
    "mem::ManuallyDrop",
    "mem::MaybeUninit",
];

impl Lowerer<'_> {
    /// `std::mem::needs_drop::<T>::{constant#0}`.
    pub fn needs_drop_constant(&mut self, path: &Path) -> Lowered<Option<Value>> {
        let [.., function, constant] = path.segments.as_slice() else {
            return Ok(None);
        };
        let is_it = types::in_std(&path.plain()) == Some("mem::needs_drop::{constant#0}");
        let Some([GenericArg::Type(ty)]) = function.args.as_deref().filter(|_| is_it) else {
            return Ok(None);
        };
        if constant.args.as_ref().is_some_and(|a| !a.is_empty()) {
            return Ok(None);
        }
        let Some(needs) = self.needs_drop(&erase(ty), &mut vec![]) else {
            return Ok(None);
        };
        self.used.insert(crate::assumption::Assumption::StdModels);
        let needs = self.pool.bool(needs);
        Ok(Some(self.scalar(needs)))
    }

    fn needs_drop(&self, ty: &Ty, within: &mut Vec<Ty>) -> Option<bool> {
        // only a box can close the circle, and that needs one
        if within.contains(ty) {
            return None;
        }
        within.push(ty.clone());
        let answer = self.needs_drop_of_parts(ty, within);
        within.pop();
        answer
    }

    fn needs_drop_of_parts(&self, ty: &Ty, within: &mut Vec<Ty>) -> Option<bool> {
        let arguments = |args: &[GenericArg]| -> Vec<Ty> {
            let types = args.iter().filter_map(|a| match a {
                GenericArg::Type(t) => Some(erase(t)),
                _ => None,
            });
            types.collect()
        };
        let parts = match ty.kind() {
            TyKind::Bool
            | TyKind::Char
            | TyKind::Int(_)
            | TyKind::Float(_)
            | TyKind::Str
            | TyKind::Never
            | TyKind::Ref { .. }
            | TyKind::RawPtr { .. }
            | TyKind::FnPtr(_)
            | TyKind::FnDef { .. } => return Some(false),
            TyKind::Dyn { .. } => return Some(true),
            TyKind::Tuple(parts) => parts.iter().map(erase).collect(),
            TyKind::Array(elem, _) => match types::array_len(ty)? {
                0 => return Some(false),
                _ => vec![erase(elem)],
            },
            TyKind::Slice(elem) => vec![erase(elem)],
            TyKind::Adt { path, args } => match types::in_std(path) {
                Some(name) if FREE.contains(&name) => return Some(true),
                Some(name) if NOTHING.contains(&name) => return Some(false),
                Some(name) if HOLD.contains(&name) => arguments(args),
                None if !self.is_local_type(path) => return None,
                None if self.source.drops.contains(&**path) => return Some(true),
                None if self.source.facts.is_union(path) => return Some(false),
                None => self.all_parts(ty)?,
                Some(_) => return None,
            },
            _ => return None,
        };
        let mut unknown = false;
        for part in &parts {
            match self.needs_drop(part, within) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(false)
    }
}
