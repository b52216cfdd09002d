//! The rules of every paged list: complete, without duplicates, in one order, stable during concurrent writes, and with
//! cursors that belong to their list and its filters.
//!
//! Every route with the query parameter `cursor` is a list. Each has a row in [`LISTS`] or a reason in [`NOT_LISTS`].

use posthouse::all_routes;
use posthouse_domain::{message::HoldReason, plan::Plan};
use posthouse_tests::{
    ServerOptions, TestMessage, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, future::Future, pin::Pin};

/// Number of items in a list under test: enough for several pages of every small size.
const ITEMS: usize = 7;

/// One list.
struct ListedRoute {
    /// The route's name.
    route: &'static str,
    /// The path, with `{inbox}` for an inbox, and with a query where the list requires one.
    path: &'static str,
    /// A filter that is part of the cursor, if there is one.
    filter: Option<&'static str>,
    /// Adds one item.
    add: fn(&ListFixture, usize) -> AddFuture<'_>,
}

type AddFuture<'w> = Pin<Box<dyn Future<Output = ()> + Send + 'w>>;

/// The server and the resources that the lists belong to.
struct ListFixture {
    server: TestServer,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    /// A webhook with an unreachable URL.
    webhook: String,
}

const LISTS: &[ListedRoute] = &[
    ListedRoute { route: "listInboxes", path: "/v1/inboxes", filter: Some("metadata.of=one"), add: add_inbox },
    ListedRoute { route: "listIdentities", path: "/v1/identities", filter: Some("metadata.of=one"), add: add_identity },
    ListedRoute {
        route: "listMessages",
        path: "/v1/inboxes/{inbox}/messages",
        filter: Some("direction=inbound"),
        add: add_message,
    },
    ListedRoute {
        route: "listInboxThreads",
        path: "/v1/inboxes/{inbox}/threads",
        filter: Some("labels=a"),
        add: add_message,
    },
    ListedRoute { route: "listContacts", path: "/v1/contacts", filter: Some("kind=unknown"), add: add_contact },
    ListedRoute { route: "listKnowledge", path: "/v1/knowledge", filter: None, add: add_knowledge },
    ListedRoute {
        route: "listSuppressions",
        path: "/v1/suppressions",
        filter: Some("reason=manual"),
        add: add_suppression,
    },
    ListedRoute { route: "listThreads", path: "/v1/threads", filter: Some("labels=a"), add: add_message },
    ListedRoute {
        route: "searchMessages",
        path: "/v1/search?q=letter",
        filter: Some("channel=email"),
        add: add_message,
    },
    ListedRoute {
        route: "listInboxDrafts",
        path: "/v1/inboxes/{inbox}/drafts",
        filter: Some("status=draft,failed"),
        add: add_draft,
    },
    ListedRoute { route: "listDrafts", path: "/v1/drafts", filter: Some("metadata.of=one"), add: add_draft },
    ListedRoute { route: "listOutbox", path: "/dev/outbox", filter: None, add: add_sent },
    ListedRoute { route: "listDomains", path: "/v1/domains", filter: None, add: add_domain },
    ListedRoute { route: "listIdentityClients", path: "/v1/identity/clients", filter: None, add: add_identity_client },
    ListedRoute { route: "listSignIns", path: "/v1/inboxes/{inbox}/identity/sign-ins", filter: None, add: add_sign_in },
    // Cursors of the log are event ids and valid for any filter, because a reader may change its filter.
    ListedRoute { route: "listWebhooks", path: "/v1/webhooks", filter: None, add: add_webhook },
    ListedRoute {
        route: "listWebhookDeliveries",
        path: "/v1/webhooks/{webhook}/deliveries",
        filter: None,
        add: add_webhook_delivery,
    },
    ListedRoute { route: "listHeldMessages", path: "/v1/held-messages", filter: None, add: add_held },
    ListedRoute { route: "listEvents", path: "/v1/events", filter: None, add: add_message },
];

/// Paged routes that are not lists, each with its reason.
const NOT_LISTS: &[(&str, &str)] = &[
    ("getThread", "one thread, whose messages are paged backward by earlier_cursor"),
    ("getThreadDigest", "parts of one thread; `routes/thread_digest` reads them"),
    ("listApiKeys", "no key opens the route; `routes/platform/manage` reads the pages"),
    ("listConnectors", "no key opens the route; `routes/connectors/ends` reads the pages"),
    ("listQueueItems", "items come and go with leases; `routes/queue/by_hand` reads the pages"),
    ("listDeliveryAttempts", "the attempts of one message; `scenarios/delivery/direct` reads the pages"),
    ("searchAgents", "items are cards of agents; `routes/directory/search` reads the pages"),
    ("listPublicAgents", "the same search without a key; `routes/directory/search` reads the pages"),
    ("showDirectory", "the same search as a page for people; `routes/directory/pages` reads it"),
];

