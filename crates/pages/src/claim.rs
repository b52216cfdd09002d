//! `/claim/…`: the pages behind claim links. A GET changes nothing, because programs open links too; the button claims
//! the workspace (`docs/decisions/people.md#0025-links-in-mail`).

use posthouse_app::signup::claim_link::{self, ClaimableWorkspace};
use posthouse_http::prelude::*;
use posthouse_http::{pages::docs::html::escape, pages::link_page, pages::link_page::HTML};

/// Path of the claim page.
const CLAIM: &str = "/claim/{token}";
/// Title of the pages.
const TITLE: &str = "Own this workspace";

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Operation::public(Method::Get, CLAIM, "showClaim")
            .summary("Shows the claim page of a workspace. The link stays valid.")
            .responds_with(200, Some(HTML))
            .responds_with(400, Some(HTML))
            .errors(&[ErrorCode::InvalidToken])
            .page(show),
        Operation::public(Method::Post, CLAIM, "claimWorkspace")
            .summary("Makes the recipient of the link the owner of the workspace; the link becomes invalid.")
            .without_body()
            .responds_with(200, Some(HTML))
            .responds_with(400, Some(HTML))
            .errors(&[ErrorCode::InvalidToken])
            .page(claim),
    ]
}

async fn show(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let found = claim_link::find(&service, input.path.text("token")).await;
    page(found, &input.request, |workspace| {
        let (agent, created_at, email) = texts(workspace);
        format!(
            "<p>The agent <b>{agent}</b> created this workspace on {created_at} and asks you to own it.</p>\
             <p>If you agree, <b>{email}</b> becomes the owner: you see its mail, decide what it may do, and can stop \
             it.</p><form method=\"post\"><button type=\"submit\">Own this workspace</button></form>\
             <p>If you do not know this agent, close this page: nothing happens.</p>"
        )
    })
}

async fn claim(service: Arc<Service>, input: PageInput) -> Result<RouteResponse, Refusal> {
    let claimed = claim_link::claim(&service, input.path.text("token")).await;
    page(claimed, &input.request, |workspace| {
        let (agent, _, email) = texts(workspace);
        format!(
            "<p><b>{email}</b> now owns the workspace of the agent <b>{agent}</b>, and its restrictions are lifted.</p>\
             <p><a href=\"/sign-in\">Sign in</a> with this address to see its mail and to decide what it may do.</p>"
        )
    })
}

/// Returns the page of a link, or the page of a link that doesn't work, which is the same for every reason.
fn page(
    found: Result<ClaimableWorkspace, Refusal>,
    request: &RequestInfo,
    content: impl Fn(&ClaimableWorkspace) -> String,
) -> Result<RouteResponse, Refusal> {
    match found {
        Ok(workspace) => Ok(link_page::response(200, TITLE, &content(&workspace))),
        Err(refusal) => link_page::refused(
            refusal,
            request,
            TITLE,
            "Open the link in the newest mail, or ask the agent to send a new one.",
        ),
    }
}

/// Returns the agent, the date and the recipient as HTML.
fn texts(workspace: &ClaimableWorkspace) -> (String, String, String) {
    let agent = escape(workspace.agent.as_deref().unwrap_or("without a mailbox"));
    let date: String = workspace.created_at.to_string().chars().take("2026-01-01".len()).collect();
    (agent, date, escape(&workspace.email))
}
