//! `POST /dev/inbound`: mail in without SMTP, for development alone (decision 25, contract §23).
//!
//! It exists only on loopback with `delivery.mode = "capture"` and ends in the same use-case as SMTP's DATA.

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::error::{Code, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    app::{
        App,
        inject::{self, Injected, Injection},
    },
    http::{
        route::{ATTACHMENT_BODY_BYTES_MAX, Answer, PublicInput, Raw, Route},
        wire::{Line, query},
    },
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::public(Method::POST, "/dev/inbound", "injectMail")
            .summary("Takes a raw mail as SMTP would, for the recipients of its To and Cc or of ?to=.")
            .development()
            .takes("message/rfc822", ATTACHMENT_BODY_BYTES_MAX)
            .answers::<InjectedView>(201)
            .errors(&[Code::NotFound, Code::MessageTooLarge, Code::Forbidden])
            .handle(inject),
    ]
}

query! {
    /// The envelope.
    struct Envelope {
        /// Recipients joined by commas; left out, those of To and Cc.
        to: Option<Line<1, 20_000>>,
        /// The envelope sender, `<>` for the null sender; left out, that of Return-Path, else of From.
        from: Option<Line<0, 1_000>>,
    }
}

/// What was stored.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InjectedMail")]
struct InjectedView {
    /// The message of each inbox that was reached.
    message_ids: Vec<String>,
    /// Recipients that SMTP would have refused.
    refused: Vec<String>,
}

async fn inject(app: Arc<App>, input: PublicInput<Envelope, Raw>) -> Result<Answer, Refusal> {
    let Envelope { to, from } = input.query;
    let (to, from) = (to.map(|line| line.0), from.map(|line| line.0));
    let mail = Injection { raw: input.body.0, to, from, client_ip: input.request.client_ip };
    let Injected { stored, refused } = inject::inject(&app, mail).await?;
    let message_ids = stored.iter().map(ToString::to_string).collect();
    Answer::json(201, &InjectedView { message_ids, refused })
}
