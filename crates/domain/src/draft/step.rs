//! The operations on a draft, and the states that they lead to.

use super::DraftStatus;
use crate::error::{Detail, ErrorCode, Refusal};

/// An operation on a draft.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DraftStep {
    /// Change its fields and keep the schedule.
    Edit,
    /// Change it and remove the schedule.
    Unschedule,
    /// Change and schedule it.
    EditAndSchedule,
    /// Schedule it.
    Schedule,
    /// A caller sends it, and every check passes.
    Send,
    /// A caller sends it, and a check refuses it.
    SendRefused,
    /// Its `send_at` is reached, and every check passes.
    Due,
    /// Its `send_at` is reached, and a check refuses it.
    DueRefused,
    /// Its `send_at` is reached while the workspace is stopped or the inbox is paused.
    DueHeld,
    /// The policy of the workspace or a rule keeps it until a person approves it.
    Hold,
    /// A person sends it back to its author.
    SendBack,
    /// The person takes it back from its author.
    TakeBack,
    /// Cancel it.
    Cancel,
    /// Delete it; allowed in every state except `sending`.
    Delete,
}

/// Returns the state after a step, or `None` if the step isn't allowed.
#[must_use]
pub const fn next(from: DraftStatus, step: DraftStep) -> Option<DraftStatus> {
    use DraftStatus::{Cancelled, Draft, Failed, Scheduled, Sending, Sent};
    match (from, step) {
        (Draft | Scheduled, DraftStep::Edit) => Some(from),
        (Draft | Scheduled, DraftStep::Unschedule) => Some(Draft),
        (Draft | Scheduled, DraftStep::EditAndSchedule) | (Draft | Scheduled | Failed, DraftStep::Schedule) => {
            Some(Scheduled)
        }
        (Draft | Scheduled | Failed, DraftStep::Send) | (Scheduled, DraftStep::Due) => Some(Sent),
        (Draft | Scheduled | Failed, DraftStep::SendRefused) => Some(from),
        (Scheduled, DraftStep::DueRefused) => Some(Failed),
        (Scheduled, DraftStep::DueHeld) => Some(Scheduled),
        (Draft | Scheduled | Failed, DraftStep::SendBack | DraftStep::Hold) => Some(Draft),
        (Draft | Scheduled | Failed, DraftStep::TakeBack) => Some(from),
        (Draft | Scheduled | Failed, DraftStep::Cancel) => Some(Cancelled),
        (Sending, DraftStep::Delete) => None,
        (_, DraftStep::Delete) => Some(from),
        _ => None,
    }
}

/// Applies a step to a state.
///
/// # Errors
/// Returns `draft_not_editable` with the state in `details.status` if the step isn't allowed.
pub fn apply(from: DraftStatus, step: DraftStep) -> Result<DraftStatus, Refusal> {
    next(from, step).ok_or_else(|| {
        let (status, operation) = (from.text(), step.participle());
        let refusal =
            Refusal::new(ErrorCode::DraftNotEditable, format!("A draft with status `{status}` can't be {operation}."));
        refusal.detail(Detail::Status(from))
    })
}

impl DraftStep {
    const fn participle(self) -> &'static str {
        match self {
            Self::Edit | Self::Unschedule | Self::EditAndSchedule => "changed",
            Self::Schedule => "scheduled",
            Self::Send | Self::SendRefused | Self::Due | Self::DueRefused | Self::DueHeld => "sent",
            Self::Hold => "held",
            Self::SendBack => "sent back",
            Self::TakeBack => "taken back",
            Self::Cancel => "cancelled",
            Self::Delete => "deleted",
        }
    }
}
