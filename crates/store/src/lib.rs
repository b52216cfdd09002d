//! The seam of Posthouse to its databases and blob stores: one small [`Tx`] over SQLite and PostgreSQL.
//!
//! Nothing above this crate knows which engine runs. Units of work are plain synchronous closures; the store runs each in
//! a transaction and answers when the COMMIT is on the disk. It must never answer before.
//!
//! ```
//! use posthouse_store::{DatabaseUrl, Error, Migration, Store, StoreConfig, Tx, from_row, p, statements};
//! use uuid::Uuid;
//!
//! // Statements are named constants: one text for both engines, `$1` for the first parameter.
//! statements! {
//!     PUT = "INSERT INTO notes (workspace_id, id, body, seen) VALUES ($1, $2, $3, $4)
//!            ON CONFLICT (id) DO UPDATE SET body = excluded.body";
//!     PAGE = "SELECT id, body, seen FROM notes WHERE workspace_id = $1 ORDER BY id LIMIT $2";
//!     COUNT = "SELECT count(*) FROM notes WHERE workspace_id = $1";
//! }
//!
//! struct Note { id: Uuid, body: Option<String>, seen: bool }
//! from_row!(Note { id, body, seen }); // in the order of the columns
//!
//! // Store functions: resource first, `tx` first.
//! fn put(tx: &mut Tx, workspace: Uuid, note: &Note) -> Result<(), Error> {
//!     tx.exec(&PUT, p![workspace, note.id, note.body, note.seen])?;
//!     tx.wake(workspace); // after the COMMIT
//!     Ok(())
//! }
//!
//! // A use-case has an error type of its own; returning it rolls back this unit alone.
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
//! let (workspace, id) = (Uuid::from_u128(1), Uuid::from_u128(2)); // made outside: a unit may run twice
//!
//! let mut waiter = store.subscribe(workspace); // register, then look, then sleep
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
//! # Rules for statements
//! * Placeholders are `$1`, `$2`, …; the highest is the number of parameters. A parameter's type is the column's beside it.
//!   Do arithmetic in Rust: in `due_at <= $1 + 60000` PostgreSQL takes `$1` for a 32-bit integer and the seam refuses it.
//! * `sum(x)` of PostgreSQL is a numeric: write `CAST(sum(x) AS BIGINT)`. `count(*)` is fine.
//! * Never insert and catch the violation: a failed statement spoils its unit on both engines. Say `ON CONFLICT`.
//! * Tokens: [`dialect`]. Rows come back as tuples or by [`from_row!`]; the number of columns must fit exactly.
//! * `exec` is for statements without rows; with `RETURNING` use `one` or `rows`.

pub mod acme;
pub mod answers;
pub mod approvals;
pub mod arrivals;
pub mod attachments;
pub mod backup;
pub mod blobs;
pub mod contact_list;
pub mod contacts;
pub mod contents;
pub mod deliveries;
pub mod dialect;
pub mod dkim_keys;
pub mod draft_files;
pub mod drafts;
pub mod erase;
pub mod events;
pub mod forwarding;
pub mod greylist;
pub mod idempotency;
pub mod inboxes;
pub mod incidents;
pub mod instance;
pub mod jobs;
pub mod keys;
pub mod lists;
pub mod mail_domains;
pub mod message_list;
pub mod messages;
pub mod metrics;
pub mod migrate;
pub mod queue;
pub mod recipients;
pub mod recoveries;
pub mod relabel;
pub mod role_mail;
pub mod sealed;
pub mod search;
pub mod statements;
pub mod stream_tokens;
pub mod suppressions;
pub mod sweep;
pub mod thread_list;
pub mod threads;
pub mod tls;
pub mod unclaimed;
pub mod usage;
pub mod webhook_deliveries;
pub mod webhooks;
pub mod wipe;
pub mod workspaces;

mod columns;
mod db;
mod error;
mod many;
mod tx;
mod values;

pub use blobs::{Blobs, Digest};
pub use db::faults::{WriteFaults, WritePoint};
pub use db::integrity;
pub use db::presence::Alone;
pub use db::url::DatabaseUrl;
pub use db::wakes::{Waiter, Wakes};
pub use db::{AfterUnit, Store, StoreConfig, Watch};
pub use dialect::{Engine, Sql};
pub use error::{Error, Result};
pub use migrate::Migration;
pub use tx::Tx;
pub use values::{FromColumn, FromRow, Json, Row, ToValue, Value};
