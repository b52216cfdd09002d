//! `/v1/webhooks` (API document, Events; contract §11.2; decisions 9 to 11).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::{Code, Refusal},
    event::{EventKind, Payload},
    id::{InboxId, WebhookDeliveryId, WebhookId},
    page::Position,
    webhook::{HEADERS_MAX, header_problem},
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    app::{
        App,
        webhooks::{
            change::{self, Change},
            create::{self, NewWebhook},
            read, trial,
        },
    },
    http::{
        route::{Answer, Input, PublicInput, Route},
        wire::{Cursor, Empty, Limit, Line, List, Patch, Problems, Wire, expected, member, object, paging, query},
    },
    views::{
        PageView,
        event::catalogue::{self, CatalogueView},
        webhook::{SecretWebhookView, TryView, WebhookDeliveryView, WebhookView},
    },
};

/// Longest URL in characters.
const URL_CHARS_MAX: usize = 2_048;
/// Longest secret in characters.
const SECRET_CHARS_MAX: usize = 255;
/// Most types of one webhook.
const TYPES_MAX: usize = 100;
/// Most inboxes that one webhook names.
const INBOXES_MAX: usize = 100;

pub(crate) fn routes() -> Vec<Route> {
    let route = |method, path, name| Route::new(method, path, name, Permission::WebhooksManage).workspace_wide();
    vec![
        route(Method::POST, "/v1/webhooks", "createWebhook")
            .summary("Makes a webhook: from now on events are POSTed to its URL, signed with its secret, which is shown only here.")
            .answers::<SecretWebhookView>(201)
            .errors(&[Code::InvalidWebhookUrl, Code::NotFound, Code::UnclaimedWorkspace, Code::PlanLimitWebhooks])
            .handle(create),
        route(Method::GET, "/v1/webhooks", "listWebhooks")
            .summary("The webhooks of the workspace, newest first.")
            .answers::<PageView<WebhookView>>(200)
            .handle(page),
        Route::public(Method::GET, "/v1/webhooks/events", "listWebhookEvents")
            .summary("Every type of event, with an example in both forms of the payload. Needs no key.")
            .answers::<CatalogueView>(200)
            .handle(events),
        route(Method::GET, "/v1/webhooks/{id}", "getWebhook")
            .summary("One webhook, without its secret.")
            .answers::<WebhookView>(200)
            .handle(one),
        route(Method::PATCH, "/v1/webhooks/{id}", "updateWebhook")
            .summary("Changes a webhook. One that is enabled again takes events from now on.")
            .answers::<WebhookView>(200)
            .errors(&[Code::InvalidWebhookUrl])
            .handle(update),
        route(Method::DELETE, "/v1/webhooks/{id}", "deleteWebhook")
            .summary("Deletes a webhook and the list of its deliveries.")
            .answers_with(204, None)
            .handle(delete),
        route(Method::POST, "/v1/webhooks/{id}/test", "testWebhook")
            .summary("Sends a webhook.test event to this webhook alone.")
            .answers::<TryView>(202)
            .handle(test),
        route(Method::POST, "/v1/webhooks/{id}/rotate-secret", "rotateWebhookSecret")
            .summary("Replaces the secret. X-Service-Signature uses the new one at once; webhook-signature carries both for 24 hours.")
            .answers::<SecretWebhookView>(200)
            .handle(rotate),
        route(Method::GET, "/v1/webhooks/{id}/deliveries", "listWebhookDeliveries")
            .summary("Every attempt of the last 30 days, newest first.")
            .answers::<PageView<WebhookDeliveryView>>(200)
            .handle(deliveries),
        route(Method::POST, "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", "redeliverWebhookEvent")
            .summary("Sends the event of a delivery once more, under the same event id.")
            .answers::<TryView>(202)
            .handle(redeliver),
    ]
}

object! {
    /// A new webhook.
    struct CreateBody {
        /// A public https URL, on port 443 or one from 1024 to 65535, without credentials.
        url: Line<1, URL_CHARS_MAX>,
        /// The types of events it takes; left out or null: all message events but message.received.blocked.
        events: Option<List<EventKind, 1, TYPES_MAX>>,
        /// Only events of these inboxes, and those of no inbox; left out or null: of every inbox.
        inbox_ids: Option<List<Uuid, 1, INBOXES_MAX>>,
        /// The secret that requests are signed with; left out, one is made.
        secret: Option<Line<1, SECRET_CHARS_MAX>>,
        /// full, or envelope: without any content of the mail. full when left out.
        payload: Option<Payload>,
        /// Header fields to be added to every request; not those that the service sets itself.
        headers: Option<HeaderFields>,
    }
}

