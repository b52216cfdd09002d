//! Events: what happened, in the order it happened, in one log per workspace (API document, Events; decision 12).

use crate::{
    id::{EventId, InboxId, MessageId, ThreadId, WorkspaceId},
    text::nearest,
    time::{DAY_MS, Time},
};

/// How long the log is kept, in milliseconds.
pub const KEPT_MS: i64 = 30 * DAY_MS;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal,)*) => {
        /// What happened (contract §11.5).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum EventKind { $($(#[doc = $doc])* $name,)* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[EventKind] = &[$(EventKind::$name,)*];

            /// The `type` on the wire.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(EventKind::$name => $text,)* } }

            /// When it happens, in a sentence, for the catalogue.
            #[must_use]
            pub fn meaning(self) -> &'static str { match self { $(EventKind::$name => concat!($($doc),*).trim(),)* } }

            /// The kind of that name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some(EventKind::$name),)* _ => None } }
        }
    };
}

kinds! {
    /// An inbound message was stored; not of reports about bounces.
    MessageReceived = "message.received",
    /// An outbound message left this server.
    MessageSent = "message.sent",
    /// The recipient's server accepted it.
    MessageDelivered = "message.delivered",
    /// Delivery failed for good.
    MessageBounced = "message.bounced",
    /// The recipient marked it as spam.
    MessageComplained = "message.complained",
    /// The categoriser processed an inbound message; at most once for each, after message.received.
    MessageEnriched = "message.enriched",
    /// Held mail was released.
    MessageReleased = "message.released",
    /// An inbound message was stopped by a receive list; it is stored with the label `blocked`.
    MessageReceivedBlocked = "message.received.blocked",
    /// A temporary inbox expired and was wiped.
    InboxExpired = "inbox.expired",
    /// An inbox was paused.
    InboxPaused = "inbox.paused",
    /// An inbox was resumed.
    InboxResumed = "inbox.resumed",
    /// A draft was made.
    DraftCreated = "draft.created",
    /// A draft was changed or scheduled.
    DraftUpdated = "draft.updated",
    /// A draft was sent.
    DraftSent = "draft.sent",
    /// A draft was cancelled.
    DraftCancelled = "draft.cancelled",
    /// A scheduled draft was refused when its time came.
    DraftFailed = "draft.failed",
    /// A domain's records are all there.
    DomainVerified = "domain.verified",
    /// A verified domain's records are not there any more.
    DomainFailed = "domain.failed",
    /// A new DKIM key signs for a domain.
    DomainDkimRotated = "domain.dkim_rotated",
    /// A DKIM key has signed for a year.
    DomainDkimRotationDue = "domain.dkim_rotation_due",
    /// The emergency stop came into force.
    WorkspaceStopped = "workspace.stopped",
    /// An owner ended the emergency stop.
    WorkspaceResumed = "workspace.resumed",
    /// A webhook is tried out; only that webhook gets it.
    WebhookTest = "webhook.test",
}

impl EventKind {
    /// What a webhook takes that was made without a list: all message events but those of blocked mail, which is hidden
    /// everywhere else too (API document, Events, rule 1; contract §11.2).
    pub const DEFAULT: &[EventKind] = &[
        EventKind::MessageReceived,
        EventKind::MessageSent,
        EventKind::MessageDelivered,
        EventKind::MessageBounced,
        EventKind::MessageComplained,
        EventKind::MessageEnriched,
        EventKind::MessageReleased,
    ];

    /// The kind of that name.
    ///
    /// # Errors
    /// What is wrong with the name, with the nearest one that there is.
    pub fn read(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.iter().map(|kind| kind.text());
        Self::parse(text).ok_or_else(|| match nearest(text, names()) {
            Some(near) => format!("{text} is not a type of event; did you mean {near}?"),
            None => format!("{text} is not a type of event; they are {}", names().collect::<Vec<_>>().join(", ")),
        })
    }
}

named! {
    /// How much of an event is shown (contract §11.4).
    #[derive(Default)]
    Payload {
        /// Everything.
        #[default]
        Full = "full",
        /// Who wrote to whom about what: never a body.
        Envelope = "envelope",
    }
}

/// An event to be written.
#[derive(Clone, PartialEq, Debug)]
pub struct NewEvent {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id, the same on every transport.
    pub id: EventId,
    /// What happened.
    pub kind: EventKind,
    /// The inbox it concerns.
    pub inbox: Option<InboxId>,
    /// The conversation it concerns.
    pub thread: Option<ThreadId>,
    /// The message it concerns.
    pub message: Option<MessageId>,
    /// What the tables will not say later, as a JSON object's text.
    pub detail_json: String,
    /// When it happened.
    pub at: Time,
}

/// An event in the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its place in the log; without gaps.
    pub seq: i64,
    /// Whether it was held back while its inbox was paused.
    pub released: bool,
    /// The event.
    pub event: NewEvent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_a_wrong_one_is_told_the_nearest() {
        for kind in EventKind::ALL {
            assert_eq!(EventKind::read(kind.text()), Ok(*kind));
            assert!(kind.meaning().ends_with(|last: char| last.is_alphanumeric() || last == '.'), "{kind:?}");
        }
        let wrong = EventKind::read("message.recieved").unwrap_err();
        assert!(wrong.ends_with("did you mean message.received?"), "{wrong}");
        assert!(EventKind::read("nothing of the kind").unwrap_err().contains("webhook.test"));
        assert!(EventKind::DEFAULT.iter().all(|kind| kind.text().starts_with("message.")));
        assert!(!EventKind::DEFAULT.contains(&EventKind::MessageReceivedBlocked));
    }
}
