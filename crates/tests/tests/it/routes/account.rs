//! `GET /v1/account`.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::json;

#[tokio::test]
async fn the_account_shows_the_workspace_the_plan_and_the_calling_key() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Builder).await;
    let reply = server.api(&key).get("/v1/account").await.expect(200);
    assert_eq!(reply["workspace"]["id"], key.workspace.to_string());
    assert_eq!(reply["workspace"]["created_at"], posthouse_tests::clock::START);
    assert_eq!(reply["limits"]["requests_per_minute"], 600);
    // An operator created it, so there is nothing to claim.
    let claim = json!({ "status": "not_applicable", "claimed_at": null, "pending_email": null, "expires_at": null });
    assert_eq!((&reply["claim"], reply["restrictions"].is_null()), (&claim, true));
    assert_eq!(reply["key"]["id"], key.id.to_string());
    server.finish().await;
}

/// `docs/reference/limits.md` promises all of them except `connections` and `streams`.
#[tokio::test]
async fn the_account_shows_every_limit_of_the_plan() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Builder).await;
    let reply = server.api(&key).get("/v1/account").await.expect(200);
    let limits = reply["limits"].as_object().expect("limits");
    let names = "inboxes identities custom_domains public_listings api_keys knowledge_documents ai_drafts_per_day \
                 emails_per_month daily_sends daily_sends_per_inbox sends_per_5_minutes requests_per_minute \
                 ai_checks_per_day extractions_per_month structured_extractions_per_month storage_bytes";
    for name in names.split_whitespace() {
        assert!(limits.contains_key(name), "{name}");
    }
    server.finish().await;
}

#[tokio::test]
async fn a_key_survives_a_crash() {
    let mut server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    server.crash().await;
    api.get("/v1/account").await.expect(200);
    server.restart().await;
    api.get("/v1/account").await.expect(200);
    server.finish().await;
}
