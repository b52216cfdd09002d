//! Creates the workspace of an agent: unclaimed, with a key and an inbox or identity, in one transaction. The claim mail
//! follows; the signup is valid without it.

use std::{net::IpAddr, sync::Arc};

use posthouse_api::{views::event::data, views::signup::SignupWorkspaceView};
use posthouse_domain::{
    ApiKeySecret, Caller, DailyLimit, EventKind, IdGenerator, InboxKind, JobId, JobKind, JobReason, KeyPrincipal,
    Limit, NewEvent, Refusal, Time, Workspace, signup::workspace_name, workspace::UNCLAIMED_IDLE_MS,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, events, jobs, jobs::NewJob, signups};

use super::{challenge, challenge::SolvedChallenge, claim, claim_mail, home::new_home};
use crate::inboxes::{create, create::CreatedInbox, create::InboxCreation, names::NameRules};
use crate::people::new_workspace::{UnclaimedWorkspace, create_unclaimed};
use crate::{keyring::counted_subject::counted_subject, service::Service};

pub use super::home::AgentHome;

/// A request to sign up.
#[derive(Clone, Debug)]
pub struct NewSignup {
    pub challenge: String,
    pub solution: String,
    /// The name of the agent, which names the workspace.
    pub agent_name: Option<String>,
    /// The person to ask to claim the workspace.
    pub owner: Option<Address>,
    /// Whether the agent gets an inbox or an identity.
    pub kind: InboxKind,
}

/// A signup.
#[derive(Clone, Debug)]
pub struct CreatedSignup {
    /// The secret of the agent's key, shown in one response only.
    pub secret: ApiKeySecret,
    pub workspace: Workspace,
    /// The agent's inbox or identity.
    pub home: AgentHome,
    /// The result of the claim mail.
    pub claim_mail: ClaimMailStatus,
}

/// The result of the claim mail of a signup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimMailStatus {
    /// The mail is queued.
    Sent,
    /// The request named no person.
    NotRequested,
    /// The mail was refused.
    Failed,
}

/// The inputs of the transaction that signs up.
struct SignupPlan {
    solved: SolvedChallenge,
    client: Vec<u8>,
    per_client: Limit,
    created: UnclaimedWorkspace,
    home: InboxCreation,
    is_claim_requested: bool,
    ids: IdGenerator,
    now: Time,
}

/// Signs an agent up. `client` is the network that counts as one client address.
///
/// # Errors
/// Returns `signup_disabled`, `invalid_solution`, `challenge_expired`, `signup_rate_limited`, or `invalid_request` for an
/// owner at a domain of this service.
pub async fn sign_up(service: &Arc<Service>, new: NewSignup, client: IpAddr) -> Result<CreatedSignup, Refusal> {
    challenge::check_enabled(service)?;
    let solved = challenge::verify(service, &new.challenge, &new.solution)?;
    if let Some(owner) = &new.owner {
        claim::check_recipient(service, owner, "owner_email").await?;
    }
    let plan = plan(service, &new, solved, client)?;
    let (secret, workspace) = (plan.created.secret.clone(), plan.created.workspace.clone());
    let home = service.write(move |tx| plan.execute(tx)).await?;
    tracing::info!(workspace_id = %workspace.id, kind = new.kind.text(), "signup.created");
    let claim_mail = match new.owner {
        Some(owner) => send_claim_mail(service, &workspace, owner, client).await,
        None => ClaimMailStatus::NotRequested,
    };
    Ok(CreatedSignup { secret, workspace, home, claim_mail })
}

/// Sends the claim mail. A refusal doesn't undo the signup.
async fn send_claim_mail(
    service: &Arc<Service>,
    workspace: &Workspace,
    owner: Address,
    client: IpAddr,
) -> ClaimMailStatus {
    match claim_mail::send(service, workspace.id, owner, client).await {
        Ok(_) => ClaimMailStatus::Sent,
        Err(refusal) => {
            service.metrics.refused(&refusal);
            tracing::warn!(workspace_id = %workspace.id, code = refusal.code.text(), "signup.claim_mail_refused");
            ClaimMailStatus::Failed
        }
    }
}

fn plan(service: &Service, new: &NewSignup, solved: SolvedChallenge, client: IpAddr) -> Result<SignupPlan, Refusal> {
    if let Some(name) = &new.agent_name {
        NameRules::of(&service.config).check_stranger("agent_name", name)?;
    }
    let name = workspace_name(new.agent_name.as_deref());
    let created = create_unclaimed(service.clock.as_ref(), name, new.agent_name.as_deref().unwrap_or("agent"));
    let key = &created.key;
    let principal = KeyPrincipal { id: key.id, scope: key.scope, permissions: key.permissions };
    let caller = Caller::key(created.workspace.id, principal);
    Ok(SignupPlan {
        solved,
        client: counted_subject(service, &client.to_string())?,
        per_client: service.config.signup.per_address_per_day,
        home: create::plan(service, caller, new_home(new.kind)),
        created,
        is_claim_requested: new.owner.is_some(),
        ids: service.clock.ids(),
        now: service.clock.now(),
    })
}

impl SignupPlan {
    fn execute(&self, tx: &mut Tx) -> Result<AgentHome, Refusal> {
        if !signups::use_challenge(tx, &self.solved.nonce, self.solved.expires_at)? {
            return Err(challenge::used());
        }
        if let Some(max) = self.per_client
            && !signups::count(tx, DailyLimit::Signups, &self.client, max, self.now)?
        {
            return Err(DailyLimit::Signups.refusal(max, self.now));
        }
        let ids = self.ids.clone();
        let workspace = &self.created.workspace;
        self.created.insert(tx)?;
        signups::insert(tx, workspace.id)?;
        let CreatedInbox { inbox, view, .. } = self.home.execute(tx)?;
        jobs::enqueue(tx, &expiry(ids.next(), workspace))?;
        let home = AgentHome::of(&inbox, view);
        let payload = data::SignupCreated {
            workspace: SignupWorkspaceView::of(workspace),
            inbox: home.inbox.clone(),
            claim_requested: self.is_claim_requested,
        };
        events::append(
            tx,
            &NewEvent::new(EventKind::SignupCreated, workspace.id, ids.next(), self.now)
                .in_inbox(home.inbox.is_some().then_some(inbox.id))
                .with_detail(data::text(&payload)),
        )?;
        Ok(home)
    }
}

/// Returns the job that deletes the workspace if it stays unclaimed and unused.
fn expiry(id: JobId, workspace: &Workspace) -> NewJob {
    NewJob::new(JobKind::SignupExpiry, JobReason::Expires, workspace.id, workspace.id.0, id, workspace.created_at)
        .due_at(workspace.created_at.plus_ms(UNCLAIMED_IDLE_MS))
}
