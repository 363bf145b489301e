//! Reads a capture: the folder of MIR text and facts that the wrapper made of one crate.
//!
//! Nothing here runs a compiler or understands MIR: a capture replays on a machine without rustc.

mod error;
mod facts;
mod inside;
mod items;
mod lines;
mod manifest;
mod stamp;

pub use error::CaptureError;
pub use facts::{EnumFacts, Facts, TypeSize, VariantFacts};
pub use items::{Items, list_of, listed};
pub use lines::{Place, laid_out};
pub use manifest::{
    ClosedHow, Compiler, FORMAT_VERSION, Function, ImplHeader, LeftOut, Manifest, Pass, Profile,
    Root, SnapshotEntry,
};

pub use stamp::Stamp;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// File names inside a capture.
pub mod files {
    pub const MANIFEST: &str = "capture.json";
    pub const FACTS: &str = "facts.json";
    /// What every pass made of each function.
    pub const SNAPSHOTS: &str = "snapshots.json";
    /// The reference program: nothing optimized, everything inlined that rustc can inline.
    pub const REFERENCE: &str = "reference.mir";
    /// Every body of the crate after the shipped pipeline, with constants, statics and promoteds.
    pub const SHIPPED: &str = "shipped.mir";
    /// A capture of its own for the roots that ask for the other setting of overflow checks.
    pub const OTHER_OVERFLOW: &str = "other-overflow";
    /// The same with unlimited inlining.
    pub const SHIPPED_CLOSED: &str = "shipped-closed.mir";
}

/// One crate's capture.
#[derive(Debug, Clone)]
pub struct Capture {
    dir: PathBuf,
    /// What was captured, and how.
    pub info: Manifest,
    pub facts: Facts,
    stamp: Stamp,
    /// What is newer than the stamp is not read.
    is_fixed: bool,
}

/// The MIR of one function after one pass.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub index: u32,
    pub number: String,
    pub name: String,
    /// The closed text: what is verified.
    pub path: PathBuf,
    /// Does the text differ from the snapshot before (the first: from the reference)?
    pub changed: bool,
    pub closed_how: ClosedHow,
    /// The text as the shipped pipeline has it.
    pub shipped_path: PathBuf,
    pub shipped_changed: bool,
    /// Is the closed text one of the whole crate, with a list of its items?
    is_listed: bool,
    /// The capture's folder, which both texts are in.
    dir: PathBuf,
    /// What both texts must be no newer than.
    limit: Option<Stamp>,
}

impl Capture {
    /// Reads the manifest and the facts in `dir`. MIR text is read when it is asked for.
    pub fn load(dir: impl AsRef<Path>) -> Result<Self, CaptureError> {
        let mut capture = Self::read(dir.as_ref())?;
        capture.check()?;
        Ok(capture)
    }

    /// `load` in the process of one root of many: that every file is there was seen before, and what this root needs is
    /// looked at when it is read. What has changed since the other process made the stamp is an error, now or then.
    pub fn load_again(dir: impl AsRef<Path>, stamp: Stamp) -> Result<Self, CaptureError> {
        let mut capture = Self::read(dir.as_ref())?;
        (capture.stamp, capture.is_fixed) = (stamp, true);
        capture.is_unchanged()?;
        Ok(capture)
    }

    /// For another process, and for `is_unchanged` after the work is done.
    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Is the folder still the one that was loaded? A new capture may have taken its place.
    pub fn is_unchanged(&self) -> Result<(), CaptureError> {
        match self.stamp.is_of(stamp_of(&self.dir)?) {
            true => Ok(()),
            false => Err(self.has_changed(files::MANIFEST)),
        }
    }

    fn has_changed(&self, file: &str) -> CaptureError {
        has_changed(&self.dir, file)
    }

    fn read(dir: &Path) -> Result<Self, CaptureError> {
        let dir = dir.to_path_buf();
        // before the reading: what changes meanwhile is newer
        let stamp = stamp_of(&dir);
        let path = dir.join(files::MANIFEST);
        let text = inside::read_file(&path).map_err(|error| match error {
            CaptureError::Unreadable { source, .. } => CaptureError::Missing {
                dir: dir.clone(),
                source,
            },
            other => other,
        })?;
        let damaged = |source| CaptureError::Damaged {
            path: path.clone(),
            source,
        };
        let info = match serde_json::from_str::<Manifest>(&text) {
            Ok(info) if info.format_version == FORMAT_VERSION => info,
            // another format may have other fields
            other => {
                let found = serde_json::from_str::<Version>(&text).map_err(damaged)?;
                let found = found.format_version.unwrap_or(0);
                if found != FORMAT_VERSION {
                    return Err(CaptureError::OtherFormat {
                        dir,
                        found,
                        expected: FORMAT_VERSION,
                    });
                }
                other.map_err(damaged)?
            }
        };
        let path = dir.join(files::FACTS);
        let text = inside::read_file(&path)?;
        let facts =
            serde_json::from_str(&text).map_err(|source| CaptureError::Damaged { path, source })?;
        Ok(Self {
            dir,
            info,
            facts,
            stamp: stamp?,
            is_fixed: false,
        })
    }

