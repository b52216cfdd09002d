//! Composes the MIME of an outgoing message (RFC 5322). Pure: ids and time are parameters.
//!
//! A message is rendered once. The same bytes are sent, shown to the sender and stored in local copies.

use posthouse_domain::{
    AuthorClaims, DisclosureParties, ErrorCode, Inbox, Message, MessageId, MessageRecipients, OutgoingContent, Refusal,
    Time, agent_message::disclosure, send::DATA_FILE_NAME,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::build::{self, MimeFile, MimeMessage};
use posthouse_mail::{
    author::own_mailbox,
    thread::{self, ThreadParent},
};

/// The maximum length of a subject, in characters.
pub const SUBJECT_CHARS_MAX: usize = 998;
/// The text body of a message that has only structured data.
const DATA_ONLY_TEXT: &str = "This message carries structured data.";

/// The kind of an outgoing message.
#[derive(Clone, Debug)]
pub enum OutgoingKind {
    /// A new message.
    New,
    /// A reply to a message of the same inbox.
    Reply(Box<Message>),
    /// A forward of one message. It starts a new thread.
    Forward,
    /// A message whose bytes a mail program composed.
    Submitted(ComposedMessage),
    /// An automatic forward of a received message, as the bytes to send. It starts a new thread.
    AutomaticForward(Vec<u8>),
}

impl OutgoingKind {
    /// Returns the bytes if the message is already composed.
    pub fn raw(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            OutgoingKind::Submitted(submitted) => Some(&mut submitted.raw),
            OutgoingKind::AutomaticForward(raw) => Some(raw),
            OutgoingKind::New | OutgoingKind::Reply(_) | OutgoingKind::Forward => None,
        }
    }
}

/// A message that is already composed.
#[derive(Clone, Debug)]
pub struct ComposedMessage {
    /// The bytes to store and send.
    pub raw: Vec<u8>,
    /// The message of the same inbox that its `In-Reply-To` names.
    pub answers: Option<Box<Message>>,
    /// The token that replaces [placeholder](crate::keyring::sealed_link::TOKEN_PLACEHOLDER) in the copies of its
    /// recipients.
    pub token: Option<String>,
    /// Whether an agent wrote it, so that it gets an `Agent-Disclosure` field.
    pub is_by_agent: bool,
    /// Whether the service asks the recipient to confirm something, so that a copy on this service keeps its link.
    pub is_request: bool,
}

/// An outgoing message before it is stored.
#[derive(Clone, Debug)]
pub struct OutgoingMessage {
    /// The message id, which is also part of its `Message-ID`.
    pub message: MessageId,
    pub people: MessageRecipients,
    pub subject: String,
    /// Bodies, data, files and labels.
    pub content: OutgoingContent,
    /// The kind of message, with the message that it replies to or its bytes.
    pub origin: OutgoingKind,
    /// The signature of its author, if the author holds a key.
    pub author: Option<AuthorClaims>,
}

impl ComposedMessage {
    /// Returns a message that answers nothing, has no token and isn't written by an agent.
    #[must_use]
    pub fn new(raw: Vec<u8>) -> Self {
        Self { raw, answers: None, token: None, is_by_agent: false, is_request: false }
    }
}

impl OutgoingMessage {
    /// Returns a new, empty message without a signature of its author.
    #[must_use]
    pub fn new(message: MessageId, people: MessageRecipients, subject: String) -> Self {
        Self { message, people, subject, content: OutgoingContent::default(), origin: OutgoingKind::New, author: None }
    }

    /// Sets bodies, data, files and labels.
    #[must_use]
    pub fn with_content(self, content: OutgoingContent) -> Self {
        Self { content, ..self }
    }

    /// Sets the kind of message.
    #[must_use]
    pub fn with_origin(self, origin: OutgoingKind) -> Self {
        Self { origin, ..self }
    }

    /// Sets the signature of its author.
    #[must_use]
    pub fn with_author(self, author: Option<AuthorClaims>) -> Self {
        Self { author, ..self }
    }

