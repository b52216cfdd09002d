//! Who may report about sent mail: every source × every way to name a message × every inbox that it can reach, through SMTP,
//! looked at through the API (RFC 3464, RFC 5965).

mod cases;
mod letters;

use std::collections::{BTreeMap, HashSet};

use posthouse_domain::plan::Plan;
use posthouse_mail::dkim::DkimKey;
use posthouse_server::{
    config::{Config, DeliveryMode},
    ports::Clock as _,
};
use posthouse_tests::{
    fixtures::TestInbox,
    http::Api,
    server::{Options, TestServer},
    smtp::SmtpClient,
};
use serde_json::{Value, json};

use cases::{Case, Changed, Copy, Place, Source};

/// A message whose delivery can be reported about.
#[derive(Clone, Default)]
struct Sent {
    id: String,
    about: String,
    /// The recipients with their return paths.
    recipients: Vec<(String, String)>,
}

/// The messages of one case.
#[derive(Clone, Default)]
struct Messages {
    /// To the recipient that the report names, and to another one.
    named: Sent,
    /// Another one of the same inbox.
    other: Sent,
    /// One of another tenant.
    other_tenant: Sent,
}

/// The server of the table.
struct Table {
    server: TestServer,
    key: DkimKey,
    api: Api,
    other_api: Api,
    sending: TestInbox,
    colleague: TestInbox,
    deleted: TestInbox,
    allow_only: TestInbox,
    other_tenant: TestInbox,
}

