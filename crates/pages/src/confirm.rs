//! `/confirm/…`: pages that links in mail open. A GET changes nothing, because programs open links too; the button
//! confirms (`docs/decisions/people.md#0025-links-in-mail`).

use posthouse_app::escalation::confirm::{self as on_call, OnCallRequest};
use posthouse_app::forwarding::confirm::{self, ConfirmationRequest};
use posthouse_http::prelude::*;
use posthouse_http::{pages::docs::html::escape, pages::link_page, pages::link_page::HTML};

/// Path of the confirmation page of a forwarding address.
const FORWARDING: &str = "/confirm/forwarding/{token}";
/// Path of the confirmation page of a person on call.
const ON_CALL: &str = "/confirm/on-call/{token}";

pub(crate) fn routes() -> Vec<Route> {
    let page = |method, path, name| {
        let route = Operation::public(method, path, name).responds_with(200, Some(HTML)).responds_with(400, Some(HTML));
        route.errors(&[ErrorCode::InvalidToken])
    };
    vec![
        page(Method::Get, FORWARDING, "showForwardingConfirmation")
            .summary("Shows the confirmation page of a forwarding address. The link stays valid.")
            .page(show_forwarding),
        page(Method::Post, FORWARDING, "confirmForwarding")
            .summary("Confirms a forwarding address: forwarding starts, and the link becomes invalid.")
            .without_body()
            .page(confirm_forwarding),
        page(Method::Get, ON_CALL, "showOnCallConfirmation")
            .summary("Shows the confirmation page of a person on call. The link stays valid.")
            .page(show_on_call),
        page(Method::Post, ON_CALL, "confirmOnCall")
            .summary("Confirms a person on call: escalations are sent to them, and the link becomes invalid.")
            .without_body()
            .page(confirm_on_call),
    ]
}

async fn show_forwarding(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let asked = confirm::confirmation_request(&service, input.path.text("token")).await;
    forwarding_page(asked, &input.request, |address, inbox| {
        format!(
            "<p>Mail to <b>{inbox}</b> will be forwarded to <b>{address}</b> if you agree.</p>\
             <form method=\"post\"><button type=\"submit\">Forward it to me</button></form>\
             <p>If you do not want this, close this page: nothing is forwarded.</p>"
        )
    })
}

async fn confirm_forwarding(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let agreed = confirm::agree(&service, input.path.text("token")).await;
    forwarding_page(agreed, &input.request, |address, inbox| {
        format!("<p>Mail to <b>{inbox}</b> is forwarded to <b>{address}</b>.</p><p>You can close this page.</p>")
    })
}

async fn show_on_call(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let asked = on_call::on_call_request(&service, input.path.text("token")).await;
    on_call_page(asked, &input.request, |address, scope| {
        format!(
            "<p><b>{address}</b> will be on call for {scope} if you agree: you get a mail when an agent needs a \
             person.</p><form method=\"post\"><button type=\"submit\">I am on call</button></form>\
             <p>If you do not want this, close this page: you get nothing.</p>"
        )
    })
}

async fn confirm_on_call(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let accepted = on_call::accept(&service, input.path.text("token")).await;
    on_call_page(accepted, &input.request, |address, scope| {
        format!("<p><b>{address}</b> is on call for {scope}.</p><p>You can close this page.</p>")
    })
}

/// Returns the page of a forwarding link. `content` gets the address and the inbox as HTML.
fn forwarding_page(
    found: Result<ConfirmationRequest, Refusal>,
    request: &RequestInfo,
    content: impl Fn(&str, &str) -> String,
) -> Result<RouteResponse, Refusal> {
    let next = "Use the link in the newest mail. Without one, ask the owner of the inbox to send it again.";
    match found {
        Ok(found) => {
            let content = content(&escape(&found.address), &escape(&found.inbox));
            Ok(link_page::response(200, "Forwarding", &content))
        }
        Err(refusal) => link_page::refused(refusal, request, "Forwarding", next),
    }
}

/// Returns the page of an on-call link. `content` gets the address, and what it is on call for, as HTML.
fn on_call_page(
    found: Result<OnCallRequest, Refusal>,
    request: &RequestInfo,
    content: impl Fn(&str, &str) -> String,
) -> Result<RouteResponse, Refusal> {
    let next = "Use the link in the newest mail. Without one, ask the owner to add your address again.";
    match found {
        Ok(found) => {
            let inbox = found.inbox.as_deref().map(|inbox| format!("<b>{}</b>", escape(inbox)));
            let content = content(&escape(&found.address), inbox.as_deref().unwrap_or("the workspace"));
            Ok(link_page::response(200, "On call", &content))
        }
        Err(refusal) => link_page::refused(refusal, request, "On call", next),
    }
}
