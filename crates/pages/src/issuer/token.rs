//! `POST /oidc/token`.

use base64::{Engine, engine::general_purpose::STANDARD};
use posthouse_api::views::oauth::OAuthTokensView;
use posthouse_app::sign_in_with::exchange::{self, ACCESS_TOKEN_TYPE, IssuedTokens, TokenExchange};
use posthouse_app::{settings::SecretText, sign_in_with::credentials::ClientCredentials};
use posthouse_domain::{OAuthError, OAuthErrorCode, OAuthParameters};
use posthouse_http::prelude::*;
use posthouse_http::response::oauth;

use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery, parameter};
use crate::oauth::{GuessLimit, counted_as, limited_answer, with_errors};

/// Path of the token endpoint.
pub(super) const PATH: &str = "/oidc/token";

/// A request for tokens. Apps with a secret authenticate with HTTP Basic or in the form.
#[derive(Debug)]
struct TokenRequest;

impl OAuthEndpoint for TokenRequest {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[
        parameter(
            "grant_type",
            true,
            "`authorization_code`, `urn:ietf:params:oauth:grant-type:jwt-bearer` or \
            `urn:ietf:params:oauth:grant-type:token-exchange`",
        ),
        parameter("client_id", false, "Id of the app, unless it authenticates with HTTP Basic."),
        parameter("client_secret", false, "Secret of the app, unless it authenticates with HTTP Basic."),
        parameter("code", false, "For `authorization_code`: the code, which works once."),
        parameter("redirect_uri", false, "For `authorization_code`: that of the sign-in."),
        parameter("code_verifier", false, "For `authorization_code`: the verifier of the challenge (RFC 7636)."),
        parameter("assertion", false, "For `jwt-bearer`: an identity token for this app (RFC 7523), which works once."),
        parameter("subject_token", false, "For `token-exchange`: an access token or an identity token (RFC 8693)."),
        parameter("subject_token_type", false, "For `token-exchange`: the type of the subject token."),
        parameter("requested_token_type", false, "For `token-exchange`: access tokens only."),
        parameter("audience", false, "For `token-exchange`: the issuer."),
        parameter("resource", false, "For `token-exchange`: the issuer."),
        parameter("scope", false, "A part of the granted scopes, separated by spaces."),
    ];
}

pub(super) fn routes() -> Vec<Route> {
    let operation = Operation::public(Method::Post, PATH, "exchangeToken")
        .summary("Exchanges an authorization code, an identity token or an access token of an app (RFC 6749).")
        .accepts(FORM, FORM_BYTES_MAX)
        .security(&["appSecret", ""])
        .responds::<OAuthTokensView>(200);
    vec![with_errors(operation, &[400, 401]).page(exchange)]
}

async fn exchange(
    service: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<TokenRequest>>,
) -> Result<RouteResponse, Refusal> {
    let credentials = match credentials(&input.request, &input.body.0) {
        Ok(credentials) => credentials,
        Err(error) => return Ok(oauth::response(&error.into())),
    };
    let counted = counted_as(credentials.digest(), &input.request);
    let limit = GuessLimit { counted, guessed: credentials.digest(), wrong: OAuthErrorCode::InvalidClient };
    let asked = TokenExchange { credentials, parameters: input.body.0, ip: input.request.client_ip.to_string() };
    let issued = exchange::exchange(&service, asked);
    limited_answer(&service, &input.request, limit, issued, |issued| RouteResponse::json(200, &view(issued))).await
}

/// Returns how the app authenticates: with HTTP Basic or in the form, not both (RFC 6749 §2.3).
fn credentials(request: &RequestInfo, form: &OAuthParameters) -> Result<ClientCredentials, OAuthError> {
    let in_form = |name: &str| form.one(name).map(|value| value.map(str::to_owned));
    let (client_id, secret) = (in_form("client_id")?, in_form("client_secret")?);
    let Some(basic) = &request.basic else {
        return Ok(ClientCredentials { client_id, secret: secret.map(SecretText) });
    };
    let malformed = || OAuthError::new(OAuthErrorCode::InvalidClient, "The Authorization header is malformed.");
    let decoded = STANDARD.decode(&basic.0).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let (id, given) = decoded.as_deref().and_then(|text| text.split_once(':')).ok_or_else(malformed)?;
    let (id, given) = (form_decoded(id), form_decoded(given));
    if id.contains('\0') || given.contains('\0') {
        return Err(malformed());
    }
    if secret.is_some() || client_id.is_some_and(|named| named != id) {
        return Err(OAuthError::invalid("The app authenticates in two ways."));
    }
    Ok(ClientCredentials { client_id: Some(id), secret: Some(given).filter(|text| !text.is_empty()).map(SecretText) })
}

/// Decodes a value as in a form (RFC 6749 §2.3.1).
fn form_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
}

fn view(issued: IssuedTokens) -> OAuthTokensView {
    OAuthTokensView {
        access_token: issued.access_token,
        token_type: "Bearer",
        expires_in: issued.expires_in,
        scope: issued.scope.to_string(),
        id_token: issued.id_token,
        issued_token_type: issued.is_exchange.then_some(ACCESS_TOKEN_TYPE),
    }
}
