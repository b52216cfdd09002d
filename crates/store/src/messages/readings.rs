//! What readers were given of threads in parts.

use posthouse_domain::{ThreadId, Time, WorkspaceId};
use uuid::Uuid;

use crate::statements;

statements! {
    /// Returns what a reader was given of a thread.
    pub fn get(workspace: WorkspaceId, thread: ThreadId, reader: Uuid) -> Option<String> =
        "SELECT position FROM thread_readings WHERE workspace_id = :workspace AND thread_id = :thread AND reader_id = :reader";
    /// Notes what a reader was given of a thread.
    pub fn set(workspace: WorkspaceId, thread: ThreadId, reader: Uuid, position: &str, now: Time) =
        "INSERT INTO thread_readings (workspace_id, thread_id, reader_id, position, updated_at)
        VALUES (:workspace, :thread, :reader, :position, :now)
        ON CONFLICT (workspace_id, thread_id, reader_id) DO UPDATE SET position = excluded.position, updated_at = excluded.updated_at";
    /// Deletes up to `limit` notes older than `before`; returns how many.
    pub fn prune(before: Time, limit: u32) -> u64 =
        "DELETE FROM thread_readings WHERE (workspace_id, thread_id, reader_id) IN
        (SELECT workspace_id, thread_id, reader_id FROM thread_readings WHERE updated_at < :before LIMIT :limit)";
}
