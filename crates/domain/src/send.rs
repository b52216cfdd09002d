//! What may be sent: the commands of send, reply and forward, who a reply goes to, and the loop rules of decision 18
//! (API document, Messages; contract §4.5).
//!
//! Pure. Whether a command may be carried out is decided by [`crate::gate`]; this module only says what it asks there.

use posthouse_mail::address::{Address, Mailbox};

use crate::{
    gate::LoopRule,
    message::{Direction, Kind, Message},
    time::HOUR_MS,
};

/// Most recipients of one message, To, Cc and Bcc together (decision 13).
pub const RECIPIENTS_MAX: usize = 50;
/// Most files of one sent message.
pub const FILES_MAX: usize = 100;
/// The file in which recipients elsewhere get the structured data (contract §4.5).
pub const DATA_FILE_NAME: &str = "service-data.json";
/// Most replies of one inbox within one thread in [`REPLY_WINDOW_MS`] (decision 18).
pub const REPLIES_IN_THREAD_MAX: u64 = 20;
/// The window of [`REPLIES_IN_THREAD_MAX`] in milliseconds.
pub const REPLY_WINDOW_MS: i64 = HOUR_MS;
/// The label of a delivery-failure notice.
pub const BOUNCE_LABEL: &str = "bounce-report";

/// Who a message goes to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct People {
    /// To.
    pub to: Vec<Mailbox>,
    /// Cc.
    pub cc: Vec<Mailbox>,
    /// Bcc: written into no message.
    pub bcc: Vec<Mailbox>,
}

impl People {
    /// How many were named, each as often as it was.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.len() + self.cc.len() + self.bcc.len()
    }

    /// What is wrong with how many there are, if anything is.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        recipients_problem(self.count())
    }

    /// Every address once, in the order To, Cc, Bcc: one delivery each, however often it was named.
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

/// What is wrong with so many recipients, if anything is: one to [`RECIPIENTS_MAX`] are right.
#[must_use]
pub fn recipients_problem(count: usize) -> Option<String> {
    match count {
        0 => Some("must name at least one recipient".to_owned()),
        _ if count > RECIPIENTS_MAX => {
            Some(format!("to, cc and bcc may name {RECIPIENTS_MAX} recipients together, not {count}"))
        }
        _ => None,
    }
}

/// A file to send along.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, without a path.
    pub name: String,
    /// Its media type.
    pub content_type: String,
    /// `Content-ID` without brackets, of a file that is shown within the HTML.
    pub content_id: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for File {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "File({:?}, {} bytes)", self.name, self.bytes.len())
    }
}

/// What a message says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Content {
    /// Plain text.
    pub text: Option<String>,
    /// HTML.
    pub html: Option<String>,
    /// Structured data, as JSON text.
    pub data_json: Option<String>,
    /// Files.
    pub files: Vec<File>,
    /// Labels for the sent message.
    pub labels: Vec<String>,
    /// The advisory kind.
    pub kind: Kind,
}

/// A new message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Send {
    /// Who it goes to.
    pub people: People,
    /// What it is about; may be empty.
    pub subject: String,
    /// What it says.
    pub content: Content,
}

/// An answer to a message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// What it says.
    pub content: Content,
    /// Whether it also goes to the other recipients of the message.
    pub all: bool,
}

/// A message passed on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forward {
    /// Who it goes to.
    pub people: People,
    /// The note above the original, and labels. Its files are those of the original.
    pub note: Content,
    /// Whether the original's files go along.
    pub include_files: bool,
}

/// Who an answer goes to: Reply-To or From of a received message, the recipients of one's own; with `all` its other
/// recipients too, without the inbox itself. Entries that are no addresses are passed over. Nobody, when nobody is left.
#[must_use]
pub fn reply_people(original: &Message, own: &Address, all: bool) -> People {
    let read = |list: &[String]| -> Vec<Mailbox> { list.iter().filter_map(|text| Mailbox::parse(text).ok()).collect() };
    let (to, cc) = match original.direction {
        Direction::Outbound => (read(&original.to), if all { read(&original.cc) } else { Vec::new() }),
        Direction::Inbound => {
            let answers_to =
                original.reply_to.as_deref().and_then(|list| Mailbox::parse_list(list, RECIPIENTS_MAX).ok());
            let author = answers_to
                .filter(|list| !list.is_empty())
                .unwrap_or_else(|| read(std::slice::from_ref(&original.from)));
            let others = original.to.iter().chain(&original.cc).cloned().collect::<Vec<_>>();
            (author, if all { read(&others) } else { Vec::new() })
        }
    };
    let mut people = People { to: once(to, &[]), ..People::default() };
    people.cc = once(cc, &people.to);
    let is_own = |mailbox: &Mailbox| mailbox.address().without_tag() == *own;
    people.cc.retain(|mailbox| !is_own(mailbox));
    // To oneself only where nobody else is: answering a note to oneself.
    if people.to.iter().any(|mailbox| !is_own(mailbox)) {
        people.to.retain(|mailbox| !is_own(mailbox));
    }
    people
}

/// The mailboxes that are not in `before`, each address once.
fn once(list: Vec<Mailbox>, before: &[Mailbox]) -> Vec<Mailbox> {
    let mut kept: Vec<Mailbox> = Vec::with_capacity(list.len());
    for mailbox in list {
        if !kept.iter().chain(before).any(|other| other.address() == mailbox.address()) {
            kept.push(mailbox);
        }
    }
    kept
}

/// What is known of a message that is to be answered, for the loop rules.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Answered {
    /// It is an automatic reply or a delivery-failure notice.
    pub automatic: bool,
    /// It is a message of this very inbox that came back as new mail.
    pub returned: bool,
    /// How often it was answered before.
    pub answers: u64,
    /// Answers of this inbox within its thread in the last [`REPLY_WINDOW_MS`].
    pub recent_replies: u64,
}

/// Which loop rule an answer breaks, if any (decision 18).
#[must_use]
pub fn loop_rule(answered: &Answered) -> Option<LoopRule> {
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
