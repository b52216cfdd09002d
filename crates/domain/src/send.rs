//! The commands send, reply and forward, the recipients of a reply, and the loop rules.
//!
//! Pure. Whether a command is allowed is decided by [`crate::gate`].

use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::calendar::CalendarAnswer;

use crate::{
    agent_message::author::AuthorClaims,
    error::ErrorCode,
    gate::loop_rule::LoopRule,
    message::{Direction, Message, MessageKind},
    time::HOUR_MS,
};

named! {
    /// The answer to an invitation.
    InvitationAnswer {
        /// The attendee comes.
        Accept = "accept",
        /// The attendee may come.
        Tentative = "tentative",
        /// The attendee doesn't come.
        Decline = "decline",
    }
}

impl InvitationAnswer {
    /// Returns the value in the calendar.
    #[must_use]
    pub const fn in_calendar(self) -> CalendarAnswer {
        match self {
            Self::Accept => CalendarAnswer::Accepted,
            Self::Tentative => CalendarAnswer::Tentative,
            Self::Decline => CalendarAnswer::Declined,
        }
    }

    /// Returns the word before the title of the event in the subject.
    #[must_use]
    pub const fn in_subject(self) -> &'static str {
        match self {
            Self::Accept => "Accepted",
            Self::Tentative => "Tentative",
            Self::Decline => "Declined",
        }
    }
}

/// The maximum number of recipients of a message: To, Cc and Bcc together.
pub const RECIPIENTS_MAX: usize = 50;
/// The maximum number of attachments of a sent message.
pub const FILES_MAX: usize = 100;
/// The name of the attachment that carries the structured data to remote recipients.
pub const DATA_FILE_NAME: &str = "service-data.json";
/// The maximum number of replies of one inbox within one thread in [`REPLY_WINDOW_MS`].
pub const REPLIES_IN_THREAD_MAX: u64 = 20;
/// The window of [`REPLIES_IN_THREAD_MAX`], in milliseconds.
pub const REPLY_WINDOW_MS: i64 = HOUR_MS;
/// The label of a delivery status notification that reports a failure.
pub const BOUNCE_LABEL: &str = "bounce-report";
/// Error codes that every send can return.
pub const SEND_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidHandle,
    ErrorCode::PlanLimitEmails,
    ErrorCode::OrgSuspended,
    ErrorCode::DomainNotVerified,
    ErrorCode::TemporaryInboxReceiveOnly,
    ErrorCode::NotFound,
    ErrorCode::AgentNotFound,
    ErrorCode::IdempotencyInFlight,
    ErrorCode::LeaseExpired,
    ErrorCode::LoopDetected,
    ErrorCode::RecipientUnproven,
    ErrorCode::ContentBlocked,
    ErrorCode::ContentDamaged,
    ErrorCode::MessageTooLarge,
    ErrorCode::IdempotencyKeyReused,
    ErrorCode::InvalidAgentSignature,
    ErrorCode::RecipientBlocked,
    ErrorCode::RecipientSuppressed,
    ErrorCode::WorkspaceStopped,
    ErrorCode::InboxPaused,
    ErrorCode::DailySendLimitExceeded,
    ErrorCode::OrgDailyLimitExceeded,
    ErrorCode::UnclaimedRecipientLimit,
    ErrorCode::AgentKeysDisabled,
    ErrorCode::DirectoryDisabled,
];

/// The codes of refusals when a workspace has the service ask a person to confirm an address.
pub const REQUEST_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::OrgSuspended,
    ErrorCode::DomainNotVerified,
    ErrorCode::TemporaryInboxReceiveOnly,
    ErrorCode::NotFound,
    ErrorCode::RecipientBlocked,
    ErrorCode::RecipientSuppressed,
    ErrorCode::RecipientUnproven,
    ErrorCode::WorkspaceStopped,
    ErrorCode::InboxPaused,
    ErrorCode::SignupRateLimited,
];

