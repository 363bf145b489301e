// Correct as written; the class of rust-lang/rust#158206 (rustc 1.95.0, any -O).
use optverify::verify;

#[inline(always)]
fn note(seen: &mut u8, code: u16) -> bool {
    let hit = code == 404;
    *seen |= hit as u8;
    hit
}

#[verify]
pub fn noted(code: u16) {
    let mut seen = 0;
    if note(&mut seen, code) {
        assert!(seen == 1);
    } else {
        assert!(seen == 0);
    }
}
