//! The stages of a verification, in order. (The engines are not linked yet.)

use crate::capture::{Capture, Root};
use crate::report::{Event, RootReport};
use std::time::Duration;

/// How a root is to be verified.
#[derive(Debug, Clone)]
pub struct Options {
    /// Budget for one root, all its passes included.
    pub timeout: Duration,
    /// Also prove every pass from scratch, to compare.
    pub measure_scratch: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            measure_scratch: false,
        }
    }
}

/// Verifies one root: the reference, then every pass.
pub fn verify_root(
    _capture: &Capture,
    _root: &Root,
    _options: &Options,
    _events: &mut dyn FnMut(Event),
) -> RootReport {
    RootReport::unknown("engine not linked yet")
}
