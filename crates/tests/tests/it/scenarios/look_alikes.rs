//! Domains that look like those of a workspace's contacts.

use posthouse_app::{ports::Clock, settings::Categoriser};
use posthouse_domain::plan::Plan;
use posthouse_tests::{TestMessage, fixtures::TestKey, server::ServerOptions};
use serde_json::Value;

use crate::inbox_fixture::InboxFixture;

/// How long the domains of a workspace are kept, in milliseconds.
const KEPT_MS: i64 = 5 * 60_000;
const CONTACT: &str = "ann@acme-corp.example";
const IMITATOR: &str = "ann@acmecorp.example";

impl InboxFixture {
    /// Delivers a mail whose author SPF proves, to several inboxes in one transaction.
    async fn deliver_proven(&self, from: &str, to: &[&str]) {
        let domain = from.rsplit_once('@').expect("an address").1;
        self.server.dns.txt(domain, "v=spf1 ip4:127.0.0.1 -all");
        let message = TestMessage::new("Invoice", "The invoice of November is due.").with("From", from);
        self.server.advance(1).await;
        let mut client = self.server.smtp().await;
        let raw = message.raw(to[0], self.server.clock.now());
        client.mail(from, to, raw.as_bytes()).await.expect(250);
        client.quit().await;
    }

    /// Returns what the look-alike of each message of an inbox looks like, newest first.
    async fn looks_like(&self, key: &TestKey, inbox: &str) -> Vec<Option<String>> {
        let path = format!("/v1/inboxes/{inbox}/messages?include_held=true");
        let page = self.server.api(key).get(&path).await.expect(200);
        let detail = |message: &Value| -> Option<String> {
            let reasons = message["ai"]["local_screen"]["reasons"].as_array()?;
            let found = reasons.iter().find(|reason| reason["code"] == "look_alike_domain")?;
            Some(found["detail"].as_str()?.to_owned())
        };
        page["data"].as_array().unwrap().iter().map(detail).collect()
    }
}

#[tokio::test]
async fn a_look_alike_of_a_contact_has_a_reason_in_that_workspace_only() {
    let options = ServerOptions::default().configure(|config| config.ai.categoriser = Categoriser::Builtin);
    let fixture = InboxFixture::with(options).await;
    let other = fixture.server.workspace(Plan::Team).await;
    let stranger = fixture.server.inbox_named(&other, "stranger").await;
    let (id, address) = (fixture.inbox.id.to_string(), fixture.inbox.address.clone());
    fixture.deliver_proven(CONTACT, &[&address]).await;
    fixture.server.advance(KEPT_MS).await;

    let both = [address.as_str(), stranger.address.as_str()];
    fixture.deliver_proven(IMITATOR, &both).await;
    let imitates = Some("looks like acme-corp.example".to_owned());
    assert_eq!(fixture.looks_like(&fixture.key, &id).await, [imitates.clone(), None]);
    assert_eq!(fixture.looks_like(&other, &stranger.id.to_string()).await, [None], "it knows nobody");

    // The imitator is an acquaintance now, but a later one.
    fixture.server.advance(KEPT_MS).await;
    fixture.deliver_proven(IMITATOR, &both).await;
    fixture.deliver_proven(CONTACT, &[&address]).await;
    fixture.deliver_proven("ann@sales.acme-corp.example", &[&address]).await;
    let seen = fixture.looks_like(&fixture.key, &id).await;
    assert_eq!(seen, [None, None, imitates.clone(), imitates, None]);
    assert_eq!(fixture.looks_like(&other, &stranger.id.to_string()).await, [None, None]);

    let metrics = fixture.server.service().metrics.text();
    for line in [
        "posthouse_injection_verdicts_total{screen=\"clear\",model=\"clear\"} 5",
        "posthouse_mail_check_seconds_count{check=\"screen\"} 5",
        "posthouse_mail_check_seconds_count{check=\"model\"} 5",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
    assert!(metrics.contains("posthouse_mail_labels_total{label=\"ai:"), "{metrics}");
    fixture.close().await;
}
