//! Calls that `#[verify(assume_total = "..")]` names: nobody has their body, and the user vouches that they return. So do
//! the tables of Unicode in std, which rustc has only machine code of: what a character is to them may be anything here.

use super::inline::Call;
use super::{Lowered, Lowerer, gap, types};
use crate::assumption::Assumption;
use crate::mir::Path;

/// Functions of a character, and of nothing else.
const TABLES: [&str; 2] = ["unicode::unicode_data::", "unicode::conversions::"];

impl Lowerer<'_> {
    /// Is the callee one that is assumed to return? Then the call is done.
    pub fn assumed_total(
        &mut self,
        text: &str,
        path: Option<&Path>,
        call: &Call<'_>,
    ) -> Lowered<bool> {
        let total = self.source.total.iter();
        let mut names = total.filter(|name| self.is_named(name, text, path));
        let name = match names.next().cloned() {
            Some(name) => {
                self.used.insert(Assumption::AssumedTotal);
                self.named.insert((Assumption::AssumedTotal, name.clone()));
                name
            }
            None if types::in_std(text)
                .is_some_and(|p| TABLES.iter().any(|t| p.starts_with(t))) =>
            {
                self.used.insert(Assumption::StdModels);
                text.to_owned()
            }
            None => return Ok(false),
        };
        let Some(next) = call.next else {
            return gap(format!(
                "call of `{name}`, which does not return: it cannot be assumed total"
            ));
        };
        let reached = self.pass_outside(call, &name)?;
        self.come_back(call, &reached, &name)?;
        self.goto(next);
        Ok(true)
    }

    /// Does the user's name mean this callee? As MIR prints it, or without its generic arguments; the own crate's name
    /// may stand in front, and std's crates re-export each other.
    fn is_named(&self, name: &str, text: &str, path: Option<&Path>) -> bool {
        let plain = path.filter(|p| p.qself.is_none()).map(|p| p.plain());
        let own = name
            .strip_prefix(self.source.crate_name)
            .or_else(|| name.strip_prefix("crate"))
            .and_then(|rest| rest.strip_prefix("::"));
        let is = |printed: &str| {
            let of_std = types::in_std(name).zip(types::in_std(printed));
            printed == name || own == Some(printed) || of_std.is_some_and(|(a, b)| a == b)
        };
        is(text) || plain.as_deref().is_some_and(is)
    }
}
