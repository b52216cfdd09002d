//! Why a server would not take a mail, as one word of a closed list: by its reply code (RFC 5321 §4.2), its enhanced code
//! (RFC 3463, RFC 7372, RFC 7505) and its words, for large providers say one thing by code and another in words.
//!
//! One pure function for replies heard in a dialogue and for those told in reports. It judges words, never decides what
//! follows: [`Class::is_dead_address`] and [`Class::is_passing`] are all that may be concluded from a class.

mod words;

use words::{has, near, word};

use crate::smtp::client::Stage;

/// Why a server would not take a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// There is no such mailbox.
    UnknownUser,
    /// The mailbox was closed, disabled, or has moved.
    InactiveUser,
    /// The domain does not exist, or takes no mail.
    UnknownDomain,
    /// The recipient's room is used up.
    MailboxFull,
    /// Too much at once, from here or to there.
    RateLimited,
    /// Unknown senders are told to come back.
    Greylisted,
    /// The sending address or domain has a bad name, or is on a blocklist.
    Reputation,
    /// SPF, DKIM, DMARC or the reverse name of the sending address did not satisfy.
    Authentication,
    /// The message was taken for spam.
    Spam,
    /// Something in the message: a virus, a file, a link, a malformed header.
    Content,
    /// The message is too large.
    TooLarge,
    /// A rule of the recipient's side: relaying, who may write, what is allowed.
    Policy,
    /// A server was not reached, or the connection broke.
    Network,
    /// It was tried until the end, and nobody took it.
    Expired,
    /// The address or the header needs SMTPUTF8 (RFC 6531), and the server does not offer it.
    Smtputf8,
    /// Something is wrong with the other server, or with this one.
    System,
    /// Nothing that is known says why.
    Other,
}

impl Class {
    /// Every class, in the order of the documents.
    pub const ALL: [Self; 17] = [
        Self::UnknownUser,
        Self::InactiveUser,
        Self::UnknownDomain,
        Self::MailboxFull,
        Self::RateLimited,
        Self::Greylisted,
        Self::Reputation,
        Self::Authentication,
        Self::Spam,
        Self::Content,
        Self::TooLarge,
        Self::Policy,
        Self::Network,
        Self::Expired,
        Self::Smtputf8,
        Self::System,
        Self::Other,
    ];

    /// The word on the wire and in the store.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnknownUser => "unknown_user",
            Self::InactiveUser => "inactive_user",
            Self::UnknownDomain => "unknown_domain",
            Self::MailboxFull => "mailbox_full",
            Self::RateLimited => "rate_limited",
            Self::Greylisted => "greylisted",
            Self::Reputation => "reputation",
            Self::Authentication => "authentication",
            Self::Spam => "spam",
            Self::Content => "content",
            Self::TooLarge => "too_large",
            Self::Policy => "policy",
            Self::Network => "network",
            Self::Expired => "expired",
            Self::Smtputf8 => "smtputf8",
            Self::System => "system",
            Self::Other => "other",
        }
    }

    /// The class of that word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.text() == text)
    }

    /// Whether the address itself does not work, for whoever writes: nothing more should be sent there.
    #[must_use]
    pub const fn is_dead_address(self) -> bool {
        matches!(self, Self::UnknownUser | Self::InactiveUser | Self::UnknownDomain)
    }

    /// Whether the same mail to the same address may well be taken another day.
    #[must_use]
    pub const fn is_passing(self) -> bool {
        matches!(
            self,
            Self::MailboxFull | Self::RateLimited | Self::Greylisted | Self::Network | Self::Expired | Self::System
        )
    }
}

/// What a server said.
#[derive(Debug, Clone, Copy)]
pub struct Said<'s> {
    /// The reply code; none where there was no reply.
    pub code: Option<u16>,
    /// The enhanced code.
    pub enhanced: Option<&'s str>,
    /// The words; an enhanced code may stand in them.
    pub words: &'s str,
    /// To what it was said; none where nobody knows.
    pub stage: Option<Stage>,
}

