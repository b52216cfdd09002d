//! A raw mail put in without SMTP, for development (decision 25): makes the envelope that SMTP would have had, and receives.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use posthouse_domain::{
    error::{Code, Refusal},
    id::MessageId,
};
use posthouse_mail::{
    address::{Address, Mailbox},
    author, header, parse,
};

use super::{
    App,
    receive::{self, Arrival, RecipientVerdict},
};

/// Most recipients of one request: what SMTP takes in one transaction.
const RECIPIENTS_MAX: usize = 100;

/// A mail to put in.
#[derive(Clone, Debug)]
pub struct Injection {
    /// The bytes.
    pub raw: Bytes,
    /// Recipients joined by commas; none are those of To and Cc.
    pub to: Option<String>,
    /// The envelope sender, empty or `<>` for the null sender; none is that of Return-Path, else of From.
    pub from: Option<String>,
    /// Who put it in.
    pub client_ip: IpAddr,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Injected {
    /// The message of each inbox that was reached.
    pub stored: Vec<MessageId>,
    /// Recipients that SMTP would have refused.
    pub refused: Vec<String>,
}

/// Stores the mail for its recipients.
///
/// # Errors
/// `invalid_request`, `not_found` when no recipient is an inbox here, and those of [`receive::receive`].
pub async fn inject(app: &Arc<App>, mail: Injection) -> Result<Injected, Refusal> {
    let Injection { raw, to, from, client_ip } = mail;
    if raw.is_empty() {
        return Err(Refusal::invalid_field("body", "must be a mail in MIME form"));
    }
    let mail_from = sender(&raw, from.as_deref())?;
    let wanted = to.map_or_else(|| Ok(written(&raw)), |to| given(&to))?;
    if wanted.is_empty() {
        let refusal = Refusal::invalid_field("to", "is needed, because the mail has no address in To and Cc");
        return Err(refusal.with_fix("Name the recipients in the query: POST /dev/inbound?to=name@example.com."));
    }
    let (recipients, refused) = judged(app, wanted).await?;
    let arrival = Arrival {
        mail_from,
        recipients,
        raw: raw.to_vec(),
        client_ip,
        helo: "localhost".to_owned(),
        protocol: "HTTP",
        tls: None,
    };
    Ok(Injected { stored: receive::receive(app, arrival).await?, refused })
}

/// Those that SMTP would take and those that it would refuse; at least one of the first.
async fn judged(app: &App, wanted: Vec<Address>) -> Result<(Vec<Address>, Vec<String>), Refusal> {
    let (mut recipients, mut refused) = (Vec::new(), Vec::new());
    for address in wanted {
        match receive::recipient(app, &address).await? {
            RecipientVerdict::Accept => recipients.push(address),
            RecipientVerdict::Unknown => refused.push(address.to_string()),
        }
    }
    if recipients.is_empty() {
        let refusal = Refusal::new(Code::NotFound, format!("There is no inbox {} here.", refused.join(", ")));
        return Err(refusal.detail("addresses", refused));
    }
    Ok((recipients, refused))
}

/// The recipients of the query. A plus of an address that the client did not encode arrives as a space.
fn given(text: &str) -> Result<Vec<Address>, Refusal> {
    let list = Mailbox::parse_list(text, RECIPIENTS_MAX)
        .or_else(|error| Mailbox::parse_list(&text.trim().replace(' ', "+"), RECIPIENTS_MAX).map_err(|_| error))
        .map_err(|error| Refusal::invalid_field("to", format!("is not a list of addresses: {error}")))?;
    Ok(list.into_iter().map(Mailbox::into_address).collect())
}

/// The recipients that the mail names itself.
fn written(raw: &[u8]) -> Vec<Address> {
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
