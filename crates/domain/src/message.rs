//! Messages, their bodies, attachments and deliveries.

use posthouse_mail::{
    bounce::BounceClass,
    verification::{self, VerificationReason},
};

use crate::{
    actor::Actor,
    agent_message::{AgentDelivery, AuthorSignature, disclosure::Disclosure},
    analysis::{Analysis, Feedback, Verdict},
    extraction::Extraction,
    id::{AttachmentId, ContactId, ContentId, EnvelopeId, InboxId, MessageId, ThreadId, WorkspaceId},
    named::NamedEnum,
    outbound_policy::RecipientOrigin,
    time::Time,
};
pub use crate::{analysis::HoldReason, local_check::LocalCheck};

named! {
    /// The direction of a message.
    Direction {
        /// Received.
        Inbound = "inbound",
        /// Sent.
        Outbound = "outbound",
    }
    /// The status of a message.
    MessageStatus {
        /// Accepted for sending.
        Queued = "queued",
        /// Handed to the relay, or sent without a delivery confirmation.
        Sent = "sent",
        /// Accepted by the recipient's server.
        Delivered = "delivered",
        /// Delivery failed permanently.
        Bounced = "bounced",
        /// The recipient marked it as spam.
        Complained = "complained",
        /// This server couldn't send it.
        Failed = "failed",
        /// Received.
        Received = "received",
    }
    /// The transport of a message.
    Channel {
        /// Between inboxes of this server.
        Agent = "agent",
        /// SMTP.
        Email = "email",
        /// Both.
        Mixed = "mixed",
    }
    /// The sender's advisory kind of a message.
    #[derive(Default)]
    MessageKind {
        /// An ordinary message.
        #[default]
        Message = "message",
        /// A task.
        Task = "task",
        /// A notification of an event.
        Event = "event",
    }
    /// The status of a message's delivery to one recipient.
    DeliveryStatus {
        /// Waiting to be sent.
        Queued = "queued",
        /// Handed to the relay, with no further confirmation.
        Sent = "sent",
        /// Accepted by the recipient's server, or stored on this server.
        Delivered = "delivered",
        /// Failed permanently.
        Bounced = "bounced",
        /// The recipient marked it as spam.
        Complained = "complained",
        /// This server couldn't send it.
        Failed = "failed",
    }
}

impl DeliveryStatus {
    /// Returns the severity: a message has the status of its most severe delivery.
    const fn severity(self) -> u8 {
        match self {
            Self::Delivered => 0,
            Self::Sent => 1,
            Self::Queued => 2,
            Self::Failed => 3,
            Self::Bounced => 4,
            Self::Complained => 5,
        }
    }

    /// Returns the message status that corresponds to this delivery status.
    #[must_use]
    pub const fn message_status(self) -> MessageStatus {
        match self {
            Self::Queued => MessageStatus::Queued,
            Self::Sent => MessageStatus::Sent,
            Self::Delivered => MessageStatus::Delivered,
            Self::Bounced => MessageStatus::Bounced,
            Self::Complained => MessageStatus::Complained,
            Self::Failed => MessageStatus::Failed,
        }
    }
}

/// Returns the status of a message: that of its most severe delivery.
#[must_use]
pub fn overall_status(entries: impl IntoIterator<Item = DeliveryStatus>) -> MessageStatus {
    entries
        .into_iter()
        .max_by_key(|status| status.severity())
        .map_or(MessageStatus::Queued, DeliveryStatus::message_status)
}

/// A sign-in code or link found in a message.
#[derive(Clone, PartialEq, Debug)]
pub struct MessageVerification {
    pub code: Option<String>,
    pub link: Option<String>,
    /// The confidence of the match, from 0 to 0.7.
    pub confidence: f64,
    /// What shows the code or the link; `None` if an older version stored the message.
    pub reason: Option<VerificationReason>,
    /// Whether the sender failed authentication.
    pub auth_failed: bool,
}

