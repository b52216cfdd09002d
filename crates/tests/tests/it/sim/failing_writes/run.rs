//! One run: a workspace, everything that can happen in it, and the checks afterwards.

use std::collections::{BTreeMap, HashMap, HashSet};

use posthouse_app::ports::Clock as _;
use posthouse_domain::{event::EventKind, plan::Plan, time::MINUTE_MS};
use posthouse_store::WritePoint;
use posthouse_tests::{
    TestMessage, TestServer, WebhookReply, WebhookSink,
    fixtures::{TestInbox, TestKey},
    http::{Api, ApiResponse},
    mail::SENDER,
    smtp_sink::SinkMessage,
    stream::StreamClient,
};
use serde_json::{Value, json};

use super::Fixture;

/// Maximum number of attempts of a client.
const TRIES: usize = 4;

pub(super) struct WorkloadRun {
    name: String,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    second_inbox: TestInbox,
    hooks: WebhookSink,
    webhook: String,
    /// The length of the log when the webhook was created.
    log_start: usize,
    /// Event ids that a stream delivered.
    streamed: Vec<Value>,
    /// Subjects acknowledged with 250.
    received: Vec<String>,
    /// Subjects that first got a 451. They may be stored twice.
    deferred: HashSet<String>,
    /// Messages acknowledged with 202, with their number of external recipients.
    queued: Vec<(String, usize)>,
    claimed_subjects: Vec<String>,
}

/// Repeats a request until the response is not a 503.
async fn retry(request: impl AsyncFn() -> ApiResponse) -> ApiResponse {
    for _ in 0..TRIES {
        let reply = request().await;
        if reply.status != 503 {
            return reply;
        }
        reply.error("unavailable");
    }
    panic!("only one write fails");
}

fn link(mail: &str) -> String {
    let at = mail.find("/confirm/forwarding/").unwrap_or_else(|| panic!("no link in {mail}"));
    mail[at..].lines().next().unwrap_or_default().trim_end().to_owned()
}

