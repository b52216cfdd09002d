//! Sign-in of one agent: its switch, its apps, and its history.

use posthouse_domain::{
    Caller, CursorPosition, IdentitySignIn, Inbox, InboxId, Page, PageParameters, Refusal, SignedInApp,
};
use posthouse_store::{Tx, identity_requests, identity_sign_ins, identity_tokens, inboxes, message_list::InboxRef};

use crate::{access::visible, inboxes::change, service::Service};

/// Most apps that are shown for an agent.
const APPS_MAX: u32 = 100;

/// An agent with the apps it has signed in to.
#[derive(Clone, Debug)]
pub struct AgentSignIns {
    pub agent: Inbox,
    /// Its apps, the last one first.
    pub apps: Vec<SignedInApp>,
}

/// Returns the switch and the apps of an agent.
///
/// # Errors
/// Returns `not_found` if the agent is missing or invisible.
pub async fn get(service: &Service, caller: Caller, id: InboxId) -> Result<AgentSignIns, Refusal> {
    let work = move |tx: &mut Tx| {
        let agent = visible::inbox_or_identity(tx, &caller, id)?;
        with_apps(tx, agent)
    };
    service.read(caller.workspace, work).await
}

fn with_apps(tx: &mut Tx, agent: Inbox) -> Result<AgentSignIns, Refusal> {
    let apps = identity_sign_ins::apps(tx, inbox_ref(&agent), APPS_MAX)?;
    Ok(AgentSignIns { agent, apps })
}

pub(super) fn inbox_ref(agent: &Inbox) -> InboxRef {
    InboxRef { workspace: agent.workspace, inbox: agent.id }
}

/// Switches sign-in on or off for an agent. Off refuses its tokens, sign-ins and what apps ask about it at once, and ends
/// the access tokens and approved sign-ins for good.
///
/// # Errors
/// Returns `not_found` if the agent is missing or invisible.
pub async fn set_enabled(
    service: &Service,
    caller: Caller,
    id: InboxId,
    is_enabled: bool,
) -> Result<AgentSignIns, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        let mut agent = change::take(tx, &caller, id, now)?;
        inboxes::set_identity_enabled(tx, &agent, is_enabled)?;
        agent.identity_enabled = is_enabled;
        if !is_enabled {
            // What apps hold ends here, so that switching on later gives none of it back.
            identity_tokens::delete_of_inbox(tx, inbox_ref(&agent))?;
            identity_requests::delete_of_inbox(tx, inbox_ref(&agent))?;
        }
        with_apps(tx, agent)
    };
    service.write(work).await
}

/// Returns a page of the history of an agent, newest first.
///
/// # Errors
/// Returns `invalid_cursor`, or `not_found` if the agent is missing or invisible.
pub async fn history(
    service: &Service,
    caller: Caller,
    id: InboxId,
    page: PageParameters,
) -> Result<Page<IdentitySignIn>, Refusal> {
    let list = page.of_list(format!("sign-ins {} {id}", caller.workspace))?;
    let range = list.page();
    let work = move |tx: &mut Tx| {
        let agent = visible::inbox_or_identity(tx, &caller, id)?;
        Ok::<_, Refusal>(identity_sign_ins::page(tx, inbox_ref(&agent), range)?)
    };
    let found = service.read(caller.workspace, work).await?;
    Ok(list.page_of(found, |sign_in| CursorPosition::of(sign_in.created_at, sign_in.id.0)))
}
