//! The operations over HTTP.

use posthouse::all_routes;
use posthouse_call::Access;
use posthouse_domain::auth::{Permission, Scope};
use posthouse_http::route::Route;
use posthouse_tests::{ServerOptions, http::Api};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ASKED, AUTHOR, Asked, Ids, MARK, STATES, State, Withheld};

/// Who gets withheld content from an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Callers that ask for it in the query.
    Query,
    /// Callers that ask for it in the body.
    Body,
    /// Nobody, before a person or a key releases it.
    Closed,
    /// Lists only mail that agents don't get. Callers ask for its content in the query.
    Held,
}

/// An operation that shows the content of messages, or that changes or sends something and answers with messages.
struct Row {
    name: &'static str,
    way: Way,
    /// More parameters of the query.
    query: &'static str,
    body: Option<fn(&Ids) -> Value>,
}

const fn read(name: &'static str, way: Way, query: &'static str) -> Row {
    Row { name, way, query, body: None }
}

const fn write(name: &'static str, way: Way, body: fn(&Ids) -> Value) -> Row {
    Row { name, way, query: "", body: Some(body) }
}

const ROWS: &[Row] = &[
    read("listMessages", Way::Query, "include_blocked=true"),
    read("getMessage", Way::Query, ""),
    read("getMessageHtml", Way::Query, ""),
    read("getRawMessage", Way::Query, ""),
    read("getAttachment", Way::Query, ""),
    read("getAttachmentText", Way::Query, ""),
    read("getThread", Way::Query, ""),
    read("waitForMessage", Way::Query, "since=2020-01-01T00:00:00Z&timeout=1&subject=zebra4711"),
    write("batchGetMessages", Way::Body, |ids| json!({ "ids": [ids.message] })),
    write("claimMessages", Way::Body, |_| json!({ "limit": 50 })),
    read("listHeldMessages", Way::Held, ""),
    read("waitForVerification", Way::Closed, "since=2020-01-01T00:00:00Z&timeout=1"),
    read("listContacts", Way::Closed, ""),
    read("getContact", Way::Closed, ""),
    read("getContactByAddress", Way::Closed, ""),
    read("searchMessages", Way::Closed, "q=zebra4711"),
    read("listThreads", Way::Closed, "include_newest=true"),
    read("listInboxThreads", Way::Closed, "include_newest=true"),
    read("getThreadDigest", Way::Closed, "reset=true"),
    read("listEvents", Way::Closed, ""),
    read("getEvent", Way::Closed, ""),
    read("listQueueItems", Way::Closed, "state=in_flight"),
    read("getWebhookDelivery", Way::Closed, ""),
    write("updateMessage", Way::Closed, |_| json!({ "is_read": true })),
    write("batchUpdateMessages", Way::Closed, |ids| json!({ "ids": [ids.message], "is_read": true })),
];

/// Operations with a permission for messages that change or send something and are not in the table, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("sendMessage", "quotes nothing"),
    ("sendNewMessage", "quotes nothing"),
    ("dryRunSend", "quotes nothing"),
    ("replyToMessage", "`answers_need_the_right_to_release`"),
    ("forwardMessage", "`answers_need_the_right_to_release`"),
    ("answerInvitation", "`answers_need_the_right_to_release`"),
    ("createDraft", "`answers_need_the_right_to_release`"),
    ("draftReply", "`routes/messages/draft_reply.rs`"),
    ("extractAttachment", "checks the message as `getAttachmentText` does; needs a model server"),
    ("releaseMessage", "changes the state"),
    ("ackMessage", "answers with ids only"),
    ("nackMessage", "answers with ids only"),
    ("extendLease", "answers with ids only"),
    ("requeueMessage", "answers with ids only"),
    ("dropMessage", "answers with ids only"),
    ("updateThread", "answers without messages"),
    ("deleteThread", "deletes the message"),
    ("addForwardingAddress", "forwards what is shown"),
    ("resendForwardingConfirmation", "forwards what is shown"),
    ("createStreamToken", "`channels.rs` reads the stream"),
    ("updateDraft", "a draft has what its author wrote"),
    ("deleteDraft", "a draft has what its author wrote"),
    ("sendDraft", "a draft has what its author wrote"),
    ("scheduleDraft", "a draft has what its author wrote"),
    ("cancelDraft", "a draft has what its author wrote"),
    ("approveDraft", "a draft has what its author wrote"),
    ("sendBackDraft", "a draft has what its author wrote"),
    ("takeBackDraft", "a draft has what its author wrote"),
];

/// An id of nothing.
const UNKNOWN: Uuid = Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_00ff);

fn row(route: &Route) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == route.operation.name)
}

/// Returns whether an operation that changes something needs a row or an exception.
fn needs_decision(route: &Route) -> bool {
    let Access::Key(permission, _) = route.operation.access else { return false };
    let is_of_mail =
        |one: Permission| ["messages:", "attachments:", "drafts:"].iter().any(|prefix| one.text().starts_with(prefix));
    let mut all = std::iter::once(permission).chain(route.operation.also.iter().copied());
    route.method() != Method::GET && all.any(is_of_mail)
}

