//! The return path of sent mail: one address for each recipient of a message (VERP), at the domain of its From field, so that
//! SPF stays aligned (RFC 7208); at the service's own where mail for that domain goes to another server, for bounces would go
//! there too. What comes to it is about that message at that recipient, whatever it says otherwise.
//!
//! The address carries a tag that only this server can make (as BATV does): nobody can guess one, or make one for a recipient
//! other than themselves. It works for 30 days.

use posthouse_domain::{
    error::{Code, Refusal},
    id::MessageId,
    inbox::{Inbox, RETURN_PATH},
    time::{DAY_MS, Time},
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as Stored, Tx, deliveries, inboxes};
use uuid::Uuid;

use super::{App, signing::InstanceKeyError};

/// How long such an address works, in milliseconds: longer than any server tries.
const WORKS_MS: i64 = 30 * DAY_MS;
/// Hexadecimal digits of the message's id.
const ID_DIGITS: usize = 32;
/// Hexadecimal digits of the recipient's position.
const POSITION_DIGITS: usize = 4;
/// Hexadecimal digits of the tag.
const TAG_DIGITS: usize = 16;

/// What a return path stands for: a message at one of its recipients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnPath {
    /// The message.
    pub message: MessageId,
    /// The recipient's place among those of the message.
    pub position: u32,
}

/// The return path of a message at one recipient.
///
/// # Errors
/// The key of the instance cannot be had.
pub fn of(app: &App, path: ReturnPath, domain: &str) -> Result<String, InstanceKeyError> {
    let tag = app.vault.key(app)?.tag(&subject(path, domain));
    let ReturnPath { message, position } = path;
    Ok(format!("{RETURN_PATH}+{}{position:04x}{tag:016x}@{domain}", message.0.as_simple()))
}

/// Whether other servers find a domain: a name of this machine alone (RFC 6761 §6.3) is no sender for them.
#[must_use]
pub fn is_reached(domain: &str) -> bool {
    domain.contains('.') && !domain.ends_with(".localhost")
}

/// What mail to an address is about, if the address is a return path of ours that still works.
///
/// # Errors
/// `internal_error` where the key of the instance cannot be had.
pub fn open(app: &App, address: &Address) -> Result<Option<ReturnPath>, Refusal> {
    let Some((path, tag, domain)) = parts(address.canonical_str()) else { return Ok(None) };
    let key = app.vault.key(app).map_err(|error| {
        tracing::error!(cause = %error, "bounce_address.not_opened");
        Refusal::new(Code::Internal, "The address cannot be checked now.")
    })?;
    let is_ours = key.tag(&subject(path, domain)) == tag;
    Ok(Some(path).filter(|_| is_ours && app.clock.now() < made_at(path.message.0).plus_ms(WORKS_MS)))
}

/// The return path, the tag and the domain that an address claims to consist of.
fn parts(canonical: &str) -> Option<(ReturnPath, u64, &str)> {
    let (digits, domain) = canonical.strip_prefix(RETURN_PATH)?.strip_prefix('+')?.split_once('@')?;
    let is_form = digits.len() == ID_DIGITS + POSITION_DIGITS + TAG_DIGITS && digits.bytes().all(is_digit);
    let (id, rest) = Some(digits).filter(|_| is_form)?.split_at_checked(ID_DIGITS)?;
    let (position, tag) = rest.split_at_checked(POSITION_DIGITS)?;
    let message = MessageId(Uuid::try_parse(id).ok()?);
    let position = u32::from_str_radix(position, 16).ok()?;
    Some((ReturnPath { message, position }, u64::from_str_radix(tag, 16).ok()?, domain))
}

fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)
}

/// The inbox that a message was sent from, while it takes mail.
///
/// # Errors
/// The store's own.
pub fn inbox(tx: &mut Tx, message: MessageId, now: Time) -> Stored<Option<Inbox>> {
    let Some(found) = deliveries::anywhere(tx, message)? else { return Ok(None) };
    Ok(inboxes::get(tx, found.workspace, found.inbox)?.filter(|inbox| inbox.receives(now)))
}

fn subject(path: ReturnPath, domain: &str) -> Vec<u8> {
    [path.message.0.as_bytes().as_slice(), &path.position.to_be_bytes(), domain.as_bytes()].concat()
}

/// When an id was made: the first 48 bits of a UUIDv7.
fn made_at(id: Uuid) -> Time {
    Time::from_millis(i64::try_from(id.as_u128() >> 80).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exact_form_is_read() {
        let id = "0192f0c1a2b37d4e8f90a1b2c3d4e5f6";
        let whole = format!("bounces+{id}000a00000000000000ff@x.example");
        let path = ReturnPath { message: MessageId(Uuid::try_parse(id).unwrap()), position: 10 };
        assert_eq!(parts(&whole), Some((path, 255, "x.example")));
        assert_eq!(whole.split('@').next().map(str::len), Some(60), "RFC 5321 allows 64");
        for other in [
            format!("bounces+{id}00000000000000ff@x.example"),
            format!("bounces+{id}+00a00000000000000ff@x.example"),
            format!("bounces+{id}000a0000000000000+ff@x.example"),
            format!("bounces{id}000a00000000000000ff@x.example"),
            format!("bounces+{id}000a00000000000000f@x.example"),
            format!("bounces+{id}000a00000000000000fff@x.example"),
            format!("bounces+{}000a00000000000000ff@x.example", "é".repeat(16)),
            "bounces+@x.example".to_owned(),
            "bounces@x.example".to_owned(),
        ] {
            assert_eq!(parts(&other), None, "{other}");
        }
    }
}
