//! A submitted message kept any display name in `Sender`, `Resent-From` and `Resent-Sender`, such as
//! `Sender: Posthouse Support <own>`: only the name in `From` was checked. `Sender` is written again as an address, or left
//! out if it is the author, and `Resent-*` is removed.

use posthouse_tests::smtp::TestSmtpClient;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn no_field_of_a_sender_has_a_name_but_from() {
    let fixture = InboxFixture::open().await;
    let own = fixture.inbox.address.clone();
    let tagged = own.replace('@', "+shop@");
    let mut session = TestSmtpClient::connect_with_ehlo(fixture.server.submission_address()).await;
    session.log_in(&own, &fixture.key.secret).await.expect(235);
    for (fields, kept) in [
        (format!("From: {own}\r\nSender: Posthouse Support <{own}>"), vec![]),
        (format!("From: {own}\r\nSender: \"ceo@bank.example\" <{own}>"), vec![]),
        (format!("From: {tagged}\r\nSender: (Posthouse) {own}"), vec![format!("Sender: {own}")]),
        (format!("From: {own}\r\nResent-From: \"Posthouse <no-reply@agents.localhost>\" <{own}>"), vec![]),
        (format!("From: {own}\r\nResent-Sender: Mail Delivery System <{own}>\r\nResent-Date: x"), vec![]),
        (format!("From: {own}\r\nResent-To: Posthouse <x@far.example>\r\nResent-Message-ID: <a@b>"), vec![]),
    ] {
        let raw = format!("{fields}\r\nSubject: x\r\n\r\ny\r\n");
        let reply = session.mail(&own, &["x@far.example"], raw.as_bytes()).await.expect(250);
        let raw = fixture.api.get(&format!("/v1/messages/{}/raw", reply.id())).await.expect(200).body_text();
        let sent = raw.replace(['<', '>'], "");
        let named = |line: &&str| ["sender:", "resent-"].iter().any(|name| line.to_ascii_lowercase().starts_with(name));
        assert_eq!(sent.lines().filter(named).collect::<Vec<_>>(), kept, "{fields}: {sent}");
        assert!(!sent.contains("Posthouse") && !sent.contains("ceo@") && !sent.contains("Delivery System"), "{sent}");
    }
    // Another address in one of them is refused, as before.
    for name in ["Sender", "Resent-From", "Resent-Sender"] {
        let raw = format!("From: {own}\r\n{name}: ceo@bank.example\r\n\r\n");
        session.mail(&own, &["x@far.example"], raw.as_bytes()).await.expect_enhanced(550, "5.7.1");
    }
    session.quit().await;
    fixture.server.settle().await;
    fixture.close().await;
}
