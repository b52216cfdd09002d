//! A tenant: one inbox with one of everything that has an id, and requests with these ids.

use std::collections::BTreeMap;

use posthouse_app::ports::Clock as _;
use posthouse_domain::time::HOUR_MS;
use posthouse_http::route::Route;
use posthouse_tests::{
    TestServer, WebhookSink,
    fixtures::{TestInbox, TestKey},
    http::Api,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{
    locations::{self, IdKind, IdLocation},
    set,
};

/// The id of another tenant, and its location in a request.
#[derive(Clone, Copy)]
struct OtherId<'a> {
    location: &'a str,
    id: &'a str,
}

/// An inbox and its data.
pub(super) struct Tenant {
    pub(super) inbox: TestInbox,
    /// A key of the workspace with every permission.
    pub(super) key: TestKey,
    /// A word that appears in all data of this tenant and nowhere else.
    mark: &'static str,
    ids: BTreeMap<IdKind, String>,
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap_or_else(|| panic!("no id in {of}")).to_owned()
}

impl Tenant {
    /// Creates two of everything, so that lists have a second page.
    pub(super) async fn make(server: &TestServer, key: &TestKey, mark: &'static str, sink: &WebhookSink) -> Self {
        let (api, inbox) = (server.api(key), server.inbox_named(key, mark).await);
        let mut tenant = Self { inbox, key: key.clone(), mark, ids: BTreeMap::new() };
        tenant.add_settings(&api, sink).await;
        tenant.add_mail(server, &api).await;
        server.settle().await;
        let path = format!("/v1/inboxes/{}", tenant.inbox.id);
        let webhook = tenant.id_of(IdKind::Webhook);
        let deliveries = api.get(&format!("/v1/webhooks/{webhook}/deliveries")).await.expect(200);
        tenant.ids.insert(IdKind::WebhookDelivery, id(&deliveries.data()[0]));
        let log = api.get(&format!("/v1/events?inbox_id={}", tenant.inbox.id)).await.expect(200);
        tenant.ids.insert(IdKind::Event, id(&log.data()[0]));
        let claimed = api.post(&format!("{path}/messages/claim"), json!({ "since": "2020-01-01" })).await.expect(200);
        let message = &claimed.data()[0]["message"];
        tenant.ids.insert(IdKind::Lease, claimed.data()[0]["lease_id"].as_str().unwrap().to_owned());
        tenant.ids.insert(IdKind::Message, id(message));
        tenant.ids.insert(IdKind::Thread, message["thread_id"].as_str().unwrap().to_owned());
        tenant.ids.insert(IdKind::Attachment, id(&message["attachments"][0]));
        let contact = api.get(&format!("/v1/contacts/by-address/{mark}@people.example")).await.expect(200);
        tenant.ids.insert(IdKind::Contact, contact.text("id").to_owned());
        tenant.ids.insert(IdKind::ContactAddress, format!("{mark}@people.example"));
        tenant
    }

    async fn add_settings(&mut self, api: &Api, sink: &WebhookSink) {
        let (mark, inbox) = (self.mark, self.inbox.id.to_string());
        self.ids.insert(IdKind::Inbox, inbox.clone());
        for n in [1, 2] {
            let url = format!("{}?{mark}{n}", sink.url());
            let address = format!("{mark}-{n}@away.example");
            let file =
                json!({ "filename": format!("{mark}.txt"), "content_type": "text/plain", "content_base64": "YQ==" });
            let mut make = async |kind: IdKind, path: &str, body: Value| {
                let made = api.post(path, body).await.expect(201).json;
                self.ids.insert(kind, made["id"].as_str().unwrap_or(&address).to_owned());
                made
            };
            make(IdKind::Webhook, "/v1/webhooks", json!({ "url": url, "inbox_ids": [inbox] })).await;
            make(IdKind::SuppressedAddress, "/v1/suppressions", json!({ "address": address })).await;
            let card = json!({ "name": format!("{mark} {n}"), "visibility": "workspace" });
            let identity = json!({ "username": format!("{mark}-{n}-identity"), "card": card });
            make(IdKind::Identity, "/v1/identities", identity).await;
            make(IdKind::Domain, "/v1/domains", json!({ "domain": format!("{mark}{n}.example") })).await;
            let entry = json!({
                "direction": "receive", "kind": "block", "pattern": format!("{mark}{n}.example"), "inbox_id": inbox
            });
            make(IdKind::ListEntry, "/v1/lists", entry).await;
            let document = json!({ "title": format!("{mark}{n}"), "body": mark, "inbox_id": inbox });
            make(IdKind::Knowledge, "/v1/knowledge", document).await;
            let below = format!("/v1/inboxes/{inbox}");
            let forward = json!({ "address": format!("{mark}{n}@forward.example") });
            make(IdKind::ForwardingAddress, &format!("{below}/forwarding"), forward).await;
            let draft = json!({
                "to": format!("{mark}@people.example"), "subject": mark, "text": "t", "attachments": [file]
            });
            let draft = make(IdKind::Draft, &format!("{below}/drafts"), draft).await;
            self.ids.insert(IdKind::DraftFile, id(&draft["attachments"][0]));
            self.add_app(api, n).await;
        }
    }

