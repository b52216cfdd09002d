//! Column conversions for domain types: IDs are 16 bytes, times are integer milliseconds, enums are their text names.

use posthouse_domain::{
    Actor, ActorKind, AgentHandle, AiProcessing, Approval, AttemptResultName, CardVisibility, Channel, ClaimStatus,
    ClientKind, ClockTime, ConnectorReach, ContactFieldSource, ContactKind, DailyLimit, DeliveryStatus, Direction,
    Disclosure, DisclosureLine, DkimSignatures, DraftContent, DraftFailure, DraftId, DraftSource, DraftStatus,
    EscalationDelivery, EscalationTrigger, EventKind, EventPayload, Extraction, Feedback, ForwardingFailure,
    HandleName, HoldReason, IdentityClientType, IdentityRequestState, IdentityScopes, IdentitySignInEvent,
    IdentitySignInFlow, InboxId, InboxKind, JobKind, JobReason, ListDirection, ListKind, ListPattern, ListPatternKind,
    ListingProblem, ListingState, LocalDeliveryState, LocalRecipient, MessageId, MessageKind, MessageStatus,
    NamedTimeZone, OnCallMailKind, OutboundPolicy, Permissions, Plan, QueueItemState, QuietHours, ReportReason,
    RequestedFields, Role, SanctionKind, ScreeningMode, ServiceMailKind, SignInPurpose, SignedContent, SigningKeyTimes,
    SigningPurpose, Skill, SubjectType, SuppressionReason, Time, TlsParameters, WebhookDeliveryStatus, WebhookId,
    WorkspaceId, WorkspaceOrigin,
};
use posthouse_mail::{bounce::BounceClass, jose::jwk::PublicJwk};
use uuid::Uuid;

use crate::{
    Error, FromColumn, Json, Result, Row, ToValue, Value, p,
    values::{Columns, Nil, column_group, json_columns, json_text, row_of_one_column},
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

posthouse_domain::with_ids!(id_columns);

name_columns!(
    ActorKind,
    CardVisibility,
    ListingState,
    ReportReason,
    SanctionKind,
    AiProcessing,
    OutboundPolicy,
    Channel,
    ClaimStatus,
    ClientKind,
    ConnectorReach,
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
    Feedback,
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
    ContactFieldSource,
    AttemptResultName,
    DraftSource,
    DraftStatus,
    QueueItemState,
    Role,
    SignInPurpose,
    WebhookDeliveryStatus,
);

/// Older versions stored whether mail is screened.
impl ToValue for ScreeningMode {
    fn to_value(&self) -> Value<'_> {
        Value::Int(match self {
            Self::Off => 0,
            Self::Hold => 1,
            Self::Monitor => 2,
        })
    }
}

impl FromColumn for ScreeningMode {
    fn from_column(value: Value<'_>) -> Result<Self> {
        match i64::from_column(value)? {
            0 => Ok(Self::Off),
            1 => Ok(Self::Hold),
            2 => Ok(Self::Monitor),
            other => Err(Error::Inconsistent(format!("unknown screening mode {other}").into())),
        }
    }
}

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

impl ToValue for Permissions {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self.names().collect::<Vec<_>>().join(",").into())
    }
}

impl FromColumn for Permissions {
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
json_columns!(
    Vec<String>,
    Vec<u32>,
    Vec<Skill>,
    Vec<LocalRecipient>,
    Disclosure,
    RequestedFields,
    SignedContent,
    Extraction
);

macro_rules! name_list_columns {
    ($($ty:ty),+ $(,)?) => {$(
        impl ToValue for Vec<$ty> {
            fn to_value(&self) -> Value<'_> { json_text(&self.iter().map(|one| one.text()).collect::<Vec<_>>()) }
        }
        impl FromColumn for Vec<$ty> {
            fn from_column(value: Value<'_>) -> Result<Self> {
                Vec::<String>::from_column(value)?.iter().map(|name| named(name, <$ty>::parse)).collect()
            }
        }
    )+};
}

name_list_columns!(MessageKind, ListingProblem);

/// A name that this version doesn't know is left out.
macro_rules! known_name_columns {
    ($($ty:ty),+) => {$(
        impl ToValue for Option<$ty> {
            fn to_value(&self) -> Value<'_> {
                self.as_ref().map_or(Value::Null, |known| Value::Text(known.text().into()))
            }
        }
        impl FromColumn for Option<$ty> {
            fn from_column(value: Value<'_>) -> Result<Self> {
                Ok(Option::<String>::from_column(value)?.and_then(|text| <$ty>::parse(&text)))
            }
        }
    )+};
}

