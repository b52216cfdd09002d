//! A stranger's workspace could be `support@`, `billing@` or `noreply@` at the domain that all workspaces share, be named
//! `Posthouse Support`, or write so with SMTP submission: handles, inboxes and senders had lists of their own. One list holds
//! in every place, with look-alikes.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_store::{Tx, p, statements};
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::{TestInbox, TestKey},
    http::Api,
    smtp::TestSmtpClient,
};
use serde_json::{Value, json};

statements! {
    SET_ORIGIN = "UPDATE workspaces SET origin = $2 WHERE id = $1";
}

/// Names that nobody may have as a local part of the shared domain.
const OF_THE_SERVICE: &[&str] = &[
    "noreply",
    "no-reply",
    "no.reply",
    "n0-reply",
    "mailer-daemon",
    "mail-daemon",
    "mai1-daemon",
    "posthouse1",
    "posthou5e",
    "noreply1",
    "no-replyy",
    "posthouse",
    "post-house",
];
/// Names that the operator's workspaces may have.
const OF_THE_OPERATOR: &[&str] = &[
    "support",
    "billing",
    "bi11ing",
    "supp0rt",
    "sup-port",
    "posthouse-help",
    "help",
    "agents",
    "acme",
    "acrne",
    "acme-billing",
    "supportteam",
    "accounts",
    "account-security",
];
/// Names of the owner of a domain.
const OF_THE_OWNER: &[&str] = &["postmaster", "abuse", "security", "adrnin", "web-master", "vvebmaster", "admin1"];
/// Names of senders that speak for the service, its operator or a mail system.
const DISPLAYED: &[&str] = &[
    "Posthouse",
    "Posthouse Support",
    "Your PostHouse team",
    "РОЅТНОUЅЕ",
    "Ｐｏｓｔｈｏｕｓｅ",
    "Post\u{200b}house",
    "P\u{f6}sthouse",
    "ⓟosthouse billing",
    "p0sth0use",
    "Acme",
    "acme Billing",
    "MAILER-DAEMON",
    "Mail Delivery System",
    "Mail Delivery Subsystem",
    "Posthouse™",
    "Posthouse²",
    "🅿🅾🆂🆃🅷🅾🆄🆂🅴",
    "🅟🅞🅢🅣🅗🅞🅤🅢🅔",
    "Pos\u{442}house",
    "Pos\u{3c4}house",
    "ᴘosthouse",
    "Ƥosthouse",
    "₱osthouse",
    "Posthøuse",
    "Posthouᵴe",
    "Posthouse24",
    "MyPosthouse",
    "PosthouseSecurityTeam",
    "Mail Delivery System 2",
    "Mailer-Daemon (agents)",
];

struct Fixture {
    server: TestServer,
    /// The first workspace.
    first: TestKey,
    /// A workspace that the operator made.
    made: TestKey,
    /// A workspace that began by self-signup.
    stranger: TestKey,
}

impl Fixture {
    async fn open(change: impl FnOnce(&mut Configuration) + 'static) -> Self {
        let options = ServerOptions::default().configure(|config| {
            config.app.mail.reserved_names = vec!["acme".to_owned()];
            config.app.signup.enabled = true;
            change(config);
        });
        let server = TestServer::start(options).await;
        let mut keys = Vec::new();
        for _ in 0..3 {
            keys.push(server.workspace(Plan::Team).await);
            server.clock.advance(1);
        }
        let [first, made, stranger] = <[TestKey; 3]>::try_from(keys).unwrap();
        let id = stranger.workspace;
        server.store().write(move |tx: &mut Tx| tx.exec(&SET_ORIGIN, p![id, "agent"])).await.unwrap();
        Self { server, first, made, stranger }
    }

    /// Returns whether a workspace gets the local part at the default domain, as an inbox and as an identity.
    async fn gets(&self, key: &TestKey, name: &str) -> bool {
        let api = self.server.api(key);
        let mut got = Vec::new();
        for path in ["/v1/inboxes", "/v1/identities"] {
            let reply = api.post(path, json!({ "username": name })).await;
            match reply.status {
                201 => got.push(true),
                409 => drop(reply.error("address_taken")),
                _ => {
                    reply.invalid_fields(&["username"]);
                    got.push(false);
                }
            }
        }
        assert!(got.windows(2).all(|pair| pair[0] == pair[1]), "{name}");
        got.contains(&true)
    }

    async fn submit(&self, key: &TestKey, inbox: &TestInbox, name: &str) -> u16 {
        self.submit_as(key, inbox, &format!("\"{name}\"")).await
    }

    /// Submits a message whose author has a name as a header field writes it.
    async fn submit_as(&self, key: &TestKey, inbox: &TestInbox, written: &str) -> u16 {
        let mut session = TestSmtpClient::connect_with_ehlo(self.server.submission_address()).await;
        session.log_in(&inbox.address, &key.secret).await.expect(235);
        let raw = format!("From: {written} <{}>\r\nSubject: x\r\n\r\ny\r\n", inbox.address);
        let reply = session.mail(&inbox.address, &["x@far.example"], raw.as_bytes()).await;
        session.quit().await;
        reply.code
    }
}

