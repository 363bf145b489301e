//! What the compiler knows and MIR text does not say: discriminants, values of named constants, sizes.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// By the path of the enum as MIR prints it, without generic arguments.
    #[serde(default)]
    pub enums: BTreeMap<String, EnumFact>,
    /// Values of named constants, as MIR prints literals: `4_usize`.
    #[serde(default)]
    pub consts: BTreeMap<String, String>,
    /// Sizes in bytes by the type's text.
    #[serde(default)]
    pub type_sizes: BTreeMap<String, u64>,
    /// Paths of unions with their fields in order.
    #[serde(default)]
    pub unions: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnumFact {
    /// The integer type of the discriminant: `isize`, `u8`.
    pub repr: String,
    /// Are these all variants?
    #[serde(default)]
    pub complete: bool,
    /// In order of declaration.
    pub variants: Vec<VariantFact>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantFact {
    pub name: String,
    /// Decimal, signed where the type is.
    pub discr: String,
}

impl VariantFact {
    /// The discriminant as a bit pattern of 128 bits, to be cut to the width of the type.
    pub fn bits(&self) -> Option<u128> {
        self.discr
            .parse::<i128>()
            .map(|v| v as u128)
            .or_else(|_| self.discr.parse::<u128>())
            .ok()
    }
}

impl Facts {
    pub fn enum_fact(&self, path: &str) -> Option<&EnumFact> {
        self.enums.get(path)
    }

    pub fn discriminant(&self, path: &str, variant: &str) -> Option<u128> {
        self.enums
            .get(path)?
            .variants
            .iter()
            .find(|v| v.name == variant)?
            .bits()
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
        Some(at as u32)
    }
}
