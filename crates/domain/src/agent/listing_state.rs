//! The state of a listing and what the listing check finds, which cards store.

use super::card_text::CardTextProblem;

named! {
    /// The state of a listing.
    ListingState {
        /// The listing check has not run yet.
        Pending = "pending",
        /// The card is in the public directory.
        Listed = "listed",
        /// The card is not in the public directory.
        Hidden = "hidden",
    }

    /// What the listing check found.
    ListingProblem {
        /// A text has HTML.
        Html = "html",
        /// A text has a link.
        Link = "link",
        /// A text has an email address.
        Address = "address",
        /// A text has invisible characters.
        Invisible = "invisible_text",
        /// A word of the name mixes scripts.
        MixedScripts = "mixed_scripts",
        /// The name is that of a role or of the service, or looks like it.
        ReservedName = "reserved_name",
        /// The name is the handle of another workspace with listed agents, or looks like it.
        SimilarHandle = "similar_handle",
    }
}

impl From<CardTextProblem> for ListingProblem {
    fn from(problem: CardTextProblem) -> Self {
        match problem {
            CardTextProblem::Html => Self::Html,
            CardTextProblem::Link => Self::Link,
            CardTextProblem::Address => Self::Address,
            CardTextProblem::Invisible => Self::Invisible,
        }
    }
}
