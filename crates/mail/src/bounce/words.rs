//! The words of servers, lower case, as they were found in the replies of large providers, in the documents of mail servers
//! and in real reports. Longer phrases only: a single word is looked for as a whole word.

use super::Class;

/// Marks of providers that leave no doubt, most of them documented by who prints them.
pub(super) const MARKS: [(&str, Class); 47] = [
    // Gmail names the article that explains the refusal.
    ("p=nosuchuser", Class::UnknownUser),
    ("p=disableduser", Class::InactiveUser),
    ("p=inactiveuser", Class::InactiveUser),
    ("p=baddomain", Class::UnknownDomain),
    ("p=overquota", Class::MailboxFull),
    ("p=receivingrate", Class::RateLimited),
    ("p=unsolicitedratelimiterror", Class::RateLimited),
    ("p=ratelimit", Class::RateLimited),
    ("p=unsolicitediperror", Class::Reputation),
    ("p=unsolicitedmessageerror", Class::Spam),
    ("p=blockedmessage", Class::Content),
    ("p=rfcmessagenoncompliant", Class::Content),
    ("p=maxsizeerror", Class::TooLarge),
    ("p=unauthenticated", Class::Authentication),
    ("answer/81126", Class::Authentication),
    // Exchange and Outlook.com.
    ("resolver.adr.", Class::UnknownUser),
    ("resolver.rst.recipsizelimit", Class::TooLarge),
    ("resolver.rst.sendsizelimit", Class::TooLarge),
    ("resolver.rst.", Class::Policy),
    ("as(201806281)", Class::UnknownUser),
    ("(s2017062302)", Class::UnknownUser),
    ("(s3140)", Class::Reputation),
    ("(s3150)", Class::Reputation),
    ("(s775)", Class::Reputation),
    ("quotaexceededexception", Class::MailboxFull),
    // Yahoo and AOL.
    ("[tss", Class::Reputation),
    ("[ts0", Class::Reputation),
    ("[bl21]", Class::Reputation),
    ("[bl23]", Class::Reputation),
    ("[ipts", Class::Reputation),
    ("[ph01]", Class::Content),
    // Apple.
    ("[cs01]", Class::Spam),
    ("[hm08]", Class::Policy),
    // 163.com and QQ.
    ("mi:spb", Class::Spam),
    ("dt:spm", Class::Spam),
    ("mi:cel", Class::RateLimited),
    // Orange.
    ("ofr_416", Class::UnknownUser),
    ("ofr_417", Class::MailboxFull),
    ("ofr_506", Class::Spam),
    ("lpn007_416", Class::UnknownUser),
    ("lpn007_5", Class::Reputation),
    ("ofr004", Class::RateLimited),
    // Cisco, of recipients that its directory does not know.
    ("#5.1.0 address rejected", Class::UnknownUser),
    // Comcast, Charter, Proofpoint.
    ("rl0000", Class::RateLimited),
    ("bl0000", Class::Reputation),
    ("aup#", Class::Reputation),
    ("ipcheck.proofpoint", Class::Reputation),
];

/// It is the sender's address that is refused.
pub(super) const ABOUT_SENDER: [&str; 15] = [
    "client host rejected",
    "helo command rejected",
    "sender address rejected",
    "sender address verification",
    "sender rejected",
    "sender domain",
    "sender's domain",
    "domain of sender",
    "sender denied",
    "sender verify",
    "sender not ",
    "invalid sender",
    "unknown sender",
    "envelope sender",
    "return address",
];

/// A rate, in words that also name a quota.
pub(super) const RATE_FIRST: [&str; 9] = [
    "relay quota",
    "sending quota",
    "rate quota",
    "message rate",
    "sending limit",
    "receiving mail at a rate",
    "receiving mail too quickly",
    "frequency limit",
    "relay limit",
];

/// The message is too large.
pub(super) const LARGE: [&str; 12] = [
    "message length exceeds",
    "message too large",
    "message too big",
    "message is too large",
    "message is too big",
    "message size exceeds",
    "message size limit",
    "maximum message size",
    "exceeds maximum message",
    "exceeds size limit",
    "exceeded message size",
    "message exceeded max",
];

/// No room, wherever it stands.
pub(super) const FULL: [&str; 28] = [
    "mailbox full",
    "mailbox size",
    "mailbox limit",
    "mailfolder is full",
    "mail box full",
    "quota",
    "insufficient disk",
    "insufficient storage",
    "disk space",
    "disk full",
    "not enough space",
    "not enough storage",
    "account is full",
    "storage limit",
    "storage space",
    "storage allocation",
    "out of storage",
    "is full",
    "user is over",
    "maildir delivery failed",
    "exceeded storage",
    "full mailbox",
    "too much mail data",
    "too many messages on this mailbox",
    "over the maximum allowed mailbox",
    "inbox full",
    "boite pleine",
    "overquota",
];

