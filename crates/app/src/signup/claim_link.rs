//! Claim links. Opening the page consumes nothing; pressing its button claims the workspace. See
//! `docs/decisions/people.md#0025-links-in-mail`.

use posthouse_api::{views::event::data, views::inbox::InboxView, views::signup::SignupWorkspaceView};
use posthouse_domain::{ErrorCode, EventKind, IdGenerator, JobKind, NewEvent, Plans, Refusal, Signup, Time, UserId};
use posthouse_store::{Tx, events, inboxes, jobs, signups, workspaces};

use crate::inboxes::{first_agent, view};
use crate::service::{ReadScope, Service};
use crate::{keyring::sealed_link, people::members};

/// The workspace behind a claim link, as its page shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimableWorkspace {
    /// The address of the first agent; `None` if it has none any more.
    pub agent: Option<String>,
    /// When the agent signed up.
    pub created_at: Time,
    /// The recipient of the link, who becomes the owner.
    pub email: String,
}

/// Returns the workspace of a link, without consuming the link.
///
/// # Errors
/// Returns `invalid_token` for a used, replaced, expired or forged link.
pub async fn find(service: &Service, token: &str) -> Result<ClaimableWorkspace, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let now = service.clock.now();
    service
        .read(ReadScope::Service, move |tx| {
            let signup = signups::by_token(tx, &digest, now)?.ok_or_else(invalid_link)?;
            load(tx, &signup, now)
        })
        .await
}

/// Makes the recipient of the link the owner of the workspace, and consumes the link.
///
/// # Errors
/// Returns `invalid_token` for a used, replaced, expired or forged link.
pub async fn claim(service: &Service, token: &str) -> Result<ClaimableWorkspace, Refusal> {
    let digest = sealed_link::digest(token).ok_or_else(invalid_link)?;
    let (plans, ids, now) = (service.config.plans, service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let found = signups::by_token(tx, &digest, now)?.ok_or_else(invalid_link)?;
        // The workspace's row is locked first everywhere. The link may have been used until then.
        inboxes::take_workspace(tx, found.workspace)?;
        let signup = signups::lock_by_token(tx, &digest, now)?.ok_or_else(invalid_link)?;
        let claimed = load(tx, &signup, now)?;
        settle(tx, &signup, &claimed, ids.clone().next(), now)?;
        let payload = event_data(tx, &signup, &plans, now)?;
        events::append(tx, &event(&payload, &signup, &ids, now))?;
        Ok::<_, Refusal>((signup.workspace, claimed))
    };
    let (workspace, claimed) = service.write(work).await?;
    tracing::info!(workspace_id = %workspace, "signup.claimed");
    Ok(claimed)
}

/// Turns the unclaimed workspace into an ordinary one with an owner.
fn settle(tx: &mut Tx, signup: &Signup, claimed: &ClaimableWorkspace, user: UserId, now: Time) -> Result<(), Refusal> {
    if !workspaces::claim(tx, signup.workspace, now)? {
        return Err(invalid_link());
    }
    workspaces::set_owner(tx, signup.workspace, &claimed.email)?;
    members::found(tx, signup.workspace, &claimed.email, user, now)?;
    signups::delete(tx, signup.workspace)?;
    Ok(jobs::cancel(tx, JobKind::SignupExpiry, signup.workspace.0)?)
}

fn load(tx: &mut Tx, signup: &Signup, now: Time) -> Result<ClaimableWorkspace, Refusal> {
    let workspace = workspaces::get(tx, signup.workspace)?.ok_or_else(invalid_link)?;
    let email = signup.pending_email(now).ok_or_else(invalid_link)?.to_owned();
    let agent = first_agent::of(tx, signup.workspace)?.map(|inbox| inbox.address);
    Ok(ClaimableWorkspace { agent, created_at: workspace.created_at, email })
}

/// Returns the data of the event: the workspace after the claim, and its first inbox.
fn event_data(tx: &mut Tx, signup: &Signup, plans: &Plans, now: Time) -> Result<data::SignupClaimed, Refusal> {
    let workspace = workspaces::get(tx, signup.workspace)?.ok_or_else(invalid_link)?;
    let first = inboxes::first_of(tx, signup.workspace)?;
    let inbox: Option<InboxView> =
        first.map(|inbox| view::load(tx, &inbox, &workspace.limits(plans), now)).transpose()?;
    Ok(data::SignupClaimed { workspace: SignupWorkspaceView::of(&workspace), inbox })
}

fn event(payload: &data::SignupClaimed, signup: &Signup, ids: &IdGenerator, at: Time) -> NewEvent {
    NewEvent::new(EventKind::SignupClaimed, signup.workspace, ids.clone().next(), at).with_detail(data::text(payload))
}

fn invalid_link() -> Refusal {
    Refusal::new(ErrorCode::InvalidToken, "The link was already used, was replaced by a newer one, or has expired.")
}
