//! The book as mdbook makes it: every chapter is a page that the table of contents leads to, every link, anchor and
//! picture is there. `OPTVERIFY_BOOK` is a folder that was built (`./x book`); else mdbook builds one, where it is
//! installed; else the test says that it was skipped.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pages by name.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|e| e.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.ends_with(".html"))
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(&name)).expect("a page");
            (name, text)
        })
        .collect()
}

/// The values of an attribute.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let begins = format!(" {attribute}=\"");
    let parts = page.split(begins.as_str()).skip(1);
    parts.filter_map(|p| p.split('"').next()).collect()
}

/// Where links and pictures of the pages lead nowhere.
fn dead(folder: &Path, pages: &BTreeMap<String, String>) -> Vec<String> {
    let mut dead = Vec::new();
    for (name, page) in pages {
        for target in [values(page, "href"), values(page, "src")].concat() {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { name } else { file };
            let is_there = match pages.get(file) {
                Some(there) => anchor.is_empty() || values(there, "id").contains(&anchor),
                None => file.contains("://") || folder.join(file).is_file(),
            };
            // the page for what is not found leads to the start of whatever serves the book
            if !is_there && (name.as_str(), target) != ("404.html", "/") {
                dead.push(format!("{name}: {target}"));
            }
        }
    }
    dead
}

fn built(into: &Path) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("OPTVERIFY_BOOK") {
        return Some(folder.into());
    }
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut mdbook = Command::new("mdbook");
    let ran = mdbook.arg("build").arg(docs).arg("--dest-dir").arg(into);
    match ran.output() {
        Ok(out) => {
            assert!(out.status.success(), "{out:?}");
            Some(into.to_owned())
        }
        Err(_) => None,
    }
}

#[test]
fn every_link_leads_somewhere() {
    let temporary = tempfile::tempdir().expect("a folder");
    let Some(folder) = built(temporary.path()) else {
        eprintln!("SKIPPED: no mdbook to build the book with");
        return;
    };
    let mut pages = pages(&folder);
    assert_eq!(dead(&folder, &pages), [""; 0]);
    let contents = values(&pages["toc.html"], "href");
    let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    let mut n_chapters = 0;
    for entry in std::fs::read_dir(chapters).expect("the book").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(chapter) = name.strip_suffix(".md").filter(|c| *c != "SUMMARY") else {
            continue;
        };
        let page = format!("{chapter}.html");
        assert!(pages.contains_key(&page), "{name} has no page");
        assert!(contents.contains(&page.as_str()), "nothing leads to {name}");
        n_chapters += 1;
    }
    assert!(n_chapters >= 12, "{n_chapters}");
    // it can say no
    let wrong = "<a href=\"none.html\"><a href=\"tutorial.html#none\"><img src=\"none.svg\">";
    pages.insert("wrong.html".into(), wrong.into());
    assert_eq!(dead(&folder, &pages).len(), 3);
}
