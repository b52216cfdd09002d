//! Messages that were accepted but not stored, or stored but not accepted: the meaning of a 250, and sessions that end
//! without one (RFC 5321 §4.2.5).

use posthouse_domain::{id::MessageId, plan::Plan};
use posthouse_store::tls::CertificateTrust;
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};

const MAIL: &str = "From: a@sender.example\r\nSubject: hello\r\n\r\nFirst line\r\n.dot\r\n\r\nlast\r\n";

#[tokio::test]
async fn a_250_names_the_message_whose_bytes_are_stored_unchanged() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&inbox.address]).await;
    let reply = smtp.data(MAIL).await;
    reply.id().parse::<MessageId>().unwrap();
    assert_eq!(server.raw_messages(&key, &inbox).await, [MAIL.as_bytes()]);
    let list = server.api(&key).get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    assert_eq!(list["data"][0]["id"], reply.id());
    assert_eq!(list["data"][0]["subject"], "hello");
    smtp.line("QUIT").await.expect_enhanced(221, "2.0.0");
    server.finish().await;
}

#[tokio::test]
async fn a_message_reaches_every_recipient_and_unknown_ones_are_rejected_at_rcpt() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (one, two) = (server.inbox_named(&key, "one").await, server.inbox_named(&key, "two").await);
    let mut smtp = server.smtp().await;
    smtp.line("MAIL FROM:<>").await.expect(250);
    smtp.line(&format!("RCPT TO:<{}>", one.address.replace('@', "+tag@"))).await.expect(250);
    smtp.line("RCPT TO:<nobody@agents.localhost>").await.expect_enhanced(550, "5.1.1");
    smtp.line("RCPT TO:<someone@elsewhere.example>").await.expect_enhanced(550, "5.1.1");
    smtp.line(&format!("RCPT TO:<{}>", two.address.to_uppercase())).await.expect(250);
    smtp.line("RCPT TO:<postmaster>").await.expect(250);
    smtp.data(MAIL).await.expect(250);
    for inbox in [&one, &two] {
        assert_eq!(server.raw_messages(&key, inbox).await, [MAIL.as_bytes()], "{}", inbox.address);
    }
    server.finish().await;
}

/// A plus address reaches the recipient of the name before the plus.
#[tokio::test]
async fn role_addresses_with_a_tag_reach_the_inbox_of_the_role() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let first = server.inbox_named(&key, "first").await;
    let mut smtp = server.smtp().await;
    smtp.line("EHLO  client.example").await.expect(250);
    for to in ["postmaster+x@agents.localhost", "Abuse+case-7@agents.localhost"] {
        smtp.mail("", &[to], MAIL.as_bytes()).await.expect(250);
    }
    assert_eq!(server.raw_messages(&key, &first).await.len(), 2);
    server.finish().await;
}

#[tokio::test]
async fn a_client_that_disconnects_within_a_message_stores_nothing() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    for unfinished in ["", "Subject: x\r\n\r\nhalf", "Subject: x\r\n\r\nwhole\r\n.", "Subject: x\r\n\r\nwhole\r\n.\r"] {
        let mut smtp = server.smtp().await;
        smtp.envelope("a@sender.example", &[&inbox.address]).await;
        smtp.line("DATA").await.expect(354);
        smtp.send(unfinished).await;
        drop(smtp);
    }
    let mut chunked = server.smtp().await;
    chunked.envelope("a@sender.example", &[&inbox.address]).await;
    chunked.send("BDAT 3\r\nabc").await;
    chunked.reply().await.expect(250);
    drop(chunked);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&inbox.address]).await;
    smtp.data(MAIL).await.expect(250);
    smtp.quit().await;
    // Stopping the server ends every session, so nothing can be stored later.
    server.restart().await;
    assert_eq!(server.raw_messages(&key, &inbox).await, [MAIL.as_bytes()]);
    server.finish().await;
}

#[tokio::test]
async fn pipelined_transactions_run_in_sequence() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    let group = format!("MAIL FROM:<a@b.example>\r\nRCPT TO:<{}>\r\nBDAT {} LAST\r\n{MAIL}", inbox.address, MAIL.len());
    smtp.send(format!("{group}{group}QUIT\r\n")).await;
    for code in [250, 250, 250, 250, 250, 250, 221] {
        smtp.reply().await.expect(code);
    }
    smtp.expect_end().await;
    assert_eq!(server.raw_messages(&key, &inbox).await.len(), 2);
    server.finish().await;
}

#[tokio::test]
async fn an_oversized_message_is_rejected_before_and_after_its_data() {
    let options = ServerOptions::default().configure(|config| config.message_bytes_max = 2_000);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = TestSmtpClient::connect(server.smtp_address()).await;
    smtp.reply().await;
    let offered = smtp.line("EHLO c.example").await.expect(250);
    assert!(offered.lines.iter().any(|line| line == "SIZE 2000"), "{offered}");
    smtp.line("MAIL FROM:<a@b.example> SIZE=2001").await.expect_enhanced(552, "5.3.4");
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let body = format!("Subject: x\r\n\r\n{}\r\n", "x".repeat(2_000));
    smtp.data(&body).await.expect_enhanced(552, "5.3.4");
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    smtp.data(MAIL).await.expect(250);
    assert_eq!(server.raw_messages(&key, &inbox).await.len(), 1);
    server.finish().await;
}

#[tokio::test]
async fn the_fifty_first_recipient_is_deferred() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    smtp.line("MAIL FROM:<a@b.example>").await.expect(250);
    for n in 0..50 {
        smtp.line(&format!("RCPT TO:<sam+{n}@agents.localhost>")).await.expect(250);
    }
    smtp.line("RCPT TO:<sam+50@agents.localhost>").await.expect_enhanced(452, "4.5.3");
    smtp.data(MAIL).await.expect(250);
    assert_eq!(server.raw_messages(&key, &inbox).await.len(), 1, "one copy per inbox");
    server.finish().await;
}

#[tokio::test]
async fn a_message_over_tls_is_marked_in_its_trace() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await.starttls().await;
    smtp.line("STARTTLS").await.expect(503);
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let reply = smtp.data(MAIL).await;
    let trace = server.trace_fields(&key, reply.id()).await;
    assert!(trace.contains("(TLSv1.3 TLS13_") && trace.contains(" with ESMTPS id "), "{trace}");
    smtp.quit().await;
    server.finish().await;
}

#[tokio::test]
async fn plaintext_commands_after_starttls_are_discarded() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, "sam").await;
    let mut smtp = server.smtp().await;
    let own = CertificateTrust::RootsFile(server.data_dir().join("tls/smtp.crt"));
    smtp.send(format!("STARTTLS\r\nMAIL FROM:<evil@b.example>\r\nRCPT TO:<{}>\r\n", inbox.address)).await;
    smtp.reply().await.expect(220);
    let mut smtp = smtp.handshake(&own).await.expect("a TLS handshake");
    smtp.line("EHLO client.example").await.expect(250);
    smtp.line("DATA").await.expect_enhanced(503, "5.5.1");
    server.finish().await;
}
