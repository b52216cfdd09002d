//! What a change makes of a draft, and of its schedule and approval.

use super::{Draft, DraftFile, Status, Step, check_send_at, take};
use crate::{
    actor::Actor,
    error::Refusal,
    id::{MessageId, ThreadId},
    message::Kind,
    metadata::{self, Metadata},
    send::recipients_problem,
    time::Time,
};

/// What a change does about the time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// Nothing.
    #[default]
    Keep,
    /// The draft has none any more.
    Clear,
    /// The draft is to be sent then.
    At(Time),
}

/// A change of a draft; what is `None` stays. The inner `None` of a nullable field clears it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Change {
    /// To.
    pub to: Option<Vec<String>>,
    /// Cc.
    pub cc: Option<Vec<String>>,
    /// Bcc.
    pub bcc: Option<Vec<String>>,
    /// What it is about.
    pub subject: Option<Option<String>>,
    /// Plain text.
    pub text: Option<Option<String>>,
    /// HTML.
    pub html: Option<Option<String>>,
    /// Structured data.
    pub data_json: Option<Option<String>>,
    /// The advisory kind.
    pub kind: Option<Kind>,
    /// All files, kept ones and new ones.
    pub files: Option<Vec<DraftFile>>,
    /// Labels for the sent message.
    pub labels: Option<Vec<String>>,
    /// Merged into what is there; null deletes a key.
    pub metadata: Metadata,
    /// The message that it answers, and its conversation.
    pub answers: Option<(MessageId, ThreadId)>,
    /// Whether it answers all recipients.
    pub reply_all: Option<bool>,
    /// The time to send at.
    pub schedule: Schedule,
}

/// What became of a draft.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The draft after the change.
    pub draft: Draft,
    /// Whether anything changed.
    pub changed: bool,
}

impl Draft {
    /// Changes a draft. New content of a scheduled one ends its schedule and its approval, unless the change sets a time
    /// itself, for which its author then vouches (contract §5.1, §5.2).
    ///
    /// # Errors
    /// `draft_not_editable`, `invalid_send_at`, or `invalid_request` for too many recipients or metadata keys.
    pub fn changed(&self, change: &Change, by: &Actor, now: Time) -> Result<Outcome, Refusal> {
        take(self.status, Step::Edit)?;
        let mut after = self.clone();
        change.write(&mut after)?;
        let new_content = after.content_sha256() != self.content_sha256();
        let step = match change.schedule {
            Schedule::At(at) => {
                check_send_at(at, now)?;
                Step::EditAndSchedule
            }
            Schedule::Clear => Step::Unschedule,
            Schedule::Keep if new_content && self.status == Status::Scheduled => Step::Unschedule,
            Schedule::Keep => Step::Edit,
        };
        after.status = take(self.status, step)?;
        match (step, change.schedule) {
            (_, Schedule::At(at)) => after.schedule(at, by, now),
            (Step::Unschedule, _) => (after.send_at, after.approval) = (None, None),
            _ => {}
        }
        let changed = after != *self;
        if changed {
            (after.revision, after.updated_at) = (self.revision + 1, now);
        }
        Ok(Outcome { draft: after, changed })
    }

    /// The draft with a time, for which somebody vouches.
    ///
    /// # Errors
    /// `draft_not_editable`, `invalid_send_at`.
    pub fn scheduled(&self, at: Time, by: &Actor, now: Time) -> Result<Self, Refusal> {
        let status = take(self.status, Step::Schedule)?;
        check_send_at(at, now)?;
        let mut after = self.clone();
        (after.status, after.revision, after.updated_at) = (status, self.revision + 1, now);
        after.schedule(at, by, now);
        Ok(after)
    }

    fn schedule(&mut self, at: Time, by: &Actor, now: Time) {
        (self.send_at, self.failure) = (Some(at), None);
        self.approval = Some(self.approved(by.clone(), now));
    }

    /// The draft after a step that changes nothing but its state: cancelled, or failed with a reason.
    ///
    /// # Errors
    /// `draft_not_editable`.
    pub fn ended(&self, step: Step, failure: Option<super::Failure>, now: Time) -> Result<Self, Refusal> {
        let mut after = self.clone();
        after.status = take(self.status, step)?;
        after.failure = failure.or(after.failure);
        if after.status == Status::Cancelled {
            after.send_at = None;
        }
        (after.revision, after.updated_at) = (self.revision + 1, now);
        Ok(after)
    }
}

impl Change {
    fn write(&self, draft: &mut Draft) -> Result<(), Refusal> {
        let content = &mut draft.content;
        set(&mut content.to, &self.to);
        set(&mut content.cc, &self.cc);
        set(&mut content.bcc, &self.bcc);
        set(&mut content.subject, &self.subject);
        set(&mut content.text, &self.text);
        set(&mut content.html, &self.html);
        set(&mut content.data_json, &self.data_json);
        set(&mut content.kind, &self.kind);
        set(&mut content.files, &self.files);
        set(&mut draft.labels, &self.labels);
        set(&mut draft.reply_all, &self.reply_all);
        if let Some((message, thread)) = self.answers {
            (draft.answers, draft.thread) = (Some(message), Some(thread));
        }
        let people = draft.content.to.len() + draft.content.cc.len() + draft.content.bcc.len();
        if let Some(problem) = recipients_problem(people).filter(|_| people > 0) {
            return Err(Refusal::invalid_field("to", problem));
        }
        draft.metadata_json = metadata::merged(&draft.metadata_json, &self.metadata)?;
        Ok(())
    }
}

fn set<T: Clone>(field: &mut T, new: &Option<T>) {
    if let Some(new) = new {
        field.clone_from(new);
    }
}
