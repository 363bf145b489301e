//! Trait objects: a pointer whose second word says which type it points to.

use super::inline::Call;
use super::instance::BodyRef;
use super::place::Located;
use super::pointer::Target;
use super::types::{self, erase};
use super::value::{Leaf, PointerValue, Value};
use super::{Lowered, Lowerer, WITHOUT_BODY, gap};
use crate::mir::{BodyKind, Elem, Operand, Place, Ty, TyKind};
use crate::program::{StopKind, Terminator as End};

/// Objects that are boxes of objects are called so many deep.
const MOST_BOXES: usize = 2;

impl<'a> Lowerer<'a> {
    /// A thin pointer to a value of this type as a trait object.
    pub fn make_trait_object(&mut self, mut p: PointerValue, ty: &Ty) -> PointerValue {
        let number = match self.vtables.iter().position(|t| t == ty) {
            Some(n) => n,
            None => {
                self.grew = true;
                self.vtables.push(ty.clone());
                self.vtables.len() - 1
            }
        };
        p.meta = Some(self.bv64(number as u64));
        p
    }

    /// Is the callee a method of a trait object? Then the trait, and the method's name.
    pub fn trait_object_method(path: &crate::mir::Path) -> Option<(&Ty, &str)> {
        let q = path.qself.as_ref()?;
        let trait_ref = q.trait_ref.as_ref()?;
        matches!(q.ty.kind(), TyKind::Dyn { .. }).then(|| (trait_ref, path.last_name()))
    }

    /// A method called on a trait object: the second word decides among the types that ever became one.
    pub fn call_trait_object(
        &mut self,
        trait_ref: &Ty,
        method: &str,
        call: &Call<'_>,
    ) -> Lowered<()> {
        let Some(receiver) = call.args.first() else {
            return gap("a trait object's method without a receiver");
        };
        let receives = self.operand_type(receiver)?;
        let by_value = receives.filter(types::is_trait_object);
        if let Some(pointer) = by_value.and_then(|_| behind(receiver)) {
            return self.call_once(&pointer, method, call);
        }
        let v = self.operand(receiver)?;
        let p = self.pointer_of(&v)?;
        let Some(meta) = p.meta else {
            return gap("a trait object without its methods");
        };
        let mut callees = vec![];
        for (number, ty) in self.vtables.clone().iter().enumerate() {
            let k = self.bv64(number as u64);
            let hit = self.pool.eq(meta, k);
            let (thin, possible) = self.receiver_of(&p, ty);
            let is_it = self.pool.and(hit, possible);
            let mut thin = self.pointer(thin);
            if let TyKind::Closure(text) = ty.kind() {
                if let Some((body, values)) = self.closure_of(text, method, thin, call)? {
                    callees.push((is_it, body, values));
                }
                continue;
            }
            let Some(body) = self.method_of(ty, trait_ref, method, call.args.len()) else {
                let other = self.pool.not(is_it);
                let name = format!("<{ty} as {trait_ref}>::{method}");
                let what = format!("call of `{name}`, {WITHOUT_BODY}");
                self.check(other, StopKind::Unsupported(what));
                continue;
            };
            let mut values = self.arguments(body, call)?;
            // A box is its only pointer, some layers down.
            if let Some(owned) = body.body.args().next().map(|a| erase(&a.ty))
                && types::boxed(&owned).is_some()
                && let [only] = self.leaves(&owned)?.as_slice()
            {
                thin.leaves[0].0 = only.path.clone();
            }
            values[0] = thin;
            callees.push((is_it, body, values));
        }
        let otherwise =
            format!("method `{method}` of a trait object whose type or body is not known");
        self.inline_one_of(&callees, call, otherwise)
    }

