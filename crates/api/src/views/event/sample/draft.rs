//! The sample draft and its approval.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    draft::{Draft, DraftFailure, DraftSource, DraftStatus},
    event::EventKind,
    id::MessageId,
    time::{DAY_MS, Time},
};

use super::{NOW_MS, THEIRS, id};

/// Returns the actor of the examples.
pub(super) fn sample_actor() -> Actor {
    let key: uuid::Uuid = id(8);
    Actor { kind: ActorKind::ApiKey, id: Some(key.to_string()), label: "support agent".to_owned() }
}

/// Returns the sample draft for an event type.
pub(super) fn of_kind(kind: EventKind) -> Draft {
    let now = Time::from_millis(NOW_MS);
    let mut draft = Draft::new(id(1), id(9), id(3), DraftSource::Api, now);
    draft.content.to = vec![THEIRS.to_owned()];
    draft.content.subject = Some("Invoice".to_owned());
    draft.content.text = Some("Here is the invoice of January.".to_owned());
    match kind {
        EventKind::DraftSent => {
            draft.approval = Some(draft.approved(sample_actor(), now));
            (draft.status, draft.sent_at) = (DraftStatus::Sent, Some(now));
            (draft.sent_message, draft.thread) = (Some(id::<MessageId>(5)), Some(id(4)));
            draft.content.text = None;
        }
        EventKind::DraftCancelled => draft.status = DraftStatus::Cancelled,
        EventKind::DraftFailed => {
            draft.approval = Some(draft.approved(sample_actor(), now.plus_ms(-DAY_MS)));
            (draft.status, draft.send_at) = (DraftStatus::Failed, Some(now));
            let message = "The message has 1 suppressed recipient; nothing was sent.";
            draft.failure = Some(DraftFailure { code: "recipient_suppressed".to_owned(), message: message.to_owned() });
        }
        _ => {}
    }
    draft
}

/// Returns the approval of the sample message.
pub(super) fn approval() -> posthouse_domain::record::ApprovalOfMessage {
    let draft = of_kind(EventKind::DraftCreated);
    let approval = draft.approved(sample_actor(), Time::from_millis(NOW_MS));
    posthouse_domain::record::ApprovalOfMessage { message: id(5), draft: draft.id, approval }
}
