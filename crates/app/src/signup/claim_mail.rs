//! The mail with a claim link. It is sent from the agent's inbox, or from its identity if it has no inbox, so that
//! bounces count against the workspace that asked for the mail. Nothing in it is chosen by the agent.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::{
    auth::Caller,
    daily_limit::DailyLimit,
    error::{ErrorCode, Refusal},
    gate::SendPurpose,
    id::{IdGenerator, MessageId, WorkspaceId},
    inbox::{Inbox, InboxKind},
    signup::{CLAIM_LINK_MS, CLAIM_MAILS_PER_CLIENT, CLAIM_MAILS_PER_RECIPIENT, CLAIM_MAILS_PER_WORKSPACE},
    time::{DAY_MS, Time},
    user::mailbox_of,
    workspace::UNCLAIMED_IDLE_DAYS,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, inboxes, signups, signups::ClaimLink};

use super::status;
use crate::{
    app::App,
    keyring::counted_subject::counted_subject,
    outbound::{
        link_mail::{self, LinkMail},
        notice,
        queue::{self, QueueHook},
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
    limit: DailyLimit,
    subject: Vec<u8>,
    max: u64,
}

impl QueueHook for ClaimMail {
    fn purpose(&self) -> SendPurpose {
        SendPurpose::Claim
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
    let email = to.canonical();
    let mailbox = mailbox_of(&email);
    let recipient = counted(app, DailyLimit::ClaimMailsPerRecipient, &mailbox, CLAIM_MAILS_PER_RECIPIENT)?;
    let mail = LinkMail { to, subject: SUBJECT, path: PATH };
    let composed = link_mail::compose(app, &inbox, mail, |link| text(&app.config.base_url, &inbox, link))?;
    let expires_at = app.clock.now().plus_ms(CLAIM_LINK_MS);
    let hook = Box::new(ClaimMail {
        workspace,
        link: ClaimLink { email, sha256: composed.token_sha256, expires_at },
        counted: [
            counted(app, DailyLimit::ClaimMailsPerClient, &client.to_string(), CLAIM_MAILS_PER_CLIENT)?,
            recipient,
            counted(app, DailyLimit::ClaimMails, &workspace.to_string(), CLAIM_MAILS_PER_WORKSPACE)?,
        ],
    });
    let context = notice::service_context(&inbox);
    queue::post_with_hook(app, context, composed.outgoing, inbox, hook, Arc::new(|_| Ok(String::new()))).await?;
    Ok(expires_at)
}

fn counted(app: &App, limit: DailyLimit, subject: &str, max: u64) -> Result<CountedLimit, Refusal> {
    Ok(CountedLimit { limit, subject: counted_subject(app, subject)?, max })
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

fn text(base_url: &str, sender: &Inbox, link: &str) -> String {
    let (agent, days) = (&sender.address, CLAIM_LINK_MS / DAY_MS);
    format!(
        "The agent {agent} created its own workspace on {base_url} and asks you to become its owner. As the owner you \
         see its mail, decide what it may do, and can stop it.\n\n\
         To own the workspace, open this page and press the button. The link works once and expires after {days} \
         days:\n\n\
         {link}\n\n\
         If you do not know this agent, ignore this message: you own nothing until you press the button, and the \
         workspace is deleted after {UNCLAIMED_IDLE_DAYS} days without use.\n"
    )
}
