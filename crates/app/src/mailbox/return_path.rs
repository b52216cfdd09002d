//! Return paths of sent mail: one address per recipient of a message (VERP). The address is at the domain of the From
//! field, so that SPF stays aligned (RFC 7208), or at the service's domain if another server receives the mail for that
//! domain, because bounces would go there too. Mail to a return path is about that message and recipient, whatever it
//! contains.
//!
//! The address contains a tag that only this server can make (as in BATV), so it cannot be guessed, and a recipient
//! cannot make one for another recipient. It is valid for 30 days.

use posthouse_domain::{DAY_MS, ErrorCode, Inbox, MessageId, Refusal, Time, inbox::RETURN_PATH};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, deliveries, inboxes};
use uuid::Uuid;

use crate::{keyring::instance_key::InstanceKeyError, service::Service};

/// How long a return path is valid, in milliseconds: longer than any server retries.
const VALID_MS: i64 = 30 * DAY_MS;
/// Hexadecimal digits of the message's id.
const ID_DIGITS: usize = 32;
/// Hexadecimal digits of the recipient's position.
const POSITION_DIGITS: usize = 4;
/// Hexadecimal digits of the tag.
const TAG_DIGITS: usize = 16;

/// The message and recipient that a return path encodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReturnPath {
    pub message: MessageId,
    /// The position of the recipient in the message.
    pub position: u32,
}

/// Returns the return path of a message for one recipient.
///
/// # Errors
/// Returns an error if the instance key is not available.
pub fn of(service: &Service, path: ReturnPath, domain: &str) -> Result<String, InstanceKeyError> {
    let tag = service.keys.key(&service.config)?.tag(&subject(path, domain));
    let ReturnPath { message, position } = path;
    Ok(format!("{RETURN_PATH}+{}{position:04x}{tag:016x}@{domain}", message.0.as_simple()))
}

/// Returns true if other servers can resolve a domain. A name local to this machine (RFC 6761 §6.3) is no sender for
/// them.
#[must_use]
pub fn is_resolvable(domain: &str) -> bool {
    domain.contains('.') && !domain.ends_with(".localhost")
}

/// Decodes an address; returns `None` if it is not a valid return path of this service.
///
/// # Errors
/// Returns `internal_error` if the instance key is not available.
pub fn open(service: &Service, address: &Address) -> Result<Option<ReturnPath>, Refusal> {
    let Some((path, tag, domain)) = parts(address.canonical_str()) else { return Ok(None) };
    let key = service.keys.key(&service.config).map_err(|error| {
        tracing::error!(cause = %error, "instance_key.not_readable");
        Refusal::new(ErrorCode::Internal, "The address couldn't be checked.")
    })?;
    let is_ours = key.tag(&subject(path, domain)) == tag;
    Ok(Some(path).filter(|_| is_ours && service.clock.now() < created_at(path.message.0).plus_ms(VALID_MS)))
}

/// Splits an address into the return path, tag and domain that it claims to contain.
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

/// Returns the inbox or identity that a message was sent from, if it is live.
pub fn inbox(tx: &mut Tx, message: MessageId, now: Time) -> StoreResult<Option<Inbox>> {
    let Some(found) = deliveries::anywhere(tx, message)? else { return Ok(None) };
    Ok(inboxes::get(tx, found.workspace, found.inbox)?.filter(|inbox| inbox.is_live(now)))
}

fn subject(path: ReturnPath, domain: &str) -> Vec<u8> {
    [path.message.0.as_bytes().as_slice(), &path.position.to_be_bytes(), domain.as_bytes()].concat()
}

/// Returns the creation time in an ID: the first 48 bits of a UUIDv7.
fn created_at(id: Uuid) -> Time {
    Time::from_millis(i64::try_from(id.as_u128() >> 80).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_only_the_exact_form() {
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
