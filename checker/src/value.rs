//! Values of MIR places as trees whose leaves are read when somebody asks.
//!
//! MIR text does not define types, so a value of an unknown struct is a name, and its field 0 is the name with `.0`
//! behind it. Writes are kept as they come; reading a leaf walks back through them. Whatever was never written reads
//! as an arbitrary value, together with the condition under which that happens.

use crate::term::{Gap, Modelled, Scalar, Script, Sort, Term, gap};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A step from a place to a part of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Step {
    Field(u32),
    Variant(Rc<str>, u32),
    Discriminant,
    Index(Term),
    /// All elements: the leaf is an array.
    Elements,
}

impl Step {
    fn is_dimension(&self) -> bool {
        matches!(self, Step::Index(_) | Step::Elements)
    }

    /// Whether rustc, and not this checker, answers for an initialised value there.
    fn is_lenient(&self) -> bool {
        matches!(self, Step::Variant(..) | Step::Index(_) | Step::Elements)
    }
}

/// As lemmas spell it.
pub fn spell(name: &str, path: &[Step]) -> String {
    let mut out = name.to_string();
    for step in path {
        out.push_str(&match step {
            Step::Field(i) => format!(".{i}"),
            Step::Variant(v, i) => format!("@{v}.{i}"),
            Step::Discriminant => "#variant".into(),
            Step::Index(_) | Step::Elements => "[]".into(),
        });
    }
    out
}

/// Memory that places are in.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Object {
    /// A local of the function at this chain of calls.
    Local(Rc<str>, u32),
    /// What the parameter at this leaf refers to.
    Pointee(Rc<str>),
    /// A local in the body of a constant.
    Constant(Rc<str>, u32),
}

