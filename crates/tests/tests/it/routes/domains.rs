//! `/v1/domains`.

use posthouse_app::{inbound::recipient, jobs::reconcile};
use posthouse_domain::{
    mail_domain::KEY_RETIREMENT_MS,
    plan::Plan,
    time::{DAY_MS, MINUTE_MS, SECOND_MS},
};
use posthouse_tests::{ServerOptions, TestServer, http::Api};
use serde_json::{Value, json};

use super::messages::read::mail;

mod zone;

const DOMAIN: &str = "mail.acme.example";

async fn start() -> TestServer {
    TestServer::start(ServerOptions::default().configure(|config| config.hostname = "mx.post.example".to_owned())).await
}

async fn add(api: &Api) -> Value {
    api.post("/v1/domains", json!({ "domain": DOMAIN })).await.expect(201).json.clone()
}

fn record<'a>(domain: &'a Value, key: &str) -> &'a Value {
    let records = domain["records"].as_array().unwrap();
    records.iter().find(|record| record["key"] == key).unwrap_or(&Value::Null)
}

/// Publishes a record as the API shows it.
fn publish(server: &TestServer, record: &Value) {
    let (name, value) = (record["name"].as_str().unwrap(), record["value"].as_str().unwrap());
    match value.split_once(' ').filter(|_| record["type"] == "MX") {
        Some((preference, host)) => server.dns.mx(name, preference.parse().unwrap(), host),
        None => server.dns.txt(name, value),
    }
}

fn publish_all(server: &TestServer, domain: &Value) {
    domain["records"].as_array().unwrap().iter().for_each(|record| publish(server, record));
}

async fn verified(server: &TestServer, api: &Api) -> Value {
    let domain = add(api).await;
    publish_all(server, &domain);
    let id = domain["id"].as_str().unwrap();
    let checked = api.post_empty(&format!("/v1/domains/{id}/verify")).await.expect(200).json.clone();
    assert_eq!(checked["status"], "verified", "{checked}");
    checked
}

#[tokio::test]
async fn a_domain_is_added_published_verified_and_used() {
    let server = start().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let domain = add(&api).await;
    assert_eq!(
        (&domain["status"], &domain["receiving"], &domain["dns"]),
        (&json!("pending"), &json!(true), &Value::Null)
    );
    let keys: Vec<&str> = domain["records"].as_array().unwrap().iter().map(|r| r["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["verification", "mx", "spf", "dkim", "dmarc"]);
    assert_eq!(record(&domain, "mx")["value"], "10 mx.post.example");
    assert_eq!(record(&domain, "verification")["host"], "_service-verify.mail");
    assert_eq!(record(&domain, "dkim")["name"], "s1._domainkey.mail.acme.example");
    assert!(domain["records"].as_array().unwrap().iter().all(|record| record["status"] == "missing"));
    let path = format!("/v1/domains/{}", domain["id"].as_str().unwrap());

    let on_it = json!({ "username": "desk", "domain": DOMAIN });
    api.post("/v1/inboxes", on_it.clone()).await.error("domain_not_verified");
    api.post("/v1/inboxes", json!({ "domain": "other.example" })).await.invalid_fields(&["domain"]);

    server.dns.name_server("acme.example", "ada.ns.cloudflare.com");
    server.dns.mx(DOMAIN, 10, "mx.other.example");
    let checked = api.post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(checked["status"], "pending");
    assert_eq!(record(&checked.json, "mx")["found"], json!(["10 mx.other.example"]));
    assert_eq!(checked["dns"]["provider"], json!({ "id": "cloudflare", "name": "Cloudflare" }));
    let too_soon = api.post_empty(&format!("{path}/verify")).await.error("rate_limited");
    assert_eq!(too_soon.header("retry-after"), Some("10"));

    server.dns.remove(DOMAIN);
    publish_all(&server, &domain);
    server.clock.advance(10 * SECOND_MS);
    let checked = api.post_empty(&format!("{path}/verify")).await.expect(200);
    assert_eq!(checked["status"], "verified");
    assert!(checked["verified_at"].is_string() && record(&checked.json, "spf")["found"].is_null());

    let inbox = server.inbox_with(&key, on_it).await;
    assert_eq!(inbox.address, "desk@mail.acme.example");
    server.receive_message(&inbox, mail("Hello")).await;
    let send = json!({ "to": "eve@far.example", "subject": "Hi", "text": "Hello." });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), send).await.expect(202);
    let local = json!({ "to": "desk@mail.acme.example", "subject": "To myself", "text": "Hello." });
    let sent = api.post(&format!("/v1/inboxes/{}/messages", inbox.id), local).await.expect(202);
    assert_eq!(sent["channel"], "agent");
    server.settle().await;
    let events = api.get("/v1/events?types=domain.verified").await.expect(200);
    assert_eq!(events.data()[0]["data"]["domain"]["domain"], DOMAIN);
    assert_eq!(api.get("/v1/deliverability").await.expect(200)["domains"][0]["spf"], "ok");

    api.delete(&path).await.error("domain_in_use");
    api.delete(&format!("{path}?force=true")).await.expect(204);
    api.get(&path).await.error("not_found");
    api.get(&format!("/v1/inboxes/{}", inbox.id)).await.error("not_found");
    server.finish().await;
}

