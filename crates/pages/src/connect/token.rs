//! `POST /oauth/token`.

use posthouse_api::views::{connector::ConnectorTokensView, oauth::OAuthErrorView};
use posthouse_app::connectors::tokens::{self, IssuedTokens};
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_domain::OAuthErrorCode;
use posthouse_domain::connector::SCOPE;
use posthouse_http::prelude::*;
use posthouse_http::{response::oauth, response::oauth::uncached};

use super::{TOKEN, counted_as};
use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery, parameter};
use crate::oauth::{GuessLimit, limited};

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
    vec![
        Operation::public(Method::Post, TOKEN, "exchangeConnectorToken")
            .summary("Exchanges an authorization code or a refresh token of a connector for new tokens (RFC 6749).")
            .accepts(FORM, FORM_BYTES_MAX)
            .oauth_errors()
            .responds::<ConnectorTokensView>(200)
            .responds::<OAuthErrorView>(400)
            .responds::<OAuthErrorView>(401)
            .responds::<OAuthErrorView>(429)
            .responds::<OAuthErrorView>(503)
            .page(exchange),
    ]
}

async fn exchange(
    service: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<TokenRequest>>,
) -> Result<RouteResponse, Refusal> {
    let client_id = input.body.0.one("client_id").ok().flatten().unwrap_or_default();
    let counted = counted_as(client_id, &input.request);
    let limit = GuessLimit { counted, guessed: counted, wrong: OAuthErrorCode::InvalidGrant };
    let answer = match limited(&service, &input.request, limit, tokens::exchange(&service, input.body.0)).await {
        Ok(issued) => uncached(RouteResponse::json(200, &view(&issued))?),
        Err(failure) => oauth::response(&failure),
    };
    let rest = service.sign_in_limits.rest_of_issuer(counted, service.clock.now());
    Ok(answer.with_limits(RateLimitStatus::rest(rest)))
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
