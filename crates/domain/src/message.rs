//! Messages, their bodies, their files and where they went (contract §4.1 to §4.3; decision 19).

use crate::{
    id::{AttachmentId, ContactId, ContentId, EnvelopeId, InboxId, MessageId, ThreadId, WorkspaceId},
    time::Time,
};

named! {
    /// Which way a message went.
    Direction {
        /// It was received.
        Inbound = "inbound",
        /// It was sent.
        Outbound = "outbound",
    }
    /// What became of a message (decision 19).
    Status {
        /// Accepted for sending.
        Queued = "queued",
        /// It left us.
        Sent = "sent",
        /// A remote server took it.
        Delivered = "delivered",
        /// Delivery failed for good.
        Bounced = "bounced",
        /// The recipient marked it as spam.
        Complained = "complained",
        /// We could not send it.
        Failed = "failed",
        /// It was received.
        Received = "received",
    }
    /// What a message travelled on.
    Channel {
        /// Between inboxes of this service.
        Agent = "agent",
        /// SMTP.
        Email = "email",
        /// Both.
        Mixed = "mixed",
    }
    /// The sender's advisory kind of a message.
    Kind {
        /// An ordinary message.
        Message = "message",
        /// Something to do.
        Task = "task",
        /// Something that happened.
        Event = "event",
    }
    /// What became of a message at one recipient.
    DeliveryStatus {
        /// Waiting to be sent.
        Queued = "queued",
        /// It left us, and nobody says more.
        Sent = "sent",
        /// The remote server took it, or the copy is stored here.
        Delivered = "delivered",
        /// It failed for good.
        Bounced = "bounced",
        /// The recipient marked it as spam.
        Complained = "complained",
        /// We could not send it.
        Failed = "failed",
    }
}

impl DeliveryStatus {
    /// How bad it is: a message shows the worst of its entries (decision 19).
    const fn badness(self) -> u8 {
        match self {
            Self::Delivered => 0,
            Self::Sent => 1,
            Self::Queued => 2,
            Self::Failed => 3,
            Self::Bounced => 4,
            Self::Complained => 5,
        }
    }

    /// The message status that shows this entry.
    #[must_use]
    pub const fn message_status(self) -> Status {
        match self {
            Self::Queued => Status::Queued,
            Self::Sent => Status::Sent,
            Self::Delivered => Status::Delivered,
            Self::Bounced => Status::Bounced,
            Self::Complained => Status::Complained,
            Self::Failed => Status::Failed,
        }
    }
}

/// The status of a message from its delivery entries: the worst of them.
#[must_use]
pub fn rolled_up(entries: impl IntoIterator<Item = DeliveryStatus>) -> Status {
    entries.into_iter().max_by_key(|status| status.badness()).map_or(Status::Queued, DeliveryStatus::message_status)
}

/// A code or link to sign in with, found in a message (contract §4.2).
#[derive(Clone, PartialEq, Debug)]
pub struct Verification {
    /// The code.
    pub code: Option<String>,
    /// The link.
    pub link: Option<String>,
    /// How sure the patterns are, 0 to 0.7.
    pub confidence: f64,
    /// The sender failed authentication.
    pub auth_failed: bool,
}

