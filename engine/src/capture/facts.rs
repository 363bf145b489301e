//! `facts.json`: what the compiler knows and MIR's text does not say.

use super::ImplHeader;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// By the enum's path as MIR prints it, without generic arguments.
    pub enums: BTreeMap<String, EnumFacts>,
    /// Values of named constants, exactly as MIR prints name and value.
    pub consts: BTreeMap<String, String>,
    /// Size and alignment in bytes by the type as the compiler prints it.
    pub type_sizes: BTreeMap<String, TypeSize>,
    /// Names of the crate's own traits, and names that a `use` gives, with how many items have them.
    #[serde(default)]
    pub traits: BTreeMap<String, u32>,
    /// Names of the crate's types, with how many items they may mean.
    #[serde(default)]
    pub types: BTreeMap<String, u32>,
    /// Names of types that have two definitions under one path, in two blocks of a function.
    #[serde(default)]
    pub twice: Option<BTreeSet<String>>,
    /// Names of the crate's modules that stand at its top, and that no crate has.
    #[serde(default)]
    pub modules: BTreeSet<String>,
    /// Has the crate a module or function of its own that is named like a crate of std? MIR prints both alike.
    #[serde(default)]
    pub shadows_std: bool,
    /// What a path may begin with that means two things: a module of the crate and a crate, or two crates.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub shared_names: BTreeSet<String>,
    /// The names of the crates that are linked, by whomever. A binary has its package's library, of its own name.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub linked: BTreeSet<String>,
    /// Is a crate linked that is neither std nor this tool's? What its types do when they are dropped is not captured.
    #[serde(default)]
    pub links_others: bool,
    /// The last names of functions that `extern` blocks declare.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub declared: BTreeSet<String>,
    /// Unions by path, with the names of their fields in order: their fields share bytes.
    #[serde(default)]
    pub unions: BTreeMap<String, Vec<String>>,
    /// Structs of the crate that are nothing but a slice or a text, by path: what they hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slices: BTreeMap<String, String>,
    /// Types of the crate that may have no value, by their last names, and variants that may have none (`E::V`).
    #[serde(default)]
    pub empties: BTreeSet<String>,
    /// Types of the crate that hold nothing with a `Drop` of the crate beside their arguments, by their last names, and such
    /// variants (`E::V`).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without_drop: BTreeSet<String>,
    /// The headers of impls that have constants, by their path as MIR prints it: `m::<impl at src/lib.rs:3:1: 3:9>`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub impls: BTreeMap<String, ImplHeader>,
    /// Constants promoted in methods, by their names in code: the names of their bodies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub promoted: BTreeMap<String, String>,
}

impl Facts {
    pub fn enum_fact(&self, path: &str) -> Option<&EnumFacts> {
        self.enums.get(path)
    }

    /// The discriminant of a variant as a bit pattern, to be cut to the width of its type.
    pub fn discriminant(&self, path: &str, variant: &str) -> Option<u128> {
        let found = self.enums.get(path)?;
        found.variants.iter().find(|v| v.name == variant)?.bits()
    }

    /// Is this the only trait of its name? `own`: one of the crate.
    pub fn is_one_trait(&self, path: &str, own: bool) -> bool {
        let name = path.rsplit("::").next().unwrap_or(path);
        self.traits.get(name).copied().unwrap_or(0) <= u32::from(own)
    }

    /// Does a type's name, as the source has it, mean one type of the crate or none?
    pub fn is_one_type(&self, path: &str) -> bool {
        let head = path.split('<').next().unwrap_or(path).trim();
        let name = head.rsplit("::").next().unwrap_or(head);
        self.types.get(name).copied().unwrap_or(0) <= 1
    }

    /// A name with two meanings that a path in this text begins with.
    pub fn shared_in(&self, text: &str) -> Option<&str> {
        let is_first = |at: usize| {
            let before = text[..at].chars().next_back();
            before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '#'))
        };
        let begins = |name: &&String| {
            let prefix = format!("{name}::");
            let mut found = text.match_indices(&prefix);
            found.any(|(at, _)| is_first(at))
        };
        self.shared_names.iter().find(begins).map(String::as_str)
    }

    /// A type that may have no value, mentioned in the text of another one.
    pub fn empty_in<'t>(&self, ty: &'t str) -> Option<&'t str> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '!';
        let mut words = ty.split(|c: char| !is_word(c));
        let own =
            words.find(|word| matches!(*word, "!" | "Infallible") || self.empties.contains(*word));
        own.or_else(|| self.empty_elsewhere(ty))
    }

    /// An enum of another crate without variants.
    fn empty_elsewhere<'t>(&self, ty: &'t str) -> Option<&'t str> {
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let mut paths = ty.split(|c: char| !is_path(c));
        paths.find(|path| {
            let found = self.enums.get(*path);
            path.contains("::") && found.is_some_and(|e| e.variants.is_empty() && e.complete)
        })
    }

    /// May this variant of an enum of the crate have no value?
    pub fn is_empty_variant(&self, path: &str, variant: &str) -> bool {
        let name = path.rsplit("::").next().unwrap_or(path);
        self.empties.contains(&format!("{name}::{variant}"))
    }

    /// Is dropping what a type of the crate holds without effect, if dropping its arguments is?
    pub fn is_without_drop(&self, path: &str, variant: Option<&str>) -> bool {
        // a namesake of another crate is another type
        if (path.split_once("::")).is_some_and(|(first, _)| self.linked.contains(first)) {
            return false;
        }
        let name = path.rsplit("::").next().unwrap_or(path);
        match variant {
            None => self.without_drop.contains(name),
            Some(variant) => self.without_drop.contains(&format!("{name}::{variant}")),
        }
    }

    pub fn is_union(&self, path: &str) -> bool {
        self.unions.contains_key(path) || path.ends_with("::MaybeUninit")
    }

    /// The index of a union's field by its name.
    pub fn union_field(&self, path: &str, field: &str) -> Option<u32> {
        if path.ends_with("::MaybeUninit") {
            return match field {
                "uninit" => Some(0),
                "value" => Some(1),
                _ => None,
            };
        }
        let at = self.unions.get(path)?.iter().position(|f| f == field)?;
        u32::try_from(at).ok()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnumFacts {
    /// The type of the discriminant: `isize` unless there is a `repr`.
    pub repr: String,
    /// Are these all variants?
    pub complete: bool,
    pub variants: Vec<VariantFacts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantFacts {
    pub name: String,
    /// Decimal, signed where `repr` is signed.
    pub discr: String,
}

impl VariantFacts {
    /// The discriminant as a bit pattern of 128 bits.
    pub fn bits(&self) -> Option<u128> {
        let signed = self.discr.parse::<i128>().map(|v| v as u128);
        signed.or_else(|_| self.discr.parse::<u128>()).ok()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeSize {
    pub size: u64,
    pub align: u64,
}
