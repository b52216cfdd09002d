//! Handles: `@workspace/agent`. A workspace claims the first part; its agents choose the second.

use std::fmt;

use super::lookalike::Reading;
use crate::{
    WorkspaceId,
    error::{Detail, ErrorCode, LimitName, Refusal},
    reserved_names::ReservedNames,
    time::{DAY_MS, SECOND_MS, Time},
};

/// The longest handle of a workspace, in characters.
pub const WORKSPACE_CHARS_MAX: usize = 64;
/// The shortest agent part of a handle, in characters.
pub const AGENT_CHARS_MIN: usize = 2;
/// The longest agent part of a handle, in characters.
pub const AGENT_CHARS_MAX: usize = 32;
/// The shortest full handle, in characters.
pub const FULL_CHARS_MIN: usize = 3;
/// The longest full handle, in characters.
pub const FULL_CHARS_MAX: usize = 80;
/// How long a renamed handle redirects, in milliseconds.
pub const REDIRECT_MS: i64 = 90 * DAY_MS;
/// New handles that a workspace can take within [`RENAMES_MS`], beside its first one. Each is kept from everybody else.
pub const RENAMES_MAX: u64 = 3;
/// How long a rename counts, in milliseconds.
pub const RENAMES_MS: i64 = 90 * DAY_MS;
/// Handles that a workspace can have had, the current one included.
pub const HANDLES_MAX: u64 = 10;
/// Changes of agents' handles in a workspace within [`DAY_MS`].
pub const AGENT_HANDLES_PER_DAY: u64 = 100;

/// The handle of a workspace, in lower case, without the `@`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct HandleName(String);

/// The agent part of a handle, in lower case.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AgentHandle(String);

/// A handle as it is written: `@workspace` or `@workspace/agent`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FullHandle {
    pub workspace: HandleName,
    /// The agent; without one, the handle names no agent.
    pub agent: Option<AgentHandle>,
}

/// Returns whether a text matches `^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$`.
fn has_handle_form(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_alphanumeric = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    bytes.iter().all(|b| is_alphanumeric(b) || *b == b'-')
        && bytes.first().is_some_and(is_alphanumeric)
        && bytes.last().is_some_and(is_alphanumeric)
}

fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(ErrorCode::InvalidHandle, message)
}

impl HandleName {
    /// Parses the handle of a workspace, without the `@`. Capitals become small letters.
    ///
    /// # Errors
    /// Returns `invalid_handle`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.to_ascii_lowercase();
        if text.len() <= WORKSPACE_CHARS_MAX && has_handle_form(&text) {
            return Ok(Self(text));
        }
        Err(invalid(format!(
            "The handle of a workspace has 1 to {WORKSPACE_CHARS_MAX} letters a to z, digits and hyphens, and begins and ends \
             with a letter or a digit."
        )))
    }

    /// Returns a handle that was stored.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, without the `@`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the form that look-alikes share, without hyphens.
    #[must_use]
    pub fn skeleton(&self) -> String {
        Reading::of(&self.0).joined().to_owned()
    }

    /// Returns whether no workspace can claim it: it is a reserved name, looks like one, or names the service.
    #[must_use]
    pub fn is_reserved(&self, names: &ReservedNames) -> bool {
        names.is_handle(&self.0)
    }
}

