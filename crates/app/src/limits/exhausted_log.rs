//! Remembers which budgets of the service's mail were logged as used up.

use std::sync::atomic::{AtomicI64, Ordering};

use posthouse_domain::MailClass;

/// The day on which each class was last logged as used up, so that a flood writes one line.
#[derive(Debug)]
pub struct ExhaustedLog([AtomicI64; MailClass::ALL.len()]);

impl Default for ExhaustedLog {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicI64::new(i64::MIN)))
    }
}

impl ExhaustedLog {
    /// Returns whether the class is logged for the first time on a day.
    pub(super) fn is_first(&self, class: MailClass, day: i64) -> bool {
        let at = MailClass::ALL.iter().position(|other| *other == class).unwrap_or_default();
        self.0[at].swap(day, Ordering::Relaxed) != day
    }
}
