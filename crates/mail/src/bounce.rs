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

    /// Returns how final the class is if no evidence contradicts it.
    #[must_use]
    pub const fn severity(self) -> BounceSeverity {
        if self.is_dead_address() {
            BounceSeverity::DeadAddress
        } else if self.is_passing() {
            BounceSeverity::Soft
        } else {
            BounceSeverity::Hard
        }
    }
}

/// How final a failure is; later values are harder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BounceSeverity {
    /// A later delivery may succeed.
    Soft,
    /// The server refuses the message permanently; the address may work.
    Hard,
    /// The address doesn't work for any sender, and no evidence contradicts that.
    DeadAddress,
}

/// The class of a failure and how final it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BounceVerdict {
    /// Why the server did not accept the message.
    pub class: BounceClass,
    /// How final that is.
    pub severity: BounceSeverity,
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
    judge(reply).class
}

/// Decides why a server did not accept a message, and how final that is. An address counts as dead only if the enhanced
/// code, the reply code and the text agree: more evidence that contradicts never makes a verdict harder.
#[must_use]
pub fn judge(reply: &BounceReply<'_>) -> BounceVerdict {
    let folded = words::folded(reply.words);
    let text = words::quoted_reply(&folded).unwrap_or(&folded);
    // A code in the text comes from the server that decided; some servers put a generic code before it.
    let specific_code = words::enhanced_in(text).or_else(|| reply.enhanced.filter(|code| !code.ends_with(".0.0")));
    let contradiction = words::contradiction(text, specific_code);
    let evidence = Evidence {
        reply: BounceReply { enhanced: specific_code, ..*reply },
        outer: reply.enhanced,
        is_contradiction: contradiction.is_some(),
        mark: contradiction.or_else(|| words::directory_refusal(text, reply.enhanced)).or_else(|| words::mark_in(text)),
        text: &words::without_hosts(text),
    };
    let class = class_of(&evidence);
    BounceVerdict { class, severity: severity(&evidence, class) }
}

/// What a reply states.
struct Evidence<'e> {
    /// The reply with the enhanced code that decides.
    reply: BounceReply<'e>,
    /// The enhanced code outside the text.
    outer: Option<&'e str>,
    /// Whether a provider gives the code of another reason with this text.
    is_contradiction: bool,
    /// The class of a marker of a provider.
    mark: Option<BounceClass>,
    /// The folded text, without URLs and host names.
    text: &'e str,
}

fn class_of(evidence: &Evidence<'_>) -> BounceClass {
    let (reply, text) = (&evidence.reply, evidence.text);
    if reply.stage == Some(SmtpStage::Local) {
        // Local texts name hosts and domains that could match by accident, and local codes are exact.
        return by_enhanced(reply.enhanced.unwrap_or_default()).unwrap_or(BounceClass::Other);
    }
    if reply.code.is_none() && reply.stage.is_some() {
        // No server replied: the text describes a local network error.
        return BounceClass::Network;
    }
    let class = evidence
        .mark
        .or_else(|| by_statement(text, reply.enhanced))
        .or_else(|| by_enhanced(reply.enhanced.unwrap_or_default()).filter(|class| class.is_dead_address()))
        .or_else(|| by_weak_words(text))
        .or_else(|| by_enhanced(reply.enhanced.unwrap_or_default()))
        .or_else(|| by_vague_words(text, reply))
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
        _ if class.is_dead_address() && before_recipient => BounceClass::Policy,
        // 421 closes the connection, whatever it was about (RFC 5321 §3.8).
        _ if class.is_dead_address() && reply.code == Some(421) => BounceClass::Network,
        // Later replies keep their class: after DATA they are about the content, unless the text names a recipient
        // problem.
        class => class,
    }
}

/// Returns how final a failure is: the softest of what its class, its text and its codes allow.
fn severity(evidence: &Evidence<'_>, class: BounceClass) -> BounceSeverity {
    let (reply, text) = (&evidence.reply, evidence.text);
    if reply.stage == Some(SmtpStage::Local) {
        return class.severity();
    }
    let topics = STATED_TOPICS.iter().filter_map(|topic| topic(text)).chain(evidence.mark);
    let stated = topics.map(BounceClass::severity).fold(class.severity(), Ord::min);
    let codes = [reply.enhanced, evidence.outer];
    let is_temporary = reply.code.is_some_and(|code| code < 500)
        || codes.iter().flatten().any(|code| code.starts_with('4'))
        || has(text, &words::LATER);
    let is_named = stated == BounceSeverity::DeadAddress && !has(text, &words::LATER);
    let allowed = match is_temporary {
        // A server that gave up after temporary refusals still named the recipient as the reason.
        true if is_named => BounceSeverity::Hard,
        true => BounceSeverity::Soft,
        false if codes_agree(evidence, class) => BounceSeverity::DeadAddress,
        false => BounceSeverity::Hard,
    };
    stated.min(allowed)
}

