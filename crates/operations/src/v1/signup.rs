//! `/v1/signup`: self-signup and claiming. See `docs/reference/signup.md`.

use posthouse_api::views::signup::{
    ChallengeView, ClaimMailView, RestrictionsView, SignupAgentView, SignupClaimView, SignupView, SignupWorkspaceView,
};
use posthouse_api::wire::{AddressText, BodyValue, ShownName, expected};
use posthouse_app::limits::client_network;
use posthouse_app::signup::challenge::{self, IssuedChallenge};
use posthouse_app::signup::create::{self, ClaimMailStatus, CreatedSignup, NewSignup};
use posthouse_app::signup::{agents, claim};
use posthouse_call::prelude::*;
use posthouse_domain::{InboxKind, send::SEND_ERROR_CODES, signup::SOLUTION_CHARS_MAX, signup::masked};
use serde_json::{Value, json};

/// Longest name of an agent in characters.
const AGENT_NAME_CHARS_MAX: usize = 80;
/// Longest challenge in characters.
const CHALLENGE_CHARS_MAX: usize = 512;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::public(Method::Get, "/v1/signup/challenge", "getSignupChallenge")
            .summary("Returns a challenge to solve before a signup. Needs no key.")
            .responds::<ChallengeView>(200)
            .errors(&[ErrorCode::SignupDisabled])
            .handle(issue),
        Operation::public(Method::Post, "/v1/signup", "signUp")
            .summary(
                "Creates a workspace for an agent, with an API key and an inbox or identity. Until a person claims it, \
                 the workspace is restricted. Needs no key.",
            )
            .responds::<SignupView>(201)
            .errors(&[
                ErrorCode::InvalidSolution,
                ErrorCode::ChallengeExpired,
                ErrorCode::SignupRateLimited,
                ErrorCode::SignupDisabled,
            ])
            .handle(sign_up),
        Operation::new(Method::Post, "/v1/signup/claim", "requestClaim", Permission::InboxesWrite)
            .workspace_wide()
            .summary("Sends a person a link to own this workspace. Earlier links stop working.")
            .responds::<ClaimMailView>(202)
            .errors(&[ErrorCode::AlreadyClaimed, ErrorCode::NotClaimable, ErrorCode::SignupRateLimited])
            .errors(SEND_ERROR_CODES)
            .handle(request_claim),
        Operation::new(Method::Post, "/v1/signup/agents", "addSignupAgent", Permission::InboxesWrite)
            .org_wide()
            .summary(
                "Adds one of up to 3 agents to an unclaimed workspace. Its key reaches only its inbox or identity. \
                 If the workspace can't have more of them, agents share one.",
            )
            .responds::<SignupAgentView>(201)
            .errors(&[
                ErrorCode::UnclaimedWorkspace,
                ErrorCode::AlreadyClaimed,
                ErrorCode::NotClaimable,
                ErrorCode::SignupDisabled,
            ])
            .handle(add_agent),
    ]
}

choice! {
    /// Whether an agent gets an inbox or an identity.
    enum AgentKind {
        /// An inbox.
        Mailbox = "mailbox",
        /// An identity.
        Identity = "identity",
    }
}

/// A solution: a decimal number.
#[derive(Debug)]
struct Solution(String);

impl BodyValue for Solution {
    fn schema() -> Value {
        json!({ "type": "string", "pattern": "^[0-9]+$", "minLength": 1, "maxLength": SOLUTION_CHARS_MAX })
    }
    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(text) = value.as_str() else { return expected("a string", value, path, problems) };
        let is_number = (1..=SOLUTION_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number {
            return problems.add(path, format!("must be a decimal number of up to {SOLUTION_CHARS_MAX} digits"));
        }
        Some(Self(text.to_owned()))
    }
}

object! {
    /// A signup with a solved challenge.
    struct SignUpBody {
        /// The `challenge` of `GET /v1/signup/challenge`.
        challenge: BoundedText<1, CHALLENGE_CHARS_MAX>,
        /// A decimal number that solves it.
        solution: Solution,
        /// The name of the agent. It names the workspace and is never used in mail.
        agent_name: Option<ShownName<AGENT_NAME_CHARS_MAX>>,
        /// The person to ask by mail to own the workspace. Not an address of this service.
        owner_email: Option<AddressText>,
        /// Whether the agent gets an inbox or an identity without mail. Default: `mailbox`.
        kind: Option<AgentKind>,
    }
}

object! {
    /// A request to claim the workspace.
    struct RequestClaimBody {
        /// The person to ask by mail. Not an address of this service.
        email: AddressText,
    }
}

object! {
    /// A further agent.
    struct AddSignupAgentBody {
        /// Whether the agent gets an inbox or an identity without mail. Default: `mailbox`.
        kind: Option<AgentKind>,
    }
}