    /// A closure behind `dyn Fn(..)`, called by reference: its body, and its arguments out of their tuple.
    fn closure_of(
        &mut self,
        text: &str,
        method: &str,
        receiver: Value,
        call: &Call<'_>,
    ) -> Lowered<Option<(BodyRef<'a>, Vec<Value>)>> {
        let body = self.bodies.closure(text);
        let by_reference = body.is_some_and(|b| {
            let first = b.body.args().next();
            first.is_some_and(|a| matches!(a.ty.kind(), TyKind::Ref { .. }))
        });
        let Some(body) = body.filter(|_| by_reference && ["call", "call_mut"].contains(&method))
        else {
            return Ok(None);
        };
        let mut values = self.spread_arguments(call.args, &body)?;
        values[0] = receiver;
        Ok(Some((body, values)))
    }

    /// `Box<dyn FnOnce(..)>` called: each closure is moved out of its box where the second word says that it is this one.
    fn call_once(&mut self, pointer: &Operand, method: &str, call: &Call<'_>) -> Lowered<()> {
        let v = self.operand(pointer)?;
        let p = self.pointer_of(&v)?;
        self.call_once_at(&p, method, call, &[])
    }

    /// `<Box<dyn FnOnce(..)> as FnOnce<..>>::call_once`: what is in the box is called. (The box is not freed, so that its
    /// place counts as taken.)
    pub fn call_boxed_once(&mut self, path: &crate::mir::Path, call: &Call<'_>) -> Lowered<bool> {
        let once = |t: &Ty| {
            matches!(t.kind(), TyKind::Adt { path, .. }
            if types::in_std(path) == Some("ops::FnOnce"))
        };
        let Some(q) = path.qself.as_ref() else {
            return Ok(false);
        };
        let is_call = q.trait_ref.as_ref().is_some_and(once) && path.last_name() == "call_once";
        let (true, [receiver, _]) = (is_call && is_boxed_object(&q.ty), call.args) else {
            return Ok(false);
        };
        self.in_call = true;
        let held = self.operand(receiver);
        self.in_call = false;
        let Some(p) = only_pointer_in(&held?) else {
            return Ok(false);
        };
        self.call_once_at(&p, "call_once", call, &[])?;
        Ok(true)
    }

    fn call_once_at(
        &mut self,
        p: &PointerValue,
        method: &str,
        call: &Call<'_>,
        outer: &[u32],
    ) -> Lowered<()> {
        let Some(meta) = p.meta else {
            return gap("a trait object without its methods");
        };
        let moved = self.moved.clone();
        for (choice, ty) in self.vtables.clone().iter().enumerate() {
            let k = self.bv64(choice as u64);
            let hit = self.pool.eq(meta, k);
            let (thin, possible) = self.receiver_of(p, ty);
            let is_it = self.pool.and(hit, possible);
            let (here, other) = (self.new_block(), self.new_block());
            self.end(End::Branch {
                cond: is_it,
                then: here,
                otherwise: other,
            });
            self.current = here;
            self.moved = moved.clone();
            let mark = self.blocks.len();
            let choices = [outer, &[choice as u32]].concat();
            let called = match is_boxed_object(ty) && outer.len() < MOST_BOXES {
                true => self.call_inner_box(ty, &thin, method, call, &choices),
                false => self.call_moved_out(ty, &thin, method, call, &choices),
            };
            if let Err(g) = called {
                self.leave_model(g, mark);
            }
            self.current = other;
        }
        let what = format!("method `{method}` of a trait object whose type is not known");
        if outer.is_empty() {
            return gap(what);
        }
        self.end_in_stop(StopKind::Unsupported(what));
        Ok(())
    }

    /// An object that is a box of another one: that one is called.
    fn call_inner_box(
        &mut self,
        ty: &Ty,
        outer: &PointerValue,
        method: &str,
        call: &Call<'_>,
        choices: &[u32],
    ) -> Lowered<()> {
        let to = Ty::new(TyKind::RawPtr {
            mutable: true,
            ty: ty.clone(),
        });
        let at = self.deref(outer, &to)?;
        let held = self.load_located(&at)?;
        match only_pointer_in(&held) {
            Some(inner) => self.call_once_at(&inner, method, call, choices),
            None => gap(format!("a trait object in a box of unknown form: `{ty}`")),
        }
    }

