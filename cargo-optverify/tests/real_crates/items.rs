//! The functions and types of a crate, as its source text has them: what the native runs write beside them. Nothing is
//! resolved here; what does not compile is left out by whoever compiles it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::{Attribute, Fields, FnArg, ImplItem, Item, ItemImpl, ReceiverKind, Signature};

/// The module that `values.rs.txt` makes at the root of the crate.
pub const MODULE: &str = "__optverify_fuzz";

/// Text to be put into a file, on one line.
pub struct Insertion {
    pub file: PathBuf,
    pub at: usize,
    pub text: String,
}

/// A function that a test in its own module can call.
pub struct Function {
    pub file: PathBuf,
    /// From its first attribute to its end.
    pub lines: (usize, usize),
    pub name: String,
    /// `crate::a::b`, for the function that is inserted.
    pub module: String,
    /// Where that one goes.
    pub at: usize,
    callee: String,
    /// Their names, where they have any, and types.
    parameters: Vec<(String, String)>,
}

impl Function {
    /// A body that calls it: with these values by the parameters' names, or with some that are made. Nothing if a value
    /// is not there or cannot be written.
    pub fn call(&self, inputs: Option<&BTreeMap<String, String>>) -> Option<String> {
        let mut body = String::new();
        for (n, (name, ty)) in self.parameters.iter().enumerate() {
            let value = match inputs {
                None => format!("crate::{MODULE}::Make::make(draws)"),
                Some(inputs) => written(inputs.get(name)?, ty)?,
            };
            body += &format!("let a{n}: {ty} = {value}; ");
        }
        let arguments = (0..self.parameters.len()).map(|n| format!("a{n}"));
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        Some(body + &format!("crate::{MODULE}::done({}({arguments}));", self.callee))
    }
}

/// A value as reports have it, as an expression.
fn written(value: &str, ty: &str) -> Option<String> {
    Some(match value {
        _ if value.contains(", ..; ") => return None,
        "NaN" => "0.0 / 0.0".to_owned(),
        "inf" => "1.0 / 0.0".to_owned(),
        "-inf" => "-1.0 / 0.0".to_owned(),
        _ => match value.strip_prefix('&') {
            Some(rest) if ty.replace("'_ ", "").starts_with("&mut ") => format!("&mut {rest}"),
            _ => value.to_owned(),
        },
    })
}

#[derive(Default)]
pub struct Items {
    pub functions: Vec<Function>,
    /// How values of the crate's own types are made.
    pub types: Vec<Insertion>,
    /// Modules have to be seen from the root.
    pub modules: Vec<Insertion>,
}

/// One module while it is read.
struct Module<'a> {
    file: &'a Path,
    source: &'a str,
    path: String,
    /// Its end, where more items can stand.
    end: usize,
    /// Where the files of its own modules are.
    folder: PathBuf,
}

impl Items {
    /// All modules of a crate, from its root file on.
    pub fn of_crate(root: &Path) -> Self {
        let mut items = Items::default();
        let folder = root.parent().unwrap_or(Path::new("")).to_path_buf();
        items.read_file(root, "crate".to_owned(), folder);
        items
    }

    fn read_file(&mut self, file: &Path, path: String, folder: PathBuf) {
        let Ok(source) = std::fs::read_to_string(file) else {
            return;
        };
        let Ok(parsed) = syn::parse_file(&source) else {
            return;
        };
        let module = Module {
            file,
            source: &source,
            path,
            end: source.len(),
            folder,
        };
        self.read(&module, &parsed.items);
    }

