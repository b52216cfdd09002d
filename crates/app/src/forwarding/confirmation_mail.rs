//! The confirmation mail to a forwarding address. It is sent from the inbox whose mail is forwarded, passes the same
//! gate as other messages, and appears among the sent mail without the link (`link_mail`).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    forwarding::{ADDRESSES_MAX, CONFIRMATION_LINK_MS, ForwardingAddress},
    id::{IdGenerator, MessageId},
    inbox::Inbox,
    time::{DAY_MS, Time},
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx,
    forwarding::{self, ForwardingToken},
    inboxes,
};

use crate::{
    app::App,
    limits::confirmations,
    outbound::{
        link_mail::{self, LinkMail},
        queue::{self, QueueHook},
        send_context::SendContext,
    },
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
    address: ForwardingAddress,
    token: ForwardingToken,
    kind: ConfirmationMailKind,
}

impl QueueHook for ConfirmationMail {
    fn check_unchanged(&self, _: &mut Tx) -> Result<(), Refusal> {
        Ok(())
    }

    /// Stores the address and its token. Locks the inbox, so that concurrent requests can't add an address twice or
    /// exceed the limit.
    fn settle(&self, tx: &mut Tx, _: MessageId, _: &Caller, ids: &IdGenerator, now: Time) -> Result<(), Refusal> {
        let a = &self.address;
        confirmations::count(tx, a.workspace, &a.address, ids, now)?;
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

/// Sends the confirmation mail and stores the address in the same transaction.
pub(super) async fn send(
    app: &Arc<App>,
    caller: Caller,
    inbox: Inbox,
    address: ForwardingAddress,
    kind: ConfirmationMailKind,
) -> Result<(), Refusal> {
    let broken = |_| Refusal::new(ErrorCode::Internal, "The confirmation mail couldn't be composed.");
    let to = Address::parse(&address.address).map_err(broken)?;
    let expires_at = app.clock.now().plus_ms(CONFIRMATION_LINK_MS);
    let mail = LinkMail { to, subject: SUBJECT, path: PATH };
    let composed = link_mail::compose(app, &inbox, mail, |link| text(&inbox, &address, link))?;
    let context = SendContext { caller, inbox: inbox.id, key: None, fence: None };
    let token = ForwardingToken { sha256: composed.token_sha256, expires_at };
    let hook = Box::new(ConfirmationMail { address, token, kind });
    queue::post_with_hook(app, context, composed.outgoing, inbox, hook, Arc::new(|_| Ok(String::new()))).await?;
    Ok(())
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
