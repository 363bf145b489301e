//! Reading types, function signatures and generic arguments.
use std::sync::Arc;

use super::super::ast::{ArrayLen, Const, FnSig, GenericArg, IntTy, Path, Ty, TyKind};
use super::super::error::Parse;
use super::cursor::{Cursor, is_ident_byte};

/// The types without parts, made once per parse.
pub(super) struct Primitives {
    ints: [Ty; 12],
    bool: Ty,
    char: Ty,
    str: Ty,
    unit: Ty,
}

impl Primitives {
    pub fn new() -> Primitives {
        Primitives {
            ints: IntTy::ALL.map(|int| Ty::new(TyKind::Int(int))),
            bool: Ty::new(TyKind::Bool),
            char: Ty::new(TyKind::Char),
            str: Ty::new(TyKind::Str),
            unit: Ty::unit(),
        }
    }
    pub fn unit(&self) -> Ty {
        self.unit.clone()
    }
    fn by_name(&self, name: &str) -> Option<Ty> {
        let bytes = name.as_bytes();
        if bytes.len() > 5 {
            return None;
        }
        let ty = match bytes {
            b"bool" => &self.bool,
            b"char" => &self.char,
            b"str" => &self.str,
            b"f16" => return Some(Ty::new(TyKind::Float(16))),
            b"f32" => return Some(Ty::new(TyKind::Float(32))),
            b"f64" => return Some(Ty::new(TyKind::Float(64))),
            b"f128" => return Some(Ty::new(TyKind::Float(128))),
            [b'i' | b'u', b's' | b'1'..=b'9', ..] => &self.ints[IntTy::from_name(name)? as usize],
            _ => return None,
        };
        Some(ty.clone())
    }
}

impl<'a> Cursor<'a> {
    pub fn ty(&mut self) -> Parse<Ty> {
        self.nested(Self::ty_unguarded)
    }

    fn ty_unguarded(&mut self) -> Parse<Ty> {
        match self.peek() {
            b'&' => self.reference(),
            b'*' => {
                self.pos += 1;
                let mutable = self.eat("mut ");
                if !mutable {
                    self.expect("const ")?;
                }
                Ok(Ty::new(TyKind::RawPtr {
                    mutable,
                    ty: self.ty()?,
                }))
            }
            b'(' => self.parenthesised(),
            b'[' => self.array_or_slice(),
            b'!' => {
                self.pos += 1;
                Ok(Ty::new(TyKind::Never))
            }
            b'{' => self.braced(),
            b'<' => self.angled(),
            b'_' if !is_ident_byte(self.peek_at(1)) && self.peek_at(1) != b':' => {
                self.pos += 1;
                Ok(Ty::new(TyKind::Infer))
            }
            b'#' => self.function_type(),
            _ => self.named(),
        }
    }

    fn reference(&mut self) -> Parse<Ty> {
        self.pos += 1;
        let lifetime = if self.peek() == b'\'' {
            let lifetime = self.lifetime()?;
            self.expect(" ")?;
            Some(lifetime)
        } else {
            None
        };
        let mutable = self.eat("mut ");
        Ok(Ty::new(TyKind::Ref {
            lifetime,
            mutable,
            ty: self.ty()?,
        }))
    }

    fn lifetime(&mut self) -> Parse<Arc<str>> {
        let start = self.pos;
        self.expect("'")?;
        while is_ident_byte(self.peek()) || self.peek() == b'?' {
            self.pos += 1;
        }
        Ok(self.intern_range(start, self.pos))
    }

    fn parenthesised(&mut self) -> Parse<Ty> {
        self.pos += 1;
        if self.eat(")") {
            return Ok(self.primitives.unit.clone());
        }
        let first = self.ty()?;
        if self.eat(")") {
            if self.eat(" is ") {
                let pattern = self.bounds_text()?;
                return Ok(Ty::new(TyKind::Pattern {
                    base: first,
                    pattern,
                }));
            }
            return Ok(match first.kind().clone() {
                TyKind::Dyn { bounds, .. } => Ty::new(TyKind::Dyn {
                    bounds,
                    parenthesised: true,
                }),
                TyKind::Impl { bounds, .. } => Ty::new(TyKind::Impl {
                    bounds,
                    parenthesised: true,
                }),
                _ => return self.fail("parentheses around one type"),
            });
        }
        let mut parts = vec![first];
        while !self.eat(")") {
            self.expect(",")?;
            if parts.len() == 1 && self.eat(")") {
                break;
            }
            self.expect(" ")?;
            parts.push(self.ty()?);
        }
        Ok(Ty::new(TyKind::Tuple(parts)))
    }