impl Table {
    async fn open() -> Self {
        let configure = |config: &mut Config| {
            config.delivery.mode = DeliveryMode::Capture;
            config.feedback_sources = vec!["fbl.example".to_owned()];
        };
        let server = TestServer::start(Options::default().configure(configure)).await;
        let (key, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
        let api = server.api(&key);
        let allow_only = server.inbox(&key).await;
        let friend = json!({
            "direction": "receive", "kind": "allow", "pattern": "friend.example", "inbox_id": allow_only.id.to_string(),
        });
        api.post("/v1/lists", friend).await.expect(201);
        let table = Self {
            key: DkimKey::generate_ed25519().unwrap(),
            other_api: server.api(&other),
            sending: server.inbox(&key).await,
            colleague: server.inbox(&key).await,
            deleted: server.inbox(&key).await,
            allow_only,
            other_tenant: server.inbox(&other).await,
            api,
            server,
        };
        table.publish();
        table
    }

    fn publish(&self) {
        let (dns, record) = (&self.server.dns, self.key.dns_record().unwrap());
        for domain in
            ["x.example", "provider.example", "foreign.example", "fbl.example", "broken.example", "cloudy.example"]
        {
            dns.txt(&format!("{}._domainkey.{domain}", letters::SELECTOR), &record);
        }
        for domain in ["x.example", "fbl.example", "broken.example", "cloudy.example"] {
            dns.txt(domain, "v=spf1 ip4:127.0.0.1 -all");
        }
        dns.txt("strict.example", "v=spf1 -all");
        dns.txt("_dmarc.x.example", "v=DMARC1; p=none");
        for domain in ["x.example", "strict.example", "broken.example", "cloudy.example"] {
            dns.mx(domain, 10, "mx1.in.provider.example");
        }
    }

    /// The broken domains break when everything was sent.
    fn break_down(&self) {
        let names = ["broken.example", "_dmarc.broken.example", "s._domainkey.broken.example", "_dmarc.cloudy.example"];
        for name in names {
            self.server.dns.fail(name, true);
        }
    }

    fn sender(&self, place: Place) -> &TestInbox {
        match place {
            Place::Sending | Place::Colleague | Place::OtherTenant => &self.sending,
            Place::Deleted => &self.deleted,
            Place::AllowOnly => &self.allow_only,
        }
    }

    /// The inbox that is addressed.
    fn addressed(&self, place: Place) -> &TestInbox {
        match place {
            Place::Colleague => &self.colleague,
            Place::OtherTenant => &self.other_tenant,
            _ => self.sender(place),
        }
    }

    /// Queues a message; what it takes to report about it.
    async fn send(&self, api: &Api, from: &TestInbox, to: &[String]) -> Sent {
        let body = json!({ "to": to, "subject": "Offer", "text": "Here." });
        let sent = api.post(&format!("/v1/inboxes/{}/messages", from.id), body).await.expect(202);
        let recipients = to.iter().map(|address| (address.clone(), String::new())).collect();
        Sent { id: sent.text("id").to_owned(), about: sent.text("rfc_message_id").to_owned(), recipients }
    }

    /// The messages of a case, with recipients of its own.
    async fn prepare(&self, at: usize, case: Case) -> Messages {
        let domain = case.source.recipient_domain();
        let from = self.sender(case.place);
        let address = |name: &str, domain: &str| format!("{name}{at}@{domain}");
        let named = self.send(&self.api, from, &[address("named", domain), address("second", "y.example")]).await;
        let mut all = Messages { named, ..Messages::default() };
        if case.source == Source::PathOfOtherMessage {
            all.other = self.send(&self.api, from, &[address("other", "x.example")]).await;
        }
        if case.source == Source::PathOfOtherTenant {
            let to = [address("tenant", "x.example")];
            all.other_tenant = self.send(&self.other_api, &self.other_tenant, &to).await;
        }
        all
    }

    /// The return paths of everything that was captured, by message and recipient.
    async fn paths(&self) -> BTreeMap<(String, String), String> {
        let mut paths = BTreeMap::new();
        for api in [&self.api, &self.other_api] {
            for entry in pages(api, "/dev/outbox").await {
                let texts = |name: &str| {
                    let list = entry["envelope"][name].as_array().unwrap();
                    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect::<Vec<_>>()
                };
                for (to, path) in texts("to").into_iter().zip(texts("return_paths")) {
                    paths.insert((entry["id"].as_str().unwrap().to_owned(), to), path);
                }
            }
        }
        paths
    }

    /// The recipients of a report: the return path, and who is addressed beside it.
    fn recipients(&self, case: Case, messages: &Messages) -> (Option<String>, Option<String>) {
        let path = |sent: &Sent, at: usize| Some(sent.recipients[at].1.clone());
        let path = match case.source {
            Source::OwnPath => path(&messages.named, 0),
            Source::PathOfOtherRecipient => path(&messages.named, 1),
            Source::PathOfOtherMessage => path(&messages.other, 0),
            Source::PathOfOtherTenant => path(&messages.other_tenant, 0),
            _ => None,
        };
        // With a return path only inboxes that it does not lead to are addressed as well.
        let beside = match (case.source, case.place) {
            (Source::PathOfOtherTenant, Place::OtherTenant) => false,
            (_, Place::Colleague | Place::OtherTenant) => true,
            _ => path.is_none(),
        };
        (path, beside.then(|| self.addressed(case.place).address.clone()))
    }

    async fn status(&self, api: &Api, sent: &Sent, at: usize) -> Value {
        let message = api.get(&format!("/v1/messages/{}", sent.id)).await.expect(200);
        let entries = message["delivery"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["address"] == sent.recipients[at].0.as_str());
        entry.unwrap()["status"].clone()
    }

    /// Who has changed, by the entries and the suppressions of everybody who could.
    async fn changed(&self, case: Case, messages: &Messages) -> Changed {
        let worse = if case.naming.is_complaint() { "complained" } else { "bounced" };
        let all = [
            (&messages.named, 0, Changed::Named, &self.api),
            (&messages.named, 1, Changed::OtherRecipient, &self.api),
            (&messages.other, 0, Changed::OtherMessage, &self.api),
            (&messages.other_tenant, 0, Changed::OtherTenant, &self.other_api),
        ];
        let mut found = Changed::Nobody;
        for (sent, at, changed, api) in all.into_iter().filter(|(sent, ..)| !sent.id.is_empty()) {
            let address = &sent.recipients[at].0;
            let suppressed = !api.get(&format!("/v1/suppressions?q={address}")).await.expect(200).data().is_empty();
            if case.place != Place::Deleted || changed == Changed::OtherTenant {
                let status = self.status(api, sent, at).await;
                assert_eq!(status, if suppressed { worse } else { "sent" }, "{case:?}: {address}");
            }
            if suppressed {
                assert_eq!(found, Changed::Nobody, "{case:?}: a second one: {address}");
                found = changed;
            }
        }
        found
    }

    /// Hands a report in and looks at everything that it may touch.
    async fn try_case(&self, smtp: &mut SmtpClient, observer: &mut Observer, (case, messages): (Case, &Messages)) {
        // Fewer requests a minute than a key has.
        self.server.clock.advance(1_000);
        let (path, address) = self.recipients(case, messages);
        let to: Vec<&str> = path.iter().chain(&address).map(String::as_str).collect();
        let about = (messages.named.about.as_str(), messages.named.recipients[0].0.as_str());
        let raw = letters::write(case, about, (&self.key, self.server.clock.now()));
        let reply = smtp.mail(case.source.identity().0, &to, &raw).await;
        if case.place == Place::Deleted && path.is_none() {
            reply.says(550, "5.1.1");
            // A client that is refused too often is sent away.
            *smtp = self.server.smtp().await;
        } else {
            reply.expect(250);
        }
        assert_eq!(self.changed(case, messages).await, case.changed(), "{case:?}");
        observer.check(self, case, self.copies(case, path.is_some(), address.is_some())).await;
    }

    /// The copies of a report: that of the inbox that the return path leads to, and that of the one that was addressed.
    fn copies(&self, case: Case, by_path: bool, by_address: bool) -> Vec<Expected<'_>> {
        let mut copies = Vec::new();
        if by_path && case.source == Source::PathOfOtherTenant {
            copies.push(Expected { workspace: 1, inbox: &self.other_tenant, copy: Copy::Report });
        } else if by_path && case.place != Place::Deleted {
            copies.push(Expected { workspace: 0, inbox: self.sender(case.place), copy: Copy::Report });
        }
        if by_address && case.place != Place::Deleted {
            let workspace = usize::from(case.place == Place::OtherTenant);
            copies.push(Expected { workspace, inbox: self.addressed(case.place), copy: case.copy_by_address() });
        }
        copies
    }
}

