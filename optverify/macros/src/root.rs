//! `#[verify]`: marks the root where a capture compiles, and changes nothing elsewhere.
//!
//! The marker is a constant *inside* the function's body. rustc prints it in `--emit=mir` as
//! `const path::of::f::__OPTVERIFY_ROOT: &str = const "..";`: its path gives the function's path as
//! MIR spells it, in modules, impls and trait impls alike, and the function's own MIR stays the same.
//!
//! A contract or an instance of a generic function makes a second function beside the marker, which
//! assumes, calls and checks: that one is the root then, and `f` itself stays as it ships for all
//! other callers. (An assumption inside `f` would also hold in its callers: they would be "proven"
//! against a condition that nobody checks.)

use crate::contract::is_named;
use crate::item_fn::{Attribute, GenericParameter, ItemFn};
use crate::options::{self, Options};
use crate::tokens::Error;
use crate::{mode, tokens};
use proc_macro::{Group, TokenStream, TokenTree};
use std::fmt::Write;

pub fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    try_expand(options, item.clone()).unwrap_or_else(|error| {
        let mut out = error.into_tokens();
        out.extend(item);
        out
    })
}

fn try_expand(options: TokenStream, item: TokenStream) -> Result<TokenStream, Error> {
    let options = options::parse(options)?;
    let mut function = ItemFn::parse(item)?;
    // with its contracts, which then expand to nothing themselves: their imports are used
    let unchanged = function.unchanged();
    let contracts = take_contracts(&mut function)?;
    check_instances(&function, &options)?;
    if let Some(run) = mode::native_run() {
        return native_entry(&function, &options, &run);
    }
    if !mode::is_capture() {
        return Ok(unchanged);
    }
    let needs_harness = !contracts.is_empty() || !options.instances.is_empty();
    let mut marker = marker(&function, &options, needs_harness)?;
    let deeper = mode::wants_deeper(&location(&function));
    if deeper {
        // the forwarders have to get it inlined
        let keeps_out = |a: &Attribute| ["inline", "cold"].contains(&a.path.as_str());
        function.attributes.retain(|a| !keeps_out(a));
    }
    if !needs_harness {
        let name = function.name.to_string();
        if deeper && (function.mentions_self || options.associated) {
            let mut out = function.with_items_in_body(marker);
            out.extend(forwarders(&function, &name, "Self::")?);
            return Ok(out);
        }
        if deeper {
            marker.extend(forwarders(&function, &name, "")?);
        }
        return Ok(function.with_items_in_body(marker));
    }
    if function.mentions_self || options.associated {
        if !options.instances.is_empty() {
            return Err(Error::new(
                function.name.span(),
                "instances of generic methods are not supported: verify a function that calls the instance",
            ));
        }
        let name = format!("__optverify_root_{}", function.name);
        let mut out = function.unchanged();
        out.extend(harness(
            &function, &options, &contracts, &name, "Self::", &marker,
        )?);
        if deeper {
            out.extend(forwarders(&function, &name, "Self::")?);
        }
        return Ok(out);
    }
    // aliases for the generic parameters, in a scope of their own
    let mut scope = TokenStream::new();
    for parameter in &function.generics {
        let value = |name: &str| {
            let found = options.instances.iter().find(|(n, _)| n == name);
            found.map(|(_, v)| v.clone()).unwrap_or_default()
        };
        match parameter {
            GenericParameter::Lifetime(_) => {}
            GenericParameter::Type(name) => scope.extend(template(
                &format!("type {name} = VALUE;"),
                &function,
                &[("VALUE", value(name))],
            )?),
            GenericParameter::Const(name, ty) => scope.extend(template(
                &format!("const {name}: TYPE = VALUE;"),
                &function,
                &[("TYPE", ty.clone()), ("VALUE", value(name))],
            )?),
        }
    }
    // every instance has a path of its own
    let name: String = format!("__optverify_root {}", instance(&options))
        .trim_end()
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '_' })
        .collect();
    scope.extend(harness(
        &function, &options, &contracts, &name, "", &marker,
    )?);
    if deeper {
        scope.extend(forwarders(&function, &name, "")?);
    }
    let items = template(
        "#[allow(unused)] const _: () = { SCOPE };",
        &function,
        &[("SCOPE", scope)],
    )?;
    Ok(function.with_items_in_body(items))
}

enum Contract {
    Requires(TokenStream),
    Ensures(TokenStream),
}

fn take_contracts(function: &mut ItemFn) -> Result<Vec<Contract>, Error> {
    let mut contracts = Vec::new();
    let attributes = std::mem::take(&mut function.attributes);
    for attribute in attributes {
        if is_named(&attribute.path, "requires") {
            contracts.push(Contract::Requires(attribute.arguments));
        } else if is_named(&attribute.path, "ensures") {
            let is_closure =
                tokens::is_punct(attribute.arguments.clone().into_iter().next().as_ref(), '|');
            if !is_closure {
                let span = attribute.tokens[1].span();
                return Err(Error::new(span, "expected #[ensures(|ret| condition)]"));
            }
            contracts.push(Contract::Ensures(attribute.arguments));
        } else {
            function.attributes.push(attribute);
        }
    }
    Ok(contracts)
}

