//! Writes that fail on purpose: how a test makes the transaction of its choice fail, at the point of its choice.

use std::sync::Arc;

use crate::Result;

/// A point of a write transaction at which it can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WritePoint {
    /// Before it begins: nothing of it is run.
    Begin,
    /// At its COMMIT: it is rolled back.
    Commit,
    /// Behind its COMMIT: it is in the database, and who asked for it is told that it failed. A connection that breaks while
    /// the answer is on its way looks like this.
    Committed,
}

/// Is asked at each point of each write transaction whether it goes on. For tests; a service has none.
#[derive(Clone)]
pub struct WriteFaults(Arc<dyn Fn(WritePoint) -> Result<()> + Send + Sync>);

impl WriteFaults {
    /// Those of that function.
    pub fn new(at: impl Fn(WritePoint) -> Result<()> + Send + Sync + 'static) -> Self {
        WriteFaults(Arc::new(at))
    }
}

impl std::fmt::Debug for WriteFaults {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WriteFaults")
    }
}

/// Asks the faults, where there are some.
pub(crate) fn check(faults: Option<&WriteFaults>, point: WritePoint) -> Result<()> {
    faults.map_or(Ok(()), |faults| faults.0(point))
}
