//! Functions of std that rustc neither inlines nor prints, written again: the same result for every argument, and a
//! panic where std panics (only `encode_utf8_raw` does). This file is compiled by the user's compiler where a capture needs one of
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

/// `<String as Clone>::clone`.
#[allow(clippy::ptr_arg)]
pub fn string_clone(text: &String) -> String {
    String::from(text.as_str())
}

/// `<Box<dyn Error> as From<String>>::from`: that of `dyn Error + Send + Sync`, which rustc inlines.
pub fn error_of_string(text: String) -> Box<dyn std::error::Error> {
    let error: Box<dyn std::error::Error + Send + Sync> = From::from(text);
    error
}

/// `<Box<dyn Error> as From<&str>>::from`.
pub fn error_of_str(text: &str) -> Box<dyn std::error::Error> {
    let error: Box<dyn std::error::Error + Send + Sync> = From::from(String::from(text));
    error
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

/// `core::char::encode_utf8_raw`: the bytes of a character, at the start of the room.
pub fn encode_utf8_raw(code: u32, room: &mut [u8]) -> &mut [u8] {
    let n = if code < 0x80 {
        1
    } else if code < 0x800 {
        2
    } else if code < 0x10000 {
        3
    } else {
        4
    };
    assert!(n <= room.len());
    let last = (code & 0x3f) as u8 | 0x80;
    let third = ((code >> 6) & 0x3f) as u8 | 0x80;
    let second = ((code >> 12) & 0x3f) as u8 | 0x80;
    if n == 1 {
        room[0] = code as u8;
    } else if n == 2 {
        room[0] = (code >> 6) as u8 | 0xc0;
        room[1] = last;
    } else if n == 3 {
        room[0] = (code >> 12) as u8 | 0xe0;
        room[1] = third;
        room[2] = last;
    } else {
        room[0] = (code >> 18) as u8 | 0xf0;
        room[1] = second;
        room[2] = third;
        room[3] = last;
    }
    &mut room[..n]
}

/// `core::str::pattern::StrSearcher` and its parts, whose fields are private. Std's own code reads what is not read here.
#[derive(Debug)]
#[allow(dead_code)]
pub struct StrSearcher<'a, 'b> {
    pub haystack: &'a str,
    pub needle: &'b str,
    pub searcher: StrSearcherImpl,
}

#[derive(Debug)]
#[allow(dead_code)]
pub enum StrSearcherImpl {
    Empty(EmptyNeedle),
    TwoWay(TwoWaySearcher),
}

#[derive(Debug)]
#[allow(dead_code)]
pub struct EmptyNeedle {
    pub position: usize,
    pub end: usize,
    pub is_match_fw: bool,
    pub is_match_bw: bool,
    pub is_finished: bool,
}

#[derive(Debug)]
#[allow(dead_code)]
pub struct TwoWaySearcher {
    pub crit_pos: usize,
    pub crit_pos_back: usize,
    pub period: usize,
    pub byteset: u64,
    pub position: usize,
    pub end: usize,
    pub memory: usize,
    pub memory_back: usize,
}

/// `core::str::pattern::StrSearcher::new`: what is known of a needle before anything is searched (Crochemore and Perrin,
/// Two-way string matching, 1991). Std's own code reads the numbers, so they are the same as there.
pub fn searcher<'a, 'b>(haystack: &'a str, needle: &'b str) -> StrSearcher<'a, 'b> {
    let bytes = needle.as_bytes();
    let n = bytes.len();
    if n == 0 {
        return StrSearcher {
            haystack,
            needle,
            searcher: StrSearcherImpl::Empty(EmptyNeedle {
                position: 0,
                end: haystack.len(),
                is_match_fw: true,
                is_match_bw: true,
                is_finished: false,
            }),
        };
    }
    // the larger one of the maximal suffixes by both orders
    let (mut crit_pos, mut period) = (0, 1);
    let mut order_greater = false;
    loop {
        let (mut left, mut right, mut offset, mut p) = (0, 1, 0, 1);
        while right + offset < n {
            let (a, b) = (bytes[right + offset], bytes[left + offset]);
            if a != b && (a > b) == order_greater {
                right += offset + 1;
                offset = 0;
                p = right - left;
            } else if a == b {
                if offset + 1 == p {
                    right += offset + 1;
                    offset = 0;
                } else {
                    offset += 1;
                }
            } else {
                left = right;
                right += 1;
                offset = 0;
                p = 1;
            }
        }
        if !order_greater || left >= crit_pos {
            crit_pos = left;
            period = p;
        }
        if order_greater {
            break;
        }
        order_greater = true;
    }
    // does the part before it come again after a period?
    let mut is_short = period + crit_pos <= n;
    let mut i = 0;
    while is_short && i < crit_pos {
        is_short = bytes[i] == bytes[period + i];
        i += 1;
    }
    let (mut crit_pos_back, mut memory, mut memory_back) = (crit_pos, usize::MAX, usize::MAX);
    let mut counted = n;
    if is_short {
        let mut most = 0;
        let mut order_greater = false;
        loop {
            let (mut left, mut right, mut offset, mut p) = (0, 1, 0, 1);
            while right + offset < n {
                let (a, b) = (
                    bytes[n - (1 + right + offset)],
                    bytes[n - (1 + left + offset)],
                );
                if a != b && (a > b) == order_greater {
                    right += offset + 1;
                    offset = 0;
                    p = right - left;
                } else if a == b {
                    if offset + 1 == p {
                        right += offset + 1;
                        offset = 0;
                    } else {
                        offset += 1;
                    }
                } else {
                    left = right;
                    right += 1;
                    offset = 0;
                    p = 1;
                }
                if p == period {
                    break;
                }
            }
            if left > most {
                most = left;
            }
            if order_greater {
                break;
            }
            order_greater = true;
        }
        crit_pos_back = n - most;
        memory = 0;
        memory_back = n;
        counted = period;
    } else {
        let rest = n - crit_pos;
        period = if crit_pos > rest { crit_pos } else { rest } + 1;
    }
    let mut byteset = 0;
    let mut i = 0;
    while i < counted {
        byteset |= 1 << (bytes[i] & 0x3f);
        i += 1;
    }
    StrSearcher {
        haystack,
        needle,
        searcher: StrSearcherImpl::TwoWay(TwoWaySearcher {
            crit_pos,
            crit_pos_back,
            period,
            byteset,
            position: 0,
            end: haystack.len(),
            memory,
            memory_back,
        }),
    }
}

/// `core::str::pattern::TwoWaySearcher::next::<MatchOnly>`: the next place of the needle, looked for at each. The needle is
/// not empty.
pub fn next_match(
    s: &mut TwoWaySearcher,
    haystack: &[u8],
    needle: &[u8],
    long_period: bool,
) -> Option<(usize, usize)> {
    let n = needle.len();
    while n <= haystack.len() && s.position <= haystack.len() - n {
        let at = s.position;
        let mut i = 0;
        while i < n && haystack[usize::wrapping_add(at, i)] == needle[i] {
            i += 1;
        }
        if i == n {
            s.position = usize::wrapping_add(at, n);
            if !long_period {
                s.memory = 0;
            }
            return Some((at, usize::wrapping_add(at, n)));
        }
        s.position = usize::wrapping_add(at, 1);
    }
    s.position = haystack.len();
    None
}

/// `core::str::pattern::TwoWaySearcher::next_back::<MatchOnly>`: the same from the end.
pub fn next_match_back(
    s: &mut TwoWaySearcher,
    haystack: &[u8],
    needle: &[u8],
    long_period: bool,
) -> Option<(usize, usize)> {
    let n = needle.len();
    while n <= s.end && s.end <= haystack.len() {
        let at = s.end - n;
        let mut i = 0;
        while i < n && haystack[usize::wrapping_add(at, i)] == needle[i] {
            i += 1;
        }
        if i == n {
            s.end = at;
            if !long_period {
                s.memory_back = n;
            }
            return Some((at, usize::wrapping_add(at, n)));
        }
        s.end -= 1;
    }
    s.end = 0;
    None
}

/// `core::str::LinesMap`, which is called like a closure.
pub struct LinesMap;

/// What `lines` does with each piece: without its line feed, and without the carriage return before that.
#[allow(unsafe_code)]
pub fn without_line_end<'s>(_: &mut LinesMap, piece: (&'s str,)) -> &'s str {
    let (line,) = piece;
    let bytes = line.as_bytes();
    let n = bytes.len();
    let end = if n == 0 || bytes[n - 1] != b'\n' {
        n
    } else if n == 1 || bytes[n - 2] != b'\r' {
        n - 1
    } else {
        n - 2
    };
    // SAFETY: what is cut off is ASCII.
    unsafe { line.get_unchecked(..end) }
}
