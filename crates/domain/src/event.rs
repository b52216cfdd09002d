//! Events: what happened, in the order it happened, in one log per workspace (API document, Events; decision 12).

use crate::{
    id::{EventId, InboxId, MessageId, ThreadId, WorkspaceId},
    time::{DAY_MS, Time},
};

/// How long the log is kept, in milliseconds.
pub const KEPT_MS: i64 = 30 * DAY_MS;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What happened (contract §11.5).
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum EventKind { $($(#[$doc])* $name,)* }

        impl EventKind {
            /// Every kind.
            pub const ALL: &[EventKind] = &[$(EventKind::$name,)*];

            /// The `type` on the wire.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(EventKind::$name => $text,)* } }

            /// The kind of that name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some(EventKind::$name),)* _ => None } }
        }
    };
}

kinds! {
    /// An inbound message was stored.
    MessageReceived = "message.received",
    /// An outbound message left.
    MessageSent = "message.sent",
    /// The recipient's server accepted it.
    MessageDelivered = "message.delivered",
    /// Delivery failed for good.
    MessageBounced = "message.bounced",
    /// The recipient marked it as spam.
    MessageComplained = "message.complained",
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
    /// The emergency stop came into force.
    WorkspaceStopped = "workspace.stopped",
    /// An owner ended the emergency stop.
    WorkspaceResumed = "workspace.resumed",
    /// A webhook is tried out; in no list but that webhook's.
    WebhookTest = "webhook.test",
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
    /// The event.
    pub event: NewEvent,
}
