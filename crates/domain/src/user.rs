//! People: users, their roles in workspaces, sign-in links and sessions.

use sha2::{Digest, Sha256};

use crate::{
    auth::secret::{KEY_RANDOM_CHARS, random_alphanumerics},
    id::{InvitationId, MessageId, SessionId, SignInId, UserId, WorkspaceId},
    time::{DAY_MS, MINUTE_MS, Time},
};

/// How long a sign-in link works, in milliseconds.
pub const SIGN_IN_LINK_MS: i64 = 15 * MINUTE_MS;
/// How long an invitation works, in milliseconds.
pub const INVITATION_MS: i64 = 7 * DAY_MS;
/// How long a link that the operator was shown works, in milliseconds. It comes over a channel that only the operator
/// reads, and is often opened later.
pub const OPERATOR_LINK_MS: i64 = DAY_MS;
/// Codes that may be tried for one link.
pub const CODE_TRIES: u32 = 5;
/// Wrong codes for one address per UTC day. Beyond it, its codes don't work, because new links would allow any number of
/// guesses; links still work.
pub const WRONG_CODES_PER_DAY: u64 = 50;
/// How long a session lasts without a request, in milliseconds.
pub const SESSION_IDLE_MS: i64 = 30 * DAY_MS;
/// How long a session lasts, in milliseconds.
pub const SESSION_MS: i64 = 180 * DAY_MS;
/// Most members of a workspace, invited ones included.
pub const MEMBERS_MAX: usize = 100;
/// Most sessions of a person in a workspace. A new one ends the one that was unused for the longest time.
pub const SESSIONS_MAX: usize = 50;
/// Links that are mailed to one address in a quarter of an hour; more requests send nothing.
pub const LINKS_PER_ADDRESS_MAX: u64 = 5;
/// The path of the page that a sign-in link opens.
pub const SIGN_IN_PATH: &str = "/sign-in";

named! {
    /// What a person may do in a workspace.
    Role {
        /// Everything, including settings of the workspace, its members and org-wide keys.
        Owner = "owner",
        /// Everything except settings of the workspace, its members and org-wide keys.
        Member = "member",
    }

    /// What a link signs a person in for.
    SignInPurpose {
        /// The person asked for it.
        SignIn = "sign_in",
        /// The person asked for it, and the mail offers a workspace: the address was in none.
        SignUp = "sign_up",
        /// An owner invited the person to a workspace.
        Invitation = "invitation",
        /// The operator was shown the link.
        Operator = "operator",
    }
}

/// A person who can sign in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct User {
    pub id: UserId,
    /// The canonical address, to which sign-in links go.
    pub email: String,
    /// The name, if the person gave one.
    pub name: Option<String>,
    /// When the person was first named.
    pub created_at: Time,
}

/// A person in a workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    pub workspace: WorkspaceId,
    /// The person.
    pub user: User,
    /// What the person may do.
    pub role: Role,
    /// When the person accepted the invitation or created the workspace; `None` while invited.
    pub joined_at: Option<Time>,
    /// When the person was invited or created the workspace.
    pub created_at: Time,
}

/// An invitation to a workspace that the person has not accepted yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invitation {
    /// The id. An invitation that is sent again gets a new one.
    pub id: InvitationId,
    pub workspace: WorkspaceId,
    pub workspace_name: String,
    /// The address of the person who invited.
    pub invited_by: String,
    /// That person.
    pub inviter: UserId,
    /// What the person may do after joining.
    pub role: Role,
    /// When it was sent last.
    pub sent_at: Time,
    /// When it ends.
    pub expires_at: Time,
}

/// A session as listed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    pub workspace: WorkspaceId,
    pub id: SessionId,
    /// The person.
    pub user: UserId,
    /// The `User-Agent` at sign-in, shortened.
    pub user_agent: Option<String>,
    /// The client's address at sign-in.
    pub ip: String,
    /// When it began.
    pub created_at: Time,
    /// When it was last used, to the minute.
    pub last_used_at: Time,
    /// When it ends, whatever happens.
    pub expires_at: Time,
}

/// The secret of a session, in a cookie. Only its digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionSecret(String);

impl SessionSecret {
    /// Creates a secret from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        Self(random_alphanumerics(random))
    }

    /// Parses the value of a cookie.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == KEY_RANDOM_CHARS && text.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 of the secret, which is stored.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the whole secret, for the cookie.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SessionSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionSecret")
    }
}

/// Returns the six digits that stand for a link's token on another device.
#[must_use]
pub fn sign_in_code(token: &str) -> String {
    let digest = Sha256::new().chain_update("sign-in code\n").chain_update(token).finalize();
    let number = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    format!("{:06}", number % 1_000_000)
}

/// A request for a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignIn {
    pub id: SignInId,
    /// The canonical address.
    pub email: String,
    /// What the link is for.
    pub purpose: SignInPurpose,
    /// The workspace to sign in to; `None` for the one that was used last.
    pub workspace: Option<WorkspaceId>,
    /// The mail with the link; `None` before it is stored, and for a link that wasn't mailed.
    pub message: Option<MessageId>,
    /// The keyed hash of the client network that asked for it; `None` for an invitation.
    pub network: Option<Vec<u8>>,
    /// Codes that may still be tried.
    pub tries_left: u32,
    /// When the link expires.
    pub expires_at: Time,
    /// When it was requested.
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_sessions_are_parsed_strictly() {
        let secret = SessionSecret::from_random(&[7; 2 * KEY_RANDOM_CHARS]);
        assert_eq!(SessionSecret::parse(secret.reveal()).unwrap().digest(), secret.digest());
        for wrong in ["", "x", &secret.reveal()[1..], &format!("{}x", secret.reveal()), &"é".repeat(17)] {
            assert_eq!(SessionSecret::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(format!("{secret:?}"), "SessionSecret");
    }

    #[test]
    fn codes_have_six_digits_and_depend_on_the_token() {
        let codes: std::collections::BTreeSet<String> = (0..500).map(|n| sign_in_code(&format!("{n:032x}"))).collect();
        assert!(codes.iter().all(|code| code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit())));
        assert!(codes.len() > 490, "{}", codes.len());
    }
}
