//! Rows read by lists and counts on PostgreSQL without table statistics: no plan may read more than the page or the limit needs.

use super::*;
use posthouse_domain::{
    agent::search::{CardQuery, SearchedCards},
    draft,
    id::DraftId,
    page::{CursorPosition, PageRange},
};
use posthouse_store::{
    Sql, agents, approvals, card_index, drafts, drafts::list as draft_list, inboxes::list, message_list, p, recipients,
    thread_list,
};

/// Number of messages in the workspace; half of them are in the inbox that is read.
const MESSAGES: i64 = 20_000;
/// Limit on the rows and index entries that a page of 25 with its related data may read.
const READ_MAX: i64 = 1_500;

/// Statements that fill the tables on the server. No statistics exist, because autovacuum doesn't run within the
/// transaction.
const FILL: [&str; 13] = [
    "INSERT INTO inboxes (workspace_id, id, kind, address, username, domain, metadata, temporary, status, last_message_at, created_at)
       SELECT i.workspace_id, decode(lpad(to_hex(g), 32, '0'), 'hex'), i.kind, 'x' || g, 'x', i.domain, '{}', 0, 'active', 0, g FROM inboxes i, generate_series(1000, 3000) g WHERE i.username = 'i10'",
    "INSERT INTO inbox_metadata (workspace_id, key, value, inbox_id) SELECT workspace_id, 'env', 'prod', id FROM inboxes",
    "INSERT INTO inbox_metadata (workspace_id, key, value, inbox_id) SELECT workspace_id, 'team', CAST(created_at % 200 AS TEXT), id FROM inboxes",
    "INSERT INTO messages (workspace_id, id, inbox_id, thread_id, content_id, direction, status, channel, type, rfc_message_id, refs,
       from_text, to_list, cc_list, bcc_list, reply_to_unproven, author_proven, subject, labels, is_read, auto_reply, size_bytes, trace, has_attachments, status_at,
       received_at, created_at)
       SELECT i.workspace_id, decode(lpad(to_hex(g), 32, '0'), 'hex'), decode(lpad(to_hex(10 + g % 2), 32, '0'), 'hex'),
       decode(lpad(to_hex(g), 32, '0'), 'hex'), decode(lpad(to_hex(g), 32, '0'), 'hex'),
       CASE WHEN g % 4 = 0 THEN 'outbound' ELSE 'inbound' END, 'received', 'email', 'message', '<' || g || '>', '[]',
       'f', '[]', '[]', '[]', 0, 0, 's', '[]', CAST(g % 6 = 0 AS INT), 0, 1, '', 1, g,
       g, g
       FROM inboxes i, generate_series(1, 20000) g WHERE i.username = 'i10'",
    "INSERT INTO message_labels (workspace_id, inbox_id, label, created_at, message_id) SELECT workspace_id, inbox_id, l.label, created_at, id FROM messages,
       (VALUES ('received', 1), ('unread', 1), ('spam', 40), ('l:a', 8), ('l:b', 10)) l (label, every) WHERE created_at / 2 % l.every = 0",
    "INSERT INTO recipients (workspace_id, message_id, position, envelope_id, address, channel, status, attempts, updated_at)
       SELECT workspace_id, id, 0, id, 'a', 'email', 'queued', 0, 0 FROM messages",
    "INSERT INTO threads (workspace_id, id, inbox_id, subject, subject_key, subject_lower, participants, message_count, labels, metadata,
       last_message_at, created_at)
       SELECT workspace_id, thread_id, inbox_id, 's', 's', 's', 'p@x.example', 1, '[]', '{}', created_at, created_at FROM messages",
    "INSERT INTO thread_labels (workspace_id, label, thread_id) SELECT workspace_id, l.label, id FROM threads,
       (VALUES ('t:often', 5), ('t:rare', 400)) l (label, every) WHERE created_at / 2 % l.every = 0",
    "INSERT INTO drafts (workspace_id, id, inbox_id, status, revision, thread_id, reply_all, to_list, cc_list, bcc_list, subject, text,
       type, labels, metadata, source, created_at, updated_at)
       SELECT workspace_id, id, inbox_id, CASE WHEN created_at % 400 < 2 THEN 'draft' ELSE 'sent' END, 1, thread_id, 0,
       '[]', '[]', '[]', 's', 't', 'message', '[]', '{}', 'api', created_at, created_at FROM messages",
    "INSERT INTO draft_metadata (workspace_id, key, value, draft_id) SELECT workspace_id, m.key, m.value, id FROM drafts,
       (VALUES ('env', 'prod', 1), ('team', '7', 400)) m (key, value, every) WHERE created_at / 2 % m.every = 0",
    "INSERT INTO draft_files (workspace_id, id, draft_id, position, filename, content_type, size_bytes, sha256, content)
       SELECT workspace_id, id, id, 0, 'f', 'text/plain', 1,
       'a hash of thirty-two octets, so.', 'x' FROM drafts",
    "INSERT INTO message_approvals (workspace_id, message_id, draft_id, by_type, by_label, approved_at, content_sha256)
       SELECT workspace_id, id, id, 'user', 'l', 1,
       'a hash of thirty-two octets, so.' FROM messages",
    "INSERT INTO agent_cards (workspace_id, inbox_id, name, skills, accepts_types, languages, input_modes, visibility, indexable,
       listing_problems, number, created_at, updated_at)
       SELECT workspace_id, id, 'n', '[]', '[]', '[]', '[]', 'public', 0, '[]', created_at, 1, 1 FROM inboxes WHERE username = 'x'",
];

