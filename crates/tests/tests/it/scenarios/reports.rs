//! Which reports about sent messages are trusted: every source × every reference to a message × every addressed inbox,
//! through SMTP, observed through the API (RFC 3464, RFC 5965).

mod cases;
mod raw_reports;

use std::collections::{BTreeMap, HashSet};

use posthouse_app::{ports::Clock as _, settings::DeliveryMode};
use posthouse_domain::plan::Plan;
use posthouse_mail::dkim::DkimKey;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    fixtures::TestInbox,
    http::Api,
    server::{ServerOptions, TestServer},
    smtp::TestSmtpClient,
};
use serde_json::{Value, json};

use cases::{ChangedRecipient, InboxRole, ReportCase, ReportSource, StoredAs};

/// A message whose delivery can be reported.
#[derive(Clone, Default)]
struct SentMessage {
    id: String,
    about: String,
    /// The recipients with their return paths.
    recipients: Vec<(String, String)>,
}

/// The messages of one case.
#[derive(Clone, Default)]
struct CaseMessages {
    /// To the recipient that the report names, and to a second one.
    named: SentMessage,
    /// Another message of the same inbox.
    other: SentMessage,
    /// A message of another tenant.
    other_tenant: SentMessage,
}

/// The server and inboxes of all cases.
struct ReportFixture {
    server: TestServer,
    key: DkimKey,
    api: Api,
    other_api: Api,
    sending: TestInbox,
    same_workspace: TestInbox,
    deleted: TestInbox,
    allow_only: TestInbox,
    other_tenant: TestInbox,
}

