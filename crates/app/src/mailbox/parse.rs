//! Turns raw bytes into a parsed message: header fields, bodies, new text, codes and links, labels. Pure.
//!
//! A mail is parsed once, whether it was received or is about to be sent; its copies in inboxes share the result.

use posthouse_categoriser::Authentication;
use posthouse_domain::outbound_policy::seen::{SEARCHED_BYTES_MAX, SeenAddresses, SeenKeys};
use posthouse_domain::{
    Channel, Direction, Disclosure, Judged, LocalCheck, Message, MessageBodies, MessageIds, MessageKind,
    MessageVerification, QuotedLinks, Time, WorkspaceId, agent_message::disclosure, label::AUTH_UNKNOWN,
    label::DMARC_FAIL, label::SPF_FAIL, party, quoted_links,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_mail::auth::{AuthResults, DkimResult, DmarcAlignment, SpfResult};
use posthouse_mail::header::{DecodedHeaders, HeaderValues};
use posthouse_mail::parse::{self, ParsedMessage};
use posthouse_mail::report::{self, InboundReport};
use posthouse_mail::{autoreply, extract, trace, verification};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

mod texts;

use texts::MailTexts;

/// Maximum size of the header map in JSON, in bytes. Further fields are left out; the raw bytes contain them.
const HEADERS_JSON_BYTES_MAX: usize = 256 * 1024;
/// Recipients shown per header field.
const SHOWN_MAX: usize = 1_000;

/// A parsed mail, independent of its recipients.
#[derive(Clone, Debug)]
pub struct ParsedMail {
    /// Text, HTML, new text and the header map.
    pub bodies: MessageBodies,
    pub files: Vec<AttachmentMetadata>,
    /// `Message-ID` with angle brackets, if present.
    pub rfc_message_id: Option<String>,
    /// `In-Reply-To`
    pub in_reply_to: Option<String>,
    /// `References`
    pub references: Vec<String>,
    /// The author in header form; empty if the mail has no author.
    pub from: String,
    /// `To`
    pub to: Vec<String>,
    /// `Cc`
    pub cc: Vec<String>,
    /// `Reply-To`
    pub reply_to: Option<String>,
    /// Whether `Reply-To` names another party than the author, and no signature of the author's domain covers it.
    pub reply_to_unproven: bool,
    /// `Subject`
    pub subject: Option<String>,
    /// The author, if present.
    pub author: Option<Mailbox>,
    /// Whether SPF or DKIM authenticates the author's domain; `None` for mail that wasn't received.
    pub alignment: Option<DmarcAlignment>,
    /// The recipients in `To` and `Cc`.
    pub co_recipients: Vec<Mailbox>,
    /// The envelope sender.
    pub envelope_from: Option<Address>,
    /// Whether the mail is from the null sender.
    pub null_sender: bool,
    /// The workspace of the sending inbox, if the mail was sent by an inbox of this service.
    pub sender_workspace: Option<WorkspaceId>,
    /// The canonical addresses of the author and of the recipients in `To` and `Cc`.
    pub participants: Vec<String>,
    /// The keys of the addresses that it names, without its proven author; empty for sent mail.
    pub seen: SeenKeys,
    /// System labels.
    pub labels: Vec<String>,
    /// Whether it is an automatic reply.
    pub auto_reply: bool,
    /// A verification code or link.
    pub verification: Option<MessageVerification>,
    /// What receiving it showed; `None` for mail that wasn't received.
    pub received: Option<Received>,
    /// What the local screen found in received mail, once it ran.
    pub local_check: Option<LocalCheck>,
    /// The structured data of the sender, as JSON text.
    pub data: Option<String>,
    /// The message type chosen by the sender.
    pub kind: MessageKind,
    /// What it says about its author, unverified unless the mail came from an inbox of this service.
    pub disclosure: Option<Disclosure>,
    /// How the mail traveled.
    pub channel: Channel,
    /// The report about sent mail, if it contains one.
    pub report: Option<InboundReport>,
    /// Whether it is or resembles a report about sent mail.
    pub is_report_like: bool,
    /// The author, if authentication proves it.
    pub proven_author: Option<ProvenAuthor>,
    pub size_bytes: u64,
    /// Whether links of this service were masked in it.
    pub masked_links: bool,
    /// What the categoriser says about it.
    pub judged: Judged,
}

/// What receiving a mail showed, for its checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Received {
    /// SPF of the envelope sender; failed only if no aligned DKIM signature passes.
    pub spf: Authentication,
    /// DKIM: whether any signature passes.
    pub dkim: Authentication,
    /// DMARC, or an aligned pass for a domain without a policy.
    pub dmarc: Authentication,
    /// Whether authentication failed or is unknown.
    pub auth_failed: bool,
    /// Whether replies would go to another domain than the author's.
    pub is_reply_elsewhere: bool,
}

