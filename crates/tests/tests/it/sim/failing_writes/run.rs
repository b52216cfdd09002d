//! One run: a workspace, everything that can happen in it, and what must be true afterwards.

use std::collections::{BTreeMap, HashMap, HashSet};

use posthouse_domain::{event::EventKind, plan::Plan, time::MINUTE_MS};
use posthouse_server::ports::Clock as _;
use posthouse_store::WritePoint;
use posthouse_tests::{
    Letter, Say, TestServer, WebhookSink,
    fixtures::{TestInbox, TestKey},
    http::{Api, Reply},
    mail::SENDER,
    smtp_sink::Received,
    stream::StreamClient,
};
use serde_json::{Value, json};

use super::World;

/// How often a client tries.
const TRIES: usize = 4;

pub(super) struct Run {
    name: String,
    key: TestKey,
    api: Api,
    inbox: TestInbox,
    colleague: TestInbox,
    hooks: WebhookSink,
    webhook: String,
    /// The end of the log when the webhook was made.
    began: usize,
    /// Events that a stream has told.
    streamed: Vec<Value>,
    /// Subjects that were acknowledged with 250.
    received: Vec<String>,
    /// Subjects that were put off with 451 at first: they may be there twice.
    put_off: HashSet<String>,
    /// Messages that were acknowledged with 202, with how many recipients each has elsewhere.
    queued: Vec<(String, usize)>,
    handed_out: Vec<String>,
}