/// Returns the number of table rows and index entries that the transaction has read so far.
fn tuples_read(tx: &mut Tx) -> Result<i64> {
    let count = Sql::from_fragments(
        "TUPLES_READ",
        "SELECT CAST(sum(pg_stat_get_xact_tuples_returned(oid)) AS BIGINT) FROM pg_class
         WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace"
            .to_owned(),
    );
    Ok(tx.one::<(i64,)>(&count, p![])?.map_or(0, |(n,)| n))
}

/// Runs a read often enough for PostgreSQL to choose a generic plan, and returns the highest number read in one run.
fn max_tuples_read(tx: &mut Tx, read: &dyn Fn(&mut Tx) -> Result<usize>) -> Result<i64> {
    let mut most = 0;
    for _ in 0..8 {
        let before = tuples_read(tx)?;
        assert_ne!(read(tx)?, 0, "the read must return rows");
        most = most.max(tuples_read(tx)? - before);
    }
    Ok(most)
}

fn messages_of(filter: message_list::MessageFilter) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| {
        let page = message_list::page(tx, PLACE, &filter, None, 25)?;
        Ok(messages::records(tx, WORKSPACE, page)?.len())
    }
}

fn threads_of(filter: thread_list::ThreadFilter) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| Ok(thread_list::page(tx, WORKSPACE, &filter, None, 25)?.len())
}

fn inboxes_of(metadata: &'static [(&'static str, &'static str)]) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let page = PageRange { after: None, limit: 25 };
        let query = list::InboxListQuery {
            workspace: WORKSPACE,
            kind: InboxKind::Mailbox,
            lives: list::InboxLifetime::Any,
            metadata,
            page,
            now: at(0),
        };
        Ok(list::page(tx, &query)?.len())
    }
}

fn drafts_of(filter: draft_list::DraftFilter) -> impl Fn(&mut Tx) -> Result<usize> {
    let position = CursorPosition { sort: i64::MAX, id: Uuid::max() };
    let range = PageRange { after: Some(position), limit: 25 };
    move |tx| Ok(draft_list::page(tx, WORKSPACE, &filter, range, u64::MAX)?.drafts.len())
}

fn drafts_by(metadata: &[(&str, &str)]) -> draft_list::DraftFilter {
    let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    draft_list::DraftFilter { metadata, ..Default::default() }
}

fn labels(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|&label| label.to_owned()).collect()
}

/// Checks that a count of many rows stopped at its limit, which every creation reads up to.
fn counted(count: u64) -> Result<usize> {
    assert_eq!(count, 100);
    Ok(100)
}

type Read = Box<dyn Fn(&mut Tx) -> Result<usize>>;

