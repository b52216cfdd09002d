//! Why a published record isn't accepted, and what to change at the DNS provider.
//!
//! What providers and people add to a value is found by one rule: the text is repaired step by step, and the first step
//! that changes it names the problem. The record is judged as published, never as repaired.

use posthouse_mail::dkim;

use super::{DnsRecordKey, ExpectedRecord};

/// The maximum number of characters of a published tag in a message.
const TAG_CHARS_MAX: usize = 60;

named! {
    /// A kind of mistake in a published record.
    RecordProblemKind {
        /// The zone is twice in the name, because the provider appends it.
        FullNameInHost = "full_name_in_host",
        /// The value contains quotation marks.
        Quoted = "quoted",
        /// The value contains backslashes.
        Escaped = "escaped",
        /// The value begins with other text, such as the name.
        TextBefore = "text_before",
        /// There are several records where receivers expect one.
        SeveralRecords = "several_records",
        /// The key is cut off.
        CutOff = "cut_off",
        /// A tag has a value that receivers refuse.
        WrongTag = "wrong_tag",
        /// The record is another one.
        OtherValue = "other_value",
        /// Receivers can't read the record.
        Invalid = "invalid",
        /// The SPF record doesn't allow this server.
        NotAllowed = "not_allowed",
        /// Mail goes to another server.
        OtherServer = "other_server",
    }
}

/// A mistake in a published record, for the owner of the domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordProblem {
    pub kind: RecordProblemKind,
    /// What was found. Contains text from DNS.
    pub message: String,
    /// What to change at the provider.
    pub fix: String,
}

impl RecordProblem {
    pub(super) fn new(kind: RecordProblemKind, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { kind, message: message.into(), fix: fix.into() }
    }

    pub(super) fn full_name_in_host(name: &str, zone: &str) -> Self {
        let host = name.strip_suffix(zone).map_or(name, |host| host.trim_end_matches('.'));
        let host = if host.is_empty() { "@" } else { host };
        Self::new(
            RecordProblemKind::FullNameInHost,
            format!("The record is published as {name}.{zone}."),
            format!("Enter only `{host}` as its name. The provider appends the zone."),
        )
    }

    pub(super) fn several(count: usize, fix: impl Into<String>) -> Self {
        let message = format!("There are {count} such records, and receivers accept one only.");
        Self::new(RecordProblemKind::SeveralRecords, message, fix)
    }

    pub(super) fn other_value(what: &str) -> Self {
        let message = format!("The record has {what}.");
        Self::new(RecordProblemKind::OtherValue, message, "Replace its value with the one shown.")
    }

    fn of_text(kind: RecordProblemKind) -> Self {
        let (message, fix) = match kind {
            RecordProblemKind::Quoted => (
                "The value contains quotation marks.",
                "Enter the value as one text without quotation marks. The provider adds them.",
            ),
            RecordProblemKind::Escaped => {
                ("The value contains backslashes.", "Enter the value as shown, without a backslash before `;`.")
            }
            _ => (
                "The value begins with other text.",
                "Enter only the value in the field for the value, and the name in the field for the name.",
            ),
        };
        Self::new(kind, message, fix)
    }
}

/// A published text without what was added to the value.
pub(super) struct RepairedText {
    pub(super) text: String,
    /// What was added; `None` if nothing was.
    pub(super) problem: Option<RecordProblem>,
}

/// Removes quotation marks, backslashes and text before the value from a published text.
pub(super) fn repaired(published: &str, expected: &ExpectedRecord) -> RepairedText {
    let mut text = published.to_owned();
    let mut problem = None;
    let steps = [
        (RecordProblemKind::Quoted, without_quotes as fn(&str, &str) -> String),
        (RecordProblemKind::Escaped, |text, _| text.replace('\\', "")),
        (RecordProblemKind::TextBefore, without_text_before),
    ];
    for (kind, step) in steps {
        let after = step(&text, &expected.value);
        if after != text {
            problem = problem.or_else(|| Some(RecordProblem::of_text(kind)));
            text = after;
        }
    }
    RepairedText { text, problem }
}

