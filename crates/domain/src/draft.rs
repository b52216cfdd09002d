//! Drafts: messages that wait for somebody or for their time (API document, Drafts; contract §5).
//!
//! Pure: what a draft is, the table of its transitions, what a change makes of it, and the hash of what would leave. Whether
//! it may be sent is the gate's to say, as of every message.

mod change;

use sha2::{Digest, Sha256};

pub use change::{Change, Outcome, Schedule};

use crate::{
    actor::Actor,
    error::{Code, Refusal},
    id::{AttachmentId, DraftId, InboxId, MessageId, ThreadId, WorkspaceId},
    message::{Kind, Message},
    time::{DAY_MS, MINUTE_MS, SECOND_MS, Time},
};

/// How long ahead a draft is scheduled at least, in milliseconds (contract §5.3).
pub const AHEAD_MS_MIN: i64 = MINUTE_MS;
/// How long ahead at most, in milliseconds.
pub const AHEAD_MS_MAX: i64 = 30 * DAY_MS;
/// What a request for exactly the shortest time may take on its way here, in milliseconds.
const GRACE_MS: i64 = SECOND_MS;

named! {
    /// Where a draft stands (contract §5.1).
    Status {
        /// It waits for somebody.
        Draft = "draft",
        /// It waits for its time.
        Scheduled = "scheduled",
        /// It is being queued. That lasts as long as one transaction, so nobody meets it.
        Sending = "sending",
        /// It became a message.
        Sent = "sent",
        /// It was refused when its time came.
        Failed = "failed",
        /// Somebody gave it up.
        Cancelled = "cancelled",
    }
    /// Who wrote a draft.
    Source {
        /// A caller of the API.
        Api = "api",
        /// The drafting model.
        Ai = "ai",
    }
}

/// What is done to a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Its fields are changed; the schedule stays.
    Edit,
    /// It is changed so that it has no time any more.
    Unschedule,
    /// It is changed and given a time.
    EditAndSchedule,
    /// It is given a time.
    Schedule,
    /// Somebody sends it, and every check passes.
    Send,
    /// Somebody sends it, and a check refuses.
    SendRefused,
    /// Its time has come, and every check passes.
    Due,
    /// Its time has come, and a check refuses.
    DueRefused,
    /// Its time has come while the workspace is stopped or the inbox is paused.
    DueHeld,
    /// It is given up.
    Cancel,
    /// It is deleted, which no state but `sending` forbids.
    Delete,
}

/// The state after a step, or nothing where the step cannot be taken (contract §5.2).
#[must_use]
pub const fn next(from: Status, step: Step) -> Option<Status> {
    use Status::{Cancelled, Draft, Failed, Scheduled, Sending, Sent};
    match (from, step) {
        (Draft | Scheduled, Step::Edit) => Some(from),
        (Draft | Scheduled, Step::Unschedule) => Some(Draft),
        (Draft | Scheduled, Step::EditAndSchedule) | (Draft | Scheduled | Failed, Step::Schedule) => Some(Scheduled),
        (Draft | Scheduled | Failed, Step::Send) | (Scheduled, Step::Due) => Some(Sent),
        (Draft | Scheduled | Failed, Step::SendRefused) => Some(from),
        (Scheduled, Step::DueRefused) => Some(Failed),
        (Scheduled, Step::DueHeld) => Some(Scheduled),
        (Draft | Scheduled | Failed, Step::Cancel) => Some(Cancelled),
        (Sending, Step::Delete) => None,
        (_, Step::Delete) => Some(from),
        _ => None,
    }
}

/// Takes a step, or refuses it.
///
/// # Errors
/// `draft_not_editable` with the state in `details.status`.
pub fn take(from: Status, step: Step) -> Result<Status, Refusal> {
    next(from, step).ok_or_else(|| {
        let (status, done) = (from.text(), step.words());
        let refusal = Refusal::new(Code::DraftNotEditable, format!("The draft is {status}: it cannot be {done}."));
        refusal.detail("status", status)
    })
}

impl Step {
    const fn words(self) -> &'static str {
        match self {
            Self::Edit | Self::Unschedule | Self::EditAndSchedule => "changed",
            Self::Schedule => "scheduled",
            Self::Send | Self::SendRefused | Self::Due | Self::DueRefused | Self::DueHeld => "sent",
            Self::Cancel => "cancelled",
            Self::Delete => "deleted",
        }
    }
}

/// Who vouches for a draft, and for what exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Approval {
    /// Who sent it, scheduled it, or last changed the content of a scheduled one.
    pub by: Actor,
    /// When.
    pub at: Time,
    /// What would leave then ([`Draft::content_sha256`]).
    pub content_sha256: [u8; 32],
}

