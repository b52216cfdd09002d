//! All mail of the service drew on one daily limit: with 25 mails left, 25 strangers who signed up made the sign-in mail of a
//! member vanish.

use posthouse_domain::{plan::Plan, time::DAY_MS};
use serde_json::json;

use crate::routes::signup::SignupFixture;

const OWNER: &str = "owner@example.org";

#[tokio::test]
async fn a_member_signs_in_after_strangers_used_up_their_budget() {
    let fixture = SignupFixture::open_with(|config| {
        config.app.limits.service_mails.strangers.per_day = Some(5);
        config.app.signup.per_address_per_day = None;
        for plan in [&mut config.app.plans.free, &mut config.app.plans.builder, &mut config.app.plans.team] {
            (plan.daily_sends, plan.daily_sends_per_inbox, plan.emails_per_month) = (Some(3), Some(3), Some(3));
            plan.sends_per_5_minutes = Some(3);
        }
    })
    .await;
    let server = &fixture.server;
    let key = server.workspace(Plan::Free).await;
    for n in 0..4 {
        server.request_link(&format!("stranger{n}@company{n}.example")).await;
    }
    let agent = fixture.sign_up(json!({ "owner_email": "person@other.example" })).await;
    assert_eq!(agent.created["claim"]["status"], "email_sent");
    let late = fixture.sign_up(json!({ "owner_email": "late@other.example" })).await;
    assert_eq!(late.created["claim"]["status"], "email_failed", "the budget of strangers is used up");
    let body = json!({ "email": "late@other.example" });
    let refused = late.api.post("/v1/signup/claim", body.clone()).await.error("signup_rate_limited");
    assert_eq!(refused["error"]["details"]["limit"], "stranger_mails_per_day");
    server.request_link("stranger9@company9.example").await;
    let logged = server.log.lines().iter().filter(|line| line.text.contains("service_mail.budget_used_up")).count();
    assert_eq!(logged, 1, "one line a day");
    let metrics = server.service().metrics.text();
    assert!(metrics.contains("posthouse_limit_refusals_total{limit=\"stranger_mails_per_day\"} 3"), "{metrics}");

    for _ in 0..3 {
        server.sign_in(&key, OWNER).await;
        server.clock.advance(1);
    }
    let owner = server.owner_session(&key).await;
    owner.post("/platform/members", json!({ "email": "ann@example.org", "role": "member" })).await.expect(202);
    server.clock.advance(DAY_MS);
    late.api.post("/v1/signup/claim", body).await.expect(202);
    fixture.close().await;
}
