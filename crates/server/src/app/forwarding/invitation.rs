//! The mail that asks the owner of an address (decision 30). It goes from the inbox whose mail is to be passed on, through the
//! one gate, and is seen among its sent mail, without the link (`sealed_link`).

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    forwarding::{ADDRESSES_MAX, ForwardingAddress, LINK_MS},
    id::{Ids, MessageId},
    inbox::Inbox,
    send::People,
    time::{DAY_MS, Time},
};
use posthouse_mail::{
    address::{Address, Mailbox},
    autoreply::Marking,
    build,
    submission::Draft,
    thread,
};
use posthouse_store::{
    Tx,
    forwarding::{self, Token},
    inboxes,
};

use super::addresses::too_many;
use crate::app::{
    App,
    compose::{self, Letter, Origin, Submitted},
    post::{self, Along},
    sealed_link::{self, MARK},
    send::Order,
    submit::nothing_composed,
};

/// Below which path of the service a link leads.
const PATH: &str = "/confirm/forwarding/";
/// What the mail is about.
const SUBJECT: &str = "May mail be forwarded to you?";

/// Whether the owner hears of it for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asks {
    First,
    Again,
}

/// An address that a mail asks.
struct Invitation {
    address: ForwardingAddress,
    token: Token,
    asks: Asks,
}

impl Along for Invitation {
    fn guard(&self, _: &mut Tx) -> Result<(), Refusal> {
        Ok(())
    }

    /// Of two who add the same address, or the last one, one does.
    fn settle(&self, tx: &mut Tx, _: MessageId, _: (&Caller, &Ids), now: Time) -> Result<(), Refusal> {
        let a = &self.address;
        if self.asks == Asks::Again {
            let there = forwarding::take(tx, a.workspace, a.id)?;
            there.ok_or_else(|| Refusal::not_found("forwarding address"))?;
            return Ok(forwarding::ask_again(tx, (a.workspace, a.id), &self.token, now)?);
        }
        inboxes::take(tx, a.workspace, a.inbox)?;
        let there = forwarding::of_inbox(tx, a.workspace, a.inbox)?;
        if there.iter().any(|known| known.address == a.address) {
            return Err(Refusal::invalid_field("address", "was added by somebody else at the same time"));
        }
        if there.len() >= ADDRESSES_MAX {
            return Err(too_many());
        }
        Ok(forwarding::insert(tx, a, &self.token)?)
    }
}

/// Asks, and stores the address with it.
pub(super) async fn send(
    app: &Arc<App>,
    caller: Caller,
    (inbox, address): (Inbox, ForwardingAddress),
    asks: Asks,
) -> Result<(), Refusal> {
    let message: MessageId = app.clock.ids().next();
    let token = sealed_link::token(app, message)?;
    let broken = || Refusal::new(Code::Internal, "The confirmation mail cannot be written.");
    let sha256 = sealed_link::digest(&token).ok_or_else(broken)?;
    let to = Address::parse(&address.address).map_err(|_| broken())?;
    let expires_at = app.clock.now().plus_ms(LINK_MS);
    // Where nothing leaves, whoever develops reads the link in the captured mail.
    let shown = if app.captures() { token.as_str() } else { MARK };
    let author = Mailbox::from(compose::author(&inbox)?.into_address());
    let text = text(&app.config.base_url, (author.address(), &to), shown);
    let raw = written((&author, &to), message, &text, app.clock.now()).ok_or_else(broken)?;
    let letter = Letter {
        message,
        people: People { to: vec![Mailbox::from(to)], cc: Vec::new(), bcc: Vec::new() },
        subject: SUBJECT.to_owned(),
        content: nothing_composed(),
        origin: Origin::Submitted(Submitted { raw, answers: None, token: Some(token) }),
    };
    let order = Order { caller, inbox: inbox.id, key: None, fence: None };
    let along = Box::new(Invitation { address, token: Token { sha256, expires_at }, asks });
    post::post_along(app, order, (letter, inbox), along, Arc::new(|_| Ok(String::new()))).await?;
    Ok(())
}

fn text(base_url: &str, (inbox, to): (&Address, &Address), token: &str) -> String {
    let days = LINK_MS / DAY_MS;
    format!(
        "The mail that comes to {inbox} is to be forwarded to this address, {to}.\n\
         Whoever manages that inbox asked for it.\n\n\
         To agree, open this page and press its button. The link works once, for {days} days:\n\n\
         {base_url}{PATH}{token}\n\n\
         If you do not want this, you need not do anything: nothing is forwarded unless you agree.\n"
    )
}

/// The bytes of the mail. Its lines stay whole, so that the link does too, whatever reads it.
fn written((from, to): (&Mailbox, &Address), message: MessageId, text: &str, now: Time) -> Option<Vec<u8>> {
    let mut raw = Vec::with_capacity(1_024);
    build::address_field("From", from, &mut raw);
    build::address_field("To", &Mailbox::from(to.clone()), &mut raw);
    let coding = if text.is_ascii() { "7bit" } else { "8bit" };
    let mut fields = vec![("Subject", SUBJECT)];
    fields.extend(Marking::Generated.fields());
    fields.extend([
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", coding),
    ]);
    let body = format!("\r\n{}", text.replace('\n', "\r\n"));
    raw.append(&mut build::prepend(&fields, body.as_bytes()).ok()?);
    let message_id = thread::new_message_id(&message.to_string(), from.address().domain());
    Some(Draft::read(&raw).ok()?.complete(&message_id, now.millis()))
}
