//! Proves the reference of one capture and tells how: `prove CAPTURE_DIR [TIMEOUT_SECONDS] [ENGINE..]`.
//! With `OPTVERIFY_GRAPH` set, the sliced graph is printed first.

use optverify_engine::prove::{Proof, Verdict, portfolio, slice};
use optverify_engine::{capture::Capture, pipeline, program};
use std::time::Duration;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seconds = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(30);
    let capture = Capture::load(&args[1]).expect("capture");
    for root in capture.roots() {
        let texts = program::Texts::AnyBytes;
        let prepared = pipeline::prepare_reference(&capture, root, texts);
        let (prepared, _) = prepared.expect("a program");
        let p = prepared.program;
        if std::env::var("OPTVERIFY_GRAPH").is_ok() {
            graph(p.clone());
        }
        let settings = portfolio::Settings {
            timeout: Duration::from_secs(seconds),
            engines: args.iter().skip(3).cloned().collect(),
            ..Default::default()
        };
        let answer = portfolio::prove(&p, &settings);
        println!(
            "{} {} by {}",
            root.name,
            answer.verdict.word(),
            answer.engine
        );
        for (engine, took) in &answer.timings {
            println!("  {engine:12} {took:>10.1?}");
        }
        match &answer.verdict {
            Verdict::Safe(Proof::Inductive { lemmas }) => {
                for (at, ls) in lemmas {
                    println!("  at {at:?}");
                    for l in ls {
                        println!("    {}", answer.program.pool.show(l.body));
                    }
                }
            }
            Verdict::Safe(Proof::Unrolled { obligations, steps }) => {
                println!("  {} obligations, {steps} steps", obligations.len());
            }
            Verdict::Unsafe(cex) => println!("  {cex:?}"),
            Verdict::Unknown(r) => println!("  {r}"),
        }
    }
}

fn graph(p: program::Program) {
    let task = slice::slice(p);
    let live = slice::live(&task.program, &task.cpg);
    let pool = &task.program.pool;
    let g = &task.cpg.graph;
    for n in g.node_indices() {
        println!("node {n:?} {:?}", g[n]);
        for v in live.get(&n).into_iter().flatten() {
            let i = pool.var_info(*v);
            println!("    {} {v:?}: {:?}", i.name, i.sort);
        }
    }
    for e in g.edge_indices() {
        let (a, b) = g.edge_endpoints(e).expect("edge");
        let w = &g[e];
        println!("edge {a:?} -> {b:?}");
        println!("    if {}", pool.show(w.guard));
        for (v, t) in &w.updates {
            println!("    {} := {}", pool.var_info(*v).name, pool.show(*t));
        }
    }
}