/// Tries a request until it is answered otherwise than with 503.
async fn insist(ask: impl AsyncFn() -> Reply) -> Reply {
    for _ in 0..TRIES {
        let reply = ask().await;
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

impl Run {
    /// Makes a workspace with two inboxes, a temporary one, a forwarding address and a webhook.
    pub(super) async fn prepare(world: &World, n: u64) -> Self {
        let (server, name) = (&world.server, format!("run-{n}"));
        let key = server.workspace(Plan::Team).await;
        let (api, inbox, colleague) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
        let path = format!("/v1/inboxes/{}", inbox.id);
        let friend = json!({ "address": format!("friend{n}@b.example") });
        api.post(&format!("{path}/forwarding"), friend).await.expect(201);
        server.settle().await;
        let asked = world.exchanger.received().pop().expect("the question arrived");
        server.anonymous().post_empty(&link(&asked.data)).await.expect(200);
        // The queue begins with its first claim.
        api.post_empty(&format!("{path}/messages/claim")).await.expect(200);
        api.post("/v1/inboxes", json!({ "ttl_seconds": 90 })).await.expect(201);
        let hooks = WebhookSink::start().await;
        let began = log(&api).await.len();
        let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.text()).collect();
        let made = api.post("/v1/webhooks", json!({ "url": hooks.url(), "events": kinds })).await.expect(201);
        let webhook = made.text("id").to_owned();
        hooks.next(Say::Status(503, String::new()));
        let (streamed, received, put_off, queued) = (Vec::new(), Vec::new(), HashSet::new(), Vec::new());
        let handed_out = Vec::new();
        Self {
            name,
            key,
            api,
            inbox,
            colleague,
            hooks,
            webhook,
            began,
            streamed,
            received,
            put_off,
            queued,
            handed_out,
        }
    }

    /// Everything happens, while one write fails.
    pub(super) async fn go(&mut self, world: &World) {
        let server = &world.server;
        let mut stream = self.listen(server).await;
        self.first_mail(server).await;
        for subject in ["second", "third"] {
            self.mail(server, subject, "<first>").await;
        }
        self.mail(server, "aside", "<other>").await;
        self.send("to several", json!(["ann@b.example", "eve@b.example", "bob@c.example"]), 3).await;
        self.send("to both", json!(["ann@b.example", self.colleague.address]), 1).await;
        self.drafts(server).await;
        server.settle_in_spite().await;
        self.report(world).await;
        self.work(server).await;
        self.hear(&mut stream).await;
        stream.close().await;
        // The end of the temporary inbox, the scheduled draft, the next attempt at the webhook, and every lease.
        for minutes in [2, 2, 2, 10, 2] {
            server.clock.advance(minutes * MINUTE_MS);
            server.settle_in_spite().await;
            self.work(server).await;
        }
        let mut stream = self.listen(server).await;
        self.hear(&mut stream).await;
        stream.close().await;
    }

    /// Opens a stream and resumes behind the last event it told; the first begins at the end of the log.
    async fn listen(&mut self, server: &TestServer) -> StreamClient {
        let mut stream = server.stream(&self.key).await;
        let since = self.streamed.last().cloned();
        let frame = since.map_or_else(|| json!({}), |last| json!({ "since": last }));
        stream.subscribe(frame).await;
        stream
    }

    /// Takes what the stream has told until now.
    async fn hear(&mut self, stream: &mut StreamClient) {
        let end = log(&self.api).await.last().map(|event| event["id"].clone());
        while self.streamed.last() != end.as_ref() {
            self.streamed.push(stream.expect("event").await["event"]["id"].clone());
        }
    }

    /// The first mail comes while a long-poll waits for it.
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
        let letter = Letter::new(&subject, "Hello.").with("Message-ID", &id(word)).with("In-Reply-To", &answers);
        server.clock.advance(1);
        let raw = letter.raw(&self.inbox.address, server.clock.now());
        self.hand_in(server, SENDER, &self.inbox.address.clone(), &raw, &subject).await;
        self.received.push(subject);
    }

    /// Hands mail in by SMTP until it is acknowledged.
    async fn hand_in(&mut self, server: &TestServer, from: &str, to: &str, raw: &str, subject: &str) {
        for _ in 0..TRIES {
            let mut client = server.smtp().await;
            let reply = client.mail(from, &[to], raw.as_bytes()).await;
            client.quit().await;
            if reply.code == 250 {
                return;
            }
            assert_eq!(reply.code, 451, "{reply:?}");
            self.put_off.insert(subject.to_owned());
        }
        panic!("only one write fails");
    }

    async fn send(&mut self, word: &str, to: Value, elsewhere: usize) {
        let subject = format!("{} {word}", self.name);
        let api = self.api.idempotent(&subject.replace(' ', "-"));
        let path = format!("/v1/inboxes/{}/messages", self.inbox.id);
        let body = json!({ "to": to, "subject": subject, "text": "Hello." });
        insist(async || api.post(&path, body.clone()).await).await.expect(202);
        self.queued.push((subject, elsewhere));
    }

    /// One draft is sent at once, another has a time.
    async fn drafts(&mut self, server: &TestServer) {
        let path = format!("/v1/inboxes/{}/drafts", self.inbox.id);
        let at = server.clock.now().plus_ms(2 * MINUTE_MS).to_string();
        for (word, more) in [("draft", json!({})), ("scheduled", json!({ "send_at": at }))] {
            let subject = format!("{} {word}", self.name);
            let mut body = json!({ "to": "ann@b.example", "subject": subject, "text": "Hello." });
            more.as_object().into_iter().flatten().for_each(|(name, value)| body[name] = value.clone());
            let api = self.api.idempotent(&subject.replace(' ', "-"));
            let made = insist(async || api.post(&path, body.clone()).await).await.expect(201);
            if word == "draft" {
                let send = format!("{path}/{}/send", made.text("id"));
                let api = self.api.idempotent(&format!("send-{}", subject.replace(' ', "-")));
                insist(async || api.post_empty(&send).await).await.expect(202);
            }
            self.queued.push((subject, 1));
        }
    }

    /// A server elsewhere reports that it did not deliver to eve after all.
    async fn report(&mut self, world: &World) {
        let subject = format!("{} to several", self.name);
        let sent = world.exchanger.received();
        let is_it = |mail: &&Received| {
            mail.data.contains(&subject) && mail.recipients.iter().any(|recipient| recipient == "eve@b.example")
        };
        // One whose settling is put off for longer has been taken all the same.
        let mail = sent.iter().find(is_it).expect("the mail was taken");
        let path = mail.mail.split_once('<').and_then(|(_, rest)| rest.split_once('>')).expect("a return path").0;
        let notice = "From: MAILER-DAEMON@mx.b.example\r\nSubject: failure notice\r\n\r\n\
            Hi. This is the qmail-send program at mx.b.example.\r\n\
            I'm afraid I wasn't able to deliver your message to the following addresses.\r\n\r\n<eve@b.example>:\r\n\
            Remote host said: 550 5.1.1 No such user here\r\nGiving up on 192.0.2.1.\r\n";
        world.server.clock.advance(1);
        self.hand_in(&world.server, "", path, notice, "failure notice").await;
    }

    /// Claims and finishes what there is.
    async fn work(&mut self, server: &TestServer) {
        let claim = format!("/v1/inboxes/{}/messages/claim", self.inbox.id);
        loop {
            server.clock.advance(1);
            let body = json!({ "limit": 10, "lease_seconds": 30 });
            let claimed = insist(async || self.api.post(&claim, body.clone()).await).await.expect(200);
            if claimed.data().is_empty() {
                return;
            }
            for one in claimed.data() {
                let (id, lease) =
                    (one["message"]["id"].as_str().unwrap_or_default(), json!({ "lease_id": one["lease_id"] }));
                let path = format!("/v1/messages/{id}/ack");
                insist(async || self.api.post(&path, lease.clone()).await).await.expect(200);
                self.handed_out.push(one["message"]["subject"].as_str().unwrap_or_default().to_owned());
            }
        }
    }

    /// What must be true whichever write failed.
    pub(super) async fn verify(&self, world: &World, point: WritePoint) {
        let all = log(&self.api).await;
        let path = format!("/v1/webhooks/{}/deliveries?limit=100", self.webhook);
        let attempts = self.api.get(&path).await.expect(200);
        let failed: Vec<&Value> = attempts.data().iter().filter(|attempt| attempt["status"] != "succeeded").collect();
        assert_eq!(failed.len(), 1, "{}: attempts that failed: {failed:#?}", self.name);
        self.verify_events(&all);
        self.verify_received(point).await;
        self.verify_sent(world).await;
        let kinds: HashSet<&str> = all.iter().filter_map(|event| event["type"].as_str()).collect();
        for kind in
            ["message.received", "message.sent", "message.delivered", "message.bounced", "inbox.expired", "draft.sent"]
        {
            assert!(kinds.contains(kind), "{}: no {kind} in {kinds:?}", self.name);
        }
    }

    /// The webhook and the stream have the log.
    fn verify_events(&self, all: &[Value]) {
        let told: Vec<&Value> = all[self.began..].iter().map(|event| &event["id"]).collect();
        assert_eq!(self.streamed.iter().collect::<Vec<_>>(), told, "{}: the stream has the log", self.name);
        let posts: Vec<Value> = self.hooks.posts().iter().map(|post| post.json()).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        posts.iter().for_each(|event| *counts.entry(id(event)).or_default() += 1);
        let kind = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
        let lost = all[self.began..].iter().filter(|event| !counts.contains_key(id(event)));
        let lost: Vec<String> = lost.map(kind).collect();
        assert!(lost.is_empty(), "{}: {} events came, and never these: {lost:?}", self.name, counts.len());
        assert_eq!(counts.len(), told.len(), "{}", self.name);
        // The receiver refused the first.
        let refused = posts.first().map(id);
        let twice: Vec<_> =
            counts.iter().filter(|(id, count)| **count != 1 + usize::from(Some(**id) == refused)).collect();
        assert!(twice.is_empty(), "{}: came as often: {twice:?}", self.name);
        let mut seen = HashSet::new();
        let firsts = posts.iter().filter(|event| seen.insert(id(event)));
        assert_eq!(
            by_thread(firsts),
            by_thread(all[self.began..].iter()),
            "{}: the order of each conversation",
            self.name
        );
    }

    /// What was acknowledged is in the inbox, and was handed out to a worker.
    async fn verify_received(&self, point: WritePoint) {
        let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=100", self.inbox.id);
        let list = self.api.get(&path).await.expect(200);
        let stored: Vec<&str> = list.data().iter().filter_map(|message| message["subject"].as_str()).collect();
        for subject in &self.received {
            let count = stored.iter().filter(|one| *one == subject).count();
            // Whoever was told 451 hands the mail in again, also when it is there.
            let most = 1 + usize::from(point == WritePoint::Committed && self.put_off.contains(subject));
            assert!((1..=most).contains(&count), "{subject} is stored {count} times");
            let worked = self.handed_out.iter().filter(|one| *one == subject).count();
            assert_eq!(worked, count, "{subject} was stored {count} times and handed out {worked} times");
        }
    }

    /// What was queued has left once for each recipient, and says so; what was received was passed on.
    async fn verify_sent(&self, world: &World) {
        let arrived = world.exchanger.received();
        let of = |subject: &str| -> usize {
            let line = format!("Subject: {subject}\r\n");
            arrived.iter().filter(|mail| mail.data.contains(&line)).map(|mail| mail.recipients.len()).sum()
        };
        for (subject, recipients) in &self.queued {
            assert_eq!(of(subject), *recipients, "{subject} arrived so often");
        }
        for subject in &self.received {
            let count = of(subject);
            let most = 1 + usize::from(self.put_off.contains(subject));
            assert!((1..=most).contains(&count), "{subject} was passed on {count} times");
        }
        let path = format!("/v1/inboxes/{}/messages?direction=outbound&limit=100", self.inbox.id);
        let list = self.api.get(&path).await.expect(200);
        for (subject, _) in &self.queued {
            let found: Vec<&Value> = list.data().iter().filter(|message| message["subject"] == *subject).collect();
            assert_eq!(found.len(), 1, "{subject} is stored so often");
            let expected = if subject.ends_with("to several") { "bounced" } else { "delivered" };
            assert_eq!(found[0]["status"], expected, "{subject}: {}", found[0]);
        }
    }
}

fn id(event: &Value) -> &str {
    event["id"].as_str().unwrap_or_default()
}

/// The events of each conversation, in their order.
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

/// The whole log of the workspace.
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