    /// Returns the message that this message replies to.
    #[must_use]
    pub fn answers(&self) -> Option<&Message> {
        match &self.origin {
            OutgoingKind::Reply(original) => Some(original),
            OutgoingKind::Submitted(submitted) => submitted.answers.as_deref(),
            OutgoingKind::New | OutgoingKind::Forward | OutgoingKind::AutomaticForward(_) => None,
        }
    }
}

/// Returns the mailbox that an inbox sends from.
///
/// # Errors
/// Returns `internal_error` if the stored address of the inbox is invalid.
pub fn author(inbox: &Inbox) -> Result<Mailbox, Refusal> {
    let address = Address::parse(&inbox.address)
        .map_err(|_| Refusal::new(ErrorCode::Internal, "The inbox has an invalid address."))?;
    Ok(own_mailbox(inbox.display_name.as_deref(), address))
}

/// Adds a text body to a message that has only structured data, and attaches the data as a file if a recipient is
/// remote.
pub fn complete(content: &mut OutgoingContent, has_remote_recipients: bool) {
    let Some(data) = &content.data_json else { return };
    let has_no_body = content.text.is_none() && content.html.is_none();
    if has_remote_recipients {
        content.files.push(posthouse_domain::send::OutgoingFile {
            name: DATA_FILE_NAME.to_owned(),
            content_type: "application/json".to_owned(),
            content_id: None,
            bytes: data.clone().into_bytes(),
        });
    }
    if has_no_body {
        // All recipients get the same text, and only those by email get the file.
        let hint = if has_remote_recipients {
            format!(" By email, it is in the attached file {DATA_FILE_NAME}.")
        } else {
            String::new()
        };
        content.text = Some(format!("{DATA_ONLY_TEXT}{hint}"));
    }
}

/// Renders the message.
///
/// # Errors
/// Returns `invalid_request` if a value can't be represented in a message.
pub fn raw(
    outgoing: &OutgoingMessage,
    from: &Mailbox,
    disclosure: &DisclosureParties,
    now: Time,
) -> Result<Vec<u8>, Refusal> {
    let message_id = thread::new_message_id(&outgoing.message.to_string(), from.address().domain());
    let original = outgoing.answers();
    let parent = original.map(|o| ThreadParent {
        references: &o.references,
        in_reply_to: o.in_reply_to.as_deref(),
        message_id: &o.rfc_message_id,
    });
    let references = parent.map(|parent| thread::reply_references(&parent)).unwrap_or_default();
    let content = &outgoing.content;
    let files: Vec<MimeFile<'_>> = content
        .files
        .iter()
        .map(|file| MimeFile {
            filename: &file.name,
            content_type: &file.content_type,
            bytes: &file.bytes,
            content_id: file.content_id.as_deref(),
        })
        .collect();
    let disclosure = disclosure.header();
    let mime = MimeMessage {
        message_id: &message_id,
        date_ms: now.millis(),
        from,
        to: &outgoing.people.to,
        cc: &outgoing.people.cc,
        reply_to: &[],
        subject: &outgoing.subject,
        text: content.text.as_deref(),
        html: content.html.as_deref(),
        attachments: &files,
        in_reply_to: original.map(|o| o.rfc_message_id.as_str()),
        references: &references,
        extra: &[(disclosure::FIELD, &disclosure)],
    };
    let built = build::build(&mime).map_err(|problem| Refusal::invalid_field("body", problem.to_string()))?;
    Ok(built.raw)
}

/// Puts the field `Agent-Disclosure` in front of a composed message.
#[must_use]
pub fn with_disclosure(raw: &[u8], parties: &DisclosureParties) -> Vec<u8> {
    let mut all = format!("{}: {}\r\n", disclosure::FIELD, parties.header()).into_bytes();
    all.extend_from_slice(raw);
    all
}

/// Truncates a derived subject to [`SUBJECT_CHARS_MAX`].
#[must_use]
pub fn bounded_subject(subject: &str) -> String {
    let end = subject.char_indices().nth(SUBJECT_CHARS_MAX).map_or(subject.len(), |(end, _)| end);
    subject[..end].trim_end().to_owned()
}