/// The metadata of an attachment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttachmentMetadata {
    /// Its file name.
    pub filename: Option<String>,
    /// Its media type.
    pub content_type: String,
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// `Content-ID` without brackets.
    pub content_id: Option<String>,
    /// Whether it is displayed in the body.
    pub inline: bool,
}

/// The author of a mail, proven by an aligned pass of SPF or DKIM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvenAuthor {
    /// The address of the From field.
    pub address: Address,
    /// The domains of the aligned DKIM signatures that passed.
    pub signers: Vec<String>,
    /// Whether SPF is aligned and passes, so that the client is authorized for the domain.
    pub spf_aligned: bool,
}

/// The SMTP envelope sender and the authentication results of a received mail.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The envelope sender; `None` for the null sender.
    pub mail_from: Option<&'a Address>,
    /// The authentication results.
    pub results: &'a AuthResults,
    /// The name of this service in `Authentication-Results`.
    pub authserv_id: &'a str,
    /// Whether the service itself delivers the mail to ask this recipient to confirm something, so that its link stays.
    pub is_request: bool,
}

impl ParsedMail {
    /// Returns the message with what a received and a sent copy have in common.
    pub(crate) fn message(&self, ids: MessageIds, direction: Direction, now: Time) -> Message {
        Message {
            kind: self.kind,
            in_reply_to: self.in_reply_to.clone(),
            references: self.references.clone(),
            from: self.from.clone(),
            to: self.to.clone(),
            cc: self.cc.clone(),
            reply_to: self.reply_to.clone(),
            labels: self.labels.clone(),
            size_bytes: self.size_bytes,
            data: self.data.clone(),
            disclosure: self.disclosure.clone(),
            has_attachments: !self.files.is_empty(),
            ..Message::new(ids, direction, now)
        }
    }

    /// Verifies what received mail says about its author: the author is an inbox of this service, and a DKIM signature
    /// of its domain proves that this service sent it. Our signatures cover the field.
    pub fn verify_disclosure(&mut self, is_own_inbox: bool) {
        let is_signed = self
            .proven_author
            .as_ref()
            .is_some_and(|proven| proven.signers.iter().any(|signer| signer == proven.address.domain()));
        self.set_disclosure_verified(is_own_inbox && is_signed);
    }

    /// Returns the workspace of the agent that wrote the mail; `None` for automatic forwards and mail of the service,
    /// whose disclosure is absent or unverified.
    #[must_use]
    pub fn agent_workspace(&self) -> Option<WorkspaceId> {
        self.sender_workspace.filter(|_| self.disclosure.as_ref().is_some_and(|disclosure| disclosure.verified))
    }

    /// Returns the sender's copy: without authentication results, labels and verification.
    fn as_sent(&self, headers_json: String) -> Self {
        let all = self.clone();
        Self {
            bodies: MessageBodies { headers_json, ..all.bodies },
            alignment: None,
            reply_to_unproven: false,
            envelope_from: None,
            null_sender: false,
            labels: Vec::new(),
            seen: SeenKeys::default(),
            auto_reply: false,
            verification: None,
            received: None,
            local_check: None,
            report: None,
            is_report_like: false,
            proven_author: None,
            masked_links: false,
            judged: Judged::Unavailable,
            ..all
        }
    }

    /// Returns the domain of the author.
    #[must_use]
    pub fn author_domain(&self) -> Option<&str> {
        self.author.as_ref().map(|author| author.address().domain())
    }

