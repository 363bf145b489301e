//! Reads a capture: the folder of MIR text and facts that the wrapper made of one crate.
//!
//! Nothing here runs a compiler or understands MIR: a capture replays on a machine without rustc.

mod error;
mod facts;
mod manifest;
mod stamp;

pub use error::CaptureError;
pub use facts::{EnumFacts, Facts, TypeSize, VariantFacts};
pub use manifest::{
    ClosedHow, Compiler, FORMAT_VERSION, Function, ImplHeader, LeftOut, Manifest, Pass, Profile,
    Root, SnapshotEntry,
};

pub use stamp::Stamp;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// File names inside a capture.
pub mod files {
    pub const MANIFEST: &str = "capture.json";
    pub const FACTS: &str = "facts.json";
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
        let text = read(&path).map_err(|error| match error {
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
        let text = read(&path)?;
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

    /// Every file that the manifest names is there.
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
        let all: BTreeSet<&str> = named.chain(known).collect();
        let whole = self.dir.canonicalize();
        let whole = whole.map_err(|e| inconsistent(e.to_string()))?;
        for file in all {
            is_inside(&self.dir, &whole, file).map_err(&inconsistent)?;
            stamp.with(&self.dir.join(file))?;
        }
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
        let deeper = self.function(function).and_then(|f| f.reference.as_deref());
        read_inside(&self.dir, self.limit(), deeper.unwrap_or(files::REFERENCE))
    }

    pub fn reference_path(&self, function: &str) -> PathBuf {
        let deeper = self.function(function).and_then(|f| f.reference.as_deref());
        self.dir.join(deeper.unwrap_or(files::REFERENCE))
    }

    /// The whole crate after the shipped pipeline: final bodies, constants, statics, promoteds.
    pub fn shipped_text(&self) -> Result<String, CaptureError> {
        read_inside(&self.dir, self.limit(), files::SHIPPED)
    }

    /// The function's MIR after every pass, in order.
    pub fn snapshots(&self, function: &str) -> Vec<Snapshot> {
        let entries = self
            .function(function)
            .map(|f| f.snapshots.as_slice())
            .unwrap_or_default();
        entries.iter().map(|entry| self.snapshot(entry)).collect()
    }

    /// The function's MIR after the pass with this number, for a caller at the same stage.
    pub fn snapshot_at(&self, function: &str, number: &str) -> Option<Snapshot> {
        let entry = self
            .function(function)?
            .snapshots
            .iter()
            .find(|s| s.number == number)?;
        Some(self.snapshot(entry))
    }

    fn snapshot(&self, entry: &SnapshotEntry) -> Snapshot {
        Snapshot {
            index: entry.index,
            number: entry.number.clone(),
            name: entry.name.clone(),
            path: self.dir.join(&entry.closed),
            changed: entry.closed_changed,
            closed_how: entry.closed_how,
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

    fn read(&self, path: &Path) -> Result<String, CaptureError> {
        // one that is elsewhere has no name here, and is refused like a file without one
        let name = path.strip_prefix(&self.dir).ok().and_then(Path::to_str);
        read_inside(&self.dir, self.limit, name.unwrap_or_default())
    }
}

#[derive(serde::Deserialize)]
struct Version {
    format_version: Option<u32>,
}

/// Whoever made the folder must not make us read anything else. `whole`: the folder's real path.
fn is_inside(dir: &Path, whole: &Path, file: &str) -> Result<(), String> {
    let path = Path::new(file);
    let plain = |c: Component<'_>| matches!(c, Component::Normal(_));
    if file.is_empty() || !path.components().all(plain) {
        return Err(format!("the file {file} is not in its folder"));
    }
    match dir.join(path).canonicalize() {
        Ok(real) if !real.starts_with(whole) => Err(format!("the file {file} leads elsewhere")),
        Ok(real) if real.is_file() => Ok(()),
        _ => Err(format!("the file {file} is missing")),
    }
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

fn read_inside(dir: &Path, limit: Option<Stamp>, file: &str) -> Result<String, CaptureError> {
    let inconsistent = |what: String| CaptureError::Inconsistent {
        dir: dir.to_path_buf(),
        what,
    };
    let whole = dir.canonicalize();
    let whole = whole.map_err(|e| inconsistent(e.to_string()))?;
    is_inside(dir, &whole, file).map_err(inconsistent)?;
    let text = read(&dir.join(file))?;
    // after the reading: what changes later was not read
    match limit {
        Some(stamp) if !stamp.covers(&dir.join(file))? => Err(has_changed(dir, file)),
        _ => Ok(text),
    }
}

/// A larger file is no MIR of one crate.
const MOST_BYTES: u64 = 1 << 30;

fn read(path: &Path) -> Result<String, CaptureError> {
    let text = || {
        // a pipe or a device has no end
        let what = std::fs::metadata(path)?;
        if !what.is_file() || what.len() > MOST_BYTES {
            return Err(std::io::Error::other("not a file of a usual size"));
        }
        std::fs::read_to_string(path)
    };
    text().map_err(|source| CaptureError::Unreadable {
        path: path.to_path_buf(),
        source,
    })
}
