//! How much a list reads on PostgreSQL while its tables have no statistics: no more than the page needs, by any plan.

use super::*;
use posthouse_domain::{
    draft,
    id::DraftId,
    page::{Page, Position},
};
use posthouse_store::{
    Sql, approvals, drafts, drafts::list as draft_list, inboxes::list, message_list, p, recipients, thread_list,
};

/// Messages of the workspace, half of them in the inbox that is read.
const MESSAGES: i64 = 20_000;
/// Rows and index entries that a page of 25 with everything beside it may touch.
const TOUCHED_MAX: i64 = 1_500;

/// The tables, filled by the server itself. Nothing is analysed: the transaction that fills is too young for it.
const FILL: [&str; 12] = [
    "INSERT INTO inboxes SELECT i.workspace_id, decode(lpad(to_hex(g), 32, '0'), 'hex'), 'x' || g, 'x', i.domain, NULL, NULL, '{}', 0,
       NULL, 'active', NULL, NULL, NULL, 0, g, NULL FROM inboxes i, generate_series(1000, 3000) g WHERE i.username = 'i10'",
    "INSERT INTO inbox_metadata SELECT workspace_id, 'env', 'prod', id FROM inboxes",
    "INSERT INTO inbox_metadata SELECT workspace_id, 'team', CAST(created_at % 200 AS TEXT), id FROM inboxes",
    "INSERT INTO messages SELECT i.workspace_id, decode(lpad(to_hex(g), 32, '0'), 'hex'), decode(lpad(to_hex(10 + g % 2), 32, '0'), 'hex'),
       decode(lpad(to_hex(g), 32, '0'), 'hex'), decode(lpad(to_hex(g), 32, '0'), 'hex'),
       CASE WHEN g % 4 = 0 THEN 'outbound' ELSE 'inbound' END, 'received', 'email', 'message', '<' || g || '>', NULL, '[]', 'f',
       '[]', '[]', '[]', NULL, 's', '[]', CAST(g % 6 = 0 AS INT), 0, 1, '', NULL, NULL, NULL, 1, g, NULL, g, g
       FROM inboxes i, generate_series(1, 20000) g WHERE i.username = 'i10'",
    "INSERT INTO message_labels SELECT workspace_id, inbox_id, l.label, created_at, id FROM messages,
       (VALUES ('received', 1), ('unread', 1), ('spam', 40), ('l:a', 8), ('l:b', 10)) l (label, every) WHERE created_at / 2 % l.every = 0",
    "INSERT INTO recipients SELECT workspace_id, id, 0, id, 'a', 'email', 'queued', NULL, NULL, NULL, NULL, 0, 0 FROM messages",
    "INSERT INTO threads SELECT workspace_id, thread_id, inbox_id, 's', 's', 's', 'p@x.example', 1, '[]', '{}', created_at, created_at FROM messages",
    "INSERT INTO thread_labels SELECT workspace_id, l.label, id FROM threads,
       (VALUES ('t:often', 5), ('t:rare', 400)) l (label, every) WHERE created_at / 2 % l.every = 0",
    "INSERT INTO drafts SELECT workspace_id, id, inbox_id, CASE WHEN created_at % 400 < 2 THEN 'draft' ELSE 'sent' END, 1, NULL, thread_id, 0,
       '[]', '[]', '[]', 's', 't', NULL, NULL, 'message', '[]', '{}', 'api', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       created_at, created_at FROM messages",
    "INSERT INTO draft_metadata SELECT workspace_id, m.key, m.value, id FROM drafts,
       (VALUES ('env', 'prod', 1), ('team', '7', 400)) m (key, value, every) WHERE created_at / 2 % m.every = 0",
    "INSERT INTO draft_files SELECT workspace_id, id, id, 0, 'f', 'text/plain', 1,
       'a hash of thirty-two octets, so.', 'x', NULL FROM drafts",
    "INSERT INTO message_approvals SELECT workspace_id, id, id, 'user', NULL, 'l', 1,
       'a hash of thirty-two octets, so.' FROM messages",
];