impl WorkloadRun {
    /// Creates a workspace with two inboxes, a temporary one, a forwarding address and a webhook.
    pub(super) async fn prepare(fixture: &Fixture, n: u64) -> Self {
        let (server, name) = (&fixture.server, format!("run-{n}"));
        let key = server.workspace(Plan::Team).await;
        let (api, inbox, second_inbox) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
        let path = format!("/v1/inboxes/{}", inbox.id);
        let friend = json!({ "address": format!("friend{n}@b.example") });
        api.post(&format!("{path}/forwarding"), friend).await.expect(201);
        server.settle().await;
        let request_mail = fixture.exchanger.received().pop().expect("the confirmation request arrived");
        server.anonymous().post_empty(&link(&request_mail.data)).await.expect(200);
        // The first claim initializes the queue.
        api.post_empty(&format!("{path}/messages/claim")).await.expect(200);
        api.post("/v1/inboxes", json!({ "ttl_seconds": 90 })).await.expect(201);
        let hooks = WebhookSink::start().await;
        let log_start = log(&api).await.len();
        let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.text()).collect();
        let made = api.post("/v1/webhooks", json!({ "url": hooks.url(), "events": kinds })).await.expect(201);
        let webhook = made.text("id").to_owned();
        hooks.next(WebhookReply::Status(503, String::new()));
        let (streamed, received, deferred, queued) = (Vec::new(), Vec::new(), HashSet::new(), Vec::new());
        let claimed_subjects = Vec::new();
        Self {
            name,
            key,
            api,
            inbox,
            second_inbox,
            hooks,
            webhook,
            log_start,
            streamed,
            received,
            deferred,
            queued,
            claimed_subjects,
        }
    }

    /// Runs everything while one write fails.
    pub(super) async fn execute(&mut self, fixture: &Fixture) {
        let server = &fixture.server;
        let mut stream = self.open_stream(server).await;
        self.first_mail(server).await;
        for subject in ["second", "third"] {
            self.mail(server, subject, "<first>").await;
        }
        self.mail(server, "aside", "<other>").await;
        self.send("to several", json!(["ann@b.example", "eve@b.example", "bob@c.example"]), 3).await;
        self.send("to both", json!(["ann@b.example", self.second_inbox.address]), 1).await;
        self.drafts(server).await;
        server.settle_with_failing_writes().await;
        self.report(fixture).await;
        self.work(server).await;
        self.read_stream(&mut stream).await;
        stream.close().await;
        // The temporary inbox and all leases expire, and the scheduled draft and the next webhook attempt become due.
        for minutes in [2, 2, 2, 10, 2] {
            server.clock.advance(minutes * MINUTE_MS);
            server.settle_with_failing_writes().await;
            self.work(server).await;
        }
        let mut stream = self.open_stream(server).await;
        self.read_stream(&mut stream).await;
        stream.close().await;
    }

    /// Opens a stream and resumes after the last delivered event. The first one starts at the end of the log.
    async fn open_stream(&mut self, server: &TestServer) -> StreamClient {
        let mut stream = server.stream(&self.key).await;
        let since = self.streamed.last().cloned();
        let frame = since.map_or_else(|| json!({}), |last| json!({ "since": last }));
        stream.subscribe(frame).await;
        stream
    }

    /// Reads the stream up to the end of the log.
    async fn read_stream(&mut self, stream: &mut StreamClient) {
        let end = log(&self.api).await.last().map(|event| event["id"].clone());
        while self.streamed.last() != end.as_ref() {
            self.streamed.push(stream.expect("event").await["event"]["id"].clone());
        }
    }

    /// The first message arrives while a long-poll waits for it.
    async fn first_mail(&mut self, server: &TestServer) {
        let since = server.clock.now().plus_ms(-1);
        let path = format!("/v1/inboxes/{}/messages/wait?since={since}&timeout=50", self.inbox.id);
        let api = self.api.clone();
        let waiting = tokio::spawn(async move { api.get(&path).await.expect(200) });
        self.mail(server, "first", "<none>").await;
        let found = waiting.await.expect("the wait does not panic");
        assert_eq!(found["data"]["subject"], format!("{} first", self.name));
    }

    async fn mail(&mut self, server: &TestServer, word: &str, answers: &str) {
        let subject = format!("{} {word}", self.name);
        let id = |word: &str| format!("<{}.{word}@remote.example>", self.name.replace(' ', "."));
        let answers = id(answers.trim_matches(['<', '>']));
        let message = TestMessage::new(&subject, "Hello.").with("Message-ID", &id(word)).with("In-Reply-To", &answers);
        server.clock.advance(1);
        let raw = message.raw(&self.inbox.address, server.clock.now());
        self.deliver(server, SENDER, &self.inbox.address.clone(), &raw, &subject).await;
        self.received.push(subject);
    }

    /// Delivers a message by SMTP until it is acknowledged.
    async fn deliver(&mut self, server: &TestServer, from: &str, to: &str, raw: &str, subject: &str) {
        for _ in 0..TRIES {
            let mut client = server.smtp().await;
            let reply = client.mail(from, &[to], raw.as_bytes()).await;
            client.quit().await;
            if reply.code == 250 {
                return;
            }
            assert_eq!(reply.code, 451, "{reply:?}");
            self.deferred.insert(subject.to_owned());
        }
        panic!("only one write fails");
    }

    async fn send(&mut self, word: &str, to: Value, elsewhere: usize) {
        let subject = format!("{} {word}", self.name);
        let api = self.api.idempotent(&subject.replace(' ', "-"));
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        let body = json!({ "to": to, "subject": subject, "text": "Hello." });
        retry(async || api.post(&path, body.clone()).await).await.expect(202);
        self.queued.push((subject, elsewhere));
    }

    /// Sends one draft at once and schedules another.
    async fn drafts(&mut self, server: &TestServer) {
        let path = format!("/v1/inboxes/{}/drafts", self.inbox.id);
        let at = server.clock.now().plus_ms(2 * MINUTE_MS).to_string();
        for (word, more) in [("draft", json!({})), ("scheduled", json!({ "send_at": at }))] {
            let subject = format!("{} {word}", self.name);
            let mut body = json!({ "to": "ann@b.example", "subject": subject, "text": "Hello." });
            more.as_object().into_iter().flatten().for_each(|(name, value)| body[name] = value.clone());
            let api = self.api.idempotent(&subject.replace(' ', "-"));
            let made = retry(async || api.post(&path, body.clone()).await).await.expect(201);
            if word == "draft" {
                let send = format!("{path}/{}/send", made.text("id"));
                let api = self.api.idempotent(&format!("send-{}", subject.replace(' ', "-")));
                retry(async || api.post_empty(&send).await).await.expect(202);
            }
            self.queued.push((subject, 1));
        }
    }

    /// Another server reports that the message to eve was not delivered.
    async fn report(&mut self, fixture: &Fixture) {
        let subject = format!("{} to several", self.name);
        let sent = fixture.exchanger.received();
        let is_it = |mail: &&SinkMessage| {
            mail.data.contains(&subject) && mail.recipients.iter().any(|recipient| recipient == "eve@b.example")
        };
        // The message was sent even if recording its outcome was delayed.
        let mail = sent.iter().find(is_it).expect("the message was accepted");
        let path = mail.mail.split_once('<').and_then(|(_, rest)| rest.split_once('>')).expect("a return path").0;
        let notice = "From: MAILER-DAEMON@mx.b.example\r\nSubject: failure notice\r\n\r\n\
            Hi. This is the qmail-send program at mx.b.example.\r\n\
            I'm afraid I wasn't able to deliver your message to the following addresses.\r\n\r\n<eve@b.example>:\r\n\
            Remote host said: 550 5.1.1 No such user here\r\nGiving up on 192.0.2.1.\r\n";
        fixture.server.clock.advance(1);
        self.deliver(&fixture.server, "", path, notice, "failure notice").await;
    }

    /// Claims and acknowledges all available messages.
    async fn work(&mut self, server: &TestServer) {
        let claim = format!("/v1/inboxes/{}/messages/claim", self.inbox.id);
        loop {
            server.clock.advance(1);
            let body = json!({ "limit": 10, "lease_seconds": 30 });
            let claimed = retry(async || self.api.post(&claim, body.clone()).await).await.expect(200);
            if claimed.data().is_empty() {
                return;
            }
            for one in claimed.data() {
                let (id, lease) =
                    (one["message"]["id"].as_str().unwrap_or_default(), json!({ "lease_id": one["lease_id"] }));
                let path = format!("/v1/messages/{id}/ack");
                retry(async || self.api.post(&path, lease.clone()).await).await.expect(200);
                self.claimed_subjects.push(one["message"]["subject"].as_str().unwrap_or_default().to_owned());
            }
        }
    }

    /// Checks what must hold whichever write failed.
    pub(super) async fn verify(&self, fixture: &Fixture, point: WritePoint) {
        let all = log(&self.api).await;
        let path = format!("/v1/webhooks/{}/deliveries?limit=100", self.webhook);
        let attempts = self.api.get(&path).await.expect(200);
        let failed: Vec<&Value> = attempts.data().iter().filter(|attempt| attempt["status"] != "succeeded").collect();
        assert_eq!(failed.len(), 1, "{}: attempts that failed: {failed:#?}", self.name);
        self.verify_events(&all);
        self.verify_received(point).await;
        self.verify_sent(fixture).await;
        let kinds: HashSet<&str> = all.iter().filter_map(|event| event["type"].as_str()).collect();
        for kind in
            ["message.received", "message.sent", "message.delivered", "message.bounced", "inbox.expired", "draft.sent"]
        {
            assert!(kinds.contains(kind), "{}: no {kind} in {kinds:?}", self.name);
        }
    }

    /// Checks that the webhook and the stream have the same events as the log.
    fn verify_events(&self, all: &[Value]) {
        let logged_ids: Vec<&Value> = all[self.log_start..].iter().map(|event| &event["id"]).collect();
        assert_eq!(self.streamed.iter().collect::<Vec<_>>(), logged_ids, "{}: the stream has the log", self.name);
        let posts: Vec<Value> = self.hooks.posts().iter().map(|post| post.json()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        posts.iter().for_each(|event| *counts.entry(id(event)).or_default() += 1);
        let kind = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
        let lost = all[self.log_start..].iter().filter(|event| !counts.contains_key(id(event)));
        let lost: Vec<String> = lost.map(kind).collect();
        assert!(lost.is_empty(), "{}: {} events arrived, but not these: {lost:?}", self.name, counts.len());
        assert_eq!(counts.len(), logged_ids.len(), "{}", self.name);
        // The receiver rejected the first event once.
        let refused = posts.first().map(id);
        let twice: Vec<_> =
            counts.iter().filter(|(id, count)| **count != 1 + usize::from(Some(**id) == refused)).collect();
        assert!(twice.is_empty(), "{}: wrong number of deliveries: {twice:?}", self.name);
        let mut seen = HashSet::new();
        let firsts = posts.iter().filter(|event| seen.insert(id(event)));
        assert_eq!(
            by_thread(firsts),
            by_thread(all[self.log_start..].iter()),
            "{}: the order of each thread",
            self.name
        );
    }

    /// Checks that acknowledged messages are in the inbox and were claimed by a worker.
    async fn verify_received(&self, point: WritePoint) {
        let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=100", self.inbox.id);
        let list = self.api.get(&path).await.expect(200);
        let stored: Vec<&str> = list.data().iter().filter_map(|message| message["subject"].as_str()).collect();
        for subject in &self.received {
            let count = stored.iter().filter(|one| *one == subject).count();
            // A client that got a 451 delivers the message again, even if it was stored.
            let most = 1 + usize::from(point == WritePoint::AfterCommit && self.deferred.contains(subject));
            assert!((1..=most).contains(&count), "{subject} is stored {count} times");
            let worked = self.claimed_subjects.iter().filter(|one| *one == subject).count();
            assert_eq!(worked, count, "{subject} was stored {count} times and claimed {worked} times");
        }
    }

    /// Checks that queued messages were sent once per recipient and are marked so, and that received ones were
    /// forwarded.
    async fn verify_sent(&self, fixture: &Fixture) {
        let arrived = fixture.exchanger.received();
        let of = |subject: &str| -> usize {
            let line = format!("Subject: {subject}\r\n");
            arrived.iter().filter(|mail| mail.data.contains(&line)).map(|mail| mail.recipients.len()).sum()
        };
        for (subject, recipients) in &self.queued {
            assert_eq!(of(subject), *recipients, "number of arrivals of {subject}");
        }
        for subject in &self.received {
            let count = of(subject);
            let most = 1 + usize::from(self.deferred.contains(subject));
            assert!((1..=most).contains(&count), "{subject} was forwarded {count} times");
        }
        let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=100", self.inbox.id);
        let list = self.api.get(&path).await.expect(200);
        for (subject, _) in &self.queued {
            let found: Vec<&Value> = list.data().iter().filter(|message| message["subject"] == *subject).collect();
            assert_eq!(found.len(), 1, "number of stored copies of {subject}");
            let expected = if subject.ends_with("to several") { "bounced" } else { "delivered" };
            assert_eq!(found[0]["status"], expected, "{subject}: {}", found[0]);
        }
    }
}

fn id(event: &Value) -> &str {
    event["id"].as_str().unwrap_or_default()
}

/// Returns the events of each thread, in order.
fn by_thread<'a>(events: impl Iterator<Item = &'a Value>) -> BTreeMap<String, Vec<String>> {
    let mut threads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in events {
        let thread = event["data"]["message"]["thread_id"].as_str().or(event["data"]["thread"]["id"].as_str());
        if let Some(thread) = thread {
            threads.entry(thread.to_owned()).or_default().push(format!("{} {}", event["type"], id(event)));
        }
    }
    threads
}

/// Returns the whole log of the workspace.
async fn log(api: &Api) -> Vec<Value> {
    let (mut events, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.get(&format!("/v1/events?limit=100{cursor}")).await.expect(200);
        events.extend(page.data().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return events,
        }
    }
}