/// A message as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: MessageId,
    /// The inbox it is in.
    pub inbox: InboxId,
    /// The conversation it belongs to.
    pub thread: ThreadId,
    /// Its bytes and bodies.
    pub content: ContentId,
    /// Which way it went.
    pub direction: Direction,
    /// What became of it.
    pub status: Status,
    /// What it travelled on.
    pub channel: Channel,
    /// The sender's advisory kind.
    pub kind: Kind,
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
    /// `Bcc`; only known for what was sent from here.
    pub bcc: Vec<String>,
    /// `Reply-To`.
    pub reply_to: Option<String>,
    /// `Subject`.
    pub subject: Option<String>,
    /// Labels in the order they were added.
    pub labels: Vec<String>,
    /// Whether somebody read it.
    pub is_read: bool,
    /// Whether it is an automatic answer; false on sent mail.
    pub auto_reply: bool,
    /// Size in bytes as received or sent.
    pub size_bytes: u64,
    /// Our own header lines in front of the raw bytes, each ended by CRLF.
    pub trace: String,
    /// A code or link that was found.
    pub verification: Option<Verification>,
    /// The sender's structured data, as JSON text.
    pub data: Option<String>,
    /// The message that this one replies to.
    pub answers: Option<MessageId>,
    /// Canonical address of who wrote a received message, or of the first outside recipient of a sent one.
    pub contact_address: Option<String>,
    /// The contact of that address, as there is one when the message is read.
    pub contact: Option<ContactId>,
    /// Whether files came with it.
    pub has_attachments: bool,
    /// When the status was set.
    pub status_at: Time,
    /// When it was sent.
    pub sent_at: Option<Time>,
    /// When it was received.
    pub received_at: Option<Time>,
    /// When it was stored; strictly rising within an inbox.
    pub created_at: Time,
}

/// The bodies of a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bodies {
    /// Plain text.
    pub text: Option<String>,
    /// HTML.
    pub html: Option<String>,
    /// The new text of a reply.
    pub extracted_text: Option<String>,
    /// Header names in lower case with their values, in the order of the mail, as a JSON object's text.
    pub headers_json: String,
}

/// A file that came or left with a message (contract §4.3).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// Its id.
    pub id: AttachmentId,
    /// The message.
    pub message: MessageId,
    /// Its place among the files of the message.
    pub position: u32,
    /// Its name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// `Content-ID` without brackets.
    pub content_id: Option<String>,
    /// Whether it is shown within the body.
    pub inline: bool,
}

/// What became of a sent message at one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Delivery {
    /// Its place among the recipients.
    pub position: u32,
    /// The envelope it travels in; none within this service.
    pub envelope: Option<EnvelopeId>,
    /// The recipient's address.
    pub address: String,
    /// `email` or `agent`.
    pub channel: Channel,
    /// What became of it.
    pub status: DeliveryStatus,
    /// The remote server's reply code.
    pub smtp_code: Option<u16>,
    /// The remote server's enhanced code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The remote server.
    pub remote: Option<String>,
    /// The remote server's words, or why it waits.
    pub detail: Option<String>,
    /// How the last attempt was encrypted; none where it was not, or came to no dialogue.
    pub tls: Option<TlsUse>,
    /// Attempts so far.
    pub attempts: u32,
    /// When this entry last changed.
    pub updated_at: Time,
}

/// How a dialogue with a mail server was encrypted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlsUse {
    /// `TLSv1.3` or `TLSv1.2`.
    pub version: String,
    /// The cipher suite's name at IANA.
    pub cipher: String,
    /// Whether the certificate was one for the server's name by an authority that this machine believes. Mail exchangers are
    /// spoken to without that too (RFC 7435).
    pub verified: bool,
}

impl TlsUse {
    /// As it is stored: version, cipher, and a word where the certificate was valid.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{} {}{}", self.version, self.cipher, if self.verified { " verified" } else { "" })
    }

    /// Reads what [`TlsUse::text`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let (version, cipher) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Self { version, cipher, verified: words.next() == Some("verified") })
    }
}

impl Delivery {
    /// The status that a bounce is counted under: the enhanced code, else the reply code.
    #[must_use]
    pub fn reason(&self) -> String {
        let code = || self.smtp_code.map(|code| code.to_string());
        self.enhanced_code.clone().or_else(code).unwrap_or_else(|| "unknown".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_worst_of_its_entries() {
        use DeliveryStatus::*;
        let table: [(&[DeliveryStatus], Status); 6] = [
            (&[Delivered, Delivered], Status::Delivered),
            (&[Delivered, Sent], Status::Sent),
            (&[Delivered, Queued], Status::Queued),
            (&[Queued, Bounced], Status::Bounced),
            (&[Bounced, Complained], Status::Complained),
            (&[], Status::Queued),
        ];
        for (entries, status) in table {
            assert_eq!(rolled_up(entries.iter().copied()), status, "{entries:?}");
        }
    }
}
