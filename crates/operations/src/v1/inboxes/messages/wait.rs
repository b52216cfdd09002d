//! Long polls for messages and verifications.

use posthouse_api::views::{NullableView, TimestampView, message::MessageView, message::VerificationView};
use posthouse_api::wire::{AuthorFilter, Seconds};
use posthouse_app::messages::wait::{self, ArrivalFilter, LongPoll, NewMessageFilter};
use posthouse_call::prelude::*;
use posthouse_domain::{Channel, Direction, Message, MessageKind, OptIns, SenderFilter, Time};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use crate::v1::fields::ScreeningQuery;

/// How long to wait: 1 to 60 seconds, 30 by default.
type Timeout = Seconds<1, 60, 30>;
/// The caller, the bounds of the wait and what to wait for.
type WaitRequest<W> = Result<(Caller, LongPoll, W), Refusal>;
/// Part of a header field.
type Part = BoundedLine<1, 500>;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/messages/wait", "waitForMessage", Permission::MessagesRead)
            .waits()
            .summary("Waits for the oldest message after a given time. Returns null on timeout.")
            .responds::<NullableView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(message),
        Operation::new(Method::Get, "/v1/inboxes/{id}/verification", "waitForVerification", Permission::MessagesRead)
            .waits()
            .summary("Waits for the newest sign-in code or link. Returns null on timeout.")
            .responds::<NullableView<FoundVerificationView<'_>>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(verification),
    ]
}

query! {
    /// Which message to wait for, and how long.
    struct WaitQuery {
        /// Seconds to wait; fractions are allowed.
        timeout: Timeout,
        /// Only messages that such a request can see since this time: stored after it, or shown after it. If omitted, the
        /// time of the request. Pass the last `created_at` to get each message once.
        since: Option<Time>,
        /// Only mail from this author. Text with an @ is a whole address; `@acme.com` is any address at exactly that
        /// domain. Text with a dot and no space is a domain, including its subdomains. Any other text is matched
        /// against part of the author's name or address, ignoring case. Mail without an author never matches, nor does
        /// mail whose author failed authentication or could not be checked.
        from: Option<AuthorFilter>,
        /// Part of the subject, ignoring case.
        subject: Option<Part>,
        /// Only messages of this direction. Default: received mail.
        direction: Option<Direction>,
        /// Only messages of this channel.
        channel: Option<Channel>,
        /// Only messages of this type.
        kind = "type": Option<MessageKind>,
        /// Whether to include mail that is not screened yet.
        include_unscreened: bool,
        /// Whether to include held mail. Requires `messages:release`.
        include_held: bool,
    }
}

query! {
    /// Which code or link to wait for, and how long.
    struct VerificationQuery {
        /// Seconds to wait; fractions are allowed.
        timeout: Timeout,
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

impl WaitQuery {
    fn sort(&self) -> ArrivalFilter {
        ArrivalFilter {
            direction: self.direction.unwrap_or(Direction::Inbound),
            channel: self.channel,
            kind: self.kind,
            opt_ins: OptIns { unscreened: self.include_unscreened, held: self.include_held },
        }
    }
}

// The request is read before the async blocks begin: otherwise they would hold all of it while they wait.

fn message(service: Arc<Service>, input: Input<WaitQuery>) -> impl Future<Output = Result<Outcome, Refusal>> + Send {
    let wanted = wanted_message(input);
    async move {
        let (caller, long_poll, (sort, parts)) = wanted?;
        let found = wait::message(&service, caller, long_poll, sort, parts).await?;
        Outcome::json(200, &NullableView { data: found.as_ref().map(MessageView::of) })
    }
}

fn wanted_message(input: Input<WaitQuery>) -> WaitRequest<(ArrivalFilter, NewMessageFilter)> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let query = input.query;
    let screening = ScreeningQuery { include_unscreened: query.include_unscreened, include_held: query.include_held };
    screening.check(&input.caller)?;
    let sort = query.sort();
    let parts = NewMessageFilter { from: query.from.map(|from| from.0), subject: query.subject.map(|part| part.0) };
    let arrived_at = input.request.arrived_at;
    let long_poll = LongPoll { inbox, since: query.since, arrived_at, timeout_ms: query.timeout.ms };
    Ok((input.caller, long_poll, (sort, parts)))
}

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

fn wanted_verification(input: Input<VerificationQuery>) -> WaitRequest<(Option<SenderFilter>, bool)> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let query = input.query;
    let arrived_at = input.request.arrived_at;
    let long_poll = LongPoll { inbox, since: query.since, arrived_at, timeout_ms: query.timeout.ms };
    Ok((input.caller, long_poll, (query.from.map(|from| from.0), query.include_unauthenticated)))
}
