//! `GET /v1/messages/{id}/html`.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

const HOSTILE: &str = "<script>alert(1)</script><img src=\"https://tracker.example/x.png\"><form action=\"https://x.example\">\
    </form><meta http-equiv=\"refresh\" content=\"0;url=https://x.example\"><p>Hello</p>";

#[tokio::test]
async fn the_page_of_a_message_runs_nothing_and_loads_nothing() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mail = format!("From: a@b.example\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n{HOSTILE}\r\n");
    server.receive_message(&inbox, mail).await;
    server.receive_message(&inbox, "From: a@b.example\r\nSubject: plain\r\n\r\ntext\r\n").await;
    let list = api.get(&format!("/v1/inboxes/{}/messages", inbox.id)).await.expect(200);
    let id = |subject: &str| {
        let found = list.data().iter().find(|message| message["subject"] == subject).expect("a message");
        found["id"].as_str().unwrap().to_owned()
    };
    let page = api.get(&format!("/v1/messages/{}/html", id("s"))).await.expect(200);
    let shown = String::from_utf8(page.bytes.clone()).unwrap();
    assert!(shown.contains("<p>Hello</p>"), "{shown}");
    assert!(!shown.contains("script") && !shown.contains("form") && !shown.contains("meta"), "{shown}");
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(policy.starts_with("sandbox; default-src 'none'") && policy.contains("img-src data:;"), "{policy}");
    assert!(!policy.contains("allow-") && !policy.contains("script-src"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let with_images = api.get(&format!("/v1/messages/{}/html?remote=on", id("s"))).await.expect(200);
    let policy = with_images.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'") && policy.contains("img-src data: https: http:;"));
    api.get(&format!("/v1/messages/{}/html", id("plain"))).await.error("not_found");
    api.get(&format!("/v1/messages/{}/html?remote=some", id("s"))).await.invalid_fields(&["remote"]);
    let other = server.api(&server.workspace(Plan::Team).await);
    other.get(&format!("/v1/messages/{}/html", id("s"))).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn an_image_of_the_message_is_shown_in_its_place() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let mail = "From: a@b.example\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n\
        --x\r\nContent-Type: text/html\r\n\r\n<p>Hi</p><img src=\"cid:logo@b.example\"><img src=\"cid:page@b.example\">\r\n\
        --x\r\nContent-Type: image/png\r\nContent-ID: <logo@b.example>\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0K\r\n\
        --x\r\nContent-Type: image/svg+xml\r\nContent-ID: <page@b.example>\r\n\r\n<svg></svg>\r\n--x--\r\n";
    let id = server.receive_message(&inbox, mail).await;
    let page = api.get(&format!("/v1/messages/{id}/html")).await.expect(200);
    let shown = String::from_utf8(page.bytes.clone()).unwrap();
    assert!(shown.contains("<img src=\"data:image/png;base64,iVBORw0K\">"), "{shown}");
    assert!(!shown.contains("cid:") && !shown.contains("svg"), "{shown}");
    server.finish().await;
}
