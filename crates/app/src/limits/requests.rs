//! Limits the requests per minute of each API key, person, connector and workspace, counted in this process.

use posthouse_domain::{
    auth::{Caller, Principal},
    connector::REQUESTS_PER_MINUTE,
    error::{Detail, ErrorCode, LimitName, Refusal},
    id::{ConnectorId, KeyId, UserId, WorkspaceId},
    plan::{Limit, WORKSPACE_REQUESTS_FACTOR},
    time::{MINUTE_MS, Time},
};

use super::{fixed_window::FixedWindow, fixed_window::WindowCount, sign_in::LimitRest};

/// Most API keys, people and workspaces with a window at once; see [`FixedWindow`].
const KEYS_MAX: usize = 100_000;
/// The status of a refusal by a limit.
const TOO_MANY_REQUESTS: u16 = 429;

/// What requests are counted for. A person is one, whichever session and workspace a request is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum RequestSource {
    Key(KeyId),
    Person(UserId),
    Connector(ConnectorId),
    Workspace(WorkspaceId),
}

/// The requests of each API key, person and workspace in its current minute.
#[derive(Debug)]
pub struct RequestLimits(FixedWindow<RequestSource>);

/// A limit and the rest of it, as the response states them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimitStatus {
    pub limit: LimitName,
    /// What it allows in its window.
    pub max: u64,
    /// The length of the window, in seconds.
    pub window_s: u64,
    /// Requests that remain in the window.
    pub remaining: u64,
    /// Seconds until the window ends, rounded up.
    pub resets_in_s: u64,
    /// Whether the request was within the limit.
    pub is_allowed: bool,
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self(FixedWindow::new(MINUTE_MS, KEYS_MAX))
    }
}

impl RequestLimits {
    /// Counts one request for its key, person or connector, and for the workspace. `None` if there is no limit.
    pub fn count(&self, caller: &Caller, limit: Limit, now: Time) -> Option<RateLimitStatus> {
        let (source, name, limit_of_source) = match caller.principal {
            Principal::Key(key) => (RequestSource::Key(key.id), LimitName::RequestsPerMinute, limit),
            Principal::User(user) => (RequestSource::Person(user.user), LimitName::RequestsPerMinute, limit),
            Principal::Connector(connector) => {
                let max = limit.unwrap_or(REQUESTS_PER_MINUTE).min(REQUESTS_PER_MINUTE);
                (RequestSource::Connector(connector.id), LimitName::ConnectorRequestsPerMinute, Some(max))
            }
            // Neither sends requests.
            Principal::Operator | Principal::Service { .. } => return None,
        };
        let max = limit_of_source?;
        let own = RateLimitStatus::of(name, max, self.0.count(source, max, now))?;
        let Some(limit) = limit.filter(|_| own.is_allowed) else { return Some(own) };
        // People who are in no workspace don't share a limit: they have nothing to do with each other.
        if caller.workspace == WorkspaceId::SERVICE {
            return Some(own);
        }
        let max = limit.saturating_mul(WORKSPACE_REQUESTS_FACTOR);
        let all = self.0.count(RequestSource::Workspace(caller.workspace), max, now);
        if all.is_allowed { Some(own) } else { RateLimitStatus::of(LimitName::WorkspaceRequestsPerMinute, max, all) }
    }
}

