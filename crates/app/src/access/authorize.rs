//! Permission checks.

use posthouse_domain::{Caller, Detail, ErrorCode, Permission, Refusal, Role};

/// Checks that the caller has a permission.
///
/// # Errors
/// Returns `insufficient_permissions` with the permission's name if it doesn't.
pub fn require_permission(caller: &Caller, permission: Permission) -> Result<(), Refusal> {
    if caller.permissions().has(permission) {
        return Ok(());
    }
    let name = permission.text();
    let refusal =
        Refusal::new(ErrorCode::InsufficientPermissions, format!("The API key lacks the permission `{name}`."));
    Err(with_permission(refusal, permission))
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
pub fn check_held(caller: &Caller, include_held: bool) -> Result<(), Refusal> {
    let permission = Permission::MessagesRelease;
    if !include_held || caller.permissions().has(permission) {
        return Ok(());
    }
    let name = permission.text();
    let refusal =
        Refusal::new(ErrorCode::InsufficientPermissions, format!("`include_held` needs the permission `{name}`."));
    Err(with_permission(refusal, permission))
}

/// Adds the missing permission to a refusal.
fn with_permission(refusal: Refusal, permission: Permission) -> Refusal {
    let fix = format!("Use an API key with the permission `{}`.", permission.text());
    refusal.detail(Detail::Permission(permission)).with_fix(fix)
}