/// How far a categoriser's answer can move the confidence in a verification, up or down.
const VERIFICATION_SHIFT: f64 = 0.3;
/// The highest confidence in a code or link of a message that is probably phishing, or whose sender failed authentication.
const SUSPECT_CONFIDENCE_MAX: f64 = 0.4;

impl MessageVerification {
    /// Returns the confidence after a categoriser read the message. Its answer raises or lowers what the pattern shows; it
    /// can't make a suspect message trustworthy, nor a link of another party than the author, which is in header form.
    #[must_use]
    pub fn confidence_with(&self, author: &str, verdict: Option<&Verdict>) -> f64 {
        let Some(verdict) = verdict else { return self.confidence };
        let shift = (verdict.verification() * 2.0 - 1.0) * VERIFICATION_SHIFT;
        let moved = (self.confidence + shift).clamp(0.0, 1.0);
        let is_suspect = self.auth_failed || verdict.risk() == Some(HoldReason::Phishing);
        let is_foreign = self.link.as_deref().is_some_and(|link| !verification::is_of_author(link, author));
        let bounded = if is_suspect { moved.min(SUSPECT_CONFIDENCE_MAX) } else { moved };
        let bounded = if is_foreign { bounded.min(verification::FOREIGN_CONFIDENCE_MAX) } else { bounded };
        (bounded * 100.0).round() / 100.0
    }
}

impl NamedEnum for VerificationReason {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|reason| reason.text()).collect()
    }
}

impl NamedEnum for posthouse_screen::Code {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|code| code.text()).collect()
    }
}

impl NamedEnum for posthouse_screen::Place {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|place| place.text()).collect()
    }
}

impl NamedEnum for posthouse_screen::Part {
    fn names() -> Vec<&'static str> {
        Self::ALL.iter().map(|part| part.text()).collect()
    }
}

/// A message as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    pub workspace: WorkspaceId,
    pub id: MessageId,
    pub inbox: InboxId,
    /// The conversation it belongs to.
    pub thread: ThreadId,
    /// Its bytes and bodies.
    pub content: ContentId,
    pub direction: Direction,
    pub status: MessageStatus,
    /// Its transport.
    pub channel: Channel,
    /// The sender's advisory kind.
    pub kind: MessageKind,
    /// `Message-ID` with angle brackets.
    pub rfc_message_id: String,
    /// `In-Reply-To` with angle brackets.
    pub in_reply_to: Option<String>,
    /// `References`.
    pub references: Vec<String>,
    /// `From` in header form.
    pub from: String,
    /// `To`, each in header form.
    pub to: Vec<String>,
    /// `Cc`.
    pub cc: Vec<String>,
    /// `Bcc`; known only for messages sent from here.
    pub bcc: Vec<String>,
    /// `Reply-To`.
    pub reply_to: Option<String>,
    /// Whether `Reply-To` names another party than the author, without a signature of the author's domain. Replies go to
    /// the author then.
    pub reply_to_unproven: bool,
    /// Whether authentication proves the author; always false for sent messages.
    pub author_proven: bool,
    /// `Subject`.
    pub subject: Option<String>,
    /// Labels in the order they were added.
    pub labels: Vec<String>,
    pub is_read: bool,
    /// Whether it is an automatic reply; always false for sent messages.
    pub auto_reply: bool,
    /// Size in bytes as received or sent.
    pub size_bytes: u64,
    /// The header lines added in front of the raw bytes, each ended by CRLF.
    pub trace: String,
    /// The code or link found in it.
    pub verification: Option<MessageVerification>,
    /// What the local screen found; `None` for sent messages, and if an older version stored the message.
    pub local_check: Option<LocalCheck>,
    /// The sender's structured data, as JSON text.
    pub data: Option<String>,
    /// How another agent of this service sent it; `None` for other mail and for sent messages.
    pub agent: Option<AgentDelivery>,
    pub author: Option<AuthorSignature>,
    /// What it says about its author.
    pub disclosure: Option<Disclosure>,
    /// The message that this one replies to.
    pub answers: Option<MessageId>,
    /// The canonical address of the author of a received message, or of the first remote recipient of a sent one.
    pub contact_address: Option<String>,
    /// The contact with that address, if there was one when the message was read.
    pub contact: Option<ContactId>,
    /// Why it is or was held back from agents; `None` for mail that never was.
    pub held: Option<HoldReason>,
    pub released_at: Option<Time>,
    /// Who released it, and why; `None` if the service or an older version did.
    pub release: Option<MessageRelease>,
    /// What the categoriser found out; `None` for sent messages and for those that an older version stored.
    pub analysis: Option<Analysis>,
    /// When a pending analysis times out.
    pub analysis_due: Option<Time>,
    /// When its analysis was completed.
    pub analyzed_at: Option<Time>,
    pub has_attachments: bool,
    /// Whether links of this service were masked in it, so that its raw bytes are for owners only.
    pub masked_links: bool,
    /// When the status was set.
    pub status_at: Time,
    pub sent_at: Option<Time>,
    pub received_at: Option<Time>,
    /// When it was stored; strictly increasing within an inbox.
    pub created_at: Time,
}