impl RateLimitStatus {
    /// Returns the status after a count. `None` if the limit counts nothing over time.
    pub fn of(limit: LimitName, max: u64, count: WindowCount) -> Option<Self> {
        let resets_in_s = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60);
        let (remaining, is_allowed) = (count.remaining, count.is_allowed);
        Some(Self { limit, max, window_s: limit.window_s()?, remaining, resets_in_s, is_allowed })
    }

    /// Returns the status of a limit of sign-in. `None` if the limit counts nothing over time.
    pub fn rest(rest: LimitRest) -> Option<Self> {
        Self::of(rest.limit, rest.max, rest.count)
    }

    /// Returns the status of a limit that a refused request exceeded. `None` if the refusal names no such limit.
    pub fn of_refusal(refusal: &Refusal) -> Option<Self> {
        let limit = refusal.limit().filter(|_| refusal.code.status() == TOO_MANY_REQUESTS)?;
        let (max, resets_in_s, window_s) = (refusal.max()?, refusal.retry_after_s?, limit.window_s()?);
        Some(Self { limit, max, window_s, remaining: 0, resets_in_s, is_allowed: false })
    }

    /// Returns the status of a limit of which `used` are used up.
    pub fn used(limit: LimitName, max: u64, used: u64, resets_in_s: u64) -> Option<Self> {
        let remaining = max.saturating_sub(used);
        Some(Self { limit, max, window_s: limit.window_s()?, remaining, resets_in_s, is_allowed: true })
    }

    /// Checks that the request was within the limit.
    ///
    /// # Errors
    /// Returns `rate_limited` with the seconds to wait if it was not.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.is_allowed {
            return Ok(());
        }
        let message = match self.limit {
            LimitName::RequestsPerMinute => {
                format!("This API key or person has used its {} requests for this minute.", self.max)
            }
            LimitName::ConnectorRequestsPerMinute => {
                format!("This connector has used its {} requests for this minute.", self.max)
            }
            LimitName::WorkspaceRequestsPerMinute => {
                format!("The keys and people of this workspace have used their {} requests for this minute.", self.max)
            }
            _ => format!("The limit of {} of these requests per minute is used up.", self.max),
        };
        let refusal = Refusal::new(ErrorCode::RateLimited, message);
        Err(refusal.at_limit(self.limit, self.max, self.resets_in_s).detail(Detail::WindowSeconds(self.window_s)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_domain::{
        auth::{KeyPrincipal, Permissions, Scope, UserPrincipal},
        id::SessionId,
        user::Role,
    };
    use uuid::Uuid;

    fn key(number: u128) -> Caller {
        let key =
            KeyPrincipal { id: KeyId(Uuid::from_u128(number)), scope: Scope::Org, permissions: Permissions::full() };
        Caller::key(WorkspaceId(Uuid::from_u128(1)), key)
    }

    fn person(session: u128, workspace: u128) -> Caller {
        let user = UserId(Uuid::from_u128(7));
        let principal = UserPrincipal { user, session: SessionId(Uuid::from_u128(session)), role: Role::Member };
        Caller::user(WorkspaceId(Uuid::from_u128(workspace)), principal)
    }

    #[test]
    fn a_person_has_one_window_in_all_sessions_and_workspaces() {
        let (limits, now) = (RequestLimits::default(), Time::from_millis(1_000_000));
        assert!(limits.count(&person(1, 1), Some(2), now).expect("limited").is_allowed);
        assert!(limits.count(&person(2, 1), Some(2), now).expect("limited").is_allowed);
        let refused = limits.count(&person(3, 2), Some(2), now).expect("limited");
        assert_eq!((refused.limit, refused.is_allowed), (LimitName::RequestsPerMinute, false));
    }

    #[test]
    fn all_keys_of_a_workspace_have_ten_times_the_requests_of_one() {
        let (limits, now) = (RequestLimits::default(), Time::from_millis(1_000_000));
        for number in 0..10 {
            for _ in 0..2 {
                assert!(limits.count(&key(number), Some(2), now).expect("limited").is_allowed, "{number}");
            }
        }
        let refused = limits.count(&key(11), Some(2), now).expect("limited");
        let expected = (LimitName::WorkspaceRequestsPerMinute, 20, false);
        assert_eq!((refused.limit, refused.max, refused.is_allowed), expected);
        assert!(limits.count(&person(1, 2), Some(2), now).expect("limited").is_allowed, "another workspace");
    }

    #[test]
    fn windows_last_a_minute_and_are_per_key() {
        let limits = RequestLimits::default();
        let (a, b) = (key(1), key(2));
        let start = Time::from_millis(1_000_000);
        let status = |remaining, resets_in_s| {
            let limit = LimitName::RequestsPerMinute;
            RateLimitStatus { limit, max: 2, window_s: 60, remaining, resets_in_s, is_allowed: true }
        };
        assert_eq!(limits.count(&a, Some(2), start), Some(status(1, 60)));
        assert_eq!(limits.count(&a, Some(2), start.plus_ms(30_500)), Some(status(0, 30)));
        let refused = limits.count(&a, Some(2), start.plus_ms(59_999)).expect("limited");
        let refusal = refused.check().expect_err("used up");
        assert_eq!((refusal.code, refusal.retry_after_s), (ErrorCode::RateLimited, Some(1)));
        assert!(limits.count(&b, Some(2), start).expect("limited").check().is_ok());
        assert!(limits.count(&a, Some(2), start.plus_ms(60_000)).expect("limited").check().is_ok());
        assert_eq!(limits.count(&a, None, start), None);
    }
}