impl Object {
    pub fn name(&self) -> String {
        match self {
            Object::Local(chain, local) => format!("{chain}_{local}"),
            Object::Pointee(leaf) => format!("(*{leaf})"),
            Object::Constant(path, local) => format!("const {path} _{local}"),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Pointer {
    pub object: Object,
    pub path: Vec<Step>,
    /// The length of a slice.
    pub meta: Option<Term>,
}

/// A value, by its place in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct V(usize);

#[derive(Clone, Debug)]
pub enum Node {
    Leaf(Term),
    /// Some value with this name.
    Unknown(Rc<str>),
    /// The same, if there is a value at all.
    Maybe(Rc<str>),
    Uninit,
    Pointer(Pointer),
    /// Parts, and where the others are.
    Parts(BTreeMap<Step, V>, V),
    /// The first with the second at this path.
    Write(V, Vec<Step>, V),
    View(V, Vec<Step>),
    Repeat(V),
    Ite(Term, V, V),
}

/// What a leaf reads as.
#[derive(Clone, Debug)]
pub struct Read {
    pub term: Term,
    /// When there is no value.
    pub absent: Term,
    /// When reading it is a violation. Where rustc answers for a value, inside of variants and arrays, it is not.
    pub missing: Term,
}

/// Where a pointer may lead, and when.
pub type Targets = Vec<(Term, Result<Pointer, Gap>)>;

pub struct Arena {
    nodes: Vec<Node>,
    memo: HashMap<(V, Vec<Step>, bool, Scalar), Read>,
    known_targets: HashMap<(V, Vec<Step>), Targets>,
}

impl Default for Arena {
    fn default() -> Self {
        Arena {
            nodes: vec![Node::Uninit],
            memo: HashMap::new(),
            known_targets: HashMap::new(),
        }
    }
}

/// How a path compares with one that was written.
enum Overlap {
    Apart,
    /// The write is at or above the read, if these are equal; with what remains to be read, and the indices that the
    /// write has where the read wants all elements.
    Within(Vec<(Term, Term)>, Vec<Term>),
    /// The write is below the read.
    Below,
}

fn overlap(written: &[Step], read: &[Step]) -> Modelled<Overlap> {
    let mut equal = vec![];
    let mut stores = vec![];
    for (w, r) in written.iter().zip(read) {
        match (w, r) {
            (Step::Index(a), Step::Index(b)) if !stores.is_empty() => {
                let _ = (a, b);
                return gap("one element of every row of an array");
            }
            (Step::Index(a), Step::Index(b)) => equal.push((a.clone(), b.clone())),
            (Step::Index(a), Step::Elements) => stores.push(a.clone()),
            (a, b) if a == b => {}
            (a, b) if a.is_dimension() != b.is_dimension() => {
                return gap("an array accessed as something else");
            }
            _ => return Ok(Overlap::Apart),
        }
    }
    if written.len() > read.len() {
        return Ok(Overlap::Below);
    }
    Ok(Overlap::Within(equal, stores))
}

impl Arena {
    pub const UNINIT: V = V(0);

    pub fn add(&mut self, node: Node) -> V {
        self.nodes.push(node);
        V(self.nodes.len() - 1)
    }

    pub fn node(&self, v: V) -> &Node {
        &self.nodes[v.0]
    }

    pub fn leaf(&mut self, term: Term) -> V {
        self.add(Node::Leaf(term))
    }

    pub fn view(&mut self, v: V, path: &[Step]) -> V {
        if path.is_empty() {
            return v;
        }
        self.add(Node::View(v, path.to_vec()))
    }

    pub fn write(&mut self, v: V, path: &[Step], new: V) -> V {
        if path.is_empty() {
            return new;
        }
        self.add(Node::Write(v, path.to_vec(), new))
    }

    pub fn ite(&mut self, c: &Term, a: V, b: V) -> V {
        match c {
            _ if a == b => a,
            c if c.is(true) => a,
            c if c.is(false) => b,
            c => self.add(Node::Ite(c.clone(), a, b)),
        }
    }

    /// The leaf at a path.
    pub fn read(&mut self, s: &mut Script, v: V, path: &[Step], of: Scalar) -> Modelled<Read> {
        self.read_part(s, v, path, of, false)
    }

    fn read_part(
        &mut self,
        s: &mut Script,
        v: V,
        path: &[Step],
        of: Scalar,
        lenient: bool,
    ) -> Modelled<Read> {
        let key = (v, path.to_vec(), lenient, of);
        if let Some(known) = self.memo.get(&key) {
            return Ok(known.clone());
        }
        let read = self.read_node(s, v, path, of, lenient)?;
        self.memo.insert(key, read.clone());
        Ok(read)
    }

    fn read_node(
        &mut self,
        s: &mut Script,
        v: V,
        path: &[Step],
        of: Scalar,
        lenient: bool,
    ) -> Modelled<Read> {
        let dims = path.iter().filter(|p| **p == Step::Elements).count() as u32;
        let sort = Sort { dims, of };
        let lenient = lenient || path.iter().any(Step::is_lenient);
        let there = |term| Read {
            term,
            absent: Term::boolean(false),
            missing: Term::boolean(false),
        };
        match self.nodes[v.0].clone() {
            Node::Leaf(t) => {
                let t = index(s, t, path)?;
                if t.sort != sort {
                    return gap("a value read at another type");
                }
                Ok(there(t))
            }
            Node::Unknown(name) => Ok(there(named(s, &name, path, of)?)),
            Node::Maybe(name) => {
                let term = named(s, &name, path, of)?;
                if path.iter().any(Step::is_dimension) {
                    return Ok(there(term));
                }
                let flag = format!("{}#init", spell(&name, path));
                let flag = s.constant(&flag, Sort::scalar(Scalar::Bool))?;
                let absent = s.not(&flag);
                Ok(Read {
                    term,
                    missing: if lenient {
                        Term::boolean(false)
                    } else {
                        absent.clone()
                    },
                    absent,
                })
            }
            Node::Uninit => Ok(Read {
                term: s.fresh(sort),
                absent: Term::boolean(true),
                missing: Term::boolean(!lenient),
            }),
            Node::Pointer(_) => gap("a pointer read as a number"),
            Node::Parts(parts, rest) => match path.first() {
                None => gap("a struct read as a number"),
                Some(step) => match parts.get(step) {
                    Some(part) => self.read_part(s, *part, &path[1..], of, lenient),
                    None => self.read_part(s, rest, path, of, lenient),
                },
            },
            Node::View(of_value, at) => {
                let whole: Vec<Step> = at.iter().chain(path).cloned().collect();
                self.read_part(s, of_value, &whole, of, lenient)
            }
            Node::Repeat(element) => match path.first() {
                Some(Step::Index(_)) => self.read_part(s, element, &path[1..], of, lenient),
                Some(Step::Elements) => {
                    let read = self.read_part(s, element, &path[1..], of, true)?;
                    Ok(there(s.repeat(&read.term)))
                }
                _ => gap("an array accessed as something else"),
            },
            Node::Ite(c, a, b) => {
                let a = self.read_part(s, a, path, of, lenient)?;
                let b = self.read_part(s, b, path, of, lenient)?;
                Ok(Read {
                    term: s.ite(&c, &a.term, &b.term),
                    absent: s.ite(&c, &a.absent, &b.absent),
                    missing: s.ite(&c, &a.missing, &b.missing),
                })
            }
            Node::Write(old, at, new) => match overlap(&at, path)? {
                Overlap::Apart => self.read_part(s, old, path, of, lenient),
                Overlap::Below => gap("a struct read as a number"),
                Overlap::Within(equal, stores) => {
                    let rest = &path[at.len()..];
                    let mut read = self.read_part(s, new, rest, of, lenient)?;
                    if equal.is_empty() && stores.is_empty() {
                        return Ok(read);
                    }
                    let before = self.read_part(s, old, path, of, lenient)?;
                    if !stores.is_empty() {
                        read = there(store(s, &before.term, &stores, &read.term));
                    }
                    let mut hit = Term::boolean(true);
                    for (a, b) in &equal {
                        let same = s.eq(a, b);
                        hit = s.and(&hit, &same);
                    }
                    Ok(Read {
                        term: s.ite(&hit, &read.term, &before.term),
                        absent: s.ite(&hit, &read.absent, &before.absent),
                        missing: s.ite(&hit, &read.missing, &before.missing),
                    })
                }
            },
        }
    }

    /// Where the pointer at a path may lead. The conditions exclude each other.
    pub fn targets(&mut self, s: &mut Script, v: V, path: &[Step]) -> Modelled<Targets> {
        let key = (v, path.to_vec());
        if let Some(known) = self.known_targets.get(&key) {
            return Ok(known.clone());
        }
        let targets = self.find_targets(s, v, path)?;
        self.known_targets.insert(key, targets.clone());
        Ok(targets)
    }

    fn find_targets(&mut self, s: &mut Script, v: V, path: &[Step]) -> Modelled<Targets> {
        let unknown = |what: &str| Ok(vec![(Term::boolean(true), gap(what))]);
        match self.nodes[v.0].clone() {
            Node::Pointer(p) if path.is_empty() => Ok(vec![(Term::boolean(true), Ok(p))]),
            Node::Pointer(_) => gap("a part of a pointer"),
            Node::Unknown(_) | Node::Maybe(_) => unknown("a pointer whose target is not known"),
            Node::Uninit => unknown("a pointer that is not set"),
            Node::Leaf(_) | Node::Repeat(_) => unknown("a number used as a pointer"),
            Node::Parts(parts, rest) => match path.first().and_then(|p| parts.get(p)) {
                Some(part) => self.targets(s, *part, &path[1..]),
                None => self.targets(s, rest, path),
            },
            Node::View(of_value, at) => {
                let whole: Vec<Step> = at.iter().chain(path).cloned().collect();
                self.targets(s, of_value, &whole)
            }
            Node::Ite(c, a, b) => {
                let a = self.targets(s, a, path)?;
                let b = self.targets(s, b, path)?;
                if let ([(_, x)], [(_, y)]) = (a.as_slice(), b.as_slice())
                    && x == y
                {
                    return Ok(a);
                }
                Ok(either(s, &c, a, b))
            }
            Node::Write(old, at, new) => match overlap(&at, path)? {
                Overlap::Apart => self.targets(s, old, path),
                Overlap::Below => gap("a part of a pointer"),
                Overlap::Within(_, stores) if !stores.is_empty() => gap("all pointers of an array"),
                Overlap::Within(equal, _) => {
                    let hits = self.targets(s, new, &path[at.len()..])?;
                    let mut hit = Term::boolean(true);
                    for (a, b) in &equal {
                        let same = s.eq(a, b);
                        hit = s.and(&hit, &same);
                    }
                    if hit.is(true) {
                        return Ok(hits);
                    }
                    let misses = self.targets(s, old, path)?;
                    Ok(either(s, &hit, hits, misses))
                }
            },
        }
    }
}

fn either(s: &mut Script, c: &Term, a: Targets, b: Targets) -> Targets {
    let not = s.not(c);
    let mut out = vec![];
    for (c, side) in [(c, a), (&not, b)] {
        out.extend(side.into_iter().map(|(when, p)| (s.and(c, &when), p)));
    }
    out
}

/// The constant of this name at this path.
fn named(s: &mut Script, name: &str, path: &[Step], of: Scalar) -> Modelled<Term> {
    let dims = path.iter().filter(|p| p.is_dimension()).count() as u32;
    let whole = s.constant(&spell(name, path), Sort { dims, of })?;
    let dimensions: Vec<Step> = path.iter().filter(|p| p.is_dimension()).cloned().collect();
    index(s, whole, &dimensions)
}

/// Applies the indices at the start of a path that consists of dimensions.
fn index(s: &mut Script, mut term: Term, path: &[Step]) -> Modelled<Term> {
    let mut rest = path.iter().peekable();
    while let Some(Step::Index(i)) = rest.peek() {
        if term.sort.dims == 0 {
            return gap("an element of a number");
        }
        term = s.select(&term, i);
        rest.next();
    }
    match rest.all(|r| *r == Step::Elements) {
        true => Ok(term),
        false => gap("an array accessed as something else"),
    }
}

/// Writes `value` at these indices, outermost first.
fn store(s: &mut Script, array: &Term, at: &[Term], value: &Term) -> Term {
    match at {
        [] => value.clone(),
        [i, more @ ..] => {
            let inner = match more {
                [] => value.clone(),
                _ => {
                    let row = s.select(array, i);
                    store(s, &row, more, value)
                }
            };
            s.store(array, i, &inner)
        }
    }
}
