//! Connectors: programs that a person allowed to act in a workspace, by OAuth 2.1 (`docs/reference/connectors.md`).

pub mod client;
pub mod secret;

use self::client::ClientKind;
use crate::{
    actor::Actor,
    auth::{Permissions, Scope},
    id::{ConnectorId, InboxId, UserId, WorkspaceId},
    time::{DAY_MS, MINUTE_MS, Time},
    user::Role,
};

/// How long an authorization code is valid, in milliseconds.
pub const CODE_MS: i64 = MINUTE_MS;
/// How long an access token is valid, in milliseconds.
pub const ACCESS_TOKEN_MS: i64 = 15 * MINUTE_MS;
/// How long a connector may be unused before its access ends, in milliseconds.
pub const IDLE_MS: i64 = 90 * DAY_MS;
/// The most connectors of a workspace.
pub const CONNECTORS_MAX: u64 = 100;
/// The most valid access tokens of a connector; one more ends the oldest.
pub const ACCESS_TOKENS_MAX: u32 = 5;
/// The most requests of a connector in a minute.
pub const REQUESTS_PER_MINUTE: u64 = 120;
/// The most metadata documents that are fetched for one person in ten minutes.
pub const DOCUMENTS_PER_PERSON: u64 = 30;
/// The most clients that one client address registers in an hour.
pub const REGISTRATIONS_PER_ADDRESS: u64 = 30;
/// The most registered clients; one more takes the place of the one that expires first.
pub const REGISTERED_CLIENTS_MAX: u64 = 10_000;
/// The longest request for authorization, in bytes.
pub const REQUEST_BYTES_MAX: usize = 8 * 1024;
/// The only scope. Inboxes and permissions are chosen by the person who approves.
pub const SCOPE: &str = "mcp";

named! {
    /// Which part of the workspace a connector reaches.
    ConnectorReach {
        /// The workspace, including the emergency stop and changes of handles, while an owner approves it.
        Org = "org",
        /// The workspace, except what needs `org`.
        Workspace = "workspace",
        /// Chosen inboxes.
        Inboxes = "inboxes",
    }
    /// A set of permissions to approve.
    ConnectorPreset {
        /// Every permission that reads.
        Read = "read",
        /// What an agent needs that works with mail.
        Reply = "reply",
        /// Every permission.
        Admin = "admin",
    }
    /// Why the access of a connector ended.
    ConnectorEnd {
        /// A person revoked it.
        Revoked = "revoked",
        /// The client gave it back (RFC 7009).
        RevokedByClient = "revoked_by_client",
        /// The person who approved it left the workspace.
        MemberRemoved = "member_removed",
        /// The last of its inboxes was deleted.
        InboxDeleted = "inbox_deleted",
        /// An authorization code was used twice, so another program may have it.
        CodeReused = "code_reused",
        /// A refresh token was used twice, so another program may have it.
        TokenReused = "token_reused",
        /// It was unused for long, or its client never exchanged the code.
        Expired = "expired",
    }
}

impl ConnectorPreset {
    /// Returns the permissions that it grants.
    #[must_use]
    pub fn grants(self) -> Permissions {
        let preset = match self {
            Self::Read => "read_only",
            Self::Reply => "agent",
            Self::Admin => "full",
        };
        Permissions::preset(preset).unwrap_or_default()
    }
}

impl ConnectorReach {
    /// Returns the scope of a connector whose person has this role; `None` if none of its inboxes exists any more.
    #[must_use]
    pub fn scope(self, role: Role, inboxes: &[InboxId]) -> Option<Scope> {
        match (self, role) {
            (Self::Org, Role::Owner) => Some(Scope::Org),
            (Self::Org, Role::Member) | (Self::Workspace, _) => Some(Scope::Workspace),
            (Self::Inboxes, _) => Scope::of_inboxes(inboxes),
        }
    }
}

/// A connector as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Connector {
    pub workspace: WorkspaceId,
    pub id: ConnectorId,
    /// The id of the OAuth client.
    pub client_id: String,
    /// How the client is known.
    pub client_kind: ClientKind,
    /// What the client calls itself.
    pub client_name: String,
    /// The home page that the client names.
    pub client_uri: Option<String>,
    /// Where the code was sent.
    pub redirect_uri: String,
    /// The person who approved it.
    pub user: UserId,
    /// Which part of the workspace it reaches.
    pub reach: ConnectorReach,
    /// What it may do.
    pub permissions: Permissions,
    /// When it was approved.
    pub created_at: Time,
    /// When it last got an access token.
    pub last_used_at: Option<Time>,
    /// When its access ends, unless it is used.
    pub expires_at: Time,
}

/// A connector with everything that people see of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrantedConnector {
    pub connector: Connector,
    /// Its inboxes that exist; empty if it reaches the workspace.
    pub inboxes: Vec<InboxId>,
    /// The person who approved it.
    pub approved_by: Actor,
}

/// The authorization code of a connector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectorCode {
    /// The PKCE challenge, method S256.
    pub challenge: String,
    pub expires_at: Time,
    /// When it was exchanged.
    pub used_at: Option<Time>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Permission;
    use uuid::Uuid;

    #[test]
    fn a_connector_reaches_no_more_than_its_person() {
        let ids: Vec<InboxId> = (1..=3).map(|id| InboxId(Uuid::from_u128(id))).collect();
        for reach in ConnectorReach::ALL {
            for role in [Role::Owner, Role::Member] {
                for count in 0..=ids.len() {
                    let scope = reach.scope(role, &ids[..count]);
                    assert_eq!(scope == Some(Scope::Org), *reach == ConnectorReach::Org && role == Role::Owner);
                    if *reach == ConnectorReach::Inboxes {
                        let seen = ids.iter().filter(|id| scope.is_some_and(|scope| scope.allows_inbox(**id))).count();
                        assert_eq!(seen, count);
                    }
                }
            }
        }
    }

    #[test]
    fn presets_grow() {
        let of = |preset: ConnectorPreset| preset.grants();
        assert!(!of(ConnectorPreset::Read).has(Permission::MessagesSend));
        assert!(of(ConnectorPreset::Reply).has(Permission::MessagesSend));
        assert!(!of(ConnectorPreset::Reply).has(Permission::DraftsApprove));
        assert_eq!(of(ConnectorPreset::Admin), Permissions::full());
    }
}
