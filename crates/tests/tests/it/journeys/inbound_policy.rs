//! Who may hand mail in: blocklists, greylisting, limits by the minute, and mail that is never turned away (RFC 5321 §4.5.1,
//! RFC 5782, RFC 6647). Clients come through a proxy, for this machine itself is never asked.

use std::net::Ipv4Addr;

use posthouse_domain::{
    plan::Plan,
    time::{DAY_MS, MINUTE_MS},
};
use posthouse_mail::auth::QuestionKind;
use posthouse_server::{
    config::{Config, Network},
    jobs::sweep,
};
use posthouse_tests::{
    Options, TestServer,
    fixtures::TestInbox,
    http::Api,
    smtp::{SmtpClient, SmtpReply},
};
use serde_json::json;

const STRANGER: [u8; 4] = [192, 0, 2, 7];
const MAIL: &[u8] = b"From: Ada <ada@far.example>\r\nSubject: Hi\r\n\r\nHello.\r\n";

struct Gate {
    server: TestServer,
    api: Api,
    inbox: TestInbox,
}

impl Gate {
    async fn with(change: impl FnOnce(&mut Config) + 'static) -> Self {
        let options = Options::default().configure(|config| {
            config.smtp.proxy_protocol_from = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
            change(config);
        });
        let server = TestServer::start(options).await;
        let key = server.workspace(Plan::Team).await;
        let api = server.api(&key);
        let inbox = server.inbox_named(&key, "desk").await;
        Self { server, api, inbox }
    }

    /// A connection from there, before anything was heard.
    async fn connect(&self, client: [u8; 4]) -> SmtpClient {
        let mut smtp = SmtpClient::connect(self.server.smtp_address()).await;
        let [a, b, c, d] = client;
        smtp.send(format!("PROXY TCP4 {a}.{b}.{c}.{d} 198.51.100.1 56324 25\r\n")).await;
        smtp
    }

    async fn greeted(&self, client: [u8; 4]) -> SmtpClient {
        let mut smtp = self.connect(client).await;
        smtp.reply().await.expect(220);
        smtp.line("EHLO client.example").await.expect(250);
        smtp
    }

    /// One transaction from there: the last reply.
    async fn mail(&self, client: [u8; 4], from: &str, to: &str) -> SmtpReply {
        let mut smtp = self.greeted(client).await;
        let reply = smtp.mail(from, &[to], MAIL).await;
        smtp.quit().await;
        reply
    }

    async fn inboxes(&self) -> usize {
        self.api.get("/v1/inboxes?limit=100").await.expect(200).data().len()
    }
}

