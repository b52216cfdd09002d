//! `/v1/inboxes/{id}/forwarding`: addresses that the mail of an inbox is passed on to (contract §3.3).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::Refusal,
    id::{ForwardingAddressId, InboxId},
};

use super::send::ERRORS;
use crate::{
    app::{
        App,
        forwarding::addresses::{self, New},
    },
    http::{
        route::{Answer, Input, PathParams, Route},
        wire::{AddressText, Empty, object},
    },
    views::forwarding::{ForwardingView, ForwardingsView},
};

/// The addresses of an inbox.
const ALL: &str = "/v1/inboxes/{id}/forwarding";
/// One of them.
const ONE: &str = "/v1/inboxes/{id}/forwarding/{forwarding_id}";
/// A new link for one of them.
const RESEND: &str = "/v1/inboxes/{id}/forwarding/{forwarding_id}/resend";

pub(crate) fn routes() -> Vec<Route> {
    use Permission::{InboxesRead, InboxesWrite, MessagesSend};
    vec![
        Route::new(Method::GET, ALL, "listForwardingAddresses", InboxesRead)
            .summary("The addresses that the inbox's mail is forwarded to, oldest first; without pages.")
            .answers::<ForwardingsView<'_>>(200)
            .errors(&[posthouse_domain::error::Code::NotFound])
            .handle(list),
        Route::new(Method::POST, ALL, "addForwardingAddress", InboxesWrite)
            .summary("Adds one of up to 3 addresses and asks its owner by mail; one that is there already is given back as it is.")
            .also(&[MessagesSend])
            .answers::<ForwardingView<'_>>(201)
            .answers::<ForwardingView<'_>>(200)
            .errors(ERRORS)
            .handle(add),
        Route::new(Method::POST, RESEND, "resendForwardingConfirmation", InboxesWrite)
            .summary("Sends a new link to an address that is pending; the ones before work no more.")
            .also(&[MessagesSend])
            .answers::<ForwardingView<'_>>(200)
            .errors(ERRORS)
            .handle(resend),
        Route::new(Method::DELETE, ONE, "removeForwardingAddress", InboxesWrite)
            .summary("Forwards nothing more to the address, also not what still waits.")
            .answers_with(204, None)
            .errors(&[posthouse_domain::error::Code::NotFound])
            .handle(remove),
    ]
}

object! {
    /// An address to be added.
    struct Add {
        /// Where the mail is to go.
        address: AddressText,
        /// Whether mail stays that is flagged as phishing or injection risk, or fails DMARC; true when left out.
        skip_flagged: Option<bool>,
    }
}

async fn list(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let all = addresses::all(&app, input.caller, inbox).await?;
    Answer::json(200, &ForwardingsView { data: all.iter().map(ForwardingView::of).collect() })
}

async fn add(app: Arc<App>, input: Input<Empty, Add>) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let new = New { address: input.body.address.0, skip_flagged: input.body.skip_flagged };
    let added = addresses::add(&app, input.caller, inbox, new).await?;
    Answer::json(if added.is_new { 201 } else { 200 }, &ForwardingView::of(&added.address))
}

async fn resend(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let asked = addresses::ask_again(&app, input.caller, place(&input.path)?).await?;
    Answer::json(200, &ForwardingView::of(&asked))
}

async fn remove(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    addresses::remove(&app, input.caller, place(&input.path)?).await?;
    Ok(Answer::empty())
}

fn place(path: &PathParams) -> Result<(InboxId, ForwardingAddressId), Refusal> {
    Ok((path.id("id", "inbox")?, path.id("forwarding_id", "forwarding address")?))
}
