//! Plans and their limits.

/// How many times the requests of one key all keys and people of a workspace may use together.
pub const WORKSPACE_REQUESTS_FACTOR: u64 = 10;

/// A limit that may be absent.
pub type Limit = Option<u64>;

named! {
    /// A plan.
    Plan {
        /// `free`
        Free = "free",
        /// `builder`
        Builder = "builder",
        /// `team`
        Team = "team",
    }
}

/// The limits of a plan; `None` means unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanLimits {
    /// Permanent inboxes that are not deleted.
    pub inboxes: Limit,
    /// Identities that are not deleted.
    pub identities: Limit,
    /// Custom domains.
    pub domains: Limit,
    /// API keys that are not revoked.
    pub api_keys: Limit,
    /// Cards in the public directory.
    pub public_listings: Limit,
    pub knowledge_documents: Limit,
    /// Replies drafted by the model server within 24 hours.
    pub ai_drafts_per_day: Limit,
    /// Messages sent per calendar month (UTC).
    pub emails_per_month: Limit,
    /// Messages sent per inbox and day (UTC).
    pub daily_sends_per_inbox: Limit,
    /// Messages sent per workspace and day (UTC).
    pub daily_sends: Limit,
    /// Messages sent per workspace within any five minutes.
    pub sends_per_5_minutes: Limit,
    /// API requests per key and minute; for people, per person. A workspace in all may use [`WORKSPACE_REQUESTS_FACTOR`]
    /// times as many.
    pub requests_per_minute: Limit,
    /// Authenticated HTTP connections at once, of one workspace.
    pub connections: Limit,
    /// Streams at once, of one workspace.
    pub streams: Limit,
    /// Received messages that the categoriser reads per day (UTC).
    pub ai_checks_per_day: Limit,
    /// Attachments whose text is read, per calendar month (UTC).
    pub extractions_per_month: Limit,
    /// Structured extractions from attachments, per calendar month (UTC).
    pub structured_extractions_per_month: Limit,
    /// Stored messages, and bodies and files of drafts, in bytes.
    pub storage_bytes: Limit,
}

/// The configured limits of all plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plans {
    /// `plans.free`
    pub free: PlanLimits,
    /// `plans.builder`
    pub builder: PlanLimits,
    /// `plans.team`
    pub team: PlanLimits,
}

impl Plans {
    /// Returns the limits of a plan.
    #[must_use]
    pub const fn of(&self, plan: Plan) -> &PlanLimits {
        match plan {
            Plan::Free => &self.free,
            Plan::Builder => &self.builder,
            Plan::Team => &self.team,
        }
    }
}
