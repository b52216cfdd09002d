//! Drafts: messages to be reviewed, edited or sent later.
//!
//! Pure: the draft itself, its state transitions, the effect of changes, and the hash of its content. Whether a draft
//! may be sent is decided by the checks in [`crate::gate`], as for every message.

mod change;
pub mod status;
mod step;

use sha2::{Digest, Sha256};

pub use change::{DraftChange, DraftChangeResult, ScheduleChange};
pub use status::DraftStatus;
pub use step::{DraftStep, apply, next};

use crate::{
    actor::Actor,
    error::{Detail, ErrorCode, Refusal},
    id::{AttachmentId, DraftId, InboxId, MessageId, ThreadId, WorkspaceId},
    message::{Message, MessageKind},
    outbound_policy::{DraftHold, JudgedRecipient},
    time::{DAY_MS, MINUTE_MS, SECOND_MS, Time},
};

/// The shortest time between now and `send_at`, in milliseconds.
pub const AHEAD_MS_MIN: i64 = MINUTE_MS;
/// The longest time between now and `send_at`, in milliseconds.
pub const AHEAD_MS_MAX: i64 = 30 * DAY_MS;
/// Tolerance for the transit time of a request that uses the shortest time, in milliseconds.
const GRACE_MS: i64 = SECOND_MS;

named! {
    /// The origin of a draft.
    DraftSource {
        /// An API caller.
        Api = "api",
        /// The AI drafting model.
        Ai = "ai",
    }
}

/// Who approved the content of a draft, and a hash of that content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approval {
    /// Who sent or scheduled the draft, or last changed its content while it was scheduled.
    pub by: Actor,
    /// When it was approved.
    pub at: Time,
    /// The hash of the approved content ([`Draft::content_sha256`]).
    pub content_sha256: [u8; 32],
}

/// Why a person sent a draft back to its author.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SentBack {
    /// What the person asks for.
    pub note: String,
    /// Who sent it back.
    pub by: Actor,
    pub at: Time,
}

/// Why the last attempt to send a draft was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftFailure {
    /// The error code.
    pub code: String,
    /// The error message.
    pub message: String,
}

/// A file of a draft. Its bytes are stored separately.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftFile {
    pub id: AttachmentId,
    /// Its name.
    pub filename: String,
    /// Its media type.
    pub content_type: String,
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// The recipients of a draft with their origins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DraftOrigins(pub Vec<JudgedRecipient>);

/// The content of the message to be sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftContent {
    /// To, each in header form.
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub subject: Option<String>,
    /// Plain text.
    pub text: Option<String>,
    pub html: Option<String>,
    /// Structured data, as JSON text.
    pub data_json: Option<String>,
    /// The advisory kind.
    pub kind: MessageKind,
    pub files: Vec<DraftFile>,
}

impl DraftContent {
    /// Returns the size of the bodies in bytes.
    #[must_use]
    pub fn body_bytes(&self) -> u64 {
        [&self.text, &self.html, &self.data_json].into_iter().flatten().map(|body| body.len() as u64).sum()
    }
}

/// A draft as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    pub workspace: WorkspaceId,
    pub id: DraftId,
    /// The inbox it would be sent from.
    pub inbox: InboxId,
    pub status: DraftStatus,
    /// Increases with every change, so that a writer can state which version it read.
    pub revision: i64,
    /// The message that the draft replies to.
    pub answers: Option<MessageId>,
    /// The conversation it belongs to.
    pub thread: Option<ThreadId>,
    /// Whether it replies to all recipients.
    pub reply_all: bool,
    /// The content to be sent.
    pub content: DraftContent,
    /// Labels for the sent message.
    pub labels: Vec<String>,
    /// Custom metadata, as the text of a JSON object.
    pub metadata_json: String,
    /// Its origin.
    pub source: DraftSource,
    /// When it is scheduled to be sent.
    pub send_at: Option<Time>,
    pub sent_at: Option<Time>,
    /// The message it became.
    pub sent_message: Option<MessageId>,
    /// Who approved its content.
    pub approval: Option<Approval>,
    /// Set while it waits for its author, after a person sent it back. New content clears it.
    pub sent_back: Option<SentBack>,
    /// Where its recipients come from, as far as they were judged.
    pub origins: DraftOrigins,
    /// Why it waits for an approval although nobody asked for one. Only an approval sends it; new content clears it.
    pub hold: Option<DraftHold>,
    /// Why the last attempt was refused.
    pub failure: Option<DraftFailure>,
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
}

