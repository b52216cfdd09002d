//! The body of a request on its way in: its size, its type, how long it may take; and what is still read of a refused one.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use posthouse_domain::{
    error::{Code, Refusal},
    time::Time,
};

use super::route::BodyRule;
use crate::ports::Clock;

/// How long a body may bring nothing, in milliseconds.
const SILENCE_MS_MAX: i64 = 30_000;
/// How long a whole body may take, in milliseconds: the largest one in that time comes over half a megabit a second.
const BODY_MS_MAX: i64 = 600_000;
/// Most bytes that are read past what a refused request may have, so that the client gets to read the refusal.
const DRAIN_BYTES_MAX: usize = 64 * 1024 * 1024;
/// How long the rest of a refused request may bring nothing, in milliseconds.
const DRAIN_SILENCE_MS_MAX: i64 = 5_000;
/// How long the rest of a refused request may take, in milliseconds.
const DRAIN_MS_MAX: i64 = 60_000;
/// How often the connection gets a turn before a timer is set.
const TURNS_WITHOUT_TIMER: u32 = 8;

/// Why there are no more bytes before the end.
enum Stopped {
    /// The client went away, or what it sent is no body.
    Broken,
    /// The time is over.
    Slow,
}

/// The bytes of a body of one route.
///
/// # Errors
/// `body_too_large`, `unsupported_media_type`, and `invalid_request` for a body that does not come to its end.
pub(super) async fn read(
    clock: &dyn Clock,
    rule: BodyRule,
    headers: &HeaderMap,
    body: &mut Body,
) -> Result<Bytes, Refusal> {
    let too_large =
        || Refusal::new(Code::BodyTooLarge, format!("The request body is larger than {} bytes.", rule.bytes_max));
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|l| l.to_str().ok()).and_then(|l| l.parse::<usize>().ok());
    if declared.is_some_and(|length| length > rule.bytes_max) {
        return Err(too_large());
    }
    let until = clock.now().plus_ms(BODY_MS_MAX);
    // Most bodies come in one part and are not copied; many small parts must not cost more than their bytes.
    let (mut first, mut whole) = (Bytes::new(), Vec::new());
    while let Some(part) = next(clock, body, SILENCE_MS_MAX, until).await.map_err(|why| unfinished(&why))? {
        if first.len().max(whole.len()) + part.len() > rule.bytes_max {
            return Err(too_large());
        }
        if first.is_empty() {
            first = part;
        } else {
            if whole.is_empty() {
                whole.extend_from_slice(&first);
            }
            whole.extend_from_slice(&part);
        }
    }
    let bytes = if whole.is_empty() { first } else { whole.into() };
    check_type(rule, headers, &bytes)?;
    Ok(bytes)
}

fn unfinished(why: &Stopped) -> Refusal {
    let problem = match why {
        Stopped::Broken => "ended before it was complete",
        Stopped::Slow => "took too long to come",
    };
    Refusal::invalid_field("body", problem)
}

/// The coding of a body that has none (RFC 9110 §12.5.3).
const IDENTITY: &str = "identity";

fn check_type(rule: BodyRule, headers: &HeaderMap, bytes: &Bytes) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok()).unwrap_or(rule.content_type);
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok()).unwrap_or(IDENTITY);
    if !coding.trim().eq_ignore_ascii_case(IDENTITY) && !bytes.is_empty() {
        let refusal = Refusal::new(Code::UnsupportedMediaType, format!("The body is encoded as {coding}."));
        return Err(refusal.with_fix("Send the body as it is, without Content-Encoding."));
    }
    if bytes.is_empty() { Ok(()) } else { check_essence(rule, given) }
}

/// Checks the value of `Content-Type`, whatever its parameters.
///
/// # Errors
/// `unsupported_media_type`
pub(super) fn check_essence(rule: BodyRule, given: &str) -> Result<(), Refusal> {
    let essence = given.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case(rule.content_type) {
        return Ok(());
    }
    Err(wrong_type(rule, &format!("The body is {essence}")))
}

/// The refusal of a body whose type is not that of the route.
pub(super) fn wrong_type(rule: BodyRule, problem: &str) -> Refusal {
    let what = format!("{problem}; this route takes {}.", rule.content_type);
    let fix = format!("Send the header 'Content-Type: {}'.", rule.content_type);
    Refusal::new(Code::UnsupportedMediaType, what).with_fix(fix)
}

/// Reads what is left of the body of a refused request. A connection that is closed with unread bytes in it is reset, and
/// the client may lose the refusal to that (RFC 9112 §9.6).
pub(super) async fn drain(clock: &dyn Clock, headers: &HeaderMap, body: &mut Body) {
    // A client that asks first has sent nothing yet and takes the refusal for an answer.
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let until = clock.now().plus_ms(DRAIN_MS_MAX);
    let mut left = DRAIN_BYTES_MAX;
    while let Ok(Some(part)) = next(clock, body, DRAIN_SILENCE_MS_MAX, until).await {
        match left.checked_sub(part.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// The next bytes; none at the end.
async fn next(clock: &dyn Clock, body: &mut Body, silence_ms: i64, until: Time) -> Result<Option<Bytes>, Stopped> {
    let until = until.min(clock.now().plus_ms(silence_ms));
    tokio::select! {
        biased;
        frame = body.frame() => match frame {
            Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
            Some(Err(_)) => Err(Stopped::Broken),
            None => Ok(None),
        },
        () = patience(clock, until) => Err(Stopped::Slow),
    }
}

/// Comes back at that time. What has arrived already is read first: most bodies need no timer.
async fn patience(clock: &dyn Clock, until: Time) {
    for _ in 0..TURNS_WITHOUT_TIMER {
        tokio::task::yield_now().await;
    }
    clock.sleep_until(until).await;
}
