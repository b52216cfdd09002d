//! `posthouse rehearse`: attack mails for the user's own agent, on a service that is thrown away.

mod mails;
mod report;
mod trap;

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use clap::Args;
use hyper::Method;
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
    time::{sleep, timeout},
};
use url::Url;

use crate::{
    api::{Api, Call, Query, segment},
    entropy, environment,
    error::ClientError,
    http::{Http, HttpRequest},
    session::Session,
};
use mails::{Attack, AttackSet};
use report::Outcome;
use trap::Trap;

/// How long the service may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How often the start is checked.
const START_POLL: Duration = Duration::from_millis(100);
/// How long the service may take to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);
/// When every rehearsal begins, an hour after the date of its mails. From there on, the clock of the service runs.
const CLOCK_START: &str = "2026-01-15T09:00:00Z";
/// Sent messages that are read.
const SENT_MAX: usize = 2_000;

const EXAMPLES: &str = "\
Examples:
  Run a program for each attack mail; it gets the message as JSON on standard
  input, and POSTHOUSE_BASE_URL and POSTHOUSE_API_KEY for the service:
    posthouse rehearse --exec './agent.py'
  Let an agent that runs already work for two minutes:
    posthouse rehearse --wait 120

The service runs on this machine, captures all mail and is removed at the end.
It shows risky mail to the agent, unless --screened is given.
The exit code is 1 if the agent did what an attack wanted.";

/// Options of `posthouse rehearse`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = "posthouse rehearse [OPTIONS] <--exec COMMAND | --wait SECONDS | --list>")]
#[group(id = "agent", required = true, args = ["exec", "wait", "list"])]
pub struct Rehearse {
    /// Shell command that handles one message.
    #[arg(long, value_name = "COMMAND")]
    exec: Option<String>,
    /// Seconds that an agent has to handle all messages by the API, 1 to 3600.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    wait: Option<u64>,
    /// Only list the attacks.
    #[arg(long)]
    list: bool,
    /// Seconds that the command has for one message, 1 to 600.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Hold risky mail, as a new workspace does: shows what remains of the attacks.
    #[arg(long)]
    screened: bool,
    /// Only the attacks with these ids, separated by commas.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
}

/// A service that runs for one rehearsal.
struct Stage {
    api: Api,
    key: String,
    inbox: String,
    address: String,
    process: Child,
    directory: PathBuf,
}

/// Rehearses, and reports what the agent would have done.
pub(crate) async fn run(session: &Session, given: Rehearse) -> Result<(), ClientError> {
    let set = AttackSet::bundled().only(&given.only)?;
    if given.list {
        let list: Vec<Value> =
            set.attacks.iter().map(|attack| json!({ "id": attack.id, "kind": attack.kind })).collect();
        return report::list(session, &set.version, list);
    }
    let trap = Trap::open().await?;
    let mut stage = Stage::start(given.screened).await?;
    let played = play(session, &mut stage, &trap, &set, &given).await;
    stage.stop().await;
    report::show(session, &set.version, &played?)
}

async fn play(
    session: &Session,
    stage: &mut Stage,
    trap: &Trap,
    set: &AttackSet,
    given: &Rehearse,
) -> Result<Vec<Outcome>, ClientError> {
    for mail in &set.context {
        stage.deliver(&mail.render("context", &stage.address, &trap.address())).await?;
    }
    let mut outcomes: Vec<Outcome> = set.attacks.iter().map(Outcome::new).collect();
    for (attack, outcome) in set.attacks.iter().zip(&mut outcomes) {
        let message = stage.deliver(&attack.render(&attack.id, &stage.address, &trap.address())).await?;
        if message["withheld"].is_object() {
            // Agents don't get it.
            outcome.agent = report::HELD;
        } else if let Some(command) = &given.exec {
            session.output.progress(&format!("{}: {}", attack.id, attack.kind));
            outcome.agent = stage.run_agent(command, &message, Duration::from_secs(given.timeout)).await?;
        }
    }
    if let Some(seconds) = given.wait {
        let text = format!(
            "The agent has {seconds} seconds: POSTHOUSE_BASE_URL={} POSTHOUSE_API_KEY={} POSTHOUSE_INBOX_ID={}",
            stage.api.base(),
            stage.key,
            stage.inbox
        );
        session.output.note(&text);
        sleep(Duration::from_secs(seconds)).await;
    }
    let sent = stage.sent().await?;
    for outcome in &mut outcomes {
        outcome.judge(&sent, &trap.clicks(), &set.code);
    }
    report::attribute_leaks(&mut outcomes, &sent, set);
    Ok(outcomes)
}

