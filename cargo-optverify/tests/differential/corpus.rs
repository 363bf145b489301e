//! Functions of real crates and of std behind small wrappers, whose types the harness can make and compare.

use crate::functions::{File, Function, Parameter, Passing};
use crate::types::{INTS, Items, Ty};

/// The crates, pinned as in the round-trip corpus.
pub const CRATES: &str = "adler2 = { version = \"=2.0.1\", default-features = false }\n\
    fnv = \"=1.0.7\"\nhex = \"=0.4.3\"\nitoa = \"=1.0.15\"\n";

/// One function a line.
const FUNCTIONS: &str = include_str!("corpus_functions.txt");

/// The corpus as a file of the harness: the wrappers and what they use.
pub fn file() -> File {
    let code = FUNCTIONS.lines().filter(|l| !l.starts_with("//"));
    let (functions, prelude): (Vec<&str>, Vec<&str>) = code.partition(|l| l.starts_with("fn "));
    File {
        items: Items::default(),
        prelude: prelude.join("\n") + "\n",
        functions: functions.into_iter().map(function).collect(),
    }
}

fn function(line: &str) -> Function {
    let mut reader = Reader(line);
    reader.expect("fn ");
    let name = reader.word().to_owned();
    reader.expect("(");
    let mut parameters = vec![];
    while !reader.take(")") {
        reader.word();
        reader.expect(": ");
        parameters.push(reader.parameter());
        reader.take(", ");
    }
    reader.expect(" -> ");
    let result = reader.ty();
    Function {
        name,
        parameters,
        result,
        text: format!("{line}\n"),
    }
}

/// Reads signatures; a signature it cannot read is a mistake in the corpus.
struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn take(&mut self, text: &str) -> bool {
        let rest = self.0.strip_prefix(text);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) {
        assert!(self.take(text), "expected `{text}` at `{}`", self.0);
    }

    fn word(&mut self) -> &'a str {
        let end = self.0.find(|c: char| !(c.is_alphanumeric() || c == '_'));
        let (word, rest) = self.0.split_at(end.unwrap_or(self.0.len()));
        self.0 = rest;
        word
    }

    fn parameter(&mut self) -> Parameter {
        let ways = [
            ("&mut [", Passing::SliceMut),
            ("&[", Passing::Slice),
            ("&mut ", Passing::RefMut),
            ("&", Passing::Ref),
        ];
        let way = ways.into_iter().find(|(text, _)| self.take(text));
        let ty = self.ty();
        let passing = way.map_or(Passing::Value, |(_, passing)| passing);
        if matches!(passing, Passing::Slice | Passing::SliceMut) {
            self.expect("]");
        }
        Parameter { ty, passing }
    }

    fn ty(&mut self) -> Ty {
        if self.take("[") {
            let element = self.ty();
            self.expect("; ");
            let length = self.word().parse().expect("a length");
            self.expect("]");
            return Ty::Array(Box::new(element), length);
        }
        if self.take("(") {
            let mut parts = vec![];
            while !self.take(")") {
                parts.push(self.ty());
                self.take(", ");
            }
            return Ty::Tuple(parts);
        }
        match self.word() {
            "bool" => Ty::Bool,
            "char" => Ty::Char,
            "Option" => {
                self.expect("<");
                let inner = self.ty();
                self.expect(">");
                Ty::Option(Box::new(inner))
            }
            word => {
                let int = INTS.iter().find(|t| t.name() == word);
                int.unwrap_or_else(|| panic!("no type `{word}`")).clone()
            }
        }
    }
}
