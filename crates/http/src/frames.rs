//! The frames that a stream client sends.

use posthouse_api::wire::{BodyValue, BoundedList, JsonLimits, JsonProblem, Problems, limit_problem, object, parse};
use posthouse_app::events::stream::SubscriptionRequest;
use posthouse_domain::{
    error::{Detail, ErrorCode, Refusal},
    event::{EventKind, EventPayload},
    id::{EventId, InboxId},
};
use serde_json::Value;
use uuid::Uuid;

/// Most inboxes or types in one subscription.
const NAMED_MAX: usize = 1_000;

/// A frame of a client.
pub(crate) enum ClientFrame {
    /// Subscribes to events.
    Subscribe(SubscriptionRequest, EventPayload),
    /// Requests a pong.
    Ping,
    /// Requests nothing.
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
}
