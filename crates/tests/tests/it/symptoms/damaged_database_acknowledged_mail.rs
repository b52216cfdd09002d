//! A database that its engine found damaged went on as if one request had failed: `/readyz` said ready, the next mail was
//! acknowledged into it, and the log had a line for each failure.

use std::{fs::File, os::unix::fs::FileExt, path::Path, str::FromStr};

use posthouse_domain::plan::Plan;
use posthouse_store::{DatabaseUrl, Engine};
use posthouse_tests::{
    TestServer, command,
    fixtures::{TestInbox, TestKey},
    postgres::Cluster,
    server::Options,
};
use serde_json::{Value, json};

const MAIL: &[u8] = b"From: a@elsewhere.example\r\nSubject: x\r\n\r\ny\r\n";
/// Bytes of a page of SQLite.
const PAGE: u64 = 4_096;

/// A damaged database: not ready, mail is put off at the recipient and at the content, requests hear their own code, and one
/// line says it all.
async fn says_so_everywhere(server: &TestServer, key: &TestKey, inbox: &TestInbox) {
    let api = server.api(key);
    for _ in 0..3 {
        let unready = server.anonymous().get("/readyz").await.error("unavailable");
        assert_eq!(unready["error"]["details"]["reason"], "store_damaged");
        let mut smtp = server.smtp().await;
        smtp.line("MAIL FROM:<a@elsewhere.example>").await.expect(250);
        smtp.line(&format!("RCPT TO:<{}>", inbox.address)).await.says(451, "4.3.0");
        smtp.line("RCPT TO:<nobody-of-that-name@agents.localhost>").await.says(451, "4.3.0");
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

/// Overwrites every page behind the first ones.
fn flip_pages(database: &Path) {
    let file = File::options().write(true).read(true).open(database).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    assert!(pages > 20, "there is something to damage");
    for page in 3..pages {
        file.write_all_at(&[0xa5; PAGE as usize], page * PAGE).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flipped_pages_are_met_by_a_read() {
    let mut server = TestServer::start(Options::default().on(Engine::Sqlite)).await;
    let key = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&key).await;
    server.arrive(&inbox, "From: a@b.example\r\nSubject: before\r\n\r\nx\r\n").await;
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

    // Damaged while it is served: the start itself reads what is damaged here.
    std::fs::write(&database, &whole).unwrap();
    server.run().await;
    server.allow().log_error("store.damaged");
    flip_pages(&database);
    let mut smtp = server.smtp().await;
    let said = smtp.mail("a@elsewhere.example", &[&inbox.address], MAIL).await;
    assert_eq!(said.code, 451, "{said:?}");
    drop(smtp);
    says_so_everywhere(&server, &key, &inbox).await;

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

/// SQLite writes on into files that are gone, and what it took in then ends with the process.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_removed_under_it_are_noticed() {
    for gone in ["posthouse.db", "posthouse.db-wal"] {
        let mut server = TestServer::start(Options::default().on(Engine::Sqlite)).await;
        let key = server.workspace(Plan::Team).await;
        let inbox = server.inbox(&key).await;
        let copy = server.data_dir().join("copy");
        server.allow().log_error("store.damaged");
        std::fs::rename(server.data_dir().join(gone), &copy).unwrap();
        server.store().damaged().await;
        says_so_everywhere(&server, &key, &inbox).await;
        server.kill().await;
        std::fs::rename(&copy, server.data_dir().join(gone)).unwrap();
        server.run().await;
        server.anonymous().get("/readyz").await.expect(200);
        server.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_that_postgresql_reports_ends_all_writing() {
    let url = Cluster::shared().create_database();
    let mut server = TestServer::start(Options::default().database(DatabaseUrl::from_str(&url).unwrap())).await;
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
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.says(451, "4.3.0");
    says_so_everywhere(&server, &key, &inbox).await;
    server.kill().await;
    damage("DROP TRIGGER damage ON messages").await.unwrap();
    server.run().await;
    server.smtp().await.mail("a@elsewhere.example", &[&inbox.address], MAIL).await.expect(250);
    server.finish().await;
}
