//! Creates workspaces with an owner and a first API key.
//!
//! The functions create values from the clock's time and randomness; the caller stores them in one transaction.

use posthouse_domain::{
    AiProcessing, ApiKey, ApiKeySecret, ClaimStatus, OutboundPolicy, Permissions, Plan, Scope, ScreeningSettings,
    UserId, Workspace, WorkspaceId, WorkspaceOrigin,
};
use posthouse_store::{Result, Tx, keys, workspaces};

use super::{members, sign_in::OperatorLink};
use crate::{access::new_key::CreatedKey, access::new_key::NewKey, access::new_key::new_key, ports::Clock};

/// The operator's choices for a workspace.
#[derive(Clone, Debug)]
pub struct NewWorkspace {
    /// The workspace's name.
    pub name: String,
    /// The owner's address.
    pub owner: String,
    /// The workspace's plan.
    pub plan: Plan,
}

/// A workspace and its org-wide key with every permission, not stored yet.
#[derive(Clone, Debug)]
pub struct CreatedWorkspace {
    pub workspace: Workspace,
    pub key: ApiKey,
    /// The secret, shown in one response only.
    pub secret: ApiKeySecret,
    /// The id of the owner, if the address is new.
    pub owner: UserId,
    /// Signs the owner in, once.
    pub link: OperatorLink,
}

/// An unclaimed workspace and its org-wide key with every permission, not stored yet.
#[derive(Clone, Debug)]
pub struct UnclaimedWorkspace {
    pub workspace: Workspace,
    pub key: ApiKey,
    /// The secret, shown in one response only.
    pub secret: ApiKeySecret,
}

/// Creates a workspace with an owner and its org-wide key. It doesn't need to be claimed.
#[must_use]
pub fn create(clock: &dyn Clock, new: &NewWorkspace) -> CreatedWorkspace {
    let workspace = new_workspace(clock, new, WorkspaceOrigin::Operator);
    let CreatedKey { key, secret } = first_key(clock, workspace.id, "first key");
    let link = OperatorLink::new(clock, &new.owner, workspace.id);
    CreatedWorkspace { workspace, key, secret, owner: clock.ids().next(), link }
}

/// Creates a workspace without an owner, and its org-wide key.
#[must_use]
pub fn create_unclaimed(clock: &dyn Clock, name: String, key_name: &str) -> UnclaimedWorkspace {
    // Nobody owns the workspace yet, so notices to its owner have no recipient.
    let new = NewWorkspace { name, owner: String::new(), plan: Plan::Free };
    let workspace = new_workspace(clock, &new, WorkspaceOrigin::Agent);
    let CreatedKey { key, secret } = first_key(clock, workspace.id, key_name);
    UnclaimedWorkspace { workspace, key, secret }
}

/// Creates the workspace of a person who signs up, without a name and an owner. It doesn't need to be claimed.
pub(super) fn of_person(clock: &dyn Clock) -> Workspace {
    let new = NewWorkspace { name: String::new(), owner: String::new(), plan: Plan::Free };
    new_workspace(clock, &new, WorkspaceOrigin::Person)
}

fn first_key(clock: &dyn Clock, workspace: WorkspaceId, name: &str) -> CreatedKey {
    let (name, scope, permissions) = (name.to_owned(), Scope::Org, Permissions::full());
    let key = NewKey { workspace, name, scope, permissions, member: None };
    new_key(clock, &clock.ids(), key)
}

fn new_workspace(clock: &dyn Clock, new: &NewWorkspace, origin: WorkspaceOrigin) -> Workspace {
    let claim = match origin {
        WorkspaceOrigin::Agent => ClaimStatus::Unclaimed,
        WorkspaceOrigin::Operator | WorkspaceOrigin::Person => ClaimStatus::NotApplicable,
    };
    Workspace {
        id: clock.ids().next(),
        name: new.name.clone(),
        owner_email: new.owner.clone(),
        plan: new.plan,
        suspended: false,
        suspension: None,
        origin,
        claim,
        claimed_at: None,
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Categorize,
        screening: ScreeningSettings::DEFAULT,
        outbound_policy: OutboundPolicy::Label,
        daily_send_limit: None,
        ai_disclosure: posthouse_domain::workspace::AiDisclosure::NONE,
        retention_days: None,
        created_at: clock.now(),
    }
}

impl UnclaimedWorkspace {
    /// Stores the workspace and its key.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        workspaces::insert(tx, &self.workspace)?;
        keys::insert(tx, &self.key, &self.secret.digest())
    }
}

impl CreatedWorkspace {
    /// Stores the workspace and its key. The key is the first owner's, who was shown it: it ends with that person's
    /// membership unless another owner takes it over.
    pub fn insert(&self, tx: &mut Tx) -> Result<()> {
        workspaces::insert(tx, &self.workspace)?;
        let (workspace, now) = (&self.workspace, self.workspace.created_at);
        let owner = members::found(tx, workspace.id, &workspace.owner_email, self.owner, now)?;
        self.link.insert(tx)?;
        let key = ApiKey { member: Some(owner), ..self.key.clone() };
        keys::insert(tx, &key, &self.secret.digest())
    }
}
