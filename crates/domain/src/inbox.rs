//! Inboxes: addresses that receive and send mail, and identities: agents with an address but without mail.

mod username;

pub use username::{READABLE_RANDOM_BYTES, RETURN_PATH, TEMPORARY_RANDOM_BYTES, Username, is_role};

use crate::{
    analysis::ScreeningMode,
    error::{Detail, ErrorCode, LimitName, Refusal},
    id::{InboxId, WorkspaceId},
    plan::{Limit, PlanLimits},
    time::{DAY_MS, HOUR_MS, SECOND_MS, Time},
};

/// The shortest lifetime of a temporary inbox, in seconds.
pub const TTL_SECONDS_MIN: i64 = 60;
/// The longest lifetime of a temporary inbox since its creation, in seconds.
pub const TTL_SECONDS_MAX: i64 = DAY_MS / 1_000;
/// The maximum number of active temporary inboxes of a workspace.
pub const TEMPORARY_ACTIVE_MAX: u64 = 25;
/// The maximum number of temporary inboxes that a workspace may create within an hour.
pub const TEMPORARY_PER_HOUR_MAX: u64 = 60;

named! {
    /// Whether a record of an agent has mail.
    InboxKind {
        /// An inbox: it receives and sends mail.
        Mailbox = "mailbox",
        /// An identity: an agent without mail, whose address is only a handle.
        Identity = "identity",
    }
}

/// An inbox or identity as stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Inbox {
    pub workspace: WorkspaceId,
    pub id: InboxId,
    /// Whether it is an inbox or an identity.
    pub kind: InboxKind,
    /// Its canonical address.
    pub address: String,
    /// The local part.
    pub username: String,
    pub domain: String,
    /// The display name that recipients see.
    pub display_name: Option<String>,
    /// The caller's idempotency key.
    pub client_id: Option<String>,
    /// Custom metadata, as the text of a JSON object.
    pub metadata_json: String,
    /// Whether it is temporary: it expires, and it can't send.
    pub temporary: bool,
    pub expires_at: Option<Time>,
    pub paused_at: Option<Time>,
    /// Why it was paused.
    pub paused_reason: Option<String>,
    /// Whether promotions are filtered; `None` means the default for the local part.
    pub promotions_filter: Option<bool>,
    /// How its mail is screened; `None` means as the workspace does.
    pub screening: Option<ScreeningMode>,
    /// Whether the agent can sign in to apps.
    pub identity_enabled: bool,
    /// The `created_at` of its newest message.
    pub last_message_at: Time,
    pub created_at: Time,
    pub deleted_at: Option<Time>,
}

impl Inbox {
    /// Returns whether the inbox is paused: it doesn't send, and its events are held back.
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.paused_at.is_some()
    }

    /// Returns whether it is neither deleted nor expired.
    #[must_use]
    pub fn is_live(&self, now: Time) -> bool {
        self.deleted_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns whether it accepts mail: an inbox that is neither deleted nor expired.
    #[must_use]
    pub fn receives(&self, now: Time) -> bool {
        self.kind == InboxKind::Mailbox && self.is_live(now)
    }

    /// Returns whether promotions are filtered: the inbox's setting, or on for role names.
    #[must_use]
    pub fn filters_promotions(&self) -> bool {
        self.promotions_filter.unwrap_or_else(|| is_role(&self.username))
    }
}

/// The temporary inboxes of a workspace, counted for the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TemporaryInboxUsage {
    /// The number of inboxes that are neither expired nor deleted.
    pub active: u64,
    /// When the first of them expires.
    pub first_expires_at: Option<Time>,
    /// The number of inboxes created within the last hour, including expired and deleted ones.
    pub created_in_hour: u64,
    /// When the first of those was created.
    pub first_made_at: Option<Time>,
}

/// Returns how many inboxes of a kind a workspace may have that are neither temporary nor deleted.
#[must_use]
pub const fn limit(kind: InboxKind, limits: &PlanLimits) -> Limit {
    match kind {
        InboxKind::Mailbox => limits.inboxes,
        InboxKind::Identity => limits.identities,
    }
}

