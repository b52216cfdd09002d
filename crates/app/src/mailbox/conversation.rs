//! The thread of a message that is being stored.

use posthouse_domain::id::ThreadId;

/// The thread that a message joined or started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinedThread {
    /// Its id.
    pub id: ThreadId,
    /// The participants before this message.
    pub participants_before: Vec<String>,
}
