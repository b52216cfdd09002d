//! Long polls for messages.

use posthouse_api::views::{NullableView, message::MessageView};
use posthouse_api::wire::AuthorFilter;
use posthouse_app::messages::wait::{self, ArrivalFilter, LongPoll, NewMessageFilter};
use posthouse_call::prelude::*;
use posthouse_domain::{Channel, Direction, MessageKind, OptIns, Time};

use crate::v1::fields::{ScreeningQuery, WaitTimeout};

/// The caller, the bounds of the wait and what to wait for.
type WaitRequest = Result<(Caller, LongPoll, (ArrivalFilter, NewMessageFilter)), Refusal>;
/// Part of a header field.
type Part = BoundedLine<1, 500>;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/inboxes/{id}/messages/wait", "waitForMessage", Permission::MessagesRead)
            .waits()
            .summary("Waits for the oldest message after a given time. Returns null on timeout.")
            .responds::<NullableView<MessageView<'_>>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(message),
    ]
}

query! {
    /// Which message to wait for, and how long.
    struct WaitQuery {
        /// Seconds to wait; fractions are allowed.
        timeout: WaitTimeout,
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

// The request is read before the async block begins: otherwise it would hold all of it while it waits.

fn message(service: Arc<Service>, input: Input<WaitQuery>) -> impl Future<Output = Result<Outcome, Refusal>> + Send {
    let wanted = wanted_message(input);
    async move {
        let (caller, long_poll, (sort, parts)) = wanted?;
        let found = wait::message(&service, caller, long_poll, sort, parts).await?;
        Outcome::json(200, &NullableView { data: found.as_ref().map(MessageView::of) })
    }
}

fn wanted_message(input: Input<WaitQuery>) -> WaitRequest {
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