    /// Registers an app, and signs the inbox in to it.
    async fn add_app(&mut self, api: &Api, n: u32) {
        let body = json!({ "name": format!("{}{n}", self.mark), "type": "verify_only" });
        let app = api.post("/v1/identity/clients", body).await.expect(201);
        let audience = json!({ "audience": app["client"]["client_id"] });
        api.post(&format!("/v1/inboxes/{}/identity-token", self.inbox.id), audience).await.expect(201);
        self.ids.insert(IdKind::IdentityClient, id(&app["client"]));
        self.ids.insert(IdKind::ApprovalCode, format!("{}-code", self.mark));
    }

    /// Adds a thread of two received messages, another received message, two held ones, and two sent messages.
    async fn add_mail(&self, server: &TestServer, api: &Api) {
        let mark = self.mark;
        for (n, subject) in ["secret", "Re: secret", "another secret"].iter().enumerate() {
            server.clock.advance(1);
            let answers = if n == 1 { format!("In-Reply-To: <0.{mark}@people.example>\r\n") } else { String::new() };
            let mail = format!(
                "From: {mark}@people.example\r\nTo: {}\r\nSubject: {mark} {subject}\r\n\
                 Message-ID: <{n}.{mark}@people.example>\r\n{answers}MIME-Version: 1.0\r\n\
                 Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nsecret {mark}\r\n\
                 --b\r\nContent-Type: text/html\r\nContent-Disposition: attachment; filename={mark}.html\r\n\r\nx\r\n--b--\r\n",
                self.inbox.address
            );
            server.receive_message(&self.inbox, mail).await;
        }
        for n in [1, 2] {
            server.clock.advance(1);
            let held = format!("From: x@{mark}{n}.example\r\nSubject: {mark} secret\r\n\r\nsecret {mark}\r\n");
            server.receive_message(&self.inbox, held).await;
        }
        for n in [1, 2] {
            // One job after the other, so that every server has the same events in the same order.
            server.settle().await;
            let message = json!({ "to": format!("{mark}{n}@people.example"), "subject": mark, "text": "secret" });
            api.post(&format!("/v1/inboxes/{}/messages", self.inbox.id), message).await.expect(202);
        }
    }

    /// Returns the id of this kind. Cursors are created on demand instead.
    pub(super) fn id_of(&self, kind: IdKind) -> &str {
        self.ids.get(&kind).unwrap_or_else(|| panic!("there is no {kind:?}"))
    }

    /// Returns the id for a location in a route.
    pub(super) async fn id(&self, server: &TestServer, route: &Route, kind: IdKind) -> String {
        if kind != IdKind::Cursor {
            return self.id_of(kind).to_owned();
        }
        let path = format!("{}?limit=1{}", self.fill(route, None), required(route));
        let page = server.api(&self.key).get(&path).await.expect(200);
        // A thread contains the page of its messages, and names the cursor differently.
        let cursor = ["next_cursor", "earlier_cursor"].iter().find_map(|name| page[*name].as_str());
        cursor.unwrap_or_else(|| panic!("{} has no second page: {page}", route.operation.name)).to_owned()
    }

