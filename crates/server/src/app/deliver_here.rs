//! Recipients on this service: no SMTP, the sender's transaction writes their copies (architecture, «Mail out»; contract §14.1).

use posthouse_domain::{
    id::{ContentId, Ids, WorkspaceId},
    inbox::Inbox,
    time::Time,
};
use posthouse_mail::{
    address::Address,
    auth::{
        Alignment, ArcResult, ArcVerdict, AuthResults, DmarcResult, DmarcVerdict, SpfIdentity, SpfResult, SpfVerdict,
    },
    trace,
};
use posthouse_store::{
    Result, Tx,
    contents::{self, Raw},
};

use super::{
    file_mail::{self, Copy},
    receive::resolve,
    signing::AddressKey,
    take_report::Circumstances,
    understand::Mail,
};

/// Why the results of authentication are what they are.
const SUBMITTED_HERE: &str = "submitted on this server";

/// Which way a message takes to a recipient.
#[derive(Clone, Debug)]
pub enum Way {
    /// Into an inbox of this service.
    Here(Box<Inbox>),
    /// Nowhere: the domain is ours and has no such inbox.
    Nowhere,
    /// Out, by SMTP.
    Away,
}

/// The way to an address. Only domains that this server serves are looked up.
///
/// # Errors
/// The store's own.
pub fn way(tx: &mut Tx, address: &Address, served: &[String], now: Time) -> Result<Way> {
    if !is_served(address, served) {
        return Ok(Way::Away);
    }
    Ok(resolve(tx, address, served, now)?.map_or(Way::Nowhere, |inbox| Way::Here(Box::new(inbox))))
}

/// Whether the address is at a domain that this server serves.
#[must_use]
pub fn is_served(address: &Address, served: &[String]) -> bool {
    served.iter().any(|domain| domain == address.domain())
}

/// What authentication finds about mail that an inbox of ours sent: the service itself saw who it was.
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
            alignment: Alignment::Pass,
            spf_aligned: true,
        },
        arc: ArcVerdict { result: ArcResult::None, sets: 0, domain: String::new(), reason: String::new() },
    }
}

/// Puts a copy into each of the inboxes, once each, however many addresses lead there.
///
/// # Errors
/// The store's own.
pub fn deliver(
    tx: &mut Tx,
    (mail, raw): (&Mail, &Raw),
    (from, inboxes, key): (&Address, &[&Inbox], &AddressKey),
    ids: &Ids,
    now: Time,
) -> Result<()> {
    let trace = trace::return_path(&from.smtp_form());
    let mut contents: Vec<(WorkspaceId, ContentId)> = Vec::new();
    for (at, inbox) in inboxes.iter().enumerate() {
        if inboxes[..at].iter().any(|other| other.id == inbox.id) {
            continue;
        }
        let content = match contents.iter().find(|(workspace, _)| *workspace == inbox.workspace) {
            Some((_, content)) => *content,
            None => {
                let content = ids.next();
                contents::insert(tx, inbox.workspace, content, raw, &mail.bodies)?;
                contents.push((inbox.workspace, content));
                content
            }
        };
        file_mail::file(tx, Copy { mail, content, trace: &trace, at: Circumstances::default(), key }, inbox, ids, now)?;
    }
    Ok(())
}
