//! Named enums of the domain as request values.

use posthouse_domain::{
    agent::{
        card::{CardVisibility, Routing},
        report::ReportReason,
    },
    analysis::{Feedback, ScreeningMode, ScreeningTimeout},
    auth::Permission,
    contact::ContactKind,
    draft,
    escalation::EscalationDelivery,
    list::{ListDirection, ListKind},
    message::{Channel, Direction, MessageKind, MessageStatus},
    outbound_policy::OutboundPolicy,
    record::{PromotionsFilter, RecordView},
    rule::{RuleActionKind, RuleField},
    send::InvitationAnswer,
    user::Role,
    workspace::{AiProcessing, DisclosureLine},
};
use serde_json::{Value, json};

use super::{BodyValue, Problems, QueryValue, expected};

/// The number of names from which a list of them has a title, so that the document writes it once.
const TITLED_FROM: usize = 9;

macro_rules! names {
    ($($ty:ty),+ $(,)?) => {$(
        impl BodyValue for $ty {
            fn schema() -> Value {
                let mut schema = json!({ "type": "string", "enum": texts(Self::ALL, Self::text) });
                if Self::ALL.len() >= TITLED_FROM {
                    schema["title"] = stringify!($ty).into();
                }
                schema
            }

            fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
                match value.as_str().map(<Self as QueryValue>::read) {
                    Some(Ok(named)) => Some(named),
                    Some(Err(problem)) => problems.add(path, problem),
                    None => expected("a string", value, path, problems),
                }
            }
        }

        impl QueryValue for $ty {
            fn schema() -> Value {
                <Self as BodyValue>::schema()
            }

            fn read(text: &str) -> Result<Self, String> {
                let problem = || format!("must be one of {}", texts(Self::ALL, Self::text).join(", "));
                Self::parse(text).ok_or_else(problem)
            }
        }
    )+};
}

names!(
    AiProcessing,
    Feedback,
    ScreeningMode,
    ScreeningTimeout,
    OutboundPolicy,
    CardVisibility,
    DisclosureLine,
    ReportReason,
    Routing,
    Role,
    Channel,
    ContactKind,
    Direction,
    InvitationAnswer,
    EscalationDelivery,
    MessageKind,
    ListDirection,
    ListKind,
    MessageStatus,
    Permission,
    PromotionsFilter,
    RecordView,
    RuleActionKind,
    RuleField,
    draft::DraftStatus
);

/// A screening mode; `true` means `hold`, and `false` means `off`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScreeningChoice(pub ScreeningMode);

impl BodyValue for ScreeningChoice {
    fn schema() -> Value {
        json!({ "title": "ScreeningChoice", "anyOf": [<ScreeningMode as BodyValue>::schema(), { "type": "boolean" }] })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        match value.as_bool() {
            Some(is_on) => Some(Self(if is_on { ScreeningMode::Hold } else { ScreeningMode::Off })),
            None => <ScreeningMode as BodyValue>::decode(value, path, problems).map(Self),
        }
    }
}

fn texts<T: Copy>(all: &[T], text: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|value| text(*value)).collect()
}
