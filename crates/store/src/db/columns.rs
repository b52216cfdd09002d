//! Column conversions for domain types: IDs are 16 bytes, times are integer milliseconds, enums are their text names.

use posthouse_domain::{
    actor::ActorKind,
    agent::{SanctionKind, card::CardVisibility, listing::ListingState, report::ReportReason},
    agent_message::disclosure::Disclosure,
    contact::{self, ContactKind},
    daily_limit::DailyLimit,
    delivery::{AttemptResultName, LocalDeliveryState},
    draft,
    escalation::{EscalationDelivery, EscalationTrigger, OnCallMailKind},
    event::{EventKind, EventPayload},
    id::{
        AgentReportId, AttachmentId, ContactId, ContentId, DomainId, DraftId, EnvelopeId, EscalationId, EventId,
        ForwardId, ForwardingAddressId, IdentityClientId, IdentityRequestId, IdentitySignInId, InboxId, InvitationId,
        JobId, KeyId, LeaseId, ListEntryId, MessageId, OnCallContactId, SessionId, SignInId, ThreadId, UserId,
        WebhookDeliveryId, WebhookId, WorkspaceId,
    },
    identity::{
        IdentityRequestState, IdentitySignInEvent, IdentitySignInFlow,
        client::{IdentityClientType, SubjectType},
        scope::IdentityScopes,
    },
    inbox::InboxKind,
    job::{JobKind, JobReason},
    list::{ListDirection, ListKind, ListPatternKind},
    message::{Channel, DeliveryStatus, Direction, HoldReason, MessageKind, MessageStatus},
    plan::Plan,
    queue,
    service_mail::ServiceMailKind,
    signing_key::SigningPurpose,
    suppression::SuppressionReason,
    time::Time,
    user, webhook,
    workspace::{AiProcessing, ClaimStatus, DisclosureLine, WorkspaceOrigin},
};
use uuid::Uuid;

use crate::{
    FromColumn, Json, Result, ToValue, Value,
    values::{json_columns, json_text, row_of_one_column},
    workspaces::named,
};

macro_rules! id_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> { self.as_uuid().to_value() }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> { Uuid::from_column(value).map(Self::from) }
        }
        row_of_one_column!($ty);
    )+};
}

/// An unknown name is [`Error::Corrupt`](crate::Error::Corrupt).
macro_rules! name_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> { Value::Text(self.text().into()) }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> { named(&String::from_column(value)?, Self::parse) }
        }
        row_of_one_column!($ty);
    )+};
}

id_columns!(
    WorkspaceId,
    KeyId,
    InboxId,
    ThreadId,
    MessageId,
    ContentId,
    AttachmentId,
    EventId,
    DomainId,
    EnvelopeId,
    JobId,
    ContactId,
    ListEntryId,
    ForwardingAddressId,
    ForwardId,
    LeaseId,
    DraftId,
    WebhookId,
    WebhookDeliveryId,
    UserId,
    SessionId,
    SignInId,
    InvitationId,
    OnCallContactId,
    EscalationId,
    AgentReportId,
    IdentityClientId,
    IdentitySignInId,
    IdentityRequestId,
);

name_columns!(
    ActorKind,
    CardVisibility,
    ListingState,
    ReportReason,
    SanctionKind,
    AiProcessing,
    Channel,
    ClaimStatus,
    WorkspaceOrigin,
    ContactKind,
    DeliveryStatus,
    DisclosureLine,
    Direction,
    EscalationDelivery,
    EscalationTrigger,
    OnCallMailKind,
    ServiceMailKind,
    EventKind,
    HoldReason,
    IdentityClientType,
    IdentityRequestState,
    IdentitySignInEvent,
    IdentitySignInFlow,
    InboxKind,
    JobKind,
    JobReason,
    LocalDeliveryState,
    MessageKind,
    ListDirection,
    ListKind,
    ListPatternKind,
    EventPayload,
    Plan,
    SigningPurpose,
    DailyLimit,
    SubjectType,
    SuppressionReason,
    MessageStatus,
    contact::ContactFieldSource,
    AttemptResultName,
    draft::DraftSource,
    draft::DraftStatus,
    queue::QueueItemState,
    user::Role,
    user::SignInPurpose,
    webhook::WebhookDeliveryStatus,
);

impl ToValue for IdentityScopes {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self.to_string().into())
    }
}

impl FromColumn for IdentityScopes {
    fn from_column(value: Value<'_>) -> Result<Self> {
        named(&String::from_column(value)?, |text| Self::parse(text).ok())
    }
}

impl ToValue for Time {
    fn to_value(&self) -> Value<'_> {
        Value::Int(self.millis())
    }
}

impl FromColumn for Time {
    fn from_column(value: Value<'_>) -> Result<Self> {
        i64::from_column(value).map(Time::from_millis)
    }
}

row_of_one_column!(Time);

// Lists are JSON arrays.
json_columns!(Vec<String>, Disclosure);

/// A kind that this version doesn't know is left out.
impl FromColumn for Vec<EventKind> {
    fn from_column(value: Value<'_>) -> Result<Self> {
        Ok(Vec::<String>::from_column(value)?.iter().filter_map(|name| EventKind::parse(name)).collect())
    }
}

impl ToValue for Vec<EventKind> {
    fn to_value(&self) -> Value<'_> {
        json_text(&self.iter().map(|kind| kind.text()).collect::<Vec<_>>())
    }
}

impl FromColumn for Vec<InboxId> {
    fn from_column(value: Value<'_>) -> Result<Self> {
        Ok(Json::<Vec<Uuid>>::from_column(value)?.0.into_iter().map(InboxId).collect())
    }
}

impl ToValue for Vec<InboxId> {
    fn to_value(&self) -> Value<'_> {
        json_text(&self.iter().map(|id| id.0).collect::<Vec<_>>())
    }
}
