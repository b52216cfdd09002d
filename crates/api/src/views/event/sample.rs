//! Sample records for the examples of the event catalog.

mod agent;
mod attachment;
mod connector;
mod draft;
mod knowledge;

use posthouse_domain::record::{Record, RecordView};
use posthouse_domain::{
    analysis::ScreeningSettings,
    event::{Event, EventKind, NewEvent},
    id::{ContentId, EventId, InboxId, MessageId, ThreadId, WorkspaceId},
    identity::IdentitySignInFlow,
    inbox::{Inbox, InboxKind},
    mail_domain::{
        CheckedRecord, DnsRecordKey, DomainStatus, MailDomain, ROTATION_DUE_AFTER_MS, RecordStatus, ServerDnsSettings,
    },
    message::{
        Channel, DeliveryStatus, Direction, HoldReason, Message, MessageBodies, MessageIds, MessageStatus,
        RecipientDelivery,
    },
    plan::Plan,
    time::Time,
    workspace::{AiProcessing, ClaimStatus, Workspace, WorkspaceOrigin},
};
use posthouse_mail::bounce::BounceClass;
use uuid::Uuid;

use super::{
    RenderableEvent, data,
    draft::{is_of_draft, restored},
};
use crate::views::{
    domain::DomainView,
    inbox::{InboxFacts, InboxView},
    knowledge::KnowledgeItemView,
    signup::SignupWorkspaceView,
    workspace::{ActorView, OrgView},
};

/// The time of every example: 2027-01-15T08:00:00Z.
const NOW_MS: i64 = 1_800_000_000_000;
/// The remote address of the examples.
const THEIRS: &str = "dana@example.com";
/// The inbox address of the examples.
const OURS: &str = "bot@agents.example";

/// Returns an example id.
fn id<T: From<Uuid>>(number: u128) -> T {
    T::from(Uuid::from_u128(0x0194_6000_0000_7000_8000_0000_0000_0000 + number))
}

/// Returns an example event of the given type.
pub(super) fn shown(kind: EventKind) -> RenderableEvent {
    let of_draft = is_of_draft(kind);
    let is_of_message = ["message.", "attachment."].iter().any(|prefix| kind.text().starts_with(prefix))
        || kind == EventKind::DraftSent;
    let detail_json = detail(kind);
    let is_escalation = kind == EventKind::EscalationSent;
    let is_of_agent = ["inbox.", "agent.", "identity."].iter().any(|prefix| kind.text().starts_with(prefix));
    let of_inbox = is_of_agent || is_of_message || of_draft || is_escalation;
    let event = NewEvent::new(kind, id(1), id::<EventId>(2), Time::from_millis(NOW_MS))
        .in_inbox(of_inbox.then(|| id::<InboxId>(3)))
        .in_thread(is_of_message.then(|| id::<ThreadId>(4)))
        .about_message(is_of_message.then(|| id::<MessageId>(5)))
        .with_detail(detail_json);
    let (inbox, record) = ((is_of_message || of_draft).then(|| inbox(None)), is_of_message.then(|| record(kind)));
    let draft = of_draft.then(|| restored(&draft::of_kind(kind)));
    RenderableEvent { event: Event { seq: 1, released: false, event }, inbox, record, draft }
}

