//! What a verdict rests on besides its proof: each approximation and each trusted fact has a code. A root's list is
//! made of what its own lowering, proof and capture used, and `docs/src/assumptions.md` has the whole ledger.

use crate::capture::{Capture, ClosedHow, Root, Snapshot};
use crate::lower::Relied;
use crate::mir::MirFile;
use crate::program::{Draw, Program, Stmt};
use crate::report::{AssumptionReport, Verdict};
use crate::term::{Node, Term};
use std::collections::BTreeSet;

macro_rules! ledger {
    ($($name:ident $code:literal $text:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Assumption { $($name,)* }

        impl Assumption {
            pub const ALL: &'static [Assumption] = &[$(Assumption::$name,)*];

            /// Stable, for programs.
            pub fn code(self) -> &'static str {
                match self { $(Assumption::$name => $code,)* }
            }

            /// For people.
            pub fn text(self) -> &'static str {
                match self { $(Assumption::$name => $text,)* }
            }
        }
    };
}

ledger! {
    Compiler "compiler" "the MIR that rustc prints is the MIR that it compiles; LLVM, the linker and the hardware keep its meaning",
    Stack "stack" "the stack suffices: running out of it is no violation",
    SingleThread "single-thread" "no other thread or signal handler changes the memory behind the parameters, or a `static mut`",
    NoAlias "no-alias" "references in parameters lead to distinct valid objects, as Rust's rules for references demand",
    NotPanicking "not-panicking" "the thread is not panicking when the root is called",
    Termination "termination" "runs that do not end are not violations",
    Assumed "assumed" "what `assume()` or `#[requires]` says holds",
    AssumedTotal "assumed-total" "functions that `assume_total` names return, and write only what they are given",
    Contract "contract" "calls of these functions do what their contracts say: their own roots are proven at the same stage, by induction over the depth of calls",
    StdMir "std-mir" "the MIR of the standard library in the crate's own MIR is that of the library that is linked",
    Intrinsics "intrinsics" "intrinsics do what their documentation says; their models are written by hand",
    StdModels "std-models" "some functions of std that rustc does not inline are modelled by hand",
    Formatting "formatting" "what `format!` makes is any text; printing succeeds, and formatting values of std's types has no other effect",
    StandIns "stand-ins" "these functions of std, which rustc has no MIR of, do what functions of this tool do that stand for them",
    PreconditionChecks "precondition-checks" "debug checks of std's unsafe functions are left out: the model checks the operations themselves",
    Heap "heap" "allocation never fails, and the heap is modelled by one object for each place that allocates, with a row for each of its allocations where loops keep several (fewer than 2^64 in a run); any other second live allocation of a place is unknown",
    StdInputs "std-inputs" "parameters of std's types (vectors, strings, texts, boxes, durations, iterators of slices and texts) keep the invariants of their types: texts are valid UTF-8",
    AddressSpace "address-space" "no slice that is passed in has more than 2^47 bytes: no process has",
    StdDrops "std-drops" "dropping the listed types of std only frees memory and drops their content; what guards of cells, sorts and vectors and counted references do beside is written down by hand",
    TraitObjects "trait-objects" "a trait object is of one of the types that the captured code makes trait objects of",
    Layout "layout" "sizes and alignments are those that the compiler told",
    Discriminants "discriminants" "the variants of enums and their numbers are those that the compiler told",
    Constants "constants" "named constants have the values that the compiler told",
    Captures "captures" "captures of closures that MIR does not print are the temporaries that it made for them just before",
    Inlined "inlined" "snapshots that call other crates are closed by running the same passes with unlimited inlining",
    Instances "instances" "a generic function that rustc leaves as a call is its own text with its parameters replaced, as code generation would do",
    OverflowDropped "overflow-dropped" "overflow checks in MIR that code generation drops in this profile are no checks",
    Floats "floats" "floats follow IEEE 754 with rounding to nearest even; the bits of a NaN that an operation makes are open",
    Approximated "approximated" "a value was over-approximated: every value is allowed for it in the proof",
    Solver "solver" "Z3's answer `unsat` is right",
    Integers "integers" "some conditions were refuted over the integers, where sums that wrap are split by cases",
    Unrolled "unrolled" "a proof by unrolling or acceleration: its obligations are checked again, its construction is not",
    Exhausted "exhausted" "a proof by making every run: that there are no others is checked again, the runs are made and not proven",
    Jumped "jumped" "the counterexample was too long to run step by step: the accelerator jumped over rounds of a loop",
}

