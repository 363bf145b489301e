//! One generated file: types, constants, helpers, and the functions to verify.

use crate::random::Random;
use crate::scope::{Generator, Helper, TABLES, Variable};
use crate::types::{Items, Ty, Val, random_type};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code, reason = "only the fuzzer passes vectors")]
pub enum Passing {
    Value,
    Ref,
    RefMut,
    Slice,
    SliceMut,
    /// A `Vec` of the type, by value or behind `&mut` (only the fuzzer has them).
    Vector,
    VectorMut,
}

impl Passing {
    /// Is the argument a sequence of values of the type?
    pub fn is_sequence(self) -> bool {
        !matches!(self, Passing::Value | Passing::Ref | Passing::RefMut)
    }
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub ty: Ty,
    pub passing: Passing,
}

pub struct Function {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub result: Ty,
    pub text: String,
}

pub struct File {
    pub items: Items,
    /// Types, constants, helpers.
    pub prelude: String,
    pub functions: Vec<Function>,
}

pub const ALLOWED: &str = "#![allow(warnings, arithmetic_overflow, unconditional_panic, overflowing_literals, \
                           unconditional_recursion, const_item_mutation)]\n";

impl File {
    pub fn generate(seed: u64, count: usize) -> File {
        let mut random = Random::new(seed);
        let mut items = Items::default();
        for _ in 0..3 {
            let n = 1 + random.below(3);
            let fields = (0..n)
                .map(|_| random_type(&mut random, &items, 1))
                .collect();
            items.structs.push(fields);
            let n = 2 + random.below(3);
            let variants = (0..n).map(|_| {
                let n = random.below(3);
                (0..n)
                    .map(|_| random_type(&mut random, &items, 1))
                    .collect()
            });
            let variants = variants.collect();
            items.enums.push(variants);
        }
        let mut prelude = declarations(&items, &mut random);
        let mut helpers = vec![];
        for h in 0..5 {
            let helper = Helper {
                name: format!("h{h}"),
                target: random_type(&mut random, &items, 1),
                argument: random_type(&mut random, &items, 1),
                result: random_type(&mut random, &items, 1),
            };
            let mut g = generator(&items, random.next(), &helpers, &helper.result);
            let mut x = Variable::local("x", &helper.target, true);
            x.reference = true;
            g.scope = vec![x, Variable::local("y", &helper.argument, false)];
            // a helper's own loops would multiply with those of its callers
            g.loops_allowed = 0;
            let body = body(&mut g, 2, 2);
            let inline = *random.pick(&[
                "",
                "",
                "#[inline(never)]\n",
                "#[inline]\n",
                "#[inline(always)]\n",
            ]);
            prelude.push_str(&format!(
                "{inline}fn {}(x: &mut {}, y: {}) -> {} {{\n{body}}}\n",
                helper.name,
                helper.target.name(),
                helper.argument.name(),
                helper.result.name()
            ));
            helpers.push(helper);
        }
        let functions = (0..count)
            .map(|i| function(&format!("case{i}"), &items, &mut random, &helpers))
            .collect();
        File {
            items,
            prelude,
            functions,
        }
    }

    /// The file as the tool sees it.
    pub fn marked(&self) -> String {
        let mut out = format!("{ALLOWED}use optverify::verify;\n{}", self.prelude);
        for f in &self.functions {
            out.push_str(&format!("#[verify]\n{}", f.text));
        }
        out
    }
}

fn declarations(items: &Items, random: &mut Random) -> String {
    let mut out = String::new();
    let derive = "#[derive(Clone, Copy, PartialEq, Eq, Debug)]\n";
    for (s, fields) in items.structs.iter().enumerate() {
        let fields: Vec<String> = fields
            .iter()
            .enumerate()
            .map(|(i, t)| format!("pub f{i}: {}", t.name()))
            .collect();
        out.push_str(&format!(
            "{derive}pub struct S{s} {{ {} }}\n",
            fields.join(", ")
        ));
    }
    for (e, variants) in items.enums.iter().enumerate() {
        let variants: Vec<String> = variants
            .iter()
            .enumerate()
            .map(|(v, payload)| {
                let payload: Vec<String> = payload.iter().map(Ty::name).collect();
                let payload = if payload.is_empty() {
                    String::new()
                } else {
                    format!("({})", payload.join(", "))
                };
                format!("V{v}{payload}")
            })
            .collect();
        out.push_str(&format!(
            "{derive}pub enum E{e} {{ {} }}\n",
            variants.join(", ")
        ));
    }
    for (ty, name) in TABLES {
        let kind = if random.one_in(2) { "const" } else { "static" };
        let mut g = generator(items, random.next(), &[], &ty);
        let entries: Vec<String> = (0..16).map(|_| g.literal(&ty)).collect();
        out.push_str(&format!(
            "{kind} {name}: [{}; 16] = [{}];\n",
            ty.name(),
            entries.join(", ")
        ));
    }
    out
}

