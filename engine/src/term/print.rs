//! Terms as text for people: infix, with the names of variables; shared subterms are repeated, long ones elided.

use super::{BinOp, Node, Pool, Sort, Term, UnOp, to_signed};

impl Pool {
    pub fn show(&self, t: Term) -> String {
        let mut out = String::new();
        self.write(t, &mut out, 0);
        out
    }

    fn write(&self, t: Term, out: &mut String, depth: u32) {
        if depth > 24 || out.len() > 4000 {
            out.push('…');
            return;
        }
        let d = depth + 1;
        match self.node(t) {
            Node::Const(c) => match self.sort(t) {
                Sort::Bool => out.push_str(if *c != 0 { "true" } else { "false" }),
                // Numbers close to the top are negative numbers to a reader.
                Sort::Bv(w) if w > 8 && to_signed(*c, w) < 0 && to_signed(*c, w) > -65536 => {
                    out.push_str(&to_signed(*c, w).to_string())
                }
                _ => out.push_str(&c.to_string()),
            },
            Node::Var(v) => out.push_str(&self.var_info(*v).name),
            Node::Unary(op, a) => {
                if *op == UnOp::Not {
                    match *self.node(*a) {
                        Node::Binary(BinOp::Eq, x, y) => return self.infix(out, x, "!=", y, d),
                        Node::Binary(BinOp::Ult, x, y) => return self.infix(out, y, "<=", x, d),
                        Node::Binary(BinOp::Slt, x, y) => return self.infix(out, y, "<=s", x, d),
                        _ => {}
                    }
                }
                out.push(if *op == UnOp::Neg { '-' } else { '!' });
                self.write(*a, out, d);
            }
            Node::Binary(op, a, b) => self.infix(out, *a, symbol(*op), *b, d),
            Node::Ite(c, a, b) => self.call(out, "if", &[*c, *a, *b], d),
            Node::Extract { arg, lo } => {
                self.write(*arg, out, d);
                out.push_str(&format!("[{}..{}]", lo, lo + self.width(t)));
            }
            Node::Zext(a) => self.call(out, &format!("u{}", self.width(t)), &[*a], d),
            Node::Sext(a) => self.call(out, &format!("i{}", self.width(t)), &[*a], d),
            Node::Float(op, args) => {
                self.call(out, &format!("f{op:?}").to_lowercase(), args, d);
            }
            Node::Select(a, i) => {
                self.write(*a, out, d);
                out.push('[');
                self.write(*i, out, d);
                out.push(']');
            }
            Node::Store(a, i, v) => self.call(out, "store", &[*a, *i, *v], d),
            Node::ConstArray(v) => self.call(out, "all", &[*v], d),
            Node::Blit {
                dst,
                src,
                dst_at,
                src_at,
                len,
            } => self.call(out, "blit", &[*dst, *dst_at, *src, *src_at, *len], d),
            Node::Lambda { bound, body } => {
                out.push_str(&format!("|{}| ", self.var_info(*bound).name));
                self.write(*body, out, d);
            }
        }
    }

    fn infix(&self, out: &mut String, a: Term, op: &str, b: Term, depth: u32) {
        // x + (2^w - c) reads as x - c.
        if op == "+"
            && let (Some(c), Sort::Bv(w)) = (self.as_const(b), self.sort(b))
            && to_signed(c, w) < 0
            && to_signed(c, w) > -65536
        {
            out.push('(');
            self.write(a, out, depth);
            out.push_str(&format!(" - {})", -to_signed(c, w)));
            return;
        }
        out.push('(');
        self.write(a, out, depth);
        out.push(' ');
        out.push_str(op);
        out.push(' ');
        self.write(b, out, depth);
        out.push(')');
    }

    fn call(&self, out: &mut String, name: &str, args: &[Term], depth: u32) {
        out.push_str(name);
        out.push('(');
        for (i, a) in args.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            self.write(*a, out, depth);
        }
        out.push(')');
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::And => "&&",
        BinOp::Or => "||",
        BinOp::Eq => "==",
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Udiv => "/",
        BinOp::Sdiv => "/s",
        BinOp::Urem => "%",
        BinOp::Srem => "%s",
        BinOp::BvAnd => "&",
        BinOp::BvOr => "|",
        BinOp::BvXor => "^",
        BinOp::Shl => "<<",
        BinOp::Lshr => ">>",
        BinOp::Ashr => ">>s",
        BinOp::Ult => "<",
        BinOp::Ule => "<=",
        BinOp::Slt => "<s",
        BinOp::Sle => "<=s",
        BinOp::UmulOverflows => "*overflows",
        BinOp::SmulOverflows => "*soverflows",
        BinOp::Concat => "++",
    }
}
