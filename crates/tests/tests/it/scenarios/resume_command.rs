//! Ending an emergency stop with the operator's command while the service runs: held messages leave at once, although
//! another process ended the stop.

use std::{path::Path, process::Command, time::Duration};

use posthouse_tests::{
    dir::ScratchDir,
    http::Api,
    postgres::Cluster,
    process::{ServiceProcess, binary},
    smtp_sink::SmtpSink,
};
use serde_json::{Value, json};

/// How long the service may take, in seconds. Without the wake-up a hold takes ten minutes.
const SOON_S: u64 = 60;

/// Repeats a request until it returns a value.
async fn poll_until<T>(request: impl AsyncFn() -> Option<T>) -> T {
    let polling = async {
        loop {
            if let Some(answer) = request().await {
                return answer;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(SOON_S), polling).await.expect("the service does it in time")
}

fn command(dir: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(binary())
        .args(arguments)
        .args(["--json", "--config", "posthouse.toml"])
        .current_dir(dir)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[tokio::test]
async fn the_resume_command_ends_a_stop_and_releases_held_messages() {
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
    let process = ServiceProcess::start(dir.path(), &config);
    let first = &process.ready["first_run"];
    let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap());
    let api = Api::new(&format!("http://{}", process.address("http"))).with_key(key);
    let inbox = api.post("/v1/inboxes", json!({})).await.expect(201).text("id").to_owned();
    let body = json!({ "to": "dana@x.example", "subject": "Plan", "text": "Here." });
    sink.script("RCPT TO", "450 4.2.0 later", 1);
    let path = format!("/v1/inboxes/{inbox}/messages");
    let id = api.post(&path, body.clone()).await.expect(202).text("id").to_owned();
    let message = async || api.get(&format!("/v1/messages/{id}")).await.expect(200);
    poll_until(async || (message().await["delivery"][0]["attempts"] == 1).then_some(())).await;
    api.post("/v1/emergency-stop", json!({ "reason": "Look first." })).await.expect(200);
    poll_until(async || {
        let metrics = api.get("/metrics").await.expect(200);
        let text = String::from_utf8(metrics.bytes).unwrap();
        text.lines().any(|line| line.contains("kind=\"outbound\"") && line.contains("outcome=\"hold\"")).then_some(())
    })
    .await;
    api.post(&path, body.clone()).await.error("workspace_stopped");
    assert_eq!(message().await["status"], "queued");

    let set = command(dir.path(), &["workspace", "set", workspace, "--resume"]);
    assert_eq!(set["emergency_stopped_at"], Value::Null, "{set}");
    poll_until(async || (message().await["status"] == "sent").then_some(())).await;
    api.post(&path, body).await.expect(202);
    let events = api.get("/v1/events?types=workspace.stopped,workspace.resumed").await.expect(200);
    let actors: Vec<(&Value, &Value)> =
        events.data().iter().map(|event| (&event["type"], &event["data"]["actor"]["type"])).collect();
    assert_eq!(
        actors,
        [(&json!("workspace.stopped"), &json!("api_key")), (&json!("workspace.resumed"), &json!("operator"))]
    );
    assert!(process.stop().success(), "SIGTERM is a clean end");
}
