//! The mistakes of a buggy optimizer, made on purpose: constants, operators, branches, lost and moved statements,
//! wrong variants, wrong copies, checks dropped together with the value they speak of.

use optverify_engine::mir::{
    Aggregate, BinOp, Body, Const, Local, Operand, Place, Rvalue, StatementKind, TerminatorKind,
};

/// One mistake: where, and which of its kinds.
#[derive(Debug, Clone)]
pub struct Mutation {
    pub kind: &'static str,
    block: usize,
    /// The statement's position; the terminator's if it is the number of statements.
    at: usize,
    variant: usize,
}

/// All mistakes that can be made in a body.
pub fn all(body: &Body) -> Vec<Mutation> {
    let mut out = vec![];
    for (block, b) in body.blocks.iter().enumerate() {
        if b.cleanup {
            continue;
        }
        for at in 0..=b.statements.len() {
            for kind in [
                "constant",
                "operator",
                "operands swapped",
                "wrong copy",
                "branches swapped",
                "branch value",
                "statement dropped",
                "wrong variant",
                "statement moved",
                "check dropped",
            ] {
                for variant in 0..4 {
                    let m = Mutation {
                        kind,
                        block,
                        at,
                        variant,
                    };
                    let mut changed = body.clone();
                    if m.apply(&mut changed) && changed != *body {
                        out.push(m);
                    }
                }
            }
        }
    }
    out
}

impl Mutation {
    /// Makes the mistake; false if there is nothing to get wrong here.
    pub fn apply(&self, body: &mut Body) -> bool {
        self.attempt(body).is_some()
    }

    fn attempt(&self, body: &mut Body) -> Option<()> {
        let locals: Vec<_> = body.locals.iter().map(|l| l.ty.clone()).collect();
        let n = body.blocks[self.block].statements.len();
        let block = &mut body.blocks[self.block];
        match self.kind {
            "constant" => {
                let all = operands(block, self.at);
                let consts = all.into_iter().filter_map(|o| match o {
                    Operand::Const(c) => Some(c),
                    _ => None,
                });
                let mut consts: Vec<&mut Const> = consts.collect();
                let i = self.variant % consts.len().max(1);
                wrong_constant(consts.get_mut(i)?, self.variant)
            }
            "operator" => match assigned(block, self.at)? {
                Rvalue::Binary(op, ..) => {
                    *op = wrong_operator(*op, self.variant)?;
                    Some(())
                }
                _ => None,
            },
            "operands swapped" if self.variant == 0 => match assigned(block, self.at)? {
                Rvalue::Binary(_, a, b) => {
                    std::mem::swap(a, b);
                    Some(())
                }
                _ => None,
            },
            "wrong copy" => {
                let all = operands(block, self.at);
                let mut places = all.into_iter().filter_map(|o| match o {
                    Operand::Copy(p) | Operand::Move(p) => Some(p),
                    _ => None,
                });
                let place: &mut Place = places.next()?;
                let own = place.as_local()?;
                let same = (1..locals.len() as u32)
                    .map(Local)
                    .filter(|l| *l != own && locals[l.0 as usize] == locals[own.0 as usize]);
                place.local = same.into_iter().nth(self.variant)?;
                Some(())
            }
            "branches swapped" if self.at == n => match &mut block.terminator.kind {
                TerminatorKind::SwitchInt {
                    targets, otherwise, ..
                } => {
                    let i = self.variant.checked_rem(targets.len())?;
                    if self.variant >= targets.len() {
                        return None;
                    }
                    let other = otherwise.as_mut()?;
                    std::mem::swap(&mut targets[i].1, other);
                    Some(())
                }
                _ => None,
            },
            "branch value" if self.at == n => match &mut block.terminator.kind {
                TerminatorKind::SwitchInt { targets, .. } => {
                    let wrong = targets.get(self.variant)?.0 ^ 1;
                    if targets.iter().any(|(v, _)| *v == wrong) {
                        return None;
                    }
                    targets[self.variant].0 = wrong;
                    Some(())
                }
                _ => None,
            },
            "statement dropped" if self.at < n && self.variant == 0 => {
                let kind = &block.statements[self.at].kind;
                if !matches!(kind, StatementKind::Assign(..)) {
                    return None;
                }
                block.statements.remove(self.at);
                Some(())
            }
            "wrong variant" if self.at < n && self.variant == 0 => {
                match &mut block.statements[self.at].kind {
                    StatementKind::SetDiscriminant(_, index) => {
                        *index ^= 1;
                        Some(())
                    }
                    StatementKind::Assign(_, Rvalue::Aggregate(Aggregate::AdtUnit(path))) => {
                        let text = path.to_string();
                        let other = ["Red", "Green", "Yellow"]
                            .iter()
                            .find(|v| !text.ends_with(**v) && text.contains("Light"))?;
                        let wrong = text.rsplit_once("::")?.0.to_string() + "::" + other;
                        *path = optverify_engine::mir::parse_path(&wrong).ok()?;
                        Some(())
                    }
                    _ => None,
                }
            }
            "statement moved" if self.at + 1 < n && self.variant == 0 => {
                block.statements.swap(self.at, self.at + 1);
                Some(())
            }
            // The check goes, and a constant of its block changes: nobody is left to notice.
            "check dropped" if self.at == n && self.variant == 0 => {
                let TerminatorKind::Assert { target, .. } = &block.terminator.kind else {
                    return None;
                };
                block.terminator.kind = TerminatorKind::Goto(*target);
                let mut done = None;
                for at in (0..n).rev() {
                    for o in operands(block, at) {
                        if let Operand::Const(c) = o
                            && done.is_none()
                        {
                            done = wrong_constant(c, 0);
                        }
                    }
                }
                done
            }
            _ => None,
        }
    }
}

