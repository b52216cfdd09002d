//! Why a delivery failed, by the codes and words of the servers that say so. The words were gathered from what servers
//! really write; they are only ever asked of reports.

/// Why a delivery failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The address does not work: no such user or host, or moved away.
    Address,
    /// The recipient's room is used up.
    Full,
    /// Too much at once from here.
    Busy,
    /// Nobody could be reached for so long that the mail was given up.
    Expired,
    /// It did not work yet, or the server said so with a code of 4.
    Temporary,
    /// The server said that it will not take it.
    Refused,
}

impl Cause {
    /// Whether it will never work; the others could have, or may later.
    #[must_use]
    pub const fn is_hard(self) -> bool {
        matches!(self, Self::Address | Self::Refused)
    }
}

/// What is known of a failure.
pub(super) struct Facts<'f> {
    /// The server still tries.
    pub(super) is_delayed: bool,
    /// The enhanced code.
    pub(super) status: Option<&'f str>,
    /// The words of the server that decided.
    pub(super) words: &'f str,
    /// The text for people, which often says what the words do not.
    pub(super) said: &'f str,
}

/// No room, wherever it stands.
const FULL: [&str; 24] = [
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
    "is full",
    "user is over",
    "maildir delivery failed",
    "exceeded storage",
    "full mailbox",
    "too much mail data",
    "too many messages on this mailbox",
    "over the maximum allowed mailbox",
    "inbox full",
];

/// Too much at once.
const BUSY: [&str; 12] = [
    "maximum number of connections",
    "maximum connections",
    "connection limit",
    "too many recipients",
    "too many sessions",
    "too many smtp",
    "sessions limit",
    "session limit",
    "frequency limit",
    "rate limit",
    "concurrent connection",
    "concurrent smtp",
];

/// The address itself, said clearly.
const ADDRESS: [&str; 40] = [
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
    "no such domain",
    "no mailbox",
    "does not exist",
    "doesn't exist",
    "not a known user",
    "not a valid user",
    "not a valid recipient",
    "not a valid mailbox",
    "invalid recipient",
    "invalid mailbox",
    "invalid user",
    "recipient not found",
    "mailbox not found",
    "address not found",
    "account is disabled",
    "account has been disabled",
    "unrouteable address",
    "host unknown",
    "host not found",
    "unknown host",
    "domain not found",
    "has moved",
    "doesn't have a",
];

/// About the recipient or the host, without saying what is wrong with it.
const ADDRESS_LIKE: [&str; 8] = [
    "unknown",
    "not found",
    "not exist",
    "isn't",
    "mailbox unavailable",
    "unrouteable",
    "account disabled",
    "inactive",
];

/// Given up for want of an answer.
const EXPIRED: [&str; 36] = [
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
    "connection refused",
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
    "not reachable",
    "unreachable",
    "host name lookup fail",
    "retried for",
    "hour(s)",
    "day(s)",
    "no route to host",
    "host is down",
    "cannot send message within",
    "message held too long",
];

/// Why it failed.
pub(super) fn of(facts: &Facts<'_>) -> Cause {
    if facts.is_delayed {
        return Cause::Temporary;
    }
    let words = folded(facts.words);
    // Codes that leave no doubt: what people are told beside them is of the mailer's own making.
    let is_clear = facts.status.is_some_and(|code| ["5.1.", "5.7."].iter().any(|class| code.starts_with(class)));
    let full = matches!(facts.status, Some("5.2.2" | "4.2.2")) && !has(&words, &ADDRESS);
    if full {
        return Cause::Full;
    }
    if let Some(cause) = by_words(&words).or_else(|| (!is_clear).then(|| by_words(&folded(facts.said))).flatten()) {
        return cause;
    }
    let is_temporary = match facts.status {
        Some(code) => code.starts_with('4'),
        None => reply_code(&words).or_else(|| reply_code(&folded(facts.said))).is_some_and(|class| class == b'4'),
    };
    if is_temporary { Cause::Temporary } else { Cause::Refused }
}

fn by_words(text: &str) -> Option<Cause> {
    if has(text, &FULL) || near(text, "mailbox", &["full", "limit", "exceed", "too large"]) {
        Some(Cause::Full)
    } else if has(text, &BUSY) || near(text, "too many", &["connection", "session"]) {
        Some(Cause::Busy)
    } else if has(text, &ADDRESS) || near(text, "no such", &["here"]) {
        Some(Cause::Address)
    } else if has(text, &ADDRESS_LIKE) || near(text, "recipient", &[" not "]) {
        Some(Cause::Refused)
    } else if has(text, &EXPIRED) || has_span(text) {
        Some(Cause::Expired)
    } else {
        None
    }
}

fn has(text: &str, any: &[&str]) -> bool {
    any.iter().any(|words| text.contains(words))
}

/// Whether one of the words follows soon.
fn near(text: &str, first: &str, then: &[&str]) -> bool {
    /// How soon, in bytes.
    const BYTES: usize = 32;
    text.match_indices(first).any(|(at, _)| {
        let from = at + first.len();
        let to = text.floor_char_boundary((from + BYTES).min(text.len()));
        has(&text[from..to], then)
    })
}

/// A span of time: `5 days`, `432000 seconds`.
fn has_span(text: &str) -> bool {
    let units = [" day", " hour", " seconds"];
    units.iter().any(|unit| {
        let before = |at: usize| text[..at].bytes().next_back();
        text.match_indices(unit).any(|(at, _)| before(at).is_some_and(|byte| byte.is_ascii_digit()))
    })
}

/// Lower case, one space between words.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The class of the first reply code: three digits alone, 400 to 599.
fn reply_code(text: &str) -> Option<u8> {
    let is_code = |word: &&str| {
        let digits = word.trim_end_matches(['-', ':', ',']);
        digits.len() == 3 && matches!(digits.as_bytes()[0], b'4' | b'5') && digits.bytes().all(|b| b.is_ascii_digit())
    };
    text.split(' ').find(is_code).map(|word| word.as_bytes()[0])
}
