//! Single calls with arguments written as Rust: counterexamples as the tool shows them, and inputs that are known to
//! panic.

use crate::functions::{Function, Passing};
use crate::truth::Native;
use crate::types::{Items, Ty, Val};
use std::collections::BTreeMap;

/// How a call ended natively.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Returned,
    /// With this message.
    Panicked(String),
    OutOfFuel,
}

/// A call of a function, with all its arguments.
pub fn call(path: &str, function: &Function, arguments: &[String]) -> Option<String> {
    if arguments.len() != function.parameters.len() {
        return None;
    }
    let mut shown = vec![];
    for (p, text) in function.parameters.iter().zip(arguments) {
        // more elements than are shown, or a part that the program never reads
        if text.contains(", ..; ") {
            return None;
        }
        let is_mut = matches!(
            p.passing,
            Passing::RefMut | Passing::SliceMut | Passing::VectorMut
        );
        shown.push(match text.strip_prefix('&') {
            Some(rest) if is_mut => format!("&mut {rest}"),
            _ => text.clone(),
        });
    }
    Some(format!("{path}({})", shown.join(", ")))
}

/// Steps of a call that must be seen to its end.
const FUEL: u64 = 300_000_000;

/// Runs calls on a native library; those that are no Rust are left out.
pub fn run(native: &Native, calls: &[String]) -> Result<BTreeMap<usize, Ended>, String> {
    let mut kept: Vec<usize> = (0..calls.len()).collect();
    loop {
        let mut source = String::from(
            "#![allow(warnings, overflowing_literals)] use generated::*; fn main() { listen();\n",
        );
        for n in &kept {
            source.push_str(&format!(
                "println!(\"{n} {{}} {{:?}}\", end({FUEL}, || {{ let _ = {}; }}) as u8, MESSAGE.lock().unwrap());\n",
                calls[*n]
            ));
        }
        source.push('}');
        match native.program("confirm", &source, "") {
            Ok(lines) => {
                let ended = lines.iter().filter_map(|line| {
                    let mut words = line.splitn(3, ' ');
                    let (n, how) = (words.next()?, words.next()?);
                    let message = words.next()?.trim_matches('"').to_owned();
                    let how = match how {
                        "0" => Ended::Returned,
                        "1" => Ended::Panicked(message),
                        _ => Ended::OutOfFuel,
                    };
                    Some((n.parse().ok()?, how))
                });
                return Ok(ended.collect());
            }
            Err(why) => {
                // `--> confirm.rs:7:20`: the first line is the head
                let lines = why.split("confirm.rs:").skip(1);
                let bad = lines.filter_map(|rest| rest.split(':').next()?.parse::<usize>().ok());
                let bad: Vec<usize> = bad.collect();
                let before = kept.len();
                let mut line = 1;
                kept.retain(|_| {
                    line += 1;
                    !bad.contains(&line)
                });
                if kept.len() == before {
                    return Err(why);
                }
            }
        }
    }
}

/// A value as Rust.
pub fn rust(value: &Val, ty: &Ty, items: &Items) -> String {
    let all = |values: &[Val], types: &[Ty]| -> Vec<String> {
        let both = values.iter().zip(types);
        both.map(|(v, t)| rust(v, t, items)).collect()
    };
    match value {
        Val::Bits(b) => match ty {
            Ty::Bool => (*b != 0).to_string(),
            Ty::Char => format!("{:?}", char::from_u32(*b as u32).unwrap_or('\0')),
            Ty::Int(name, bits, true) => {
                let shift = 128 - bits;
                match ((*b << shift) as i128) >> shift {
                    i128::MIN => "i128::MIN".to_owned(),
                    n => format!("({n}{name})"),
                }
            }
            _ => b.to_string(),
        },
        Val::Variant(v, payload) => {
            let Some((name, types)) = ty.variants(items).and_then(|all| all.get(*v).cloned())
            else {
                return "?".to_owned();
            };
            let prefix = match ty {
                Ty::Enum(_) => ty.name() + "::",
                _ => String::new(),
            };
            match payload.is_empty() {
                true => prefix + &name,
                false => format!("{prefix}{name}({})", all(payload, &types).join(", ")),
            }
        }
        Val::Parts(parts) => {
            let types = ty.parts(items).unwrap_or_default();
            let parts = all(parts, &types);
            match ty {
                Ty::Struct(s) => {
                    let fields = parts.iter().enumerate().map(|(i, e)| format!("f{i}: {e}"));
                    format!("S{s} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
                }
                Ty::Array(..) => format!("[{}]", parts.join(", ")),
                _ => format!("({},)", parts.join(", ")),
            }
        }
    }
}

/// The arguments of a call as Rust, references included.
pub fn arguments(function: &Function, items: &Items, values: &[Val]) -> Vec<String> {
    let both = function.parameters.iter().zip(values);
    both.map(|(p, value)| match (p.passing, value) {
        (passing, Val::Parts(elements)) if passing.is_sequence() => {
            let elements = elements.iter().map(|e| rust(e, &p.ty, items));
            let elements = elements.collect::<Vec<_>>().join(", ");
            match passing {
                Passing::Vector => format!("vec![{elements}]"),
                Passing::VectorMut => format!("&vec![{elements}]"),
                _ => format!("&[{elements}]"),
            }
        }
        (Passing::Ref | Passing::RefMut, _) => format!("&{}", rust(value, &p.ty, items)),
        _ => rust(value, &p.ty, items),
    })
    .collect()
}
