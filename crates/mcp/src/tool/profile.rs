//! Profiles: which tools a client sees. A model chooses badly among many tools, and a client that only reads needs none
//! that send.

use crate::protocol::{Failure, FailureKind};

/// A set of tools.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Profile {
    /// Reading alone.
    Read,
    /// What most agents need: reading, waiting, sending, drafts. The default.
    #[default]
    Reply,
    /// Administration of inboxes, agents and people on call.
    Admin,
    /// Every tool.
    All,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 4] = [Self::Read, Self::Reply, Self::Admin, Self::All];

    /// Returns the name.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Reply => "reply",
            Self::Admin => "admin",
            Self::All => "all",
        }
    }

    /// Returns the profile with this name.
    ///
    /// # Errors
    /// Returns `InvalidParams` that names the profiles.
    pub fn parse(name: &str) -> Result<Self, Failure> {
        Self::ALL.into_iter().find(|profile| profile.text() == name).ok_or_else(|| {
            let message = format!("The profile `{name}` is unknown; use `read`, `reply` (default), `admin` or `all`.");
            Failure::new(FailureKind::InvalidParams, message)
        })
    }
}
