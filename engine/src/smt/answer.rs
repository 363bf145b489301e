//! What a query can answer, how long it may take, and the statistics per query name.

use crate::term::{FastMap, Value, Var};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The answer of a query. Only `Unsat` proves, only `Sat` refutes; the other two must never be read as either.
#[derive(Debug)]
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
    cancel: Arc<Cancel>,
}

#[derive(Debug, Default)]
struct Cancel {
    cancelled: AtomicBool,
    lock: Mutex<()>,
    /// Rung at a cancellation and at the end of every query that is watched.
    bell: Condvar,
}

impl Deadline {
    pub fn after(d: Duration) -> Deadline {
        Deadline {
            until: Instant::now() + d,
            cancel: Arc::default(),
        }
    }

    pub fn after_millis(ms: u64) -> Deadline {
        Deadline::after(Duration::from_millis(ms))
    }

    /// An earlier deadline under the same cancellation.
    pub fn within_millis(&self, ms: u64) -> Deadline {
        Deadline {
            until: self.until.min(Instant::now() + Duration::from_millis(ms)),
            cancel: self.cancel.clone(),
        }
    }

    /// A part of the time that is left, under the same cancellation.
    pub fn part(&self, n: u32) -> Deadline {
        let left = self.until.saturating_duration_since(Instant::now());
        Deadline {
            until: Instant::now() + left / n.max(1),
            cancel: self.cancel.clone(),
        }
    }

    /// A later deadline under the same cancellation, unless there is as much time left.
    pub fn at_least_millis(&self, ms: u64) -> Deadline {
        Deadline {
            until: self.until.max(Instant::now() + Duration::from_millis(ms)),
            cancel: self.cancel.clone(),
        }
    }

    /// The same time under a cancellation of its own.
    pub fn apart(&self) -> Deadline {
        Deadline {
            until: self.until,
            cancel: Arc::default(),
        }
    }

    /// Ends everything under this deadline, queries that are running included.
    pub fn cancel(&self) {
        self.cancel.cancelled.store(true, Ordering::SeqCst);
        self.ring();
    }

    fn ring(&self) {
        let _held = self.cancel.lock.lock();
        self.cancel.bell.notify_all();
    }

    fn cancelled(&self) -> bool {
        self.cancel.cancelled.load(Ordering::SeqCst)
    }

    pub fn passed(&self) -> bool {
        self.cancelled() || Instant::now() >= self.until
    }

    /// Does the work in this thread; a cancellation meanwhile calls `interrupt` from another one.
    pub(super) fn interruptible<R>(
        &self,
        interrupt: impl Fn() + Sync,
        work: impl FnOnce() -> R,
    ) -> R {
        let done = AtomicBool::new(false);
        let watch = || {
            let mut held = self.cancel.lock.lock().unwrap_or_else(|e| e.into_inner());
            while !done.load(Ordering::SeqCst) {
                // An interruption before the work has begun is forgotten, so it is repeated.
                let again = if self.cancelled() {
                    interrupt();
                    Duration::from_millis(5)
                } else {
                    Duration::from_secs(3600)
                };
                let woken = self.cancel.bell.wait_timeout(held, again);
                held = woken.unwrap_or_else(|e| e.into_inner()).0;
            }
        };
        std::thread::scope(|scope| {
            // Without a thread the work is only bounded by its timeout.
            let watcher = std::thread::Builder::new().spawn_scoped(scope, watch);
            let result = work();
            done.store(true, Ordering::SeqCst);
            if watcher.is_ok() {
                self.ring();
            }
            result
        })
    }

    /// Milliseconds left, 0 if cancelled.
    pub fn left_millis(&self) -> u64 {
        if self.cancelled() {
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
    /// Z3's own count of its work: the same on every machine.
    pub resources: u64,
    /// Of `unsat`, those that the integers gave.
    pub by_integers: u64,
}

impl QueryStats {
    pub fn add(&mut self, other: &QueryStats) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.failed += other.failed;
        self.micros += other.micros;
        self.resources += other.resources;
        self.by_integers += other.by_integers;
    }
}

pub type Stats = BTreeMap<&'static str, QueryStats>;

thread_local! {
    static STATS: RefCell<Stats> = const { RefCell::new(BTreeMap::new()) };
}

pub(super) fn record(
    name: &'static str,
    answer: &Answer,
    by_integers: bool,
    took: Duration,
    resources: u64,
) {
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
        q.resources += resources;
        q.by_integers += u64::from(by_integers);
    });
}

/// Counts the statistics of another thread, which has ended, as this one's.
pub fn absorb_stats(stats: &Stats) {
    STATS.with(|s| {
        let mut s = s.borrow_mut();
        for (name, q) in stats {
            s.entry(name).or_default().add(q);
        }
    });
}

/// All queries of this thread since the last `take_stats`, whatever their names.
pub fn answers() -> QueryStats {
    STATS.with(|s| {
        let mut sum = QueryStats::default();
        s.borrow().values().for_each(|q| sum.add(q));
        sum
    })
}

/// The statistics of this thread since the last call.
pub fn take_stats() -> Stats {
    STATS.with(|s| std::mem::take(&mut *s.borrow_mut()))
}
