//! Reads request bodies with limits on size, type and time.

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use posthouse_app::ports::Clock;
use posthouse_call::BodyRule;
use posthouse_domain::{ErrorCode, Refusal, Time};

use crate::request::body_budget::{BodyBuffer, BodyShare};
use crate::request::form;

/// How long a body may be idle, in milliseconds.
const IDLE_MS_MAX: i64 = 30_000;
/// How long a whole body may take, in milliseconds: the largest one then arrives at over half a megabit per second.
const BODY_MS_MAX: i64 = 600_000;
/// How often the task yields before it sets a timer.
const YIELDS_WITHOUT_TIMER: u32 = 8;

/// Why a body stopped before its end.
pub(crate) enum BodyReadError {
    /// The client disconnected or sent a malformed body.
    Broken,
    /// The time ran out.
    Slow,
}

/// Reads the body of a route. `share` is the memory that it holds, until it is dropped.
///
/// # Errors
/// Returns `body_too_large`, `unsupported_media_type`, `invalid_request` if the body is incomplete, or `rate_limited` or
/// `unavailable` if other bodies hold too much memory.
pub(crate) async fn read(
    clock: &dyn Clock,
    rule: BodyRule,
    headers: &HeaderMap,
    body: &mut Body,
    share: &mut BodyShare,
) -> Result<Bytes, Refusal> {
    let too_large =
        || Refusal::new(ErrorCode::BodyTooLarge, format!("The request body is larger than {} bytes.", rule.bytes_max));
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|l| l.to_str().ok()).and_then(|l| l.parse::<usize>().ok());
    if declared.is_some_and(|length| length > rule.bytes_max) {
        return Err(too_large());
    }
    let until = clock.now().plus_ms(BODY_MS_MAX);
    let mut buffer = BodyBuffer::new(share, declared.unwrap_or(rule.bytes_max));
    while let Some(part) = next(clock, body, IDLE_MS_MAX, until).await.map_err(|why| unfinished(&why))? {
        if buffer.len() + part.len() > rule.bytes_max {
            return Err(too_large());
        }
        buffer.push(part)?;
    }
    let bytes = buffer.finish();
    check_type(rule, headers, &bytes)?;
    match form_type(rule, headers) {
        Some(form) => form::to_json(form, &bytes),
        None => Ok(bytes),
    }
}

/// Returns the content type of a form, if the route accepts forms and the request has one.
fn form_type(rule: BodyRule, headers: &HeaderMap) -> Option<&str> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok())?;
    (rule.has_forms && is_type(given, form::CONTENT_TYPE)).then_some(given)
}

fn unfinished(why: &BodyReadError) -> Refusal {
    let problem = match why {
        BodyReadError::Broken => "ended before it was complete",
        BodyReadError::Slow => "took too long to arrive",
    };
    Refusal::invalid_field("body", problem)
}

/// The content coding of an unencoded body (RFC 9110 §12.5.3).
const IDENTITY: &str = "identity";

fn check_type(rule: BodyRule, headers: &HeaderMap, bytes: &Bytes) -> Result<(), Refusal> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok()).unwrap_or(rule.content_type);
    let coding = headers.get(header::CONTENT_ENCODING).and_then(|coding| coding.to_str().ok()).unwrap_or(IDENTITY);
    if !coding.trim().eq_ignore_ascii_case(IDENTITY) && !bytes.is_empty() {
        let refusal = Refusal::new(ErrorCode::UnsupportedMediaType, format!("The body is encoded as {coding}."));
        return Err(refusal.with_fix("Send the body as it is, without `Content-Encoding`."));
    }
    if bytes.is_empty() { Ok(()) } else { check_essence(rule, given) }
}

/// Checks the media type in `Content-Type`, ignoring its parameters.
///
/// # Errors
/// Returns `unsupported_media_type` if it is not the type of the route.
pub(crate) fn check_essence(rule: BodyRule, given: &str) -> Result<(), Refusal> {
    if is_type(given, rule.content_type) || (rule.has_forms && is_type(given, form::CONTENT_TYPE)) {
        return Ok(());
    }
    Err(wrong_type(rule, &format!("The body is {}", essence(given))))
}

fn is_type(given: &str, wanted: &str) -> bool {
    essence(given).eq_ignore_ascii_case(wanted)
}

/// Returns a content type without its parameters.
fn essence(given: &str) -> &str {
    given.split(';').next().unwrap_or_default().trim()
}

/// Creates the refusal of a body whose type is not that of the route.
pub(crate) fn wrong_type(rule: BodyRule, problem: &str) -> Refusal {
    let what = format!("{problem}; this route accepts {}.", rule.content_type);
    let fix = format!("Send the header `Content-Type: {}`.", rule.content_type);
    let (what, fix) = if rule.has_forms {
        let what = format!("{problem}; this route accepts {} and {}.", form::CONTENT_TYPE, rule.content_type);
        (what, "Send a form, as browsers and curl's option -F do.".to_owned())
    } else {
        (what, fix)
    };
    Refusal::new(ErrorCode::UnsupportedMediaType, what).with_fix(fix)
}

/// Returns the next bytes, or `None` at the end.
pub(crate) async fn next(
    clock: &dyn Clock,
    body: &mut Body,
    idle_ms: i64,
    until: Time,
) -> Result<Option<Bytes>, BodyReadError> {
    let until = until.min(clock.now().plus_ms(idle_ms));
    tokio::select! {
        biased;
        frame = body.frame() => match frame {
            Some(Ok(frame)) => Ok(Some(frame.into_data().unwrap_or_default())),
            Some(Err(_)) => Err(BodyReadError::Broken),
            None => Ok(None),
        },
        () = wait_until(clock, until) => Err(BodyReadError::Slow),
    }
}

/// Waits until the given time. Yields first, so that bytes that have already arrived are read without a timer.
async fn wait_until(clock: &dyn Clock, until: Time) {
    for _ in 0..YIELDS_WITHOUT_TIMER {
        tokio::task::yield_now().await;
    }
    clock.sleep_until(until).await;
}
