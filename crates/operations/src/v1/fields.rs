//! Fields that several routes share.

use posthouse_api::wire::{BoundedInt, Seconds};
use posthouse_app::{access::authorize, messages::read::MessageDetail};
use posthouse_call::prelude::*;
use posthouse_domain::{OptIns, RecordView, SECOND_MS};

/// A lease id in a request. Malformed ids count as expired leases.
pub(super) type LeaseIdText = BoundedLine<1, 100>;
/// Length of a lease in seconds.
pub(super) type LeaseSeconds = BoundedInt<30, 3_600>;
/// How long to wait: 1 to 60 seconds, 30 by default.
pub(super) type WaitTimeout = Seconds<1, 60, 30>;

/// Default length of a lease in seconds.
const LEASE_SECONDS_DEFAULT: i64 = 300;

/// Returns the length of a lease in milliseconds.
pub(super) fn lease_ms(given: Option<LeaseSeconds>) -> i64 {
    given.map_or(LEASE_SECONDS_DEFAULT, |seconds| seconds.0) * SECOND_MS
}

/// Returns how much of each message a request shows.
pub(super) fn detail(view: Option<RecordView>, opt_ins: OptIns) -> MessageDetail {
    MessageDetail { view: view.unwrap_or(RecordView::Full), opt_ins }
}

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
