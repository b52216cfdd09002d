//! The proxy's address was used instead of the client's, or a client could choose its address. The PROXY protocol is
//! only read from the configured networks, and is required there.

use posthouse_app::settings::network::Network;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, smtp::TestSmtpClient};

async fn behind_proxy() -> TestServer {
    let options = ServerOptions::default().configure(|config| {
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

/// Returns the trace of a message sent after this header.
async fn trace(server: &TestServer, header: &[u8]) -> String {
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox_named(&key, &format!("sam{}", header.len())).await;
    let mut smtp = TestSmtpClient::connect(server.smtp_address()).await;
    smtp.send(header).await;
    smtp.reply().await.expect(220);
    smtp.line("EHLO client.example").await.expect(250);
    smtp.envelope("a@b.example", &[&inbox.address]).await;
    let reply = smtp.data("From: a@b.example\r\nSubject: x\r\n\r\n").await;
    smtp.quit().await;
    server.trace_fields(&key, reply.id()).await
}

#[tokio::test]
async fn the_client_address_is_the_one_in_the_proxy_header() {
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
        let mut smtp = TestSmtpClient::connect(server.smtp_address()).await;
        smtp.send(version_2([192, 0, 2, last])).await;
        let reply = smtp.reply().await;
        assert_eq!(reply.code, greeting, "{last}: {reply}");
        sessions.push(smtp);
    }
    drop(sessions);
    server.finish().await;
}

#[tokio::test]
async fn a_proxy_without_a_valid_header_is_disconnected() {
    let server = behind_proxy().await;
    for bad in ["EHLO x\r\n", "PROXY TCP4 nonsense\r\n", "PROXY UDP4 192.0.2.7 192.0.2.8 1 2\r\n"] {
        let mut smtp = TestSmtpClient::connect(server.smtp_address()).await;
        smtp.send(bad).await;
        smtp.expect_end().await;
    }
    let mut silent = TestSmtpClient::connect(server.smtp_address()).await;
    silent.send("PROXY TCP4 ").await;
    server.clock.wait_for_sleepers(1).await;
    server.clock.advance(15_000);
    silent.expect_end().await;
    server.finish().await;
}

#[tokio::test]
async fn other_clients_cannot_send_a_proxy_header() {
    let server = TestServer::plain().await;
    let mut smtp = TestSmtpClient::connect(server.smtp_address()).await;
    // The greeting doesn't wait for a header.
    smtp.reply().await.expect(220);
    smtp.line("PROXY TCP4 192.0.2.7 198.51.100.1 56324 25").await.expect(500);
    server.finish().await;
}
