//! The stages of the process: starting, ready, draining. Everything that waits asks here whether it should go on.
//!
//! SIGTERM and SIGINT begin the draining (operations.md): what was accepted is finished, nothing new is taken.

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};

/// How long the end may take, in milliseconds, before what is left is cut off; within the 10 s of operations.md.
pub const DRAIN_MS_MAX: u64 = 8_000;

/// A stage of the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Listeners are being bound.
    Starting,
    /// Everything runs.
    Ready,
    /// Nothing new is taken.
    Draining,
}

/// The stage of this process, shared by everything in it.
#[derive(Clone, Debug)]
pub struct Life {
    stage: watch::Sender<Stage>,
}

impl Default for Life {
    fn default() -> Self {
        Self { stage: watch::Sender::new(Stage::Starting) }
    }
}

impl Life {
    /// The stage now.
    #[must_use]
    pub fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Whether nothing new is to be taken.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.stage() == Stage::Draining
    }

    /// Says that every listener is bound.
    pub fn ready(&self) {
        self.reach(Stage::Ready);
    }

    /// Begins the end. Saying so twice is fine.
    pub fn drain(&self) {
        self.reach(Stage::Draining);
    }

    fn reach(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let forward = stage > *now;
            *now = stage.max(*now);
            forward
        });
    }

    /// Comes back when the end begins, at once when it has begun. Long-polls and idle connections select on it.
    pub async fn drained(&self) {
        let mut stage = self.stage.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = stage.wait_for(|stage| *stage == Stage::Draining).await;
    }
}

/// The ways in which an operator asks for the end: SIGTERM and SIGINT.
#[derive(Debug)]
pub struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    /// Hears them from now on.
    ///
    /// # Errors
    /// The operating system's, when signals cannot be heard.
    pub fn hear() -> std::io::Result<Self> {
        Ok(Self { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    /// Comes back with the name of the first one.
    pub async fn asked(&mut self) -> &'static str {
        tokio::select! {
            _ = self.term.recv() => "SIGTERM",
            _ = self.int.recv() => "SIGINT",
        }
    }
}

/// The way in which an operator asks for another look at the certificate: SIGHUP.
#[derive(Debug)]
pub struct Hangups(Signal);

impl Hangups {
    /// Hears them from now on; none ends the process any more.
    ///
    /// # Errors
    /// The operating system's, when signals cannot be heard.
    pub fn hear() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Comes back with the next one.
    pub async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending().await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stages_only_go_forward() {
        let life = Life::default();
        assert_eq!(life.stage(), Stage::Starting);
        life.drain();
        life.ready();
        assert!(life.is_draining());
        life.drained().await;
    }
}
