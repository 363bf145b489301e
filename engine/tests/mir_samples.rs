//! Stored MIR of both compilers: what is read has the right values, and prints back the same.
use optverify_engine::mir::*;

const SAMPLES: [(&str, &str); 4] = [
    ("odd-1.97", include_str!("mir_samples/odd-1.97.mir")),
    (
        "loop-inlined-1.95",
        include_str!("mir_samples/loop-inlined-1.95.mir"),
    ),
    ("statics-1.95", include_str!("mir_samples/statics-1.95.mir")),
    (
        "coroutine-1.95",
        include_str!("mir_samples/coroutine-1.95.mir"),
    ),
];

fn sample(name: &str) -> MirFile {
    let (_, text) = SAMPLES
        .iter()
        .find(|(found, _)| *found == name)
        .expect("a sample of this name");
    parse_file(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn body<'a>(file: &'a MirFile, path: &str) -> &'a Body {
    file.bodies
        .iter()
        .find(|body| &*body.path == path)
        .unwrap_or_else(|| panic!("no body {path}"))
}

/// Reads `line` as the only statement of a function with a few locals.
fn statement(line: &str) -> StatementKind {
    let text = format!(
        "fn f(_1: u32) -> u32 {{\n    let mut _0: u32;\n    let _2: fn() -> u8 {{g::h}};\n\n    bb0: {{\n        {line}\n        return;\n    }}\n}}\n"
    );
    round_trip(&text).unwrap_or_else(|error| panic!("{line}: {error}"));
    let file = parse_file(&text).expect("parsed before");
    file.bodies[0].blocks[0].statements[0].kind.clone()
}

fn constant(text: &str) -> Const {
    match statement(&format!("_0 = const {text};")) {
        StatementKind::Assign(
            _,
            Rvalue::Use {
                operand: Operand::Const(constant),
                ..
            },
        ) => constant,
        other => panic!("{text} reads as {other:?}"),
    }
}

