//! Calls of functions that are not in the capture: `optverify`'s own, panics, some intrinsics.

use crate::graph::Frame;
use crate::machine::{Kind, Machine};
use crate::term::{Modelled, Scalar, Sort, Term, gap};
use crate::types;
use crate::value::{Arena, Node, Step};
use optverify_engine::mir::{BinOp, Operand, Path, Place, TyKind};
use std::collections::BTreeMap;

impl Machine<'_> {
    pub fn foreign(
        &mut self,
        frame: &Frame,
        path: &Path,
        args: &[Operand],
        destination: &Place,
        target: Option<u32>,
    ) -> Modelled<()> {
        let text = path.to_string();
        if let Some(own) = text.strip_prefix("optverify::") {
            return self.own(frame, own, args, destination);
        }
        if target.is_none() {
            return self.diverges(&text);
        }
        let plain = path.plain();
        let from_std = ["std::", "core::", "alloc::"]
            .iter()
            .any(|s| text.starts_with(s));
        if !from_std {
            return gap(format!("a call of `{text}`"));
        }
        let Some(intrinsic) = plain
            .split_once("::")
            .and_then(|(_, rest)| rest.strip_prefix("intrinsics::"))
        else {
            return gap(format!("a call of `{text}`"));
        };
        self.intrinsic(frame, intrinsic, args, destination)
    }

    fn own(
        &mut self,
        frame: &Frame,
        name: &str,
        args: &[Operand],
        destination: &Place,
    ) -> Modelled<()> {
        if name.starts_with("nondet::assume_failed") {
            self.state.when = Term::boolean(false);
            return Ok(());
        }
        if name == "assume" {
            let [c] = args else {
                return gap("assume with unusual arguments");
            };
            let c = self.scalar(frame, c)?;
            self.state.when = self.script.and(&self.state.when, &c);
            return Ok(());
        }
        if !name.starts_with("nondet::any_") {
            return gap(format!("a call of `optverify::{name}`"));
        }
        let ty = self.place_type(frame, destination)?;
        let Some(of) = types::scalar(&ty) else {
            return gap(format!("an arbitrary `{ty}`"));
        };
        let t = self.script.fresh(Sort::scalar(of));
        if matches!(ty.kind(), TyKind::Char) {
            let valid = self.valid_char(&t);
            self.script.assumptions.push(valid);
        }
        let v = self.arena.leaf(t);
        self.assign(frame, destination, v)
    }

    pub fn valid_char(&mut self, t: &Term) -> Term {
        let low = self.script.test("bvult", &[t, &Term::bits(0xd800, 32)]);
        let above = self.script.test("bvult", &[&Term::bits(0xdfff, 32), t]);
        let inside = self.script.test("bvult", &[t, &Term::bits(0x11_0000, 32)]);
        let high = self.script.and(&above, &inside);
        self.script.or(&low, &high)
    }

    /// A call that never returns.
    fn diverges(&mut self, text: &str) -> Modelled<()> {
        let ends = ["process::exit", "handle_alloc_error"];
        if ends.iter().any(|e| text.ends_with(e)) {
            self.state.when = Term::boolean(false);
            return Ok(());
        }
        let panics = [
            "core::panicking::",
            "std::panicking::",
            "std::rt::",
            "core::option::",
            "core::result::",
            "core::slice::index::",
            "core::str::",
        ];
        let kind = match panics.iter().any(|p| text.starts_with(p)) {
            true => Kind::Violation,
            false => Kind::Gap,
        };
        self.forbid(kind, format!("a call of `{text}`"), &Term::boolean(true));
        Ok(())
    }

    fn intrinsic(
        &mut self,
        frame: &Frame,
        name: &str,
        args: &[Operand],
        destination: &Place,
    ) -> Modelled<()> {
        let into = self.place_type(frame, destination)?;
        let operators = [
            ("wrapping_add", BinOp::Add),
            ("wrapping_sub", BinOp::Sub),
            ("wrapping_mul", BinOp::Mul),
            ("unchecked_add", BinOp::AddUnchecked),
            ("unchecked_sub", BinOp::SubUnchecked),
            ("unchecked_mul", BinOp::MulUnchecked),
            ("unchecked_div", BinOp::Div),
            ("unchecked_rem", BinOp::Rem),
            ("unchecked_shl", BinOp::ShlUnchecked),
            ("unchecked_shr", BinOp::ShrUnchecked),
            ("add_with_overflow", BinOp::AddWithOverflow),
            ("sub_with_overflow", BinOp::SubWithOverflow),
            ("mul_with_overflow", BinOp::MulWithOverflow),
        ];
        if let (Some((_, op)), [a, b]) = (operators.iter().find(|(n, _)| *n == name), args) {
            let v = self.binary(frame, *op, a, b, &into)?;
            return self.assign(frame, destination, v);
        }
        match (name, args) {
            ("cold_path", []) => Ok(()),
            ("assume", [c]) => {
                let holds = self.scalar(frame, c)?;
                let fails = self.script.not(&holds);
                self.forbid(Kind::Violation, "a violated `assume`", &fails);
                Ok(())
            }
            ("likely" | "unlikely" | "black_box", [x]) => {
                let v = self.operand(frame, x, Some(&into))?;
                self.assign(frame, destination, v)
            }
            ("unreachable", []) => {
                self.forbid(Kind::Violation, "unreachable code", &Term::boolean(true));
                Ok(())
            }
            ("saturating_add" | "saturating_sub", [a, b]) => {
                let ty = self.operand_type(frame, a)?;
                let (x, y) = (self.scalar(frame, a)?, self.scalar(frame, b)?);
                let t = self.saturating(name == "saturating_add", &x, &y, types::signed(&ty))?;
                let v = self.arena.leaf(t);
                self.assign(frame, destination, v)
            }
            ("three_way_compare", [a, b]) => {
                let v = self.binary(frame, BinOp::Cmp, a, b, &into)?;
                self.assign(frame, destination, v)
            }
            ("discriminant_value", [p]) => {
                let Some(of @ Scalar::Bv(_)) = types::scalar(&into) else {
                    return gap("a discriminant that is no number");
                };
                let mut options = vec![];
                for (when, p) in self.pointers(frame, p)? {
                    let v = self.object(&p.object)?;
                    let path: Vec<Step> =
                        p.path.iter().cloned().chain([Step::Discriminant]).collect();
                    let read = self.arena.read(&mut self.script, v, &path, of)?;
                    options.push((when, self.arena.leaf(read.term)));
                }
                let v = self.choose(options);
                self.assign(frame, destination, v)
            }
            _ => gap(format!("the intrinsic `{name}`")),
        }
    }

    fn saturating(&mut self, add: bool, x: &Term, y: &Term, signed: bool) -> Modelled<Term> {
        let w = x.width();
        let op = if add { BinOp::Add } else { BinOp::Sub };
        let (value, overflow) = self.overflowing(op, x, y, signed)?;
        let (least, most) = match signed {
            true => (
                Term::bits(1 << (w - 1), w),
                Term::bits((1 << (w - 1)) - 1, w),
            ),
            false => (Term::bits(0, w), Term::bits(u128::MAX, w)),
        };
        let limit = match (signed, add) {
            (false, true) => most,
            (false, false) => least,
            // the sign of the left side tells on which side it leaves
            (true, _) => {
                let negative = self.script.test("bvslt", &[x, &Term::bits(0, w)]);
                self.script.ite(&negative, &least, &most)
            }
        };
        Ok(self.script.ite(&overflow, &limit, &value))
    }

    /// The state at the root's entry: every parameter is an arbitrary value of its type.
    pub fn inputs(&mut self) -> Result<(), String> {
        let frame = self.graph.root.clone();
        self.from_entry = true;
        for local in frame.body.args() {
            let object = self.local(&frame, local.local);
            let name = object.name();
            let v = self.input(&name, &local.ty.clone(), 0).map_err(|g| g.0)?;
            self.state.objects.insert(object, v);
        }
        Ok(())
    }

    fn input(
        &mut self,
        name: &str,
        ty: &optverify_engine::mir::Ty,
        depth: u32,
    ) -> Modelled<crate::value::V> {
        if depth > 4 {
            return gap("a parameter that is nested too deeply");
        }
        match ty.kind() {
            TyKind::Char => {
                let t = self.script.constant(name, Sort::scalar(Scalar::Bv(32)))?;
                let valid = self.valid_char(&t);
                self.script.assumptions.push(valid);
            }
            TyKind::Tuple(parts) => {
                let mut fields = BTreeMap::new();
                for (i, t) in parts.iter().enumerate() {
                    let v = self.input(&format!("{name}.{i}"), t, depth + 1)?;
                    fields.insert(Step::Field(i as u32), v);
                }
                return Ok(self.arena.add(Node::Parts(fields, Arena::UNINIT)));
            }
            TyKind::Ref { ty: to, .. } => {
                let object = crate::value::Object::Pointee(name.into());
                let inside = object.name();
                let mut meta = None;
                let v = if types::is_slice(to) {
                    let len = self
                        .script
                        .constant(&format!("{inside}#len"), Sort::scalar(Scalar::Bv(64)))?;
                    // no object is larger than half the address space
                    let size = types::element(to)
                        .and_then(|t| types::size(&t))
                        .unwrap_or(1)
                        .max(1);
                    let most = Term::bits(u128::from(i64::MAX as u64 / size), 64);
                    let fits = self.script.test("bvule", &[&len, &most]);
                    self.script.assumptions.push(fits);
                    meta = Some(len);
                    self.arena.add(Node::Unknown(inside.as_str().into()))
                } else {
                    self.input(&inside, to, depth + 1)?
                };
                self.state.objects.insert(object.clone(), v);
                return Ok(self.pointer(crate::value::Pointer {
                    object,
                    path: vec![],
                    meta,
                }));
            }
            TyKind::Adt { path, .. } => {
                let facts = self.graph.bodies.capture.facts.enum_fact(path).cloned();
                let fact = facts.filter(|f| f.complete);
                let int = fact
                    .as_ref()
                    .and_then(|f| optverify_engine::mir::IntTy::from_name(&f.repr));
                if let (Some(fact), Some(int)) = (fact, int) {
                    let sort = Sort::scalar(Scalar::Bv(int.bits()));
                    let t = self.script.constant(&format!("{name}#variant"), sort)?;
                    let mut any = Term::boolean(false);
                    for v in &fact.variants {
                        let Some(bits) = v.bits() else {
                            return gap(format!("the discriminants of `{path}`"));
                        };
                        let this = self.script.eq(&t, &Term::bits(bits, int.bits()));
                        any = self.script.or(&any, &this);
                    }
                    self.script.assumptions.push(any);
                }
            }
            _ => {}
        }
        Ok(self.arena.add(Node::Unknown(name.into())))
    }
}
