//! The long-polls (API document, Messages; contract §4.7).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::InboxId,
    message::{Channel, Direction, Kind, Message},
    sender::SenderFilter,
    time::Time,
};
use posthouse_store::arrivals::Sort;
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::messages::ScreeningQuery;
use crate::{
    app::{
        App,
        wait::{self, Parts, Patience},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{Line, Seconds, Sender, query},
    },
    views::{
        MaybeView, Moment,
        message::{MessageView, VerificationView},
    },
};

/// How long is waited: 1 to 60 seconds, 30 when left out.
type Timeout = Seconds<1, 60, 30>;
/// Who waits, how long and for what.
type Asked<W> = Result<(Caller, Patience, W), Refusal>;
/// A part of a header field.
type Part = Line<1, 500>;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/inboxes/{id}/messages/wait", "waitForMessage", Permission::MessagesRead)
            .summary("Waits for the oldest message after a moment; null when none came in time.")
            .answers::<MaybeView<MessageView<'_>>>(200)
            .errors(&[Code::NotFound])
            .handle(message),
        Route::new(Method::GET, "/v1/inboxes/{id}/verification", "waitForVerification", Permission::MessagesRead)
            .summary("Waits for a code or link to sign in with; the newest one, or null when none came in time.")
            .answers::<MaybeView<FoundView<'_>>>(200)
            .errors(&[Code::NotFound])
            .handle(verification),
    ]
}

query! {
    /// Which message is waited for.
    struct WaitQuery {
        /// Seconds to wait, fractions allowed.
        timeout: Timeout,
        /// Only messages stored after this moment count; left out, the moment of the request.
        since: Option<Time>,
        /// Only mail from that author. With an @ it is the whole address, and `@acme.com` any address at exactly that domain. With
        /// a dot and no blank it is a domain, those below it included. Anything else is a part of the author's name or address, in
        /// any case of letters. Mail without an author never matches, nor mail whose author failed authentication or could not be
        /// checked.
        from: Option<Sender>,
        /// A part of the subject, in any case of letters.
        subject: Option<Part>,
        /// Received mail when left out.
        direction: Option<Direction>,
        /// Mail of that channel alone.
        channel: Option<Channel>,
        /// Mail of that type alone.
        kind = "type": Option<Kind>,
        /// Take mail that is not screened yet.
        include_unscreened: bool,
        /// Take held mail; needs messages:release.
        include_held: bool,
    }
}

query! {
    /// Which code or link is waited for.
    struct VerificationQuery {
        /// Seconds to wait, fractions allowed.
        timeout: Timeout,
        /// Only messages stored after this moment count; left out, the moment of the request.
        since: Option<Time>,
        /// Only mail from that author. With an @ it is the whole address, and `@acme.com` any address at exactly that domain. With
        /// a dot and no blank it is a domain, those below it included. Anything else is a part of the author's name or address, in
        /// any case of letters. Mail without an author never matches, nor mail whose author failed authentication or could not be
        /// checked, unless include_unauthenticated is true.
        from: Option<Sender>,
        /// Take mail whose sender failed authentication; it is marked auth_failed.
        include_unauthenticated: bool,
    }
}

/// A code or link with the message it came in.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FoundVerification")]
struct FoundView<'a> {
    #[serde(flatten)]
    verification: VerificationView<'a>,
    message_id: Uuid,
    from: &'a str,
    subject: Option<&'a str>,
    received_at: Option<Moment>,
}

impl<'a> FoundView<'a> {
    fn of(message: &'a Message) -> Option<Self> {
        Some(Self {
            verification: VerificationView::of(message.verification.as_ref()?),
            message_id: message.id.into(),
            from: &message.from,
            subject: message.subject.as_deref(),
            received_at: message.received_at.map(Into::into),
        })
    }
}

impl WaitQuery {
    fn sort(&self) -> Sort {
        Sort { direction: self.direction.unwrap_or(Direction::Inbound), channel: self.channel, kind: self.kind }
    }
}

// What a wait needs is read before the blocks begin: they would hold the whole request for as long as it waits.

fn message(app: Arc<App>, input: Input<WaitQuery>) -> impl Future<Output = Result<Answer, Refusal>> + Send {
    let wanted = wanted_message(input);
    async move {
        let (caller, patience, wanted) = wanted?;
        let found = wait::message(&app, caller, patience, wanted).await?;
        Answer::json(200, &MaybeView { data: found.as_ref().map(MessageView::of) })
    }
}

fn wanted_message(input: Input<WaitQuery>) -> Asked<(Sort, Parts)> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let query = input.query;
    let screening = ScreeningQuery { include_unscreened: query.include_unscreened, include_held: query.include_held };
    screening.check(&input.caller)?;
    let sort = query.sort();
    let parts = Parts { from: query.from.map(|from| from.0), subject: query.subject.map(|part| part.0) };
    let arrived_at = input.request.arrived_at;
    let patience = Patience { inbox, since: query.since, arrived_at, timeout_ms: query.timeout.ms };
    Ok((input.caller, patience, (sort, parts)))
}

fn verification(
    app: Arc<App>,
    input: Input<VerificationQuery>,
) -> impl Future<Output = Result<Answer, Refusal>> + Send {
    let wanted = wanted_verification(input);
    async move {
        let (caller, patience, wanted) = wanted?;
        let found = wait::verification(&app, caller, patience, wanted).await?;
        Answer::json(200, &MaybeView { data: found.as_ref().and_then(FoundView::of) })
    }
}

fn wanted_verification(input: Input<VerificationQuery>) -> Asked<(Option<SenderFilter>, bool)> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    let query = input.query;
    let arrived_at = input.request.arrived_at;
    let patience = Patience { inbox, since: query.since, arrived_at, timeout_ms: query.timeout.ms };
    Ok((input.caller, patience, (query.from.map(|from| from.0), query.include_unauthenticated)))
}
