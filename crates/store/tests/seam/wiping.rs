//! The rules of `wipe_rules.rs` against the real schema: every table has one, and deleting a message, a thread or an
//! inbox leaves exactly what the rules say.

use std::collections::BTreeMap;

use posthouse_domain::{
    id::{InboxId, ThreadId, WorkspaceId},
    time::Time,
};
use posthouse_store::{
    Engine, Result, Sql, Store, ToValue, Tx, Value, contents, drafts, erase, inboxes,
    message_list::InboxRef,
    migrate::MIGRATIONS,
    p, row_struct,
    schema::RULES,
    statements, threads, wipe,
    wipe_rules::{ErasedRecord, RecordKind, TableRule},
    wipe_workspace,
};
use uuid::Uuid;

use crate::support::{Dir, config, sqlite_config};

/// Columns of bytes, and columns named like a reference, that refer to no record.
const NOT_REFERENCES: &[&str] = &[
    "acme_accounts.credentials",
    "acme_certificates.private_key",
    "api_keys.digest",
    "attachments.content_id",
    "attachments.sha256",
    "contents.raw",
    "dkim_keys.private_key",
    "domain_keys.private_key",
    "draft_files.content",
    "draft_files.sha256",
    "drafts.approved_by_id",
    "drafts.approved_content_sha256",
    "envelopes.signed_with",
    "forgotten_contacts.digest",
    "forwarding_addresses.token_sha256",
    "greylist.id",
    "idempotency.fingerprint",
    "identity_access_tokens.client_id",
    "identity_access_tokens.digest",
    "identity_apps.client_id",
    "identity_clients.client_id",
    "identity_clients.secret_sha256",
    "identity_clients.subject_salt",
    "identity_preapprovals.client_id",
    "identity_requests.client_id",
    "identity_requests.code_sha256",
    "identity_requests.secret_sha256",
    "identity_sign_ins.client_id",
    "inboxes.client_id",
    "message_approvals.by_id",
    "message_approvals.content_sha256",
    "messages.rfc_message_id",
    "thread_references.rfc_message_id",
    "on_call_contacts.token_sha256",
    "confirmation_requests.address",
    "search_docs.word_pairs",
    "signup_usage.subject",
    "signing_keys.private_key",
    "signups.claim_token_sha256",
    "stream_tokens.digest",
    "used_challenges.nonce",
    "sign_ins.digest",
    "sign_ins.network",
    "sessions.digest",
    "webhooks.headers",
    // A JSON list; a webhook of a deleted inbox stays.
    "webhooks.inbox_ids",
    "webhooks.old_secret",
    "webhooks.secret",
    "connector_clients.client_id",
    "connectors.client_id",
    "connectors.code_sha256",
    "connectors.family_sha256",
    "connectors.refresh_sha256",
    "connector_tokens.digest",
    "file_links.digest",
    "cancelled_waits.digest",
    "knowledge_documents.source_id",
    "knowledge_passages.passages",
];

statements! {
    // The other tables whose names start with search_text are parts of the full-text index, and so is card_words.
    COLUMNS = "SELECT t.name AS table_name, c.name AS column_name, lower(c.type) AS kind
        FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name NOT LIKE 'search!_text!_%' ESCAPE '!' AND t.name NOT LIKE 'card!_words%' ESCAPE '!' AND c.hidden = 0
        ORDER BY t.name, c.cid"
        / "SELECT CAST(table_name AS TEXT) AS table_name, CAST(column_name AS TEXT) AS column_name, CAST(data_type AS TEXT) AS kind
        FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position";
    INSERT_WORDS = "INSERT INTO search_text (rowid, words) VALUES ($1, $2)";
    FIND_WORDS = "SELECT count(*) FROM search_text WHERE search_text MATCH $1";
}

row_struct!(
    #[derive(Clone, Debug)]
    Column { table_name: String, column_name: String, kind: String }
);

impl Column {
    fn name(&self) -> String {
        format!("{}.{}", self.table_name, self.column_name)
    }

    fn is_bytes(&self) -> bool {
        ["blob", "bytea"].contains(&self.kind.as_str())
    }
}

type Tables = BTreeMap<String, Vec<Column>>;

