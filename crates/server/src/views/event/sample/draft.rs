//! The draft of the examples, and who vouches for it.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    draft::{Draft, Failure, Source, Status},
    event::EventKind,
    id::MessageId,
    time::{DAY_MS, Time},
};
use posthouse_store::approvals;

use super::{NOW_MS, THEIRS, id};

/// The key that does things in the examples.
pub(super) fn somebody() -> Actor {
    let key: uuid::Uuid = id(8);
    Actor { kind: ActorKind::ApiKey, id: Some(key.to_string()), label: "support agent".to_owned() }
}

/// The draft as an event of that kind shows it.
pub(super) fn of_kind(kind: EventKind) -> Draft {
    let now = Time::from_millis(NOW_MS);
    let mut draft = Draft::new((id(1), id(9), id(3)), Source::Api, now);
    draft.content.to = vec![THEIRS.to_owned()];
    draft.content.subject = Some("Invoice".to_owned());
    draft.content.text = Some("Here is the invoice of January.".to_owned());
    match kind {
        EventKind::DraftSent => {
            draft.approval = Some(draft.approved(somebody(), now));
            (draft.status, draft.sent_at) = (Status::Sent, Some(now));
            (draft.sent_message, draft.thread) = (Some(id::<MessageId>(5)), Some(id(4)));
            draft.content.text = None;
        }
        EventKind::DraftCancelled => draft.status = Status::Cancelled,
        EventKind::DraftFailed => {
            draft.approval = Some(draft.approved(somebody(), now.plus_ms(-DAY_MS)));
            (draft.status, draft.send_at) = (Status::Failed, Some(now));
            let message = "1 of the recipients bounced or complained before; nothing was sent to anyone.";
            draft.failure = Some(Failure { code: "recipient_suppressed".to_owned(), message: message.to_owned() });
        }
        _ => {}
    }
    draft
}

/// The approval that the sent message keeps.
pub(super) fn approval() -> approvals::OfMessage {
    let draft = of_kind(EventKind::DraftCreated);
    let approval = draft.approved(somebody(), Time::from_millis(NOW_MS));
    approvals::OfMessage { message: id(5), draft: draft.id, approval }
}