/// Quotation marks that word processors, web pages and shells put around a text.
const MARKS: [char; 8] = ['\'', '`', '“', '”', '„', '‘', '’', '«'];

/// Joins the strings of a text in zone file notation, and removes other quotation marks around it.
fn without_quotes(text: &str, _: &str) -> String {
    let text = &text.replace("&quot;", "\"");
    let text = if text.trim().starts_with(MARKS) { text.trim().trim_matches(MARKS) } else { text };
    let Some((before, rest)) = text.split_once('"') else { return text.to_owned() };
    let strings: Vec<&str> = rest.split('"').collect();
    let is_between = |at: usize| at % 2 == 1;
    let joined = strings.iter().enumerate().filter(|(at, part)| !is_between(*at) || !part.trim().is_empty());
    let joined = before.to_owned() + &joined.map(|(_, part)| *part).collect::<String>();
    joined.trim_matches(MARKS).to_owned()
}

/// Removes what precedes the first tag of the expected value.
fn without_text_before(text: &str, expected: &str) -> String {
    let end = expected.find([';', ' ']).unwrap_or_else(|| expected.find('=').map_or(0, |at| at + 1));
    let start = expected[..end].to_ascii_lowercase();
    // Tags in another order are not other text.
    let at = text.to_ascii_lowercase().find(&start).filter(|at| !text[..*at].contains(';'));
    text[at.unwrap_or(0)..].to_owned()
}

/// Returns the problem of the only DKIM record at a name; `None` if verifiers find the expected key in it.
pub(super) fn of_dkim(published: &str, expected: &ExpectedRecord) -> Option<RecordProblem> {
    let reason = dkim::check_published_key(published, &expected.value).err()?;
    let repaired = repaired(published, expected);
    let problem = repaired.problem.or_else(|| of_tags(published, &expected.value));
    Some(problem.unwrap_or_else(|| {
        let message = format!("Receivers can't use the record: {reason}.");
        RecordProblem::new(RecordProblemKind::Invalid, message, "Replace its value with the one shown.")
    }))
}

/// Finds the tag without which, or with whose expected value, verifiers find the key.
fn of_tags(published: &str, expected: &str) -> Option<RecordProblem> {
    let tags = |text: &str| -> Vec<(String, String)> {
        let tags = text.split(';').filter_map(|tag| tag.split_once('='));
        tags.map(|(name, value)| (name.trim().to_owned(), value.split_whitespace().collect())).collect()
    };
    let (found, wanted) = (tags(published), tags(expected));
    let of = |name: &str| wanted.iter().find(|(wanted, _)| wanted.eq_ignore_ascii_case(name));
    let is_cause = |at: &usize| {
        let (name, _) = &found[*at];
        if of(name) == Some(&found[*at]) && (name != "v" || *at == 0) {
            return false;
        }
        let replaced = found.iter().enumerate().filter_map(|(n, tag)| if n == *at { of(name) } else { Some(tag) });
        let mut tags: Vec<&(String, String)> = replaced.collect();
        // The version comes first (RFC 6376 §3.6.1).
        tags.sort_by_key(|(name, _)| name != "v");
        let text: Vec<String> = tags.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        dkim::check_published_key(&text.join(";"), expected).is_ok()
    };
    let (name, value) = &found[(0..found.len()).find(is_cause)?];
    let tag: String = format!("{name}={value}").chars().take(TAG_CHARS_MAX).collect();
    let refused = |fix: String| {
        let message = format!("Receivers refuse the key because of `{tag}`.");
        Some(RecordProblem::new(RecordProblemKind::WrongTag, message, fix))
    };
    let Some((wanted_name, wanted)) = of(name) else { return refused(format!("Remove `{tag}` from the value.")) };
    if name != "p" {
        let is_misplaced = name == wanted_name && value == wanted;
        let change = if is_misplaced { "Begin the value with".to_owned() } else { format!("Change `{tag}` to") };
        return refused(format!("{change} `{wanted_name}={wanted}`."));
    }
    if value.is_empty() || !wanted.starts_with(value.as_str()) {
        return Some(RecordProblem::other_value(if value.is_empty() { "no key" } else { "another key" }));
    }
    let message = format!("The key ends after {} of {} characters.", value.len(), wanted.len());
    let fix = "Enter the whole value. If the provider limits a text to 255 characters, enter it as several strings of \
               one record.";
    Some(RecordProblem::new(RecordProblemKind::CutOff, message, fix))
}

