//! A function with a contract that calls itself, by induction over the depth of its calls.
//!
//! The root is the function that `#[verify]` makes around the one with the contract: it assumes the precondition, calls,
//! and checks the postcondition. Where the function calls itself, the root stands in for it, turned round: the precondition
//! is checked, the call returns anything (`opaque`), the postcondition is assumed. What is assumed of the inner call is
//! then exactly what is proven of the outer one, with the same code of the same snapshot.
//!
//! That a call returns at all is not known, so no run goes through one: a proof is one of partial correctness, and a
//! counterexample must do without.

use super::inline::Call;
use super::instance::{BodyRef, InstanceId};
use super::value::Value;
use super::{Lowered, Lowerer, gap};
use crate::assumption::Assumption;
use crate::mir::{Body, Const, Operand, TerminatorKind};
use crate::program::Draw;
use crate::term::Sort;

/// How the panic of a violated postcondition begins (`optverify/macros/src/root.rs`).
const POSTCONDITION: &str = "postcondition violated: ";

/// The function with the contract, by the path of the one that `#[verify]` makes around it.
fn function_of(root: &str) -> Option<String> {
    if let Some(function) = root.strip_suffix("::_::__optverify_root") {
        return Some(function.to_string());
    }
    let (place, name) = root.split_once("::__optverify_root_")?;
    Some(format!("{place}::{name}"))
}

impl<'a> Lowerer<'a> {
    fn root_body(&self) -> &'a Body {
        self.instances[0].body.body
    }

    /// Is this the function that the root's contract is of?
    fn has_contract(&self, callee: BodyRef<'_>) -> bool {
        self.source.by_contract
            && function_of(&self.root_body().path).as_deref() == Some(&*callee.body.path)
    }

    /// Is the callee one that is known by its contract here? Then the call is done. `recursive`: it is being called.
    pub fn by_contract(
        &mut self,
        callee: BodyRef<'a>,
        call: &Call<'_>,
        values: &[Value],
        recursive: bool,
    ) -> Lowered<bool> {
        if !recursive || !self.has_contract(callee) {
            return Ok(false);
        }
        let root = self.instances[0].body;
        let name = super::last_segment(&callee.body.path).to_string();
        if self.in_contract {
            let is_the_call = self.frame != InstanceId(0) && std::ptr::eq(self.body(), root.body);
            if !is_the_call {
                return gap(format!("recursion of `{name}` inside of its own contract"));
            }
            return self.assumed_call(call, &name).map(|()| true);
        }
        // Only one call is the one that the contract is about.
        let calls = |body: &Body| {
            body.blocks
                .iter()
                .filter(|b| calls(&b.terminator.kind, &name))
                .count()
        };
        if calls(root.body) != 1 {
            return gap(format!(
                "recursion of `{name}`, whose contract does not call it once"
            ));
        }
        self.used.insert(Assumption::Contract);
        self.named.insert((Assumption::Contract, name));
        self.in_contract = true;
        self.contract_site = self.span.clone();
        let done = self.inline_values(root, call, values, 0);
        self.in_contract = false;
        done.map(|()| true)
    }

    /// The inner call: it returns, if it does, with any value.
    fn assumed_call(&mut self, call: &Call<'_>, name: &str) -> Lowered<()> {
        let Some(next) = call.next else {
            return gap(format!("recursion of `{name}`, which does not return"));
        };
        let reached = self.pass_outside(call, name)?;
        let returns = self.pool.fresh("returns", Sort::Bool);
        self.draw_vars.push(returns);
        let why = format!("`{name}` calls itself, and only its contract is known of that call");
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

/// Is it a call of a function of this name, or of a value?
fn calls(kind: &TerminatorKind, name: &str) -> bool {
    match kind {
        TerminatorKind::Call { func, .. } => match func {
            Operand::Const(Const::FnItem(p) | Const::Named(p)) => p.last_name() == name,
            _ => true,
        },
        _ => false,
    }
}