async fn issue(service: Arc<Service>, _: PublicInput) -> Result<Outcome, Refusal> {
    Outcome::json(200, &challenge_view(&service, challenge::issue(&service)?))
}

fn challenge_view(service: &Service, issued: IssuedChallenge) -> ChallengeView {
    let terms_url = service.config.signup.terms_url.clone();
    ChallengeView {
        instructions: format!(
            "Find a decimal number `solution` so that SHA-256 of `<challenge>:<solution>` starts with {} zero bits: \
             count up from 0. Then send POST {}/v1/signup with `challenge` and `solution`. A challenge works once.",
            issued.difficulty, service.config.base_url
        ),
        challenge: issued.text,
        algorithm: "sha256",
        difficulty: issued.difficulty,
        expires_at: issued.expires_at.into(),
        terms: terms_url.as_ref().map(|url| format!("By signing up you accept the terms at {url}.")),
        terms_url,
    }
}

async fn sign_up(service: Arc<Service>, input: PublicInput<EmptyInput, SignUpBody>) -> Result<Outcome, Refusal> {
    let new = input.body.parse();
    let (kind, owner) = (new.kind, new.owner.clone());
    let created = create::sign_up(&service, new, client_network(input.request.client_ip)).await?;
    let email = owner.map(|owner| masked(owner.canonical_str()));
    Outcome::json(201, &signup_view(&service, created, kind, email))
}

impl SignUpBody {
    fn parse(self) -> NewSignup {
        NewSignup {
            challenge: self.challenge.0,
            solution: self.solution.0,
            agent_name: self.agent_name.map(|name| name.0),
            owner: self.owner_email.map(|email| email.0),
            kind: kind(self.kind),
        }
    }
}

fn signup_view(service: &Service, created: CreatedSignup, kind: InboxKind, email: Option<String>) -> SignupView {
    let status = match created.claim_mail {
        ClaimMailStatus::Sent => "email_sent",
        ClaimMailStatus::NotRequested => "not_requested",
        ClaimMailStatus::Failed => "email_failed",
    };
    SignupView {
        api_key: created.secret.reveal().to_owned(),
        kind: kind.text(),
        workspace: SignupWorkspaceView::of(&created.workspace),
        inbox: created.home.inbox,
        identity: created.home.identity,
        claim: SignupClaimView { status, email },
        restrictions: RestrictionsView::of(0),
        docs_url: format!("{}/docs", service.config.base_url),
        next_steps: next_steps(kind, created.claim_mail == ClaimMailStatus::Sent),
    }
}

async fn request_claim(service: Arc<Service>, input: Input<EmptyInput, RequestClaimBody>) -> Result<Outcome, Refusal> {
    let (email, client) = (input.body.email.0, client_network(input.request.client_ip));
    let shown = masked(email.canonical_str());
    let expires_at = claim::request(&service, input.caller, email, client).await?;
    Outcome::json(202, &ClaimMailView { status: "email_sent", email: shown, expires_at: expires_at.into() })
}

async fn add_agent(service: Arc<Service>, input: Input<EmptyInput, AddSignupAgentBody>) -> Result<Outcome, Refusal> {
    let kind = kind(input.body.kind);
    let added = agents::add(&service, input.caller, kind).await?;
    Outcome::json(
        201,
        &SignupAgentView {
            api_key: added.secret.reveal().to_owned(),
            kind: kind.text(),
            workspace: SignupWorkspaceView::of(&added.workspace),
            inbox: added.home.inbox,
            identity: added.home.identity,
            next_steps: next_steps(kind, true),
        },
    )
}

fn kind(given: Option<AgentKind>) -> InboxKind {
    match given {
        None | Some(AgentKind::Mailbox) => InboxKind::Mailbox,
        Some(AgentKind::Identity) => InboxKind::Identity,
    }
}

/// Returns what the agent can do next.
fn next_steps(kind: InboxKind, is_claim_requested: bool) -> Vec<String> {
    let mut steps = vec!["Store the API key: this is the only response with it.".to_owned()];
    steps.extend(match kind {
        InboxKind::Mailbox => [
            "Send `POST /v1/inboxes/{id}/messages` to send a message.".to_owned(),
            "Send `GET /v1/inboxes/{id}/messages/wait` to wait for mail.".to_owned(),
        ]
        .to_vec(),
        InboxKind::Identity => vec!["Send `GET /v1/identities/{id}` to read your identity.".to_owned()],
    });
    if !is_claim_requested {
        steps
            .push("Send `POST /v1/signup/claim` with the address of a person who should own the workspace.".to_owned());
    }
    steps
}
