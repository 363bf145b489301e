//! Constants of std that no capture has the values of: tables, private to functions that are inlined, and what is special of
//! floats. They are made anew by what they are defined as.

use super::types::in_std;
use crate::mir::{ArrayLen, Const, IntTy, Path, Ty, TyKind};

/// The table and its type.
pub fn of(path: &Path) -> Option<(Const, Ty)> {
    let byte = Ty::new(TyKind::Int(IntTy::U8));
    let table = |of: Ty| Ty::new(TyKind::Array(of, ArrayLen::Known(256)));
    match in_std(&path.plain())? {
        "str::validations::UTF8_CHAR_WIDTH" => {
            let widths: Vec<u8> = (0..=255).map(utf8_width).collect();
            let ty = Ty::new(TyKind::Ref {
                lifetime: None,
                mutable: false,
                ty: table(byte),
            });
            Some((Const::ByteStr(widths.into()), ty))
        }
        "num::int_sqrt::U8_ISQRT_WITH_REMAINDER" => {
            let number = |n: u8| Const::Int {
                bits: u128::from(n),
                ty: IntTy::U8,
            };
            let pair = |n: u8| {
                let root = n.isqrt();
                Const::Tuple(vec![number(root), number(n - root * root)])
            };
            let pairs = (0..=255).map(pair).collect();
            let ty = table(Ty::new(TyKind::Tuple(vec![byte.clone(), byte])));
            Some((Const::Array(pairs), ty))
        }
        name => float(name),
    }
}

/// `f64::<impl f64>::MAX`, `f64::MAX`, `f64::consts::PI`.
fn float(name: &str) -> Option<(Const, Ty)> {
    macro_rules! special {
        ($name:expr, $float:ident, $bits:expr, [$($constant:ident)*], [$($number:ident)*]) => {
            match $name {
                $(stringify!($constant) => Some(real(format!("{:?}", std::$float::consts::$constant), $bits)),)*
                $(stringify!($number) => Some(real(format!("{:?}", $float::$number), $bits)),)*
                _ => None,
            }
        };
    }
    let (module, name) = name.rsplit_once("::")?;
    // those of a module `consts`, and those of the type
    let (mathematical, own) = match (module.strip_suffix("::consts"), name) {
        (Some(_), name) => (name, ""),
        (None, name) => ("", name),
    };
    let name = [mathematical, own].concat();
    let is_own = mathematical.is_empty();
    let own_names = [
        "INFINITY",
        "NEG_INFINITY",
        "MAX",
        "MIN",
        "MIN_POSITIVE",
        "EPSILON",
    ];
    if is_own != own_names.contains(&&*name) {
        return None;
    }
    match module.strip_suffix("::consts").unwrap_or(module) {
        "f32" | "f32::<impl f32>" => special!(
            &*name, f32, 32,
            [PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2 FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
             FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_1_SQRT_2],
            [INFINITY NEG_INFINITY MAX MIN MIN_POSITIVE EPSILON]
        ),
        "f64" | "f64::<impl f64>" => special!(
            &*name, f64, 64,
            [PI TAU E SQRT_2 LN_2 LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2 FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8
             FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI FRAC_1_SQRT_2],
            [INFINITY NEG_INFINITY MAX MIN MIN_POSITIVE EPSILON]
        ),
        _ => None,
    }
}

fn real(text: String, bits: u16) -> (Const, Ty) {
    let number = Const::Float {
        text: text.into(),
        bits,
    };
    (number, Ty::new(TyKind::Float(bits)))
}

/// How many bytes a character has that starts with this one; 0 if none does.
fn utf8_width(first: u8) -> u8 {
    match first {
        0x00..=0x7f => 1,
        0x80..=0xc1 => 0,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        0xf5..=0xff => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_by_their_names() {
        let text = |name: &str| match float(name) {
            Some((Const::Float { text, bits }, _)) => format!("{text} of {bits}"),
            Some(_) => "no float".to_owned(),
            None => "unknown".to_owned(),
        };
        assert_eq!(text("f64::<impl f64>::NEG_INFINITY"), "-inf of 64");
        assert_eq!(text("f32::<impl f32>::MIN_POSITIVE"), "1.1754944e-38 of 32");
        assert_eq!(text("f64::consts::PI"), "3.141592653589793 of 64");
        assert_eq!(text("f32::MAX"), "3.4028235e38 of 32");
        for none in [
            "f64::consts::MAX",
            "f64::PI",
            "f32::<impl f64>::MAX",
            "mine::MAX",
        ] {
            assert_eq!(text(none), "unknown");
        }
    }

    #[test]
    fn widths_are_those_of_all_characters() {
        let mut widths = [0; 256];
        for c in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let text = c.encode_utf8(&mut bytes);
            widths[usize::from(text.as_bytes()[0])] = c.len_utf8() as u8;
        }
        let known: Vec<u8> = (0..=255).map(utf8_width).collect();
        assert_eq!(known, widths);
    }
}
