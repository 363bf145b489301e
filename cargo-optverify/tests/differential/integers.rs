//! Integer expressions: operators, casts, and the methods of the integer types.

use crate::scope::{Generator, TABLES};
use crate::types::{INTS, Ty, U8, U32, USIZE};

const ANY_SIGN: [&str; 20] = [
    "{a}.wrapping_add({b})",
    "{a}.wrapping_sub({b})",
    "{a}.wrapping_mul({b})",
    "{a}.wrapping_neg()",
    "{a}.wrapping_shl({n})",
    "{a}.wrapping_shr({n})",
    "{a}.wrapping_pow({n} % 5)",
    "{a}.saturating_add({b})",
    "{a}.saturating_sub({b})",
    "{a}.saturating_mul({b})",
    "{a}.rotate_left({n})",
    "{a}.rotate_right({n})",
    "{a}.swap_bytes()",
    "{a}.reverse_bits()",
    "{a}.min({b})",
    "{a}.max({b})",
    "{a}.pow({n} % 6)",
    "{a}.to_be()",
    "{a}.overflowing_add({b}).0",
    "{a}.overflowing_mul({b}).0",
];
const SIGNED: [&str; 10] = [
    "{a}.abs()",
    "{a}.wrapping_abs()",
    "{a}.saturating_abs()",
    "{a}.signum()",
    "{a}.rem_euclid({b})",
    "{a}.div_euclid({b})",
    "{a}.wrapping_div({b})",
    "{a}.wrapping_rem({b} | 1)",
    "{a}.saturating_neg()",
    "{a}.clamp({b}, {c})",
];
const UNSIGNED: [&str; 8] = [
    "{a}.abs_diff({b})",
    "{a}.div_ceil({b} | 1)",
    "{a}.next_multiple_of({b} | 1)",
    "{a}.checked_next_power_of_two().unwrap_or({b})",
    "{a}.wrapping_div({b})",
    "{a}.isqrt()",
    "{a}.midpoint({b})",
    "{a}.wrapping_add_signed(0)",
];
pub const CHECKED: [&str; 9] = [
    "{a}.checked_add({b})",
    "{a}.checked_sub({b})",
    "{a}.checked_mul({b})",
    "{a}.checked_div({b})",
    "{a}.checked_rem({b})",
    "{a}.checked_neg()",
    "{a}.checked_shl({n})",
    "{a}.checked_shr({n})",
    "{a}.checked_pow({n} % 4)",
];
const COUNTS: [&str; 7] = [
    "{x}.leading_zeros()",
    "{x}.trailing_zeros()",
    "{x}.count_ones()",
    "{x}.count_zeros()",
    "{x}.leading_ones()",
    "{x}.trailing_ones()",
    "{x}.checked_ilog2().unwrap_or(7)",
];

