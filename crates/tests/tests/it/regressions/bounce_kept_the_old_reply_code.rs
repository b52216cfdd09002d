//! A failure report without a reply code kept the 250 of the delivery in the delivery entry and the event, which then
//! showed a bounce with code 250.

use serde_json::json;

use crate::scenarios::delivery::DeliveryFixture;

#[tokio::test]
async fn a_bounce_does_not_show_the_reply_to_the_delivery() {
    let fixture = DeliveryFixture::direct().await;
    let id = fixture.send(&["dana@b.example"]).await;
    fixture.deliver().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(250), &json!("2.0.0")));
    let about = fixture.message(&id).await["rfc_message_id"].as_str().unwrap().to_owned();
    let report = format!(
        "From: Mail Delivery System <postmaster@mx.b.example>\r\nSubject: Delivery report\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
         --b\r\n\r\nA report.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.b.example\r\n\r\n\
         Final-Recipient: rfc822; dana@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
         --b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {about}\r\n\r\n--b--\r\n"
    );
    let mut smtp = fixture.server.smtp().await;
    let mail = fixture.sink.received()[0].mail.clone();
    let path = mail.split(['<', '>']).nth(1).unwrap();
    smtp.mail("", &[path], report.as_bytes()).await.expect(250);
    smtp.quit().await;
    let entry = fixture.entry(&id, "dana@b.example").await;
    assert_eq!(entry["status"], "bounced");
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(null), &json!("5.1.1")), "{entry}");
    let recipient = &fixture.log().await.pop().unwrap()["data"]["bounce"]["recipients"][0];
    assert_eq!((&recipient["smtp_code"], &recipient["enhanced_code"]), (&json!(null), &json!("5.1.1")), "{recipient}");
    fixture.close().await;
}
