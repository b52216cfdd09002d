//! The lines of a message as a digest gives them.

use super::{DigestKind, QuoteIndex, classify::LineClass};

/// The most messages that a line in place of quoted text names.
const NAMED_MAX: usize = 5;

/// Lines that introduce a quotation, such as "On Monday, Ada wrote:".
const INTRODUCTION_MAX: usize = 2;

/// A line of a message, or a line in place of several that an earlier message has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DigestLine {
    pub kind: DigestKind,
    /// Where it begins in the message's text, in characters.
    pub from: u32,
    /// Where it ends.
    pub to: u32,
    /// The line with its line break, or the line in its place.
    pub text: String,
    /// Whether the text stands for other text.
    pub is_reference: bool,
}

/// The text of a message.
#[derive(Clone, Copy, Debug)]
pub struct DigestSource<'a> {
    pub text: &'a str,
    /// The new text of a reply, if it was extracted.
    pub new_text: Option<&'a str>,
}

impl DigestSource<'_> {
    /// Returns the lines that belong to that kind of part: with the new text, the lines in place of quotations; with the
    /// quoted text, what no earlier message has.
    #[must_use]
    pub fn lines(&self, kind: DigestKind, known: &QuoteIndex) -> Vec<DigestLine> {
        self.classified(known).into_iter().filter(|l| l.0 == kind).map(|l| l.1).collect()
    }

    /// Returns all lines, each with the kind of part that it belongs to.
    fn classified(&self, known: &QuoteIndex) -> Vec<(DigestKind, DigestLine)> {
        let mut out: Vec<(DigestKind, DigestLine)> = Vec::new();
        let mut named: Vec<u32> = Vec::new();
        let (mut at, mut before, mut introduced) = (0, LineClass::New, false);
        let classes = known.classify(self.text, self.new_text);
        let introduces = introductions(&classes);
        for ((line, class), introduces) in self.text.split_inclusive('\n').zip(classes).zip(introduces) {
            let (from, to) = (at, at + count(line));
            at = to;
            // An empty line belongs to the lines before it.
            let (class, introduces) =
                if class == LineClass::Blank { (before, introduced) } else { (class, introduces) };
            (before, introduced) = (class, introduces);
            if let LineClass::Repeated(number) = class {
                match out.last_mut().filter(|(_, last)| last.is_reference) {
                    Some((_, last)) => last.to = to,
                    None => {
                        named.clear();
                        let (kind, text) = (DigestKind::Quote, String::new());
                        out.push((DigestKind::Text, DigestLine { kind, from, to, text, is_reference: true }));
                    }
                }
                if !named.contains(&number) {
                    named.push(number);
                }
                if let Some((_, last)) = out.last_mut() {
                    last.text = reference(&named);
                }
            } else {
                let kind = if class == LineClass::Unique { DigestKind::Quote } else { DigestKind::Text };
                // Beside the line in place of what it introduces, it needs no heading.
                let place = if introduces { DigestKind::Text } else { kind };
                out.push((place, DigestLine { kind, from, to, text: line.to_owned(), is_reference: false }));
            }
        }
        out
    }
}

/// Returns which lines introduce a quotation that an earlier message has.
fn introductions(classes: &[LineClass]) -> Vec<bool> {
    let mut introduces = vec![false; classes.len()];
    let mut start = 0;
    for run in classes.chunk_by(|one, next| (*one == LineClass::Unique) == (*next == LineClass::Unique)) {
        let end = start + run.len();
        let is_short = run[0] == LineClass::Unique && run.len() <= INTRODUCTION_MAX;
        let next = classes[end..].iter().find(|class| **class != LineClass::Blank);
        if is_short && matches!(next, Some(LineClass::Repeated(_))) {
            introduces[start..end].fill(true);
        }
        start = end;
    }
    introduces
}

/// Returns the lines of a part of the text of a file, which begins at an offset in characters.
#[must_use]
pub fn file_lines(text: &str, offset: u32) -> Vec<DigestLine> {
    let mut at = offset;
    let line = |text: &str| {
        let from = at;
        at += count(text);
        DigestLine { kind: DigestKind::File, from, to: at, text: text.to_owned(), is_reference: false }
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns the line in place of a file that the message with this number has, too. `chars` is the length of its text.
#[must_use]
pub fn repeated_file(number: u32, chars: u32) -> DigestLine {
    let text = format!("[same file as in #{number}]\n");
    DigestLine { kind: DigestKind::File, from: 0, to: chars, text, is_reference: true }
}

/// Returns the line that names the messages which have a quotation.
fn reference(numbers: &[u32]) -> String {
    let mut named: Vec<String> = numbers.iter().take(NAMED_MAX).map(|number| format!("#{number}")).collect();
    if numbers.len() > NAMED_MAX {
        named.push("…".to_owned());
    }
    format!("[quotes {}]\n", named.join(", "))
}

fn count(line: &str) -> u32 {
    u32::try_from(line.chars().count()).unwrap_or(u32::MAX)
}
