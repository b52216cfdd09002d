//! Events: what happened, in order, in one log per workspace.

use crate::{
    id::{EventId, InboxId, MessageId, ThreadId, WorkspaceId},
    text::closest,
    time::{DAY_MS, Time},
};

/// How long events are kept, in milliseconds.
pub const EVENT_RETENTION_MS: i64 = 30 * DAY_MS;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident = $text:literal,)*) => {
        /// The type of an event.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum EventKind { $($(#[doc = $doc])* $name,)* }

        impl EventKind {
            /// Every event type.
            pub const ALL: &[EventKind] = &[$(EventKind::$name,)*];

            /// Returns the `type` on the wire.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(EventKind::$name => $text,)* } }

            /// Describes when the event occurs, in one sentence, for the event catalog.
            #[must_use]
            pub fn meaning(self) -> &'static str { match self { $(EventKind::$name => concat!($($doc),*).trim(),)* } }

            /// Parses the name of an event type.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some(EventKind::$name),)* _ => None } }
        }
    };
}

kinds! {
    /// An inbound message was stored; not emitted for bounce reports.
    MessageReceived = "message.received",
    /// An outbound message was sent.
    MessageSent = "message.sent",
    /// The recipient's server accepted the message.
    MessageDelivered = "message.delivered",
    /// Delivery failed permanently.
    MessageBounced = "message.bounced",
    /// The recipient marked the message as spam.
    MessageComplained = "message.complained",
    /// The categorizer processed an inbound message; at most once per message, after message.received.
    MessageEnriched = "message.enriched",
    /// A held message was released.
    MessageReleased = "message.released",
    /// A receive list blocked an inbound message; it is stored with the label `blocked`.
    MessageReceivedBlocked = "message.received.blocked",
    /// A temporary inbox expired and was deleted.
    InboxExpired = "inbox.expired",
    /// An inbox was paused.
    InboxPaused = "inbox.paused",
    /// An inbox was resumed.
    InboxResumed = "inbox.resumed",
    /// A draft was created.
    DraftCreated = "draft.created",
    /// A draft was changed or scheduled.
    DraftUpdated = "draft.updated",
    /// A draft was sent.
    DraftSent = "draft.sent",
    /// A draft was cancelled.
    DraftCancelled = "draft.cancelled",
    /// A check refused a scheduled draft at its `send_at`.
    DraftFailed = "draft.failed",
    /// The text of an attachment can be read.
    AttachmentExtracted = "attachment.extracted",
    /// The text of an attachment can't be read.
    AttachmentExtractionFailed = "attachment.extraction_failed",
    /// All required DNS records of a domain were found.
    DomainVerified = "domain.verified",
    /// Required DNS records of a verified domain are missing.
    DomainFailed = "domain.failed",
    /// A new DKIM key signs for a domain.
    DomainDkimRotated = "domain.dkim_rotated",
    /// A DKIM key has signed for a year and should be rotated.
    DomainDkimRotationDue = "domain.dkim_rotation_due",
    /// The emergency stop was activated.
    WorkspaceStopped = "workspace.stopped",
    /// An owner ended the emergency stop.
    WorkspaceResumed = "workspace.resumed",
    /// An agent created the workspace by self-signup.
    SignupCreated = "signup.created",
    /// A person claimed the workspace.
    SignupClaimed = "signup.claimed",
    /// An agent got an identity token for an app.
    IdentityTokenIssued = "identity.token_issued",
    /// An agent signed in to an app.
    IdentitySignedIn = "identity.signed_in",
    /// A person approved a connector.
    ConnectorAuthorized = "connector.authorized",
    /// The access of a connector ended.
    ConnectorRevoked = "connector.revoked",
    /// A mail to the people on call was sent.
    EscalationSent = "escalation.sent",
    /// The card of an agent was created, changed or restored.
    AgentUpdated = "agent.updated",
    /// An agent was revoked by its owner or suspended by the operator.
    AgentRevoked = "agent.revoked",
    /// The card of an agent was deleted.
    AgentDeleted = "agent.deleted",
    /// Another workspace reported an agent; the event never names it.
    AgentReported = "agent.reported",
    /// A knowledge document was created.
    KnowledgeCreated = "knowledge.created",
    /// A knowledge document got a new version or another inbox.
    KnowledgeUpdated = "knowledge.updated",
    /// A knowledge document was deleted.
    KnowledgeDeleted = "knowledge.deleted",
    /// A webhook was tested; only that webhook receives the event.
    WebhookTest = "webhook.test",
}

impl EventKind {
    /// The event types of a webhook created without a list: all message events except those of blocked messages, which
    /// are hidden by default everywhere.
    pub const DEFAULT: &[EventKind] = &[
        EventKind::MessageReceived,
        EventKind::MessageSent,
        EventKind::MessageDelivered,
        EventKind::MessageBounced,
        EventKind::MessageComplained,
        EventKind::MessageEnriched,
        EventKind::MessageReleased,
    ];

    /// Parses the name of an event type.
    ///
    /// # Errors
    /// Describes the problem and suggests the closest name.
    pub fn read(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.iter().map(|kind| kind.text());
        Self::parse(text).ok_or_else(|| match closest(text, names()) {
            Some(near) => format!("{text} is not an event type; did you mean {near}?"),
            None => {
                format!("{text} is not an event type; the event types are {}", names().collect::<Vec<_>>().join(", "))
            }
        })
    }
}

named! {
    /// How much of an event is included.
    #[derive(Default)]
    EventPayload {
        /// Everything.
        #[default]
        Full = "full",
        /// The envelope only: sender, recipients and subject, never a body.
        Envelope = "envelope",
    }
}

/// An event to write.
#[derive(Clone, PartialEq, Debug)]
pub struct NewEvent {
    pub workspace: WorkspaceId,
    /// Its id, the same on every transport.
    pub id: EventId,
    /// Its type.
    pub kind: EventKind,
    /// The inbox it concerns.
    pub inbox: Option<InboxId>,
    /// The conversation it concerns.
    pub thread: Option<ThreadId>,
    /// The message it concerns.
    pub message: Option<MessageId>,
    /// Data that can't be read from the tables later, as the text of a JSON object.
    pub detail_json: String,
    /// When it happened.
    pub at: Time,
}

impl NewEvent {
    /// Returns an event of a workspace, with no detail and about nothing smaller than the workspace.
    #[must_use]
    pub fn new(kind: EventKind, workspace: WorkspaceId, id: EventId, at: Time) -> Self {
        Self { workspace, id, kind, inbox: None, thread: None, message: None, detail_json: "{}".to_owned(), at }
    }

    /// Sets the inbox that it concerns.
    #[must_use]
    pub fn in_inbox(self, inbox: impl Into<Option<InboxId>>) -> Self {
        Self { inbox: inbox.into(), ..self }
    }

    /// Sets the conversation that it concerns.
    #[must_use]
    pub fn in_thread(self, thread: impl Into<Option<ThreadId>>) -> Self {
        Self { thread: thread.into(), ..self }
    }

    /// Sets the message that it concerns.
    #[must_use]
    pub fn about_message(self, message: impl Into<Option<MessageId>>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// Sets the data that can't be read from the tables later, as the text of a JSON object.
    #[must_use]
    pub fn with_detail(self, detail_json: String) -> Self {
        Self { detail_json, ..self }
    }
}

/// An event in the log.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// Its sequence number in the log, without gaps.
    pub seq: i64,
    /// Whether it was held back while its inbox was paused.
    pub released: bool,
    pub event: NewEvent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_names_get_a_suggestion() {
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
