//! People who sign up: where self-signup is on, the mail to an address without a member offers a workspace, and its link or
//! code makes it (`docs/decisions/people.md#0063-sign-in-by-mail`).

use std::net::IpAddr;

use posthouse_domain::{
    DailyLimit, Limit, MailClass, Party, Refusal, ServiceMailKind, SignIn, SignInPurpose, Time, UserId, Workspace,
    WorkspaceId, signup::CLAIM_MAILS_PER_RECIPIENT,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, signups, workspaces};

use super::{members, new_workspace};
use crate::limits::service_mails::{CountedMail, ServiceMailCounter};
use crate::mailbox::recipient::{is_own_address, served_domains};
use crate::{keyring::counted_subject::counted_subject, service::Service};

/// Returns whether a link can make a workspace, if its address has no member.
fn is_open(service: &Service, sign_in: &SignIn) -> bool {
    service.config.signup.enabled && sign_in.purpose == SignInPurpose::SignIn && sign_in.workspace.is_none()
}

/// Decides whether a person without a membership gets a mail.
pub(super) struct SignUpMail {
    served: [String; 2],
    mailbox: Vec<u8>,
}

impl SignUpMail {
    /// Prepares the decision about a request; `None` if its link can't make a workspace.
    pub(super) fn of(service: &Service, sign_in: &SignIn) -> Result<Option<Self>, Refusal> {
        if !is_open(service, sign_in) {
            return Ok(None);
        }
        let mailbox = counted_subject(service, Party::mailbox(&sign_in.email).as_str())?;
        Ok(Some(Self { served: served_domains(service), mailbox }))
    }

    /// Returns whether the mail may be sent: one to an address of this service would reach an agent instead of a person.
    pub(super) fn is_allowed(&self, tx: &mut Tx, to: &Address) -> Result<bool, Refusal> {
        Ok(!is_own_address(tx, to, &self.served)?)
    }

    /// Counts the mail like a claim mail: strangers can ask for it with any address.
    ///
    /// # Errors
    /// Returns `signup_rate_limited` if a budget is used up.
    pub(super) fn count(
        &self,
        tx: &mut Tx,
        counter: &ServiceMailCounter,
        sign_in: &SignIn,
        now: Time,
    ) -> Result<(), Refusal> {
        let (limit, max) = (DailyLimit::ClaimMailsPerRecipient, CLAIM_MAILS_PER_RECIPIENT);
        if !signups::count(tx, limit, &self.mailbox, max, now)? {
            return Err(limit.refusal(max, now));
        }
        let (class, kind) = (MailClass::Strangers, ServiceMailKind::SignUp);
        let network = sign_in.network.as_deref();
        counter.count(tx, &CountedMail { class, kind, to: &sign_in.email, network }, now)
    }
}

/// The workspace that a link makes, if its address belongs to nobody.
pub(super) struct SignUp {
    workspace: Workspace,
    owner: UserId,
    client: Vec<u8>,
    per_client: Limit,
}

impl SignUp {
    /// Prepares a workspace for the browser at a client network; `None` if self-signup is off.
    pub(super) fn prepare(service: &Service, client: IpAddr) -> Result<Option<Self>, Refusal> {
        if !service.config.signup.enabled {
            return Ok(None);
        }
        Ok(Some(Self {
            workspace: new_workspace::of_person(service.clock.as_ref()),
            owner: service.clock.ids().next(),
            client: counted_subject(service, &client.to_string())?,
            per_client: service.config.signup.per_address_per_day,
        }))
    }

    /// Stores the workspace with the person as its owner; returns both ids.
    pub(super) fn execute(&self, tx: &mut Tx, sign_in: &SignIn, now: Time) -> Result<(UserId, WorkspaceId), Refusal> {
        if let Some(max) = self.per_client
            && !signups::count(tx, DailyLimit::Signups, &self.client, max, now)?
        {
            return Err(DailyLimit::Signups.refusal(max, now));
        }
        let email = sign_in.email.clone();
        let workspace = Workspace { name: email.clone(), owner_email: email, ..self.workspace.clone() };
        workspaces::insert(tx, &workspace)?;
        let owner = members::found(tx, workspace.id, &workspace.owner_email, self.owner, now)?;
        tracing::info!(workspace_id = %workspace.id, "workspace.founded");
        Ok((owner, workspace.id))
    }
}
