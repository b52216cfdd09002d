//! Claim mails, claim links and their page.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::{plan::Plan, signup::CLAIM_LINK_MS, time::DAY_MS, user::Role};
use posthouse_store::{Tx, users, workspaces};
use posthouse_tests::smtp_sink::SmtpSink;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Agent, SignupFixture, page};

async fn request(fixture: &SignupFixture, agent: &Agent, email: &str) -> Value {
    fixture.server.clock.advance(1);
    agent.api.post("/v1/signup/claim", json!({ "email": email })).await.expect(202).json
}

async fn account(agent: &Agent) -> Value {
    agent.api.get("/v1/account").await.expect(200).json
}

#[tokio::test]
async fn a_person_claims_the_workspace_of_a_signup() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "agent_name": "Evil <b>", "owner_email": "Owner@X.example" })).await;
    assert_eq!(agent.created["claim"], json!({ "status": "email_sent", "email": "o***@x.example" }));
    assert_eq!(account(&agent).await["claim"]["pending_email"], "o***@x.example");
    assert_eq!(account(&agent).await["restrictions"]["recipients_today"], 0, "a claim mail doesn't count");
    let mail = fixture.server.service_mails(&agent.api).await.remove(0);
    assert_eq!(mail.to, ["Owner@x.example"]);
    assert!(mail.raw.contains(agent.created["inbox"]["address"].as_str().unwrap()), "{}", mail.raw);
    assert!(!mail.raw.contains("Evil"), "the name of the agent isn't in the mail: {}", mail.raw);
    let (link, anybody) = (fixture.link(&agent).await, fixture.server.anonymous());
    for _ in 0..3 {
        let shown = anybody.get(&link).await.expect(200);
        assert_eq!(shown.header("cache-control"), Some("no-store"));
        assert!(shown.header("content-security-policy").is_some_and(|policy| policy.contains("default-src 'none'")));
        let text = page(&shown);
        assert!(text.contains("<form method=\"post\">") && text.contains("owner@x.example"), "{text}");
    }
    assert_eq!(account(&agent).await["claim"]["status"], "unclaimed", "viewing the page claims nothing");
    fixture.server.clock.advance(1_000);
    let pressed = anybody.raw(Method::POST, &link, "application/x-www-form-urlencoded", "").await.expect(200);
    assert!(page(&pressed).contains("now owns"));
    let claimed = account(&agent).await;
    let expected = json!({
        "status": "claimed", "claimed_at": "2026-09-15T12:00:01.000Z", "pending_email": null, "expires_at": null
    });
    assert_eq!((&claimed["claim"], &claimed["restrictions"]), (&expected, &Value::Null));
    assert_eq!((&claimed["workspace"]["plan"], &claimed["limits"]["inboxes"]), (&json!("free"), &json!(3)));
    let id = agent.created["workspace"]["id"].as_str().unwrap().parse().unwrap();
    let stored = fixture.server.store().read(move |tx: &mut Tx| workspaces::get(tx, id)).await.unwrap().unwrap();
    assert_eq!(stored.owner_email, "owner@x.example");
    let members = fixture.server.store().read(move |tx: &mut Tx| users::of_workspace(tx, id)).await.unwrap();
    let [owner] = members.as_slice() else { panic!("one member: {members:?}") };
    assert_eq!((owner.user.email.as_str(), owner.role), ("owner@x.example", Role::Owner));
    assert!(owner.joined_at.is_some(), "the owner can sign in without an invitation");
    let events = agent.api.get("/v1/events?types=signup.claimed").await.expect(200);
    let data = &events.data()[0]["data"];
    assert_eq!((&data["workspace"]["status"], &data["inbox"]["id"]), (&json!("claimed"), &json!(agent.id)));
    agent.api.post("/v1/signup/claim", json!({ "email": "b@x.example" })).await.error("already_claimed");
    fixture.close().await;
}

