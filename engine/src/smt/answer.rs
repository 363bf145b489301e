//! What a query can answer, how long it may take, and the statistics per query name.

use crate::term::{FastMap, Value, Var};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The answer of a query. Only `Unsat` proves, only `Sat` refutes; the other two must never be read as either.
pub enum Answer {
    Sat(Model),
    Unsat,
    Unknown(Why),
    /// The solver broke (out of memory, internal error, a term it cannot take).
    Failed(String),
}

impl Answer {
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat)
    }

    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }
}

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The query's own budget ran out.
    Budget,
    /// The deadline of the whole run passed, or the run was cancelled.
    Deadline,
    Other(String),
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Why::Budget => f.write_str("the query's budget ran out"),
            Why::Deadline => f.write_str("time is up"),
            Why::Other(s) => f.write_str(s),
        }
    }
}

/// A satisfying assignment: values of all scalar variables that the solver has seen, arrays by their reads.
/// What is missing is zero (model completion), as everywhere.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub values: FastMap<Var, Value>,
    /// False if the model interprets something only approximately (floats): evaluate before believing it.
    pub exact: bool,
}

impl crate::term::Env for Model {
    fn value(&self, v: Var) -> Option<&Value> {
        self.values.get(&v)
    }
}

/// When a run must end; shared by the engines of a root and by who cancels them.
#[derive(Clone, Debug)]
pub struct Deadline {
    until: Instant,
    cancelled: Arc<AtomicBool>,
}

impl Deadline {
    pub fn after(d: Duration) -> Deadline {
        Deadline {
            until: Instant::now() + d,
            cancelled: Arc::default(),
        }
    }

    pub fn after_millis(ms: u64) -> Deadline {
        Deadline::after(Duration::from_millis(ms))
    }

    /// An earlier deadline under the same cancellation.
    pub fn within_millis(&self, ms: u64) -> Deadline {
        Deadline {
            until: self.until.min(Instant::now() + Duration::from_millis(ms)),
            cancelled: self.cancelled.clone(),
        }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub fn passed(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed) || Instant::now() >= self.until
    }

    /// Milliseconds left, 0 if cancelled.
    pub fn left_millis(&self) -> u64 {
        if self.cancelled.load(Ordering::Relaxed) {
            return 0;
        }
        self.until
            .saturating_duration_since(Instant::now())
            .as_millis() as u64
    }
}

/// Counts and time of the queries of one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryStats {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub failed: u64,
    pub micros: u64,
}

pub type Stats = BTreeMap<&'static str, QueryStats>;

thread_local! {
    static STATS: RefCell<Stats> = const { RefCell::new(BTreeMap::new()) };
}

pub(super) fn record(name: &'static str, answer: &Answer, took: Duration) {
    STATS.with(|s| {
        let mut s = s.borrow_mut();
        let q = s.entry(name).or_default();
        match answer {
            Answer::Sat(_) => q.sat += 1,
            Answer::Unsat => q.unsat += 1,
            Answer::Unknown(_) => q.unknown += 1,
            Answer::Failed(_) => q.failed += 1,
        }
        q.micros += took.as_micros() as u64;
    });
}

/// The statistics of this thread since the last call.
pub fn take_stats() -> Stats {
    STATS.with(|s| std::mem::take(&mut *s.borrow_mut()))
}
