//! Every way to read a message × every state of its screening × every permission: who gets the content.

use posthouse_domain::{auth::Scope, id::MessageId, message::HoldReason};
use posthouse_tests::{TestMessage, clock::ManualClock, http::Api};
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

/// A word that stands only in the content of the message.
const MARK: &str = "zebra4711";

/// A state of the screening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Screened,
    Pending,
    Held,
    Released,
}

const STATES: [State; 4] = [State::Screened, State::Pending, State::Held, State::Released];

/// What a way to read shows without being asked for more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// It takes the opt-ins.
    OptIn,
    /// It shows withheld content to nobody.
    Closed,
    /// Callers with `messages:release` get the content.
    Releaser,
}

/// A way to read.
struct Path {
    method: &'static str,
    /// With `{inbox}`, `{message}` and `{thread}`.
    path: &'static str,
    body: Option<fn() -> serde_json::Value>,
    way: Way,
    /// Whether the answer shows the mark if the content isn't withheld; otherwise that it succeeds is enough.
    shows: bool,
}

const fn get(path: &'static str, way: Way) -> Path {
    Path { method: "GET", path, body: None, way, shows: true }
}

const fn post(path: &'static str, way: Way, body: fn() -> serde_json::Value) -> Path {
    Path { method: "POST", path, body: Some(body), way, shows: false }
}

fn reply() -> serde_json::Value {
    json!({ "text": "Thanks." })
}

fn forward() -> serde_json::Value {
    json!({ "to": ["other@third.example"], "text": "See below." })
}

const PATHS: &[Path] = &[
    get("/v1/inboxes/{inbox}/messages", Way::OptIn),
    get("/v1/messages/{message}", Way::OptIn),
    get("/v1/messages/{message}/raw", Way::OptIn),
    get("/v1/messages/{message}/html", Way::OptIn),
    get("/v1/attachments/{attachment}", Way::OptIn),
    get("/v1/inboxes/{inbox}/messages/wait?since=2020-01-01T00:00:00Z&timeout=1", Way::OptIn),
    get("/v1/threads", Way::Closed),
    get("/v1/search?q=zebra4711", Way::Closed),
    get("/v1/events", Way::Closed),
    get("/v1/contacts", Way::Closed),
    get("/v1/inboxes/{inbox}/verification?since=2020-01-01T00:00:00Z&timeout=1", Way::Closed),
    post("/v1/inboxes/{inbox}/messages/{message}/reply", Way::Releaser, reply),
    post("/v1/inboxes/{inbox}/messages/{message}/forward", Way::Releaser, forward),
];

/// What a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    unscreened: bool,
    held: bool,
}

const ASKED: [Asked; 3] = [
    Asked { unscreened: false, held: false },
    Asked { unscreened: true, held: false },
    Asked { unscreened: false, held: true },
];

fn mail() -> TestMessage {
    let html = format!("<p>{MARK} in HTML</p>");
    let body = format!(
        "--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain\r\n\r\n{MARK}: your code \
         is 482913\r\n--c\r\nContent-Type: text/html\r\n\r\n{html}\r\n--c--\r\n--b\r\nContent-Type: text/csv\r\n\
         Content-Disposition: attachment; filename=\"{MARK}.csv\"\r\n\r\n{MARK},1\r\n--b--"
    );
    TestMessage::new(&format!("{MARK} subject"), &body).with("Content-Type", "multipart/mixed; boundary=b")
}

impl InboxFixture {
    async fn in_state(&self, state: State) -> MessageId {
        match state {
            State::Screened => {
                self.server.receive_with(&self.inbox, &mail(), posthouse_app::mailbox::Visibility::Shown).await
            }
            State::Pending => self.server.receive_pending(&self.inbox, &mail()).await,
            State::Held => self.server.receive_held(&self.inbox, &mail(), HoldReason::Phishing).await,
            State::Released => {
                let id = self.server.receive_held(&self.inbox, &mail(), HoldReason::Phishing).await;
                self.api.post_empty(&format!("/v1/messages/{id}/release")).await.expect(200);
                id
            }
        }
    }
}

/// Returns whether the content is shown.
fn is_shown(path: &Path, state: State, asked: Asked, may_release: bool) -> bool {
    match (state, path.way) {
        (State::Screened | State::Released, _) => true,
        (State::Pending, Way::OptIn) => asked.unscreened,
        (State::Held, Way::OptIn) => asked.held,
        (State::Pending | State::Held, Way::Releaser) => may_release,
        (State::Pending | State::Held, Way::Closed) => false,
    }
}

async fn check(clock: &ManualClock, api: &Api, path: &Path, url: &str, state: State, asked: Asked, may_release: bool) {
    let case = format!("{} {url} {state:?} {asked:?} release: {may_release}", path.method);
    let answer = match path.body {
        Some(body) => api.post(url, body()).await,
        None if is_shown(path, state, asked, may_release) || !url.contains("timeout=") => api.get(url).await,
        // A wait that finds nothing ends when its second is over.
        None => clock.advance_until(1_000, api.get(url)).await,
    };
    if asked.held && !may_release && path.way == Way::OptIn {
        assert_eq!(answer.json["error"]["code"], "insufficient_permissions", "{case}: {}", answer.json);
        return;
    }
    let shown = String::from_utf8_lossy(&answer.bytes).contains(MARK);
    let expected = is_shown(path, state, asked, may_release);
    if path.shows {
        assert_eq!(shown, expected, "{case}: {}", String::from_utf8_lossy(&answer.bytes));
    } else {
        assert_eq!(answer.status < 300, expected, "{case}: {}", answer.json);
    }
    if !expected {
        assert!(!shown, "{case}: {}", answer.json);
        let is_withheld = answer.json["error"]["code"] == "message_withheld";
        assert!(answer.status < 300 || is_withheld, "{case}: {}", answer.json);
    }
}

#[tokio::test]
async fn content_reaches_only_those_who_may_see_it() {
    for state in STATES {
        let fixture = InboxFixture::open().await;
        let id = fixture.in_state(state).await;
        fixture.server.settle().await;
        let full =
            fixture.api.get(&format!("/v1/messages/{id}?include_unscreened=true&include_held=true")).await.expect(200);
        let file = full["attachments"][0]["id"].as_str().expect("an attachment").to_owned();
        let reader = "messages:read,messages:send,inboxes:read,contacts:read";
        for (permissions, may_release) in [(reader.to_owned(), false), (format!("{reader},messages:release"), true)] {
            let key = fixture.server.key(&fixture.key, &permissions, Scope::Workspace).await;
            let api = fixture.server.api(&key);
            for path in PATHS {
                for asked in ASKED {
                    let mut url = path.path.replace("{inbox}", &fixture.inbox.id.to_string());
                    url = url.replace("{message}", &id.to_string()).replace("{attachment}", &file);
                    if path.way == Way::OptIn {
                        let mark = if url.contains('?') { '&' } else { '?' };
                        let (unscreened, held) = (asked.unscreened, asked.held);
                        url.push_str(&format!("{mark}include_unscreened={unscreened}&include_held={held}"));
                    } else if asked != ASKED[0] {
                        continue;
                    }
                    check(&fixture.server.clock, &api, path, &url, state, asked, may_release).await;
                }
            }
        }
        fixture.close().await;
    }
}
