//! The crate after macro expansion, without what is compiled for others: which impls, types and traits there are. A name
//! that is defined twice, renamed, or an alias of another says nothing, and so does a header that has one.

use super::source_text::{closing, depth, header_end, without_macros, without_text, words};
use crate::capture::roots::parse_header;
use optverify_engine::capture::ImplHeader;
use optverify_engine::mir::{ArrayLen, GenericArg, Ty, TyKind, parse_ty};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub struct Expanded {
    pub impls: Vec<Impl>,
    /// How often a name is defined, by keyword.
    defined: HashMap<(&'static str, String), usize>,
    /// Names after `as` in a `use`, and before.
    renamed: BTreeSet<String>,
    /// What stands in the angle brackets of the traits.
    traits: HashMap<String, String>,
    /// The names of other crates, which paths of their items begin with.
    pub linked: BTreeSet<String>,
}

pub struct Impl {
    pub header: ImplHeader,
    /// What stands in its braces.
    pub block: String,
}

const DEFINING: &[&str] = &[
    "struct", "enum", "union", "trait", "type", "const", "static", "fn", "mod",
];

/// Types that everybody has in scope, with how many arguments they have: `std::io::Result` has one.
const PRELUDE: &[(&str, usize)] = &[
    ("Option", 1),
    ("Result", 2),
    ("Vec", 1),
    ("String", 0),
    ("Box", 1),
];

const PRIMITIVES: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64",
    "i128", "isize", "f32", "f64",
];

impl Expanded {
    /// `source`: what `-Zunpretty=expanded` printed. Nothing where an impl is not understood.
    pub fn read(source: &str) -> Option<Self> {
        let code = without_macros(&without_text(source));
        let (defined, mut renamed) = names(&code);
        renamed.extend(foreign_traits(&code, &defined));
        let mut previous = "";
        let mut traits = HashMap::new();
        for (at, word) in self::words(&code) {
            if previous == "trait" {
                let rest = code[at + word.len()..].trim_start();
                let list = crate::capture::roots::generics(rest).map_or("", |(list, _)| list);
                traits.insert(word.to_owned(), list.to_owned());
            }
            previous = word;
        }
        Some(Self {
            impls: impls(&code)?,
            defined,
            renamed,
            traits,
            linked: BTreeSet::new(),
        })
    }

    /// The parameters of the one trait of this name.
    pub fn trait_generics(&self, name: &str) -> Option<&str> {
        self.traits.get(name).map(String::as_str)
    }

    /// Is every type of this crate in a type that MIR printed the only one of its name?
    pub fn is_known(&self, ty: &Ty) -> bool {
        match ty.kind() {
            TyKind::Tuple(parts) => parts.iter().all(|t| self.is_known(t)),
            TyKind::Slice(of) | TyKind::Array(of, _) => self.is_known(of),
            TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => self.is_known(ty),
            TyKind::Adt { path, args } => {
                let types = ["struct", "enum", "union"];
                let own: usize = types.iter().map(|kind| self.count(kind, last(path))).sum();
                let alone = own == usize::from(!is_of_std(path));
                alone
                    && !self.is_foreign(path)
                    && args.iter().all(|arg| match arg {
                        GenericArg::Type(ty) => self.is_known(ty),
                        _ => true,
                    })
            }
            TyKind::Closure(_) => true,
            TyKind::Bool | TyKind::Char | TyKind::Str | TyKind::Int(_) | TyKind::Float(_) => true,
            _ => false,
        }
    }

    /// How many items of this kind have the name.
    pub fn count(&self, keyword: &'static str, name: &str) -> usize {
        let found = self.defined.get(&(keyword, name.to_owned()));
        found.copied().unwrap_or(0)
    }

    /// Does a type, a trait or a constant have this name, or anything by a `use`?
    pub fn is_taken(&self, name: &str) -> bool {
        let kinds = ["struct", "enum", "union", "trait", "type", "static"];
        kinds.iter().any(|kind| self.count(kind, name) > 0) || self.renamed.contains(name)
    }

    /// Is there one trait of this name, of this crate or not, and under no other name?
    pub fn is_one_trait(&self, path: &str) -> bool {
        let name = last(path);
        let own = self.count("trait", name);
        own == usize::from(!is_of_std(path))
            && !self.is_foreign(path)
            && !self.renamed.contains(name)
    }

