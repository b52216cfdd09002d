//! The forwarding address object, of automatic forwarding.

use posthouse_domain::forwarding::ForwardingAddress;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

view! {
    /// An address to which mail of an inbox is forwarded automatically.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "InboxForward")]
    pub struct ForwardingView<'a> of a: &'a ForwardingAddress {
        id: Uuid = a.id.into(),
        /// Inbox whose mail is forwarded.
        inbox_id: Uuid = a.inbox.into(),
        /// Destination address.
        address: &'a str = &a.address,
        /// `pending` until the owner of the address follows the link in the confirmation mail, then `confirmed`.
        status: &'static str = a.status(),
        /// Whether to skip mail that is flagged as phishing or injection risk, or fails DMARC.
        skip_flagged: bool = a.skip_flagged,
        /// Time of the confirmation; null before.
        confirmed_at: Option<TimestampView> = a.confirmed_at.map(Into::into),
        /// Time at which the newest confirmation mail was sent.
        confirmation_sent_at: Option<TimestampView> = Some(a.confirmation_sent_at.into()),
        /// Time of the newest forward; null before the first.
        last_forwarded_at: Option<TimestampView> = a.last_forwarded_at.map(Into::into),
        /// Number of forwarded messages.
        forwarded_count: u64 = a.forwarded_count,
        /// Reason why the newest message was not forwarded; null if it was.
        error: Option<ForwardingErrorView<'a>> =
            a.failure.as_ref().map(|f| ForwardingErrorView { code: &f.code, message: &f.message }),
        created_at: TimestampView = a.created_at.into(),
    }
}

/// The reason why a message was not forwarded.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForwardError")]
struct ForwardingErrorView<'a> {
    /// Error code.
    code: &'a str,
    /// Error message.
    message: &'a str,
}

/// All forwarding addresses of an inbox, without pagination.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForwards")]
pub struct ForwardingsView<'a> {
    /// Forwarding addresses, oldest first.
    pub data: Vec<ForwardingView<'a>>,
}