/// Why the last attempt was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The refusal's code.
    pub code: String,
    /// The refusal's message.
    pub message: String,
}

/// A file of a draft; its bytes are kept beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftFile {
    /// Its id.
    pub id: AttachmentId,
    /// Its name.
    pub filename: String,
    /// Its media type.
    pub content_type: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// What would leave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DraftContent {
    /// To, each in header form.
    pub to: Vec<String>,
    /// Cc.
    pub cc: Vec<String>,
    /// Bcc.
    pub bcc: Vec<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// Plain text.
    pub text: Option<String>,
    /// HTML.
    pub html: Option<String>,
    /// Structured data, as JSON text.
    pub data_json: Option<String>,
    /// The advisory kind.
    pub kind: Kind,
    /// Files.
    pub files: Vec<DraftFile>,
}

/// A draft as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Draft {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: DraftId,
    /// The inbox it would be sent from.
    pub inbox: InboxId,
    /// Where it stands.
    pub status: Status,
    /// Rises with every change: whoever writes says which one was read.
    pub revision: i64,
    /// The message that it answers.
    pub answers: Option<MessageId>,
    /// The conversation that it belongs to.
    pub thread: Option<ThreadId>,
    /// Whether it answers all recipients.
    pub reply_all: bool,
    /// What would leave.
    pub content: DraftContent,
    /// Labels for the sent message.
    pub labels: Vec<String>,
    /// The caller's metadata, as a JSON object's text.
    pub metadata_json: String,
    /// Who wrote it.
    pub source: Source,
    /// When it is to be sent.
    pub send_at: Option<Time>,
    /// When it was sent.
    pub sent_at: Option<Time>,
    /// The message that it became.
    pub sent_message: Option<MessageId>,
    /// Who vouches for it.
    pub approval: Option<Approval>,
    /// Why the last attempt was refused.
    pub failure: Option<Failure>,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
}

impl Draft {
    /// An empty draft.
    #[must_use]
    pub fn new((workspace, id, inbox): (WorkspaceId, DraftId, InboxId), source: Source, now: Time) -> Self {
        let content = DraftContent {
            to: Vec::new(),
            cc: Vec::new(),
            bcc: Vec::new(),
            subject: None,
            text: None,
            html: None,
            data_json: None,
            kind: Kind::Message,
            files: Vec::new(),
        };
        Self {
            workspace,
            id,
            inbox,
            status: Status::Draft,
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
            failure: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// SHA-256 of what would leave: recipients with Bcc, subject, bodies, data, kind, names, types and hashes of the files,
    /// and the message that it answers. Each piece goes in behind a byte that says whether it is there and its length in
    /// eight bytes, so that no two different contents give the same bytes. Metadata and labels do not leave.
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

    /// The approval of this content by somebody.
    #[must_use]
    pub fn approved(&self, by: Actor, at: Time) -> Approval {
        Approval { by, at, content_sha256: self.content_sha256() }
    }

    /// The draft once it became that message: the message has the content now.
    #[must_use]
    pub fn sent(&self, message: &Message, approval: &Approval) -> Self {
        let mut sent = self.clone();
        (sent.status, sent.send_at) = (Status::Sent, None);
        (sent.sent_at, sent.updated_at) = (Some(message.created_at), message.created_at);
        (sent.sent_message, sent.thread) = (Some(message.id), Some(message.thread));
        (sent.content.text, sent.content.html) = (None, None);
        sent.content.files.clear();
        (sent.approval, sent.failure) = (Some(approval.clone()), None);
        sent.revision += 1;
        sent
    }
}

/// Judges a time to send at.
///
/// # Errors
/// `invalid_send_at`.
pub fn check_send_at(at: Time, now: Time) -> Result<(), Refusal> {
    let ahead_ms = at.since_ms(now);
    if (AHEAD_MS_MIN - GRACE_MS..=AHEAD_MS_MAX).contains(&ahead_ms) {
        return Ok(());
    }
    let which = if ahead_ms < AHEAD_MS_MIN { "less than 1 minute" } else { "more than 30 days" };
    let refusal = Refusal::new(Code::InvalidSendAt, format!("send_at is {which} from now, which is {now}."));
    Err(refusal
        .detail("earliest", now.plus_ms(AHEAD_MS_MIN).to_string())
        .detail("latest", now.plus_ms(AHEAD_MS_MAX).to_string()))
}

#[cfg(test)]
mod tests;
