//! The frames that a stream client sends.

use posthouse_api::wire::{BodyValue, BoundedList, JsonLimits, JsonProblem, Problems, limit_problem, object, parse};
use posthouse_app::events::stream::SubscriptionRequest;
use posthouse_domain::{
    Detail, ErrorCode, EventId, EventKind, EventPayload, InboxId, Limit, LimitName, MINUTE_MS, Refusal, Time,
};
use serde_json::Value;
use uuid::Uuid;

/// Most inboxes or types in one subscription.
const NAMED_MAX: usize = 1_000;

/// The frames that a client sent in its current minute.
pub(crate) struct FrameCount {
    began: Time,
    frames: u64,
}

impl FrameCount {
    pub(crate) fn new(now: Time) -> Self {
        Self { began: now, frames: 0 }
    }

    /// Counts a frame.
    ///
    /// # Errors
    /// Returns `rate_limited` if it is one too many.
    pub(crate) fn count(&mut self, limit: Limit, now: Time) -> Result<(), Refusal> {
        if now.since_ms(self.began) >= MINUTE_MS {
            *self = Self::new(now);
        }
        self.frames += 1;
        let Some(max) = limit.filter(|max| self.frames > *max) else { return Ok(()) };
        let wait_ms = (MINUTE_MS - now.since_ms(self.began)).clamp(1, MINUTE_MS);
        let wait_s = u64::try_from((wait_ms + 999) / 1_000).unwrap_or(60);
        let message = format!("The client of this stream has sent its {max} frames for this minute.");
        let refusal = Refusal::new(ErrorCode::RateLimited, message);
        let refusal = refusal.with_fix("Send one `subscribe` for all inboxes, and fewer pings.");
        Err(refusal.at_limit(LimitName::StreamFramesPerMinute, max, wait_s))
    }
}

/// A frame of a client.
pub(crate) enum ClientFrame {
    /// Subscribes to events.
    Subscribe(SubscriptionRequest, EventPayload),
    /// Requests a pong.
    Ping,
    /// Ignored; any frame shows that the client is connected.
    Pong,
}

object! {
    /// A subscription to events.
    struct Subscribe {
        /// Only events of these inboxes.
        inbox_ids: Option<BoundedList<Uuid, 0, NAMED_MAX>>,
        /// Only events of these types.
        event_types: Option<BoundedList<EventKind, 0, NAMED_MAX>>,
        /// `full` or `envelope`. Default: `full`.
        payload: Option<EventPayload>,
        /// The id of the last event you received. Later events are replayed.
        since: Option<Uuid>,
    }
}

/// Parses a frame of a client.
///
/// # Errors
/// Returns `invalid_request` if the frame is malformed or its type is unknown.
pub(crate) fn read(text: &str, limits: JsonLimits) -> Result<ClientFrame, Refusal> {
    let value = parse(text.as_bytes(), limits).map_err(|problem| match problem {
        JsonProblem::Invalid(error) => {
            Refusal::new(ErrorCode::InvalidRequest, format!("The frame is not valid JSON ({error})."))
        }
        JsonProblem::Limit(limit, max) => {
            let message = format!("The frame {}.", limit_problem(limit, max));
            let refusal = Refusal::new(ErrorCode::InvalidRequest, message);
            refusal.detail(Detail::Limit(limit)).detail(Detail::Max(max as u64))
        }
    })?;
    let Value::Object(mut frame) = value else {
        return Err(Refusal::new(ErrorCode::InvalidRequest, "A frame must be a JSON object."));
    };
    let kind = frame.shift_remove("type");
    match kind.as_ref().and_then(Value::as_str) {
        Some("ping") => Ok(ClientFrame::Ping),
        Some("pong") => Ok(ClientFrame::Pong),
        Some("subscribe") => {
            // Null means the same as an absent member.
            frame.retain(|_, value| !value.is_null());
            subscribe(&Value::Object(frame))
        }
        Some(other) => Err(Refusal::new(
            ErrorCode::InvalidRequest,
            format!("A frame of type `{other}` can't be sent by a client; use `subscribe` or `ping`."),
        )),
        None => Err(Refusal::new(ErrorCode::InvalidRequest, "A frame must have a `type`: `subscribe` or `ping`.")),
    }
}

fn subscribe(frame: &Value) -> Result<ClientFrame, Refusal> {
    let mut problems = Problems::default();
    let wanted = Subscribe::decode(frame, "", &mut problems);
    let wanted = problems.finish(wanted)?;
    let inboxes: Option<Vec<InboxId>> = wanted.inbox_ids.map(|ids| ids.0.into_iter().map(InboxId).collect());
    let subscription = SubscriptionRequest {
        inboxes: inboxes.filter(|ids| !ids.is_empty()),
        kinds: wanted.event_types.map(|kinds| kinds.0).unwrap_or_default(),
        since: wanted.since.map(EventId),
    };
    Ok(ClientFrame::Subscribe(subscription, wanted.payload.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ClientFrame, Refusal> {
        super::read(text, JsonLimits { values_max: 100, depth_max: 8 })
    }

    #[test]
    fn frames_are_parsed_and_errors_name_the_problem() {
        assert!(matches!(read(r#"{"type":"ping","x":1}"#), Ok(ClientFrame::Ping)));
        let Ok(ClientFrame::Subscribe(wanted, EventPayload::Full)) = read(r#"{"type":"subscribe"}"#) else {
            panic!("a subscription")
        };
        assert!(wanted.kinds.is_empty());
        let whole = r#"{"type":"subscribe","inbox_ids":[],"event_types":["message.received"],
            "payload":"envelope","since":null}"#;
        let Ok(ClientFrame::Subscribe(wanted, EventPayload::Envelope)) = read(whole) else { panic!("a subscription") };
        assert_eq!((wanted.kinds, wanted.inboxes), (vec![EventKind::MessageReceived], None));
        for (frame, expected) in [
            ("x", "not valid JSON"),
            ("[[[[[[[[[", "nested deeper than 8"),
            ("[]", "JSON object"),
            ("{}", "have a `type`"),
            (r#"{"type":"hello"}"#, "A frame of type `hello` can't be sent"),
            (r#"{"type":"subscribe","event_types":["message.recieved"]}"#, "did you mean message.received?"),
            (r#"{"type":"subscribe","inboxes":[]}"#, "inbox_ids"),
        ] {
            let Err(refusal) = read(frame) else { panic!("{frame}") };
            assert!(refusal.message.contains(expected), "{frame}: {}", refusal.message);
        }
    }

    #[test]
    fn frames_of_a_minute_are_limited() {
        let start = Time::from_millis(1_000_000);
        let mut count = FrameCount::new(start);
        for _ in 0..3 {
            count.count(Some(3), start).expect("within the limit");
        }
        let refusal = count.count(Some(3), start.plus_ms(20_500)).expect_err("one too many");
        assert_eq!((refusal.limit(), refusal.retry_after_s), (Some(LimitName::StreamFramesPerMinute), Some(40)));
        count.count(Some(3), start.plus_ms(MINUTE_MS)).expect("a new minute");
        (0..100).for_each(|_| count.count(None, start).expect("unlimited"));
    }
}
