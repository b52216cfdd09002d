//! Parameters of the methods. All problems are reported at once.

use posthouse_app::Service;
use posthouse_app::events::{
    cursor::{EventCursor, ResumeRequest},
    occurrences::{OccurrenceRequest, POLLED_EVENTS_MAX, not_before},
};
use posthouse_domain::{
    EventKind, EventPayload, FieldProblem, InboxId, Refusal, webhook::subscription::SubscriptionArguments,
    webhook::subscription::SuggestedTtl,
};
use serde_json::{Map, Value};

use super::failure;
use crate::protocol::{Failure, FailureKind};

/// Events of a poll that doesn't say how many.
const POLLED_EVENTS_DEFAULT: usize = 50;
/// Longest cursor that is looked at, in characters.
const CURSOR_CHARS_MAX: usize = 64;

/// What a client wants to get.
pub(super) struct WantedEvents {
    /// The events.
    pub(super) request: OccurrenceRequest,
    /// The most events of one answer.
    pub(super) events_max: usize,
}

/// The parameters of a subscription by webhook.
pub(super) struct WebhookParams {
    /// The URL.
    pub(super) url: String,
    /// The secret; `None` if it wasn't sent.
    pub(super) secret: Option<String>,
}

/// Reads the parameters that all methods share.
///
/// # Errors
/// Returns the problems, or that the event type doesn't exist.
pub(super) fn read(service: &Service, params: &Map<String, Value>) -> Result<WantedEvents, Failure> {
    let mut reader = ParameterReader { params, problems: Vec::new() };
    let kind = reader.name();
    let arguments = reader.arguments();
    let cursor = reader.cursor();
    let max_age_ms = reader.count("maxAgeMs", 0);
    let events_max = reader.count("maxEvents", 1).and_then(|count| usize::try_from(count).ok());
    reader.finish()?;
    let kind = kind.unwrap_or_default();
    let kind = EventKind::read(&kind).ok().filter(|kind| *kind != EventKind::WebhookTest).ok_or_else(|| {
        let problem = EventKind::read(&kind).err();
        failure::unknown_event(&problem.unwrap_or_else(|| format!("{kind} is only sent to a webhook that is tested")))
    })?;
    let from = ResumeRequest { cursor, not_before: not_before(service.clock.now(), max_age_ms) };
    Ok(WantedEvents {
        request: OccurrenceRequest { kind, arguments, from },
        events_max: events_max.unwrap_or(POLLED_EVENTS_DEFAULT).min(POLLED_EVENTS_MAX),
    })
}

/// Whether a method needs the mode of the delivery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ModeRule {
    /// `events/subscribe`: a client says what it expects.
    Required,
    /// `events/unsubscribe`: the URL names the subscription.
    Optional,
}

/// Reads where a webhook is delivered.
///
/// # Errors
/// Returns the problems, or that the mode isn't supported.
pub(super) fn read_delivery(params: &Map<String, Value>, mode_rule: ModeRule) -> Result<WebhookParams, Failure> {
    let Some(delivery) = params.get("delivery").and_then(Value::as_object) else {
        return Err(invalid(&[problem("delivery", "is required and must be an object")]));
    };
    match delivery.get("mode") {
        None if mode_rule == ModeRule::Optional => {}
        None => return Err(invalid(&[problem("delivery.mode", "is required and must be `webhook`")])),
        Some(Value::String(mode)) if mode == "webhook" => {}
        Some(Value::String(mode)) => return Err(failure::unsupported_mode(mode)),
        Some(_) => return Err(invalid(&[problem("delivery.mode", "must be `webhook`")])),
    }
    let text = |name: &str| delivery.get(name).and_then(Value::as_str).map(str::to_owned);
    let url = text("url").ok_or_else(|| invalid(&[problem("delivery.url", "is required and must be a string")]))?;
    Ok(WebhookParams { url, secret: text("secret") })
}

