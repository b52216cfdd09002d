//! `/v1/inboxes/{id}/forwarding`: automatic forwarding of an inbox's mail.

use posthouse_api::{views::forwarding::ForwardingView, views::forwarding::ForwardingsView, wire::AddressText};
use posthouse_app::{forwarding::addresses, forwarding::addresses::NewForwardingAddress, limits::client_network};
use posthouse_call::PathParams;
use posthouse_call::prelude::*;
use posthouse_domain::{ForwardingAddressId, send::REQUEST_ERROR_CODES};

/// Path of the forwarding addresses of an inbox.
const ALL: &str = "/v1/inboxes/{id}/forwarding";
/// Path of one forwarding address.
const ONE: &str = "/v1/inboxes/{id}/forwarding/{forwarding_id}";
/// Path that sends a new confirmation link for an address.
const RESEND: &str = "/v1/inboxes/{id}/forwarding/{forwarding_id}/resend";

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{InboxesRead, InboxesWrite, MessagesSend};
    vec![
        Operation::new(Method::Get, ALL, "listForwardingAddresses", InboxesRead)
            .summary("Lists the forwarding addresses of an inbox, oldest first, without pages.")
            .responds::<ForwardingsView<'_>>(200)
            .errors(&[posthouse_domain::error::ErrorCode::NotFound])
            .handle(list),
        Operation::new(Method::Post, ALL, "addForwardingAddress", InboxesWrite)
            .summary(
                "Adds one of up to 3 forwarding addresses and asks its owner by mail to confirm. An existing address \
                 is returned unchanged.",
            )
            .also(&[MessagesSend])
            .responds::<ForwardingView<'_>>(201)
            .responds::<ForwardingView<'_>>(200)
            .errors(REQUEST_ERROR_CODES)
            .handle(add),
        Operation::new(Method::Post, RESEND, "resendForwardingConfirmation", InboxesWrite)
            .summary("Sends a new confirmation link to a pending address. Earlier links stop working.")
            .also(&[MessagesSend])
            .responds::<ForwardingView<'_>>(200)
            .errors(REQUEST_ERROR_CODES)
            .handle(resend),
        Operation::new(Method::Delete, ONE, "removeForwardingAddress", InboxesWrite)
            .summary("Deletes a forwarding address. Mail that waits to be forwarded to it is not sent, either.")
            .responds_with(204, None)
            .errors(&[posthouse_domain::error::ErrorCode::NotFound])
            .handle(remove),
    ]
}

object! {
    /// A forwarding address to add.
    struct AddForwardingBody {
        /// The address to forward mail to.
        address: AddressText,
        /// Whether to skip mail that is flagged as phishing or injection risk, or that fails DMARC. Default: true.
        skip_flagged: Option<bool>,
    }
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let all = addresses::all(&service, input.caller, inbox).await?;
    Outcome::json(200, &ForwardingsView { data: all.iter().map(ForwardingView::of).collect() })
}

async fn add(service: Arc<Service>, input: Input<EmptyInput, AddForwardingBody>) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let new = NewForwardingAddress { address: input.body.address.0, skip_flagged: input.body.skip_flagged };
    let added = addresses::add(&service, input.caller, inbox, new, client_network(input.request.client_ip)).await?;
    Outcome::json(if added.is_new { 201 } else { 200 }, &ForwardingView::of(&added.address))
}

async fn resend(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let (inbox, address) = path_ids(&input.path)?;
    let asked =
        addresses::resend_confirmation(&service, input.caller, inbox, address, client_network(input.request.client_ip))
            .await?;
    Outcome::json(200, &ForwardingView::of(&asked))
}

async fn remove(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let (inbox, address) = path_ids(&input.path)?;
    addresses::remove(&service, input.caller, inbox, address).await?;
    Ok(Outcome::empty())
}

fn path_ids(path: &PathParams) -> Result<(InboxId, ForwardingAddressId), Refusal> {
    Ok((path.id("id", "inbox")?, path.id("forwarding_id", "forwarding address")?))
}