    fn array_or_slice(&mut self) -> Parse<Ty> {
        let open = self.pos;
        self.pos += 1;
        let element = self.ty()?;
        if self.eat("]") {
            return Ok(Ty::new(TyKind::Slice(element)));
        }
        self.expect("; ")?;
        let len = self.array_len(open)?;
        Ok(Ty::new(TyKind::Array(element, len)))
    }

    /// The length up to and with the `]` that closes the bracket at `open`.
    pub fn array_len(&mut self, open: usize) -> Parse<ArrayLen> {
        let start = self.pos;
        if self.peek().is_ascii_digit() {
            let value = self.number_u64();
            if self.peek() == b']' {
                self.pos += 1;
                return Ok(ArrayLen::Known(value?));
            }
        }
        let close = self.closing(open)?;
        if close < start || self.bytes[close] != b']' {
            return self.fail("expected `]`");
        }
        self.pos = close + 1;
        Ok(ArrayLen::Text(self.intern_range(start, close)))
    }

    fn braced(&mut self) -> Parse<Ty> {
        let close = self.closing(self.pos)?;
        let text = self.intern_range(self.pos + 1, close);
        self.pos = close + 1;
        Ok(Ty::new(match () {
            () if text.starts_with("closure@") => TyKind::Closure(text),
            () if text.starts_with("type error") => TyKind::Other(format!("{{{text}}}").into()),
            () => TyKind::Coroutine(text),
        }))
    }

    /// `<T as Trait>::Name`, or a type inside of an `impl`: `<impl at f.rs:1:2: 3:4>::f::Local`, `<T as Trait>::f::Local<T>`.
    fn angled(&mut self) -> Parse<Ty> {
        let close = self.closing(self.pos)?;
        if self.starts_with("<impl ") && !self.qualifies(self.pos, close) {
            return self.adt(self.pos);
        }
        let start = self.pos;
        let path = self.path_structure(true)?;
        debug_assert!(self.pos > start);
        Ok(Ty::new(match item_in_method(&path) {
            Some((path, args)) => TyKind::Adt { path, args },
            None => TyKind::Alias(path),
        }))
    }

    fn named(&mut self) -> Parse<Ty> {
        let start = self.pos;
        while is_ident_byte(self.peek()) {
            self.pos += 1;
        }
        let word = self.slice(start, self.pos);
        match self.peek() {
            b':' | b'<' if word != "for" && word != "unsafe" => return self.adt(start),
            _ => {}
        }
        if let Some(primitive) = self.primitives.by_name(word) {
            return Ok(primitive);
        }
        match word {
            "" => self.fail("expected a type"),
            "dyn" | "impl" if self.eat(" ") => {
                let bounds = self.bounds_text()?;
                let parenthesised = false;
                Ok(Ty::new(if word == "dyn" {
                    TyKind::Dyn {
                        bounds,
                        parenthesised,
                    }
                } else {
                    TyKind::Impl {
                        bounds,
                        parenthesised,
                    }
                }))
            }
            "fn" | "for" | "extern" => {
                self.pos = start;
                self.function_type()
            }
            "unsafe" if self.peek() == b'<' => {
                let close = self.closing(self.pos)?;
                let binder = self.intern_range(self.pos + 1, close);
                self.pos = close + 1;
                self.expect(" ")?;
                Ok(Ty::new(TyKind::UnsafeBinder {
                    binder,
                    ty: self.ty()?,
                }))
            }
            "unsafe" => {
                self.pos = start;
                self.function_type()
            }
            _ => self.adt(start),
        }
    }

