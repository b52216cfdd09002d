//! `POST /oauth/revoke` (RFC 7009).

use posthouse_app::{connectors::revoke, sign_in_with::failure::OAuthFailure};
use posthouse_http::prelude::*;

use crate::form::{FORM, FORM_BYTES_MAX, OAuthEndpoint, OAuthForm, OAuthParameterDoc, OAuthQuery};
use crate::oauth::{answer, counted_as, with_errors};

/// Path of the revocation endpoint.
pub(super) const PATH: &str = "/oauth/revoke";

/// A token that its client gives back.
#[derive(Debug)]
struct Revocation;

impl OAuthEndpoint for Revocation {
    const PARAMETERS: &'static [OAuthParameterDoc] = &[
        OAuthParameterDoc { name: "token", is_required: true, text: "An access token or a refresh token." },
        OAuthParameterDoc { name: "token_type_hint", is_required: false, text: "Ignored." },
        OAuthParameterDoc { name: "client_id", is_required: false, text: "Id of the client." },
    ];
}

pub(super) fn routes() -> Vec<Route> {
    let operation = Operation::public(Method::Post, PATH, "revokeConnectorToken")
        .summary("Ends an access token or, with a refresh token, the access of a connector (RFC 7009).")
        .accepts(FORM, FORM_BYTES_MAX)
        .responds_with(200, None);
    vec![with_errors(operation, &[400]).page(end)]
}

async fn end(
    service: Arc<Service>,
    input: PageInput<OAuthQuery, OAuthForm<Revocation>>,
) -> Result<RouteResponse, Refusal> {
    let client_id = input.body.0.one("client_id").ok().flatten().unwrap_or_default();
    let counted = counted_as(client_id, &input.request);
    let limited = service.sign_in_limits.count_issuer(counted, service.clock.now());
    let ended = match limited {
        Ok(()) => revoke::revoke(&service, input.body.0).await,
        Err(refusal) => Err(OAuthFailure::Service(refusal)),
    };
    answer(ended, |()| Ok(RouteResponse { status: StatusCode::OK, ..RouteResponse::empty() }))
}
