//! Calls that are known by a contract, in place of the callee's body.
//!
//! A function with a contract is verified as the root that `#[verify]` makes around it: that one assumes the precondition,
//! calls, and checks the postcondition. In place of a call the same function stands turned round: the precondition is
//! checked, the call returns anything (`opaque`), the postcondition is assumed. What is assumed of the call is then exactly
//! what the root proves, with the same code of the same snapshot.
//!
//! In its own root a function is known so where it calls itself, by induction over the depth of the calls. Elsewhere the
//! proof holds only if the contract's own root is safe at the same stage: which roots that are is told (`contracts_used`),
//! and whoever knows their verdicts decides. Roots may use each other's contracts: a run that violates one first does so in
//! a call all of whose own calls kept theirs.
//!
//! That a call returns at all is not known, so no run goes through one: a proof is one of partial correctness, and a
//! counterexample must do without.

use super::inline::Call;
use super::instance::{BodyRef, InstanceId};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::assumption::Assumption;
use crate::mir::{Body, BodyKind, Const, Operand, Path, TerminatorKind};
use crate::program::Draw;
use crate::term::Sort;
use std::collections::BTreeSet;

/// How the panic of a violated postcondition begins (`optverify/macros/src/root.rs`).
const POSTCONDITION: &str = "postcondition violated: ";

/// Which calls are known by contracts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ByContract {
    /// None: bodies are unfolded.
    #[default]
    Nothing,
    /// In the root of a function with a contract, where it calls itself.
    Itself,
    /// And calls of other functions with contracts that call themselves.
    Recursive,
    /// And calls of all other functions with contracts.
    All,
}

/// The contract of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The function around it that assumes, calls and checks.
    pub harness: String,
    /// The root that this is, for people.
    pub root: String,
}

/// The function with the contract, by the path of the one that `#[verify]` makes around it.
pub fn function_of(harness: &str) -> Option<String> {
    if let Some(function) = harness.strip_suffix("::_::__optverify_root") {
        return Some(function.to_string());
    }
    let (place, name) = harness.split_once("::__optverify_root_")?;
    Some(format!("{place}::{name}"))
}

impl<'a> Lowerer<'a> {
    fn root_body(&self) -> &'a Body {
        self.instances[0].body.body
    }

    /// Is this the function that the root's contract is of?
    fn is_own_function(&self, path: &str) -> bool {
        function_of(&self.root_body().path).as_deref() == Some(path)
    }

    /// Is the callee one that is known by its contract here? Then the call is done. `active`: it is being called.
    pub fn by_contract(
        &mut self,
        callee: BodyRef<'a>,
        call: &Call<'_>,
        values: &[Value],
        active: bool,
    ) -> Lowered<bool> {
        if self.source.by_contract == ByContract::Nothing {
            return Ok(false);
        }
        let path = &*callee.body.path;
        let name = super::last_segment(path).to_string();
        if let Some(harness) = self.contract_root {
            // What a contract says is code like any other, but for the call that it is about.
            if function_of(&harness.body.path).as_deref() != Some(path) {
                return Ok(false);
            }
            let is_the_call =
                self.frame != InstanceId(0) && std::ptr::eq(self.body(), harness.body);
            if !is_the_call {
                return gap(format!("recursion of `{name}` inside of its own contract"));
            }
            return self.assumed_call(call, &name).map(|()| true);
        }
        let own = self.is_own_function(path);
        let harness = match own {
            true if active => self.instances[0].body,
            true => return Ok(false),
            false => match self.others_contract(path)? {
                Some(harness) => harness,
                None => return Ok(false),
            },
        };
        // Only one call is the one that the contract is about.
        let calls = harness.body.blocks.iter();
        if calls
            .filter(|b| calls_it(&b.terminator.kind, &name))
            .count()
            != 1
        {
            return match own {
                true => gap(format!(
                    "recursion of `{name}`, whose contract does not call it once"
                )),
                // it is inlined there
                false => Ok(false),
            };
        }
        self.used.insert(Assumption::Contract);
        let known_as = match self.source.contracts.get(path) {
            Some(contract) if !own => {
                self.contracts_used.insert(contract.root.clone());
                contract.root.clone()
            }
            _ => name,
        };
        self.named.insert((Assumption::Contract, known_as));
        self.in_contract = true;
        self.contract_root = Some(harness);
        self.contract_site = self.span.clone();
        let done = self.inline_values(harness, call, values, 0);
        self.in_contract = false;
        self.contract_root = None;
        done.map(|()| true)
    }

    /// The contract of another function than the root's own, where it is to stand for it. What calls itself only by way of
    /// the root's own function ends there.
    fn others_contract(&mut self, path: &str) -> Lowered<Option<BodyRef<'a>>> {
        let source = self.source;
        let Some(contract) = source.contracts.get(path) else {
            return Ok(None);
        };
        let wanted = match source.by_contract {
            ByContract::Nothing | ByContract::Itself => false,
            ByContract::Recursive => self.calls_itself(path),
            ByContract::All => true,
        };
        match wanted {
            true => self.bodies.by_path(&contract.harness, BodyKind::Fn),
            false => Ok(None),
        }
    }

    /// As far as names tell, by way of other functions or not.
    fn calls_itself(&mut self, path: &str) -> bool {
        if let Some(&known) = self.recursive.get(path) {
            return known;
        }
        let last = super::last_segment(path);
        let mut todo = vec![last];
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut found = false;
        while let Some(name) = todo.pop() {
            for body in self.bodies.named(name) {
                if self.is_own_function(&body.path) || !seen.insert(&body.path) {
                    continue;
                }
                let called = body
                    .blocks
                    .iter()
                    .filter_map(|b| called(&b.terminator.kind));
                for callee in called.map(|p| p.last_name()) {
                    found |= callee == last;
                    todo.push(callee);
                }
            }
        }
        self.recursive.insert(path.to_owned(), found);
        found
    }

    /// The call itself: it returns, if it does, with any value.
    fn assumed_call(&mut self, call: &Call<'_>, name: &str) -> Lowered<()> {
        let Some(next) = call.next else {
            return gap(format!("recursion of `{name}`, which does not return"));
        };
        let reached = self.pass_outside(call, name)?;
        let returns = self.pool.fresh("returns", Sort::Bool);
        self.draw_vars.push(returns);
        let why = format!("of a call of `{name}` only its contract is known");
        self.havoc(returns, Draw::Approximate(why));
        let returns = self.pool.var(returns);
        self.assume(returns);
        self.come_back(call, &reached, name)?;
        self.goto(next);
        Ok(())
    }

    /// In place of a call the contract's own panics are none of the program: a postcondition that does not hold is
    /// no result of the call.
    pub fn is_assumed_postcondition(&self, message: &str) -> bool {
        self.in_contract && message.starts_with(POSTCONDITION)
    }
}

/// The function that a terminator calls by name.
fn called(kind: &TerminatorKind) -> Option<&Path> {
    match kind {
        TerminatorKind::Call {
            func: Operand::Const(Const::FnItem(p) | Const::Named(p)),
            ..
        } => Some(p),
        _ => None,
    }
}

/// Is it a call of a function of this name, or of a value?
fn calls_it(kind: &TerminatorKind, name: &str) -> bool {
    let is_call = matches!(kind, TerminatorKind::Call { .. });
    is_call && called(kind).is_none_or(|p| p.last_name() == name)
}
