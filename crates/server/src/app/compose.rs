//! From what a caller wants to say to the bytes of a mail (RFC 5322; contract §4.5). Pure: ids and time come in.
//!
//! Built once: what leaves later, what is shown and what the copies within this service hold are these bytes.

use posthouse_domain::{
    error::{Code, Refusal},
    id::MessageId,
    inbox::Inbox,
    message::Message,
    send::{Content, DATA_FILE_NAME, People},
    time::Time,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    build::{self, File, Outgoing},
    thread,
};

/// Longest subject, in characters.
pub const SUBJECT_CHARS_MAX: usize = 998;
/// What stands for a text where there is only structured data.
const DATA_ONLY_TEXT: &str = "This message carries structured data.";

/// How a message came to be written.
#[derive(Clone, Debug)]
pub enum Origin {
    /// By itself.
    New,
    /// In answer to a message of the same inbox.
    Answers(Box<Message>),
    /// A message passed on: it begins a thread of its own.
    Forwards,
    /// By a mail program, down to its bytes.
    Submitted(Submitted),
    /// A received mail passed on whole, as the bytes that leave: it begins a thread of its own too.
    PassedOn(Vec<u8>),
}

impl Origin {
    /// The bytes, where they are written already.
    pub fn raw(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Origin::Submitted(submitted) => Some(&mut submitted.raw),
            Origin::PassedOn(raw) => Some(raw),
            Origin::New | Origin::Answers(_) | Origin::Forwards => None,
        }
    }
}

/// A message that a mail program wrote.
#[derive(Clone, Debug)]
pub struct Submitted {
    /// Its bytes as they are kept and sent.
    pub raw: Vec<u8>,
    /// The message of the same inbox that its In-Reply-To names.
    pub answers: Option<Box<Message>>,
    /// The token that its readers see for [`sealed_link::MARK`](super::sealed_link::MARK).
    pub token: Option<String>,
}

/// A message to be sent.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Its id, also in its `Message-ID`.
    pub message: MessageId,
    /// Who it goes to.
    pub people: People,
    /// What it is about.
    pub subject: String,
    /// What it says.
    pub content: Content,
    /// How it came to be written.
    pub origin: Origin,
}

impl Letter {
    /// The message that it answers.
    #[must_use]
    pub fn answers(&self) -> Option<&Message> {
        match &self.origin {
            Origin::Answers(original) => Some(original),
            Origin::Submitted(submitted) => submitted.answers.as_deref(),
            Origin::New | Origin::Forwards | Origin::PassedOn(_) => None,
        }
    }
}

/// The mailbox that an inbox sends from.
///
/// # Errors
/// `internal_error` for an inbox whose stored address is none.
pub fn author(inbox: &Inbox) -> Result<Mailbox, Refusal> {
    let address = Address::parse(&inbox.address)
        .map_err(|_| Refusal::new(Code::Internal, "The inbox has an address that cannot send."))?;
    Ok(Mailbox::cleaned(inbox.display_name.as_deref(), address))
}

/// Gives a message of data alone a text, and those elsewhere the data as a file.
pub fn complete(content: &mut Content, goes_elsewhere: bool) {
    let Some(data) = &content.data_json else { return };
    let silent = content.text.is_none() && content.html.is_none();
    if goes_elsewhere {
        content.files.push(posthouse_domain::send::File {
            name: DATA_FILE_NAME.to_owned(),
            content_type: "application/json".to_owned(),
            content_id: None,
            bytes: data.clone().into_bytes(),
        });
    }
    if silent {
        let attached = if goes_elsewhere { format!(" See the attached file {DATA_FILE_NAME}.") } else { String::new() };
        content.text = Some(format!("{DATA_ONLY_TEXT}{attached}"));
    }
}

/// The bytes of the mail.
///
/// # Errors
/// `invalid_request` for what cannot stand in a mail.
pub fn raw(letter: &Letter, from: &Mailbox, now: Time) -> Result<Vec<u8>, Refusal> {
    let message_id = thread::new_message_id(&letter.message.to_string(), from.address().domain());
    let original = letter.answers();
    let references = original.map(|o| thread::reply_references(&o.references, &o.rfc_message_id)).unwrap_or_default();
    let content = &letter.content;
    let files: Vec<File<'_>> = content
        .files
        .iter()
        .map(|file| File {
            filename: &file.name,
            content_type: &file.content_type,
            bytes: &file.bytes,
            content_id: file.content_id.as_deref(),
        })
        .collect();
    let outgoing = Outgoing {
        message_id: &message_id,
        date_ms: now.millis(),
        from,
        to: &letter.people.to,
        cc: &letter.people.cc,
        reply_to: &[],
        subject: &letter.subject,
        text: content.text.as_deref(),
        html: content.html.as_deref(),
        attachments: &files,
        in_reply_to: original.map(|o| o.rfc_message_id.as_str()),
        references: &references,
        extra: &[],
    };
    let built = build::build(&outgoing).map_err(|problem| Refusal::invalid_field("body", problem.to_string()))?;
    Ok(built.raw)
}

/// A subject made of another one, cut to what a subject may be.
#[must_use]
pub fn bounded_subject(subject: &str) -> String {
    let end = subject.char_indices().nth(SUBJECT_CHARS_MAX).map_or(subject.len(), |(end, _)| end);
    subject[..end].trim_end().to_owned()
}