impl Assumption {
    /// Does it matter for a run that was executed, or only for a proof?
    fn is_of_proofs(self) -> bool {
        use Assumption as A;
        matches!(
            self,
            A::Solver | A::Integers | A::Unrolled | A::Exhausted | A::Termination | A::Approximated
        )
    }
}

/// What a root's verdict rests on so far, and what of it has names.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub used: BTreeSet<Assumption>,
    pub named: BTreeSet<(Assumption, String)>,
    /// Roots whose contracts stand for calls in this one program.
    pub contracts: BTreeSet<String>,
}

impl Ledger {
    /// What a simplified program says by itself; a loop is what a run may stay in.
    pub fn of(relied: Relied, program: &Program) -> Ledger {
        let mut all = relied.used;
        let order = program.reverse_postorder();
        let mut place = vec![usize::MAX; program.blocks.len()];
        for (n, b) in order.iter().enumerate() {
            place[b.index()] = n;
        }
        let mut terms: Vec<Term> = vec![];
        for &b in &order {
            let back = |s: &crate::program::BlockId| place[s.index()] <= place[b.index()];
            if program.successors(b).iter().any(back) {
                all.insert(Assumption::Termination);
            }
            for stmt in &program.block(b).stmts {
                match stmt {
                    Stmt::Havoc(_, Draw::Approximate(_)) => {
                        all.insert(Assumption::Approximated);
                    }
                    Stmt::Havoc(_, Draw::Any) => {}
                    Stmt::Assign(_, t) | Stmt::Assume(t) => terms.push(*t),
                }
            }
            if let crate::program::Terminator::Branch { cond, .. } = program.block(b).terminator {
                terms.push(cond);
            }
        }
        if has_floats(program, terms) {
            all.insert(Assumption::Floats);
        }
        Ledger {
            used: all,
            named: relied.named,
            contracts: relied.contracts,
        }
    }

    /// Code of std that rustc has inlined into these bodies.
    pub fn read_from(&mut self, files: &[&MirFile]) {
        let bodies = files.iter().flat_map(|f| &f.bodies);
        let mut spans = bodies
            .flat_map(|b| &b.blocks)
            .flat_map(|b| &b.statements)
            .filter_map(|s| s.source_info.span.as_ref());
        if spans.any(|s| s.file.starts_with("/rustc/") || s.file.contains("/library/")) {
            self.used.insert(Assumption::StdMir);
        }
    }

    pub fn add(&mut self, other: &Ledger) {
        self.used.extend(&other.used);
        self.named.extend(other.named.iter().cloned());
    }

    /// What an assumption speaks of, by name.
    pub fn names(&self, of: Assumption) -> Vec<String> {
        let named = self.named.iter().filter(|(a, _)| *a == of);
        named.map(|(_, name)| name.clone()).collect()
    }

    /// The list for a report. Unknown claims nothing, so it rests on nothing.
    pub fn report(
        &self,
        capture: &Capture,
        root: &Root,
        verdict: Verdict,
    ) -> Vec<AssumptionReport> {
        let mut all = self.used.clone();
        all.extend([Assumption::Compiler, Assumption::Stack]);
        let inlined = |how: ClosedHow| !matches!(how, ClosedHow::AsShipped | ClosedHow::NotClosed);
        let is_inlined = |s: &Snapshot| s.changed && inlined(s.closed_how);
        let snapshots = capture.snapshots(&root.function);
        // of what cannot be read any more nobody knows
        if snapshots.map_or(true, |all| all.iter().any(is_inlined)) {
            all.insert(Assumption::Inlined);
        }
        let of_verdict = |a: &Assumption| match verdict {
            Verdict::Safe => *a != Assumption::Jumped,
            Verdict::Unsafe => !a.is_of_proofs(),
            Verdict::Unknown => false,
        };
        let report = |a: Assumption| AssumptionReport {
            code: a.code().to_string(),
            text: a.text().to_string(),
            names: self.names(a),
        };
        all.into_iter().filter(of_verdict).map(report).collect()
    }
}

fn has_floats(program: &Program, mut todo: Vec<Term>) -> bool {
    let mut seen = vec![false; program.pool.len()];
    while let Some(t) = todo.pop() {
        if std::mem::replace(&mut seen[t.0 as usize], true) {
            continue;
        }
        if matches!(program.pool.node(t), Node::Float(..)) {
            return true;
        }
        todo.extend(program.pool.children(t));
    }
    false
}
