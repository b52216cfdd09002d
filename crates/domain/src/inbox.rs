//! Inboxes: addresses that receive and send (API document, Inboxes; contract §3).

mod username;

pub use username::{READABLE_RANDOM_BYTES, RETURN_PATH, TEMPORARY_RANDOM_BYTES, Username, is_role};

use crate::{
    error::{Code, Refusal},
    id::{InboxId, WorkspaceId},
    plan::Limit,
    time::{DAY_MS, HOUR_MS, SECOND_MS, Time},
};

/// Shortest life of a temporary inbox, in seconds.
pub const TTL_SECONDS_MIN: i64 = 60;
/// Longest life of a temporary inbox from its creation, in seconds.
pub const TTL_SECONDS_MAX: i64 = DAY_MS / 1_000;
/// Most temporary inboxes of a workspace at once.
pub const TEMPORARY_ACTIVE_MAX: u64 = 25;
/// Most temporary inboxes that a workspace makes in an hour.
pub const TEMPORARY_PER_HOUR_MAX: u64 = 60;

/// An inbox as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Inbox {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: InboxId,
    /// Its canonical address.
    pub address: String,
    /// The local part.
    pub username: String,
    /// The domain.
    pub domain: String,
    /// The name that recipients see.
    pub display_name: Option<String>,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
    /// The caller's metadata, as a JSON object's text.
    pub metadata_json: String,
    /// Whether it expires and only receives.
    pub temporary: bool,
    /// When it expires.
    pub expires_at: Option<Time>,
    /// Since when it is paused.
    pub paused_at: Option<Time>,
    /// Why it is paused.
    pub paused_reason: Option<String>,
    /// Whether promotions are kept apart; none: the default of the local part.
    pub promotions_filter: Option<bool>,
    /// `created_at` of its newest message.
    pub last_message_at: Time,
    /// When it was made.
    pub created_at: Time,
    /// When it was deleted.
    pub deleted_at: Option<Time>,
}

impl Inbox {
    /// Whether it does not send, and holds its events back.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Whether mail to it is taken at that time: not deleted, not expired.
    #[must_use]
    pub fn receives(&self, now: Time) -> bool {
        self.deleted_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Whether promotions are kept apart: as said, or on for role names.
    #[must_use]
    pub fn filters_promotions(&self) -> bool {
        self.promotions_filter.unwrap_or_else(|| is_role(&self.username))
    }
}

/// How many temporary inboxes a workspace has, as far as the limits ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TemporaryUse {
    /// Not expired and not deleted.
    pub active: u64,
    /// When the first of them expires.
    pub first_expires_at: Option<Time>,
    /// Made within the last hour, whatever became of them.
    pub made_in_hour: u64,
    /// When the first of those was made.
    pub first_made_at: Option<Time>,
}

/// Whether a workspace may have one more inbox that is not temporary.
///
/// # Errors
/// `plan_limit_inboxes`.
pub fn may_create(used: u64, limit: Limit) -> Result<(), Refusal> {
    match limit {
        Some(max) if used >= max => {
            let message = format!("The workspace has {used} of {max} inboxes that its plan allows.");
            Err(Refusal::new(Code::PlanLimitInboxes, message).detail("limit", max))
        }
        _ => Ok(()),
    }
}

/// Whether a workspace may make one more temporary inbox now (API document, Limits).
///
/// # Errors
/// `temporary_inbox_limit` with the time until one more is possible.
pub fn may_create_temporary(used: &TemporaryUse, now: Time) -> Result<(), Refusal> {
    let refuse = |message: String, limit: &str, max: u64, free_at: Option<Time>| {
        let left_ms = free_at.map_or(SECOND_MS, |at| at.since_ms(now)).max(SECOND_MS);
        let seconds = u64::try_from((left_ms + SECOND_MS - 1) / SECOND_MS).unwrap_or(1);
        Err(Refusal::new(Code::TemporaryInboxLimit, message)
            .detail("limit", limit)
            .detail("max", max)
            .retry_after(seconds))
    };
    if used.active >= TEMPORARY_ACTIVE_MAX {
        let message = format!("{} temporary inboxes are active, the most that there can be.", used.active);
        return refuse(message, "temporary_active", TEMPORARY_ACTIVE_MAX, used.first_expires_at);
    }
    if used.made_in_hour >= TEMPORARY_PER_HOUR_MAX {
        let message =
            format!("{} temporary inboxes were made within an hour, the most that can be.", used.made_in_hour);
        let free_at = used.first_made_at.map(|first| first.plus_ms(HOUR_MS));
        return refuse(message, "temporary_per_hour", TEMPORARY_PER_HOUR_MAX, free_at).map_err(|refusal| {
            refusal.with_fix("Wait for the time in Retry-After, or use the temporary inboxes that there are.")
        });
    }
    Ok(())
}

/// When a temporary inbox expires whose life is counted anew from `now`: at most a day after it was made.
#[must_use]
pub fn extended(created_at: Time, now: Time, ttl_seconds: i64) -> Time {
    now.plus_ms(ttl_seconds.saturating_mul(SECOND_MS)).min(created_at.plus_ms(TTL_SECONDS_MAX * SECOND_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_800_000_000_000);

    #[test]
    fn the_plan_counts_inboxes() {
        for (used, limit, fine) in [(0, Some(3), true), (2, Some(3), true), (3, Some(3), false), (9, None, true)] {
            assert_eq!(may_create(used, limit).is_ok(), fine, "{used} of {limit:?}");
        }
    }

    #[test]
    fn temporary_limits_say_when_one_more_is_possible() {
        let free = TemporaryUse { active: 24, first_expires_at: None, made_in_hour: 59, first_made_at: None };
        assert_eq!(may_create_temporary(&free, NOW), Ok(()));
        let full = TemporaryUse { active: 25, first_expires_at: Some(NOW.plus_ms(4_001)), ..free };
        let refusal = may_create_temporary(&full, NOW).expect_err("full");
        assert_eq!((refusal.code, refusal.retry_after_s), (Code::TemporaryInboxLimit, Some(5)));
        let busy = TemporaryUse { made_in_hour: 60, first_made_at: Some(NOW.plus_ms(-HOUR_MS + 60_000)), ..free };
        assert_eq!(may_create_temporary(&busy, NOW).expect_err("busy").retry_after_s, Some(60));
    }

    #[test]
    fn an_extension_counts_from_now_and_ends_a_day_after_creation() {
        let hour = 3_600;
        assert_eq!(extended(NOW, NOW.plus_ms(HOUR_MS), hour), NOW.plus_ms(2 * HOUR_MS));
        assert_eq!(extended(NOW, NOW.plus_ms(23 * HOUR_MS), 2 * hour), NOW.plus_ms(DAY_MS));
        assert_eq!(extended(NOW, NOW.plus_ms(HOUR_MS), 60), NOW.plus_ms(HOUR_MS + 60_000), "it may be shortened");
    }
}
