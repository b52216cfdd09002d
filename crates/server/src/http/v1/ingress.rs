//! `POST /dev/inbound`: mail in without SMTP, for development alone (decision 25, contract §23).
//!
//! It exists only with `delivery.mode = "capture"` and ends in the same use-case as SMTP's DATA.

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{Code, Refusal};
use posthouse_mail::{
    address::{Address, Mailbox},
    header, parse,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::{
        App,
        receive::{self, Arrival, RecipientVerdict},
    },
    http::{
        route::{ATTACHMENT_BODY_BYTES_MAX, Answer, PublicInput, Raw, Route},
        wire::{Line, query},
    },
};

/// Most recipients of one request: what SMTP takes in one transaction.
const RECIPIENTS_MAX: usize = 100;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::POST, "/dev/inbound", "injectMail")
            .summary("Takes a raw mail as SMTP would, for the recipients of its To and Cc or of ?to=.")
            .development()
            .takes("message/rfc822", ATTACHMENT_BODY_BYTES_MAX)
            .answers::<InjectedView>(201)
            .errors(&[Code::NotFound, Code::MessageTooLarge, Code::Forbidden])
            .handle_public(inject),
    ]
}

query! {
    /// The envelope.
    struct Envelope {
        /// Recipients joined by commas; left out, those of To and Cc.
        to: Option<Line<1, 20_000>>,
        /// The envelope sender, `<>` for the null sender; left out, that of Return-Path, else of From.
        from: Option<Line<0, 1_000>>,
    }
}

/// What was stored.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InjectedMail")]
struct InjectedView {
    /// The message of each inbox that was reached.
    message_ids: Vec<String>,
    /// Recipients that SMTP would have refused.
    refused: Vec<String>,
}

async fn inject(app: Arc<App>, input: PublicInput<Envelope, Raw>) -> Result<Answer, Refusal> {
    let raw = input.body.0;
    if raw.is_empty() {
        return Err(Refusal::invalid_field("body", "must be a mail in MIME form"));
    }
    let sender = sender(&raw, input.query.from.as_ref().map(|from| from.0.as_str()))?;
    let wanted = match &input.query.to {
        Some(to) => given(&to.0)?,
        None => written(&raw),
    };
    if wanted.is_empty() {
        let refusal = Refusal::invalid_field("to", "is needed, because the mail has no address in To and Cc");
        return Err(refusal.with_fix("Name the recipients in the query: POST /dev/inbound?to=name@example.com."));
    }
    let (mut recipients, mut refused) = (Vec::new(), Vec::new());
    for address in wanted {
        match receive::recipient(&app, &address).await? {
            RecipientVerdict::Accept => recipients.push(address),
            RecipientVerdict::Unknown => refused.push(address.to_string()),
        }
    }
    if recipients.is_empty() {
        let refusal = Refusal::new(Code::NotFound, format!("There is no inbox {} here.", refused.join(", ")));
        return Err(refusal.detail("addresses", refused));
    }
    let arrival = Arrival {
        mail_from: sender,
        recipients,
        raw: raw.to_vec(),
        client_ip: input.request.client_ip,
        helo: "localhost".to_owned(),
        protocol: "HTTP",
        tls: None,
    };
    let stored = receive::receive(&app, arrival).await?;
    let message_ids = stored.iter().map(ToString::to_string).collect();
    Answer::json(201, &InjectedView { message_ids, refused })
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
    let author = parse::parse(raw).from.into_iter().find_map(|party| party.mailbox);
    Ok(author.map(Mailbox::into_address))
}
