//! Another key of the instance, and every moment at which putting the store under it can be cut off.

use std::{
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::{Arc, Mutex},
};

use posthouse_domain::id::{WebhookId, WorkspaceId};
use posthouse_store::{DatabaseUrl, Engine, Error, Store, StoreConfig, Tx, webhooks};
use posthouse_tests::{
    command::{self, Ran},
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::Process,
    server::engine_of_run,
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Kills at a moment of nobody's choice.
const KILLS: u32 = 10;
/// What the receiver of a webhook's events is told, and nobody else.
const FIELD: &str = "Bearer of-the-owner";

/// A store that was used, and is not served now.
struct World {
    dir: ScratchDir,
    config: String,
    database: DatabaseUrl,
    api_key: String,
    workspace: WorkspaceId,
    webhook: WebhookId,
}

impl World {
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
        let service = Process::start(dir.path(), &config);
        let first = service.ready["first_run"].clone();
        let api_key = first["api_key"].as_str().expect("a first start has a key").to_owned();
        let workspace = first["workspace_id"].as_str().and_then(|id| id.parse().ok()).expect("and a workspace");
        let api = api(&service, &api_key);
        api.post("/v1/domains", json!({ "domain": "mail.acme.example" })).await.expect(201);
        let hook = json!({ "url": "http://127.0.0.1:9009/", "headers": { "Authorization": FIELD } });
        let webhook = api.post("/v1/webhooks", hook).await.expect(201).text("id").parse().expect("an id");
        assert!(service.stop().success());
        Self { dir, config, database, api_key, workspace, webhook }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        command::run(self.dir.path(), arguments)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join("data").join(name)
    }

    fn key(&self) -> String {
        std::fs::read_to_string(self.file("instance.key")).expect("there is a key")
    }

    fn rotate(&self) {
        let told = self.run(&["secret", "rotate"]).well();
        assert!(told.starts_with("Put 5 secrets under a new instance key.\n"), "{told}");
        assert!(told.lines().all(|line| line.chars().count() <= 120), "{told}");
    }

    /// Begins a rotation.
    fn rotating(&self) -> Child {
        let mut command = command::command(self.dir.path(), &["secret", "rotate"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs")
    }

    /// The service starts and shows what is sealed.
    async fn is_whole(&self) {
        let service = Process::start(self.dir.path(), &self.config);
        let shown = api(&service, &self.api_key).get(&format!("/v1/webhooks/{}", self.webhook)).await.expect(200);
        assert_eq!(shown["headers"]["Authorization"], FIELD, "{}", shown.json);
        assert!(service.stop().success());
        assert!(!self.file("instance.key.next").exists(), "nothing is left half-way");
        // This opens each secret, or fails.
        let again = self.run(&["secret", "rotate", "--json"]).json(0);
        assert_eq!(again["secrets"], SECRETS);
    }
}

/// Two keys of the default domain, one of the own domain, header fields and secret of the webhook.
const SECRETS: u64 = 5;

fn api(service: &Process, key: &str) -> Api {
    Api::new(&format!("http://{}", service.address("http"))).with_key(key)
}

/// Waits for a file, and for the process that makes it.
fn await_file(path: &Path, child: &mut Child) {
    while !path.exists() && child.try_wait().expect("a child can be asked").is_none() {
        std::thread::yield_now();
    }
}

/// The row of the webhook in the hands of somebody else, so that a rotation stands still behind its other rows.
struct Held {
    store: Store,
    release: Option<oneshot::Sender<()>>,
}

impl Held {
    async fn on(world: &World) -> Self {
        let store = Store::open(StoreConfig::new(world.database.clone())).expect("the store can be opened twice");
        let (release, wait) = oneshot::channel::<()>();
        let (taken, is_taken) = oneshot::channel::<()>();
        let once = Arc::new(Mutex::new(Some((taken, wait))));
        let (workspace, webhook) = (world.workspace, world.webhook);
        let holder = store.clone();
        tokio::spawn(async move {
            let hold = move |tx: &mut Tx| -> Result<(), Error> {
                webhooks::take(tx, workspace, webhook)?;
                if let Some((taken, wait)) = once.lock().unwrap().take() {
                    let _ = taken.send(());
                    let _ = wait.blocking_recv();
                }
                Ok(())
            };
            let _ = holder.write(hold).await;
        });
        is_taken.await.expect("the row can be taken");
        Self { store, release: Some(release) }
    }

    /// Waits until somebody stands before the row.
    async fn await_waiter(&self, world: &World) {
        let DatabaseUrl::Postgres(url) = world.database.clone() else { return };
        let looked = tokio::task::spawn_blocking(move || {
            let mut client = postgres::Client::connect(&url, postgres::NoTls)?;
            let waiting =
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
            while client.query_one(waiting, &[])?.get::<_, i64>(0) == 0 {}
            Ok::<_, postgres::Error>(())
        });
        looked.await.expect("looking does not panic").expect("the server says who waits");
    }

    async fn release(mut self) {
        self.release = None;
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.close()).await.expect("closing does not panic");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_sealed_is_put_under_a_new_key() {
    let world = World::new("").await;
    let before = world.key();
    let rotated = world.run(&["secret", "rotate", "--json"]).json(0);
    assert_eq!(rotated["secrets"], SECRETS);
    assert_ne!(world.key(), before);
    let old = world.dir.path().join(rotated["old_key_file"].as_str().expect("the key before is kept"));
    assert_eq!(std::fs::read_to_string(&old).unwrap(), before);
    world.rotate();
    world.is_whole().await;

    std::fs::copy(&old, world.file("instance.key")).unwrap();
    let refused = world.run(&["serve"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(refused.err.contains("another instance key"), "{}", refused.err);
    let refused = world.run(&["secret", "rotate"]);
    assert_eq!(refused.code, 1, "{}", refused.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_service_is_not_left_with_the_key_before() {
    let world = World::new("").await;
    let (service, before) = (Process::start(world.dir.path(), &world.config), world.key());
    let refused = world.run(&["secret", "rotate"]);
    assert_eq!((refused.code, refused.out.as_str()), (1, ""));
    assert!(refused.err.contains("stop it"), "{}", refused.err);
    assert_eq!(world.key(), before);
    service.kill();
    world.rotate();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_killed_half_way_did_not_happen() {
    if engine_of_run() == Engine::Sqlite {
        // Who holds its one lock keeps a rotation from beginning; kills in the middle are below.
        return;
    }
    let world = World::new("").await;
    let before = world.key();
    let held = Held::on(&world).await;
    let mut child = world.rotating();
    await_file(&world.file("instance.key.next"), &mut child);
    held.await_waiter(&world).await;
    child.kill().expect("it stands still");
    child.wait().expect("a child can be waited for");
    held.release().await;
    assert_eq!(world.key(), before);
    let service = Process::start(world.dir.path(), &world.config);
    assert!(service.stop().success(), "the key before is still the one");
    world.rotate();
    world.is_whole().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rotation_killed_behind_its_commit_is_ended_by_the_next_start() {
    let world = World::new("").await;
    let before = world.key();
    let rotated = world.run(&["secret", "rotate", "--json"]).json(0);
    let new = world.key();
    // As it is between the commit and the renaming.
    let old = world.dir.path().join(rotated["old_key_file"].as_str().expect("the key before is kept"));
    std::fs::rename(world.file("instance.key"), world.file("instance.key.next")).unwrap();
    std::fs::rename(old, world.file("instance.key")).unwrap();
    assert_eq!(world.key(), before);
    let service = Process::start(world.dir.path(), &world.config);
    assert_eq!(world.key(), new);
    assert!(service.stop().success());
    world.is_whole().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_at_any_moment_leaves_a_key_that_opens_everything() {
    let world = World::new("").await;
    for round in 0..KILLS {
        let mut child = world.rotating();
        await_file(&world.file("instance.key.next"), &mut child);
        // A little later each time, by work and not by time.
        for _ in 0..round * 2 {
            let _ = std::fs::read_dir(world.dir.path().join("data")).map(Iterator::count);
        }
        let _ = child.kill();
        child.wait().expect("a child can be waited for");
        let service = Process::start(world.dir.path(), &world.config);
        assert!(service.stop().success());
    }
    world.rotate();
    world.is_whole().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_a_setting_is_rotated_into_a_file() {
    let key = |byte: &str| format!("instance_key = \"{}=\"\n", byte.repeat(43));
    let first = key("A");
    let world = World::new(&first).await;
    let write =
        |more: &str| std::fs::write(world.dir.path().join("posthouse.toml"), world.config.replace(&first, more));
    assert_eq!(world.run(&["secret", "rotate"]).code, 2, "nobody says where the new key goes");
    let rotate = ["secret", "rotate", "--json", "--to", "new.key"];
    let rotated: Value = world.run(&rotate).json(0);
    assert_eq!((&rotated["secrets"], &rotated["key_file"]), (&json!(SECRETS), &json!("new.key")));
    assert_eq!(world.run(&rotate).json(0)["secrets"], Value::Null, "it is done already");
    assert_eq!(world.run(&["serve"]).code, 1, "the setting is still the key before");

    write("instance_key_file = \"new.key\"\n").unwrap();
    let service = Process::start(world.dir.path(), &world.config.replace(&first, "instance_key_file = \"new.key\"\n"));
    let shown = api(&service, &world.api_key).get(&format!("/v1/webhooks/{}", world.webhook)).await.expect(200);
    assert_eq!(shown["headers"]["Authorization"], FIELD);
    assert!(service.stop().success());
    let taken = world.run(&["secret", "rotate", "--to", "posthouse.toml"]);
    assert_eq!(taken.code, 1, "{}", taken.err);
    assert!(!world.file("instance.key").exists());
}
