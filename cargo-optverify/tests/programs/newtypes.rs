//! Structs that are nothing but a slice or a text: pointers to them have its length.
use optverify::verify;

mod secret {
    #[repr(transparent)]
    pub struct Secret([u8]);

    impl Secret {
        pub fn new(bytes: &[u8]) -> Option<&Secret> {
            if bytes.len() < 4 {
                return None;
            }
            // SAFETY: nothing but the slice
            Some(unsafe { &*(bytes as *const [u8] as *const Secret) })
        }

        pub fn transmuted(bytes: &[u8]) -> &Secret {
            // SAFETY: nothing but the slice
            unsafe { core::mem::transmute(bytes) }
        }

        pub fn len(&self) -> usize {
            self.0.len()
        }

        pub fn first(&self) -> u8 {
            self.0[0]
        }

        pub fn bytes_mut(&mut self) -> &mut [u8] {
            &mut self.0
        }
    }
}
use secret::Secret;

//@ expect: safe
#[verify]
fn made(bytes: &[u8]) {
    if let Some(s) = Secret::new(bytes) {
        assert!(s.len() == bytes.len());
        assert!(s.first() == bytes[0]);
    }
}

//@ expect: unsafe
#[verify]
fn made_short(bytes: &[u8]) {
    if Secret::new(bytes).is_none() {
        assert!(bytes.len() < 3);
    }
}

//@ expect: safe
#[verify]
fn transmuted(bytes: &[u8]) {
    assert!(Secret::transmuted(bytes).len() == bytes.len());
}

//@ expect: unsafe
#[verify]
fn transmuted_first(bytes: &[u8]) -> u8 {
    Secret::transmuted(bytes).first()
}

//@ expect: unsafe
#[verify]
fn parameter(s: &Secret) -> u8 {
    s.first()
}

//@ expect: safe
#[verify]
fn parameter_loop(s: &mut Secret) {
    let n = s.len();
    for b in s.bytes_mut() {
        *b = 7;
    }
    assert!(s.len() == n);
    if n > 2 {
        assert!(s.bytes_mut()[2] == 7);
    }
}

//@ expect: unsafe
#[verify]
fn parameter_loop_from_one(s: &mut Secret) {
    for b in s.bytes_mut().iter_mut().skip(1) {
        *b = 7;
    }
    if s.len() > 2 {
        assert!(s.bytes_mut()[0] == 7);
    }
}

struct Name {
    text: str,
}

//@ expect: safe
#[verify]
fn named(name: Option<&Name>) -> usize {
    match name {
        Some(n) if !n.text.is_empty() => n.text.as_bytes().len() - 1,
        _ => 0,
    }
}

//@ expect: unsafe
#[verify]
fn named_empty(name: Option<&Name>) -> u8 {
    match name {
        Some(n) => n.text.as_bytes()[0],
        _ => 0,
    }
}

trait Kind {
    fn kind(&self) -> u8;
}
impl Kind for &Secret {
    fn kind(&self) -> u8 {
        1
    }
}
impl Kind for &[u8] {
    fn kind(&self) -> u8 {
        2
    }
}
impl Kind for Secret {
    fn kind(&self) -> u8 {
        3
    }
}

#[inline(never)]
fn kind_of(x: &dyn Kind) -> u8 {
    x.kind()
}

//@ expect: safe
#[verify]
fn kinds(bytes: &[u8]) {
    let s = Secret::transmuted(bytes);
    assert!(Kind::kind(s) == 3);
    assert!(Kind::kind(&s) == 1);
    assert!(Kind::kind(&bytes) == 2);
}

//@ expect: unsafe
#[verify]
fn kinds_mixed(bytes: &[u8]) {
    let s = Secret::transmuted(bytes);
    assert!(Kind::kind(&s) == 2);
}

//@ expect: safe
//@ known: unknown because the struct's type decides what is called, and it is the slice's here
#[verify]
fn kind_of_object(bytes: &[u8]) {
    let s = Secret::transmuted(bytes);
    assert!(kind_of(&s) == 1);
    assert!(kind_of(&bytes) == 2);
}

//@ expect: unsafe
//@ known: unknown because the struct's type decides what is called, and it is the slice's here
#[verify]
fn kind_of_object_mixed(bytes: &[u8]) {
    let s = Secret::transmuted(bytes);
    assert!(kind_of(&s) == 2);
}
