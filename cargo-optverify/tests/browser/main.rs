//! The HTML report in a real browser: searched, filtered, opened by clicks and by keys, in light and dark. Screenshots
//! stay in the target directory (`optverify-screenshots`). Without a Chromium on the machine the test says so and ends.

#[path = "../common/mod.rs"]
mod common;

mod chromium;

use chromium::Browser;
use common::Project;
use std::path::{Path, PathBuf};

const SOURCE: &str = "use optverify::verify;\n#[verify]\nfn count(n: u32) {\n    let (mut x, mut y) = (n, 0u32);\n    \
                      while x > 0 {\n        x -= 1;\n        y += 1;\n    }\n    assert!(y == n);\n}\n\
                      #[verify]\nfn divide(n: u8, d: u8) -> u8 {\n    n / d\n}\n\
                      #[verify]\nfn outside() -> usize {\n    std::env::args().count()\n}\n";

fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("optverify-screenshots")
}

/// The roots that can be seen, by their index.
fn visible(browser: &mut Browser) -> Vec<String> {
    let shown = browser.eval(
        "[...document.querySelectorAll('details.root')].filter(e => e.checkVisibility()).map(e => \
         e.querySelector('.name').textContent)",
    );
    let names = shown.as_array().expect("a list").iter();
    names
        .map(|name| name.as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn the_report_works_in_a_browser() {
    let Some(program) = chromium::find() else {
        eprintln!(
            "SKIPPED: no Chromium on this machine (OPTVERIFY_CHROMIUM names one); the report was not tested"
        );
        return;
    };
    let project = Project::empty();
    project.file("sample.rs", SOURCE);
    let ran = project.run(&["sample.rs", "--html", "report.html", "-j1"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let file = project.path().join("report.html");
    let text = std::fs::read_to_string(&file).expect("the report");
    for outside in ["http://", "https://", "src=", "@import", "url(http"] {
        let found = text.matches(outside).count();
        // the namespace of SVG is a name, nothing is fetched
        let names = text.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        let allowed = if outside == "http://" { names } else { 0 };
        assert_eq!(found, allowed, "{outside}");
    }

    let mut browser = Browser::start(&program);
    browser.open(&file, 1200, "light");
    let all = ["sample::count", "sample::divide", "sample::outside"];
    assert_eq!(visible(&mut browser), all);
    browser.screenshot(&screenshots().join("light.png"));
    findings_are_open(&mut browser);
    searching(&mut browser, &all);
    links(&mut browser);
    accessible(&mut browser);
    themes(&mut browser, &file);
}

/// What fails the run is open, what passes is closed; lemmas stand at loops, the path is drawn.
fn findings_are_open(browser: &mut Browser) {
    let open = browser.eval("[...document.querySelectorAll('details.root')].map(e => e.open)");
    assert_eq!(open, serde_json::json!([false, true, true]));
    browser.click("#r0 summary");
    assert_eq!(browser.eval("document.querySelector('#r0').open"), true);
    let lemmas = browser.eval("document.querySelector('#r0 .source .lemma').innerText");
    assert!(lemmas.as_str().is_some_and(|l| l.contains('n')), "{lemmas}");
    let panic = browser.eval("document.querySelector('#r1 .source .panic').innerText");
    assert!(
        panic.as_str().is_some_and(|l| l.contains("n / d")),
        "{panic}"
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('#r1 svg .edge.taken').length"),
        1
    );
    assert_eq!(
        browser.eval("document.querySelectorAll('#r0 svg .edge.taken').length"),
        0
    );
}

fn searching(browser: &mut Browser, all: &[&str]) {
    browser.click("#search");
    browser.type_text("divide zero");
    assert_eq!(visible(browser), ["sample::divide"]);
    assert_eq!(
        browser.eval("document.querySelector('#shown').textContent"),
        "1 of 3 roots"
    );
    let rows = "[...document.querySelectorAll('.matrix tbody tr')].filter(e => e.checkVisibility()).length";
    assert_eq!(browser.eval(rows), 1);
    for _ in 0.."divide zero".len() {
        browser.press("Backspace", 8);
    }
    assert_eq!(visible(browser), all);
    browser.click(".filter[data-verdict=safe]");
    assert_eq!(visible(browser), ["sample::divide", "sample::outside"]);
    browser.click(".filter[data-verdict=safe]");
    assert_eq!(visible(browser), all);
}

fn becomes_true(browser: &mut Browser, expression: &str) {
    for _ in 0..100 {
        if browser.eval(expression) == true {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{expression} stays false");
}

/// From a cell of the overview to the row of its pass, in a root that was closed.
fn links(browser: &mut Browser) {
    // all are open by now
    browser.click("#all");
    assert_eq!(
        browser.eval("[...document.querySelectorAll('details.root')].filter(e => e.open).length"),
        0
    );
    browser.click(".matrix tr[data-root='0'] td.cell a");
    let target = "document.querySelector('.passes tr:target')";
    // the page hears of the new address a moment later
    becomes_true(
        browser,
        &format!("{target} !== null && {target}.checkVisibility()"),
    );
    becomes_true(browser, "document.querySelector('#r0').open");
    let hidden = "[...document.querySelectorAll('#r0 .passes tr.same')].filter(e => e.checkVisibility()).length";
    let before = browser.eval(hidden);
    browser.click("#every");
    assert_ne!(browser.eval(hidden), before);
}

/// Keys reach everything, everything has a name, text stands out from what is behind it.
fn accessible(browser: &mut Browser) {
    browser.eval("document.activeElement.blur(), document.querySelector('#all').focus()");
    let opened = "[...document.querySelectorAll('details.root')].filter(e => e.open).length";
    let before = browser.eval(opened);
    browser.press("Enter", 13);
    assert_ne!(browser.eval(opened), before, "a button hears the keyboard");
    let nameless = browser.eval(
        "[...document.querySelectorAll('button, a[href], input, [role=region], [role=img], meter')].filter(e => \
         !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.textContent.trim() || \
         (e.labels && e.labels.length) || e.querySelector('title'))).map(e => e.outerHTML)",
    );
    assert_eq!(nameless, serde_json::json!([]));
    assert_eq!(browser.eval("document.documentElement.lang"), "en");
    assert_eq!(
        browser
            .eval("document.querySelectorAll('table:not(.source) thead th:not([scope])').length"),
        0
    );
    contrast(browser);
}

fn contrast(browser: &mut Browser) {
    let weak = browser.eval(
        "(() => { const lum = c => { const p = c.map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : \
         ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]; }; \
         const rgb = s => s.match(/[\\d.]+/g).map(Number); const behind = e => { for (; e; e = e.parentElement) { \
         const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } \
         return [255, 255, 255]; }; return [...document.querySelectorAll('p, th, td, code, a, summary, .verdict, button, li')] \
         .filter(e => e.checkVisibility() && e.textContent.trim()).map(e => { const a = lum(rgb(getComputedStyle(e).color) \
         .slice(0, 3)), b = lum(behind(e)); return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.outerHTML.slice(0, 90)]; }) \
         .filter(x => x[0] < 4.5); })()",
    );
    assert_eq!(
        weak,
        serde_json::json!([]),
        "text with a contrast below 4.5"
    );
}

fn themes(browser: &mut Browser, file: &Path) {
    let paper = "getComputedStyle(document.body).backgroundColor";
    let light = browser.eval(paper);
    browser.click("#theme");
    assert_ne!(browser.eval(paper), light);
    browser.click("#theme");
    assert_eq!(browser.eval(paper), light);
    browser.open(file, 1200, "dark");
    browser.eval(
        "try { localStorage.clear() } catch {} delete document.documentElement.dataset.theme",
    );
    assert_ne!(browser.eval(paper), light);
    contrast(browser);
    browser.screenshot(&screenshots().join("dark.png"));
    // a narrow window scrolls inside of tables, not as a whole
    browser.open(file, 420, "light");
    assert_eq!(
        browser.eval("document.documentElement.scrollWidth <= 420"),
        true
    );
    browser.screenshot(&screenshots().join("narrow.png"));
}