/// Who released a held message, and what they think of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageRelease {
    /// Who released it; `None` if no one did: its check took too long, or screening was switched off.
    pub by: Option<Actor>,
    /// What they think of it.
    pub feedback: Option<Feedback>,
}

/// The ids that a message gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageIds {
    pub workspace: WorkspaceId,
    pub inbox: InboxId,
    /// Its conversation.
    pub thread: ThreadId,
    pub message: MessageId,
    /// The id of its bytes and bodies.
    pub content: ContentId,
}

impl Message {
    /// Returns an unread message of this moment that says nothing: received, or queued for sending.
    #[must_use]
    pub const fn new(ids: MessageIds, direction: Direction, now: Time) -> Self {
        let is_received = matches!(direction, Direction::Inbound);
        Self {
            workspace: ids.workspace,
            id: ids.message,
            inbox: ids.inbox,
            thread: ids.thread,
            content: ids.content,
            direction,
            status: if is_received { MessageStatus::Received } else { MessageStatus::Queued },
            channel: Channel::Email,
            kind: MessageKind::Message,
            rfc_message_id: String::new(),
            in_reply_to: None,
            references: Vec::new(),
            from: String::new(),
            to: Vec::new(),
            cc: Vec::new(),
            bcc: Vec::new(),
            reply_to: None,
            reply_to_unproven: false,
            author_proven: false,
            subject: None,
            labels: Vec::new(),
            is_read: false,
            auto_reply: false,
            size_bytes: 0,
            trace: String::new(),
            verification: None,
            local_check: None,
            data: None,
            agent: None,
            author: None,
            disclosure: None,
            answers: None,
            contact_address: None,
            contact: None,
            held: None,
            released_at: None,
            release: None,
            analysis: None,
            analysis_due: None,
            analyzed_at: None,
            has_attachments: false,
            masked_links: false,
            status_at: now,
            sent_at: None,
            received_at: if is_received { Some(now) } else { None },
            created_at: now,
        }
    }

    /// Returns whether it is held back from agents.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.held.is_some() && self.released_at.is_none()
    }

    /// Returns the author as readers may see it: without the name, which is the author's text, if the content is withheld.
    #[must_use]
    pub fn shown_from(&self, is_withheld: bool) -> &str {
        if is_withheld { without_name(&self.from) } else { &self.from }
    }
}

/// Returns the address of `Name <address>`, or of an address without a name.
#[must_use]
pub fn without_name(mailbox: &str) -> &str {
    let inside = mailbox.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
    inside.map_or(mailbox, |(_, address)| address)
}

/// The bodies of a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageBodies {
    /// Plain text.
    pub text: Option<String>,
    pub html: Option<String>,
    /// The new text of a reply, without quoted text.
    pub extracted_text: Option<String>,
    /// Header field names in lower case with their values, in message order, as the text of a JSON object.
    pub headers_json: String,
}