/// The recipients of a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageRecipients {
    pub to: Vec<Mailbox>,
    pub cc: Vec<Mailbox>,
    /// Bcc; never part of the message itself.
    pub bcc: Vec<Mailbox>,
}

impl MessageRecipients {
    /// Returns the number of recipients, including duplicates.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.len() + self.cc.len() + self.bcc.len()
    }

    /// Returns what is wrong with the number of recipients, or `None` if it is valid.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        recipients_problem(self.count())
    }

    /// Returns each address once, in the order To, Cc, Bcc. Each gets one delivery.
    #[must_use]
    pub fn deliveries(&self) -> Vec<&Address> {
        let mut each: Vec<&Address> = Vec::with_capacity(self.count());
        for address in self.to.iter().chain(&self.cc).chain(&self.bcc).map(Mailbox::address) {
            if !each.contains(&address) {
                each.push(address);
            }
        }
        each
    }
}

/// A recipient as a request names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NamedRecipient {
    /// An address, with or without a name.
    Mailbox(Mailbox),
    /// The handle of an agent, such as `@acme/support`.
    Handle(String),
}

/// The recipients as a request names them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NamedRecipients {
    pub to: Vec<NamedRecipient>,
    pub cc: Vec<NamedRecipient>,
    pub bcc: Vec<NamedRecipient>,
}

impl NamedRecipients {
    /// Returns whether a recipient is named by a handle.
    #[must_use]
    pub fn has_handles(&self) -> bool {
        let mut all = self.to.iter().chain(&self.cc).chain(&self.bcc);
        all.any(|recipient| matches!(recipient, NamedRecipient::Handle(_)))
    }

    /// Replaces each handle by the address that `resolve` returns.
    ///
    /// # Errors
    /// Returns the first error of `resolve`.
    pub fn resolved<E>(self, mut resolve: impl FnMut(&str) -> Result<Address, E>) -> Result<MessageRecipients, E> {
        let mut each = |list: Vec<NamedRecipient>| {
            let mailbox = |recipient| match recipient {
                NamedRecipient::Mailbox(mailbox) => Ok(mailbox),
                NamedRecipient::Handle(handle) => resolve(&handle).map(Mailbox::from),
            };
            list.into_iter().map(mailbox).collect::<Result<Vec<Mailbox>, E>>()
        };
        Ok(MessageRecipients { to: each(self.to)?, cc: each(self.cc)?, bcc: each(self.bcc)? })
    }
}

/// Returns what is wrong with a number of recipients, or `None` if it is between 1 and [`RECIPIENTS_MAX`].
#[must_use]
pub fn recipients_problem(count: usize) -> Option<String> {
    match count {
        0 => Some("must have at least one recipient".to_owned()),
        _ if count > RECIPIENTS_MAX => {
            Some(format!("to, cc and bcc must have at most {RECIPIENTS_MAX} recipients in total, not {count}"))
        }
        _ => None,
    }
}

/// A file to attach.
#[derive(Clone, PartialEq, Eq)]
pub struct OutgoingFile {
    /// Its name, without a path.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// The `Content-ID` without angle brackets, for a file displayed within the HTML.
    pub content_id: Option<String>,
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for OutgoingFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "File({:?}, {} bytes)", self.name, self.bytes.len())
    }
}

/// The content of a message. The default is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutgoingContent {
    /// Plain text.
    pub text: Option<String>,
    pub html: Option<String>,
    /// Structured data, as JSON text.
    pub data_json: Option<String>,
    pub files: Vec<OutgoingFile>,
    /// Labels for the sent message.
    pub labels: Vec<String>,
    /// The advisory kind.
    pub kind: MessageKind,
}

impl OutgoingContent {
    /// Returns the size of the bodies, the data and the files in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let bodies = [&self.text, &self.html, &self.data_json].into_iter().flatten().map(String::len);
        bodies.chain(self.files.iter().map(|file| file.bytes.len())).sum()
    }
}

