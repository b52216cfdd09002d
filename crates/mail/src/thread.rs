//! Conversations (RFC 5322 §3.6.4; decision 20): message ids, subjects, and the fields that tie an answer to its cause.
//!
//! Pure text work. It never decides which thread a message joins; it only answers the questions that decision asks.

/// Longest message id, brackets included, that is believed, in bytes (RFC 5322 §2.1.1: one line).
pub const MESSAGE_ID_BYTES_MAX: usize = 998;

/// Most ids of one References chain: the first one, which names the thread, and the newest.
pub const CHAIN_IDS_MAX: usize = 100;

/// Most prefixes and list tags stripped from one subject.
const PREFIXES_MAX: usize = 64;

/// Longest bracketed list tag, brackets included, in characters.
const TAG_CHARS_MAX: usize = 40;

/// What an answer is called in the subjects of the world, lower case.
const REPLY_PREFIXES: &[&str] = &[
    "re",
    "aw",
    "antw",
    "antwort",
    "sv",
    "vs",
    "ref",
    "rif",
    "r",
    "odp",
    "ynt",
    "yan",
    "vá",
    "vb",
    "res",
    "rsp",
    "att",
    "bls",
    "ats",
    "απ",
    "σχετ",
    "отв",
    "ответ",
    "на",
    "відп",
    "תגובה",
    "השב",
    "رد",
    "پاسخ",
    "回复",
    "回覆",
    "答复",
    "答覆",
    "返信",
    "답장",
    "회신",
    "ตอบ",
    "ตอบกลับ",
    "trả lời",
    "tr. :",
    "balas",
    "bal",
    "svar",
    "vast",
    "re fw",
];

/// What a forwarded mail is called in the subjects of the world, lower case.
const FORWARD_PREFIXES: &[&str] = &[
    "fw",
    "fwd",
    "wg",
    "weitergeleitet",
    "tr",
    "rv",
    "enc",
    "i",
    "inoltro",
    "doorst",
    "vl",
    "vs",
    "vb",
    "vid",
    "vidarebefordrat",
    "pd",
    "továbbítás",
    "továbbítva",
    "iltlt",
    "ilt",
    "fs",
    "fyi",
    "πρθ",
    "προωθ",
    "пер",
    "пересл",
    "переслано",
    "הועבר",
    "إعادة توجيه",
    "转发",
    "轉寄",
    "转寄",
    "転送",
    "전달",
    "ส่งต่อ",
    "chuyển tiếp",
    "terusan",
    "trs",
    "reenv",
    "rvd",
    "videres",
    "pret",
    "przek",
    "redir",
];

/// The subject that messages of one thread share: prefixes, their counts and list tags gone, case folded, white
/// space folded. Empty when nothing is left.
pub fn normalised_subject(subject: &str) -> String {
    let core = strip_prefixes(subject).0;
    let mut out = String::with_capacity(core.len());
    for word in core.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
    out
}

/// Whether the subject begins like an answer or a forwarded mail (`Re:`, `AW:`, `Fwd:`, `回复：`, …).
pub fn is_reply_or_forward(subject: &str) -> bool {
    strip_prefixes(subject).1
}

