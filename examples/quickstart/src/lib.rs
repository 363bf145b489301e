//! Three functions, three answers: a proof, a bug, and a bug of the compiler.
//!
//! `./x verify` in the repository's root, or `cargo optverify` here.

use optverify::verify;

/// Proven for all 2^32 inputs, without a bound on the loop and without annotations.
#[verify]
pub fn transfer_everything(amount: u32) {
    let (mut from, mut to) = (amount, 0u32);
    while from > 0 {
        from -= 1;
        to += 1;
    }
    assert!(to == amount);
}

/// The middle of a range, as it has been written many times: the sum wraps around. The tool finds an
/// input.
#[verify]
pub fn middle(low: u32, high: u32) -> u32 {
    if low > high {
        return low;
    }
    let middle = (low + high) / 2;
    assert!(low <= middle && middle <= high);
    middle
}

/// Readings of a sensor, and how many of them were alarms.
#[derive(Default)]
struct Log {
    alarms: u8,
}

impl Log {
    #[inline(always)]
    fn record(&mut self, reading: u16) -> bool {
        let is_alarm = reading == 404;
        self.alarms |= is_alarm as u8;
        is_alarm
    }
}

/// Correct as written. rustc 1.95.0 with optimizations compiles it wrongly (rust-lang/rust#158206): the
/// pass SimplifyComparisonIntegral deletes a comparison whose result is still read.
#[verify]
pub fn alarms_are_logged(reading: u16) {
    let mut log = Log::default();
    if log.record(reading) {
        assert!(log.alarms == 1, "an alarm was not logged");
    } else {
        assert!(log.alarms == 0, "a false alarm was logged");
    }
}
