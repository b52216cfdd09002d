//! `POST /dev/inbound`: receives mail without SMTP, for development
//! (`docs/reference/conventions.md#development-routes`).
//!
//! The route exists only on loopback with `delivery.mode = "capture"`, and ends in the same use case as SMTP's DATA.

use posthouse_app::inbound::inject::{self, Injection, InjectionResult};
use posthouse_call::prelude::*;
use posthouse_call::{ATTACHMENT_BODY_BYTES_MAX, RawBody};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::public(Method::Post, "/dev/inbound", "injectMail")
            .summary("Receives a raw mail as SMTP would, for the recipients in its To and Cc fields or in ?to=.")
            .development()
            .accepts("message/rfc822", ATTACHMENT_BODY_BYTES_MAX)
            .responds::<InjectedView>(201)
            .errors(&[ErrorCode::NotFound, ErrorCode::MessageTooLarge, ErrorCode::Forbidden])
            .handle(inject),
    ]
}

query! {
    /// The SMTP envelope.
    struct InjectionEnvelope {
        /// Recipients, separated by commas. If omitted, the addresses in To and Cc.
        to: Option<BoundedLine<1, 20_000>>,
        /// The envelope sender; `<>` is the null sender. If omitted, the address in Return-Path, or else in From.
        from: Option<BoundedLine<0, 1_000>>,
    }
}

/// Result of an injection.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InjectedMail")]
struct InjectedView {
    /// Id of the message in each inbox that received the mail.
    message_ids: Vec<String>,
    /// Recipients that SMTP would have refused.
    refused: Vec<String>,
}

async fn inject(service: Arc<Service>, input: PublicInput<InjectionEnvelope, RawBody>) -> Result<Outcome, Refusal> {
    let InjectionEnvelope { to, from } = input.query;
    let (to, from) = (to.map(|line| line.0), from.map(|line| line.0));
    let mail = Injection { raw: input.body.0, to, from, client_ip: input.request.client_ip };
    let InjectionResult { stored, refused } = inject::inject(&service, mail).await?;
    let message_ids = stored.iter().map(ToString::to_string).collect();
    Outcome::json(201, &InjectedView { message_ids, refused })
}