/// Too much at once.
pub(super) const RATE: [&str; 25] = [
    "maximum number of connections",
    "maximum connections",
    "connection limit",
    "too many recipients",
    "too many sessions",
    "too many smtp",
    "too many errors",
    "too fast",
    "sessions limit",
    "session limit",
    "frequency limited",
    "rate limit",
    "ratelimit",
    "rate-limit",
    "throttl",
    "slow down",
    "concurrent connection",
    "concurrent smtp",
    "unusual rate",
    "messages per hour",
    "messages per minute",
    "exceeded the maximum number of",
    "limit exceeded for sender",
    "temporarily deferred due to excessive",
    "mail flood",
];

/// The host or the domain.
pub(super) const DOMAIN: [&str; 14] = [
    "host unknown",
    "host not found",
    "unknown host",
    "no such domain",
    "domain not found",
    "domain does not exist",
    "domain doesn't exist",
    "host or domain name not found",
    "recipient domain",
    "name or service not known",
    "null mx",
    "does not accept mail",
    "doesn't accept mail",
    "nxdomain",
];

/// There was somebody, and is not any more.
pub(super) const INACTIVE: [&str; 20] = [
    "disabled recipient",
    "account is disabled",
    "account has been disabled",
    "account disabled",
    "account inactive",
    "account that you tried to reach is disabled",
    "account closed",
    "mailbox disabled",
    "mailbox is disabled",
    "mailbox inactive",
    "mailbox is inactive",
    "user is inactive",
    "user is disabled",
    "user disabled",
    "user suspended",
    "disabled or discontinued",
    "no longer active",
    "no longer valid",
    "has moved",
    "no longer available",
];

/// There is no such mailbox.
pub(super) const USER: [&str; 46] = [
    "requested action not taken: mailbox unavailable",
    "user unknown",
    "unknown user",
    "unknown recipient",
    "unknown address",
    "unknown mailbox",
    "unknown local",
    "user not found",
    "user is unknown",
    "address unknown",
    "recipient unknown",
    "no such user",
    "no such mailbox",
    "no such recipient",
    "no such address",
    "no such person",
    "no such account",
    "no such local",
    "no mailbox",
    "does not exist",
    "doesn't exist",
    "not exist",
    "not a known user",
    "not a valid user",
    "not a valid recipient",
    "not a valid mailbox",
    "invalid recipient",
    "invalid mailbox",
    "invalid user",
    "recipient invalid",
    "recipient not found",
    "mailbox not found",
    "address not found",
    "recipient address rejected: access denied",
    "unrouteable address",
    "unroutable address",
    "doesn't have a",
    "not our customer",
    "isn't a valid",
    "no account",
    "destinataire invalide",
    "wasn't found",
    "couldn't find the recipient",
    "user does not have",
    "not known here",
    "recipient is not local",
];

/// SPF, DKIM, DMARC, reverse names.
pub(super) const AUTHENTICATION: [&str; 21] = [
    "unauthenticated",
    "not authenticated",
    "authentication check",
    "authentication level",
    "authentication information",
    "sender policy framework",
    "domain-based message",
    "sender authentication",
    "reverse dns",
    "reverse hostname",
    "reverse lookup",
    "reverse name",
    "reverse mapping",
    "find your hostname",
    "helo command",
    "find your reverse",
    "invalid helo",
    "anti-spoofing",
    "spoof",
    "dns record",
    "ptr record",
];

/// A bad name, or a blocklist.
pub(super) const LISTED: [&str; 47] = [
    "reputation",
    "blocklist",
    "block list",
    "block-list",
    "blacklist",
    "black list",
    "blocked using",
    "blocked by rbl",
    "block listed",
    "spamhaus",
    "spamcop",
    "barracudacentral",
    "barracudanetworks",
    "sorbs",
    "uceprotect",
    "invaluement",
    "abusix",
    "mailspike",
    "senderscore",
    "sender score",
    "dnsbl",
    "cloudmark",
    "listed at",
    "listed by",
    "listed in",
    "listed on",
    "is listed",
    "banned sending",
    "your ip",
    "ip address is block",
    "ip address has been block",
    "ip blocked",
    "address blocked",
    "client host",
    "user complaints",
    "connections will not be accepted",
    "connection refused by policy",
    "access to this mail system has been rejected",
    "not accepted from this ip",
    "blocked for abuse",
    "spamming ip",
    "bad outbound sender",
    "from your ip",
    "from your network",
    "your network",
    "your server",
    "unresolvable",
];

/// Taken for spam.
pub(super) const SPAM: [&str; 7] = ["spam", "unsolicited", "junk", "bulk mail", "bulk email", "phish", "unwanted"];

