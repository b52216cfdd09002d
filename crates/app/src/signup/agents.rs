//! Further agents of an unclaimed workspace, each with a key of its own.
//!
//! The workspace has few inboxes and identities, so an agent beyond their limit shares the first one. Its key reaches
//! only that inbox or identity, and has no more permissions than the key that asked for it.

use posthouse_domain::{
    ApiKeySecret, Caller, Detail, ErrorCode, InboxKind, Refusal, Scope, Workspace, inbox, workspace::UNCLAIMED_AGENTS,
};
use posthouse_store::{Tx, inboxes, signups, workspaces};

use super::{challenge, home::AgentHome, home::new_home, status};
use crate::access::new_key::{NewKey, new_key};
use crate::inboxes::{create, create::CreatedInbox, view};
use crate::service::Service;

/// A further agent.
#[derive(Clone, Debug)]
pub struct AddedAgent {
    /// The secret of its key, shown in one response only.
    pub secret: ApiKeySecret,
    pub workspace: Workspace,
    /// Its inbox or identity.
    pub home: AgentHome,
}

/// Adds an agent to the unclaimed workspace of the caller.
///
/// # Errors
/// Returns `signup_disabled`, `already_claimed`, `not_claimable`, or `unclaimed_workspace` if the workspace has all its
/// agents.
pub async fn add(service: &Service, caller: Caller, kind: InboxKind) -> Result<AddedAgent, Refusal> {
    challenge::check_enabled(service)?;
    let creation = create::plan(service, caller, new_home(kind));
    let (plans, now) = (service.config.plans, service.clock.now());
    // The scope is known only in the transaction, which may run twice.
    let blank = NewKey {
        workspace: caller.workspace,
        name: "agent".to_owned(),
        scope: Scope::Workspace,
        permissions: caller.permissions(),
        member: None,
    };
    let blank = new_key(service.clock.as_ref(), &service.clock.ids(), blank);
    let work = move |tx: &mut Tx| {
        inboxes::take_workspace(tx, caller.workspace)?;
        let workspace = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        status::check_unclaimed(workspace.claim)?;
        if !signups::add_agent(tx, workspace.id, UNCLAIMED_AGENTS)? {
            return Err(too_many());
        }
        let limits = workspace.limits(&plans);
        let is_full = match inbox::limit(kind, &limits) {
            Some(most) => inboxes::count(tx, workspace.id, kind, most)? >= most,
            None => false,
        };
        let shared = if is_full { inboxes::first_of_kind(tx, workspace.id, kind)? } else { None };
        let (row, view) = match shared {
            Some(row) => (row.clone(), view::load(tx, &row, &limits, now)?),
            None => {
                let CreatedInbox { inbox, view, .. } = creation.execute(tx)?;
                (inbox, view)
            }
        };
        let mut key = blank.clone();
        key.key.scope = Scope::Inbox(row.id);
        key.insert(tx, &plans)?;
        Ok(AddedAgent { secret: key.secret, home: AgentHome::of(&row, view), workspace })
    };
    service.write(work).await
}

fn too_many() -> Refusal {
    let message = format!("An unclaimed workspace can have at most {UNCLAIMED_AGENTS} agents.");
    Refusal::new(ErrorCode::UnclaimedWorkspace, message)
        .detail(Detail::Max(UNCLAIMED_AGENTS))
        .with_fix("Have a person claim the workspace first: `POST /v1/signup/claim`.")
}
