//! Reading whole bodies: header, scopes, locals, debug info.
use std::sync::Arc;

use super::super::ast::*;
use super::super::error::Parse;
use super::cursor::Cursor;

impl<'a> Cursor<'a> {
    /// A body from its header to its closing brace.
    pub fn body(&mut self, for_ctfe: bool) -> Parse<Body> {
        let line = self.line;
        let kind = self.body_keyword();
        let mut body = Body {
            kind,
            path: self.body_path(kind)?,
            arg_count: 0,
            signature_ret: self.primitives.unit(),
            locals: Vec::new(),
            scopes: vec![Scope {
                id: 0,
                parent: None,
                inlined: None,
                span: None,
            }],
            debug_infos: Vec::new(),
            coverage: Vec::new(),
            yields: None,
            blocks: Vec::new(),
            value: None,
            for_ctfe,
            line,
        };
        if kind == BodyKind::Const && body.path.ends_with(']') && body.path.contains("promoted[") {
            body.kind = BodyKind::Promoted;
        }
        if kind == BodyKind::Fn {
            self.arguments(&mut body)?;
            self.expect(" -> ")?;
            body.signature_ret = self.ty()?;
        } else {
            self.expect(": ")?;
            body.signature_ret = self.ty()?;
            self.expect(" =")?;
            if self.eat(" const ") {
                return self.trivial_const(body);
            }
        }
        if self.peek() == b'\n' {
            self.next_line();
            self.expect("yields ")?;
            body.yields = Some(self.ty()?);
            self.next_line();
        }
        self.expect(" {")?;
        self.end_line()?;
        self.scope_tree(&mut body)?;
        loop {
            self.skip_comment_lines();
            if self.eat("}") {
                self.end_line()?;
                return Ok(body);
            }
            let start = self.pos;
            let block = self.block(&body.locals)?;
            if block.id.0 as usize != body.blocks.len() {
                return self.fail_at(start, "blocks are not numbered in order");
            }
            body.blocks.push(block);
        }
    }

    fn body_keyword(&mut self) -> BodyKind {
        if self.eat("fn ") {
            BodyKind::Fn
        } else if self.eat("const ") {
            BodyKind::Const
        } else if self.eat("static mut ") {
            BodyKind::StaticMut
        } else if self.eat("static ") {
            BodyKind::Static
        } else {
            BodyKind::Anonymous
        }
    }

    /// The path in a header ends at its arguments or at the colon before its type.
    fn body_path(&mut self, kind: BodyKind) -> Parse<Arc<str>> {
        let start = self.pos;
        loop {
            match self.peek() {
                b'<' | b'{' | b'[' => self.pos = self.closing(self.pos)? + 1,
                b'(' if kind == BodyKind::Fn => break,
                b':' if self.peek_at(1) == b':' => self.pos += 2,
                b':' if kind != BodyKind::Fn => break,
                b'\n' | 0 => return self.fail_at(start, "expected the header of a body"),
                _ => self.pos += 1,
            }
        }
        if self.pos == start {
            return self.fail("expected the header of a body");
        }
        Ok(self.intern_range(start, self.pos))
    }

    fn arguments(&mut self, body: &mut Body) -> Parse<()> {
        self.expect("(")?;
        while !self.eat(")") {
            if body.arg_count > 0 {
                self.expect(", ")?;
            }
            let start = self.pos;
            let local = self.local()?;
            self.expect(": ")?;
            let ty = self.ty()?;
            body.arg_count += 1;
            if local.0 != body.arg_count {
                return self.fail_at(start, "arguments are not numbered in order");
            }
            let source_info = SourceInfo::default();
            body.locals.push(LocalDecl {
                local,
                mutable: false,
                ty,
                user_ty: None,
                source_info,
            });
        }
        Ok(())
    }

    fn trivial_const(&mut self, mut body: Body) -> Parse<Body> {
        body.value = Some(self.const_value()?);
        self.expect(";")?;
        self.end_line()?;
        body.locals.push(LocalDecl {
            local: Local::RETURN,
            mutable: true,
            ty: body.signature_ret.clone(),
            user_ty: None,
            source_info: SourceInfo::default(),
        });
        Ok(body)
    }