    fn call_moved_out(
        &mut self,
        ty: &Ty,
        thin: &PointerValue,
        method: &str,
        call: &Call<'_>,
        choices: &[u32],
    ) -> Lowered<()> {
        let Some((body, values)) = self.called_once(ty, method, thin, call)? else {
            return gap(format!(
                "`{method}` of a trait object of `{ty}`, moved out of its box"
            ));
        };
        // a number of its own for each way to get here; two ways with one number would be noticed
        let number = |n: u32, choice: &u32| n.wrapping_mul(512).wrapping_add(choice + 1);
        self.inline_values(body, call, &values, choices.iter().fold(0, number))
    }

    /// A closure behind `Box<dyn FnOnce(..)>`: its body, and its arguments.
    fn called_once(
        &mut self,
        ty: &Ty,
        method: &str,
        closure: &PointerValue,
        call: &Call<'_>,
    ) -> Lowered<Option<(BodyRef<'a>, Vec<Value>)>> {
        let (TyKind::Closure(text), "call_once", [_, tuple]) = (ty.kind(), method, call.args)
        else {
            return Ok(None);
        };
        let Some(body) = self.bodies.closure(text) else {
            return Ok(None);
        };
        let takes_reference = body.body.args().next();
        let takes_reference = takes_reference.is_some_and(|a| types::pointee(&a.ty).is_some());
        let receiver = match takes_reference {
            // It is dropped after the call, by nobody here.
            true if self.drop_without_effect(ty).is_err() => return Ok(None),
            true => self.pointer(closure.clone()),
            // Without content it is nowhere.
            false if self.leaves(ty)?.is_empty() => Value::default(),
            false => {
                let to = Ty::new(TyKind::RawPtr {
                    mutable: true,
                    ty: ty.clone(),
                });
                let at = self.deref(closure, &to)?;
                self.load_located(&at)?
            }
        };
        let mut values = vec![receiver];
        values.extend(self.spread_tuple(tuple, &body)?);
        Ok(Some((body, values)))
    }

    /// The size or alignment of what a trait object is: the second word decides.
    pub fn measured_object(&mut self, what: &str, pointer: &Operand) -> Lowered<crate::term::Term> {
        let v = self.operand(pointer)?;
        let Some(meta) = self.pointer_of(&v)?.meta else {
            return gap("a trait object without its methods");
        };
        let mut found: Option<crate::term::Term> = None;
        let mut known = self.pool.bool(false);
        for (number, ty) in self.vtables.clone().iter().enumerate() {
            let Ok(n) = self.measured(what, ty, &[]) else {
                continue;
            };
            let k = self.bv64(number as u64);
            let hit = self.pool.eq(meta, k);
            known = self.pool.or(known, hit);
            found = Some(match found {
                None => n,
                Some(other) => self.pool.ite(hit, n, other),
            });
        }
        let Some(found) = found else {
            return gap(format!("intrinsic `{what}` of a trait object"));
        };
        let reason = format!("intrinsic `{what}` of a trait object whose type is not known");
        self.check(known, StopKind::Unsupported(reason));
        Ok(found)
    }

    /// Drops what a box of a trait object holds: the second word decides, as for a method.
    pub fn drop_trait_object(
        &mut self,
        at: &Located,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let p = self.only_pointer(at)?;
        let Some(meta) = p.meta else {
            return gap("a trait object without its methods");
        };
        let done = self.new_block();
        for (number, ty) in self.vtables.clone().iter().enumerate() {
            let k = self.bv64(number as u64);
            let hit = self.pool.eq(meta, k);
            let (here, other) = (self.new_block(), self.new_block());
            self.end(End::Branch {
                cond: hit,
                then: here,
                otherwise: other,
            });
            self.current = here;
            let mark = self.blocks.len();
            let dropped = match self.drop_without_effect(ty) {
                Ok(()) => Ok(()),
                Err(_) => self.drop_object_as(&p, ty, block, n_dropped),
            };
            match dropped {
                Ok(()) => self.goto(done),
                // only a run with such an object leaves the model
                Err(g) => {
                    self.pending.clear();
                    self.leave_model(g, mark);
                }
            }
            self.current = other;
        }
        let what = "drop of a trait object whose type is not known".to_string();
        self.end_in_stop(StopKind::Unsupported(what));
        self.current = done;
        Ok(())
    }

