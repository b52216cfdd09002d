//! Contacts: the addresses that mail was exchanged with. Pure.

use posthouse_mail::address::{Address, Mailbox};

use crate::{
    auth::Scope,
    id::{ContactId, InboxId, WorkspaceId},
    text::compared,
    time::Time,
};

/// The longest name in characters.
pub const NAME_CHARS_MAX: usize = 200;
/// The maximum number of labels of a contact.
pub const LABELS_MAX: usize = 200;
/// The maximum number of participants of one message that become contacts.
pub const CONTACTS_PER_MESSAGE_MAX: usize = 100;
/// The maximum number of contacts that one request deletes.
pub const BULK_DELETE_MAX: u32 = 1_000;
/// The maximum number of threads listed with a contact.
pub const THREADS_MAX: usize = 10;

/// Domains of free mail providers, whose users have no organization in common.
pub const FREE_MAIL_DOMAINS: &[&str] = &[
    "126.com",
    "163.com",
    "aim.com",
    "aol.com",
    "att.net",
    "bk.ru",
    "bluewin.ch",
    "btinternet.com",
    "comcast.net",
    "cox.net",
    "daum.net",
    "duck.com",
    "email.com",
    "fastmail.com",
    "fastmail.fm",
    "free.fr",
    "freenet.de",
    "gmail.com",
    "gmx.at",
    "gmx.ch",
    "gmx.com",
    "gmx.de",
    "gmx.net",
    "googlemail.com",
    "hanmail.net",
    "hey.com",
    "hotmail.co.uk",
    "hotmail.com",
    "hotmail.de",
    "hotmail.es",
    "hotmail.fr",
    "hotmail.it",
    "hushmail.com",
    "icloud.com",
    "inbox.com",
    "inbox.ru",
    "laposte.net",
    "libero.it",
    "list.ru",
    "live.co.uk",
    "live.com",
    "live.de",
    "live.fr",
    "live.nl",
    "mac.com",
    "mail.com",
    "mail.de",
    "mail.ru",
    "mailbox.org",
    "me.com",
    "msn.com",
    "naver.com",
    "ntlworld.com",
    "o2.pl",
    "onet.pl",
    "orange.fr",
    "outlook.com",
    "outlook.de",
    "outlook.es",
    "outlook.fr",
    "outlook.it",
    "pm.me",
    "posteo.de",
    "proton.me",
    "protonmail.ch",
    "protonmail.com",
    "qq.com",
    "rediffmail.com",
    "rocketmail.com",
    "runbox.com",
    "sapo.pt",
    "sbcglobal.net",
    "seznam.cz",
    "sfr.fr",
    "sina.com",
    "sky.com",
    "sohu.com",
    "t-online.de",
    "tiscali.it",
    "tuta.com",
    "tuta.io",
    "tutanota.com",
    "uol.com.br",
    "verizon.net",
    "virgilio.it",
    "wanadoo.fr",
    "web.de",
    "wp.pl",
    "ya.ru",
    "yahoo.ca",
    "yahoo.co.in",
    "yahoo.co.jp",
    "yahoo.co.uk",
    "yahoo.com",
    "yahoo.com.br",
    "yahoo.de",
    "yahoo.es",
    "yahoo.fr",
    "yahoo.it",
    "yandex.com",
    "yandex.ru",
    "ymail.com",
    "zoho.com",
];

/// Local parts, without punctuation, of addresses that don't accept replies.
const NO_REPLY_LOCAL_PARTS: [&str; 6] = ["noreply", "donotreply", "dontreply", "mailerdaemon", "bounce", "bounces"];

named! {
    /// What kind of sender a contact is.
    ContactKind {
        /// A person: mail was sent to it, or its mail looks personal.
        Person = "person",
        /// A program.
        Automated = "automated",
        /// A sales contact.
        Sales = "sales",
        /// Not known yet.
        Unknown = "unknown",
    }
    /// The origin of a name or kind.
    ContactFieldSource {
        /// Derived from mail.
        Auto = "auto",
        /// Set by a caller; mail no longer changes it.
        Manual = "manual",
    }
}

/// The newest subject of a contact, without prefixes. It stores the inbox, because contacts belong to the workspace but
/// subjects to an inbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastSubject {
    text: String,
    inbox: Option<InboxId>,
}

impl LastSubject {
    /// Creates a subject that was received by or sent from `inbox`; `None` if the inbox wasn't stored.
    #[must_use]
    pub fn new(text: String, inbox: Option<InboxId>) -> Self {
        Self { text, inbox }
    }

