//! Statements: bindings, assignments, branches, bounded loops, and everything that works through a `&mut`.

use crate::scope::{Generator, Variable};
use crate::types::{Ty, USIZE, random_type};

impl Generator<'_> {
    /// Some statements; what they declare is gone afterwards.
    pub fn block(&mut self, depth: usize, count: usize) -> String {
        let before = self.scope.len();
        let mut out = String::new();
        for _ in 0..count {
            out.push_str(&self.statement(depth));
            out.push('\n');
        }
        self.scope.truncate(before);
        out
    }

    pub fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.assignment();
        }
        match self.random.below(24) {
            0..=3 => self.binding(),
            4..=7 => self.assignment(),
            8..=9 => {
                let c = self.expression(&Ty::Bool, 2);
                let (a, b) = (self.block(depth - 1, 2), self.block(depth - 1, 1));
                format!("if {c} {{\n{a}}} else {{\n{b}}}")
            }
            10 => {
                let t = random_type(&mut self.random, self.items, 1);
                let x = self.fresh("x");
                let e = self.expression(&Ty::Option(t.clone().into()), 2);
                let name = t.name();
                let (some, none) = (
                    self.with(&x, &t, |g| g.block(depth - 1, 2)),
                    self.block(depth - 1, 1),
                );
                format!("if let Some({x}) = ({e} as Option<{name}>) {{\n{some}}} else {{\n{none}}}")
            }
            11..=13 if self.loops < self.loops_allowed => self.looped(depth),
            14 => {
                let c = self.expression(&Ty::Bool, 1);
                let leave = match self.random.below(3) {
                    0 if self.loops > 0 => "break".to_owned(),
                    1 if self.loops > 0 => "continue".to_owned(),
                    _ => {
                        let result = self.result.clone();
                        format!("return {}", self.expression(&result, 1))
                    }
                };
                format!("if {c} {{ {leave}; }}")
            }
            15 => {
                let c = self.expression(&Ty::Bool, 2);
                if self.random.one_in(3) {
                    format!("assert!({c});")
                } else {
                    format!("let _ = {c};")
                }
            }
            16..=17 => self.helper_call(),
            18..=20 => self.through_slice(),
            21..=22 => self.through_reference(),
            _ => self.enum_match(depth),
        }
    }

    fn binding(&mut self) -> String {
        let ty = random_type(&mut self.random, self.items, 2);
        let name = self.fresh("x");
        let e = self.expression(&ty, 2);
        self.scope.push(Variable::local(&name, &ty, true));
        format!("let mut {name}: {} = {e};", ty.name())
    }

    fn assignment(&mut self) -> String {
        let mutable: Vec<Ty> = self
            .scope
            .iter()
            .filter(|v| v.mutable)
            .map(|v| v.ty.clone())
            .collect();
        if mutable.is_empty() {
            return self.binding();
        }
        let mut ty = self.random.pick(&mutable).clone();
        // into an aggregate more often than over it
        while let Some(parts) = ty.parts(self.items)
            && !parts.is_empty()
            && !self.random.one_in(4)
        {
            ty = self.random.pick(&parts).clone();
        }
        let Some((_, place)) = self.place(&ty, true) else {
            return self.binding();
        };
        let e = self.expression(&ty, 2);
        if ty.is_int() && self.random.one_in(2) {
            let op = *self
                .random
                .pick(&["+=", "-=", "*=", "^=", "|=", "&=", "/=", "%="]);
            let e = if op == "/=" || op == "%=" {
                format!("({e}) | 1")
            } else {
                e
            };
            return format!("{place} {op} {e};");
        }
        format!("{place} = {e};")
    }

    fn looped(&mut self, depth: usize) -> String {
        self.loops += 1;
        let i = self.fresh("i");
        let text = match self.random.below(6) {
            0..=1 => {
                let ty = self.some_int();
                let bound = self.expression(&ty, 1);
                let last = if self.random.one_in(3) { "..=" } else { ".." };
                let order = *self.random.pick(&["", ".rev()", ".step_by(2)"]);
                let body = self.with(&i, &ty, |g| g.block(depth - 1, 2));
                format!("for {i} in (0{last}(({bound}) % 7)){order} {{\n{body}}}")
            }
            2 => {
                let bound = self.expression(&USIZE, 1);
                let body = self.with(&i, &USIZE, |g| g.block(depth - 1, 2));
                format!("let mut {i} = ({bound}) % 6;\nwhile {i} > 0 {{\n{i} -= 1;\n{body}}}")
            }
            3 => {
                let stop = self.expression(&Ty::Bool, 1);
                let body = self.with(&i, &USIZE, |g| g.block(depth - 1, 2));
                format!(
                    "let mut {i} = 0usize;\nloop {{\n{i} += 1;\nif {i} > 5 || {stop} {{ break; }}\n{body}}}"
                )
            }
            _ => self.over_elements(depth, &i),
        };
        self.loops -= 1;
        text
    }

    fn over_elements(&mut self, depth: usize, v: &str) -> String {
        let elements = self.element_types();
        if elements.is_empty() {
            return self.assignment();
        }
        let elem = self.random.pick(&elements).clone();
        if self.random.one_in(2)
            && let Some((root, s, _)) = self.sequence(&elem, true)
        {
            let new = self.without(&root, |g| g.expression(&elem, 1));
            let update = match elem.is_int() {
                true if self.random.one_in(2) => format!("*{v} ^= {new};"),
                _ => format!("*{v} = {new};"),
            };
            let rest = self.without(&root, |g| g.block(depth - 1, 1));
            return match self.random.below(3) {
                0 => format!("for {v} in {s}.iter_mut() {{\n{update}\n{rest}}}"),
                1 => format!("for {v} in {s}.iter_mut().rev() {{\n{rest}{update}\n}}"),
                _ => format!(
                    "for (n, {v}) in {s}.iter_mut().enumerate() {{\nif n == 3 {{ continue; }}\n{update}\n{rest}}}"
                ),
            };
        }
        let Some((root, s, _)) = self.sequence(&elem, false) else {
            return self.assignment();
        };
        let body = self.without(&root, |g| g.with(v, &elem, |g| g.block(depth - 1, 2)));
        match self.random.below(5) {
            0 => format!("for &{v} in {s}.iter() {{\n{body}}}"),
            1 => format!("for &{v} in {s}.iter().rev() {{\n{body}}}"),
            2 => format!(
                "for (n, &{v}) in {s}.iter().enumerate() {{\nif n > 4 {{ break; }}\n{body}}}"
            ),
            3 => format!("for {v} in {s}.iter().copied().skip(1) {{\n{body}}}"),
            _ => format!("for w in {s}.chunks(2) {{\nlet {v} = w[0];\n{body}}}"),
        }
    }

    fn helper_call(&mut self) -> String {
        if self.helpers.is_empty() || self.loops > 1 {
            return self.assignment();
        }
        let helpers = self.helpers.clone();
        let h = self.random.pick(&helpers).clone();
        let Some((_, place)) = self.place(&h.target, true) else {
            return self.assignment();
        };
        let e = self.expression(&h.argument, 1);
        let (t, x) = (self.fresh("t"), self.fresh("x"));
        self.scope.push(Variable::local(&x, &h.result, true));
        format!(
            "let {t} = {e};\nlet mut {x} = {}(&mut {place}, {t});",
            h.name
        )
    }

    /// Methods of slices that change them.
    fn through_slice(&mut self) -> String {
        let elements = self.element_types();
        if elements.is_empty() {
            return self.assignment();
        }
        let elem = self.random.pick(&elements).clone();
        let Some((root, s, _)) = self.sequence(&elem, true) else {
            return self.assignment();
        };
        let (i, j) = (self.expression(&USIZE, 1), self.expression(&USIZE, 1));
        let (m, n) = (self.fresh("m"), self.fresh("n"));
        let indices =
            format!("let {m} = ({i}) % {s}.len().max(1); let {n} = ({j}) % ({s}.len() + 1);");
        let e = self.without(&root, |g| g.expression(&elem, 1));
        let action = match self.random.below(9) {
            0..=1 => format!("{s}.swap({m}, {n});"),
            2 => format!("{s}.fill({e});"),
            3 => format!("{s}.reverse();"),
            4 => format!("{s}[{m}..].fill({e});"),
            5 => format!("{s}.copy_within({n}.., 0);"),
            6 => format!(
                "let (a, b) = {s}.split_at_mut({n}); if let (Some(x), Some(y)) = (a.first_mut(), b.first_mut()) {{ std::mem::swap(x, y); }}"
            ),
            7 => format!("if let Some(x) = {s}.get_mut({n}) {{ *x = {e}; }}"),
            _ => format!(
                "if let [first, .., last] = &mut {s}[..] {{ std::mem::swap(first, last); }}"
            ),
        };
        format!("{{ {indices} {action} }}")
    }

    /// References, reborrows, closures that change what they capture, `mem::swap`.
    fn through_reference(&mut self) -> String {
        let mutable: Vec<Variable> = self
            .scope
            .iter()
            .filter(|v| v.mutable && !v.slice)
            .cloned()
            .collect();
        if mutable.is_empty() {
            return self.binding();
        }
        let ty = self.random.pick(&mutable).ty.clone();
        let Some((root, place)) = self.place(&ty, true) else {
            return self.assignment();
        };
        let (e, f) = (
            self.without(&root, |g| g.expression(&ty, 1)),
            self.without(&root, |g| g.expression(&ty, 1)),
        );
        let name = ty.name();
        match self.random.below(5) {
            0 => {
                let t = self.fresh("t");
                self.scope.push(Variable::local(&t, &ty, true));
                format!("let mut {t}: {name} = std::mem::replace(&mut {place}, {e});")
            }
            1 => format!(
                "{{ let mut other: {name} = {e}; std::mem::swap(&mut {place}, &mut other); }}"
            ),
            2 => format!(
                "{{ let r = &mut {place}; *r = {e}; let q = &mut *r; if *q == ({f}) {{ *q = {f}; }} }}"
            ),
            3 => {
                let c = self.without(&root, |g| g.in_closure(|g| g.expression(&Ty::Bool, 1)));
                let e = self.without(&root, |g| g.in_closure(|g| g.expression(&ty, 1)));
                format!(
                    "{{ let mut put = |new: {name}| {{ let old = {place}; {place} = if {c} {{ new }} else {{ {e} }}; old }}; put({e}); put({f}); }}"
                )
            }
            _ => {
                let other = self.without(&root, |g| g.place(&ty, true));
                match other {
                    Some((_, second)) => format!(
                        "{{ let r = if {} {{ &mut {place} }} else {{ &mut {second} }}; *r = {}; }}",
                        self.literal(&Ty::Bool),
                        self.literal(&ty)
                    ),
                    None => {
                        format!("{{ let r: &{name} = &{place}; let copy = *r; {place} = copy; }}")
                    }
                }
            }
        }
    }

    fn enum_match(&mut self, depth: usize) -> String {
        let enums: Vec<Variable> = self
            .scope
            .iter()
            .filter(|v| matches!(v.ty, Ty::Enum(_)) && !v.slice)
            .cloned()
            .collect();
        if enums.is_empty() {
            return self.binding();
        }
        let v = self.random.pick(&enums).clone();
        let place = if v.reference {
            format!("(*{})", v.name)
        } else {
            v.name.clone()
        };
        let by_mut = v.mutable && self.random.one_in(2);
        let mut arms = String::new();
        for (variant, payload) in v.ty.variants(self.items).expect("an enum") {
            let names: Vec<String> = payload.iter().map(|_| self.fresh("p")).collect();
            let before = self.scope.clone();
            self.scope.retain(|u| u.name != v.name);
            for (n, t) in names.iter().zip(&payload) {
                let mut bound = Variable::local(n, t, by_mut);
                bound.reference = true;
                self.scope.push(bound);
            }
            let body = self.block(depth - 1, 1);
            self.scope = before;
            let binds = if names.is_empty() {
                String::new()
            } else {
                format!("({})", names.join(", "))
            };
            arms.push_str(&format!(
                "{}::{variant}{binds} => {{\n{body}}}\n",
                v.ty.name()
            ));
        }
        let borrow = if by_mut { "&mut " } else { "&" };
        format!("match {borrow}{place} {{\n{arms}}}")
    }
}
