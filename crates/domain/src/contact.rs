//! Contacts: everybody mail was exchanged with (API document, Contact; contract §8; decision 22). Pure.

use posthouse_mail::address::{Address, Mailbox};

use crate::{
    auth::Scope,
    id::{ContactId, InboxId, WorkspaceId},
    time::Time,
};

/// Longest name in characters.
pub const NAME_CHARS_MAX: usize = 200;
/// Most labels of a contact.
pub const LABELS_MAX: usize = 200;
/// Most people of one mail who become contacts.
pub const PEOPLE_MAX: usize = 100;
/// Most contacts that one call deletes.
pub const BULK_MAX: u32 = 1_000;
/// Most threads that a contact shows.
pub const THREADS_MAX: usize = 10;

/// Domains of free mail: who is there has nothing in common (contract §8).
pub const FREE_MAIL: &[&str] = &[
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

/// Local parts, without their punctuation, that nobody reads.
const UNREAD_LOCAL_PARTS: [&str; 6] = ["noreply", "donotreply", "dontreply", "mailerdaemon", "bounce", "bounces"];

named! {
    /// Who a contact is.
    ContactKind {
        /// Somebody who is written to, or whose mail reads like a person's.
        Person = "person",
        /// A program.
        Automated = "automated",
        /// Somebody who sells.
        Sales = "sales",
        /// Not known yet.
        Unknown = "unknown",
    }
    /// Where a name or kind comes from.
    Source {
        /// Mail.
        Auto = "auto",
        /// A caller; mail does not change it any more.
        Manual = "manual",
    }
}

/// The newest subject of a contact, without prefixes: contacts are the workspace's, subjects an inbox's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastSubject {
    text: String,
    inbox: Option<InboxId>,
}

impl LastSubject {
    /// A subject that came to an inbox or was sent from it; none where it was not noted.
    #[must_use]
    pub fn new(text: String, inbox: Option<InboxId>) -> Self {
        Self { text, inbox }
    }

    /// The subject, for a key that may see its inbox.
    #[must_use]
    pub fn seen_by(&self, scope: Scope) -> Option<&str> {
        let is_seen = scope.inbox().is_none() || self.inbox.is_some_and(|inbox| scope.sees(inbox));
        is_seen.then_some(self.text.as_str())
    }
}

/// A contact as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Contact {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: ContactId,
    /// The canonical address.
    pub address: String,
    /// The part behind the @, in A-labels.
    pub domain: String,
    /// The name.
    pub name: Option<String>,
    /// Where the name comes from.
    pub name_source: Source,
    /// Who it is.
    pub kind: ContactKind,
    /// Where the kind comes from.
    pub kind_source: Source,
    /// What callers noted.
    pub notes: Option<String>,
    /// Callers' data, as a JSON object's text.
    pub metadata_json: String,
    /// Callers' labels, in the order they were added.
    pub labels: Vec<String>,
    /// Messages from it, or to it.
    pub message_count: u64,
    /// The newest subject.
    pub last_subject: Option<LastSubject>,
    /// When the first of them was stored.
    pub first_seen_at: Time,
    /// When the newest of them was stored.
    pub last_seen_at: Time,
    /// When the contact was made.
    pub created_at: Time,
}

impl Contact {
    /// The text that `q` is looked for in: address and name in lower case.
    #[must_use]
    pub fn haystack(&self) -> String {
        haystack(&self.address, self.name.as_deref())
    }
}

/// Somebody in a mail that is being stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Person {
    /// The canonical address.
    pub address: String,
    /// The canonical address without its tag: by it an inbox of the workspace is known.
    pub untagged: String,
    /// The domain in A-labels.
    pub domain: String,
    /// The name that the mail gives.
    pub name: Option<String>,
    /// Whether the person gave the name, and not somebody else.
    pub own_name: bool,
    /// What the mail says of who it is.
    pub kind: ContactKind,
}

/// What somebody does in a mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Wrote it, by hand.
    Author,
    /// Wrote it by a program.
    Program,
    /// It came here and to them.
    Reader,
    /// We wrote it to them.
    Correspondent,
}

