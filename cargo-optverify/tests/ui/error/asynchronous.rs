use optverify::verify;

#[verify]
async fn later() {}