/// Something in the message.
pub(super) const CONTENT: [&str; 24] = [
    "virus",
    "malware",
    "content",
    "attachment",
    "executable",
    "security issue",
    "banned",
    "infected",
    "prohibited file",
    "message header",
    "invalid header",
    "bad header",
    "from header",
    "date header",
    "malformed",
    "bare lf",
    "bare newline",
    "line too long",
    "prohibited url",
    "rfc 5322",
    "rfc5322",
    "rfc 2822",
    "rfc2822",
    "suspicious",
];

/// A rule of the recipient's side.
pub(super) const POLICY: [&str; 23] = [
    "policy",
    "policies",
    "relaying",
    "relay access",
    "relay denied",
    "to relay",
    "not relay",
    "not permitted",
    "not allowed",
    "not authorized",
    "not authorised",
    "access denied",
    "denied",
    "prohibited",
    "restricted",
    "forbidden",
    "blocked",
    "administrative",
    "not accepting mail from",
    "authentication required",
    "refused",
    "we do not accept",
    "reject",
];

/// About the recipient, without saying what is wrong.
pub(super) const VAGUE: [&str; 6] = ["unknown", "not found", "isn't", "mailbox unavailable", "unrouteable", "inactive"];

/// Given up for want of an answer.
pub(super) const EXPIRED: [&str; 34] = [
    "timed out",
    "timeout",
    "time out",
    "retry time",
    "too long",
    "a long time",
    "expired",
    "on the queue",
    "in the queue",
    "could not be delivered for",
    "been delayed",
    "undeliverable for",
    "have been trying",
    "delivery time",
    "giving up on it",
    "not going to try again",
    "i'm not going to try",
    "retry limit",
    "maximum retries",
    "multiple retries",
    "could not be contacted",
    "gave up",
    "not responding",
    "not respond",
    "delivery attempts",
    "host name lookup fail",
    "retried for",
    "hour(s)",
    "day(s)",
    "cannot send message within",
    "message held too long",
    "exceeded maximum time",
    "too old",
    "retries exhausted",
];

/// Not reached.
pub(super) const NETWORK: [&str; 14] = [
    "connection refused",
    "connection reset",
    "connection dropped",
    "connection closed",
    "connection failed",
    "could not connect",
    "cannot connect",
    "can't connect",
    "no route to host",
    "host is down",
    "not reachable",
    "unreachable",
    "lost connection",
    "network",
];

/// The first enhanced code that stands in the text (RFC 3463 §2).
pub(super) fn enhanced_in(text: &str) -> Option<&str> {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_code = |word: &&str| {
        let parts: Vec<&str> = word.split('.').collect();
        parts.len() == 3 && matches!(parts[0], "4" | "5") && parts[1..].iter().all(|part| is_number(part))
    };
    let words = text.split([' ', '(', ')', '[', ']', '#', ';', ',', '-']).map(|word| word.trim_end_matches(['.', ':']));
    words.filter(|word| !word.ends_with(".0.0")).find(is_code)
}

/// Whether the text has any of these.
pub(super) fn has(text: &str, any: &[&str]) -> bool {
    any.iter().any(|words| text.contains(words))
}

/// Whether one of the words follows soon.
pub(super) fn near(text: &str, first: &str, then: &[&str]) -> bool {
    /// How soon, in bytes.
    const BYTES: usize = 32;
    text.match_indices(first).any(|(at, _)| {
        let from = at + first.len();
        let to = text.floor_char_boundary((from + BYTES).min(text.len()));
        has(&text[from..to], then)
    })
}

/// Whether the text has it as a word of its own.
pub(super) fn word(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + wanted.len()..].chars().next();
        let is_part = |next: Option<char>| next.is_some_and(char::is_alphanumeric);
        !is_part(before) && !is_part(after)
    })
}

/// A span of time: `5 days`, `432000 seconds`.
pub(super) fn has_span(text: &str) -> bool {
    let units = [" day", " hour", " seconds"];
    units.iter().any(|unit| {
        let before = |at: usize| text[..at].bytes().next_back();
        text.match_indices(unit).any(|(at, _)| before(at).is_some_and(|byte| byte.is_ascii_digit()))
    })
}

/// Lower case, one space between words, and no addresses: a mailbox may be called anything.
pub(super) fn folded(text: &str) -> String {
    let lower = text.split_whitespace().map(without_address).collect::<Vec<_>>().join(" ");
    lower.to_lowercase()
}

/// A word without the address that stands in it.
fn without_address(text: &str) -> String {
    let Some(at) = text.find('@') else { return text.to_owned() };
    let is_part = |next: char| next.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(next);
    let from = text[..at].rfind(|next| !is_part(next)).map_or(0, |end| end + 1);
    // A separator of several bytes ends one character, not one byte, further on.
    let from = text.ceil_char_boundary(from);
    let rest = &text[at + 1..];
    let to = rest.find(|next| !is_part(next)).unwrap_or(rest.len());
    format!("{} {}", &text[..from], &rest[to..])
}
