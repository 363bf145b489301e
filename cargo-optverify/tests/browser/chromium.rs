//! Chromium without a window, driven over its debugging pipe: commands go to its file descriptor 3, answers come from
//! 4, each JSON and ended by a zero byte. A shell connects both to named pipes, so nothing but Chromium is needed.

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub struct Browser {
    process: Child,
    commands: File,
    answers: BufReader<File>,
    session: String,
    last: u64,
    _folder: tempfile::TempDir,
}

/// The browser of this machine: `OPTVERIFY_CHROMIUM`, or one of the usual names.
pub fn find() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OPTVERIFY_CHROMIUM") {
        return Some(path.into());
    }
    let names = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
    ];
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

impl Browser {
    pub fn start(program: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (to, from) = (folder.path().join("to"), folder.path().join("from"));
        let made = Command::new("mkfifo").args([&to, &from]).status();
        assert!(made.expect("mkfifo runs").success());
        let process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<\"$TO\" 4>\"$FROM\""])
            .arg(program)
            .args([
                "--headless=new",
                "--remote-debugging-pipe",
                "--no-sandbox",
                "--disable-gpu",
            ])
            .args([
                "--no-first-run",
                "--hide-scrollbars",
                "--disable-dev-shm-usage",
                "--disable-quic",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .arg(format!(
                "--user-data-dir={}",
                folder.path().join("profile").display()
            ))
            .env("TO", &to)
            .env("FROM", &from)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        // in the order that the shell opens them
        let commands = File::options().write(true).open(&to).expect("a pipe");
        let answers = BufReader::new(File::open(&from).expect("a pipe"));
        let mut browser = Self {
            process,
            commands,
            answers,
            session: String::new(),
            last: 0,
            _folder: folder,
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = json!({"targetId": target["targetId"], "flatten": true});
        let session = browser.call("Target.attachToTarget", attached);
        browser.session = session["sessionId"].as_str().expect("a session").to_owned();
        browser.call("Page.enable", json!({}));
        browser
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        let text = format!("{message}\0");
        self.commands
            .write_all(text.as_bytes())
            .expect("it listens");
        loop {
            let answer = self.next();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.answers.read_until(0, &mut bytes).expect("it answers");
        assert_eq!(bytes.pop(), Some(0), "the browser has gone");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    pub fn open(&mut self, file: &Path, width: u32, scheme: &str) {
        let size = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
        let feature = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": feature}));
        // no page of ours may need the network
        self.call("Network.enable", json!({}));
        let none = json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.call("Network.emulateNetworkConditions", none);
        let url = format!("file://{}", file.display());
        self.call("Page.navigate", json!({"url": url}));
        while self.eval("document.readyState") != "complete" {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The value of an expression in the page.
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {answer}"
        );
        answer["result"]["value"].clone()
    }

    /// A click of the mouse in the middle of the element.
    pub fn click(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.scrollIntoView({{block: 'center'}}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Keys pressed one after the other.
    pub fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            for kind in ["keyDown", "keyUp"] {
                let mut event = json!({"type": kind, "key": letter.to_string()});
                if kind == "keyDown" {
                    event["text"] = letter.to_string().into();
                }
                self.call("Input.dispatchKeyEvent", event);
            }
        }
    }

    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let mut event =
                json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && key == "Enter" {
                event["text"] = "\r".into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    pub fn screenshot(&mut self, file: &Path) {
        let size = self.call("Page.getLayoutMetrics", json!({}));
        let size = &size["cssContentSize"];
        let clip =
            json!({"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1});
        let asked = json!({"format": "png", "clip": clip, "captureBeyondViewport": true});
        let picture = self.call("Page.captureScreenshot", asked);
        let bytes = decoded(picture["data"].as_str().expect("a picture"));
        assert!(
            bytes.starts_with(b"\x89PNG") && bytes.len() > 5000,
            "no picture"
        );
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, bytes).expect("it is kept");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for v in text.bytes().filter_map(value) {
        bits = (bits << 6) | u32::from(v);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}