/// Returns whether the codes allow that the address is dead. Policy codes don't, whatever the text, because some filters
/// report every address as unknown; except those in the whole replies of a table.
fn codes_agree(evidence: &Evidence<'_>, class: BounceClass) -> bool {
    let is_documented = evidence.mark == Some(class);
    let allows = |code: &str| match detail(code).split_once('.') {
        None | Some(("0" | "1", _) | ("2", "0" | "1") | ("3" | "5", "0")) => true,
        // The codes for a host without an address or a route are about the domain.
        Some(("4", "0" | "4" | "310")) if class == BounceClass::UnknownDomain => true,
        Some(("7", _)) => evidence.is_contradiction,
        _ => is_documented,
    };
    let is_refusal = match evidence.reply.code {
        Some(523 | 530 | 534 | 535 | 538) => false,
        Some(552) => is_documented || has(evidence.text, &words::USER),
        _ => true,
    };
    let codes = [evidence.reply.enhanced, evidence.outer].into_iter().flatten();
    is_refusal && codes.chain(words::enhanced_codes(evidence.text)).all(allows)
}

/// Classifies human-readable text that may quote a server. For reports whose codes are not specific.
#[must_use]
pub(crate) fn by_prose(text: &str) -> Option<BounceClass> {
    stated_by(text).or_else(|| by_waiting(&words::without_hosts(&words::folded(text))))
}

/// Classifies the text of a notice that delivery is delayed. How long it took so far is no reason.
#[must_use]
pub(crate) fn by_prose_of_delay(text: &str) -> Option<BounceClass> {
    let by_network = || {
        let text = words::without_hosts(&words::folded(text));
        has(&text, &words::NETWORK).then_some(BounceClass::Network)
    };
    stated_by(text).filter(|class| *class != BounceClass::Expired).or_else(by_network).or_else(|| by_prose(text))
}

/// Returns the class that a text states without doubt.
#[must_use]
pub(crate) fn stated_by(text: &str) -> Option<BounceClass> {
    let folded = words::folded(text);
    words::mark_in(&folded).or_else(|| by_statement(&words::without_hosts(&folded), None))
}

/// Every topic that a text may state, each on its own. A verdict is at most as hard as the softest of them.
const STATED_TOPICS: [fn(&str) -> Option<BounceClass>; 9] =
    [by_term, about_sender, by_encryption, by_size, by_storage, by_rate, by_listing, by_outage, by_sender];

/// Classifies by what the text states, whatever the codes; the order is that of reliability.
fn by_statement(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let subject = enhanced.map(detail).unwrap_or_default();
    by_term(text)
        .or_else(|| by_exact_code(enhanced?))
        .or_else(|| about_sender(text))
        .or_else(|| matches!(subject, "1.7" | "1.8").then(|| by_sender(text).unwrap_or(BounceClass::Policy)))
        .or_else(|| by_encryption(text))
        .or_else(|| (subject == "3.1").then_some(BounceClass::System))
        .or_else(|| by_capacity(text, enhanced))
        .or_else(|| has(text, &words::SPAM_VERDICTS).then_some(BounceClass::Spam))
        .or_else(|| by_listing(text))
        .or_else(|| by_outage(text).filter(|_| !has(text, &words::USER)))
        .or_else(|| by_recipient(text))
        .or_else(|| by_sender(text))
}

/// Classifies by technical terms with exactly one meaning.
fn by_term(text: &str) -> Option<BounceClass> {
    let terms: [(&[&str], BounceClass); 3] = [
        (&["greylist", "graylist", "grey-list", "gray-list", "grey list", "gray list"], BounceClass::Greylisted),
        (&["smtputf8"], BounceClass::Smtputf8),
        // Expiry is reported even if the text also quotes a temporary refusal.
        (&["message expired"], BounceClass::Expired),
    ];
    terms.iter().find(|(any, _)| has(text, any)).map(|(_, class)| *class)
}