#[tokio::test]
async fn claim_links_that_do_not_work_show_one_page() {
    let fixture = SignupFixture::open().await;
    let anybody = fixture.server.anonymous().with_header("Accept", "text/html");
    let (used, replaced, expired) =
        (fixture.sign_up(json!({})).await, fixture.sign_up(json!({})).await, fixture.sign_up(json!({})).await);
    for agent in [&used, &replaced, &expired] {
        request(&fixture, agent, "owner@x.example").await;
    }
    let [used_link, replaced_link, expired_link] =
        [fixture.link(&used).await, fixture.link(&replaced).await, fixture.link(&expired).await];
    anybody.post_empty(&used_link).await.expect(200);
    request(&fixture, &replaced, "other@x.example").await;
    let newest = fixture.link(&replaced).await;
    fixture.server.clock.advance(CLAIM_LINK_MS - 2);
    anybody.get(&newest).await.expect(200);
    fixture.server.clock.advance(2);
    let forged = format!("/claim/{}", "0".repeat(32));
    let mut pages = Vec::new();
    for link in [&used_link, &replaced_link, &expired_link, &newest, &forged, &"/claim/x".to_owned()] {
        for method in [Method::GET, Method::POST] {
            let reply = anybody.send(method, link, None).await.expect(400);
            pages.push(page(&reply));
        }
    }
    assert!(pages.iter().all(|one| *one == pages[0]), "{pages:?}");
    assert!(!pages[0].contains("<form") && pages[0].contains("newest mail"), "{}", pages[0]);
    assert_eq!(account(&replaced).await["claim"]["pending_email"], Value::Null);
    assert_eq!(account(&used).await["claim"]["status"], "claimed");
    fixture.close().await;
}

#[tokio::test]
async fn a_claim_link_pressed_twice_at_once_claims_once() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "owner_email": "owner@x.example" })).await;
    let (link, anybody) = (fixture.link(&agent).await, fixture.server.anonymous());
    let presses = (0..4).map(|_| anybody.post_empty(&link));
    let mut statuses: Vec<u16> =
        futures_util::future::join_all(presses).await.iter().map(|reply| reply.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 400, 400, 400]);
    let events = agent.api.get("/v1/events?types=signup.claimed").await.expect(200);
    assert_eq!(events.data().len(), 1);
    fixture.close().await;
}

#[tokio::test]
async fn an_agent_cannot_read_its_claim_link_when_mail_leaves() {
    let sink = SmtpSink::start().await;
    let port = sink.address.port();
    let fixture = SignupFixture::open_with(move |config| {
        config.delivery.mode = DeliveryMode::Direct;
        config.delivery.port = port;
    })
    .await;
    fixture.server.dns.mx("b.example", 10, "mx1.b.example");
    fixture.server.dns.address("mx1.b.example", sink.address.ip());
    let agent = fixture.sign_up(json!({ "owner_email": "owner@b.example" })).await;
    fixture.server.settle().await;
    let received = sink.received().pop().expect("the claim mail arrived").data;
    let at = received.find("/claim/").unwrap_or_else(|| panic!("no link in {received}"));
    let link = received[at..].lines().next().unwrap().trim_end().to_owned();
    let token = link.trim_start_matches("/claim/");
    for path in ["/v1/threads", "/v1/events", &format!("/v1/inboxes/{}/messages", agent.id)] {
        let seen = agent.api.get(path).await.expect(200);
        assert!(!seen.to_string().contains(token), "{seen}");
    }
    fixture.server.anonymous().post_empty(&link).await.expect(200);
    assert_eq!(account(&agent).await["claim"]["status"], "claimed");
    fixture.close().await;
}

#[tokio::test]
async fn claim_requests_name_a_person() {
    let fixture = SignupFixture::open().await;
    let operator = fixture.server.workspace(Plan::Team).await;
    let body = json!({ "email": "owner@x.example" });
    fixture.server.api(&operator).post("/v1/signup/claim", body.clone()).await.error("not_claimable");
    let agent = fixture.sign_up(json!({})).await;
    let own = agent.created["inbox"]["address"].as_str().unwrap();
    let hosted = ["someone@agents.localhost", "x@tmp.agents.localhost", own];
    for email in hosted {
        let refused = agent.api.post("/v1/signup/claim", json!({ "email": email })).await;
        refused.invalid_fields(&["email"]);
    }
    agent.api.post("/v1/signup/claim", json!({})).await.invalid_fields(&["email"]);
    let asked = request(&fixture, &agent, "Ünï@X.example").await;
    assert_eq!(asked["email"].as_str().map(|email| email.ends_with("***@x.example")), Some(true), "{asked}");
    assert_eq!((&asked["status"], &asked["expires_at"]), (&json!("email_sent"), &json!("2026-09-18T12:00:00.001Z")));
    fixture.close().await;
}

