//! `/confirm/…`: pages that links in mail open. A GET changes nothing, because programs open links too; the button
//! confirms (`docs/decisions/0025-links-in-mail.md`).

use crate::Api;
use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{ErrorCode, Refusal};
use posthouse_mail::html;

use super::{
    link_page::{self, HTML},
    route::{PublicInput, Route, RouteResponse},
};
use posthouse_app::forwarding::confirm::{self, ConfirmationRequest};

/// Path of the confirmation page of a forwarding address.
const FORWARDING: &str = "/confirm/forwarding/{token}";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::GET, FORWARDING, "showForwardingConfirmation")
            .summary("Shows the confirmation page of a forwarding address. The link stays valid.")
            .answers_with(200, Some(HTML))
            .errors(&[ErrorCode::InvalidToken])
            .handle(show_forwarding),
        Route::public(Method::POST, FORWARDING, "confirmForwarding")
            .summary("Confirms a forwarding address: forwarding starts, and the link becomes invalid.")
            .without_body()
            .answers_with(200, Some(HTML))
            .errors(&[ErrorCode::InvalidToken])
            .handle(confirm_forwarding),
    ]
}

async fn show_forwarding(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    Ok(page(&confirm::confirmation_request(&app, input.path.text("token")).await?))
}

async fn confirm_forwarding(app: Arc<Api>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    Ok(page(&confirm::agree(&app, input.path.text("token")).await?))
}

fn page(asked: &ConfirmationRequest) -> RouteResponse {
    let (mut address, mut inbox) = (String::new(), String::new());
    html::push_escaped(&mut address, &asked.address);
    html::push_escaped(&mut inbox, &asked.inbox);
    let content = if asked.is_confirmed {
        format!("<p>Mail to <b>{inbox}</b> is forwarded to <b>{address}</b>.</p><p>You can close this page.</p>")
    } else {
        format!(
            "<p>Mail to <b>{inbox}</b> will be forwarded to <b>{address}</b> if you agree.</p>\
             <form method=\"post\"><button type=\"submit\">Forward it to me</button></form>\
             <p>If you do not want this, close this page: nothing is forwarded.</p>"
        )
    };
    link_page::response(200, "Forwarding", &content)
}
