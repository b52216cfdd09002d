//! Whether agents get a message at once. It is decided before the message is filed.

use posthouse_domain::{HoldReason, Time};

/// Whether agents get a message at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// At once.
    Shown,
    /// When a person releases it; never, if a receive list stopped it.
    Held(HoldReason),
    /// When the check that runs on it has passed it, which takes until this time at most.
    Pending(Time),
}

impl Visibility {
    /// Returns why agents don't get the message yet.
    #[must_use]
    pub const fn hold_reason(self) -> Option<HoldReason> {
        match self {
            Self::Shown => None,
            Self::Held(reason) => Some(reason),
            Self::Pending(_) => Some(HoldReason::Pending),
        }
    }

    /// Returns whether a receive list stopped the message.
    #[must_use]
    pub fn is_blocked(self) -> bool {
        self == Self::Held(HoldReason::Blocked)
    }
}