    /// The capture in `dir`, and the one inside it for the roots that ask for another setting of overflow
    /// checks than the profile's.
    pub fn load_all(dir: impl AsRef<Path>) -> Result<Vec<Self>, CaptureError> {
        let dir = dir.as_ref();
        let mut captures = vec![Self::load(dir)?];
        let other = dir.join(files::OTHER_OVERFLOW);
        if other.is_dir() && !other.is_symlink() {
            captures.push(Self::load(other)?);
        }
        Ok(captures)
    }

    /// Every file that the manifest names is there. The snapshots of all functions are read.
    fn check(&mut self) -> Result<(), CaptureError> {
        let mut stamp = self.stamp;
        let inconsistent = |what| CaptureError::Inconsistent {
            dir: self.dir.clone(),
            what,
        };
        let functions = self.info.functions.iter().map(|f| f.path.as_str());
        let functions: BTreeSet<&str> = functions.collect();
        for root in &self.info.roots {
            if !functions.contains(root.function.as_str()) {
                return Err(inconsistent(format!(
                    "the root {} has no function",
                    root.name
                )));
            }
        }
        let mut folder = inside::Folder::new(&self.dir)?;
        let mut seen = |file: &str| -> Result<(), CaptureError> {
            stamp.with(&folder.holds(file)?);
            Ok(())
        };
        if self.info.functions.iter().any(|f| f.line.is_some()) {
            seen(files::SNAPSHOTS)?;
            let lines = inside::read(&self.dir, None, files::SNAPSHOTS)?;
            for function in &mut self.info.functions {
                if let Some(place) = function.line.take() {
                    let end = place.start.saturating_add(place.length) as usize;
                    let line = lines.get(place.start as usize..end).unwrap_or_default();
                    function.snapshots = snapshots_of(&self.dir, function, line)?;
                }
            }
        }
        let snapshots = self.info.functions.iter().flat_map(|f| &f.snapshots);
        let named = snapshots.flat_map(|s| [s.shipped.as_str(), s.closed.as_str()]);
        let deeper = self
            .info
            .functions
            .iter()
            .filter_map(|f| f.reference.as_deref());
        let named = named.chain(deeper);
        let known = [files::FACTS, files::REFERENCE, files::SHIPPED];
        let known = known.into_iter().filter(|f| self.dir.join(f).exists());
        let whole = self.info.whole.iter().map(String::as_str);
        let all: BTreeSet<&str> = named.chain(known).chain(whole).collect();
        all.into_iter().try_for_each(&mut seen)?;
        let whole = self.info.whole.iter();
        whole.map(|f| list_of(f)).try_for_each(|list| seen(&list))?;
        self.stamp = stamp;
        Ok(())
    }

