//! `/confirm/…`: pages that links in mail open. A GET changes nothing, because programs open links too; the button
//! confirms (`docs/decisions/0025-links-in-mail.md`).

use crate::Api;
use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{ErrorCode, Refusal};

use super::{
    docs::html::escape,
    link_page::{self, HTML},
    route::{PublicInput, RequestInfo, Route, RouteResponse},
};
use posthouse_app::{
    forwarding::confirm::{self, ConfirmationRequest},
    on_call::confirm::{self as on_call, OnCallRequest},
};

/// Path of the confirmation page of a forwarding address.
const FORWARDING: &str = "/confirm/forwarding/{token}";
/// Path of the confirmation page of a person on call.
const ON_CALL: &str = "/confirm/on-call/{token}";

pub(crate) fn routes() -> Vec<Route> {
    let page = |method, path, name| {
        let route = Route::public(method, path, name).answers_with(200, Some(HTML)).answers_with(400, Some(HTML));
        route.errors(&[ErrorCode::InvalidToken])
    };
    vec![
        page(Method::GET, FORWARDING, "showForwardingConfirmation")
            .summary("Shows the confirmation page of a forwarding address. The link stays valid.")
            .handle(show_forwarding),
        page(Method::POST, FORWARDING, "confirmForwarding")
            .summary("Confirms a forwarding address: forwarding starts, and the link becomes invalid.")
            .without_body()
            .handle(confirm_forwarding),
        page(Method::GET, ON_CALL, "showOnCallConfirmation")
            .summary("Shows the confirmation page of a person on call. The link stays valid.")
            .handle(show_on_call),
        page(Method::POST, ON_CALL, "confirmOnCall")
            .summary("Confirms a person on call: escalations are sent to them, and the link becomes invalid.")
            .without_body()
            .handle(confirm_on_call),
    ]
}

async fn show_forwarding(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    forwarding_page(confirm::confirmation_request(&app, input.path.text("token")).await, &input.request)
}

async fn confirm_forwarding(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    forwarding_page(confirm::agree(&app, input.path.text("token")).await, &input.request)
}

async fn show_on_call(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    on_call_page(on_call::on_call_request(&app, input.path.text("token")).await, &input.request)
}

async fn confirm_on_call(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    on_call_page(on_call::accept(&app, input.path.text("token")).await, &input.request)
}

fn forwarding_page(
    asked: Result<ConfirmationRequest, Refusal>,
    request: &RequestInfo,
) -> Result<RouteResponse, Refusal> {
    let next = "Use the link in the newest mail. Without one, ask the owner of the inbox to send it again.";
    let asked = match asked {
        Ok(asked) => asked,
        Err(refusal) => return link_page::refused(refusal, request, "Forwarding", next),
    };
    let (address, inbox) = (escape(&asked.address), escape(&asked.inbox));
    let content = if asked.is_confirmed {
        format!("<p>Mail to <b>{inbox}</b> is forwarded to <b>{address}</b>.</p><p>You can close this page.</p>")
    } else {
        format!(
            "<p>Mail to <b>{inbox}</b> will be forwarded to <b>{address}</b> if you agree.</p>\
             <form method=\"post\"><button type=\"submit\">Forward it to me</button></form>\
             <p>If you do not want this, close this page: nothing is forwarded.</p>"
        )
    };
    Ok(link_page::response(200, "Forwarding", &content))
}

fn on_call_page(asked: Result<OnCallRequest, Refusal>, request: &RequestInfo) -> Result<RouteResponse, Refusal> {
    let next = "Use the link in the newest mail. Without one, ask the owner to add your address again.";
    let asked = match asked {
        Ok(asked) => asked,
        Err(refusal) => return link_page::refused(refusal, request, "On call", next),
    };
    let address = escape(&asked.address);
    let scope =
        asked.inbox.as_deref().map_or_else(|| "the workspace".to_owned(), |inbox| format!("<b>{}</b>", escape(inbox)));
    let content = if asked.is_confirmed {
        format!("<p><b>{address}</b> is on call for {scope}.</p><p>You can close this page.</p>")
    } else {
        format!(
            "<p><b>{address}</b> will be on call for {scope} if you agree: you get a mail when an agent needs a \
             person.</p><form method=\"post\"><button type=\"submit\">I am on call</button></form>\
             <p>If you do not want this, close this page: you get nothing.</p>"
        )
    };
    Ok(link_page::response(200, "On call", &content))
}
