//! Vectors, boxes and texts of fuzzed functions: how they are made, changed and read.

use crate::calm::{Heap, Writer};
use crate::scope::Variable;
use crate::types::{Ty, USIZE};

impl Writer<'_> {
    /// A new variable on the heap.
    pub fn allocate(&mut self) {
        let ty = match self.g.random.below(8) {
            0 => crate::types::random_type(&mut self.g.random, self.g.items, 1),
            1 => Ty::Bool,
            _ => self.some_int(),
        };
        let (name, t) = (self.g.fresh("h"), ty.name());
        let heap = match self.g.random.below(12) {
            0..=7 => Heap::Vector(ty.clone()),
            8..=9 => Heap::Boxed(ty.clone()),
            10 => Heap::OptionBoxed(ty.clone()),
            _ => Heap::Text,
        };
        let made = match &heap {
            Heap::Vector(_) => format!("Vec<{t}> = {}", self.new_vector(&ty)),
            Heap::Boxed(_) => format!("Box<{t}> = Box::new({})", self.value(&ty)),
            Heap::OptionBoxed(_) if self.g.random.one_in(3) => format!("Option<Box<{t}>> = None"),
            Heap::OptionBoxed(_) => {
                format!("Option<Box<{t}>> = Some(Box::new({}))", self.value(&ty))
            }
            Heap::Text => format!(
                "String = {}",
                *self.g.random.pick(&[
                    "String::new()",
                    "String::from(\"ab\")",
                    "\"xyz\".to_owned()"
                ])
            ),
        };
        self.line(format!("let mut {name}: {made};"));
        self.heap.push((name, heap));
    }

    fn new_vector(&mut self, ty: &Ty) -> String {
        let (a, b, n) = (self.value(ty), self.value(ty), self.int(&USIZE, 1));
        let same = self.of_heap(|h| *h == Heap::Vector(ty.clone()));
        let sequence = self.g.sequence(ty, false);
        match (self.g.random.below(9), sequence, same.first()) {
            (0..=1, ..) => "Vec::new()".to_owned(),
            (2, ..) => format!("vec![{a}, {b}]"),
            (3, ..) => format!("vec![{a}; {n} % 6]"),
            (4, ..) => format!("Vec::with_capacity({n} % 9)"),
            (5, Some((_, s, _)), _) => format!("{s}.to_vec()"),
            (6, Some((_, s, _)), _) => format!("{s}.iter().copied().collect()"),
            (_, _, Some((v, _))) => format!("{v}.clone()"),
            _ => format!("vec![{a}]"),
        }
    }

    /// An integer that is on the heap, or a length.
    pub fn heap_integer(&mut self, ty: &Ty) -> Option<String> {
        if self.heap.is_empty() {
            return None;
        }
        let (v, heap) = self.g.random.pick(&self.heap.clone()).clone();
        let i = self.atom(&USIZE);
        let t = ty.name();
        Some(match heap {
            Heap::Vector(of) if of.is_int() => match self.g.random.below(9) {
                0 => format!("({v}[{i}] as {t})"),
                1..=2 => format!("({v}.get({i}).copied().unwrap_or(0) as {t})"),
                3 => format!("({v}.last().copied().unwrap_or(1) as {t})"),
                4 => format!("(if {i} < {v}.len() {{ {v}[{i}] }} else {{ 4 }} as {t})"),
                5 => format!(
                    "({v}.iter().fold(0, |x: {}, y| x.wrapping_add(*y)) as {t})",
                    of.name()
                ),
                6 => format!("(if {v}.is_empty() {{ 0 }} else {{ {v}[{i} % {v}.len()] }} as {t})"),
                _ => format!("({v}.len() as {t})"),
            },
            Heap::Vector(_) | Heap::Text => format!("({v}.len() as {t})"),
            Heap::Boxed(of) if of.is_int() => format!("(*{v} as {t})"),
            Heap::OptionBoxed(of) if of.is_int() => match self.g.random.below(3) {
                0 => format!("({v}.as_ref().map_or(5, |b| **b) as {t})"),
                1 => format!("(match &{v} {{ Some(b) => **b as {t}, None => 6 }})"),
                _ => format!("({v}.is_some() as {t})"),
            },
            _ => return None,
        })
    }

    /// A statement that changes something on the heap.
    pub fn heap_statement(&mut self, depth: usize) {
        let (v, heap) = self.g.random.pick(&self.heap.clone()).clone();
        match heap {
            Heap::Vector(ty) => self.change_vector(&v, &ty, depth),
            Heap::Boxed(ty) => {
                let e = self.value(&ty);
                let other = self.of_heap(|h| *h == Heap::Boxed(ty.clone()));
                let (w, _) = self.g.random.pick(&other).clone();
                match self.g.random.below(6) {
                    0..=1 => self.line(format!("*{v} = {e};")),
                    2 => self.line(format!("{v} = Box::new({e});")),
                    3 if w != v => self.line(format!("std::mem::swap(&mut {v}, &mut {w});")),
                    4 if w != v => self.line(format!("{v} = {w}.clone();")),
                    _ => {
                        let name = self.g.fresh("h");
                        self.line(format!("let mut {name}: Box<{}> = {v}.clone();", ty.name()));
                        self.heap.push((name, Heap::Boxed(ty)));
                    }
                }
            }
            Heap::OptionBoxed(ty) => {
                let e = self.value(&ty);
                let e = if e.contains(&v) {
                    self.g.literal(&ty)
                } else {
                    e
                };
                match self.g.random.below(5) {
                    0 => self.line(format!("{v} = Some(Box::new({e}));")),
                    1 => self.line(format!("{v} = None;")),
                    2 => self.line(format!("if let Some(b) = {v}.as_mut() {{ **b = {e}; }}")),
                    3 => self.line(format!("if let Some(b) = &mut {v} {{ **b = {e}; }}")),
                    _ => {
                        let taken = self.g.fresh("t");
                        self.line(format!(
                            "let {taken}: {} = {v}.take().map_or({e}, |b| *b);",
                            ty.name()
                        ));
                        self.g.scope.push(Variable::local(&taken, &ty, false));
                    }
                }
            }
            Heap::Text => {
                let i = self.int(&USIZE, 1);
                let c = *self.g.random.pick(&["'a'", "'é'", "'0'"]);
                let how = match self.g.random.below(6) {
                    0..=2 => format!("{v}.push({c});"),
                    3 => format!("{v}.push_str(\"bc\");"),
                    4 => format!("{v}.clear();"),
                    _ => format!("if {i} < {v}.len() {{ {v}.as_bytes()[{i}]; }}"),
                };
                self.line(how);
            }
        }
    }

    fn change_vector(&mut self, v: &str, ty: &Ty, depth: usize) {
        let (e, i, t) = (self.value(ty), self.int(&USIZE, 1), ty.name());
        let same = self.of_heap(|h| *h == Heap::Vector(ty.clone()));
        let (w, _) = self.g.random.pick(&same).clone();
        let other = (w != v).then_some(w);
        let k = self.g.random.below(5);
        // while it is borrowed
        let alone = if e.contains(v) {
            self.g.literal(ty)
        } else {
            e.clone()
        };
        let text = match self.g.random.below(30) {
            0..=6 => format!("{v}.push({e});"),
            7 => format!("{v}.pop();"),
            8 => {
                let x = self.declare(ty, &e);
                format!("if let Some(e) = {v}.pop() {{ {x} = e; }}")
            }
            9 => format!("{{ let at = {i}; {v}[at] = {e}; }}"),
            10..=11 => format!("{{ let at = {i}; if at < {v}.len() {{ {v}[at] = {e}; }} }}"),
            12 => format!("if !{v}.is_empty() {{ let at = {i} % {v}.len(); {v}[at] = {e}; }}"),
            13 => format!("{{ let at = {i} % ({v}.len() + 1); {v}.insert(at, {e}); }}"),
            14 => format!("if !{v}.is_empty() {{ let at = {i} % {v}.len(); {v}.remove(at); }}"),
            15 => {
                format!("if !{v}.is_empty() {{ let at = {i} % {v}.len(); {v}.swap_remove(at); }}")
            }
            16 => format!("{v}.truncate({k});"),
            17 => format!("{v}.clear();"),
            18 => format!("{v}.resize({i} % 7, {e});"),
            19 => format!("if {v}.len() > 1 {{ let n = {v}.len(); {v}.swap(0, n - 1); }}"),
            20 => format!("{v}.reverse();"),
            21 => match self.g.sequence(ty, false) {
                Some((_, s, _)) => format!("{v}.extend_from_slice(&{s}[..]);"),
                None => format!("{v}.extend([{e}]);"),
            },
            22 if ty.is_int() => format!("{v}.retain(|e| *e {} {});", "!=", self.atom(ty)),
            23 => match other {
                Some(w) => format!("{v}.append(&mut {w});"),
                None => format!("{v} = Vec::new();"),
            },
            24 => match other {
                Some(w) => format!("std::mem::swap(&mut {v}, &mut {w});"),
                None => format!("{v} = vec![{e}; {k}];"),
            },
            25 => match other {
                Some(w) => format!("{v} = {w}.clone();"),
                None => format!("if let Some(e) = {v}.last_mut() {{ *e = {alone}; }}"),
            },
            26 => {
                let name = self.g.fresh("h");
                self.heap.push((name.clone(), Heap::Vector(ty.clone())));
                format!("let mut {name}: Vec<{t}> = {v}.clone();")
            }
            27 => format!("for e in {v}.iter_mut() {{ tick!(); *e = {alone}; }}"),
            28 if depth > 0 => {
                self.line(format!("if let Some(&first) = {v}.first() {{"));
                let scope = self.g.scope.len();
                self.g.scope.push(Variable::local("first", ty, false));
                self.block(depth - 1, 1);
                self.g.scope.truncate(scope);
                "}".to_owned()
            }
            _ => format!("{v}.push({e});"),
        };
        self.line(text);
    }
}
