//! Permission checks.

use posthouse_domain::{Caller, Detail, ErrorCode, OptIns, Permission, Principal, Refusal, Role};

/// Checks that the caller has a permission.
///
/// # Errors
/// Returns `insufficient_permissions` with the permission's name if it doesn't.
pub fn require_permission(caller: &Caller, permission: Permission) -> Result<(), Refusal> {
    if caller.permissions().has(permission) {
        return Ok(());
    }
    let (name, holder) = (permission.text(), holder(caller));
    let message = format!("The {holder} lacks the permission `{name}`.");
    Err(with_permission(Refusal::new(ErrorCode::InsufficientPermissions, message), caller, permission))
}

/// Returns what has the permissions of a caller.
#[must_use]
pub fn holder(caller: &Caller) -> &'static str {
    match caller.principal {
        Principal::Connector(_) => "connector",
        Principal::Key(_) | Principal::User(_) | Principal::Operator | Principal::Service { .. } => "API key",
    }
}

/// Checks that a person has the role of an owner.
///
/// # Errors
/// Returns `forbidden` if not.
pub fn require_owner(role: Role) -> Result<(), Refusal> {
    if role == Role::Owner {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::Forbidden, "Only an owner of the workspace may do this.")
        .with_fix("Ask an owner of the workspace."))
}

/// Checks that a caller that requests held mail may release it.
///
/// # Errors
/// Returns `insufficient_permissions` if it may not.
pub fn check_held(caller: &Caller, opt_ins: OptIns) -> Result<(), Refusal> {
    let permission = Permission::MessagesRelease;
    if !opt_ins.held || caller.permissions().has(permission) {
        return Ok(());
    }
    let name = permission.text();
    let refusal =
        Refusal::new(ErrorCode::InsufficientPermissions, format!("`include_held` needs the permission `{name}`."));
    Err(with_permission(refusal, caller, permission))
}

/// Adds the missing permission to a refusal.
fn with_permission(refusal: Refusal, caller: &Caller, permission: Permission) -> Refusal {
    let name = permission.text();
    let fix = match caller.principal {
        Principal::Connector(_) => format!("Connect again, and let a person approve the permission `{name}`."),
        Principal::Key(_) | Principal::User(_) | Principal::Operator | Principal::Service { .. } => {
            format!("Use an API key with the permission `{name}`.")
        }
    };
    refusal.detail(Detail::Permission(permission)).with_fix(fix)
}
