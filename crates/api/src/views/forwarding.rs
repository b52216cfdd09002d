//! The forwarding address object, of automatic forwarding.

use posthouse_domain::forwarding::ForwardingAddress;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::TimestampView;

/// An address to which mail of an inbox is forwarded automatically.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForward")]
pub struct ForwardingView<'a> {
    id: Uuid,
    /// Inbox whose mail is forwarded.
    inbox_id: Uuid,
    /// Destination address.
    address: &'a str,
    /// `pending` until the owner of the address follows the link in the confirmation mail, then `confirmed`.
    status: &'static str,
    /// Whether to skip mail that is flagged as phishing or injection risk, or fails DMARC.
    skip_flagged: bool,
    /// Time of the confirmation; null before.
    confirmed_at: Option<TimestampView>,
    /// Time at which the newest confirmation mail was sent.
    confirmation_sent_at: Option<TimestampView>,
    /// Time of the newest forward; null before the first.
    last_forwarded_at: Option<TimestampView>,
    /// Number of forwarded messages.
    forwarded_count: u64,
    /// Reason why the newest message was not forwarded; null if it was.
    error: Option<ForwardingErrorView<'a>>,
    created_at: TimestampView,
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

impl<'a> ForwardingView<'a> {
    /// Returns the view of a forwarding address.
    #[must_use]
    pub fn of(address: &'a ForwardingAddress) -> Self {
        let a = address;
        Self {
            id: a.id.into(),
            inbox_id: a.inbox.into(),
            address: &a.address,
            status: a.status(),
            skip_flagged: a.skip_flagged,
            confirmed_at: a.confirmed_at.map(Into::into),
            confirmation_sent_at: Some(a.confirmation_sent_at.into()),
            last_forwarded_at: a.last_forwarded_at.map(Into::into),
            forwarded_count: a.forwarded_count,
            error: a.failure.as_ref().map(|f| ForwardingErrorView { code: &f.code, message: &f.message }),
            created_at: a.created_at.into(),
        }
    }
}
