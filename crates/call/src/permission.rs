//! Whether a caller may use an operation.

use posthouse_app::access::authenticate;
use posthouse_app::access::authorize::{WiderScope, holder, require_owner, require_permission, too_narrow};
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
        RequiredScope::Workspace => {
            let message = match scope {
                Scope::Org | Scope::Workspace => return Ok(()),
                Scope::Inbox(_) => "This route needs a workspace-wide key; this API key is for one inbox.",
                Scope::Inboxes(_) => "This route needs the whole workspace; this connector is for some of its inboxes.",
            };
            Err(too_narrow(caller, WiderScope::Workspace, Refusal::new(ErrorCode::Forbidden, message)))
        }
        RequiredScope::Org if scope != Scope::Org => {
            let (holder, name) = (holder(caller), scope.text());
            let message = format!("This route needs the scope `org`; the scope of this {holder} is `{name}`.");
            Err(too_narrow(caller, WiderScope::Org, Refusal::new(ErrorCode::Forbidden, message)))
        }
        RequiredScope::Any | RequiredScope::Org => Ok(()),
    }
}
