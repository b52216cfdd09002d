//! Self-signup: the proof of work, the numbers of its daily limits, and how a claim address is shown.

use crate::{id::WorkspaceId, time::Time};
use sha2::{Digest, Sha256};

use crate::time::{DAY_MS, MINUTE_MS};

/// How long a challenge is valid, in milliseconds.
pub const CHALLENGE_MS: i64 = 10 * MINUTE_MS;
/// The highest difficulty, in bits: a day of work for a fast machine.
pub const DIFFICULTY_MAX: u32 = 40;
/// The maximum length of a solution, in digits.
pub const SOLUTION_CHARS_MAX: usize = 100;
/// How long a claim link is valid, in milliseconds.
pub const CLAIM_LINK_MS: i64 = 3 * DAY_MS;
/// The maximum number of claim mails of a workspace per UTC day.
pub const CLAIM_MAILS_PER_WORKSPACE: u64 = 3;
/// The maximum number of claim mails to one address per UTC day, of all workspaces.
pub const CLAIM_MAILS_PER_RECIPIENT: u64 = 3;

/// Returns whether a solution is correct: SHA-256 of `<challenge>:<solution>` starts with that many zero bits.
#[must_use]
pub fn is_solved(challenge: &str, solution: &str, difficulty: u32) -> bool {
    let digest = Sha256::digest(format!("{challenge}:{solution}"));
    let zeros = digest
        .iter()
        .position(|byte| *byte != 0)
        .map_or(digest.len() as u32 * 8, |at| u32::try_from(at).unwrap_or(0) * 8 + digest[at].leading_zeros());
    zeros >= difficulty
}

/// Returns an address with most of its local part hidden: `o***@example.com`.
#[must_use]
pub fn masked(address: &str) -> String {
    let (local, domain) = address.rsplit_once('@').unwrap_or((address, ""));
    let first: String = local.chars().take(1).collect();
    format!("{first}***@{domain}")
}

/// Returns the name of a workspace that an agent creates.
#[must_use]
pub fn workspace_name(agent: Option<&str>) -> String {
    agent.map_or_else(|| "Agent workspace".to_owned(), |name| format!("{name}'s workspace"))
}

/// An unclaimed workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signup {
    pub workspace: WorkspaceId,
    /// The number of agents that signed up.
    pub agents: u64,
    /// The recipient of the latest claim link.
    pub claim_email: Option<String>,
    /// When that link expires.
    pub claim_expires_at: Option<Time>,
}

impl Signup {
    /// Returns the recipient of the latest claim link while the link is valid.
    #[must_use]
    pub fn pending_email(&self, now: Time) -> Option<&str> {
        self.claim_email.as_deref().filter(|_| self.claim_expires_at.is_some_and(|end| now < end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_solution_of_the_published_vector_is_5423() {
        let challenge = "v1.example-challenge";
        let first = (0..10_000).find(|solution| is_solved(challenge, &solution.to_string(), 12));
        assert_eq!(first, Some(5_423));
        assert!(is_solved(challenge, "5423", 0) && !is_solved(challenge, "5423", 14));
        assert!(is_solved(challenge, "anything", 0), "no work");
        assert!(!is_solved(challenge, "5423", 256));
    }

    #[test]
    fn addresses_show_one_character() {
        assert_eq!(masked("owner@example.com"), "o***@example.com");
        assert_eq!(masked("ö@example.com"), "ö***@example.com");
        assert_eq!(masked("\"a@b\"@example.com"), "\"***@example.com");
    }
}