/// Returns the problem of texts that receivers don't take for a record of this kind, although they were meant to be one.
pub(super) fn of_unread<'t>(texts: &'t [String], expected: &ExpectedRecord) -> Option<(&'t String, RecordProblem)> {
    let (version, separator) = match expected.key {
        DnsRecordKey::Spf => ("v=spf1", " "),
        _ => ("v=DMARC1", "; "),
    };
    texts.iter().find_map(|text| {
        let repaired = repaired(text, expected);
        let is_meant = is_meant(&repaired.text, expected.key);
        let problem = || repaired.problem.unwrap_or_else(|| of_version(&repaired.text, version, separator));
        is_meant.then(|| (text, problem()))
    })
}

/// Returns whether a text was meant to be a record of this kind: it names the version in some form, or has its tags.
fn is_meant(text: &str, key: DnsRecordKey) -> bool {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
    let name = text.strip_prefix("v=").unwrap_or(&text);
    match key {
        // Records of other versions, and of Sender ID (RFC 4406), are other ones.
        DnsRecordKey::Spf => name.strip_prefix("spf").is_some_and(|rest| {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            matches!(&rest[..digits], "" | "1")
        }),
        _ => {
            let is_policy = |tag: &str| matches!(tag, "p=none" | "p=quarantine" | "p=reject");
            name.starts_with("dmarc") || text.split(';').any(|tag| tag.starts_with("v=dmarc") || is_policy(tag))
        }
    }
}

/// Returns the problem of a text that doesn't begin with the version and its separator.
fn of_version(text: &str, version: &str, separator: &str) -> RecordProblem {
    let is_version = |text: &str| text.get(..version.len()).is_some_and(|found| found.eq_ignore_ascii_case(version));
    let end = if is_version(text) { version.len() } else { text.find([' ', ';', ',']).unwrap_or(text.len()) };
    let found: String = text[..end].chars().take(TAG_CHARS_MAX).collect();
    if found == version {
        let message = format!("Receivers ignore the record because of what follows `{version}`.");
        let fix = format!("Begin the value with `{version}{separator}`, without another character between.");
        return RecordProblem::new(RecordProblemKind::WrongTag, message, fix);
    }
    let message = format!("Receivers ignore the record because of `{found}`.");
    RecordProblem::new(RecordProblemKind::WrongTag, message, format!("Begin the value with `{version}{separator}`."))
}

/// Returns the problem of a DMARC record without a policy that receivers know.
pub(super) fn of_policy(record: &str) -> RecordProblem {
    let policy = record.split(';').filter_map(|tag| tag.split_once('=')).find(|(name, _)| name.trim() == "p");
    let policy = policy.map(|(_, value)| value.trim()).filter(|value| !value.is_empty());
    let Some(policy) = policy else {
        let fix = "Add `p=none`, `p=quarantine` or `p=reject` to the value.";
        return RecordProblem::new(RecordProblemKind::Invalid, "The record has no policy that receivers know.", fix);
    };
    let shown: String = policy.chars().take(TAG_CHARS_MAX).collect();
    let fix = match policy.contains([' ', ',', '=']) {
        true => "Separate the tags with `;`, as in `p=none; pct=100`.",
        false => "Change it to `p=none`, `p=quarantine` or `p=reject`.",
    };
    let message = format!("The record has no policy that receivers know: they read `p={shown}`.");
    RecordProblem::new(RecordProblemKind::Invalid, message, fix)
}
