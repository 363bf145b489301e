//! A macro cannot see that its function stands in an impl.
use optverify::{requires, verify};

pub struct Table;

impl Table {
    #[verify]
    #[requires(index < 10)]
    pub fn slot(index: u8) -> u8 {
        index * 2
    }
}
