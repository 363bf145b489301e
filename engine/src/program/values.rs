//! What variables are worth along the paths of a loop-free fragment: maps that share their past.
//!
//! A fragment of many blocks changes many variables, and a block few of them. So the values at a block are those before
//! it and a layer of changes, and where paths join only the changes since they parted are looked at.

use crate::term::{Pool, Subst, Term, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Every so many layers all values are written down, so that a look-up ends.
const DISTANCE: usize = 256;

#[derive(Clone, Default)]
pub struct Values(Option<Rc<Layer>>);

struct Layer {
    before: Values,
    depth: usize,
    changes: BTreeMap<Var, Term>,
    /// All values here, in some layers.
    whole: Option<BTreeMap<Var, Term>>,
}

impl Values {
    pub fn of(values: BTreeMap<Var, Term>) -> Values {
        Values::default().with(values)
    }

    /// The values after some changes.
    pub fn with(&self, changes: BTreeMap<Var, Term>) -> Values {
        if changes.is_empty() {
            return self.clone();
        }
        let depth = self.depth() + 1;
        let whole = depth.is_multiple_of(DISTANCE).then(|| {
            let mut all = self.all();
            all.extend(&changes);
            all
        });
        Values(Some(Rc::new(Layer {
            before: self.clone(),
            depth,
            changes,
            whole,
        })))
    }

    fn depth(&self) -> usize {
        self.0.as_ref().map_or(0, |layer| layer.depth)
    }

    pub fn same(&self, other: &Values) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The value of a variable that has changed.
    pub fn get(&self, v: Var) -> Option<Term> {
        let mut at = self;
        while let Some(layer) = &at.0 {
            if let Some(whole) = &layer.whole {
                return whole.get(&v).copied();
            }
            if let Some(t) = layer.changes.get(&v) {
                return Some(*t);
            }
            at = &layer.before;
        }
        None
    }

    /// Every variable that has changed.
    pub fn all(&self) -> BTreeMap<Var, Term> {
        let (mut layers, mut at) = (vec![], self);
        let mut all = BTreeMap::new();
        while let Some(layer) = &at.0 {
            if let Some(whole) = &layer.whole {
                all.clone_from(whole);
                break;
            }
            layers.push(&layer.changes);
            at = &layer.before;
        }
        for changes in layers.into_iter().rev() {
            all.extend(changes);
        }
        all
    }

    /// The values where some paths parted, and the variables that changed on any of them since.
    pub fn parted(paths: &[&Values]) -> (Values, BTreeSet<Var>) {
        let mut changed = BTreeSet::new();
        let [first, others @ ..] = paths else {
            return (Values::default(), changed);
        };
        let mut common = (*first).clone();
        for other in others {
            let mut other = (*other).clone();
            while !common.same(&other) {
                let deeper = match common.depth() >= other.depth() {
                    true => &mut common,
                    false => &mut other,
                };
                let Some(layer) = deeper.0.take() else {
                    break;
                };
                changed.extend(layer.changes.keys());
                *deeper = layer.before.clone();
            }
        }
        (common, changed)
    }

    /// The substitution of these values in some terms.
    pub fn in_terms(&self, pool: &Pool, terms: &[Term]) -> Subst {
        let mut subst = Subst::new();
        for v in pool.free_vars(terms) {
            if let Some(t) = self.get(v) {
                subst.bind(v, t);
            }
        }
        subst
    }
}

impl Drop for Layer {
    /// A long past must not need a deep stack to be forgotten.
    fn drop(&mut self) {
        let mut next = self.before.0.take();
        while let Some(layer) = next {
            next = match Rc::try_unwrap(layer) {
                Ok(mut layer) => layer.before.0.take(),
                Err(_) => None,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn layers_are_one_map() {
        let mut pool = Pool::new();
        let vars: Vec<Var> = (0..5)
            .map(|i| pool.fresh(format!("v{i}"), Sort::Bv(32)))
            .collect();
        let (mut values, mut plain) = (Values::default(), BTreeMap::new());
        for n in 0..3 * DISTANCE {
            let change = BTreeMap::from([(vars[n % 4], pool.bv(n as u128, 32))]);
            plain.extend(&change);
            values = values.with(change);
            for v in &vars {
                assert_eq!(values.get(*v), plain.get(v).copied());
            }
        }
        assert_eq!(values.all(), plain);
    }

    #[test]
    fn paths_share_what_was_before_them() {
        let mut pool = Pool::new();
        let vars: Vec<Var> = (0..4)
            .map(|i| pool.fresh(format!("v{i}"), Sort::Bv(32)))
            .collect();
        let (one, two) = (pool.bv(1, 32), pool.bv(2, 32));
        let before = Values::of(BTreeMap::from([(vars[0], one)]));
        let left = before.with(BTreeMap::from([(vars[1], one)]));
        let left = left.with(BTreeMap::from([(vars[2], two)]));
        let right = before.with(BTreeMap::from([(vars[1], two)]));
        let (common, changed) = Values::parted(&[&left, &before, &right]);
        assert!(common.same(&before));
        assert_eq!(changed, BTreeSet::from([vars[1], vars[2]]));
        let (common, changed) = Values::parted(&[&left, &left]);
        assert!(common.same(&left) && changed.is_empty());
        let (common, changed) = Values::parted(&[&left, &Values::default()]);
        assert!(common.same(&Values::default()));
        assert_eq!(changed.len(), 3);
    }

    #[test]
    fn a_long_past_is_dropped_without_a_deep_stack() {
        let mut pool = Pool::new();
        let v = pool.fresh("v", Sort::Bv(32));
        let one = pool.bv(1, 32);
        let mut values = Values::default();
        for _ in 0..300_000 {
            values = values.with(BTreeMap::from([(v, one)]));
        }
        drop(values);
    }
}
