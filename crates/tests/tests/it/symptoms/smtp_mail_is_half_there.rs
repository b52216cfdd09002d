//! Mail that was accepted and is not there, or was not accepted and is: what a 250 means, and what ends without one
//! (RFC 5321 §4.2.5, decision 17).

use posthouse_domain::{id::MessageId, plan::Plan};
use posthouse_tests::{Options, TestServer, dialogue::Dialogue};

const MAIL: &str = "From: a@sender.example\r\nSubject: hello\r\n\r\nFirst line\r\n.dot\r\n\r\nlast\r\n";

#[tokio::test]
async fn a_250_names_the_message_and_its_bytes_are_those_that_came() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = server.dialogue().await;
    smtp.envelope("a@sender.example", &[&inbox.address]).await;
    let reply = smtp.data(MAIL).await;
    let id = reply.strip_prefix("250 2.0.0 Stored as ").unwrap_or_else(|| panic!("{reply}"));
    id.parse::<MessageId>().unwrap();
    assert_eq!(server.raw_mails(&key, &inbox).await, [MAIL.as_bytes()]);
    let list = server.api(&key).get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    assert_eq!(list["data"][0]["id"], id);
    assert_eq!(list["data"][0]["subject"], "hello");
    smtp.expect("QUIT", "221 2.0.0 ").await;
    server.finish().await;
}

#[tokio::test]
async fn one_mail_reaches_every_recipient_and_unknown_ones_are_refused_at_rcpt() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (one, two) = (server.stored_inbox(&key, "one").await, server.stored_inbox(&key, "two").await);
    let mut smtp = server.dialogue().await;
    smtp.expect("MAIL FROM:<>", "250 ").await;
    smtp.expect(&format!("RCPT TO:<{}>", one.address.replace('@', "+tag@")), "250 ").await;
    smtp.expect("RCPT TO:<nobody@agents.localhost>", "550 5.1.1 ").await;
    smtp.expect("RCPT TO:<someone@elsewhere.example>", "550 5.1.1 ").await;
    smtp.expect(&format!("RCPT TO:<{}>", two.address.to_uppercase()), "250 ").await;
    smtp.expect("RCPT TO:<postmaster>", "250 ").await;
    assert!(smtp.data(MAIL).await.starts_with("250 "));
    for inbox in [&one, &two] {
        assert_eq!(server.raw_mails(&key, inbox).await, [MAIL.as_bytes()], "{}", inbox.address);
    }
    server.finish().await;
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_leaves_nothing() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    for unfinished in ["", "Subject: x\r\n\r\nhalf", "Subject: x\r\n\r\nwhole\r\n.", "Subject: x\r\n\r\nwhole\r\n.\r"] {
        let mut smtp = server.dialogue().await;
        smtp.envelope("a@sender.example", &[&inbox.address]).await;
        smtp.expect("DATA", "354 ").await;
        smtp.send(unfinished).await;
        drop(smtp);
    }
    let mut chunked = server.dialogue().await;
    chunked.envelope("a@sender.example", &[&inbox.address]).await;
    chunked.send("BDAT 3\r\nabc").await;
    assert!(chunked.reply().await.starts_with("250 "));
    drop(chunked);
    let mut smtp = server.dialogue().await;
    smtp.envelope("a@sender.example", &[&inbox.address]).await;
    assert!(smtp.data(MAIL).await.starts_with("250 "));
    smtp.expect("QUIT", "221 ").await;
    // The end of the server is the end of every session: nothing can come later.
    server.restart().await;
    assert_eq!(server.raw_mails(&key, &inbox).await, [MAIL.as_bytes()]);
    server.finish().await;
}

#[tokio::test]
async fn a_pipelined_group_is_one_dialogue() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = server.dialogue().await;
    let group = format!("MAIL FROM:<a@b.example>\r\nRCPT TO:<{}>\r\nBDAT {} LAST\r\n{MAIL}", inbox.address, MAIL.len());
    smtp.send(format!("{group}{group}QUIT\r\n")).await;
    for code in ["250", "250", "250", "250", "250", "250", "221", ""] {
        let reply = smtp.reply().await;
        assert_eq!(reply.get(..3).unwrap_or_default(), code, "{reply}");
    }
    assert_eq!(server.raw_mails(&key, &inbox).await.len(), 2);
    server.finish().await;
}

#[tokio::test]
async fn mail_over_the_limit_is_refused_before_and_after_it_comes() {
    let options = Options::default().configure(|config| config.smtp.message_bytes_max = 2_000);
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = Dialogue::connect(server.smtp_address()).await;
    smtp.reply().await;
    assert!(smtp.say("EHLO c.example").await.contains("\n250-SIZE 2000\n"));
    smtp.expect("MAIL FROM:<a@b.example> SIZE=2001", "552 5.3.4 ").await;
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let body = format!("Subject: x\r\n\r\n{}\r\n", "x".repeat(2_000));
    assert!(smtp.data(&body).await.starts_with("552 5.3.4 "));
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    assert!(smtp.data(MAIL).await.starts_with("250 "));
    assert_eq!(server.raw_mails(&key, &inbox).await.len(), 1);
    server.finish().await;
}

#[tokio::test]
async fn the_fifty_first_recipient_is_put_off() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = server.dialogue().await;
    smtp.expect("MAIL FROM:<a@b.example>", "250 ").await;
    for n in 0..50 {
        smtp.expect(&format!("RCPT TO:<sam+{n}@agents.localhost>"), "250 ").await;
    }
    smtp.expect("RCPT TO:<sam+50@agents.localhost>", "452 4.5.3 ").await;
    assert!(smtp.data(MAIL).await.starts_with("250 "));
    assert_eq!(server.raw_mails(&key, &inbox).await.len(), 1, "one inbox gets one copy");
    server.finish().await;
}

#[tokio::test]
async fn mail_under_tls_says_so_in_its_trace() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = server.dialogue().await.start_tls(&server).await;
    smtp.expect("STARTTLS", "503 ").await;
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let reply = smtp.data(MAIL).await;
    let trace = server.trace_of(&key, &reply).await;
    assert!(trace.contains("(TLSv1.3 TLS13_") && trace.contains(" with ESMTPS id "), "{trace}");
    smtp.expect("QUIT", "221 ").await;
    server.finish().await;
}

#[tokio::test]
async fn a_command_sent_in_clear_behind_starttls_is_not_heard_under_tls() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.stored_inbox(&key, "sam").await;
    let mut smtp = server.dialogue().await;
    smtp.send(format!("STARTTLS\r\nMAIL FROM:<evil@b.example>\r\nRCPT TO:<{}>\r\n", inbox.address)).await;
    assert!(smtp.reply().await.starts_with("220 "));
    let mut smtp = smtp.encrypt(&server).await;
    smtp.expect("EHLO client.example", "250-").await;
    smtp.expect("DATA", "503 5.5.1 ").await;
    server.finish().await;
}