/// Returns the operations that are tried: all that read, and those in the table, in an order that lets each see what those
/// before it did.
fn tried() -> Vec<Route> {
    let reads = |route: &Route| route.method() == Method::GET && matches!(route.operation.access, Access::Key(..));
    let of_queue = |route: &Route| route.operation.name == "listQueueItems";
    let mut all: Vec<Route> = all_routes().into_iter().filter(|route| reads(route) || row(route).is_some()).collect();
    all.sort_by_key(of_queue);
    all
}

impl Withheld {
    /// Returns the path of a route with the ids of the message.
    fn path(&self, route: &Route, last: &Latest) -> String {
        let ids = &self.ids;
        let mut before = "";
        let mut path = Vec::new();
        for segment in route.operation.path.split('/') {
            path.push(match (segment.starts_with('{'), before) {
                (false, _) => segment.to_owned(),
                (_, "inboxes") => ids.inbox.clone(),
                (_, "messages") => ids.message.clone(),
                (_, "threads") => ids.thread.clone(),
                (_, "attachments") => ids.attachment.clone(),
                (_, "contacts") => ids.contact.clone(),
                (_, "by-address") => AUTHOR.to_owned(),
                (_, "drafts") => ids.draft.clone(),
                (_, "webhooks") => ids.webhook.clone(),
                (_, "deliveries") => last.delivery.clone(),
                (_, "events") => last.event.clone(),
                _ => UNKNOWN.to_string(),
            });
            before = segment;
        }
        path.join("/")
    }

    /// Returns the newest records that carry the message.
    async fn latest(&self) -> Latest {
        let api = &self.fixture.api;
        let events = api.get("/v1/events?limit=100").await.expect(200);
        let about = |event: &&Value| {
            event["type"].as_str().is_some_and(|kind| kind.starts_with("message."))
                && event.to_string().contains(&self.ids.message)
        };
        let event = events.data().iter().rfind(about).map_or(UNKNOWN.to_string(), super::id);
        let path = format!("/v1/webhooks/{}/deliveries?limit=100", self.ids.webhook);
        let deliveries = api.get(&path).await.expect(200);
        let delivery = deliveries.data().iter().find(|one| one["event_id"] == event);
        Latest { delivery: delivery.map_or(UNKNOWN.to_string(), super::id), event }
    }

    /// Returns whether the operation shows the content.
    async fn shows(
        &self,
        api: &Api,
        route: &Route,
        asked: Asked,
        latest: &Latest,
        may_wait: bool,
    ) -> Result<bool, String> {
        let row = row(route);
        let mut url = format!("{}?{}", self.path(route, latest), row.map_or("", |row| row.query));
        let mut body = row.and_then(|row| row.body).map(|body| body(&self.ids));
        match (row.map(|row| row.way), &mut body) {
            (Some(Way::Query | Way::Held), _) => {
                url.push_str(&format!("&include_unscreened={}&include_held={}", asked.unscreened, asked.held))
            }
            (Some(Way::Body), Some(body)) => {
                body["include_unscreened"] = json!(asked.unscreened);
                body["include_held"] = json!(asked.held);
            }
            _ => {}
        }
        let call = api.send(route.method(), &url, body);
        // A wait that finds nothing ends when its second is over.
        let answer = if may_wait { self.fixture.server.clock.advance_until(1_000, call).await } else { call.await };
        if answer.status >= 400 {
            return Err(answer["error"]["code"].as_str().unwrap_or_default().to_owned());
        }
        if route.operation.name == "claimMessages" {
            for claimed in answer.data() {
                let path = format!("/v1/messages/{}/nack", claimed["message"]["id"].as_str().expect("an id"));
                self.fixture.api.post(&path, json!({ "lease_id": claimed["lease_id"] })).await.expect(200);
            }
        }
        Ok(answer.bytes.windows(MARK.len()).any(|part| part == MARK.as_bytes()))
    }

    /// Claims the message, if it can be claimed, so that it is in flight.
    async fn claim_all(&self) {
        let path = format!("/v1/inboxes/{}/messages/claim", self.ids.inbox);
        let body = json!({ "include_unscreened": true, "include_held": true });
        self.fixture.api.post(&path, body).await.expect(200);
    }

    /// Returns whether an operation must show the content.
    fn must_show(&self, way: Way, name: &str, asked: Asked) -> bool {
        match way {
            // Blocked mail stays hidden from waits and claims.
            Way::Query | Way::Body if matches!(name, "waitForMessage" | "claimMessages") => {
                self.state.is_opened(asked) && self.state != State::Blocked
            }
            Way::Query | Way::Body => self.state.is_opened(asked),
            Way::Closed => !self.state.is_withheld(),
            Way::Held => self.state.is_withheld() && self.state.is_opened(asked),
        }
    }

