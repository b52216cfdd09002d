//! The end of an emergency stop by the operator's command beside the running service (decision 27; operations.md): what was
//! held leaves at once, though another process ended the stop.

use std::{path::Path, process::Command, time::Duration};

use posthouse_tests::{
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::{Process, binary},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

/// How long the service may take for what it does by itself, in seconds; a hold that nobody ends takes ten minutes.
const SOON_S: u64 = 60;

/// Asks until the answer is as wanted.
async fn until<T>(ask: impl AsyncFn() -> Option<T>) -> T {
    let asking = async {
        loop {
            if let Some(answer) = ask().await {
                return answer;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(SOON_S), asking).await.expect("the service does it soon")
}

fn command(dir: &Path, arguments: &[&str]) -> Value {
    let ran = Command::new(binary())
        .args(arguments)
        .args(["--json", "--config", "posthouse.toml"])
        .current_dir(dir)
        .output()
        .expect("the binary runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).expect("one JSON object")
}

#[tokio::test]
async fn a_stop_is_ended_by_the_command_and_what_was_held_leaves() {
    let on_postgres = std::env::var("POSTHOUSE_TEST_DATABASE").is_ok_and(|engine| engine == "postgres");
    let database =
        if on_postgres { format!("database_url = {:?}\n", Cluster::shared().create_database()) } else { String::new() };
    let (dir, sink) = (ScratchDir::new(), SmtpSink::start().await);
    let config = format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\n[delivery]\nmode = \"relay\"\nrelay_url = \"smtp://{}\"\n\
         allow_private_networks = true\nretry_schedule = [\"2s\", \"2s\", \"2s\"]\n",
        sink.address
    );
    let process = Process::start(dir.path(), &config);
    let first = &process.ready["first_run"];
    let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap());
    let api = Api::new(&format!("http://{}", process.address("http"))).with_key(key);
    let inbox = api.post("/v1/inboxes", json!({})).await.expect(201).text("id").to_owned();
    let letter = json!({ "to": "dana@x.example", "subject": "Plan", "text": "Here." });
    sink.script("RCPT TO", "450 4.2.0 later", 1);
    let path = format!("/v1/inboxes/{inbox}/messages");
    let id = api.post(&path, letter.clone()).await.expect(202).text("id").to_owned();
    let message = async || api.get(&format!("/v1/messages/{id}")).await.expect(200);
    until(async || (message().await["delivery"][0]["attempts"] == 1).then_some(())).await;
    api.post("/v1/emergency-stop", json!({ "reason": "Look first." })).await.expect(200);
    until(async || {
        let metrics = api.get("/metrics").await.expect(200);
        let text = String::from_utf8(metrics.bytes).unwrap();
        text.lines().any(|line| line.contains("kind=\"outbound\"") && line.contains("outcome=\"hold\"")).then_some(())
    })
    .await;
    api.post(&path, letter.clone()).await.error("workspace_stopped");
    assert_eq!(message().await["status"], "queued");

    let set = command(dir.path(), &["workspace", "set", workspace, "--resume"]);
    assert_eq!(set["emergency_stopped_at"], Value::Null, "{set}");
    until(async || (message().await["status"] == "sent").then_some(())).await;
    api.post(&path, letter).await.expect(202);
    let events = api.get("/v1/events?types=workspace.stopped,workspace.resumed").await.expect(200);
    let told: Vec<(&Value, &Value)> =
        events.data().iter().map(|event| (&event["type"], &event["data"]["actor"]["type"])).collect();
    assert_eq!(
        told,
        [(&json!("workspace.stopped"), &json!("api_key")), (&json!("workspace.resumed"), &json!("operator"))]
    );
    assert!(process.stop().success(), "SIGTERM is a clean end");
}
