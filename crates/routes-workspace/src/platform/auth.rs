//! `/platform/auth/…`: sign-in by mail, and sign-out.

use std::net::IpAddr;

use axum::http::header;
use posthouse_api::{views::user::SignedInView, wire::AddressText, wire::has_member, wire::member};
use posthouse_app::limits::{client_network, fixed_window::FixedWindow};
use posthouse_app::people::{first_owner::first_owner, sessions, sign_in, verify, verify::SignInProof};
use posthouse_domain::{Detail, LimitName, MINUTE_MS, Time};
use posthouse_http::cookie;
use posthouse_http::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Requests for a link and proofs of one client address per window. Those of people who signed in don't count.
const PER_CLIENT_MAX: u64 = 30;
/// The length of that window, in milliseconds.
const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// Most client addresses with a window at once; see [`FixedWindow`].
const CLIENTS_MAX: usize = 100_000;
/// Longest token of a link, in characters. Real ones are shorter.
const TOKEN_CHARS_MAX: usize = 200;

/// The sign-ins of each client address in its current window.
#[derive(Debug)]
struct SignInLimits(FixedWindow<IpAddr>);

impl Default for SignInLimits {
    fn default() -> Self {
        Self(FixedWindow::new(WINDOW_MS, CLIENTS_MAX))
    }
}

impl SignInLimits {
    /// Counts a request for a link or a proof. Returns the seconds to wait if there were too many.
    fn count(&self, client: IpAddr, now: Time) -> Result<(), u64> {
        let count = self.0.count(client_network(client), PER_CLIENT_MAX, now);
        if count.is_allowed { Ok(()) } else { Err(u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(1)) }
    }

    /// Takes back the request for a link and the proof of a person who signed in: many people share an address.
    fn give_back(&self, client: IpAddr) {
        self.0.give_back(client_network(client), 2);
    }
}

pub(super) fn routes() -> Vec<Route> {
    let limits = Arc::new(SignInLimits::default());
    let (of_links, of_proofs) = (Arc::clone(&limits), limits);
    vec![
        Route::public(Method::POST, "/platform/auth/magic-link", "requestSignInLink")
            .summary("Mails a sign-in link to a member and, with self-signup, to a new person. The response is the same for every address.")
            .responds_with(204, None)
            .handle(move |service, input| request(service, Arc::clone(&of_links), input)),
        Route::public(Method::GET, "/platform/auth/options", "getSignInOptions")
            .summary("Returns what the sign-in page shows before anyone signs in.")
            .responds::<SignInOptionsView>(200)
            .handle(options),
        Route::public(Method::POST, "/platform/auth/verify", "signIn")
            .summary("Exchanges the token of a link, or an address and the code in its mail, for a session cookie. With self-signup, a person without a workspace gets one.")
            .responds::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::InvalidToken, ErrorCode::SignupRateLimited, ErrorCode::Csrf])
            .handle(move |service, input| verify(service, Arc::clone(&of_proofs), input)),
        Route::public(Method::POST, "/platform/auth/logout", "signOut")
            .summary("Ends the session of the cookie, and its streams.")
            .without_body()
            .acts_on_session()
            .responds_with(204, None)
            .errors(&[ErrorCode::Csrf])
            .handle(sign_out),
    ]
}

/// What the sign-in page shows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignInOptions")]
struct SignInOptionsView {
    /// Owner of the first workspace, who has the mail of a fresh installation; null unless only this machine can connect
    /// and mail is captured.
    first_owner: Option<String>,
    /// Whether sign-in mail stays on this machine, and its link is in the log of the server.
    captures_mail: bool,
    /// Whether an address that is in no workspace gets a workspace of its own.
    sign_up: bool,
}

object! {
    /// An address to sign in with.
    struct LinkBody {
        /// The address of a person.
        email: AddressText,
    }
}

