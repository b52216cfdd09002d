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

/// What a caller would need to reach more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WiderScope {
    /// The whole workspace, where the call names no inbox.
    Workspace,
    /// The whole workspace, or one inbox of the caller in `inbox_id`.
    WorkspaceOrInbox,
    /// The scope `org`.
    Org,
}

/// Adds to the refusal of a caller whose scope is too narrow what to do. A key is replaced by another; a connector has no key, so a person
/// approves it again.
#[must_use]
pub fn too_narrow(caller: &Caller, wanted: WiderScope, refusal: Refusal) -> Refusal {
    let is_connector = matches!(caller.principal, Principal::Connector(_));
    let fix = match (wanted, is_connector) {
        (WiderScope::Workspace, false) => ErrorCode::Forbidden.fix(),
        (WiderScope::WorkspaceOrInbox, false) => "Set `inbox_id` to the key's inbox, or use a workspace-wide key.",
        (WiderScope::Org, false) => "Use an API key with the scope `org`.",
        (WiderScope::Workspace, true) => "Connect again, and let a person approve access to every inbox.",
        (WiderScope::WorkspaceOrInbox, true) => {
            "Set `inbox_id` to an inbox of the connector, or connect again and let a person approve access to every inbox."
        }
        (WiderScope::Org, true) => "Connect again, and let an owner approve the workspace and its emergency stop.",
    };
    refusal.with_fix(fix)
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

#[cfg(test)]
mod tests {
    use posthouse_domain::{
        ConnectorId, ConnectorPrincipal, InboxId, KeyId, KeyPrincipal, Permissions, Scope, UserId, WorkspaceId,
    };
    use uuid::Uuid;

    use super::*;

    /// Every refusal of a connector names how to connect again and no key; that of a key names keys alone.
    #[test]
    fn a_connector_is_told_to_connect_again() {
        let id = Uuid::nil();
        let (permissions, workspace) = (Permissions::default(), WorkspaceId(id));
        let scopes = [Scope::Workspace, Scope::Inbox(InboxId(id)), Scope::Org];
        let wanted = [WiderScope::Workspace, WiderScope::WorkspaceOrInbox, WiderScope::Org];
        for scope in scopes {
            let key = Caller::key(workspace, KeyPrincipal { id: KeyId(id), scope, permissions });
            let connector = ConnectorPrincipal { id: ConnectorId(id), user: UserId(id), scope, permissions };
            let connector = Caller::connector(workspace, connector);
            let of_scope =
                |caller| wanted.map(|wanted| too_narrow(&caller, wanted, Refusal::new(ErrorCode::Forbidden, "No.")));
            let lacking = |caller: &Caller| {
                Permission::ALL.iter().filter_map(|one| require_permission(caller, *one).err()).collect::<Vec<_>>()
            };
            let (of_key, of_connector) = (lacking(&key), lacking(&connector));
            assert_eq!((of_key.len(), of_connector.len()), (Permission::ALL.len(), Permission::ALL.len()));
            // Permissions have such names, too.
            let names_a_key = |fix: &str| ["API key", "wide key", "key's"].iter().any(|name| fix.contains(name));
            for refusal in of_scope(connector).into_iter().chain(of_connector) {
                let fix = refusal.fix.unwrap();
                assert!(fix.to_lowercase().contains("connect again") && !names_a_key(&fix), "{fix}");
            }
            for refusal in of_scope(key).into_iter().chain(of_key) {
                let fix = refusal.fix.unwrap();
                assert!(names_a_key(&fix) && !fix.to_lowercase().contains("connect again"), "{fix}");
            }
        }
    }
}