impl Person {
    /// Somebody in a mail.
    #[must_use]
    pub fn of(mailbox: &Mailbox, part: Part) -> Self {
        let address = mailbox.address();
        let kind = match part {
            Part::Correspondent => ContactKind::Person,
            Part::Program => ContactKind::Automated,
            Part::Author if is_unread(address) => ContactKind::Automated,
            Part::Author | Part::Reader => ContactKind::Unknown,
        };
        Self {
            address: address.canonical(),
            untagged: address.without_tag().canonical(),
            domain: address.domain().to_owned(),
            name: mailbox.name().and_then(|name| name_of(name, address)),
            own_name: matches!(part, Part::Author | Part::Program),
            kind,
        }
    }

    /// The text that `q` is looked for in.
    #[must_use]
    pub fn haystack(&self) -> String {
        haystack(&self.address, self.name.as_deref())
    }
}

fn haystack(address: &str, name: Option<&str>) -> String {
    format!("{address}\n{}", name.unwrap_or_default()).to_lowercase()
}

/// A display name as a contact keeps it; an address is no name.
fn name_of(name: &str, address: &Address) -> Option<String> {
    let name: String = name.trim().chars().take(NAME_CHARS_MAX).collect();
    let is_address = Address::parse(&name).is_ok_and(|named| named == *address);
    Some(name.trim_end().to_owned()).filter(|name| !name.is_empty() && !is_address)
}

/// Whether the address is one that nobody reads (`no-reply@`, `mailer-daemon@`).
fn is_unread(address: &Address) -> bool {
    let plain: String =
        address.without_tag().local().to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    UNREAD_LOCAL_PARTS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_seen_by_keys_that_see_its_inbox() {
        let inbox = |number| InboxId(uuid::Uuid::from_u128(number));
        let (noted, not_noted) = (Some(inbox(1)), None);
        for (of, scope, is_seen) in [
            (noted, Scope::Org, true),
            (noted, Scope::Workspace, true),
            (noted, Scope::Inbox(inbox(1)), true),
            (noted, Scope::Inbox(inbox(2)), false),
            (not_noted, Scope::Org, true),
            (not_noted, Scope::Inbox(inbox(1)), false),
        ] {
            let subject = LastSubject::new("Hi".to_owned(), of);
            assert_eq!(subject.seen_by(scope).is_some(), is_seen, "{of:?} {scope:?}");
        }
    }

    #[test]
    fn what_a_mail_says_of_somebody() {
        let table = [
            ("Ann <Ann@B.example>", Part::Author, Some("Ann"), ContactKind::Unknown),
            ("\"ann@b.example\" <ann@b.example>", Part::Author, None, ContactKind::Unknown),
            ("ann@b.example", Part::Correspondent, None, ContactKind::Person),
            ("Shop <No-Reply+7@b.example>", Part::Author, Some("Shop"), ContactKind::Automated),
            ("noreply@b.example", Part::Reader, None, ContactKind::Unknown),
            ("Ann <ann@b.example>", Part::Program, Some("Ann"), ContactKind::Automated),
        ];
        for (text, part, name, kind) in table {
            let person = Person::of(&Mailbox::parse(text).expect("a mailbox"), part);
            assert_eq!((person.name.as_deref(), person.kind), (name, kind), "{text}");
        }
        let tagged = Person::of(&Mailbox::parse("A+x@B.example").expect("a mailbox"), Part::Reader);
        assert_eq!(
            (&*tagged.address, &*tagged.untagged, &*tagged.domain),
            ("a+x@b.example", "a@b.example", "b.example")
        );
        let long = Person::of(
            &Mailbox::parse(&format!("{} <a@b.example>", "ä".repeat(250))).expect("a mailbox"),
            Part::Reader,
        );
        assert_eq!(long.name.map(|name| name.chars().count()), Some(NAME_CHARS_MAX));
    }

    #[test]
    fn free_mail_is_sorted_and_in_lower_case() {
        assert!(FREE_MAIL.is_sorted());
        assert!(FREE_MAIL.iter().all(|domain| *domain == domain.to_lowercase()));
    }
}
