//! The mail with a claim link. It is sent from the agent's inbox, or from its identity if it has no inbox, so that
//! bounces count against the workspace that asked for the mail. Nothing in it is chosen by the agent.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    id::{IdGenerator, MessageId, WorkspaceId},
    inbox::{Inbox, InboxKind},
    signup::{
        CLAIM_LINK_MS, CLAIM_MAILS_PER_CLIENT, CLAIM_MAILS_PER_RECIPIENT, CLAIM_MAILS_PER_WORKSPACE, SignupLimit,
    },
    time::{DAY_MS, Time},
    workspace::UNCLAIMED_IDLE_DAYS,
};
use posthouse_mail::address::{Address, Mailbox};
use posthouse_store::{Result as StoreResult, Tx, inboxes, signups, signups::ClaimLink};
use uuid::Uuid;

use super::status;
use crate::{
    app::App,
    outbound::{
        link_mail::{self, LinkMail, MailLink},
        queue::QueueHook,
    },
};

/// The path prefix of claim links.
const PATH: &str = "/claim/";
/// The subject of the mail.
const SUBJECT: &str = "An agent asks you to own its mailbox";

/// The link of a claim mail, stored together with the mail.
struct ClaimMail {
    workspace: WorkspaceId,
    link: ClaimLink,
    /// What the mail counts for, in the order in which rows are locked.
    counted: [CountedLimit; 3],
}

/// A daily limit that a claim mail counts for.
struct CountedLimit {
    limit: SignupLimit,
    subject: Vec<u8>,
    max: u64,
}

impl QueueHook for ClaimMail {
    /// A workspace that used up its recipients must still be able to ask for an owner.
    fn counts_recipients(&self) -> bool {
        false
    }

    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        inboxes::take_workspace(tx, self.workspace)?;
        signups::lock(tx, self.workspace)?.map(drop).ok_or_else(status::already_claimed)
    }

    fn settle(&self, tx: &mut Tx, _: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        for CountedLimit { limit, subject, max } in &self.counted {
            if !signups::count(tx, *limit, subject, *max, now)? {
                return Err(limit.refusal(*max, now));
            }
        }
        Ok(signups::set_link(tx, self.workspace, &self.link)?)
    }
}

/// Sends a claim link to a person, and returns when it expires.
///
/// # Errors
/// Returns `not_claimable` if the workspace has neither inbox nor identity, `signup_rate_limited`, a refusal of the
/// gate, or an error if the database call fails.
pub(super) async fn send(app: &Arc<App>, workspace: WorkspaceId, to: Address, client: IpAddr) -> Result<Time, Refusal> {
    let inbox = app.store.read_for(workspace, move |tx| sender(tx, workspace)).await?.ok_or_else(no_sender)?;
    let link = MailLink::new(app)?;
    let expires_at = app.clock.now().plus_ms(CLAIM_LINK_MS);
    let counted = |limit, subject: &str, max| {
        Ok::<_, Refusal>(CountedLimit { limit, subject: self::subject(app, subject)?, max })
    };
    let hook = Box::new(ClaimMail {
        workspace,
        link: ClaimLink { email: to.canonical(), sha256: link.sha256, expires_at },
        counted: [
            counted(SignupLimit::ClaimMailsPerClient, &client.to_string(), CLAIM_MAILS_PER_CLIENT)?,
            counted(SignupLimit::ClaimMailsPerRecipient, to.canonical_str(), CLAIM_MAILS_PER_RECIPIENT)?,
            counted(SignupLimit::ClaimMails, &workspace.to_string(), CLAIM_MAILS_PER_WORKSPACE)?,
        ],
    });
    let text = text(&app.config.base_url, &link_mail::author(&inbox)?, link.shown(app));
    let caller = Caller::service(workspace, inbox.id);
    link_mail::send(app, caller, inbox, LinkMail { to, link, subject: SUBJECT, text }, hook).await?;
    Ok(expires_at)
}

/// Returns the keyed hash of what a limit counts, so that the table of usage names nobody.
pub(super) fn subject(app: &App, text: &str) -> Result<Vec<u8>, Refusal> {
    Ok(app.address_key()?.digest(WorkspaceId(Uuid::nil()), text))
}

/// Returns the inbox, or else the identity, that claim mail is sent from.
pub(super) fn sender(tx: &mut Tx, workspace: WorkspaceId) -> StoreResult<Option<Inbox>> {
    match inboxes::first_of(tx, workspace)? {
        None => inboxes::first_of_kind(tx, workspace, InboxKind::Identity),
        found => Ok(found),
    }
}

fn no_sender() -> Refusal {
    Refusal::new(ErrorCode::NotClaimable, "The workspace has no inbox or identity that the mail could be sent from.")
        .with_fix("Create an inbox with `POST /v1/inboxes`, then send the request again.")
}

fn text(base_url: &str, author: &Mailbox, token: &str) -> String {
    let (agent, days) = (author.address(), CLAIM_LINK_MS / DAY_MS);
    format!(
        "The agent {agent} created its own workspace on {base_url} and asks you to become its owner. As the owner you \
         see its mail, decide what it may do, and can stop it.\n\n\
         To own the workspace, open this page and press the button. The link works once and expires after {days} \
         days:\n\n\
         {base_url}{PATH}{token}\n\n\
         If you do not know this agent, ignore this message: you own nothing until you press the button, and the \
         workspace is deleted after {UNCLAIMED_IDLE_DAYS} days without use.\n"
    )
}
