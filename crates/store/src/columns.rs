//! Domain types as columns: ids are 16 bytes, times integer milliseconds, names text.

use posthouse_domain::{
    actor::ActorKind,
    contact::{self, ContactKind},
    draft,
    event::{EventKind, Payload},
    id::{
        AttachmentId, ContactId, ContentId, DomainId, DraftId, EnvelopeId, EventId, InboxId, JobId, KeyId, LeaseId,
        ListEntryId, MessageId, ThreadId, WebhookDeliveryId, WebhookId, WorkspaceId,
    },
    list::{ListDirection, ListKind, PatternType},
    message::{Channel, DeliveryStatus, Direction, Kind, Status},
    plan::Plan,
    queue,
    time::Time,
    webhook,
    workspace::{AiProcessing, Claim},
};
use uuid::Uuid;

use crate::{FromColumn, Result, ToValue, Value, suppressions::Reason, workspaces::named};

macro_rules! id_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> { self.as_uuid().to_value() }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> { Uuid::from_column(value).map(Self::from) }
        }
    )+};
}

/// A name that this binary does not know is [`Error::Corrupt`](crate::Error::Corrupt).
macro_rules! name_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> { Value::Text(self.text().into()) }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> { named(&String::from_column(value)?, Self::parse) }
        }
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
    LeaseId,
    DraftId,
    WebhookId,
    WebhookDeliveryId,
);

name_columns!(
    ActorKind,
    AiProcessing,
    Channel,
    Claim,
    ContactKind,
    DeliveryStatus,
    Direction,
    EventKind,
    Kind,
    ListDirection,
    ListKind,
    PatternType,
    Payload,
    Plan,
    Reason,
    Status,
    contact::Source,
    draft::Source,
    draft::Status,
    queue::State,
    webhook::DeliveryStatus,
);

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
