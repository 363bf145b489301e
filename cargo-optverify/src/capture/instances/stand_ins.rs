//! Functions of std that rustc neither inlines nor prints, written again: the same result for every argument, and a
//! panic where std panics (none of these does). This file is compiled by the user's compiler where a capture needs one of
//! them, and by `tests`, which compare each with std.

/// `core::slice::memchr::memchr_aligned`: the first place of a byte.
pub fn memchr_aligned(x: u8, text: &[u8]) -> Option<usize> {
    let mut i = 0;
    while i < text.len() {
        if text[i] == x {
            return Some(i);
        }
        i += 1;
    }
    None
}

/// `core::slice::memchr::memrchr`: the last place of a byte.
pub fn memrchr(x: u8, text: &[u8]) -> Option<usize> {
    let mut i = text.len();
    while i > 0 {
        i -= 1;
        if text[i] == x {
            return Some(i);
        }
    }
    None
}

/// `core::str::count::do_count_chars`: bytes that begin a character.
pub fn do_count_chars(s: &str) -> usize {
    char_count_general_case(s.as_bytes())
}

/// `core::str::count::char_count_general_case`: the same, of the bytes.
pub fn char_count_general_case(bytes: &[u8]) -> usize {
    let (mut i, mut n) = (0, 0);
    while i < bytes.len() {
        if bytes[i] & 0xc0 != 0x80 {
            // never more than the bytes
            n = usize::wrapping_add(n, 1);
        }
        i += 1;
    }
    n
}

/// `core::str::Utf8Error`, whose fields are private.
#[derive(Debug)]
#[allow(dead_code)]
pub struct Utf8Error {
    pub valid_up_to: usize,
    pub error_len: Option<u8>,
}

/// `core::str::from_utf8`: the well-formed sequences of the Unicode standard (table 3-7), from the first byte on.
#[allow(unsafe_code)]
pub fn from_utf8(v: &[u8]) -> Result<&str, Utf8Error> {
    let mut i = 0;
    while i < v.len() {
        let first = v[i];
        if first < 0x80 {
            i += 1;
            continue;
        }
        // how many bytes follow, and what the next one may be
        let (more, low, high) = match first {
            0xc2..=0xdf => (1, 0x80, 0xbf),
            0xe0 => (2, 0xa0, 0xbf),
            0xed => (2, 0x80, 0x9f),
            0xe1..=0xef => (2, 0x80, 0xbf),
            0xf0 => (3, 0x90, 0xbf),
            0xf1..=0xf3 => (3, 0x80, 0xbf),
            0xf4 => (3, 0x80, 0x8f),
            _ => (0, 0, 0),
        };
        let left = v.len() - i;
        let wrong = if more == 0 {
            Some(1)
        } else if left == 1 {
            None
        } else if v[i + 1] < low || v[i + 1] > high {
            Some(1)
        } else if more == 1 {
            i += 2;
            continue;
        } else if left == 2 {
            None
        } else if v[i + 2] & 0xc0 != 0x80 {
            Some(2)
        } else if more == 2 {
            i += 3;
            continue;
        } else if left == 3 {
            None
        } else if v[i + 3] & 0xc0 != 0x80 {
            Some(3)
        } else {
            i += 4;
            continue;
        };
        return Err(Utf8Error {
            valid_up_to: i,
            error_len: wrong,
        });
    }
    // Safety: every sequence was looked at.
    Ok(unsafe { std::str::from_utf8_unchecked(v) })
}

/// `core::fmt::num::imp::<impl u8>::_fmt` and its siblings: the decimal digits, at the end of the room, which must have
/// place for all of them. How many there are is found by comparisons: a proof about lengths need not divide.
macro_rules! decimal {
    ($name:ident, $int:ty) => {
        #[allow(unsafe_code)]
        pub fn $name(n: $int, room: &mut [std::mem::MaybeUninit<u8>]) -> &str {
            let wide = n as u64;
            let mut digits = 1;
            digits += (wide >= 10) as usize;
            digits += (wide >= 100) as usize;
            digits += (wide >= 1000) as usize;
            digits += (wide >= 10000) as usize;
            digits += (wide >= 100000) as usize;
            digits += (wide >= 1000000) as usize;
            digits += (wide >= 10000000) as usize;
            digits += (wide >= 100000000) as usize;
            digits += (wide >= 1000000000) as usize;
            digits += (wide >= 10000000000) as usize;
            digits += (wide >= 100000000000) as usize;
            digits += (wide >= 1000000000000) as usize;
            digits += (wide >= 10000000000000) as usize;
            digits += (wide >= 100000000000000) as usize;
            digits += (wide >= 1000000000000000) as usize;
            digits += (wide >= 10000000000000000) as usize;
            digits += (wide >= 100000000000000000) as usize;
            digits += (wide >= 1000000000000000000) as usize;
            digits += (wide >= 10000000000000000000) as usize;
            let start = usize::wrapping_sub(room.len(), digits);
            let (mut rest, mut left) = (n, digits);
            while left > 0 {
                left -= 1;
                room[usize::wrapping_add(start, left)].write(b'0' + (rest % 10) as u8);
                rest /= 10;
            }
            let written = &room[start..];
            // Safety: every byte from the start on was written, with a digit.
            unsafe {
                let bytes = &*(std::ptr::from_ref(written) as *const [u8]);
                std::str::from_utf8_unchecked(bytes)
            }
        }
    };
}

decimal!(decimal_u8, u8);
decimal!(decimal_u16, u16);
decimal!(decimal_u32, u32);
decimal!(decimal_u64, u64);
decimal!(decimal_usize, usize);
