//! Injected write failures: a test can make a chosen transaction fail at a chosen point.

use std::sync::Arc;

use crate::Result;

/// A point of a write transaction at which a failure can be injected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WritePoint {
    /// Before it begins: nothing runs.
    Begin,
    /// At COMMIT: it is rolled back.
    Commit,
    /// After COMMIT: the changes are stored, but the caller gets an error. This simulates a connection that breaks
    /// while the response is in transit.
    AfterCommit,
}

/// A callback that can fail each point of each write transaction. For tests only.
#[derive(Clone)]
pub struct WriteFaults(Arc<dyn Fn(WritePoint) -> Result<()> + Send + Sync>);

impl WriteFaults {
    /// Creates faults from a function.
    pub fn new(at: impl Fn(WritePoint) -> Result<()> + Send + Sync + 'static) -> Self {
        WriteFaults(Arc::new(at))
    }
}

impl std::fmt::Debug for WriteFaults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WriteFaults")
    }
}

/// Calls the fault callback, if any.
pub(crate) fn check(faults: Option<&WriteFaults>, point: WritePoint) -> Result<()> {
    faults.map_or(Ok(()), |faults| faults.0(point))
}
