//! `POST /v1/inboxes/{id}/messages/claim`: messages from the work queue of an inbox. See `docs/reference/queue.md`.

use posthouse_api::{views::queue::ClaimsView, wire::BoundedInt, wire::Seconds};
use posthouse_app::limits::blocking_pool::{WorkClass, WorkOwner, WorkStop};
use posthouse_app::messages::{claim, claim::ClaimRequest};
use posthouse_call::prelude::*;
use posthouse_call::render_view;
use posthouse_domain::{Channel, ClaimFilter, MessageKind, Time};

use crate::v1::fields::{LeaseSeconds, ScreeningQuery, lease_ms};

/// Default number of messages per claim.
const LIMIT_DEFAULT: u32 = 10;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Post, "/v1/inboxes/{id}/messages/claim", "claimMessages", Permission::MessagesWrite)
            .also(&[Permission::MessagesRead])
            .waits()
            .summary("Claims the oldest received messages of an inbox under leases, one per conversation at a time.")
            .responds::<ClaimsView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(claim),
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
