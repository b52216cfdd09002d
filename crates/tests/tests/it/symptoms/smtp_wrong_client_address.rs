//! The proxy's address instead of the client's, or a client that names itself: the PROXY protocol is read from the named
//! networks only, and there always (operations.md, `smtp.proxy_protocol_from`).

use posthouse_domain::plan::Plan;
use posthouse_server::config::Network;
use posthouse_tests::{Options, TestServer, smtp::SmtpClient};

async fn behind_proxy() -> TestServer {
    let options = Options::default().configure(|config| {
        config.smtp.connections_per_client_max = 1;
        config.smtp.proxy_protocol_from = vec![Network { address: [127, 0, 0, 0].into(), prefix_bits: 8 }];
    });
    TestServer::start(options).await
}

fn version_2(client: [u8; 4]) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".to_vec();
    header.extend(client);
    header.extend([198, 51, 100, 1, 0xdc, 4, 0, 25]);
    header
}

/// The trace of a mail that came behind that header.
async fn trace(server: &TestServer, header: &[u8]) -> String {
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, &format!("sam{}", header.len())).await;
    let mut smtp = SmtpClient::connect(server.smtp_address()).await;
    smtp.send(header).await;
    smtp.reply().await.expect(220);
    smtp.line("EHLO client.example").await.expect(250);
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let reply = smtp.data("From: a@b.example\r\nSubject: x\r\n\r\n").await;
    smtp.quit().await;
    server.trace_of(&key, reply.id()).await
}

#[tokio::test]
async fn the_client_is_the_one_that_the_proxy_names() {
    let server = behind_proxy().await;
    let v1 = b"PROXY TCP4 192.0.2.7 198.51.100.1 56324 25\r\n";
    assert!(trace(&server, v1).await.contains("[192.0.2.7]"));
    assert!(trace(&server, &version_2([192, 0, 2, 8])).await.contains("[192.0.2.8]"));
    let local = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";
    assert!(trace(&server, local).await.contains("[127.0.0.1]"));
    server.finish().await;
}

#[tokio::test]
async fn limits_count_the_client_and_not_the_proxy() {
    let server = behind_proxy().await;
    let mut sessions = Vec::new();
    for (last, greeting) in [(1, 220), (2, 220), (1, 421)] {
        let mut smtp = SmtpClient::connect(server.smtp_address()).await;
        smtp.send(version_2([192, 0, 2, last])).await;
        let reply = smtp.reply().await;
        assert_eq!(reply.code, greeting, "{last}: {reply}");
        sessions.push(smtp);
    }
    drop(sessions);
    server.finish().await;
}

#[tokio::test]
async fn a_proxy_without_a_good_header_is_cut_off() {
    let server = behind_proxy().await;
    for bad in ["EHLO x\r\n", "PROXY TCP4 nonsense\r\n", "PROXY UDP4 192.0.2.7 192.0.2.8 1 2\r\n"] {
        let mut smtp = SmtpClient::connect(server.smtp_address()).await;
        smtp.send(bad).await;
        smtp.expect_end().await;
    }
    let mut silent = SmtpClient::connect(server.smtp_address()).await;
    silent.send("PROXY TCP4 ").await;
    server.clock.waiting(1).await;
    server.clock.advance(15_000);
    silent.expect_end().await;
    server.finish().await;
}

#[tokio::test]
async fn nobody_else_can_name_a_client() {
    let server = TestServer::plain().await;
    let mut smtp = SmtpClient::connect(server.smtp_address()).await;
    // No header is waited for.
    smtp.reply().await.expect(220);
    smtp.line("PROXY TCP4 192.0.2.7 198.51.100.1 56324 25").await.expect(500);
    server.finish().await;
}
