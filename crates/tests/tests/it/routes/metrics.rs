//! `GET /v1/metrics` and `GET /v1/deliverability`.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;
use serde_json::{Value, json};

use super::messages::read::mail;

fn sums(metrics: &Value) -> (Value, Value) {
    (metrics["totals"]["sent"].clone(), metrics["totals"]["received"].clone())
}

#[tokio::test]
async fn messages_are_counted_by_hour_and_day_of_a_time_zone() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    for subject in ["One", "Two"] {
        server.receive_message(&inbox, mail(subject)).await;
    }
    server.advance(posthouse_domain::time::HOUR_MS * 2).await;
    let send = json!({ "to": "eve@far.example", "subject": "Hi", "text": "Hello." });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), send).await.expect(202);
    server.settle().await;

    let all = api.get("/v1/metrics?bucket=hour").await.expect(200);
    assert_eq!(sums(&all.json), (json!(1), json!(2)));
    let busy: Vec<(&Value, &Value)> = all["series"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| step["sent"] != 0 || step["received"] != 0)
        .map(|step| (&step["sent"], &step["received"]))
        .collect();
    assert_eq!(busy, [(&json!(0), &json!(2)), (&json!(1), &json!(0))]);
    assert_eq!(all["heatmap"].as_array().unwrap().len(), 30);
    assert_eq!(all["heatmap"][29]["received"], 2);
    assert_eq!(all["streak"]["busiest_day"]["count"], 3);
    assert_eq!(all["streak"]["longest_days"], 1);
    assert_eq!(all["resources"]["inboxes"], 1);
    assert_eq!(all["resources"]["messages"], 3);
    assert_eq!(all["resources"]["threads"], 3);
    assert!(all["resources"]["storage_bytes"].as_u64().unwrap() > 300);
    assert_eq!((&all["bucket"], &all["tz"], &all["inbox_id"]), (&json!("hour"), &json!("UTC"), &json!(null)));

    let days = api.get("/v1/metrics?from=2025-12-31&to=2026-01-01&tz=Asia/Kathmandu").await.expect(200);
    assert_eq!(
        (days["from"].as_str(), days["to"].as_str()),
        (Some("2025-12-30T18:15:00.000Z"), Some("2026-01-01T18:15:00.000Z"))
    );
    assert_eq!(days["series"].as_array().unwrap().len(), 2);
    server.finish().await;
}

#[tokio::test]
async fn bounces_are_counted_with_their_reason() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let nobody = format!("nobody@{}", inbox.address.split_once('@').unwrap().1);
    let send = json!({ "to": nobody, "subject": "Hi", "text": "Hello." });
    api.post(&format!("/v1/inboxes/{}/messages", inbox.id), send).await.expect(202);
    let metrics = api.get("/v1/metrics").await.expect(200);
    assert_eq!(metrics["totals"]["bounced"], 1);
    assert_eq!(metrics["deliverability"]["bounce_rate"], 1.0);
    assert_eq!(metrics["deliverability"]["bounce_reasons"], json!([{ "status": "5.1.1", "count": 1 }]));
    let shown = api.get("/v1/deliverability").await.expect(200);
    assert_eq!(
        shown["rates"]["last_7_days"],
        json!({ "sent": 1, "bounced": 1, "complained": 0, "bounce_rate": 1.0, "complaint_rate": 0.0 })
    );
    assert_eq!(
        shown["thresholds"],
        json!({ "bounce_rate": 0.05, "complaint_rate": 0.001, "min_sent": 20, "min_hard_bounces": 5, "min_complainants": 3 })
    );
    assert_eq!(shown["domains"], json!([]));
    server.finish().await;
}

#[tokio::test]
async fn invalid_ranges_and_zones_are_rejected_and_inboxes_are_counted_separately() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let other = server.workspace(Plan::Team).await;
    let (api, mine) = (server.api(&key), server.inbox(&key).await);
    let theirs = server.inbox(&other).await;
    server.receive_message(&theirs, mail("Theirs")).await;
    for (query, field) in [
        ("from=2026-01-01&to=2025-01-01", "to"),
        ("from=2025-01-01&to=2025-06-01", "to"),
        ("tz=Mars/Olympus", "tz"),
        ("bucket=week", "bucket"),
        ("from=yesterday", "from"),
        ("inbox_id=7", "inbox_id"),
        ("days=3", "days"),
    ] {
        api.get(&format!("/v1/metrics?{query}")).await.invalid_fields(&[field]);
    }
    api.get(&format!("/v1/metrics?inbox_id={}", theirs.id)).await.error("not_found");
    let own = api.get(&format!("/v1/metrics?inbox_id={}", mine.id)).await.expect(200);
    assert_eq!(sums(&own.json), (json!(0), json!(0)));
    assert_eq!(own["inbox_id"], mine.id.to_string());
    server.finish().await;
}

#[tokio::test]
async fn blocklists_are_queried_for_the_server_address_once_an_hour() {
    use std::net::{IpAddr, Ipv4Addr};
    let options = posthouse_tests::ServerOptions::default().configure(|config| {
        config.hostname = "mx.host.example".to_owned();
        config.blocklists = vec!["one.example".to_owned(), "two.example".to_owned()];
    });
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let reputation =
        || async { api.get("/v1/deliverability").await.expect(200).json["shared"]["ip_reputation"].clone() };
    assert_eq!(reputation().await, json!({ "status": "not_checked", "checked_at": null, "lists": [] }));

    server.dns.address("mx.host.example", IpAddr::V4(Ipv4Addr::new(11, 22, 33, 44)));
    let clean = reputation().await;
    assert_eq!(clean["status"], "clean");
    assert_eq!(clean["lists"][1], json!({ "name": "two.example", "status": "clean" }));
    server.dns.address("44.33.22.11.two.example", IpAddr::V4(Ipv4Addr::new(127, 0, 0, 4)));
    assert_eq!(reputation().await, clean, "cached for an hour");

    server.advance(posthouse_domain::time::HOUR_MS).await;
    server.dns.fail("44.33.22.11.one.example", true);
    let listed = reputation().await;
    assert_eq!(listed["status"], "listed");
    assert_eq!(listed["lists"][0]["status"], "unknown");
    assert_eq!(listed["lists"][1], json!({ "name": "two.example", "status": "listed", "codes": ["127.0.0.4"] }));

    server.dns.fail_all(true);
    server.advance(posthouse_domain::time::DAY_MS).await;
    let stale = reputation().await;
    assert_eq!((&stale["status"], &stale["checked_at"]), (&json!("stale"), &listed["checked_at"]));
    server.finish().await;
}
