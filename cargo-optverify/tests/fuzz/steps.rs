//! Statements of fuzzed functions that are no loops: bindings, assignments, branches, exits, claims.

use crate::calm::{Heap, Writer, read, small, typed};
use crate::scope::Variable;
use crate::types::{Ty, USIZE, random_type};

impl Writer<'_> {
    pub fn line(&mut self, text: impl Into<String>) {
        self.lines.push(text.into());
    }

    /// Statements whose declarations end with them.
    pub fn block(&mut self, depth: usize, count: usize) {
        let (scope, heap) = (self.g.scope.len(), self.heap.len());
        for _ in 0..count {
            self.statement(depth);
        }
        self.g.scope.truncate(scope);
        self.heap.truncate(heap);
    }

    pub fn statement(&mut self, depth: usize) {
        match self.g.random.below(28) {
            0..=2 => self.binding(),
            3..=8 => self.assignment(),
            9..=11 if depth > 0 => self.branch(depth),
            12..=16 if depth > 0 && self.labels.len() < 2 => self.looped(depth),
            17 => self.leave(),
            18..=19 => self.claim(),
            20..=21 => self.measure(),
            22..=26 if !self.heap.is_empty() => self.heap_statement(depth),
            27 if self.labels.len() < 2 => self.snippet(),
            _ => self.assignment(),
        }
    }

    pub fn declare(&mut self, ty: &Ty, value: &str) -> String {
        let name = self.g.fresh("x");
        self.line(format!("let mut {name}: {} = {value};", ty.name()));
        self.g.scope.push(Variable::local(&name, ty, true));
        name
    }

    pub fn binding(&mut self) {
        let ty = match self.g.random.below(10) {
            0..=5 => self.some_int(),
            6 => Ty::Bool,
            7 => Ty::Array(
                Box::new(self.some_int()),
                *self.g.random.pick(&[2, 3, 4, 8]),
            ),
            _ => random_type(&mut self.g.random, self.g.items, 1),
        };
        let value = self.value(&ty);
        self.declare(&ty, &value);
    }

    /// A value of any type, calm where it is an integer.
    pub fn value(&mut self, ty: &Ty) -> String {
        if ty.is_int() {
            return self.int(ty, 2);
        }
        if *ty == Ty::Bool {
            return self.condition(1);
        }
        if let Some(variants) = ty.variants(self.g.items) {
            let (variant, payload) = self.g.random.pick(&variants).clone();
            let payload: Vec<String> = payload.iter().map(|t| self.value(t)).collect();
            let prefix = match ty {
                Ty::Enum(_) => ty.name() + "::",
                _ => String::new(),
            };
            return match payload.is_empty() {
                true => prefix + &variant,
                false => format!("{prefix}{variant}({})", payload.join(", ")),
            };
        }
        if let Some(parts) = ty.parts(self.g.items) {
            let parts: Vec<String> = parts.iter().map(|t| self.value(t)).collect();
            return match ty {
                Ty::Array(..) if self.g.random.one_in(2) => {
                    format!("[{}; {}]", parts[0], parts.len())
                }
                Ty::Array(..) => format!("[{}]", parts.join(", ")),
                Ty::Struct(s) => {
                    let fields = parts.iter().enumerate().map(|(i, e)| format!("f{i}: {e}"));
                    format!("S{s} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
                }
                _ => format!("({},)", parts.join(", ")),
            };
        }
        self.g.literal(ty)
    }

    pub fn assignment(&mut self) {
        let targets: Vec<Variable> = {
            let all = self.g.scope.iter().filter(|v| v.mutable);
            all.cloned().collect()
        };
        if targets.is_empty() {
            return self.binding();
        }
        let v = self.g.random.pick(&targets).clone();
        let element = match &v.ty {
            t if v.slice => Some((t.clone(), None)),
            Ty::Array(t, n) => Some(((**t).clone(), Some(*n))),
            _ => None,
        };
        if let Some((ty, n)) = element {
            let (i, e) = (self.int(&USIZE, 1), self.value(&ty));
            let s = read(&v);
            // while it is borrowed
            let alone = if e.contains(&v.name) {
                self.g.literal(&ty)
            } else {
                e.clone()
            };
            return match (n, self.g.random.below(8)) {
                (_, 0) => self.line(format!("{s}[{i}] = {e};")),
                (Some(n), 1..=4) => self.line(format!("{s}[{i} % {n}] = {e};")),
                (_, 1..=4) => self.line(format!("if {i} < {s}.len() {{ {s}[{i}] = {e}; }}")),
                (_, 5) => self.line(format!(
                    "if let Some(e) = {s}.get_mut({i}) {{ *e = {alone}; }}"
                )),
                (_, 6) => self.line(format!("{s}.reverse();")),
                _ => self.line(format!(
                    "for e in {s}.iter_mut() {{ tick!(); *e = {alone}; }}"
                )),
            };
        }
        let place = read(&v);
        if let Ty::Int(name, ..) = v.ty {
            let k = typed(&small(&mut self.g.random, &v.ty), &v.ty);
            let e = self.int(&v.ty, 2);
            return match self.g.random.below(8) {
                0..=1 => self.line(format!("{place} = {place}.wrapping_add({e});")),
                2 => self.line(format!("{place} = {place}.wrapping_add({k});")),
                3 => self.line(format!("{place} = {place}.wrapping_sub({k});")),
                4 => self.line(format!("if {place} < {k} {{ {place} += 1; }}")),
                5 if self.g.random.one_in(2) => self.line(format!("{place} += {k};")),
                6 => self.line(format!("if {place} > {name}::MIN {{ {place} -= 1; }}")),
                _ => self.line(format!("{place} = {e};")),
            };
        }
        let e = self.value(&v.ty);
        self.line(format!("{place} = {e};"));
    }

    fn branch(&mut self, depth: usize) {
        let ints = self.some_int();
        match self.g.random.below(6) {
            0 => {
                let e = self.int(&ints, 1);
                let (low, high) = (self.g.random.below(5), 5 + self.g.random.below(90));
                self.line(format!("match {e} {{"));
                for pattern in [low.to_string(), format!("5..={high}"), "_".to_owned()] {
                    self.line(format!("{pattern} => {{"));
                    self.block(depth - 1, 1);
                    self.line("}");
                }
                self.line("}");
            }
            1 => self.match_variants(depth),
            _ => {
                let c = self.condition(1);
                self.line(format!("if {c} {{"));
                let count = 1 + self.g.random.below(2);
                self.block(depth - 1, count);
                if self.g.random.one_in(2) {
                    self.line("} else {");
                    self.block(depth - 1, 1);
                }
                self.line("}");
            }
        }
    }

    /// A match over an enum, an option or a result that binds the payload by value.
    fn match_variants(&mut self, depth: usize) {
        let all = self.g.scope.iter();
        let all = all.filter(|v| !v.slice && v.ty.variants(self.g.items).is_some());
        let all: Vec<Variable> = all.cloned().collect();
        if all.is_empty() {
            return self.binding();
        }
        let v = self.g.random.pick(&all).clone();
        let prefix = match v.ty {
            Ty::Enum(_) => v.ty.name() + "::",
            _ => String::new(),
        };
        self.line(format!("match {} {{", read(&v)));
        for (variant, payload) in v.ty.variants(self.g.items).unwrap_or_default() {
            let names: Vec<String> = payload.iter().map(|_| self.g.fresh("p")).collect();
            let scope = self.g.scope.len();
            for (n, t) in names.iter().zip(&payload) {
                self.g.scope.push(Variable::local(n, t, false));
            }
            let binds = match names.is_empty() {
                true => String::new(),
                false => format!("({})", names.join(", ")),
            };
            self.line(format!("{prefix}{variant}{binds} => {{"));
            self.block(depth - 1, 1);
            self.line("}");
            self.g.scope.truncate(scope);
        }
        self.line("}");
    }

    /// `break`, `continue` or `return`, under a condition.
    fn leave(&mut self) {
        let c = self.condition(1);
        let outer = self.labels.iter().flatten().cloned().collect::<Vec<_>>();
        let how = match self.g.random.below(5) {
            0..=1 if !self.labels.is_empty() => "break".to_owned(),
            2 if !self.labels.is_empty() => "continue".to_owned(),
            3 if !outer.is_empty() => format!("break {}", self.g.random.pick(&outer)),
            _ => {
                let result = self.g.result.clone();
                format!("return {}", self.value(&result))
            }
        };
        self.line(format!("if {c} {{ {how}; }}"));
    }

    /// A relation that may hold: which ones do is seen natively.
    pub fn claim(&mut self) {
        let c = self.relation();
        let number = self.claims;
        self.claims += 1;
        self.line(format!("claim!({number}, {c});"));
    }

    /// A value whose bounds are seen natively: the newest variable often.
    pub fn measure(&mut self) {
        let ints = self.g.scope.iter().filter(|v| v.ty.is_int() && !v.slice);
        let ints: Vec<Variable> = ints.filter(|v| v.ty.name() != "u128").cloned().collect();
        let Some(newest) = ints.last().cloned() else {
            return self.claim();
        };
        let (ty, value) = match self.g.random.below(4) {
            0 => {
                let v = self.g.random.pick(&ints).clone();
                (v.ty.clone(), read(&v))
            }
            1 if !self.heap.is_empty() => {
                let e = self.heap_integer(&USIZE).unwrap_or(typed("0", &USIZE));
                (USIZE, e)
            }
            _ => (newest.ty.clone(), read(&newest)),
        };
        let number = self.bounds;
        self.bounds += 1;
        self.line(format!("bound!({number}, {}, {value});", ty.name()));
    }

    fn relation(&mut self) -> String {
        let ty = self.some_int();
        let own = self.scalars(&ty, false);
        let vectors = self.of_heap(|h| matches!(h, Heap::Vector(_)));
        let a = match own.is_empty() {
            true => self.int(&ty, 1),
            false => self.g.random.pick(&own).clone(),
        };
        let k = typed(&small(&mut self.g.random, &ty), &ty);
        let compare = *self.g.random.pick(&["<=", "<", ">=", "!=", "=="]);
        match self.g.random.below(12) {
            0..=2 => format!("{a} {compare} {k}"),
            3..=4 => {
                let b = self.int(&ty, 1);
                format!("{a} {compare} {b}")
            }
            5 => format!("{a} % {} == 0", 2 + self.g.random.below(3)),
            6 => {
                let (b, c) = (self.atom(&ty), self.atom(&ty));
                format!("{a}.wrapping_add({b}) {compare} {c}")
            }
            7 => format!("{} || {a} {compare} {k}", self.condition(1)),
            8..=10 if !vectors.is_empty() => {
                let (v, heap) = self.g.random.pick(&vectors).clone();
                self.relation_of_vector(&v, &heap)
            }
            _ => self.condition(1),
        }
    }

    fn relation_of_vector(&mut self, v: &str, heap: &Heap) -> String {
        let Heap::Vector(ty) = heap else {
            return "true".to_owned();
        };
        let n = self.int(&USIZE, 1);
        let compare = *self.g.random.pick(&["<=", ">=", "!=", "=="]);
        if !ty.is_int() {
            return format!("{v}.len() {compare} {n}");
        }
        let e = self.int(ty, 1);
        match self.g.random.below(6) {
            0..=1 => format!("{v}.len() {compare} {n}"),
            2 => format!("{v}.iter().all(|e| *e {compare} {e})"),
            3 => format!("{v}.last().map_or(true, |e| *e {compare} {e})"),
            4 => format!("{n} >= {v}.len() || {v}[{n}] {compare} {e}"),
            _ => format!("{v}.first().copied().unwrap_or(0) {compare} {e}"),
        }
    }
}
