//! Finds secrets in all that an outgoing message brings to its recipients: subject, bodies, data, names and addresses, other
//! fields, and the names and texts of files.

use std::collections::HashMap;
use std::ops::Range;

use posthouse_domain::outbound_policy::{FILE_BYTES_MAX, FINDINGS_MAX, codes::CodeText};
use posthouse_domain::{
    DAY_MS, FindingKind, MessageVerification, OutboundFinding, OutgoingFile, Party, ThreadId, Time, WorkspaceId,
};
use posthouse_mail::parse;
use posthouse_screen::{SecretKind, TextVariants, secrets};
use posthouse_store::{Result, Tx, seen_addresses};

/// For how long a received code is looked for.
const CODE_AGE_MS: i64 = DAY_MS;

/// The codes and links that a workspace received lately, with their threads.
pub(crate) type ReceivedCodes = Vec<(ThreadId, MessageVerification)>;

/// Confidence from which a received code or link is a secret. Codes of mail that failed authentication have less.
const CODE_CONFIDENCE_MIN: f64 = 0.5;
/// Newest codes and links of one party that are looked for. Otherwise, a stranger could name words and numbers that the
/// workspace may no longer send.
const CODES_OF_PARTY_MAX: u32 = 3;

/// Reads the codes and links that a workspace received lately.
pub(crate) fn received_codes(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<ReceivedCodes> {
    let mut of_parties = HashMap::<Party, u32>::new();
    let mut codes = Vec::new();
    for found in seen_addresses::codes(tx, workspace, now.plus_ms(-CODE_AGE_MS))? {
        let author = found.contact_address.filter(|_| found.author_proven);
        let count =
            of_parties.entry(author.map_or_else(Party::of_unproven_mail, |text| Party::of_text(&text))).or_default();
        *count += 1;
        if *count <= CODES_OF_PARTY_MAX && found.verification.confidence >= CODE_CONFIDENCE_MIN {
            codes.push((found.thread_id, found.verification));
        }
    }
    Ok(codes)
}

/// The content of a message.
#[derive(Default)]
pub(crate) struct Content<'a> {
    pub(crate) subject: Option<&'a str>,
    pub(crate) text: Option<&'a str>,
    pub(crate) html: Option<&'a str>,
    pub(crate) data: Option<&'a str>,
    /// Names and addresses of the author and the recipients, and other fields of the header, with their places.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) files: Vec<FileContent<'a>>,
}

/// A file of a message.
pub(crate) struct FileContent<'a> {
    pub(crate) name: &'a str,
    pub(crate) content_type: &'a str,
    pub(crate) bytes: &'a [u8],
    /// The text that a reader of such files sees; `None` if it isn't known or is that of the bytes.
    pub(crate) text: Option<&'a str>,
}

impl<'a> FileContent<'a> {
    /// Returns a file with the text that its reader sees, if it is known.
    pub(crate) fn of(file: &'a OutgoingFile, text: Option<&'a str>) -> Self {
        Self { name: &file.name, content_type: &file.content_type, bytes: &file.bytes, text }
    }
}

/// Returns the names and addresses of recipients with their places: `to:0`, `cc:0`, `bcc:0`.
pub(crate) fn people_fields<'a>(
    lists: impl IntoIterator<Item = (&'static str, &'a [String])>,
) -> Vec<(String, String)> {
    let place = |name: &str, at: usize, text: &String| (format!("{name}:{at}"), text.clone());
    lists
        .into_iter()
        .flat_map(|(name, list)| list.iter().enumerate().map(move |(at, text)| place(name, at, text)))
        .collect()
}

/// Returns the secrets in a composed message. `texts` are the texts of its files.
pub(crate) fn in_raw(
    raw: &[u8],
    texts: &[Option<String>],
    received: &ReceivedCodes,
    thread: Option<ThreadId>,
) -> Vec<OutboundFinding> {
    let parsed = parse::parse(raw);
    let files = parsed.attachments.iter().enumerate().map(|(at, file)| FileContent {
        name: file.filename.as_deref().unwrap_or_default(),
        content_type: &file.content_type,
        bytes: &file.bytes,
        text: texts.get(at).and_then(Option::as_deref),
    });
    let shown = parsed.headers.iter().filter(|(name, _)| !OWN_FIELDS.contains(name));
    let mut fields: Vec<(String, String)> =
        shown.map(|(name, value)| (format!("header:{name}"), value.to_owned())).collect();
    // What stands before and between the parts isn't shown, but sent.
    fields.push(("source".to_owned(), String::from_utf8_lossy(raw).into_owned()));
    let content = Content {
        subject: parsed.subject.as_deref(),
        text: parsed.text.as_deref(),
        html: parsed.html.as_deref(),
        data: None,
        fields,
        files: files.collect(),
    };
    findings(&content, received, thread)
}

/// Fields that the service writes, or whose content is looked at elsewhere.
const OWN_FIELDS: [&str; 4] = ["subject", "date", "message-id", "received"];