    /// Fills the path with ids of this tenant, except for one of them.
    fn fill(&self, route: &Route, other: Option<OtherId<'_>>) -> String {
        let fill = |segment: &str| match segment.strip_prefix('{').map(|name| name.trim_end_matches('}')) {
            None => segment.to_owned(),
            Some(name) => match other.filter(|other| other.location == format!("path:{name}")) {
                Some(other) => other.id.to_owned(),
                None => {
                    // A location without a kind is exempt: it holds no tenant's id.
                    let kind = locations::kind(route, &format!("path:{name}"));
                    kind.map_or("none", |kind| self.id_of(kind)).to_owned()
                }
            },
        };
        route.operation.path.split('/').map(fill).collect::<Vec<_>>().join("/").replace('@', "%40")
    }

    /// Returns the texts that no other tenant may see.
    pub(super) fn secrets(&self) -> Vec<&str> {
        self.ids.values().map(String::as_str).chain([self.mark]).collect()
    }

    /// Returns everything that the API shows of this tenant.
    pub(super) async fn dump(&self, server: &TestServer) -> BTreeMap<String, Value> {
        let (api, inbox) = (server.api(&self.key), &self.inbox.id);
        let (thread, webhook) = (self.id_of(IdKind::Thread), self.id_of(IdKind::Webhook));
        let paths = [
            format!("/v1/inboxes/{inbox}"),
            format!("/v1/inboxes/{inbox}/messages?limit=100"),
            format!("/v1/inboxes/{inbox}/threads?limit=100"),
            format!("/v1/inboxes/{inbox}/drafts?limit=100"),
            format!("/v1/inboxes/{inbox}/forwarding"),
            format!("/v1/threads/{thread}"),
            format!("/v1/webhooks/{webhook}/deliveries?limit=100"),
            format!("/v1/inboxes/{inbox}/identity"),
            format!("/v1/inboxes/{inbox}/identity/sign-ins?limit=100"),
            "/v1/identity/clients?limit=100".to_owned(),
            format!("/v1/lists?inbox_id={inbox}"),
            "/v1/knowledge?limit=100".to_owned(),
            "/v1/lists".to_owned(),
            "/v1/inboxes?limit=100".to_owned(),
            "/v1/webhooks?limit=100".to_owned(),
            "/v1/domains?limit=100".to_owned(),
            "/v1/contacts?limit=100".to_owned(),
            "/v1/suppressions?limit=100".to_owned(),
            "/v1/events?limit=100".to_owned(),
            "/v1/metrics".to_owned(),
            "/v1/account".to_owned(),
        ];
        let mut dump = BTreeMap::new();
        for path in paths {
            let shown = api.get(&path).await.expect(200).json;
            assert!(shown["next_cursor"].is_null(), "{path} is one page: {shown}");
            dump.insert(path, shown);
        }
        dump
    }
}

/// Returns the changes between two dumps.
pub(super) fn differences(before: &BTreeMap<String, Value>, after: &BTreeMap<String, Value>) -> Vec<String> {
    let changed = before.iter().filter(|(path, shown)| after.get(*path) != Some(shown));
    changed.map(|(path, shown)| format!("{path}: {shown}\n  to {:?}", after.get(path))).collect()
}

/// Returns the required query parameters of a route.
fn required(route: &Route) -> &'static str {
    match route.operation.name {
        "searchMessages" | "searchKnowledge" => "&q=secret",
        "waitForMessage" => "&since=2020-01-01",
        "waitForVerification" => "&since=2020-01-01&include_unauthenticated=true&timeout=1",
        _ => "",
    }
}

/// Builds a request that is valid except for that id. `others` fills the other ids.
pub(super) fn request(
    server: &TestServer,
    route: &Route,
    location: &IdLocation,
    id: &str,
    others: &Tenant,
) -> (String, Option<Value>) {
    let path = others.fill(route, Some(OtherId { location: &location.name, id }));
    let query = location.name.strip_prefix("query:").map(|name| format!("?{name}={id}{}", required(route)));
    let mut body = body(server, route, others);
    if let (Some(pointer), Some(body)) = (location.name.strip_prefix("body:"), &mut body) {
        set(body, pointer, id);
    }
    (path + &query.unwrap_or_default(), body)
}