/// The subject without the prefixes of answers and forwarded mails; list tags stay.
pub fn bare_subject(subject: &str) -> &str {
    let mut rest = subject.trim();
    for _ in 0..PREFIXES_MAX {
        match after_prefix(rest, REPLY_PREFIXES).or_else(|| after_prefix(rest, FORWARD_PREFIXES)) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// Subject of an answer: one `Re: `, whatever answer prefixes stood there; a forward prefix stays.
pub fn reply_subject(subject: &str) -> String {
    format!("Re: {}", strip_while(subject.trim(), REPLY_PREFIXES))
}

/// Subject of a forwarded mail: one `Fwd: ` in front of what was there.
pub fn forward_subject(subject: &str) -> String {
    format!("Fwd: {}", strip_while(subject.trim(), FORWARD_PREFIXES))
}

/// References of an answer: the parent's chain, then the parent, at most [`CHAIN_IDS_MAX`] ids (RFC 5322 §3.6.4).
pub fn reply_references(parent_references: &[String], parent_id: &str) -> Vec<String> {
    let mut chain: Vec<String> = parent_references.iter().filter_map(|id| normalised_message_id(id)).collect();
    if let Some(parent) = normalised_message_id(parent_id) {
        chain.retain(|id| *id != parent);
        chain.push(parent);
    }
    bounded_chain(chain)
}

/// Keeps the first id and the newest ones when a chain is longer than [`CHAIN_IDS_MAX`].
pub(crate) fn bounded_chain(mut chain: Vec<String>) -> Vec<String> {
    if chain.len() > CHAIN_IDS_MAX {
        let surplus = chain.len() - CHAIN_IDS_MAX;
        chain.drain(1..=surplus);
    }
    chain
}

/// One id with its angle brackets; `None` when there is nothing, or more than a line can hold.
///
/// White space, which only folding puts into an id, is gone, but for that of a quoted local part: there it tells one id
/// from another (RFC 5322 §4.5.4).
pub fn normalised_message_id(id: &str) -> Option<String> {
    let inner = id.trim();
    let inner = inner.strip_prefix('<').unwrap_or(inner);
    let inner = inner.strip_suffix('>').unwrap_or(inner);
    let quoted_end = if inner.starts_with('"') { inner.rfind("\"@").unwrap_or(0) } else { 0 };
    let is_kept = |&(at, c): &(usize, char)| match c {
        ' ' | '\t' => at < quoted_end,
        c => !c.is_whitespace() && !c.is_control() && !matches!(c, '<' | '>'),
    };
    let inner: String = inner.char_indices().filter(is_kept).map(|(_, c)| c).collect();
    let fits = !inner.is_empty() && inner.len() + 2 <= MESSAGE_ID_BYTES_MAX;
    fits.then(|| format!("<{inner}>"))
}

/// Every message id of a Message-ID, In-Reply-To or References value, with brackets, in order, none twice in a row.
///
/// A value without any brackets is read as ids divided by blanks, if they look like ids (`left@right`).
pub fn message_ids(value: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut rest = value;
    while let Some(open) = rest.find('<') {
        let from = &rest[open + 1..];
        let end = from.find(['<', '>']).unwrap_or(from.len());
        ids.extend(normalised_message_id(&from[..end]));
        rest = &from[end..];
    }
    if ids.is_empty() && !value.contains('<') {
        let words = value.split([' ', '\t', ',']).filter(|word| word.contains('@'));
        ids.extend(words.filter_map(normalised_message_id));
    }
    ids.dedup();
    ids
}

/// A new Message-ID: a unique text (a UUID in any form) at the sender's domain, with brackets.
pub fn new_message_id(unique: &str, domain: &str) -> String {
    format!("<{unique}@{domain}>")
}

/// Whether a Message-ID was made at that domain, as [`new_message_id`] does.
#[must_use]
pub fn is_of_domain(message_id: &str, domain: &str) -> bool {
    let right = message_id.trim_end_matches('>').rsplit_once('@').map(|(_, right)| right);
    right.is_some_and(|right| right.eq_ignore_ascii_case(domain))
}

/// The subject without any prefix or list tag, and whether a prefix was met.
fn strip_prefixes(subject: &str) -> (&str, bool) {
    let mut rest = subject.trim();
    let mut met = false;
    for _ in 0..PREFIXES_MAX {
        if let Some(after) = after_prefix(rest, REPLY_PREFIXES).or_else(|| after_prefix(rest, FORWARD_PREFIXES)) {
            met = true;
            rest = after;
        } else if let Some(after) = after_tag(rest) {
            rest = after;
        } else {
            break;
        }
    }
    (rest, met)
}

fn strip_while<'a>(subject: &'a str, prefixes: &[&str]) -> &'a str {
    let mut rest = subject;
    for _ in 0..PREFIXES_MAX {
        match after_prefix(rest, prefixes) {
            Some(after) => rest = after,
            None => break,
        }
    }
    rest
}

/// What stands behind `Re:`, `Re[4]:`, `Re(2) :`, `RE：` and the like.
fn after_prefix<'a>(subject: &'a str, prefixes: &[&str]) -> Option<&'a str> {
    const PREFIX_CHARS_MAX: usize = 24;
    let colon = subject.char_indices().take(PREFIX_CHARS_MAX).find(|(_, c)| matches!(c, ':' | '：'))?.0;
    let (head, tail) = subject.split_at(colon);
    let word = without_count(head.trim()).to_lowercase();
    prefixes.contains(&&*word).then(|| tail[tail.chars().next().map_or(0, char::len_utf8)..].trim_start())
}

/// `re[4]`, `re(2)`, `re^3`, `re 2` without the count.
fn without_count(head: &str) -> &str {
    let without = head.trim_end_matches([']', ')']).trim_end_matches(|c: char| c.is_ascii_digit());
    if without.len() == head.len() {
        return head;
    }
    without.trim_end_matches(['[', '(', '^', '*', ' '])
}

/// What stands behind a list tag such as `[list-name]`, when something does.
fn after_tag(subject: &str) -> Option<&str> {
    let inside = subject.strip_prefix('[')?;
    let close = inside.char_indices().take(TAG_CHARS_MAX).find(|(_, c)| *c == ']')?.0;
    let after = inside[close + 1..].trim_start();
    (close > 0 && !after.is_empty()).then_some(after)
}

#[cfg(test)]
mod tests;