/// Returns the secrets in the content of a message that belongs to a thread, if it is known. Each text is read in all forms
/// that its recipient can have.
pub(crate) fn findings(
    content: &Content<'_>,
    received: &ReceivedCodes,
    thread: Option<ThreadId>,
) -> Vec<OutboundFinding> {
    let codes = received.iter().filter(|(of, _)| Some(*of) != thread).map(|(_, found)| found).collect();
    let mut search = Search { codes, found: Vec::new() };
    for (place, text) in
        [("subject", content.subject), ("text", content.text), ("html", content.html), ("data", content.data)]
    {
        search.text(place, text.unwrap_or_default());
    }
    for (place, text) in &content.fields {
        if place == "source" { search.keys(place, text) } else { search.text(place, text) }
    }
    let mut bytes_left = FILES_BYTES_MAX;
    for (at, file) in content.files.iter().enumerate() {
        let place = format!("attachment:{at}");
        search.text(&place, file.name);
        search.text(&place, file.content_type);
        let text = file.text.unwrap_or_default();
        search.text(&place, &text[..text.floor_char_boundary(FILE_BYTES_MAX)]);
        let length = file.bytes.len().min(FILE_BYTES_MAX).min(bytes_left);
        bytes_left -= length;
        let bytes = String::from_utf8_lossy(&file.bytes[..length]);
        if is_text(file.bytes) { search.text(&place, &bytes) } else { search.keys(&place, &bytes) }
    }
    search.found
}

/// Bytes of all files of a message that are searched.
const FILES_BYTES_MAX: usize = 16 * FILE_BYTES_MAX;
/// The number of bytes that show whether a file is text.
const TEXT_SAMPLE_BYTES: usize = 4096;

/// Returns whether the bytes of a file are its text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(TEXT_SAMPLE_BYTES)].contains(&0)
}

const fn kind(kind: SecretKind) -> FindingKind {
    match kind {
        SecretKind::ServiceKey => FindingKind::ServiceKey,
        SecretKind::SecretKey => FindingKind::SecretKey,
        SecretKind::PrivateKey => FindingKind::PrivateKey,
        SecretKind::CardNumber => FindingKind::CardNumber,
    }
}

/// The search for secrets in the parts of a message.
struct Search<'a> {
    codes: Vec<&'a MessageVerification>,
    found: Vec<OutboundFinding>,
}

impl Search<'_> {
    /// Searches a text in all of its forms.
    fn text(&mut self, place: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let variants = TextVariants::of(text);
        for variant in variants.iter() {
            for secret in secrets(variant.text) {
                let (start, end) = variant.source(secret.start, secret.end);
                self.add(kind(secret.kind), place, text, start..end);
            }
            let letters = CodeText::new(variant.text);
            for at in 0..self.codes.len() {
                if let Some((start, end)) = received(self.codes[at], variant.text, &letters) {
                    let (start, end) = variant.source(start, end);
                    self.add(FindingKind::Code, place, text, start..end);
                }
            }
        }
    }

    /// Searches bytes that are no text for keys. Many numbers in them look like cards or codes.
    fn keys(&mut self, place: &str, text: &str) {
        for secret in secrets(text).into_iter().filter(|secret| secret.kind != SecretKind::CardNumber) {
            self.add(kind(secret.kind), place, text, secret.start..secret.end);
        }
    }

    /// Adds a finding, unless one of its kind is known there.
    fn add(&mut self, kind: FindingKind, place: &str, text: &str, bytes: Range<usize>) {
        if self.found.len() >= FINDINGS_MAX {
            return;
        }
        let chars = |end: usize| text[..end].chars().count() as u64;
        let (start, end) = (chars(bytes.start), chars(bytes.end));
        let is_known = |known: &OutboundFinding| {
            known.kind == kind && known.place == place && known.start < end && start < known.end
        };
        if !self.found.iter().any(is_known) {
            self.found.push(OutboundFinding { kind, place: place.to_owned(), start, end });
        }
    }
}

/// Returns where a text has a received code or link.
fn received(found: &MessageVerification, text: &str, letters: &CodeText) -> Option<(usize, usize)> {
    if let Some(place) = found.code.as_deref().and_then(|code| letters.find(code)) {
        return Some(place);
    }
    let link = found.link.as_deref().filter(|link| !link.is_empty())?;
    let bare = link.split_once("://").map_or(link, |(_, bare)| bare);
    text.find(bare)
        .map(|start| (start, start + bare.len()))
        .or_else(|| token_of(bare).and_then(|token| letters.find(token)))
}

/// The shortest part of a link that is its secret, in characters.
const TOKEN_CHARS_MIN: usize = 16;

/// Returns the secret of a link: its longest part after the host, if it is long and has digits.
fn token_of(link: &str) -> Option<&str> {
    let (_, path) = link.split_once(['/', '?'])?;
    let token = path
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '~')))
        .max_by_key(|part| part.len())?;
    (token.len() >= TOKEN_CHARS_MIN && token.bytes().any(|byte| byte.is_ascii_digit())).then_some(token)
}