object! {
    /// A change of a webhook. What is left out stays.
    struct UpdateBody {
        /// A public https URL, on port 443 or one from 1024 to 65535, without credentials.
        url: Option<Line<1, URL_CHARS_MAX>>,
        /// The types of events it takes; null: the default ones.
        events: Patch<List<EventKind, 1, TYPES_MAX>>,
        /// Only events of these inboxes, and those of no inbox; null: of every inbox.
        inbox_ids: Patch<List<Uuid, 1, INBOXES_MAX>>,
        /// Whether new events go to it.
        enabled: Option<bool>,
        /// full, or envelope: without any content of the mail.
        payload: Option<Payload>,
        /// Header fields to be added to every request, in place of those before; null: none.
        headers: Patch<HeaderFields>,
    }
}

object! {
    /// A new secret.
    struct RotateBody {
        /// The secret; left out, one is made.
        secret: Option<Line<1, SECRET_CHARS_MAX>>,
    }
}

query! {
    /// Which part of a list.
    struct PageQuery {
        /// Where the last page ended.
        cursor: Option<Cursor>,
        /// Most items of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

/// Header fields of the owner's choice.
#[derive(Debug)]
struct HeaderFields(Vec<(String, String)>);

async fn create(app: Arc<App>, input: Input<Empty, CreateBody>) -> Result<Answer, Refusal> {
    let shown = create::create(&app, input.caller, input.body.parse()).await?;
    Answer::json(201, &SecretWebhookView::of(&shown))
}

async fn page(app: Arc<App>, input: Input<PageQuery>) -> Result<Answer, Refusal> {
    let filters = format!("webhooks {}", input.caller.workspace);
    let paging = paging(filters, input.query.cursor.as_ref(), input.query.limit)?;
    let mut found = read::page(&app, input.caller, paging.page()).await?;
    let place = |last: &read::Shown| Position { sort: last.webhook.created_at.millis(), id: last.webhook.id.0 };
    let next_cursor = paging.cut(&mut found, place);
    Answer::json(200, &PageView { data: found.iter().map(WebhookView::of).collect(), next_cursor })
}

async fn events(_: Arc<App>, _: PublicInput) -> Result<Answer, Refusal> {
    Answer::json(200, &catalogue::view())
}

async fn one(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Answer::json(200, &WebhookView::of(&read::one(&app, input.caller, id).await?))
}

async fn update(app: Arc<App>, input: Input<Empty, UpdateBody>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Answer::json(200, &WebhookView::of(&change::change(&app, input.caller, id, input.body.parse()).await?))
}

async fn delete(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    change::delete(&app, input.caller, id).await?;
    Ok(Answer::empty())
}

async fn test(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    Answer::json(202, &TryView::from(trial::test(&app, input.caller, id).await?))
}

async fn rotate(app: Arc<App>, input: Input<Empty, RotateBody>) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    let secret = input.body.secret.map(|line| line.0);
    Answer::json(200, &SecretWebhookView::of(&change::rotate(&app, input.caller, id, secret).await?))
}

async fn deliveries(app: Arc<App>, input: Input<PageQuery>) -> Result<Answer, Refusal> {
    let id: WebhookId = input.path.id("id", "webhook")?;
    let filters = format!("webhook deliveries {} {id}", input.caller.workspace);
    let paging = paging(filters, input.query.cursor.as_ref(), input.query.limit)?;
    let mut found = read::attempts(&app, input.caller, id, paging.page()).await?;
    let next_cursor = paging.cut(&mut found, |last| Position { sort: last.created_at.millis(), id: last.id.0 });
    Answer::json(200, &PageView { data: found.iter().map(WebhookDeliveryView::of).collect(), next_cursor })
}

async fn redeliver(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id = input.path.id("id", "webhook")?;
    let of: WebhookDeliveryId = input.path.id("delivery_id", "delivery")?;
    Answer::json(202, &TryView::from(trial::redeliver(&app, input.caller, id, of).await?))
}

impl CreateBody {
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

impl UpdateBody {
    fn parse(self) -> Change {
        Change {
            url: self.url.map(|line| line.0),
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
            enabled: self.enabled,
            payload: self.payload,
            headers: match self.headers {
                Patch::Keep => None,
                Patch::Clear => Some(Vec::new()),
                Patch::Set(fields) => Some(fields.0),
            },
        }
    }
}

fn inboxes(list: List<Uuid, 1, INBOXES_MAX>) -> Vec<InboxId> {
    distinct(list.0).into_iter().map(InboxId).collect()
}

/// Each once, in the order they were given.
fn distinct<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut once: Vec<T> = Vec::with_capacity(list.len());
    for item in list {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    once
}

impl Wire for HeaderFields {
    fn schema() -> Value {
        json!({
            "type": "object", "maxProperties": HEADERS_MAX,
            "propertyNames": { "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" },
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
                None => Some(format!("must be a string, not {}", crate::http::wire::kind(value))),
                Some(_) if fields.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) => {
                    Some("is there twice in different cases of letters".to_owned())
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
