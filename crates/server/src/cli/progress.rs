//! One line of progress on a terminal. Without a terminal on standard error nothing is printed.

use std::{
    io::{IsTerminal, Write},
    sync::Arc,
};

use posthouse_domain::time::Time;

use crate::boot;
use posthouse_app::ports::Clock;

/// Interval between updates, in milliseconds.
const INTERVAL_MS: i64 = 100;
/// Width of a terminal.
const COLUMNS: usize = 80;

/// A line that is overwritten with each update, and removed when dropped.
pub(super) struct ProgressLine {
    clock: Arc<dyn Clock>,
    printed_at: Option<Time>,
    /// Characters on the line.
    width: usize,
}

impl ProgressLine {
    /// Returns a line, or `None` if standard error isn't a terminal.
    pub(super) fn on_terminal() -> Option<Self> {
        let is_terminal = std::io::stderr().is_terminal();
        is_terminal.then(|| Self { clock: boot::clock(), printed_at: None, width: 0 })
    }

    /// Shows a text, unless the previous one is too recent.
    pub(super) fn show(&mut self, text: impl FnOnce() -> String) {
        let now = self.clock.now();
        if self.printed_at.is_some_and(|before| now.since_ms(before) < INTERVAL_MS) {
            return;
        }
        self.printed_at = Some(now);
        self.overwrite(&text());
    }

    fn overwrite(&mut self, text: &str) {
        let text: String = text.chars().take(COLUMNS - 1).collect();
        let (width, before) = (text.chars().count(), self.width);
        // Spaces instead of an escape sequence, because not every terminal knows it.
        let _ = write!(std::io::stderr(), "\r{text}{:1$}\r", "", before.saturating_sub(width));
        self.width = width;
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.overwrite("");
    }
}