impl ReportFixture {
    async fn open() -> Self {
        let configure = |config: &mut Configuration| {
            config.delivery.mode = DeliveryMode::Capture;
            config.inbound.feedback_sources = vec!["fbl.example".to_owned()];
        };
        let server = TestServer::start(ServerOptions::default().configure(configure)).await;
        let (key, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
        let api = server.api(&key);
        let allow_only = server.inbox(&key).await;
        let friend = json!({
            "direction": "receive", "kind": "allow", "pattern": "friend.example", "inbox_id": allow_only.id.to_string(),
        });
        api.post("/v1/lists", friend).await.expect(201);
        let fixture = Self {
            key: DkimKey::generate_ed25519().unwrap(),
            other_api: server.api(&other),
            sending: server.inbox(&key).await,
            same_workspace: server.inbox(&key).await,
            deleted: server.inbox(&key).await,
            allow_only,
            other_tenant: server.inbox(&other).await,
            api,
            server,
        };
        fixture.publish();
        fixture
    }

    fn publish(&self) {
        let (dns, record) = (&self.server.dns, self.key.dns_record().unwrap());
        for domain in
            ["x.example", "provider.example", "foreign.example", "fbl.example", "broken.example", "cloudy.example"]
        {
            dns.txt(&format!("{}._domainkey.{domain}", raw_reports::SELECTOR), &record);
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

    /// Makes the failing domains fail, after everything was sent.
    fn fail_domains(&self) {
        let names = ["broken.example", "_dmarc.broken.example", "s._domainkey.broken.example", "_dmarc.cloudy.example"];
        for name in names {
            self.server.dns.fail(name, true);
        }
    }

    fn sender(&self, role: InboxRole) -> &TestInbox {
        match role {
            InboxRole::Sending | InboxRole::SameWorkspace | InboxRole::OtherTenant => &self.sending,
            InboxRole::Deleted => &self.deleted,
            InboxRole::AllowOnly => &self.allow_only,
        }
    }

    /// Returns the inbox that the report is addressed to.
    fn addressed(&self, role: InboxRole) -> &TestInbox {
        match role {
            InboxRole::SameWorkspace => &self.same_workspace,
            InboxRole::OtherTenant => &self.other_tenant,
            _ => self.sender(role),
        }
    }

    /// Queues a message. Returns what a report about it needs.
    async fn send(&self, api: &Api, from: &TestInbox, to: &[String]) -> SentMessage {
        let body = json!({ "to": to, "subject": "Offer", "text": "Here." });
        let sent = api.post(&format!("/v1/inboxes/{}/messages", from.id), body).await.expect(202);
        let recipients = to.iter().map(|address| (address.clone(), String::new())).collect();
        SentMessage { id: sent.text("id").to_owned(), about: sent.text("rfc_message_id").to_owned(), recipients }
    }

    /// Queues the messages of a case, with recipients of its own.
    async fn prepare(&self, at: usize, case: ReportCase) -> CaseMessages {
        let domain = case.source.recipient_domain();
        let from = self.sender(case.role);
        let address = |name: &str, domain: &str| format!("{name}{at}@{domain}");
        let named = self.send(&self.api, from, &[address("named", domain), address("second", "y.example")]).await;
        let mut all = CaseMessages { named, ..CaseMessages::default() };
        if case.source == ReportSource::PathOfOtherMessage {
            all.other = self.send(&self.api, from, &[address("other", "x.example")]).await;
        }
        if case.source == ReportSource::PathOfOtherTenant {
            let to = [address("tenant", "x.example")];
            all.other_tenant = self.send(&self.other_api, &self.other_tenant, &to).await;
        }
        all
    }

    /// Returns the return paths of all captured messages, by message and recipient.
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

    /// Returns the recipients of a report: the return path, and the address of an inbox.
    fn recipients(&self, case: ReportCase, messages: &CaseMessages) -> (Option<String>, Option<String>) {
        let path = |sent: &SentMessage, at: usize| Some(sent.recipients[at].1.clone());
        let path = match case.source {
            ReportSource::OwnPath => path(&messages.named, 0),
            ReportSource::PathOfOtherRecipient => path(&messages.named, 1),
            ReportSource::PathOfOtherMessage => path(&messages.other, 0),
            ReportSource::PathOfOtherTenant => path(&messages.other_tenant, 0),
            _ => None,
        };
        // A report to a return path is only also addressed to inboxes that the path doesn't lead to.
        let beside = match (case.source, case.role) {
            (ReportSource::PathOfOtherTenant, InboxRole::OtherTenant) => false,
            (_, InboxRole::SameWorkspace | InboxRole::OtherTenant) => true,
            _ => path.is_none(),
        };
        (path, beside.then(|| self.addressed(case.role).address.clone()))
    }

    async fn status(&self, api: &Api, sent: &SentMessage, at: usize) -> Value {
        let message = api.get(&format!("/v1/messages/{}", sent.id)).await.expect(200);
        let entries = message["delivery"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["address"] == sent.recipients[at].0.as_str());
        entry.unwrap()["status"].clone()
    }

    /// Returns the recipient that changed, from the delivery entries and suppressions of all candidates.
    async fn changed(&self, case: ReportCase, messages: &CaseMessages) -> ChangedRecipient {
        let worse = if case.reference.is_complaint() { "complained" } else { "bounced" };
        let all = [
            (&messages.named, 0, ChangedRecipient::Named, &self.api),
            (&messages.named, 1, ChangedRecipient::OtherRecipient, &self.api),
            (&messages.other, 0, ChangedRecipient::OtherMessage, &self.api),
            (&messages.other_tenant, 0, ChangedRecipient::OtherTenant, &self.other_api),
        ];
        let mut found = ChangedRecipient::None;
        for (sent, at, changed, api) in all.into_iter().filter(|(sent, ..)| !sent.id.is_empty()) {
            let address = &sent.recipients[at].0;
            let suppressed = !api.get(&format!("/v1/suppressions?q={address}")).await.expect(200).data().is_empty();
            if case.role != InboxRole::Deleted || changed == ChangedRecipient::OtherTenant {
                let status = self.status(api, sent, at).await;
                assert_eq!(status, if suppressed { worse } else { "sent" }, "{case:?}: {address}");
            }
            if suppressed {
                assert_eq!(found, ChangedRecipient::None, "{case:?}: a second change: {address}");
                found = changed;
            }
        }
        found
    }

    /// Delivers a report and checks everything that it may change.
    async fn try_case(
        &self,
        smtp: &mut TestSmtpClient,
        observer: &mut Observer,
        case: ReportCase,
        messages: &CaseMessages,
    ) {
        // Stays below the rate limit of a key.
        self.server.clock.advance(1_000);
        let (path, address) = self.recipients(case, messages);
        let to: Vec<&str> = path.iter().chain(&address).map(String::as_str).collect();
        let (about, recipient) = (&messages.named.about, &messages.named.recipients[0].0);
        let raw = raw_reports::compose(case, about, recipient, &self.key, self.server.clock.now());
        let reply = smtp.mail(case.source.identity().0, &to, &raw).await;
        if case.role == InboxRole::Deleted && path.is_none() {
            reply.expect_enhanced(550, "5.1.1");
            // The server disconnects a client after too many rejections.
            *smtp = self.server.smtp().await;
        } else {
            reply.expect(250);
        }
        assert_eq!(self.changed(case, messages).await, case.changed(), "{case:?}");
        observer.check(self, case, self.copies(case, path.is_some(), address.is_some())).await;
    }

    /// Returns the expected copies of a report: in the inbox of the return path, and in the addressed inbox.
    fn copies(&self, case: ReportCase, by_path: bool, by_address: bool) -> Vec<ExpectedCopy<'_>> {
        let mut copies = Vec::new();
        if by_path && case.source == ReportSource::PathOfOtherTenant {
            copies.push(ExpectedCopy { workspace: 1, inbox: &self.other_tenant, stored_as: StoredAs::Report });
        } else if by_path && case.role != InboxRole::Deleted {
            copies.push(ExpectedCopy { workspace: 0, inbox: self.sender(case.role), stored_as: StoredAs::Report });
        }
        if by_address && case.role != InboxRole::Deleted {
            let workspace = usize::from(case.role == InboxRole::OtherTenant);
            copies.push(ExpectedCopy {
                workspace,
                inbox: self.addressed(case.role),
                stored_as: case.copy_by_address(),
            });
        }
        copies
    }
}

/// Returns every item of a list.
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

/// The messages and events seen so far, to recognize new ones.
#[derive(Default)]
struct Observer {
    /// The last event id of each workspace.
    after: [Option<String>; 2],
    messages: HashSet<String>,
}

/// An expected copy of a report.
struct ExpectedCopy<'t> {
    /// The index of the workspace.
    workspace: usize,
    inbox: &'t TestInbox,
    stored_as: StoredAs,
}

impl Observer {
    /// Returns the messages of a workspace that events announced since the last call.
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

