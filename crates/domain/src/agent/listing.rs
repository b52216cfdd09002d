//! Listings: whether a public card appears in the public directory, and why not.

pub use super::listing_state::{ListingProblem, ListingState};
use super::{
    Agent, SanctionKind, Standing,
    card::{Card, CardVisibility},
    lookalike::has_mixed_word,
};
use crate::{reserved_names::ReservedNames, time::Time, workspace::ClaimStatus};

named! {
    /// Why a listing is hidden.
    ListingReason {
        /// The listing check found problems.
        ListingCheck = "listing_check",
        /// Several workspaces reported the agent.
        Reports = "reports",
        /// The operator suspended the agent or its workspace, or switched the public directory off.
        Operator = "operator",
        /// The owner revoked the agent.
        Revoked = "revoked",
    }
}

/// The listing of a public card, as its owner sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    pub state: ListingState,
    /// Why it is hidden.
    pub reason: Option<ListingReason>,
    /// What the listing check found.
    pub problems: Vec<ListingProblem>,
    /// When the listing check passed.
    pub listed_at: Option<Time>,
}

impl Agent {
    /// Returns the listing of a public card in a public directory that is switched on or off; `None` for any other card.
    #[must_use]
    pub fn listing(&self, is_on: bool) -> Option<Listing> {
        let card = self.card.as_ref().filter(|card| card.visibility == CardVisibility::Public)?;
        let hidden = |reason| (ListingState::Hidden, Some(reason));
        let (state, reason) = match (self.sanction, card.listing.unwrap_or(ListingState::Pending)) {
            (Some(SanctionKind::Suspended), _) => hidden(ListingReason::Operator),
            _ if self.is_workspace_suspended || !is_on => hidden(ListingReason::Operator),
            (Some(SanctionKind::Reported), _) => hidden(ListingReason::Reports),
            _ if card.revoked_at.is_some() => hidden(ListingReason::Revoked),
            (None, ListingState::Hidden) => hidden(ListingReason::ListingCheck),
            (None, state) => (state, None),
        };
        let problems = card.listing_problems.clone();
        Some(Listing { state, reason, problems, listed_at: card.listed_at.filter(|_| state == ListingState::Listed) })
    }

    /// Returns whether the public directory shows the agent while it is switched on.
    #[must_use]
    pub fn is_listed(&self, now: Time) -> bool {
        self.claim != ClaimStatus::Unclaimed
            && self.standing(now) == Standing::Active
            && self.listing(true).is_some_and(|listing| listing.state == ListingState::Listed)
    }
}

/// Returns what the listing check finds in a card itself; the readings of the name must also differ from the handles of
/// others.
#[must_use]
pub fn problems(card: &Card, names: &ReservedNames) -> Vec<ListingProblem> {
    let mut found: Vec<ListingProblem> = card.text_problems().into_iter().map(|one| one.problem.into()).collect();
    if has_mixed_word(&card.name) {
        found.push(ListingProblem::MixedScripts);
    }
    if names.is_card_name(&card.name) {
        found.push(ListingProblem::ReservedName);
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::{super::card::tests::card, super::tests::agent, *};

    fn public(listing: ListingState) -> Agent {
        let now = Some(Time::from_millis(5));
        let card = Card { visibility: CardVisibility::Public, listing: Some(listing), listed_at: now, ..card() };
        Agent { card: Some(card), ..agent() }
    }

    #[test]
    fn only_a_listed_public_card_in_good_standing_is_shown() {
        let now = Time::from_millis(10);
        let listed = public(ListingState::Listed);
        assert!(listed.is_listed(now));
        assert!(!public(ListingState::Pending).is_listed(now) && !public(ListingState::Hidden).is_listed(now));
        let revoked = Card { revoked_at: Some(now), ..listed.card.clone().expect("a card") };
        for hidden in [
            Agent { claim: ClaimStatus::Unclaimed, ..listed.clone() },
            Agent { is_workspace_suspended: true, ..listed.clone() },
            Agent { sanction: Some(SanctionKind::Suspended), ..listed.clone() },
            Agent { sanction: Some(SanctionKind::Reported), ..listed.clone() },
            Agent { deleted_at: Some(now), ..listed.clone() },
            Agent { card: Some(revoked), ..listed.clone() },
            Agent { card: None, ..listed },
            Agent { card: Some(card()), ..agent() },
        ] {
            assert!(!hidden.is_listed(now), "{hidden:?}");
        }
    }

    #[test]
    fn a_hidden_listing_has_one_reason() {
        let reason = |agent: &Agent| agent.listing(true).and_then(|listing| listing.reason);
        let listed = public(ListingState::Listed);
        assert_eq!(reason(&listed), None);
        assert_eq!(reason(&public(ListingState::Hidden)), Some(ListingReason::ListingCheck));
        let reported = Agent { sanction: Some(SanctionKind::Reported), ..listed.clone() };
        assert_eq!(reason(&reported), Some(ListingReason::Reports));
        let card = Card { revoked_at: Some(Time::from_millis(6)), ..listed.card.clone().expect("a card") };
        let revoked = Agent { card: Some(card), ..listed.clone() };
        assert_eq!(reason(&revoked), Some(ListingReason::Revoked));
        assert_eq!(revoked.listing(true).map(|listing| listing.state), Some(ListingState::Hidden));
        assert_eq!(listed.listing(false).and_then(|listing| listing.reason), Some(ListingReason::Operator));
        let suspended = Agent { sanction: Some(SanctionKind::Suspended), ..listed };
        assert_eq!(reason(&suspended), Some(ListingReason::Operator));
        assert_eq!((agent().listing(true), agent().listing(false)), (None, None));
    }

    #[test]
    fn the_check_refuses_reserved_and_mixed_names() {
        let found = |name: &str| problems(&Card { name: name.to_owned(), ..card() }, &ReservedNames::default());
        assert_eq!(found("Support bot"), []);
        assert_eq!(found("Support"), [ListingProblem::ReservedName]);
        assert_eq!(found("Posthouse Support"), [ListingProblem::ReservedName]);
        assert_eq!(found("Аdmin"), [ListingProblem::MixedScripts, ListingProblem::ReservedName]);
        assert_eq!(found("<b>x</b>"), [ListingProblem::Html]);
    }
}