impl Stage {
    async fn start(is_screened: bool) -> Result<Self, ClientError> {
        let program = environment::program().ok_or_else(|| failed("the path of this program is unknown"))?;
        let name: String = entropy::bytes::<8>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        let directory = environment::temporary_directory().join(format!("posthouse-rehearsal-{name}"));
        std::fs::create_dir(&directory).map_err(|error| failed(&error.to_string()))?;
        let ready = directory.join("ready.json");
        let mut process = Command::new(&program)
            .arg("serve")
            .args([
                "--http-listen",
                "127.0.0.1:0",
                "--smtp-listen",
                "127.0.0.1:0",
                "--submission-listen",
                "127.0.0.1:0",
            ])
            .arg("--data-dir")
            .arg(data_directory(&directory))
            .arg("--ready-file")
            .arg(&ready)
            .args(["--clock-start", CLOCK_START])
            .env_clear()
            .current_dir(&directory)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(&error.to_string()))?;
        let started = timeout(START_TIMEOUT, read_ready(&ready, &mut process)).await;
        let document = started.map_err(|_| failed("the service didn't get ready"))??;
        if !is_screened {
            let workspace = document["first_run"]["workspace_id"].as_str().unwrap_or_default();
            show_all(&program, &directory, workspace).await?;
        }
        let base = format!("http://{}", document["http"].as_str().unwrap_or_default());
        let base = Url::parse(&base).map_err(|_| failed("the service has no address"))?;
        let key = document["first_run"]["api_key"].as_str().unwrap_or_default().to_owned();
        let api = Api::new(Http::new(base)?, Some(key.clone()));
        let body = json!({ "username": "rehearsal", "display_name": "Rehearsal" });
        let inbox = api.json(Call::post("/v1/inboxes").body(body)).await?;
        let text = |name: &str| inbox[name].as_str().unwrap_or_default().to_owned();
        Ok(Self { inbox: text("id"), address: text("address"), api, key, process, directory })
    }

    /// Delivers a mail and returns the message.
    async fn deliver(&self, mail: &str) -> Result<Value, ClientError> {
        let target = format!("/dev/inbound?to={}", segment(&self.address));
        let request = HttpRequest::new(Method::POST, target).with_body("message/rfc822", mail.to_owned());
        let response = self.api.http().send(request).await?;
        let body: Value = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
        let Some(id) = body["message_ids"][0].as_str() else {
            let why = body["error"]["message"].as_str().unwrap_or("no answer").to_owned();
            return Err(ClientError::Failed(format!("the service refused a mail of the rehearsal: {why}")));
        };
        self.api.json(Call::get(format!("/v1/messages/{}", segment(id)))).await
    }

    /// Runs the agent for a message, and returns how it ended.
    async fn run_agent(&self, command: &str, message: &Value, limit: Duration) -> Result<&'static str, ClientError> {
        let failed = |error: std::io::Error| ClientError::Failed(format!("cannot run sh for --exec: {error}"));
        let mut child = Command::new("sh")
            .args(["-c", command])
            .env("POSTHOUSE_BASE_URL", self.api.base())
            .env("POSTHOUSE_API_KEY", &self.key)
            .env("POSTHOUSE_INBOX_ID", &self.inbox)
            .env("POSTHOUSE_MESSAGE_ID", message["id"].as_str().unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        if let Some(mut input) = child.stdin.take() {
            // A program that doesn't read its input is no error.
            let _ = input.write_all(message.to_string().as_bytes()).await;
        }
        Ok(match timeout(limit, child.wait()).await {
            Ok(status) => {
                if status.map_err(failed)?.success() {
                    "done"
                } else {
                    "failed"
                }
            }
            Err(_) => "timed_out",
        })
    }

    /// Returns the messages that the agent sent, oldest first.
    async fn sent(&self) -> Result<Vec<Value>, ClientError> {
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let query =
                Query::default().with("direction", "outbound").with("limit", 100).maybe("cursor", cursor.as_ref());
            let page = self.api.json(Call::get(format!("/v1/inboxes/{}/messages", self.inbox)).query(&query)).await?;
            all.extend(page["data"].as_array().into_iter().flatten().cloned());
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() || all.len() >= SENT_MAX {
                all.reverse();
                return Ok(all);
            }
        }
    }

    async fn stop(&mut self) {
        if let Some(pid) = self.process.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        if timeout(STOP_TIMEOUT, self.process.wait()).await.is_err() {
            let _ = self.process.kill().await;
        }
        // What is left is below the directory of temporary files.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Returns the error of a rehearsal that can't start.
fn failed(what: &str) -> ClientError {
    ClientError::Failed(format!("the rehearsal can't start: {what}"))
}

fn data_directory(directory: &Path) -> PathBuf {
    directory.join("data")
}

/// Makes the service show risky mail to agents, with its labels: an agent can't obey what it doesn't get.
async fn show_all(program: &Path, directory: &Path, workspace: &str) -> Result<(), ClientError> {
    let status = Command::new(program)
        .args(["workspace", "set", workspace, "--screening", "monitor", "--clock-start", CLOCK_START, "--data-dir"])
        .arg(data_directory(directory))
        .env_clear()
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status();
    let status = timeout(START_TIMEOUT, status).await.map_err(|_| failed("the workspace can't be changed"))?;
    if status.is_ok_and(|status| status.success()) {
        return Ok(());
    }
    Err(failed("the workspace can't be changed"))
}

async fn read_ready(path: &std::path::Path, process: &mut Child) -> Result<Value, ClientError> {
    loop {
        if let Some(document) = std::fs::read(path).ok().and_then(|text| serde_json::from_slice(&text).ok()) {
            return Ok(document);
        }
        if let Ok(Some(status)) = process.try_wait() {
            return Err(ClientError::Failed(format!("the service of the rehearsal ended: {status}")));
        }
        sleep(START_POLL).await;
    }
}

impl Attack {
    /// Returns the address that only this attack names.
    fn collector(&self) -> String {
        mails::collector(&self.id)
    }
}
