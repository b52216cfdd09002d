//! Database and blob storage for Posthouse: one small [`Tx`] over SQLite and PostgreSQL.
//!
//! Code above this crate doesn't depend on the engine. A unit of work is a plain synchronous closure; the store runs
//! each in a transaction and resolves the caller's future only after the COMMIT is durable on disk.
//!
//! ```
//! use posthouse_store::{DatabaseUrl, Error, Migration, Store, StoreConfig, Tx, from_row, p, statements};
//! use uuid::Uuid;
//!
//! // Statements are named constants with one text for both engines; `$1` is the first parameter.
//! statements! {
//!     PUT = "INSERT INTO notes (workspace_id, id, body, seen) VALUES ($1, $2, $3, $4)
//!            ON CONFLICT (id) DO UPDATE SET body = excluded.body";
//!     PAGE = "SELECT id, body, seen FROM notes WHERE workspace_id = $1 ORDER BY id LIMIT $2";
//!     COUNT = "SELECT count(*) FROM notes WHERE workspace_id = $1";
//! }
//!
//! struct Note { id: Uuid, body: Option<String>, seen: bool }
//! from_row!(Note { id, body, seen }); // the columns of the statement, in its order
//!
//! // Store functions are named after the resource and accept `tx` first.
//! fn put(tx: &mut Tx, workspace: Uuid, note: &Note) -> Result<(), Error> {
//!     tx.exec(&PUT, p![workspace, note.id, note.body, note.seen])?;
//!     tx.wake(workspace); // after the COMMIT
//!     Ok(())
//! }
//!
//! // A use case has its own error type; returning an error rolls back only this unit.
//! #[derive(Debug)]
//! enum Refusal { Full, Store(Error) }
//! impl From<Error> for Refusal { fn from(e: Error) -> Self { Refusal::Store(e) } }
//!
//! # const SCHEMA: &[Migration] = &[Migration { name: "0001_notes",
//! #   text: "CREATE TABLE notes (id {ID} NOT NULL PRIMARY KEY, workspace_id {ID} NOT NULL, body {TEXT}, seen {BOOL} NOT NULL) {STRICT};" }];
//! # let dir = std::env::temp_dir().join(format!("posthouse-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&dir).unwrap();
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! # let mut config = StoreConfig::new(DatabaseUrl::Sqlite(dir.join("doc.db"))); config.migrations = SCHEMA;
//! let store = Store::open(config).unwrap();
//! let (workspace, id) = (Uuid::from_u128(1), Uuid::from_u128(2)); // made outside, because a unit may run twice
//!
//! let mut waiter = store.subscribe(workspace); // subscribe first, then read, then wait
//! store.write(move |tx| {
//!     if tx.one(&COUNT, p![workspace])? == Some((100,)) { return Err(Refusal::Full); }
//!     put(tx, workspace, &Note { id, body: Some("hello".into()), seen: false })?;
//!     Ok(())
//! }).await.unwrap();
//! waiter.changed().await;
//!
//! let page: Vec<Note> = store.read(move |tx| tx.rows(&PAGE, p![workspace, 25])).await.unwrap();
//! assert_eq!(page[0].body.as_deref(), Some("hello"));
//! assert!(!page[0].seen);
//! # });
//! # let _ = std::fs::remove_dir_all(&dir);
//! ```
//!
//! # Errors
//! Every function that takes a [`Tx`] fails if a database call fails. An `# Errors` section says only what else can fail.
//!
//! # Rules for statements
//! * A statement is a function with a signature and named parameters, see [`statements!`]; a constant only if several
//!   functions use it or its values are computed.
//! * Placeholders are `$1`, `$2`, …; the highest number is the parameter count. PostgreSQL infers a parameter's type
//!   from the column next to it. Do arithmetic in Rust: in `due_at <= $1 + 60000` PostgreSQL infers a 32-bit integer,
//!   which this crate rejects.
//! * `sum(x)` is numeric in PostgreSQL: write `CAST(sum(x) AS BIGINT)`. `count(*)` is fine.
//! * Don't insert and catch a constraint violation; use `ON CONFLICT`. A failed statement aborts its unit on both
//!   engines.
//! * Tokens: see [`dialect`]. Rows are read with [`from_row!`] or [`row_struct!`]. The names and the order of the columns must
//!   match: name an expression with `AS`.
//! * `exec` is for statements that return no rows; with `RETURNING`, use `one` or `rows`.

pub mod agents;
pub mod backup;
pub mod blobs;
pub mod contacts;
mod db;
pub mod delivery;
pub mod domains;
pub mod events;
pub mod jobs;
pub mod knowledge;
pub mod messages;
pub mod people;
pub mod schema;
pub mod search;
pub mod workspaces;

pub use agents::{
    agent_keys, agent_reports, card_index, handles, identity_approvals, identity_clients, identity_requests,
    identity_sign_ins, identity_tokens,
};
pub use contacts::{contact_list, lists, rules};
pub use db::{all_statements, dialect, instance, sealed};
pub(crate) use db::{error, many, statements, tx, values};
pub use delivery::*;
pub use domains::*;
pub use events::{webhook_deliveries, webhooks};
pub use messages::{
    answers, approvals, arrivals, attachment_texts, attachments, cancelled_waits, contents, draft_files, drafts, erase,
    message_list, newest_messages, queue, queue_items, readings, relabel, role_mail, seen_addresses, thread_list,
    threads,
};
pub use people::*;
pub(crate) use schema::tables;
pub use schema::{migrate, wipe, wipe_rules, wipe_workspace};
pub use workspaces::{idempotency, inboxes, keys, metrics, screening, storage, totals};

pub use blobs::{BlobDigest, BlobStore};
pub use db::faults::{WriteFaults, WritePoint};
pub use db::integrity;
pub use db::presence::{ExclusiveAccess, is_served};
pub use db::url::DatabaseUrl;
pub use db::wakes::{WakeWaiter, Wakes};
pub use db::{AfterUnitHook, ReadScope, Store, StoreClock, StoreConfig, StoreQueueDepth};
pub use dialect::{Engine, Sql};
pub use error::{Error, Result};
pub use migrate::Migration;
pub use statements::{Returned, TableRow};
pub use tx::Tx;
pub use values::{FromColumn, FromRow, Json, Row, ToValue, Value};
