use optverify::verify;

#[verify]
fn number() -> u32 {
    "text"
}
