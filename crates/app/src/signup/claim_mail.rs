//! The mail with a claim link. The service writes it; nothing in it is chosen by the agent.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::signup::{CLAIM_LINK_MS, CLAIM_MAILS_PER_RECIPIENT, CLAIM_MAILS_PER_WORKSPACE};
use posthouse_domain::{
    Caller, DAY_MS, DailyLimit, ErrorCode, IdGenerator, Inbox, MailClass, MessageId, Party, Refusal, ServiceMailKind,
    Time, WorkspaceId, workspace::UNCLAIMED_IDLE_DAYS,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, inboxes, signups, signups::ClaimLink};

use super::status;
use crate::{
    inboxes::first_agent, keyring::counted_subject::counted_network, keyring::counted_subject::counted_subject,
    limits::service_mails::CountedMail, limits::service_mails::ServiceMailCounter, mailbox::recipient::served_domains,
    outbound::accept::AcceptHook, outbound::accept::request, outbound::accept::request::PersonRequest,
    outbound::link_mail, outbound::link_mail::LinkMail, outbound::service_mail, service::Service,
};

/// The path prefix of claim links.
const PATH: &str = "/claim/";
/// The subject of the mail.
const SUBJECT: &str = "An agent asks you to own its mailbox";

/// The link of a claim mail, stored together with the mail.
struct ClaimMail {
    workspace: WorkspaceId,
    /// The agent that asks.
    agent: Inbox,
    to: Address,
    link: ClaimLink,
    /// What the mail counts for, in the order in which rows are locked.
    counted: [CountedLimit; 2],
    counter: ServiceMailCounter,
    network: Vec<u8>,
    own: [String; 2],
    now: Time,
}

/// A daily limit that a claim mail counts for.
struct CountedLimit {
    limit: DailyLimit,
    subject: Vec<u8>,
    max: u64,
}

impl AcceptHook for ClaimMail {
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        inboxes::take_workspace(tx, self.workspace)?;
        signups::lock(tx, self.workspace)?.map(drop).ok_or_else(status::already_claimed)?;
        let (inbox, to, own) = (Some(&self.agent), &self.to, self.own.as_slice());
        request::check(tx, &PersonRequest { workspace: self.workspace, inbox, caller: None, to, own }, self.now)
    }

    fn settle(&self, tx: &mut Tx, _: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        for CountedLimit { limit, subject, max } in &self.counted {
            if !signups::count(tx, *limit, subject, *max, now)? {
                return Err(limit.refusal(*max, now));
            }
        }
        let (class, kind) = (MailClass::Strangers, ServiceMailKind::Claim);
        self.counter.count(
            tx,
            &CountedMail { class, kind, to: &self.link.email, network: Some(&self.network) },
            now,
        )?;
        Ok(signups::set_link(tx, self.workspace, &self.link)?)
    }
}

/// Sends a claim link to a person, and returns when it expires.
///
/// # Errors
/// Returns `not_claimable` if the workspace has neither inbox nor identity or `signup_rate_limited`, a refusal of the
/// gate.
pub(super) async fn send(
    service: &Arc<Service>,
    workspace: WorkspaceId,
    to: Address,
    client: IpAddr,
) -> Result<Time, Refusal> {
    let agent = service.read(workspace, move |tx| first_agent::of(tx, workspace)).await?.ok_or_else(no_agent)?;
    let (email, now) = (to.canonical(), service.clock.now());
    let mailbox = Party::mailbox(&email);
    let recipient = counted(service, DailyLimit::ClaimMailsPerRecipient, mailbox.as_str(), CLAIM_MAILS_PER_RECIPIENT)?;
    let mail = LinkMail { kind: ServiceMailKind::Claim, workspace, to: to.clone(), subject: SUBJECT, path: PATH };
    let written = link_mail::write(service, mail, |link| text(&service.config.base_url, &agent, link))?;
    let expires_at = now.plus_ms(CLAIM_LINK_MS);
    let hook = ClaimMail {
        workspace,
        agent,
        to,
        link: ClaimLink { email, sha256: written.token_sha256, expires_at },
        counted: [
            recipient,
            counted(service, DailyLimit::ClaimMails, &workspace.to_string(), CLAIM_MAILS_PER_WORKSPACE)?,
        ],
        counter: ServiceMailCounter::of(service)?,
        network: counted_network(service, client)?,
        own: served_domains(service),
        now,
    };
    service_mail::send(service, written.mail, Box::new(hook)).await?;
    Ok(expires_at)
}

fn counted(service: &Service, limit: DailyLimit, subject: &str, max: u64) -> Result<CountedLimit, Refusal> {
    Ok(CountedLimit { limit, subject: counted_subject(service, subject)?, max })
}

fn no_agent() -> Refusal {
    Refusal::new(ErrorCode::NotClaimable, "The workspace has no inbox or identity that a person could own.")
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
