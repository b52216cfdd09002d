//! `POST /oauth/register` (RFC 7591).

use bytes::Bytes;
use posthouse_api::{views::connector::RegisteredClientView, wire::JsonLimits, wire::parse};
use posthouse_app::limits::client_network;
use posthouse_app::{connectors::register, connectors::tokens::CODE_GRANT, connectors::tokens::REFRESH_GRANT};
use posthouse_call::FromBody;
use posthouse_domain::{ConnectorClient, connector::SCOPE};
use posthouse_http::prelude::*;
use serde_json::{Value, json};

use crate::{form::OAuthQuery, oauth::answer, oauth::with_errors};

/// Path of the registration endpoint.
pub(super) const PATH: &str = "/oauth/register";
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
    let operation = Operation::public(Method::Post, PATH, "registerClient")
        .summary("Registers a public client that has no metadata document (RFC 7591).")
        .accepts("application/json", REGISTRATION_BYTES_MAX)
        .responds::<RegisteredClientView>(201);
    vec![with_errors(operation, &[400]).page(register)]
}

async fn register(service: Arc<Service>, input: PageInput<OAuthQuery, Registration>) -> Result<RouteResponse, Refusal> {
    let network = client_network(input.request.client_ip);
    let registered = register::register(&service, &input.body.0, network).await;
    answer(registered, |client| RouteResponse::json(201, &view(client)))
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
