//! Resources, prompts and completion.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, mail::TestMessage};
use serde_json::json;

use super::client::{McpClient, STATELESS, unfenced};

#[tokio::test]
async fn resources_are_read_by_uri() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.deliver(&TestMessage::new("Hello", "How are you?"), &inbox.address).await;
    let id = server.newest_message(&server.api(&key), &inbox.id.to_string()).await["id"].clone();
    let id = id.as_str().unwrap();
    let client = McpClient::new(&server, &key, STATELESS);
    let listed = client.result("resources/list", json!({})).await;
    assert_eq!(listed["resources"][0]["uri"], format!("inbox://{}", inbox.id));
    assert_eq!(listed["resources"][0]["name"], inbox.address);
    let templates = client.result("resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"][1]["uriTemplate"], "message://{message_id}");
    let read = client.result("resources/read", json!({ "uri": format!("message://{id}") })).await;
    let text = read["contents"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("UNTRUSTED MESSAGE CONTENT") && unfenced(&text).contains("How are you?"), "{text}");
    let raw = client.result("resources/read", json!({ "uri": format!("message://{id}/raw") })).await;
    assert_eq!(raw["contents"][0]["mimeType"], "message/rfc822");
    assert!(raw["contents"][0]["blob"].is_string());
    let own = client.result("resources/read", json!({ "uri": format!("inbox://{}", inbox.id) })).await;
    assert!(own["contents"][0]["text"].as_str().unwrap().contains(&inbox.address));

    let stranger = server.workspace(Plan::Team).await;
    let theirs = McpClient::new(&server, &stranger, STATELESS);
    let attachment = format!("attachment://{id}/{id}/text");
    for uri in [format!("message://{id}"), format!("inbox://{}", inbox.id), "nothing://x".to_owned(), attachment] {
        let response = theirs.send("resources/read", json!({ "uri": uri })).await.expect(200);
        assert_eq!(response["error"]["code"], -32602, "{uri}");
        let older = McpClient::new(&server, &stranger, "2025-11-25");
        let response = older.send("resources/read", json!({ "uri": uri })).await.expect(200);
        assert_eq!(response["error"]["code"], -32002, "{uri}");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_file_is_read_without_passing_through_the_model() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    let mail = "From: Ada <ada@example.com>\r\nTo: x@example.com\r\nSubject: The plan\r\nMIME-Version: 1.0\r\n\
                Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee the file.\r\n--b\r\n\
                Content-Type: application/pdf; name=plan.pdf\r\nContent-Disposition: attachment\r\n\r\n%PDF-1.4\r\n--b--\r\n";
    server.deliver_raw(mail.as_bytes(), &[&inbox.address]).await;
    let client = McpClient::new(&server, &key, STATELESS);
    let listed = client.call("list_messages", json!({ "inbox_id": inbox.id.to_string() })).await;
    let file = listed["messages"][0]["attachments"][0].clone();
    let uri = file["resource"].as_str().expect("a resource").to_owned();
    let read = client.result("resources/read", json!({ "uri": uri })).await;
    assert_eq!(read["contents"][0]["mimeType"], "application/pdf");
    assert_eq!(read["contents"][0]["blob"], "JVBERi0xLjQ=");
    let foreign = format!("attachment://{}/{}", file["id"].as_str().unwrap(), file["id"].as_str().unwrap());
    let response = client.send("resources/read", json!({ "uri": foreign })).await.expect(200);
    assert_eq!(response["error"]["code"], -32602);
    server.finish().await;
}

#[tokio::test]
async fn prompts_take_arguments() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let client = McpClient::new(&server, &key, STATELESS);
    let listed = client.result("prompts/list", json!({})).await;
    let names: Vec<&str> = listed["prompts"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["triage", "reply_with_approval", "wait_for_code"]);
    let arguments = json!({ "inbox": "support@example.com" });
    for name in ["triage", "wait_for_code"] {
        let prompt = client.result("prompts/get", json!({ "name": name, "arguments": arguments })).await;
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
        assert!(text.contains("support@example.com") && !text.contains('{'), "{text}");
    }
    let response = client.send("prompts/get", json!({ "name": "triage" })).await.expect(200);
    assert!(response["error"]["message"].as_str().unwrap().contains("arguments.inbox"));
    let response = client.send("prompts/get", json!({ "name": "other" })).await.expect(200);
    assert_eq!(response["error"]["code"], -32602);
    server.finish().await;
}

#[tokio::test]
async fn inboxes_complete_by_address() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let support = server.inbox_named(&key, "support").await;
    server.inbox_named(&key, "sales").await;
    let client = McpClient::new(&server, &key, STATELESS);
    let complete =
        |reference, name: &str, value: &str| json!({ "ref": reference, "argument": { "name": name, "value": value } });
    let prompt = json!({ "type": "ref/prompt", "name": "triage" });
    let result = client.result("completion/complete", complete(prompt.clone(), "inbox", "SUP")).await;
    assert_eq!(result["completion"], json!({ "values": [support.address], "total": 1, "hasMore": false }));
    let template = json!({ "type": "ref/resource", "uri": "inbox://{inbox_id}" });
    let result = client.result("completion/complete", complete(template, "inbox_id", "support")).await;
    assert_eq!(result["completion"]["values"], json!([support.id.to_string()]));
    let result = client.result("completion/complete", complete(prompt, "from", "x")).await;
    assert_eq!(result["completion"]["values"], json!([]));
    let unknown = complete(json!({ "type": "ref/prompt", "name": "other" }), "inbox", "");
    let response = client.send("completion/complete", unknown).await.expect(200);
    assert_eq!(response["error"]["code"], -32602);
    server.finish().await;
}
