//! Pieces of ordinary code out of `snippets.txt`, with random expressions in their holes: drops, trait objects,
//! closures, iterators, patterns, moves. What they compute is a variable that later claims speak of.

use crate::calm::{Writer, small};
use crate::scope::Variable;
use crate::types::{INTS, U32};

/// Types and helpers that pieces use.
pub const ITEMS: &str = include_str!("items.rs.txt");

/// Only as much of them as the texts mention.
const SNIPPETS: &str = include_str!("snippets.txt");

impl Writer<'_> {
    pub fn snippet(&mut self) {
        let pieces: Vec<&str> = SNIPPETS.split("\n\n").collect();
        let piece = *self.g.random.pick(&pieces);
        let code = piece.lines().filter(|l| !l.starts_with("//"));
        let x = self.g.fresh("x");
        self.line(format!("let mut {x}: u32 = 0;"));
        let mut body: Vec<String> = vec![];
        for line in code {
            let mut line = line.replace("{x}", &x);
            while let Some((hole, text)) = self.hole(&line) {
                line = line.replacen(&hole, &text, 1);
            }
            body.push(line);
        }
        self.line("{");
        self.lines.extend(body);
        self.line("}");
        self.g.scope.push(Variable::local(&x, &U32, true));
    }

    /// The first hole of a line, and what goes into it.
    fn hole(&mut self, line: &str) -> Option<(String, String)> {
        let holes = INTS.iter().map(|t| (format!("{{{}}}", t.name()), Some(t)));
        let others = ["{c}", "{k}", "{result}"].map(|h| (h.to_owned(), None));
        let all = holes
            .chain(others)
            .filter_map(|(h, t)| Some((line.find(&h)?, h, t)));
        let (_, hole, ty) = all.min_by_key(|(at, ..)| *at)?;
        let text = match (ty, hole.as_str()) {
            (Some(ty), _) => self.int(ty, 1),
            (_, "{c}") => format!("({})", self.condition(1)),
            (_, "{k}") => small(&mut self.g.random, &U32),
            _ => {
                let result = self.g.result.clone();
                self.value(&result)
            }
        };
        Some((hole, text))
    }
}