/// What the transaction has touched so far: rows of whole tables and entries of indexes.
fn touched(tx: &mut Tx) -> Result<i64> {
    let count = Sql::built(
        "TOUCHED",
        "SELECT CAST(sum(pg_stat_get_xact_tuples_returned(oid)) AS BIGINT) FROM pg_class
         WHERE relkind IN ('r', 'i') AND relnamespace = current_schema()::regnamespace"
            .to_owned(),
    );
    Ok(tx.one::<(i64,)>(&count, p![])?.map_or(0, |(n,)| n))
}

/// Runs a read often enough for the plan without values to be taken, and gives the most that one run touched.
fn most_touched(tx: &mut Tx, read: &dyn Fn(&mut Tx) -> Result<usize>) -> Result<i64> {
    let mut most = 0;
    for _ in 0..8 {
        let before = touched(tx)?;
        assert_ne!(read(tx)?, 0, "a read that finds nothing says nothing");
        most = most.max(touched(tx)? - before);
    }
    Ok(most)
}

fn messages_of(filter: message_list::Filter) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| {
        let page = message_list::page(tx, PLACE, &filter, None, 25)?;
        Ok(messages::records(tx, WORKSPACE, page)?.len())
    }
}

fn threads_of(filter: thread_list::Filter) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| Ok(thread_list::page(tx, WORKSPACE, &filter, None, 25)?.len())
}

fn inboxes_of(metadata: &'static [(&'static str, &'static str)]) -> impl Fn(&mut Tx) -> Result<usize> {
    move |tx| {
        let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let page = Page { after: None, limit: 25 };
        let query = list::Query { workspace: WORKSPACE, lives: list::Lives::Both, metadata, page, now: at(0) };
        Ok(list::page(tx, &query)?.len())
    }
}

fn drafts_of(filter: draft_list::Filter) -> impl Fn(&mut Tx) -> Result<usize> {
    let position = Position { sort: i64::MAX, id: Uuid::max() };
    move |tx| Ok(draft_list::page(tx, WORKSPACE, &filter, Page { after: Some(position), limit: 25 })?.len())
}

fn drafts_by(metadata: &[(&str, &str)]) -> draft_list::Filter {
    let metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    draft_list::Filter { metadata, ..Default::default() }
}

fn labels(labels: &[&str]) -> Vec<String> {
    labels.iter().map(|&label| label.to_owned()).collect()
}

type Read = Box<dyn Fn(&mut Tx) -> Result<usize>>;

fn reads() -> Vec<(&'static str, Read)> {
    use draft_list::Filter as Drafts;
    use message_list::Filter as Of;
    use thread_list::Filter as In;
    let many: Vec<MessageId> = (1..=100).map(|n| MessageId(Uuid::from_u128(n * 100))).collect();
    let (some, approved, inbox) = (many.clone(), many.clone(), Some(INBOX));
    let (ids, pending): (Vec<DraftId>, _) = (many.iter().map(|id| DraftId(id.0)).collect(), vec![draft::Status::Draft]);
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
    ]
}

#[tokio::test]
async fn pages_read_no_more_than_they_show_without_statistics() {
    let mut config = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    (config.migrations, config.reader_threads) = (migrate::MIGRATIONS, 1);
    let store = Store::open(config).unwrap();
    store.write(set_up).await.unwrap();
    let fill = |tx: &mut Tx| {
        for text in FILL {
            tx.exec(&Sql::built("FILL", text.to_owned()), p![])?;
        }
        Ok::<_, posthouse_store::Error>(())
    };
    store.write(fill).await.unwrap();
    let work = |tx: &mut Tx| {
        let mut all = Vec::new();
        for (name, read) in reads() {
            all.push((name, most_touched(tx, &read)?));
        }
        Ok::<_, posthouse_store::Error>(all)
    };
    let all = store.read(work).await.unwrap();
    let too_much: Vec<_> = all.iter().filter(|(_, touched)| *touched > TOUCHED_MAX).collect();
    assert!(too_much.is_empty(), "of {MESSAGES} messages: {too_much:?}\nall: {all:?}");
    store.close();
}
