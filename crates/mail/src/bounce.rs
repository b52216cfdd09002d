//! Classifies why a server did not accept a message, from its reply code (RFC 5321 §4.2), its enhanced status code
//! (RFC 3463, RFC 7372, RFC 7505) and its text. Large providers often give one reason by code and another by text.
//!
//! The same pure function handles SMTP replies and reports. It only classifies; [`BounceClass::is_dead_address`] and
//! [`BounceClass::is_passing`] are the only conclusions that may be drawn from a class.

mod words;

use words::{contains_near, has, word};

use crate::smtp::client::SmtpStage;

/// Why a server did not accept a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BounceClass {
    /// The mailbox does not exist.
    UnknownUser,
    /// The mailbox is closed or disabled, or has moved.
    InactiveUser,
    /// The domain does not exist, or accepts no mail.
    UnknownDomain,
    /// The recipient's mailbox is full.
    MailboxFull,
    /// Too many messages or connections, from this sender or to this recipient.
    RateLimited,
    /// The server asks unknown senders to retry later.
    Greylisted,
    /// The sending address or domain has a bad reputation, or is on a blocklist.
    Reputation,
    /// SPF, DKIM, DMARC or the reverse DNS of the sending address failed.
    Authentication,
    /// The message was classified as spam.
    Spam,
    /// The content was rejected: a virus, a file, a link, a malformed header.
    Content,
    /// The message is too large.
    TooLarge,
    /// A policy of the recipient's server: relaying, permitted senders, permitted content.
    Policy,
    /// A server could not be reached, or the connection broke.
    Network,
    /// Retries ended without success.
    Expired,
    /// The address or the header needs SMTPUTF8 (RFC 6531), and the server does not offer it.
    Smtputf8,
    /// The other server, or this one, has a technical problem.
    System,
    /// The reason is unknown.
    Other,
}

impl BounceClass {
    /// All classes, in the order of the documentation.
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

    /// Returns the name used on the wire and in the database.
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

    /// Returns the class with this name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|class| class.text() == text)
    }

    /// Returns whether the address itself does not work for any sender, so that no more mail should be sent to it.
    #[must_use]
    pub const fn is_dead_address(self) -> bool {
        matches!(self, Self::UnknownUser | Self::InactiveUser | Self::UnknownDomain)
    }

    /// Returns whether a later delivery of the same message to the same address may succeed.
    #[must_use]
    pub const fn is_passing(self) -> bool {
        matches!(
            self,
            Self::MailboxFull | Self::RateLimited | Self::Greylisted | Self::Network | Self::Expired | Self::System
        )
    }
}

/// A server's reply.
#[derive(Debug, Clone, Copy)]
pub struct BounceReply<'s> {
    /// The reply code; `None` without a reply.
    pub code: Option<u16>,
    /// The enhanced status code.
    pub enhanced: Option<&'s str>,
    /// The text, which may contain another enhanced code.
    pub words: &'s str,
    /// The stage at which the server replied; `None` if unknown.
    pub stage: Option<SmtpStage>,
}

/// Classifies why a server did not accept a message.
#[must_use]
pub fn classify(reply: &BounceReply<'_>) -> BounceClass {
    let text = words::folded(reply.words);
    // A code in the text comes from the server that decided; some servers put a generic code before it.
    let specific_code = words::enhanced_in(&text).or_else(|| reply.enhanced.filter(|code| !code.ends_with(".0.0")));
    let reply = &BounceReply { enhanced: specific_code, ..*reply };
    if reply.stage == Some(SmtpStage::Local) {
        // Local texts name hosts and domains that could match by accident, and local codes are exact.
        return by_enhanced(reply.enhanced.unwrap_or_default()).unwrap_or(BounceClass::Other);
    }
    if reply.code.is_none() && reply.stage.is_some() {
        // No server replied: the text describes a local network error.
        return BounceClass::Network;
    }
    let class = by_known_phrase(&text, reply.enhanced)
        .or_else(|| by_words(&text, reply.enhanced))
        .or_else(|| by_enhanced(reply.enhanced.unwrap_or_default()))
        .or_else(|| by_vague_words(&text, reply))
        .unwrap_or_else(|| by_code(reply));
    // Replies before RCPT TO can't be about a recipient.
    let before_recipient = matches!(
        reply.stage,
        Some(
            SmtpStage::Greeting
                | SmtpStage::Ehlo
                | SmtpStage::StartTls
                | SmtpStage::Auth
                | SmtpStage::Reset
                | SmtpStage::MailFrom
        )
    );
    match class {
        dead if before_recipient && dead.is_dead_address() => BounceClass::Policy,
        // Later replies keep their class: after DATA they are about the content, unless the text names a recipient
        // problem.
        class => class,
    }
}