impl AgentHandle {
    /// Parses the agent part of a handle. Capitals become small letters.
    ///
    /// # Errors
    /// Returns `invalid_handle`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.to_ascii_lowercase();
        if (AGENT_CHARS_MIN..=AGENT_CHARS_MAX).contains(&text.len()) && has_handle_form(&text) {
            return Ok(Self(text));
        }
        Err(invalid(format!(
            "The agent part of a handle has {AGENT_CHARS_MIN} to {AGENT_CHARS_MAX} letters a to z, digits and hyphens, and \
             begins and ends with a letter or a digit."
        )))
    }

    /// Returns a handle that was stored.
    #[must_use]
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl FullHandle {
    /// Parses a handle with its `@`.
    ///
    /// # Errors
    /// Returns `invalid_handle`.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let form = || invalid("A handle has the form `@workspace/agent`.");
        if !(FULL_CHARS_MIN..=FULL_CHARS_MAX).contains(&text.chars().count()) {
            return Err(form());
        }
        let named = text.strip_prefix('@').ok_or_else(form)?;
        let (workspace, agent) = match named.split_once('/') {
            Some((workspace, agent)) => (workspace, Some(AgentHandle::parse(agent)?)),
            None => (named, None),
        };
        Ok(Self { workspace: HandleName::parse(workspace)?, agent })
    }

    /// Returns whether a text is meant as a handle: an address never begins with `@`.
    #[must_use]
    pub fn is_handle(text: &str) -> bool {
        text.starts_with('@')
    }
}

/// Checks that a workspace may take one more handle. `claimed` has the times at which it took its handles, in any order.
///
/// # Errors
/// Returns `handle_limit` or `rate_limited`.
pub fn check_renames(claimed: &[Time], now: Time) -> Result<(), Refusal> {
    if claimed.len() as u64 >= HANDLES_MAX {
        let message = format!("The workspace has had {HANDLES_MAX} handles, which are kept for it forever.");
        return Err(Refusal::new(ErrorCode::HandleLimit, message).detail(Detail::Max(HANDLES_MAX)));
    }
    let mut claimed = claimed.to_vec();
    claimed.sort_unstable();
    let since = now.plus_ms(-RENAMES_MS);
    let renames: Vec<Time> = claimed.into_iter().skip(1).filter(|at| *at > since).collect();
    match renames.first() {
        Some(first) if renames.len() as u64 >= RENAMES_MAX => {
            let wait_ms = RENAMES_MS - now.since_ms(*first);
            let seconds = u64::try_from((wait_ms + SECOND_MS - 1) / SECOND_MS).unwrap_or(1).max(1);
            let days = RENAMES_MS / DAY_MS;
            let message = format!("The workspace has taken {RENAMES_MAX} new handles within {days} days.");
            let fix = "Take back a handle in `previous`, or wait for the time in `Retry-After`.";
            let refusal = Refusal::new(ErrorCode::RateLimited, message).with_fix(fix);
            Err(refusal.at_limit(LimitName::HandleRenames, RENAMES_MAX, seconds))
        }
        _ => Ok(()),
    }
}

/// Checks that the full handle isn't too long.
///
/// # Errors
/// Returns `invalid_handle`.
pub fn check_length(workspace: &HandleName, agent: &AgentHandle) -> Result<(), Refusal> {
    let chars = "@/".len() + workspace.0.len() + agent.0.len();
    if chars <= FULL_CHARS_MAX {
        return Ok(());
    }
    Err(invalid(format!("@{workspace}/{agent} has {chars} characters; a full handle has at most {FULL_CHARS_MAX}.")))
}

impl fmt::Display for HandleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AgentHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A handle that a workspace had before, which still leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviousHandle {
    pub handle: HandleName,
    /// When it stops leading to the workspace.
    pub redirect_until: Time,
}

/// The handles of a workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WorkspaceHandles {
    pub current: Option<HandleName>,
    /// Those that still lead to the workspace, latest first.
    pub previous: Vec<PreviousHandle>,
}

/// The workspace that a handle leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandleTarget {
    pub workspace: WorkspaceId,
    /// Whether the handle was renamed and redirects.
    pub is_redirect: bool,
}

