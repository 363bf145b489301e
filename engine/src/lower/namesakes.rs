//! Constants of one name in several blocks of a function: MIR prints their paths alike, so nobody knows which of them is
//! meant. Where all of them are printed with their values, it is one of these.

use super::types::{self, erase};
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::mir::{Body, Const, Path, Ty};
use crate::program::Draw;
use crate::term::Sort;

/// The values of namesakes and the one type that they have; none if one of them is no number.
fn numbers<'a>(bodies: &[&'a Body]) -> Option<(Ty, Vec<&'a Const>)> {
    let ty = erase(bodies.first()?.ret());
    types::scalar_kind(&ty)?;
    let mut values: Vec<&Const> = vec![];
    for body in bodies {
        let value = body.value.as_ref()?;
        if erase(body.ret()) != ty {
            return None;
        }
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Some((ty, values))
}

impl Lowerer<'_> {
    pub fn type_of_namesakes(&self, path: &Path) -> Option<Ty> {
        let bodies = self.bodies.namesakes(&path.to_string())?;
        numbers(&bodies).map(|(ty, _)| ty)
    }

    /// The value of such a constant, each time anew.
    pub fn one_of_namesakes(&mut self, path: &Path) -> Lowered<Option<Value>> {
        let Some(bodies) = self.bodies.namesakes(&path.to_string()) else {
            return Ok(None);
        };
        let Some((ty, values)) = numbers(&bodies) else {
            return Ok(None);
        };
        let mut terms = vec![];
        for value in values {
            let value = self.constant(value, Some(&ty))?;
            terms.push(self.bits(&value)?);
        }
        let Some(mut chosen) = terms.pop() else {
            return Ok(None);
        };
        for term in terms {
            let why = format!("which constant `{}` is meant", path.plain());
            let which = self.pool.fresh("which?", Sort::Bool);
            self.draw_vars.push(which);
            self.havoc(which, Draw::Approximate(why));
            let which = self.pool.var(which);
            chosen = self.pool.ite(which, term, chosen);
        }
        Ok(Some(self.scalar(chosen)))
    }
}
