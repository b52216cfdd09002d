//! What an API key belongs to.

use uuid::Uuid;

use crate::{
    error::{Detail, ErrorCode, Refusal},
    id::{InboxId, UserId, WorkspaceId},
};

named! {
    /// The kind of what a key belongs to.
    KeyOwnerKind {
        /// The workspace: keys of the operator's commands and of self-signup.
        Workspace = "workspace",
        /// An inbox.
        Inbox = "inbox",
        /// An identity.
        Identity = "identity",
        /// A person of the workspace.
        Member = "member",
    }

    /// What happens to keys that a member may not keep: all of a removed one, and org-wide keys of one who isn't an owner
    /// any more.
    MemberKeys {
        /// They are revoked.
        Revoke = "revoke",
        /// The owner who makes the change has them from then on.
        TakeOver = "take_over",
    }
}

/// What a key belongs to, and ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyOwner {
    /// The workspace.
    Workspace(WorkspaceId),
    /// An inbox.
    Inbox(InboxId),
    /// An identity.
    Identity(InboxId),
    /// A person of the workspace.
    Member(UserId),
}

impl KeyOwner {
    /// Returns the kind.
    #[must_use]
    pub const fn kind(self) -> KeyOwnerKind {
        match self {
            Self::Workspace(_) => KeyOwnerKind::Workspace,
            Self::Inbox(_) => KeyOwnerKind::Inbox,
            Self::Identity(_) => KeyOwnerKind::Identity,
            Self::Member(_) => KeyOwnerKind::Member,
        }
    }

    /// Returns the id.
    #[must_use]
    pub fn id(self) -> Uuid {
        match self {
            Self::Workspace(id) => id.into(),
            Self::Inbox(id) | Self::Identity(id) => id.into(),
            Self::Member(id) => id.into(),
        }
    }
}

/// Checks whether a workspace that has `used` active keys may have another one.
///
/// # Errors
/// Returns `plan_limit_api_keys` if the limit is reached.
pub fn may_create_key(used: u64, max: u64) -> Result<(), Refusal> {
    if used < max {
        return Ok(());
    }
    let message = format!("The workspace has {used} of the {max} active API keys it can have.");
    Err(Refusal::new(ErrorCode::PlanLimitApiKeys, message).detail(Detail::Max(max)))
}