/// Classifies human-readable text that may quote a server. For reports whose codes are not specific.
#[must_use]
pub(crate) fn by_prose(text: &str) -> Option<BounceClass> {
    let text = words::folded(text);
    if has(&text, &["permission to post", "have permission"]) {
        return Some(BounceClass::Policy);
    }
    by_capacity(&text, None).or_else(|| by_recipient(&text)).or_else(|| by_waiting(&text))
}

/// Classifies by markers that providers put into their replies, and by other unambiguous phrases.
fn by_known_phrase(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let found = words::MARKS.iter().find(|(mark, _)| text.contains(mark)).map(|(_, class)| *class);
    if found.is_some() {
        return found;
    }
    if has(text, &["greylist", "graylist", "grey-list", "gray-list", "grey list", "gray list"]) {
        return Some(BounceClass::Greylisted);
    }
    if text.contains("smtputf8") {
        return Some(BounceClass::Smtputf8);
    }
    // Expiry is reported even if the text also quotes a temporary refusal.
    if text.contains("message expired") {
        return Some(BounceClass::Expired);
    }
    // Codes with exactly one meaning, whatever the text.
    let is_exact = match enhanced.map(detail)?.split_once('.')? {
        ("6", detail) => matches!(detail, "7" | "8" | "9" | "10"),
        ("7", detail) => detail == "9" || detail.len() > 1,
        ("1", detail) => detail == "2",
        _ => false,
    };
    by_enhanced(enhanced?).filter(|class| is_exact && *class != BounceClass::Policy)
}

/// Classifies by unambiguous phrases. Codes about an address take precedence over phrases about the sender, which many
/// servers put into every refusal.
fn by_words(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let subject = enhanced.map(detail).unwrap_or_default();
    if has(text, &words::ABOUT_SENDER) || matches!(subject, "1.7" | "1.8") {
        return Some(by_sender(text).unwrap_or(BounceClass::Policy));
    }
    if subject == "3.1" {
        return Some(BounceClass::System);
    }
    by_capacity(text, enhanced)
        .or_else(|| by_recipient(text).filter(|_| !has(text, &words::LISTED)))
        .or_else(|| by_enhanced(enhanced.unwrap_or_default()).filter(|class| class.is_dead_address()))
        .or_else(|| by_sender(text))
}

/// Classifies exceeded limits: message size, storage, rate.
fn by_capacity(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    if has(text, &words::RATE_FIRST) {
        Some(BounceClass::RateLimited)
    } else if has(text, &words::LARGE) {
        Some(BounceClass::TooLarge)
    } else if (enhanced.map(detail) == Some("2.2") && !has(text, &words::USER))
        || has(text, &words::FULL)
        || contains_near(text, "mailbox", &["full", "limit", "exceed", "too large"])
    {
        Some(BounceClass::MailboxFull)
    } else if has(text, &words::RATE)
        || contains_near(text, "too many", &["connection", "session", "message", "mails", "email"])
    {
        Some(BounceClass::RateLimited)
    } else {
        None
    }
}

/// Classifies problems of the recipient's address.
fn by_recipient(text: &str) -> Option<BounceClass> {
    if has(text, &words::DOMAIN) {
        Some(BounceClass::UnknownDomain)
    } else if has(text, &words::INACTIVE)
        || contains_near(text, "account", &["disabled", "suspended", "inactive", "closed"])
    {
        Some(BounceClass::InactiveUser)
    } else if has(text, &words::USER) || contains_near(text, "no such", &["here"]) {
        Some(BounceClass::UnknownUser)
    } else {
        None
    }
}

/// Classifies problems of the sender or the content.
fn by_sender(text: &str) -> Option<BounceClass> {
    if has(text, &words::AUTHENTICATION) || ["spf", "dkim", "dmarc", "ptr", "rdns"].iter().any(|w| word(text, w)) {
        Some(BounceClass::Authentication)
    } else if has(text, &words::LISTED) || ["rbl", "dnsbl", "ip-bl"].iter().any(|w| word(text, w)) {
        Some(BounceClass::Reputation)
    } else if has(text, &words::SPAM) || word(text, "uce") || word(text, "ube") {
        Some(BounceClass::Spam)
    } else if has(text, &words::CONTENT) || word(text, "mime") {
        Some(BounceClass::Content)
    } else if has(text, &words::POLICY) {
        Some(BounceClass::Policy)
    } else {
        None
    }
}