/// The holder of a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HandleOwner {
    /// The workspace itself, which uses it now.
    OwnCurrent,
    /// The workspace itself, which renamed it.
    OwnRenamed,
    /// Another workspace, or nobody may claim it again.
    Taken,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_have_one_form() {
        let (long, too_long) = ("a".repeat(64), "a".repeat(65));
        for fine in ["a", "acme", "ACME", "a-b", "0", "a--b", long.as_str()] {
            assert!(HandleName::parse(fine).is_ok(), "{fine}");
        }
        for wrong in ["", "-a", "a-", "a_b", "@acme", "a/b", "a b", "ä", too_long.as_str()] {
            assert_eq!(HandleName::parse(wrong).expect_err(wrong).code, ErrorCode::InvalidHandle);
        }
        assert_eq!(HandleName::parse("Acme").expect("valid").text(), "acme");
        assert!(AgentHandle::parse("a").is_err() && AgentHandle::parse("ab").is_ok());
        assert!(AgentHandle::parse(&"a".repeat(33)).is_err());
    }

    #[test]
    fn full_handles_name_a_workspace_and_an_agent() {
        let full = FullHandle::parse("@Acme/Bot").expect("valid");
        assert_eq!((full.workspace.text(), full.agent.as_ref().map(AgentHandle::text)), ("acme", Some("bot")));
        assert_eq!(FullHandle::parse("@acme").expect("valid").agent, None);
        for wrong in ["acme/bot", "@/bot", "@acme/", "@acme/b", "@acme/bot/x", "@", "@a@b/cd"] {
            assert_eq!(FullHandle::parse(wrong).expect_err(wrong).code, ErrorCode::InvalidHandle);
        }
        let (workspace, agent) = (HandleName::stored("a".repeat(64)), AgentHandle::stored("b".repeat(15)));
        assert!(check_length(&workspace, &agent).is_err());
        assert!(check_length(&workspace, &AgentHandle::stored("b".repeat(14))).is_ok());
    }

    #[test]
    fn renames_are_counted_for_90_days_and_handles_forever() {
        let at = |days: i64| Time::from_millis(days * DAY_MS);
        let now = at(1_000);
        let refused = |claimed: &[Time]| {
            let refusal = check_renames(claimed, now).err();
            refusal.map(|refusal| (refusal.code, refusal.limit(), refusal.retry_after_s))
        };
        assert_eq!(refused(&[]), None);
        assert_eq!(refused(&[now; 3]), None, "the first handle and two renames");
        let limited = |seconds| Some((ErrorCode::RateLimited, Some(LimitName::HandleRenames), Some(seconds)));
        assert_eq!(refused(&[now; 4]), limited(90 * 86_400));
        assert_eq!(refused(&[at(999), at(500), at(911), at(950)]), limited(86_400));
        assert_eq!(refused(&[at(999), at(500), at(910), at(950)]), None, "a rename of 90 days ago");
        assert_eq!(refused(&[at(1); 9]), None);
        assert_eq!(refused(&[at(1); 10]), Some((ErrorCode::HandleLimit, None, None)));
    }

    #[test]
    fn reserved_names_and_their_look_alikes_are_refused() {
        let names = ReservedNames::default();
        for reserved in [
            "admin",
            "support",
            "bot",
            "postmaster",
            "supp0rt",
            "bi11ing",
            "adrnin",
            "posthouse",
            "posthouse-help",
            "post-house",
            "p0st-h0use",
            "posthousehelp",
            "help-posthouse",
            "post-house-help",
            "theteam-posthouse",
            "help-desk",
            "mailerdaemon",
            "mailer-daemon",
            "no-reply",
            "sys-tem",
            "a-p-i",
        ] {
            assert!(HandleName::parse(reserved).expect("valid").is_reserved(&names), "{reserved}");
        }
        for free in [
            "acme",
            "adminton",
            "acme-support",
            "posthouses",
            "post-house-inn",
            "outpost-house",
            "guesthouse",
            "signpost",
            "systems",
            "helpful",
            "help-center",
            "sales-team",
            "legal-eagle",
            "apis",
            "mailbox",
            "root-beer",
            "trusty",
        ] {
            assert!(!HandleName::parse(free).expect("valid").is_reserved(&names), "{free}");
        }
    }
}
