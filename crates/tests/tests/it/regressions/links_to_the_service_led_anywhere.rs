//! A link to `/oidc/authorize` with `prompt=none`, or with any mistake, led every browser to the redirect URI of an app at
//! once, and anyone could register an app. Now a page names the host and has a link, except for apps that the browser's
//! person or, with a mistake, the operator trusts, and within frames (RFC 9700 §4.11.2).

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_store::{Tx, p, statements};
use posthouse_tests::http::Api;
use serde_json::json;

use crate::routes::identity::{CALLBACK, IdentityFixture, TestApp, returned, value};

statements! {
    SET_ORIGIN = "UPDATE workspaces SET origin = $2 WHERE id = $1";
}

/// A change of a request after which it ends without a sign-in.
#[derive(Clone, Copy, Debug)]
struct Mistake {
    parameter: &'static str,
    value: Option<&'static str>,
    /// The error that the app gets.
    error: &'static str,
}

const fn mistake(parameter: &'static str, value: Option<&'static str>, error: &'static str) -> Mistake {
    Mistake { parameter, value, error }
}

const MISTAKES: [Mistake; 5] = [
    mistake("response_type", Some("token"), "unsupported_response_type"),
    mistake("response_mode", Some("fragment"), "invalid_request"),
    mistake("scope", Some("email"), "invalid_scope"),
    mistake("code_challenge", None, "invalid_request"),
    mistake("request", Some("a.b.c"), "request_not_supported"),
];

/// Returns whether the browser is sent to the app at once; otherwise a page must offer it.
async fn leads_away(fixture: &IdentityFixture, browser: &Api, app: &TestApp, mistake: Mistake) -> bool {
    let Mistake { parameter, value: changed, error } = mistake;
    let reply = fixture.authorize_as(browser, app, &[(parameter, changed)]).await;
    if reply.status == 303 {
        assert_eq!(value(&returned(&reply), "error"), error, "{mistake:?}");
        return true;
    }
    let html = reply.expect(200).body_text();
    assert!(html.contains("app.example") && html.contains("Travel desk"), "{html}");
    assert!(html.contains(&format!("<a href=\"{CALLBACK}?error={error}&amp;")) && html.contains("state=s-1"), "{html}");
    assert!(!html.contains("http-equiv") && !html.contains("<script"), "{html}");
    false
}

const SILENT: Mistake = mistake("prompt", Some("none"), "login_required");

#[tokio::test]
async fn a_silent_request_leads_nobody_away_who_did_not_choose_it() {
    let fixture = IdentityFixture::open().await;
    let server = &fixture.server;
    let app = fixture.app("confidential").await;
    let anonymous = server.anonymous();
    let (owner, developer) =
        (server.owner_session(&fixture.key).await, server.owner_session(&fixture.developer_key).await);
    for destination in ["document", "object", "empty", ""] {
        let browser = anonymous.with_header("sec-fetch-dest", destination);
        assert!(!leads_away(&fixture, &browser, &app, SILENT).await, "{destination}");
    }
    assert!(leads_away(&fixture, &anonymous.with_header("sec-fetch-dest", "iframe"), &app, SILENT).await, "a frame");
    assert!(leads_away(&fixture, &developer, &app, SILENT).await, "an app of one's own workspace");
    assert!(!leads_away(&fixture, &owner, &app, SILENT).await, "an app of a stranger");
    // Any link can name an agent: the app must be approved for an agent of the browser's person.
    let hint = ("login_hint", Some(fixture.inbox.address.as_str()));
    let silent = [hint, ("prompt", Some("none")), ("max_age", Some("0"))];
    server.clock.advance(5_000);
    assert_eq!(fixture.authorize_as(&owner, &app, &silent).await.status, 200, "not approved");
    let path = fixture.path("identity/approvals");
    fixture.api.put(&path, json!({ "clients": [app.client_id] })).await.expect(200);
    assert_eq!(value(&returned(&fixture.authorize_as(&owner, &app, &silent).await), "error"), "login_required");
    assert_eq!(fixture.authorize_as(&anonymous, &app, &silent).await.status, 200, "without a session");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_mistake_leads_to_apps_of_the_operator_only() {
    // The developer's workspace was made by the operator, who lets nobody else make one; or by a stranger.
    for (is_open, origin, is_trusted) in
        [(false, "operator", true), (true, "operator", false), (false, "agent", false), (false, "person", false)]
    {
        let mut fixture = IdentityFixture::configured(move |config| {
            config.signup.enabled = true;
            config.delivery.mode = if is_open { DeliveryMode::Direct } else { DeliveryMode::Capture };
        })
        .await;
        // Not the first workspace, which is the operator's on every server.
        fixture.server.clock.advance(1);
        fixture.developer_key = fixture.server.workspace(Plan::Team).await;
        fixture.developer = fixture.server.api(&fixture.developer_key);
        let id = fixture.developer_key.workspace;
        fixture.server.store().write(move |tx: &mut Tx| tx.exec(&SET_ORIGIN, p![id, origin])).await.unwrap();
        let app = fixture.app("public").await;
        for mistake in MISTAKES {
            let anonymous = fixture.server.anonymous();
            assert_eq!(
                leads_away(&fixture, &anonymous, &app, mistake).await,
                is_trusted,
                "{mistake:?} {is_open} {origin}"
            );
            let framed = anonymous.with_header("sec-fetch-dest", "iframe");
            assert_eq!(leads_away(&fixture, &framed, &app, mistake).await, is_trusted, "{mistake:?} in a frame");
        }
        fixture.server.finish().await;
    }
}

/// A stranger can approve or deny a sign-in of their own and send its page to another person.
#[tokio::test]
async fn the_page_of_a_decided_sign_in_leads_only_its_own_browser_away() {
    let fixture = IdentityFixture::configured(|config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
    })
    .await;
    let app = fixture.app("public").await;
    for approve in [true, false] {
        let waiting = fixture.waiting(&app, &[]).await;
        let path = fixture.path(&format!("identity/approvals/{}", waiting.code));
        fixture.api.post(&path, json!({ "approve": approve })).await.expect(200);
        let victim = fixture.server.anonymous().with_header("x-forwarded-for", "203.0.113.7");
        let html = victim.get(&waiting.page).await.expect(200).body_text();
        assert!(html.contains(&format!("<a href=\"{CALLBACK}?")) && html.contains("app.example"), "{html}");
        let back = returned(&fixture.server.anonymous().get(&waiting.page).await);
        assert_eq!(back.iter().any(|(name, _)| name == "code"), approve);
    }
    fixture.server.finish().await;
}
