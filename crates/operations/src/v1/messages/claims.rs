//! The work queue of an inbox: claim, ack, nack, extend. See `docs/reference/queue.md`.

use posthouse_api::views::queue::{AckedView, ClaimsView, ExtendedView, NackedView, OrGoneView};
use posthouse_api::wire::{BoundedInt, Seconds};
use posthouse_app::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use posthouse_app::messages::{claim, claim::ClaimRequest, settle_claim, settle_claim::ClaimReference};
use posthouse_call::prelude::*;
use posthouse_call::render_view;
use posthouse_domain::{Channel, ClaimFilter, MessageId, MessageKind, SECOND_MS, Time};

use crate::v1::fields::{LeaseIdText, ScreeningQuery};

/// Length of a lease in seconds.
type LeaseSeconds = BoundedInt<30, 3_600>;
/// Default number of messages per claim.
const LIMIT_DEFAULT: u32 = 10;
/// Default length of a lease in seconds.
const LEASE_SECONDS_DEFAULT: i64 = 300;

pub(crate) fn operations() -> Vec<Operation> {
    let lease_route = |path, name, summary| {
        Operation::new(Method::Post, path, name, Permission::MessagesWrite)
            .summary(summary)
            .errors(&[ErrorCode::NotFound, ErrorCode::LeaseExpired])
    };
    vec![
        Operation::new(Method::Post, "/v1/inboxes/{id}/messages/claim", "claimMessages", Permission::MessagesWrite)
            .also(&[Permission::MessagesRead])
            .waits()
            .summary("Claims the oldest received messages of an inbox under leases, one per conversation at a time.")
            .responds::<ClaimsView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(claim),
        lease_route(
            "/v1/messages/{id}/ack",
            "ackMessage",
            "Acknowledges a claimed message, so that it is never claimed again.",
        )
        .repeatable()
        .responds::<OrGoneView<AckedView>>(200)
        .handle(ack),
        lease_route(
            "/v1/messages/{id}/nack",
            "nackMessage",
            "Returns a claimed message to the queue; after ten deliveries it becomes a dead letter.",
        )
        .responds::<OrGoneView<NackedView>>(200)
        .handle(nack),
        lease_route(
            "/v1/messages/{id}/extend",
            "extendLease",
            "Extends a lease to end the given number of seconds from now.",
        )
        .responds::<OrGoneView<ExtendedView>>(200)
        .handle(extend),
    ]
}

choice! {
    /// How far the check for injection and phishing must have progressed.
    enum Analysis {
        /// The check completed.
        Completed = "completed",
    }
}

object! {
    /// Which messages to claim, and for how long.
    struct ClaimBody {
        /// Maximum number of messages. Default: 10.
        limit: Option<BoundedInt<1, 50>>,
        /// How long each message is hidden from other claims, in seconds. Default: 300.
        lease_seconds: Option<LeaseSeconds>,
        /// Name of the worker. Stored with the lease, for people only.
        consumer: Option<BoundedLine<0, 100>>,
        /// Seconds to wait if there is nothing to claim; fractions are allowed. Default: 0.
        wait: Option<Seconds<0, 30, 0>>,
        /// Only messages whose categorization completed, failed or was skipped.
        enriched: Option<bool>,
        /// Only messages whose check for injection and phishing completed.
        analysis: Option<Analysis>,
        /// Where the queue begins. Only the first claim of an inbox uses it. Default: now.
        since: Option<Time>,
        /// Only messages of this type.
        kind = "type": Option<MessageKind>,
        /// Only messages of this channel.
        channel: Option<Channel>,
        /// Whether to claim mail that is not screened yet, too.
        include_unscreened: Option<bool>,
        /// Whether to claim held mail, too. Requires `messages:release`.
        include_held: Option<bool>,
    }
}

object! {
    /// Ends a claim.
    struct AckBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseIdText,
        /// Whether to mark the message as read, too.
        mark_read: Option<bool>,
    }
}

object! {
    /// Returns a message to the queue.
    struct NackBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseIdText,
        /// Seconds until the message can be claimed again. Default: 0.
        delay_seconds: Option<BoundedInt<0, 3_600>>,
    }
}

object! {
    /// Extends a lease.
    struct ExtendBody {
        /// The lease under which the message was claimed.
        lease_id: LeaseIdText,
        /// Seconds from now until the lease ends. Default: 300.
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

    fn claim(self, inbox: InboxId) -> ClaimRequest {
        let opt_ins = self.screening().opt_ins();
        ClaimRequest {
            inbox,
            limit: self.limit.and_then(|limit| u32::try_from(limit.0).ok()).unwrap_or(LIMIT_DEFAULT),
            lease_ms: lease_ms(self.lease_seconds),
            consumer: self.consumer.map(|consumer| consumer.0),
            wait_ms: self.wait.map_or(0, |wait| wait.ms),
            since: self.since,
            wanted: ClaimFilter {
                channel: self.channel,
                kind: self.kind,
                analysed: self.analysis == Some(Analysis::Completed),
                enriched: self.enriched.unwrap_or_default(),
                opt_ins,
            },
        }
    }
}

fn lease_ms(given: Option<LeaseSeconds>) -> i64 {
    given.map_or(LEASE_SECONDS_DEFAULT, |seconds| seconds.0) * SECOND_MS
}

async fn claim(service: Arc<Service>, input: Input<EmptyInput, ClaimBody>) -> Result<Outcome, Refusal> {
    let inbox: InboxId = input.path.id("id", "inbox")?;
    input.body.screening().check(&input.caller)?;
    let owner = WorkOwner { class: WorkClass::Respond, workspace: input.caller.workspace };
    let claims = claim::claim(&service, input.caller, input.body.claim(inbox)).await?;
    let bytes = claims.claimed.iter().map(|claimed| claimed.record.bodies.bytes()).sum();
    let render = move |_: &WorkStop| render_view(&ClaimsView::of(&claims));
    let rendered = service.blocking_pool.run_for(owner, bytes, render).await??;
    Ok(Outcome::rendered_json(200, rendered))
}

async fn ack(service: Arc<Service>, input: Input<EmptyInput, AckBody>) -> Result<Outcome, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = ClaimReference { message, lease: input.body.lease_id.0 };
    let done = settle_claim::ack(&service, input.caller, held, input.body.mark_read.unwrap_or_default()).await?;
    Outcome::json(200, &AckedView::of(message, done))
}

async fn nack(service: Arc<Service>, input: Input<EmptyInput, NackBody>) -> Result<Outcome, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = ClaimReference { message, lease: input.body.lease_id.0 };
    let delay_ms = input.body.delay_seconds.map_or(0, |delay| delay.0 * SECOND_MS);
    Outcome::json(200, &NackedView::of(message, settle_claim::nack(&service, input.caller, held, delay_ms).await?))
}

async fn extend(service: Arc<Service>, input: Input<EmptyInput, ExtendBody>) -> Result<Outcome, Refusal> {
    let message: MessageId = input.path.id("id", "message")?;
    let held = ClaimReference { message, lease: input.body.lease_id.0 };
    let lease_ms = lease_ms(input.body.lease_seconds);
    Outcome::json(200, &ExtendedView::of(message, settle_claim::extend(&service, input.caller, held, lease_ms).await?))
}
