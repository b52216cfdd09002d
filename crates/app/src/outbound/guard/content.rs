//! Finds secrets in the content of an outgoing message: subject, bodies, names and texts of attachments.

use posthouse_domain::outbound_policy::{FILE_BYTES_MAX, FINDINGS_MAX, codes};
use posthouse_domain::{
    DAY_MS, FindingKind, MessageVerification, OutboundFinding, OutgoingFile, ThreadId, Time, WorkspaceId,
};
use posthouse_mail::parse;
use posthouse_screen::{SecretKind, secrets};
use posthouse_store::{Result, Tx, seen_addresses};

/// For how long a received code is looked for.
const CODE_AGE_MS: i64 = DAY_MS;

/// The codes and links that a workspace received lately, with their threads.
pub(crate) type ReceivedCodes = Vec<(ThreadId, MessageVerification)>;

/// Reads the codes and links that a workspace received lately.
pub(crate) fn received_codes(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<ReceivedCodes> {
    seen_addresses::codes(tx, workspace, now.plus_ms(-CODE_AGE_MS))
}

/// The content of a message.
pub(crate) struct Content<'a> {
    pub(crate) subject: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) html: Option<&'a str>,
    pub(crate) data: Option<&'a str>,
    pub(crate) files: Vec<FileContent<'a>>,
}

/// A file of a message.
pub(crate) struct FileContent<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: &'a [u8],
}

impl<'a> FileContent<'a> {
    pub(crate) fn of(file: &'a OutgoingFile) -> Self {
        Self { name: &file.name, bytes: &file.bytes }
    }
}

/// Returns the secrets in a composed message.
pub(crate) fn in_raw(raw: &[u8], received: &ReceivedCodes, thread: Option<ThreadId>) -> Vec<OutboundFinding> {
    let parsed = parse::parse(raw);
    let file = |file: &'_ parse::ParsedAttachment<'_>| (file.filename.clone().unwrap_or_default(), file.bytes.to_vec());
    let files: Vec<(String, Vec<u8>)> = parsed.attachments.iter().map(file).collect();
    let content = Content {
        subject: parsed.subject.as_deref(),
        text: parsed.text.as_deref(),
        html: parsed.html.as_deref(),
        data: None,
        files: files.iter().map(|(name, bytes)| FileContent { name, bytes }).collect(),
    };
    findings(&content, received, thread)
}

/// Returns the secrets in the content of a message that belongs to a thread, if it is known.
pub(crate) fn findings(
    content: &Content<'_>,
    received: &ReceivedCodes,
    thread: Option<ThreadId>,
) -> Vec<OutboundFinding> {
    let codes: Vec<&MessageVerification> =
        received.iter().filter(|(of, _)| Some(*of) != thread).map(|(_, found)| found).collect();
    let mut found = Vec::new();
    let data = content.data.filter(|_| content.data.is_some());
    for (place, text) in [("subject", content.subject), ("text", content.text), ("html", content.html), ("data", data)]
    {
        search(place, text.unwrap_or_default(), &codes, &mut found);
    }
    let mut bytes_left = FILE_BYTES_MAX;
    for (at, file) in content.files.iter().enumerate() {
        let place = format!("attachment:{at}");
        search(&place, file.name, &codes, &mut found);
        let length = file.bytes.len().min(bytes_left);
        bytes_left -= length;
        if is_text(&file.bytes[..length.min(TEXT_SAMPLE_BYTES)]) {
            search(&place, &String::from_utf8_lossy(&file.bytes[..length]), &codes, &mut found);
        }
    }
    found.truncate(FINDINGS_MAX);
    found
}

/// The number of bytes that show whether a file is text.
const TEXT_SAMPLE_BYTES: usize = 4096;

fn is_text(sample: &[u8]) -> bool {
    !sample.contains(&0)
}

const fn kind(kind: SecretKind) -> FindingKind {
    match kind {
        SecretKind::ServiceKey => FindingKind::ServiceKey,
        SecretKind::SecretKey => FindingKind::SecretKey,
        SecretKind::PrivateKey => FindingKind::PrivateKey,
        SecretKind::CardNumber => FindingKind::CardNumber,
    }
}

fn search(place: &str, text: &str, codes: &[&MessageVerification], found: &mut Vec<OutboundFinding>) {
    if text.is_empty() {
        return;
    }
    let mut add = |kind, start, end| {
        if found.len() < FINDINGS_MAX {
            found.push(OutboundFinding { kind, place: place.to_owned(), start, end });
        }
    };
    let chars = |end: usize| text[..end].chars().count() as u64;
    for secret in secrets(text) {
        add(kind(secret.kind), chars(secret.start), chars(secret.end));
    }
    for received in codes {
        if let Some((start, end)) = received.code.as_deref().and_then(|code| codes::find(text, code)) {
            add(FindingKind::Code, start, end);
        }
        let link = received.link.as_deref().filter(|link| !link.is_empty());
        if let Some((link, start)) = link.and_then(|link| text.find(link).map(|start| (link, start))) {
            add(FindingKind::Code, chars(start), chars(start + link.len()));
        }
    }
}
