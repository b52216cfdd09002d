//! The zone file, parsed by an independent program: `named-checkzone` (RFC 1035 §5).

use std::{collections::BTreeSet, process::Command};

use posthouse_app::settings::Ed25519;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, dir::ScratchDir};
use serde_json::{Value, json};

/// The records of a zone besides those of the domain.
const HEAD: &str = "acme.example. 3600 IN SOA ns.acme.example. hostmaster.acme.example. 1 7200 3600 1209600 3600\n\
                    acme.example. 3600 IN NS ns.acme.example.\nns.acme.example. 3600 IN A 192.0.2.53\n";

/// Parses a line of `named-checkzone -D` into name, type and value, with joined strings.
fn record(line: &str) -> Option<(String, String, String)> {
    let mut words = line.split_whitespace();
    let (name, _, _, kind) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let value = match kind {
        "TXT" => line.split('"').skip(1).step_by(2).collect(),
        _ => words.collect::<Vec<_>>().join(" "),
    };
    Some((name.trim_end_matches('.').to_owned(), kind.to_owned(), value))
}

/// Returns the same parts of a record in the API.
fn api_record(record: &Value) -> (String, String, String) {
    let text = |member: &str| record[member].as_str().unwrap().to_owned();
    let dot = if record["type"] == "MX" { "." } else { "" };
    (text("name"), text("type"), format!("{}{dot}", text("value")))
}

#[tokio::test]
async fn a_name_server_parses_every_record_as_shown_in_the_api() {
    if !Command::new("named-checkzone").arg("-v").output().is_ok_and(|output| output.status.success()) {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "named-checkzone is missing: scripts/need.sh test");
        println!("named-checkzone is missing: the zone file was not checked");
        return;
    }
    let server = TestServer::start(ServerOptions::default().configure(|config| {
        config.hostname = "mx.post.example".to_owned();
        config.dkim.ed25519 = Ed25519::All;
    }))
    .await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let made = api.post("/v1/domains", json!({ "domain": "mail.acme.example" })).await.expect(201);
    let path = format!("/v1/domains/{}", made.text("id"));
    let domain = api.post_empty(&format!("{path}/dkim/rotate")).await.expect(200);
    let file = api.get(&format!("{path}/zone-file")).await.expect(200);
    let dir = ScratchDir::new();
    let zone = dir.path().join(file.text("filename"));
    std::fs::write(&zone, format!("{HEAD}{}", file.text("content"))).unwrap();

    let output = Command::new("named-checkzone")
        .args(["-i", "local", "-D", "-o", "-", "acme.example"])
        .arg(&zone)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    let is_own = |(name, ..): &(String, String, String)| name.ends_with("mail.acme.example");
    let read: BTreeSet<_> = out.lines().filter_map(record).filter(is_own).collect();
    let expected: BTreeSet<_> = domain["records"].as_array().unwrap().iter().map(api_record).collect();
    assert_eq!(expected.len(), 8, "with both keys of both selectors");
    assert_eq!(read, expected);
    let longest = file.text("content").lines().flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::len).max();
    assert_eq!(longest, Some(255), "long texts are split");
    server.finish().await;
}
