//! A missing or altered blob caused a 500 `internal_error`, and nothing named the blob.

use std::path::{Path, PathBuf};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use posthouse_domain::plan::Plan;
use posthouse_store::{DatabaseUrl, Engine};
use posthouse_tests::{TestServer, command, postgres::Cluster, server::ServerOptions, server::engine_of_run};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns a message with an incompressible attachment, so that its bytes are in the blob store.
fn large_mail() -> Vec<u8> {
    let noise: Vec<u8> = (0u32..).flat_map(|n| Sha256::digest(n.to_be_bytes())).take(400_000).collect();
    let encoded = STANDARD.encode(noise);
    let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let head = "From: a@elsewhere.example\r\nSubject: large\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: application/octet-stream\r\n\
        Content-Disposition: attachment; filename=a.bin\r\nContent-Transfer-Encoding: base64\r\n\r\n";
    format!("{head}{}\r\n--b--\r\n", lines.join("\r\n")).into_bytes()
}

/// Returns the only file below a directory.
fn only_file(folder: &Path) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

/// Returns the checks about blobs, except those about the store itself.
fn blob_checks(server: &TestServer, arguments: &[&str]) -> Vec<(String, String)> {
    let result = command::run(server.data_dir(), arguments);
    let report: Value = serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{}{}", result.out, result.err));
    let checks = report["checks"].as_array().unwrap().iter();
    let of_blobs = checks.filter(|check| check["check"].as_str().unwrap().starts_with("blobs:"));
    let text = |check: &Value, member: &str| check[member].as_str().unwrap().to_owned();
    of_blobs.map(|check| (text(check, "status"), text(check, "check"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_content_has_its_own_error_code_and_one_log_line_naming_the_blob() {
    let (options, database) = match engine_of_run() {
        Engine::Sqlite => (ServerOptions::default(), String::new()),
        Engine::Postgres => {
            let url = Cluster::shared().create_database();
            let options = ServerOptions::default().database(DatabaseUrl::Postgres(url.clone()));
            (options, format!("database_url = {url:?}\n"))
        }
    };
    let mut server = TestServer::start(options).await;
    let config = format!(
        "{database}data_dir = {:?}\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n",
        server.data_dir()
    );
    std::fs::write(server.data_dir().join("posthouse.toml"), config).unwrap();
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], &large_mail()).await.expect(250);
    let message = server.newest_message(&api, &inbox.id.to_string()).await;
    let raw = format!("/v1/messages/{}/raw", message["id"].as_str().unwrap());
    let file = format!("/v1/attachments/{}", message["attachments"][0]["id"].as_str().unwrap());
    let whole = api.get(&raw).await.expect(200).bytes;
    let all = "blobs: all 1 that the database references exist".to_owned();
    assert_eq!(
        blob_checks(&server, &["check", "--json"]),
        [("ok".to_owned(), format!("{all} and match their digests"))]
    );

    let blob = only_file(&server.data_dir().join("blobs"));
    let name = blob.file_name().unwrap().to_str().unwrap().to_owned();
    let bytes = std::fs::read(&blob).unwrap();
    let mut altered = bytes.clone();
    altered[bytes.len() / 2] ^= 1;
    let mut expected_lines = 0;
    server.allow().log_error("content.damaged");
    for (what, quick) in [("is missing", "failed"), ("doesn't match its hash", "ok")] {
        match what {
            "is missing" => std::fs::remove_file(&blob).unwrap(),
            _ => std::fs::write(&blob, &altered).unwrap(),
        }
        for path in [&raw, &file] {
            api.get(path).await.error("content_damaged");
            expected_lines += 1;
            let lines = server.log.errors();
            assert_eq!(lines.len(), expected_lines, "one line: {path}");
            let last = &lines[expected_lines - 1].text;
            assert!(last.contains("content.damaged") && last.contains(&format!("blob {name} {what}")), "{last}");
        }
        assert_eq!(
            blob_checks(&server, &["check", "--json"]),
            [("failed".to_owned(), format!("blobs: blob {name} {what}"))]
        );
        assert_eq!(blob_checks(&server, &["check", "--quick", "--json"])[0].0, quick, "{what}");
        server.anonymous().get("/readyz").await.expect(200);
    }
    std::fs::write(&blob, &bytes).unwrap();
    assert_eq!(api.get(&raw).await.expect(200).bytes, whole);
    server.finish().await;
}