impl Generator<'_> {
    /// `{a}`, `{b}`, `{c}` become operands of the type, `{n}` a `u32`.
    pub fn fill(&mut self, template: &str, ty: &Ty, depth: usize) -> String {
        let mut out = template.to_owned();
        for hole in ["{a}", "{b}", "{c}"] {
            if out.contains(hole) {
                let e = self.expression(ty, depth);
                out = out.replacen(hole, &format!("({e})"), 1);
            }
        }
        if out.contains("{n}") {
            let e = self.expression(&U32, depth.min(1));
            out = out.replacen("{n}", &format!("({e})"), 1);
        }
        out
    }

    pub fn integer(&mut self, ty: &Ty, depth: usize) -> String {
        let &Ty::Int(name, bits, signed) = ty else {
            unreachable!("only integers come here");
        };
        let d = depth - 1;
        match self.random.below(26) {
            0..=4 => {
                let op = *self.random.pick(&["+", "-", "*", "&", "|", "^"]);
                self.fill(&format!("({{a}} {op} {{b}})"), ty, d)
            }
            5 => {
                let op = *self.random.pick(&["/", "%"]);
                let safe = if self.random.one_in(2) { " | 1" } else { "" };
                self.fill(&format!("({{a}} {op} ({{b}}{safe}))"), ty, d)
            }
            6 => {
                let op = *self.random.pick(&["<<", ">>"]);
                let by = self.some_int();
                let by = self.expression(&by, d.min(1));
                self.fill(&format!("({{a}} {op} ({by}))"), ty, d)
            }
            7 => {
                let template = if signed && self.random.one_in(2) {
                    "(-{a})"
                } else {
                    "(!{a})"
                };
                self.fill(template, ty, d)
            }
            8..=10 => self.cast(ty, d),
            11..=13 => {
                let all = if signed { &SIGNED[..] } else { &UNSIGNED[..] };
                let own = if signed || name != "bool" { all } else { &[] };
                let template = if self.random.one_in(3) {
                    *self.random.pick(own)
                } else {
                    *self.random.pick(&ANY_SIGN)
                };
                self.fill(template, ty, d)
            }
            14 if *ty == U32 => {
                let of = self.some_int();
                let x = self.expression(&of, d);
                self.random.pick(&COUNTS).replace("{x}", &format!("({x})"))
            }
            14 => self.fill("if ({a}) > ({b}) { {c} } else { 1 }", ty, d),
            15 => self.bytes(name, bits, d),
            16..=17 => self.reduction(ty, d),
            18 if TABLES.iter().any(|(t, _)| t == ty) => {
                let table = TABLES.iter().find(|(t, _)| t == ty).expect("just seen").1;
                let i = self.expression(&USIZE, d.min(1));
                let n = if self.random.one_in(6) { 17 } else { 16 };
                format!("{table}[({i}) % {n}]")
            }
            18 => {
                let v = self.fresh("v");
                let e = self.expression(ty, d);
                let body = self.in_closure(|g| g.with(&v, ty, |g| g.expression(ty, d.min(1))));
                format!("(|{v}: {name}| -> {name} {{ {body} }})({e})")
            }
            19 => {
                let from = self.some_int();
                let e = self.expression(&from, d);
                self.fill(
                    &format!("{name}::try_from({e}).unwrap_or({{a}})"),
                    ty,
                    d.min(1),
                )
            }
            20 => {
                let from = self.some_int();
                let (low, e) = (self.random.below(5), self.expression(&from, d));
                let (x, y, z) = (
                    self.expression(ty, d),
                    self.expression(ty, d),
                    self.atom(ty),
                );
                format!("(match ({e}) {{ {low} => {x}, 5..=99 => {y}, _ => {z} }})")
            }
            _ => self.any_type(ty, d),
        }
    }

    fn cast(&mut self, ty: &Ty, depth: usize) -> String {
        let from = match self.random.below(12) {
            0 => Ty::Bool,
            1 => Ty::Char,
            _ => self.random.pick(&INTS).clone(),
        };
        let e = self.expression(&from, depth);
        format!("(({e}) as {})", ty.name())
    }

    /// To and from bytes.
    fn bytes(&mut self, name: &str, bits: u32, depth: usize) -> String {
        let order = *self.random.pick(&["le", "be", "ne"]);
        if name == "u8" {
            let from = self.random.pick(&INTS).clone();
            let &Ty::Int(_, width, _) = &from else {
                unreachable!("an integer");
            };
            let e = self.expression(&from, depth);
            let i = self.random.below(width as usize / 8);
            return format!("({e}).to_{order}_bytes()[{i}]");
        }
        let n = (bits / 8) as usize;
        if let Some((_, sequence, None)) = self.sequence(&U8, false)
            && self.random.one_in(2)
        {
            return format!("{name}::from_{order}_bytes({sequence}[..{n}].try_into().unwrap())");
        }
        let parts: Vec<String> = (0..n).map(|_| self.atom(&U8)).collect();
        format!("{name}::from_{order}_bytes([{}])", parts.join(", "))
    }

    /// One number from a sequence.
    fn reduction(&mut self, ty: &Ty, depth: usize) -> String {
        if *ty == USIZE && self.random.one_in(3) {
            let elements = self.element_types();
            if !elements.is_empty() {
                let elem = self.random.pick(&elements).clone();
                if let Some((_, s, _)) = self.sequence(&elem, false) {
                    return self.counted(&s, &elem, depth);
                }
            }
        }
        let Some((_, s, _)) = self.sequence(ty, false) else {
            return self.any_type(ty, depth);
        };
        let name = ty.name();
        let (acc, v) = (self.fresh("acc"), self.fresh("v"));
        match self.random.below(12) {
            0 => format!("{s}.iter().sum::<{name}>()"),
            1 => format!("{s}.iter().copied().product::<{name}>()"),
            2..=4 => {
                let start = self.atom(ty);
                let step = self.in_closure(|g| {
                    g.with(&acc, ty, |g| {
                        g.with(&v, ty, |g| g.expression(ty, depth.min(2)))
                    })
                });
                let order =
                    *self
                        .random
                        .pick(&["", ".rev()", ".skip(1)", ".take(2)", ".step_by(2)"]);
                format!("{s}.iter(){order}.fold({start}, |{acc}, &{v}| {step})")
            }
            5 => self.fill(
                &format!("{s}.iter().copied().max().unwrap_or({{a}})"),
                ty,
                0,
            ),
            6 => self.fill(&format!("*{s}.iter().min().unwrap_or(&{{a}})"), ty, 0),
            7 => self.fill(
                &format!("{s}.windows(2).map(|w| w[0] ^ w[1]).fold({{a}}, |x, y| x | y)"),
                ty,
                0,
            ),
            8 => self.fill(
                &format!("{s}.chunks(2).map(|w| w[0] & w[w.len() - 1]).last().unwrap_or({{a}})"),
                ty,
                0,
            ),
            9 => format!(
                "{s}.iter().zip({s}.iter().rev()).map(|(x, y)| *x ^ *y & 3).sum::<{name}>()"
            ),
            10 => self.fill(&format!("{s}.first().copied().unwrap_or({{a}})"), ty, 0),
            _ => format!("{s}.iter().enumerate().map(|(i, x)| *x & (i as {name})).sum::<{name}>()"),
        }
    }

    fn counted(&mut self, s: &str, elem: &Ty, depth: usize) -> String {
        let v = self.fresh("v");
        let holds =
            self.in_closure(|g| g.with(&v, elem, |g| g.expression(&Ty::Bool, depth.min(1))));
        match self.random.below(4) {
            0 => format!("{s}.len()"),
            1 => format!("{s}.iter().filter(|&&{v}| {holds}).count()"),
            2 => format!("{s}.iter().position(|&{v}| {holds}).unwrap_or(99)"),
            _ => format!("{s}.iter().take_while(|&&{v}| {holds}).count()"),
        }
    }
}