fn tables_of(columns: &[Column]) -> Tables {
    let mut tables = Tables::new();
    for column in columns {
        tables.entry(column.table_name.clone()).or_default().push(column.clone());
    }
    tables
}

fn rule(table: &str) -> Option<&'static TableRule> {
    RULES.iter().find(|rule| rule.table == table)
}

fn reference(rule: &TableRule, column: &str) -> Option<RecordKind> {
    rule.references.iter().find(|reference| reference.column == column).map(|reference| reference.to)
}

/// Returns what the rules lack for a schema, or have too much.
fn problems(columns: &[Column], engine: Engine) -> Vec<String> {
    let (tables, mut found) = (tables_of(columns), Vec::new());
    let mut names: Vec<&str> = RULES.iter().map(|rule| rule.table).collect();
    names.sort_unstable();
    found.extend(names.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| format!("{}: two rules", pair[0])));
    for name in tables.keys().filter(|name| rule(name).is_none()) {
        found.push(format!("{name}: add a rule to wipe_rules.rs"));
    }
    for rule in RULES {
        let Some(columns) = tables.get(rule.table) else {
            if rule.table != "search_text" || engine == Engine::Sqlite {
                found.push(format!("{}: the rule is for a missing table", rule.table));
            }
            continue;
        };
        let named = rule.references.iter().map(|r| r.column).chain(rule.cleared.iter().map(|c| c.column));
        for name in named.filter(|name| !columns.iter().any(|column| column.column_name == *name)) {
            found.push(format!("{}.{name}: the rule names a missing column", rule.table));
        }
        for column in columns {
            let is_suspect = column.is_bytes() || ["_id", "_ids"].iter().any(|end| column.column_name.ends_with(end));
            let is_known = NOT_REFERENCES.contains(&column.name().as_str());
            if is_suspect && reference(rule, &column.column_name).is_none() && !is_known {
                found.push(format!("{}: state what it refers to", column.name()));
            }
        }
    }
    found
}

/// Opens an empty store with the real schema on each engine.
fn stores(dir: &Dir) -> Vec<Store> {
    let postgres = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    let open = |mut config: posthouse_store::StoreConfig| {
        config.migrations = MIGRATIONS;
        Store::open(config).unwrap()
    };
    [sqlite_config(dir), postgres].map(open).into()
}

#[tokio::test]
async fn every_table_and_every_reference_has_a_rule() {
    let dir = Dir::new();
    for store in stores(&dir) {
        let (mut columns, engine): (Vec<Column>, Engine) =
            store.read(|tx| Ok::<_, posthouse_store::Error>((tx.rows(&COLUMNS, p![])?, tx.engine()))).await.unwrap();
        assert_eq!(problems(&columns, engine), Vec::<String>::new());
        for name in NOT_REFERENCES.iter().filter(|name| **name != "search_docs.word_pairs") {
            assert!(columns.iter().any(|column| column.name() == *name), "{name} is missing");
        }
        // What a new table and a new column would lead to.
        let column = |table: &str, name: &str, kind: &str| Column {
            table_name: table.into(),
            column_name: name.into(),
            kind: kind.into(),
        };
        columns.push(column("summaries", "message_id", "blob"));
        columns.push(column("threads", "merged_into", "blob"));
        columns.retain(|column| column.table_name != "role_mail");
        let expected = [
            "summaries: add a rule to wipe_rules.rs",
            "threads.merged_into: state what it refers to",
            "role_mail: the rule is for a missing table",
        ];
        assert_eq!(problems(&columns, engine), expected);
    }
}

/// Two sets of records in one workspace. The first is deleted, the second must stay.
const ERASED: u8 = 1;
const OTHER: u8 = 2;
/// Rows of the first set are older than this, a further message of its thread is newer.
const CUT: i64 = 2;
const LATER: i64 = 5;

fn id(kind: RecordKind, set: u8) -> Uuid {
    let set = if kind == RecordKind::Workspace { 0 } else { set };
    Uuid::from_u128(u128::from(set) << 64 | (kind as u128 + 1))
}

fn marker(set: u8) -> String {
    format!("marker{set}")
}

