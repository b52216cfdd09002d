//! Principals: the identities behind actions, and callers: principals that act in one workspace.

use super::{Permissions, Scope};
use crate::{
    error::{ErrorCode, Refusal},
    id::{ConnectorId, InboxId, KeyId, SessionId, UserId, WorkspaceId},
    user::Role,
};

/// The identity behind an action.
///
/// Code that authorizes, counts or records principals matches every variant by name, so that a new kind of principal
/// doesn't compile until each of these places decides about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Principal {
    /// An API key.
    Key(KeyPrincipal),
    /// A person with a session.
    User(UserPrincipal),
    /// A program that a person connected.
    Connector(ConnectorPrincipal),
    /// The operator of the server, on the command line.
    Operator,
    /// The service itself: scheduled work and notices, for one inbox.
    Service {
        /// The inbox that the work is for.
        inbox: InboxId,
    },
}

/// An authenticated API key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyPrincipal {
    pub id: KeyId,
    /// The records it can access.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Permissions,
}

/// A person with a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UserPrincipal {
    /// The person.
    pub user: UserId,
    pub session: SessionId,
    /// What the person may do in the workspace.
    pub role: Role,
}

/// An authenticated connector. It has what its grant and the role of the person who approved it allow, whichever is less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConnectorPrincipal {
    /// The grant.
    pub id: ConnectorId,
    /// The person who approved it.
    pub user: UserId,
    /// The records it can access.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Permissions,
}

/// What a request authenticated with, for limits and for the end of streams.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Credential {
    /// An API key.
    Key(KeyId),
    /// A session.
    Session(SessionId),
    /// The grant of a connector.
    Connector(ConnectorId),
}

/// A principal that acts in a workspace. Use cases need one to know the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    pub workspace: WorkspaceId,
    pub principal: Principal,
}

impl Caller {
    /// Creates the caller of an authenticated API key.
    #[must_use]
    pub const fn key(workspace: WorkspaceId, key: KeyPrincipal) -> Self {
        Self { workspace, principal: Principal::Key(key) }
    }

    /// Creates the caller of a session.
    #[must_use]
    pub const fn user(workspace: WorkspaceId, user: UserPrincipal) -> Self {
        Self { workspace, principal: Principal::User(user) }
    }

    /// Creates the caller of a connector.
    #[must_use]
    pub const fn connector(workspace: WorkspaceId, connector: ConnectorPrincipal) -> Self {
        Self { workspace, principal: Principal::Connector(connector) }
    }

    /// Creates a caller for work that the service does for one inbox.
    #[must_use]
    pub const fn service(workspace: WorkspaceId, inbox: InboxId) -> Self {
        Self { workspace, principal: Principal::Service { inbox } }
    }

    /// Creates a caller for the operator's command line, in one workspace.
    #[must_use]
    pub const fn operator(workspace: WorkspaceId) -> Self {
        Self { workspace, principal: Principal::Operator }
    }

    /// Returns the records that the caller can access in its workspace.
    #[must_use]
    pub const fn scope(&self) -> Scope {
        match self.principal {
            Principal::Key(key) => key.scope,
            Principal::Connector(connector) => connector.scope,
            Principal::User(_) | Principal::Operator => Scope::Org,
            Principal::Service { inbox } => Scope::Inbox(inbox),
        }
    }

    /// Returns what the caller authenticated with.
    ///
    /// # Errors
    /// Returns `forbidden` for the operator and the service.
    pub fn credential(&self) -> Result<Credential, Refusal> {
        match self.principal {
            Principal::Key(key) => Ok(Credential::Key(key.id)),
            Principal::User(user) => Ok(Credential::Session(user.session)),
            Principal::Connector(connector) => Ok(Credential::Connector(connector.id)),
            Principal::Operator | Principal::Service { .. } => {
                Err(Refusal::new(ErrorCode::Forbidden, "This request needs an API key.")
                    .with_fix("Send an API key as `Authorization: Bearer <API key>`."))
            }
        }
    }

    /// Returns whether a person who owns the workspace makes the request, or the operator.
    #[must_use]
    pub fn is_owner(&self) -> bool {
        match self.principal {
            Principal::User(user) => user.role == Role::Owner,
            Principal::Operator => true,
            Principal::Key(_) | Principal::Connector(_) | Principal::Service { .. } => false,
        }
    }

    /// Returns the permissions of the caller. Routes require them; the operator and the service use no routes.
    #[must_use]
    pub fn permissions(&self) -> Permissions {
        match self.principal {
            Principal::Key(key) => key.permissions,
            Principal::Connector(connector) => connector.permissions,
            Principal::User(_) => Permissions::full(),
            Principal::Operator | Principal::Service { .. } => Permissions::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Permission;

    #[test]
    fn the_principal_determines_scope_and_permissions() {
        let id = uuid::Uuid::from_u128;
        let (workspace, inbox, other) = (WorkspaceId(id(1)), InboxId(id(2)), InboxId(id(3)));
        let permissions = Permissions::of(&[Permission::MessagesRead]);
        let key = KeyPrincipal { id: KeyId(id(4)), scope: Scope::Workspace, permissions };
        let key = Caller::key(workspace, key);
        assert_eq!((key.scope(), key.permissions()), (Scope::Workspace, permissions));
        let operator = Caller::operator(workspace);
        assert_eq!((operator.scope(), operator.permissions()), (Scope::Org, Permissions::default()));
        let service = Caller::service(workspace, inbox);
        assert!(service.scope().allows_inbox(inbox) && !service.scope().allows_inbox(other));
        assert_eq!(service.permissions(), Permissions::default());
    }
}
