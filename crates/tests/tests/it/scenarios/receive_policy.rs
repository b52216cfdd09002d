//! Receive policy: blocklists, greylisting, rates per minute, and role addresses that always accept (RFC 5321 §4.5.1,
//! RFC 5782, RFC 6647). Clients connect through the PROXY protocol, because loopback clients are exempt.

use std::net::Ipv4Addr;

use posthouse_app::{jobs::reconcile, settings::network::Network};
use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, MINUTE_MS},
};
use posthouse_mail::auth::DnsRecordType;
use posthouse_server::config::Configuration;
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::TestInbox,
    http::Api,
    smtp::{SmtpReply, TestSmtpClient},
};
use serde_json::json;

const CLIENT: [u8; 4] = [192, 0, 2, 7];
const MAIL: &[u8] = b"From: Ada <ada@far.example>\r\nSubject: Hi\r\n\r\nHello.\r\n";

struct Fixture {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
}

impl Fixture {
    async fn with(change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        let options = ServerOptions::default().configure(|config| {
            config.smtp.proxy_protocol_from = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
            change(config);
        });
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "desk").await;
        Self { server, api, inbox }
    }

    /// Opens a connection from this address without reading the greeting.
    async fn connect(&self, client: [u8; 4]) -> TestSmtpClient {
        let mut smtp = TestSmtpClient::connect(self.server.smtp_address()).await;
        let [a, b, c, d] = client;
        smtp.send(format!("PROXY TCP4 {a}.{b}.{c}.{d} 198.51.100.1 56324 25\r\n")).await;
        smtp
    }

    async fn connect_with_ehlo(&self, client: [u8; 4]) -> TestSmtpClient {
        let mut smtp = self.connect(client).await;
        smtp.reply().await.expect(220);
        smtp.line("EHLO client.example").await.expect(250);
        smtp
    }

    /// Runs one transaction from this address and returns the last reply.
    async fn mail(&self, client: [u8; 4], from: &str, to: &str) -> SmtpReply {
        let mut smtp = self.connect_with_ehlo(client).await;
        let reply = smtp.mail(from, &[to], MAIL).await;
        smtp.quit().await;
        reply
    }

    async fn inboxes(&self) -> usize {
        self.api.get("/v1/inboxes?limit=100").await.expect(200).data().len()
    }
}

