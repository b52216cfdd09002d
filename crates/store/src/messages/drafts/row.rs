//! The row of a draft.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    draft::{Approval, Draft, DraftContent, DraftFailure, SentBack},
    time::Time,
};
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

crate::from_row!(Draft {
    workspace = workspace_id,
    id,
    inbox = inbox_id,
    status,
    revision,
    answers,
    thread = thread_id,
    reply_all,
    to = to_list,
    cc = cc_list,
    bcc = bcc_list,
    subject,
    text,
    html,
    data_json = data,
    kind = type,
    labels,
    metadata_json = metadata,
    source,
    send_at,
    sent_at,
    sent_message = sent_message_id,
    approved_by_type,
    approved_by_id,
    approved_by_label,
    approved_at,
    approved_content_sha256,
    sent_back,
    error_code: Option<String>,
    error_message: Option<String>,
    created_at,
    updated_at,
} => Self {
    workspace,
    id,
    inbox,
    status,
    revision,
    answers,
    thread,
    reply_all,
    content: DraftContent {
        to,
        cc,
        bcc,
        subject,
        text,
        html,
        data_json,
        kind,
        files: Vec::new(),
    },
    labels,
    metadata_json,
    source,
    send_at,
    sent_at,
    sent_message,
    approval: match (approved_by_type, approved_by_label, approved_at, approved_content_sha256) {
        (Some(kind), Some(label), Some(at), Some(content_sha256)) => {
            Some(Approval { by: Actor { kind, id: approved_by_id, label }, at, content_sha256 })
        }
        _ => None,
    },
    sent_back,
    failure: error_code.zip(error_message).map(|(code, message)| DraftFailure { code, message }),
    created_at,
    updated_at,
});