/// Every item of a list.
async fn pages(api: &Api, path: &str) -> Vec<Value> {
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = api.get(&format!("{path}?limit=100{cursor}")).await.expect(200);
        all.extend(page.data().iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// What was seen so far, to tell what is new.
#[derive(Default)]
struct Observer {
    /// The last event of each workspace.
    after: [Option<String>; 2],
    messages: HashSet<String>,
}

/// A copy of a report that is to be found.
struct Expected<'t> {
    /// Which of the two workspaces.
    workspace: usize,
    inbox: &'t TestInbox,
    copy: Copy,
}

impl Observer {
    /// The messages of a workspace that an event announced since the last time.
    async fn announced(&mut self, at: usize, api: &Api) -> Vec<(String, String)> {
        let after = self.after[at].as_ref().map(|id| format!("&after={id}")).unwrap_or_default();
        let types = "types=message.received,message.received.blocked";
        let events = api.get(&format!("/v1/events?{types}{after}")).await.expect(200);
        if let Some(last) = events.data().last() {
            self.after[at] = Some(last["id"].as_str().unwrap().to_owned());
        }
        let pair = |event: &Value| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&event["data"]["message"]["id"]), text(&event["type"]))
        };
        events.data().iter().map(pair).collect()
    }

    /// Finds exactly these copies, with their labels and events.
    async fn check(&mut self, table: &Table, case: Case, expected: Vec<Expected<'_>>) {
        let apis = [&table.api, &table.other_api];
        let mut announced = [Vec::new(), Vec::new()];
        for Expected { workspace, inbox, copy } in expected {
            let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", inbox.id);
            let list = apis[workspace].get(&format!("{path}&include_blocked=true&include_held=true")).await.expect(200);
            let message = list.data().first().unwrap_or_else(|| panic!("{case:?}: nothing was stored"));
            let id = message["id"].as_str().unwrap().to_owned();
            assert!(self.messages.insert(id.clone()), "{case:?}: nothing was stored");
            let labels: Vec<&str> = message["labels"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let has = |label: &str| labels.contains(&label);
            let is_blocked = inbox.id == table.allow_only.id;
            assert_eq!(has("blocked"), is_blocked, "{case:?}: {labels:?}");
            assert_eq!(has("bounce-report"), copy == Copy::Report, "{case:?}: {labels:?}");
            assert_eq!(has("unverified-report"), copy == Copy::Unverified, "{case:?}: {labels:?}");
            let kind = if is_blocked { "message.received.blocked" } else { "message.received" };
            announced[workspace].extend((copy != Copy::Report).then(|| (id, kind.to_owned())));
        }
        for (at, expected) in announced.into_iter().enumerate() {
            assert_eq!(self.announced(at, apis[at]).await, expected, "{case:?}");
        }
    }
}

/// Every row, one after the other, each with messages of its own.
#[tokio::test]
async fn only_those_who_may_report_change_anything() {
    let table = Table::open().await;
    let mut rows = Vec::new();
    for (at, case) in Case::all().enumerate() {
        rows.push((case, table.prepare(at, case).await));
    }
    table.server.settle().await;
    let paths = table.paths().await;
    for (_, messages) in &mut rows {
        for sent in [&mut messages.named, &mut messages.other, &mut messages.other_tenant] {
            for (address, path) in &mut sent.recipients {
                *path = paths[&(sent.id.clone(), address.clone())].clone();
            }
        }
    }
    table.api.delete(&format!("/v1/inboxes/{}", table.deleted.id)).await.expect(204);
    table.break_down();
    let (mut smtp, mut observer) = (table.server.smtp().await, Observer::default());
    for (case, messages) in &rows {
        table.try_case(&mut smtp, &mut observer, (*case, messages)).await;
    }
    smtp.quit().await;
    assert!(rows.iter().filter(|(case, _)| case.changed() != Changed::Nobody).count() > 100);
    table.server.finish().await;
}
