//! Sessions begin and end here: `/platform/auth/…`, sign-in by mail and sign-out, a
//! person joins a workspace by accepting an invitation, or changes to another one.

use std::net::IpAddr;

use posthouse_api::views::user::{SignInOptionsView, SignedInView};
use posthouse_api::wire::{AddressText, has_member, member};
use posthouse_app::limits::{client_network, fixed_window::FixedWindow, fixed_window::WindowCount};
use posthouse_app::people::sign_in::{LinkClient, SignInClient, SignedIn};
use posthouse_app::people::{first_owner, invitations, sessions, sign_in, switch, verify, verify::SignInProof};
use posthouse_domain::{Detail, LimitName, MINUTE_MS, Role, Time, WorkspaceId};
use posthouse_http::prelude::*;
use posthouse_http::request::cookie;
use posthouse_operations::platform::signed_in_view;
use serde_json::{Map, Value, json};

/// Requests for a link, wrong links and wrong codes of one client address per window, each counted apart. Requests of
/// people who signed in don't count.
const PER_CLIENT_MAX: u64 = 30;
/// The length of that window, in milliseconds.
const WINDOW_MS: i64 = 15 * MINUTE_MS;
/// Most client addresses with a window at once; see [`FixedWindow`].
const CLIENTS_MAX: usize = 100_000;
/// Longest token of a link, in characters. Real ones are shorter.
const TOKEN_CHARS_MAX: usize = 200;

/// The requests and wrong proofs of each client address in its current window. Many people share an address, so what
/// strangers do must not keep members out: beyond the maximum, only known people get mail, links are still tried, and only
/// codes, which can be guessed, are not.
#[derive(Debug)]
struct SignInLimits {
    requests: FixedWindow<IpAddr>,
    wrong_links: FixedWindow<IpAddr>,
    wrong_codes: FixedWindow<IpAddr>,
}

impl Default for SignInLimits {
    fn default() -> Self {
        let window = || FixedWindow::new(WINDOW_MS, CLIENTS_MAX);
        Self { requests: window(), wrong_links: window(), wrong_codes: window() }
    }
}

impl SignInLimits {
    /// Counts a request for a link. Returns whether there were too many.
    fn count_request(&self, network: IpAddr, now: Time) -> bool {
        !self.requests.count(network, PER_CLIENT_MAX, now).is_allowed
    }

    fn wrong(&self, proof: &SignInProof) -> &FixedWindow<IpAddr> {
        match proof {
            SignInProof::Token(_) => &self.wrong_links,
            SignInProof::Code { .. } => &self.wrong_codes,
        }
    }

    /// Takes back the request for a link of a person who signed in, and the proof.
    fn give_back(&self, network: IpAddr, wrong: &FixedWindow<IpAddr>, count: WindowCount) {
        self.requests.give_back(network, 1);
        wrong.give_back(network, u64::from(count.is_allowed));
    }
}

pub(crate) fn routes() -> Vec<Route> {
    let limits = Arc::new(SignInLimits::default());
    let (of_links, of_proofs) = (Arc::clone(&limits), limits);
    vec![
        Operation::public(Method::Post, "/platform/auth/magic-link", "requestSignInLink")
            .summary("Mails a sign-in link to a member and, with self-signup, to a new person. The response is the same for every address.")
            .responds_with(204, None)
            .page(move |service, input| request(service, Arc::clone(&of_links), input)),
        Operation::public(Method::Get, "/platform/auth/options", "getSignInOptions")
            .summary("Returns what the sign-in page shows before anyone signs in.")
            .responds::<SignInOptionsView>(200)
            .page(options),
        Operation::public(Method::Post, "/platform/auth/verify", "signIn")
            .summary("Exchanges the token of a link, or an address and the code in its mail, for a session cookie. With self-signup, a person without a workspace gets one, if the mail was about that: the path of its link ends in `?new`.")
            .responds::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::InvalidToken, ErrorCode::SignupRateLimited, ErrorCode::Csrf])
            .page(move |service, input| verify(service, Arc::clone(&of_proofs), input)),
        Operation::public(Method::Post, "/platform/auth/logout", "signOut")
            .summary("Ends the session of the cookie, and its streams.")
            .without_body()
            .acts_on_session()
            .responds_with(204, None)
            .errors(&[ErrorCode::Csrf])
            .page(sign_out),
        Operation::session(Method::Post, "/platform/workspaces/{id}/switch", "switchWorkspace", Role::Member)
            .summary("Begins a session in another workspace of the person, and ends the one of the cookie.")
            .without_body()
            .responds::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .page(switch_to),
        Operation::person(Method::Post, "/platform/invitations/{id}/accept", "acceptInvitation")
            .summary("Joins the workspace of an invitation, begins a session there, and ends the one of the cookie.")
            .without_body()
            .responds::<SignedInView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .page(accept),
    ]
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

