//! The status of a draft.

named! {
    /// The status of a draft.
    DraftStatus {
        /// Being edited or waiting for review.
        Draft = "draft",
        /// Waiting for its `send_at`.
        Scheduled = "scheduled",
        /// Being queued. Never visible, because it lasts only for one transaction.
        Sending = "sending",
        /// Sent: the draft became a message.
        Sent = "sent",
        /// A check refused it at its `send_at`.
        Failed = "failed",
        /// Cancelled by a caller.
        Cancelled = "cancelled",
    }
}
