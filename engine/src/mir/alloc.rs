//! The tables of constant memory that follow the bodies.
use std::sync::Arc;

use super::constant::AllocPointer;

/// A table does not say how wide a pointer is: the targets we verify are 64-bit.
pub(super) const POINTER_BYTES: u64 = 8;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alloc {
    pub id: u32,
    pub kind: AllocKind,
    pub size: u64,
    pub align: u64,
    /// `None` where a byte is uninitialized. A pointer's bytes are its offset, and stand in
    /// `relocations` as well.
    pub bytes: Vec<Option<u8>>,
    /// In order of their offsets.
    pub relocations: Vec<Relocation>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllocKind {
    Memory,
    /// A static's own memory.
    Static(Arc<str>),
    ExternStatic(Arc<str>),
    Function(Arc<str>),
    VTable(Arc<str>),
    /// Other headers, as text: a static whose initializer failed, or is being evaluated.
    Other(Arc<str>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// In bytes, from the start of the allocation.
    pub offset: u64,
    /// In bytes: the size of a pointer, or 1 for a byte of a pointer that was cut.
    pub size: u64,
    pub target: AllocPointer,
}