/// Checks whether a workspace that has `used` inboxes of a kind may create another one that isn't temporary.
///
/// # Errors
/// Returns `plan_limit_inboxes` or `plan_limit_identities` if the limit is reached.
pub fn may_create(kind: InboxKind, used: u64, max: u64) -> Result<(), Refusal> {
    if used < max {
        return Ok(());
    }
    Err(match kind {
        InboxKind::Mailbox => {
            let message = format!("The workspace uses {used} of the {max} inboxes it can have.");
            Refusal::new(ErrorCode::PlanLimitInboxes, message).detail(Detail::InboxLimit(max))
        }
        InboxKind::Identity => {
            let message = format!("The workspace uses {used} of the {max} identities it can have.");
            Refusal::new(ErrorCode::PlanLimitIdentities, message).detail(Detail::Max(max))
        }
    })
}

/// Checks whether a workspace may create another temporary inbox now.
///
/// # Errors
/// Returns `temporary_inbox_limit` with the time until another one is allowed.
pub fn may_create_temporary(used: &TemporaryInboxUsage, now: Time) -> Result<(), Refusal> {
    let refuse = |message: String, limit: LimitName, max: u64, free_at: Option<Time>| {
        let left_ms = free_at.map_or(SECOND_MS, |at| at.since_ms(now)).max(SECOND_MS);
        let seconds = u64::try_from((left_ms + SECOND_MS - 1) / SECOND_MS).unwrap_or(1);
        Err(Refusal::new(ErrorCode::TemporaryInboxLimit, message)
            .detail(Detail::Limit(limit))
            .detail(Detail::Max(max))
            .retry_after(seconds))
    };
    if used.active >= TEMPORARY_ACTIVE_MAX {
        let message = format!("The workspace has {} active temporary inboxes, which is the limit.", used.active);
        return refuse(message, LimitName::TemporaryActive, TEMPORARY_ACTIVE_MAX, used.first_expires_at);
    }
    if used.created_in_hour >= TEMPORARY_PER_HOUR_MAX {
        let message = format!(
            "The workspace created {} temporary inboxes within an hour, which is the limit.",
            used.created_in_hour
        );
        let free_at = used.first_made_at.map(|first| first.plus_ms(HOUR_MS));
        return refuse(message, LimitName::TemporaryPerHour, TEMPORARY_PER_HOUR_MAX, free_at).map_err(|refusal| {
            refusal.with_fix("Wait for the time in `Retry-After`, or use an existing temporary inbox.")
        });
    }
    Ok(())
}

/// Returns when a temporary inbox expires if its lifetime restarts now: at most a day after its creation.
#[must_use]
pub fn extended(created_at: Time, now: Time, ttl_seconds: i64) -> Time {
    now.plus_ms(ttl_seconds.saturating_mul(SECOND_MS)).min(created_at.plus_ms(TTL_SECONDS_MAX * SECOND_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(1_800_000_000_000);

    #[test]
    fn plan_limits_the_number_of_inboxes() {
        for (kind, code) in
            [(InboxKind::Mailbox, ErrorCode::PlanLimitInboxes), (InboxKind::Identity, ErrorCode::PlanLimitIdentities)]
        {
            for (used, refused) in [(0, None), (2, None), (3, Some(code)), (9, Some(code))] {
                assert_eq!(may_create(kind, used, 3).err().map(|refusal| refusal.code), refused, "{kind:?} {used}");
            }
        }
    }

    #[test]
    fn temporary_limits_have_a_retry_time() {
        let free = TemporaryInboxUsage { active: 24, first_expires_at: None, created_in_hour: 59, first_made_at: None };
        assert_eq!(may_create_temporary(&free, NOW), Ok(()));
        let full = TemporaryInboxUsage { active: 25, first_expires_at: Some(NOW.plus_ms(4_001)), ..free };
        let refusal = may_create_temporary(&full, NOW).expect_err("full");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::TemporaryInboxLimit, Some(5)));
        let busy =
            TemporaryInboxUsage { created_in_hour: 60, first_made_at: Some(NOW.plus_ms(-HOUR_MS + 60_000)), ..free };
        assert_eq!(may_create_temporary(&busy, NOW).expect_err("busy").retry_after_s, Some(60));
    }

    #[test]
    fn extension_starts_now_and_ends_at_most_a_day_after_creation() {
        let hour = 3_600;
        assert_eq!(extended(NOW, NOW.plus_ms(HOUR_MS), hour), NOW.plus_ms(2 * HOUR_MS));
        assert_eq!(extended(NOW, NOW.plus_ms(23 * HOUR_MS), 2 * hour), NOW.plus_ms(DAY_MS));
        assert_eq!(
            extended(NOW, NOW.plus_ms(HOUR_MS), 60),
            NOW.plus_ms(HOUR_MS + 60_000),
            "the lifetime may get shorter"
        );
    }
}
