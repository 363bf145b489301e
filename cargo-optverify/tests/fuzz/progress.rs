//! The log of a run: a line for each file that is done, written as it is done. A run that was killed goes on from
//! there (`OPTVERIFY_FUZZ_LOG`), with the figures that it had.

use crate::judge::Figures;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Error, Write};
use std::path::Path;

/// What a file of a run depends on: with another seed or mix of sizes, file 7 is another file.
#[derive(Serialize, Deserialize, PartialEq, Eq, Debug, Clone)]
pub struct Identity {
    pub seed: u64,
    pub functions: u64,
    pub milliseconds: u64,
    /// The tool's own words: another build is another run.
    pub tool: String,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    file: u64,
    figures: Figures,
}

pub struct Progress {
    log: Option<File>,
    done: BTreeMap<u64, Figures>,
}

impl Progress {
    /// A run that leaves no log.
    pub fn unwritten() -> Progress {
        Progress {
            log: None,
            done: BTreeMap::new(),
        }
    }

    /// Opens or begins the log of a run; one of another run is an error.
    pub fn open(path: &Path, identity: &Identity) -> Result<Progress, Error> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // what has no end of line was being written when the run was killed
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines();
        let mut done = BTreeMap::new();
        if let Some(head) = lines.next() {
            if serde_json::from_str::<Identity>(head)? != *identity {
                return Err(Error::other(format!("the log of another run: {head}")));
            }
            for line in lines {
                let entry: Entry = serde_json::from_str(line)?;
                done.insert(entry.file, entry.figures);
            }
        }
        let mut log = File::options()
            .create(true)
            .write(true)
            .truncate(false)
            .open(path)?;
        log.set_len(whole as u64)?;
        std::io::Seek::seek(&mut log, std::io::SeekFrom::End(0))?;
        if whole == 0 {
            writeln!(log, "{}", serde_json::to_string(identity)?)?;
        }
        let log = Some(log);
        Ok(Progress { log, done })
    }

    pub fn is_done(&self, file: u64) -> bool {
        self.done.contains_key(&file)
    }

    /// In one write: a kill leaves the line or a part of it that is not read.
    pub fn add(&mut self, file: u64, figures: Figures) -> Result<(), Error> {
        let entry = Entry { file, figures };
        if let Some(log) = &mut self.log {
            log.write_all(format!("{}\n", serde_json::to_string(&entry)?).as_bytes())?;
        }
        self.done.insert(file, entry.figures);
        Ok(())
    }

    /// The sum of all files that are done, now and before.
    pub fn total(&self) -> Figures {
        let mut total = Figures::default();
        self.done.values().for_each(|f| total.add(f));
        total
    }
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    let run = Identity {
        seed: 1,
        functions: 300,
        milliseconds: 5,
        tool: "0.1".into(),
    };
    let figures = |functions: usize, wrong: &[&str]| {
        let mut figures = Figures::default();
        figures.functions = functions;
        figures.wrong.extend(wrong.iter().map(|w| (*w).to_owned()));
        figures
    };
    let mut progress = Progress::open(&path, &run).expect("a log");
    progress.add(0, figures(50, &[])).expect("written");
    progress.add(4, figures(7, &["a bug"])).expect("written");
    let text = std::fs::read_to_string(&path).expect("the log");
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in 0..=text.len() {
        std::fs::write(&path, &text[..cut]).expect("a file");
        let mut progress = Progress::open(&path, &run).expect("a log");
        let is_done = [0, 4].map(|n| progress.is_done(n));
        assert_eq!(is_done, [cut >= ends[1], cut >= ends[2]], "cut at {cut}");
        let total = progress.total();
        // what was wrong before the kill stays wrong
        assert_eq!(total.wrong.len(), usize::from(is_done[1]), "cut at {cut}");
        assert_eq!(
            total.functions,
            50 * usize::from(is_done[0]) + 7 * usize::from(is_done[1])
        );
        progress.add(9, figures(1, &[])).expect("written");
        let again = Progress::open(&path, &run).expect("a log that goes on is whole");
        assert_eq!(again.total().functions, total.functions + 1);
    }
    let other = Identity { seed: 2, ..run };
    assert!(Progress::open(&path, &other).is_err());
}