    fn adt(&mut self, start: usize) -> Parse<Ty> {
        self.pos = start;
        self.type_path()?;
        let path_end = self.pos;
        if self.peek() != b'<' {
            let text = self.slice(start, path_end);
            if let Some(known) = self.types.get(text) {
                return Ok(known.clone());
            }
            let path = self.intern(text);
            let ty = Ty::new(TyKind::Adt {
                path,
                args: Vec::new(),
            });
            self.types.insert(text, ty.clone());
            return Ok(ty);
        }
        // A type inside of a method has its parents' arguments in the path: `Vec<A>::f::Local<A>`.
        let mut path_end = path_end;
        let mut close = self.closing(path_end)?;
        while self.bytes[close + 1..].starts_with(b"::") {
            self.pos = close + 3;
            self.type_path()?;
            if self.peek() != b'<' {
                return Ok(self.adt_without_args(start));
            }
            path_end = self.pos;
            close = self.closing(path_end)?;
        }
        let text = self.slice(start, close + 1);
        if let Some(known) = self.types.get(text) {
            self.pos = close + 1;
            return Ok(known.clone());
        }
        let args = self.generic_args()?;
        let path = self.intern_range(start, path_end);
        let ty = Ty::new(TyKind::Adt { path, args });
        self.types.insert(text, ty.clone());
        Ok(ty)
    }

    fn adt_without_args(&mut self, start: usize) -> Ty {
        let text = self.slice(start, self.pos);
        if let Some(known) = self.types.get(text) {
            return known.clone();
        }
        let path = self.intern(text);
        let ty = Ty::new(TyKind::Adt {
            path,
            args: Vec::new(),
        });
        self.types.insert(text, ty.clone());
        ty
    }

    /// Passes a path without trailing generics: `a::b`, `core::num::<impl u8>::f::{closure#0}::L`.
    fn type_path(&mut self) -> Parse<()> {
        let start = self.pos;
        loop {
            match self.peek() {
                b'{' | b'<' => self.pos = self.closing(self.pos)? + 1,
                _ => {
                    let word = self.pos;
                    while is_ident_byte(self.peek()) {
                        self.pos += 1;
                    }
                    if self.pos == word {
                        return self.fail("expected a name");
                    }
                }
            }
            if !self.eat("::") {
                debug_assert!(self.pos > start);
                return Ok(());
            }
        }
    }

    /// `<'a, T, 8>` with its brackets.
    pub fn generic_args(&mut self) -> Parse<Vec<GenericArg>> {
        self.expect("<")?;
        let mut args = Vec::new();
        loop {
            args.push(self.nested(Self::generic_arg)?);
            if self.eat(">") {
                return Ok(args);
            }
            self.expect(", ")?;
        }
    }

    fn generic_arg(&mut self) -> Parse<GenericArg> {
        let is_const = match self.peek() {
            b'\'' if self.char_literal_end(self.pos).is_none() => {
                return Ok(GenericArg::Lifetime(self.lifetime()?));
            }
            b'0'..=b'9' | b'-' | b'"' | b'\'' => true,
            b'{' => {
                let text = self.slice(self.pos, self.closing(self.pos)? + 1);
                text.starts_with("{const ") || text.starts_with("{ ") || text.starts_with("{alloc")
            }
            b't' => self.starts_with("true>") || self.starts_with("true,"),
            b'f' => self.starts_with("false>") || self.starts_with("false,"),
            b'*' => self.peek_at(1) == b'b',
            b'&' => matches!(self.peek_at(1), b'"' | b'0'..=b'9'),
            _ => false,
        };
        if !is_const {
            if let Some(limit) = self.limit() {
                return Ok(GenericArg::Const(limit));
            }
            let start = self.pos;
            let ty = self.ty()?;
            // What goes on with fields was not a type but a constant struct or variant.
            if self.peek() != b'(' && !self.starts_with(" { ") {
                return Ok(GenericArg::Type(ty));
            }
            self.pos = start;
        }
        if self.peek() == b'{' {
            let close = self.closing(self.pos)?;
            let text = self.intern_range(self.pos, close + 1);
            self.pos = close + 1;
            return Ok(GenericArg::Const(Const::Other(text)));
        }
        Ok(GenericArg::Const(self.const_value()?))
    }

