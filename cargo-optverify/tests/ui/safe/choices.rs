// Arbitrary values, enums, Option: every variant is considered.
use optverify::{any, assume, verify, Any};

#[derive(Any, Clone, Copy)]
enum Light {
    Red,
    Green { seconds: u8 },
}

#[verify]
fn lights(wait: Option<u8>) -> u32 {
    let light: Light = any();
    let seconds = match light {
        Light::Red => 0,
        Light::Green { seconds } => u32::from(seconds),
    };
    assume(seconds > 0);
    100 / seconds + u32::from(wait.unwrap_or(1))
}
