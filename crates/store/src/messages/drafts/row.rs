//! The row of a draft.

use posthouse_domain::{
    Actor, ActorKind, DraftHold, DraftOrigins, FindingKind, JudgedRecipient, MessageId, OriginKind, OutboundFinding,
    OutboundRisk, RecipientOrigin, SentBack, Time,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Result, values::stored_columns, workspaces::named};

stored_columns!(SentBack as StoredSentBack, StoredSentBack::into_sent_back);
stored_columns!(RecipientOrigin as StoredOrigin, StoredOrigin::origin);
stored_columns!(DraftOrigins as StoredOrigins, StoredOrigins::origins);
stored_columns!(DraftHold as StoredHold, StoredHold::hold);

/// A [`RecipientOrigin`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredOrigin {
    kind: String,
    message: Option<Uuid>,
}

/// A [`JudgedRecipient`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredRecipient {
    address: String,
    origin: StoredOrigin,
}

/// [`DraftOrigins`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredOrigins(Vec<StoredRecipient>);

/// An [`OutboundFinding`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredFinding {
    kind: String,
    place: String,
    start: u64,
    end: u64,
}

/// A [`DraftHold`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredHold {
    reason: String,
    recipients: StoredOrigins,
    findings: Vec<StoredFinding>,
}

impl From<&RecipientOrigin> for StoredOrigin {
    fn from(origin: &RecipientOrigin) -> Self {
        Self { kind: origin.kind.text().to_owned(), message: origin.message.map(|id| id.0) }
    }
}

impl StoredOrigin {
    fn origin(self) -> Result<RecipientOrigin> {
        Ok(RecipientOrigin { kind: named(&self.kind, OriginKind::parse)?, message: self.message.map(MessageId) })
    }
}

impl StoredOrigins {
    fn of(recipients: &[JudgedRecipient]) -> Self {
        let stored = |one: &JudgedRecipient| StoredRecipient {
            address: one.address.clone(),
            origin: StoredOrigin::from(&one.origin),
        };
        Self(recipients.iter().map(stored).collect())
    }

    fn recipients(self) -> Result<Vec<JudgedRecipient>> {
        let judged = |one: StoredRecipient| Ok(JudgedRecipient { address: one.address, origin: one.origin.origin()? });
        self.0.into_iter().map(judged).collect()
    }

    fn origins(self) -> Result<DraftOrigins> {
        self.recipients().map(DraftOrigins)
    }
}

impl From<&DraftOrigins> for StoredOrigins {
    fn from(origins: &DraftOrigins) -> Self {
        Self::of(&origins.0)
    }
}

impl From<&DraftHold> for StoredHold {
    fn from(hold: &DraftHold) -> Self {
        let finding = |one: &OutboundFinding| StoredFinding {
            kind: one.kind.text().to_owned(),
            place: one.place.clone(),
            start: one.start,
            end: one.end,
        };
        Self {
            reason: hold.reason.text().to_owned(),
            recipients: StoredOrigins::of(&hold.recipients),
            findings: hold.findings.iter().map(finding).collect(),
        }
    }
}

impl StoredHold {
    fn hold(self) -> Result<DraftHold> {
        let finding = |one: StoredFinding| {
            let kind = named(&one.kind, FindingKind::parse)?;
            Ok(OutboundFinding { kind, place: one.place, start: one.start, end: one.end })
        };
        Ok(DraftHold {
            reason: named(&self.reason, OutboundRisk::parse)?,
            recipients: self.recipients.recipients()?,
            findings: self.findings.into_iter().map(finding).collect::<Result<_>>()?,
        })
    }
}

/// A [`SentBack`] as stored.
#[derive(Serialize, Deserialize)]
struct StoredSentBack {
    note: String,
    by_type: String,
    by_id: Option<String>,
    by_label: String,
    at: i64,
}

impl From<&SentBack> for StoredSentBack {
    fn from(back: &SentBack) -> Self {
        let by = &back.by;
        Self {
            note: back.note.clone(),
            by_type: by.kind.text().to_owned(),
            by_id: by.id.clone(),
            by_label: by.label.clone(),
            at: back.at.millis(),
        }
    }
}

impl StoredSentBack {
    fn into_sent_back(self) -> Result<SentBack> {
        let by = Actor { kind: named(&self.by_type, ActorKind::parse)?, id: self.by_id, label: self.by_label };
        Ok(SentBack { note: self.note, by, at: Time::from_millis(self.at) })
    }
}
