//! Finds the client of a request: its metadata document (draft-ietf-oauth-client-id-metadata-document §4), which is fetched
//! and kept for a while, or its registration.

use bytes::Bytes;
use posthouse_api::wire::{self, JsonLimits};
use posthouse_domain::connector::client::{DOCUMENT_MS, document_url};
use posthouse_domain::{ClientKind, ConnectorClient, OAuthError, OAuthErrorCode, Time, UserId};
use posthouse_store::connector_clients;
use serde_json::{Map, Value};

use super::metadata::ClientMetadata;
use crate::ports::{HttpHeader, HttpLimits, HttpMethod, HttpRequest, HttpResponse, NetworkScope};
use crate::service::{ReadScope, Service};
use crate::sign_in_with::failure::OAuthFailure;

/// The largest metadata document, in bytes.
const DOCUMENT_BYTES_MAX: usize = 16 * 1024;
/// The time to fetch a metadata document, in milliseconds.
const FETCH_TIMEOUT_MS: i64 = 5_000;
/// The limits of a metadata document as JSON.
const DOCUMENT_JSON: JsonLimits = JsonLimits { values_max: 500, depth_max: 8 };
/// The `User-Agent` of requests for documents.
const USER_AGENT: &str = concat!("Posthouse/", env!("CARGO_PKG_VERSION"), " (connectors)");

/// Returns the client with an id. A document is fetched for a person, who opened a request of the client.
///
/// # Errors
/// Returns `invalid_client` if there is no such client or its document is not valid, or `rate_limited`.
pub(super) async fn resolve(
    service: &Service,
    client_id: &str,
    person: UserId,
) -> Result<ConnectorClient, OAuthFailure> {
    let is_local = service.config.is_loopback_profile();
    let known = known(service, client_id).await?;
    match (document_url(client_id, is_local), known) {
        (None, Some(client)) if client.kind == ClientKind::Registered => Ok(client),
        (None, _) => {
            Err(refuse("The client is unknown or its registration has expired; it must register again.").into())
        }
        (Some(Err(problem)), _) => Err(refuse(format!("client_id {problem}.")).into()),
        (Some(Ok(_)), Some(client)) if client.kind == ClientKind::Document => Ok(client),
        (Some(Ok(url)), _) => {
            service.connector_limits.count_document(person, service.clock.now())?;
            let networks = if url.scheme() == "http" { NetworkScope::All } else { NetworkScope::Public };
            let client = fetch(service, client_id, networks).await?;
            let stored = client.clone();
            service.write(move |tx| connector_clients::store(tx, &stored)).await?;
            Ok(client)
        }
    }
}

/// Returns the client with an id, if it is known and hasn't expired.
async fn known(service: &Service, client_id: &str) -> Result<Option<ConnectorClient>, OAuthFailure> {
    let (client_id, now) = (client_id.to_owned(), service.clock.now());
    let found = service.read(ReadScope::Statement, move |tx| connector_clients::get(tx, &client_id)).await?;
    Ok(found.filter(|client| now < client.expires_at))
}

fn refuse(text: impl Into<String>) -> OAuthError {
    OAuthError::new(OAuthErrorCode::InvalidClient, text)
}

async fn fetch(service: &Service, client_id: &str, networks: NetworkScope) -> Result<ConnectorClient, OAuthError> {
    let request = HttpRequest {
        method: HttpMethod::Get,
        url: client_id.to_owned(),
        headers: vec![HttpHeader::new("Accept", "application/json"), HttpHeader::new("User-Agent", USER_AGENT)],
        body: Bytes::new(),
        networks,
        roots: None,
        repeatable: true,
        limits: HttpLimits { timeout_ms: FETCH_TIMEOUT_MS, response_bytes_max: DOCUMENT_BYTES_MAX },
    };
    let response = service.http_out.send(request).await;
    let response =
        response.map_err(|error| refuse(format!("The document of the client can't be fetched: {error}.")))?;
    read(client_id, &response, service.clock.now())
}

/// Reads the document of a client. It must state its own URL, so that nobody else's document is taken for it.
fn read(client_id: &str, response: &HttpResponse, now: Time) -> Result<ConnectorClient, OAuthError> {
    let document = json(response)?;
    if document.get("client_id").and_then(Value::as_str) != Some(client_id) {
        return Err(refuse("The document of the client states another client_id."));
    }
    let describe =
        |error: OAuthError| refuse(format!("The document of the client is not valid: {}", error.description));
    ClientMetadata::check_auth_method(&document).map_err(describe)?;
    let metadata = ClientMetadata::read(&document).map_err(describe)?;
    let name = metadata.name.ok_or_else(|| refuse("The document of the client has no client_name."))?;
    Ok(ConnectorClient {
        client_id: client_id.to_owned(),
        kind: ClientKind::Document,
        name,
        uri: metadata.uri,
        redirect_uris: metadata.redirect_uris,
        created_at: now,
        expires_at: now.plus_ms(DOCUMENT_MS),
    })
}

fn json(response: &HttpResponse) -> Result<Map<String, Value>, OAuthError> {
    if response.status != 200 {
        return Err(refuse(format!("The document of the client can't be fetched: status {}.", response.status)));
    }
    if response.truncated {
        return Err(refuse(format!("The document of the client is larger than {DOCUMENT_BYTES_MAX} bytes.")));
    }
    let content_type = response.header("content-type").unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media_type != "application/json" && !media_type.ends_with("+json") {
        return Err(refuse("The document of the client is not application/json."));
    }
    match wire::parse(&response.body, DOCUMENT_JSON) {
        Ok(Value::Object(document)) => Ok(document),
        Ok(_) | Err(_) => Err(refuse("The document of the client is not a valid JSON object.")),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const ID: &str = "https://app.example/client.json";

    fn response(status: u16, content_type: &str, body: &str) -> HttpResponse {
        let headers = vec![HttpHeader::new("content-type", content_type)];
        HttpResponse { status, headers, body: body.as_bytes().to_vec(), truncated: false }
    }

    #[test]
    fn a_document_must_name_itself() {
        let document = |id: &str| {
            format!(r#"{{"client_id":"{id}","client_name":"App","redirect_uris":["https://app.example/cb"]}}"#)
        };
        let of = |response: &HttpResponse| read(ID, response, Time::from_millis(0));
        let fine = of(&response(200, "application/json; charset=utf-8", &document(ID))).unwrap();
        assert_eq!((fine.client_id.as_str(), fine.kind), (ID, ClientKind::Document));
        let truncated = HttpResponse { truncated: true, ..response(200, "application/json", &document(ID)) };
        for wrong in [
            response(200, "application/json", &document("https://app.example/other.json")),
            response(200, "text/html", &document(ID)),
            response(301, "application/json", &document(ID)),
            response(200, "application/json", "[]"),
            response(200, "application/json", "{"),
            response(200, "application/json", &document(ID).replace("App", "A\\u202eb")),
            response(200, "application/json", &document(ID).replace("\"client_name\":\"App\",", "")),
            truncated,
        ] {
            assert_eq!(of(&wrong).unwrap_err().code, OAuthErrorCode::InvalidClient, "{wrong:?}");
        }
        let secret = document(ID).replace('}', r#","token_endpoint_auth_method":"client_secret_post"}"#);
        assert!(of(&response(200, "application/json", &secret)).is_err());
    }
}
