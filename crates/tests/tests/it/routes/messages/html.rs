//! `GET /v1/messages/{id}/html`.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

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
    let sandbox = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'";
    assert!(policy.starts_with(sandbox) && policy.contains("img-src data:;"), "{policy}");
    assert!(!policy.contains("script") && !policy.contains("same-origin"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let with_images = api.get(&format!("/v1/messages/{}/html?remote=on", id("s"))).await.expect(200);
    let policy = with_images.header("content-security-policy").unwrap();
    assert!(policy.starts_with(sandbox) && policy.contains("img-src data: https: http:;"));
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

#[tokio::test]
async fn the_page_of_a_draft_shows_what_the_recipient_would_see() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let drafts = format!("/v1/inboxes/{}/drafts", inbox.id);
    let html = format!("{HOSTILE}<a href=\"https://x.example/a\" target=\"_top\">https://good.example</a>");
    let draft = api.post(&drafts, json!({ "to": "a@b.example", "html": html })).await.expect(201);
    let one = format!("{drafts}/{}/html", draft["id"].as_str().unwrap());
    let page = api.get(&one).await.expect(200);
    let shown = String::from_utf8(page.bytes.clone()).unwrap();
    assert!(shown.contains("<p>Hello</p>") && !shown.contains("script") && !shown.contains("form"), "{shown}");
    assert!(shown.contains("/leave#https%3A%2F%2Fx%2Eexample%2Fa") && shown.contains("\"_blank\""), "{shown}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox ") && policy.contains("img-src data:;"), "{policy}");
    let with_images = api.get(&format!("{one}?remote=on")).await.expect(200);
    assert!(with_images.header("content-security-policy").unwrap().contains("img-src data: https: http:;"));
    let plain = api.post(&drafts, json!({ "to": "a@b.example", "text": "x" })).await.expect(201);
    api.get(&format!("{drafts}/{}/html", plain["id"].as_str().unwrap())).await.error("not_found");
    let other = server.api(&server.workspace(Plan::Team).await);
    other.get(&one).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn html_over_a_bound_is_shown_as_text_with_the_bound() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let again: String = (0..400).map(|at| format!("<p><font size={at}>x")).collect();
    let many: String = (0..300).map(|at| format!(" a{at}=1")).collect();
    let shapes = [
        ("<ul><li>".repeat(50_000), "more than 512 nested elements"),
        ("<blockquote>".repeat(20_000), "more than 512 nested elements"),
        ("<div>".repeat(600), "more than 512 nested elements"),
        ("<br>x".repeat(30_000), "more than 50,000 elements and texts"),
        (again, "more than 50,000 elements and texts"),
        (format!("<p{many}>"), "more than 256 attributes on one element"),
    ];
    for (html, bound) in shapes {
        let html = format!("{html}<p>5 &lt; 6 <i>end</i></p>");
        let mail = format!("From: a@b.example\r\nSubject: s\r\nContent-Type: text/html\r\n\r\n{html}\r\n");
        let id = server.receive_message(&inbox, mail).await;
        let page = api.get(&format!("/v1/messages/{id}/html")).await.expect(200);
        let shown = String::from_utf8(page.bytes.clone()).unwrap();
        let start: String = shown.chars().take(300).collect();
        assert!(shown.contains(bound), "{bound}: {start}");
        assert!(shown.contains("5 &lt; 6 end") && !shown.contains("<i>"), "{bound}: {start}");
        assert!(page.header("content-security-policy").unwrap().starts_with("sandbox "));
        let message = api.get(&format!("/v1/messages/{id}")).await.expect(200);
        assert_eq!(message["html"].as_str().map(str::trim_end), Some(&*html), "the API has the HTML that was received");
        let text = message["text"].as_str().unwrap();
        assert!(text.len() <= 8 * html.len(), "{bound}: {} bytes of text", text.len());
    }
    server.finish().await;
}
