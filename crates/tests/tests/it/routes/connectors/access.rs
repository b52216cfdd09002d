//! What a connector may do: what was approved, and never more than its person.

use posthouse_call::Access;
use posthouse_call::Arguments;
use posthouse_domain::connector::ConnectorPreset;
use posthouse_domain::{ErrorCode, LimitName};
use posthouse_store::users;
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_connector_has_the_permissions_of_its_preset() {
    let fixture = ConnectorFixture::open().await;
    for preset in ConnectorPreset::ALL {
        let more = json!({ "preset": preset.text(), "scope": "org", "inbox_ids": null });
        let tokens = fixture.connect(&more).await;
        let caller = fixture.authenticate(&tokens.access).await.unwrap();
        for route in posthouse::all_routes() {
            let operation = &route.operation;
            let allowed = posthouse_call::authorize(&caller.caller, operation);
            match operation.access {
                Access::Public => assert_eq!(allowed, Ok(()), "{}", operation.name),
                Access::Session(_) | Access::Person => {
                    let refusal = allowed.expect_err("a connector used a session's operation");
                    assert_eq!(refusal.code, ErrorCode::Unauthorized, "{}", operation.name);
                }
                Access::Key(permission, _) => {
                    let mut needed = std::iter::once(permission).chain(operation.also.iter().copied());
                    match needed.find(|one| !preset.grants().has(*one)) {
                        None => assert_eq!(allowed, Ok(()), "{}", operation.name),
                        Some(missing) => {
                            let refusal = allowed.expect_err("a connector lacked nothing");
                            assert_eq!(refusal.code, ErrorCode::InsufficientPermissions, "{}", operation.name);
                            let fix = refusal.fix.unwrap();
                            assert!(fix.starts_with("Connect again") && fix.contains(missing.text()), "{fix}");
                        }
                    }
                }
            }
        }
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn single_permissions_take_the_place_of_a_preset() {
    let fixture = ConnectorFixture::open().await;
    let tokens = fixture.connect(&json!({ "permissions": ["inboxes:read"] })).await;
    fixture.call(&tokens.access, "listInboxes", Arguments::default()).await.unwrap();
    let refusal = fixture.call(&tokens.access, "listThreads", Arguments::default()).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::InsufficientPermissions);
    let both = json!({ "permissions": ["inboxes:read"], "preset": "read" });
    let mut body = fixture.approval(&fixture.request(&[]));
    (body["permissions"], body["preset"]) = (both["permissions"].clone(), both["preset"].clone());
    fixture.decide(body).await.invalid_fields(&["permissions"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_sees_its_inboxes_alone() {
    let fixture = ConnectorFixture::open().await;
    let (second, hidden) = (fixture.server.inbox(&fixture.key).await, fixture.server.inbox(&fixture.key).await);
    let ids = json!([fixture.inbox.id.to_string(), second.id.to_string()]);
    let tokens = fixture.connect(&json!({ "inbox_ids": ids, "preset": "admin" })).await;
    let access = tokens.access.as_str();
    let listed = fixture.call(access, "listInboxes", Arguments::default()).await.unwrap();
    let shown: Vec<&str> = listed["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(shown, [second.id.to_string(), fixture.inbox.id.to_string()]);
    // Pages hold one each.
    let first = fixture.call(access, "listInboxes", query("limit=1")).await.unwrap();
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = fixture.call(access, "listInboxes", query(&format!("limit=1&cursor={cursor}"))).await.unwrap();
    assert_eq!((&first["data"][0]["id"], &rest["data"][0]["id"]), (&listed["data"][0]["id"], &listed["data"][1]["id"]));
    assert!(rest["next_cursor"].is_null(), "{rest}");

    let of = |id: String| path(&[("id", &id)]);
    fixture.call(access, "getInbox", of(second.id.to_string())).await.unwrap();
    for name in ["getInbox", "deleteInbox", "listInboxThreads"] {
        let refusal = fixture.call(access, name, of(hidden.id.to_string())).await.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::NotFound, "{name}");
    }
    // A list that spans inboxes is of one of them at a time.
    for name in ["listThreads", "listDrafts", "searchMessages", "getMetrics", "listQueues", "listHeldMessages"] {
        let text = if name == "searchMessages" { "q=hello" } else { "" };
        let refusal = fixture.call(access, name, query(text)).await.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::InvalidRequest, "{name}: {refusal:?}");
        assert!(refusal.message.contains("inbox_id") || !refusal.fields().is_empty(), "{name}: {refusal:?}");
        let named = format!("{text}{}inbox_id={}", if text.is_empty() { "" } else { "&" }, second.id);
        fixture.call(access, name, query(&named)).await.unwrap();
        let other = named.replace(&second.id.to_string(), &hidden.id.to_string());
        let refusal = fixture.call(access, name, query(&other)).await.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::NotFound, "{name}");
    }
    let refusal = fixture.call(access, "listWebhooks", Arguments::default()).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Forbidden);
    let events = fixture.call(access, "listEvents", Arguments::default()).await.unwrap();
    assert_eq!(events["data"], json!([]), "events of the workspace");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_of_the_organization_ends_at_the_role_of_its_person() {
    let fixture = ConnectorFixture::open().await;
    let ana = fixture.join("ana@example.org").await;
    let whole =
        |scope: &str| json!({ "request": fixture.request(&[]), "approve": true, "scope": scope, "preset": "admin" });
    ana.post("/platform/connector-requests", whole("org")).await.error("forbidden");
    ana.post("/platform/connector-requests", whole("workspace")).await.expect(200);
    let tokens = fixture.connect(&json!({ "scope": "org", "inbox_ids": null, "preset": "admin" })).await;
    let stop = || Arguments { body: "{}".into(), ..Arguments::default() };
    fixture.call(&tokens.access, "emergencyStop", stop()).await.unwrap();
    // The owner becomes a member, after another person is an owner too.
    let members = fixture.owner.get("/platform/members").await.expect(200);
    let id_of = |email: &str| {
        let found = members.data().iter().find(|member| member["email"] == email).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    let (own, other) = (id_of(OWNER), id_of("ana@example.org"));
    fixture.owner.patch(&format!("/platform/members/{other}"), json!({ "role": "owner" })).await.expect(200);
    fixture.owner.patch(&format!("/platform/members/{own}?keys=revoke"), json!({ "role": "member" })).await.expect(200);
    let refusal = fixture.call(&tokens.access, "emergencyStop", stop()).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Forbidden);
    fixture.call(&tokens.access, "listWebhooks", Arguments::default()).await.unwrap();
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_token_of_a_connector_is_for_the_mcp_endpoint_alone() {
    let fixture = ConnectorFixture::open().await;
    let tokens = fixture.connect(&json!({})).await;
    for token in [&tokens.access, &tokens.refresh] {
        let api = fixture.server.anonymous().with_key(token);
        api.get("/v1/inboxes").await.error("unauthorized");
        api.get("/platform/connectors").await.error("unauthorized");
    }
    fixture.authenticate(&tokens.refresh).await.expect_err("a refresh token is no access token");
    fixture.authenticate(&fixture.key.secret).await.expect("an API key is for both endpoints");
    // It opens no stream of the HTTP API either.
    let refusal = fixture.call(&tokens.access, "createStreamToken", Arguments::default()).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::Forbidden);
    fixture.server.finish().await;
}

#[tokio::test]
async fn requests_count_for_each_connector() {
    let fixture = ConnectorFixture::open().await;
    let (first, second) = (fixture.connect(&json!({})).await, fixture.connect(&json!({})).await);
    let caller = fixture.authenticate(&first.access).await.unwrap();
    for _ in 0..120 {
        let answer = call(&fixture.server, &caller, "listInboxes", Arguments::default()).await;
        assert!(answer.result.is_ok());
        assert_eq!(answer.notes.limits[0].limit, LimitName::ConnectorRequestsPerMinute);
    }
    let refusal = fixture.call(&first.access, "listInboxes", Arguments::default()).await.unwrap_err();
    assert_eq!(refusal.limit(), Some(LimitName::ConnectorRequestsPerMinute));
    fixture.call(&second.access, "listInboxes", Arguments::default()).await.unwrap();
    fixture.server.advance(60_000).await;
    fixture.call(&first.access, "listInboxes", Arguments::default()).await.unwrap();
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_is_the_actor_of_what_it_does_and_repeats_only_its_own_requests() {
    let fixture = ConnectorFixture::open().await;
    let tokens =
        [fixture.connect(&json!({ "preset": "admin" })).await, fixture.connect(&json!({ "preset": "admin" })).await];
    let id = fixture.inbox.id.to_string();
    let draft = json!({ "to": "dana@example.com", "subject": "Hello", "text": "Hello" }).to_string();
    let arguments =
        || Arguments { body: draft.clone().into(), idempotency_key: Some("one".to_owned()), ..path(&[("id", &id)]) };
    let first = fixture.call(&tokens[0].access, "createDraft", arguments()).await.unwrap();
    let again = fixture.call(&tokens[0].access, "createDraft", arguments()).await.unwrap();
    let other = fixture.call(&tokens[1].access, "createDraft", arguments()).await.unwrap();
    assert_eq!(first["id"], again["id"]);
    assert_ne!(first["id"], other["id"]);
    let parameters = [("id", id.as_str()), ("draft_id", first["id"].as_str().unwrap())];
    let send = Arguments { body: "{}".into(), ..path(&parameters) };
    fixture.call(&tokens[0].access, "sendDraft", send).await.unwrap();
    let sent = fixture.call(&tokens[0].access, "getDraft", path(&parameters)).await.unwrap();
    let by = &sent["approved_by"];
    assert_eq!((by["type"].as_str(), by["label"].as_str()), (Some("connector"), Some("Assistant")), "{sent}");
    fixture.server.settle().await;
    let user = fixture.server.store().read(|tx| users::by_email(tx, OWNER)).await.unwrap();
    assert!(user.is_some());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_connector_uses_the_mcp_endpoint_and_nothing_else() {
    let fixture = ConnectorFixture::open().await;
    let hidden = fixture.server.inbox(&fixture.key).await;
    let tokens = fixture.connect(&json!({ "preset": "read" })).await;
    let client = fixture.server.anonymous().with_header("Authorization", &format!("Bearer {}", tokens.access));
    let request = |method: &str, params: serde_json::Value| json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let listed = client.post("/mcp", request("tools/list", json!({}))).await.expect(200);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"list_messages") && !names.contains(&"send_email"), "{names:?}");

    let call = |name: &str, arguments| request("tools/call", json!({ "name": name, "arguments": arguments }));
    let inboxes = client.post("/mcp", call("list_inboxes", json!({}))).await.expect(200);
    let shown = inboxes["result"]["structuredContent"]["inboxes"].as_array().unwrap();
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0]["id"], fixture.inbox.id.to_string());
    let arguments = json!({ "inbox_id": hidden.id.to_string() });
    let refused = client.post("/mcp", call("list_messages", arguments)).await.expect(200);
    assert_eq!(refused["result"]["isError"], true);
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("not_found"));
    let message = json!({ "inbox_id": fixture.inbox.id.to_string(), "to": "a@b.example", "subject": "x", "text": "y" });
    let refused = client.post("/mcp", call("send_email", message)).await.expect(200);
    let text = refused["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("insufficient_permissions") && text.contains("Connect again"), "{text}");

    client.get("/v1/account").await.expect(401);
    let revoked = fixture.owner.get("/platform/connectors").await.expect(200);
    let id = revoked["data"][0]["id"].as_str().unwrap();
    fixture.owner.delete(&format!("/platform/connectors/{id}")).await.expect(204);
    let response = client.post("/mcp", request("tools/list", json!({}))).await.expect(401);
    assert!(response.header("www-authenticate").unwrap().contains("oauth-protected-resource"));
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_tools_of_a_connector_list_its_inboxes_alone() {
    let fixture = ConnectorFixture::open().await;
    let (second, hidden) = (fixture.server.inbox(&fixture.key).await, fixture.server.inbox(&fixture.key).await);
    let ids = [second.id.to_string(), fixture.inbox.id.to_string()];
    let tokens = fixture.connect(&json!({ "inbox_ids": ids, "preset": "admin" })).await;
    let api = fixture.server.anonymous().with_key(&tokens.access);
    let call = async |name: &str, arguments: serde_json::Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        api.post("/mcp?profile=all", request).await.expect(200)["result"].clone()
    };
    let listed = call("list_inboxes", json!({})).await;
    let shown: Vec<&str> = listed["structuredContent"]["inboxes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(shown, ids);
    for id in &ids {
        let listed = call("list_messages", json!({ "inbox_id": id })).await;
        assert_eq!(listed["isError"], false, "{listed}");
    }
    let refused = call("list_messages", json!({ "inbox_id": hidden.id.to_string() })).await;
    assert_eq!(refused["isError"], true, "{refused}");
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list", "params": {} });
    let resources = api.post("/mcp", request).await.expect(200)["result"]["resources"].clone();
    let uris: Vec<&str> = resources.as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(uris, ids.map(|id| format!("inbox://{id}")));
    fixture.server.finish().await;
}
