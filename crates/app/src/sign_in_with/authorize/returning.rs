//! Decides whether a browser returns to an app by itself or is asked first (RFC 9700 §4.11.2).
//!
//! Anyone may register an app with any redirect URI. If the service sent browsers there at once, a link to the service
//! would lead to any site. So a browser returns by itself only after an interaction with this service, or to an app that
//! its person or the operator trusts; otherwise a page names the host and has a link.

use posthouse_domain::{Caller, IdentityClient, Inbox, OAuthError, Refusal, identity::app_url};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, identity_approvals, inboxes, workspaces};

use super::{AuthorizeStep, SignInBrowser};
use crate::{inboxes::names::NameRules, sign_in_with::agents::inbox_ref};

/// A return to an app that a person confirms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedReturn {
    /// The name of the app.
    pub client_name: String,
    /// The host of the redirect URI.
    pub host: String,
    /// Where the link leads.
    pub uri: String,
    /// Why the browser returns, in a sentence; `None` if the sign-in was decided.
    pub reason: Option<String>,
}

impl OfferedReturn {
    /// Returns the offer of a return to an app.
    pub(super) fn new(client: &IdentityClient, redirect_uri: &str, uri: String, reason: Option<String>) -> Self {
        Self { client_name: client.name.clone(), host: app_url::host(redirect_uri), uri, reason }
    }
}

/// A return of a browser to an app, before any interaction.
pub(super) struct EarlyReturn<'a> {
    pub(super) client: &'a IdentityClient,
    pub(super) redirect_uri: &'a str,
    /// The redirect URI with the error.
    pub(super) uri: String,
    pub(super) error: &'a OAuthError,
    /// Whether the app asked with `prompt=none`.
    pub(super) is_silent: bool,
    /// The agent that the app named.
    pub(super) hint: Option<&'a str>,
}

impl EarlyReturn<'_> {
    /// Returns what the browser does.
    pub(super) fn step(
        self,
        tx: &mut Tx,
        browser: &SignInBrowser,
        rules: &NameRules,
    ) -> Result<AuthorizeStep, Refusal> {
        // The page around a frame shows no address of this service, so nobody is misled by where the frame leads.
        let is_quiet = self.is_silent && browser.is_framed;
        if is_quiet || self.is_trusted(tx, browser, rules)? {
            return Ok(AuthorizeStep::Return(self.uri));
        }
        let reason = Some(self.error.description.clone());
        Ok(AuthorizeStep::Offer(OfferedReturn::new(self.client, self.redirect_uri, self.uri, reason)))
    }

    /// Returns whether the person of the browser or the operator trusts the app. With `prompt=none` only the person counts:
    /// a link that asks for nothing and shows nothing is what a trusted address is misused for.
    fn is_trusted(&self, tx: &mut Tx, browser: &SignInBrowser, rules: &NameRules) -> Result<bool, Refusal> {
        if let Some(member) = &browser.member
            && (member.workspace == self.client.workspace || self.is_approved(tx, member)?)
        {
            return Ok(true);
        }
        let owner = workspaces::get(tx, self.client.workspace)?.filter(|_| !self.is_silent);
        owner.map_or(Ok(false), |owner| rules.is_operator(tx, &owner))
    }

    /// Returns whether the app was approved in advance for the agent that it named, which belongs to the member's workspace.
    fn is_approved(&self, tx: &mut Tx, member: &Caller) -> Result<bool, Refusal> {
        let Some(agent) = hinted(tx, self.hint)?.filter(|agent| agent.workspace == member.workspace) else {
            return Ok(false);
        };
        Ok(identity_approvals::has(tx, inbox_ref(&agent), &self.client.client_id)?)
    }
}

/// Returns the agent that `login_hint` names by its address. An unknown one is ignored, so the hint reveals nothing.
pub(super) fn hinted(tx: &mut Tx, hint: Option<&str>) -> posthouse_store::Result<Option<Inbox>> {
    let Some(address) = hint.and_then(|hint| Address::parse(hint).ok()) else { return Ok(None) };
    Ok(inboxes::by_address(tx, &address.canonical())?.filter(|agent| agent.deleted_at.is_none()))
}
