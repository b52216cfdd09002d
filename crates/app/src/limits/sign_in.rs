//! Limits of sign-in, counted in this process.

use std::net::IpAddr;

use posthouse_domain::identity::{ISSUER_REQUESTS_PER_MINUTE, WRONG_CODES_PER_KEY};
use posthouse_domain::{
    Caller, Credential, ErrorCode, Inbox, InboxId, Limit, LimitName, MINUTE_MS, Refusal, Time, WorkspaceId,
};

use crate::{limits::fixed_window::FixedWindow, limits::fixed_window::WindowCount, settings::LimitsConfig};

/// Most agents, workspaces or addresses with a window at once; see [`FixedWindow`].
const KEYS_MAX: usize = 100_000;
/// The window of sign-ins in a browser and of wrong codes, in milliseconds.
const BROWSER_WINDOW_MS: i64 = 10 * MINUTE_MS;

/// The limits of sign-in.
#[derive(Debug)]
pub struct SignInLimits {
    tokens_of_agent: FixedWindow<InboxId>,
    tokens_of_workspace: FixedWindow<WorkspaceId>,
    requests: FixedWindow<IpAddr>,
    /// Of the issuer, by the digest of a credential.
    issuer: FixedWindow<[u8; 32]>,
    wrong_codes: FixedWindow<Credential>,
}

/// What is left of a limit that a request counted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LimitRest {
    pub limit: LimitName,
    /// What it allows in its window.
    pub max: u64,
    /// What is left of it.
    pub count: WindowCount,
}

impl Default for SignInLimits {
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

impl SignInLimits {
    /// Returns what is left of the limits of an identity token.
    #[must_use]
    pub(crate) fn rest_of_token(&self, agent: &Inbox, config: &LimitsConfig, now: Time) -> Vec<LimitRest> {
        let of_workspace = config.identity_tokens_per_workspace.map(|max| LimitRest {
            limit: LimitName::IdentityTokensPerWorkspace,
            max,
            count: self.tokens_of_workspace.peek(agent.workspace, max, now),
        });
        let of_agent = config.identity_tokens_per_agent.map(|max| LimitRest {
            limit: LimitName::IdentityTokensPerAgent,
            max,
            count: self.tokens_of_agent.peek(agent.id, max, now),
        });
        of_workspace.into_iter().chain(of_agent).collect()
    }

    /// Returns what is left of the requests to the issuer with the credential that has this digest.
    #[must_use]
    pub fn rest_of_issuer(&self, credential: [u8; 32], now: Time) -> LimitRest {
        let max = ISSUER_REQUESTS_PER_MINUTE;
        let count = self.issuer.peek(credential, max, now);
        LimitRest { limit: LimitName::IssuerRequestsPerMinute, max, count }
    }

    /// Counts an identity token of an agent that the caller sees.
    ///
    /// # Errors
    /// Returns `rate_limited` if the agent or its workspace got too many in this minute.
    pub(crate) fn count_token(&self, agent: &Inbox, config: &LimitsConfig, now: Time) -> Result<(), Refusal> {
        if let Some(max) = config.identity_tokens_per_workspace {
            let count = self.tokens_of_workspace.count(agent.workspace, max, now);
            check(count, LimitName::IdentityTokensPerWorkspace, max, "The workspace got too many identity tokens")?;
        }
        let Some(max) = config.identity_tokens_per_agent else { return Ok(()) };
        let count = self.tokens_of_agent.count(agent.id, max, now);
        check(count, LimitName::IdentityTokensPerAgent, max, "The agent got too many identity tokens")
    }

    /// Checks that an address may begin another sign-in, of at most `max`. `client` is the network that counts as one
    /// client address.
    ///
    /// # Errors
    /// Returns `rate_limited` if it began too many.
    pub(crate) fn check_request(&self, client: IpAddr, max: Limit, now: Time) -> Result<(), Refusal> {
        let Some(max) = max else { return Ok(()) };
        let count = self.requests.peek(client, max, now);
        check(count, LimitName::SignInRequestsPerAddress, max, "Your client address began too many sign-ins")
    }

    /// Counts a sign-in that a browser began.
    pub(crate) fn count_request(&self, client: IpAddr, max: Limit, now: Time) {
        if let Some(max) = max {
            self.requests.count(client, max, now);
        }
    }

    /// Counts a request to the issuer with the credential that has this digest.
    ///
    /// # Errors
    /// Returns `rate_limited` if there were too many in this minute.
    pub fn count_issuer(&self, credential: [u8; 32], now: Time) -> Result<(), Refusal> {
        let count = self.issuer.count(credential, ISSUER_REQUESTS_PER_MINUTE, now);
        let what = "The app or access token made too many requests";
        check(count, LimitName::IssuerRequestsPerMinute, ISSUER_REQUESTS_PER_MINUTE, what)
    }

    /// Checks that a caller has not sent too many wrong codes.
    ///
    /// # Errors
    /// Returns `rate_limited` if it has.
    pub(crate) fn check_codes(&self, caller: &Caller, now: Time) -> Result<(), Refusal> {
        let count = self.wrong_codes.peek(caller.credential()?, WRONG_CODES_PER_KEY, now);
        check(
            count,
            LimitName::WrongApprovalCodes,
            WRONG_CODES_PER_KEY,
            "This key or session sent too many wrong codes",
        )
    }

    /// Counts a wrong code of a caller.
    pub(crate) fn count_wrong_code(&self, caller: &Caller, now: Time) {
        if let Ok(credential) = caller.credential() {
            self.wrong_codes.count(credential, WRONG_CODES_PER_KEY, now);
        }
    }
}

fn check(count: WindowCount, limit: LimitName, max: u64, what: &str) -> Result<(), Refusal> {
    if count.is_allowed {
        return Ok(());
    }
    let seconds = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(60).max(1);
    let message = format!("{what}; the maximum is {max}.");
    Err(Refusal::new(ErrorCode::RateLimited, message).at_limit(limit, max, seconds))
}