impl Draft {
    /// Creates an empty draft.
    #[must_use]
    pub fn new(workspace: WorkspaceId, id: DraftId, inbox: InboxId, source: DraftSource, now: Time) -> Self {
        let content = DraftContent {
            to: Vec::new(),
            cc: Vec::new(),
            bcc: Vec::new(),
            subject: None,
            text: None,
            html: None,
            data_json: None,
            kind: MessageKind::Message,
            files: Vec::new(),
        };
        Self {
            workspace,
            id,
            inbox,
            status: DraftStatus::Draft,
            revision: 1,
            answers: None,
            thread: None,
            reply_all: false,
            content,
            labels: Vec::new(),
            metadata_json: "{}".to_owned(),
            source,
            send_at: None,
            sent_at: None,
            sent_message: None,
            approval: None,
            sent_back: None,
            origins: DraftOrigins::default(),
            hold: None,
            failure: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Returns the SHA-256 of the content to be sent: recipients including Bcc, subject, bodies, data, kind, the names,
    /// types and hashes of the files, and the message it replies to. Metadata and labels are not part of it.
    ///
    /// Each field is preceded by a presence byte and its length in eight bytes, so that different contents never hash
    /// the same bytes.
    #[must_use]
    pub fn content_sha256(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut piece = |bytes: Option<&[u8]>| {
            hash.update([u8::from(bytes.is_some())]);
            hash.update((bytes.map_or(0, <[u8]>::len) as u64).to_be_bytes());
            hash.update(bytes.unwrap_or_default());
        };
        let c = &self.content;
        for list in [&c.to, &c.cc, &c.bcc] {
            piece(Some(&(list.len() as u64).to_be_bytes()));
            list.iter().for_each(|address| piece(Some(address.as_bytes())));
        }
        for text in [&c.subject, &c.text, &c.html, &c.data_json] {
            piece(text.as_deref().map(str::as_bytes));
        }
        piece(Some(c.kind.text().as_bytes()));
        piece(self.answers.as_ref().map(|id| id.as_uuid().as_bytes().as_slice()));
        for file in &c.files {
            piece(Some(file.filename.as_bytes()));
            piece(Some(file.content_type.as_bytes()));
            piece(Some(&file.sha256));
        }
        hash.finalize().into()
    }

    /// Checks that the content is the one that the caller has read.
    ///
    /// # Errors
    /// Returns `draft_changed` with the current hash if it isn't.
    pub fn require_content(&self, expected: [u8; 32]) -> Result<(), Refusal> {
        let current = self.content_sha256();
        if current == expected {
            return Ok(());
        }
        let hex = current.iter().map(|byte| format!("{byte:02x}")).collect();
        let refusal = Refusal::new(ErrorCode::DraftChanged, "The draft changed after it was read. Nothing was sent.");
        Err(refusal.detail(Detail::ContentSha256(hex)))
    }

    /// Returns the draft as it waits for an approval, without a schedule.
    ///
    /// # Errors
    /// Returns `draft_not_editable` if it was sent or cancelled.
    pub fn held(&self, hold: DraftHold, origins: DraftOrigins, now: Time) -> Result<Self, Refusal> {
        let mut after = self.clone();
        after.status = apply(self.status, DraftStep::Hold)?;
        (after.send_at, after.approval, after.hold) = (None, None, Some(hold));
        (after.origins, after.failure) = (origins, None);
        (after.revision, after.updated_at) = (self.revision + 1, now);
        Ok(after)
    }

    /// Creates an approval of the current content.
    #[must_use]
    pub fn approved(&self, by: Actor, at: Time) -> Approval {
        Approval { by, at, content_sha256: self.content_sha256() }
    }

    /// Returns the draft after it became `message`. Bodies and files are cleared, because the message holds them.
    #[must_use]
    pub fn sent(&self, message: &Message, approval: &Approval) -> Self {
        let mut sent = self.clone();
        (sent.status, sent.send_at) = (DraftStatus::Sent, None);
        (sent.sent_at, sent.updated_at) = (Some(message.created_at), message.created_at);
        (sent.sent_message, sent.thread) = (Some(message.id), Some(message.thread));
        (sent.content.text, sent.content.html) = (None, None);
        sent.content.files.clear();
        (sent.approval, sent.failure, sent.sent_back, sent.hold) = (Some(approval.clone()), None, None, None);
        sent.revision += 1;
        sent
    }
}

/// Checks that `send_at` is within the allowed range.
///
/// # Errors
/// Returns `invalid_send_at` if it isn't.
pub fn check_send_at(at: Time, now: Time) -> Result<(), Refusal> {
    let ahead_ms = at.since_ms(now);
    if (AHEAD_MS_MIN - GRACE_MS..=AHEAD_MS_MAX).contains(&ahead_ms) {
        return Ok(());
    }
    let which = if ahead_ms < AHEAD_MS_MIN { "less than 1 minute" } else { "more than 30 days" };
    let refusal = Refusal::new(ErrorCode::InvalidSendAt, format!("`send_at` is {which} from now ({now})."));
    Err(refusal.detail(Detail::Earliest(now.plus_ms(AHEAD_MS_MIN))).detail(Detail::Latest(now.plus_ms(AHEAD_MS_MAX))))
}

#[cfg(test)]
mod tests;
