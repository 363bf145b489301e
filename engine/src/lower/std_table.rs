//! Tables of std that no capture has the values of: private constants of functions that are inlined. They are made anew by
//! what they are defined as.

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
        _ => None,
    }
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
