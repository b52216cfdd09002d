//! Every stop of an agent, its workspace or an app refuses tokens, approvals, exchanges and userinfo at once.

use posthouse_tests::http::ApiResponse;
use serde_json::json;

use super::{IdentityFixture, TestApp, WaitingBrowser, oauth_error};
use crate::routes::signup::SignupFixture;

const ASSERTION_GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// What an app and a browser hold before a stop.
struct Held {
    app: TestApp,
    assertion: String,
    code: String,
    access_token: String,
    waiting: WaitingBrowser,
}

async fn hold(fixture: &IdentityFixture) -> Held {
    let app = fixture.app("confidential").await;
    let assertion = fixture.mint(&app, json!({})).await.expect(201).text("id_token").to_owned();
    let first = fixture.code(&app, &[]).await;
    let access_token = fixture.redeem(&app, &first).await.expect(200).text("access_token").to_owned();
    fixture.userinfo(&access_token).await.expect(200);
    Held {
        code: fixture.code(&app, &[]).await,
        waiting: fixture.waiting(&app, &[]).await,
        app,
        assertion,
        access_token,
    }
}

/// Asserts that everything is refused, requests of the agent with this code.
async fn assert_stopped(fixture: &IdentityFixture, held: &Held, code: &str) {
    fixture.mint(&held.app, json!({})).await.error(code);
    fixture.approve(&held.waiting).await.error(code);
    oauth_error(&fixture.redeem(&held.app, &held.code).await, 400, "invalid_grant");
    oauth_error(&exchange(fixture, held).await, 400, "invalid_grant");
    oauth_error(&fixture.userinfo(&held.access_token).await, 401, "invalid_token");
}

async fn exchange(fixture: &IdentityFixture, held: &Held) -> ApiResponse {
    fixture.token(&held.app, &[("grant_type", ASSERTION_GRANT), ("assertion", &held.assertion)]).await
}

/// Asserts that everything works again.
async fn assert_resumed(fixture: &IdentityFixture, held: &Held) {
    fixture.userinfo(&held.access_token).await.expect(200);
    fixture.redeem(&held.app, &held.code).await.expect(200);
    exchange(fixture, held).await.expect(200);
    fixture.approve(&held.waiting).await.expect(200);
    fixture.mint(&held.app, json!({})).await.expect(201);
}

#[tokio::test]
async fn a_paused_agent_is_stopped() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    fixture.api.post(&fixture.path("pause"), json!({})).await.expect(200);
    assert_stopped(&fixture, &held, "inbox_paused").await;
    fixture.api.post_empty(&fixture.path("resume")).await.expect(200);
    assert_resumed(&fixture, &held).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_emergency_stop_stops_every_agent() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    fixture.api.post("/v1/emergency-stop", json!({})).await.expect(200);
    assert_stopped(&fixture, &held, "workspace_stopped").await;
    let owner = fixture.server.owner_session(&fixture.key).await;
    owner.post_empty("/platform/org/resume").await.expect(200);
    assert_resumed(&fixture, &held).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_switch_of_an_agent_stops_it() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    let off = fixture.api.patch(&fixture.path("identity"), json!({ "enabled": false })).await.expect(200);
    assert_eq!(off["enabled"], false);
    assert_stopped(&fixture, &held, "identity_disabled").await;
    fixture.api.patch(&fixture.path("identity"), json!({ "enabled": true })).await.expect(200);
    // What apps held before stays ended.
    oauth_error(&fixture.userinfo(&held.access_token).await, 401, "invalid_token");
    oauth_error(&fixture.redeem(&held.app, &held.code).await, 400, "invalid_grant");
    fixture.approve(&held.waiting).await.expect(200);
    fixture.mint(&held.app, json!({})).await.expect(201);
    fixture.api.patch(&fixture.path("identity"), json!({ "enabled": false })).await.expect(200);
    fixture.mint(&held.app, json!({})).await.error("identity_disabled");
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_agent_with_a_revoked_card_is_stopped() {
    let fixture = IdentityFixture::open().await;
    fixture.api.patch(&fixture.path("agent"), json!({ "name": "Night Runner" })).await.expect(200);
    let held = hold(&fixture).await;
    let revoked = fixture.api.post(&fixture.path("agent/revoke"), json!({})).await.expect(200);
    assert_eq!(revoked["identity"]["sign_in_ready"], false);
    assert_stopped(&fixture, &held, "identity_disabled").await;
    fixture.api.post_empty(&fixture.path("agent/restore")).await.expect(200);
    assert_resumed(&fixture, &held).await;
    let (app, address) =
        (fixture.server.service(), posthouse_mail::address::Address::parse(&fixture.inbox.address).unwrap());
    posthouse_app::agents::operator::suspend(app, &address, None).await.unwrap();
    fixture.mint(&held.app, json!({})).await.error("agent_suspended");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_suspended_workspace_is_stopped() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    let set = async |suspended: bool| suspend(&fixture, fixture.key.workspace, suspended).await;
    set(true).await;
    assert_stopped(&fixture, &held, "org_suspended").await;
    set(false).await;
    assert_resumed(&fixture, &held).await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_deleted_agent_is_stopped_for_good() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    fixture.api.delete(&format!("/v1/inboxes/{}", fixture.inbox.id)).await.expect(204);
    assert_stopped(&fixture, &held, "not_found").await;
    fixture.server.finish().await;
}

