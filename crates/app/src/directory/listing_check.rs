//! The listing check: whether a public card may appear in the public directory.

use posthouse_domain::{
    agent::{
        Agent,
        card::CardVisibility,
        listing::{self, ListingProblem, ListingState},
        lookalike::readings,
    },
    id::{InboxId, WorkspaceId},
};
use posthouse_store::{Result, Tx, agents, handles, inboxes};

use super::change::index;
use crate::app::App;

/// Checks a card that waits for it, and lists or hides it.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn run(app: &App, workspace: WorkspaceId, inbox: InboxId) -> Result<()> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx| {
        inboxes::lock(tx, workspace, inbox)?;
        let Some(mut agent) = agents::get(tx, workspace, inbox)? else { return Ok(()) };
        let Some(mut card) = agent.card.clone() else { return Ok(()) };
        if card.visibility != CardVisibility::Public || card.listing != Some(ListingState::Pending) {
            return Ok(());
        }
        card.listing_problems = problems(tx, &agent)?;
        if card.listing_problems.is_empty() {
            (card.listing, card.listed_at) = (Some(ListingState::Listed), Some(now));
        } else {
            (card.listing, card.listed_at) = (Some(ListingState::Hidden), None);
        }
        agents::update(tx, &agent, &card)?;
        agent.card = Some(card);
        index(tx, &agent)
    };
    app.store.write(work).await
}

/// Returns what speaks against listing a card.
fn problems(tx: &mut Tx, agent: &Agent) -> Result<Vec<ListingProblem>> {
    let Some(card) = &agent.card else { return Ok(Vec::new()) };
    let mut problems = listing::problems(card);
    for reading in readings(&card.name) {
        if handles::listed_look_alike(tx, agent.workspace, &reading)?.is_some() {
            problems.push(ListingProblem::SimilarHandle);
            break;
        }
    }
    Ok(problems)
}
