//! The rules that prevent mail loops.

named! {
    /// A rule that prevents mail loops. Its name is in `details.rule`.
    LoopRule {
        /// Replies to an automatic reply or bounce that was already replied to.
        AnsweredAutomaticReply = "answered_automatic_reply",
        /// Replies to one of the inbox's own messages that came back as new mail.
        OwnMessageReturned = "own_message_returned",
        /// More than 20 replies of the inbox in one thread within an hour.
        TooManyRepliesInThread = "too_many_replies_in_thread",
    }
}
