//! Permission checks.

use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Detail, ErrorCode, Refusal},
};

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
    Err(refusal
        .detail(Detail::Permission(permission))
        .with_fix(format!("Use an API key with the permission `{name}`.")))
}
