//! The heap: `Box`, `Vec` and `String` at the level of the functions where forced inlining stops.
//!
//! One object stands for all allocations of one place in the program. It is exact as long as at most one of them is
//! alive: a flag says so, and a second one leaves the model, unless the object has a row for each (`crowd`). A buffer that
//! grows keeps its object and gets more room;
//! safe code cannot tell (`address_is_kept`). An empty `Vec` has a dangling
//! pointer in std; here it has a buffer without room, so that its pointer has one target from the beginning.
//! Allocation does not fail: a program out of memory aborts, which is no panic.
//!
//! Growth and reuse leave old pointers behind that only unsafe code can still follow. They are not told from new ones
//! here, so code that handles memory by itself has no heap in this model (`wild`).

use super::inline::Call;
use super::place::Located;
use super::pointer::{Target, TargetId};
use super::shape::{LeafKind, Step};
use super::types::{self, erase};
use super::value::{Leaf, PointerValue, Value, in_array};
use super::{Lowered, Lowerer, Object, ObjectId, ObjectKey, Part, gap};
use crate::mir::{Const, GenericArg, IntTy, Operand, Path, Ty, TyKind};
use crate::program::{Stmt, StopKind};
use crate::term::{Sort, Term};

/// No process has more memory than this many bytes: larger requests end in an abort.
pub const ADDRESS_SPACE: u64 = 1 << 47;

/// What leaves the model where an object has no rows.
pub const CROWDED: &str = "a second allocation while an earlier one of the same place is alive";

