//! The revisions of the protocol that are served.

/// A revision of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Revision {
    /// 2025-03-26. The only one with batches.
    March2025,
    /// 2025-06-18.
    June2025,
    /// 2025-11-25. The last one that begins with `initialize`.
    November2025,
    /// 2026-07-28. Stateless.
    July2026,
}

impl Revision {
    /// All revisions, newest first.
    pub const ALL: [Revision; 4] = [Self::July2026, Self::November2025, Self::June2025, Self::March2025];

    /// The newest revision that begins with `initialize`.
    pub const NEWEST_WITH_HANDSHAKE: Revision = Self::November2025;

    /// The revision of a client that names none: the header exists since 2025-06-18.
    pub const UNNAMED: Revision = Self::March2025;

    /// Returns the name, which is a date.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
            Self::July2026 => "2026-07-28",
        }
    }

    /// Returns the revision with this name, if it is served.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.text() == text)
    }

    /// Returns whether each request names its revision, so that there is no handshake.
    #[must_use]
    pub const fn is_stateless(self) -> bool {
        matches!(self, Self::July2026)
    }

    /// Returns the names of all revisions, newest first.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::ALL.into_iter().map(Self::text).collect()
    }
}
