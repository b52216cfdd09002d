//! The row of a draft.

use posthouse_domain::{Actor, ActorKind, SentBack, Time};
use serde::{Deserialize, Serialize};

use crate::{Result, values::stored_columns, workspaces::named};

stored_columns!(SentBack as StoredSentBack, StoredSentBack::into_sent_back);

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