known_name_columns!(BounceClass, TlsParameters);

macro_rules! stored_text_columns {
    ($($ty:ty),+) => {$(
        impl ToValue for $ty {
            fn to_value(&self) -> Value<'_> { Value::Text(self.text().into()) }
        }
        impl FromColumn for $ty {
            fn from_column(value: Value<'_>) -> Result<Self> { String::from_column(value).map(Self::stored) }
        }
        row_of_one_column!($ty);
    )+};
}

stored_text_columns!(AgentHandle, HandleName);

impl ToValue for PublicJwk {
    fn to_value(&self) -> Value<'_> {
        Value::Text(self.to_json().to_string().into())
    }
}

impl FromColumn for PublicJwk {
    fn from_column(value: Value<'_>) -> Result<Self> {
        let members: Option<serde_json::Map<_, _>> = serde_json::from_str(&String::from_column(value)?).ok();
        let key = members.and_then(|members| Self::parse(&members).ok());
        key.ok_or_else(|| Error::Inconsistent("an agent key has no valid public key".into()))
    }
}

impl Nil for InboxId {}

column_group!(ListPattern { text, kind });
column_group!(Option<ForwardingFailure> { code, message });
column_group!(Option<DkimSignatures> { fields, keys_digest });
column_group!(SigningKeyTimes { created_at, signs_from, retired_at, revoked_at });
column_group!(DraftContent { to, cc, bcc, subject, text, html, data_json, kind } files: Vec::new());
column_group!(Option<DraftFailure> { code, message });

impl Columns for Approval {
    fn take(row: &mut Row<'_>) -> Result<Self> {
        let by = Actor { kind: row.take()?, id: row.take()?, label: row.take()? };
        Ok(Self { by, at: row.take()?, content_sha256: row.take()? })
    }

    fn values(&self) -> Vec<Value<'_>> {
        p![self.by.kind, self.by.id, self.by.label, self.at, self.content_sha256].to_vec()
    }
}

impl Columns for Option<Approval> {
    fn take(row: &mut Row<'_>) -> Result<Self> {
        let (kind, id, label): (Option<_>, _, Option<_>) = (row.take()?, row.take()?, row.take()?);
        let (at, content_sha256): (Option<_>, Option<_>) = (row.take()?, row.take()?);
        let by = kind.zip(label).map(|(kind, label)| Actor { kind, id, label });
        Ok(by.zip(at.zip(content_sha256)).map(|(by, (at, content_sha256))| Approval { by, at, content_sha256 }))
    }

    fn values(&self) -> Vec<Value<'_>> {
        self.as_ref().map_or(vec![Value::Null; 5], Columns::values)
    }
}

/// A time zone that this version doesn't know means none.
impl Columns for Option<QuietHours> {
    fn take(row: &mut Row<'_>) -> Result<Self> {
        let (start, end): (Option<i64>, Option<i64>) = (row.take()?, row.take()?);
        let zone: Option<String> = row.take()?;
        let clock = |minutes: Option<i64>| Some(ClockTime::from_minutes(u16::try_from(minutes?).ok()?));
        let zone = zone.and_then(|name| NamedTimeZone::parse(&name).ok());
        let hours = clock(start).zip(clock(end)).zip(zone);
        Ok(hours.map(|((start, end), timezone)| QuietHours { start, end, timezone }))
    }

    fn values(&self) -> Vec<Value<'_>> {
        let Some(QuietHours { start, end, timezone }) = self else { return vec![Value::Null; 3] };
        vec![Value::Int(start.minutes().into()), Value::Int(end.minutes().into()), timezone.name.to_value()]
    }
}

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
impl Nil for WorkspaceId {}
impl Nil for MessageId {}
impl Nil for DraftId {}
impl Nil for WebhookId {}
