//! Arbitrary values outside verification: drawn from a script, in order.

use optverify::{any, assume, ensures, replay, requires, verify, Any};

#[derive(Any, Debug, PartialEq)]
struct Point<T> {
    x: T,
    y: Option<T>,
}

#[derive(Any, Debug, PartialEq)]
enum Shape {
    Empty,
    Circle(u8),
    Box { w: i16, h: (bool, char) },
}

#[derive(Any, Debug, PartialEq)]
struct Unit;

#[derive(Any, Debug, PartialEq)]
struct Marked<'a, T: Copy, const N: usize = 2>(std::marker::PhantomData<&'a ()>, [T; N])
where
    T: PartialEq;

fn message(body: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(body).expect_err("it panics");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
        .expect("a message")
}

#[test]
fn values_come_in_order() {
    let drawn = replay::with(
        &[
            "7",
            "true",
            "-3",
            "340282366920938463463374607431768211455",
            "x",
        ],
        || {
            (
                any::<u8>(),
                any::<Option<i64>>(),
                any::<u128>(),
                any::<char>(),
            )
        },
    );
    assert_eq!(drawn, (7, Some(-3), u128::MAX, 'x'));
    assert_eq!(replay::with(&["1", "2", "3"], any::<[u16; 3]>), [1, 2, 3]);
    assert_eq!(replay::with(&["false", "9"], any::<Result<u8, i8>>), Err(9));
}

#[test]
fn derived() {
    assert_eq!(
        replay::with(&["1", "false"], any::<Point<u8>>),
        Point { x: 1, y: None }
    );
    assert_eq!(replay::with(&["0"], any::<Shape>), Shape::Empty);
    assert_eq!(replay::with(&["1", "5"], any::<Shape>), Shape::Circle(5));
    let boxed = replay::with(&["2", "-1", "true", "z"], any::<Shape>);
    assert_eq!(
        boxed,
        Shape::Box {
            w: -1,
            h: (true, 'z')
        }
    );
    assert_eq!(replay::with(&[], any::<Unit>), Unit);
    let marked = replay::with(&["4", "5"], any::<Marked<'_, u8>>);
    assert_eq!(marked, Marked(std::marker::PhantomData, [4, 5]));
    let violated = message(|| {
        let _ = replay::with(&["3"], any::<Shape>);
    });
    assert!(violated.contains("assumption violated (not a counterexample)"));
}

#[test]
fn scripts_that_do_not_fit() {
    let ended = message(|| {
        let _ = replay::with(&["1"], || (any::<u8>(), any::<u32>()));
    });
    assert!(
        ended.contains("has ended, but one more u32 is drawn"),
        "{ended}"
    );
    let wrong = message(|| {
        let _ = replay::with(&["300"], any::<u8>);
    });
    assert!(wrong.contains("has `300` where a u8 is drawn"), "{wrong}");
    let outside = message(|| assume(any::<bool>()));
    assert!(outside.contains("OPTVERIFY_REPLAY"), "{outside}");
    // an inner script does not use up the outer one
    let both = replay::with(&["1", "2"], || {
        (any::<u8>(), replay::with(&["9"], any::<u8>), any::<u8>())
    });
    assert_eq!(both, (1, 9, 2));
}

#[requires(n < 10)]
#[verify(timeout = "1s")]
#[ensures(|ret| *ret > n)]
const fn next(n: u8) -> u8 {
    n + 1
}

/// Attributes change nothing in an ordinary build: not the value, not the constness, not the conditions.
#[test]
fn ordinary_builds() {
    const TWO: u8 = next(1);
    assert_eq!(TWO, 2);
    assert_eq!(next(20), 21);
}
