//! A header's type against the one that a call names: what its parameters stand for. Headers have a path's last names,
//! calls the whole path.

use super::parameters::Parameter;
use super::substitute::{Bindings, Bound};
use optverify_engine::lower::erase;
use optverify_engine::mir::{ArrayLen, GenericArg, Ty, TyKind};

/// Adds to `bindings` what makes `pattern` the type `ty`; false where nothing does.
pub fn unify(pattern: &Ty, ty: &Ty, parameters: &[Parameter], bindings: &mut Bindings) -> bool {
    let mut all = |pairs: &[(&Ty, &Ty)]| {
        let mut pairs = pairs.iter();
        pairs.all(|(p, t)| unify(p, t, parameters, bindings))
    };
    match (pattern.kind(), ty.kind()) {
        (TyKind::Adt { path, args }, _) if args.is_empty() && is_parameter(path, parameters) => {
            bind(path, erase(ty).to_string(), parameters, bindings)
        }
        (TyKind::Adt { path, args }, TyKind::Adt { path: of, args: to }) => {
            let (args, to) = (without_lifetimes(args), without_lifetimes(to));
            let last = |path: &str| path.rsplit("::").next().map(str::to_owned);
            last(path) == last(of)
                && args.len() == to.len()
                && args
                    .iter()
                    .zip(&to)
                    .all(|(p, t)| argument(p, t, parameters, bindings))
        }
        (TyKind::Tuple(a), TyKind::Tuple(b)) => {
            a.len() == b.len() && all(&a.iter().zip(b).collect::<Vec<_>>())
        }
        (TyKind::Slice(a), TyKind::Slice(b)) => all(&[(a, b)]),
        (TyKind::Array(a, n), TyKind::Array(b, m)) => {
            all(&[(a, b)])
                && match (n, m) {
                    (ArrayLen::Text(n), ArrayLen::Known(m)) => {
                        is_parameter(n, parameters) && bind(n, m.to_string(), parameters, bindings)
                    }
                    (n, m) => n == m,
                }
        }
        (
            TyKind::Ref {
                mutable: a, ty: p, ..
            },
            TyKind::Ref {
                mutable: b, ty: t, ..
            },
        )
        | (TyKind::RawPtr { mutable: a, ty: p }, TyKind::RawPtr { mutable: b, ty: t }) => {
            a == b && all(&[(p, t)])
        }
        _ => erase(pattern) == erase(ty),
    }
}

/// One argument of a type, a trait or a function.
pub fn argument(
    pattern: &GenericArg,
    given: &GenericArg,
    parameters: &[Parameter],
    bindings: &mut Bindings,
) -> bool {
    match (pattern, given) {
        (GenericArg::Type(p), GenericArg::Type(t)) => unify(p, t, parameters, bindings),
        // a constant parameter reads as a type
        (GenericArg::Type(p), GenericArg::Const(_)) => match p.kind() {
            TyKind::Adt { path, args } if args.is_empty() && is_parameter(path, parameters) => {
                bind(path, given_text(given), parameters, bindings)
            }
            _ => false,
        },
        (GenericArg::Const(_), GenericArg::Const(_)) => given_text(pattern) == given_text(given),
        _ => false,
    }
}

/// As a list of arguments prints it.
pub fn given_text(arg: &GenericArg) -> String {
    match arg {
        GenericArg::Type(ty) => erase(ty).to_string(),
        GenericArg::Const(_) => {
            let ty = Ty::new(TyKind::Adt {
                path: "X".into(),
                args: vec![arg.clone()],
            });
            let text = ty.to_string();
            text[2..text.len() - 1].to_owned()
        }
        GenericArg::Lifetime(name) => name.to_string(),
    }
}

pub fn without_lifetimes(args: &[GenericArg]) -> Vec<&GenericArg> {
    let all = args.iter();
    all.filter(|arg| !matches!(arg, GenericArg::Lifetime(_)))
        .collect()
}

fn is_parameter(name: &str, parameters: &[Parameter]) -> bool {
    parameters.iter().any(|p| p.name == name)
}

/// A parameter stands for one thing only.
pub fn bind(name: &str, text: String, parameters: &[Parameter], bindings: &mut Bindings) -> bool {
    let Some(parameter) = parameters.iter().find(|p| p.name == name) else {
        return false;
    };
    let bound = Bound {
        text,
        constant_of: parameter.constant_of.clone(),
    };
    bindings
        .entry(name.to_owned())
        .or_insert_with(|| bound.clone())
        == &bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::instances::parameters::parameters;
    use optverify_engine::mir::parse_ty;

    fn found(pattern: &str, ty: &str) -> Option<Vec<String>> {
        let parameters = parameters("'a, T, const N: usize").expect("a list");
        let mut bindings = Bindings::new();
        let [pattern, ty] = [pattern, ty].map(|t| parse_ty(t).expect("a type"));
        unify(&pattern, &ty, &parameters, &mut bindings).then(|| {
            bindings
                .into_iter()
                .map(|(k, v)| format!("{k}={}", v.text))
                .collect()
        })
    }

    #[test]
    fn parameters_stand_for_one_thing() {
        assert_eq!(
            found("Stack<T, N>", "m::Stack<u8, 4>"),
            Some(vec!["N=4".into(), "T=u8".into()])
        );
        assert_eq!(found("(T, T)", "(u8, u8)"), Some(vec!["T=u8".into()]));
        assert_eq!(found("(T, T)", "(u8, u16)"), None);
        assert_eq!(
            found("&'a [T; N]", "&[(u8, char); 2]"),
            Some(vec!["N=2".into(), "T=(u8, char)".into()])
        );
        assert_eq!(found("P<u8>", "P<u16>"), None);
        assert_eq!(found("P<u8>", "Q<u8>"), None);
        assert_eq!(found("S", "a::S"), Some(vec![]));
    }
}
