//! A recipient that was accepted and deleted before the end of the mail lost its copy behind a 250: the others' copies were
//! stored, and nobody heard of it (decision 17).

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

const MAIL: &str = "From: a@sender.example\r\nSubject: hello\r\n\r\nHello.\r\n";

#[tokio::test]
async fn the_mail_is_put_off_for_all_and_the_next_try_hears_who_has_gone() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (yan, alice) = (server.inbox_named(&key, "yan").await, server.inbox_named(&key, "alice").await);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&yan.address, &alice.address]).await;
    server.api(&key).delete(&format!("/v1/inboxes/{}", yan.id)).await.expect(204);
    smtp.data(MAIL).await.says(451, "4.3.0");
    assert_eq!(server.raw_mails(&key, &alice).await.len(), 0, "nothing is stored for one try of two");

    smtp.line("MAIL FROM:<a@sender.example>").await.expect(250);
    smtp.line(&format!("RCPT TO:<{}>", yan.address)).await.says(550, "5.1.1");
    smtp.line(&format!("RCPT TO:<{}>", alice.address)).await.expect(250);
    smtp.data(MAIL).await.expect(250);
    assert_eq!(server.raw_mails(&key, &alice).await, [MAIL.as_bytes()]);
    server.finish().await;
}

#[tokio::test]
async fn where_nobody_is_left_the_mail_is_refused() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (yan, zoe) = (server.inbox_named(&key, "yan").await, server.inbox_named(&key, "zoe").await);
    let mut smtp = server.smtp().await;
    smtp.envelope("a@sender.example", &[&yan.address, &zoe.address]).await;
    for gone in [&yan, &zoe] {
        server.api(&key).delete(&format!("/v1/inboxes/{}", gone.id)).await.expect(204);
    }
    smtp.data(MAIL).await.says(550, "5.1.1");
    server.finish().await;
}