fn value(rule: &TableRule, column: &Column, set: u8) -> Value<'static> {
    let text = |text: String| Value::Text(text.into());
    match column.name().as_str() {
        "inboxes.deleted_at" => return Value::Null,
        "messages.labels" => return text(format!("[\"{}\"]", marker(set))),
        // Details of drafts are removed from events, others stay.
        "events.type" => return text("draft.created".into()),
        // Storing and deleting reads the plan.
        "inboxes.kind" => return text("mailbox".into()),
        "workspaces.plan" => return text("free".into()),
        // An item that was leased stays without its consumer, which other tests check.
        "queue_items.deliveries" => return Value::Int(0),
        _ => {}
    }
    match (reference(rule, &column.column_name), column.kind.as_str()) {
        (Some(kind), _) => Value::Blob(id(kind, set).as_bytes().to_vec().into()),
        (None, "blob" | "bytea") => Value::Blob(marker(set).into_bytes().into()),
        (None, "text" | "tsvector") => text(marker(set)),
        (None, "real" | "double precision") => Value::Real(f64::from(set)),
        (None, _) => Value::Int(i64::from(set)),
    }
}

/// Inserts a row of the set into every table.
fn fill(tx: &mut Tx, tables: &Tables, set: u8) -> Result<()> {
    // The other tables may refer to the workspace.
    let first = tables.get_key_value("workspaces").into_iter();
    for (name, columns) in first.chain(tables.iter().filter(|(name, _)| *name != "workspaces")) {
        if name == "search_text" {
            tx.exec(&INSERT_WORDS, p![i64::from(set), marker(set)])?;
            continue;
        }
        let rule = rule(name).unwrap();
        let values: Vec<Value<'_>> = columns.iter().map(|column| value(rule, column, set)).collect();
        let places = columns.iter().zip(1..).map(|(column, n)| match column.kind.as_str() {
            "tsvector" => format!("CAST(CAST(${n} AS TEXT) AS TSVECTOR)"),
            _ => format!("${n}"),
        });
        let places = places.collect::<Vec<_>>().join(", ");
        let text = format!("INSERT INTO {name} ({}) VALUES ({places}) ON CONFLICT DO NOTHING", names(columns));
        tx.exec(&Sql::from_fragments("FILL", text), &values)?;
    }
    Ok(())
}

