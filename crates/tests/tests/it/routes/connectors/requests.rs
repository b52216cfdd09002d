//! Requests of clients for access, and the decision of a person about them.

use serde_json::json;

use super::*;

#[tokio::test]
async fn a_client_finds_the_server_asks_and_gets_access() {
    let fixture = ConnectorFixture::open().await;
    let (anonymous, base) = (fixture.server.anonymous(), fixture.server.config().app.base_url.clone());
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let resource = anonymous.get(path).await.expect(200);
        assert_eq!(resource["resource"], fixture.resource());
        assert_eq!(resource["authorization_servers"], json!([base]));
        assert_eq!(resource["scopes_supported"], json!(["mcp"]));
        assert_eq!(resource.header("access-control-allow-origin"), Some("*"));
        assert!(resource.header("cache-control").is_some_and(|text| text.contains("max-age=300")), "{resource}");
    }
    let server = anonymous.get("/.well-known/oauth-authorization-server").await.expect(200);
    assert_eq!(server["issuer"], base);
    assert_eq!(server["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(server["client_id_metadata_document_supported"], true);
    assert_eq!(server["authorization_response_iss_parameter_supported"], true);

    let query = fixture.request(&[]);
    let authorize = server.text("authorization_endpoint").strip_prefix(&base).unwrap().to_owned();
    for reply in [
        anonymous.get(&format!("{authorize}?{query}")).await.expect(303),
        anonymous.raw(Method::POST, &authorize, FORM, query.clone()).await.expect(303),
    ] {
        let page = format!("{base}{}", reply.header("location").unwrap());
        assert!(page.starts_with(&format!("{base}/connectors/approve?")), "{page}");
        let (passed, sent) = (Url::parse(&page).unwrap(), Url::parse(&format!("{base}/?{query}")).unwrap());
        assert!(passed.query_pairs().eq(sent.query_pairs()), "{page}");
    }
    assert_eq!(fixture.site.requests(), 0, "a document was fetched for nobody");

    let asked = format!("/platform/connector-requests?{}", encoded(&[("request", &query)]));
    anonymous.get(&asked).await.error("unauthorized");
    let shown = fixture.owner.get(&asked).await.expect(200);
    assert_eq!((&shown["client"]["name"], &shown["client"]["kind"]), (&json!("Assistant"), &json!("document")));
    assert_eq!(
        (&shown["redirect"]["target"], &shown["redirect"]["is_local"]),
        (&json!("assistant.example"), &json!(false))
    );
    assert_eq!((&shown["error"], &shown["return_to"]), (&json!(null), &json!(null)));

    let decided = fixture.decide(fixture.approval(&query)).await.expect(200);
    let back = decided.text("return_to");
    assert!(back.starts_with(&format!("{CALLBACK}?")), "{back}");
    assert_eq!(parameter(back, "state").as_deref(), Some("a b&c"));
    assert_eq!(parameter(back, "iss"), Some(base));
    let code = parameter(back, "code").unwrap();
    let issued = fixture.exchange(&code, &[("resource", &fixture.resource())]).await.expect(200);
    assert_eq!((&issued["token_type"], &issued["scope"]), (&json!("Bearer"), &json!("mcp")));
    assert_eq!(issued["expires_in"], 900);
    assert_eq!(issued.header("cache-control"), Some("no-store"));
    let tokens = TestTokens::of(&issued);
    let inboxes = fixture.call(&tokens.access, "listInboxes", Arguments::default()).await.unwrap();
    assert_eq!(inboxes["data"][0]["id"], fixture.inbox.id.to_string());

    let listed = fixture.owner.get("/platform/connectors").await.expect(200);
    let connector = &listed.data()[0];
    assert_eq!(connector["id"], decided["connector"]["id"]);
    assert_eq!(connector["inbox_ids"], json!([fixture.inbox.id.to_string()]));
    assert_eq!(connector["approved_by"]["label"], OWNER);
    assert_eq!(fixture.events().await, ["connector.authorized"]);
    assert_eq!(fixture.site.requests(), 1, "the document is kept for a while");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_request_that_cannot_return_is_refused() {
    let fixture = ConnectorFixture::open().await;
    for changes in [
        vec![("client_id", "")],
        vec![("client_id", "phcc_unknown")],
        vec![("client_id", "http://client.example/client.json")],
        vec![("client_id", "https://client.example/")],
        vec![("redirect_uri", "https://evil.example/")],
        vec![("redirect_uri", "https://assistant.example/oauth/callback/")],
        vec![("redirect_uri", "http://localhost:1/other")],
        vec![("redirect_uri", "javascript:alert(1)")],
        // The document has two.
        vec![("redirect_uri", "")],
    ] {
        let query = fixture.request(&changes);
        let asked = format!("/platform/connector-requests?{}", encoded(&[("request", &query)]));
        fixture.owner.get(&asked).await.invalid_fields(&["request"]);
        fixture.decide(fixture.approval(&query)).await.invalid_fields(&["request"]);
        fixture.decide(json!({ "request": query, "approve": false })).await.invalid_fields(&["request"]);
    }
    let twice = format!("{}&redirect_uri=https%3A%2F%2Fevil.example", fixture.request(&[]));
    fixture.decide(fixture.approval(&twice)).await.invalid_fields(&["request"]);
    assert!(fixture.events().await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_wrong_request_returns_with_its_error_and_is_never_approved() {
    let fixture = ConnectorFixture::open().await;
    let cases = [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "invalid_request"),
        ("response_mode", "fragment", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("request", "eyJ", "request_not_supported"),
        ("request_uri", "https://assistant.example/r", "request_uri_not_supported"),
    ];
    for (name, value, code) in cases {
        let query = fixture.request(&[(name, value)]);
        let asked = format!("/platform/connector-requests?{}", encoded(&[("request", &query)]));
        let shown = fixture.owner.get(&asked).await.expect(200);
        assert_eq!(shown["error"]["code"], code, "{name}={value}: {shown}");
        let back = shown.text("return_to");
        assert_eq!(parameter(back, "error").as_deref(), Some(code), "{back}");
        assert_eq!(parameter(back, "state").as_deref(), Some("a b&c"), "{back}");
        fixture.decide(fixture.approval(&query)).await.invalid_fields(&["request"]);
    }
    let long = "x".repeat(3_000);
    let query = fixture.request(&[("state", &long)]);
    let asked = format!("/platform/connector-requests?{}", encoded(&[("request", &query)]));
    assert_eq!(fixture.owner.get(&asked).await.expect(200)["error"]["code"], "invalid_request");
    for wrong in
        ["".to_owned(), "client_id=x&client_id=y".to_owned(), format!("client_id=x&state={}", "x".repeat(9_000))]
    {
        fixture.server.anonymous().get(&format!("/oauth/authorize?{wrong}")).await.expect(400);
    }
    assert!(fixture.events().await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_person_denies_a_request() {
    let fixture = ConnectorFixture::open().await;
    let denied = fixture.decide(json!({ "request": fixture.request(&[]), "approve": false })).await.expect(200);
    assert_eq!(denied["connector"], json!(null));
    assert_eq!(parameter(denied.text("return_to"), "error").as_deref(), Some("access_denied"));
    assert!(fixture.owner.get("/platform/connectors").await.expect(200).data().is_empty());
    assert!(fixture.events().await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn only_the_dashboard_of_a_member_decides() {
    let fixture = ConnectorFixture::open().await;
    let body = fixture.approval(&fixture.request(&[]));
    let path = "/platform/connector-requests";
    fixture.server.anonymous().post(path, body.clone()).await.error("unauthorized");
    fixture.server.api(&fixture.key).post(path, body.clone()).await.error("unauthorized");
    let link = fixture.server.owner_session(&fixture.key).await;
    let without_header = {
        fixture.server.request_link(OWNER).await;
        let mail = fixture.server.sign_in_mail(&fixture.key, OWNER).await;
        let reply = fixture.server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await;
        fixture.server.anonymous().with_header("Cookie", &posthouse_tests::browser::cookie(&reply.expect(200)))
    };
    without_header.post(path, body.clone()).await.error("csrf");
    link.with_header("Origin", "https://evil.example").post(path, body.clone()).await.error("csrf");
    link.with_header("Sec-Fetch-Site", "cross-site").post(path, body.clone()).await.error("csrf");
    assert!(fixture.events().await.is_empty());
    link.post(path, body).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_decision_names_what_the_connector_reaches() {
    let fixture = ConnectorFixture::open().await;
    let other = fixture.server.workspace(posthouse_domain::plan::Plan::Team).await;
    let foreign = fixture.server.inbox(&other).await;
    let request = fixture.request(&[]);
    let with = |more: Value| {
        let mut body = json!({ "request": request, "approve": true });
        for (name, value) in more.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        body
    };
    fixture.decide(with(json!({}))).await.invalid_fields(&["inbox_ids"]);
    fixture.decide(with(json!({ "inbox_ids": [] }))).await.invalid_fields(&["inbox_ids"]);
    let eleven: Vec<String> = (0..11).map(|_| fixture.inbox.id.to_string()).collect();
    fixture.decide(with(json!({ "inbox_ids": eleven }))).await.invalid_fields(&["inbox_ids"]);
    let whole = json!({ "scope": "workspace", "inbox_ids": [fixture.inbox.id.to_string()] });
    fixture.decide(with(whole)).await.invalid_fields(&["inbox_ids"]);
    fixture.decide(with(json!({ "inbox_ids": [foreign.id.to_string()] }))).await.error("not_found");
    fixture
        .decide(with(json!({ "inbox_ids": [fixture.inbox.id.to_string()], "permissions": [] })))
        .await
        .error("invalid_request");
    assert!(fixture.events().await.is_empty());
    fixture.server.finish().await;
}

/// A page of any origin finds the server, as clients in browsers do.
#[tokio::test]
async fn pages_of_every_origin_may_ask_for_the_metadata() {
    let fixture = ConnectorFixture::open().await;
    let anonymous = fixture.server.anonymous();
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-authorization-server/oidc",
    ] {
        let allowed = anonymous.send(Method::OPTIONS, path, None).await.expect(204);
        assert_eq!(allowed.header("access-control-allow-origin"), Some("*"), "{path}");
        let fields = allowed.header("access-control-allow-headers").unwrap();
        assert!(fields.contains("mcp-protocol-version"), "{path}: {fields}");
        let document = anonymous.get(path).await.expect(200);
        assert_eq!(document.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    fixture.server.finish().await;
}
