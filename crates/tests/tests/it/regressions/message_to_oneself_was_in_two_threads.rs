//! An inbox that wrote to itself had the sent message and the received copy in different threads.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn both_copies_are_in_one_thread() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let note = json!({ "to": inbox.address, "subject": "Note to self", "text": "Buy oats." });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), note).await.expect(202);
    let threads = api.get(&format!("/v1/inboxes/{}/threads", inbox.id)).await.expect(200);
    assert_eq!(threads.data().len(), 1, "{}", threads.json);
    assert_eq!(threads.data()[0]["id"], sent["thread_id"]);
    let list = api.get(&format!("/v1/inboxes/{}/messages?direction=inbound", inbox.id)).await.expect(200);
    let copy = &list.data()[0];
    assert_eq!((&copy["thread_id"], &copy["rfc_message_id"]), (&sent["thread_id"], &sent["rfc_message_id"]));
    assert_eq!(threads.data()[0]["message_count"], 2);
    server.finish().await;
}
