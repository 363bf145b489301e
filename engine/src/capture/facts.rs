//! `facts.json`: what the compiler knows and MIR's text does not say.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Facts {
    /// By the enum's path as MIR prints it, without generic arguments.
    pub enums: BTreeMap<String, EnumFacts>,
    /// Values of named constants, exactly as MIR prints name and value.
    pub consts: BTreeMap<String, String>,
    /// Size and alignment in bytes by the type as the compiler prints it.
    pub type_sizes: BTreeMap<String, TypeSize>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeSize {
    pub size: u64,
    pub align: u64,
}
