//! From syntax tree back to the text rustc printed, comments aside.
mod allocs;
mod bodies;
mod code;
mod consts;
mod types;

use std::fmt::{Display, Formatter, Result};

/// Items with `, ` between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

/// `()`, `(a,)`, `(a, b)`
fn tuple<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> Result {
    f.write_str("(")?;
    list(f, items)?;
    f.write_str(if items.len() == 1 { ",)" } else { ")" })
}

/// `a: x, b: y`
fn fields<T: Display>(f: &mut Formatter<'_>, fields: &[(std::sync::Arc<str>, T)]) -> Result {
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        f.write_str(name)?;
        f.write_str(": ")?;
        value.fmt(f)?;
    }
    Ok(())
}

/// Decimal numbers without the detour through the formatting options, which every `_1` would take.
fn number(f: &mut Formatter<'_>, value: u32) -> Result {
    let mut digits = [0u8; 10];
    let mut start = digits.len();
    let mut rest = value;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    f.write_str(std::str::from_utf8(&digits[start..]).unwrap_or(""))
}