impl Lowerer<'_> {
    /// Models a call of the allocator or of `Vec`'s growth; `false` if it is neither.
    pub fn heap_call(&mut self, path: &Path, call: &Call<'_>) -> Lowered<bool> {
        let plain = path.plain();
        let of_std = ["std::", "core::", "alloc::"];
        if !of_std.iter().any(|p| plain.starts_with(p)) && !is_global(path) {
            return Ok(false);
        }
        let name = super::last_segment(&plain).to_string();
        let allocates = match name.as_str() {
            "box_new_uninit" | "__rust_alloc" | "__rust_alloc_zeroed" => true,
            "allocate" | "allocate_zeroed" => is_global(path),
            "grow_one" | "do_reserve_and_handle" => plain.contains("raw_vec"),
            "with_capacity_in" | "try_allocate_in" => super::raw_vec::is_inner(&plain),
            _ => false,
        };
        if allocates {
            self.check_tame()?;
        }
        let value = match name.as_str() {
            "__rust_no_alloc_shim_is_unstable_v2" => Value::default(),
            "box_new_uninit" => {
                let layout = call.args.first();
                let p = match (layout.and_then(layout_of), layout.and_then(layout_size)) {
                    (Some(ty), _) => {
                        let one = self.bv64(1);
                        self.allocate(&ty, one)?
                    }
                    (None, Some(size)) => {
                        // One value of the type that its pointer is then converted to.
                        let object = self.heap_object(None);
                        match self.heap_whole.get(&object).cloned() {
                            Some(ty) => {
                                let one = self.bv64(1);
                                self.allocate(&ty, one)?
                            }
                            None => {
                                let size = self.bv64(size);
                                self.allocate_bytes(size, false)?
                            }
                        }
                    }
                    _ => return gap("an allocation of unknown layout"),
                };
                self.pointer(p)
            }
            "__rust_alloc" | "__rust_alloc_zeroed" => {
                let size = self.operand_bits(&call.args[0], None)?;
                let p = self.allocate_bytes(size, name.ends_with("zeroed"))?;
                self.pointer(p)
            }
            "allocate" | "allocate_zeroed" if is_global(path) => {
                let into = self.place_type(call.destination)?;
                let size = match layout_size(&call.args[1]) {
                    Some(size) => self.bv64(size),
                    None => {
                        let layout = self.operand_as(&call.args[1], None)?;
                        match layout.get(&[Step::Field(0)]).map(|l| l.leaf.clone()) {
                            Some(Leaf::Bits(size)) => size,
                            _ => return gap("an allocation of unknown layout"),
                        }
                    }
                };
                let mut p = self.allocate_bytes(size, name.ends_with("zeroed"))?;
                p.meta = Some(size);
                let ok = self.shapes.variant_id("Ok");
                let part = self.pointer(p);
                self.assemble(&into, Some("Ok"), vec![(Step::Variant(ok, 0), part)])?
            }
            "__rust_dealloc" => {
                let v = self.operand(&call.args[0])?;
                let p = self.pointer_of(&v)?;
                let yes = self.pool.bool(true);
                self.free(&p, yes);
                Value::default()
            }
            "grow_one" if plain.contains("raw_vec") => {
                let at = self.behind(&call.args[0])?;
                let (elem, size) = match call.args {
                    [_, layout] => (None, self.size_in(layout)?),
                    _ => match type_argument(path) {
                        Some(elem) => {
                            let size = self.size_of(&elem)?;
                            (Some(elem), Some(size))
                        }
                        None => (None, None),
                    },
                };
                let one = self.bv64(1);
                self.grow(&at, (elem.as_ref(), size), None, one)?;
                Value::default()
            }
            "do_reserve_and_handle" if plain.contains("raw_vec") => {
                let [vector, len, more, layout] = call.args else {
                    return gap("a vector that grows in an unusual way");
                };
                let at = self.behind(vector)?;
                let size = self.size_in(layout)?;
                let len = self.operand_bits(len, None)?;
                let more = self.operand_bits(more, None)?;
                self.grow(&at, (None, size), Some(len), more)?;
                Value::default()
            }
            "with_capacity_in" | "try_allocate_in" if super::raw_vec::is_inner(&plain) => {
                self.raw_vec_with_room(&name, call)?
            }
            "drop_in_place" => {
                let Some(ty) = type_argument(path) else {
                    return gap("a value of unknown type dropped");
                };
                if self.drop_without_effect(&ty).is_err() {
                    let at = self.behind(&call.args[0])?;
                    self.drop_located(&at, call.block)?;
                }
                Value::default()
            }
            _ => return Ok(false),
        };
        let at = self.locate(call.destination)?;
        self.store_located(&at, &value)?;
        Ok(true)
    }

    fn behind(&mut self, pointer: &Operand) -> Lowered<Located> {
        let Some(ty) = self.operand_type(pointer)? else {
            return gap("a vector behind a pointer of unknown type");
        };
        let v = self.operand(pointer)?;
        let p = self.pointer_of(&v)?;
        self.deref(&p, &ty)
    }

    /// The place that an allocation is made at. `try_allocate_in` of a vector has three of them, for no room, for any room
    /// and for zeroed room, of which a call takes one: they are one place.
    fn heap_key(&mut self) -> ObjectKey {
        let here = ObjectKey::Heap(self.frame, self.const_site, self.statement);
        let Some(call) = self.allocating_call() else {
            return here;
        };
        let place = self.heap_places.entry((self.frame, call)).or_insert(here);
        place.clone()
    }

    /// The scope of the inlined call of a vector's allocation that the current statement belongs to.
    fn allocating_call(&self) -> Option<u32> {
        let body = self.body();
        let block = body.blocks.get(self.mir_block as usize)?;
        let statement = block.statements.get(self.statement as usize);
        let info = statement.map_or(&block.terminator.source_info, |s| &s.source_info);
        let mut at = Some(info.scope);
        while let Some(scope) = at.and_then(|at| body.scopes.get(at as usize)) {
            if let Some(inlined) = &scope.inlined
                && super::raw_vec::is_inner(path_of(&inlined.callee))
                && super::last_segment(path_of(&inlined.callee)) == "try_allocate_in"
            {
                return Some(scope.id);
            }
            at = scope.parent;
        }
        None
    }

    /// The object of the allocation that the current statement makes.
    fn heap_object(&mut self, elem: Option<&Ty>) -> ObjectId {
        let key = self.heap_key();
        self.heap_object_of(key, elem)
    }

    fn heap_object_of(&mut self, key: ObjectKey, elem: Option<&Ty>) -> ObjectId {
        let u8s = Ty::new(TyKind::Int(IntTy::U8));
        let ty = Ty::new(TyKind::Slice(elem.unwrap_or(&u8s).clone()));
        let rows = self.rows_of(&key);
        let object = self.object(key, &ty, rows.clone(), "heap".into());
        if let Some(elem) = elem {
            self.set_heap_type(object, elem);
        }
        if self.prepared.insert(object) {
            let rooms = in_array(Sort::Bv(64), &rows);
            let (none, zero, no) = (
                self.pool.constant(0, rooms),
                self.bv64(0),
                self.pool.bool(false),
            );
            let alive = match rows.is_empty() {
                true => (Part::Flag, Sort::Bool, no),
                false => (Part::Index(0), Sort::Bv(64), zero),
            };
            for (part, sort, value) in [(Part::Meta, rooms, none), alive] {
                let t = self.part(object, &[], part, sort);
                if let Some(var) = self.pool.as_var(t) {
                    self.entry_setup.push(Stmt::Assign(var, value));
                }
            }
        }
        object
    }

    /// Bytes of the heap are elements of the type under which the program first uses them.
    pub fn set_heap_type(&mut self, object: ObjectId, elem: &Ty) {
        if !matches!(self.objects[object.0 as usize].key, ObjectKey::Heap(..))
            || types::is_trait_object(elem)
            || self.boxes.contains(&object)
        {
            return;
        }
        let bytes = Ty::new(TyKind::Int(IntTy::U8));
        if let std::collections::hash_map::Entry::Vacant(first) = self.heap_whole.entry(object) {
            first.insert(types::unwrapped(elem));
            self.grew = true;
        }
        let known = types::element(&self.objects[object.0 as usize].ty);
        // Arrays are elements in a row.
        let mut elem = types::unwrapped(elem);
        while let TyKind::Array(inner, _) = elem.kind() {
            elem = types::unwrapped(inner);
        }
        if known.as_ref() == Some(&bytes) && elem != bytes {
            self.objects[object.0 as usize].ty = Ty::new(TyKind::Slice(erase(&elem)));
            self.grew = true;
        }
    }

    /// A fresh buffer with room for `n` values of a type.
    pub fn allocate(&mut self, ty: &Ty, n: Term) -> Lowered<PointerValue> {
        let mut n = n;
        let mut elem = types::unwrapped(ty);
        while let TyKind::Array(inner, _) = elem.kind() {
            let Some(len) = types::array_len(&elem) else {
                return gap(format!("an allocation of `{ty}`"));
            };
            let len = self.bv64(len);
            n = self.pool.mul(n, len);
            elem = types::unwrapped(inner);
        }
        let object = self.heap_object(Some(&elem));
        // Its type is known: looked at as a trait object, it may seem to be another's.
        self.boxes.insert(object);
        self.make_alive(object, n)
    }

    pub fn allocate_bytes(&mut self, size: Term, zeroed: bool) -> Lowered<PointerValue> {
        let object = self.heap_object(None);
        let ty = self.objects[object.0 as usize].ty.clone();
        let elem = types::element(&ty).unwrap_or_else(Ty::unit);
        let bytes = self.size_of(&elem)?.max(1);
        let bytes = self.bv64(bytes);
        let n = self.pool.binary(crate::term::BinOp::Udiv, size, bytes);
        let room = self.bv64(ADDRESS_SPACE);
        let fits = self.pool.ule(size, room);
        self.assume(fits);
        let p = self.make_alive(object, n)?;
        if zeroed {
            let leaves = self.leaves(&ty)?;
            let rows = self.objects[object.0 as usize].outer.len();
            for l in leaves.iter() {
                let LeafKind::Scalar(k) = l.kind else {
                    return gap("zeroed memory that holds pointers");
                };
                let path = [&vec![Step::Elem; rows][..], &l.path].concat();
                let dims = self.dims_of(object, &path, &l.kind)?;
                let sort = in_array(super::value::scalar_sort(k), &dims);
                let whole = self.part(object, &path, Part::Value, sort);
                let mut zeroed = self.pool.constant(0, sort);
                if rows > 0 {
                    if l.dims.len() > 1 {
                        return gap("zeroed memory of arrays, allocated again while in use");
                    }
                    // Of one row only.
                    let start = self.index(&dims, &p.indices);
                    let width = self.pool.width(start);
                    let (zero, n) = (self.pool.bv(0, width), self.pool.resize(n, width, false));
                    zeroed = self.pool.blit(whole, start, zeroed, zero, n);
                }
                if let Some(var) = self.pool.as_var(whole) {
                    self.assign(var, zeroed);
                }
            }
        }
        Ok(p)
    }

    fn make_alive(&mut self, object: ObjectId, n: Term) -> Lowered<PointerValue> {
        let yes = self.pool.bool(true);
        self.make_alive_if(object, n, yes)
    }

    fn make_alive_if(&mut self, object: ObjectId, n: Term, when: Term) -> Lowered<PointerValue> {
        self.allocating.insert((object, self.current));
        if self.is_crowd(object) {
            return Ok(self.make_row(object, n, when));
        }
        let alive = self.part(object, &[], Part::Flag, Sort::Bool);
        let room = self.part(object, &[], Part::Meta, Sort::Bv(64));
        let free = self.pool.not(alive);
        let free = self.pool.implies(when, free);
        self.check(free, StopKind::Unsupported(CROWDED.into()));
        if let (Some(a), Some(r)) = (self.pool.as_var(alive), self.pool.as_var(room)) {
            let (is_alive, has_room) = (self.pool.or(alive, when), self.pool.ite(when, n, room));
            self.assign(a, is_alive);
            self.assign(r, has_room);
        }
        let zero = self.bv64(0);
        Ok(self.pointer_to(Target::Place(object, vec![Step::Elem]), vec![zero], None))
    }

    pub fn heap_targets(&self, p: &PointerValue) -> Vec<(TargetId, ObjectId)> {
        let of = |t: &TargetId| match &self.targets[t.0 as usize] {
            Target::Place(o, _)
                if matches!(self.objects[o.0 as usize].key, ObjectKey::Heap(..)) =>
            {
                Some((*t, *o))
            }
            _ => None,
        };
        p.targets.iter().filter_map(of).collect()
    }

    /// Buffers that can grow: those of the heap, and those of vectors that came as parameters.
    fn buffers(&self, p: &PointerValue) -> Vec<(TargetId, ObjectId)> {
        let of = |t: &TargetId| match &self.targets[t.0 as usize] {
            Target::Place(o, path) => {
                let Object { key, outer, .. } = &self.objects[o.0 as usize];
                let can = match key {
                    ObjectKey::Heap(..) => path.len() == outer.len() + 1,
                    ObjectKey::Pointee(..) => path.len() == 1,
                    _ => false,
                };
                can.then_some((*t, *o))
            }
            _ => None,
        };
        p.targets.iter().filter_map(of).collect()
    }

    /// The allocation behind a pointer is free again.
    pub fn free(&mut self, p: &PointerValue, when: Term) {
        for (t, object) in self.heap_targets(p) {
            let here = self.tag_is(p, t);
            let here = self.pool.and(here, when);
            if !self.is_crowd(object) {
                let alive = self.part(object, &[], Part::Flag, Sort::Bool);
                let not_here = self.pool.not(here);
                let after = self.pool.and(alive, not_here);
                if let Some(var) = self.pool.as_var(alive) {
                    self.assign(var, after);
                }
            }
            // Nothing may be read there any more.
            let none = self.bv64(0);
            self.set_room(object, p, none, here);
        }
    }

    /// `RawVecInner { ptr: dangling, cap: 0, .. }`: a buffer without room takes the place of the dangling pointer. Constants are
    /// copied by the optimizer, and every copy is a vector's own.
    pub fn empty_buffer(&mut self, mut value: Value, is_constant: bool) -> Lowered<Value> {
        for (_, l) in &mut value.leaves {
            let Leaf::Pointer(p) = &l.leaf else { continue };
            let is_address = |t: &TargetId| self.targets[t.0 as usize] == Target::Address;
            let Some(address) = p.targets.iter().copied().find(is_address) else {
                continue;
            };
            let old = p.clone();
            let dangling = self.tag_is(&old, address);
            let key = match is_constant {
                true => ObjectKey::Heap(self.frame, self.const_site, self.statement),
                false => self.heap_key(),
            };
            let object = self.heap_object_of(key, None);
            let zero = self.bv64(0);
            let fresh = self.make_alive_if(object, zero, dangling)?;
            let mut rest = old.clone();
            rest.targets.remove(&address);
            l.leaf = Leaf::Pointer(match rest.targets.is_empty() {
                true => PointerValue {
                    meta: old.meta,
                    ..fresh
                },
                false => self.choose_pointer(dangling, &fresh, &rest),
            });
        }
        Ok(value)
    }

    /// Grows the buffer of a `RawVec` as std does: twice the room, or as much as is needed, or the least that pays. The size
    /// is that of the vector's elements, and not the memory's: that counts the elements of arrays, and bytes as long as
    /// nobody has looked at it.
    fn grow(
        &mut self,
        at: &Located,
        (elem, size): (Option<&Ty>, Option<u64>),
        len: Option<Term>,
        more: Term,
    ) -> Lowered<()> {
        let Some(size) = size else {
            return gap("a vector that grows by elements of unknown size");
        };
        if size == 0 {
            // There is always room for them, so that only their number can be too large.
            let never = self.pool.bool(false);
            self.check(never, StopKind::Panic("capacity overflow".into()));
            return Ok(());
        }
        let value = self.load_located(at)?;
        let leaves = self.leaves(&at.ty)?;
        let mut pointer = None;
        let mut cap = None;
        for shape in leaves.iter() {
            match (&shape.kind, value.get(&shape.path).map(|l| l.leaf.clone())) {
                (LeafKind::Pointer(_), Some(Leaf::Pointer(p))) => pointer = Some(p),
                (LeafKind::Scalar(_), Some(Leaf::Bits(t))) => cap = Some((shape.clone(), t)),
                _ => {}
            }
        }
        let Some(p) = pointer else {
            return gap("a vector whose buffer is not known");
        };
        let heap = self.buffers(&p);
        if heap.len() != p.targets.len() {
            return gap("a vector whose buffer is not on the heap");
        }
        let Some(&(_, first)) = heap.first() else {
            return Ok(());
        };
        for (_, object) in &heap {
            self.grew |= self.movable.insert(*object);
        }
        if let Some(elem) = elem {
            for (_, object) in &heap {
                self.set_heap_type(*object, elem);
            }
        }
        let old = match &cap {
            Some((_, t)) => *t,
            None => {
                let mut old = self.room_for(first, &p, size)?;
                for (t, object) in &heap[1..] {
                    let (here, room) = (self.tag_is(&p, *t), self.room_for(*object, &p, size)?);
                    old = self.pool.ite(here, room, old);
                }
                old
            }
        };
        let used = len.unwrap_or(old);
        let needed = self.pool.add(used, more);
        let fits = self.pool.ule(used, needed);
        self.check(fits, StopKind::Panic("capacity overflow".into()));
        let limit = self.bv64(i64::MAX as u64 / size);
        let fits = self.pool.ule(needed, limit);
        self.check(fits, StopKind::Panic("capacity overflow".into()));
        let two = self.bv64(2);
        let twice = self.pool.mul(old, two);
        let least = self.bv64(match size {
            1 => 8,
            2..=1024 => 4,
            _ => 1,
        });
        let mut new = twice;
        for other in [needed, least] {
            let larger = self.pool.ult(new, other);
            new = self.pool.ite(larger, other, new);
        }
        let room = self.bv64(ADDRESS_SPACE / size);
        let exists = self.pool.ule(new, room);
        self.assume(exists);
        // It may speak of the room that is changed first.
        let new = self.scalar(new);
        let new = self.save(&new);
        let new = self.bits(&new)?;
        for (t, object) in heap {
            let here = self.tag_is(&p, t);
            let stride = self.memory_per_element(object, size)?;
            let stride = self.bv64(stride);
            let room = self.pool.mul(new, stride);
            self.set_room(object, &p, room, here);
        }
        if let Some((shape, _)) = cap {
            let mut grown = value.clone();
            for (path, l) in &mut grown.leaves {
                if *path == shape.path {
                    l.leaf = Leaf::Bits(new);
                }
            }
            self.store_located(at, &grown)?;
        }
        Ok(())
    }

    /// How many values of the memory's own type one element of a vector takes.
    fn memory_per_element(&mut self, object: ObjectId, size: u64) -> Lowered<u64> {
        let ty = self.objects[object.0 as usize].ty.clone();
        let own = self.size_of(&types::element(&ty).unwrap_or_else(Ty::unit))?;
        match size.checked_rem(own) {
            Some(0) => Ok(size / own),
            _ => gap("a vector over memory of another size"),
        }
    }

    /// The room of an allocation, in elements of this size.
    fn room_for(&mut self, object: ObjectId, p: &PointerValue, size: u64) -> Lowered<Term> {
        let stride = self.memory_per_element(object, size)?;
        let (room, stride) = (self.room(object, p)?, self.bv64(stride));
        Ok(self.pool.binary(crate::term::BinOp::Udiv, room, stride))
    }

    /// Frees what a dropped value owns, as far as its type tells; what is kept too long leaves the model later.
    pub fn free_owned(&mut self, at: &Located) -> Lowered<()> {
        if at.window.is_some() {
            return Ok(());
        }
        let TyKind::Adt { path, .. } = at.ty.kind() else {
            return Ok(());
        };
        const OWNERS: [&str; 6] = [
            "vec::Vec",
            "boxed::Box",
            "string::String",
            "vec::IntoIter",
            "collections::BinaryHeap",
            "collections::VecDeque",
        ];
        if !types::in_std(path).is_some_and(|path| OWNERS.contains(&path)) {
            return Ok(());
        }
        let value = self.load_located(at)?;
        let yes = self.pool.bool(true);
        for (_, l) in value.leaves {
            if let Leaf::Pointer(p) = l.leaf
                && !self.pool.sort(p.tag).is_array()
            {
                self.free(&p, yes);
            }
        }
        Ok(())
    }
}