    /// Drops what a trait object is, if it is of this type.
    fn drop_object_as(
        &mut self,
        p: &PointerValue,
        ty: &Ty,
        block: u32,
        n_dropped: &mut u32,
    ) -> Lowered<()> {
        let (thin, possible) = self.receiver_of(p, ty);
        let what = "a trait object of another type".to_string();
        self.check(possible, StopKind::Unsupported(what));
        let to = Ty::new(TyKind::RawPtr {
            mutable: true,
            ty: ty.clone(),
        });
        let content = self.deref(&thin, &to)?;
        self.drop_at(&content, block, n_dropped)
    }

    /// The pointer as one to a value of this type, without targets of other structs, enums and closures, and the
    /// condition that it is none of those.
    pub fn receiver_of(&mut self, p: &PointerValue, ty: &Ty) -> (PointerValue, crate::term::Term) {
        let mut thin = p.clone();
        thin.meta = None;
        let mut possible = self.pool.bool(true);
        for &t in &p.targets {
            let Target::Place(object, path) = self.targets[t.0 as usize].clone() else {
                continue;
            };
            let spot = super::memory::Spot {
                object,
                path,
                indices: vec![],
            };
            let other = self.spot_type(&spot).is_ok_and(|have| {
                let have = types::unwrapped(&have);
                matches!(have.kind(), TyKind::Adt { .. } | TyKind::Closure(_))
                    && have != types::unwrapped(ty)
            });
            if other {
                thin.targets.remove(&t);
                let here = self.tag_is(p, t);
                let elsewhere = self.pool.not(here);
                possible = self.pool.and(possible, elsewhere);
            }
        }
        (thin, possible)
    }

    /// The body of a trait's method for a type. Methods that the impl leaves to the trait have none.
    fn method_of(
        &mut self,
        ty: &Ty,
        trait_ref: &Ty,
        method: &str,
        n_args: usize,
    ) -> Option<BodyRef<'a>> {
        let exact = format!("<{ty} as {trait_ref}>::{method}");
        // A name that two functions have is nobody's.
        if let Some(b) = self.bodies.by_path(&exact, BodyKind::Fn).ok()? {
            return Some(b);
        }
        let body = self.object_method(ty, trait_ref, method, n_args).ok()??;
        takes(&body, ty).then_some(body)
    }
}

/// `Box<dyn FnOnce(..)>`
fn is_boxed_object(ty: &Ty) -> bool {
    types::boxed(ty).is_some_and(types::is_trait_object)
}

/// The one pointer in a value that has one.
fn only_pointer_in(value: &Value) -> Option<PointerValue> {
    let mut pointers = value.leaves.iter().filter_map(|(_, l)| match &l.leaf {
        Leaf::Pointer(p) => Some(p.clone()),
        Leaf::Bits(_) => None,
    });
    pointers.next().filter(|_| pointers.next().is_none())
}

/// A trait object that is passed by value is moved out of its box: the pointer to it.
fn behind(receiver: &Operand) -> Option<Operand> {
    let Operand::Move(place) = receiver else {
        return None;
    };
    let (last, before) = place.projection.split_last()?;
    (*last == Elem::Deref).then(|| {
        Operand::Copy(Place {
            local: place.local,
            projection: before.to_vec(),
        })
    })
}

/// Is the first parameter a reference to this type, or a box of it?
fn takes(b: &BodyRef<'_>, ty: &Ty) -> bool {
    let first = b.body.args().next().map(|a| erase(&a.ty));
    first.is_some_and(|a| types::pointee(&a).or(types::boxed(&a)) == Some(ty))
}
