//! The laws of every list that is paged (API document, conventions; decision 5): whole, once each, in one order, stable
//! while others write, and with cursors that belong to their list and its filters.
//!
//! A list is every route with the query parameter `cursor`; each has a row in [`LISTS`] or a reason in [`OTHERS`].

use posthouse_domain::plan::Plan;
use posthouse_server::http::routes;
use posthouse_tests::{
    Letter, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, future::Future, pin::Pin};

/// Items of a list under test: enough for several pages of every small size.
const ITEMS: usize = 7;

/// One list.
struct List {
    /// The route's name.
    route: &'static str,
    /// Its path, with `{inbox}` for an inbox; with a query where the list needs one.
    path: &'static str,
    /// A filter that changes what the list is of, if there is one that cursors are bound to.
    filter: Option<&'static str>,
    /// Makes one more item.
    add: fn(&World, usize) -> Added<'_>,
}

type Added<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;

/// What the lists are of.
struct World {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    /// A webhook to nowhere.
    webhook: String,
}

const LISTS: &[List] = &[
    List { route: "listInboxes", path: "/v1/inboxes", filter: Some("metadata.of=one"), add: add_inbox },
    List {
        route: "listMessages",
        path: "/v1/inboxes/{inbox}/messages",
        filter: Some("direction=inbound"),
        add: add_message,
    },
    List { route: "listInboxThreads", path: "/v1/inboxes/{inbox}/threads", filter: Some("labels=a"), add: add_message },
    List { route: "listContacts", path: "/v1/contacts", filter: Some("kind=unknown"), add: add_contact },
    List { route: "listSuppressions", path: "/v1/suppressions", filter: Some("reason=manual"), add: add_suppression },
    List { route: "listThreads", path: "/v1/threads", filter: Some("labels=a"), add: add_message },
    List { route: "searchMessages", path: "/v1/search?q=letter", filter: Some("channel=email"), add: add_message },
    List {
        route: "listInboxDrafts",
        path: "/v1/inboxes/{inbox}/drafts",
        filter: Some("status=draft,failed"),
        add: add_draft,
    },
    List { route: "listDrafts", path: "/v1/drafts", filter: Some("metadata.of=one"), add: add_draft },
    List { route: "listOutbox", path: "/dev/outbox", filter: None, add: add_sent },
    List { route: "listDomains", path: "/v1/domains", filter: None, add: add_domain },
    // Its cursors are the ids of events, for any filter: a reader of the log may change what it looks for (decision 12).
    List { route: "listWebhooks", path: "/v1/webhooks", filter: None, add: add_webhook },
    List {
        route: "listWebhookDeliveries",
        path: "/v1/webhooks/{webhook}/deliveries",
        filter: None,
        add: add_webhook_delivery,
    },
    List { route: "listEvents", path: "/v1/events", filter: None, add: add_message },
];

/// Paged routes that are no lists, each with its reason.
const OTHERS: &[(&str, &str)] = &[("getThread", "one record, whose messages go backwards by earlier_cursor")];

fn add_inbox(world: &World, _at: usize) -> Added<'_> {
    Box::pin(async {
        world.server.clock.advance(1);
        world.server.inbox_with(&world.key, json!({ "metadata": { "of": "one" } })).await;
    })
}

fn add_domain(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(1);
        world.api.post("/v1/domains", json!({ "domain": format!("d{at}.example") })).await.expect(201);
        world.server.settle().await;
    })
}

fn add_message(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.deliver(&Letter::new(&format!("Letter {at}"), "text"), &world.inbox.address).await;
    })
}

fn add_contact(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        let letter = Letter::new("Hello", "text").with("From", &format!("P{at} <p{at}@remote.example>"));
        world.server.deliver(&letter, &world.inbox.address).await;
    })
}

/// Two have the same time.
fn add_suppression(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(i64::from(at.is_multiple_of(2)));
        let body = json!({ "address": format!("p{at}@remote.example") });
        world.api.post("/v1/suppressions", body).await.expect(201);
    })
}

fn add_draft(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(1);
        let path = format!("/v1/inboxes/{}/drafts", world.inbox.id);
        let body = json!({ "subject": format!("Draft {at}"), "metadata": { "of": "one" } });
        world.api.post(&path, body).await.expect(201);
    })
}

fn add_webhook(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(1);
        let body = json!({ "url": format!("https://example.com/{at}"), "events": ["inbox.expired"] });
        world.api.post("/v1/webhooks", body).await.expect(201);
    })
}

fn add_webhook_delivery(world: &World, _at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(1);
        world.api.post_empty(&format!("/v1/webhooks/{}/test", world.webhook)).await.expect(202);
    })
}

fn add_sent(world: &World, at: usize) -> Added<'_> {
    Box::pin(async move {
        world.server.clock.advance(1);
        let path = format!("/v1/inboxes/{}/messages", world.inbox.id);
        let body = json!({ "to": "bob@remote.example", "subject": format!("Letter {at}"), "text": "text" });
        world.api.post(&path, body).await.expect(202);
        world.server.settle().await;
    })
}