/// A callee as scopes print it, without its arguments: `alloc::raw_vec::RawVecInner::try_allocate_in`.
fn path_of(callee: &str) -> &str {
    callee
        .split('<')
        .next()
        .unwrap_or(callee)
        .trim_end_matches("::")
}

fn is_global(path: &Path) -> bool {
    path.qself.as_ref().is_some_and(
        |q| matches!(q.ty.kind(), TyKind::Adt { path, .. } if path.ends_with("alloc::Global")),
    )
}

/// `T` of `const <T as SizedTypeProperties>::LAYOUT`.
pub fn layout_of(op: &Operand) -> Option<Ty> {
    match op {
        Operand::Const(Const::Named(p)) if p.last_name() == "LAYOUT" => {
            p.qself.as_ref().map(|q| erase(&q.ty))
        }
        _ => None,
    }
}

/// The size in `const Layout { size: 4_usize, .. }`.
pub fn layout_size(op: &Operand) -> Option<u64> {
    let Operand::Const(Const::Adt { path, fields }) = op else {
        return None;
    };
    let (crate::mir::ConstFields::Named(named) | crate::mir::ConstFields::NamedInType(named)) =
        fields
    else {
        return None;
    };
    let size = named.iter().find(|(name, _)| &**name == "size")?;
    match &size.1 {
        Const::Int { bits, .. } if path.plain().ends_with("Layout") => u64::try_from(*bits).ok(),
        _ => None,
    }
}

/// The first type argument in a path: `u8` of `alloc::raw_vec::RawVec::<u8>::grow_one`.
fn type_argument(path: &Path) -> Option<Ty> {
    path.all_args().find_map(|a| match a {
        GenericArg::Type(t) => Some(erase(t)),
        _ => None,
    })
}