#[tokio::test]
async fn listed_clients_are_refused_and_told_where() {
    let gate = Gate::with(|config| config.smtp.policy.dnsbl = vec!["one.example".into(), "two.example".into()]).await;
    let dns = &gate.server.dns;
    dns.address("7.2.0.192.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    dns.address("9.2.0.192.two.example", Ipv4Addr::new(127, 255, 255, 254).into());
    let desk = gate.inbox.address.clone();
    let refused = gate.mail(STRANGER, "ada@far.example", &desk).await.says(550, "5.7.1");
    assert!(refused.lines[0].contains("192.0.2.7 is listed at two.example"), "{refused}");
    gate.mail(STRANGER, "ada@far.example", "nobody@agents.localhost").await.says(550, "5.1.1");
    let asked = |dns: &posthouse_tests::dns::FakeDns| {
        dns.asked().iter().filter(|q| q.kind == QuestionKind::A && q.name.ends_with(".two.example")).count()
    };
    let before = asked(dns);
    gate.mail(STRANGER, "ada@far.example", &desk).await.says(550, "5.7.1");
    assert_eq!(asked(dns), before, "the answer is kept");
    gate.mail(STRANGER, "ada@far.example", "postmaster@agents.localhost").await.expect(250);
    gate.mail(STRANGER, "ada@far.example", "Abuse@tmp.agents.localhost").await.expect(250);
    // Another client; one whose list will not talk to us; this machine.
    gate.mail([192, 0, 2, 8], "ada@far.example", &desk).await.expect(250);
    gate.mail([192, 0, 2, 9], "ada@far.example", &desk).await.expect(250);
    dns.address("1.0.0.127.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    gate.mail([127, 0, 0, 1], "bob@far.example", &desk).await.expect(250);
    let metrics = gate.server.anonymous().get("/metrics").await.to_string();
    assert!(metrics.contains("posthouse_smtp_screened_total{rule=\"dnsbl\"} 2"), "{metrics}");
    gate.server.finish().await;
}

#[tokio::test]
async fn blocklists_that_do_not_answer_list_nobody() {
    let gate = Gate::with(|config| config.smtp.policy.dnsbl = vec!["one.example".into(), "two.example".into()]).await;
    let dns = &gate.server.dns;
    dns.fail("7.2.0.192.one.example", true);
    gate.mail(STRANGER, "ada@far.example", &gate.inbox.address).await.expect(250);
    dns.address("7.2.0.192.two.example", Ipv4Addr::new(127, 0, 0, 2).into());
    gate.mail(STRANGER, "ada@far.example", &gate.inbox.address).await.says(550, "5.7.1");
    gate.server.finish().await;
}

#[tokio::test]
async fn a_silent_blocklist_holds_nobody_up_for_long() {
    let gate = Gate::with(|config| config.smtp.policy.dnsbl = vec!["one.example".into()]).await;
    gate.server.dns.silence(true);
    let mut smtp = gate.greeted(STRANGER).await;
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    smtp.send(format!("RCPT TO:<{}>\r\n", gate.inbox.address)).await;
    let reply = gate.server.clock.go_on(2_000, smtp.reply()).await;
    reply.expect(250);
    smtp.quit().await;
    gate.server.finish().await;
}

#[tokio::test]
async fn strangers_come_back_and_are_known() {
    let gate = Gate::with(|config| config.smtp.policy.greylisting = true).await;
    let desk = gate.inbox.address.clone();
    let told = gate.mail(STRANGER, "rob@far.example", &desk).await.says(451, "4.7.1");
    assert!(told.lines[0].contains("try again"), "{told}");
    gate.server.clock.advance(MINUTE_MS - 1);
    gate.mail(STRANGER, "rob@far.example", &desk).await.says(451, "4.7.1");
    gate.mail(STRANGER, "", &desk).await.expect(250);
    gate.mail(STRANGER, "carl@far.example", "postmaster@agents.localhost").await.expect(250);
    gate.mail([127, 0, 0, 1], "bob@far.example", &desk).await.expect(250);
    gate.server.clock.advance(1);
    // From a neighbour of the same network, as large senders do.
    gate.mail([192, 0, 2, 99], "rob@far.example", &desk).await.expect(250);
    gate.mail(STRANGER, "eve@other.example", &desk).await.expect(250);
    gate.mail([198, 51, 100, 1], "ada@far.example", &desk).await.expect(250);
    gate.mail([198, 51, 100, 1], "zoe@other.example", &desk).await.says(451, "4.7.1");
    gate.server.clock.advance(37 * DAY_MS);
    sweep::run(gate.server.app()).await.unwrap();
    gate.mail(STRANGER, "new@other.example", &desk).await.says(451, "4.7.1");
    gate.server.finish().await;
}

#[tokio::test]
async fn people_whom_agents_write_with_are_never_greylisted() {
    let gate = Gate::with(|config| config.smtp.policy.greylisting = true).await;
    let path = format!("/v1/inboxes/{}/messages", gate.inbox.id);
    gate.api.post(&path, json!({ "to": "Ada@Bücher.example", "subject": "Hi", "text": "Hello." })).await.expect(202);
    gate.server.settle().await;
    gate.mail(STRANGER, "ada@xn--bcher-kva.example", &gate.inbox.address).await.expect(250);
    gate.mail(STRANGER, "eve@xn--bcher-kva.example", &gate.inbox.address).await.says(451, "4.7.1");
    gate.server.finish().await;
}

#[tokio::test]
async fn a_client_has_only_so_much_of_a_minute() {
    let gate = Gate::with(|config| {
        let policy = &mut config.smtp.policy;
        (policy.connections_per_minute, policy.messages_per_minute, policy.recipients_per_minute) =
            (Some(3), Some(2), Some(3));
        policy.trusted_clients = vec![Network { address: [203, 0, 113, 0].into(), prefix_bits: 24 }];
    })
    .await;
    let desk = gate.inbox.address.clone();
    let rcpt = format!("RCPT TO:<{desk}>");
    let mut smtp = gate.greeted(STRANGER).await;
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    for _ in 0..3 {
        smtp.line(&rcpt).await.expect(250);
    }
    let told = smtp.line(&rcpt).await.says(450, "4.7.1");
    assert!(told.lines[0].contains("Too many recipients"), "{told}");
    smtp.line("RCPT TO:<postmaster>").await.expect(250);
    smtp.line("RSET").await.expect(250);
    smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
    smtp.line("RSET").await.expect(250);
    let told = smtp.line("MAIL FROM:<ada@far.example>").await.says(450, "4.7.1");
    assert!(told.lines[0].contains("Too many messages"), "{told}");
    smtp.quit().await;
    gate.greeted(STRANGER).await.quit().await;
    gate.greeted(STRANGER).await.quit().await;
    let told = gate.connect(STRANGER).await.reply().await.says(421, "4.7.0");
    assert!(told.lines[0].contains("new connections"), "{told}");
    for client in [[203, 0, 113, 7], [127, 0, 0, 1]] {
        for _ in 0..5 {
            gate.mail(client, "ada@far.example", &desk).await.expect(250);
        }
    }
    gate.server.clock.advance(MINUTE_MS);
    gate.mail(STRANGER, "ada@far.example", &desk).await.expect(250);
    gate.server.finish().await;
}

/// RFC 5321 §4.5.1 and RFC 2142: taken at every domain of ours, also bare, and where nobody has made an inbox yet.
#[tokio::test]
async fn mail_to_postmaster_is_taken_and_a_person_is_told() {
    let gate = Gate::with(|config| {
        config.smtp.reject_dmarc_fail = true;
        config.mail.postmaster = Some("olga@ops.example".to_owned());
    })
    .await;
    gate.api.delete(&format!("/v1/inboxes/{}", gate.inbox.id)).await.expect(204);
    gate.server.dns.txt("_dmarc.far.example", "v=DMARC1; p=reject");
    let mut smtp = gate.greeted(STRANGER).await;
    smtp.mail("ada@far.example", &["postmaster"], MAIL).await.expect(250);
    smtp.mail("ada@far.example", &["ABUSE@agents.localhost"], MAIL).await.expect(250);
    smtp.mail("", &["postmaster@agents.localhost"], MAIL).await.expect(250);
    smtp.quit().await;
    assert_eq!(gate.inboxes().await, 1, "the first mail made an inbox");
    gate.server.settle().await;
    let outbox = gate.api.get("/dev/outbox").await.expect(200);
    let told = outbox.data();
    assert_eq!(told.len(), 1, "one notice for what came together, none for a notice of a mail server: {outbox}");
    assert_eq!(told[0]["envelope"]["to"], json!(["olga@ops.example"]));
    let id = told[0]["id"].as_str().unwrap().to_owned();
    let notice = gate.api.get(&format!("/v1/messages/{id}")).await.expect(200);
    let text = notice.text("text");
    assert!(text.contains("To: postmaster@agents.localhost") && text.contains("To: abuse@agents.localhost"), "{text}");
    assert!(text.contains("From: Ada <ada@far.example>") && text.contains("> Hello."), "{text}");
    assert_eq!(notice["headers"]["auto-submitted"], "auto-generated");
    // What comes within the pause waits for its end.
    gate.mail(STRANGER, "ada@far.example", "postmaster@agents.localhost").await.expect(250);
    gate.server.settle().await;
    assert_eq!(gate.api.get("/dev/outbox").await.expect(200).data().len(), 1);
    gate.server.advance(15 * MINUTE_MS).await;
    let second = gate.api.get("/dev/outbox").await.expect(200);
    assert_eq!(second.data().len(), 2);
    assert_eq!(second.data()[0]["subject"], "Mail for postmaster@agents.localhost: Hi");
    gate.server.advance(15 * MINUTE_MS).await;
    gate.server.finish().await;
}

/// What a policy would refuse as a whole is not refused for the role address that is among its recipients, and not taken for the
/// others.
#[tokio::test]
async fn mail_to_postmaster_travels_alone_where_whole_messages_are_refused() {
    let gate = Gate::with(|config| config.smtp.reject_dmarc_fail = true).await;
    gate.server.dns.txt("_dmarc.far.example", "v=DMARC1; p=reject");
    gate.mail(STRANGER, "ada@far.example", &gate.inbox.address).await.says(550, "5.7.26");
    for pair in [["postmaster", &*gate.inbox.address], [&*gate.inbox.address, "abuse@agents.localhost"]] {
        let mut smtp = gate.greeted(STRANGER).await;
        smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[0])).await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[1])).await.says(452, "4.5.3");
        smtp.line("RSET").await.expect(250);
        smtp.line("MAIL FROM:<ada@far.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", pair[1])).await.expect(250);
        smtp.quit().await;
    }
    gate.server.finish().await;
}
