//! Files of a capture's folder, and no others: whoever made the folder must not make us read anything else.

use super::lines::Place;
use super::{CaptureError, Stamp, has_changed};
use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// A larger file is no MIR of one crate.
const MOST_BYTES: u64 = 1 << 30;

/// A folder of which many files are looked at.
pub struct Folder {
    dir: PathBuf,
    /// Its real path.
    whole: PathBuf,
    /// Folders in it that are really there.
    seen: BTreeSet<PathBuf>,
}

impl Folder {
    pub fn new(dir: &Path) -> Result<Folder, CaptureError> {
        let whole = dir.canonicalize();
        let whole = whole.map_err(|e| inconsistent(dir, e.to_string()))?;
        Ok(Folder {
            dir: dir.to_path_buf(),
            whole,
            seen: BTreeSet::new(),
        })
    }

    /// The file is there, and nowhere else.
    pub fn holds(&mut self, file: &str) -> Result<Metadata, CaptureError> {
        let wrong = |what: &str| inconsistent(&self.dir, format!("the file {file} {what}"));
        let path = Path::new(file);
        let plain = |c: Component<'_>| matches!(c, Component::Normal(_));
        if file.is_empty() || !path.components().all(plain) {
            return Err(wrong("is not in its folder"));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        if !self.seen.contains(folder) {
            match self.dir.join(folder).canonicalize() {
                Ok(real) if real.starts_with(&self.whole) => self.seen.insert(folder.to_path_buf()),
                Ok(_) => return Err(wrong("leads elsewhere")),
                Err(_) => return Err(wrong("is missing")),
            };
        }
        match self.dir.join(path).symlink_metadata() {
            Ok(found) if found.is_symlink() => Err(wrong("leads elsewhere")),
            Ok(found) if found.is_file() => Ok(found),
            _ => Err(wrong("is missing")),
        }
    }
}

fn inconsistent(dir: &Path, what: String) -> CaptureError {
    CaptureError::Inconsistent {
        dir: dir.to_path_buf(),
        what,
    }
}

/// A whole file, if it is no newer than the limit.
pub fn read(dir: &Path, limit: Option<Stamp>, file: &str) -> Result<String, CaptureError> {
    Folder::new(dir)?.holds(file)?;
    let text = read_file(&dir.join(file))?;
    is_covered(dir, limit, file)?;
    Ok(text)
}

/// A part of a file.
pub fn read_part(
    dir: &Path,
    limit: Option<Stamp>,
    file: &str,
    place: Place,
) -> Result<String, CaptureError> {
    let end = place.start.checked_add(place.length);
    let length = length(dir, file)?;
    if end.is_none_or(|end| end > length) || length > MOST_BYTES {
        return Err(inconsistent(dir, format!("the file {file} is too short")));
    }
    let path = dir.join(file);
    let part = || {
        let mut opened = File::open(&path)?;
        opened.seek(SeekFrom::Start(place.start))?;
        let mut text = String::new();
        opened.take(place.length).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = part().map_err(|source| unreadable(&path, source))?;
    is_covered(dir, limit, file)?;
    Ok(text)
}

pub fn length(dir: &Path, file: &str) -> Result<u64, CaptureError> {
    Ok(Folder::new(dir)?.holds(file)?.len())
}

/// After the reading: what changes later was not read.
fn is_covered(dir: &Path, limit: Option<Stamp>, file: &str) -> Result<(), CaptureError> {
    match limit {
        Some(stamp) if !stamp.covers(&dir.join(file))? => Err(has_changed(dir, file)),
        _ => Ok(()),
    }
}

/// A file whose place is known.
pub fn read_file(path: &Path) -> Result<String, CaptureError> {
    let text = || {
        // a pipe or a device has no end
        let what = std::fs::metadata(path)?;
        if !what.is_file() || what.len() > MOST_BYTES {
            return Err(std::io::Error::other("not a file of a usual size"));
        }
        std::fs::read_to_string(path)
    };
    text().map_err(|source| unreadable(path, source))
}

fn unreadable(path: &Path, source: std::io::Error) -> CaptureError {
    CaptureError::Unreadable {
        path: path.to_path_buf(),
        source,
    }
}
