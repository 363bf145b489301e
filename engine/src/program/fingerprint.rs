//! An exact description of a program as text: equal texts, equal programs. Nothing is elided; shared terms are
//! numbered, variables are numbered by first use, so that handles of different pools compare.

use super::{InputShape, Program, Stmt, Terminator, input_vars};
use crate::term::{FastMap, Node, Term, Var};
use std::fmt::Write;

impl Program {
    pub fn fingerprint(&self) -> String {
        self.written().out
    }

    /// The variables in the order of their first use: in programs of equal fingerprints, equal places are equal
    /// variables.
    pub fn numbered_vars(&self) -> Vec<Var> {
        let mut vars: Vec<(usize, Var)> =
            self.written().vars.iter().map(|(v, n)| (*n, *v)).collect();
        vars.sort_unstable();
        vars.into_iter().map(|(_, v)| v).collect()
    }

    fn written(&self) -> Writer<'_> {
        let mut w = Writer {
            program: self,
            out: String::new(),
            terms: FastMap::default(),
            vars: FastMap::default(),
        };
        w.program();
        w
    }
}

struct Writer<'a> {
    program: &'a Program,
    out: String,
    terms: FastMap<Term, usize>,
    vars: FastMap<Var, usize>,
}

impl Writer<'_> {
    fn program(&mut self) {
        let p = self.program;
        for input in &p.inputs {
            let mut vars = vec![];
            input_vars(&input.shape, &mut vars);
            let ids: Vec<usize> = vars.into_iter().map(|v| self.var(v)).collect();
            let kind = std::mem::discriminant::<InputShape>(&input.shape);
            let _ = writeln!(self.out, "input {} {kind:?} {ids:?}", input.name);
        }
        for v in &p.outputs {
            let id = self.var(*v);
            let _ = writeln!(self.out, "output v{id}");
        }
        for r in &p.requires {
            let id = self.term(*r);
            let _ = writeln!(self.out, "requires t{id}");
        }
        let _ = writeln!(self.out, "entry {}", p.entry.0);
        for (i, b) in p.blocks.iter().enumerate() {
            let _ = writeln!(self.out, "b{i}");
            for s in &b.stmts {
                match s {
                    Stmt::Assign(v, t) => {
                        let (v, t) = (self.var(*v), self.term(*t));
                        let _ = writeln!(self.out, "v{v} := t{t}");
                    }
                    Stmt::Havoc(v, draw) => {
                        let v = self.var(*v);
                        let _ = writeln!(self.out, "v{v} := {draw:?}");
                    }
                    Stmt::Assume(c) => {
                        let c = self.term(*c);
                        let _ = writeln!(self.out, "assume t{c}");
                    }
                }
            }
            match &b.terminator {
                Terminator::Branch {
                    cond,
                    then,
                    otherwise,
                } => {
                    let c = self.term(*cond);
                    let _ = writeln!(self.out, "if t{c} b{} b{}", then.0, otherwise.0);
                }
                Terminator::Stop(s) => {
                    let _ = writeln!(self.out, "stop {:?}", p.stops[*s]);
                }
                other => {
                    let _ = writeln!(self.out, "{other:?}");
                }
            }
        }
    }

    fn var(&mut self, v: Var) -> usize {
        if let Some(&id) = self.vars.get(&v) {
            return id;
        }
        let id = self.vars.len();
        self.vars.insert(v, id);
        let info = self.program.pool.var_info(v);
        let _ = writeln!(self.out, "v{id}: {} {:?}", info.name, info.sort);
        id
    }

    fn term(&mut self, t: Term) -> usize {
        let mut todo = vec![(t, false)];
        while let Some((u, ready)) = todo.pop() {
            if self.terms.contains_key(&u) {
                continue;
            }
            let children = self.program.pool.children(u);
            if !ready {
                todo.push((u, true));
                todo.extend(children.into_iter().rev().map(|c| (c, false)));
                continue;
            }
            let ids: Vec<usize> = children.iter().map(|c| self.terms[c]).collect();
            let sort = self.program.pool.sort(u);
            let label = match self.program.pool.node(u) {
                Node::Const(c) => format!("{c}"),
                Node::Var(v) => format!("v{}", self.var(*v)),
                Node::Unary(op, _) => format!("{op:?}"),
                Node::Binary(op, ..) => format!("{op:?}"),
                Node::Ite(..) => "ite".into(),
                Node::Extract { lo, .. } => format!("extract {lo}"),
                Node::Zext(_) => "zext".into(),
                Node::Sext(_) => "sext".into(),
                Node::Float(op, _) => format!("f{op:?}"),
                Node::Select(..) => "select".into(),
                Node::Store(..) => "store".into(),
                Node::ConstArray(_) => "all".into(),
                Node::Blit { .. } => "blit".into(),
                Node::Lambda { bound, .. } => format!("lambda v{}", self.var(*bound)),
            };
            let id = self.terms.len();
            self.terms.insert(u, id);
            let _ = writeln!(self.out, "t{id}: {label} {ids:?} {sort:?}");
        }
        self.terms[&t]
    }
}
