//! Printing types and paths.
use std::fmt::{Display, Formatter, Result};

use super::super::ast::{ArrayLen, FnSig, GenericArg, IntTy, Path, Ty, TyKind};
use super::{list, tuple};

impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.kind().fmt(f)
    }
}

impl Display for IntTy {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.name())
    }
}

impl Display for TyKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            TyKind::Bool => f.write_str("bool"),
            TyKind::Char => f.write_str("char"),
            TyKind::Str => f.write_str("str"),
            TyKind::Never => f.write_str("!"),
            TyKind::Infer => f.write_str("_"),
            TyKind::Int(int) => int.fmt(f),
            TyKind::Float(bits) => write!(f, "f{bits}"),
            TyKind::Tuple(parts) => tuple(f, parts),
            TyKind::Array(element, len) => write!(f, "[{element}; {len}]"),
            TyKind::Slice(element) => write!(f, "[{element}]"),
            TyKind::Ref {
                lifetime,
                mutable,
                ty,
            } => {
                f.write_str("&")?;
                if let Some(lifetime) = lifetime {
                    write!(f, "{lifetime} ")?;
                }
                f.write_str(if *mutable { "mut " } else { "" })?;
                ty.fmt(f)
            }
            TyKind::RawPtr { mutable, ty } => {
                f.write_str(if *mutable { "*mut " } else { "*const " })?;
                ty.fmt(f)
            }
            TyKind::Adt { path, args } => {
                f.write_str(path)?;
                if args.is_empty() {
                    Ok(())
                } else {
                    angles(f, args)
                }
            }
            TyKind::FnPtr(sig) => sig.fmt(f),
            TyKind::FnDef { sig, path } => write!(f, "{sig} {{{path}}}"),
            TyKind::Closure(text) | TyKind::Coroutine(text) => write!(f, "{{{text}}}"),
            TyKind::Dyn {
                bounds,
                parenthesised: false,
            } => write!(f, "dyn {bounds}"),
            TyKind::Dyn {
                bounds,
                parenthesised: true,
            } => write!(f, "(dyn {bounds})"),
            TyKind::Impl {
                bounds,
                parenthesised: false,
            } => write!(f, "impl {bounds}"),
            TyKind::Impl {
                bounds,
                parenthesised: true,
            } => write!(f, "(impl {bounds})"),
            TyKind::Alias(path) => path.fmt(f),
            TyKind::Pattern { base, pattern } => write!(f, "({base}) is {pattern}"),
            TyKind::UnsafeBinder { binder, ty } => write!(f, "unsafe<{binder}> {ty}"),
            TyKind::Other(text) => f.write_str(text),
        }
    }
}

fn angles(f: &mut Formatter<'_>, args: &[GenericArg]) -> Result {
    f.write_str("<")?;
    list(f, args)?;
    f.write_str(">")
}

impl Display for ArrayLen {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            ArrayLen::Known(len) => len.fmt(f),
            ArrayLen::Text(text) => f.write_str(text),
        }
    }
}

impl Display for GenericArg {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            GenericArg::Lifetime(lifetime) => f.write_str(lifetime),
            GenericArg::Type(ty) => ty.fmt(f),
            GenericArg::Const(constant) => constant.fmt(f),
        }
    }
}

impl Display for FnSig {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.target_features {
            f.write_str("#[target_features] ")?;
        }
        if let Some(binder) = &self.binder {
            write!(f, "for<{binder}> ")?;
        }
        f.write_str(if self.is_unsafe { "unsafe " } else { "" })?;
        if let Some(abi) = &self.abi {
            write!(f, "extern \"{abi}\" ")?;
        }
        f.write_str("fn(")?;
        list(f, &self.inputs)?;
        if self.c_variadic {
            f.write_str(if self.inputs.is_empty() {
                "..."
            } else {
                ", ..."
            })?;
        }
        f.write_str(")")?;
        match &self.output {
            Some(output) => write!(f, " -> {output}"),
            None => Ok(()),
        }
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(qself) = &self.qself {
            write!(f, "<{}", qself.ty)?;
            if let Some(trait_ref) = &qself.trait_ref {
                write!(f, " as {trait_ref}")?;
            }
            f.write_str(">")?;
        }
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 || self.qself.is_some() {
                f.write_str("::")?;
            }
            f.write_str(&segment.name)?;
            if let Some(args) = &segment.args {
                f.write_str(if segment.turbofish { "::" } else { "" })?;
                angles(f, args)?;
            }
        }
        Ok(())
    }
}
