//! A name of the attacker without answering nameservers used up the time for all lookups: SPF of the author's domain
//! became a temporary error, which counted as aligned, and forged messages got no label.

use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer};
use serde_json::{Value, json};

const FORGED: &str = "From: ceo@bank.example\r\nSubject: Code\r\n\r\nYour verification code is 482913.\r\n";

/// Delivers the forged message with the bank as envelope sender, and returns the stored message.
async fn received(server: &TestServer, helo: &str, signature: &str) -> Value {
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let mut smtp = server.smtp().await;
    smtp.line(&format!("EHLO {helo}")).await.expect(250);
    smtp.envelope("ceo@bank.example", &[&inbox.address]).await;
    let raw = format!("{signature}{FORGED}");
    let reply = server.clock.advance_until(2_000, smtp.data(raw)).await;
    server.api(&key).get(&format!("/v1/messages/{}", reply.expect(250).id())).await.expect(200).json.clone()
}

async fn bank() -> TestServer {
    let server = TestServer::plain().await;
    server.dns.txt("_dmarc.bank.example", "v=DMARC1; p=reject");
    server.dns.txt("bank.example", "v=spf1 include:a.bank.example -all");
    server.dns.txt("a.bank.example", "v=spf1 include:b.bank.example -all");
    server.dns.txt("b.bank.example", "v=spf1 ip4:192.0.2.1 -all");
    server.dns.never_answer_below("evil.example");
    server
}

#[tokio::test]
async fn a_black_holed_name_delays_only_its_own_result() {
    let signature = "DKIM-Signature: v=1; a=rsa-sha256; d=evil.example; s=s; h=from:subject; \
        bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA; c=relaxed/relaxed\r\n";
    for (helo, signature) in [("mx.evil.example", ""), ("client.example", signature), ("mx.evil.example", signature)] {
        let server = bank().await;
        let message = received(&server, helo, signature).await;
        assert_eq!(message["labels"], json!(["spf-fail", "dmarc-fail"]), "{helo}: {}", message["headers"]);
        assert_eq!(message["ai"]["verification"]["auth_failed"], true);
        server.finish().await;
    }
}

#[tokio::test]
async fn an_unavailable_result_counts_as_failed() {
    for (name, labels) in
        [("_dmarc.bank.example", json!(["spf-fail", "auth-unknown"])), ("a.bank.example", json!(["auth-unknown"]))]
    {
        let server = bank().await;
        server.dns.fail(name, true);
        let message = received(&server, "client.example", "").await;
        assert_eq!(message["labels"], labels, "{name}: {}", message["headers"]);
        assert_eq!(message["ai"]["verification"]["auth_failed"], true);
        let results = message["headers"]["authentication-results"].as_str().expect("one result of this service");
        assert!(results.contains("dmarc=temperror reason=\"DNS failed for "), "{results}");
        server.finish().await;
    }
}

#[tokio::test]
async fn a_machine_without_dns_still_receives_codes_unless_nameservers_are_configured() {
    for (configured, labels) in [(false, json!([])), (true, json!(["auth-unknown"]))] {
        let options = ServerOptions::default().configure(move |config| {
            config.nameservers = configured.then(|| ([127, 0, 0, 1], 9).into()).into_iter().collect();
        });
        let server = TestServer::start(options).await;
        server.dns.fail_all(true);
        let message = received(&server, "client.example", "").await;
        assert_eq!(message["labels"], labels, "{}", message["headers"]);
        assert_eq!(message["ai"]["verification"]["auth_failed"] == true, configured);
        server.finish().await;
    }
}
