//! Drops: the user's `Drop` impls run; freeing memory only matters for allocations (`heap`).
//!
//! Drop code is not in the captured text, only the impls are. A type whose parts are not all known, in a crate that
//! implements `Drop` for anything or has other crates that may, therefore leaves the model when it is dropped. So does a type
//! of std, unless it is known to free or to drop its content and nothing else: the guards of `RefCell` and `Drain` write when they go.

use super::inline::Call;
use super::place::Located;
use super::types::{self, erase};
use super::value::{Leaf, PointerValue};
use super::{Lowered, Lowerer, WITHOUT_BODY, gap};
use crate::mir::{Elem, GenericArg, IntTy, Place, Ty, TyKind};
use crate::program::{StopKind, Terminator as End};
use crate::term::{Sort, Term};
use std::collections::BTreeSet;

/// Types of std whose drop, beside that of their parameters, only frees memory. Nothing under `iter`, `num`, `str`, `char`,
/// `ascii` and `time` has a `Drop` of its own.
const ONLY_FREE: &[&str] = &[
    "alloc::Global",
    "alloc::Layout",
    "alloc::LayoutError",
    "any::TypeId",
    "array::Guard",
    "array::IntoIter",
    "array::drain::Drain",
    "borrow::Cow",
    "boxed::Box",
    "cell::BorrowError",
    "cell::BorrowMutError",
    "cell::Cell",
    "cell::OnceCell",
    "cell::RefCell",
    "cell::UnsafeCell",
    "cmp::Ordering",
    "cmp::Reverse",
    // has no value
    "convert::Infallible",
    "collections::BinaryHeap",
    "collections::TryReserveError",
    "collections::VecDeque",
    "collections::vec_deque::IntoIter",
    "collections::vec_deque::Iter",
    "fmt::Error",
    "io::Cursor",
    "mem::Discriminant",
    "mem::MaybeUninit",
    "ops::Bound",
    "ops::ControlFlow",
    "option::IntoIter",
    "option::Option",
    "pin::Pin",
    "ptr::NonNull",
    "ptr::Unique",
    "raw_vec::RawVec",
    "raw_vec::RawVecInner",
    "result::IntoIter",
    "result::Result",
    "string::FromUtf8Error",
    "string::String",
    "task::Poll",
    "vec::IntoIter",
    "vec::Vec",
    "vec::in_place_drop::InPlaceDrop",
    "vec::in_place_drop::InPlaceDstDataSrcBufDrop",
    "vec::into_iter::IntoIter",
];

/// A type that holds more of its kind is dropped so many levels deep; a run that drops a deeper one leaves the model.
const MOST_DEPTH: usize = 3;

/// Iterators that hold the iterator and the function that they were given, and no items.
const ADAPTERS: &[&str] = &[
    "iter::Cloned",
    "iter::Copied",
    "iter::Enumerate",
    "iter::Filter",
    "iter::FilterMap",
    "iter::Map",
    "iter::Rev",
    "iter::Skip",
    "iter::Take",
    "iter::TakeWhile",
];

fn only_frees(path: &str) -> bool {
    let Some(path) = types::in_std(path) else {
        return false;
    };
    let modules = [
        "ascii::",
        "char::",
        "iter::",
        "num::",
        "ops::Range",
        "ops::range::",
        "ops::try_trait::",
        "str::",
        "time::",
    ];
    // The error that a text becomes is a type inside of the function that makes it.
    let is_text_as_error =
        path.starts_with("boxed::convert::<impl ") && path.ends_with(">::from::StringError");
    modules.iter().any(|module| path.starts_with(module))
        || ONLY_FREE.contains(&path)
        || is_text_as_error
}

