//! `POST /oauth/token`.

use posthouse_api::views::connector::ConnectorTokensView;
use posthouse_app::connectors::tokens::{self, IssuedTokens};
use posthouse_domain::{OAuthErrorCode, connector::SCOPE};
use posthouse_http::prelude::*;

use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery, parameter};
use crate::oauth::{GuessLimit, counted_as, limited_answer, with_errors};

/// Path of the token endpoint.
pub(super) const PATH: &str = "/oauth/token";

/// A request for tokens. Clients are public, and prove themselves with PKCE.
#[derive(Debug)]
struct TokenRequest;

impl OAuthEndpoint for TokenRequest {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[
        parameter("grant_type", true, "`authorization_code` or `refresh_token`"),
        parameter("client_id", true, "Id of the client."),
        parameter("code", false, "For `authorization_code`: the code, which works once."),
        parameter("redirect_uri", false, "For `authorization_code`: that of the request."),
        parameter("code_verifier", false, "For `authorization_code`: the verifier of the challenge (RFC 7636)."),
        parameter("refresh_token", false, "For `refresh_token`: the newest refresh token, which works once."),
        parameter("resource", false, "URL of the MCP endpoint (RFC 8707)."),
        parameter("scope", false, "`mcp`"),
    ];
}

pub(super) fn routes() -> Vec<Route> {
    let operation = Operation::public(Method::Post, PATH, "exchangeConnectorToken")
        .summary("Exchanges an authorization code or a refresh token of a connector for new tokens (RFC 6749).")
        .accepts(FORM, FORM_BYTES_MAX)
        .responds::<ConnectorTokensView>(200);
    vec![with_errors(operation, &[400, 401]).page(exchange)]
}

async fn exchange(
    service: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<TokenRequest>>,
) -> Result<RouteResponse, Refusal> {
    let client_id = input.body.0.one("client_id").ok().flatten().unwrap_or_default();
    let counted = counted_as(client_id, &input.request);
    let limit = GuessLimit { counted, guessed: counted, wrong: OAuthErrorCode::InvalidGrant };
    let issued = tokens::exchange(&service, input.body.0);
    let view = |issued| RouteResponse::json(200, &view(&issued));
    limited_answer(&service, &input.request, limit, issued, view).await
}

fn view(issued: &IssuedTokens) -> ConnectorTokensView {
    ConnectorTokensView {
        access_token: issued.access.reveal().to_owned(),
        token_type: "Bearer",
        expires_in: issued.expires_in_s,
        refresh_token: issued.refresh.reveal().to_owned(),
        scope: SCOPE,
    }
}
