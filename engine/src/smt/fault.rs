//! Faults on purpose, for tests of everything that asks the solver: `OPTVERIFY_FAULT=KIND@N` lets the query with this
//! number fail, `KIND@N+` all from it on. An answer only ever gets weaker by it, and never turns into another.

use super::answer::{Answer, Deadline, Why};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The solver does not know.
    Unknown,
    /// The time of the whole run is up.
    Timeout,
    /// The solver reports an error.
    Failed,
    /// The thread that asks breaks off.
    Panic,
    /// The process is gone.
    Abort,
    /// The solver has no memory any more, from here on.
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    kind: Kind,
    at: u64,
    and_after: bool,
}

fn parse(text: &str) -> Option<Fault> {
    let (kind, at) = text.split_once('@')?;
    let kind = match kind {
        "unknown" => Kind::Unknown,
        "timeout" => Kind::Timeout,
        "failed" => Kind::Failed,
        "panic" => Kind::Panic,
        "abort" => Kind::Abort,
        "memory" => Kind::Memory,
        _ => return None,
    };
    let at = at.strip_suffix('+').map_or((at, false), |at| (at, true));
    Some(Fault {
        kind,
        at: at.0.parse().ok()?,
        and_after: at.1,
    })
}

static FAULT: LazyLock<Option<Fault>> = LazyLock::new(|| {
    std::env::var("OPTVERIFY_FAULT")
        .ok()
        .as_deref()
        .and_then(parse)
});

/// Of this process, all threads together.
static QUERIES: AtomicU64 = AtomicU64::new(0);

/// The answer in place of the solver's, if a fault is due.
pub fn of_this_query(deadline: &Deadline) -> Option<Answer> {
    let fault = (*FAULT)?;
    let n = QUERIES.fetch_add(1, Ordering::SeqCst) + 1;
    if n != fault.at && !(fault.and_after && n > fault.at) {
        return None;
    }
    match fault.kind {
        Kind::Unknown => Some(Answer::Unknown(Why::Other("a fault on purpose".into()))),
        Kind::Timeout => {
            deadline.cancel();
            Some(Answer::Unknown(Why::Deadline))
        }
        Kind::Failed => Some(Answer::Failed("a fault on purpose".into())),
        Kind::Panic => panic!("a fault on purpose"),
        Kind::Abort => std::process::abort(),
        Kind::Memory => {
            super::set_memory_limit_mb(1);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_a_kind_and_a_number() {
        let fault = |kind, at, and_after| {
            Some(Fault {
                kind,
                at,
                and_after,
            })
        };
        assert_eq!(parse("unknown@3"), fault(Kind::Unknown, 3, false));
        assert_eq!(parse("memory@10+"), fault(Kind::Memory, 10, true));
        for wrong in ["", "unknown", "unknown@", "other@1", "unknown@-1", "sat@1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
