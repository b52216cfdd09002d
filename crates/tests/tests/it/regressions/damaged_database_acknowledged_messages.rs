//! A database that its engine reported as damaged was treated as if one request had failed: `/readyz` succeeded, the
//! next message was acknowledged, and each failure was logged.

use std::{fs::File, os::unix::fs::FileExt, path::Path, str::FromStr};

use posthouse_domain::plan::Plan;
use posthouse_store::{DatabaseUrl, Engine};
use posthouse_tests::{
    TestServer, command,
    fixtures::{TestInbox, TestKey},
    postgres::Cluster,
    server::ServerOptions,
};
use serde_json::{Value, json};

const MAIL: &[u8] = b"From: a@elsewhere.example\r\nSubject: x\r\n\r\ny\r\n";
/// Size of an SQLite page, in bytes.
const PAGE: u64 = 4_096;

/// Asserts that the service reports the damage: not ready, messages deferred at RCPT and after DATA, an error code of
/// its own, and one log line.
async fn assert_damage_reported(server: &TestServer, key: &TestKey, inbox: &TestInbox) {
    let api = server.api(key);
    for _ in 0..3 {
        let not_ready = server.anonymous().get("/readyz").await.error("unavailable");
        assert_eq!(not_ready["error"]["details"]["reason"], "store_damaged");
        let mut smtp = server.smtp().await;
        smtp.line("MAIL FROM:<a@elsewhere.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", inbox.address)).await.expect_enhanced(451, "4.3.0");
        smtp.line("RCPT TO:<nobody-of-that-name@agents.localhost>").await.expect_enhanced(451, "4.3.0");
        smtp.quit().await;
        let refused = api.post("/v1/inboxes", json!({})).await;
        assert!(refused.header("retry-after").is_some());
        refused.error("store_damaged");
    }
    server.anonymous().get("/healthz").await.expect(200);
    let lines: Vec<_> = server.log.errors().into_iter().map(|line| line.text).collect();
    assert_eq!(lines.len(), 1, "one line: {lines:?}");
    assert!(lines[0].contains("store.damaged"), "{lines:?}");
}

/// Overwrites every page after the first ones.
fn flip_pages(database: &Path) {
    let file = File::options().write(true).read(true).open(database).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    assert!(pages > 20, "the database has pages to damage");
    for page in 3..pages {
        file.write_all_at(&[0xa5; PAGE as usize], page * PAGE).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn overwritten_pages_are_detected_by_a_read() {
    let mut server = TestServer::start(ServerOptions::default().on(Engine::Sqlite)).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.receive_message(&inbox, "From: a@b.example\r\nSubject: before\r\n\r\nx\r\n").await;
    let database = server.data_dir().join("posthouse.db");
    server.stop().await;
    let whole = std::fs::read(&database).unwrap();
    flip_pages(&database);

    let config = format!(
        "data_dir = {:?}\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n",
        server.data_dir()
    );
    std::fs::write(server.data_dir().join("posthouse.toml"), config).unwrap();
    let check = command::run(server.data_dir(), &["check", "--json"]);
    let report: Value = serde_json::from_str(&check.out).unwrap_or_else(|_| panic!("{}{}", check.out, check.err));
    assert_eq!(check.code, 1);
    assert!(report.to_string().contains("damaged") || report.to_string().contains("integrity:"), "{report}");

    // The pages are damaged while the service runs, because a start would already read them.
    std::fs::write(&database, &whole).unwrap();
    server.run().await;
    server.allow().log_error("store.damaged");
    flip_pages(&database);
    let mut smtp = server.smtp().await;
    let reply = smtp.mail("a@elsewhere.example", &[&inbox.address], MAIL).await;
    assert_eq!(reply.code, 451, "{reply:?}");
    drop(smtp);
    assert_damage_reported(&server, &key, &inbox).await;

    server.kill().await;
    ["-wal", "-shm"].iter().for_each(|ending| {
        let _ = std::fs::remove_file(server.data_dir().join(format!("posthouse.db{ending}")));
    });
    std::fs::write(&database, &whole).unwrap();
    server.run().await;
    server.anonymous().get("/readyz").await.expect(200);
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.expect(250);
    server.finish().await;
}

/// SQLite keeps writing to removed files, and those writes are lost with the process.
#[tokio::test(flavor = "multi_thread")]
async fn removed_database_files_are_detected() {
    for removed in ["posthouse.db", "posthouse.db-wal"] {
        let mut server = TestServer::start(ServerOptions::default().on(Engine::Sqlite)).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox(&key).await;
        let copy = server.data_dir().join("copy");
        server.allow().log_error("store.damaged");
        std::fs::rename(server.data_dir().join(removed), &copy).unwrap();
        server.store().damaged().await;
        assert_damage_reported(&server, &key, &inbox).await;
        server.kill().await;
        std::fs::rename(&copy, server.data_dir().join(removed)).unwrap();
        server.run().await;
        server.anonymous().get("/readyz").await.expect(200);
        server.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_reported_by_postgresql_stops_all_writes() {
    let url = Cluster::shared().create_database();
    let mut server = TestServer::start(ServerOptions::default().database(DatabaseUrl::from_str(&url).unwrap())).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.expect(250);
    let damage = |text: &'static str| {
        let url = url.clone();
        let run = move || postgres::Client::connect(&url, postgres::NoTls).unwrap().batch_execute(text).unwrap();
        tokio::task::spawn_blocking(run)
    };
    let raise = "CREATE FUNCTION damage() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not read block 7: damaged' USING ERRCODE = 'XX001'; END $$;
        CREATE TRIGGER damage BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION damage()";
    damage(raise).await.unwrap();
    server.allow().log_error("store.damaged");
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.expect_enhanced(451, "4.3.0");
    assert_damage_reported(&server, &key, &inbox).await;
    server.kill().await;
    damage("DROP TRIGGER damage ON messages").await.unwrap();
    server.run().await;
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.expect(250);
    server.finish().await;
}
