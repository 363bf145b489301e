//! The same as in `error/associated.rs`, as its help says.
use optverify::{requires, verify};

pub struct Table;

impl Table {
    #[verify(associated)]
    #[requires(index < 10)]
    pub fn slot(index: u8) -> u8 {
        assert!(index < 11);
        index * 2
    }
}
