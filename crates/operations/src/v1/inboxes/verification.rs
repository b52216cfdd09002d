//! `/v1/inboxes/{id}/verification`: long polls for sign-in codes and links.

use posthouse_api::views::{NullableView, TimestampView, message::VerificationView};
use posthouse_api::wire::AuthorFilter;
use posthouse_app::messages::wait::{self, LongPoll};
use posthouse_call::prelude::*;
use posthouse_domain::{Message, SenderFilter, Time};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::v1::fields::WaitTimeout;

/// The caller, the bounds of the wait, the author to wait for and whether failed authentication is accepted.
type WaitRequest = Result<(Caller, LongPoll, (Option<SenderFilter>, bool)), Refusal>;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/verification", "waitForVerification", Permission::MessagesRead)
            .waits()
            .summary("Waits for the newest sign-in code or link. Returns null on timeout.")
            .responds::<NullableView<FoundVerificationView<'_>>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(verification),
    ]
}

query! {
    /// Which code or link to wait for, and how long.
    struct VerificationQuery {
        /// Seconds to wait; fractions are allowed.
        timeout: WaitTimeout,
        /// Only messages stored after this time. If omitted, the time of the request.
        since: Option<Time>,
        /// Only mail from this author. Text with an @ is a whole address; `@acme.com` is any address at exactly that
        /// domain. Text with a dot and no space is a domain, including its subdomains. Any other text is matched
        /// against part of the author's name or address, ignoring case. Mail without an author never matches, nor does
        /// mail whose author failed authentication or could not be checked, unless `include_unauthenticated` is true.
        from: Option<AuthorFilter>,
        /// Whether to include mail whose author failed authentication. Such results have `auth_failed` set.
        include_unauthenticated: bool,
    }
}

/// A code or link, and the message it came in.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundVerification")]
struct FoundVerificationView<'a> {
    #[serde(flatten)]
    verification: VerificationView<'a>,
    message_id: Uuid,
    from: &'a str,
    subject: Option<&'a str>,
    received_at: Option<TimestampView>,
}

impl<'a> FoundVerificationView<'a> {
    fn of(message: &'a Message) -> Option<Self> {
        Some(Self {
            verification: VerificationView::of(
                message.verification.as_ref()?,
                &message.from,
                message.analysis.as_ref().and_then(|analysis| analysis.verdict()),
            ),
            message_id: message.id.into(),
            from: &message.from,
            subject: message.subject.as_deref(),
            received_at: message.received_at.map(Into::into),
        })
    }
}

// The request is read before the async block begins: otherwise it would hold all of it while it waits.

fn verification(
    service: Arc<Service>,
    input: Input<VerificationQuery>,
) -> impl Future<Output = Result<Outcome, Refusal>> + Send {
    let wanted = wanted_verification(input);
    async move {
        let (caller, long_poll, (from, unauthenticated)) = wanted?;
        let found = wait::verification(&service, caller, long_poll, from, unauthenticated).await?;
        Outcome::json(200, &NullableView { data: found.as_ref().and_then(FoundVerificationView::of) })
    }
}

fn wanted_verification(input: Input<VerificationQuery>) -> WaitRequest {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let query = input.query;
    let arrived_at = input.request.arrived_at;
    let long_poll = LongPoll { inbox, since: query.since, arrived_at, timeout_ms: query.timeout.ms };
    Ok((input.caller, long_poll, (query.from.map(|from| from.0), query.include_unauthenticated)))
}