    /// Tries every operation with one key, and returns what is wrong.
    async fn problems(&self, api: &Api, may_release: bool, routes: &[Route]) -> Vec<String> {
        let (mut wrong, latest) = (Vec::new(), self.latest().await);
        for route in routes {
            let (name, row) = (route.operation.name, row(route));
            for asked in ASKED {
                let has_opt_ins = matches!(row.map(|row| row.way), Some(Way::Query | Way::Body | Way::Held));
                if !has_opt_ins && asked != ASKED[0] {
                    continue;
                }
                let refused = has_opt_ins && asked.held && !may_release;
                let expected = !refused && row.is_some_and(|row| self.must_show(row.way, name, asked));
                if name == "listQueueItems" {
                    self.claim_all().await;
                }
                let waits = row.is_some_and(|row| row.query.contains("timeout=")) && !expected && !refused;
                let shown = self.shows(api, route, asked, &latest, waits).await;
                if name == "listQueueItems" {
                    // The next key claims it, too.
                    self.fixture.api.post_empty(&format!("/v1/messages/{}/requeue", self.ids.message)).await;
                }
                let is_right = match &shown {
                    Ok(shown) => *shown == expected && !refused,
                    Err(code) if refused => code == "insufficient_permissions",
                    Err(code) if self.state.is_withheld() && row.is_some() => !expected && code == "message_withheld",
                    Err(_) => row.is_none(),
                };
                if !is_right {
                    let state = self.state;
                    wrong.push(format!("{name} {state:?} {asked:?} release {may_release}: {shown:?}, not {expected}"));
                }
            }
        }
        wrong
    }
}

/// The newest records that carry the message.
struct Latest {
    event: String,
    delivery: String,
}

#[test]
fn every_operation_that_changes_mail_has_a_decision() {
    for route in all_routes().iter().filter(|route| needs_decision(route)) {
        let name = route.operation.name;
        let is_excepted = EXCEPTIONS.iter().any(|(excepted, _)| *excepted == name);
        assert!(row(route).is_some() != is_excepted, "{name}: add a row to the table, or an exception with its reason");
    }
    for name in ROWS.iter().map(|row| row.name).chain(EXCEPTIONS.iter().map(|(name, _)| *name)) {
        assert!(all_routes().iter().any(|route| route.operation.name == name), "{name} is no operation");
    }
}

#[tokio::test]
async fn content_reaches_only_those_who_may_see_it() {
    let routes = tried();
    let mut wrong = Vec::new();
    for state in STATES {
        let options = ServerOptions::default().configure(|config| config.plans.team.requests_per_minute = None);
        let withheld = Withheld::open(state, options).await;
        let fixture = &withheld.fixture;
        let everything: Vec<&str> = Permission::ALL.iter().map(|one| one.text()).collect();
        let without: Vec<&str> = everything.iter().copied().filter(|one| *one != "messages:release").collect();
        for (permissions, may_release) in [(without, false), (everything, true)] {
            let scope = if may_release { Scope::Org } else { Scope::Workspace };
            let key = fixture.server.key(&fixture.key, &permissions.join(","), scope).await;
            wrong.extend(withheld.problems(&fixture.server.api(&key), may_release, &routes).await);
        }
        withheld.fixture.close().await;
    }
    assert!(wrong.is_empty(), "{} of the cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn answers_need_the_right_to_release() {
    for state in STATES {
        let withheld = Withheld::open(state, ServerOptions::default()).await;
        let (fixture, ids) = (&withheld.fixture, &withheld.ids);
        let (inbox, message) = (format!("/v1/inboxes/{}", ids.inbox), &ids.message);
        let agent = fixture.server.key(&fixture.key, "agent", Scope::Workspace).await;
        for (key, may_release) in [(&agent, false), (&fixture.key, true)] {
            let api = fixture.server.api(key);
            // A draft for the thread answers the newest message that the caller may see.
            let by_thread =
                api.post(&format!("{inbox}/drafts"), json!({ "thread_id": ids.thread, "text": "Thanks." })).await;
            let is_visible = !state.is_withheld() || may_release;
            assert!(is_visible || !by_thread.body_text().contains(MARK), "{state:?}: {by_thread}");
            for (path, body) in [
                (format!("{inbox}/messages/{message}/reply"), json!({ "text": "Thanks." })),
                (format!("{inbox}/messages/{message}/forward"), json!({ "to": "other@third.example" })),
                (format!("{inbox}/drafts"), json!({ "reply_to_message_id": message, "text": "Thanks." })),
                (format!("{inbox}/messages/{message}/invitation-answer"), json!({ "answer": "accept" })),
            ] {
                let answer = api.post(&path, body).await;
                // Mail that a receive list blocked can't be forwarded.
                let may =
                    !state.is_withheld() || may_release && !(state == State::Blocked && path.ends_with("forward"));
                if may && path.ends_with("invitation-answer") {
                    // The mail has no invitation.
                    answer.error("not_found");
                } else if may {
                    assert!(answer.status < 300, "{path} {state:?} release {may_release}: {answer}");
                } else {
                    let refused = answer.error("message_withheld");
                    assert!(!refused.body_text().contains(MARK), "{path} {state:?}");
                    let shown = if state == State::Pending { "pending" } else { "held" };
                    assert_eq!(refused["error"]["details"]["state"], shown, "{path} {state:?}");
                }
            }
        }
        fixture.server.settle().await;
        withheld.fixture.close().await;
    }
}