#[tokio::test]
async fn claim_mails_are_limited_per_workspace_recipient_and_client() {
    let fixture = SignupFixture::open_with(|config| config.app.signup.per_address_per_day = None).await;
    let refused = async |agent: &Agent, email: &str, limit: &str| {
        let reply = agent.api.post("/v1/signup/claim", json!({ "email": email })).await.error("signup_rate_limited");
        assert_eq!(reply["error"]["details"]["limit"], limit, "{reply}");
        assert!(reply.header("retry-after").is_some());
    };
    let agent = fixture.sign_up(json!({ "owner_email": "a0@x.example" })).await;
    request(&fixture, &agent, "a1@x.example").await;
    request(&fixture, &agent, "a2@x.example").await;
    let link = fixture.link(&agent).await;
    refused(&agent, "a3@x.example", "claim_mails_per_day").await;
    fixture.server.anonymous().get(&link).await.expect(200);
    // Many workspaces can't write to one person, in whatever case.
    for email in ["victim@x.example", "Victim@X.example", "victim@x.EXAMPLE"] {
        let other = fixture.sign_up(json!({})).await;
        request(&fixture, &other, email).await;
    }
    let last = fixture.sign_up(json!({ "owner_email": "victim@x.example" })).await;
    assert_eq!(last.created["claim"], json!({ "status": "email_failed", "email": "v***@x.example" }));
    refused(&last, "victim@x.example", "claim_mails_per_recipient").await;
    for n in 0..14 {
        let other = fixture.sign_up(json!({})).await;
        request(&fixture, &other, &format!("b{n}@x.example")).await;
    }
    refused(&last, "c@x.example", "stranger_mails_per_network").await;
    let metrics = fixture.server.service().metrics.text();
    for (limit, count) in
        [("claim_mails_per_day", 1), ("claim_mails_per_recipient", 2), ("stranger_mails_per_network", 1)]
    {
        let line = format!("posthouse_limit_refusals_total{{limit=\"{limit}\"}} {count}");
        assert!(metrics.contains(&line), "{line}: {metrics}");
    }
    fixture.server.clock.advance(DAY_MS);
    request(&fixture, &last, "victim@x.example").await;
    fixture.close().await;
}

#[tokio::test]
async fn an_identity_is_claimed_by_a_mail_that_names_its_handle() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({ "kind": "identity", "owner_email": "owner@x.example" })).await;
    assert_eq!(agent.created["claim"]["status"], "email_sent");
    let mail = fixture.server.service_mails(&agent.api).await.remove(0);
    assert!(mail.raw.contains(agent.created["identity"]["address"].as_str().unwrap()), "{}", mail.raw);
    assert_eq!(agent.api.get("/v1/threads").await.expect(200).data(), [] as [Value; 0]);
    fixture.server.anonymous().post_empty(&fixture.link(&agent).await).await.expect(200);
    assert_eq!(account(&agent).await["claim"]["status"], "claimed");
    fixture.close().await;
}

#[tokio::test]
async fn a_claim_needs_an_agent_to_write_from() {
    let fixture = SignupFixture::open().await;
    let agent = fixture.sign_up(json!({})).await;
    agent.api.delete(&format!("/v1/inboxes/{}", agent.id)).await.expect(204);
    agent.api.post("/v1/signup/claim", json!({ "email": "owner@x.example" })).await.error("not_claimable");
    agent.api.post("/v1/inboxes", json!({})).await.expect(201);
    request(&fixture, &agent, "owner@x.example").await;
    fixture.close().await;
}

#[tokio::test]
async fn signup_workspaces_never_see_each_other() {
    let fixture = SignupFixture::open().await;
    let (ann, bob) = (fixture.sign_up(json!({})).await, fixture.sign_up(json!({ "kind": "identity" })).await);
    request(&fixture, &ann, "owner@x.example").await;
    ann.api.get(&format!("/v1/identities/{}", bob.id)).await.error("not_found");
    bob.api.get(&format!("/v1/inboxes/{}", ann.id)).await.error("not_found");
    assert_eq!(bob.api.get("/v1/threads").await.expect(200).data(), [] as [Value; 0]);
    assert_eq!(account(&bob).await["claim"]["pending_email"], Value::Null);
    fixture.server.anonymous().post_empty(&fixture.link(&ann).await).await.expect(200);
    assert_eq!(account(&bob).await["claim"]["status"], "unclaimed");
    fixture.close().await;
}