    /// Returns the subject if the scope can access its inbox.
    #[must_use]
    pub fn visible_to(&self, scope: Scope) -> Option<&str> {
        let is_seen = !scope.is_limited() || self.inbox.is_some_and(|inbox| scope.allows_inbox(inbox));
        is_seen.then_some(self.text.as_str())
    }
}

/// A contact as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Contact {
    pub workspace: WorkspaceId,
    pub id: ContactId,
    /// The canonical address.
    pub address: String,
    /// The part after the @, in A-labels.
    pub domain: String,
    pub name: Option<String>,
    /// Where the name comes from.
    pub name_source: ContactFieldSource,
    pub kind: ContactKind,
    /// Where the kind comes from.
    pub kind_source: ContactFieldSource,
    /// Notes by callers.
    pub notes: Option<String>,
    /// Custom metadata, as the text of a JSON object.
    pub metadata_json: String,
    /// Custom labels, in the order they were added.
    pub labels: Vec<String>,
    /// The number of messages from it or to it.
    pub message_count: u64,
    /// The newest subject.
    pub last_subject: Option<LastSubject>,
    /// When its first message was stored.
    pub first_seen_at: Time,
    /// When its newest message was stored.
    pub last_seen_at: Time,
    /// When the contact was created.
    pub created_at: Time,
}

impl Contact {
    /// Returns the text that `q` searches: address and name in lower case.
    #[must_use]
    pub fn haystack(&self) -> String {
        haystack(&self.address, self.name.as_deref())
    }
}

/// A participant of a message that is being stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageParticipant {
    /// The canonical address.
    pub address: String,
    /// The canonical address without its plus tag, which identifies inboxes of the workspace.
    pub untagged: String,
    /// The domain in A-labels.
    pub domain: String,
    /// The display name in the message.
    pub name: Option<String>,
    /// Whether the name comes from the participant itself, rather than from another participant.
    pub own_name: bool,
    /// The kind of contact that the message suggests.
    pub kind: ContactKind,
    /// Whether the message is correspondence with it: it is the proven author, or the workspace writes to it knowingly.
    pub corresponds: bool,
}

/// The role of a participant in a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParticipantRole {
    /// Wrote it manually.
    Author,
    /// Wrote it automatically.
    AutomatedAuthor,
    /// Received it together with the inbox.
    CoRecipient,
    /// Received it from the inbox.
    Recipient,
}

impl MessageParticipant {
    /// Creates a participant from a mailbox and its role.
    #[must_use]
    pub fn of(mailbox: &Mailbox, part: ParticipantRole) -> Self {
        let address = mailbox.address();
        let kind = match part {
            ParticipantRole::Recipient => ContactKind::Person,
            ParticipantRole::AutomatedAuthor => ContactKind::Automated,
            ParticipantRole::Author if is_no_reply(address) => ContactKind::Automated,
            ParticipantRole::Author | ParticipantRole::CoRecipient => ContactKind::Unknown,
        };
        Self {
            address: address.canonical(),
            untagged: address.without_tag().canonical(),
            domain: address.domain().to_owned(),
            name: mailbox.name().and_then(|name| name_of(name, address)),
            corresponds: false,
            own_name: matches!(part, ParticipantRole::Author | ParticipantRole::AutomatedAuthor),
            kind,
        }
    }

    /// Returns the text that `q` searches.
    #[must_use]
    pub fn haystack(&self) -> String {
        haystack(&self.address, self.name.as_deref())
    }
}

fn haystack(address: &str, name: Option<&str>) -> String {
    compared(&format!("{address}\n{}", name.unwrap_or_default()))
}

/// Returns the name to store, or `None` if it is empty or just the address.
fn name_of(name: &str, address: &Address) -> Option<String> {
    let name: String = name.trim().chars().take(NAME_CHARS_MAX).collect();
    let is_address = Address::parse(&name).is_ok_and(|named| named == *address);
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty() && !is_address)
}

/// Returns whether the address doesn't accept replies (`no-reply@`, `mailer-daemon@`).
fn is_no_reply(address: &Address) -> bool {
    let plain: String =
        address.without_tag().local().to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    NO_REPLY_LOCAL_PARTS.contains(&plain.as_str())
}

/// The number of contacts in a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainCount {
    pub domain: String,
    /// Number of contacts.
    pub contacts: i64,
    /// `created_at` of the newest message from or to one of them.
    pub last_seen_at: Time,
}

#[cfg(test)]
mod tests;