#[tokio::test]
async fn lost_records_stop_sending_and_receiving_can_be_turned_off() {
    let server = start().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let domain = verified(&server, &api).await;
    let path = format!("/v1/domains/{}", domain["id"].as_str().unwrap());
    let made = api.post("/v1/inboxes", json!({ "username": "desk", "domain": DOMAIN })).await.expect(201);
    let messages = format!("/v1/inboxes/{}/messages", made.text("id"));
    let send = || json!({ "to": "eve@far.example", "subject": "Hi", "text": "Hello." });
    let address = posthouse_mail::address::Address::parse(made.text("address")).unwrap();
    let abuse = posthouse_mail::address::Address::parse("abuse@mail.acme.example").unwrap();
    let accepts = async |address| {
        matches!(
            recipient::recipient(server.service(), address, None).await.unwrap(),
            recipient::RecipientVerdict::Accept(_)
        )
    };
    assert!(accepts(&address).await && accepts(&abuse).await);

    server.dns.remove("s1._domainkey.mail.acme.example");
    server.advance(DAY_MS + MINUTE_MS).await;
    assert_eq!(api.get(&path).await.expect(200)["status"], "failed");
    api.post(&messages, send()).await.error("domain_not_verified");
    assert!(accepts(&address).await, "messages are still routed here");
    publish(&server, record(&domain, "dkim"));
    server.advance(MINUTE_MS).await;
    assert_eq!(api.get(&path).await.expect(200)["status"], "verified");
    let events = api.get("/v1/events?types=domain.failed,domain.verified").await.expect(200);
    let kinds: Vec<&str> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["domain.verified", "domain.failed", "domain.verified"]);

    server.dns.fail_all(true);
    server.advance(DAY_MS + MINUTE_MS).await;
    assert_eq!(
        api.get(&path).await.expect(200)["status"],
        "verified",
        "a DNS failure is not proof of a missing record"
    );
    server.dns.fail_all(false);

    let changed = api.patch(&path, json!({ "receiving": false })).await.expect(200);
    assert_eq!((&changed["receiving"], &record(&changed.json, "mx")["required"]), (&json!(false), &json!(false)));
    assert!(!accepts(&address).await && !accepts(&abuse).await);
    api.post(&messages, send()).await.expect(202);
    api.patch(&path, json!({})).await.invalid_fields(&["receiving"]);
    server.settle().await;
    server.finish().await;
}

#[tokio::test]
async fn a_dkim_key_is_rotated_after_its_record_is_found() {
    let server = start().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let domain = verified(&server, &api).await;
    let path = format!("/v1/domains/{}", domain["id"].as_str().unwrap());
    api.post_empty(&format!("{path}/dkim/activate")).await.error("dkim_record_not_found");
    let rotating = api.post_empty(&format!("{path}/dkim/rotate")).await.expect(200).json.clone();
    assert_eq!(rotating["dkim"]["selector"], "s1");
    assert_eq!(
        (&rotating["dkim"]["next"]["selector"], &rotating["dkim"]["next"]["status"]),
        (&json!("s2"), &json!("missing"))
    );
    assert_eq!(record(&rotating, "dkim_next")["required"], false);
    let again = api.post_empty(&format!("{path}/dkim/rotate")).await.expect(200);
    assert_eq!(record(&again.json, "dkim_next"), record(&rotating, "dkim_next"), "the pending key stays the same");
    api.post_empty(&format!("{path}/dkim/activate")).await.error("dkim_record_not_found");

    publish(&server, record(&rotating, "dkim_next"));
    let switched = api.post_empty(&format!("{path}/dkim/activate")).await.expect(200).json.clone();
    assert_eq!((&switched["dkim"]["selector"], &switched["dkim"]["next"]), (&json!("s2"), &Value::Null));
    assert_eq!(switched["dkim"]["previous"]["selector"], "s1");
    assert_eq!(record(&switched, "dkim_previous")["value"], record(&domain, "dkim")["value"]);
    assert_eq!((&switched["status"], &record(&switched, "dkim")["status"]), (&json!("verified"), &json!("ok")));
    let events = api.get("/v1/events?types=domain.dkim_rotated").await.expect(200);
    assert_eq!(events.data()[0]["data"]["domain"]["dkim"]["selector"], "s2");
    api.post_empty(&format!("{path}/dkim/rotate")).await.error("dkim_rotation_too_soon");

    server.advance(KEY_RETIREMENT_MS + DAY_MS).await;
    let retired = api.get(&path).await.expect(200).json.clone();
    assert_eq!((&retired["dkim"]["previous"], record(&retired, "dkim_previous")), (&Value::Null, &Value::Null));
    let back = api.post_empty(&format!("{path}/dkim/rotate")).await.expect(200).json.clone();
    assert_eq!(back["dkim"]["next"]["selector"], "s1");
    assert_ne!(
        record(&back, "dkim_next")["value"],
        record(&domain, "dkim")["value"],
        "a new key with the old selector"
    );
    server.finish().await;
}