    fn read(&mut self, module: &Module<'_>, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(f) => {
                    let lines = lines(&f.attrs, f.span());
                    self.add(module, &f.sig, lines, &f.sig.ident.to_string(), "Self");
                }
                Item::Impl(i) => self.read_impl(module, i),
                Item::Struct(s) => {
                    let value = fields(module, "Self", &s.fields);
                    self.add_type(module, &s.attrs, &s.ident, &s.generics, &value);
                }
                Item::Enum(e) if !e.variants.is_empty() => {
                    let variant = |(n, v): (usize, &syn::Variant)| {
                        let value = fields(module, &format!("Self::{}", v.ident), &v.fields);
                        format!("{}{n} => {value},", configured(module, &v.attrs))
                    };
                    let arms: String = e.variants.iter().enumerate().map(variant).collect();
                    let n = e.variants.len();
                    // a variant that is not there in this configuration is drawn again
                    let value = format!(
                        "loop {{ break match draws.below({n}) {{ {arms} _ => continue }} }}"
                    );
                    self.add_type(module, &e.attrs, &e.ident, &e.generics, &value);
                }
                Item::Mod(m) => self.read_module(module, m),
                _ => {}
            }
        }
    }

    fn read_module(&mut self, module: &Module<'_>, m: &syn::ItemMod) {
        let is_test = |a: &Attribute| module.text(a.span()).replace(' ', "") == "#[cfg(test)]";
        if m.attrs.iter().any(is_test) {
            return;
        }
        if matches!(m.vis, syn::Visibility::Inherited) {
            self.modules.push(Insertion {
                file: module.file.to_path_buf(),
                at: m.mod_token.span().byte_range().start,
                text: "pub(crate) ".to_owned(),
            });
        }
        let name = m.ident.to_string();
        let path = format!("{}::{name}", module.path);
        let folder = module.folder.join(&name);
        if let Some((brace, items)) = &m.content {
            let end = brace.span.close().byte_range().start;
            let inner = Module {
                path,
                folder,
                end,
                ..*module
            };
            return self.read(&inner, items);
        }
        let named = m.attrs.iter().find_map(|a| {
            let text = module.text(a.span()).strip_prefix("#[path")?;
            text.split('"')
                .nth(1)
                .map(|p| module.file.with_file_name(p))
        });
        let plain = module.folder.join(format!("{name}.rs"));
        let file = match named {
            Some(named) => named,
            None if plain.is_file() => plain,
            None => folder.join("mod.rs"),
        };
        self.read_file(&file, path, folder);
    }

    fn read_impl(&mut self, module: &Module<'_>, i: &ItemImpl) {
        let owner = without_lifetimes(module.text(i.self_ty.span()));
        let path = match &i.trait_ {
            Some((of, _)) => {
                format!("<{owner} as {}>", without_lifetimes(module.text(of.span())))
            }
            None => format!("<{owner}>"),
        };
        for item in &i.items {
            if let ImplItem::Fn(f) = item {
                let lines = lines(&f.attrs, f.span());
                let callee = format!("{path}::{}", f.sig.ident);
                self.add(module, &f.sig, lines, &callee, &owner);
            }
        }
    }

    fn add(
        &mut self,
        module: &Module<'_>,
        signature: &Signature,
        lines: (usize, usize),
        callee: &str,
        owner: &str,
    ) {
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            let (name, ty) = match input {
                FnArg::Typed(typed) => {
                    let name = module.text(typed.pat.span()).trim_start_matches("mut ");
                    (name, module.text(typed.ty.span()).to_owned())
                }
                FnArg::Receiver(receiver) => match &receiver.kind {
                    ReceiverKind::Reference(_, _, Some(_)) => ("self", "&mut Self".to_owned()),
                    ReceiverKind::Reference(..) => ("self", "&Self".to_owned()),
                    ReceiverKind::Typed(_, ty) => ("self", module.text(ty.span()).to_owned()),
                    _ => ("self", "Self".to_owned()),
                },
            };
            let ty = replace_word(&without_lifetimes(&ty), "Self", owner);
            parameters.push((name.to_owned(), ty));
        }
        self.functions.push(Function {
            file: module.file.to_path_buf(),
            lines,
            name: signature.ident.to_string(),
            module: module.path.clone(),
            at: module.end,
            callee: callee.to_owned(),
            parameters,
        });
    }

    fn add_type(
        &mut self,
        module: &Module<'_>,
        attributes: &[Attribute],
        name: &syn::Ident,
        generics: &syn::Generics,
        value: &str,
    ) {
        let mut parameters = Vec::new();
        let mut names = Vec::new();
        for parameter in &generics.params {
            match parameter {
                syn::GenericParam::Lifetime(l) => {
                    parameters.push(module.text(l.span()).to_owned());
                    names.push(format!("'{}", l.lifetime.ident));
                }
                syn::GenericParam::Type(t) => {
                    let bounds = module.text(t.bounds.span());
                    let bounds = if t.bounds.is_empty() { "" } else { bounds };
                    parameters.push(format!("{}: {bounds} + crate::{MODULE}::Make", t.ident));
                    names.push(t.ident.to_string());
                }
                syn::GenericParam::Const(c) => {
                    parameters.push(format!("const {}: {}", c.ident, module.text(c.ty.span())));
                    names.push(c.ident.to_string());
                }
            }
        }
        let bounds = generics.where_clause.as_ref();
        let bounds = bounds.map_or("", |w| module.text(w.span()));
        let text = format!(
            "{}impl<{}> crate::{MODULE}::Make for {name}<{}> {bounds} {{ \
             fn make(draws: &mut crate::{MODULE}::Draws) -> Self {{ {value} }} }}",
            configured(module, attributes),
            parameters.join(", ").replace(":  +", ":"),
            names.join(", "),
        );
        self.types.push(Insertion {
            file: module.file.to_path_buf(),
            at: module.end,
            text: text.replace('\n', " "),
        });
    }
}

impl Module<'_> {
    fn text(&self, span: proc_macro2::Span) -> &str {
        self.source.get(span.byte_range()).unwrap_or_default()
    }
}

fn lines(attributes: &[Attribute], item: proc_macro2::Span) -> (usize, usize) {
    let first = attributes.first().map_or(item, |a| a.span());
    (first.start().line, item.end().line)
}

/// The attributes that decide whether something is there.
fn configured(module: &Module<'_>, attributes: &[Attribute]) -> String {
    let cfg = attributes.iter().filter(|a| a.path().is_ident("cfg"));
    cfg.map(|a| format!("{} ", module.text(a.span()))).collect()
}

/// `Self { a: make, b: make }`; fields of a tuple have numbers.
fn fields(module: &Module<'_>, name: &str, fields: &Fields) -> String {
    let member = |(n, field): (usize, &syn::Field)| {
        let name = field
            .ident
            .as_ref()
            .map_or(n.to_string(), ToString::to_string);
        let cfg = configured(module, &field.attrs);
        format!("{cfg}{name}: crate::{MODULE}::Make::make(draws),")
    };
    let members: String = fields.iter().enumerate().map(member).collect();
    format!("{name} {{ {members} }}")
}

/// Types inside a body: which lifetime it is does not matter.
fn without_lifetimes(ty: &str) -> String {
    let mut out = String::new();
    let mut rest = ty;
    while let Some(at) = rest.find('\'') {
        out += &rest[..=at];
        let name = rest[at + 1..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        out.push('_');
        rest = name;
    }
    (out + rest).replace('\n', " ")
}

fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let whole = !rest[..at].ends_with(is_part) && !rest[end..].starts_with(is_part);
        out += &rest[..at];
        out += if whole { by } else { word };
        rest = &rest[end..];
    }
    out + rest
}