    fn limit(&self) -> Option<Stamp> {
        self.is_fixed.then_some(self.stamp)
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn roots(&self) -> &[Root] {
        &self.info.roots
    }

    pub fn function(&self, path: &str) -> Option<&Function> {
        self.info.functions.iter().find(|f| f.path == path)
    }

    /// The function that a call names: by its own path, or as calls print it.
    pub fn called(&self, callee: &str) -> Option<&Function> {
        let by_call = |f: &&Function| f.called_as.as_deref() == Some(callee);
        self.function(callee)
            .or_else(|| self.info.functions.iter().find(by_call))
    }

    /// The whole crate before the first optimization, calls inlined as far as rustc can.
    pub fn reference_text(&self, function: &str) -> Result<String, CaptureError> {
        inside::read(&self.dir, self.limit(), self.reference_file(function))
    }

    /// The same, item by item.
    pub fn reference_items(&self, function: &str) -> Result<Items, CaptureError> {
        let file = self.reference_file(function);
        let is_listed = self.info.whole.contains(file);
        items_of(&self.dir, self.limit(), file, is_listed)
    }

    fn reference_file(&self, function: &str) -> &str {
        let deeper = self.function(function).and_then(|f| f.reference.as_deref());
        deeper.unwrap_or(files::REFERENCE)
    }

    pub fn reference_path(&self, function: &str) -> PathBuf {
        self.dir.join(self.reference_file(function))
    }

    /// The whole crate after the shipped pipeline: final bodies, constants, statics, promoteds.
    pub fn shipped_text(&self) -> Result<String, CaptureError> {
        inside::read(&self.dir, self.limit(), files::SHIPPED)
    }

    /// The function's MIR after every pass, in order.
    pub fn snapshots(&self, function: &str) -> Result<Vec<Snapshot>, CaptureError> {
        let entries = self.entries(function)?;
        Ok(entries.iter().map(|entry| self.snapshot(entry)).collect())
    }

    /// The function's MIR after the pass with this number, for a caller at the same stage.
    pub fn snapshot_at(
        &self,
        function: &str,
        number: &str,
    ) -> Result<Option<Snapshot>, CaptureError> {
        let entries = self.entries(function)?;
        let entry = entries.iter().find(|s| s.number == number);
        Ok(entry.map(|entry| self.snapshot(entry)))
    }

    /// Of a function that is not there: none.
    fn entries(&self, function: &str) -> Result<Cow<'_, [SnapshotEntry]>, CaptureError> {
        let Some(function) = self.function(function) else {
            return Ok(Cow::Borrowed(&[]));
        };
        let Some(place) = function.line else {
            return Ok(Cow::Borrowed(&function.snapshots));
        };
        let line = inside::read_part(&self.dir, self.limit(), files::SNAPSHOTS, place)?;
        snapshots_of(&self.dir, function, &line).map(Cow::Owned)
    }

    fn snapshot(&self, entry: &SnapshotEntry) -> Snapshot {
        Snapshot {
            index: entry.index,
            number: entry.number.clone(),
            name: entry.name.clone(),
            path: self.dir.join(&entry.closed),
            changed: entry.closed_changed,
            closed_how: entry.closed_how,
            is_listed: self.info.whole.contains(&entry.closed),
            dir: self.dir.clone(),
            limit: self.limit(),
            shipped_path: self.dir.join(&entry.shipped),
            shipped_changed: entry.changed,
        }
    }
}

impl Snapshot {
    /// The closed text, or the reference's whole-crate text where no pass has changed anything yet.
    pub fn text(&self) -> Result<String, CaptureError> {
        self.read(&self.path)
    }

    pub fn shipped_text(&self) -> Result<String, CaptureError> {
        self.read(&self.shipped_path)
    }

    /// The closed text, item by item.
    pub fn items(&self) -> Result<Items, CaptureError> {
        let file = self.name_of(&self.path);
        items_of(&self.dir, self.limit, file, self.is_listed)
    }

    fn read(&self, path: &Path) -> Result<String, CaptureError> {
        inside::read(&self.dir, self.limit, self.name_of(path))
    }

    /// One that is elsewhere has no name here, and is refused like a file without one.
    fn name_of<'a>(&self, path: &'a Path) -> &'a str {
        let name = path.strip_prefix(&self.dir).ok().and_then(Path::to_str);
        name.unwrap_or_default()
    }
}

fn items_of(
    dir: &Path,
    limit: Option<Stamp>,
    file: &str,
    is_listed: bool,
) -> Result<Items, CaptureError> {
    match is_listed {
        true => Items::in_file(dir, limit, file),
        false => inside::read(dir, limit, file).map(Items::of),
    }
}

/// What a line of the snapshots says of a function.
fn snapshots_of(
    dir: &Path,
    function: &Function,
    line: &str,
) -> Result<Vec<SnapshotEntry>, CaptureError> {
    let found = lines::read(line, function).map_err(|source| CaptureError::Damaged {
        path: dir.join(files::SNAPSHOTS),
        source,
    })?;
    found.ok_or_else(|| CaptureError::Inconsistent {
        dir: dir.to_path_buf(),
        what: format!("the snapshots of {} are another function's", function.path),
    })
}

#[derive(serde::Deserialize)]
struct Version {
    format_version: Option<u32>,
}

fn stamp_of(dir: &Path) -> Result<Stamp, CaptureError> {
    Stamp::of([&dir.join(files::MANIFEST), &dir.join(files::FACTS)])
}

fn has_changed(dir: &Path, file: &str) -> CaptureError {
    CaptureError::Changed {
        dir: dir.to_path_buf(),
        file: file.to_owned(),
    }
}