    fn function_type(&mut self) -> Parse<Ty> {
        let target_features = self.eat("#[target_features] ");
        let binder = if self.eat("for<") {
            let close = self.closing(self.pos - 1)?;
            let binder = self.intern_range(self.pos, close);
            self.pos = close + 1;
            self.expect(" ")?;
            Some(binder)
        } else {
            None
        };
        let is_unsafe = self.eat("unsafe ");
        let abi = if self.eat("extern \"") {
            let start = self.pos;
            while !matches!(self.peek(), b'"' | b'\n' | 0) {
                self.pos += 1;
            }
            let abi = self.intern_range(start, self.pos);
            self.expect("\" ")?;
            Some(abi)
        } else {
            None
        };
        self.expect("fn(")?;
        let mut inputs = Vec::new();
        let mut c_variadic = false;
        while !self.eat(")") {
            if !inputs.is_empty() {
                self.expect(", ")?;
            }
            if self.eat("...") {
                c_variadic = true;
                self.expect(")")?;
                break;
            }
            inputs.push(self.ty()?);
        }
        let output = if self.eat(" -> ") {
            Some(self.ty()?)
        } else {
            None
        };
        let sig = FnSig {
            binder,
            is_unsafe,
            abi,
            inputs,
            c_variadic,
            output,
            target_features,
        };
        // A function's own type goes on with its path in braces; a header's brace ends its line.
        if self.starts_with(" {") && !matches!(self.peek_at(2), b'\n' | b'\r' | b' ' | 0) {
            self.pos += 2;
            let path = self.path()?;
            self.expect("}")?;
            return Ok(Ty::new(TyKind::FnDef { sig, path }));
        }
        Ok(Ty::new(TyKind::FnPtr(sig)))
    }

    /// Bounds after `dyn` or `impl`, and patterns: text up to whatever cannot belong to them.
    pub fn bounds_text(&mut self) -> Parse<Arc<str>> {
        let start = self.pos;
        loop {
            match self.peek() {
                b',' | b')' | b']' | b'>' | b';' | b'}' | b'\n' | 0 => break,
                b'-' if self.peek_at(1) == b'>' => self.pos += 2,
                b'(' | b'<' | b'[' | b'{' => self.pos = self.closing(self.pos)? + 1,
                b'\'' => self.pos = self.char_literal_end(self.pos).unwrap_or(self.pos + 1),
                b' ' if self.bounds_end_at_blank(start) => break,
                _ => self.pos += 1,
            }
        }
        if self.pos == start {
            return self.fail("expected bounds");
        }
        Ok(self.intern_range(start, self.pos))
    }

    /// Whether bounds end at this blank: before ` as `, the kind of a cast ` (`, a body ` {`.
    fn bounds_end_at_blank(&self, start: usize) -> bool {
        if [" as ", " from (", " }"]
            .iter()
            .any(|end| self.starts_with(end))
        {
            return true;
        }
        if !matches!(self.peek_at(1), b'(' | b'{') {
            return false;
        }
        let before = self.slice(start, self.pos);
        !["->", "+", "mut", "const", "dyn", "impl"]
            .iter()
            .any(|word| before.ends_with(word))
    }
}

/// A type that a method of one of std's traits has for itself: an associated type has one name behind the trait, it has two.
fn item_in_method(path: &Path) -> Option<(Arc<str>, Vec<GenericArg>)> {
    let of = path.qself.as_ref()?.trait_ref.as_ref()?;
    let TyKind::Adt { path: of, .. } = of.kind() else {
        return None;
    };
    let crates = ["std::", "core::", "alloc::"];
    let (last, methods) = path.segments.split_last()?;
    let plain = methods.iter().all(|segment| segment.args.is_none());
    if methods.is_empty() || !plain || last.turbofish || !crates.iter().any(|c| of.starts_with(c)) {
        return None;
    }
    let mut bare = (*path.0).clone();
    bare.segments.last_mut()?.args = None;
    let args = last.args.clone().unwrap_or_default();
    Some((Path(Arc::new(bare)).to_string().into(), args))
}

#[cfg(test)]
mod tests {
    use super::super::super::ast::TyKind;
    use super::super::super::parse_ty;

    #[test]
    fn a_type_in_a_method_of_std_is_no_associated_type() {
        let guard =
            "<T as std::slice::<impl [T]>::to_vec_in::ConvertVec>::to_vec::DropGuard<'_, m::P>";
        let ty = parse_ty(guard).expect("a type");
        assert!(matches!(ty.kind(), TyKind::Adt { args, .. } if args.len() == 2));
        assert_eq!(ty.to_string(), guard);
        for alias in [
            "<T as std::iter::Iterator>::Item",
            "<T as std::x::Lends>::Item<'_>",
            "<T as m::Tr>::f::Local<T>",
        ] {
            let ty = parse_ty(alias).expect("a type");
            assert!(matches!(ty.kind(), TyKind::Alias(_)), "{alias}");
            assert_eq!(ty.to_string(), alias);
        }
    }
}
