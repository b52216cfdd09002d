//! The network part of an attempt: reads the bytes, signs them and sends them. No transaction is open here.

use std::sync::Arc;

use posthouse_domain::{AttemptReport, OutboundMode, Refusal, delivery::CAPTURED};
use posthouse_mail::{address::Address, smtp::client::DeliveryResult, smtp::client::OutboundMessage};
use posthouse_store::{blobs, contents::RawLocation};

use super::{mode, not_attempted::NotAttempted, prepare::LoadedEnvelope, relay, route};
use crate::mailbox::return_path::{self, ReturnPath};
use crate::{
    domains::dkim,
    keyring::sealed_link,
    limits::blocking_pool::{WorkClass, WorkOwner, WorkStop},
    service::Service,
};

/// Sends the message and returns one report per pending recipient, in order.
pub(super) async fn call(service: &Service, load: &LoadedEnvelope) -> Result<Vec<AttemptReport>, NotAttempted> {
    let mode = mode(service);
    if mode == OutboundMode::Capture {
        return Ok(vec![captured(); load.pending.len()]);
    }
    if [&service.config.mail.default_domain, &service.config.mail.temporary_domain]
        .contains(&&load.envelope.destination)
    {
        let report = AttemptReport::local(DeliveryResult::Permanent, "5.1.1", "there is no such inbox on this service");
        return Ok(vec![report; load.pending.len()]);
    }
    let message = message(service, load).await?;
    match mode {
        OutboundMode::Relay => relay::send(service, load, message).await,
        _ => route::send(service, load, message).await,
    }
}

fn captured() -> AttemptReport {
    let mut report = AttemptReport::local(DeliveryResult::Delivered, "", CAPTURED);
    report.enhanced_code = None;
    report
}

/// Returns the signed message with its SMTP envelope.
async fn message(service: &Service, load: &LoadedEnvelope) -> Result<OutboundMessage, NotAttempted> {
    let (signatures, raw) = signed(service, load, raw(service, load).await?).await?;
    let mut body = Vec::with_capacity(signatures.len() + raw.len());
    body.extend_from_slice(signatures.as_bytes());
    body.extend_from_slice(&raw);
    let parse = |text: &str| Address::parse(text).map_err(|_| NotAttempted::Never("not sent: invalid stored address"));
    let recipients = load.pending.iter().map(|delivery| parse(&delivery.address)).collect::<Result<Vec<_>, _>>()?;
    let header_bytes = body.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(body.len());
    let smtputf8 = !body[..header_bytes].is_ascii();
    let default_domain = &service.config.mail.default_domain;
    let bounce_domain = if load.is_elsewhere && return_path::is_resolvable(default_domain) {
        default_domain
    } else {
        &load.inbox.domain
    };
    // An envelope has one recipient; see `split`.
    let Some(position) = load.pending.first().map(|entry| entry.position) else {
        return Err(NotAttempted::Never("not sent: the envelope has no pending recipient"));
    };
    let return_path = return_path::of(service, ReturnPath { message: load.envelope.message, position }, bounce_domain)
        .map_err(|error| NotAttempted::Later(format!("the return path can't be created: {error}")))?;
    Ok(OutboundMessage { mail_from: Some(parse(&return_path)?), recipients, body: Arc::from(body), smtputf8 })
}

/// Returns the signatures and the signed bytes. Reuses the signatures made when the message was accepted if the domain
/// still has the same keys, and signs again otherwise.
async fn signed(service: &Service, load: &LoadedEnvelope, raw: Vec<u8>) -> Result<(String, Vec<u8>), NotAttempted> {
    let later = |cause: String| NotAttempted::Later(format!("the message cannot be signed: {cause}"));
    let keys = dkim::keys_of(service, load.envelope.workspace, &load.inbox.domain).await;
    let Some(keys) = keys.map_err(|error| later(error.to_string()))? else { return Ok((String::new(), raw)) };
    if let Some(signed) = load.envelope.signed.as_ref().filter(|signed| keys.made(signed)) {
        return Ok((signed.fields.clone(), raw));
    }
    let (bytes, now) = (raw.len(), service.clock.now());
    let owner = WorkOwner { class: WorkClass::Deliver, workspace: load.envelope.workspace };
    let work = move |_: &WorkStop| keys.sign(&raw, now).map(|signed| (signed.fields, raw));
    let made = service.blocking_pool.run_for(owner, bytes, work).await.map_err(|refusal| later(refusal.message))?;
    made.map_err(|error| later(error.to_string()))
}

/// Returns the stored bytes, with the sealed link opened.
async fn raw(service: &Service, load: &LoadedEnvelope) -> Result<Vec<u8>, NotAttempted> {
    let missing = NotAttempted::Never("not sent: the content of the message is missing");
    let Some(raw) = &load.raw else { return Err(missing) };
    let bytes_max = usize::try_from(raw.bytes).unwrap_or(usize::MAX);
    // A temporary failure: missing or damaged bytes may be restored from a backup while the message waits.
    let later = |error: posthouse_store::Error| {
        let refusal = Refusal::from(error);
        service.storage_health.record(&refusal);
        NotAttempted::Later(refusal.message)
    };
    let packed = match &raw.place {
        RawLocation::Inline(packed) => packed.clone().into(),
        RawLocation::Blob(name) => {
            let digest: blobs::BlobDigest = name.parse().map_err(later)?;
            service.blobs.read(&digest).await.map_err(later)?
        }
    };
    let owner = WorkOwner { class: WorkClass::Deliver, workspace: load.envelope.workspace };
    let blobs = service.blobs.clone();
    let unpack = move |_: &WorkStop| blobs.decompress(&packed, bytes_max);
    let unpacked = service.blocking_pool.run_for(owner, bytes_max, unpack).await;
    let raw = unpacked.map_err(|refusal| NotAttempted::Later(refusal.message))?.map_err(later)?;
    sealed_link::open(service, load.envelope.message, raw)
        .map_err(|error| NotAttempted::Later(format!("the link can't be inserted into the message: {error}")))
}