impl World {
    async fn new() -> Self {
        let server = TestServer::plain().await;
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        let body = json!({ "url": "https://nowhere.example/", "events": ["inbox.expired"] });
        let webhook = api.post("/v1/webhooks", body).await.expect(201).text("id").to_owned();
        Self { server, key, api, inbox, webhook }
    }

    /// The path, ready for a parameter behind it.
    fn path(&self, list: &List) -> String {
        let path = list.path.replace("{inbox}", &self.inbox.id.to_string()).replace("{webhook}", &self.webhook);
        let joint = if path.contains('?') { '&' } else { '?' };
        format!("{path}{joint}")
    }

    async fn ids(&self, list: &List, query: &str) -> (Vec<String>, Option<String>) {
        let reply = self.api.get(&format!("{}{query}", self.path(list))).await.expect(200);
        let ids = reply
            .data()
            .iter()
            .map(|item| item.get("id").unwrap_or(&item["address"]).as_str().unwrap().to_owned())
            .collect();
        (ids, reply["next_cursor"].as_str().map(str::to_owned))
    }

    /// Every page of that size; `between` runs behind the first.
    async fn walk(&self, list: &List, limit: usize, between: impl AsyncFnOnce()) -> Vec<String> {
        let (mut all, mut cursor) = self.ids(list, &format!("limit={limit}")).await;
        between().await;
        while let Some(next) = cursor {
            let (ids, after) = self.ids(list, &format!("limit={limit}&cursor={next}")).await;
            assert!(!ids.is_empty() && ids.len() <= limit, "{}: a page of {}", list.route, ids.len());
            all.extend(ids);
            cursor = after;
        }
        all
    }
}

#[test]
fn every_paged_route_has_a_row() {
    let is_paged = |parameter: &Value| parameter["name"] == "cursor";
    let paged = routes::all().into_iter().filter(|route| (route.parameters)().iter().any(is_paged));
    let paged: BTreeSet<_> = paged.map(|route| route.name).collect();
    let rows = LISTS.iter().map(|list| list.route).chain(OTHERS.iter().map(|(route, _)| *route));
    assert_eq!(paged, rows.collect());
}

#[tokio::test]
async fn pages_of_every_size_together_are_the_list() {
    for list in LISTS {
        let world = World::new().await;
        for at in 0..ITEMS {
            (list.add)(&world, at).await;
        }
        let (whole, cursor) = world.ids(list, "limit=100").await;
        assert!(whole.len() >= ITEMS && cursor.is_none(), "{}: {whole:?} {cursor:?}", list.route);
        assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), whole.len(), "{}: {whole:?}", list.route);
        for limit in 1..=whole.len() + 1 {
            let walked = world.walk(list, limit, async || {}).await;
            assert_eq!(walked, whole, "{} by {limit}", list.route);
        }
        world.server.finish().await;
    }
}

#[tokio::test]
async fn what_is_added_meanwhile_shifts_nothing() {
    for list in LISTS {
        let world = World::new().await;
        for at in 0..ITEMS {
            (list.add)(&world, at).await;
        }
        let (before, _) = world.ids(list, "limit=100").await;
        let more = async || {
            for at in 0..3 {
                (list.add)(&world, ITEMS + at).await;
            }
        };
        let walked = world.walk(list, 2, more).await;
        assert_eq!(walked.iter().collect::<BTreeSet<_>>().len(), walked.len(), "{}: {walked:?}", list.route);
        let old: Vec<_> = walked.into_iter().filter(|id| before.contains(id)).collect();
        assert_eq!(old, before, "{}", list.route);
        world.server.finish().await;
    }
}

#[tokio::test]
async fn limits_have_bounds_and_cursors_belong_to_their_list_and_filters() {
    let world = World::new().await;
    for list in LISTS {
        let path = world.path(list);
        for limit in ["0", "-1", "101", "1.5", "all", ""] {
            world.api.get(&format!("{path}limit={limit}")).await.invalid_fields(&["limit"]);
        }
        world.api.get(&format!("{path}limt=5")).await.invalid_fields(&["limt"]);
        for cursor in ["made-up", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", "%0a", &"A".repeat(600)] {
            world.api.get(&format!("{path}cursor={cursor}")).await.error("invalid_cursor");
        }
        for at in 0..2 {
            (list.add)(&world, at).await;
        }
        let (_, cursor) = world.ids(list, "limit=1").await;
        let cursor = cursor.expect("there is a second page");
        if let Some(filter) = list.filter {
            world.api.get(&format!("{path}{filter}&cursor={cursor}")).await.error("invalid_cursor");
        }
        for other in LISTS.iter().filter(|other| other.route != list.route) {
            world.api.get(&format!("{}cursor={cursor}", world.path(other))).await.error("invalid_cursor");
        }
    }
    world.server.finish().await;
}