fn check_instances(function: &ItemFn, options: &Options) -> Result<(), Error> {
    let names: Vec<&String> = function
        .generics
        .iter()
        .filter_map(|g| match g {
            GenericParameter::Type(name) | GenericParameter::Const(name, _) => Some(name),
            GenericParameter::Lifetime(_) => None,
        })
        .collect();
    if let Some((unknown, _)) = options
        .instances
        .iter()
        .find(|(name, _)| !names.contains(&name))
    {
        let message = format!("`{}` has no generic parameter `{unknown}`", function.name);
        return Err(Error::new(function.name.span(), message));
    }
    let missing = names
        .iter()
        .find(|name| !options.instances.iter().any(|(n, _)| n == **name));
    if let Some(missing) = missing {
        let message =
            format!("a generic function needs an instance to verify: #[verify({missing} = u32)]");
        return Err(Error::new(function.name.span(), message));
    }
    Ok(())
}

/// What the generic parameters stand for: `u32, 4`.
fn instance(options: &Options) -> String {
    let values: Vec<String> = options
        .instances
        .iter()
        .map(|(_, value)| value.to_string())
        .collect();
    values.join(", ")
}

/// `const __OPTVERIFY_ROOT: &str = "optverify-root|key=value|..";`
fn marker(function: &ItemFn, options: &Options, harness: bool) -> Result<TokenStream, Error> {
    let mut fields = format!("|fn={}|at={}", function.name, location(function));
    if !options.instances.is_empty() {
        let _ = write!(fields, "|instance={}", instance(options));
    }
    if harness {
        fields.push_str("|harness=yes");
    }
    for (key, value) in &options.settings {
        let _ = write!(fields, "|{key}={value}");
    }
    template(
        &format!(
            "#[allow(dead_code, missing_docs)] const __OPTVERIFY_ROOT: &str = \
             ::core::concat!(\"optverify-root|module=\", ::core::module_path!(), {fields:?});"
        ),
        function,
        &[],
    )
}

/// The function that assumes the preconditions, calls, and checks the postconditions.
fn harness(
    function: &ItemFn,
    options: &Options,
    contracts: &[Contract],
    name: &str,
    qualifier: &str,
    marker: &TokenStream,
) -> Result<TokenStream, Error> {
    let (mut before, mut after) = (marker.clone(), TokenStream::new());
    for contract in contracts {
        match contract {
            Contract::Requires(condition) => before.extend(template(
                "::optverify::assume(CONDITION);",
                function,
                &[("CONDITION", condition.clone())],
            )?),
            Contract::Ensures(closure) => {
                let message = format!("postcondition violated: {closure}");
                after.extend(template(
                    &format!(
                        "if !::optverify::postcondition(&__optverify_ret, CLOSURE) {{ \
                         ::core::panic!({:?}) }}",
                        message.replace('{', "{{").replace('}', "}}")
                    ),
                    function,
                    &[("CLOSURE", closure.clone())],
                )?);
            }
        }
    }
    let call = call(function, options, qualifier, &arguments(function)?);
    around(function, name, &call, before, after)
}

/// How many forwarders stand around a root: rustc inlines about five levels of calls into each.
const LEVELS: u32 = 6;

/// Functions that do nothing but call each other and at last the root. rustc inlines a few levels of calls, but a function
/// of the same crate comes with its own inlining done: the outermost has many levels of them.
fn forwarders(function: &ItemFn, root: &str, qualifier: &str) -> Result<TokenStream, Error> {
    let mut out = TokenStream::new();
    // a parameter that is taken apart has no name to pass on
    let Ok(arguments) = arguments(function) else {
        return Ok(out);
    };
    let mut callee = root.to_owned();
    for level in 1..=LEVELS {
        let name = match level {
            LEVELS => format!("__optverify_deepest_{root}"),
            _ => format!("__optverify_deeper_{level}_{root}"),
        };
        let call = called(function, &format!("{qualifier}{callee}({arguments})"));
        let nothing = TokenStream::new();
        out.extend(around(function, &name, &call, nothing.clone(), nothing)?);
        callee = name;
    }
    Ok(out)
}

/// The parameters as arguments of a call.
fn arguments(function: &ItemFn) -> Result<String, Error> {
    let mut arguments = Vec::new();
    for parameter in &function.parameters {
        match (&parameter.name, parameter.is_self) {
            (_, true) => arguments.push("self".to_owned()),
            (Some(name), _) => arguments.push(name.to_string()),
            (None, _) => {
                return Err(Error::new(
                    parameter.span,
                    "contracts and instances need plain parameter names: take the pattern apart in the body",
                ));
            }
        }
    }
    Ok(arguments.join(", "))
}