#[tokio::test]
async fn an_unclaimed_agent_gets_no_tokens() {
    let fixture = SignupFixture::open().await;
    let developer = posthouse_domain::plan::Plan::Team;
    let developer = fixture.server.api(&fixture.server.workspace(developer).await);
    let body = json!({ "name": "App", "type": "verify_only" });
    let app = developer.post("/v1/identity/clients", body).await.expect(201);
    let agent = fixture.sign_up(json!({})).await;
    let body = json!({ "audience": app["client"]["client_id"] });
    agent.api.post(&format!("/v1/inboxes/{}/identity-token", agent.id), body).await.error("unclaimed_workspace");
    fixture.close().await;
}

#[tokio::test]
async fn an_app_that_is_switched_off_or_deleted_loses_everything() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    let client = format!("/v1/identity/clients/{}", held.app.id);
    fixture.developer.patch(&client, json!({ "enabled": false })).await.expect(200);
    oauth_error(&fixture.userinfo(&held.access_token).await, 401, "invalid_token");
    oauth_error(&fixture.redeem(&held.app, &held.code).await, 401, "invalid_client");
    fixture.approve(&held.waiting).await.error("client_disabled");
    fixture.authorize(&held.app, &[]).await.expect(400);
    fixture.developer.patch(&client, json!({ "enabled": true })).await.expect(200);
    fixture.userinfo(&held.access_token).await.expect(200);
    fixture.developer.delete(&client).await.expect(204);
    oauth_error(&fixture.userinfo(&held.access_token).await, 401, "invalid_token");
    oauth_error(&fixture.redeem(&held.app, &held.code).await, 401, "invalid_client");
    fixture.approve(&held.waiting).await.error("not_found");
    fixture.server.anonymous().get(&held.waiting.page).await.expect(400);
    fixture.authorize(&held.app, &[]).await.expect(400);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_suspended_workspace_has_no_apps() {
    let fixture = IdentityFixture::open().await;
    let held = hold(&fixture).await;
    suspend(&fixture, fixture.developer_key.workspace, true).await;
    fixture.mint(&held.app, json!({})).await.error("client_disabled");
    fixture.approve(&held.waiting).await.error("client_disabled");
    oauth_error(&fixture.userinfo(&held.access_token).await, 401, "invalid_token");
    oauth_error(&fixture.redeem(&held.app, &held.code).await, 401, "invalid_client");
    fixture.authorize(&held.app, &[]).await.expect(400);
    fixture.server.anonymous().get(&held.waiting.page).await.expect(400);
    let denial = fixture.path(&format!("identity/approvals/{}", held.waiting.code));
    fixture.api.post(&denial, json!({ "approve": false })).await.expect(200);
    fixture.server.finish().await;
}

async fn suspend(fixture: &IdentityFixture, workspace: posthouse_domain::id::WorkspaceId, suspended: bool) {
    let work = move |tx: &mut posthouse_store::Tx| {
        let mut tenant = posthouse_store::workspaces::get(tx, workspace)?.unwrap();
        tenant.suspended = suspended;
        posthouse_store::workspaces::update(tx, &tenant)
    };
    fixture.server.store().write(work).await.unwrap();
}
