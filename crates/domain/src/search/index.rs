//! What is indexed of a message: its words in the order of subject, sender and body, and words with a mark in front that
//! say where a word stands.
//!
//! Marks are characters of the private use area, which are in no word. With them one plain index of words knows fields and
//! how well a message fits, on every database alike.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::words::each;
use crate::id::{InboxId, WorkspaceId};

/// How much of a body is indexed, in bytes.
pub const TEXT_BYTES_MAX: usize = 32 * 1024;
/// Words of all recipients that are indexed.
const RECIPIENT_WORDS_MAX: usize = 1_000;
/// A word that is so often in the body is what the message is about.
const OFTEN: usize = 3;
/// Stands between parts, so that no phrase reaches from one into the next.
const GAP: &str = "\u{E00F}";

/// What a word with a mark says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Subject,
    From,
    To,
    /// In the subject, in the sender, or often in the body.
    Strong,
    Workspace,
    Inbox,
}

/// The word with the mark.
pub(super) fn marked(mark: Mark, word: &str) -> String {
    let mark = match mark {
        Mark::Subject => '\u{E000}',
        Mark::From => '\u{E001}',
        Mark::To => '\u{E002}',
        Mark::Strong => '\u{E003}',
        Mark::Workspace => '\u{E004}',
        Mark::Inbox => '\u{E005}',
    };
    format!("{mark}{word}")
}

/// The word that all messages of a workspace have.
#[must_use]
pub fn workspace_token(id: WorkspaceId) -> String {
    marked(Mark::Workspace, &id.0.simple().to_string())
}

/// The word that all messages of an inbox have.
#[must_use]
pub fn inbox_token(id: InboxId) -> String {
    marked(Mark::Inbox, &id.0.simple().to_string())
}

/// A message to be indexed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Source {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The inbox.
    pub inbox: InboxId,
    /// `Subject`.
    pub subject: Option<String>,
    /// `From` in header form.
    pub from: String,
    /// Recipients in header form, hidden ones left out.
    pub recipients: Vec<String>,
    /// The plain text.
    pub text: Option<String>,
}

/// The words of a message, in order, with spaces between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tokens(pub String);

/// Words one behind the other, each with a space behind it.
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
        each(text, |word, _| {
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

/// Makes the words that are indexed of a message.
#[must_use]
pub fn index(source: &Source) -> Tokens {
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
    put(&mut out, [workspace_token(source.workspace).as_str(), inbox_token(source.inbox).as_str()]);
    for (mark, words) in [(Mark::Subject, &subject), (Mark::From, &from), (Mark::To, &to)] {
        put(&mut out, words.iter().map(|word| marked(mark, word)));
    }
    put(&mut out, strong(&subject, &from, &body).into_iter().map(|word| marked(Mark::Strong, word)));
    for words in [&subject, &from, &body] {
        out.push_str(&words.text);
        put::<&str>(&mut out, []);
    }
    Tokens(out)
}

/// Adds a part and the gap behind it.
fn put<S: AsRef<str>>(out: &mut String, part: impl IntoIterator<Item = S>) {
    for word in part {
        out.push_str(word.as_ref());
        out.push(' ');
    }
    out.push_str(GAP);
    out.push(' ');
}

/// The words that the message is about, each once.
fn strong<'a>(subject: &'a Words, from: &'a Words, body: &'a Words) -> Vec<&'a str> {
    let mut counts: HashMap<&str, usize, RandomState> = HashMap::default();
    let mut strong: Vec<&str> = Vec::new();
    for word in subject.iter().chain(from.iter()) {
        let count = counts.entry(word).or_insert(0);
        if *count < OFTEN {
            *count = OFTEN;
            strong.push(word);
        }
    }
    for word in body.iter() {
        let count = counts.entry(word).or_insert(0);
        *count += 1;
        if *count == OFTEN {
            strong.push(word);
        }
    }
    strong
}

impl Tokens {
    /// Whether this is the word that keeps parts apart, and is not to be found.
    #[must_use]
    pub fn is_gap(word: &str) -> bool {
        word == GAP
    }

    /// The words in order, gaps among them.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }
}
