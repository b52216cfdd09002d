//! Two customers whose answers had the same subject and no references were in one thread, because both had written to
//! another inbox of the workspace, to a tagged address, or to an address that forwards to the inbox.

use posthouse_tests::server::ServerOptions;
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Receives a mail with these addresses and returns its thread.
    async fn thread_of_mail(&self, from: &str, to: &str, cc: &str, subject: &str) -> String {
        self.server.clock.advance(1);
        let cc = if cc.is_empty() { String::new() } else { format!("Cc: {cc}\r\n") };
        let raw = format!("From: {from}\r\nTo: {to}\r\n{cc}Subject: {subject}\r\n\r\nHello.\r\n");
        let id = self.server.receive_message(&self.inbox, raw).await;
        self.api.get(&format!("/v1/messages/{id}")).await.expect(200).text("thread_id").to_owned()
    }
}

#[tokio::test]
async fn only_people_outside_connect_answers_without_references() {
    let fixture = InboxFixture::with_inbox(ServerOptions::default(), json!({ "username": "shop" })).await;
    let sales = fixture.server.inbox_named(&fixture.key, "sales").await.address;
    let shop = fixture.inbox.address.clone();
    let tagged = |address: &str, tag: &str| address.replacen('@', &format!("+{tag}@"), 1);
    // The recipients that both mails have.
    let shared = [
        (shop.clone(), String::new()),
        (tagged(&shop, "orders"), String::new()),
        (tagged(&shop, "orders"), shop.clone()),
        (shop.clone(), sales.clone()),
        (sales.clone(), shop.clone()),
        (shop.clone(), tagged(&sales, "b2b")),
        // The inbox gets the mail of these addresses.
        ("info@shop.example".to_owned(), String::new()),
        ("info@shop.example".to_owned(), "team@shop.example".to_owned()),
        (sales.clone(), "info@shop.example".to_owned()),
        ("info@shop.example".to_owned(), sales.clone()),
    ];
    let mut variants = 0;
    for (n, (to, cc)) in shared.iter().enumerate() {
        for prefix in ["Re: ", "Fwd: "] {
            let subject = format!("{prefix}Order {n} {variants}");
            let ann = fixture.thread_of_mail("ann@a.example", to, cc, &subject).await;
            let bob = fixture.thread_of_mail("bob@b.example", to, cc, &subject).await;
            assert_ne!(ann, bob, "{to} {cc}");
            // Each customer's own conversation goes on.
            assert_eq!(ann, fixture.thread_of_mail("ann@a.example", to, cc, &subject).await, "{to} {cc}");
            assert_eq!(bob, fixture.thread_of_mail("Bob <bob@b.example>", &shop, "", &subject).await, "{to} {cc}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
    fixture.close().await;
}

#[tokio::test]
async fn a_person_in_copy_connects_answers_and_the_thread_with_most_people_is_chosen() {
    let fixture = InboxFixture::with_inbox(ServerOptions::default(), json!({ "username": "shop" })).await;
    let shop = fixture.inbox.address.clone();
    let ann = fixture.thread_of_mail("ann@a.example", &shop, "eve@a.example, lee@l.example", "Re: Offer").await;
    let bob = fixture.thread_of_mail("bob@b.example", &shop, "", "Re: Offer").await;
    assert_ne!(ann, bob);
    assert_eq!(ann, fixture.thread_of_mail("eve@a.example", &shop, "", "Re: Offer").await);
    assert_eq!(bob, fixture.thread_of_mail("kim@k.example", &shop, "bob@b.example", "Fwd: Offer").await);
    let most = fixture.thread_of_mail("kim@k.example", &shop, "ann@a.example, lee@l.example", "Re: Offer").await;
    assert_eq!(ann, most, "the other thread is newer and shares fewer people");
    fixture.close().await;
}