pub fn generator<'a>(
    items: &'a Items,
    seed: u64,
    helpers: &[Helper],
    result: &Ty,
) -> Generator<'a> {
    Generator {
        random: Random::new(seed),
        items,
        scope: vec![],
        helpers: helpers.to_vec(),
        result: result.clone(),
        in_closure: false,
        loops: 0,
        loops_allowed: 2,
        next_name: 0,
    }
}

fn body(g: &mut Generator<'_>, depth: usize, count: usize) -> String {
    let mut out = String::new();
    for _ in 0..count {
        out.push_str(&g.statement(depth));
        out.push('\n');
    }
    let result = g.result.clone();
    out.push_str(&g.expression(&result, 2));
    out.push('\n');
    out
}

fn function(name: &str, items: &Items, random: &mut Random, helpers: &[Helper]) -> Function {
    let count = 1 + random.below(4);
    let parameters: Vec<Parameter> = (0..count)
        .map(|_| {
            let passing = *random.pick(&[
                Passing::Value,
                Passing::Value,
                Passing::Value,
                Passing::Ref,
                Passing::RefMut,
                Passing::Slice,
                Passing::SliceMut,
            ]);
            let depth = match passing {
                Passing::Slice | Passing::SliceMut => usize::from(random.one_in(5)),
                _ => random.below(3),
            };
            let ty = random_type(random, items, depth);
            Parameter { ty, passing }
        })
        .collect();
    let result = random_type(random, items, 1);
    let mut g = generator(items, random.next(), helpers, &result);
    let declared = declare(&mut g, &parameters);
    let count = 2 + random.below(5);
    let body = body(&mut g, 3, count);
    let text = format!(
        "pub fn {name}({declared}) -> {} {{\n{body}}}\n",
        result.name()
    );
    Function {
        name: name.to_owned(),
        parameters,
        result,
        text,
    }
}

/// The parameters of a function, as its source declares them; its body can see them.
pub fn declare(g: &mut Generator<'_>, parameters: &[Parameter]) -> String {
    let mut declared = vec![];
    for (i, p) in parameters.iter().enumerate() {
        let name = format!("a{i}");
        let mut v = Variable::local(&name, &p.ty, false);
        let ty = p.ty.name();
        let written = match p.passing {
            Passing::Value => ty,
            Passing::Ref => format!("&{ty}"),
            Passing::RefMut => format!("&mut {ty}"),
            Passing::Slice => format!("&[{ty}]"),
            Passing::SliceMut => format!("&mut [{ty}]"),
            Passing::Vector => format!("Vec<{ty}>"),
            Passing::VectorMut => format!("&mut Vec<{ty}>"),
        };
        v.mutable = !matches!(p.passing, Passing::Value | Passing::Ref | Passing::Slice);
        v.reference = matches!(p.passing, Passing::Ref | Passing::RefMut);
        v.slice = p.passing.is_sequence();
        g.scope.push(v);
        let binding = match p.passing {
            Passing::Vector => "mut ",
            _ => "",
        };
        declared.push(format!("{binding}{name}: {written}"));
    }
    declared.join(", ")
}

/// Arguments of one call: a value for each parameter (of a slice: its elements).
pub fn arguments(function: &Function, items: &Items, random: &mut Random) -> Vec<Val> {
    let one = |p: &Parameter, random: &mut Random| match p.passing.is_sequence() {
        true => {
            let n = *random.pick(&[0, 1, 2, 3, 4, 5, 8, 17]);
            Val::Parts((0..n).map(|_| Val::random(&p.ty, items, random)).collect())
        }
        false => Val::random(&p.ty, items, random),
    };
    function.parameters.iter().map(|p| one(p, random)).collect()
}
