//! With PostgreSQL a command ended before the service knew of its change: a revoked key kept its stream for half a
//! minute.

use std::time::Duration;

use posthouse_tests::{
    command::run,
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::ServiceProcess,
    stream::{StreamClient, StreamItem},
};
use serde_json::json;

/// Less than the service's own polling interval, in seconds.
const NOTICE_S: u64 = 20;

async fn in_time<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(NOTICE_S), what).await.expect("the service notices the change")
}

#[tokio::test]
async fn a_stream_gets_the_resume_event_and_ends_on_revocation_at_once() {
    let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
    let database =
        if on_postgres { format!("database_url = {:?}\n", Cluster::shared().create_database()) } else { String::new() };
    let dir = ScratchDir::new();
    let config = format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\n[delivery]\nmode = \"capture\"\n"
    );
    let process = ServiceProcess::start(dir.path(), &config);
    let first = &process.ready["first_run"];
    let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap());
    let made = run(dir.path(), &["key", "create", "--workspace", workspace, "--json"]).json(0);
    let (address, secret) = (process.address("http"), made["api_key"].as_str().unwrap());
    let mut stream = StreamClient::open(address, &format!("ws://{address}/v1/stream"), Some(secret)).await;
    stream.expect("hello").await;
    stream.subscribe(json!({ "event_types": ["workspace.stopped", "workspace.resumed"] })).await;

    let api = Api::new(&format!("http://{address}")).with_key(key);
    api.post("/v1/emergency-stop", json!({})).await.expect(200);
    assert_eq!(in_time(stream.expect("event")).await["event"]["type"], "workspace.stopped");
    let _ = run(dir.path(), &["workspace", "set", workspace, "--resume"]).success();
    assert_eq!(in_time(stream.expect("event")).await["event"]["type"], "workspace.resumed");
    let _ = run(dir.path(), &["key", "revoke", made["id"].as_str().unwrap()]).success();
    assert_eq!(in_time(stream.next()).await, StreamItem::End(Some(4001)));
    assert!(process.stop().success(), "SIGTERM stops cleanly");
}