#[tokio::test]
async fn names_of_the_shared_domain_belong_to_whom_they_speak_for() {
    // In the loopback profile, only the operator makes workspaces.
    for is_open in [false, true] {
        let fixture = Fixture::open(move |config| {
            config.delivery.mode = if is_open { DeliveryMode::Direct } else { DeliveryMode::Capture };
        })
        .await;
        let Fixture { first, made, stranger, .. } = &fixture;
        for name in OF_THE_SERVICE {
            for key in [first, made, stranger] {
                assert!(!fixture.gets(key, name).await, "{name}");
            }
        }
        for name in OF_THE_OPERATOR {
            assert!(!fixture.gets(stranger, name).await, "{name}");
            assert_eq!(fixture.gets(made, name).await, !is_open, "{name}");
            assert!(is_open == fixture.gets(first, name).await, "{name}");
        }
        for name in OF_THE_OWNER {
            assert!(!fixture.gets(stranger, name).await && !fixture.gets(made, name).await, "{name}");
            assert!(fixture.gets(first, name).await, "{name}");
        }
        for free in ["sales", "info", "hello", "acmerobot", "supporter", "posthouses"] {
            assert!(fixture.gets(stranger, free).await, "{free}");
        }
        fixture.server.finish().await;
    }
}

#[tokio::test]
async fn at_a_domain_of_ones_own_role_names_are_ordinary() {
    let fixture = Fixture::open(|config| config.delivery.mode = DeliveryMode::Capture).await;
    let api = fixture.server.api(&fixture.stranger);
    let domain = api.post("/v1/domains", json!({ "domain": "shop.example", "receiving": true })).await.expect(201);
    let path = format!("/v1/domains/{}", domain.text("id"));
    fixture.server.dns.import_zone(api.get(&format!("{path}/zone-file")).await.expect(200).text("content"));
    api.post_empty(&format!("{path}/verify")).await.expect(200);
    for name in ["support", "billing", "hello", "postmaster", "abuse", "noreply", "no-reply", "admin", "acme"] {
        api.post("/v1/inboxes", json!({ "username": name, "domain": "shop.example" })).await.expect(201);
    }
    for name in ["bounces", "mailer-daemon", "mail-daemon"] {
        let body = json!({ "username": name, "domain": "shop.example" });
        api.post("/v1/inboxes", body).await.invalid_fields(&["username"]);
    }
    fixture.server.finish().await;
}

/// Creates an inbox and an identity with this display name, and gives it to existing ones.
async fn named(api: &Api, inbox: &TestInbox, identity: &str, name: &str) -> Vec<(u16, Value)> {
    let mut replies = Vec::new();
    let body = json!({ "display_name": name });
    for path in ["/v1/inboxes", "/v1/identities"] {
        replies.push(api.post(path, body.clone()).await);
    }
    replies.push(api.post("/v1/inboxes", json!({ "display_name": name, "ttl_seconds": 60 })).await);
    for path in [format!("/v1/inboxes/{}", inbox.id), format!("/v1/identities/{identity}")] {
        replies.push(api.patch(&path, body.clone()).await);
    }
    replies.into_iter().map(|reply| (reply.status, reply.json)).collect()
}

#[tokio::test]
async fn no_stranger_is_shown_with_the_name_of_the_service() {
    let fixture = Fixture::open(|config| config.delivery.mode = DeliveryMode::Capture).await;
    let (server, key) = (&fixture.server, &fixture.stranger);
    let api = server.api(key);
    let inbox = server.inbox(key).await;
    let identity = api.post("/v1/identities", json!({})).await.expect(201).text("id").to_owned();
    for name in DISPLAYED {
        for (status, json) in named(&api, &inbox, &identity, name).await {
            assert_eq!((status, &json["error"]["code"]), (400, &json!("invalid_request")), "{name}: {json}");
            assert_eq!(json["error"]["details"]["fields"][0]["path"], "display_name", "{name}: {json}");
        }
        let quoted = format!("\"{name}\"");
        let encoded = format!("=?utf-8?b?{}?=", STANDARD.encode(name));
        for written in name.is_ascii().then_some(quoted).into_iter().chain([encoded]) {
            assert_eq!(fixture.submit_as(key, &inbox, &written).await, 550, "{name} {written}");
        }
    }
    for name in ["Support", "Ann", "Billing", "Posthouses", "Post House Inn", "Postma 24", "Support Team"] {
        for (status, json) in named(&api, &inbox, &identity, name).await {
            assert!(status < 300, "{name}: {json}");
        }
        assert_eq!(fixture.submit(key, &inbox, name).await, 250, "{name}");
    }
    // What others are shown of a workspace and its apps.
    for name in ["Posthouse Security", "Acme", "Mail Delivery System"] {
        let app = json!({ "name": name, "type": "public", "redirect_uris": ["https://app.example/cb"] });
        api.post("/v1/identity/clients", app).await.invalid_fields(&["name"]);
        server.owner_session(key).await.patch("/platform/org", json!({ "name": name })).await.invalid_fields(&["name"]);
    }
    // The operator's own workspaces may.
    let own = server.inbox(&fixture.first).await;
    server
        .api(&fixture.first)
        .patch(&format!("/v1/inboxes/{}", own.id), json!({ "display_name": "Acme" }))
        .await
        .expect(200);
    assert_eq!(fixture.submit(&fixture.first, &own, "Acme Support").await, 250);
    for handle in ["acme", "acrne", "acme-support", "the-acme", "agents", "posthouse-x", "mail-daemon", "no-reply"] {
        for key in [&fixture.first, &fixture.made] {
            server.api(key).put("/v1/directory/handle", json!({ "handle": handle })).await.error("handle_reserved");
        }
    }
    server.settle().await;
    fixture.server.finish().await;
}