    /// Debug info, locals and nested scopes, up to the first block.
    fn scope_tree(&mut self, body: &mut Body) -> Parse<()> {
        let mut open: Vec<u32> = vec![0];
        let first_local = self.pos;
        loop {
            self.skip_comment_lines();
            let scope = *open.last().unwrap_or(&0);
            match self.peek() {
                b'l' if self.eat("let ") => {
                    let declaration = self.local_declaration(scope)?;
                    body.locals.push(declaration);
                }
                b'd' if self.eat("debug ") => {
                    let info = self.debug_info(scope)?;
                    body.debug_infos.push(info);
                }
                b's' if self.eat("scope ") => {
                    let inner = self.scope_header(scope)?;
                    open.push(inner.id);
                    body.scopes.push(inner);
                }
                b'}' if open.len() > 1 => {
                    self.pos += 1;
                    self.end_line()?;
                    open.pop();
                }
                b'c' if self.eat("coverage ") => {
                    let text = self.slice(self.pos, self.line_end()).trim_end();
                    body.coverage.push(self.intern(text));
                    self.next_line();
                }
                _ if open.len() > 1 => return self.fail("expected a scope's content"),
                _ => break,
            }
        }
        body.locals.sort_by_key(|decl| decl.local);
        if body
            .locals
            .iter()
            .enumerate()
            .any(|(index, decl)| decl.local.0 as usize != index)
            || body.locals.is_empty()
        {
            return self.fail_at(first_local, "locals are not numbered from 0 without gaps");
        }
        body.scopes.sort_by_key(|scope| scope.id);
        if body
            .scopes
            .iter()
            .enumerate()
            .any(|(index, scope)| scope.id as usize != index)
        {
            return self.fail_at(first_local, "scopes are not numbered from 0 without gaps");
        }
        Ok(())
    }

    fn local_declaration(&mut self, scope: u32) -> Parse<LocalDecl> {
        let mutable = self.eat("mut ");
        let local = self.local()?;
        self.expect(": ")?;
        let ty = self.ty()?;
        let user_ty = if self.eat(" as ") {
            Some(self.up_to_semicolon()?)
        } else {
            None
        };
        self.expect(";")?;
        self.skip_blanks();
        let opening = if local == Local::RETURN {
            "// return place in scope "
        } else {
            "// in scope "
        };
        let mut source_info = self.source_info(opening)?;
        source_info.scope = scope;
        self.end_line()?;
        Ok(LocalDecl {
            local,
            mutable,
            ty,
            user_ty,
            source_info,
        })
    }

    fn debug_info(&mut self, scope: u32) -> Parse<DebugInfo> {
        let start = self.pos;
        let line = self.slice(start, self.line_end());
        let Some(arrow) = line.find(" => ") else {
            return self.fail("expected ` => `");
        };
        let name = self.intern(&line[..arrow]);
        self.pos = start + arrow + " => ".len();
        let value = if self.eat("const ") {
            DebugValue::Const(self.const_value()?)
        } else if matches!(self.peek(), b'_' | b'(') {
            DebugValue::Place(self.place()?)
        } else {
            DebugValue::Const(Const::FnItem(self.path()?))
        };
        self.expect(";")?;
        self.skip_blanks();
        let mut source_info = self.source_info("// in scope ")?;
        source_info.scope = scope;
        self.end_line()?;
        Ok(DebugInfo {
            name,
            value,
            source_info,
        })
    }

    fn scope_header(&mut self, parent: u32) -> Parse<Scope> {
        let id = self.index()?;
        let mut scope = Scope {
            id,
            parent: Some(parent),
            inlined: None,
            span: None,
        };
        if self.eat(" (inlined ") {
            let track_caller = self.eat("#[track_caller] ");
            let start = self.pos;
            let line = self.slice(start, self.line_end());
            let Some(length) = line.find(") { // at ").or_else(|| line.rfind(") {")) else {
                return self.fail("expected `) {`");
            };
            let callee = self.intern(&line[..length]);
            self.pos = start + length + 1;
            scope.inlined = Some(InlinedCallee {
                track_caller,
                callee,
            });
        }
        self.expect(" {")?;
        self.skip_blanks();
        if self.eat("// at ") {
            scope.span = self.span();
        }
        self.end_line()?;
        Ok(scope)
    }
}
