//! Seventeen addresses with 300 sign-ins each filled what one app may have waiting, and nobody else could sign in to it for
//! ten minutes. Now an address replaces its own oldest sign-in, and a full app or agent takes one from the address with the
//! most.

use posthouse_domain::{
    id::IdGenerator,
    identity::{IdentityRequest, IdentityRequestState, REQUESTS_PER_AGENT, REQUESTS_PER_CLIENT, scope::IdentityScopes},
};
use posthouse_store::{
    Tx,
    identity_requests::{self, RequestDigests},
};
use sha2::{Digest, Sha256};

use crate::routes::identity::{CALLBACK, IdentityFixture, TestApp};
use posthouse_app::ports::Clock as _;
use posthouse_tests::http::Api;

/// Returns a browser at another address.
fn browser(fixture: &IdentityFixture, address: &str) -> Api {
    fixture.server.anonymous().with_header("x-forwarded-for", address)
}

async fn open() -> IdentityFixture {
    IdentityFixture::configured(|config| {
        config.http.trusted_proxies = vec!["127.0.0.0/8".parse().expect("a network")];
        config.limits.sign_ins_per_address = None;
    })
    .await
}

/// Begins a sign-in at an address; returns its waiting page, or `None` if it is refused.
async fn begin(fixture: &IdentityFixture, app: &TestApp, address: &str, hint: Option<&str>) -> Option<String> {
    let changes: Vec<(&str, Option<&str>)> = hint.into_iter().map(|hint| ("login_hint", Some(hint))).collect();
    let reply = fixture.authorize_as(&browser(fixture, address), app, &changes).await.expect(303);
    let location = reply.header("location").unwrap();
    location.find("/oidc/authorize/").map(|at| location[at..].to_owned())
}

async fn waits(fixture: &IdentityFixture, page: &str) -> bool {
    fixture.server.anonymous().get(page).await.status == 200
}

/// Stores this many waiting sign-ins of an app, spread over addresses.
async fn fill(fixture: &IdentityFixture, app: &TestApp, hinted: bool, count: u64, addresses: u64) {
    let (now, ids): (_, IdGenerator) = (fixture.server.clock.now(), fixture.server.service().clock.ids());
    let (client_id, agent) = (app.client_id.clone(), hinted.then_some(fixture.inbox.id));
    let write = move |tx: &mut Tx| {
        let ids = ids.clone();
        for at in 0..count {
            let ip = format!("198.51.{}.1", at % addresses);
            let request = IdentityRequest {
                id: ids.next(),
                user_code: format!("fill{at}"),
                client_id: client_id.clone(),
                redirect_uri: CALLBACK.to_owned(),
                scope: IdentityScopes::TOKEN_DEFAULT,
                state: None,
                nonce: None,
                code_challenge: None,
                hinted: agent,
                status: IdentityRequestState::Pending,
                workspace: None,
                inbox: None,
                approved_at: None,
                code_expires_at: None,
                used_at: None,
                network: ip.clone(),
                ip,
                user_agent: None,
                created_at: now,
                expires_at: now.plus_ms(600_000),
            };
            let digest = |kind: &str| <[u8; 32]>::from(Sha256::digest(format!("{kind}{at}")));
            let digests = RequestDigests { secret: digest("secret"), code: digest("code") };
            identity_requests::insert(tx, &request, &digests)?;
        }
        Ok::<_, posthouse_store::Error>(())
    };
    fixture.server.store().write(write).await.unwrap();
}

#[tokio::test]
async fn an_address_replaces_its_own_oldest_sign_in() {
    let fixture = open().await;
    let (app, other) = (fixture.app("public").await, fixture.app("public").await);
    let neighbor = begin(&fixture, &app, "198.51.100.1", None).await.unwrap();
    let elsewhere = begin(&fixture, &other, "2001:db8:0:1::1", None).await.unwrap();
    let mut pages = Vec::new();
    for at in 0..105 {
        // One /56 network is one address.
        let address = format!("2001:db8:0:{:x}::1", at % 256);
        fixture.server.clock.advance(1);
        pages.push(begin(&fixture, &app, &address, None).await.unwrap());
    }
    for (at, page) in pages.iter().enumerate() {
        if !(7..=102).contains(&at) {
            assert_eq!(waits(&fixture, page).await, at >= 5, "{at}");
        }
    }
    assert!(waits(&fixture, &neighbor).await && waits(&fixture, &elsewhere).await);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_full_app_or_agent_still_lets_others_in() {
    for hinted in [false, true] {
        let fixture = open().await;
        let app = fixture.app("public").await;
        let max = if hinted { REQUESTS_PER_AGENT } else { REQUESTS_PER_CLIENT };
        fill(&fixture, &app, hinted, max, 60).await;
        let hint = hinted.then_some(fixture.inbox.address.as_str());
        let mut pages = Vec::new();
        for at in 0..5 {
            pages.push(begin(&fixture, &app, &format!("203.0.113.{at}"), hint).await.expect("a place"));
        }
        for page in &pages {
            assert!(waits(&fixture, page).await);
        }
        fixture.server.finish().await;
    }
}

/// Where every address has one, a new one is asked to come back.
#[tokio::test]
async fn addresses_with_one_sign_in_each_keep_it() {
    let fixture = open().await;
    let app = fixture.app("public").await;
    fill(&fixture, &app, true, REQUESTS_PER_AGENT, REQUESTS_PER_AGENT).await;
    let hint = Some(fixture.inbox.address.as_str());
    assert_eq!(begin(&fixture, &app, "203.0.113.1", hint).await, None);
    assert!(begin(&fixture, &app, "203.0.113.1", None).await.is_some(), "without a hint");
    assert!(begin(&fixture, &app, "198.51.7.1", hint).await.is_some(), "in place of its own");
    fixture.server.finish().await;
}