/// The command to send a new message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SendCommand {
    pub people: NamedRecipients,
    /// Subject; may be empty.
    pub subject: String,
    pub content: OutgoingContent,
    /// The signature of the author.
    pub author: Option<AuthorClaims>,
}

/// The command to reply to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplyCommand {
    pub content: OutgoingContent,
    /// The recipients in place of the computed ones.
    pub to: Option<NamedRecipients>,
    /// Whether to send it to the other recipients of the message too.
    pub all: bool,
    /// The signature of the author.
    pub author: Option<AuthorClaims>,
}

/// The command to forward a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForwardCommand {
    pub people: NamedRecipients,
    /// The note above the original, and labels. Its attachments are ignored in favor of the original's.
    pub note: OutgoingContent,
    /// Whether to include the original's attachments.
    pub include_files: bool,
}

/// Returns the recipients of a reply: Reply-To or From of a received message, or the recipients of a sent one. An
/// unproven Reply-To is ignored, because any host on the way may have added it. With
/// `all`, the message's other recipients are added, except the inbox itself. Invalid addresses are skipped. The result
/// may be empty.
#[must_use]
pub fn reply_people(original: &Message, own: &Address, all: bool) -> MessageRecipients {
    let read = |list: &[String]| -> Vec<Mailbox> { list.iter().filter_map(|text| Mailbox::parse(text).ok()).collect() };
    let (to, cc) = match original.direction {
        Direction::Outbound => (read(&original.to), if all { read(&original.cc) } else { Vec::new() }),
        Direction::Inbound => {
            let proven = original.reply_to.as_deref().filter(|_| !original.reply_to_unproven);
            let reply_to = proven.and_then(|list| Mailbox::parse_list(list, RECIPIENTS_MAX).ok());
            let author =
                reply_to.filter(|list| !list.is_empty()).unwrap_or_else(|| read(std::slice::from_ref(&original.from)));
            let others = original.to.iter().chain(&original.cc).cloned().collect::<Vec<_>>();
            (author, if all { read(&others) } else { Vec::new() })
        }
    };
    let mut people = MessageRecipients { to: unique(to, &[]), ..MessageRecipients::default() };
    people.cc = unique(cc, &people.to);
    let is_own = |mailbox: &Mailbox| mailbox.address().without_tag() == *own;
    people.cc.retain(|mailbox| !is_own(mailbox));
    // Keep the inbox itself only if it is the only recipient: a reply to a note to itself.
    if people.to.iter().any(|mailbox| !is_own(mailbox)) {
        people.to.retain(|mailbox| !is_own(mailbox));
    }
    people
}

/// Returns the mailboxes that are not in `before`, each address once.
fn unique(list: Vec<Mailbox>, before: &[Mailbox]) -> Vec<Mailbox> {
    let mut kept: Vec<Mailbox> = Vec::with_capacity(list.len());
    for mailbox in list {
        if !kept.iter().chain(before).any(|other| other.address() == mailbox.address()) {
            kept.push(mailbox);
        }
    }
    kept
}

/// The facts about a message that is replied to, for the loop rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReplyFacts {
    /// Whether it is an automatic reply or a delivery failure notice.
    pub automatic: bool,
    /// Whether it was sent by this inbox and came back as new mail.
    pub returned: bool,
    /// The number of earlier replies to it.
    pub answers: u64,
    /// The number of replies of this inbox in its thread within the last [`REPLY_WINDOW_MS`].
    pub recent_replies: u64,
}

/// Returns the loop rule that a reply violates, if any.
#[must_use]
pub fn loop_rule(answered: &ReplyFacts) -> Option<LoopRule> {
    if answered.returned {
        Some(LoopRule::OwnMessageReturned)
    } else if answered.automatic && answered.answers > 0 {
        Some(LoopRule::AnsweredAutomaticReply)
    } else if answered.recent_replies >= REPLIES_IN_THREAD_MAX {
        Some(LoopRule::TooManyRepliesInThread)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
