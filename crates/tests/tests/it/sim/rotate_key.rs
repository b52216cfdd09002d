//! Rotating the instance key, and every moment at which the rotation can be interrupted.

use std::{
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::{Arc, Mutex},
};

use posthouse_domain::id::{WebhookId, WorkspaceId};
use posthouse_store::{DatabaseUrl, Engine, Error, Store, StoreConfig, Tx, webhooks};
use posthouse_tests::{
    command::{self, CommandResult},
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::ServiceProcess,
    server::engine_of_run,
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Number of kills at arbitrary moments.
const KILLS: u32 = 10;
/// A secret header field of a webhook.
const FIELD: &str = "Bearer of-the-owner";

/// A used store without a running service.
struct Fixture {
    dir: ScratchDir,
    config: String,
    database: DatabaseUrl,
    api_key: String,
    workspace: WorkspaceId,
    webhook: WebhookId,
}

impl Fixture {
    async fn new(more: &str) -> Self {
        let dir = ScratchDir::new();
        let (line, database) = match engine_of_run() {
            Engine::Sqlite => (String::new(), DatabaseUrl::Sqlite(dir.path().join("data/posthouse.db"))),
            Engine::Postgres => {
                let url = Cluster::shared().create_database();
                (format!("database_url = {url:?}\n"), DatabaseUrl::Postgres(url))
            }
        };
        let config = format!(
            "{more}{line}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
             submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n\
             webhooks.allow_http = true\nwebhooks.allow_private_networks = true\n"
        );
        let service = ServiceProcess::start(dir.path(), &config);
        let first = service.ready["first_run"].clone();
        let api_key = first["api_key"].as_str().expect("a first start has a key").to_owned();
        let workspace =
            first["workspace_id"].as_str().and_then(|id| id.parse().ok()).expect("a first start has a workspace");
        let api = api(&service, &api_key);
        api.post("/v1/domains", json!({ "domain": "mail.acme.example" })).await.expect(201);
        let hook = json!({ "url": "http://127.0.0.1:9009/", "headers": { "Authorization": FIELD } });
        let webhook = api.post("/v1/webhooks", hook).await.expect(201).text("id").parse().expect("an id");
        assert!(service.stop().success());
        Self { dir, config, database, api_key, workspace, webhook }
    }

    fn run(&self, arguments: &[&str]) -> CommandResult {
        command::run(self.dir.path(), arguments)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("data").join(name)
    }

    fn key(&self) -> String {
        std::fs::read_to_string(self.file("instance.key")).expect("there is a key")
    }

    fn rotate(&self) {
        let output = self.run(&["secret", "rotate"]).success();
        assert!(output.starts_with("Encrypted 7 secrets with a new instance key.\n"), "{output}");
        assert!(output.lines().all(|line| line.chars().count() <= 120), "{output}");
    }

    /// Starts a rotation in the background.
    fn spawn_rotation(&self) -> Child {
        let mut command = command::command(self.dir.path(), &["secret", "rotate"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs")
    }

    /// Asserts that the service starts and can decrypt its secrets.
    async fn assert_usable(&self) {
        let service = ServiceProcess::start(self.dir.path(), &self.config);
        let shown = api(&service, &self.api_key).get(&format!("/v1/webhooks/{}", self.webhook)).await.expect(200);
        assert_eq!(shown["headers"]["Authorization"], FIELD, "{}", shown.json);
        assert!(service.stop().success());
        assert!(!self.file("instance.key.next").exists(), "no rotation is left unfinished");
        // This decrypts every secret, or fails.
        let again = self.run(&["secret", "rotate", "--json"]).json(0);
        assert_eq!(again["secrets"], SECRETS);
    }
}

/// Two keys of the default domain, one of the customer domain, header fields and secret of the webhook, two signing keys.
const SECRETS: u64 = 7;

fn api(service: &ServiceProcess, key: &str) -> Api {
    Api::new(&format!("http://{}", service.address("http"))).with_key(key)
}

/// Waits until a file exists or its process ends.
fn await_file(path: &Path, child: &mut Child) {
    while !path.exists() && child.try_wait().expect("the status of a child can be read").is_none() {
        std::thread::yield_now();
    }
}

/// A lock on the row of the webhook, which blocks a rotation after it has changed its other rows.
struct HeldRow {
    store: Store,
    release: Option<oneshot::Sender<()>>,
}

impl HeldRow {
    async fn on(fixture: &Fixture) -> Self {
        let store = Store::open(StoreConfig::new(fixture.database.clone())).expect("the store can be opened twice");
        let (release, wait) = oneshot::channel::<()>();
        let (taken, is_taken) = oneshot::channel::<()>();
        let once = Arc::new(Mutex::new(Some((taken, wait))));
        let (workspace, webhook) = (fixture.workspace, fixture.webhook);
        let holder = store.clone();
        tokio::spawn(async move {
            let hold = move |tx: &mut Tx| -> Result<(), Error> {
                webhooks::lock(tx, workspace, webhook)?;
                if let Some((taken, wait)) = once.lock().unwrap().take() {
                    let _ = taken.send(());
                    let _ = wait.blocking_recv();
                }
                Ok(())
            };
            let _ = holder.write(hold).await;
        });
        is_taken.await.expect("the row can be locked");
        Self { store, release: Some(release) }
    }

    /// Waits until another connection waits for the row.
    async fn await_waiter(&self, fixture: &Fixture) {
        let DatabaseUrl::Postgres(url) = fixture.database.clone() else { return };
        let waited = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls)?;
            let waiting =
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            while client.query_one(waiting, &[])?.get::<_, i64>(0) == 0 {}
            Ok::<_, postgres::Error>(())
        });
        waited.await.expect("the query does not panic").expect("the server lists its locks");
    }

    async fn release(mut self) {
        self.release = None;
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("closing does not panic");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_encrypts_every_secret_with_the_new_key() {
    let fixture = Fixture::new("").await;
    let before = fixture.key();
    let rotated = fixture.run(&["secret", "rotate", "--json"]).json(0);
    assert_eq!(rotated["secrets"], SECRETS);
    assert_ne!(fixture.key(), before);
    let old = fixture.dir.path().join(rotated["old_key_file"].as_str().expect("the old key is kept"));
    assert_eq!(std::fs::read_to_string(&old).unwrap(), before);
    fixture.rotate();
    fixture.assert_usable().await;

    std::fs::copy(&old, fixture.file("instance.key")).unwrap();
    let refused = fixture.run(&["serve"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("another instance key"), "{}", refused.err);
    let refused = fixture.run(&["secret", "rotate"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_is_refused_while_the_service_runs() {
    let fixture = Fixture::new("").await;
    let (service, before) = (ServiceProcess::start(fixture.dir.path(), &fixture.config), fixture.key());
    let refused = fixture.run(&["secret", "rotate"]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("stop all its processes"), "{}", refused.err);
    assert_eq!(fixture.key(), before);
    service.kill();
    fixture.rotate();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_killed_before_its_commit_has_no_effect() {
    if engine_of_run() == Engine::Sqlite {
        // Holding SQLite's only lock would keep the rotation from starting. The kills below cover the middle.
        return;
    }
    let fixture = Fixture::new("").await;
    let before = fixture.key();
    let held_row = HeldRow::on(&fixture).await;
    let mut child = fixture.spawn_rotation();
    await_file(&fixture.file("instance.key.next"), &mut child);
    held_row.await_waiter(&fixture).await;
    child.kill().expect("it is blocked");
    child.wait().expect("a child can be waited for");
    held_row.release().await;
    assert_eq!(fixture.key(), before);
    let service = ServiceProcess::start(fixture.dir.path(), &fixture.config);
    assert!(service.stop().success(), "the old key is still valid");
    fixture.rotate();
    fixture.assert_usable().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_start_finishes_a_rotation_killed_after_its_commit() {
    let fixture = Fixture::new("").await;
    let before = fixture.key();
    let rotated = fixture.run(&["secret", "rotate", "--json"]).json(0);
    let new = fixture.key();
    // The state between the commit and the rename.
    let old = fixture.dir.path().join(rotated["old_key_file"].as_str().expect("the old key is kept"));
    std::fs::rename(fixture.file("instance.key"), fixture.file("instance.key.next")).unwrap();
    std::fs::rename(old, fixture.file("instance.key")).unwrap();
    assert_eq!(fixture.key(), before);
    let service = ServiceProcess::start(fixture.dir.path(), &fixture.config);
    assert_eq!(fixture.key(), new);
    assert!(service.stop().success());
    fixture.assert_usable().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_at_any_moment_leaves_a_key_that_decrypts_every_secret() {
    let fixture = Fixture::new("").await;
    for round in 0..KILLS {
        let mut child = fixture.spawn_rotation();
        await_file(&fixture.file("instance.key.next"), &mut child);
        // Slightly later each round, by work instead of time.
        for _ in 0..round * 2 {
            let _ = std::fs::read_dir(fixture.dir.path().join("data")).map(Iterator::count);
        }
        let _ = child.kill();
        child.wait().expect("a child can be waited for");
        let service = ServiceProcess::start(fixture.dir.path(), &fixture.config);
        assert!(service.stop().success());
    }
    fixture.rotate();
    fixture.assert_usable().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_from_the_configuration_is_rotated_into_a_file() {
    let key = |byte: &str| format!("instance_key = \"{}=\"\n", byte.repeat(43));
    let first = key("A");
    let fixture = Fixture::new(&first).await;
    let write =
        |more: &str| std::fs::write(fixture.dir.path().join("posthouse.toml"), fixture.config.replace(&first, more));
    assert_eq!(fixture.run(&["secret", "rotate"]).code, 2, "the file for the new key is required");
    let rotate = ["secret", "rotate", "--json", "--to", "new.key"];
    let rotated: Value = fixture.run(&rotate).json(0);
    assert_eq!((&rotated["secrets"], &rotated["key_file"]), (&json!(SECRETS), &json!("new.key")));
    assert_eq!(fixture.run(&rotate).json(0)["secrets"], Value::Null, "already rotated");
    assert_eq!(fixture.run(&["serve"]).code, 1, "the configuration still has the old key");

    write("instance_key_file = \"new.key\"\n").unwrap();
    let service =
        ServiceProcess::start(fixture.dir.path(), &fixture.config.replace(&first, "instance_key_file = \"new.key\"\n"));
    let shown = api(&service, &fixture.api_key).get(&format!("/v1/webhooks/{}", fixture.webhook)).await.expect(200);
    assert_eq!(shown["headers"]["Authorization"], FIELD);
    assert!(service.stop().success());
    let refused = fixture.run(&["secret", "rotate", "--to", "posthouse.toml"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(!fixture.file("instance.key").exists());
}
