//! Whether a caller may use an operation.

use posthouse_app::access::authenticate;
use posthouse_app::access::authorize::{holder, require_owner, require_permission};
use posthouse_domain::{Caller, ErrorCode, Principal, Refusal, Role, Scope};

use crate::{Access, Operation, RequiredScope};

/// Checks that the caller may use a operation.
///
/// # Errors
/// Returns `insufficient_permissions` with the permission, `forbidden` if the scope or role of the caller is too narrow or
/// the person is in no workspace, or `unauthorized` if the operation needs a session.
pub fn authorize(caller: &Caller, operation: &Operation) -> Result<(), Refusal> {
    if operation.access != Access::Person {
        authenticate::require_workspace(caller)?;
    }
    match (operation.access, caller.principal) {
        (
            Access::Public,
            Principal::Key(_)
            | Principal::User(_)
            | Principal::Connector(_)
            | Principal::Operator
            | Principal::Service { .. },
        ) => Ok(()),
        (Access::Key(permission, scope), Principal::Key(_) | Principal::User(_) | Principal::Connector(_)) => {
            for required in std::iter::once(permission).chain(operation.also.iter().copied()) {
                require_permission(caller, required)?;
            }
            require_scope(caller, scope)
        }
        (Access::Key(..), Principal::Operator | Principal::Service { .. }) => caller.credential().map(drop),
        (Access::Session(Role::Owner), Principal::User(user)) => require_owner(user.role),
        (Access::Session(Role::Member), Principal::User(_)) => Ok(()),
        (Access::Person, Principal::User(_)) => Ok(()),
        (
            Access::Session(_) | Access::Person,
            Principal::Key(_) | Principal::Connector(_) | Principal::Operator | Principal::Service { .. },
        ) => Err(authenticate::no_session()),
    }
}

fn require_scope(caller: &Caller, required: RequiredScope) -> Result<(), Refusal> {
    let scope = caller.scope();
    match required {
        RequiredScope::Workspace => scope.require_workspace(),
        RequiredScope::Org if scope != Scope::Org => {
            let (holder, name) = (holder(caller), scope.text());
            let message = format!("This route needs the scope `org`; the scope of this {holder} is `{name}`.");
            Err(Refusal::new(ErrorCode::Forbidden, message).with_fix("Use a key with the scope `org`."))
        }
        RequiredScope::Any | RequiredScope::Org => Ok(()),
    }
}

/// Returns the refusal of a call without a caller.
pub(crate) fn no_caller() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "The request has no API key.")
}