/// Why a server would not take a mail.
#[must_use]
pub fn classify(said: &Said<'_>) -> Class {
    let text = words::folded(said.words);
    // A code among the words is that of the server that decided; others put a general one before it.
    let given = words::enhanced_in(&text).or_else(|| said.enhanced.filter(|code| !code.ends_with(".0.0")));
    let said = &Said { enhanced: given, ..*said };
    if said.stage == Some(Stage::Local) {
        // Our own words name hosts and domains, and our codes are exact.
        return by_enhanced(said.enhanced.unwrap_or_default()).unwrap_or(Class::Other);
    }
    if said.code.is_none() && said.stage.is_some() {
        // No server said anything: the words are those of this machine.
        return Class::Network;
    }
    let class = by_known_phrase(&text, said.enhanced)
        .or_else(|| by_words(&text, said.enhanced))
        .or_else(|| by_enhanced(said.enhanced.unwrap_or_default()))
        .or_else(|| by_vague_words(&text, said))
        .unwrap_or_else(|| by_code(said));
    // Before a recipient was named, nothing can have been said about one.
    let about_us = matches!(
        said.stage,
        Some(Stage::Greeting | Stage::Ehlo | Stage::StartTls | Stage::Auth | Stage::Reset | Stage::MailFrom)
    );
    match class {
        dead if about_us && dead.is_dead_address() => Class::Policy,
        // A reply to the text is about the text, unless it clearly speaks of somebody.
        class => class,
    }
}

/// By words alone, of a text for people that may quote a server: for reports whose codes say nothing.
#[must_use]
pub(crate) fn by_prose(text: &str) -> Option<Class> {
    let text = words::folded(text);
    if has(&text, &["permission to post", "have permission"]) {
        return Some(Class::Policy);
    }
    by_capacity(&text, None).or_else(|| by_recipient(&text)).or_else(|| by_waiting(&text))
}

/// Marks that providers print into their replies, and what leaves no doubt.
fn by_known_phrase(text: &str, enhanced: Option<&str>) -> Option<Class> {
    let found = words::MARKS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, class)| *class);
    if found.is_some() {
        return found;
    }
    if has(text, &["greylist", "graylist", "grey-list", "gray-list", "grey list", "gray list"]) {
        return Some(Class::Greylisted);
    }
    if text.contains("smtputf8") {
        return Some(Class::Smtputf8);
    }
    // What was refused before it ran out of time is no more than that.
    if text.contains("message expired") {
        return Some(Class::Expired);
    }
    // Codes that mean one thing only, whatever is said beside them.
    let is_exact = match enhanced.map(detail)?.split_once('.')? {
        ("6", detail) => matches!(detail, "7" | "8" | "9" | "10"),
        ("7", detail) => detail == "9" || detail.len() > 1,
        ("1", detail) => detail == "2",
        _ => false,
    };
    by_enhanced(enhanced?).filter(|class| is_exact && *class != Class::Policy)
}

/// By words that say clearly what is meant. Codes that speak of an address are believed before words that speak of the sender,
/// which many servers put into every refusal.
fn by_words(text: &str, enhanced: Option<&str>) -> Option<Class> {
    let subject = enhanced.map(detail).unwrap_or_default();
    if has(text, &words::ABOUT_SENDER) || matches!(subject, "1.7" | "1.8") {
        return Some(by_sender(text).unwrap_or(Class::Policy));
    }
    if subject == "3.1" {
        return Some(Class::System);
    }
    by_capacity(text, enhanced)
        .or_else(|| by_recipient(text).filter(|_| !has(text, &words::LISTED)))
        .or_else(|| by_enhanced(enhanced.unwrap_or_default()).filter(|class| class.is_dead_address()))
        .or_else(|| by_sender(text))
}

/// What is used up: the size of a message, room, a rate.
fn by_capacity(text: &str, enhanced: Option<&str>) -> Option<Class> {
    if has(text, &words::RATE_FIRST) {
        Some(Class::RateLimited)
    } else if has(text, &words::LARGE) {
        Some(Class::TooLarge)
    } else if (enhanced.map(detail) == Some("2.2") && !has(text, &words::USER))
        || has(text, &words::FULL)
        || near(text, "mailbox", &["full", "limit", "exceed", "too large"])
    {
        Some(Class::MailboxFull)
    } else if has(text, &words::RATE) || near(text, "too many", &["connection", "session", "message", "mails", "email"])
    {
        Some(Class::RateLimited)
    } else {
        None
    }
}

/// What is wrong with the recipient's address.
fn by_recipient(text: &str) -> Option<Class> {
    if has(text, &words::DOMAIN) {
        Some(Class::UnknownDomain)
    } else if has(text, &words::INACTIVE) || near(text, "account", &["disabled", "suspended", "inactive", "closed"]) {
        Some(Class::InactiveUser)
    } else if has(text, &words::USER) || near(text, "no such", &["here"]) {
        Some(Class::UnknownUser)
    } else {
        None
    }
}