impl MessageBodies {
    /// Returns the size of the bodies and headers in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let bodies = [&self.text, &self.html, &self.extracted_text].into_iter().flatten().map(String::len);
        self.headers_json.len() + bodies.sum::<usize>()
    }
}

/// A file attached to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    pub id: AttachmentId,
    pub message: MessageId,
    /// Its position among the attachments.
    pub position: u32,
    /// Its name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: String,
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// `Content-ID` without brackets.
    pub content_id: Option<String>,
    /// Whether it is displayed within the body.
    pub inline: bool,
    /// The state of its text; `None` for sent mail and mail of older versions.
    pub extraction: Option<Extraction>,
}

/// The delivery of a sent message to one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecipientDelivery {
    /// Its position among the recipients.
    pub position: u32,
    /// The envelope; `None` for local delivery.
    pub envelope: Option<EnvelopeId>,
    /// The recipient's address.
    pub address: String,
    /// `email` or `agent`.
    pub channel: Channel,
    pub status: DeliveryStatus,
    /// The remote server's reply code.
    pub smtp_code: Option<u16>,
    /// The remote server's enhanced code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The remote server.
    pub remote: Option<String>,
    /// The remote server's text, or why the delivery is waiting.
    pub detail: Option<String>,
    /// Why the last attempt failed; `None` if it didn't fail.
    pub class: Option<BounceClass>,
    /// The TLS parameters of the last attempt; `None` if it wasn't encrypted or no session was established.
    pub tls: Option<TlsParameters>,
    /// Where the address came from when the message was sent; `None` for messages of older versions.
    pub origin: Option<RecipientOrigin>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// When this entry last changed.
    pub updated_at: Time,
}

/// The TLS parameters of an SMTP session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsParameters {
    /// `TLSv1.3` or `TLSv1.2`.
    pub version: String,
    /// The IANA name of the cipher suite.
    pub cipher: String,
    /// Whether the certificate was valid for the server's name and issued by a trusted authority. Mail exchangers are
    /// used even if it isn't (RFC 7435).
    pub verified: bool,
}

impl TlsParameters {
    /// Formats the stored form: version, cipher, and the word `verified` if the certificate was valid.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} {}{}", self.version, self.cipher, if self.verified { " verified" } else { "" })
    }

    /// Parses the form that [`TlsParameters::text`] returns.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (version, cipher) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Self { version, cipher, verified: words.next() == Some("verified") })
    }
}

impl RecipientDelivery {
    /// Returns the code that a bounce is counted under: the enhanced status code, or else the reply code.
    #[must_use]
    pub fn reason(&self) -> String {
        let code = || self.smtp_code.map(|code| code.to_string());
        self.enhanced_code.clone().or_else(code).unwrap_or_else(|| "unknown".to_owned())
    }
}

/// A message that needs a notice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RoleMail {
    pub message: MessageId,
    /// The role address it was sent to.
    pub address: String,
}

/// A message that an RFC `Message-ID` refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageReference {
    pub id: MessageId,
    pub thread: ThreadId,
    /// Whether it was received or sent.
    pub direction: Direction,
}

/// The newest message of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewestMessage {
    pub id: MessageId,
    pub thread: ThreadId,
    /// Whether it was received or sent.
    pub direction: Direction,
    /// The author in header form.
    pub from: String,
    /// The first 400 characters of its new text.
    pub beginning: Option<String>,
}

/// The fields of a message that long-poll filters need.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrivalSummary {
    pub id: MessageId,
    /// When it was stored.
    pub created_at: Time,
    /// `From` in header form.
    pub from: String,
    /// `Subject`.
    pub subject: Option<String>,
    pub labels: Vec<String>,
    /// The verification code or link found in it.
    pub verification: Option<MessageVerification>,
}

#[cfg(test)]
mod tests;