fn names(columns: &[Column]) -> String {
    columns.iter().map(|column| column.column_name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Adds a later message to the thread of the first set, which shares nothing else with it.
fn add_later_message(tx: &mut Tx, tables: &Tables) -> Result<()> {
    let columns = &tables["messages"];
    let copied = columns.iter().map(|column| match (column.column_name.as_str(), column.kind.as_str()) {
        ("id" | "content_id", _) => "$3".to_owned(),
        ("answers", _) => "NULL".to_owned(),
        ("created_at", _) => format!("CAST({LATER} AS BIGINT)"),
        ("labels", _) => "'[]'".to_owned(),
        (_, "text") => "'later'".to_owned(),
        (name, _) => name.to_owned(),
    });
    let copied = copied.collect::<Vec<_>>().join(", ");
    let text = format!(
        "INSERT INTO messages ({}) SELECT {copied} FROM messages WHERE workspace_id = $1 AND id = $2",
        names(columns)
    );
    let (workspace, message) = (id(RecordKind::Workspace, ERASED), id(RecordKind::Message, ERASED));
    tx.exec(&Sql::from_fragments("LATER_MESSAGE", text), p![workspace, message, Uuid::from_u128(7)])?;
    Ok(())
}

/// Counts the rows of a table that contain the text or one of the IDs in one of the columns.
fn rows_with(tx: &mut Tx, columns: &[Column], text: &str, ids: &[Uuid]) -> Result<i64> {
    let mut total = 0;
    for column in columns {
        let (table, name) = (&column.table_name, &column.column_name);
        if table == "search_text" {
            total += tx.value::<i64>(&FIND_WORDS, p![text])?.unwrap_or(0);
        } else if column.is_bytes() {
            let wanted = ids.iter().map(|id| id.as_bytes().to_vec()).chain([text.as_bytes().to_vec()]);
            for bytes in wanted {
                let sql = Sql::from_fragments("BYTES", format!("SELECT count(*) FROM {table} WHERE {name} = $1"));
                total += tx.value::<i64>(&sql, &[bytes.to_value()])?.unwrap_or(0);
            }
        } else if ["text", "tsvector"].contains(&column.kind.as_str()) {
            let sql =
                format!("SELECT count(*) FROM {table} WHERE CAST({name} AS TEXT) LIKE '%' || CAST($1 AS TEXT) || '%'");
            total += tx.value::<i64>(&Sql::from_fragments("TEXT", sql), p![text])?.unwrap_or(0);
        }
    }
    Ok(total)
}

fn row_count(tx: &mut Tx, table: &str) -> Result<i64> {
    let sql = Sql::from_fragments("ROWS", format!("SELECT count(*) FROM {table}"));
    Ok(tx.value(&sql, p![])?.unwrap_or(0))
}

/// Deletes a record of the first set as the application does; returns the blobs that may be unused.
fn erase(tx: &mut Tx, erased: ErasedRecord) -> Result<Vec<String>> {
    let workspace = WorkspaceId(id(RecordKind::Workspace, ERASED));
    let place = InboxRef { workspace, inbox: InboxId(id(RecordKind::Inbox, ERASED)) };
    let thread = ThreadId(id(RecordKind::Thread, ERASED));
    match erased {
        ErasedRecord::Message => Ok(erase::messages_before(tx, place, Time::from_millis(CUT), 10)?.blobs),
        ErasedRecord::Thread => {
            let totals = erase::messages_of_thread(tx, place, thread)?;
            threads::delete(tx, workspace, thread)?;
            drafts::wipe_thread(tx, workspace, place.inbox, thread)?;
            Ok(totals.blobs)
        }
        ErasedRecord::Inbox => {
            let inbox = inboxes::take(tx, workspace, place.inbox)?.unwrap();
            wipe::inbox(tx, &inbox, Time::from_millis(LATER))
        }
    }
}

/// The kinds of records that are gone.
fn gone(erased: ErasedRecord) -> Vec<Uuid> {
    use RecordKind::{Content, Draft, Envelope, ForwardingAddress, Inbox, Message, Thread};
    let kinds: &[RecordKind] = match erased {
        ErasedRecord::Message => &[Message, Content, Envelope],
        ErasedRecord::Thread => &[Message, Content, Envelope, Thread, Draft],
        ErasedRecord::Inbox => &[Message, Content, Envelope, Thread, Draft, Inbox, ForwardingAddress],
    };
    kinds.iter().map(|kind| id(*kind, ERASED)).collect()
}

/// Returns where the state after a deletion differs from the rules.
fn remains(tx: &mut Tx, tables: &Tables, before: &[(String, i64)], erased: ErasedRecord) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let (text, ids) = (marker(ERASED), gone(erased));
    for (name, rows_before) in before {
        let (rule, columns) = (rule(name).unwrap(), &tables[name]);
        if rule.lifetime.ends_with(erased) {
            if rows_with(tx, columns, &text, &ids)? > 0 {
                wrong.push(format!("{name}: rows are left"));
            }
        } else if row_count(tx, name)? != *rows_before {
            wrong.push(format!("{name}: rows were deleted"));
        }
        for cleared in rule.cleared {
            let column: Vec<Column> = columns.iter().filter(|c| c.column_name == cleared.column).cloned().collect();
            let all: Vec<Uuid> = gone(ErasedRecord::Inbox);
            let is_left = rows_with(tx, &column, &text, &all)? > 0;
            if is_left == (erased >= cleared.with) {
                wrong.push(format!("{name}.{}: is left: {is_left}", cleared.column));
            }
        }
        let other = [id(RecordKind::Message, OTHER), id(RecordKind::Inbox, OTHER)];
        let had_other = !columns.is_empty() && rows_with(tx, columns, &marker(OTHER), &other)? > 0;
        let is_shared = [
            "escalation_settings",
            "schema_migrations",
            "sending_recoveries",
            "signups",
            "search_heads",
            "workspace_counters",
            "workspace_usage",
            "workspaces",
        ];
        if !had_other && !is_shared.contains(&name.as_str()) && has_own_data(columns, rule) {
            wrong.push(format!("{name}: rows of another inbox were deleted"));
        }
    }
    Ok(wrong)
}

/// Returns whether the rows of the two sets differ in a text, in bytes, or in their message or inbox.
fn has_own_data(columns: &[Column], rule: &TableRule) -> bool {
    let kinds = [RecordKind::Message, RecordKind::Inbox];
    let is_own = |column: &Column| match reference(rule, &column.column_name) {
        Some(kind) => kinds.contains(&kind),
        None => column.is_bytes() || ["text", "tsvector"].contains(&column.kind.as_str()),
    };
    columns.iter().any(is_own)
}

#[tokio::test]
async fn deletion_leaves_what_the_rules_say() {
    for erased in [ErasedRecord::Message, ErasedRecord::Thread, ErasedRecord::Inbox] {
        let dir = Dir::new();
        for store in stores(&dir) {
            let work = move |tx: &mut Tx| {
                let columns: Vec<Column> = tx.rows(&COLUMNS, p![])?;
                let tables = tables_of(&columns);
                fill(tx, &tables, ERASED)?;
                fill(tx, &tables, OTHER)?;
                add_later_message(tx, &tables)?;
                let mut before = Vec::new();
                for name in tables.keys() {
                    before.push((name.clone(), row_count(tx, name)?));
                }
                let empty: Vec<_> = before.iter().filter(|(_, rows)| *rows == 0).cloned().collect();
                let is_in_use = contents::references_blob(tx, &marker(ERASED))?;
                let blobs = erase(tx, erased)?;
                let is_left = contents::references_blob(tx, &marker(ERASED))?;
                Ok::<_, posthouse_store::Error>((
                    remains(tx, &tables, &before, erased)?,
                    empty,
                    blobs,
                    [is_in_use, is_left],
                ))
            };
            let (wrong, empty, blobs, [is_in_use, is_left]) = store.write(work).await.unwrap();
            assert_eq!(empty, [], "fill these tables");
            assert_eq!(wrong, Vec::<String>::new(), "{erased:?}");
            assert_eq!(blobs, [marker(ERASED)], "the blob of the message");
            // A message and a file of a draft have the same blob here, and the draft outlives the message.
            assert!(is_in_use && is_left == (erased == ErasedRecord::Message), "{erased:?}: a blob is in use");
            store.close();
        }
    }
}

#[tokio::test]
async fn a_deleted_workspace_leaves_only_its_addresses() {
    let dir = Dir::new();
    for store in stores(&dir) {
        let workspace = WorkspaceId(id(RecordKind::Workspace, ERASED));
        let tables = store
            .write(move |tx| {
                let columns: Vec<Column> = tx.rows(&COLUMNS, p![])?;
                let tables = tables_of(&columns);
                fill(tx, &tables, ERASED)?;
                fill(tx, &tables, OTHER)?;
                wipe_workspace::close(tx, workspace, Time::from_millis(LATER))?;
                Ok::<_, posthouse_store::Error>(tables)
            })
            .await
            .unwrap();
        let wiped = store.write(move |tx| wipe_workspace::inboxes(tx, workspace, 1)).await.unwrap();
        assert_eq!((wiped.count, wiped.blobs.len()), (1, 1));
        store.write(move |tx| wipe_workspace::inboxes(tx, workspace, 10)).await.unwrap();
        store.write(move |tx| wipe_workspace::workspace(tx, workspace)).await.unwrap();
        let left = move |tx: &mut Tx| {
            let mut left = Vec::new();
            for (name, columns) in &tables {
                let owned = columns.iter().filter(|column| column.column_name == "workspace_id");
                let owner = [Uuid::from(workspace)];
                for column in owned.cloned().collect::<Vec<_>>() {
                    if rows_with(tx, &[column], "no such text", &owner)? > 0 {
                        left.push(name.clone());
                    }
                }
            }
            // Only SQLite has a table of words.
            let words = if tables.contains_key("search_text") { row_count(tx, "search_text")? } else { 0 };
            Ok::<_, posthouse_store::Error>((left, row_count(tx, "workspaces")?, words))
        };
        assert_eq!(store.read(left).await.unwrap(), (vec!["addresses".to_owned()], 0, 0));
        store.close();
    }
}