    /// Asserts that exactly these copies exist, with their labels and events.
    async fn check(&mut self, fixture: &ReportFixture, case: ReportCase, expected: Vec<ExpectedCopy<'_>>) {
        let apis = [&fixture.api, &fixture.other_api];
        let mut announced = [Vec::new(), Vec::new()];
        for ExpectedCopy { workspace, inbox, stored_as } in expected {
            let path = format!("/v1/inboxes/{}/messages?direction=inbound&limit=1", inbox.id);
            let list = apis[workspace].get(&format!("{path}&include_blocked=true&include_held=true")).await.expect(200);
            let message = list.data().first().unwrap_or_else(|| panic!("{case:?}: nothing was stored"));
            let id = message["id"].as_str().unwrap().to_owned();
            assert!(self.messages.insert(id.clone()), "{case:?}: nothing was stored");
            let labels: Vec<&str> = message["labels"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let has = |label: &str| labels.contains(&label);
            let is_blocked = inbox.id == fixture.allow_only.id;
            assert_eq!(has("blocked"), is_blocked, "{case:?}: {labels:?}");
            assert_eq!(has("bounce-report"), stored_as == StoredAs::Report, "{case:?}: {labels:?}");
            assert_eq!(has("unverified-report"), stored_as == StoredAs::Unverified, "{case:?}: {labels:?}");
            let kind = if is_blocked { "message.received.blocked" } else { "message.received" };
            announced[workspace].extend((stored_as != StoredAs::Report).then(|| (id, kind.to_owned())));
        }
        for (at, expected) in announced.into_iter().enumerate() {
            assert_eq!(self.announced(at, apis[at]).await, expected, "{case:?}");
        }
    }
}

/// Runs every case in sequence, each with its own messages.
#[tokio::test]
async fn only_trusted_reports_change_a_delivery() {
    let fixture = ReportFixture::open().await;
    let mut rows = Vec::new();
    for (at, case) in ReportCase::all().enumerate() {
        rows.push((case, fixture.prepare(at, case).await));
    }
    fixture.server.settle().await;
    let paths = fixture.paths().await;
    for (_, messages) in &mut rows {
        for sent in [&mut messages.named, &mut messages.other, &mut messages.other_tenant] {
            for (address, path) in &mut sent.recipients {
                *path = paths[&(sent.id.clone(), address.clone())].clone();
            }
        }
    }
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.deleted.id)).await.expect(204);
    fixture.fail_domains();
    let (mut smtp, mut observer) = (fixture.server.smtp().await, Observer::default());
    for (case, messages) in &rows {
        fixture.try_case(&mut smtp, &mut observer, *case, messages).await;
    }
    smtp.quit().await;
    assert!(rows.iter().filter(|(case, _)| case.changed() != ChangedRecipient::None).count() > 100);
    fixture.server.finish().await;
}
