//! `/confirm/…`: the pages that links in mails lead to (decision 30). A GET shows what is asked and uses nothing up, for
//! programs open links too; the button does.

use std::sync::Arc;

use axum::http::{HeaderName, HeaderValue, Method, header};
use posthouse_domain::error::{Code, Refusal};
use posthouse_mail::html;

use super::route::{Answer, PublicInput, Route};
use crate::app::{
    App,
    forwarding::confirm::{self, Asked},
};

/// The page of a forwarding address.
const FORWARDING: &str = "/confirm/forwarding/{token}";
/// What a page is.
const HTML: &str = "text/html; charset=utf-8";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::GET, FORWARDING, "showForwardingConfirmation")
            .summary("The page that the link of a confirmation mail leads to; it uses nothing up.")
            .answers_with(200, Some(HTML))
            .errors(&[Code::InvalidToken])
            .handle(show_forwarding),
        Route::public(Method::POST, FORWARDING, "confirmForwarding")
            .summary("The button of that page: mail is forwarded from now on, and the link is used up.")
            .without_body()
            .answers_with(200, Some(HTML))
            .errors(&[Code::InvalidToken])
            .handle(confirm_forwarding),
    ]
}

async fn show_forwarding(app: Arc<App>, input: PublicInput) -> Result<Answer, Refusal> {
    Ok(page(&confirm::asked(&app, input.path.text("token")).await?))
}

async fn confirm_forwarding(app: Arc<App>, input: PublicInput) -> Result<Answer, Refusal> {
    Ok(page(&confirm::agree(&app, input.path.text("token")).await?))
}

fn page(asked: &Asked) -> Answer {
    let (mut address, mut inbox) = (String::new(), String::new());
    html::push_escaped(&mut address, &asked.address);
    html::push_escaped(&mut inbox, &asked.inbox);
    let said = if asked.is_confirmed {
        format!(
            "<p>Mail that comes to <b>{inbox}</b> is forwarded to <b>{address}</b>.</p><p>You can close this page.</p>"
        )
    } else {
        format!(
            "<p>Mail that comes to <b>{inbox}</b> is to be forwarded to <b>{address}</b>.</p>\
             <form method=\"post\"><button type=\"submit\">Forward it to me</button></form>\
             <p>If you do not want this, close this page: nothing is forwarded unless you agree.</p>"
        )
    };
    let text = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Forwarding</title></head><body><h1>Forwarding</h1>{said}</body></html>\n"
    );
    let fields = [
        (header::CACHE_CONTROL, "no-store"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (HeaderName::from_static("x-robots-tag"), "noindex"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        ),
    ];
    let page = Answer::typed(200, HTML, text);
    fields.into_iter().fold(page, |page, (name, value)| page.with(name, HeaderValue::from_static(value)))
}
