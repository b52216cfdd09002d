//! A submitted message kept results of checks and trace fields in the name of this host: `ARC-*`, `Received-SPF`,
//! `Original-Authentication-Results` and `Received: … by` this host. Only `Authentication-Results` was removed.

use posthouse_tests::smtp::TestSmtpClient;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn what_only_servers_write_does_not_leave() {
    let fixture = InboxFixture::open().await;
    let own = fixture.inbox.address.clone();
    let host = fixture.server.service().config.hostname.clone();
    let claims = format!(
        "ARC-Seal: i=1; a=rsa-sha256; cv=none; d={host}; s=x; b=x\r\n\
         ARC-Message-Signature: i=1; d={host}\r\n\
         ARC-Authentication-Results: i=1; {host}; dmarc=pass header.from=bank.example\r\n\
         Authentication-Results: {host}; dmarc=pass header.from=bank.example\r\n\
         Original-Authentication-Results: {host};\r\n\tdmarc=pass\r\n\
         Received-SPF: pass ({host}: domain of bank.example)\r\n\
         Received: from bank.example (bank.example [192.0.2.1])\r\n\tby {host} with ESMTPS; Sat, 28 Nov 2026 00:00:00 +0000\r\n\
         received: by agents.localhost; Sat, 28 Nov 2026 00:00:00 +0000\r\n"
    );
    let kept = "DKIM-Signature: v=1; a=rsa-sha256; d=acme.example; s=x; h=from; bh=x; b=x\r\n\
         Received: from desk.acme.example by relay.acme.example; Sat, 28 Nov 2026 00:00:00 +0000\r\n";
    let rest =
        format!("From: {own}\r\nDate: Sat, 28 Nov 2026 00:00:00 +0000\r\nMessage-ID: <a@b.example>\r\n\r\nHi\r\n");
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
    session.log_in(&own, &fixture.key.secret).await.expect(235);
    let reply = session.mail(&own, &["x@far.example"], format!("{claims}{kept}{rest}").as_bytes()).await.expect(250);
    session.quit().await;
    let sent = fixture.api.get(&format!("/v1/messages/{}/raw", reply.id())).await.expect(200).body_text();
    assert!(sent.ends_with(&format!("{kept}{rest}")), "{sent}");
    for claim in ["ARC-", "Authentication-Results", "Received-SPF", "bank.example", "by agents.localhost"] {
        assert!(!sent.contains(claim), "{claim}: {sent}");
    }
    fixture.server.settle().await;
    fixture.close().await;
}
