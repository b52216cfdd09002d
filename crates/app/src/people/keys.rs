//! The API keys of a workspace, as people manage them.

use posthouse_domain::{
    ApiKey, Caller, CursorPosition, ErrorCode, InboxId, KeyId, Page, PageParameters, Permissions, Refusal, Role, Scope,
};
use posthouse_store::{Tx, keys, users};

use super::sessions;
use crate::access::{authenticate::no_session, new_key::CreatedKey, new_key::NewKey, new_key::new_key, visible};
use crate::service::Service;

/// The scope of a key to create.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyScope {
    /// The workspace, with or without what only org-wide keys may do.
    Whole(Scope),
    /// One inbox.
    Inbox(InboxId),
}

/// A key to create.
#[derive(Clone, Debug)]
pub struct KeyRequest {
    pub name: String,
    pub permissions: Permissions,
    pub scope: KeyScope,
}

/// Returns a page of the keys of the workspace, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn list(service: &Service, caller: Caller, page: PageParameters) -> Result<Page<ApiKey>, Refusal> {
    let workspace = caller.workspace;
    let list = page.of_list(format!("api keys of {workspace}"))?;
    let range = list.page();
    let found = service.read(workspace, move |tx| keys::page(tx, workspace, &range)).await?;
    Ok(list.page_of(found, |key| CursorPosition::of(key.created_at, key.id.0)))
}

/// Creates a key.
///
/// # Errors
/// Returns `forbidden` if a member asks for an org-wide key, `unauthorized` for a person who was removed, `not_found` if
/// the inbox is missing, or `plan_limit_api_keys`.
pub async fn create(service: &Service, caller: Caller, wanted: KeyRequest) -> Result<CreatedKey, Refusal> {
    let scope = match wanted.scope {
        KeyScope::Whole(scope) => scope,
        KeyScope::Inbox(inbox) => Scope::Inbox(inbox),
    };
    require_owner_for(&caller, scope)?;
    let user = sessions::user(&caller)?.user;
    let member = Some(user);
    let new = NewKey { workspace: caller.workspace, name: wanted.name, scope, permissions: wanted.permissions, member };
    let (created, plans) = (new_key(service.clock.as_ref(), &service.clock.ids(), new), service.config.plans);
    let work = move |tx: &mut Tx| {
        if let Some(inbox) = scope.key_inbox() {
            visible::inbox_or_identity(tx, &caller, inbox)?;
        }
        let mut stored = created.clone();
        stored.insert(tx, &plans)?;
        // The person may have been removed or lost the role since the request began.
        let person = users::member(tx, caller.workspace, user)?.ok_or_else(no_session)?;
        require_role_for(person.role, scope)?;
        Ok::<_, Refusal>(stored)
    };
    service.write(work).await
}

/// Revokes a key. Revoking a revoked key changes nothing.
///
/// # Errors
/// Returns `not_found` if the workspace has no such key or `forbidden` if a member revokes an org-wide key.
pub async fn revoke(service: &Service, caller: Caller, id: KeyId) -> Result<(), Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let key = keys::get(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("API key"))?;
        require_owner_for(&caller, key.scope)?;
        keys::revoke(tx, id, now)?;
        Ok(())
    };
    service.write(work).await
}

fn require_owner_for(caller: &Caller, scope: Scope) -> Result<(), Refusal> {
    require_role_for(sessions::user(caller)?.role, scope)
}

fn require_role_for(role: Role, scope: Scope) -> Result<(), Refusal> {
    if scope == Scope::Org && role != Role::Owner {
        return Err(Refusal::new(ErrorCode::Forbidden, "Only owners manage keys with the scope `org`.")
            .with_fix("Choose the scope `workspace`, or ask an owner."));
    }
    Ok(())
}
