//! Templates of loop programs: Rust with placeholders, whose choices stand in the first lines.
//!
//! `//@ $T: u8 u32` lists the choices of a placeholder, `//@ names: x y` the variables that variants rename. A function
//! is a root if its name ends in `_safe` or `_unsafe`, which is also what is expected of it.

/// Names that variants give to variables; long, short, shadowing std's, with digits.
const NAMES: [&str; 16] = [
    "k",
    "value",
    "t1",
    "remaining",
    "acc_2",
    "len",
    "max",
    "idx",
    "zeta",
    "p",
    "cursor",
    "tmp",
    "self_",
    "n0",
    "low_water",
    "q",
];

pub struct Template {
    name: String,
    choices: Vec<(String, Vec<String>)>,
    names: Vec<String>,
    text: String,
}

pub struct Variant {
    /// A module's name.
    pub name: String,
    /// What was chosen, for people.
    pub choices: String,
    pub text: String,
    /// Functions and the verdict that is right for them.
    pub roots: Vec<(String, &'static str)>,
}

impl Template {
    pub fn read(name: &str, text: &str) -> Template {
        let mut template = Template {
            name: name.to_owned(),
            choices: vec![],
            names: vec![],
            text: String::new(),
        };
        for line in text.lines() {
            match line.strip_prefix("//@ ") {
                Some(header) => {
                    let (key, words) = header.split_once(": ").expect("a key and its words");
                    let words = words.split_whitespace().map(str::to_owned).collect();
                    match key {
                        "names" => template.names = words,
                        _ => template.choices.push((key.to_owned(), words)),
                    }
                }
                None => template.text += &format!("{line}\n"),
            }
        }
        template
    }

    /// The variant that belongs to a number.
    pub fn variant(&self, seed: u64) -> Variant {
        let mut random = Random(seed ^ hash(&self.name));
        let mut text = self.text.clone();
        let mut chosen = vec![];
        for (placeholder, words) in &self.choices {
            let word = &words[random.below(words.len())];
            chosen.push(format!("{placeholder} {word}"));
            text = text.replace(placeholder, word);
        }
        let offset = random.below(NAMES.len());
        let renamed: Vec<(&str, &str)> = self
            .names
            .iter()
            .enumerate()
            .map(|(i, name)| (name.as_str(), NAMES[(offset + i) % NAMES.len()]))
            .collect();
        text = rename(&text, &renamed);
        let mut roots = vec![];
        let mut marked = String::new();
        for line in text.lines() {
            let function = line.strip_prefix("pub fn ");
            let function = function.and_then(|l| l.split('(').next());
            // `_unsafe` ends in `safe` as well
            let expected = function.and_then(|f| match f.rsplit('_').next() {
                Some("safe") => Some("safe"),
                Some("unsafe") => Some("unsafe"),
                _ => None,
            });
            if let (Some(f), Some(expected)) = (function, expected) {
                roots.push((f.to_owned(), expected));
                marked += "#[verify]\n";
            }
            marked += &format!("{line}\n");
        }
        assert!(roots.len() >= 2, "{} has no failing twin", self.name);
        Variant {
            name: format!("{}_{seed}", self.name),
            choices: chosen.join(", "),
            text: marked,
            roots,
        }
    }
}

/// Replaces whole words, all at once.
fn rename(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut word = String::new();
    let end = |word: &mut String, out: &mut String| {
        let new = names.iter().find(|(old, _)| old == word);
        out.push_str(new.map_or(word.as_str(), |(_, new)| new));
        word.clear();
    };
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            end(&mut word, &mut out);
            out.push(c);
        }
    }
    end(&mut word, &mut out);
    out
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    })
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % n as u64) as usize
    }
}

#[test]
fn variables_are_renamed_as_words() {
    assert_eq!(
        rename("let x = xy + y.x;", &[("x", "y"), ("y", "x")]),
        "let y = xy + x.y;"
    );
}
