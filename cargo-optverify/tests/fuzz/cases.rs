//! One file of fuzzed functions: most of them calm and full of loops and claims, some of the wild ones that the
//! differential test generates.

use crate::calm::{Heap, Writer};
use crate::functions::{File, Function, Parameter, Passing, declare, generator};
use crate::random::Random;
use crate::types::{INTS, Items, Ty, U8, USIZE, random_type};

/// What a function is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// Few bits of input: every input is run.
    Exhaustive,
    /// Anything by value, slices, references.
    Wide,
    /// Heap, with few bits of input.
    Heap,
    /// Heap, with wide inputs and slices.
    WideHeap,
    /// Pieces of ordinary code, with few bits of input.
    Pieces,
    WidePieces,
}

/// How much a function does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// For the default run, that is to end soon: most of the tool's time goes into the passes over what std's code
    /// for the heap becomes.
    Small,
    /// As small, without the heap, iterators and wild ones: cheap enough for thousands.
    Short,
    Large,
    /// As large, without the heap.
    Plain,
}

/// What makes rustc inline half of std, which costs more than all the rest of a file.
const OF_THE_HEAP: [&str; 5] = ["Vec", "vec!", "Box", "String", "Bag"];

/// The same, to a lesser degree: adapters and closures.
const OF_ITERATORS: [&str; 8] = [
    ".iter", "chunks", "windows", "split", ".map(", ".rev(", ".zip(", "dyn ",
];

/// A file of functions: most with claims, the first ones wild and without.
pub fn file(seed: u64, count: usize, size: Size) -> File {
    let wild = match size {
        Size::Small => count / 25,
        Size::Short => 0,
        Size::Large | Size::Plain => count / 8,
    };
    let mut file = File::generate(seed, wild);
    file.prelude.push_str(crate::snippets::ITEMS);
    let mut random = Random::new(seed ^ 0xfeed);
    let has = |f: &Function, words: &[&str]| words.iter().any(|word| f.text.contains(word));
    let mut made = vec![];
    while file.functions.len() + made.len() < count {
        let name = format!("case{}", file.functions.len() + made.len());
        let function = function(&name, &file.items, size, &mut random);
        let is_wanted = match size {
            Size::Small | Size::Large => true,
            Size::Plain => !has(&function, &OF_THE_HEAP),
            Size::Short => !has(&function, &OF_THE_HEAP) && !has(&function, &OF_ITERATORS),
        };
        if is_wanted {
            made.push(function);
        }
    }
    file.functions.extend(made);
    file
}

fn function(name: &str, items: &Items, size: Size, random: &mut Random) -> Function {
    use Family as F;
    let family = *random.pick(match size {
        Size::Small => &[
            F::Exhaustive,
            F::Exhaustive,
            F::Exhaustive,
            F::Wide,
            F::Wide,
            F::Wide,
            F::Pieces,
            F::Pieces,
            F::Heap,
            F::WidePieces,
        ],
        Size::Plain | Size::Short => &[
            F::Exhaustive,
            F::Exhaustive,
            F::Wide,
            F::Wide,
            F::Pieces,
            F::WidePieces,
        ],
        Size::Large => &[
            F::Exhaustive,
            F::Exhaustive,
            F::Wide,
            F::Wide,
            F::Heap,
            F::Heap,
            F::WideHeap,
            F::Pieces,
            F::Pieces,
            F::WidePieces,
        ],
    });
    let is_small = matches!(size, Size::Small | Size::Short);
    let parameters = parameters(family, items, random);
    let result = match random.below(4) {
        0 => Ty::Option(Box::new(U8)),
        1 => Ty::Bool,
        _ => random.pick(&INTS).clone(),
    };
    let mut writer = Writer {
        g: generator(items, random.next(), &[], &result),
        lines: vec![],
        heap: vec![],
        labels: vec![],
        claims: 0,
        bounds: 0,
        palette: palette(&parameters, random),
    };
    let declared = declare(&mut writer.g, &parameters);
    for (i, p) in parameters.iter().enumerate() {
        if matches!(p.passing, Passing::Vector | Passing::VectorMut) {
            let name = format!("a{i}");
            writer.g.scope.retain(|v| v.name != name);
            let place = match p.passing {
                Passing::VectorMut => format!("(*{name})"),
                _ => name,
            };
            writer.heap.push((place, Heap::Vector(p.ty.clone())));
        }
    }
    let (bindings, statements, depth) = match size {
        Size::Small | Size::Short => (1, random.below(3), 1),
        Size::Large | Size::Plain => (1 + random.below(2), 1 + random.below(4), 2),
    };
    (0..bindings).for_each(|_| writer.binding());
    if matches!(family, Family::Heap | Family::WideHeap) {
        let count = if is_small { 1 } else { 1 + random.below(3) };
        (0..count).for_each(|_| writer.allocate());
    }
    if matches!(family, Family::Pieces | Family::WidePieces) {
        let count = if is_small { 1 } else { 1 + random.below(3) };
        (0..count).for_each(|_| {
            writer.snippet();
            writer.measure();
        });
    } else {
        writer.looped(depth);
    }
    (0..statements).for_each(|_| writer.statement(depth));
    writer.claim();
    writer.measure();
    let returned = writer.value(&result);
    writer.line(returned);
    let text = format!(
        "pub fn {name}({declared}) -> {} {{\n{}\n}}\n",
        result.name(),
        writer.lines.join("\n")
    );
    Function {
        name: name.to_owned(),
        parameters,
        result,
        text,
    }
}

fn parameters(family: Family, items: &Items, random: &mut Random) -> Vec<Parameter> {
    let value = |ty: Ty| Parameter {
        ty,
        passing: Passing::Value,
    };
    if matches!(family, Family::Exhaustive | Family::Heap | Family::Pieces) {
        let narrow = [U8, U8, Ty::Int("i8", 8, true)];
        let mut all = vec![value(random.pick(&narrow).clone())];
        match random.below(4) {
            0 => {}
            1 => all.extend([value(Ty::Bool), value(Ty::Bool)]),
            2 => all.push(value(Ty::Bool)),
            _ => all.push(value(random.pick(&narrow).clone())),
        }
        return all;
    }
    let count = 1 + random.below(3);
    let mut all = vec![];
    for _ in 0..count {
        let passing = *random.pick(&[
            Passing::Value,
            Passing::Value,
            Passing::Value,
            Passing::Slice,
            Passing::Slice,
            Passing::SliceMut,
            Passing::RefMut,
            Passing::Ref,
            Passing::Vector,
            Passing::VectorMut,
        ]);
        let ty = match passing {
            p if p.is_sequence() => random_type(random, items, 0),
            _ if random.one_in(3) => random_type(random, items, 1),
            _ => random.pick(&INTS).clone(),
        };
        all.push(Parameter { ty, passing });
    }
    all
}

/// The integer types of the parameters and one or two others.
fn palette(parameters: &[Parameter], random: &mut Random) -> Vec<Ty> {
    let ints = parameters.iter().map(|p| p.ty.clone());
    let mut palette: Vec<Ty> = ints.filter(Ty::is_int).collect();
    palette.push(random.pick(&INTS).clone());
    if random.one_in(2) {
        palette.push(USIZE);
    }
    palette
}
