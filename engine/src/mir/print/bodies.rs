//! Printing bodies and files.
use std::fmt::{Display, Formatter, Result};

use super::super::ast::*;
use super::list;

impl Display for MirFile {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let mut printed = 0;
        for (body, through) in self.bodies.iter().zip(&self.allocs_through_body) {
            body.fmt(f)?;
            for alloc in self.allocs.get(printed..*through).unwrap_or(&[]) {
                write!(f, "\n{alloc}")?;
            }
            printed = *through;
            f.write_str("\n")?;
        }
        Ok(())
    }
}

impl Display for LocalDecl {
    /// As in a signature.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}: {}", self.local, self.ty)
    }
}

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.kind {
            BodyKind::Fn => "fn ",
            BodyKind::Const | BodyKind::Promoted => "const ",
            BodyKind::Static => "static ",
            BodyKind::StaticMut => "static mut ",
            BodyKind::Anonymous => "",
        })?;
        f.write_str(&self.path)?;
        if self.kind == BodyKind::Fn {
            f.write_str("(")?;
            list(
                f,
                self.locals.get(1..=self.arg_count as usize).unwrap_or(&[]),
            )?;
            write!(f, ") -> {}", self.signature_ret)?;
        } else {
            write!(f, ": {} =", self.signature_ret)?;
        }
        if let Some(value) = &self.value {
            return writeln!(f, " const {value};");
        }
        if let Some(yields) = &self.yields {
            write!(f, "\nyields {yields}\n")?;
        }
        f.write_str(" {\n")?;
        ScopeTree::new(self).print(f, 0, 1)?;
        f.write_str("\n")?;
        for line in &self.coverage {
            writeln!(f, "    coverage {line}")?;
        }
        for (index, block) in self.blocks.iter().enumerate() {
            f.write_str(if index > 0 { "\n" } else { "" })?;
            block.fmt(f)?;
        }
        f.write_str("}\n")
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(
            f,
            "    {}{}: {{",
            self.id,
            if self.cleanup { " (cleanup)" } else { "" }
        )?;
        for statement in &self.statements {
            f.write_str("        ")?;
            statement.kind.fmt(f)?;
            f.write_str(";\n")?;
        }
        f.write_str("        ")?;
        self.terminator.kind.fmt(f)?;
        f.write_str(";\n    }\n")
    }
}

/// The contents of a body by scope, so that printing does not search all of them for each.
struct ScopeTree<'a> {
    body: &'a Body,
    children: Vec<Vec<u32>>,
    locals: Vec<Vec<&'a LocalDecl>>,
    debug_infos: Vec<Vec<&'a DebugInfo>>,
}

impl<'a> ScopeTree<'a> {
    fn new(body: &'a Body) -> ScopeTree<'a> {
        let n_scopes = body.scopes.len();
        let mut tree = ScopeTree {
            body,
            children: vec![Vec::new(); n_scopes],
            locals: vec![Vec::new(); n_scopes],
            debug_infos: vec![Vec::new(); n_scopes],
        };
        for scope in &body.scopes {
            let parent = scope.parent.filter(|parent| *parent < scope.id);
            if let Some(siblings) = parent.and_then(|parent| tree.children.get_mut(parent as usize))
            {
                siblings.push(scope.id);
            }
        }
        for decl in &body.locals {
            let is_arg = (1..=body.arg_count).contains(&decl.local.0);
            if let (false, Some(locals)) =
                (is_arg, tree.locals.get_mut(decl.source_info.scope as usize))
            {
                locals.push(decl);
            }
        }
        for info in &body.debug_infos {
            if let Some(infos) = tree.debug_infos.get_mut(info.source_info.scope as usize) {
                infos.push(info);
            }
        }
        tree
    }

    /// Prints from `scope` on with an explicit stack: inlining nests scopes deeper than a thread's
    /// stack would like.
    fn print(&self, f: &mut Formatter<'_>, scope: u32, depth: usize) -> Result {
        let mut open: Vec<(u32, usize)> = vec![(scope, 0)];
        self.contents(f, scope, depth)?;
        while let Some((scope, printed_children)) = open.last_mut() {
            let Some(child) = self.children[*scope as usize]
                .get(*printed_children)
                .copied()
            else {
                open.pop();
                if !open.is_empty() {
                    indent(f, depth + open.len() - 1)?;
                    f.write_str("}\n")?;
                }
                continue;
            };
            *printed_children += 1;
            indent(f, depth + open.len() - 1)?;
            write!(f, "scope {child}")?;
            if let Some(inlined) = &self.body.scopes[child as usize].inlined {
                let track_caller = if inlined.track_caller {
                    "#[track_caller] "
                } else {
                    ""
                };
                write!(f, " (inlined {track_caller}{})", inlined.callee)?;
            }
            f.write_str(" {\n")?;
            open.push((child, 0));
            self.contents(f, child, depth + open.len() - 1)?;
        }
        Ok(())
    }

    fn contents(&self, f: &mut Formatter<'_>, scope: u32, depth: usize) -> Result {
        for info in &self.debug_infos[scope as usize] {
            indent(f, depth)?;
            write!(f, "debug {} => ", info.name)?;
            match &info.value {
                DebugValue::Place(place) => place.fmt(f)?,
                DebugValue::Const(Const::FnItem(path)) => path.fmt(f)?,
                DebugValue::Const(constant) => write!(f, "const {constant}")?,
            }
            f.write_str(";\n")?;
        }
        for decl in &self.locals[scope as usize] {
            indent(f, depth)?;
            write!(f, "let {}{decl}", if decl.mutable { "mut " } else { "" })?;
            if let Some(user_ty) = &decl.user_ty {
                write!(f, " as {user_ty}")?;
            }
            f.write_str(";\n")?;
        }
        Ok(())
    }
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> Result {
    for _ in 0..depth {
        f.write_str("    ")?;
    }
    Ok(())
}
