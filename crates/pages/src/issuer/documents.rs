//! The documents of the issuer: its metadata (OpenID Connect Discovery §3, RFC 8414) and its keys (RFC 7517).

use posthouse_api::{views::oauth::IssuerMetadataView, views::signing_key::ServiceKeysView};
use posthouse_app::sign_in_with::{exchange::ASSERTION_GRANT, exchange::CODE_GRANT, exchange::EXCHANGE_GRANT, signing};
use posthouse_domain::{IdentityScope, SubjectType, identity::pkce};
use posthouse_http::prelude::*;

use crate::form::OAuthQuery;

/// How long clients may cache the documents, in seconds.
const CACHED_S: u32 = 300;
/// Claims of an identity token that standards define.
const CLAIMS: [&str; 11] =
    ["iss", "sub", "aud", "iat", "exp", "auth_time", "nonce", "email", "email_verified", "name", "preferred_username"];

pub(super) fn routes() -> Vec<Route> {
    let document = |path, name| {
        Operation::public(Method::Get, path, name)
            .summary("Returns the metadata of the issuer of identity tokens.")
            .cross_origin()
            .responds::<IssuerMetadataView>(200)
            .responds_with(304, None)
            .page(metadata)
    };
    vec![
        document("/oidc/.well-known/openid-configuration", "getOpenIdConfiguration"),
        document("/oidc/.well-known/oauth-authorization-server", "getIssuerMetadata"),
        // RFC 8414 §3.1 puts the path of the issuer last.
        document("/.well-known/oauth-authorization-server/oidc", "getAuthorizationServerMetadata"),
        Operation::public(Method::Get, "/oidc/.well-known/jwks.json", "getIdentityKeys")
            .summary("Returns the keys that verify identity tokens.")
            .cross_origin()
            .responds::<ServiceKeysView>(200)
            .responds_with(304, None)
            .page(keys),
    ]
}

async fn keys(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let keys = signing::keys(&service).await?;
    RouteResponse::cached_json(&input.request, CACHED_S, &ServiceKeysView { keys })
}

async fn metadata(service: Arc<Service>, input: PageInput<OAuthQuery>) -> Result<RouteResponse, Refusal> {
    let document = document(&service.config.issuer(), &service.config.claims_namespace());
    RouteResponse::cached_json(&input.request, CACHED_S, &document)
}

fn document(issuer: &str, namespace: &str) -> IssuerMetadataView {
    let own = ["agent", "mailbox", "workspace"].map(|name| format!("{namespace}/{name}"));
    IssuerMetadataView {
        issuer: issuer.to_owned(),
        authorization_endpoint: format!("{issuer}/authorize"),
        token_endpoint: format!("{issuer}/token"),
        userinfo_endpoint: format!("{issuer}/userinfo"),
        jwks_uri: format!("{issuer}/.well-known/jwks.json"),
        scopes_supported: IdentityScope::ALL.iter().map(|scope| scope.text()).collect(),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: [CODE_GRANT, ASSERTION_GRANT, EXCHANGE_GRANT],
        subject_types_supported: SubjectType::ALL.iter().map(|subject| subject.text()).collect(),
        id_token_signing_alg_values_supported: ["ES256"],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
        code_challenge_methods_supported: [pkce::METHOD],
        claims_supported: CLAIMS.map(str::to_owned).into_iter().chain(own).collect(),
        authorization_response_iss_parameter_supported: true,
        claims_parameter_supported: false,
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
    }
}
