//! Whether a caller has a permission, for what depends on more than the route: a draft that is scheduled as it is written.

use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
};

/// Refuses a caller without the permission.
///
/// # Errors
/// `insufficient_permissions` naming it.
pub fn needs(caller: &Caller, permission: Permission) -> Result<(), Refusal> {
    if caller.permissions.has(permission) {
        return Ok(());
    }
    let name = permission.text();
    let refusal = Refusal::new(Code::InsufficientPermissions, format!("The API key lacks the permission {name}."));
    Err(refusal.detail("permission", name).with_fix(format!("Use an API key with the permission {name}.")))
}
