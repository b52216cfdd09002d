//! Lists compared with an in-memory model, on both engines; and the query plans of their statements.

mod pages;
mod plans;
mod thread_pages;
mod work;

use crate::support::{Dir, config, sqlite_config};
use posthouse_domain::{
    id::{AttachmentId, ContentId, InboxId, MessageId, ThreadId, WorkspaceId},
    inbox::{Inbox, InboxKind},
    message::{Attachment, Channel, Direction, Message, MessageBodies, MessageIds, MessageKind, MessageStatus},
    thread::Thread,
    time::Time,
};
use posthouse_store::{
    Result, Store, Tx, attachments,
    contents::{self, RawLocation, StoredRaw},
    inboxes,
    message_list::InboxRef,
    messages, migrate, threads as stored_threads, workspaces,
};
use uuid::Uuid;

pub(super) const WORKSPACE: WorkspaceId = WorkspaceId(Uuid::from_u128(1));
pub(super) const INBOX: InboxId = InboxId(Uuid::from_u128(10));
pub(super) const PLACE: InboxRef = InboxRef { workspace: WORKSPACE, inbox: INBOX };
/// The start of the simulated time.
pub(super) const START_MS: i64 = 1_800_000_000_000;

/// Runs a test on both engines with the real schema, a workspace and two inboxes.
pub(super) async fn on_both<F: AsyncFn(Store)>(test: F) {
    let dir = Dir::new();
    let postgres = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    for mut config in [sqlite_config(&dir), postgres] {
        config.migrations = migrate::MIGRATIONS;
        let store = Store::open(config).unwrap();
        store.write(set_up).await.unwrap();
        test(store.clone()).await;
        store.close();
    }
}

fn set_up(tx: &mut Tx) -> Result<()> {
    use posthouse_domain::{
        plan::Plan,
        workspace::{AiProcessing, ClaimStatus, Workspace, WorkspaceOrigin},
    };
    workspaces::insert(
        tx,
        &Workspace {
            id: WORKSPACE,
            name: "w".into(),
            owner_email: "o@x.example".into(),
            plan: Plan::Team,
            suspended: false,
            suspension: None,
            origin: WorkspaceOrigin::Operator,
            claim: ClaimStatus::NotApplicable,
            claimed_at: None,
            notice: None,
            stopped_at: None,
            stop_reason: None,
            ai_processing: AiProcessing::Off,
            outbound_policy: posthouse_domain::OutboundPolicy::Off,
            screening: posthouse_domain::ScreeningSettings::DEFAULT,
            daily_send_limit: None,
            ai_disclosure: posthouse_domain::workspace::AiDisclosure::NONE,
            retention_days: None,
            created_at: at(0),
        },
    )?;
    for n in [10, 11] {
        inboxes::insert(tx, &inbox(n))?;
    }
    Ok(())
}

fn inbox(n: u128) -> Inbox {
    Inbox {
        workspace: WORKSPACE,
        id: InboxId(Uuid::from_u128(n)),
        kind: InboxKind::Mailbox,
        address: format!("i{n}@x.example"),
        username: format!("i{n}"),
        domain: "x.example".into(),
        display_name: None,
        client_id: None,
        metadata_json: "{}".into(),
        temporary: false,
        expires_at: None,
        paused_at: None,
        paused_reason: None,
        promotions_filter: None,
        screening: None,
        identity_enabled: true,
        last_message_at: at(0),
        created_at: at(0),
        deleted_at: None,
    }
}

/// Returns the time `n` milliseconds after the start.
pub(super) fn at(n: i64) -> Time {
    Time::from_millis(START_MS + n)
}

/// Returns the `n`th message of the inbox; its content and thread have the same number.
pub(super) fn message(n: u128, labels: &[&str]) -> Message {
    let ids = MessageIds {
        workspace: WORKSPACE,
        inbox: INBOX,
        thread: ThreadId(Uuid::from_u128(n)),
        message: MessageId(Uuid::from_u128(n)),
        content: ContentId(Uuid::from_u128(n)),
    };
    Message {
        rfc_message_id: format!("<{n}@x.example>"),
        from: format!("Sender {n} <s{n}@y.example>"),
        to: vec!["i10@x.example".into()],
        subject: Some(format!("Subject {n}")),
        labels: labels.iter().map(|&label| label.to_owned()).collect(),
        size_bytes: 100,
        created_at: at(i64::try_from(n).unwrap()),
        ..Message::new(ids, Direction::Inbound, at(0))
    }
}

pub(super) fn thread(n: u128, inbox: InboxId, last: i64) -> Thread {
    Thread {
        workspace: WORKSPACE,
        id: ThreadId(Uuid::from_u128(n)),
        inbox,
        subject: Some(format!("Über 100% Thread_{n}")),
        participants: vec!["i10@x.example".into(), format!("s{n}@y.example")],
        unread_count: 0,
        message_count: 1,
        labels: Vec::new(),
        metadata_json: "{}".into(),
        last_message_at: at(last),
        created_at: at(last),
    }
}

pub(super) fn put_content(tx: &mut Tx, id: ContentId) -> Result<()> {
    let raw = StoredRaw { place: RawLocation::Inline(vec![1]), bytes: 1 };
    contents::insert(tx, WORKSPACE, id, &raw, &MessageBodies { headers_json: "{}".into(), ..MessageBodies::default() })
}

/// Stores a message with its own content.
pub(super) fn put(tx: &mut Tx, message: &Message) -> Result<()> {
    put_content(tx, message.content)?;
    messages::insert(tx, message)
}

pub(super) fn put_thread(tx: &mut Tx, thread: &Thread) -> Result<()> {
    stored_threads::begin(tx, thread, "key")?;
    stored_threads::set(tx, &Thread { labels: Vec::new(), ..thread.clone() }, thread)
}

pub(super) fn put_file(tx: &mut Tx, message: MessageId, n: u128) -> Result<()> {
    let file = Attachment {
        id: AttachmentId(Uuid::from_u128(n)),
        message,
        position: 0,
        filename: None,
        content_type: "text/plain".into(),
        size_bytes: 1,
        sha256: [0; 32],
        content_id: None,
        inline: false,
        extraction: None,
    };
    attachments::insert(tx, WORKSPACE, &file)
}

/// A deterministic random number generator, so that tests are repeatable.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        // Knuth's MMIX constants; the high bits are more random.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    pub(super) fn maybe<T>(&mut self, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.below(3) == 0 { Some(value(self)) } else { None }
    }
}
