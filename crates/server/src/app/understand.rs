//! From raw bytes to everything that is known of a mail: parsed, its new text, codes and links, labels. Pure.
//!
//! Made once per mail, whether it was received or is about to be sent; the copies in inboxes share it.

use posthouse_domain::{
    id::WorkspaceId,
    label::{AUTH_UNKNOWN, DMARC_FAIL, SPF_FAIL},
    message::{Bodies, Channel, Kind, Verification},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    auth::{Alignment, AuthResults, DkimResult},
    autoreply, extract,
    header::{Headers, MapValue},
    parse::{self, Parsed},
    report::{self, Report},
    trace, verification,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::report_source::ProvenAuthor;

/// Most bytes of the header section's JSON form. What is beyond is left out; the raw bytes have it all.
const HEADERS_JSON_BYTES_MAX: usize = 256 * 1024;
/// Most recipients of one header field that are shown.
const SHOWN_MAX: usize = 1_000;

/// What is known of a mail, whoever gets it.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Text, HTML, new text, header map.
    pub bodies: Bodies,
    /// Its files.
    pub files: Vec<FileFacts>,
    /// `Message-ID` with angle brackets, if it has one.
    pub rfc_message_id: Option<String>,
    /// `In-Reply-To`
    pub in_reply_to: Option<String>,
    /// `References`
    pub references: Vec<String>,
    /// The author in header form; empty where the mail has none.
    pub from: String,
    /// `To`
    pub to: Vec<String>,
    /// `Cc`
    pub cc: Vec<String>,
    /// `Reply-To`
    pub reply_to: Option<String>,
    /// `Subject`
    pub subject: Option<String>,
    /// The author, if it has one.
    pub author: Option<Mailbox>,
    /// Whether SPF or DKIM authenticates the author's domain, of a received mail.
    pub alignment: Option<Alignment>,
    /// Who it is to: `To` and `Cc`.
    pub readers: Vec<Mailbox>,
    /// The envelope sender.
    pub envelope_from: Option<Address>,
    /// It came from the null sender.
    pub null_sender: bool,
    /// The workspace of the inbox of this service that sent it.
    pub agent_of: Option<WorkspaceId>,
    /// Canonical addresses of everybody in its header.
    pub people: Vec<String>,
    /// System labels.
    pub labels: Vec<String>,
    /// Whether it is an automatic answer.
    pub auto_reply: bool,
    /// A code or link.
    pub verification: Option<Verification>,
    /// The sender's structured data, as JSON text.
    pub data: Option<String>,
    /// The sender's advisory kind.
    pub kind: Kind,
    /// What it travelled on.
    pub channel: Channel,
    /// What it says of a mail that was sent, if it is a report.
    pub report: Option<Report>,
    /// It presents itself as a report about sent mail, readable or not.
    pub is_notice: bool,
    /// Its author, where authentication proves who that is.
    pub proven_author: Option<ProvenAuthor>,
    /// Size in bytes.
    pub size_bytes: u64,
}

/// What is known of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFacts {
    /// Its name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// `Content-ID` without brackets.
    pub content_id: Option<String>,
    /// Whether it is shown within the body.
    pub inline: bool,
}

/// What the SMTP dialogue and DNS said about a received mail.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The envelope sender; none is the null sender.
    pub mail_from: Option<&'a Address>,
    /// The results of authentication.
    pub results: &'a AuthResults,
    /// Our name in `Authentication-Results`.
    pub authserv_id: &'a str,
}

/// Understands a mail; with its provenance if it was received.
#[must_use]
pub fn understand(raw: &[u8], provenance: Option<Provenance<'_>>) -> Mail {
    let parsed = parse::parse(raw);
    let new_text = extract::new_text(parsed.text.as_deref(), parsed.html.as_deref());
    let author = parsed.author.as_ref().ok().map(|author| author.mailbox().clone());
    let from = author.as_ref().map(ToString::to_string).unwrap_or_default();
    let found = provenance.and_then(|p| verification(&parsed, &from, p.results));
    let null_sender = provenance.is_some_and(|p| p.mail_from.is_none());
    let report = provenance.and_then(|_| report::read(&parsed, null_sender));
    Mail {
        alignment: provenance.map(|p| p.results.author_alignment()),
        readers: parsed.to.iter().chain(&parsed.cc).filter_map(|party| party.mailbox.clone()).collect(),
        envelope_from: provenance.and_then(|p| p.mail_from.cloned()),
        null_sender,
        agent_of: None,
        files: parsed.attachments.iter().map(file_facts).collect(),
        people: people(author.as_ref(), &parsed),
        proven_author: provenance.zip(author.as_ref()).and_then(|(p, author)| proven_author(author, p.results)),
        is_notice: report.is_some() || null_sender && author.as_ref().is_some_and(is_mailer_daemon),
        author,
        labels: provenance.map(|p| labels(p.results)).unwrap_or_default(),
        auto_reply: provenance.is_some()
            && (null_sender || report.is_some() || autoreply::is_automatic(&parsed.headers)),
        report,
        verification: found,
        to: shown(&parsed.to),
        cc: shown(&parsed.cc),
        reply_to: Some(shown(&parsed.reply_to).join(", ")).filter(|all| !all.is_empty()),
        size_bytes: raw.len() as u64,
        data: None,
        kind: Kind::Message,
        channel: Channel::Email,
        from,
        bodies: Bodies {
            headers_json: headers_json(&parsed.headers, provenance),
            text: parsed.text,
            html: parsed.html,
            extracted_text: new_text.map(|new| new.text),
        },
        rfc_message_id: parsed.message_id,
        in_reply_to: parsed.in_reply_to,
        references: parsed.references,
        subject: parsed.subject,
    }
}