/// Returns the browser that asks for a session.
fn sign_in_client(request: RequestInfo) -> SignInClient {
    let RequestInfo { user_agent, client_ip, session, .. } = request;
    SignInClient { user_agent, ip: client_ip, network: client_network(client_ip), session }
}

/// Returns the response that begins a session.
fn begin_session(service: &Service, signed_in: &SignedIn) -> Result<RouteResponse, Refusal> {
    let response = RouteResponse::json(200, &signed_in_view(service, &signed_in.person))?;
    let cookie = cookie::begin(&signed_in.secret, &service.config.base_url);
    let cookie = cookie.ok_or_else(|| Refusal::new(ErrorCode::Internal, "The cookie couldn't be written."))?;
    Ok(response.with(header::SET_COOKIE, cookie))
}

async fn options(service: Arc<Service>, _input: PageInput) -> Result<RouteResponse, Refusal> {
    let view = SignInOptionsView {
        first_owner: first_owner::first_owner(&service).await?.map(|owner| owner.email),
        captures_mail: service.config.is_loopback_profile(),
        sign_up: service.config.signup.enabled,
    };
    RouteResponse::json(200, &view)
}

async fn request(
    service: Arc<Service>,
    limits: Arc<SignInLimits>,
    input: PageInput<EmptyInput, LinkBody>,
) -> Result<RouteResponse, Refusal> {
    let network = client_network(input.request.client_ip);
    let only_known_people = limits.count_request(network, service.clock.now());
    // The same response as for every address.
    sign_in::request_link(&service, &input.body.email.0, LinkClient { network, only_known_people }).await?;
    Ok(RouteResponse::empty())
}

async fn verify(
    service: Arc<Service>,
    limits: Arc<SignInLimits>,
    input: PageInput<EmptyInput, ProofBody>,
) -> Result<RouteResponse, Refusal> {
    let proof = input.body.parse().ok_or_else(invalid)?;
    let signed_in = prove(&service, &limits, proof, sign_in_client(input.request)).await?;
    begin_session(&service, &signed_in)
}

/// Exchanges a proof, and counts it if it is wrong.
async fn prove(
    service: &Service,
    limits: &SignInLimits,
    proof: SignInProof,
    client: SignInClient,
) -> Result<SignedIn, Refusal> {
    let (network, wrong) = (client.network, limits.wrong(&proof));
    let count = wrong.count(network, PER_CLIENT_MAX, service.clock.now());
    let is_code = matches!(proof, SignInProof::Code { .. });
    if is_code && !count.is_allowed {
        return Err(too_many(count));
    }
    match verify::verify(service, proof, client).await? {
        Some(signed_in) => {
            limits.give_back(network, wrong, count);
            Ok(signed_in)
        }
        None if count.is_allowed => Err(invalid()),
        None => Err(too_many(count)),
    }
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

fn too_many(count: WindowCount) -> Refusal {
    let retry_s = u64::try_from((count.ends_in_ms + 999) / 1_000).unwrap_or(1);
    Refusal::new(ErrorCode::RateLimited, "Your client address tried too many wrong links or codes.")
        .with_fix("Open the link in the newest sign-in mail, or wait: a link that is right always works.")
        .detail(Detail::Limit(LimitName::SignInsPerClient))
        .detail(Detail::Max(PER_CLIENT_MAX))
        .retry_after(retry_s)
}

fn invalid() -> Refusal {
    Refusal::new(ErrorCode::InvalidToken, "The link or code is wrong, was used, or has expired.")
}

async fn sign_out(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    if let Some(secret) = &input.request.session {
        sessions::sign_out(&service, secret).await?;
    }
    let response = RouteResponse::empty();
    Ok(match cookie::end(&service.config.base_url) {
        Some(cookie) => response.with(header::SET_COOKIE, cookie),
        None => response,
    })
}

async fn accept(service: Arc<Service>, input: CallerInput) -> Result<RouteResponse, Refusal> {
    let id = input.path.id("id", "invitation")?;
    let client = sign_in_client(input.request);
    let signed_in = invitations::accept(&service, input.caller, id, client).await?;
    begin_session(&service, &signed_in)
}

async fn switch_to(service: Arc<Service>, input: CallerInput) -> Result<RouteResponse, Refusal> {
    let to: WorkspaceId = input.path.id("id", "workspace")?;
    let request = input.request;
    let client = sign_in_client(request);
    let signed_in = switch::switch(&service, input.caller, to, client).await?;
    begin_session(&service, &signed_in)
}
