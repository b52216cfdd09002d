//! `GET /v1/inboxes`.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{
    TestServer,
    http::{Api, ApiResponse},
};
use serde_json::json;

fn names(page: &ApiResponse) -> Vec<String> {
    let data = page.json["data"].as_array().cloned().unwrap_or_default();
    data.iter().map(|inbox| inbox["username"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn make(api: &Api, username: &str, metadata: serde_json::Value) -> String {
    let made = api.post("/v1/inboxes", json!({ "username": username, "metadata": metadata })).await.expect(201);
    made.text("id").to_owned()
}

#[tokio::test]
async fn pages_are_newest_first_and_stable_under_inserts() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for n in 0..7 {
        make(&api, &format!("box{n}"), json!({})).await;
        server.clock.advance(1);
    }
    let first = api.get("/v1/inboxes?limit=3").await.expect(200);
    assert_eq!(names(&first), ["box6", "box5", "box4"].map(str::to_owned));
    make(&api, "late", json!({})).await;
    let cursor = first.text("next_cursor").to_owned();
    let second = api.get(&format!("/v1/inboxes?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!(names(&second), ["box3", "box2", "box1"].map(str::to_owned));
    let cursor = second.text("next_cursor").to_owned();
    let third = api.get(&format!("/v1/inboxes?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!(names(&third), ["box0".to_owned()]);
    assert_eq!(third["next_cursor"], json!(null));
    server.finish().await;
}

#[tokio::test]
async fn inboxes_created_in_one_millisecond_are_each_listed_once() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let mut made = Vec::new();
    for n in 0..5 {
        made.push(format!("tie{n}"));
        make(&api, &made[n], json!({})).await;
    }
    let (mut seen, mut query) = (Vec::new(), String::new());
    for _ in 0..3 {
        let page = api.get(&format!("/v1/inboxes?limit=2{query}")).await.expect(200);
        seen.extend(names(&page));
        query = page.json["next_cursor"].as_str().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    }
    seen.sort();
    assert_eq!((seen, query), (made, String::new()));
    server.finish().await;
}

#[tokio::test]
async fn metadata_filters_compare_text_and_combine() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let red = make(&api, "red", json!({ "color": "red", "n": 2, "on": true })).await;
    server.clock.advance(1);
    make(&api, "blue", json!({ "color": "blue", "n": 2.5, "on": true })).await;
    make(&api, "plain", json!({})).await;
    let table = [
        ("metadata.color=red", vec!["red"]),
        ("metadata.n=2", vec!["red"]),
        ("metadata.n=2.5", vec!["blue"]),
        ("metadata.on=true", vec!["blue", "red"]),
        ("metadata.on=true&metadata.color=blue", vec!["blue"]),
        ("metadata.on=true&metadata.color=green", vec![]),
        ("metadata.none=1", vec![]),
        ("metadata.color=re", vec![]),
    ];
    for (query, expected) in &table {
        assert_eq!(names(&api.get(&format!("/v1/inboxes?{query}")).await.expect(200)), *expected, "{query}");
    }
    let path = format!("/v1/inboxes/{red}");
    api.patch(&path, json!({ "metadata": { "color": "blue", "on": null, "new": "x" } })).await.expect(200);
    for (query, expected) in [
        ("metadata.color=red", vec![]),
        ("metadata.color=blue", vec!["blue", "red"]),
        ("metadata.new=x", vec!["red"]),
        ("metadata.on=true", vec!["blue"]),
    ] {
        assert_eq!(names(&api.get(&format!("/v1/inboxes?{query}")).await.expect(200)), expected, "{query}");
    }
    api.delete(&path).await.expect(204);
    assert_eq!(names(&api.get("/v1/inboxes?metadata.color=blue").await.expect(200)), ["blue"]);
    server.finish().await;
}

#[tokio::test]
async fn filtered_pages_continue_where_they_ended() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    for n in 0..5 {
        make(&api, &format!("f{n}"), json!({ "env": "prod", "odd": n % 2 == 1 })).await;
        server.clock.advance(1);
    }
    let first = api.get("/v1/inboxes?metadata.env=prod&limit=2").await.expect(200);
    assert_eq!(names(&first), ["f4", "f3"]);
    let cursor = first.text("next_cursor").to_owned();
    let second = api.get(&format!("/v1/inboxes?metadata.env=prod&limit=2&cursor={cursor}")).await.expect(200);
    assert_eq!(names(&second), ["f2", "f1"]);
    api.get(&format!("/v1/inboxes?metadata.env=test&cursor={cursor}")).await.error("invalid_cursor");
    api.get(&format!("/v1/inboxes?cursor={cursor}")).await.error("invalid_cursor");
    api.get("/v1/inboxes?cursor=made-up").await.error("invalid_cursor");
    server.finish().await;
}

#[tokio::test]
async fn temporary_inboxes_are_listed_only_on_request() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    make(&api, "lasting", json!({})).await;
    server.clock.advance(1);
    let brief = api.post("/v1/inboxes", json!({ "ttl_seconds": 60 })).await.expect(201).text("username").to_owned();
    assert_eq!(names(&api.get("/v1/inboxes").await.expect(200)), ["lasting"]);
    assert_eq!(names(&api.get("/v1/inboxes?include_temporary=true").await.expect(200)), [brief.as_str(), "lasting"]);
    assert_eq!(names(&api.get("/v1/inboxes?temporary=true").await.expect(200)), [brief.as_str()]);
    assert_eq!(names(&api.get("/v1/inboxes?temporary=false").await.expect(200)), ["lasting"]);
    server.finish().await;
}

#[tokio::test]
async fn a_key_sees_only_its_workspace_or_its_inbox() {
    let server = TestServer::plain().await;
    let (key, other) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    make(&server.api(&key), "mine", json!({ "k": "v" })).await;
    let own =
        server.api(&key).post("/v1/inboxes", json!({ "username": "own", "metadata": { "k": "v" } })).await.expect(201);
    make(&server.api(&other), "theirs", json!({ "k": "v" })).await;
    assert_eq!(names(&server.api(&other).get("/v1/inboxes?metadata.k=v").await.expect(200)), ["theirs"]);
    let narrow = server.key(&key, "agent", Scope::Inbox(own.text("id").parse().expect("an id"))).await;
    assert_eq!(names(&server.api(&narrow).get("/v1/inboxes").await.expect(200)), ["own"]);
    assert_eq!(names(&server.api(&narrow).get("/v1/inboxes?metadata.k=w").await.expect(200)), Vec::<String>::new());
    assert_eq!(names(&server.api(&narrow).get("/v1/inboxes?temporary=true").await.expect(200)), Vec::<String>::new());
    server.finish().await;
}

#[tokio::test]
async fn all_invalid_parameters_are_reported() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let table: &[(&str, &[&str])] = &[
        ("limit=0", &["limit"]),
        ("limit=101&temporary=yes", &["limit", "temporary"]),
        ("metadata=x", &["metadata"]),
        ("metadata.a%20b=x", &["metadata.a b"]),
        ("include_temp=true", &["include_temp"]),
        ("limit=5&limit=6", &["limit"]),
    ];
    for (query, fields) in table {
        api.get(&format!("/v1/inboxes?{query}")).await.invalid_fields(fields);
    }
    server.finish().await;
}