impl Lowerer<'_> {
    /// Drops the value at a place: its own `Drop`, then its parts in order.
    pub fn lower_drop(&mut self, place: &Place, block: u32) -> Lowered<()> {
        let at = self.locate(place)?;
        self.drop_located(&at, block)?;
        let at = self.locate(place)?;
        self.free_owned(&at)
    }

    /// A drop that is known to run no code of the user's.
    pub fn drop_without_effect(&mut self, ty: &Ty) -> Lowered<()> {
        self.drop_type(ty, &mut vec![])
    }

    /// Drops a value where it is, without freeing what it owns.
    pub fn drop_located(&mut self, at: &Located, block: u32) -> Lowered<()> {
        // Several values may be dropped by one terminator.
        let mut n_dropped = 0;
        self.drop_at(at, block, &mut n_dropped)
    }

    pub fn drop_at(&mut self, at: &Located, block: u32, n_dropped: &mut u32) -> Lowered<()> {
        let ty = at.ty.clone();
        if self.drop_type(&ty, &mut vec![]).is_ok() {
            return Ok(());
        }
        // a list that holds a list: how deep it is, nobody knows here
        let depth = self.dropping.iter().filter(|outer| **outer == ty).count();
        if depth >= MOST_DEPTH {
            let what = format!("`Drop` of `{ty}`, which holds more of its kind");
            self.end_in_stop(StopKind::Unsupported(what));
            return Ok(());
        }
        self.dropping.push(ty);
        let dropped = self.drop_parts(at, block, n_dropped);
        self.dropping.pop();
        dropped
    }

    fn drop_parts(&mut self, at: &Located, block: u32, n_dropped: &mut u32) -> Lowered<()> {
        let ty = at.ty.clone();
        let fields: Vec<Ty> = match ty.kind() {
            TyKind::Tuple(parts) => parts.iter().map(erase).collect(),
            TyKind::Closure(_) if self.shapes.is_several(&ty) => {
                return self.drop_type(&ty, &mut vec![]);
            }
            TyKind::Closure(_) => self
                .shapes
                .fields(&ty)
                .into_iter()
                .map(|(_, t)| t)
                .collect(),
            TyKind::Array(..) | TyKind::Slice(_) => {
                let (zero, n) = (self.bv64(0), self.length(at)?);
                return self.drop_elements(at, (zero, n), block, n_dropped);
            }
            TyKind::Adt { path, args } => {
                if self.source.drops.contains(&**path) {
                    self.run_drop(at, &ty, block, n_dropped)?;
                }
                let content = |i: usize| match args.get(i) {
                    Some(GenericArg::Type(t)) => Ok(erase(t)),
                    _ => gap(format!("`Drop` of `{ty}`")),
                };
                if self.drop_guard(at, path, block, n_dropped)? {
                    self.used.insert(crate::assumption::Assumption::StdDrops);
                    return Ok(());
                }
                match types::in_std(path) {
                    Some("option::Option") => {
                        let variants = [("Some", content(0)?)];
                        return self.drop_variants(at, path, &variants, block, n_dropped);
                    }
                    Some("result::Result") => {
                        let variants = [("Ok", content(0)?), ("Err", content(1)?)];
                        return self.drop_variants(at, path, &variants, block, n_dropped);
                    }
                    Some("boxed::Box") if types::is_trait_object(&content(0)?) => {
                        return self.drop_trait_object(at, block, n_dropped);
                    }
                    Some("boxed::Box") => {
                        let content = self.owned(at, &content(0)?, None)?;
                        return self.drop_at(&content, block, n_dropped);
                    }
                    Some("vec::Vec") => {
                        let n = self.vec_length(at)?;
                        let slice = Ty::new(TyKind::Slice(content(0)?));
                        let elements = self.owned(at, &slice, Some(n))?;
                        let zero = self.bv64(0);
                        return self.drop_elements(&elements, (zero, n), block, n_dropped);
                    }
                    Some("cell::Cell" | "cell::UnsafeCell") => {
                        let content = content(0)?;
                        let inside = self.project(at.clone(), &Elem::Field(0, content))?;
                        return self.drop_at(&inside, block, n_dropped);
                    }
                    Some("cell::RefCell") => {
                        let content = content(0)?;
                        return self.drop_in_ref_cell(at, &content, block, n_dropped);
                    }
                    Some(name) if ADAPTERS.contains(&name) => {
                        return self.drop_adapter(at, args, block, n_dropped);
                    }
                    _ => {}
                }
                if self.is_local_type(path)
                    && let Some(variants) = self.variants(&ty)
                {
                    return self.drop_variant(at, &variants, block, n_dropped);
                }
                match self.shapes.all_fields(&ty) {
                    Some(fields) if self.is_local_type(path) => fields,
                    _ => return self.drop_type(&ty, &mut vec![]),
                }
            }
            _ => return self.drop_type(&ty, &mut vec![]),
        };
        for (i, field) in fields.iter().enumerate() {
            let part = self.project(at.clone(), &Elem::Field(i as u32, field.clone()))?;
            self.drop_at(&part, block, n_dropped)?;
        }
        Ok(())
    }

    /// An iterator over another: what it was made of.
    fn drop_adapter(
        &mut self,
        at: &Located,
        args: &[GenericArg],
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let fields = self.shapes.fields(&at.ty);
        let mut parts = BTreeSet::new();
        for arg in args {
            let GenericArg::Type(t) = arg else { continue };
            let t = erase(t);
            if self.drop_type(&t, &mut vec![]).is_ok() {
                continue;
            }
            let mut of_type = fields.iter().filter(|(_, f)| *f == t);
            match (of_type.next(), of_type.next()) {
                (Some(((None, i), _)), None) => parts.insert(*i),
                _ => return gap(format!("`Drop` of `{}`", at.ty)),
            };
        }
        for ((_, i), field) in fields.iter().filter(|((_, i), _)| parts.contains(i)) {
            let part = self.project(at.clone(), &Elem::Field(*i, field.clone()))?;
            self.drop_at(&part, block, n_dropped)?;
        }
        Ok(())
    }

    /// The payload of the variant that the value is.
    fn drop_variants(
        &mut self,
        at: &Located,
        path: &str,
        variants: &[(&str, Ty)],
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let int = Ty::new(TyKind::Int(IntTy::Isize));
        let found = self.discriminant(at, &int)?;
        let found = self.bits(&found)?;
        for (name, payload) in variants {
            let Some(number) = self.source.facts.discriminant(path, name) else {
                return gap(format!("`Drop` of `{}`", at.ty));
            };
            let number = self.pool.bv(number, 64);
            let is_it = self.pool.eq(found, number);
            let (here, next) = (self.new_block(), self.new_block());
            self.end(End::Branch {
                cond: is_it,
                then: here,
                otherwise: next,
            });
            self.current = here;
            let part = self.project(at.clone(), &Elem::Downcast((*name).into()))?;
            let part = self.project(part, &Elem::Field(0, payload.clone()))?;
            self.drop_at(&part, block, n_dropped)?;
            self.goto(next);
            self.current = next;
        }
        Ok(())
    }

    /// The elements from the first number up to the second one, in order: a loop.
    pub fn drop_elements(
        &mut self,
        at: &Located,
        (from, n): (Term, Term),
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let index = self.pool.fresh("dropped", Sort::Bv(64));
        self.draw_vars.push(index);
        self.assign(index, from);
        let (head, body, done) = (self.new_block(), self.new_block(), self.new_block());
        self.goto(head);
        self.current = head;
        let i = self.pool.var(index);
        let more = self.pool.ult(i, n);
        self.end(End::Branch {
            cond: more,
            then: body,
            otherwise: done,
        });
        self.current = body;
        let element = self.element(at.clone(), i)?;
        self.drop_at(&element, block, n_dropped)?;
        let one = self.bv64(1);
        let after = self.pool.add(i, one);
        self.assign(index, after);
        self.goto(head);
        self.current = done;
        Ok(())
    }

    /// What a box or a vector points to; of a vector with its length.
    pub fn owned(&mut self, at: &Located, content: &Ty, length: Option<Term>) -> Lowered<Located> {
        let p = self.only_pointer(at)?;
        let p = self.retarget(&p, content)?;
        let p = PointerValue {
            meta: length.or(p.meta),
            ..p
        };
        let to = Ty::new(TyKind::RawPtr {
            mutable: true,
            ty: content.clone(),
        });
        self.deref(&p, &to)
    }

    /// The one pointer in a value.
    pub fn only_pointer(&mut self, at: &Located) -> Lowered<PointerValue> {
        let value = self.load_located(at)?;
        let mut pointers = value.leaves.iter().filter_map(|(_, l)| match &l.leaf {
            Leaf::Pointer(p) => Some(p.clone()),
            Leaf::Bits(_) => None,
        });
        match (pointers.next(), pointers.next()) {
            (Some(p), None) => Ok(p),
            _ => gap(format!("`Drop` of `{}`", at.ty)),
        }
    }

    fn vec_length(&mut self, at: &Located) -> Lowered<Term> {
        let length = self.project(
            at.clone(),
            &Elem::Field(1, Ty::new(TyKind::Int(IntTy::Usize))),
        )?;
        let length = self.load_located(&length)?;
        self.bits(&length)
    }

    /// Inlines `<T as Drop>::drop(&mut place)`.
    fn run_drop(&mut self, at: &Located, ty: &Ty, block: u32, n: &mut u32) -> Lowered<()> {
        let name = format!("<{ty} as std::ops::Drop>::drop");
        let instance = self.bodies.by_path(&name, crate::mir::BodyKind::Fn)?;
        let Some(body) = instance.or_else(|| self.drop_body(ty)) else {
            return gap(format!("call of `{name}`, {WITHOUT_BODY}"));
        };
        let p = self.address_of(at)?;
        let argument = self.pointer(p);
        let next = self.new_block();
        let nothing = Place::local(crate::mir::Local::RETURN);
        let call = Call {
            args: &[],
            // `()` is not written anywhere.
            destination: &nothing,
            next: Some(next),
            block,
        };
        self.inline_values(body, &call, &[argument], 1000 + *n)?;
        *n += 1;
        self.current = next;
        Ok(())
    }

    pub fn drop_type(&mut self, ty: &Ty, seen: &mut Vec<Ty>) -> Lowered<()> {
        if seen.contains(ty) {
            return Ok(());
        }
        seen.push(ty.clone());
        match ty.kind() {
            TyKind::Adt { path, args } => {
                if self.source.drops.contains(&**path) {
                    return gap(format!("`Drop` of `{path}`"));
                }
                let holds_nothing = ["marker::PhantomData", "mem::ManuallyDrop"];
                if types::in_std(path).is_some_and(|path| holds_nothing.contains(&path)) {
                    return Ok(());
                }
                let is_std = types::in_std(path).is_some();
                // The drop code of other crates is not captured; a path of this crate has no crate name.
                if !is_std && !self.is_local_type(path) {
                    return gap(format!("`Drop` of `{path}`, a type of another crate"));
                }
                // Iterators over slices own what they were given beside the slice (a predicate), not its elements.
                let over_slice = types::in_std(path).and_then(|path| path.strip_prefix("slice::"));
                if over_slice.is_some_and(|name| !name.contains("::")) {
                    for a in args
                        .iter()
                        .filter(|a| matches!(a, GenericArg::Type(_)))
                        .skip(1)
                    {
                        if let GenericArg::Type(t) = a {
                            self.drop_type(&erase(t), seen)?;
                        }
                    }
                    return Ok(());
                }
                if is_std && !only_frees(path) {
                    return gap(format!("`Drop` of `{path}`"));
                }
                if is_std {
                    self.used.insert(crate::assumption::Assumption::StdDrops);
                }
                // Fields that no body mentions are not known, but dropped all the same.
                let is_told = self.source.facts.is_without_drop(path, None);
                if !is_std && !is_told && self.source.may_drop() {
                    let Some(fields) = self.all_parts(ty) else {
                        return gap(format!(
                            "drop of `{path}`, whose fields may have a `Drop` of this or another crate"
                        ));
                    };
                    for t in fields {
                        self.drop_type(&t, seen)?;
                    }
                }
                for a in args {
                    if let GenericArg::Type(t) = a {
                        self.drop_type(&erase(t), seen)?;
                    }
                }
                for (_, t) in self.shapes.fields(ty) {
                    if !matches!(t.kind(), TyKind::RawPtr { .. } | TyKind::Ref { .. }) {
                        self.drop_type(&t, seen)?;
                    }
                }
                Ok(())
            }
            TyKind::Tuple(parts) => {
                for t in parts {
                    self.drop_type(&erase(t), seen)?;
                }
                Ok(())
            }
            TyKind::Array(t, _) | TyKind::Slice(t) => self.drop_type(&erase(t), seen),
            TyKind::Closure(_) => {
                if self.shapes.is_several(ty) {
                    return gap(format!("an item whose name another one has, too: `{ty}`"));
                }
                for (_, t) in self.shapes.fields(ty) {
                    self.drop_type(&t, seen)?;
                }
                Ok(())
            }
            TyKind::Dyn { .. } => gap("a trait object dropped"),
            TyKind::Alias(_) | TyKind::Other(_) | TyKind::Impl { .. } => {
                gap(format!("drop of `{ty}`"))
            }
            _ => Ok(()),
        }
    }
}
