//! Units of work on their way to a database thread, and their answers on the way back.

use crate::{Error, Result, Tx, events};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

/// What a database thread takes from its queue.
pub(crate) enum Message {
    /// A unit of work.
    Work(Job),
    /// Finish and end the thread.
    Stop,
}

pub(crate) type Job = Box<dyn Work>;

/// What a unit of work wants done with its changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Commit them.
    Keep,
    /// Roll them back; the unit has its own reason and its own answer.
    Refuse,
}

/// What one transaction is around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// All statements of the unit.
    Unit,
    /// The only statement of a unit that reads: the database's own transaction will do.
    Statement,
}

/// A closure with its answer's address, the types forgotten.
pub(crate) trait Work: Send {
    /// What its transaction is around.
    fn span(&self) -> Span;
    /// Runs the closure once; an `Err` is a failure that is not the closure's own refusal. May be called again.
    fn run(&mut self, tx: &mut Tx) -> Result<Verdict>;
    /// Answers: with what the closure returned, or with the failure of the transaction around it.
    fn answer(self: Box<Self>, transaction: Result<()>);
}

/// A closure, what it returned, and where the answer goes.
pub(crate) struct Unit<F, T, E> {
    span: Span,
    work: F,
    returned: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Unit<F, T, E> {
    pub(crate) fn new(span: Span, work: F) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (reply, receiver) = oneshot::channel();
        (Unit { span, work, returned: None, reply }, receiver)
    }
}

/// What the asker hears: what the closure returned, or the failure of the transaction around it.
pub(crate) fn answer<T, E: From<Error>>(transaction: Result<()>, returned: Option<Result<T, E>>) -> Result<T, E> {
    match (transaction, returned) {
        (Err(error), _) => Err(E::from(error)),
        (Ok(()), Some(returned)) => returned,
        (Ok(()), None) => Err(E::from(Error::unavailable("the unit of work was not run"))),
    }
}

/// Runs a closure once, as [`Work::run`] does; `None` where it did not come to an answer of its own.
pub(crate) fn run<T, E>(
    work: &impl Fn(&mut Tx) -> Result<T, E>,
    tx: &mut Tx,
) -> (Result<Verdict>, Option<Result<T, E>>) {
    tx.renew();
    // Safe to go on after a panic: the caller rolls this unit back, and the unit itself is only asked to answer.
    let returned = catch_unwind(AssertUnwindSafe(|| work(tx))).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        Error::Panicked(text.unwrap_or_default().into())
    });
    if matches!(returned, Ok(Ok(_))) && tx.fault().is_none() {
        // A failure is the transaction's fault, which is looked at next.
        let _ = events::write(tx);
    }
    match (returned, tx.fault()) {
        (Err(panicked), _) => (Err(panicked), None),
        // A swallowed failure: PostgreSQL could not commit it, so neither engine does.
        (Ok(Ok(_)), Some(fault)) => (Err(fault.clone()), None),
        (Ok(returned), _) => (Ok(if returned.is_ok() { Verdict::Keep } else { Verdict::Refuse }), Some(returned)),
    }
}

impl<F, T, E> Work for Unit<F, T, E>
where
    F: Fn(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn span(&self) -> Span {
        self.span
    }

    fn run(&mut self, tx: &mut Tx) -> Result<Verdict> {
        let (verdict, returned) = run(&self.work, tx);
        self.returned = returned;
        verdict
    }

    fn answer(self: Box<Self>, transaction: Result<()>) {
        let _ = self.reply.send(answer(transaction, self.returned)); // the asker may have gone
    }
}
