//! The queue of units of work for the database threads, with a reply channel for each result.

use crate::{Error, Result, Tx, events};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;
use uuid::Uuid;

/// The number of units that wait for a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StoreQueueDepth {
    /// Units that write.
    pub writes: usize,
    /// Units that only read.
    pub reads: usize,
}

/// A message to a database thread.
pub(crate) enum StoreCommand {
    /// A unit of work.
    Run(BoxedUnit),
    /// Finish and end the thread.
    Stop,
}

pub(crate) type BoxedUnit = Box<dyn UnitOfWork>;

/// The decision of a unit of work about its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitDecision {
    /// Commit them.
    Commit,
    /// Roll them back; the unit returned its own error.
    Rollback,
}

/// The scope of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionScope {
    /// All statements of the unit.
    Unit,
    /// The only statement of a read unit: the database's implicit transaction suffices.
    Statement,
}

/// A type-erased unit of work with its reply channel.
pub(crate) trait UnitOfWork: Send {
    /// Returns the scope of its transaction.
    fn span(&self) -> TransactionScope;
    /// Returns the workspace whose share of the readers it uses; `None` for work of the service itself.
    fn workspace(&self) -> Option<Uuid>;
    /// Returns whether its caller has stopped waiting.
    fn is_abandoned(&self) -> bool;
    /// Runs the closure once; an `Err` is a failure other than the closure's own error. May be called again.
    fn run(&mut self, tx: &mut Tx) -> Result<UnitDecision>;
    /// Sends the reply: the closure's result, or the error of the transaction around it.
    fn answer(self: Box<Self>, transaction: Result<()>);
}

/// The reply of a unit: the result of its closure, and the closure, so that the caller drops what it holds. The next unit
/// waits for this one.
pub(crate) struct UnitReply<F, T, E> {
    pub(crate) result: Result<T, E>,
    _work: F,
}

/// A closure, its result, and its reply channel.
pub(crate) struct QueuedUnit<F, T, E> {
    span: TransactionScope,
    workspace: Option<Uuid>,
    work: F,
    returned: Option<Result<T, E>>,
    reply: oneshot::Sender<UnitReply<F, T, E>>,
}

impl<F, T, E> QueuedUnit<F, T, E> {
    pub(crate) fn new(
        span: TransactionScope,
        workspace: Option<Uuid>,
        work: F,
    ) -> (Self, oneshot::Receiver<UnitReply<F, T, E>>) {
        let (reply, receiver) = oneshot::channel();
        (QueuedUnit { span, workspace, work, returned: None, reply }, receiver)
    }
}

/// Returns the reply to send: the closure's result, or the error of the transaction around it.
pub(crate) fn answer<T, E: From<Error>>(transaction: Result<()>, returned: Option<Result<T, E>>) -> Result<T, E> {
    match (transaction, returned) {
        (Err(error), _) => Err(E::from(error)),
        (Ok(()), Some(returned)) => returned,
        (Ok(()), None) => Err(E::from(Error::unavailable("the unit of work was not run"))),
    }
}

/// Runs a closure once, as [`UnitOfWork::run`] does; the result is `None` if the closure didn't produce one.
pub(crate) fn run<T, E>(
    work: &impl Fn(&mut Tx) -> Result<T, E>,
    tx: &mut Tx,
) -> (Result<UnitDecision>, Option<Result<T, E>>) {
    tx.renew();
    // Safe after a panic: the caller rolls this unit back, and the unit only has to send a reply afterward.
    let returned = catch_unwind(AssertUnwindSafe(|| work(tx))).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Error::Internal(text.unwrap_or_default().into())
    });
    if matches!(returned, Ok(Ok(_))) && tx.fault().is_none() {
        // The fault of the transaction is checked next.
        let written = events::write(tx);
        written.unwrap_or_else(|error| drop(tx.fail(error)));
    }
    match (returned, tx.fault()) {
        (Err(panicked), _) => (Err(panicked), None),
        // The closure swallowed an error: PostgreSQL couldn't commit the transaction, so neither engine does.
        (Ok(Ok(_)), Some(fault)) => (Err(fault.clone()), None),
        (Ok(returned), _) => {
            (Ok(if returned.is_ok() { UnitDecision::Commit } else { UnitDecision::Rollback }), Some(returned))
        }
    }
}

impl<F, T, E> UnitOfWork for QueuedUnit<F, T, E>
where
    F: Fn(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn span(&self) -> TransactionScope {
        self.span
    }

    fn workspace(&self) -> Option<Uuid> {
        self.workspace
    }

    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(&mut self, tx: &mut Tx) -> Result<UnitDecision> {
        let (decision, returned) = run(&self.work, tx);
        self.returned = returned;
        decision
    }

    fn answer(self: Box<Self>, transaction: Result<()>) {
        let reply = UnitReply { result: answer(transaction, self.returned), _work: self.work };
        let _ = self.reply.send(reply); // the caller may have stopped waiting
    }
}
