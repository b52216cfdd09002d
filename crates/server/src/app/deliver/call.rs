//! The outside part of an attempt: bytes, signatures, routes, servers. No transaction is open here.

use std::sync::Arc;

use posthouse_domain::{
    delivery::{CAPTURED, Means, Report},
    error::Refusal,
    time::Time,
};
use posthouse_mail::{
    address::Address,
    smtp::client::{DeliveryResult, Message},
};
use posthouse_store::{blobs, contents::RawPlace};

use super::{means, prepare::Load, relay, route};
use crate::app::{
    App,
    bounce_address::{self, ReturnPath},
    sealed_link, signing,
};

/// Why nothing was tried.
pub(super) enum CannotSend {
    /// By our own fault, which somebody can mend.
    Later(String),
    /// The stored message cannot be sent.
    Never(&'static str),
    /// That host is not to be spoken to before that time.
    NotBefore(Time, String),
}

/// Tries to hand the message over; one report per pending recipient, in their order.
pub(super) async fn call(app: &App, load: &Load) -> Result<Vec<Report>, CannotSend> {
    let means = means(app);
    if means == Means::Capture {
        return Ok(vec![captured(); load.pending.len()]);
    }
    if [&app.config.mail.default_domain, &app.config.mail.temporary_domain].contains(&&load.envelope.destination) {
        let report = Report::local(DeliveryResult::Permanent, "5.1.1", "there is no such inbox on this service");
        return Ok(vec![report; load.pending.len()]);
    }
    let message = message(app, load).await?;
    match means {
        Means::Relay => relay::hand_over(app, load, message).await,
        _ => route::hand_over(app, load, message).await,
    }
}

fn captured() -> Report {
    let mut report = Report::local(DeliveryResult::Delivered, "", CAPTURED);
    report.enhanced_code = None;
    report
}

/// The message as it goes out: signed, with its envelope.
async fn message(app: &App, load: &Load) -> Result<Message, CannotSend> {
    let (signatures, raw) = signed(app, load, raw(app, load).await?).await?;
    let mut body = Vec::with_capacity(signatures.len() + raw.len());
    body.extend_from_slice(signatures.as_bytes());
    body.extend_from_slice(&raw);
    let parse = |text: &str| Address::parse(text).map_err(|_| CannotSend::Never("not sent: a stored address is none"));
    let recipients = load.pending.iter().map(|delivery| parse(&delivery.address)).collect::<Result<Vec<_>, _>>()?;
    let header_bytes = body.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(body.len());
    let smtputf8 = !body[..header_bytes].is_ascii();
    let home = &app.config.mail.default_domain;
    let home = if load.is_elsewhere && bounce_address::is_reached(home) { home } else { &load.inbox.domain };
    // An envelope has one recipient; see `split`.
    let Some(position) = load.pending.first().map(|entry| entry.position) else {
        return Err(CannotSend::Never("not sent: no recipient of this envelope is waiting"));
    };
    let return_path = bounce_address::of(app, ReturnPath { message: load.envelope.message, position }, home)
        .map_err(|error| CannotSend::Later(format!("there is no return path: {error}")))?;
    Ok(Message { mail_from: Some(parse(&return_path)?), recipients, body: Arc::from(body), smtputf8 })
}

/// The signatures that were made when the message was accepted, if the keys are still those of its domain; else new ones.
/// With them the bytes that they are of.
async fn signed(app: &App, load: &Load, raw: Vec<u8>) -> Result<(String, Vec<u8>), CannotSend> {
    let later = |cause: String| CannotSend::Later(format!("the message cannot be signed: {cause}"));
    let keys = signing::keys_of(app, load.envelope.workspace, &load.inbox.domain).await;
    let Some(keys) = keys.map_err(|error| later(error.to_string()))? else { return Ok((String::new(), raw)) };
    if let Some(signed) = load.envelope.signed.as_ref().filter(|signed| keys.have_made(signed)) {
        return Ok((signed.fields.clone(), raw));
    }
    let (bytes, now) = (raw.len(), app.clock.now());
    let work = move || keys.sign(&raw, now).map(|signed| (signed.fields, raw));
    let made = app.apart.run_sized(bytes, work).await.map_err(|refusal| later(refusal.message))?;
    made.map_err(|error| later(error.to_string()))
}

async fn raw(app: &App, load: &Load) -> Result<Vec<u8>, CannotSend> {
    let gone = CannotSend::Never("not sent: the bytes of the message are not there any more");
    let Some(raw) = &load.raw else { return Err(gone) };
    let bytes_max = usize::try_from(raw.bytes).unwrap_or(usize::MAX);
    // Bytes that are missing or altered may come back from a backup while the message waits.
    let later = |error: posthouse_store::Error| {
        let refusal = Refusal::from(error);
        app.shortage.note(&refusal);
        CannotSend::Later(refusal.message)
    };
    let unpacked = match &raw.place {
        RawPlace::Inline(packed) => app.blobs.decompress(packed, bytes_max),
        RawPlace::Blob(name) => {
            let digest: blobs::Digest = name.parse().map_err(later)?;
            app.blobs.decompress(&app.blobs.read(&digest).await.map_err(later)?, bytes_max)
        }
    };
    let raw = unpacked.map_err(later)?;
    sealed_link::open(app, load.envelope.message, raw)
        .map_err(|error| CannotSend::Later(format!("the link in the message cannot be written: {error}")))
}