/// Classifies expired retries and unreachable servers.
fn by_waiting(text: &str) -> Option<BounceClass> {
    if has(text, &words::EXPIRED) || words::has_span(text) {
        Some(BounceClass::Expired)
    } else if has(text, &words::NETWORK) {
        Some(BounceClass::Network)
    } else {
        None
    }
}

/// Classifies phrases that usually mean the recipient without stating the problem.
fn by_vague_words(text: &str, reply: &BounceReply<'_>) -> Option<BounceClass> {
    if has(text, &words::VAGUE) || contains_near(text, "recipient", &[" not "]) {
        let temporary = reply.code.is_some_and(|code| code < 500);
        let at_recipient = reply.stage == Some(SmtpStage::RcptTo);
        return (!at_recipient).then_some(if temporary { BounceClass::System } else { BounceClass::Other });
    }
    by_waiting(text)
}

/// Returns `subject.detail` of an enhanced code, without the class that tells permanent from temporary.
fn detail(enhanced: &str) -> &str {
    enhanced.split_once('.').map_or("", |(_, rest)| rest)
}

fn by_enhanced(enhanced: &str) -> Option<BounceClass> {
    let rest = detail(enhanced);
    let class = match rest {
        "1.1" | "1.3" => BounceClass::UnknownUser,
        "1.2" | "1.10" => BounceClass::UnknownDomain,
        "1.6" | "2.1" => BounceClass::InactiveUser,
        "1.7" | "1.8" => BounceClass::Policy,
        "2.2" => BounceClass::MailboxFull,
        "2.3" | "3.4" => BounceClass::TooLarge,
        "4.5" | "5.3" | "7.28" => BounceClass::RateLimited,
        "4.7" => BounceClass::Expired,
        "6.7" | "6.8" | "6.9" | "6.10" => BounceClass::Smtputf8,
        "7.20" | "7.21" | "7.22" | "7.23" | "7.24" | "7.25" | "7.26" | "7.27" | "7.29" | "7.30" => {
            BounceClass::Authentication
        }
        "7.5" | "7.9" | "7.509" | "7.515" => BounceClass::Authentication,
        "7.511" | "7.512" | "7.513" | "7.703" | "7.708" | "7.750" => BounceClass::Reputation,
        "7.705" => BounceClass::RateLimited,
        _ => return by_subject(enhanced, rest),
    };
    Some(class)
}

fn by_subject(enhanced: &str, rest: &str) -> Option<BounceClass> {
    let number = rest.strip_prefix("7.").and_then(|detail| detail.parse::<u16>().ok());
    match (rest.split('.').next()?, number) {
        // Microsoft's codes for banned and for throttled senders.
        (_, Some(606..=699)) => Some(BounceClass::Reputation),
        ("3", _) => Some(BounceClass::System),
        ("4", _) => Some(BounceClass::Network),
        ("6", _) => Some(BounceClass::Content),
        ("7", _) if enhanced.starts_with('5') => Some(BounceClass::Policy),
        _ => None,
    }
}

/// Classifies by the reply code alone, and by the stage.
fn by_code(reply: &BounceReply<'_>) -> BounceClass {
    let at_recipient = matches!(reply.stage, None | Some(SmtpStage::RcptTo));
    match reply.code {
        None if matches!(
            reply.stage,
            Some(SmtpStage::Connect | SmtpStage::Greeting | SmtpStage::Ehlo | SmtpStage::Idle)
        ) =>
        {
            BounceClass::Network
        }
        None => BounceClass::Other,
        Some(421) => BounceClass::Network,
        Some(530 | 534 | 535 | 538) => BounceClass::Policy,
        Some(552) if at_recipient => BounceClass::MailboxFull,
        Some(552) => BounceClass::TooLarge,
        // A refused recipient without an enhanced code and without another reason is taken as nonexistent.
        Some(550 | 551 | 553) if reply.stage == Some(SmtpStage::RcptTo) && reply.enhanced.is_none() => {
            BounceClass::UnknownUser
        }
        Some(452 | 431) => BounceClass::System,
        Some(450 | 451) => BounceClass::System,
        Some(_) => BounceClass::Other,
    }
}

#[cfg(test)]
mod tests;
