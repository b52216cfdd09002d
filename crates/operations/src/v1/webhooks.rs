//! `/v1/webhooks`: see `docs/reference/webhooks.md`.

use posthouse_api::views::event::catalogue::{self, EventCatalogView};
use posthouse_api::views::webhook::{
    AttemptDetailsView, SecretWebhookView, StartedAttemptView, WebhookDeliveryView, WebhookView,
};
use posthouse_api::wire::{BodyValue, Patch, Replacement, WebhookUrl, expected, member};
use posthouse_app::webhooks::{change, change::WebhookChange, create, create::NewWebhook, read, test_event};
use posthouse_call::prelude::*;
use posthouse_domain::webhook::{HEADERS_MAX, header_problem, reserved_pattern};
use posthouse_domain::{EventKind, EventPayload, WebhookDeliveryId, WebhookId};
use serde_json::{Value, json};
use uuid::Uuid;

/// Longest secret in characters.
const SECRET_CHARS_MAX: usize = 255;
/// Largest number of event types per webhook.
const TYPES_MAX: usize = 100;
/// Largest number of inboxes per webhook.
const INBOXES_MAX: usize = 100;

pub(crate) fn operations() -> Vec<Operation> {
    let route = |method, path, name| Operation::new(method, path, name, Permission::WebhooksManage).workspace_wide();
    vec![
        route(Method::Post, "/v1/webhooks", "createWebhook")
            .summary(
                "Creates a webhook. From now on, events are sent to its URL as POST requests, signed with its \
                 secret. Only this response contains the secret.",
            )
            .responds::<SecretWebhookView>(201)
            .errors(&[
                ErrorCode::InvalidWebhookUrl,
                ErrorCode::NotFound,
                ErrorCode::UnclaimedWorkspace,
                ErrorCode::PlanLimitWebhooks,
            ])
            .handle(create),
        route(Method::Get, "/v1/webhooks", "listWebhooks")
            .summary("Lists the webhooks of the workspace, newest first.")
            .responds::<PageView<WebhookView>>(200)
            .handle(page),
        Operation::public(Method::Get, "/v1/webhooks/events", "listWebhookEvents")
            .summary("Lists every event type, with an example in both payload forms. Needs no key.")
            .responds::<EventCatalogView>(200)
            .handle(events),
        route(Method::Get, "/v1/webhooks/{id}", "getWebhook")
            .summary("Returns one webhook, without its secret.")
            .responds::<WebhookView>(200)
            .handle(one),
        route(Method::Patch, "/v1/webhooks/{id}", "updateWebhook")
            .summary("Updates a webhook. A webhook that is enabled again receives events from now on.")
            .responds::<WebhookView>(200)
            .errors(&[ErrorCode::InvalidWebhookUrl])
            .handle(update),
        route(Method::Delete, "/v1/webhooks/{id}", "deleteWebhook")
            .summary("Deletes a webhook and its list of deliveries.")
            .responds_with(204, None)
            .handle(delete),
        route(Method::Post, "/v1/webhooks/{id}/test", "testWebhook")
            .summary("Sends a webhook.test event to this webhook only.")
            .responds::<StartedAttemptView>(202)
            .handle(test),
        route(Method::Post, "/v1/webhooks/{id}/rotate-secret", "rotateWebhookSecret")
            .summary(
                "Replaces the secret. X-Service-Signature uses the new one at once; webhook-signature also carries a \
                 signature with the old one for 24 hours.",
            )
            .responds::<SecretWebhookView>(200)
            .handle(rotate),
        route(Method::Get, "/v1/webhooks/{id}/deliveries", "listWebhookDeliveries")
            .summary("Lists the delivery attempts of the last 30 days, newest first.")
            .responds::<PageView<WebhookDeliveryView>>(200)
            .handle(deliveries),
        route(Method::Get, "/v1/webhooks/{id}/deliveries/{delivery_id}", "getWebhookDelivery")
            .summary("Returns a delivery attempt with its request and response.")
            .responds::<AttemptDetailsView<'_>>(200)
            .handle(delivery),
        route(Method::Post, "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", "redeliverWebhookEvent")
            .summary("Sends the event of a delivery again, under the same event id.")
            .responds::<StartedAttemptView>(202)
            .handle(redeliver),
    ]
}

object! {
    /// A webhook to create.
    struct CreateWebhookBody {
        /// A public https URL on port 443 or a port from 1024 to 65535, without credentials.
        url: WebhookUrl,
        /// Event types to deliver. If omitted or null: all message events except `message.received.blocked`.
        events: Option<BoundedList<EventKind, 1, TYPES_MAX>>,
        /// Only events of these inboxes, and events of no inbox. If omitted or null: events of every inbox.
        inbox_ids: Option<BoundedList<Uuid, 1, INBOXES_MAX>>,
        /// The secret that signs requests. If omitted, one is generated.
        secret: Option<BoundedLine<1, SECRET_CHARS_MAX>>,
        /// `full`, or `envelope` for events without any content of the mail. Default: `full`.
        payload: Option<EventPayload>,
        /// Header fields to add to every request, except those the service sets itself.
        headers: Option<HeaderFields>,
    }
}

object! {
    /// Changes to a webhook. Omitted members stay unchanged.
    struct UpdateWebhookBody {
        /// A public https URL on port 443 or a port from 1024 to 65535, without credentials.
        url: Replacement<WebhookUrl>,
        /// Event types to deliver. Null restores the default types.
        events: Patch<BoundedList<EventKind, 1, TYPES_MAX>>,
        /// Only events of these inboxes, and events of no inbox. Null: events of every inbox.
        inbox_ids: Patch<BoundedList<Uuid, 1, INBOXES_MAX>>,
        /// Whether the webhook receives new events.
        enabled: Replacement<bool>,
        /// `full`, or `envelope` for events without any content of the mail.
        payload: Replacement<EventPayload>,
        /// Header fields to add to every request; they replace the existing ones. Null removes them.
        headers: Patch<HeaderFields>,
    }
}