/// Returns the stored detail of an example event.
fn detail(kind: EventKind) -> String {
    let recipients = || vec![THEIRS.to_owned()];
    match kind {
        EventKind::MessageSent | EventKind::MessageDelivered => {
            data::text(&data::RecipientsDetail { recipients: recipients(), captured: false })
        }
        EventKind::MessageBounced => {
            let entry = delivery(DeliveryStatus::Bounced);
            let bounce = data::Bounce { r#type: "hard", recipients: vec![data::BouncedRecipient::of(&entry)] };
            data::text(&data::BounceDetail { bounce })
        }
        EventKind::MessageComplained => {
            let complaint = data::Complaint { r#type: "abuse".to_owned(), recipients: recipients() };
            data::text(&data::ComplaintDetail { complaint })
        }
        EventKind::InboxExpired => data::text(&data::InboxExpired { inbox: inbox(None) }),
        EventKind::InboxPaused => {
            let reason = Some("The prompt is being rewritten.".to_owned());
            data::text(&data::InboxPaused { inbox: inbox(reason.clone()), reason })
        }
        EventKind::InboxResumed => data::text(&data::InboxResumed { inbox: inbox(None), held_events: 2 }),
        EventKind::DomainVerified
        | EventKind::DomainFailed
        | EventKind::DomainDkimRotated
        | EventKind::DomainDkimRotationDue => {
            let here = ServerDnsSettings { host: "mx.example.com".to_owned(), ed25519: false };
            let domain = DomainView::of(&domain(kind), &here, Time::from_millis(NOW_MS));
            data::text(&data::DomainData { domain })
        }
        EventKind::EscalationSent => data::text(&escalation_sent()),
        EventKind::WebhookTest => {
            let webhook = data::TestedWebhook { id: id(6), url: "https://example.com/hooks/mail".to_owned() };
            data::text(&data::WebhookTest { webhook, note: "This is a test.".to_owned() })
        }
        EventKind::KnowledgeCreated | EventKind::KnowledgeUpdated | EventKind::KnowledgeDeleted => {
            data::text(&data::KnowledgeData { knowledge: KnowledgeItemView::of(&knowledge::document(kind)) })
        }
        EventKind::WorkspaceStopped => {
            let reason = Some("It replies to the wrong people.".to_owned());
            let workspace = OrgView::of(&workspace(true));
            data::text(&data::WorkspaceStopped { workspace, reason, actor: ActorView::of(&draft::sample_actor()) })
        }
        EventKind::IdentityTokenIssued => data::text(&identity(IdentitySignInFlow::Headless)),
        EventKind::IdentitySignedIn => data::text(&identity(IdentitySignInFlow::AuthorizationCode)),
        EventKind::AttachmentExtracted | EventKind::AttachmentExtractionFailed => attachment::detail(),
        EventKind::ConnectorAuthorized | EventKind::ConnectorRevoked => connector::detail(kind),
        EventKind::SignupCreated => data::text(&data::SignupCreated {
            workspace: SignupWorkspaceView::of(&signed_up(ClaimStatus::Unclaimed)),
            inbox: Some(inbox(None)),
            claim_requested: true,
        }),
        EventKind::SignupClaimed => data::text(&data::SignupClaimed {
            workspace: SignupWorkspaceView::of(&signed_up(ClaimStatus::Claimed)),
            inbox: Some(inbox(None)),
        }),
        EventKind::AgentUpdated | EventKind::AgentRevoked | EventKind::AgentDeleted | EventKind::AgentReported => {
            agent::detail(kind, inbox(None))
        }
        EventKind::WorkspaceResumed => {
            let (workspace, stopped_at) = (OrgView::of(&workspace(false)), Time::from_millis(NOW_MS).into());
            data::text(&data::WorkspaceResumed { workspace, stopped_at, actor: ActorView::of(&draft::sample_actor()) })
        }
        _ => "{}".to_owned(),
    }
}

/// Returns the example of a sign-in to an app.
fn identity(flow: IdentitySignInFlow) -> data::IdentityData {
    data::IdentityData {
        inbox: inbox(None),
        client: data::IdentityAppData {
            client_id: "appc_7Hq2mVtR9xKb4LwZc8NdYp3S".to_owned(),
            name: "Travel desk".to_owned(),
            homepage_url: Some("https://travel.example".to_owned()),
        },
        flow: flow.text(),
        jti: id::<Uuid>(9).to_string(),
        sub: "jF3yq0vXw2TzB5nC8dK1mR4sU7hL6aG9eP0iQxYbVtM".to_owned(),
        expires_at: Some(Time::from_millis(NOW_MS).plus_ms(300_000).into()),
    }
}

/// Returns the example of a mail to a person on call.
fn escalation_sent() -> data::EscalationSent {
    let (trigger, message_id) = ("needs_human", Some(id(5)));
    let item =
        data::EscalatedItem { trigger, message_id, draft_id: None, created_at: Time::from_millis(NOW_MS).into() };
    data::EscalationSent {
        trigger: Some(trigger),
        mode: "immediate",
        inbox: Some(inbox(None)),
        message_id,
        draft_id: None,
        recipients: vec!["pat@acme.example".to_owned()],
        items: vec![item],
    }
}

/// Returns the example workspace, stopped or not.
fn workspace(stopped: bool) -> Workspace {
    let now = Time::from_millis(NOW_MS);
    Workspace {
        id: id(1),
        name: "Acme".to_owned(),
        owner_email: "owner@acme.example".to_owned(),
        plan: Plan::Team,
        suspended: false,
        suspension: None,
        origin: WorkspaceOrigin::Operator,
        claim: ClaimStatus::NotApplicable,
        claimed_at: None,
        notice: None,
        stopped_at: stopped.then_some(now),
        stop_reason: stopped.then(|| "It replies to the wrong people.".to_owned()),
        ai_processing: AiProcessing::Categorize,
        screening: ScreeningSettings::DEFAULT,
        outbound_policy: posthouse_domain::OutboundPolicy::Label,
        daily_send_limit: None,
        ai_disclosure: posthouse_domain::workspace::AiDisclosure::NONE,
        retention_days: None,
        created_at: now,
    }
}

/// Returns the example workspace of an agent that signed up.
fn signed_up(claim: ClaimStatus) -> Workspace {
    let now = Time::from_millis(NOW_MS);
    let claimed_at = (claim == ClaimStatus::Claimed).then_some(now);
    Workspace { name: "Support bot's workspace".to_owned(), claim, claimed_at, ..workspace(false) }
}

/// Returns the example domain for an event type.
fn domain(kind: EventKind) -> MailDomain {
    let now = Time::from_millis(NOW_MS);
    let status = if kind == EventKind::DomainFailed { DomainStatus::Failed } else { DomainStatus::Verified };
    let since_ms = if kind == EventKind::DomainDkimRotationDue { ROTATION_DUE_AFTER_MS } else { 0 };
    let found = |key| CheckedRecord { key, found: RecordStatus::Ok, values: Vec::new(), problem: None };
    let lost = |checked: &CheckedRecord| status == DomainStatus::Verified || checked.key != DnsRecordKey::Dkim;
    let began = now.plus_ms(-since_ms);
    let mut domain =
        MailDomain::new(id(1), id(8), "mail.acme.example".to_owned(), "5f2b6c0d9e8a7b1c".to_owned(), began);
    "v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0".clone_into(&mut domain.active.record);
    MailDomain {
        status,
        checked: DnsRecordKey::ALL.into_iter().take(5).map(found).filter(lost).collect(),
        verified_at: Some(now),
        last_checked_at: Some(now),
        checks: 1,
        rotation_announced: since_ms > 0,
        ..domain
    }
}

/// Returns the example inbox, paused if there is a reason.
fn inbox(paused: Option<String>) -> InboxView {
    let now = Time::from_millis(NOW_MS);
    let inbox = Inbox {
        workspace: id(1),
        id: id(3),
        kind: InboxKind::Mailbox,
        address: OURS.to_owned(),
        username: "bot".to_owned(),
        domain: "agents.example".to_owned(),
        display_name: Some("Support bot".to_owned()),
        client_id: None,
        metadata_json: "{}".to_owned(),
        temporary: false,
        expires_at: None,
        paused_at: paused.is_some().then_some(now),
        paused_reason: paused,
        promotions_filter: None,
        screening: None,
        identity_enabled: true,
        last_message_at: now,
        created_at: now,
        deleted_at: None,
    };
    InboxView::of(
        &inbox,
        InboxFacts { daily_sends: Some(100), recent_bounces: 0, pending_drafts: 0, held: 0, needs_human: 0 },
    )
}

fn record(kind: EventKind) -> Record {
    use EventKind::{DraftSent, MessageBounced, MessageComplained, MessageDelivered, MessageSent};
    let (status, entry) = match kind {
        MessageSent => (MessageStatus::Sent, Some(DeliveryStatus::Sent)),
        DraftSent => (MessageStatus::Queued, Some(DeliveryStatus::Queued)),
        MessageDelivered => (MessageStatus::Delivered, Some(DeliveryStatus::Delivered)),
        MessageBounced => (MessageStatus::Bounced, Some(DeliveryStatus::Bounced)),
        MessageComplained => (MessageStatus::Complained, Some(DeliveryStatus::Complained)),
        _ => (MessageStatus::Received, None),
    };
    let mut message = message(status, entry.is_none());
    if kind == EventKind::MessageReceivedBlocked {
        message.labels.push("blocked".to_owned());
        message.held = Some(HoldReason::Blocked);
    }
    let text = Some("Can you send the invoice of January again?".to_owned());
    if kind == EventKind::MessageReleased {
        (message.held, message.released_at) = (Some(HoldReason::Phishing), Some(Time::from_millis(NOW_MS)));
    }
    let headers_json = r#"{"subject":"Invoice"}"#.to_owned();
    Record {
        message,
        bodies: MessageBodies { extracted_text: text.clone(), text, html: None, headers_json },
        attachments: attachment::of_kind(kind),
        deliveries: entry.map(delivery).into_iter().collect(),
        withheld: kind == EventKind::MessageReceivedBlocked,
        shows_release: kind == EventKind::MessageReleased,
        approval: (kind == DraftSent).then(draft::approval),
        view: RecordView::Full,
    }
}

fn message(status: MessageStatus, inbound: bool) -> Message {
    let now = Time::from_millis(NOW_MS);
    let (from, to) =
        if inbound { ("Dana <dana@example.com>", OURS) } else { ("Support bot <bot@agents.example>", THEIRS) };
    let direction = if inbound { Direction::Inbound } else { Direction::Outbound };
    let ids = MessageIds {
        workspace: id::<WorkspaceId>(1),
        inbox: id(3),
        thread: id(4),
        message: id(5),
        content: id::<ContentId>(7),
    };
    Message {
        status,
        rfc_message_id: "<20270115080000.1@example.com>".to_owned(),
        from: from.to_owned(),
        to: vec![to.to_owned()],
        author_proven: true,
        subject: Some("Invoice".to_owned()),
        size_bytes: 2_210,
        sent_at: (!inbound).then_some(now),
        ..Message::new(ids, direction, now)
    }
}

fn delivery(status: DeliveryStatus) -> RecipientDelivery {
    let bounced = status == DeliveryStatus::Bounced;
    RecipientDelivery {
        position: 0,
        envelope: None,
        address: THEIRS.to_owned(),
        channel: Channel::Email,
        status,
        smtp_code: Some(if bounced { 550 } else { 250 }),
        enhanced_code: Some(if bounced { "5.1.1" } else { "2.0.0" }.to_owned()),
        remote: Some("mx.example.com [192.0.2.25]".to_owned()),
        detail: Some(if bounced { "5.1.1 no such user" } else { "2.0.0 accepted" }.to_owned()),
        class: bounced.then_some(BounceClass::UnknownUser),
        origin: None,
        tls: None,
        attempts: 1,
        updated_at: Time::from_millis(NOW_MS),
    }
}
