//! Loops of fuzzed functions: `for`, `while`, `loop`, over ranges, counters, elements; bounds that are constants,
//! parameters, or what another counter says. `tick!()` is fuel natively and nothing for the tool.

use crate::calm::{Heap, Writer, small, typed};
use crate::scope::Variable;
use crate::types::{Ty, USIZE};

impl Writer<'_> {
    pub fn looped(&mut self, depth: usize) {
        let label = self.g.random.one_in(4).then(|| self.g.fresh("'l"));
        let shown = label.as_ref().map_or(String::new(), |l| format!("{l}: "));
        self.labels.push(label);
        let ty = self.some_int();
        match self.g.random.below(12) {
            0..=2 => self.over_range(depth, &shown, &ty),
            3..=5 => self.counting(depth, &shown, &ty),
            6 => self.two_counters(depth, &shown, &ty),
            7 => self.until(depth, &shown),
            8 => self.phases(depth, &shown, &ty),
            9 => self.draining(depth, &shown),
            _ => self.over_elements(depth, &shown),
        }
        self.labels.pop();
    }

    /// The bound of a loop: small, masked, or as wide as its type.
    fn bound(&mut self, ty: &Ty) -> String {
        let e = self.int(ty, 1);
        match self.g.random.below(8) {
            0..=2 => typed(&self.g.random.below(12).to_string(), ty),
            3..=4 => format!("({e} & {})", [3, 7, 15][self.g.random.below(3)]),
            5 => format!("({e} % {})", 2 + self.g.random.below(20)),
            6 => self.atom(ty),
            _ => e,
        }
    }

    fn body(&mut self, depth: usize, counter: &str, ty: &Ty, mutable: bool) {
        let scope = self.g.scope.len();
        self.g.scope.push(Variable::local(counter, ty, mutable));
        let count = 1 + self.g.random.below(3);
        self.block(depth - 1, count);
        self.g.scope.truncate(scope);
    }

    fn over_range(&mut self, depth: usize, label: &str, ty: &Ty) {
        let i = self.g.fresh("i");
        let bound = self.bound(ty);
        let from = match self.g.random.below(3) {
            0 => self.atom(ty),
            _ => typed("0", ty),
        };
        let last = if self.g.random.one_in(4) { "..=" } else { ".." };
        let order = *self.g.random.pick(&[
            "",
            "",
            "",
            "",
            ".rev()",
            ".step_by(2)",
            ".step_by(3)",
            ".skip(1)",
        ]);
        self.line(format!("{label}for {i} in ({from}{last}{bound}){order} {{"));
        self.line("tick!();");
        self.body(depth, &i, ty, false);
        self.line("}");
    }

    /// `while` with a counter: up, down, in steps, up to equality, around the end of its range.
    fn counting(&mut self, depth: usize, label: &str, ty: &Ty) {
        let i = self.g.fresh("i");
        let n = self.g.fresh("n");
        let bound = self.bound(ty);
        let step = 1 + self.g.random.below(3);
        let start = match self.g.random.below(4) {
            0 => self.atom(ty),
            _ => typed("0", ty),
        };
        self.line(format!("let {n}: {} = {bound};", ty.name()));
        self.g.scope.push(Variable::local(&n, ty, false));
        let (start, guard, next) = match self.g.random.below(10) {
            0..=3 => (start, format!("{i} < {n}"), format!("{i} += {step};")),
            4 => (
                start,
                format!("{i} < {n}"),
                format!("{i} = {i}.wrapping_add({step});"),
            ),
            5 => (
                start,
                format!("{i} != {n}"),
                format!("{i} = {i}.wrapping_add({step});"),
            ),
            6 => (n.clone(), format!("{i} > 0"), format!("{i} -= 1;")),
            7 => (
                n.clone(),
                format!("{i} >= {step}"),
                format!("{i} -= {step};"),
            ),
            8 => (n.clone(), format!("{i} != 0"), format!("{i} /= 2;")),
            _ => (
                start,
                format!("{i} <= {n}"),
                format!("{i} = {i}.saturating_add({step});"),
            ),
        };
        self.line(format!("let mut {i}: {} = {start};", ty.name()));
        self.line(format!("{label}while {guard} {{"));
        self.line("tick!();");
        let first = self.g.random.one_in(3);
        if first {
            self.line(next.clone());
        }
        let mutable = self.g.random.one_in(8);
        self.body(depth, &i, ty, mutable);
        if !first {
            self.line(next);
        }
        self.line("}");
        self.g.scope.push(Variable::local(&i, ty, false));
        if self.g.random.one_in(2) {
            self.claim_of(&[
                format!("{i} == {n}"),
                format!("{i} >= {n}"),
                format!("{i} <= {n}"),
            ]);
        }
    }

    fn claim_of(&mut self, relations: &[String]) {
        let relation = self.g.random.pick(relations).clone();
        let number = self.claims;
        self.claims += 1;
        self.line(format!("claim!({number}, {relation});"));
    }

    /// Two counters that move together or towards each other.
    fn two_counters(&mut self, depth: usize, label: &str, ty: &Ty) {
        let (lo, hi) = (self.g.fresh("lo"), self.g.fresh("hi"));
        let bound = self.bound(ty);
        self.line(format!("let mut {lo}: {} = 0;", ty.name()));
        self.line(format!("let mut {hi}: {} = {bound};", ty.name()));
        self.g.scope.push(Variable::local(&lo, ty, false));
        self.g.scope.push(Variable::local(&hi, ty, false));
        self.line(format!("{label}while {lo} < {hi} {{"));
        self.line("tick!();");
        self.block(depth - 1, 1);
        match self.g.random.below(4) {
            0 => self.line(format!("{lo} += 1; {hi} -= 1;")),
            1 => {
                let c = self.condition(1);
                self.line(format!("if {c} {{ {lo} += 1; }} else {{ {hi} -= 1; }}"));
            }
            2 => self.line(format!(
                "let mid = {lo} + ({hi} - {lo}) / 2; {lo} = mid + 1;"
            )),
            _ => self.line(format!("{lo} += 2; {hi} += 1;")),
        }
        self.line("}");
        self.claim_of(&[
            format!("{lo} >= {hi}"),
            format!("{lo} == {hi}"),
            format!("{lo}.wrapping_sub({hi}) <= 1"),
        ]);
    }

    fn until(&mut self, depth: usize, label: &str) {
        let c = self.condition(1);
        self.line(format!("{label}loop {{"));
        self.line("tick!();");
        let first = self.g.random.one_in(2);
        if first {
            self.line(format!("if {c} {{ break; }}"));
        }
        self.block(depth - 1, 2);
        self.assignment();
        if !first {
            self.line(format!("if {c} {{ break; }}"));
        }
        self.line("}");
    }

    /// A counter that goes one way until a point, and then another.
    fn phases(&mut self, depth: usize, label: &str, ty: &Ty) {
        let (i, k) = (self.g.fresh("i"), self.g.fresh("k"));
        let (turn, end) = (self.bound(ty), self.bound(ty));
        let (a, b) = (small(&mut self.g.random, ty), small(&mut self.g.random, ty));
        let (a, b) = (typed(&a, ty), typed(&b, ty));
        self.line(format!("let mut {i}: {} = 0;", ty.name()));
        self.line(format!("let mut {k}: {} = {b};", ty.name()));
        self.g.scope.push(Variable::local(&i, ty, false));
        self.g.scope.push(Variable::local(&k, ty, false));
        self.line(format!("{label}while {i} < {end} {{"));
        self.line("tick!();");
        self.line(format!("if {i} < {turn} {{ {k} = {k}.wrapping_add({a}); }} else {{ {k} = {k}.wrapping_sub(1); }}"));
        self.block(depth - 1, 1);
        self.line(format!("{i} += 1;"));
        self.line("}");
        self.claim();
    }

    fn draining(&mut self, depth: usize, label: &str) {
        let vectors = self.of_heap(|h| matches!(h, Heap::Vector(_)));
        if vectors.is_empty() {
            return self.over_elements(depth, label);
        }
        let (v, heap) = self.g.random.pick(&vectors).clone();
        let Heap::Vector(ty) = heap else { return };
        let e = self.g.fresh("e");
        let how = match self.g.random.below(4) {
            0..=1 => format!("{label}while let Some({e}) = {v}.pop() {{"),
            2 => format!("{label}for {e} in std::mem::take(&mut {v}) {{"),
            _ => format!("{label}for {e} in {v}.drain(..) {{"),
        };
        self.line(how);
        self.line("tick!();");
        let heap = self.heap.clone();
        self.heap.retain(|(name, _)| *name != v);
        self.body(depth, &e, &ty, false);
        self.heap = heap;
        self.line("}");
    }

    fn over_elements(&mut self, depth: usize, label: &str) {
        let e = self.g.fresh("e");
        let vectors = self.of_heap(|h| matches!(h, Heap::Vector(_)));
        let elements = self.g.element_types();
        let (root, s, ty) = if !vectors.is_empty() && self.g.random.one_in(2) {
            let (v, heap) = self.g.random.pick(&vectors).clone();
            let Heap::Vector(ty) = heap else { return };
            (v.clone(), v, ty)
        } else {
            let ty = match elements.is_empty() {
                true => USIZE,
                false => self.g.random.pick(&elements).clone(),
            };
            match self.g.sequence(&ty, false) {
                Some((root, s, _)) => (root, s, ty),
                None => return self.counting(depth, label, &ty),
            }
        };
        let (scope, heap) = (self.g.scope.clone(), self.heap.clone());
        self.g.scope.retain(|v| v.name != root);
        self.heap.retain(|(name, _)| *name != root);
        let how = match self.g.random.below(6) {
            0..=1 => format!("{label}for &{e} in {s}.iter() {{"),
            2 => format!("{label}for {e} in {s}.iter().copied().rev() {{"),
            3 => format!("{label}for {e} in {s}.iter().copied().skip(1) {{"),
            4 => format!("{label}for ({e}n, &{e}) in {s}.iter().enumerate() {{"),
            _ => format!("{label}for {e} in {s}.to_vec() {{"),
        };
        if how.contains(&format!("{e}n")) {
            self.g
                .scope
                .push(Variable::local(&format!("{e}n"), &USIZE, false));
        }
        self.line(how);
        self.line("tick!();");
        self.body(depth, &e, &ty, false);
        self.line("}");
        (self.g.scope, self.heap) = (scope, heap);
    }
}
