//! Found by the fuzzer: "the answer of bmc was not confirmed: the run does not end at a stop" for a vector parameter that
//! is taken and iterated over.
//@ profile: release
//@ truth: breaks the tool
use optverify::verify;
#[verify]
pub fn taken_parameter(mut v: Vec<u128>) {
    for _e in std::mem::take(&mut v) {}
}
