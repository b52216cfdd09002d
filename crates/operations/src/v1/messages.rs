//! `/v1/messages`: reading and changing messages, and settling claims of them.

mod attachments;
mod batch;
mod delivery_attempts;
mod draft_reply;
pub(super) mod html;

use posthouse_api::views::queue::{AckedView, DroppedView, ExtendedView, GivenBackView, NackedView, OrGoneView};
use posthouse_api::views::{BatchView, message::MessageView};
use posthouse_api::wire::{AddableLabel, BoundedInt, Replacement, UserLabel, label_change, no_label_both_ways};
use posthouse_app::messages::{change, change::MessageChange, queue_items, raw, read};
use posthouse_app::{mailbox::release, messages::settle_claim, messages::settle_claim::ClaimReference};
use posthouse_call::prelude::*;
use posthouse_call::render_view;
use posthouse_domain::{Feedback, MessageId, OptIns, Record, SECOND_MS};
use uuid::Uuid;

use super::downloads::response;
use super::fields::{LeaseIdText, LeaseSeconds, ScreeningQuery, lease_ms};
use batch::MessageBatch;

pub(super) fn operations() -> Vec<Operation> {
    [own(), queue(), attachments::operations(), delivery_attempts::operations(), draft_reply::operations()]
        .into_iter()
        .flatten()
        .collect()
}

fn own() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/messages/{id}", "getMessage", Permission::MessagesRead)
            .summary("Returns one message.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(get),
        html::operation(),
        Operation::new(Method::Patch, "/v1/messages/{id}", "updateMessage", Permission::MessagesWrite)
            .summary("Updates the labels and read state of a message. System labels cannot be changed, except that `ai:needs-human` can be added.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::LeaseExpired])
            .handle(update),
        Operation::new(Method::Post, "/v1/messages/batch-get", "batchGetMessages", Permission::MessagesRead)
            .reads()
            .summary("Returns up to 100 messages by id.")
            .responds::<BatchView<MessageView<'_>>>(200)
            .handle(batch_get),
        Operation::new(Method::Post, "/v1/messages/batch-update", "batchUpdateMessages", Permission::MessagesWrite)
            .summary("Updates the labels and read state of up to 100 messages at once.")
            .responds::<BatchView<MessageView<'_>>>(200)
            .handle(batch_update),
        Operation::new(Method::Post, "/v1/messages/{id}/release", "releaseMessage", Permission::MessagesRelease)
            .summary("Releases a held message to agents. Mail that a receive list stopped cannot be released. Releasing it again changes only the feedback.")
            .responds::<MessageView<'_>>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::NotHeld, ErrorCode::MessageBlocked])
            .handle(release_message),
        Operation::new(Method::Get, "/v1/messages/{id}/raw", "getRawMessage", Permission::MessagesRead)
            .summary("Downloads the raw message. Received mail begins with the Return-Path and Received lines of this service.")
            .responds_with(200, Some("message/rfc822"))
            .errors(&[ErrorCode::Forbidden, ErrorCode::MessageWithheld, ErrorCode::NotFound, ErrorCode::ContentDamaged])
            .handle(raw),
    ]
}

/// Returns the operations on a message in the work queue of its inbox. See `docs/reference/queue.md`.
fn queue() -> Vec<Operation> {
    let lease_route = |path, name, summary| {
        Operation::new(Method::Post, path, name, Permission::MessagesWrite)
            .summary(summary)
            .errors(&[ErrorCode::NotFound, ErrorCode::LeaseExpired])
    };
    vec![
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
        Operation::new(Method::Post, "/v1/messages/{id}/requeue", "requeueMessage", Permission::MessagesWrite)
            .summary("Returns a leased message or a dead letter to its queue, where it can be claimed at once. Its lease ends.")
            .without_body()
            .responds::<GivenBackView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::NotQueued])
            .handle(requeue),
        Operation::new(Method::Post, "/v1/messages/{id}/drop", "dropMessage", Permission::MessagesWrite)
            .destructive()
            .summary("Takes a dead letter out of its queue for good. The message stays readable.")
            .without_body()
            .responds::<DroppedView>(200)
            .errors(&[ErrorCode::NotFound, ErrorCode::NotQueued])
            .handle(drop_message),
    ]
}

