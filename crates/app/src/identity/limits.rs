//! Limits of sign-in, counted in this process.

use std::net::IpAddr;

use posthouse_domain::{
    auth::{Caller, Credential},
    error::{ErrorCode, LimitName, Refusal},
    id::{InboxId, WorkspaceId},
    identity::{ISSUER_REQUESTS_PER_MINUTE, WRONG_CODES_PER_KEY},
    inbox::Inbox,
    plan::Limit,
    time::{MINUTE_MS, Time},
};

use crate::{
    limits::fixed_window::{FixedWindow, WindowCount},
    settings::LimitsConfig,
};

/// Most agents, workspaces or addresses with a window at once; see [`FixedWindow`].
const KEYS_MAX: usize = 100_000;
/// The window of sign-ins in a browser and of wrong codes, in milliseconds.
const BROWSER_WINDOW_MS: i64 = 10 * MINUTE_MS;

/// The limits of sign-in.
#[derive(Debug)]
pub struct IdentityLimits {
    tokens_of_agent: FixedWindow<InboxId>,
    tokens_of_workspace: FixedWindow<WorkspaceId>,
    requests: FixedWindow<IpAddr>,
    /// Of the issuer, by the digest of a credential.
    issuer: FixedWindow<[u8; 32]>,
    wrong_codes: FixedWindow<Credential>,
}

impl Default for IdentityLimits {
    fn default() -> Self {
        Self {
            tokens_of_agent: FixedWindow::new(MINUTE_MS, KEYS_MAX),
            tokens_of_workspace: FixedWindow::new(MINUTE_MS, KEYS_MAX),
            requests: FixedWindow::new(BROWSER_WINDOW_MS, KEYS_MAX),
            issuer: FixedWindow::new(MINUTE_MS, KEYS_MAX),
            wrong_codes: FixedWindow::new(BROWSER_WINDOW_MS, KEYS_MAX),
        }
    }
}

impl IdentityLimits {
    /// Counts an identity token of an agent that the caller sees. Returns the limits that it counted for.
    ///
    /// # Errors
    /// Returns `rate_limited` if the agent or its workspace got too many in this minute.
    pub(super) fn count_token(
        &self,
        agent: &Inbox,
        config: &LimitsConfig,
        now: Time,
    ) -> Result<Vec<CountedLimit>, Refusal> {
        let mut counted = Vec::new();
        if let Some(max) = config.identity_tokens_per_workspace {
            let count = self.tokens_of_workspace.count(agent.workspace, max, now);
            let limit = CountedLimit { limit: LimitName::IdentityTokensPerWorkspace, max, count };
            counted.push(limit.checked("The workspace got its identity tokens")?);
        }
        if let Some(max) = config.identity_tokens_per_agent {
            let count = self.tokens_of_agent.count(agent.id, max, now);
            let limit = CountedLimit { limit: LimitName::IdentityTokensPerAgent, max, count };
            counted.push(limit.checked("The agent got its identity tokens")?);
        }
        Ok(counted)
    }

    /// Checks that an address may begin another sign-in, of at most `max`. `client` is the network that counts as one
    /// client address.
    ///
    /// # Errors
    /// Returns `rate_limited` if it began too many.
    pub(super) fn check_request(&self, client: IpAddr, max: Limit, now: Time) -> Result<(), Refusal> {
        let Some(max) = max else { return Ok(()) };
        let count = self.requests.peek(client, max, now);
        let limit = CountedLimit { limit: LimitName::SignInRequestsPerAddress, max, count };
        limit.checked("This address began its sign-ins").map(drop)
    }

    /// Counts a sign-in that a browser began.
    pub(super) fn count_request(&self, client: IpAddr, max: Limit, now: Time) {
        if let Some(max) = max {
            self.requests.count(client, max, now);
        }
    }

    /// Counts a request to the issuer with the credential that has this digest.
    ///
    /// # Errors
    /// Returns `rate_limited` if there were too many in this minute.
    pub fn count_issuer(&self, credential: [u8; 32], now: Time) -> Result<CountedLimit, Refusal> {
        let max = ISSUER_REQUESTS_PER_MINUTE;
        let count = self.issuer.count(credential, max, now);
        let limit = CountedLimit { limit: LimitName::IssuerRequestsPerMinute, max, count };
        limit.checked("The app or access token made its requests")
    }

    /// Checks that a caller has not sent too many wrong codes.
    ///
    /// # Errors
    /// Returns `rate_limited` if it has.
    pub(super) fn check_codes(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let max = WRONG_CODES_PER_KEY;
        let count = self.wrong_codes.peek(caller.credential()?, max, now);
        let limit = CountedLimit { limit: LimitName::WrongApprovalCodes, max, count };
        limit.checked("This key sent wrong codes").map(drop)
    }

    /// Counts a wrong code of a caller.
    pub(super) fn count_wrong_code(&self, caller: &Caller, now: Time) {
        if let Ok(credential) = caller.credential() {
            self.wrong_codes.count(credential, WRONG_CODES_PER_KEY, now);
        }
    }
}

/// A limit that a request counted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CountedLimit {
    /// Its name.
    pub limit: LimitName,
    /// What it allows in its window.
    pub max: u64,
    /// What is left of it.
    pub count: WindowCount,
}

impl CountedLimit {
    /// Returns the limit if it isn't exceeded.
    fn checked(self, what: &str) -> Result<Self, Refusal> {
        let Self { limit, max, count } = self;
        if count.is_allowed {
            return Ok(self);
        }
        let seconds = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60).max(1);
        let message = format!("{what}: {max} in this window.");
        Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(limit, max, seconds))
    }
}