#[tokio::test]
async fn only_one_workspace_can_verify_a_domain() {
    let server = start().await;
    let (first, second) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let (mine, theirs) = (server.api(&first), server.api(&second));
    let (one, two) = (add(&mine).await, add(&theirs).await);
    mine.post("/v1/domains", json!({ "domain": "MAIL.acme.example." })).await.error("domain_taken");
    publish_all(&server, &one);
    server.dns.txt("_service-verify.mail.acme.example", record(&two, "verification")["value"].as_str().unwrap());
    let verify = |domain: &Value| format!("/v1/domains/{}/verify", domain["id"].as_str().unwrap());
    assert_eq!(mine.post_empty(&verify(&one)).await.expect(200)["status"], "verified");
    server.dns.remove("s1._domainkey.mail.acme.example");
    publish(&server, record(&two, "dkim"));
    theirs.post_empty(&verify(&two)).await.error("domain_taken");
    theirs.get(&format!("/v1/domains/{}", one["id"].as_str().unwrap())).await.error("not_found");
    let third = server.workspace(Plan::Team).await;
    server.api(&third).post("/v1/domains", json!({ "domain": DOMAIN })).await.error("domain_taken");
    server.finish().await;
}

#[tokio::test]
async fn a_domain_moves_to_the_workspace_that_proves_ownership() {
    let server = start().await;
    let (first, second) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let (mine, theirs) = (server.api(&first), server.api(&second));
    let verify = |domain: &Value| format!("/v1/domains/{}/verify", domain["id"].as_str().unwrap());
    let one = add(&mine).await;
    publish_all(&server, &one);
    assert_eq!(mine.post_empty(&verify(&one)).await.expect(200)["status"], "verified");
    server.dns.remove("_service-verify.mail.acme.example");
    server.clock.advance(MINUTE_MS);
    assert_eq!(mine.post_empty(&verify(&one)).await.expect(200)["status"], "failed");
    let two = add(&theirs).await;
    publish(&server, record(&two, "verification"));
    server.dns.remove("s1._domainkey.mail.acme.example");
    publish(&server, record(&two, "dkim"));
    assert_eq!(theirs.post_empty(&verify(&two)).await.expect(200)["status"], "verified");
    server.clock.advance(MINUTE_MS);
    assert_eq!(mine.post_empty(&verify(&one)).await.expect(200)["status"], "pending");
    theirs.post("/v1/inboxes", json!({ "username": "desk", "domain": DOMAIN })).await.expect(201);
    mine.post("/v1/inboxes", json!({ "username": "sales", "domain": DOMAIN })).await.error("domain_not_verified");
    server.finish().await;
}

#[tokio::test]
async fn invalid_domains_and_domains_over_the_limit_are_rejected() {
    let server = start().await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    for name in [
        "localhost",
        "no domain",
        "-a.example",
        "a..example",
        "127.0.0.1",
        "agents.localhost",
        "x.agents.localhost",
        "",
    ] {
        let refused = api.post("/v1/domains", json!({ "domain": name })).await;
        refused.invalid_fields(&["domain"]);
    }
    api.post("/v1/domains", json!({ "domain": "a.example", "dkim": 1 })).await.invalid_fields(&["dkim"]);
    let made = api.post("/v1/domains", json!({ "domain": "Bücher.example", "receiving": false })).await.expect(201);
    assert_eq!(made["domain"], "xn--bcher-kva.example");
    api.post("/v1/domains", json!({ "domain": "b.example" })).await.error("plan_limit_domains");
    let file = api.get(&format!("/v1/domains/{}/zone-file", made.text("id"))).await.expect(200);
    assert_eq!(file["filename"], "xn--bcher-kva.example.zone.txt");
    let content = file.text("content");
    assert!(content.contains("xn--bcher-kva.example. 3600 IN MX 10 mx.post.example.\n"), "{content}");
    assert!(content.lines().all(|line| line.split('"').skip(1).step_by(2).all(|string| string.len() <= 255)));
    server.finish().await;
}

#[tokio::test]
async fn the_sweep_recreates_a_lost_check() {
    let server = start().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let domain = add(&api).await;
    let subject = domain["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 0);
    let cancel = move |tx: &mut posthouse_store::Tx| {
        posthouse_store::jobs::cancel(tx, posthouse_domain::job::JobKind::DomainCheck, subject)
    };
    server.service().store.write(cancel).await.unwrap();
    assert_eq!(reconcile::run(server.service()).await.unwrap(), 1);
    server.settle().await;
    let checked = api.get(&format!("/v1/domains/{}", domain["id"].as_str().unwrap())).await.expect(200);
    assert!(checked["last_checked_at"].is_string());
    server.finish().await;
}
