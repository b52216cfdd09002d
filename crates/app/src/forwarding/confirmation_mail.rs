//! The confirmation mail to a forwarding address. The service writes it, if the inbox whose mail is forwarded could write to
//! the address itself.

use std::{net::IpAddr, sync::Arc};

use posthouse_domain::forwarding::{ADDRESSES_MAX, CONFIRMATION_LINK_MS};
use posthouse_domain::{
    Caller, DAY_MS, ErrorCode, ForwardingAddress, IdGenerator, Inbox, MessageId, Refusal, ServiceMailKind, Time,
};
use posthouse_mail::address::Address;
use posthouse_store::{Tx, forwarding, forwarding::ForwardingToken, inboxes};

use crate::outbound::accept::{AcceptHook, request, request::PersonRequest};
use crate::outbound::link_mail::{self, LinkMail};
use crate::outbound::service_mail;
use crate::{
    access::visible, limits::confirmations::ConfirmationCounter, mailbox::recipient::served_domains, service::Service,
};

/// The path prefix of confirmation links.
const PATH: &str = "/confirm/forwarding/";
/// The subject of the confirmation mail.
const SUBJECT: &str = "Confirm that mail is forwarded to you";

/// Whether the confirmation mail is the first one or a repetition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ConfirmationMailKind {
    First,
    Again,
}

/// The address of a confirmation mail, stored together with the mail.
struct ConfirmationMail {
    caller: Caller,
    address: ForwardingAddress,
    to: Address,
    token: ForwardingToken,
    kind: ConfirmationMailKind,
    counter: ConfirmationCounter,
    own: [String; 2],
    now: Time,
}

impl AcceptHook for ConfirmationMail {
    fn check_unchanged(&self, tx: &mut Tx) -> Result<(), Refusal> {
        let inbox = visible::inbox(tx, &self.caller, self.address.inbox)?;
        let (workspace, to) = (inbox.workspace, &self.to);
        let (caller, own) = (Some(&self.caller), self.own.as_slice());
        request::check(tx, &PersonRequest { workspace, inbox: Some(&inbox), caller, to, own }, self.now)
    }

    /// Stores the address and its token. Locks the inbox, so that concurrent requests can't add an address twice or
    /// exceed the limit.
    fn settle(&self, tx: &mut Tx, _: MessageId, _: &Caller, ids: &IdGenerator, now: Time) -> Result<(), Refusal> {
        let a = &self.address;
        self.counter.count(tx, a.workspace, &a.address, ids, now)?;
        if self.kind == ConfirmationMailKind::Again {
            let there = forwarding::lock(tx, a.workspace, a.id)?;
            there.ok_or_else(|| Refusal::not_found("forwarding address"))?;
            return Ok(forwarding::replace_token(tx, a.workspace, a.id, &self.token, now)?);
        }
        inboxes::take(tx, a.workspace, a.inbox)?;
        let there = forwarding::of_inbox(tx, a.workspace, a.inbox)?;
        if there.iter().any(|known| known.address == a.address) {
            return Err(Refusal::invalid_field("address", "was added by another request at the same time"));
        }
        if there.len() >= ADDRESSES_MAX {
            return Err(too_many());
        }
        Ok(forwarding::insert(tx, a, &self.token)?)
    }
}

/// The client of a request for a confirmation mail.
#[derive(Clone, Copy)]
pub(super) struct ConfirmationRequested {
    pub(super) caller: Caller,
    /// The network that counts as one client.
    pub(super) network: IpAddr,
}

/// Sends the confirmation mail and stores the address in the same transaction.
pub(super) async fn send(
    service: &Arc<Service>,
    request: ConfirmationRequested,
    inbox: Inbox,
    address: ForwardingAddress,
    kind: ConfirmationMailKind,
) -> Result<(), Refusal> {
    let ConfirmationRequested { caller, network } = request;
    let broken = |_| Refusal::new(ErrorCode::Internal, "The confirmation mail couldn't be composed.");
    let to = Address::parse(&address.address).map_err(broken)?;
    let (counter, now) = (ConfirmationCounter::of(service, network)?, service.clock.now());
    let mail = LinkMail {
        kind: ServiceMailKind::Confirmation,
        workspace: inbox.workspace,
        to: to.clone(),
        subject: SUBJECT,
        path: PATH,
    };
    let written = link_mail::write(service, mail, |link| text(&inbox, &address, link))?;
    let token = ForwardingToken { sha256: written.token_sha256, expires_at: now.plus_ms(CONFIRMATION_LINK_MS) };
    let own = served_domains(service);
    let hook = ConfirmationMail { caller, address, to, token, kind, counter, own, now };
    service_mail::send(service, written.mail, Box::new(hook)).await
}

fn text(inbox: &Inbox, to: &ForwardingAddress, link: &str) -> String {
    let (inbox, to) = (&inbox.address, &to.address);
    let days = CONFIRMATION_LINK_MS / DAY_MS;
    format!(
        "The owner of {inbox} wants to forward the mail of that inbox to this address, {to}.\n\n\
         To agree, open this page and press the button. The link works once and expires after {days} days:\n\n\
         {link}\n\n\
         If you do not agree, ignore this message: no mail is forwarded until you agree.\n"
    )
}

/// Returns the refusal of an address that exceeds the limit.
pub(super) fn too_many() -> Refusal {
    let problem = format!("exceeds the limit of {ADDRESSES_MAX} addresses per inbox");
    Refusal::invalid_field("address", problem)
        .with_fix("Remove an address first: `DELETE /v1/inboxes/{id}/forwarding/{fid}`.")
}
