//! The stages of the process: starting, ready, draining. All waiting tasks watch the stage.
//!
//! SIGTERM and SIGINT start draining (`docs/OPERATING.md`): accepted work is finished, no new work is accepted.

use tokio::{signal::unix::Signal, signal::unix::SignalKind, signal::unix::signal, sync::watch};

/// How long draining may take, in milliseconds, before remaining work is aborted; within the documented 10 seconds.
pub const DRAIN_MS_MAX: u64 = 8_000;

/// A stage of the process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Listeners are being bound.
    Starting,
    /// All listeners are bound.
    Ready,
    /// No new work is accepted.
    Draining,
}

/// The shared stage of the process.
#[derive(Clone, Debug)]
pub struct Lifecycle {
    stage: watch::Sender<Stage>,
}

impl Default for Lifecycle {
    fn default() -> Self {
        Self { stage: watch::Sender::new(Stage::Starting) }
    }
}

impl Lifecycle {
    /// Returns the current stage.
    #[must_use]
    pub fn stage(&self) -> Stage {
        *self.stage.borrow()
    }

    /// Returns whether the process is draining.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.stage() == Stage::Draining
    }

    /// Marks the process as ready: every listener is bound.
    pub fn ready(&self) {
        self.advance_to(Stage::Ready);
    }

    /// Starts draining. Idempotent.
    pub fn drain(&self) {
        self.advance_to(Stage::Draining);
    }

    fn advance_to(&self, stage: Stage) {
        self.stage.send_if_modified(|now| {
            let forward = stage > *now;
            *now = stage.max(*now);
            forward
        });
    }

    /// Completes when draining starts, or at once if it has. Long polls and idle connections select on it.
    pub async fn drained(&self) {
        let mut stage = self.stage.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = stage.wait_for(|stage| *stage == Stage::Draining).await;
    }
}

/// The signals that end the process: SIGTERM and SIGINT.
#[derive(Debug)]
pub struct Signals {
    term: Signal,
    int: Signal,
}

impl Signals {
    /// Installs the signal handlers.
    ///
    /// # Errors
    /// Returns an error if the handler cannot be installed.
    pub fn install() -> std::io::Result<Self> {
        Ok(Self { term: signal(SignalKind::terminate())?, int: signal(SignalKind::interrupt())? })
    }

    /// Waits for a signal and returns its name.
    pub async fn wait_for_signal(&mut self) -> &'static str {
        tokio::select! {
            _ = self.term.recv() => "SIGTERM",
            _ = self.int.recv() => "SIGINT",
        }
    }
}

/// The signal that reloads the certificate: SIGHUP.
#[derive(Debug)]
pub struct HangupSignals(Signal);

impl HangupSignals {
    /// Installs the signal handler; from then on, SIGHUP no longer ends the process.
    ///
    /// # Errors
    /// Returns an error if the handler cannot be installed.
    pub fn install() -> std::io::Result<Self> {
        signal(SignalKind::hangup()).map(Self)
    }

    /// Waits for the next signal.
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
        let life = Lifecycle::default();
        assert_eq!(life.stage(), Stage::Starting);
        life.drain();
        life.ready();
        assert!(life.is_draining());
        life.drained().await;
    }
}
