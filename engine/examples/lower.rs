//! Lowers the roots of a capture and prints the program: `lower CAPTURE_DIR [PASS_INDEX]`.

use optverify_engine::{capture::Capture, lower, mir, program};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let capture = Capture::load(&args[1]).expect("capture");
    for root in capture.roots() {
        let t = std::time::Instant::now();
        let text = capture.reference_text(&root.function).expect("reference");
        let file = mir::parse_file(&text).expect("parse");
        let parsed = t.elapsed();
        let source = lower::Source::of(&capture, vec![&file]);
        match lower::lower(&source, &root.function) {
            Ok(mut p) => {
                let lowered = t.elapsed();
                let before = p.blocks.len();
                program::simplify::simplify(&mut p);
                let simplified = t.elapsed();
                let cpg = program::cpg::Cpg::of(&mut p);
                let done = t.elapsed();
                if args.len() > 2 {
                    print!("{}", p.show());
                }
                let unsupported: Vec<_> = p
                    .blocks
                    .iter()
                    .filter_map(|b| match b.terminator {
                        program::Terminator::Stop(s) if !p.stops[s].is_violation() => {
                            Some(&p.stops[s])
                        }
                        _ => None,
                    })
                    .collect();
                println!(
                    "{}: blocks {before} -> {}, vars {}, edges {}, heads {}, stops {}, parse {parsed:?} lower {lowered:?} simplify {simplified:?} cpg {done:?}",
                    root.name,
                    p.blocks.len(),
                    p.vars.len(),
                    cpg.graph.edge_count(),
                    cpg.heads().len(),
                    p.stops.len()
                );
                for s in unsupported {
                    println!("   UNSUPPORTED {:?}", s);
                }
            }
            Err(e) => println!("{}: ERROR {e}", root.name),
        }
    }
}