/// Reads the suggested life of a subscription.
///
/// # Errors
/// Returns the problem.
pub(super) fn read_ttl(params: &Map<String, Value>) -> Result<SuggestedTtl, Failure> {
    match params.get("ttlMs") {
        None => Ok(SuggestedTtl::Default),
        Some(Value::Null) => Ok(SuggestedTtl::Endless),
        Some(value) => match value.as_i64().or_else(|| value.as_f64().map(|ms| ms as i64)) {
            Some(ms) => Ok(SuggestedTtl::Ms(ms)),
            None => Err(invalid(&[problem("ttlMs", "must be a number of milliseconds or null")])),
        },
    }
}

fn problem(path: impl Into<String>, problem: impl Into<String>) -> FieldProblem {
    FieldProblem { path: path.into(), problem: problem.into() }
}

fn invalid(problems: &[FieldProblem]) -> Failure {
    let text: Vec<String> = problems.iter().map(|one| format!("`params.{}` {}.", one.path, one.problem)).collect();
    Failure::new(FailureKind::InvalidParams, text.join(" ")).with_data(serde_json::json!({
        "fields": problems.iter().map(|one| serde_json::json!({ "path": one.path, "problem": one.problem })).collect::<Vec<_>>(),
    }))
}

/// Reads parameters and collects their problems.
struct ParameterReader<'a> {
    params: &'a Map<String, Value>,
    problems: Vec<FieldProblem>,
}

impl ParameterReader<'_> {
    fn note(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.problems.push(problem(path, text));
    }

    fn finish(self) -> Result<(), Failure> {
        if self.problems.is_empty() { Ok(()) } else { Err(invalid(&self.problems)) }
    }

    fn name(&mut self) -> Option<String> {
        let name = self.params.get("name").and_then(Value::as_str).map(str::to_owned);
        if name.is_none() {
            self.note("name", "is required and must be the name of an event type");
        }
        name
    }

    fn arguments(&mut self) -> SubscriptionArguments {
        let mut arguments = SubscriptionArguments::default();
        let members = match self.params.get("arguments") {
            None | Some(Value::Null) => return arguments,
            Some(Value::Object(members)) => members,
            Some(_) => {
                self.note("arguments", "must be an object");
                return arguments;
            }
        };
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            match (name.as_str(), value.as_str()) {
                ("inbox_id", Some(id)) if id.parse::<InboxId>().is_ok() => arguments.inbox = id.parse().ok(),
                ("inbox_id", _) => self.note("arguments.inbox_id", "must be the id of an inbox"),
                ("payload", Some(form)) if EventPayload::parse(form).is_some() => {
                    arguments.payload = EventPayload::parse(form);
                }
                ("payload", _) => self.note("arguments.payload", "must be `full` or `envelope`"),
                _ => self.note(format!("arguments.{name}"), "is unknown; the arguments are `inbox_id` and `payload`"),
            }
        }
        arguments
    }

    fn cursor(&mut self) -> Option<EventCursor> {
        match self.params.get("cursor") {
            None | Some(Value::Null) => None,
            Some(value) => {
                let text = value.as_str().filter(|text| text.len() <= CURSOR_CHARS_MAX);
                let cursor = text.and_then(|text| EventCursor::parse(text).ok());
                if cursor.is_none() {
                    self.note("cursor", "must be the last `cursor` that you got, or null to start with the next event");
                }
                cursor
            }
        }
    }

    fn count(&mut self, name: &str, min: i64) -> Option<i64> {
        match self.params.get(name) {
            None | Some(Value::Null) => None,
            Some(value) => {
                let count = value.as_i64().filter(|count| *count >= min);
                if count.is_none() {
                    self.note(name, format!("must be a whole number of at least {min}"));
                }
                count
            }
        }
    }
}

/// Returns the refusal of a method that needs what a client doesn't have.
pub(super) fn missing_secret() -> Refusal {
    Refusal::invalid_field("delivery.secret", "is required: `whsec_` followed by the base64 of 24 to 64 random bytes")
}
