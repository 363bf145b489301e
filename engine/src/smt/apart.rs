//! Work in a thread apart: with a solver context of its own, and what breaks there ends only that work.
//!
//! Making a context costs Z3 several milliseconds, more than most proofs take. A thread therefore waits for the next
//! work of its role when it is done, and its context with it; solvers are new each time. Roles never share a
//! context: what the engines did cannot be seen where their proofs are certified.

use super::{absorb_stats, take_stats};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

/// Terms are walked recursively, and programs are long.
const STACK: usize = 256 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Prove,
    Adapt,
    Refine,
    Certify,
}

type Work = Box<dyn FnOnce() + Send>;

/// Threads that wait for work.
static IDLE: Mutex<BTreeMap<Role, Vec<Sender<Work>>>> = Mutex::new(BTreeMap::new());

/// Does the work in a thread of this role. Its queries count as this thread's. `Err`: it broke off.
pub fn apart<T: Send + 'static>(
    role: Role,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let (answer, answered) = channel();
    let work: Work = Box::new(move || {
        take_stats();
        let result = work();
        // Whoever asked may have been ended.
        let _ = answer.send((result, take_stats()));
    });
    let idle = idle(|all| all.entry(role).or_default().pop());
    let thread = match idle {
        Some(thread) => thread,
        None => start(role)?,
    };
    thread
        .send(work)
        .map_err(|_| "the thread is gone".to_string())?;
    let (result, stats) = answered.recv().map_err(|_| "it broke off".to_string())?;
    idle_again(role, thread);
    absorb_stats(&stats);
    Ok(result)
}

fn idle<R>(use_it: impl FnOnce(&mut BTreeMap<Role, Vec<Sender<Work>>>) -> R) -> R {
    use_it(&mut IDLE.lock().unwrap_or_else(|e| e.into_inner()))
}

fn idle_again(role: Role, thread: Sender<Work>) {
    idle(|all| all.entry(role).or_default().push(thread));
}

fn start(role: Role) -> Result<Sender<Work>, String> {
    let (sender, receiver) = channel::<Work>();
    std::thread::Builder::new()
        .name(format!("{role:?}").to_lowercase())
        .stack_size(STACK)
        .spawn(move || {
            // Work that panicked may have left the context in any state: it goes with its thread.
            while let Ok(work) = receiver.recv() {
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    return;
                }
            }
        })
        .map_err(|e| e.to_string())?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_used_again_unless_its_work_broke_off() {
        let id = || std::thread::current().id();
        let first = apart(Role::Refine, id).unwrap();
        let again = apart(Role::Refine, id).unwrap();
        assert_eq!(first, again);
        assert_ne!(first, apart(Role::Certify, id).unwrap());
        let broken: Result<(), String> = apart(Role::Refine, || panic!("on purpose"));
        assert!(broken.is_err());
        assert_ne!(first, apart(Role::Refine, id).unwrap());
    }

    #[test]
    fn work_inside_work_of_the_same_role_has_another_thread() {
        let id = || std::thread::current().id();
        let (outer, inner) =
            apart(Role::Adapt, move || (id(), apart(Role::Adapt, id).unwrap())).unwrap();
        assert_ne!(outer, inner);
    }
}