fn shown(parties: &[parse::Party]) -> Vec<String> {
    parties.iter().take(SHOWN_MAX).map(|party| party.header_form.clone()).collect()
}

fn people(author: Option<&Mailbox>, parsed: &Parsed<'_>) -> Vec<String> {
    let recipients = parsed.to.iter().chain(&parsed.cc).filter_map(|party| party.mailbox.as_ref());
    let mut people: Vec<String> = Vec::new();
    for address in author.into_iter().chain(recipients).map(|mailbox| mailbox.address().canonical()) {
        if people.len() < posthouse_domain::thread::PARTICIPANTS_MAX && !people.contains(&address) {
            people.push(address);
        }
    }
    people
}

/// The author with what proves them, if an SPF or DKIM pass is aligned with their domain, whatever its policy. A policy that
/// cannot be had may want more than was found.
fn proven_author(author: &Mailbox, results: &AuthResults) -> Option<ProvenAuthor> {
    let passed = results.dkim.iter().filter(|verdict| verdict.result == DkimResult::Pass && verdict.aligned);
    let signers = passed.map(|verdict| verdict.domain.clone()).collect();
    let address = author.address().clone();
    let is_proven = results.author_alignment() == Alignment::Pass && !results.auth_failed();
    is_proven.then_some(ProvenAuthor { address, signers, spf_aligned: results.dmarc.spf_aligned })
}

/// Whether servers that write no RFC 3464 write under that name.
fn is_mailer_daemon(author: &Mailbox) -> bool {
    author.address().local().eq_ignore_ascii_case("mailer-daemon")
}

fn labels(results: &AuthResults) -> Vec<String> {
    let all = [
        (SPF_FAIL, results.spf_fail_label()),
        (DMARC_FAIL, results.dmarc_fail_label()),
        (AUTH_UNKNOWN, results.auth_unknown_label()),
    ];
    all.into_iter().filter(|(_, set)| *set).map(|(label, _)| label.to_owned()).collect()
}

fn verification(parsed: &Parsed<'_>, from: &str, results: &AuthResults) -> Option<Verification> {
    let mail = verification::Mail {
        subject: parsed.subject.as_deref().unwrap_or_default(),
        text: parsed.text.as_deref().filter(|_| !parsed.text_from_html),
        html: parsed.html.as_deref(),
        from,
    };
    let found = verification::detect(&mail)?;
    Some(Verification {
        code: found.code,
        link: found.link,
        confidence: found.confidence,
        auth_failed: results.auth_failed(),
    })
}

fn file_facts(attachment: &parse::Attachment<'_>) -> FileFacts {
    FileFacts {
        filename: attachment.filename.clone(),
        content_type: attachment.content_type.clone(),
        size_bytes: attachment.size_bytes(),
        sha256: Sha256::digest(&attachment.bytes).into(),
        content_id: attachment.content_id.clone(),
        inline: attachment.inline,
    }
}

/// The header map of contract §4.1, with our own authentication results in front of what the mail claims (decision 26).
fn headers_json(headers: &Headers, provenance: Option<Provenance<'_>>) -> String {
    let ours = provenance.map(|p| trace::authentication_results(p.authserv_id, p.results));
    let mut map = Map::new();
    let mut bytes = 0;
    for (name, value) in headers.map() {
        let mut values = match value {
            MapValue::One(one) => vec![one],
            MapValue::Many(many) => many,
        };
        if let (true, Some(p)) = (name == "authentication-results", provenance) {
            values.retain(|value| !trace::is_foreign_claim(value, p.authserv_id));
        }
        bytes += name.len() + values.iter().map(|v| v.len()).sum::<usize>();
        if bytes > HEADERS_JSON_BYTES_MAX || values.is_empty() {
            continue;
        }
        map.insert(name.to_owned(), one_or_many(values.into_iter().map(str::to_owned).collect()));
    }
    if let Some(ours) = ours {
        let claimed = match map.remove("authentication-results") {
            Some(Value::Array(many)) => many.into_iter().filter_map(|v| v.as_str().map(str::to_owned)).collect(),
            Some(Value::String(one)) => vec![one],
            _ => Vec::new(),
        };
        map.insert("authentication-results".to_owned(), one_or_many(std::iter::once(ours).chain(claimed).collect()));
    }
    Value::Object(map).to_string()
}

fn one_or_many(mut values: Vec<String>) -> Value {
    if values.len() == 1 { Value::String(values.remove(0)) } else { values.into() }
}
