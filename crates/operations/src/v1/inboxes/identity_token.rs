//! `/v1/inboxes/{id}/identity-token`: tokens that prove to an app which agent this is. See `docs/reference/identity.md`.

use posthouse_api::{views::identity_client::IdentityTokenView, wire::BoundedInt};
use posthouse_app::limits::requests::RateLimitStatus;
use posthouse_app::sign_in_with::mint::{self, MintedToken, TokenRequest};
use posthouse_call::prelude::*;
use posthouse_domain::IdentityScopes;
use posthouse_domain::identity::{NONCE_CHARS_MAX, TOKEN_SECONDS_MAX, TOKEN_SECONDS_MIN};

use super::identity::{CLIENT_ID_CHARS_MAX, STANDING_ERROR_CODES};
use crate::v1::scopes::ScopeList;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(
            Method::Post,
            "/v1/inboxes/{id}/identity-token",
            "createIdentityToken",
            Permission::IdentitySign,
        )
        .summary("Issues a signed token that proves to an app which agent this is.")
        .responds::<IdentityTokenView>(201)
        .errors(STANDING_ERROR_CODES)
        .handle(create_token),
    ]
}

object! {
    /// An identity token to issue.
    struct CreateIdentityTokenBody {
        /// The `client_id` of the app.
        audience: BoundedLine<1, CLIENT_ID_CHARS_MAX>,
        /// A random text from the app, which proves that the token is fresh.
        nonce: Option<BoundedLine<1, NONCE_CHARS_MAX>>,
        /// Scopes, separated by spaces. `openid` is always added, and scopes that the app may not get are left out.
        /// Default: `openid email`.
        scope: Option<ScopeList>,
        /// How long the token is valid, in seconds. Default: 300.
        expires_in: Option<BoundedInt<TOKEN_SECONDS_MIN, TOKEN_SECONDS_MAX>>,
    }
}

async fn create_token(
    service: Arc<Service>,
    input: Input<EmptyInput, CreateIdentityTokenBody>,
) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let request = input.body.parse(input.request.client_ip.to_string());
    let (audience, expires_in) = (request.audience.clone(), request.expires_in);
    let minted = mint::mint(&service, input.caller, id, request).await?;
    let limits: Vec<RateLimitStatus> = minted.limits.iter().copied().filter_map(RateLimitStatus::rest).collect();
    let view = token_view(minted, service.config.issuer(), audience, expires_in);
    let response = Outcome::json(201, &view)?.with_limits(limits);
    Ok(response.with("cache-control", "no-store"))
}

fn token_view(minted: MintedToken, issuer: String, audience: String, expires_in: i64) -> IdentityTokenView {
    IdentityTokenView {
        id_token: minted.id_token,
        token_type: "id_token",
        issuer,
        audience,
        sub: minted.sub,
        jti: minted.jti,
        scope: minted.scope.to_string(),
        expires_in,
        expires_at: minted.expires_at.into(),
    }
}

impl CreateIdentityTokenBody {
    fn parse(self, ip: String) -> TokenRequest {
        TokenRequest {
            audience: self.audience.0,
            nonce: self.nonce.map(|line| line.0),
            scope: self.scope.map_or(IdentityScopes::TOKEN_DEFAULT, |list| list.0),
            expires_in: self.expires_in.map_or(TOKEN_SECONDS_MAX, |seconds| seconds.0),
            ip,
        }
    }
}