fn add_inbox(fixture: &ListFixture, _at: usize) -> AddFuture<'_> {
    Box::pin(async {
        fixture.server.clock.advance(1);
        fixture.server.inbox_with(&fixture.key, json!({ "metadata": { "of": "one" } })).await;
    })
}

fn add_identity(fixture: &ListFixture, _at: usize) -> AddFuture<'_> {
    Box::pin(async {
        fixture.server.clock.advance(1);
        fixture.api.post("/v1/identities", json!({ "metadata": { "of": "one" } })).await.expect(201);
    })
}

fn add_identity_client(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(i64::from(at.is_multiple_of(2)));
        let body = json!({ "name": format!("App {at}"), "type": "verify_only" });
        fixture.api.post("/v1/identity/clients", body).await.expect(201);
    })
}

fn add_sign_in(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(i64::from(at.is_multiple_of(2)));
        let body = json!({ "name": format!("App {at}"), "type": "verify_only" });
        let app = fixture.api.post("/v1/identity/clients", body).await.expect(201);
        let body = json!({ "audience": app["client"]["client_id"] });
        fixture.api.post(&format!("/v1/inboxes/{}/identity-token", fixture.inbox.id), body).await.expect(201);
    })
}

fn add_domain(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(1);
        fixture.api.post("/v1/domains", json!({ "domain": format!("d{at}.example") })).await.expect(201);
        fixture.server.settle().await;
    })
}

fn add_message(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.deliver(&TestMessage::new(&format!("Letter {at}"), "text"), &fixture.inbox.address).await;
    })
}

/// Adds mail that waits for a release.
fn add_held(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        let mail = TestMessage::new(&format!("Bill {at}"), "text");
        fixture.server.receive_held(&fixture.inbox, &mail, HoldReason::Phishing).await;
    })
}

fn add_contact(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        let message = TestMessage::new("Hello", "text").with("From", &format!("P{at} <p{at}@remote.example>"));
        fixture.server.deliver(&message, &fixture.inbox.address).await;
    })
}

/// Pairs of items have the same time.
fn add_knowledge(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(i64::from(at.is_multiple_of(2)));
        let body = json!({ "title": format!("Document {at}"), "body": "Text." });
        fixture.api.post("/v1/knowledge", body).await.expect(201);
    })
}

fn add_suppression(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(i64::from(at.is_multiple_of(2)));
        let body = json!({ "address": format!("p{at}@remote.example") });
        fixture.api.post("/v1/suppressions", body).await.expect(201);
    })
}

fn add_draft(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(1);
        let path = format!("/v1/inboxes/{}/drafts", fixture.inbox.id);
        let body = json!({ "subject": format!("Draft {at}"), "metadata": { "of": "one" } });
        fixture.api.post(&path, body).await.expect(201);
    })
}

fn add_webhook(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(1);
        let body = json!({ "url": format!("https://example.com/{at}"), "events": ["inbox.expired"] });
        fixture.api.post("/v1/webhooks", body).await.expect(201);
    })
}

fn add_webhook_delivery(fixture: &ListFixture, _at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(1);
        fixture.api.post_empty(&format!("/v1/webhooks/{}/test", fixture.webhook)).await.expect(202);
    })
}

fn add_sent(fixture: &ListFixture, at: usize) -> AddFuture<'_> {
    Box::pin(async move {
        fixture.server.clock.advance(1);
        let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
        let body = json!({ "to": "bob@remote.example", "subject": format!("Letter {at}"), "text": "text" });
        fixture.api.post(&path, body).await.expect(202);
        fixture.server.settle().await;
    })
}

impl ListFixture {
    async fn new() -> Self {
        Self::with(ServerOptions::default()).await
    }

    async fn with(options: ServerOptions) -> Self {
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let (api, inbox) = (server.api(&key), server.inbox(&key).await);
        let body = json!({ "url": "https://nowhere.example/", "events": ["inbox.expired"] });
        let webhook = api.post("/v1/webhooks", body).await.expect(201).text("id").to_owned();
        Self { server, key, api, inbox, webhook }
    }

    /// Returns the path, ready for another query parameter.
    fn path(&self, list: &ListedRoute) -> String {
        let path = list.path.replace("{inbox}", &self.inbox.id.to_string()).replace("{webhook}", &self.webhook);
        let joint = if path.contains('?') { '&' } else { '?' };
        format!("{path}{joint}")
    }