    /// Is this the path of an item of a crate other than std, which may have the name of one of this crate?
    fn is_foreign(&self, path: &str) -> bool {
        let first = path.split_once("::").map(|(first, _)| first);
        !is_of_std(path) && first.is_some_and(|first| self.linked.contains(first))
    }

    /// Does every name in a type of the source mean the one type of that name?
    pub fn is_plain(&self, ty: &Ty, parameters: &[String]) -> bool {
        match ty.kind() {
            TyKind::Bool | TyKind::Char | TyKind::Str | TyKind::Never => true,
            TyKind::Int(_) | TyKind::Float(_) => true,
            // `(u8)` is no tuple
            TyKind::Tuple(parts) => {
                parts.len() != 1 && parts.iter().all(|t| self.is_plain(t, parameters))
            }
            TyKind::Slice(of) => self.is_plain(of, parameters),
            TyKind::Array(of, length) => {
                let known = match length {
                    ArrayLen::Known(_) => true,
                    ArrayLen::Text(name) => parameters.iter().any(|p| **p == **name),
                };
                known && self.is_plain(of, parameters)
            }
            TyKind::Ref { ty, .. } | TyKind::RawPtr { ty, .. } => self.is_plain(ty, parameters),
            TyKind::Adt { path, args } => {
                let name = last(path);
                let parameter = !path.contains("::") && parameters.iter().any(|p| *p == name);
                let types = ["struct", "enum", "union"];
                let own: usize = types.iter().map(|kind| self.count(kind, name)).sum();
                let of_std = own == 0 && PRELUDE.contains(&(name, args.len()));
                let aliased = self.count("type", name) > 0 || self.renamed.contains(name);
                // `std::S` is not the crate's own, and `std::io::Result` an alias
                let by_path = is_of_std(path.trim_start_matches("::"));
                let clear = !by_path && (own == 1 || of_std);
                (parameter && args.is_empty() || clear && !aliased)
                    && args.iter().all(|arg| match arg {
                        GenericArg::Type(ty) => self.is_plain(ty, parameters),
                        GenericArg::Lifetime(_) => true,
                        GenericArg::Const(_) => is_printed(&super::unify::given_text(arg)),
                    })
            }
            _ => false,
        }
    }
}

impl Impl {
    /// Does it define this function or constant?
    pub fn has(&self, keyword: &str, name: &str) -> bool {
        self.items(keyword).any(|(found, _)| found == name)
    }

    /// `u8` of its `type Name = u8;`.
    pub fn associated_type(&self, name: &str) -> Option<&str> {
        let mut found = self.items("type").filter(|(found, _)| *found == name);
        let (_, rest) = found.next()?;
        let said = rest.trim_start().strip_prefix('=')?.split(';').next()?;
        found.next().is_none().then_some(said.trim())
    }

    /// The names after a keyword that stand in no inner braces, each with what follows.
    fn items<'a>(&'a self, keyword: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut previous = "";
        words(&self.block).filter_map(move |(at, word)| {
            let is_it = previous == keyword && depth(&self.block[..at]) == 0;
            previous = word;
            is_it.then(|| (word, &self.block[at + word.len()..]))
        })
    }
}

