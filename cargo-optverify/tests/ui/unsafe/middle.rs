// The sum of both ends wraps around.
use optverify::verify;

#[verify]
fn middle(low: u32, high: u32) -> u32 {
    if low > high {
        return low;
    }
    let middle = (low + high) / 2;
    assert!(low <= middle && middle <= high);
    middle
}
