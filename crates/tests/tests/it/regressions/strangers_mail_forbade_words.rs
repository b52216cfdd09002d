//! A mail with "Your verification code: PLEASE" made every message with that word leave with a warning or not at all, and one
//! stranger could name any number of words and numbers.

use posthouse_domain::OutboundPolicy;
use posthouse_tests::mail::TestMessage;

use crate::inbox_fixture::InboxFixture;

#[tokio::test]
async fn words_and_the_many_codes_of_one_stranger_may_be_sent() {
    let fixture = InboxFixture::open().await;
    fixture.set_outbound_policy(OutboundPolicy::Refuse).await;
    let code = |code: &str| TestMessage::new("Your code", &format!("Your verification code is: {code}"));
    for word in ["PLEASE", "INVOICE"] {
        fixture.receive_proven("a@stranger.example", &code(word)).await;
    }
    for n in 0..6 {
        fixture.receive_proven("a@stranger.example", &code(&format!("48290{n}"))).await;
    }
    for text in ["Please see our invoice.", "It is 482900.", "It is 482902."] {
        fixture.send_to("ada@good.example", text).await.expect(202);
    }
    for text in ["It is 482903.", "It is 482905."] {
        fixture.send_to("ada@good.example", text).await.expect(403).error("content_blocked");
    }
    fixture.server.finish().await;
}