/// What is wrong with who sends, or with what is sent.
fn by_sender(text: &str) -> Option<Class> {
    if has(text, &words::AUTHENTICATION) || ["spf", "dkim", "dmarc", "ptr", "rdns"].iter().any(|w| word(text, w)) {
        Some(Class::Authentication)
    } else if has(text, &words::LISTED) || ["rbl", "dnsbl", "ip-bl"].iter().any(|w| word(text, w)) {
        Some(Class::Reputation)
    } else if has(text, &words::SPAM) || word(text, "uce") || word(text, "ube") {
        Some(Class::Spam)
    } else if has(text, &words::CONTENT) || word(text, "mime") {
        Some(Class::Content)
    } else if has(text, &words::POLICY) {
        Some(Class::Policy)
    } else {
        None
    }
}

/// Given up, or not reached.
fn by_waiting(text: &str) -> Option<Class> {
    if has(text, &words::EXPIRED) || words::has_span(text) {
        Some(Class::Expired)
    } else if has(text, &words::NETWORK) {
        Some(Class::Network)
    } else {
        None
    }
}

/// What most often means the recipient, without saying what is wrong with it.
fn by_vague_words(text: &str, said: &Said<'_>) -> Option<Class> {
    if has(text, &words::VAGUE) || near(text, "recipient", &[" not "]) {
        let temporary = said.code.is_some_and(|code| code < 500);
        let named = said.stage == Some(Stage::RcptTo);
        return (!named).then_some(if temporary { Class::System } else { Class::Other });
    }
    by_waiting(text)
}

/// `subject.detail` of an enhanced code: what it is about, whether for good or not.
fn detail(enhanced: &str) -> &str {
    enhanced.split_once('.').map_or("", |(_, rest)| rest)
}

fn by_enhanced(enhanced: &str) -> Option<Class> {
    let rest = detail(enhanced);
    let class = match rest {
        "1.1" | "1.3" => Class::UnknownUser,
        "1.2" | "1.10" => Class::UnknownDomain,
        "1.6" | "2.1" => Class::InactiveUser,
        "1.7" | "1.8" => Class::Policy,
        "2.2" => Class::MailboxFull,
        "2.3" | "3.4" => Class::TooLarge,
        "4.5" | "5.3" | "7.28" => Class::RateLimited,
        "4.7" => Class::Expired,
        "6.7" | "6.8" | "6.9" | "6.10" => Class::Smtputf8,
        "7.20" | "7.21" | "7.22" | "7.23" | "7.24" | "7.25" | "7.26" | "7.27" | "7.29" | "7.30" => {
            Class::Authentication
        }
        "7.5" | "7.9" | "7.509" | "7.515" => Class::Authentication,
        "7.511" | "7.512" | "7.513" | "7.703" | "7.708" | "7.750" => Class::Reputation,
        "7.705" => Class::RateLimited,
        _ => return by_subject(enhanced, rest),
    };
    Some(class)
}

fn by_subject(enhanced: &str, rest: &str) -> Option<Class> {
    let number = rest.strip_prefix("7.").and_then(|detail| detail.parse::<u16>().ok());
    match (rest.split('.').next()?, number) {
        // Microsoft's series of banned and of slowed senders.
        (_, Some(606..=699)) => Some(Class::Reputation),
        ("3", _) => Some(Class::System),
        ("4", _) => Some(Class::Network),
        ("6", _) => Some(Class::Content),
        ("7", _) if enhanced.starts_with('5') => Some(Class::Policy),
        _ => None,
    }
}

/// By the reply code alone, and by what it answered.
fn by_code(said: &Said<'_>) -> Class {
    let at_recipient = matches!(said.stage, None | Some(Stage::RcptTo));
    match said.code {
        None if matches!(said.stage, Some(Stage::Connect | Stage::Greeting | Stage::Ehlo | Stage::Idle)) => {
            Class::Network
        }
        None => Class::Other,
        Some(421) => Class::Network,
        Some(530 | 534 | 535 | 538) => Class::Policy,
        Some(552) if at_recipient => Class::MailboxFull,
        Some(552) => Class::TooLarge,
        // Without an enhanced code and without a word of another reason, a refused recipient is one that is not there.
        Some(550 | 551 | 553) if said.stage == Some(Stage::RcptTo) && said.enhanced.is_none() => Class::UnknownUser,
        Some(452 | 431) => Class::System,
        Some(450 | 451) => Class::System,
        Some(_) => Class::Other,
    }
}

#[cfg(test)]
mod tests;
