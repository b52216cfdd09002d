//! On PostgreSQL a command ended before it had told the service what it did: a revoked key kept its stream for half a minute.

use std::time::Duration;

use posthouse_tests::{
    command::run,
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::Process,
    stream::{Next, StreamClient},
};
use serde_json::json;

/// Less than the time after which the service looks by itself, in seconds.
const TOLD_S: u64 = 20;

async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(TOLD_S), what).await.expect("the service was told")
}

#[tokio::test]
async fn a_stream_hears_of_the_resume_and_of_its_revoked_key_at_once() {
    let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
    let database =
        if on_postgres { format!("database_url = {:?}\n", Cluster::shared().create_database()) } else { String::new() };
    let dir = ScratchDir::new();
    let config = format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\n[delivery]\nmode = \"capture\"\n"
    );
    let process = Process::start(dir.path(), &config);
    let first = &process.ready["first_run"];
    let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap());
    let made = run(dir.path(), &["key", "create", "--workspace", workspace, "--json"]).json(0);
    let (address, secret) = (process.address("http"), made["api_key"].as_str().unwrap());
    let mut stream = StreamClient::open(address, &format!("ws://{address}/v1/stream"), Some(secret)).await;
    stream.expect("hello").await;
    stream.subscribe(json!({ "event_types": ["workspace.stopped", "workspace.resumed"] })).await;

    let api = Api::new(&format!("http://{address}")).with_key(key);
    api.post("/v1/emergency-stop", json!({})).await.expect(200);
    assert_eq!(soon(stream.expect("event")).await["event"]["type"], "workspace.stopped");
    let _ = run(dir.path(), &["workspace", "set", workspace, "--resume"]).well();
    assert_eq!(soon(stream.expect("event")).await["event"]["type"], "workspace.resumed");
    let _ = run(dir.path(), &["key", "revoke", made["id"].as_str().unwrap()]).well();
    assert_eq!(soon(stream.next()).await, Next::End(Some(4001)));
    assert!(process.stop().success(), "SIGTERM is a clean end");
}
