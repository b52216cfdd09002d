//! A worker against a scripted queue: what it does with a lease while its program runs, and at its end.

use std::path::{Path, PathBuf};

use super::*;
use crate::{
    environment,
    scripted::{Reply, ScriptedServer},
};

/// The id of the inbox.
const INBOX: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn work(command: &str) -> Work {
    Work { command: command.to_owned(), jobs: 1, lease_seconds: 1, count: Some(1) }
}

fn claimed(delivery_count: u64) -> Vec<Reply> {
    let message = json!({ "id": "m1", "thread_id": "t1", "created_at": "2026-01-01T00:00:00.000Z" });
    let claim = json!({ "lease_id": "l1", "lease_until": "x", "delivery_count": delivery_count, "message": message });
    vec![
        Reply::json(200, &json!({ "id": INBOX, "address": "a@b.example" })),
        Reply::json(200, &json!({ "paused": false, "data": [claim] })),
    ]
}

async fn worked(server: &ScriptedServer, command: &str) -> Vec<String> {
    run(&server.session(), work(command), vec![INBOX.to_owned()]).await.unwrap();
    server.requests().split_off(2)
}

/// A pipe that a program reads until the test lets it end.
struct Gate(PathBuf);

impl Gate {
    fn new(name: &str) -> Self {
        let path = environment::temporary_directory().join(format!("posthouse-gate-{name}-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self(path)
    }

    fn program(&self) -> String {
        format!("read line < {}", self.0.display())
    }

    async fn open(&self) {
        let path: &Path = &self.0;
        tokio::fs::write(path, "go\n").await.unwrap();
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn the_lease_is_extended_while_the_program_runs() {
    let mut script = claimed(1);
    script.extend((0..2).map(|_| Reply::json(200, &json!({ "gone": false }))));
    script.push(Reply::json(200, &json!({ "acked": true })));
    let (server, gate) = (ScriptedServer::start(script).await, Gate::new("extend"));
    let program = gate.program();
    let opening = async {
        server.wait_for(4).await;
        gate.open().await;
    };
    let (requests, ()) = tokio::join!(worked(&server, &program), opening);
    let extend = "POST /v1/messages/m1/extend";
    assert_eq!(requests, [extend, extend, "POST /v1/messages/m1/ack"]);
    assert_eq!(server.body(2), json!({ "lease_id": "l1", "lease_seconds": 1 }));
    assert_eq!(server.body(4), json!({ "lease_id": "l1", "mark_read": true }));
}

#[tokio::test]
async fn a_program_whose_lease_is_lost_is_stopped_and_settles_nothing() {
    let expired = json!({ "error": { "code": "lease_expired", "message": "The lease has ended." } });
    for lost in [Reply::json(200, &json!({ "gone": true })), Reply::json(409, &expired)] {
        let mut script = claimed(1);
        script.push(lost);
        let (server, gate) = (ScriptedServer::start(script).await, Gate::new("lost"));
        assert_eq!(worked(&server, &gate.program()).await, ["POST /v1/messages/m1/extend"]);
    }
}

#[tokio::test]
async fn a_failed_program_returns_its_message_later_each_time_until_it_is_a_dead_letter() {
    for (delivery_count, delay_seconds, dead_letter) in
        [(1, 5, false), (2, 10, false), (6, 160, false), (7, 300, false), (10, 300, true)]
    {
        let mut script = claimed(delivery_count);
        script.push(Reply::json(200, &json!({ "dead_letter": dead_letter })));
        let server = ScriptedServer::start(script).await;
        assert_eq!(worked(&server, "exit 3").await, ["POST /v1/messages/m1/nack"]);
        assert_eq!(server.body(2), json!({ "lease_id": "l1", "delay_seconds": delay_seconds }));
    }
}
