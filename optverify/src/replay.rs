//! Replays a counterexample natively: the values that [`any`](crate::any) draws, in order.
//!
//! Either [`with`] sets them for one call on this thread, or the environment variable
//! `OPTVERIFY_REPLAY="1,0,true"` for a whole process.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The environment variable with a process's script.
pub const ENVIRONMENT_VARIABLE: &str = "OPTVERIFY_REPLAY";

thread_local! {
    static SCRIPT: RefCell<Option<VecDeque<String>>> = const { RefCell::new(None) };
}

/// Runs `body`; the values that it draws are those of `script`, in order.
///
/// ```
/// let sum = optverify::replay::with(&["1", "2"], || {
///     optverify::any::<u32>() + optverify::any::<u32>()
/// });
/// assert_eq!(sum, 3);
/// ```
pub fn with<R>(script: &[&str], body: impl FnOnce() -> R) -> R {
    /// Puts the outer script back, also when `body` panics.
    struct Restore(Option<VecDeque<String>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            SCRIPT.with(|script| *script.borrow_mut() = self.0.take());
        }
    }
    let values = script.iter().map(|value| (*value).to_owned()).collect();
    let _restore = Restore(SCRIPT.with(|script| script.borrow_mut().replace(values)));
    body()
}

/// The next value of the script in force.
pub(crate) fn next(type_name: &str) -> String {
    let local = SCRIPT.with(|script| script.borrow_mut().as_mut().map(VecDeque::pop_front));
    let value = match local {
        Some(value) => value,
        None => process_script(type_name)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front(),
    };
    value.unwrap_or_else(|| {
        panic!("optverify: the replay script has ended, but one more {type_name} is drawn")
    })
}

fn process_script(type_name: &str) -> &'static Mutex<VecDeque<String>> {
    static PROCESS: OnceLock<Mutex<VecDeque<String>>> = OnceLock::new();
    PROCESS.get_or_init(|| {
        let Ok(text) = std::env::var(ENVIRONMENT_VARIABLE) else {
            panic!(
                "optverify: any::<{type_name}>() outside verification reads a replay script: \
                 set {ENVIRONMENT_VARIABLE}=\"1,0,true\" or call optverify::replay::with"
            )
        };
        let values = text
            .split(',')
            .map(|v| v.trim().to_owned())
            .filter(|v| !v.is_empty());
        Mutex::new(values.collect())
    })
}
