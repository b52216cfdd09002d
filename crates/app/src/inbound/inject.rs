//! Injects a raw mail without SMTP, for development: builds the envelope that SMTP would supply and receives the mail
//! (`docs/reference/conventions.md#development-routes`).

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use posthouse_domain::{Detail, ErrorCode, MessageId, Refusal};
use posthouse_mail::{address::Address, address::Mailbox, author, header, parse};

use super::{receive, receive::InboundMail, recipient, recipient::RecipientVerdict};
use crate::{mailbox::Visibility, service::Service};

/// Maximum number of recipients per request: the limit of an SMTP transaction.
const RECIPIENTS_MAX: usize = 100;

/// A mail to inject.
#[derive(Clone, Debug)]
pub struct Injection {
    pub raw: Bytes,
    /// Recipients separated by commas; `None` for those in To and Cc.
    pub to: Option<String>,
    /// The envelope sender, empty or `<>` for the null sender; `None` for the address in Return-Path, otherwise in
    /// From.
    pub from: Option<String>,
    /// The address of the client.
    pub client_ip: IpAddr,
}

/// The result of an injection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InjectionResult {
    /// The messages stored, one per inbox.
    pub stored: Vec<MessageId>,
    /// Recipients that SMTP would reject.
    pub refused: Vec<String>,
}

/// Stores a mail for its recipients.
///
/// # Errors
/// Returns `invalid_request`, `not_found` if no recipient is an inbox of this service, or the errors of
/// [`receive::receive`].
pub async fn inject(service: &Arc<Service>, mail: Injection) -> Result<InjectionResult, Refusal> {
    let Injection { raw, to, from, client_ip } = mail;
    if raw.is_empty() {
        return Err(Refusal::invalid_field("body", "must be a mail in MIME format"));
    }
    let mail_from = sender(&raw, from.as_deref())?;
    let wanted = to.map_or_else(|| Ok(header_recipients(&raw)), |to| parse_recipients(&to))?;
    if wanted.is_empty() {
        let refusal = Refusal::invalid_field("to", "is required, because the mail has no address in To or Cc");
        return Err(refusal.with_fix("Name the recipients in the query: `POST /dev/inbound?to=name@example.com`."));
    }
    let (recipients, refused) = screen_recipients(service, wanted).await?;
    let arrival = InboundMail {
        mail_from,
        recipients,
        raw: raw.to_vec(),
        client_ip,
        helo: "localhost".to_owned(),
        protocol: "HTTP",
        tls: None,
        may_not_fit_in: None,
        visibility: Visibility::Shown,
    };
    Ok(InjectionResult { stored: receive::receive(service, arrival).await?, refused })
}

/// Splits recipients into those that SMTP would accept and those that it would reject; at least one must be accepted.
async fn screen_recipients(service: &Service, wanted: Vec<Address>) -> Result<(Vec<Address>, Vec<String>), Refusal> {
    let (mut recipients, mut refused) = (Vec::new(), Vec::new());
    for address in wanted {
        match recipient::recipient(service, &address, None).await? {
            RecipientVerdict::Accept(_) => recipients.push(address),
            RecipientVerdict::Unknown | RecipientVerdict::Unread => refused.push(address.to_string()),
        }
    }
    if recipients.is_empty() {
        let refusal = Refusal::new(ErrorCode::NotFound, format!("No inbox has the address {}.", refused.join(", ")));
        return Err(refusal.detail(Detail::Addresses(refused)));
    }
    Ok((recipients, refused))
}

/// Parses the recipients of the query. A plus sign that the client didn't percent-encode arrives as a space.
fn parse_recipients(text: &str) -> Result<Vec<Address>, Refusal> {
    let list = Mailbox::parse_list(text, RECIPIENTS_MAX)
        .or_else(|error| Mailbox::parse_list(&text.trim().replace(' ', "+"), RECIPIENTS_MAX).map_err(|_| error))
        .map_err(|error| Refusal::invalid_field("to", format!("is not a list of addresses: {error}")))?;
    Ok(list.into_iter().map(Mailbox::into_address).collect())
}

/// Returns the recipients in To and Cc.
fn header_recipients(raw: &[u8]) -> Vec<Address> {
    let parsed = parse::parse(raw);
    let mailboxes = parsed.to.iter().chain(&parsed.cc).filter_map(|party| party.mailbox.as_ref());
    mailboxes.take(RECIPIENTS_MAX).map(|mailbox| mailbox.address().clone()).collect()
}

fn sender(raw: &[u8], given: Option<&str>) -> Result<Option<Address>, Refusal> {
    let bare = |text: &str| text.trim().trim_start_matches('<').trim_end_matches('>').trim().to_owned();
    if let Some(text) = given {
        let text = bare(text);
        if text.is_empty() {
            return Ok(None);
        }
        let address = Address::parse(&text).or_else(|error| Address::parse(&text.replace(' ', "+")).map_err(|_| error));
        return address
            .map(Some)
            .map_err(|error| Refusal::invalid_field("from", format!("is not an address: {error}")));
    }
    if let Some(path) = header::first_field(raw, "return-path") {
        let text = bare(&path.decoded());
        if text.is_empty() {
            return Ok(None);
        }
        if let Ok(address) = Address::parse(&text) {
            return Ok(Some(address));
        }
    }
    Ok(author::author(raw).ok().map(|author| author.address().clone()))
}
