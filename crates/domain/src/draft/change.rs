//! Changes of a draft, and their effect on its schedule and approval.

use super::{Draft, DraftFile, DraftStatus, DraftStep, apply, check_send_at};
use crate::{
    actor::Actor,
    error::Refusal,
    id::{MessageId, ThreadId},
    message::MessageKind,
    metadata::{self, Metadata},
    send::recipients_problem,
    time::Time,
};

/// What a change does to the schedule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScheduleChange {
    /// Keep it.
    #[default]
    Keep,
    /// Remove it.
    Clear,
    /// Schedule the draft for this time.
    At(Time),
}

/// A change of a draft. `None` keeps a field; for nullable fields, an inner `None` clears it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DraftChange {
    pub to: Option<Vec<String>>,
    pub cc: Option<Vec<String>>,
    pub bcc: Option<Vec<String>>,
    pub subject: Option<Option<String>>,
    /// Plain text.
    pub text: Option<Option<String>>,
    pub html: Option<Option<String>>,
    /// Structured data.
    pub data_json: Option<Option<String>>,
    /// The advisory kind.
    pub kind: Option<MessageKind>,
    /// All files, kept and new.
    pub files: Option<Vec<DraftFile>>,
    /// Labels for the sent message.
    pub labels: Option<Vec<String>>,
    /// Merged into the stored metadata; null deletes a key.
    pub metadata: Metadata,
    /// The message that the draft replies to, and its conversation.
    pub answers: Option<(MessageId, ThreadId)>,
    /// Whether it replies to all recipients.
    pub reply_all: Option<bool>,
    pub schedule: ScheduleChange,
}

/// The result of a change.
#[derive(Clone, PartialEq, Debug)]
pub struct DraftChangeResult {
    /// The draft after the change.
    pub draft: Draft,
    /// Whether anything changed.
    pub changed: bool,
}

impl Draft {
    /// Applies a change. New content of a scheduled draft removes its schedule and approval, unless the change itself
    /// sets a time, which `by` then approves.
    ///
    /// # Errors
    /// Returns `draft_not_editable`, `invalid_send_at`, or `invalid_request` for too many recipients or metadata keys.
    pub fn changed(&self, change: &DraftChange, by: &Actor, now: Time) -> Result<DraftChangeResult, Refusal> {
        apply(self.status, DraftStep::Edit)?;
        let mut after = self.clone();
        change.apply_to(&mut after)?;
        let new_content = after.content_sha256() != self.content_sha256();
        let step = match change.schedule {
            ScheduleChange::At(at) => {
                check_send_at(at, now)?;
                DraftStep::EditAndSchedule
            }
            ScheduleChange::Clear => DraftStep::Unschedule,
            ScheduleChange::Keep if new_content && self.status == DraftStatus::Scheduled => DraftStep::Unschedule,
            ScheduleChange::Keep => DraftStep::Edit,
        };
        after.status = apply(self.status, step)?;
        match (step, change.schedule) {
            (_, ScheduleChange::At(at)) => after.schedule(at, by, now),
            (DraftStep::Unschedule, _) => (after.send_at, after.approval) = (None, None),
            _ => {}
        }
        if new_content || step == DraftStep::EditAndSchedule {
            after.sent_back = None;
        }
        if new_content {
            after.hold = None;
        }
        let changed = after != *self;
        if changed {
            (after.revision, after.updated_at) = (self.revision + 1, now);
        }
        Ok(DraftChangeResult { draft: after, changed })
    }

    /// Returns the draft scheduled for `at`, approved by `by`.
    ///
    /// # Errors
    /// Returns `draft_not_editable` or `invalid_send_at`.
    pub fn scheduled(&self, at: Time, by: &Actor, now: Time) -> Result<Self, Refusal> {
        let status = apply(self.status, DraftStep::Schedule)?;
        check_send_at(at, now)?;
        let mut after = self.clone();
        (after.status, after.revision, after.updated_at) = (status, self.revision + 1, now);
        after.schedule(at, by, now);
        after.sent_back = None;
        Ok(after)
    }

    /// Returns the draft sent back to its author with a note, without schedule and approval.
    ///
    /// # Errors
    /// Returns `draft_not_editable`.
    pub fn returned(&self, back: super::SentBack) -> Result<Self, Refusal> {
        let mut after = self.clone();
        after.status = apply(self.status, DraftStep::SendBack)?;
        (after.send_at, after.approval) = (None, None);
        (after.revision, after.updated_at) = (self.revision + 1, back.at);
        after.sent_back = Some(back);
        Ok(after)
    }

    /// Returns the draft without the note that sent it back. Its schedule stays ended.
    ///
    /// # Errors
    /// Returns `draft_not_editable`.
    pub fn taken_back(&self, now: Time) -> Result<DraftChangeResult, Refusal> {
        let mut after = self.clone();
        after.status = apply(self.status, DraftStep::TakeBack)?;
        let changed = after.sent_back.take().is_some();
        if changed {
            (after.revision, after.updated_at) = (self.revision + 1, now);
        }
        Ok(DraftChangeResult { draft: after, changed })
    }

    fn schedule(&mut self, at: Time, by: &Actor, now: Time) {
        (self.send_at, self.failure) = (Some(at), None);
        self.approval = Some(self.approved(by.clone(), now));
    }

    /// Returns the draft after a step that changes its status only: cancelled, or failed with a reason.
    ///
    /// # Errors
    /// Returns `draft_not_editable`.
    pub fn transitioned(
        &self,
        step: DraftStep,
        failure: Option<super::DraftFailure>,
        now: Time,
    ) -> Result<Self, Refusal> {
        let mut after = self.clone();
        after.status = apply(self.status, step)?;
        after.failure = failure.or(after.failure);
        if after.status == DraftStatus::Cancelled {
            after.send_at = None;
        }
        (after.revision, after.updated_at) = (self.revision + 1, now);
        Ok(after)
    }
}

impl DraftChange {
    fn apply_to(&self, draft: &mut Draft) -> Result<(), Refusal> {
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
        let recipients = draft.content.to.len() + draft.content.cc.len() + draft.content.bcc.len();
        if let Some(problem) = recipients_problem(recipients).filter(|_| recipients > 0) {
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