object! {
    /// What proves that the person reads the mail of an address: `token`, or `email` and `code`.
    struct ProofBody {
        /// The token of a link.
        token: Option<BoundedLine<1, TOKEN_CHARS_MAX>>,
        /// The address that the mail was sent to.
        email: Option<AddressText>,
        /// The six digits in the newest mail.
        code: Option<BoundedLine<1, 10>>,
    }
    check one_proof, schema has_a_proof;
}

fn one_proof(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let has = |name: &str| given.get(name).is_some_and(|value| !value.is_null());
    match (has("token"), has("email") && has("code")) {
        (false, false) => {
            problems.add::<()>(&member(path, "token"), "is required, unless `email` and `code` are given")
        }
        (true, true) => problems.add::<()>(&member(path, "token"), "must not be given with `email` and `code`"),
        _ => None,
    };
}

/// [`one_proof`] as a condition of JSON Schema.
fn has_a_proof() -> Value {
    let text = |name: &str| has_member(name, "string");
    json!({ "oneOf": [text("token"), { "allOf": [text("email"), text("code")] }] })
}

async fn options(service: Arc<Service>, _input: PublicInput) -> Result<RouteResponse, Refusal> {
    let view = SignInOptionsView {
        first_owner: first_owner(&service).await?.map(|owner| owner.email),
        captures_mail: service.config.is_loopback_profile(),
        sign_up: service.config.signup.enabled,
    };
    RouteResponse::json(200, &view)
}

async fn request(
    service: Arc<Service>,
    limits: Arc<SignInLimits>,
    input: PublicInput<EmptyInput, LinkBody>,
) -> Result<RouteResponse, Refusal> {
    if limits.count(input.request.client_ip, service.clock.now()).is_err() {
        // The same response as for every address: nothing is sent.
        service.metrics.limit_refused(LimitName::SignInsPerClient);
        return Ok(RouteResponse::empty());
    }
    sign_in::request_link(&service, &input.body.email.0, client_network(input.request.client_ip)).await?;
    Ok(RouteResponse::empty())
}

async fn verify(
    service: Arc<Service>,
    limits: Arc<SignInLimits>,
    input: PublicInput<EmptyInput, ProofBody>,
) -> Result<RouteResponse, Refusal> {
    let client_ip = input.request.client_ip;
    limits.count(client_ip, service.clock.now()).map_err(too_many)?;
    let proof = input.body.parse().ok_or_else(invalid)?;
    let client = super::sign_in_client(input.request);
    let signed_in = verify::verify(&service, proof, client).await?.ok_or_else(invalid)?;
    limits.give_back(client_ip);
    super::begin_session(&service, &signed_in)
}

impl ProofBody {
    fn parse(self) -> Option<SignInProof> {
        match (self.token, self.email, self.code) {
            (Some(token), _, _) => Some(SignInProof::Token(token.0)),
            (None, Some(email), Some(code)) => {
                Some(SignInProof::Code { email: email.0, code: code.0.trim().to_owned() })
            }
            _ => None,
        }
    }
}

fn too_many(retry_s: u64) -> Refusal {
    Refusal::new(ErrorCode::RateLimited, "Your client address requested or tried too many links and codes.")
        .detail(Detail::Limit(LimitName::SignInsPerClient))
        .detail(Detail::Max(PER_CLIENT_MAX))
        .retry_after(retry_s)
}

fn invalid() -> Refusal {
    Refusal::new(ErrorCode::InvalidToken, "The link or code is wrong, was used, or has expired.")
}

async fn sign_out(service: Arc<Service>, input: PublicInput) -> Result<RouteResponse, Refusal> {
    if let Some(secret) = &input.request.session {
        sessions::sign_out(&service, secret).await?;
    }
    let response = RouteResponse::empty();
    Ok(match cookie::end(&service.config.base_url) {
        Some(cookie) => response.with(header::SET_COOKIE, cookie),
        None => response,
    })
}
