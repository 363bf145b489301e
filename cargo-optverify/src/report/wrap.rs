//! Texts in lines of the terminal's width. Lines end between words only: not inside of a command, a path or a name, which
//! somebody may want to copy.

use textwrap::{Options, WordSeparator, WordSplitter};

/// The lines of a text; all but the first begin with the indent. A word that is longer than the width stays whole.
pub fn lines(text: &str, width: usize, indent: &str) -> Vec<String> {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    let lines = textwrap::wrap(text, options);
    lines.into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_words() {
        let text = "`a` can fail: thirty-three is not forty-four";
        let found = lines(text, 20, "  ");
        assert_eq!(
            found,
            ["`a` can fail:", "  thirty-three is", "  not forty-four"]
        );
        // what fits stays as it is, what does not fit anywhere as well
        assert_eq!(lines("short", 20, "  "), ["short"]);
        let long = "src/a/very/long/path-to-something.rs";
        assert_eq!(lines(long, 20, ""), [long]);
    }
}
