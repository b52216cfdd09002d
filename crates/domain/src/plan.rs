//! Plans and their limits (decision 29). The numbers come from the configuration; these are its defaults.

/// A limit that may be absent.
pub type Limit = Option<u64>;

named! {
    /// The three plans.
    Plan {
        /// `free`
        Free = "free",
        /// `builder`
        Builder = "builder",
        /// `team`
        Team = "team",
    }
}

/// What a plan allows; `None` is unlimited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanLimits {
    /// Inboxes that are not temporary and not deleted.
    pub inboxes: Limit,
    /// Custom domains.
    pub domains: Limit,
    /// Messages sent in a calendar month (UTC).
    pub emails_per_month: Limit,
    /// Messages sent by one inbox in a day (UTC).
    pub daily_sends_per_inbox: Limit,
    /// Messages sent by the workspace in a day (UTC).
    pub daily_sends: Limit,
    /// Messages sent by the workspace in any five minutes.
    pub sends_per_5_minutes: Limit,
    /// API requests of one key in a minute.
    pub requests_per_minute: Limit,
}

impl PlanLimits {
    /// The numbers of decisions 6 and 29.
    #[must_use]
    pub const fn default_of(plan: Plan) -> Self {
        match plan {
            Plan::Free => Self::of([Some(3), Some(1), Some(3_000), Some(100), Some(500), Some(20), Some(120)]),
            Plan::Builder => {
                Self::of([Some(100), Some(10), Some(50_000), Some(1_000), Some(5_000), Some(200), Some(600)])
            }
            Plan::Team => {
                Self::of([None, Some(50), Some(500_000), Some(5_000), Some(50_000), Some(2_000), Some(3_000)])
            }
        }
    }

    const fn of(
        [
            inboxes,
            domains,
            emails_per_month,
            daily_sends_per_inbox,
            daily_sends,
            sends_per_5_minutes,
            requests_per_minute,
        ]: [Limit; 7],
    ) -> Self {
        Self {
            inboxes,
            domains,
            emails_per_month,
            daily_sends_per_inbox,
            daily_sends,
            sends_per_5_minutes,
            requests_per_minute,
        }
    }
}

/// The limits of all plans, as configured.
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
    /// The limits of one plan.
    #[must_use]
    pub const fn of(&self, plan: Plan) -> &PlanLimits {
        match plan {
            Plan::Free => &self.free,
            Plan::Builder => &self.builder,
            Plan::Team => &self.team,
        }
    }
}

impl Default for Plans {
    fn default() -> Self {
        Self {
            free: PlanLimits::default_of(Plan::Free),
            builder: PlanLimits::default_of(Plan::Builder),
            team: PlanLimits::default_of(Plan::Team),
        }
    }
}