/// How often each name is defined, by keyword, and the names that a `use` changes.
fn names(code: &str) -> (HashMap<(&'static str, String), usize>, BTreeSet<String>) {
    let mut defined: HashMap<(&'static str, String), usize> = HashMap::new();
    let mut renamed = BTreeSet::new();
    let mut words = words(code).peekable();
    let (mut before, mut in_use) = ("", false);
    while let Some((at, word)) = words.next() {
        if word == "use" {
            in_use = true;
        } else if code[..at].ends_with(';') || code[..at].trim_end().ends_with(';') {
            in_use = false;
        }
        if let Some(keyword) = DEFINING.iter().find(|k| **k == before) {
            *defined.entry((*keyword, word.to_owned())).or_default() += 1;
        }
        // `use m::Trait as _` gives nothing a name
        if in_use
            && word == "as"
            && let Some((_, next)) = words.peek().filter(|(_, next)| *next != "_")
        {
            renamed.extend([before.to_owned(), (*next).to_owned()]);
        }
        before = word;
    }
    (defined, renamed)
}

/// Names of traits and names after and before `as` in a `use`, with how often each is one.
pub fn traits(source: &str) -> BTreeMap<String, u32> {
    let code = without_macros(&without_text(source));
    let (defined, mut renamed) = names(&code);
    renamed.extend(foreign_traits(&code, &defined));
    let own = defined
        .into_iter()
        .filter(|((keyword, _), _)| *keyword == "trait");
    let mut traits: BTreeMap<String, u32> = own.map(|((_, name), n)| (name, n as u32)).collect();
    for name in renamed {
        *traits.entry(name).or_default() += 1;
    }
    traits
}

/// Names of types, with how many are meant: an alias or a name that a `use` changes may be any.
pub fn types(source: &str) -> BTreeMap<String, u32> {
    let (defined, renamed) = names(&without_macros(&without_text(source)));
    let mut types: BTreeMap<String, u32> = BTreeMap::new();
    for ((keyword, name), n) in defined {
        let n = match keyword {
            "struct" | "enum" | "union" => n as u32,
            "type" => 2,
            _ => continue,
        };
        *types.entry(name).or_default() += n;
    }
    for name in renamed {
        *types.entry(name).or_default() += 2;
    }
    types
}

/// Traits of std: one of another crate may have the same name.
const OF_STD: &str = "\
    Add AddAssign Any AsMut AsRef Binary BitAnd BitAndAssign BitOr BitOrAssign BitXor BitXorAssign Borrow \
    BorrowMut BuildHasher Clone Copy Debug Default Deref DerefMut Display Div DivAssign DoubleEndedIterator \
    Drop Eq Error ExactSizeIterator Extend Fn FnMut FnOnce From FromIterator FromStr Hash Hasher Index \
    IndexMut Into IntoIterator Iterator LowerExp LowerHex Mul MulAssign Neg Not Octal Ord PartialEq \
    PartialOrd Pattern Product RangeBounds Read Rem RemAssign Shl ShlAssign Shr ShrAssign Sub SubAssign Sum \
    ToOwned ToString TryFrom TryInto UpperExp UpperHex Write \
";

/// Names of other crates' traits that one of this crate or of std has, too: in headers, or by a `use`.
fn foreign_traits(
    code: &str,
    defined: &HashMap<(&'static str, String), usize>,
) -> BTreeSet<String> {
    let is_defined =
        |kind: &'static str, name: &str| defined.contains_key(&(kind, name.to_owned()));
    let is_near = |first: &str| {
        let near = [
            "std",
            "core",
            "alloc",
            "crate",
            "self",
            "super",
            "Self",
            "optverify",
        ];
        let own = ["mod", "enum", "struct", "trait", "type"];
        near.contains(&first) || own.iter().any(|kind| is_defined(kind, first))
    };
    // `use std::fmt;`
    let (mut imported, mut found) = (BTreeSet::new(), BTreeSet::new());
    for (at, _) in words(code).filter(|(_, word)| *word == "use") {
        let tree = code[at + "use".len()..]
            .split(';')
            .next()
            .unwrap_or_default();
        let mut names = words(tree).map(|(_, word)| word);
        match names.next().is_some_and(is_near) {
            true => imported.extend(names),
            false => found.extend(names.map(str::to_owned)),
        }
    }
    let headers = impls(code).into_iter().flatten();
    for path in headers.filter_map(|i| i.header.trait_path) {
        let path = path.split('<').next().unwrap_or(&path);
        let parts = path.split("::").map(str::trim);
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        if let [first, .., last] = parts.as_slice()
            && !is_near(first)
            && (!imported.contains(first) || found.contains(*first))
        {
            found.insert((*last).to_owned());
        }
    }
    let is_of_std = |name: &str| OF_STD.split_whitespace().any(|of_std| of_std == name);
    found.retain(|name| is_of_std(name) || is_defined("trait", name));
    found
}

fn is_of_std(path: &str) -> bool {
    ["std::", "core::", "alloc::"]
        .iter()
        .any(|of| path.starts_with(of))
}

fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn impls(code: &str) -> Option<Vec<Impl>> {
    let mut found = vec![];
    let mut before = "";
    for (at, word) in words(code) {
        let previous = std::mem::replace(&mut before, word);
        let text = code[..at].trim_end();
        let begins = text.is_empty() || text.ends_with(['{', '}', ';', ']']);
        let qualified = ["unsafe", "default"].contains(&previous) && text.ends_with(previous);
        if word != "impl" || !(begins || qualified) {
            continue;
        }
        let rest = &code[at..];
        let open = header_end(rest)?;
        let header = rest[..open]
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let header = parse_header(&header.replace("::core::", "core::"))?;
        let end = closing(&rest[open..])?;
        found.push(Impl {
            header,
            block: rest[open + 1..open + end - 1].to_owned(),
        });
    }
    Some(found)
}

/// Is a constant in the source written as MIR prints it? `0x4`, `{ N + 1 }` and `4usize` are not.
fn is_printed(constant: &str) -> bool {
    let digits = constant.strip_prefix('-').unwrap_or(constant);
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    number && (digits == "0" || !digits.starts_with('0')) || ["true", "false"].contains(&constant)
}

/// A type of the source, if its text is one.
pub fn ty(text: &str) -> Option<Ty> {
    parse_ty(text).ok()
}

/// Is this the name of a type that no crate can define anew?
pub fn is_primitive(name: &str) -> bool {
    PRIMITIVES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "
        // impl Tr for Commented {}
        macro_rules! make { ($t:ty) => { impl Tr for $t { fn m() {} } } }
        pub trait Tr { fn m() {} fn of() -> impl Copy { \"impl Tr for Text {\" } }
        mod a { use super::Tr as Other; struct S<T>(T); type Alias = u8;
            impl<T: Copy> Other for S<T> where T: Clone { type Out = T; fn m() { fn inner() {} } }
            unsafe impl Send for S<Alias> {} }
        impl ::core::clone::Clone for P { fn clone(&self) -> P { '{' } }
    ";

    #[test]
    fn traits_of_others_that_share_a_name() {
        let found = |source: &str| traits(source).into_iter().collect::<Vec<_>>();
        assert_eq!(
            found("impl dep::Iterator for S {}"),
            [("Iterator".into(), 1)]
        );
        assert_eq!(found("use dep::{a, Drop};"), [("Drop".into(), 1)]);
        assert_eq!(
            found("trait Tr {} impl dep::Tr for S {}"),
            [("Tr".into(), 2)]
        );
        assert_eq!(found("use std::fmt; impl fmt::Display for S {}"), []);
        assert_eq!(
            found("mod m { trait Tr {} } impl m::Tr for S {}"),
            [("Tr".into(), 1)]
        );
        assert_eq!(
            found("impl dep::Shape for S {} impl ::core::clone::Clone for S {}"),
            []
        );
    }

    #[test]
    fn impls_and_what_they_define() {
        let e = Expanded::read(SOURCE).expect("a source");
        let headers: Vec<String> = e
            .impls
            .iter()
            .map(|i| crate::capture::roots::owner(&i.header))
            .collect();
        assert_eq!(
            headers,
            [
                "<S<T> as Other>",
                "<S<Alias> as Send>",
                "<P as core::clone::Clone>"
            ]
        );
        assert!(e.impls[0].has("fn", "m") && !e.impls[0].has("fn", "inner"));
        assert_eq!(e.impls[0].associated_type("Out"), Some("T"));
        assert!(e.impls[2].has("fn", "clone"));
    }

    #[test]
    fn texts_hide_nothing() {
        let source = "const A: &[u8] = br\"\\\"; impl Tr for S {} const B: char = '\"'; impl Tr for T {} const C: &str = r#\"\"x\"#; impl Tr for U {}";
        let e = Expanded::read(source).expect("a source");
        assert_eq!(e.impls.len(), 3);
    }

    #[test]
    fn names_that_say_nothing() {
        let e = Expanded::read(SOURCE).expect("a source");
        let plain = |text: &str| e.is_plain(&ty(text).expect("a type"), &["T".to_owned()]);
        assert!(plain("S<T>") && plain("[Option<u8>; 3]"));
        assert!(!plain("S<Alias>") && !plain("[u8; LEN]") && !plain("Unknown"));
        assert!(!plain("<P as Id>::Out") && ty("(u8)").is_none());
        assert!(!plain("std::io::Result<u8>") && !plain("Result<u8>") && !plain("std::S<u8>"));
        assert!(
            is_printed("4") && !is_printed("0x4") && !is_printed("{ 4 }") && !is_printed("4usize")
        );
        assert!(!e.is_one_trait("Tr") && e.is_one_trait("std::clone::Clone"));
    }
}
