//! `/.well-known/agent-keys.json`: the public keys that verify signatures of the service on messages between agents.
//! Everyone may read them, with or without the path of the issuer.

use posthouse_api::views::signing_key::ServiceKeysView;
use posthouse_app::signing::published;
use posthouse_call::prelude::*;
use posthouse_domain::SigningPurpose;

/// How long clients may cache the keys, in seconds. A new key is published for twice as long before it signs.
const CACHED_S: u32 = 300;

pub(crate) fn operations() -> Vec<Operation> {
    vec![keys(Operation::public(Method::Get, "/.well-known/agent-keys.json", "getRootAgentKeys"))]
}

/// Completes an operation that returns the keys.
pub(crate) fn keys(operation: Operation) -> Operation {
    operation
        .summary("Returns the keys that verify signatures of agent messages, with retired and revoked ones.")
        .responds::<ServiceKeysView>(200)
        .responds_with(304, None)
        .cross_origin()
        .handle(read)
}

async fn read(service: Arc<Service>, _input: PublicInput) -> Result<Outcome, Refusal> {
    let keys = published::keys(&service, SigningPurpose::AgentMessages, None).await?;
    Outcome::cached_json(CACHED_S, &ServiceKeysView { keys })
}