/// A function with the same signature: some code, a call, some code with its result as `__optverify_ret`.
fn around(
    function: &ItemFn,
    name: &str,
    call: &str,
    before: TokenStream,
    after: TokenStream,
) -> Result<TokenStream, Error> {
    let mut return_type = function.return_type.clone();
    if return_type.is_empty() {
        return_type = template("()", function, &[])?;
    }
    let mut lifetimes = TokenStream::new();
    for parameter in &function.generics {
        if let GenericParameter::Lifetime(tokens) = parameter {
            lifetimes.extend(tokens.clone());
            lifetimes.extend(template(",", function, &[])?);
        }
    }
    let mut parameters = TokenStream::new();
    for parameter in &function.parameters {
        parameters.extend(parameter.tokens.clone());
        parameters.extend(template(",", function, &[])?);
    }
    let unsafety = if function.is_unsafe { "unsafe" } else { "" };
    template(
        &format!(
            "#[allow(unused, missing_docs, clippy::all)] #[doc(hidden)] \
             {unsafety} fn {name}<LIFETIMES>(PARAMETERS) -> RETURN_TYPE {{ \
             BEFORE let __optverify_ret = {call}; AFTER __optverify_ret }}"
        ),
        function,
        &[
            ("RETURN_TYPE", return_type),
            ("LIFETIMES", lifetimes),
            ("PARAMETERS", parameters),
            ("BEFORE", before),
            ("AFTER", after),
        ],
    )
}

fn call(function: &ItemFn, options: &Options, qualifier: &str, arguments: &str) -> String {
    let values: Vec<String> = options
        .instances
        .iter()
        .map(|(_, value)| format!("{{ {value} }}"))
        .collect();
    let plain: Vec<String> = options
        .instances
        .iter()
        .map(|(_, value)| value.to_string())
        .collect();
    let mut turbofish = Vec::new();
    for parameter in &function.generics {
        let (name, is_const) = match parameter {
            GenericParameter::Lifetime(_) => continue,
            GenericParameter::Type(name) => (name, false),
            GenericParameter::Const(name, _) => (name, true),
        };
        if let Some(at) = options.instances.iter().position(|(n, _)| n == name) {
            turbofish.push(if is_const {
                values[at].clone()
            } else {
                plain[at].clone()
            });
        }
    }
    let turbofish = match turbofish.is_empty() {
        true => String::new(),
        false => format!("::<{}>", turbofish.join(", ")),
    };
    let call = format!("{qualifier}{}{turbofish}({arguments})", function.name);
    called(function, &call)
}

/// A call of a function with this one's signature.
fn called(function: &ItemFn, call: &str) -> String {
    if function.is_unsafe {
        format!("unsafe {{ {call} }}")
    } else {
        call.to_owned()
    }
}

/// The native run of one root: an entry point that a generated `main` calls. It prints the result where its type
/// can be printed (a method of the type itself is found before one of its reference).
fn native_entry(
    function: &ItemFn,
    options: &Options,
    run: &mode::NativeRun,
) -> Result<TokenStream, Error> {
    if location(function) != run.location {
        return Ok(function.unchanged());
    }
    let call = call(function, options, "", &run.arguments);
    let entry = template(
        &format!(
            "#[allow(unused, missing_docs, unsafe_code)] #[unsafe(no_mangle)] \
             pub fn __optverify_native_entry() {{ \
                 struct Shown<T>(T); \
                 trait Debugged {{ fn show(&self); }} \
                 impl<T: ::core::fmt::Debug> Debugged for Shown<T> {{ \
                     fn show(&self) {{ ::std::println!(\"optverify: the result is {{:?}}\", self.0) }} }} \
                 trait Silent {{ fn show(&self); }} \
                 impl<T> Silent for &Shown<T> {{ fn show(&self) {{}} }} \
                 (&Shown({call})).show(); \
             }}"
        ),
        function,
        &[],
    )?;
    Ok(function.with_items_in_body(entry))
}

/// `file:line` of the function's name: how marker, report and native run name the same root.
fn location(function: &ItemFn) -> String {
    let span = function.name.span();
    format!("{}:{}", span.file(), span.line())
}

/// The tokens of `text`, with the words of `splices` replaced: spliced code keeps the user's spans.
fn template(
    text: &str,
    function: &ItemFn,
    splices: &[(&str, TokenStream)],
) -> Result<TokenStream, Error> {
    let tokens: TokenStream = text.parse().map_err(|error| {
        Error::new(
            function.name.span(),
            format!("optverify could not generate code: {error}"),
        )
    })?;
    Ok(splice(tokens, splices))
}

fn splice(tokens: TokenStream, splices: &[(&str, TokenStream)]) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                let word_text = word.to_string();
                match splices.iter().find(|(name, _)| *name == word_text) {
                    Some((_, replacement)) => out.extend(replacement.clone()),
                    None => out.extend([TokenTree::Ident(word)]),
                }
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), splice(group.stream(), splices));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other]),
        }
    }
    out
}