object! {
    /// Releases a held message.
    struct ReleaseBody {
        /// What you think of it; kept to measure the categoriser.
        feedback: Option<Feedback>,
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

object! {
    /// Messages to return.
    struct BatchGetBody {
        /// Ids of the messages.
        ids: BoundedList<Uuid, 1, 100>,
        /// Whether to include the content of mail that is not screened yet.
        include_unscreened: Option<bool>,
        /// Whether to include the content of held mail. Requires `messages:release`.
        include_held: Option<bool>,
    }
}

object! {
    /// Changes to one message.
    struct UpdateMessageBody {
        /// Labels to add, after the existing ones. Of the system labels, only `ai:needs-human`, which escalates to the
        /// people on call.
        add_labels: Replacement<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Replacement<bool>,
        /// The lease under which the message was claimed. If it is not the current lease, the request fails with
        /// `lease_expired`.
        lease_id: Replacement<LeaseIdText>,
    }
    check no_label_both_ways;
}

object! {
    /// Changes to several messages.
    struct BatchUpdateBody {
        /// Ids of the messages.
        ids: BoundedList<Uuid, 1, 100>,
        /// Labels to add, after the existing ones. Of the system labels, only `ai:needs-human`, which escalates to the
        /// people on call.
        add_labels: Replacement<BoundedList<AddableLabel, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<UserLabel, 0, 50>>,
        /// The new read state.
        is_read: Replacement<bool>,
    }
    check no_label_both_ways;
}

async fn get(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let render = |record: Record| render_view(&MessageView::of(&record));
    Ok(Outcome::rendered_json(200, read::get(&service, input.caller, id, input.query.opt_ins(), render).await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateMessageBody>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let UpdateMessageBody { add_labels, remove_labels, is_read, lease_id } = input.body;
    let labels = label_change(add_labels.0, remove_labels.0);
    let change = MessageChange { labels, is_read: is_read.0, lease: lease_id.0.map(|lease| lease.0) };
    let changed = change::change(&service, input.caller, id, change).await?;
    Ok(Outcome::rendered_json(200, render_one(&changed)?))
}

async fn batch_get(service: Arc<Service>, input: Input<EmptyInput, BatchGetBody>) -> Result<Outcome, Refusal> {
    let BatchGetBody { ids, include_unscreened, include_held } = input.body;
    let opt_ins = OptIns { unscreened: include_unscreened.unwrap_or_default(), held: include_held.unwrap_or_default() };
    MessageBatch::new(service, input.caller, unique(ids), opt_ins).respond().await
}

async fn batch_update(service: Arc<Service>, input: Input<EmptyInput, BatchUpdateBody>) -> Result<Outcome, Refusal> {
    let BatchUpdateBody { ids, add_labels, remove_labels, is_read } = input.body;
    let ids = unique(ids);
    let labels = label_change(add_labels.0, remove_labels.0);
    let change = MessageChange { labels, is_read: is_read.0, lease: None };
    change::change_many(&service, input.caller, ids.clone(), change).await?;
    MessageBatch::new(service, input.caller, ids, OptIns::default()).respond().await
}

async fn release_message(service: Arc<Service>, input: Input<EmptyInput, ReleaseBody>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let released = release::release(&service, input.caller, id, input.body.feedback).await?;
    Ok(Outcome::rendered_json(200, render_one(&[released])?))
}

async fn raw(service: Arc<Service>, input: Input<ScreeningQuery>) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    input.query.check(&input.caller)?;
    let raw = raw::download(&service, input.caller, id, input.query.opt_ins()).await?;
    Ok(response("message/rfc822", &format!("{id}.eml"), raw))
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

async fn requeue(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let given_back = queue_items::requeue(&service, input.caller, id).await?;
    Outcome::json(200, &GivenBackView::of(id, given_back.deliveries, given_back.available_at))
}

async fn drop_message(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: MessageId = input.path.id("id", "message")?;
    let at = queue_items::drop_dead_letter(&service, input.caller, id).await?;
    Outcome::json(200, &DroppedView::of(id, at))
}

/// Returns each id once, in order.
fn unique(ids: BoundedList<Uuid, 1, 100>) -> Vec<MessageId> {
    let mut seen = Vec::with_capacity(ids.0.len());
    for id in ids.0.into_iter().map(MessageId) {
        if !seen.contains(&id) {
            seen.push(id);
        }
    }
    seen
}

fn render_one(records: &[Record]) -> Result<Vec<u8>, Refusal> {
    let record = records.first().ok_or_else(|| Refusal::not_found("message"))?;
    render_view(&MessageView::of(record))
}
