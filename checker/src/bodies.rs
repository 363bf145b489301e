//! The MIR of one snapshot: the root's body, those of the functions at the same stage that it calls, and constants.

use optverify_engine::capture::{Capture, Function, Root, Snapshot};
use optverify_engine::mir::{self, Body, BodyKind, MirFile};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

/// Files that were read for any snapshot, by path; the error is a reason.
#[derive(Default)]
pub struct Files {
    known: RefCell<HashMap<PathBuf, Result<Rc<MirFile>, String>>>,
}

impl Files {
    fn get(
        &self,
        path: PathBuf,
        text: impl FnOnce() -> Result<String, String>,
    ) -> Result<Rc<MirFile>, String> {
        if let Some(known) = self.known.borrow().get(&path) {
            return known.clone();
        }
        let read = text().and_then(|text| understood(&text));
        self.known.borrow_mut().insert(path, read.clone());
        read
    }
}

/// Parses a text, and makes sure that it prints back to itself.
fn understood(text: &str) -> Result<Rc<MirFile>, String> {
    let file = mir::parse_file(text).map_err(|e| format!("MIR not understood: {e}"))?;
    mir::same_code(text, &file.to_string()).map_err(|e| format!("MIR not understood: {e}"))?;
    Ok(Rc::new(file))
}

pub struct Bodies<'a> {
    pub capture: &'a Capture,
    files: &'a Files,
    /// Nothing: the reference.
    number: Option<String>,
    bodies: RefCell<HashMap<String, Option<Rc<Body>>>>,
}

impl<'a> Bodies<'a> {
    pub fn new(capture: &'a Capture, files: &'a Files, stage: Option<&Snapshot>) -> Bodies<'a> {
        Bodies {
            capture,
            files,
            number: stage.map(|s| s.number.clone()),
            bodies: RefCell::default(),
        }
    }

    pub fn root(&self, root: &Root) -> Result<Rc<Body>, String> {
        let function = self.capture.function(&root.function);
        let function = function.ok_or("the root has no function in the capture")?;
        self.of_function(function)
    }

    /// The body that a call names, if the capture has exactly one such function.
    pub fn called(&self, callee: &str) -> Option<Rc<Body>> {
        if let Some(known) = self.bodies.borrow().get(callee) {
            return known.clone();
        }
        let functions = self.capture.info.functions.iter();
        let is_it = |f: &&Function| f.path == callee || f.called_as.as_deref() == Some(callee);
        let mut found = functions.filter(is_it);
        let body = match (found.next(), found.next()) {
            (Some(only), None) => self.of_function(only).ok(),
            _ => None,
        };
        self.bodies
            .borrow_mut()
            .insert(callee.to_string(), body.clone());
        body
    }

    /// The body of a constant or a promoted, as written.
    pub fn constant(&self, path: &str) -> Option<Rc<Body>> {
        let file = self.reference("").ok()?;
        let own = self.own_path(path);
        let kinds = [BodyKind::Const, BodyKind::Promoted];
        let mut found = file
            .bodies
            .iter()
            .filter(|b| kinds.contains(&b.kind) && (*b.path == *path || *b.path == *own));
        let first = found.next()?;
        // a constant function's body comes twice; anything else of one name is not told apart
        found.all(|b| b == first).then(|| Rc::new(first.clone()))
    }

    /// `Foo::get::promoted[0]` under the name of the body: `<impl at ..>::get::promoted[0]`.
    fn own_path(&self, path: &str) -> String {
        let Some((function, item)) = path.rsplit_once("::") else {
            return path.to_string();
        };
        let functions = self.capture.info.functions.iter();
        let mut found = functions.filter(|f| f.called_as.as_deref() == Some(function));
        match (found.next(), found.next()) {
            (Some(only), None) => format!("{}::{item}", only.path),
            _ => path.to_string(),
        }
    }

    /// The text with a function's body before all optimizations.
    fn reference(&self, function: &str) -> Result<Rc<MirFile>, String> {
        let path = self.capture.reference_path(function);
        let text = || {
            self.capture
                .reference_text(function)
                .map_err(|e| e.to_string())
        };
        self.files.get(path, text)
    }

    fn of_function(&self, function: &Function) -> Result<Rc<Body>, String> {
        let file = match &self.number {
            None => self.reference(&function.path)?,
            Some(number) => {
                // the dump of a stage has one of two functions of one name, whichever that is
                only(&*self.reference(&function.path)?, function)?;
                let snapshot = self.capture.snapshot_at(&function.path, number);
                let snapshot = snapshot.map_err(|e| e.to_string())?;
                let snapshot = snapshot.ok_or("a function without a snapshot at this stage")?;
                let text = || snapshot.text().map_err(|e| e.to_string());
                self.files.get(snapshot.path.clone(), text)?
            }
        };
        only(&file, function).map(|body| Rc::new(body.clone()))
    }
}

/// The one body of a function.
fn only<'f>(file: &'f MirFile, function: &Function) -> Result<&'f Body, String> {
    let mut found = file
        .bodies
        .iter()
        .filter(|b| b.kind == BodyKind::Fn && *b.path == *function.path && !b.for_ctfe);
    match (found.next(), found.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(format!("no MIR body named `{}`", function.path)),
        _ => Err(format!("several MIR bodies named `{}`", function.path)),
    }
}
