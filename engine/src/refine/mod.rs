//! Refinement: the program after a pass returns what the program before it returns.
//!
//! Safety alone would let a pass through that drops an assertion together with the values it speaks of. Here the
//! returned value and the memory behind references are compared on all inputs on which the program before returns,
//! by an inductive proof over the product of both programs (`product`): MkInd with equalities as candidates,
//! certified like every proof. A difference is an input on which both programs were run to different ends.

mod equal;
mod outputs;
mod product;
mod side;
mod twin;

pub use equal::{Refinement, refine};
pub use twin::{Difference, End};
