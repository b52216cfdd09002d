//! Records a sign-in: a line of the history, the apps of the agent, the use of the app, and the event.

use posthouse_api::views::event::data;
use posthouse_domain::{
    EventKind, IdGenerator, IdentityClient, IdentityScopes, IdentitySignIn, IdentitySignInEvent, IdentitySignInFlow,
    MINUTE_MS, NewEvent, Plans, Refusal, Time,
};
use posthouse_store::{Tx, events, identity_clients, identity_sign_ins};

use super::standing::StandingAgent;
use crate::{inboxes::view, service::Service};

/// What every sign-in of a transaction needs.
#[derive(Clone, Debug)]
pub(super) struct RecordContext {
    pub plans: Plans,
    pub ids: IdGenerator,
    pub now: Time,
}

/// A sign-in to record.
#[derive(Debug)]
pub(super) struct NewSignIn<'a> {
    pub agent: &'a StandingAgent,
    pub client: &'a IdentityClient,
    pub event: IdentitySignInEvent,
    pub flow: IdentitySignInFlow,
    pub jti: &'a str,
    pub scope: IdentityScopes,
    /// When the identity token expires, if one was issued.
    pub expires_at: Option<Time>,
    pub ip: Option<&'a str>,
}

impl RecordContext {
    pub(super) fn of(service: &Service) -> Self {
        Self { plans: service.config.plans, ids: service.clock.ids(), now: service.clock.now() }
    }

    /// Records a sign-in. Returns `false` if the token has a line with the same event already.
    pub(super) fn record(&self, tx: &mut Tx, new: &NewSignIn<'_>) -> Result<bool, Refusal> {
        let ids = self.ids.clone();
        let line = IdentitySignIn {
            workspace: new.agent.agent.workspace,
            id: ids.next(),
            inbox: new.agent.agent.id,
            client_id: new.client.client_id.clone(),
            client_name: new.client.name.clone(),
            event: new.event,
            flow: new.flow,
            jti: new.jti.to_owned(),
            scope: new.scope,
            ip: new.ip.map(str::to_owned),
            created_at: self.now,
        };
        if !identity_sign_ins::insert(tx, &line)? {
            return Ok(false);
        }
        // The exchange of a token is the same sign-in as its request.
        if new.flow != IdentitySignInFlow::JwtBearer {
            identity_sign_ins::count_app(tx, &line, new.client.homepage_url.as_deref())?;
        }
        identity_clients::record_use(tx, &new.client.client_id, self.now, self.now.plus_ms(-MINUTE_MS))?;
        let event = self.event(tx, new, ids.next())?;
        events::append(tx, &event)?;
        Ok(true)
    }

    fn event(&self, tx: &mut Tx, new: &NewSignIn<'_>, id: posthouse_domain::id::EventId) -> Result<NewEvent, Refusal> {
        let StandingAgent { agent, workspace } = new.agent;
        let payload = data::IdentityData {
            inbox: view::load(tx, agent, &workspace.limits(&self.plans), self.now)?,
            client: data::IdentityAppData {
                client_id: new.client.client_id.clone(),
                name: new.client.name.clone(),
                homepage_url: new.client.homepage_url.clone(),
            },
            flow: new.flow.text(),
            jti: new.jti.to_owned(),
            sub: new.client.subject(agent.id),
            expires_at: new.expires_at.map(Into::into),
        };
        let kind = match new.event {
            IdentitySignInEvent::TokenIssued => EventKind::IdentityTokenIssued,
            IdentitySignInEvent::SignedIn => EventKind::IdentitySignedIn,
        };
        Ok(NewEvent::new(kind, agent.workspace, id, self.now).in_inbox(agent.id).with_detail(data::text(&payload)))
    }
}
