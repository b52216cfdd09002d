//! Domain identifiers and times as columns: 16 bytes and integer milliseconds.

use posthouse_domain::{
    id::{
        AttachmentId, ContactId, ContentId, DomainId, DraftId, EnvelopeId, EventId, ForwardId, ForwardingAddressId,
        InboxId, JobId, KeyId, LeaseId, ListEntryId, MessageId, ThreadId, WebhookDeliveryId, WebhookId, WorkspaceId,
    },
    time::Time,
};

use crate::{FromColumn, Result, ToValue, Value, id_columns};

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
