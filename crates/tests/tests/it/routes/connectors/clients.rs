//! Clients: their metadata documents, and their registration.

use posthouse_domain::{DAY_MS, HOUR_MS};
use posthouse_tests::SiteAnswer;
use serde_json::json;

use super::*;

impl ConnectorFixture {
    async fn shown(&self, changes: &[(&str, &str)]) -> ApiResponse {
        let query = self.request(changes);
        self.owner.get(&format!("/platform/connector-requests?{}", encoded(&[("request", &query)]))).await
    }
}

#[tokio::test]
async fn a_document_that_is_not_valid_is_no_client() {
    let fixture = ConnectorFixture::open().await;
    let fine = document(&fixture.client_id);
    let changed = |name: &str, value: Value| {
        let mut wrong = fine.clone();
        wrong[name] = value;
        SiteAnswer { status: 200, content_type: "application/json", body: wrong.to_string() }
    };
    let wrong = [
        changed("client_id", json!("https://assistant.example/client.json")),
        changed("client_id", json!(null)),
        changed("client_name", json!(null)),
        changed("client_name", json!("Assist\u{202e}tna")),
        changed("redirect_uris", json!([])),
        changed("redirect_uris", json!(["javascript:alert(1)"])),
        changed("redirect_uris", json!(["http://assistant.example/callback"])),
        changed("token_endpoint_auth_method", json!("client_secret_post")),
        changed("grant_types", json!(["client_credentials"])),
        changed("padding", json!("x".repeat(20_000))),
        SiteAnswer { status: 302, content_type: "application/json", body: fine.to_string() },
        SiteAnswer { status: 404, content_type: "application/json", body: fine.to_string() },
        SiteAnswer { status: 200, content_type: "text/html", body: fine.to_string() },
        SiteAnswer { status: 200, content_type: "application/json", body: "[]".to_owned() },
        SiteAnswer { status: 200, content_type: "application/json", body: "{".to_owned() },
    ];
    for answer in wrong {
        fixture.site.answer(answer);
        fixture.shown(&[]).await.invalid_fields(&["request"]);
    }
    // A document that was wrong isn't kept.
    fixture.site.serve_json(&fine);
    fixture.shown(&[]).await.expect(200);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_document_is_fetched_again_after_an_hour() {
    let fixture = ConnectorFixture::open().await;
    for _ in 0..3 {
        fixture.shown(&[]).await.expect(200);
    }
    assert_eq!(fixture.site.requests(), 1);
    fixture.server.advance(HOUR_MS).await;
    let mut renamed = document(&fixture.client_id);
    renamed["client_name"] = json!("Renamed");
    fixture.site.serve_json(&renamed);
    assert_eq!(fixture.shown(&[]).await.expect(200)["client"]["name"], "Renamed");
    assert_eq!(fixture.site.requests(), 2);
    fixture.server.finish().await;
}

#[tokio::test]
async fn few_documents_are_fetched_for_one_person() {
    let fixture = ConnectorFixture::open().await;
    fixture.site.answer(SiteAnswer { status: 404, content_type: "text/plain", body: String::new() });
    for _ in 0..30 {
        fixture.shown(&[]).await.invalid_fields(&["request"]);
    }
    let refused = fixture.shown(&[]).await.error("rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "client_documents_per_person");
    assert_eq!(fixture.site.requests(), 30);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_document_is_never_fetched_from_a_private_network() {
    let fixture = ConnectorFixture::open().await;
    for host in ["localhost", "db.internal", "10.0.0.1", "169.254.169.254", "[::1]"] {
        let id = format!("https://{host}/client.json");
        fixture.shown(&[("client_id", &id)]).await.invalid_fields(&["request"]);
    }
    assert_eq!(fixture.site.requests(), 0);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_client_without_a_document_registers() {
    let mut fixture = ConnectorFixture::open().await;
    let metadata = json!({
        "client_name": "Editor",
        "redirect_uris": ["http://127.0.0.1/callback", "cursor://editor/callback"],
        "token_endpoint_auth_method": "client_secret_basic",
        "logo_uri": "https://editor.example/logo.png",
    });
    let registered = fixture.server.anonymous().post("/oauth/register", metadata.clone()).await.expect(201);
    assert_eq!(registered["token_endpoint_auth_method"], "none");
    assert!(registered.json.get("client_secret").is_none(), "{registered}");
    fixture.client_id = registered.text("client_id").to_owned();
    // A program gets its port from the operating system.
    for callback in ["http://127.0.0.1:51004/callback", "cursor://editor/callback"] {
        let shown = fixture.shown(&[("redirect_uri", callback)]).await.expect(200);
        assert_eq!((&shown["client"]["kind"], &shown["client"]["proven_host"]), (&json!("registered"), &json!(null)));
        assert_eq!(shown["redirect"]["is_local"], true);
        let body = fixture.approval(&fixture.request(&[("redirect_uri", callback)]));
        let decided = fixture.decide(body).await.expect(200);
        let code = parameter(decided.text("return_to"), "code").unwrap();
        fixture.exchange(&code, &[("redirect_uri", callback)]).await.expect(200);
    }
    let unused = fixture.server.anonymous().post("/oauth/register", metadata).await.expect(201);
    fixture.server.advance(DAY_MS).await;
    posthouse_app::jobs::reconcile::run(fixture.server.service()).await.unwrap();
    fixture.shown(&[("redirect_uri", "cursor://editor/callback")]).await.expect(200);
    fixture.client_id = unused.text("client_id").to_owned();
    fixture.shown(&[("redirect_uri", "cursor://editor/callback")]).await.invalid_fields(&["request"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_wrong_registration_is_refused_and_registrations_are_limited() {
    let fixture = ConnectorFixture::open().await;
    let api = fixture.server.anonymous();
    for (body, code) in [
        (json!([]), "invalid_client_metadata"),
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://editor.example/"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [CALLBACK], "client_name": "" }), "invalid_client_metadata"),
        (json!({ "redirect_uris": [CALLBACK], "response_types": ["token"] }), "invalid_client_metadata"),
    ] {
        oauth_error(api.post("/oauth/register", body).await.expect(400), code);
    }
    let fine = json!({ "redirect_uris": [CALLBACK] });
    for _ in 0..30 {
        api.post("/oauth/register", fine.clone()).await.expect(201);
    }
    oauth_error(api.post("/oauth/register", fine.clone()).await.expect(429), "temporarily_unavailable");
    fixture.server.advance(HOUR_MS).await;
    api.post("/oauth/register", fine).await.expect(201);
    fixture.server.finish().await;
}