    async fn ids(&self, list: &ListedRoute, query: &str) -> (Vec<String>, Option<String>) {
        let reply = self.api.get(&format!("{}{query}", self.path(list))).await.expect(200);
        let ids = reply
            .data()
            .iter()
            .map(|item| item.get("id").unwrap_or(&item["address"]).as_str().unwrap().to_owned())
            .collect();
        (ids, reply["next_cursor"].as_str().map(str::to_owned))
    }

    /// Reads every page of that size. `between` runs after the first page.
    async fn walk(&self, list: &ListedRoute, limit: usize, between: impl AsyncFnOnce()) -> Vec<String> {
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
    let paged = all_routes().into_iter().filter(|route| (route.operation.parameters)().iter().any(is_paged));
    let paged: BTreeSet<_> = paged.map(|route| route.operation.name).collect();
    let rows = LISTS.iter().map(|list| list.route).chain(NOT_LISTS.iter().map(|(route, _)| *route));
    assert_eq!(paged, rows.collect());
}

#[tokio::test]
async fn pages_of_every_size_add_up_to_the_list() {
    for list in LISTS {
        let fixture = ListFixture::new().await;
        for at in 0..ITEMS {
            (list.add)(&fixture, at).await;
        }
        let (whole, cursor) = fixture.ids(list, "limit=100").await;
        assert!(whole.len() >= ITEMS && cursor.is_none(), "{}: {whole:?} {cursor:?}", list.route);
        assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), whole.len(), "{}: {whole:?}", list.route);
        for limit in 1..=whole.len() + 1 {
            let walked = fixture.walk(list, limit, async || {}).await;
            assert_eq!(walked, whole, "{} by {limit}", list.route);
        }
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn items_added_between_pages_do_not_shift_the_list() {
    for list in LISTS {
        let fixture = ListFixture::new().await;
        for at in 0..ITEMS {
            (list.add)(&fixture, at).await;
        }
        let (before, _) = fixture.ids(list, "limit=100").await;
        let more = async || {
            for at in 0..3 {
                (list.add)(&fixture, ITEMS + at).await;
            }
        };
        let walked = fixture.walk(list, 2, more).await;
        assert_eq!(walked.iter().collect::<BTreeSet<_>>().len(), walked.len(), "{}: {walked:?}", list.route);
        let old: Vec<_> = walked.into_iter().filter(|id| before.contains(id)).collect();
        assert_eq!(old, before, "{}", list.route);
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn limits_are_bounded_and_cursors_belong_to_their_list_and_filters() {
    let fixture = ListFixture::new().await;
    for list in LISTS {
        let path = fixture.path(list);
        for limit in ["0", "-1", "101", "1.5", "all", ""] {
            fixture.api.get(&format!("{path}limit={limit}")).await.invalid_fields(&["limit"]);
        }
        fixture.api.get(&format!("{path}limt=5")).await.invalid_fields(&["limt"]);
        for cursor in ["made-up", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "", "%0a", &"A".repeat(600)] {
            fixture.api.get(&format!("{path}cursor={cursor}")).await.error("invalid_cursor");
        }
        for at in 0..2 {
            (list.add)(&fixture, at).await;
        }
        let (_, cursor) = fixture.ids(list, "limit=1").await;
        let cursor = cursor.expect("there is a second page");
        if let Some(filter) = list.filter {
            fixture.api.get(&format!("{path}{filter}&cursor={cursor}")).await.error("invalid_cursor");
        }
        for other in LISTS.iter().filter(|other| other.route != list.route) {
            fixture.api.get(&format!("{}cursor={cursor}", fixture.path(other))).await.error("invalid_cursor");
        }
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn every_page_ends_at_its_bytes_and_has_at_least_one_item() {
    for list in LISTS {
        let options = ServerOptions::default().configure(|config| config.limits.page_bytes = 1);
        let fixture = ListFixture::with(options).await;
        for at in 0..ITEMS {
            (list.add)(&fixture, at).await;
        }
        let one_by_one = fixture.walk(list, 1, async || {}).await;
        assert!(one_by_one.len() >= ITEMS, "{}: {one_by_one:?}", list.route);
        let (mut walked, mut query) = (Vec::new(), "limit=100".to_owned());
        loop {
            let (ids, cursor) = fixture.ids(list, &query).await;
            assert_eq!(ids.len(), 1, "{}: {ids:?}", list.route);
            walked.extend(ids);
            let Some(next) = cursor else { break };
            query = format!("limit=100&cursor={next}");
        }
        assert_eq!(walked, one_by_one, "{}", list.route);
        fixture.server.finish().await;
    }
}
