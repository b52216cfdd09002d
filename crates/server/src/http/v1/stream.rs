//! `/v1/stream`: the token, the handshake, and the frames of a client (contract §12).
//!
//! A client that speaks WebSocket is let in whoever it is and told by a close code when it may not stay: browsers never see
//! the status of a refused handshake.

use std::sync::Arc;

use axum::http::{HeaderValue, Method, header};
use posthouse_domain::{
    auth::{Permission, SecretKey},
    error::{Code, Refusal},
    event::{EventKind, Payload},
    id::{EventId, InboxId},
    stream::Ending,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    app::{
        App, recognise,
        stream::{self, Wanted},
    },
    config::SecretText,
    http::{
        route::{Answer, Input, PublicInput, Route},
        socket::{Asked, Entrance},
        wire::{List, Problems, QueryValue, Wire, object, query},
    },
    views::Moment,
};

/// Most inboxes or types that a subscription names.
const NAMED_MAX: usize = 1_000;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/v1/stream/token", "createStreamToken", Permission::MessagesRead)
            .summary("Makes a token that opens one stream within a minute, for clients that cannot send headers.")
            .answers::<TokenView>(201)
            .handle(token),
        Route::public(Method::GET, "/v1/stream", "openStream")
            .summary(
                "Opens the WebSocket of events, with a token or with the Authorization header. Frames are JSON: the server \
                 says hello; the client says subscribe with inbox_ids, event_types, payload (full or envelope) and since, all \
                 optional; the server says subscribed, and then event after event. A ping is answered with a pong. A \
                 credential that does not fit is told by close code 4001, a missing permission by 4003.",
            )
            .answers_with(101, None)
            .errors(&[Code::InvalidRequest])
            .handle(open),
    ]
}

/// A token, shown once.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "StreamToken")]
struct TokenView {
    token: String,
    expires_at: Moment,
    /// Where to open the stream, the token included.
    url: String,
}

async fn token(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let issued = stream::issue(&app, input.caller).await?;
    let token = issued.token.reveal().to_owned();
    // http becomes ws, and https wss.
    let base = app.config.base_url.trim_end_matches('/').trim_start_matches("http");
    let url = format!("ws{base}/v1/stream?token={token}");
    Answer::json(201, &TokenView { token, expires_at: issued.expires_at.into(), url })
}