    /// Masks links of this service in what a request of an agent put in place of parsed parts.
    pub fn mask_requested(&mut self) {
        let mut found = QuotedLinks::default();
        let bodies = [&mut self.subject, &mut self.bodies.text, &mut self.bodies.html].into_iter().flatten();
        found.mask_all(bodies.chain(&mut self.to).chain(&mut self.cc));
        if let Some(data) = &mut self.data {
            found.mask_json(data);
        }
        self.masked_links |= found.is_any();
    }

    /// Adds the addresses that a part of the mail beside its bytes names.
    pub fn see(&mut self, text: &str) {
        let mut seen = SeenAddresses::default();
        seen.read(text);
        self.seen.add(seen.into_keys());
    }

    /// Sets whether what the mail says about its author is verified.
    pub fn set_disclosure_verified(&mut self, is_verified: bool) {
        if let Some(disclosure) = &mut self.disclosure {
            disclosure.verified = is_verified;
        }
    }
}

/// Parses a mail; with its provenance if it was received.
#[must_use]
pub fn parse_message(raw: &[u8], provenance: Option<Provenance<'_>>) -> ParsedMail {
    parsed_mail(parse::parse(raw), raw, provenance)
}

/// A message of this service as both sides have it.
pub struct BothSides {
    /// As its sender has it.
    pub sent: ParsedMail,
    /// As its recipients on this service get it.
    pub received: ParsedMail,
}

/// Parses a message once for its sender and its recipients on this service: what [`parse_message`] returns without the
/// provenance and with it.
#[must_use]
pub fn parse_both(raw: &[u8], provenance: Provenance<'_>) -> BothSides {
    let parsed = parse::parse(raw);
    let sent_headers = headers_json(&parsed.headers, None, None);
    let received = parsed_mail(parsed, raw, Some(provenance));
    BothSides { sent: received.as_sent(sent_headers), received }
}

