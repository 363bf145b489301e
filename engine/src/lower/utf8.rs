//! Parameters that are texts: bytes that are valid UTF-8, without a quantifier.
//!
//! The input is any array of bytes, and the program starts by making every byte that belongs to no well-formed sequence
//! a question mark. A byte that starts a sequence is never inside of another one, so sequences do not overlap: each
//! valid text is made of itself, and nothing else comes out. Whether a byte is kept depends on three neighbours on each
//! side; those before the start and after the end of the text are zero, which no run can see.
//!
//! Most functions do not need to know: a proof for any bytes is one for texts. Only where a text that is none breaks
//! the function it is verified again with this (`Texts`).

use super::shape::Step;
use super::{Lowered, Lowerer, ObjectId, Part};
use crate::program::utf8::{REACH, repaired_byte};
use crate::term::{Sort, Var};

impl Lowerer<'_> {
    /// The bytes at this leaf become an input that is repaired first. Returned is the input.
    pub fn utf8_input(&mut self, object: ObjectId, path: &[Step], len: Var) -> Lowered<Var> {
        let sort = Sort::Array { index: 64, elem: 8 };
        let raw = self.input_var(object, path, Part::Value, sort);
        let bound = self.pool.fresh("byte", Sort::Bv(64));
        let (at, array, end) = (self.pool.var(bound), self.pool.var(raw), self.pool.var(len));
        let byte = repaired_byte(&mut self.pool, array, at);
        let all = self.pool.lambda(bound, byte, sort);
        for k in 0..REACH {
            let (before, behind) = (self.bv64(k.wrapping_sub(REACH)), self.bv64(k));
            for outside in [before, self.pool.add(end, behind)] {
                let byte = self.pool.select(array, outside);
                let zero = self.pool.bv(0, 8);
                let is_zero = self.pool.eq(byte, zero);
                self.requires.push(is_zero);
            }
        }
        self.set_at_entry(object, path, Part::Value, all, sort)?;
        Ok(raw)
    }
}
