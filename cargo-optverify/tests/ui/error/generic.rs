use optverify::verify;

#[verify]
fn which<T>(_: T) {}