/// Classifies by codes with exactly one meaning, whatever the text.
fn by_exact_code(enhanced: &str) -> Option<BounceClass> {
    let is_exact = match detail(enhanced).split_once('.')? {
        ("6", detail) => matches!(detail, "7" | "8" | "9" | "10"),
        ("7", detail) => detail == "9" || detail.len() > 1,
        _ => false,
    };
    by_enhanced(enhanced).filter(|class| is_exact && *class != BounceClass::Policy)
}

/// Classifies refusals of the sender's address or host.
fn about_sender(text: &str) -> Option<BounceClass> {
    has(text, &words::ABOUT_SENDER).then(|| by_sender(text).unwrap_or(BounceClass::Policy))
}

/// Classifies demands for encryption, and failures of it. They concern the connection, not the recipient.
fn by_encryption(text: &str) -> Option<BounceClass> {
    (has(text, &words::TLS) || word(text, "tls") || word(text, "dane")).then_some(BounceClass::Policy)
}

fn by_listing(text: &str) -> Option<BounceClass> {
    is_listed(text).then(|| by_authentication(text).unwrap_or(BounceClass::Reputation))
}

fn is_listed(text: &str) -> bool {
    // A recipient may also be missing in a list.
    let text = &text.replace("not listed", "");
    has(text, &words::LISTED) || ["rbl", "dnsbl", "ip-bl"].iter().any(|w| word(text, w))
}

/// Classifies failed connections.
fn by_outage(text: &str) -> Option<BounceClass> {
    has(text, &words::OUTAGE).then(|| by_waiting(text).unwrap_or(BounceClass::Network))
}

/// Classifies exceeded limits: message size, storage, rate.
fn by_capacity(text: &str, enhanced: Option<&str>) -> Option<BounceClass> {
    let is_full = || enhanced.map(detail) == Some("2.2") && !has(text, &words::USER);
    has(text, &words::RATE_FIRST)
        .then_some(BounceClass::RateLimited)
        .or_else(|| by_size(text))
        .or_else(|| is_full().then_some(BounceClass::MailboxFull))
        .or_else(|| by_storage(text))
        .or_else(|| by_rate(text))
}

fn by_size(text: &str) -> Option<BounceClass> {
    has(text, &words::LARGE).then_some(BounceClass::TooLarge)
}

fn by_storage(text: &str) -> Option<BounceClass> {
    let is_full = has(text, &words::FULL) || contains_near(text, "mailbox", &["full", "limit", "exceed", "too large"]);
    is_full.then_some(BounceClass::MailboxFull)
}

fn by_rate(text: &str) -> Option<BounceClass> {
    let is_limited = has(text, &words::RATE_FIRST)
        || has(text, &words::RATE)
        || contains_near(text, "too many", &["connection", "session", "message", "mails", "email"]);
    is_limited.then_some(BounceClass::RateLimited)
}

/// Classifies problems of the recipient's address.
fn by_recipient(text: &str) -> Option<BounceClass> {
    // A possibility is no evidence.
    let text = &text.replace("may not exist", "");
    if has(text, &words::DOMAIN) || words::DOMAIN_NOUNS.iter().any(|noun| contains_near(text, noun, &words::MISSING)) {
        Some(BounceClass::UnknownDomain)
    } else if has(text, &words::INACTIVE)
        || ["account", "mailbox"].iter().any(|noun| contains_near(text, noun, &words::CLOSED))
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
    if let Some(class) = by_authentication(text) {
        Some(class)
    } else if is_listed(text) {
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

fn by_authentication(text: &str) -> Option<BounceClass> {
    let is_about =
        has(text, &words::AUTHENTICATION) || ["spf", "dkim", "dmarc", "ptr", "rdns"].iter().any(|w| word(text, w));
    is_about.then_some(BounceClass::Authentication)
}

/// Classifies by words that many servers put into every refusal.
fn by_weak_words(text: &str) -> Option<BounceClass> {
    has(text, &words::WEAK_POLICY).then_some(BounceClass::Policy)
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
        "7.511" | "7.513" | "7.703" | "7.708" | "7.750" => BounceClass::Reputation,
        "7.512" => BounceClass::Content,
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