object! {
    /// A new secret.
    struct RotateSecretBody {
        /// The new secret. If omitted, one is generated.
        secret: Option<BoundedLine<1, SECRET_CHARS_MAX>>,
    }
}

query! {
    /// Page of a list.
    struct PageQuery {
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of items per page. Default: 25.
        limit: Limit,
    }
}

/// Header fields that the owner of a webhook chose.
#[derive(Debug)]
struct HeaderFields(Vec<(String, String)>);

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateWebhookBody>) -> Result<Outcome, Refusal> {
    let shown = create::create(&service, input.caller, input.body.parse()).await?;
    Outcome::json(201, &SecretWebhookView::of(&shown))
}

async fn page(service: Arc<Service>, input: Input<PageQuery>) -> Result<Outcome, Refusal> {
    let page = read::page(&service, input.caller, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, WebhookView::of)
}

async fn events(_: Arc<Service>, _: PublicInput) -> Result<Outcome, Refusal> {
    Outcome::json(200, &catalogue::view())
}

async fn one(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Outcome::json(200, &WebhookView::of(&read::get(&service, input.caller, id).await?))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateWebhookBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Outcome::json(200, &WebhookView::of(&change::change(&service, input.caller, id, input.body.parse()).await?))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    change::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

async fn test(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Outcome::json(202, &StartedAttemptView::from(test_event::test(&service, input.caller, id).await?))
}

async fn rotate(service: Arc<Service>, input: Input<EmptyInput, RotateSecretBody>) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    let secret = input.body.secret.map(|line| line.0);
    Outcome::json(200, &SecretWebhookView::of(&change::rotate(&service, input.caller, id, secret).await?))
}

async fn deliveries(service: Arc<Service>, input: Input<PageQuery>) -> Result<Outcome, Refusal> {
    let id: WebhookId = input.path.id("id", "webhook")?;
    let page = read::attempts(&service, input.caller, id, paging(input.query.cursor, input.query.limit)).await?;
    Outcome::page(&service, &page, WebhookDeliveryView::of)
}

async fn delivery(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    let of: WebhookDeliveryId = input.path.id("delivery_id", "delivery")?;
    Outcome::json(200, &AttemptDetailsView::of(&read::attempt(&service, input.caller, id, of).await?))
}

async fn redeliver(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id = input.path.id("id", "webhook")?;
    let of: WebhookDeliveryId = input.path.id("delivery_id", "delivery")?;
    Outcome::json(202, &StartedAttemptView::from(test_event::redeliver(&service, input.caller, id, of).await?))
}

impl CreateWebhookBody {
    fn parse(self) -> NewWebhook {
        NewWebhook {
            url: self.url.0,
            kinds: self.events.map(|list| distinct(list.0)),
            inboxes: self.inbox_ids.map(inboxes),
            secret: self.secret.map(|line| line.0),
            payload: self.payload.unwrap_or_default(),
            headers: self.headers.map(|fields| fields.0).unwrap_or_default(),
        }
    }
}

impl UpdateWebhookBody {
    fn parse(self) -> WebhookChange {
        WebhookChange {
            url: self.url.0.map(|line| line.0),
            kinds: match self.events {
                Patch::Keep => None,
                Patch::Clear => Some(EventKind::DEFAULT.to_vec()),
                Patch::Set(list) => Some(distinct(list.0)),
            },
            inboxes: match self.inbox_ids {
                Patch::Keep => None,
                Patch::Clear => Some(None),
                Patch::Set(list) => Some(Some(inboxes(list))),
            },
            enabled: self.enabled.0,
            payload: self.payload.0,
            headers: match self.headers {
                Patch::Keep => None,
                Patch::Clear => Some(Vec::new()),
                Patch::Set(fields) => Some(fields.0),
            },
        }
    }
}

fn inboxes(list: BoundedList<Uuid, 1, INBOXES_MAX>) -> Vec<InboxId> {
    distinct(list.0).into_iter().map(InboxId).collect()
}

/// Returns each item once, in order.
fn distinct<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::with_capacity(list.len());
    for item in list {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

impl BodyValue for HeaderFields {
    fn schema() -> Value {
        json!({
            "type": "object", "maxProperties": HEADERS_MAX,
            "propertyNames": {
                "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$", "not": { "pattern": reserved_pattern() },
            },
            "additionalProperties": { "type": "string", "maxLength": 2_048, "pattern": "^[\\t -~]*$" },
        })
    }

    fn decode(value: &Value, path: &str, problems: &mut Problems) -> Option<Self> {
        let Some(object) = value.as_object() else { return expected("an object", value, path, problems) };
        if object.len() > HEADERS_MAX {
            return problems.add(path, format!("must have at most {HEADERS_MAX} fields, not {}", object.len()));
        }
        let mut fields: Vec<(String, String)> = Vec::with_capacity(object.len());
        let mut fine = true;
        for (name, value) in object {
            let at = member(path, name);
            let problem = match value.as_str() {
                None => Some(format!("must be a string, not {}", posthouse_api::wire::kind(value))),
                Some(_) if fields.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) => {
                    Some("appears twice, in different case".to_owned())
                }
                Some(text) => header_problem(name, text),
            };
            match problem {
                Some(problem) => {
                    problems.add::<()>(&at, problem);
                    fine = false;
                }
                None => fields.push((name.clone(), value.as_str().unwrap_or_default().to_owned())),
            }
        }
        fine.then_some(Self(fields))
    }
}
