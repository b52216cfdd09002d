//! The work queue of an inbox: claim, ack, nack, extend (contract §4.8).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    id::{InboxId, MessageId},
    message::{Channel, Kind},
    queue::Wanted,
    time::{SECOND_MS, Time},
};

use super::messages::ScreeningQuery;
use crate::{
    app::{
        App,
        claim::{self, Claim},
        settle_claim::{self, Held},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{Empty, Int, Line, Seconds, choice, object},
    },
    views::queue::{AckedView, ClaimsView, ExtendedView, NackedView, OrGone},
};

/// A lease as callers name it. What is no lease at all is a stale one.
pub(super) type LeaseText = Line<1, 100>;
/// How long a message is leased, in seconds.
type LeaseSeconds = Int<30, 3_600>;
/// Messages of a claim that does not say how many.
const LIMIT_DEFAULT: u32 = 10;
/// Length of a lease that nobody chose, in seconds.
const LEASE_SECONDS_DEFAULT: i64 = 300;

pub(crate) fn routes() -> Vec<Route> {
    let about_one = |path, name, summary| {
        Route::new(Method::POST, path, name, Permission::MessagesWrite)
            .summary(summary)
            .errors(&[Code::NotFound, Code::LeaseExpired])
    };
    vec![
        Route::new(Method::POST, "/v1/inboxes/{id}/messages/claim", "claimMessages", Permission::MessagesWrite)
            .also(&[Permission::MessagesRead])
            .summary("Hands out the oldest received mail of the inbox under leases, one message of a conversation at a time.")
            .answers::<ClaimsView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(claim),
        about_one("/v1/messages/{id}/ack", "ackMessage", "Finishes a claimed message: it is never handed out again.")
            .answers::<OrGone<AckedView>>(200)
            .handle(ack),
        about_one("/v1/messages/{id}/nack", "nackMessage", "Gives a claimed message back; the tenth time it is a dead letter.")
            .answers::<OrGone<NackedView>>(200)
            .handle(nack),
        about_one("/v1/messages/{id}/extend", "extendLease", "Lets a lease end so many seconds from now.")
            .answers::<OrGone<ExtendedView>>(200)
            .handle(extend),
    ]
}

choice! {
    /// How far the check for injection and phishing must have come.
    enum Analysis {
        /// To its end.
        Completed = "completed",
    }
}

object! {
    /// What is claimed.
    struct ClaimBody {
        /// Most messages; 10 when left out.
        limit: Option<Int<1, 50>>,
        /// How long each is hidden from other claims, in seconds; 300 when left out.
        lease_seconds: Option<LeaseSeconds>,
        /// Who claims; kept with the lease, for people who look.
        consumer: Option<Line<0, 100>>,
        /// Seconds to wait while there is nothing to claim; fractions allowed, 0 when left out.
        wait: Option<Seconds<0, 30, 0>>,
        /// Only mail whose categorisation is done, was skipped or failed.
        enriched: Option<bool>,
        /// Only mail whose check for injection and phishing was completed.
        analysis: Option<Analysis>,
        /// Where the queue begins; only the first claim of an inbox says it. Left out, the queue begins now.
        since: Option<Time>,
        /// Mail of that type alone.
        kind = "type": Option<Kind>,
        /// Mail of that channel alone.
        channel: Option<Channel>,
        /// Claim mail that is not screened yet, too.
        include_unscreened: Option<bool>,
        /// Claim held mail, too; needs messages:release.
        include_held: Option<bool>,
    }
}

object! {
    /// The end of a claim.
    struct AckBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseText,
        /// Whether the message is marked as read with it.
        mark_read: Option<bool>,
    }
}

object! {
    /// A message that goes back.
    struct NackBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseText,
        /// Seconds until it can be claimed again; 0 when left out.
        delay_seconds: Option<Int<0, 3_600>>,
    }
}

object! {
    /// A lease that is to last longer.
    struct ExtendBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseText,
        /// Seconds from now until its end; 300 when left out.
        lease_seconds: Option<LeaseSeconds>,
    }
}

impl ClaimBody {
    fn screening(&self) -> ScreeningQuery {
        ScreeningQuery {
            include_unscreened: self.include_unscreened.unwrap_or_default(),
            include_held: self.include_held.unwrap_or_default(),
        }
    }

    fn claim(self, inbox: InboxId) -> Claim {
        // Nothing categorises mail as yet: that of all mail was skipped, so `enriched` leaves all of it.
        let _ = self.enriched;
        Claim {
            inbox,
            limit: self.limit.and_then(|limit| u32::try_from(limit.0).ok()).unwrap_or(LIMIT_DEFAULT),
            lease_ms: lease_ms(self.lease_seconds),
            consumer: self.consumer.map(|consumer| consumer.0),
            wait_ms: self.wait.map_or(0, |wait| wait.ms),
            since: self.since,
            wanted: Wanted {
                channel: self.channel,
                kind: self.kind,
                analysed: self.analysis == Some(Analysis::Completed),
            },
        }
    }
}

fn lease_ms(given: Option<LeaseSeconds>) -> i64 {
    given.map_or(LEASE_SECONDS_DEFAULT, |seconds| seconds.0) * SECOND_MS
}

async fn claim(app: Arc<App>, input: Input<Empty, ClaimBody>) -> Result<Answer, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    input.body.screening().check(&input.caller)?;
    let claims = claim::claim(&app, input.caller, input.body.claim(inbox)).await?;
    Answer::json(200, &ClaimsView::of(&claims))
}

async fn ack(app: Arc<App>, input: Input<Empty, AckBody>) -> Result<Answer, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = Held { message, lease: input.body.lease_id.0 };
    let done = settle_claim::ack(&app, input.caller, held, input.body.mark_read.unwrap_or_default()).await?;
    Answer::json(200, &AckedView::of(message, done))
}

async fn nack(app: Arc<App>, input: Input<Empty, NackBody>) -> Result<Answer, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = Held { message, lease: input.body.lease_id.0 };
    let delay_ms = input.body.delay_seconds.map_or(0, |delay| delay.0 * SECOND_MS);
    Answer::json(200, &NackedView::of(message, settle_claim::nack(&app, input.caller, held, delay_ms).await?))
}

async fn extend(app: Arc<App>, input: Input<Empty, ExtendBody>) -> Result<Answer, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = Held { message, lease: input.body.lease_id.0 };
    let lease_ms = lease_ms(input.body.lease_seconds);
    Answer::json(200, &ExtendedView::of(message, settle_claim::extend(&app, input.caller, held, lease_ms).await?))
}
