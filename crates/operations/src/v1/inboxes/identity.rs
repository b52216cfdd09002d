//! Sign-in of one agent: the switch, the history, and approvals. See `docs/reference/identity.md`.

use posthouse_api::views::identity_client::{
    AgentSignInView, ApprovalView, ApprovalsView, DecisionView, PreapprovalsView, SignInView,
};
use posthouse_app::sign_in_with::agents;
use posthouse_app::sign_in_with::approvals::{self, AgentApprovals, ApprovalAnswer};
use posthouse_call::prelude::*;
use posthouse_domain::identity::{PREAPPROVALS_MAX, approval::shown};

/// Longest public id of an app in characters. Real ones are shorter.
pub(super) const CLIENT_ID_CHARS_MAX: usize = 100;
/// Longest approval code in characters, with what people type between the letters.
const CODE_CHARS_MAX: usize = 20;

/// Why an agent can't sign in.
pub(super) const STANDING_ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::IdentityDisabled,
    ErrorCode::AgentSuspended,
    ErrorCode::ClientDisabled,
    ErrorCode::UnclaimedWorkspace,
    ErrorCode::OrgSuspended,
    ErrorCode::WorkspaceStopped,
    ErrorCode::InboxPaused,
];

pub(super) fn operations() -> Vec<Operation> {
    use Permission::{IdentityManage, IdentitySign, InboxesRead};
    const APPROVALS: &str = "/v1/inboxes/{id}/identity/approvals";
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/identity", "getAgentSignIn", InboxesRead)
            .summary("Returns whether an agent can sign in to apps, and the apps it has signed in to.")
            .responds::<AgentSignInView>(200)
            .handle(read),
        Operation::new(Method::Patch, "/v1/inboxes/{id}/identity", "updateAgentSignIn", IdentityManage)
            .summary(
                "Switches sign-in on or off. While it is off, identity tokens, sign-ins and userinfo of the agent are refused.",
            )
            .responds::<AgentSignInView>(200)
            .handle(update),
        Operation::new(Method::Get, "/v1/inboxes/{id}/identity/sign-ins", "listSignIns", InboxesRead)
            .summary("Lists the sign-ins of an agent of the last 90 days, newest first.")
            .responds::<PageView<SignInView>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(history),
        Operation::new(Method::Get, APPROVALS, "listSignInApprovals", IdentitySign)
            .summary("Lists the sign-ins in browsers that wait for an agent, and the apps that need no code.")
            .responds::<ApprovalsView>(200)
            .handle(list_approvals),
        Operation::new(Method::Post, "/v1/inboxes/{id}/identity/approvals/{code}", "decideSignIn", IdentitySign)
            .summary("Approves or denies the sign-in whose browser shows this code.")
            .responds::<DecisionView>(200)
            .errors(STANDING_ERROR_CODES)
            .handle(decide),
        Operation::new(Method::Put, APPROVALS, "setSignInPreapprovals", IdentityManage)
            .summary("Sets the apps that an agent may sign in to without a code, in the browser of a member.")
            .responds::<PreapprovalsView>(200)
            .handle(preapprove),
    ]
}

object! {
    /// A change of the switch.
    struct UpdateAgentSignInBody {
        /// Whether the agent can sign in to apps.
        enabled: bool,
    }
}

object! {
    /// A decision about a sign-in.
    struct DecideSignInBody {
        /// True to sign in, false to refuse.
        approve: bool,
    }
}

object! {
    /// Apps that need no code.
    struct SetSignInPreapprovalsBody {
        /// The `client_id` of each app; they replace the existing ones.
        clients: BoundedList<BoundedLine<1, CLIENT_ID_CHARS_MAX>, 0, PREAPPROVALS_MAX>,
    }
}

query! {
    /// Page of a list.
    struct SignInListQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of items per page. Default: 25.
        limit: Limit,
    }
}

query! {
    /// A code to look up.
    struct ApprovalListQuery {
        /// The code that a browser shows. Adds its sign-in to the list, to check it before the approval.
        code: Option<BoundedLine<1, CODE_CHARS_MAX>>,
    }
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let found = agents::get(&service, input.caller, id).await?;
    Outcome::json(200, &AgentSignInView::of(&found.agent, &found.apps))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateAgentSignInBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let found = agents::set_enabled(&service, input.caller, id, input.body.enabled).await?;
    Outcome::json(200, &AgentSignInView::of(&found.agent, &found.apps))
}

async fn history(service: Arc<Service>, input: Input<SignInListQuery>) -> Result<Outcome, Refusal> {
    let id: InboxId = input.path.id("id", "inbox")?;
    let page = agents::history(&service, input.caller, id, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, SignInView::of)
}

async fn list_approvals(service: Arc<Service>, input: Input<ApprovalListQuery>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let code = input.query.code.map(|line| line.0);
    let AgentApprovals { waiting, clients } = approvals::list(&service, input.caller, id, code).await?;
    let data = waiting.iter().map(|one| ApprovalView::of(&one.request, &one.client)).collect();
    Outcome::json(200, &ApprovalsView { data, clients })
}

async fn decide(service: Arc<Service>, input: Input<EmptyInput, DecideSignInBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let approved = input.body.approve;
    let answer = ApprovalAnswer { code: input.path.text("code").to_owned(), is_approved: approved };
    let decided = approvals::decide(&service, input.caller, id, answer).await?;
    let view = DecisionView {
        code: shown(&decided.request.user_code),
        client_id: decided.client.client_id,
        client_name: decided.client.name,
        approved,
    };
    Outcome::json(200, &view)
}

async fn preapprove(
    service: Arc<Service>,
    input: Input<EmptyInput, SetSignInPreapprovalsBody>,
) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "inbox")?;
    let clients = input.body.clients.0.into_iter().map(|line| line.0).collect();
    let clients = approvals::preapprove(&service, input.caller, id, clients).await?;
    Outcome::json(200, &PreapprovalsView { clients })
}