#[tokio::test]
async fn blocklisted_clients_are_rejected_with_the_list_name() {
    let fixture = Fixture::with(|config| config.inbound.dnsbl = vec!["one.example".into(), "two.example".into()]).await;
    let dns = &fixture.server.dns;
    dns.address("7.2.0.192.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    dns.address("9.2.0.192.two.example", Ipv4Addr::new(127, 255, 255, 254).into());
    let recipient = fixture.inbox.address.clone();
    let refused = fixture.mail(CLIENT, "ada@far.example", &recipient).await.expect_enhanced(550, "5.7.1");
    assert!(refused.lines[0].contains("192.0.2.7 is listed at two.example"), "{refused}");
    fixture.mail(CLIENT, "ada@far.example", "nobody@agents.localhost").await.expect_enhanced(550, "5.1.1");
    let query_count = |dns: &posthouse_tests::dns::FakeDns| {
        dns.queries().iter().filter(|q| q.kind == DnsRecordType::A && q.name.ends_with(".two.example")).count()
    };
    let before = query_count(dns);
    fixture.mail(CLIENT, "ada@far.example", &recipient).await.expect_enhanced(550, "5.7.1");
    assert_eq!(query_count(dns), before, "the result is cached");
    fixture.mail(CLIENT, "ada@far.example", "postmaster@agents.localhost").await.expect(250);
    fixture.mail(CLIENT, "ada@far.example", "Abuse@tmp.agents.localhost").await.expect(250);
    // Another client, a client for which the list only returns an error code, and this machine.
    fixture.mail([192, 0, 2, 8], "ada@far.example", &recipient).await.expect(250);
    fixture.mail([192, 0, 2, 9], "ada@far.example", &recipient).await.expect(250);
    dns.address("1.0.0.127.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    fixture.mail([127, 0, 0, 1], "bob@far.example", &recipient).await.expect(250);
    let metrics = fixture.server.anonymous().get("/metrics").await.to_string();
    assert!(metrics.contains("posthouse_smtp_screened_total{rule=\"dnsbl\"} 2"), "{metrics}");
    fixture.server.finish().await;
}

#[tokio::test]
async fn blocklists_that_fail_reject_no_client() {
    let fixture = Fixture::with(|config| config.inbound.dnsbl = vec!["one.example".into(), "two.example".into()]).await;
    let dns = &fixture.server.dns;
    dns.fail("7.2.0.192.one.example", true);
    fixture.mail(CLIENT, "ada@far.example", &fixture.inbox.address).await.expect(250);
    dns.address("7.2.0.192.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    fixture.mail(CLIENT, "ada@far.example", &fixture.inbox.address).await.expect_enhanced(550, "5.7.1");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_silent_blocklist_delays_a_client_only_briefly() {
    let fixture = Fixture::with(|config| config.inbound.dnsbl = vec!["one.example".into()]).await;
    fixture.server.dns.silence(true);
    let mut smtp = fixture.connect_with_ehlo(CLIENT).await;
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    smtp.send(format!("RCPT TO:<{}>\r\n", fixture.inbox.address)).await;
    let reply = fixture.server.clock.advance_until(2_000, smtp.reply()).await;
    reply.expect(250);
    smtp.quit().await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn unknown_senders_are_greylisted_until_they_retry() {
    let fixture = Fixture::with(|config| config.inbound.greylisting = true).await;
    let recipient = fixture.inbox.address.clone();
    let reply = fixture.mail(CLIENT, "rob@far.example", &recipient).await.expect_enhanced(451, "4.7.1");
    assert!(reply.lines[0].contains("try again"), "{reply}");
    fixture.server.clock.advance(MINUTE_MS - 1);
    fixture.mail(CLIENT, "rob@far.example", &recipient).await.expect_enhanced(451, "4.7.1");
    fixture.mail(CLIENT, "", &recipient).await.expect(250);
    fixture.mail(CLIENT, "carl@far.example", "postmaster@agents.localhost").await.expect(250);
    fixture.mail([127, 0, 0, 1], "bob@far.example", &recipient).await.expect(250);
    fixture.server.clock.advance(1);
    // Large senders retry from another address of the same network.
    fixture.mail([192, 0, 2, 99], "rob@far.example", &recipient).await.expect(250);
    fixture.mail(CLIENT, "eve@other.example", &recipient).await.expect(250);
    fixture.mail([198, 51, 100, 1], "ada@far.example", &recipient).await.expect(250);
    fixture.mail([198, 51, 100, 1], "zoe@other.example", &recipient).await.expect_enhanced(451, "4.7.1");
    fixture.server.clock.advance(37 * DAY_MS);
    reconcile::run(fixture.server.service()).await.unwrap();
    fixture.mail(CLIENT, "new@other.example", &recipient).await.expect_enhanced(451, "4.7.1");
    fixture.server.finish().await;
}

#[tokio::test]
async fn correspondents_of_agents_are_never_greylisted() {
    let fixture = Fixture::with(|config| config.inbound.greylisting = true).await;
    let path = format!("/v1/inboxes/{}/messages", fixture.inbox.id);
    fixture.api.post(&path, json!({ "to": "Ada@Bücher.example", "subject": "Hi", "text": "Hello." })).await.expect(202);
    fixture.server.settle().await;
    fixture.mail(CLIENT, "ada@xn--bcher-kva.example", &fixture.inbox.address).await.expect(250);
    fixture.mail(CLIENT, "eve@xn--bcher-kva.example", &fixture.inbox.address).await.expect_enhanced(451, "4.7.1");
    fixture.server.finish().await;
}

#[tokio::test]
async fn clients_are_limited_per_minute() {
    let fixture = Fixture::with(|config| {
        let smtp = &mut config.smtp;
        (smtp.connections_per_minute, smtp.messages_per_minute, smtp.recipients_per_minute) =
            (Some(3), Some(2), Some(3));
        config.inbound.trusted_clients = vec![Network { address: [203, 0, 113, 0].into(), prefix_bits: 24 }];
    })
    .await;
    let recipient = fixture.inbox.address.clone();
    let rcpt = format!("RCPT TO:<{recipient}>");
    let mut smtp = fixture.connect_with_ehlo(CLIENT).await;
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    for _ in 0..3 {
        smtp.line(&rcpt).await.expect(250);
    }
    let reply = smtp.line(&rcpt).await.expect_enhanced(450, "4.7.1");
    assert!(reply.lines[0].contains("Too many recipients"), "{reply}");
    smtp.line("RCPT TO:<postmaster>").await.expect(250);
    smtp.line("RSET").await.expect(250);
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    smtp.line("RSET").await.expect(250);
    let reply = smtp.line("MAIL FROM:<ada@far.example>").await.expect_enhanced(450, "4.7.1");
    assert!(reply.lines[0].contains("Too many messages"), "{reply}");
    smtp.quit().await;
    fixture.connect_with_ehlo(CLIENT).await.quit().await;
    fixture.connect_with_ehlo(CLIENT).await.quit().await;
    let reply = fixture.connect(CLIENT).await.reply().await.expect_enhanced(421, "4.7.0");
    assert!(reply.lines[0].contains("new connections"), "{reply}");
    for client in [[203, 0, 113, 7], [127, 0, 0, 1]] {
        for _ in 0..5 {
            fixture.mail(client, "ada@far.example", &recipient).await.expect(250);
        }
    }
    fixture.server.clock.advance(MINUTE_MS);
    fixture.mail(CLIENT, "ada@far.example", &recipient).await.expect(250);
    fixture.server.finish().await;
}

/// RFC 5321 §4.5.1 and RFC 2142: accepted at every local domain, without a domain, and before an inbox exists.
#[tokio::test]
async fn mail_to_postmaster_is_accepted_and_announced_to_a_person() {
    let fixture = Fixture::with(|config| {
        config.inbound.reject_dmarc_fail = true;
        config.mail.postmaster = Some("olga@ops.example".to_owned());
    })
    .await;
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    fixture.server.dns.txt("_dmarc.far.example", "v=DMARC1; p=reject");
    let mut smtp = fixture.connect_with_ehlo(CLIENT).await;
    smtp.mail("ada@far.example", &["postmaster"], MAIL).await.expect(250);
    smtp.mail("ada@far.example", &["ABUSE@agents.localhost"], MAIL).await.expect(250);
    smtp.mail("", &["postmaster@agents.localhost"], MAIL).await.expect(250);
    smtp.quit().await;
    assert_eq!(fixture.inboxes().await, 1, "the first message created an inbox");
    fixture.server.settle().await;
    let outbox = fixture.api.get("/dev/outbox").await.expect(200);
    let notices = outbox.data();
    assert_eq!(notices.len(), 1, "one notice for both messages, none for the bounce: {outbox}");
    assert_eq!(notices[0]["envelope"]["to"], json!(["olga@ops.example"]));
    let id = notices[0]["id"].as_str().unwrap().to_owned();
    let notice = fixture.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let text = notice.text("text");
    assert!(text.contains("To: postmaster@agents.localhost") && text.contains("To: abuse@agents.localhost"), "{text}");
    assert!(text.contains("From: Ada <ada@far.example>") && text.contains("> Hello."), "{text}");
    assert_eq!(notice["headers"]["auto-submitted"], "auto-generated");
    // Messages within the interval wait for its end.
    fixture.mail(CLIENT, "ada@far.example", "postmaster@agents.localhost").await.expect(250);
    fixture.server.settle().await;
    assert_eq!(fixture.api.get("/dev/outbox").await.expect(200).data().len(), 1);
    fixture.server.advance(15 * MINUTE_MS).await;
    let second = fixture.api.get("/dev/outbox").await.expect(200);
    assert_eq!(second.data().len(), 2);
    assert_eq!(second.data()[0]["subject"], "Mail for postmaster@agents.localhost: Hi");
    fixture.server.advance(15 * MINUTE_MS).await;
    fixture.server.finish().await;
}

/// A message policy applies to all recipients, so a role address can't share a transaction with others: its message
/// would be rejected or theirs accepted.
#[tokio::test]
async fn mail_to_postmaster_needs_its_own_transaction_if_a_message_policy_is_set() {
    let fixture = Fixture::with(|config| config.inbound.reject_dmarc_fail = true).await;
    fixture.server.dns.txt("_dmarc.far.example", "v=DMARC1; p=reject");
    fixture.mail(CLIENT, "ada@far.example", &fixture.inbox.address).await.expect_enhanced(550, "5.7.26");
    for pair in [["postmaster", &*fixture.inbox.address], [&*fixture.inbox.address, "abuse@agents.localhost"]] {
        let mut smtp = fixture.connect_with_ehlo(CLIENT).await;
        smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[0])).await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[1])).await.expect_enhanced(452, "4.5.3");
        smtp.line("RSET").await.expect(250);
        smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[1])).await.expect(250);
        smtp.quit().await;
    }
    fixture.server.finish().await;
}
