//! Progress on long work: how many roots are done, and which of the running ones has run longest. Only on a
//! terminal; it is gone when everything is done.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Times change this often.
const TICK: Duration = Duration::from_millis(120);
/// What is done before this was no long work.
const PATIENCE: Duration = Duration::from_millis(400);

type Running = Arc<Mutex<Vec<(String, Instant)>>>;

pub struct Progress {
    bar: ProgressBar,
    running: Running,
}

impl Progress {
    /// Shown only if `wanted`, and if somebody is there to look at it.
    pub fn new(roots: usize, wanted: bool) -> Self {
        let running = Running::default();
        let bar = if wanted && std::io::stderr().is_terminal() {
            ProgressBar::with_draw_target(Some(roots as u64), ProgressDrawTarget::stderr())
        } else {
            ProgressBar::hidden()
        };
        let slowest = Arc::clone(&running);
        let style = ProgressStyle::with_template("{spinner} {pos}/{len} roots{slowest}");
        if let Ok(style) = style {
            let show = move |_: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&describe(&slowest));
            };
            bar.set_style(style.with_key("slowest", show));
        }
        bar.enable_steady_tick(TICK);
        Self { bar, running }
    }

    pub fn begins(&self, root: &str) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.push((root.to_owned(), Instant::now()));
    }

    /// A root is done; `print` writes its line where the progress is not in the way.
    pub fn ends(&self, root: &str, print: impl FnOnce()) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|(name, _)| name == root) {
            running.remove(at);
        }
        drop(running);
        self.bar.inc(1);
        self.bar.suspend(print);
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// `; crate::f for 12 s`: the first that began.
fn describe(running: &Running) -> String {
    let running = running.lock().unwrap_or_else(PoisonError::into_inner);
    let slow = running.iter().find(|(_, since)| since.elapsed() > PATIENCE);
    match slow {
        Some((name, since)) => format!("; {name} for {} s", since.elapsed().as_secs()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_began_is_named() {
        let running = Running::default();
        assert_eq!(describe(&running), "");
        let earlier = |s| {
            Instant::now()
                .checked_sub(Duration::from_secs(s))
                .expect("a time")
        };
        let mut list = running.lock().expect("a lock");
        list.push(("a::slow".into(), earlier(12)));
        list.push(("a::quick".into(), earlier(1)));
        drop(list);
        assert_eq!(describe(&running), "; a::slow for 12 s");
    }
}
