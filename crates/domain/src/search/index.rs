//! The indexed text of a message: marked words, followed by the plain words of subject, sender and body in order.
//!
//! A marked word has a prefix that says where the word occurs. The prefixes are private use characters, which no word
//! contains. They let a plain word index support fields and ranking on every database.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::words::for_each_word;
use crate::id::{InboxId, WorkspaceId};

/// The maximum number of bytes of a body that are indexed.
pub const TEXT_BYTES_MAX: usize = 32 * 1024;
/// The maximum number of words of all recipients together that are indexed.
const RECIPIENT_WORDS_MAX: usize = 1_000;
/// A word that occurs this often in the body is a main topic of the message.
const FREQUENT_MIN: usize = 3;
/// Separates parts, so that a phrase never matches across two of them.
const GAP: &str = "\u{E00F}";

/// The meaning of a marked word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordMark {
    Subject,
    From,
    To,
    /// The word is in the subject or the sender, or frequent in the body.
    Strong,
    Workspace,
    Inbox,
}

/// Adds the mark's prefix to a word.
pub(super) fn marked(mark: WordMark, word: &str) -> String {
    let mark = match mark {
        WordMark::Subject => '\u{E000}',
        WordMark::From => '\u{E001}',
        WordMark::To => '\u{E002}',
        WordMark::Strong => '\u{E003}',
        WordMark::Workspace => '\u{E004}',
        WordMark::Inbox => '\u{E005}',
    };
    format!("{mark}{word}")
}

/// Returns the word that all messages of a workspace contain.
#[must_use]
pub fn workspace_token(id: WorkspaceId) -> String {
    marked(WordMark::Workspace, &id.0.simple().to_string())
}

/// Returns the word that all messages of an inbox contain.
#[must_use]
pub fn inbox_token(id: InboxId) -> String {
    marked(WordMark::Inbox, &id.0.simple().to_string())
}

/// A message to index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexSource {
    pub workspace: WorkspaceId,
    pub inbox: InboxId,
    /// `Subject`.
    pub subject: Option<String>,
    /// `From` in header form.
    pub from: String,
    /// Recipients in header form, without Bcc.
    pub recipients: Vec<String>,
    /// The plain text.
    pub text: Option<String>,
}

/// The words of a message in order, separated by spaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IndexedText(pub String);

/// A list of words in one string, each followed by a space.
#[derive(Default)]
struct Words {
    text: String,
    ends: Vec<usize>,
}

impl Words {
    fn of(text: &str) -> Self {
        let mut words = Self::default();
        words.text.reserve(text.len() + 1);
        words.add(text);
        words
    }

    fn add(&mut self, text: &str) {
        for_each_word(text, |word, _| {
            self.text.push_str(word);
            self.ends.push(self.text.len());
            self.text.push(' ');
        });
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.ends.iter().scan(0, |from, end| {
            let word = &self.text[*from..*end];
            *from = end + 1;
            Some(word)
        })
    }
}

/// Creates the indexed text of a message.
#[must_use]
pub fn index(source: &IndexSource) -> IndexedText {
    let subject = Words::of(source.subject.as_deref().unwrap_or_default());
    let from = Words::of(&source.from);
    let mut to = Words::default();
    for address in &source.recipients {
        if to.ends.len() < RECIPIENT_WORDS_MAX {
            to.add(address);
        }
    }
    to.ends.truncate(RECIPIENT_WORDS_MAX);
    let text = source.text.as_deref().unwrap_or_default();
    let body = Words::of(&text[..text.floor_char_boundary(TEXT_BYTES_MAX)]);
    let mut out = String::with_capacity(body.text.len() + 1024);
    append_part(&mut out, [workspace_token(source.workspace).as_str(), inbox_token(source.inbox).as_str()]);
    for (mark, words) in [(WordMark::Subject, &subject), (WordMark::From, &from), (WordMark::To, &to)] {
        append_part(&mut out, words.iter().map(|word| marked(mark, word)));
    }
    append_part(&mut out, strong(&subject, &from, &body).into_iter().map(|word| marked(WordMark::Strong, word)));
    for words in [&subject, &from, &body] {
        out.push_str(&words.text);
        append_part::<&str>(&mut out, []);
    }
    IndexedText(out)
}

/// Appends a part and the separator after it.
fn append_part<S: AsRef<str>>(out: &mut String, part: impl IntoIterator<Item = S>) {
    for word in part {
        out.push_str(word.as_ref());
        out.push(' ');
    }
    out.push_str(GAP);
    out.push(' ');
}

/// Returns the main topics of the message, each once.
fn strong<'a>(subject: &'a Words, from: &'a Words, body: &'a Words) -> Vec<&'a str> {
    let mut counts: HashMap<&str, usize, RandomState> = HashMap::default();
    let mut strong: Vec<&str> = Vec::new();
    for word in subject.iter().chain(from.iter()) {
        let count = counts.entry(word).or_insert(0);
        if *count < FREQUENT_MIN {
            *count = FREQUENT_MIN;
            strong.push(word);
        }
    }
    for word in body.iter() {
        let count = counts.entry(word).or_insert(0);
        *count += 1;
        if *count == FREQUENT_MIN {
            strong.push(word);
        }
    }
    strong
}

impl IndexedText {
    /// Returns whether the word is the separator between parts, which can't be searched for.
    #[must_use]
    pub fn is_separator(word: &str) -> bool {
        word == GAP
    }

    /// Iterates over the words in order, including separators.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}