fn parsed_mail(mut parsed: ParsedMessage<'_>, raw: &[u8], provenance: Option<Provenance<'_>>) -> ParsedMail {
    // The only place where links are masked: all that follows is derived from `parsed`, or masked with `quoted`.
    let is_masked = provenance.is_some_and(|p| !p.is_request);
    let mut quoted = if is_masked { quoted_links::mask(&mut parsed, raw) } else { QuotedLinks::default() };
    let headers_json = headers_json(&parsed.headers, provenance, is_masked.then_some(&mut quoted));
    let new_text = extract::new_text(parsed.text.as_deref(), parsed.html.as_deref());
    let author = parsed.author.as_ref().ok().map(|author| author.mailbox().clone());
    let from = author.as_ref().map(ToString::to_string).unwrap_or_default();
    let found = provenance.and_then(|p| verification(&parsed, &from, p.results)).filter(|_| !quoted.is_any());
    let null_sender = provenance.is_some_and(|p| p.mail_from.is_none());
    let mut report = provenance.and_then(|_| report::read(&parsed, null_sender));
    if let Some(report) = report.as_mut().filter(|_| is_masked) {
        quoted.mask_report(report);
    }
    let of_receipt = provenance.map(|p| received(author.as_ref(), &parsed, p.results));
    let proven = provenance.zip(author.as_ref()).and_then(|(p, author)| proven_author(author, p.results));
    let seen = provenance.map(|_| seen_addresses(&parsed, raw, proven.as_ref())).unwrap_or_default();
    ParsedMail {
        seen,
        alignment: provenance.map(|p| p.results.author_alignment()),
        co_recipients: parsed.to.iter().chain(&parsed.cc).filter_map(|party| party.mailbox.clone()).collect(),
        envelope_from: provenance.and_then(|p| p.mail_from.cloned()),
        null_sender,
        sender_workspace: None,
        files: parsed.attachments.iter().map(file_facts).collect(),
        participants: participants(author.as_ref(), &parsed),
        reply_to_unproven: provenance.is_some_and(|p| is_reply_to_unproven(author.as_ref(), &parsed, p.results)),
        proven_author: proven,
        is_report_like: report.is_some() || provenance.is_some() && report::resembles_report(&parsed, null_sender),
        author,
        labels: provenance.map(|p| labels(p.results)).unwrap_or_default(),
        auto_reply: provenance.is_some()
            && (null_sender || report.is_some() || autoreply::is_automatic(&parsed.headers)),
        report,
        verification: found,
        received: of_receipt,
        local_check: None,
        to: display_addresses(&parsed.to),
        cc: display_addresses(&parsed.cc),
        reply_to: Some(display_addresses(&parsed.reply_to).join(", ")).filter(|all| !all.is_empty()),
        size_bytes: raw.len() as u64,
        data: None,
        kind: MessageKind::Message,
        disclosure: parsed.headers.first(disclosure::FIELD_LOWER).map(|value| Disclosure::parse(value, false)),
        channel: Channel::Email,
        from,
        masked_links: quoted.is_any(),
        judged: Judged::Unavailable,
        bodies: MessageBodies {
            headers_json,
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

/// Returns the addresses that a mail names, in any part of it.
fn seen_addresses(parsed: &ParsedMessage<'_>, raw: &[u8], proven: Option<&ProvenAuthor>) -> SeenKeys {
    let mut seen = SeenAddresses::default();
    if let Some(author) = proven {
        seen.leave_out(&author.address);
    }
    let texts = MailTexts { parsed, raw };
    texts.each_decoded(SEARCHED_BYTES_MAX, |text| seen.read(text));
    seen.begin_source();
    texts.each_outside(|text| seen.read(text));
    seen.into_keys()
}

fn display_addresses(parties: &[parse::AddressEntry]) -> Vec<String> {
    parties.iter().take(SHOWN_MAX).map(|party| party.header_form.clone()).collect()
}

fn participants(author: Option<&Mailbox>, parsed: &ParsedMessage<'_>) -> Vec<String> {
    let recipients = parsed.to.iter().chain(&parsed.cc).filter_map(|party| party.mailbox.as_ref());
    let mut participants: Vec<String> = Vec::new();
    for address in author.into_iter().chain(recipients).map(|mailbox| mailbox.address().canonical()) {
        if participants.len() < posthouse_domain::thread::PARTICIPANTS_MAX && !participants.contains(&address) {
            participants.push(address);
        }
    }
    participants
}

/// Returns whether replies would go to another party than the author, without proof that the author wants it.
fn is_reply_to_unproven(author: Option<&Mailbox>, parsed: &ParsedMessage<'_>, results: &AuthResults) -> bool {
    let is_other = |entry: &parse::AddressEntry| {
        let is_own = |to: &Mailbox| author.is_some_and(|author| party::speaks_for(author.address(), to.address()));
        entry.mailbox.as_ref().is_some_and(|to| !is_own(to))
    };
    !results.proves_reply_to() && parsed.reply_to.iter().any(is_other)
}

/// Returns the author if an SPF or DKIM pass is aligned with the author's domain, whatever its policy. If the policy
/// cannot be retrieved, the author is not proven, because the policy may require more.
fn proven_author(author: &Mailbox, results: &AuthResults) -> Option<ProvenAuthor> {
    let passed = results.dkim.iter().filter(|verdict| verdict.result == DkimResult::Pass && verdict.aligned);
    let signers = passed.map(|verdict| verdict.domain.clone()).collect();
    let address = author.address().clone();
    let is_proven = results.author_alignment() == DmarcAlignment::Pass && !results.auth_failed();
    is_proven.then_some(ProvenAuthor { address, signers, spf_aligned: results.dmarc.spf_aligned })
}

fn received(author: Option<&Mailbox>, parsed: &ParsedMessage<'_>, results: &AuthResults) -> Received {
    let result = |is_passed: bool, is_failed: bool| match (is_passed, is_failed) {
        (true, _) => Authentication::Pass,
        (false, true) => Authentication::Fail,
        (false, false) => Authentication::None,
    };
    let signed = |wanted: DkimResult| results.dkim.iter().any(|verdict| verdict.result == wanted);
    let domain = author.map(|author| author.address().domain());
    let mut replies = parsed.reply_to.iter().filter_map(|entry| entry.mailbox.as_ref());
    let has_failed = results.dmarc_fail_label();
    Received {
        spf: result(results.spf.result == SpfResult::Pass, results.spf_fail_label()),
        dkim: result(signed(DkimResult::Pass), signed(DkimResult::Fail)),
        dmarc: result(!has_failed && results.author_alignment() == DmarcAlignment::Pass, has_failed),
        auth_failed: results.auth_failed(),
        is_reply_elsewhere: replies.any(|reply| domain != Some(reply.address().domain())),
    }
}

fn labels(results: &AuthResults) -> Vec<String> {
    let all = [
        (SPF_FAIL, results.spf_fail_label()),
        (DMARC_FAIL, results.dmarc_fail_label()),
        (AUTH_UNKNOWN, results.auth_unknown_label()),
    ];
    all.into_iter().filter(|(_, set)| *set).map(|(label, _)| label.to_owned()).collect()
}

fn verification(parsed: &ParsedMessage<'_>, from: &str, results: &AuthResults) -> Option<MessageVerification> {
    let mail = verification::VerificationInput {
        subject: parsed.subject.as_deref().unwrap_or_default(),
        text: parsed.text.as_deref().filter(|_| !parsed.text_from_html),
        html: parsed.html.as_deref(),
        from,
    };
    let found = verification::detect(&mail)?;
    Some(MessageVerification {
        code: found.code,
        link: found.link,
        confidence: found.confidence,
        reason: Some(found.reason),
        auth_failed: results.auth_failed(),
    })
}

fn file_facts(attachment: &parse::ParsedAttachment<'_>) -> AttachmentMetadata {
    AttachmentMetadata {
        filename: attachment.filename.clone(),
        content_type: attachment.content_type.clone(),
        size_bytes: attachment.size_bytes(),
        sha256: Sha256::digest(&attachment.bytes).into(),
        content_id: attachment.content_id.clone(),
        inline: attachment.inline,
    }
}

/// Returns the header map, with the authentication results of this service in front of those the mail claims
/// (`docs/decisions/receiving.md#0020-failing-mail-is-labeled`).
fn headers_json(
    headers: &DecodedHeaders,
    provenance: Option<Provenance<'_>>,
    quoted: Option<&mut QuotedLinks>,
) -> String {
    let mut ours = provenance.map(|p| trace::authentication_results(p.authserv_id, p.results));
    if let Some(quoted) = quoted {
        quoted.mask_all(&mut ours);
    }
    let mut map = Map::new();
    let mut bytes = 0;
    for (name, value) in headers.map() {
        let mut values = match value {
            HeaderValues::One(one) => vec![one],
            HeaderValues::Many(many) => many,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::local_delivery::own_results;

    /// A report, so that each fact that only recipients find out is set.
    const REPORT: &str = "From: Ann <ann@a.example>\r\nTo: bob@b.example\r\nSubject: Undelivered: your code is 482913\r\n\
        Message-ID: <1@a.example>\r\nAuto-Submitted: auto-replied\r\nAuthentication-Results: other.example; spf=fail\r\n\
        MIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n\
        --b\r\n\r\nYour code is 482913. It expires in ten minutes.\r\n\
        --b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; a.example\r\n\r\n\
        Final-Recipient: rfc822; x@c.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\
        --b\r\nContent-Type: text/plain; name=x.txt\r\nContent-Disposition: attachment\r\n\r\nfile\r\n--b--\r\n";

    #[test]
    fn both_sides_are_what_each_side_would_parse() {
        let from = Address::parse("ann@a.example").expect("an address");
        let results = own_results(&from);
        for mail_from in [Some(&from), None] {
            let provenance =
                Provenance { mail_from, results: &results, authserv_id: "mx.b.example", is_request: false };
            for raw in [REPORT, "From: ann@a.example\r\n\r\nYour code is 482913.\r\n", "\r\n"] {
                let both = parse_both(raw.as_bytes(), provenance);
                let (sent, received) =
                    (parse_message(raw.as_bytes(), None), parse_message(raw.as_bytes(), Some(provenance)));
                assert_eq!(format!("{:?}", both.sent), format!("{sent:?}"));
                assert_eq!(format!("{:?}", both.received), format!("{received:?}"));
                assert_ne!(format!("{sent:?}"), format!("{received:?}"), "{raw}");
            }
        }
    }
}
