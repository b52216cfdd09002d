//! Asks the operator to review what was decided against an agent.

use posthouse_api::views::agent::AgentBundleView;
use posthouse_domain::{Caller, ErrorCode, InboxId, Refusal};
use posthouse_store::{Tx, agents};

use super::{cards::BundleLoader, cards::visible_agent, switches};
use crate::service::Service;

/// Asks for a review, once; a further call changes nothing. Returns the agent.
///
/// # Errors
/// Returns `directory_disabled`, `not_found`, or `not_suspended` if nothing was decided against the agent.
pub async fn request(
    service: &Service,
    caller: Caller,
    id: InboxId,
    note: Option<String>,
) -> Result<AgentBundleView, Refusal> {
    switches::check(service)?;
    let loader = BundleLoader::of(service).await?;
    let work = move |tx: &mut Tx| {
        let agent = visible_agent(tx, &caller, id)?;
        if agent.sanction.is_none() {
            let message = "The agent is not suspended, and reports have not hidden it.";
            return Err(Refusal::new(ErrorCode::NotSuspended, message));
        }
        let now = loader.events.viewer.now;
        if agents::request_review(tx, agent.workspace, agent.inbox, note.as_deref(), now)? {
            tracing::warn!(inbox_id = %agent.inbox, "directory.review_requested");
        }
        loader.load(tx, &agent)
    };
    service.write(work).await
}