impl QueryValue for SecretText {
    fn schema() -> Value {
        serde_json::json!({ "type": "string" })
    }
    fn read(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}

query! {
    /// Who opens the stream.
    struct StreamQuery {
        /// A token of POST /v1/stream/token; left out, the Authorization header counts.
        token: Option<SecretText>,
    }
}

async fn open(app: Arc<App>, input: PublicInput<StreamQuery>) -> Result<Answer, Refusal> {
    let Some(accept) = input.request.handshake else {
        let refusal =
            Refusal::invalid_field("Upgrade", "must be websocket: this route takes handshakes alone (RFC 6455)");
        return Err(refusal.with_fix("Open it with a WebSocket client."));
    };
    let accept = HeaderValue::from_str(&accept).map_err(|_| Refusal::new(Code::Internal, "No accept key."))?;
    let entrance = enter(&app, input.query.token, input.request.bearer).await?;
    let answer = Answer::switching(entrance)
        .with(header::CONNECTION, HeaderValue::from_static("Upgrade"))
        .with(header::UPGRADE, HeaderValue::from_static("websocket"))
        .with(header::SEC_WEBSOCKET_ACCEPT, accept);
    Ok(answer)
}

/// Who comes in; a refusal only for what is not the client's doing.
async fn enter(app: &App, token: Option<SecretText>, bearer: Option<SecretText>) -> Result<Entrance, Refusal> {
    let caller = match (token, bearer) {
        (Some(SecretText(token)), _) => stream::redeem(app, &token).await,
        (None, Some(SecretText(key))) => match SecretKey::parse(&key) {
            Some(key) => recognise::recognise(app, &key).await.map(|recognised| recognised.caller),
            None => return Ok(Entrance::Refused(Ending::Credential)),
        },
        (None, None) => return Ok(Entrance::Refused(Ending::Credential)),
    };
    match caller {
        Ok(caller) if stream::may_listen(&caller).is_ok() => Ok(Entrance::Admitted(caller)),
        Ok(_) => Ok(Entrance::Refused(Ending::Permission)),
        Err(refusal) if refusal.code == Code::Unauthorized => Ok(Entrance::Refused(Ending::Credential)),
        Err(refusal) => Err(refusal),
    }
}

object! {
    /// What a client wants to hear.
    struct Subscribe {
        /// Events of these inboxes alone.
        inbox_ids: Option<List<Uuid, 0, NAMED_MAX>>,
        /// Events of these types alone.
        event_types: Option<List<EventKind, 0, NAMED_MAX>>,
        /// full or envelope; full when left out.
        payload: Option<Payload>,
        /// The id of the last event that was seen: what came after it is replayed.
        since: Option<Uuid>,
    }
}

/// Reads a frame of a client.
///
/// # Errors
/// `invalid_request` for what is no frame that is known here.
pub(crate) fn read(text: &str) -> Result<Asked, Refusal> {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| Refusal::new(Code::InvalidRequest, format!("The frame is not valid JSON ({error}).")))?;
    let Value::Object(mut frame) = value else {
        return Err(Refusal::new(Code::InvalidRequest, "A frame is a JSON object."));
    };
    let kind = frame.shift_remove("type");
    match kind.as_ref().and_then(Value::as_str) {
        Some("ping") => Ok(Asked::Ping),
        Some("pong") => Ok(Asked::Nothing),
        Some("subscribe") => {
            // What is left out may be written as null.
            frame.retain(|_, value| !value.is_null());
            subscribe(&Value::Object(frame))
        }
        Some(other) => Err(Refusal::new(
            Code::InvalidRequest,
            format!("There is no frame of type {other}; a client sends subscribe and ping."),
        )),
        None => Err(Refusal::new(Code::InvalidRequest, "A frame has a type: subscribe or ping.")),
    }
}

fn subscribe(frame: &Value) -> Result<Asked, Refusal> {
    let mut problems = Problems::default();
    let wanted = Subscribe::decode(frame, "", &mut problems);
    let wanted = problems.finish(wanted)?;
    let inboxes: Option<Vec<InboxId>> = wanted.inbox_ids.map(|ids| ids.0.into_iter().map(InboxId).collect());
    let subscription = Wanted {
        inboxes: inboxes.filter(|ids| !ids.is_empty()),
        kinds: wanted.event_types.map(|kinds| kinds.0).unwrap_or_default(),
        since: wanted.since.map(EventId),
    };
    Ok(Asked::Subscribe(subscription, wanted.payload.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_and_wrong_ones_say_what_is_wrong() {
        assert!(matches!(read(r#"{"type":"ping","x":1}"#), Ok(Asked::Ping)));
        assert!(
            matches!(read(r#"{"type":"subscribe"}"#), Ok(Asked::Subscribe(wanted, Payload::Full)) if wanted.kinds.is_empty())
        );
        let whole = r#"{"type":"subscribe","inbox_ids":[],"event_types":["message.received"],"payload":"envelope","since":null}"#;
        let Ok(Asked::Subscribe(wanted, Payload::Envelope)) = read(whole) else { panic!("a subscription") };
        assert_eq!((wanted.kinds, wanted.inboxes), (vec![EventKind::MessageReceived], None));
        for (frame, said) in [
            ("x", "not valid JSON"),
            ("[]", "JSON object"),
            ("{}", "has a type"),
            (r#"{"type":"hello"}"#, "no frame of type hello"),
            (r#"{"type":"subscribe","event_types":["message.recieved"]}"#, "did you mean message.received?"),
            (r#"{"type":"subscribe","inboxes":[]}"#, "inbox_ids"),
        ] {
            let Err(refusal) = read(frame) else { panic!("{frame}") };
            assert!(refusal.message.contains(said), "{frame}: {}", refusal.message);
        }
    }
}
