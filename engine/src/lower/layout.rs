//! Sizes and alignments, as far as the language fixes them or the compiler told them.

use super::shape::{LeafShape, Step};
use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::capture::EnumFacts;
use crate::mir::{Operand, Path, Ty, TyKind};
use crate::term::Term;

impl Lowerer<'_> {
    /// `<T as SizedTypeProperties>::IS_ZST` and its siblings follow from the size of the type.
    pub fn layout_constant(&mut self, path: &Path, into: Option<&Ty>) -> Lowered<Option<Value>> {
        let Some(q) = &path.qself else {
            return Ok(None);
        };
        let ours = matches!(q.trait_ref.as_ref().map(|t| t.kind()),
            Some(TyKind::Adt { path, .. }) if types::in_std(path).is_some_and(|p| p.ends_with("::SizedTypeProperties")));
        if !ours {
            return Ok(None);
        }
        let ty = erase(&q.ty);
        let t = match path.last_name() {
            "IS_ZST" => {
                let z = self.is_zero_sized(&ty)?;
                self.pool.bool(z)
            }
            "SIZE" => {
                let n = self.size_of(&ty)?;
                self.bv64(n)
            }
            "ALIGN" | "ALIGNMENT" => {
                let n = self.align_of(&ty)?;
                self.bv64(n)
            }
            "LAYOUT" => return self.layout_value(&ty, into).map(Some),
            "MAX_SLICE_LEN" => {
                let n = self.size_of(&ty)?;
                self.bv64((i64::MAX as u64).checked_div(n).unwrap_or(u64::MAX))
            }
            _ => return Ok(None),
        };
        let mut v = self.scalar(t);
        // `ALIGNMENT` is of a type of its own around the number.
        if let Some(into) = into
            && let [shape] = self.leaves(into)?.as_slice()
        {
            v.leaves[0].0 = shape.path.clone();
        }
        Ok(Some(v))
    }

    /// `Layout { size, align }` of a type.
    fn layout_value(&mut self, of: &Ty, into: Option<&Ty>) -> Lowered<Value> {
        let Some(into) = into else {
            return gap("a layout of unknown type");
        };
        let (size, align) = (self.size_of(of)?, self.align_of(of)?);
        let mut v = self.undefined(into)?;
        let init = self.pool.bool(true);
        for (path, slot) in &mut v.leaves {
            let n = match path.first() {
                Some(Step::Field(0)) => size,
                Some(Step::Field(1)) => align,
                _ => return gap("a layout of unknown fields"),
            };
            *slot = super::value::LeafValue {
                leaf: super::value::Leaf::Bits(self.pool.bv(u128::from(n), 64)),
                init,
            };
        }
        Ok(v)
    }

    /// The alignment of a type in bytes.
    fn align_of(&mut self, ty: &Ty) -> Lowered<u64> {
        if let Some(inner) = types::transparent(ty).map(erase) {
            return self.align_of(&inner);
        }
        if let Some(n) = self.source.facts.type_sizes.get(&ty.to_string()) {
            let n = n.align;
            self.used.insert(crate::assumption::Assumption::Layout);
            return Ok(n);
        }
        if let Some(n) = self.told_by_compiler(ty, "ALIGN") {
            return Ok(n);
        }
        let mut elem = ty.clone();
        while let TyKind::Array(inner, _) = elem.kind() {
            elem = erase(inner);
        }
        if matches!(elem.kind(), TyKind::Tuple(parts) if parts.is_empty()) {
            return Ok(1);
        }
        match types::scalar_kind(&elem).is_some() || types::pointee(&elem).is_some() {
            // Fat pointers are two words.
            true => {
                Ok(types::fixed_size(&elem)
                    .unwrap_or(8)
                    .min(if types::pointee(&elem).is_some() {
                        8
                    } else {
                        16
                    }))
            }
            false => gap(format!("the alignment of `{ty}` is not known")),
        }
    }

    /// `size_of`, `size_of_val`, `align_of`, `align_of_val` of a type, and a pointer to a value where it has no size.
    pub fn measured(&mut self, what: &str, ty: &Ty, args: &[Operand]) -> Lowered<Term> {
        let unsized_elem = match ty.kind() {
            TyKind::Str => Some(Ty::new(TyKind::Int(crate::mir::IntTy::U8))),
            TyKind::Slice(elem) => Some(erase(elem)),
            TyKind::Dyn { .. } => match args {
                [pointer] => return self.measured_object(what, pointer),
                _ => return gap(format!("intrinsic `{what}` of a trait object")),
            },
            _ => None,
        };
        let of = unsized_elem.as_ref().unwrap_or(ty);
        let n = match what.starts_with("align") {
            true => self.align_of(of)?,
            false => self.size_of(of)?,
        };
        let n = self.bv64(n);
        let (Some(_), "size_of_val", [pointer]) = (&unsized_elem, what, args) else {
            return Ok(n);
        };
        let v = self.operand(pointer)?;
        let Some(length) = self.pointer_of(&v)?.meta else {
            return gap("the size of a slice without its length");
        };
        Ok(self.pool.mul(length, n))
    }

    /// The size of a type in bytes.
    pub fn size_of(&mut self, ty: &Ty) -> Lowered<u64> {
        if let Some(inner) = types::transparent(ty).map(erase) {
            return self.size_of(&inner);
        }
        if let Some(n) = types::fixed_size(ty) {
            return Ok(n);
        }
        if let Some(n) = self.source.facts.type_sizes.get(&ty.to_string()) {
            let n = n.size;
            self.used.insert(crate::assumption::Assumption::Layout);
            return Ok(n);
        }
        if let Some(n) = self.told_by_compiler(ty, "SIZE") {
            self.used.insert(crate::assumption::Assumption::Layout);
            return Ok(n);
        }
        if let Some(n) = self.size_of_reference(ty) {
            return Ok(n);
        }
        gap(format!("the size of `{ty}` is not known"))
    }

    /// A word, and another one for a length or a table; targets have 64 bits here.
    fn size_of_reference(&mut self, ty: &Ty) -> Option<u64> {
        let TyKind::Ref { ty: to, .. } = ty.kind() else {
            return None;
        };
        let to = erase(to);
        match to.kind() {
            TyKind::Slice(_) | TyKind::Str => Some(16),
            // whatever has a size
            _ => self.size_of(&to).ok().map(|_| 8),
        }
    }

    /// `<T as SizedTypeProperties>::SIZE` and the like, where the program mentions it.
    pub fn told_by_compiler(&self, ty: &Ty, name: &str) -> Option<u64> {
        let told = |of: &str| {
            let constant = format!("<{ty} as {of}::mem::SizedTypeProperties>::{name}");
            self.source.facts.consts.get(&constant)
        };
        let text = told("std").or_else(|| told("core"))?;
        text.strip_suffix("_usize")?.parse().ok()
    }

    /// Is the type zero-sized? Anything with a leaf is not.
    pub fn is_zero_sized(&mut self, ty: &Ty) -> Lowered<bool> {
        if let Ok(n) = self.size_of(ty) {
            return Ok(n == 0);
        }
        Ok(self.leaves(ty)?.is_empty())
    }

    /// How many elements a slice that is passed in can have: no process has more bytes, and nothing of no size has any.
    pub fn most_elements(&mut self, elem: &Ty) -> Lowered<u64> {
        let most = super::heap::ADDRESS_SPACE;
        self.used
            .insert(crate::assumption::Assumption::AddressSpace);
        if let Ok(size) = self.size_of(elem) {
            return Ok(most.checked_div(size).unwrap_or(u64::MAX));
        }
        if self.has_bytes(elem)? {
            return Ok(most);
        }
        // Fields that nobody mentions are not known, so this may or may not have a size.
        gap(format!("the size of `{elem}` is not known"))
    }

    /// Is it sure that a value of this type has bytes?
    fn has_bytes(&mut self, ty: &Ty) -> Lowered<bool> {
        let facts = self.source.facts;
        if let TyKind::Adt { path, .. } = ty.kind()
            && let Some(e) = facts.enum_fact(path)
            && e.variants.len() > 1
        {
            // Of two variants, one of which cannot be, nothing needs to be stored.
            let text = ty.to_string();
            let empty = |(path, e): (&String, &EnumFacts)| {
                e.variants.is_empty() && types::in_std(path).is_none()
            };
            let may_be_empty = text.contains('!') || text.contains("Infallible");
            return Ok(!may_be_empty && !facts.enums.iter().any(empty));
        }
        let takes_room = |l: &LeafShape| {
            !l.path.contains(&Step::Discriminant) && l.lens.iter().all(|n| *n != Some(0))
        };
        Ok(self.leaves(ty)?.iter().any(takes_room))
    }
}
