//! An address that mail is passed on to (contract §3.3).

use posthouse_domain::forwarding::ForwardingAddress;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Moment;

/// An address that the mail of an inbox is passed on to.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForward")]
pub struct ForwardingView<'a> {
    id: Uuid,
    inbox_id: Uuid,
    /// Where the mail goes.
    address: &'a str,
    /// pending until its owner follows the link in the confirmation mail, then confirmed.
    status: &'static str,
    /// Whether mail stays that is flagged as phishing or injection risk, or fails DMARC.
    skip_flagged: bool,
    /// When its owner agreed; null before.
    confirmed_at: Option<Moment>,
    /// When the newest confirmation mail was sent.
    confirmation_sent_at: Option<Moment>,
    /// When the newest mail was passed on; null before the first.
    last_forwarded_at: Option<Moment>,
    /// How many mails were passed on.
    forwarded_count: u64,
    /// Why the newest mail was not passed on; null when it was.
    error: Option<FailureView<'a>>,
    created_at: Moment,
}

/// Why a mail was not passed on.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForwardError")]
struct FailureView<'a> {
    /// The code of the refusal.
    code: &'a str,
    /// What was wrong.
    message: &'a str,
}

/// The addresses of an inbox; there are no pages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InboxForwards")]
pub struct ForwardingsView<'a> {
    /// The addresses, oldest first.
    pub data: Vec<ForwardingView<'a>>,
}

impl<'a> ForwardingView<'a> {
    /// Shows the address.
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
            error: a.failure.as_ref().map(|f| FailureView { code: &f.code, message: &f.message }),
            created_at: a.created_at.into(),
        }
    }
}
