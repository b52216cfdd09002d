//! A failure report without a reply code left the 250 of the delivery in the entry and in the event, which then said that a
//! bounce was `250`.

use serde_json::json;

use crate::journeys::delivery::Post;

#[tokio::test]
async fn what_was_said_when_the_mail_was_taken_is_not_told_as_the_reason() {
    let post = Post::direct().await;
    let id = post.send(&["dana@b.example"]).await;
    post.deliver().await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(250), &json!("2.0.0")));
    let about = post.message(&id).await["rfc_message_id"].as_str().unwrap().to_owned();
    let report = format!(
        "From: Mail Delivery System <postmaster@mx.b.example>\r\nSubject: Delivery report\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=delivery-status; boundary=\"b\"\r\n\r\n\
         --b\r\n\r\nA report.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.b.example\r\n\r\n\
         Final-Recipient: rfc822; dana@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n\
         --b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {about}\r\n\r\n--b--\r\n"
    );
    let mut smtp = post.server.smtp().await;
    let mail = post.sink.received()[0].mail.clone();
    let path = mail.split(['<', '>']).nth(1).unwrap();
    smtp.mail("", &[path], report.as_bytes()).await.expect(250);
    smtp.quit().await;
    let entry = post.entry(&id, "dana@b.example").await;
    assert_eq!(entry["status"], "bounced");
    assert_eq!((&entry["smtp_code"], &entry["enhanced_code"]), (&json!(null), &json!("5.1.1")), "{entry}");
    let told = &post.log().await.pop().unwrap()["data"]["bounce"]["recipients"][0];
    assert_eq!((&told["smtp_code"], &told["enhanced_code"]), (&json!(null), &json!("5.1.1")), "{told}");
    post.close().await;
}
