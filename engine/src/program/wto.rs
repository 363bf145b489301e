//! Weak topological order (Bourdoncle, 1993) of a program's blocks: its components are the loops, its heads the
//! cut-points. Irreducible graphs get heads, too: every cycle contains one.

use super::{BlockId, Program};

/// A vertex or a component with its head first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WtoElem {
    Vertex(BlockId),
    Component(BlockId, Vec<WtoElem>),
}

/// The order of all blocks reachable from the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wto {
    pub elems: Vec<WtoElem>,
}

impl Wto {
    pub fn of(program: &Program) -> Wto {
        let n = program.blocks.len();
        let mut builder = Builder {
            program,
            dfn: vec![0; n],
            num: 0,
            stack: vec![],
        };
        let mut elems = vec![];
        builder.visit(program.entry, &mut elems);
        elems.reverse();
        Wto { elems }
    }

    /// The heads of all components, outer before inner, in order.
    pub fn heads(&self) -> Vec<BlockId> {
        fn walk(elems: &[WtoElem], out: &mut Vec<BlockId>) {
            for e in elems {
                if let WtoElem::Component(h, inner) = e {
                    out.push(*h);
                    walk(inner, out);
                }
            }
        }
        let mut out = vec![];
        walk(&self.elems, &mut out);
        out
    }

    /// For each head the number of components around it (0 for an outermost loop).
    pub fn depths(&self) -> Vec<(BlockId, usize)> {
        fn walk(elems: &[WtoElem], depth: usize, out: &mut Vec<(BlockId, usize)>) {
            for e in elems {
                if let WtoElem::Component(h, inner) = e {
                    out.push((*h, depth));
                    walk(inner, depth + 1, out);
                }
            }
        }
        let mut out = vec![];
        walk(&self.elems, 0, &mut out);
        out
    }
}

struct Builder<'a> {
    program: &'a Program,
    dfn: Vec<usize>,
    num: usize,
    stack: Vec<BlockId>,
}

/// One activation of Bourdoncle's `Visit`, kept on an explicit stack: programs may have thousands of blocks in a row.
struct Frame {
    block: BlockId,
    succs: Vec<BlockId>,
    next: usize,
    head: usize,
    is_loop: bool,
}

impl Builder<'_> {
    /// Appends the partition of what is reachable from `root` to `out`, in reverse order.
    fn visit(&mut self, root: BlockId, out: &mut Vec<WtoElem>) {
        let mut frames = vec![self.open(root)];
        let mut returned: Option<usize> = None;
        while let Some(top) = frames.last_mut() {
            if let Some(min) = returned.take()
                && min <= top.head
            {
                top.head = min;
                top.is_loop = true;
            }
            if top.next < top.succs.len() {
                let s = top.succs[top.next];
                top.next += 1;
                let d = self.dfn[s.index()];
                if d == 0 {
                    let f = self.open(s);
                    frames.push(f);
                } else if d <= top.head {
                    top.head = d;
                    top.is_loop = true;
                }
                continue;
            }
            let Some(done) = frames.pop() else { break };
            returned = Some(self.close(done, out));
        }
    }

    fn open(&mut self, block: BlockId) -> Frame {
        self.stack.push(block);
        self.num += 1;
        self.dfn[block.index()] = self.num;
        Frame {
            block,
            succs: self.program.successors(block),
            next: 0,
            head: self.num,
            is_loop: false,
        }
    }

    fn close(&mut self, f: Frame, out: &mut Vec<WtoElem>) -> usize {
        let v = f.block;
        if f.head == self.dfn[v.index()] {
            self.dfn[v.index()] = usize::MAX;
            let mut top = self.stack.pop();
            if f.is_loop {
                while let Some(t) = top
                    && t != v
                {
                    self.dfn[t.index()] = 0;
                    top = self.stack.pop();
                }
                let mut inner = vec![];
                for s in self.program.successors(v) {
                    if self.dfn[s.index()] == 0 {
                        self.visit(s, &mut inner);
                    }
                }
                inner.reverse();
                out.push(WtoElem::Component(v, inner));
            } else {
                out.push(WtoElem::Vertex(v));
            }
        }
        f.head
    }
}
