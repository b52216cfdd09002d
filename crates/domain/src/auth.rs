//! API keys, permissions, presets and scopes; principals and callers.
//!
//! Never stores or compares secrets: it derives them from random bytes that the caller passes in, and hashes them for
//! storage.

mod api_key;
mod inbox_set;
mod owner;
pub(crate) mod permission;
mod principal;
pub(crate) mod secret;

pub use self::api_key::{ApiKey, KeyClient};
pub use self::inbox_set::{InboxSet, SET_INBOXES_MAX};

pub use owner::{KeyOwner, KeyOwnerKind, MemberKeys, may_create_key};
pub use permission::{Permission, Permissions};
pub use principal::{Caller, ConnectorPrincipal, Credential, KeyPrincipal, Principal, UserPrincipal};
pub use secret::{ApiKeySecret, KEY_CHARS, KEY_PREFIX, KEY_RANDOM_CHARS, KEY_SHOWN_CHARS};

use crate::{error::Refusal, id::InboxId};

/// The records that a key or connector can access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The whole workspace, including the emergency stop and changes of handles.
    Org,
    /// The whole workspace, except what requires [`Scope::Org`].
    Workspace,
    /// One inbox.
    Inbox(InboxId),
    /// Several inboxes.
    Inboxes(InboxSet),
}

impl Scope {
    /// Returns the scope of a list of inboxes; `None` if there is no inbox, or more than [`SET_INBOXES_MAX`].
    #[must_use]
    pub fn of_inboxes(inboxes: &[InboxId]) -> Option<Self> {
        match InboxSet::of(inboxes)?.ids() {
            [] => None,
            [one] => Some(Self::Inbox(*one)),
            several => InboxSet::of(several).map(Self::Inboxes),
        }
    }

    /// Returns the name on the wire: `org`, `workspace`, `inbox` or `inboxes`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Scope::Org => "org",
            Scope::Workspace => "workspace",
            Scope::Inbox(_) => "inbox",
            Scope::Inboxes(_) => "inboxes",
        }
    }

    /// Returns the inbox of a key. A key has one inbox or the whole workspace.
    #[must_use]
    pub const fn key_inbox(self) -> Option<InboxId> {
        match self {
            Scope::Inbox(id) => Some(id),
            Scope::Org | Scope::Workspace | Scope::Inboxes(_) => None,
        }
    }

    /// Returns the inboxes that the scope is limited to; `None` for the whole workspace.
    #[must_use]
    pub fn inboxes(&self) -> Option<&[InboxId]> {
        match self {
            Scope::Inbox(id) => Some(std::slice::from_ref(id)),
            Scope::Inboxes(set) => Some(set.ids()),
            Scope::Org | Scope::Workspace => None,
        }
    }

    /// Returns whether the scope is limited to inboxes.
    #[must_use]
    pub fn is_limited(self) -> bool {
        self.inboxes().is_some()
    }

    /// Returns whether records of the inbox are visible.
    #[must_use]
    pub fn allows_inbox(self, inbox: InboxId) -> bool {
        self.inboxes().is_none_or(|own| own.contains(&inbox))
    }

    /// Returns the inbox that a list is limited to: the requested one, or else the only one of the scope. `None` for the
    /// whole workspace. The caller checks that a requested inbox is visible.
    ///
    /// # Errors
    /// Returns `invalid_request` if the scope has several inboxes and none is requested.
    pub fn narrow(self, requested: Option<InboxId>) -> Result<Option<InboxId>, Refusal> {
        match (requested, self.inboxes()) {
            (Some(inbox), _) => Ok(Some(inbox)),
            (None, None) => Ok(None),
            (None, Some([only])) => Ok(Some(*only)),
            (None, Some(several)) => {
                let named = several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                Err(Refusal::invalid_field(
                    "inbox_id",
                    format!("must be one of the inboxes of this connector: {named}"),
                )
                .with_fix("Name one inbox at a time."))
            }
        }
    }
}