/// Builds a valid request with the tenant's own ids.
pub(super) fn own_request(server: &TestServer, route: &Route, of: &Tenant) -> (String, Option<Value>) {
    let required = required(route).replacen('&', "?", 1);
    (of.fill(route, None) + &required, body(server, route, of))
}

/// Builds a request in which every id is the victim's: those of the locations, and the rest of the path.
pub(super) fn request_with_all(
    server: &TestServer,
    all: &[&(Route, IdLocation, String)],
    victim: &Tenant,
) -> (String, Option<Value>) {
    let (route, ..) = all[0];
    let queries =
        all.iter().filter_map(|(_, location, id)| Some(format!("{}={id}", location.name.strip_prefix("query:")?)));
    let query: Vec<String> = queries.collect();
    let mut body = body(server, route, victim);
    for (_, location, id) in all {
        if let (Some(pointer), Some(body)) = (location.name.strip_prefix("body:"), &mut body) {
            set(body, pointer, id);
        }
    }
    (format!("{}?{}{}", victim.fill(route, None), query.join("&"), required(route)), body)
}

/// Returns the public key of RFC 7517, appendix A.1.
fn jwk() -> Value {
    json!({
        "kty": "EC",
        "crv": "P-256",
        "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
    })
}

/// Returns a body that the route accepts.
fn body(server: &TestServer, route: &Route, of: &Tenant) -> Option<Value> {
    if !matches!(route.method(), Method::POST | Method::PATCH | Method::PUT) {
        return None;
    }
    let at = server.clock.now().plus_ms(HOUR_MS).to_string();
    let message = json!({ "to": "bob@people.example", "subject": "s", "text": "t" });
    let condition = json!({ "field": "domain", "value": "x.example" });
    let action = json!({ "action": "hold" });
    Some(match route.operation.name {
        "sendMessage" | "sendNewMessage" | "dryRunSend" => message,
        "replyToMessage" | "createDraft" | "updateDraft" => json!({ "text": "t" }),
        "answerInvitation" => json!({ "answer": "accept" }),
        "forwardMessage" => json!({ "to": "bob@people.example" }),
        "updateMessage" | "updateThread" | "updateContact" => json!({ "add_labels": ["x"] }),
        "extractAttachment" => json!({ "schema": "invoice" }),
        "batchUpdateMessages" => json!({ "is_read": true }),
        "ackMessage" | "nackMessage" | "extendLease" => json!({ "lease_id": of.id_of(IdKind::Lease) }),
        "scheduleDraft" => json!({ "send_at": at }),
        "approveDraft" => json!({ "content_sha256": "0".repeat(64) }),
        "sendBackDraft" => json!({ "note": "Shorter." }),
        "createKnowledge" | "updateKnowledge" => json!({ "title": "t", "body": "b" }),
        "createListEntry" => json!({ "direction": "receive", "kind": "block", "pattern": "new.example" }),
        "createWebhook" => json!({ "url": "https://127.0.0.1:8443/hook" }),
        "updateWebhook" => json!({ "enabled": false }),
        "createIdentityToken" => json!({ "audience": "appc_unknown" }),
        "updateAgentSignIn" => json!({ "enabled": false }),
        "updateIdentityClient" => json!({ "enabled": false }),
        "decideSignIn" => json!({ "approve": true }),
        "registerAgentKey" => json!({ "public_jwk": jwk(), "proof": "a.b.c" }),
        "setSignInPreapprovals" => json!({ "clients": [] }),
        "reportAgent" => json!({ "address": of.inbox.address, "reason": "other" }),
        "updateDomain" => json!({ "receiving": false }),
        "updateInbox" => json!({ "display_name": "x" }),
        "injectMail" => {
            json!(format!("From: bob@people.example\r\nTo: {}\r\nSubject: s\r\n\r\nt\r\n", of.inbox.address))
        }
        "createApiKey" => json!({ "name": "n", "preset": "read_only" }),
        "inviteMember" => json!({ "email": "new@people.example" }),
        "updateOrg" => json!({ "name": "Renamed" }),
        "createRule" => json!({ "name": "n", "conditions": [condition], "actions": [action] }),
        "previewRule" => json!({ "conditions": [condition] }),
        "addForwardingAddress" => json!({ "address": "bob@forward.example" }),
        _ => json!({}),
    })
}