fn ty(text: &str) -> TyKind {
    let ty = parse_ty(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(ty.to_string(), text);
    ty.kind().clone()
}

#[test]
fn samples_round_trip() {
    let mut n_bodies = 0;
    for (name, text) in SAMPLES {
        match round_trip(text) {
            Ok(stats) => n_bodies += stats.n_bodies,
            Err(error) => panic!("{name}: {error}"),
        }
    }
    assert!(n_bodies > 100, "only {n_bodies} bodies");
}

#[test]
fn integers_keep_their_bits() {
    let int = |bits, ty| Const::Int { bits, ty };
    assert_eq!(constant("3_usize"), int(3, IntTy::Usize));
    assert_eq!(constant("-7_i32"), int(0xffff_fff9, IntTy::I32));
    assert_eq!(constant("i8::MIN"), int(0x80, IntTy::I8));
    assert_eq!(constant("i128::MIN"), int(1 << 127, IntTy::I128));
    assert_eq!(constant("u128::MAX"), int(u128::MAX, IntTy::U128));
    assert_eq!(
        constant("-170141183460469231731687303715884105727_i128"),
        int((1 << 127) + 1, IntTy::I128)
    );
    assert_eq!(IntTy::I32.sign_extend(0xffff_fff9), -7);
}

#[test]
fn other_constants() {
    assert_eq!(
        constant(r#""a\n\u{301}\" // b""#),
        Const::Str("a\n\u{301}\" // b".into())
    );
    assert_eq!(
        constant(r#"b"a\x00\xff\'""#),
        Const::ByteStr((*b"a\x00\xff'").into())
    );
    assert_eq!(constant(r"'\''"), Const::Char('\''));
    assert_eq!(constant("'\"'"), Const::Char('"'));
    assert_eq!(constant("()"), Const::Tuple(vec![]));
    assert_eq!(constant("false"), Const::Bool(false));
    assert_eq!(
        constant("+Inf_f32"),
        Const::Float {
            text: "+Inf_".into(),
            bits: 32
        }
    );
    assert_eq!(
        constant("1.5E+10f64"),
        Const::Float {
            text: "1.5E+10".into(),
            bits: 64
        }
    );
    let Const::Alloc { pointer, .. } = constant("{alloc7+0x10: &u8}") else {
        panic!("an allocation")
    };
    assert_eq!((pointer.alloc, pointer.offset), (7, 16));
    let Const::Named(path) = constant("f::promoted[0]") else {
        panic!("a path")
    };
    assert_eq!(path.last_name(), "promoted[0]");
    let Const::Adt {
        fields: ConstFields::Positional(fields),
        ..
    } = constant("std::option::Option::<(i8, u8)>::Some((-1_i8, u8::MAX))")
    else {
        panic!("a variant with a field")
    };
    assert_eq!(fields.len(), 1);
}

#[test]
fn what_prints_alike_is_told_apart() {
    let right = |line| match statement(line) {
        StatementKind::Assign(_, rvalue) => rvalue,
        other => panic!("{line} reads as {other:?}"),
    };
    assert!(matches!(
        right("_2 = g::h;"),
        Rvalue::Use {
            operand: Operand::Const(Const::FnItem(_)),
            ..
        }
    ));
    assert!(matches!(
        right("_0 = E::C;"),
        Rvalue::Aggregate(Aggregate::AdtUnit(_))
    ));
    assert!(matches!(
        right("_0 = Add(copy _1, const 1_u32);"),
        Rvalue::Binary(BinOp::Add, ..)
    ));
    assert!(matches!(
        right("_0 = Adder(copy _1, const 1_u32);"),
        Rvalue::Aggregate(Aggregate::AdtPositional(..))
    ));
    let odd = sample("odd-1.97");
    let built: Vec<String> = body(&odd, "mk_add")
        .blocks
        .iter()
        .flat_map(|block| &block.statements)
        .filter_map(|statement| match &statement.kind {
            StatementKind::Assign(_, Rvalue::Aggregate(Aggregate::AdtPositional(path, _))) => {
                Some(path.plain())
            }
            _ => None,
        })
        .collect();
    assert!(
        built.contains(&"Add".to_string()),
        "structs named like operators: {built:?}"
    );
}

#[test]
fn places() {
    let StatementKind::Assign(place, _) = statement("(((*_1)[_2] as Some).0: u8) = copy _2[1:-2];")
    else {
        panic!("an assignment")
    };
    assert_eq!(place.local, Local(1));
    let [
        Elem::Deref,
        Elem::Index(Local(2)),
        Elem::Downcast(variant),
        Elem::Field(0, _),
    ] = &place.projection[..]
    else {
        panic!("{:?}", place.projection)
    };
    assert_eq!(&**variant, "Some");
}

#[test]
fn types() {
    assert!(matches!(ty("(u8,)"), TyKind::Tuple(parts) if parts.len() == 1));
    assert!(matches!(
        ty("[u8; 40]"),
        TyKind::Array(_, ArrayLen::Known(40))
    ));
    assert!(matches!(ty("[u8; N]"), TyKind::Array(_, ArrayLen::Text(_))));
    assert!(matches!(
        ty("&'a mut (dyn A + 'a)"),
        TyKind::Ref { mutable: true, .. }
    ));
    assert!(matches!(ty("<T as Tr<'_>>::Out<'a, u8>"), TyKind::Alias(_)));
    assert!(
        matches!(ty("for<'a> unsafe extern \"C\" fn(&'a u8, ...) -> !"), TyKind::FnPtr(sig) if sig.c_variadic)
    );
    assert!(matches!(
        ty("fn(u8) -> u8 {f::<'_, u8>}"),
        TyKind::FnDef { .. }
    ));
    assert!(matches!(ty("(*const u8) is !null"), TyKind::Pattern { .. }));
    assert!(matches!(
        ty("{closure@src/it's.rs:1:2: 3:4}"),
        TyKind::Closure(_)
    ));
    let TyKind::Adt { path, args } =
        ty("V<A>::retain::Guard<'_, fn() -> {async block@a.rs:1:1: 1:2}, 8, -1, 'x'>")
    else {
        panic!("a struct")
    };
    assert_eq!((&*path, args.len()), ("V<A>::retain::Guard", 5));
}

#[test]
fn spans_and_scopes() {
    let file = sample("loop-inlined-1.95");
    let body = body(&file, "lp");
    let inlined = body
        .scopes
        .iter()
        .find_map(|scope| scope.inlined.as_ref().map(|inlined| (scope, inlined)));
    let (scope, inlined) = inlined.expect("an inlined call");
    assert!(inlined.callee.contains("::"), "{}", inlined.callee);
    assert_eq!(&*scope.span.as_ref().expect("a call site").file, "plain.rs");
    let spans = body
        .blocks
        .iter()
        .flat_map(|block| &block.statements)
        .map(|statement| &statement.source_info.span);
    assert!(spans.clone().all(Option::is_some));
    let here: Vec<u32> = spans
        .flatten()
        .filter(|span| &*span.file == "plain.rs")
        .map(|span| span.line)
        .collect();
    assert!(
        here.iter().all(|line| *line == here[0]),
        "the function is one line of source"
    );
    assert_eq!(body.arg_count, 1);
    assert_eq!(body.debug_infos[0].name.as_ref(), "n");
    assert_eq!(
        body.debug_infos[0].value,
        DebugValue::Place(Place::local(Local(1)))
    );
}

#[test]
fn types_of_constants_come_from_comments() {
    let file = sample("statics-1.95");
    let types: Vec<&str> = file.bodies[0]
        .blocks
        .iter()
        .flat_map(|block| &block.statements)
        .flat_map(|statement| statement.const_types.iter().map(|ty| &**ty))
        .collect();
    assert!(types.contains(&"&[u8; 40]"), "{types:?}");
    for ty in types {
        parse_ty(ty).unwrap_or_else(|error| panic!("{ty}: {error}"));
    }
}

#[test]
fn memory_tables() {
    let file = sample("statics-1.95");
    let table = file
        .allocs
        .iter()
        .find(|alloc| alloc.kind == AllocKind::Static("TABLE".into()))
        .expect("TABLE");
    assert_eq!(table.bytes, vec![Some(7); 40]);
    let name = file
        .allocs
        .iter()
        .find(|alloc| alloc.kind == AllocKind::Static("NAME".into()))
        .expect("NAME");
    let target = file
        .alloc(name.relocations[0].target.alloc)
        .expect("the text it points to");
    assert_eq!(target.bytes, b"hello \"x\" // no".map(Some));
    assert_eq!(name.bytes[8..], [15, 0, 0, 0, 0, 0, 0, 0].map(Some));
}

#[test]
fn pointers_cut_by_the_end_of_a_line() {
    let file = sample("odd-1.97");
    let packed = file
        .allocs
        .iter()
        .find(|alloc| alloc.kind == AllocKind::Static("PK".into()))
        .expect("PK");
    let offsets: Vec<u64> = packed
        .relocations
        .iter()
        .map(|pointer| pointer.offset)
        .collect();
    assert_eq!(offsets, [1, 9, 28]);
    assert_eq!(packed.bytes.len() as u64, packed.size);
}

#[test]
fn one_strange_body_does_not_lose_the_others() {
    let (_, text) = SAMPLES[0];
    let all = parse_file(text).expect("a sample").bodies.len();
    let broken = text.replacen("goto -> bb", "goto => bb", 1);
    let error = parse_file(&broken).expect_err("a wrong arrow");
    let line = broken
        .lines()
        .position(|line| line.contains("goto =>"))
        .expect("the arrow")
        + 1;
    assert_eq!(error.line as usize, line);
    assert_eq!(error.what, "expected ` -> `");
    let lenient = parse_bodies(&broken);
    assert_eq!(lenient.bodies.len(), all);
    assert_eq!(
        lenient.bodies.iter().filter(|body| body.is_err()).count(),
        1
    );
}

#[test]
fn trivial_constants() {
    let file = parse_file("const X: usize = const 3_usize;\n").expect("a constant");
    assert_eq!(
        file.bodies[0].value,
        Some(Const::Int {
            bits: 3,
            ty: IntTy::Usize
        })
    );
    assert_eq!(file.bodies[0].ret().to_string(), "usize");
}

#[test]
fn inline_assembly_tells_what_it_touches() {
    let file = sample("odd-1.97");
    let asm = |path: &str| {
        let terminators = body(&file, path)
            .blocks
            .iter()
            .map(|block| &block.terminator.kind);
        let found: Vec<InlineAsm> = terminators
            .filter_map(|kind| match kind {
                TerminatorKind::InlineAsm(asm) => Some(asm.clone()),
                _ => None,
            })
            .collect();
        found
    };
    let first = &asm("asm1")[0];
    assert_eq!(
        (first.inputs.len(), first.outputs.len()),
        (3, 2),
        "{first:?}"
    );
    assert_eq!(asm("asm2")[0].targets.len(), 2);
    assert_eq!(asm("asm2")[1].targets.len(), 0);
}
