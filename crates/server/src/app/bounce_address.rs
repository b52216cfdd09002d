//! The return path of sent mail: one address a message, at the domain of its From field, so that SPF stays aligned
//! (RFC 7208; VERP); at the service's own where mail for that domain goes to another server, for bounces would go there too. What
//! comes to it is about that message, whatever it says otherwise.
//!
//! The address carries a tag that only this server can make (as BATV does): nobody can guess one, or make one for mail that
//! somebody else got. It works for 30 days.

use posthouse_domain::{
    error::{Code, Refusal},
    id::MessageId,
    inbox::Inbox,
    time::{DAY_MS, Time},
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as Stored, Tx, deliveries, inboxes};
use uuid::Uuid;

use super::{App, signing::InstanceKeyError};

/// The name before the plus.
const NAME: &str = "bounces";
/// How long such an address works, in milliseconds: longer than any server tries.
const WORKS_MS: i64 = 30 * DAY_MS;
/// Hexadecimal digits of the message's id.
const ID_DIGITS: usize = 32;
/// Hexadecimal digits of the tag.
const TAG_DIGITS: usize = 16;

/// The return path of a message.
///
/// # Errors
/// The key of the instance cannot be had.
pub fn of(app: &App, message: MessageId, domain: &str) -> Result<String, InstanceKeyError> {
    let tag = app.vault.key(app)?.tag(&subject(message, domain));
    Ok(format!("{NAME}+{}{tag:016x}@{domain}", message.0.as_simple()))
}

/// Whether other servers find a domain: a name of this machine alone (RFC 6761 §6.3) is no sender for them.
#[must_use]
pub fn is_reached(domain: &str) -> bool {
    domain.contains('.') && !domain.ends_with(".localhost")
}

/// The message that mail to an address is about, if the address is a return path of ours that still works.
///
/// # Errors
/// `internal_error` where the key of the instance cannot be had.
pub fn open(app: &App, address: &Address) -> Result<Option<MessageId>, Refusal> {
    let canonical = address.canonical_str();
    let Some(digits) = canonical.strip_prefix(NAME).and_then(|rest| rest.strip_prefix('+')) else { return Ok(None) };
    let Some((digits, domain)) = digits.split_once('@').filter(|(digits, _)| digits.len() == ID_DIGITS + TAG_DIGITS)
    else {
        return Ok(None);
    };
    let Some((id, tag)) = digits.split_at_checked(ID_DIGITS) else { return Ok(None) };
    let (Ok(id), Ok(tag)) = (Uuid::try_parse(id), u64::from_str_radix(tag, 16)) else { return Ok(None) };
    let message = MessageId(id);
    let key = app.vault.key(app).map_err(|error| {
        tracing::error!(cause = %error, "bounce_address.not_opened");
        Refusal::new(Code::Internal, "The address cannot be checked now.")
    })?;
    let is_ours = key.tag(&subject(message, domain)) == tag;
    Ok(Some(message).filter(|_| is_ours && app.clock.now() < made_at(id).plus_ms(WORKS_MS)))
}

/// The inbox that a message was sent from, while it takes mail.
///
/// # Errors
/// The store's own.
pub fn inbox(tx: &mut Tx, message: MessageId, now: Time) -> Stored<Option<Inbox>> {
    let Some(found) = deliveries::anywhere(tx, message)? else { return Ok(None) };
    Ok(inboxes::get(tx, found.workspace, found.inbox)?.filter(|inbox| inbox.receives(now)))
}

fn subject(message: MessageId, domain: &str) -> Vec<u8> {
    [message.0.as_bytes().as_slice(), domain.as_bytes()].concat()
}

/// When an id was made: the first 48 bits of a UUIDv7.
fn made_at(id: Uuid) -> Time {
    Time::from_millis(i64::try_from(id.as_u128() >> 80).unwrap_or(0))
}
