//! Scratch memory: a local of type `MaybeUninit<(X, [T; 0])>`, which is the size of `X` and aligned for `T`.
//!
//! Nobody looks at it under that type. Its address is taken, cast to `*mut T`, and values of type `T` are put there for a
//! while (`rotate_left` keeps the shorter side so). Memory has one type in the model, so that such a local is declared as
//! what it is used as: an array of so many `T` as there is room for, of which nothing is initialised.

use super::types;
use super::{Lowerer, ObjectId, ObjectKey};
use crate::mir::{
    Aggregate, ArrayLen, Body, Const, Local, Operand, Place, Rvalue, StatementKind, Ty, TyKind,
};

impl Lowerer<'_> {
    /// The type of a local as memory.
    pub fn memory_type(&mut self, body: &Body, local: Local, declared: &Ty) -> Ty {
        match self.scratch_type(body, local, declared) {
            Some(ty) => ty,
            None => declared.clone(),
        }
    }

    fn scratch_type(&mut self, body: &Body, local: Local, declared: &Ty) -> Option<Ty> {
        let (room, elem) = scratch_parts(declared)?;
        let (room, size) = (self.size_of(&room).ok()?, self.size_of(&elem).ok()?);
        if size == 0 {
            return None;
        }
        // An alignment divides the size of its type. Where rounding up to the largest that it may be makes room for
        // one more, how many there are is not known.
        let align = 1 << size.trailing_zeros();
        let n = room / size;
        if room.checked_next_multiple_of(align)? / size != n || n == 0 {
            return None;
        }
        let is_param = local.0 <= body.arg_count;
        let used_as_scratch = !is_param && only_borrowed(body, local);
        used_as_scratch.then(|| Ty::new(TyKind::Array(elem, ArrayLen::Known(n))))
    }

    /// Is this local memory of another type than it is declared with? All its assignments make it uninitialised.
    pub fn is_scratch(&mut self, object: ObjectId) -> bool {
        let object = &self.objects[object.0 as usize];
        let ObjectKey::Local(instance, local) = object.key else {
            return false;
        };
        let body = self.instances[instance.0 as usize].body.body;
        let declared = body.local(local).map(|l| types::erase(&l.ty));
        declared.is_some_and(|ty| scratch_parts(&ty).is_some() && ty != types::erase(&object.ty))
    }
}

/// What gives the size, and what it is aligned for.
fn scratch_parts(declared: &Ty) -> Option<(Ty, Ty)> {
    let TyKind::Adt { path, .. } = declared.kind() else {
        return None;
    };
    if types::in_std(path) != Some("mem::MaybeUninit") {
        return None;
    }
    let TyKind::Tuple(parts) = types::transparent(declared)?.kind() else {
        return None;
    };
    let [room, aligned] = parts.as_slice() else {
        return None;
    };
    match aligned.kind() {
        TyKind::Array(elem, ArrayLen::Known(0)) => Some((types::erase(room), types::erase(elem))),
        _ => None,
    }
}

/// Is the local nowhere read or written under its own name, but for becoming uninitialised?
fn only_borrowed(body: &Body, local: Local) -> bool {
    let whole = |place: &Place| place.as_local() == Some(local);
    // There is no list of what a statement mentions but its own text.
    let name = format!("{local:?}");
    let is_fine = |kind: &StatementKind| match kind {
        StatementKind::StorageLive(_) | StatementKind::StorageDead(_) => true,
        StatementKind::Assign(place, rvalue) if whole(place) => is_uninit(rvalue),
        StatementKind::Assign(to, Rvalue::RawPtr { place, .. } | Rvalue::Ref { place, .. }) => {
            to.local != local && (whole(place) || !format!("{kind:?}").contains(&name))
        }
        _ => !format!("{kind:?}").contains(&name),
    };
    body.blocks.iter().all(|block| {
        block.statements.iter().all(|s| is_fine(&s.kind))
            && !format!("{:?}", block.terminator.kind).contains(&name)
    })
}

fn is_uninit(rvalue: &Rvalue) -> bool {
    match rvalue {
        Rvalue::Use {
            operand: Operand::Const(Const::Uninit),
            ..
        } => true,
        Rvalue::Aggregate(Aggregate::AdtNamed(path, fields)) => {
            types::in_std(&path.plain()) == Some("mem::MaybeUninit")
                && matches!(fields.as_slice(), [(name, _)] if &**name == "uninit")
        }
        _ => false,
    }
}
