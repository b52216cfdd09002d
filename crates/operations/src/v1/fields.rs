//! Fields that several routes share.

use posthouse_app::access::authorize;
use posthouse_call::prelude::*;
use posthouse_domain::OptIns;

/// A lease id in a request. Malformed ids count as expired leases.
pub(super) type LeaseIdText = BoundedLine<1, 100>;

query! {
    /// Whether the response includes content that screening withholds.
    pub(super) struct ScreeningQuery {
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: bool,
    }
}

impl ScreeningQuery {
    /// Returns which withheld content is requested.
    pub(super) const fn opt_ins(&self) -> OptIns {
        OptIns { unscreened: self.include_unscreened, held: self.include_held }
    }

    /// Checks that a caller that requests held mail may release it.
    ///
    /// # Errors
    /// Returns `insufficient_permissions` if the caller lacks `messages:release`.
    pub(super) fn check(&self, caller: &Caller) -> Result<(), Refusal> {
        authorize::check_held(caller, self.opt_ins())
    }
}
