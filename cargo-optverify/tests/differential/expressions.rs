//! Expressions of every type.

use crate::integers::CHECKED;
use crate::scope::Generator;
use crate::types::{Ty, U8, U32, USIZE};

impl Generator<'_> {
    pub fn in_closure<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.in_closure, true);
        let out = inside(self);
        self.in_closure = before;
        out
    }

    pub fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 {
            return self.atom(ty);
        }
        match ty {
            Ty::Int(..) => self.integer(ty, depth),
            Ty::Bool => self.boolean(depth),
            Ty::Char => self.character(depth),
            Ty::Option(t) => self.optional(t, depth),
            _ if self.random.one_in(3) => self.any_type(ty, depth - 1),
            _ => self.composed(ty, depth),
        }
    }

    /// What works for every type: places, branches, payloads, calls.
    pub fn any_type(&mut self, ty: &Ty, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let name = ty.name();
        match self.random.below(11) {
            0..=1 => {
                let (c, a, b) = (
                    self.expression(&Ty::Bool, d),
                    self.expression(ty, d),
                    self.expression(ty, d),
                );
                format!("(if ({c}) {{ {a} }} else {{ {b} }})")
            }
            2 => {
                let (option, or) = (
                    self.expression(&Ty::Option(ty.clone().into()), d),
                    self.expression(ty, d),
                );
                match self.random.below(3) {
                    0 => format!("({option}).unwrap_or({or})"),
                    1 => format!("(match ({option}) {{ Some(x) => x, None => {or} }})"),
                    _ => format!("({option} as Option<{name}>).map_or({or}, |x| x)"),
                }
            }
            3 => {
                let result = Ty::Result(ty.clone().into(), self.some_int().into());
                let (result, or) = (self.expression(&result, d), self.expression(ty, d));
                format!("(match ({result}) {{ Ok(x) => x, Err(_) => {or} }})")
            }
            4 if !self.in_closure => match self.result.clone() {
                Ty::Option(_) => {
                    let e = self.expression(&Ty::Option(ty.clone().into()), d);
                    format!("({e} as Option<{name}>)?")
                }
                Ty::Result(_, error) => {
                    let full = Ty::Result(ty.clone().into(), error);
                    let e = self.expression(&full, d);
                    format!("({e} as {})?", full.name())
                }
                _ => self.atom(ty),
            },
            5 => {
                let e = self.expression(&Ty::Option(ty.clone().into()), d);
                let how = *self.random.pick(&[
                    "unwrap()",
                    "expect(\"there is none\")",
                    "unwrap_or_default()",
                ]);
                if how.ends_with("default()") && !ty.is_scalar() {
                    return self.atom(ty);
                }
                format!("({e} as Option<{name}>).{how}")
            }
            6 => {
                let v = self.fresh("v");
                let of = self.some_int();
                let e = self.expression(&of, d);
                let body = self.with(&v, &of, |g| g.expression(ty, d));
                format!("{{ let {v}: {} = {e}; {body} }}", of.name())
            }
            7 => self.matched(ty, d),
            8 => {
                let fitting: Vec<_> = self
                    .helpers
                    .iter()
                    .filter(|h| h.result == *ty)
                    .cloned()
                    .collect();
                if fitting.is_empty() || self.loops > 1 {
                    return self.atom(ty);
                }
                let h = self.random.pick(&fitting).clone();
                let (target, argument) = (
                    self.expression(&h.target, d.min(1)),
                    self.expression(&h.argument, d.min(1)),
                );
                let t = self.fresh("t");
                format!(
                    "{{ let mut {t}: {} = {target}; {}(&mut {t}, {argument}) }}",
                    h.target.name(),
                    h.name
                )
            }
            _ => self.atom(ty),
        }
    }

    /// A match over an enum that binds the payload.
    fn matched(&mut self, ty: &Ty, depth: usize) -> String {
        if self.items.enums.is_empty() {
            return self.atom(ty);
        }
        let of = Ty::Enum(self.random.below(self.items.enums.len()));
        let scrutinee = self.expression(&of, depth.min(1));
        let mut arms = vec![];
        let variants = of.variants(self.items).expect("an enum");
        for (variant, payload) in variants {
            let names: Vec<String> = payload.iter().map(|_| self.fresh("p")).collect();
            let before = self.scope.len();
            for (n, t) in names.iter().zip(&payload) {
                self.scope.push(crate::scope::Variable::local(n, t, false));
            }
            let e = self.expression(ty, depth.min(1));
            self.scope.truncate(before);
            let binds = if names.is_empty() {
                String::new()
            } else {
                format!("({})", names.join(", "))
            };
            arms.push(format!("{}::{variant}{binds} => {e},", of.name()));
        }
        format!("(match ({scrutinee}) {{ {} }})", arms.join(" "))
    }

    /// Builds an aggregate from its parts.
    pub fn composed(&mut self, ty: &Ty, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        let parts = |g: &mut Self, types: &[Ty]| -> Vec<String> {
            types
                .iter()
                .map(|t| {
                    if depth == 0 {
                        g.literal(t)
                    } else {
                        g.expression(t, d)
                    }
                })
                .collect()
        };
        if let Some(variants) = ty.variants(self.items) {
            let (variant, payload) = self.random.pick(&variants).clone();
            let payload = parts(self, &payload);
            let payload = if payload.is_empty() {
                String::new()
            } else {
                format!("({})", payload.join(", "))
            };
            return match ty {
                Ty::Enum(_) => format!("{}::{variant}{payload}", ty.name()),
                _ => format!("({variant}{payload} as {})", ty.name()),
            };
        }
        match ty {
            Ty::Array(t, n) => match self.random.below(4) {
                0 => format!("[{}; {n}]", parts(self, &[(**t).clone()])[0]),
                1 if depth > 0 => {
                    let i = self.fresh("i");
                    let e = self.in_closure(|g| g.with(&i, &USIZE, |g| g.expression(t, d)));
                    format!(
                        "std::array::from_fn::<{}, {n}, _>(|{i}: usize| {e})",
                        t.name()
                    )
                }
                _ => format!("[{}]", parts(self, &vec![(**t).clone(); *n]).join(", ")),
            },
            Ty::Tuple(types) => format!("({},)", parts(self, types).join(", ")),
            Ty::Struct(s) => {
                let types = self.items.structs[*s].clone();
                let fields = parts(self, &types);
                let fields: Vec<String> = fields
                    .iter()
                    .enumerate()
                    .map(|(i, e)| format!("f{i}: {e}"))
                    .collect();
                format!("S{s} {{ {} }}", fields.join(", "))
            }
            _ => self.atom(ty),
        }
    }

    fn optional(&mut self, t: &Ty, depth: usize) -> String {
        let d = depth - 1;
        let ty = Ty::Option(t.clone().into());
        match self.random.below(9) {
            0..=2 if t.is_int() => {
                let template = *self.random.pick(&CHECKED);
                self.fill(template, t, d)
            }
            3 => match self.sequence(t, false) {
                Some((_, s, _)) => {
                    let i = self.expression(&USIZE, d.min(1));
                    let v = self.fresh("v");
                    let c =
                        self.in_closure(|g| g.with(&v, t, |g| g.expression(&Ty::Bool, d.min(1))));
                    let how = match self.random.below(4) {
                        0 => format!("get({i}).copied()"),
                        1 => "last().copied()".to_owned(),
                        2 => format!("iter().copied().find(|&{v}| {c})"),
                        _ => format!("iter().nth(({i}) % 5).copied()"),
                    };
                    format!("{s}.{how}")
                }
                None => self.atom(&ty),
            },
            4 if t.is_int() => {
                let from = self.some_int();
                let e = self.expression(&from, d);
                format!("{}::try_from({e}).ok()", t.name())
            }
            5 => {
                let v = self.fresh("v");
                let (e, body) = (
                    self.expression(&ty, d),
                    self.in_closure(|g| g.with(&v, t, |g| g.expression(t, d))),
                );
                format!("({e} as {}).map(|{v}| {body})", ty.name())
            }
            6 => {
                let (e, c) = (self.expression(t, d), self.expression(&Ty::Bool, d));
                format!(
                    "({c}).then(|| {})",
                    if self.in_closure {
                        e
                    } else {
                        self.in_closure(|g| g.atom(t))
                    }
                )
            }
            7 => self.any_type(&ty, d),
            _ => self.composed(&ty, depth),
        }
    }

    fn character(&mut self, depth: usize) -> String {
        let d = depth - 1;
        match self.random.below(6) {
            0 => format!("(({}) as char)", self.expression(&U8, d)),
            1 => format!(
                "char::from_u32({}).unwrap_or('x')",
                self.expression(&U32, d)
            ),
            2 => format!("({}).to_ascii_uppercase()", self.expression(&Ty::Char, d)),
            3 => format!(
                "char::from_digit(({}) % 20, 16).unwrap_or('-')",
                self.expression(&U32, d)
            ),
            _ => self.any_type(&Ty::Char, d),
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        let d = depth - 1;
        let compare = *self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        match self.random.below(14) {
            0..=4 => {
                let of = self.some_int();
                self.fill(&format!("({{a}} {compare} {{b}})"), &of, d)
            }
            5 => self.fill(&format!("({{a}} {compare} {{b}})"), &Ty::Char, d),
            6..=7 => {
                let op = *self.random.pick(&["&&", "||", "^", "&", "|", "=="]);
                self.fill(&format!("({{a}} {op} {{b}})"), &Ty::Bool, d)
            }
            8 => self.fill("(!{a})", &Ty::Bool, d),
            9 => {
                let of = crate::types::random_type(&mut self.random, self.items, 1);
                let compare = *self.random.pick(&["==", "!="]);
                self.fill(&format!("({{a}} {compare} {{b}})"), &of, d.min(1))
            }
            10 => {
                let elements = self.element_types();
                if elements.is_empty() {
                    return self.atom(&Ty::Bool);
                }
                let elem = self.random.pick(&elements).clone();
                let Some((_, s, _)) = self.sequence(&elem, false) else {
                    return self.atom(&Ty::Bool);
                };
                let v = self.fresh("v");
                let c =
                    self.in_closure(|g| g.with(&v, &elem, |g| g.expression(&Ty::Bool, d.min(1))));
                match self.random.below(4) {
                    0 => format!("{s}.iter().any(|&{v}| {c})"),
                    1 => format!("{s}.iter().all(|&{v}| {c})"),
                    2 => format!("{s}.contains(&{})", self.atom(&elem)),
                    _ => format!("{s}.is_empty()"),
                }
            }
            11 => {
                let how = *self.random.pick(&[
                    "is_ascii_digit",
                    "is_ascii_alphabetic",
                    "is_ascii_hexdigit",
                    "is_ascii_uppercase",
                    "is_ascii_punctuation",
                    "is_ascii_whitespace",
                    "is_ascii",
                ]);
                let of = if self.random.one_in(2) { Ty::Char } else { U8 };
                self.fill(&format!("({{a}}).{how}()"), &of, d)
            }
            12 => {
                let of = self.some_int();
                let how = *self.random.pick(&["add", "sub", "mul"]);
                self.fill(&format!("({{a}}).overflowing_{how}({{b}}).1"), &of, d)
            }
            _ => {
                let inner = self.some_int();
                let of = Ty::Option(inner.into());
                let how = *self.random.pick(&["is_some", "is_none"]);
                let e = self.expression(&of, d);
                format!("({e} as {}).{how}()", of.name())
            }
        }
    }
}