fn assigned(block: &mut optverify_engine::mir::Block, at: usize) -> Option<&mut Rvalue> {
    match &mut block.statements.get_mut(at)?.kind {
        StatementKind::Assign(_, rvalue) => Some(rvalue),
        _ => None,
    }
}

fn operands(block: &mut optverify_engine::mir::Block, at: usize) -> Vec<&mut Operand> {
    if at < block.statements.len() {
        return match &mut block.statements[at].kind {
            StatementKind::Assign(_, rvalue) => match rvalue {
                Rvalue::Use { operand, .. }
                | Rvalue::Cast { operand, .. }
                | Rvalue::Repeat(operand, _)
                | Rvalue::Unary(_, operand) => vec![operand],
                Rvalue::Binary(_, a, b) => vec![a, b],
                Rvalue::Aggregate(
                    Aggregate::Array(list)
                    | Aggregate::Tuple(list)
                    | Aggregate::AdtPositional(_, list),
                ) => list.iter_mut().collect(),
                Rvalue::Aggregate(Aggregate::AdtNamed(_, list)) => {
                    list.iter_mut().map(|(_, o)| o).collect()
                }
                _ => vec![],
            },
            _ => vec![],
        };
    }
    match &mut block.terminator.kind {
        TerminatorKind::SwitchInt { operand, .. } => vec![operand],
        _ => vec![],
    }
}

fn wrong_constant(c: &mut Const, variant: usize) -> Option<()> {
    match c {
        Const::Int { bits, ty } => {
            let mask = ty.mask();
            *bits = match variant {
                0 => bits.wrapping_add(1),
                1 => bits.wrapping_sub(1),
                2 => !*bits,
                _ => 0,
            } & mask;
            Some(())
        }
        Const::Bool(b) => {
            *b = !*b;
            Some(())
        }
        Const::Char(c) => {
            *c = 'x';
            Some(())
        }
        _ => None,
    }
}

fn wrong_operator(op: BinOp, variant: usize) -> Option<BinOp> {
    use BinOp as B;
    let choices: &[BinOp] = match op {
        B::Add => &[B::Sub, B::BitOr],
        B::Sub => &[B::Add, B::BitXor],
        B::Mul => &[B::Add],
        B::AddWithOverflow => &[B::SubWithOverflow],
        B::SubWithOverflow => &[B::AddWithOverflow],
        B::Div => &[B::Rem],
        B::Rem => &[B::Div],
        B::BitAnd => &[B::BitOr, B::BitXor],
        B::BitOr => &[B::BitAnd, B::BitXor],
        B::BitXor => &[B::BitOr, B::BitAnd],
        B::Shl => &[B::Shr],
        B::Shr => &[B::Shl],
        B::Eq => &[B::Ne, B::Le],
        B::Ne => &[B::Eq, B::Lt],
        B::Lt => &[B::Le, B::Gt, B::Ne],
        B::Le => &[B::Lt, B::Ge],
        B::Gt => &[B::Ge, B::Lt],
        B::Ge => &[B::Gt, B::Le],
        _ => &[],
    };
    choices.get(variant).copied()
}