fn reads() -> Vec<(&'static str, Read)> {
    use draft_list::DraftFilter as Drafts;
    use message_list::MessageFilter as Of;
    use thread_list::ThreadFilter as In;
    let many: Vec<MessageId> = (1..=100).map(|n| MessageId(Uuid::from_u128(n * 100))).collect();
    let (some, approved, inbox) = (many.clone(), many.clone(), Some(INBOX));
    let (ids, pending): (Vec<DraftId>, _) =
        (many.iter().map(|id| DraftId(id.0)).collect(), vec![draft::DraftStatus::Draft]);
    let outbound = Some(Direction::Outbound);
    vec![
        ("messages", Box::new(messages_of(Of::default())) as Read),
        ("without spam", Box::new(messages_of(Of { hidden_labels: vec!["spam", "blocked"], ..Of::default() }))),
        ("one of", Box::new(messages_of(Of { any_label: vec!["l:a", "l:b"], ..Of::default() }))),
        ("unread and sent", Box::new(messages_of(Of { is_read: Some(false), direction: outbound, ..Of::default() }))),
        ("a label", Box::new(messages_of(Of { labels: labels(&["spam"]), ..Of::default() }))),
        ("many by id", Box::new(move |tx| Ok(messages::get_many(tx, WORKSPACE, &many)?.len()))),
        ("recipients", Box::new(move |tx| Ok(recipients::of(tx, WORKSPACE, &some)?.len()))),
        ("threads", Box::new(threads_of(In::default()))),
        ("threads after", Box::new(threads_of(In { after: Some(Time::from_millis(5)), ..In::default() }))),
        ("threads of an inbox", Box::new(threads_of(In { inbox, ..In::default() }))),
        ("threads upward", Box::new(threads_of(In { inbox, ascending: true, ..In::default() }))),
        ("threads of a rare label", Box::new(threads_of(In { labels: labels(&["t:rare"]), ..In::default() }))),
        ("drafts", Box::new(drafts_of(Drafts::default()))),
        ("drafts of an inbox", Box::new(drafts_of(Drafts { inbox, ..Drafts::default() }))),
        ("pending drafts", Box::new(drafts_of(Drafts { statuses: pending.clone(), ..Drafts::default() }))),
        ("pending drafts of an inbox", Box::new(drafts_of(Drafts { statuses: pending, inbox, ..Drafts::default() }))),
        ("drafts by metadata", Box::new(drafts_of(drafts_by(&[("env", "prod")])))),
        ("drafts by rare metadata", Box::new(drafts_of(drafts_by(&[("env", "prod"), ("team", "7")])))),
        ("drafts by id", Box::new(move |tx| Ok(drafts::get_many(tx, WORKSPACE, &ids)?.len()))),
        ("approvals", Box::new(move |tx| Ok(approvals::of(tx, WORKSPACE, &approved)?.len()))),
        ("inboxes", Box::new(inboxes_of(&[]))),
        ("inboxes by metadata", Box::new(inboxes_of(&[("env", "prod"), ("team", "7")]))),
        ("inboxes up to a limit", Box::new(move |tx| counted(inboxes::count(tx, WORKSPACE, InboxKind::Mailbox, 100)?))),
        ("public cards up to a limit", Box::new(move |tx| counted(agents::count_public(tx, WORKSPACE, 100)?))),
    ]
}

/// Opens a database on PostgreSQL that these statements filled.
async fn filled(statements: &'static [&'static str]) -> Store {
    let mut config = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    (config.migrations, config.reader_threads) = (migrate::MIGRATIONS, 1);
    let store = Store::open(config).unwrap();
    store.write(set_up).await.unwrap();
    let fill = move |tx: &mut Tx| {
        for text in statements {
            tx.exec(&Sql::from_fragments("FILL", (*text).to_owned()), p![])?;
        }
        Ok::<_, posthouse_store::Error>(())
    };
    store.write(fill).await.unwrap();
    store
}

#[tokio::test]
async fn pages_read_few_rows_without_statistics() {
    let store = filled(&FILL).await;
    let work = |tx: &mut Tx| {
        let mut all = Vec::new();
        for (name, read) in reads() {
            all.push((name, max_tuples_read(tx, &read)?));
        }
        Ok::<_, posthouse_store::Error>(all)
    };
    let all = store.read(work).await.unwrap();
    let excessive: Vec<_> = all.iter().filter(|(_, count)| *count > READ_MAX).collect();
    assert!(excessive.is_empty(), "of {MESSAGES} messages: {excessive:?}\nall: {all:?}");
    store.close();
}

/// Fills the index of the public directory with cards that have one word.
const FILL_CARDS: [&str; 1] = ["INSERT INTO card_index (number, workspace_id, inbox_id, is_public, text, words)
       SELECT g, i.workspace_id, decode(lpad(to_hex(g), 32, '0'), 'hex'), 1, 'agent', array_to_tsvector(ARRAY['agent'])
       FROM inboxes i, generate_series(1, 20000) g WHERE i.username = 'i10'"];
/// Limit on the rows and index entries that a search of cards may read: the newest thousand cards with their index, twice.
const SEARCH_READ_MAX: i64 = 4_100;

#[tokio::test]
async fn searches_of_cards_that_match_nothing_dont_read_all_cards() {
    let store = filled(&FILL_CARDS).await;
    let work = |tx: &mut Tx| {
        let nothing = |tx: &mut Tx| {
            let text = Some("steel".to_owned());
            let query = CardQuery { scope: SearchedCards::Public, text, capability: None, accepts: None };
            Ok(card_index::search(tx, &query, i64::MAX, at(0), 21)?.len() + 1)
        };
        max_tuples_read(tx, &nothing)
    };
    let read = store.read(work).await.unwrap();
    assert!(read <= SEARCH_READ_MAX, "{read} of 20,000 cards");
    store.close();
}
