// A gate that checks nothing must not pass.
pub fn unmarked(n: u32) -> u32 {
    n
}
