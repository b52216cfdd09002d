//! `POST /oauth/register` (RFC 7591).

use bytes::Bytes;
use posthouse_api::views::{connector::RegisteredClientView, oauth::OAuthErrorView};
use posthouse_api::wire::{JsonLimits, parse};
use posthouse_app::connectors::register;
use posthouse_app::connectors::tokens::{CODE_GRANT, REFRESH_GRANT};
use posthouse_app::limits::client_network;
use posthouse_call::FromBody;
use posthouse_domain::ConnectorClient;
use posthouse_domain::connector::SCOPE;
use posthouse_http::prelude::*;
use posthouse_http::{response::oauth, response::oauth::uncached};
use serde_json::{Value, json};

use super::REGISTER;
use crate::form::OAuthQuery;

/// Largest registration, in bytes.
const REGISTRATION_BYTES_MAX: usize = 16 * 1024;

/// The metadata of a client. Members that the service doesn't use are ignored (RFC 7591 §2).
#[derive(Debug)]
struct Registration(Value);

impl FromBody for Registration {
    fn read(bytes: Bytes, limits: JsonLimits, _: &mut Problems) -> Option<Self> {
        Some(Self(parse(&bytes, limits).unwrap_or(Value::Null)))
    }

    fn body_schema() -> Value {
        json!({
            "type": "object",
            "required": ["redirect_uris"],
            "properties": {
                "redirect_uris": {
                    "type": "array", "items": { "type": "string" }, "minItems": 1,
                    "description": "Where browsers may return to.",
                },
                "client_name": { "type": "string", "description": "Name of the client." },
                "client_uri": { "type": "string", "description": "Home page of the client." },
            },
        })
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Operation::public(Method::Post, REGISTER, "registerClient")
            .summary("Registers a public client that has no metadata document (RFC 7591).")
            .accepts("application/json", REGISTRATION_BYTES_MAX)
            .oauth_errors()
            .responds::<RegisteredClientView>(201)
            .responds::<OAuthErrorView>(400)
            .responds::<OAuthErrorView>(429)
            .responds::<OAuthErrorView>(503)
            .page(register),
    ]
}

async fn register(service: Arc<Service>, input: PageInput<OAuthQuery, Registration>) -> Result<RouteResponse, Refusal> {
    let network = client_network(input.request.client_ip);
    Ok(match register::register(&service, &input.body.0, network).await {
        Ok(client) => uncached(RouteResponse::json(201, &view(client))?),
        Err(failure) => oauth::response(&failure),
    })
}

fn view(client: ConnectorClient) -> RegisteredClientView {
    RegisteredClientView {
        client_id: client.client_id,
        client_id_issued_at: client.created_at.seconds(),
        client_name: client.name,
        client_uri: client.uri,
        redirect_uris: client.redirect_uris,
        token_endpoint_auth_method: "none",
        grant_types: [CODE_GRANT, REFRESH_GRANT],
        response_types: ["code"],
        scope: SCOPE,
    }
}
