//! Delivers to recipients on this service without SMTP. Copies for inboxes of the sender's workspace are stored in the
//! transaction that stores the message. Other workspaces store theirs in a job of their own: [`accept`] enqueues it,
//! [`run`] runs it.

pub mod accept;
pub mod run;

use posthouse_domain::{ContentId, IdGenerator, Inbox, Plans, Time, WorkspaceId, send::DATA_FILE_NAME};
use posthouse_mail::auth::{
    ArcResult, ArcVerdict, AuthResults, DmarcAlignment, DmarcResult, DmarcVerdict, SpfIdentity, SpfResult, SpfVerdict,
};
use posthouse_mail::{address::Address, trace};
use posthouse_store::{Result, Tx, contents, contents::StoredRaw, local_deliveries::RequestedFields};

use crate::keyring::instance_key::AddressKey;
use crate::mailbox::{self, ReceivedCopy, Visibility, parse::ParsedMail, recipient::resolve};
use crate::signing::agent_copy::{AgentCopy, CheckedSender, CopySigner};

/// The reason in authentication results of local mail.
const SUBMITTED_HERE: &str = "submitted on this server";

/// The route of a message to a recipient.
#[derive(Clone, Debug)]
pub enum RecipientRoute {
    /// Local delivery to an inbox.
    Local(Box<Inbox>),
    /// A served domain without such an inbox.
    NoSuchInbox,
    /// A remote recipient, by SMTP.
    Remote,
}

/// Returns the route to an address. Only addresses at served domains are looked up.
pub fn route_of(tx: &mut Tx, address: &Address, served: &[String], now: Time) -> Result<RecipientRoute> {
    if !is_served(address, served) {
        return Ok(RecipientRoute::Remote);
    }
    Ok(resolve(tx, address, served, now)?
        .map_or(RecipientRoute::NoSuchInbox, |inbox| RecipientRoute::Local(Box::new(inbox))))
}

/// Returns whether the address is at a served domain.
#[must_use]
pub fn is_served(address: &Address, served: &[String]) -> bool {
    served.iter().any(|domain| domain == address.domain())
}

/// Returns the authentication results of local mail: the service authenticated the sender itself.
#[must_use]
pub fn own_results(from: &Address) -> AuthResults {
    let spf = SpfVerdict {
        result: SpfResult::Pass,
        identity: SpfIdentity::MailFrom,
        domain: from.domain().to_owned(),
        reason: SUBMITTED_HERE.to_owned(),
        explanation: None,
    };
    AuthResults {
        helo_spf: SpfVerdict { result: SpfResult::None, identity: SpfIdentity::Helo, ..spf.clone() },
        spf,
        dkim: Vec::new(),
        dmarc: DmarcVerdict {
            result: DmarcResult::Pass,
            policy: None,
            domain: from.domain().to_owned(),
            reason: SUBMITTED_HERE.to_owned(),
            alignment: DmarcAlignment::Pass,
            spf_aligned: true,
        },
        arc: ArcVerdict { result: ArcResult::None, sets: 0, domain: String::new(), reason: String::new() },
    }
}

/// Returns a parsed copy as recipients on this service get it, sent by an inbox of the workspace `sender`. Fields that
/// the request named replace those of the header. Structured data is stored as such, so the file with the data is
/// removed. A copy is never a report about sent mail, whatever its form: the service itself knows the result of each
/// delivery between its inboxes, and an inbox isn't a mail system
/// (`docs/decisions/sending.md#0023-reports-by-message-id`).
#[must_use]
pub(super) fn received(mut mail: ParsedMail, sender: WorkspaceId, requested: Option<&RequestedFields>) -> ParsedMail {
    if let Some(fields) = requested {
        (mail.to, mail.cc) = (fields.to.clone(), fields.cc.clone());
        mail.subject = Some(fields.subject.clone());
        mail.data.clone_from(&fields.data);
        mail.see(fields.data.as_deref().unwrap_or_default());
        mail.kind = fields.message_kind();
        if fields.has_data_file {
            mail.files.pop_if(|file| file.filename.as_deref() == Some(DATA_FILE_NAME));
        }
    }
    // An inbox of this service wrote the whole header.
    ParsedMail { labels: Vec::new(), report: None, sender_workspace: Some(sender), reply_to_unproven: false, ..mail }
}

/// The copy that recipients on this service get.
#[derive(Clone, Copy)]
pub struct LocalCopy<'a> {
    /// The parsed copy.
    pub mail: &'a ParsedMail,
    /// Its bytes.
    pub raw: &'a StoredRaw,
    /// The limits of plans.
    pub plans: &'a Plans,
    /// The address of the sender's inbox.
    pub from: &'a Address,
    /// The fields that the sender's request named.
    pub requested: Option<&'a RequestedFields>,
    /// Signs the copies; `None` for ordinary mail.
    pub signer: Option<&'a CopySigner>,
    /// Whether this server wrote the `Agent-Disclosure` field.
    pub disclosed: bool,
}

/// Stores one copy in each inbox of the sender's workspace, even if several recipient addresses reach it.
pub fn deliver(
    tx: &mut Tx,
    copy: LocalCopy<'_>,
    sender: &Inbox,
    inboxes: &[&Inbox],
    key: &AddressKey,
    ids: &IdGenerator,
    now: Time,
) -> Result<()> {
    let Some(first) = inboxes.first() else { return Ok(()) };
    let LocalCopy { mail, raw, plans, from, signer, .. } = copy;
    let checked = match signer {
        Some(signer) => Some(CheckedSender::read(tx, sender.workspace, sender.id, signer.content())?),
        None => None,
    };
    let agent = signer.zip(checked.as_ref()).map(|(signer, sender)| AgentCopy { sender, signer });
    let trace = trace::return_path(&from.smtp_form());
    let content: ContentId = ids.next();
    contents::insert(tx, first.workspace, content, raw, &mail.bodies)?;
    for (at, inbox) in inboxes.iter().enumerate() {
        if inboxes[..at].iter().any(|other| other.id == inbox.id) {
            continue;
        }
        let copy = ReceivedCopy {
            mail,
            content,
            trace: &trace,
            reports_on: &[],
            key,
            visibility: Visibility::Shown,
            plans,
            imitation: None,
            agent,
        };
        mailbox::receive(tx, copy, inbox, ids, now)?;
    }
    Ok(())
}
