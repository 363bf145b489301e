//! Arrays of one constant whose elements own memory: every element has its own.

use optverify::verify;
use std::cell::RefCell;
use std::collections::VecDeque;

const EMPTY: Vec<u8> = Vec::new();
const ROW: [Vec<u8>; 2] = [EMPTY; 2];

//@ expect: safe
#[verify]
fn elements_have_their_own(x: u8, y: u8) {
    let mut all = [const { Vec::<u8>::new() }; 2];
    all[0].push(x);
    all[1].push(y);
    assert!(all[0][0] == x && all[1][0] == y);
}

//@ expect: unsafe
#[verify]
fn elements_share_nothing(x: u8, y: u8) {
    let mut all = [const { Vec::<u8>::new() }; 2];
    all[0].push(x);
    all[1].push(y);
    assert!(all[0][0] == y);
}

//@ expect: safe
#[verify]
fn by_an_index(i: usize, j: usize, x: u8) {
    let mut all = [EMPTY; 3];
    if i < 3 && j < 3 {
        all[i].push(x);
        assert!(all[j].len() == (i == j) as usize);
    }
}

//@ expect: unsafe
#[verify]
fn by_an_index_fails(i: usize, j: usize, x: u8) {
    let mut all = [EMPTY; 3];
    if i < 3 && j < 3 {
        all[i].push(x);
        assert!(all[j].len() == 1);
    }
}

//@ expect: safe
//@ known: unknown because arrays of arrays of pointers have no model
#[verify]
fn rows_of_rows() {
    let mut all = [ROW; 2];
    all[0][1].push(1);
    all[1][0].push(2);
    assert!(all[0][0].is_empty() && all[0][1][0] == 1 && all[1][1].is_empty());
}

//@ expect: unsafe
//@ known: unknown because arrays of arrays of pointers have no model
#[verify]
fn rows_of_rows_fail() {
    let mut all = [ROW; 2];
    all[0][1].push(1);
    all[1][0].push(2);
    assert!(!all[0][0].is_empty() || !all[1][1].is_empty());
}

//@ expect: safe
#[verify]
fn options_queues_texts(x: char) {
    let mut options = [const { Some(Vec::<u32>::new()) }; 2];
    if let Some(first) = &mut options[0] {
        first.push(7);
    }
    let mut queues = [const { VecDeque::<u8>::new() }; 2];
    queues[1].push_back(1);
    let mut texts = [const { String::new() }; 2];
    texts[0].push(x);
    assert!(options[1].as_ref().is_some_and(|v| v.is_empty()));
    assert!(queues[0].is_empty() && texts[1].is_empty() && !texts[0].is_empty());
}

//@ expect: unsafe
#[verify]
fn options_queues_texts_fail(x: char) {
    let mut texts = [const { String::new() }; 2];
    texts[0].push(x);
    assert!(!texts[1].is_empty());
}

//@ expect: safe
#[verify]
fn in_cells(x: u8) {
    let all = [const { RefCell::new(Vec::new()) }; 2];
    all[0].borrow_mut().push(x);
    assert!(all[1].borrow().is_empty() && all[0].borrow().len() == 1);
}

//@ expect: unsafe
#[verify]
fn in_cells_fails(x: u8) {
    let all = [const { RefCell::new(Vec::new()) }; 2];
    all[0].borrow_mut().push(x);
    assert!(all[1].borrow().len() == 1);
}

struct Map {
    buckets: [Vec<(u8, u32)>; 4],
}

impl Map {
    fn get(&self, key: u8) -> Option<u32> {
        let bucket = &self.buckets[key as usize % 4];
        bucket.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
    }
}

//@ expect: safe
#[verify]
fn a_map_of_buckets(key: u8, other: u8, value: u32) {
    let mut map = Map { buckets: [const { Vec::new() }; 4] };
    map.buckets[key as usize % 4].push((key, value));
    assert!(map.get(key) == Some(value) && (key == other || map.get(other).is_none()));
}

//@ expect: unsafe
#[verify]
fn a_map_of_buckets_fails(key: u8, other: u8, value: u32) {
    let mut map = Map { buckets: [const { Vec::new() }; 4] };
    map.buckets[key as usize % 4].push((key, value));
    assert!(map.get(other) == Some(value));
}
