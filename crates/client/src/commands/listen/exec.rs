//! `posthouse listen --exec`: a worker of the queue that runs a program for each message.

use std::{cell::Cell, process::Stdio, time::Duration};

use futures_util::future::try_join_all;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    process::{Child, Command},
    signal::unix::{SignalKind, signal},
    sync::watch,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use crate::{
    api::{Api, Call, segment},
    clock::Deadline,
    error::ClientError,
    inbox::{self, InboxRef},
    session::Session,
};

/// How long a claim waits for a message, in seconds.
const CLAIM_WAIT_SECONDS: u64 = 20;
/// The pause while the queue is paused or the server is not reachable.
const PAUSE: Duration = Duration::from_secs(10);
/// How long a program may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(10);
/// The longest delay of a message that is returned, in seconds.
const DELAY_SECONDS_MAX: u64 = 300;
/// The name of this worker in the queue.
const CONSUMER: &str = "posthouse listen";

/// What to run.
pub(super) struct Work {
    /// The shell command.
    pub(super) command: String,
    /// Programs that run at once.
    pub(super) jobs: u8,
    /// Length of a lease in seconds.
    pub(super) lease_seconds: u32,
    /// How many messages to process; `None` for no end.
    pub(super) count: Option<u64>,
}

/// One worker on one inbox.
struct Worker<'a> {
    session: &'a Session,
    api: &'a Api,
    work: &'a Work,
    inbox: &'a InboxRef,
    left: &'a Cell<u64>,
    stop: watch::Receiver<bool>,
}

/// How a program ended.
enum Ended {
    Success,
    Failure(String),
    /// Another worker has the message.
    LeaseLost,
}

/// Processes messages until the count is reached or the command is interrupted.
pub(super) async fn run(session: &Session, work: Work, inboxes: Vec<String>) -> Result<(), ClientError> {
    let api = session.api()?;
    let mut found = Vec::new();
    for inbox in &inboxes {
        found.push(inbox::find(&api, inbox).await?);
    }
    let names: Vec<&str> = found.iter().map(InboxRef::shown).collect();
    session.output.note(&format!("Waiting for messages of {}. Stop with Ctrl-C.", names.join(", ")));
    let left = Cell::new(work.count.unwrap_or(u64::MAX));
    let (stop_sender, stop) = watch::channel(false);
    let workers = found
        .iter()
        .flat_map(|inbox| (0..work.jobs).map(move |_| inbox))
        .map(|inbox| Worker { session, api: &api, work: &work, inbox, left: &left, stop: stop.clone() }.run());
    let all = try_join_all(workers);
    let unusable = |error| ClientError::Failed(format!("signals can't be received: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(unusable)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(unusable)?;
    tokio::pin!(all);
    tokio::select! {
        done = &mut all => return done.map(drop),
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    session.output.note("Stopping: no more messages are claimed.");
    let _ = stop_sender.send(true);
    all.await.map(drop)
}

impl Worker<'_> {
    async fn run(mut self) -> Result<(), ClientError> {
        while self.left.get() > 0 && !*self.stop.borrow() {
            self.left.set(self.left.get() - 1);
            let Some(claim) = self.claim().await? else { return Ok(()) };
            let ended = self.process(&claim).await?;
            self.settle(&claim, ended).await?;
        }
        Ok(())
    }

    /// Waits for a message. Returns `None` when the command is interrupted.
    async fn claim(&mut self) -> Result<Option<Value>, ClientError> {
        let body = json!({
            "limit": 1, "wait": CLAIM_WAIT_SECONDS, "lease_seconds": self.work.lease_seconds, "consumer": CONSUMER
        });
        loop {
            let call = Call::post(self.inbox.path("/messages/claim")).body(body.clone());
            let claiming = self.api.json(call.waiting(Duration::from_secs(CLAIM_WAIT_SECONDS)));
            let claimed = tokio::select! {
                _ = self.stop.changed() => return Ok(None),
                claimed = claiming => claimed,
            };
            match claimed {
                Ok(claimed) => {
                    if let Some(claim) = claimed["data"].get(0) {
                        return Ok(Some(claim.clone()));
                    }
                    if claimed["paused"].as_bool() == Some(true) {
                        self.session.output.note(&format!("{} is paused; waiting.", self.inbox.shown()));
                        self.pause(PAUSE).await;
                    }
                }
                Err(error) => {
                    let wait = retry_after(&error).ok_or(error)?;
                    self.session.output.note("The server does not answer; trying again.");
                    self.pause(wait).await;
                }
            }
            if *self.stop.borrow() {
                return Ok(None);
            }
        }
    }

    async fn pause(&mut self, time: Duration) {
        let _ = timeout(time, self.stop.changed()).await;
    }

    /// Runs the program with the message on standard input, and extends the lease while it runs.
    async fn process(&mut self, claim: &Value) -> Result<Ended, ClientError> {
        let mut child = self.start(claim)?;
        let mut stdin = child.stdin.take();
        let input = format!("{}\n", event(claim, self.inbox));
        let feed = async move {
            // A program need not read its input.
            if let Some(pipe) = &mut stdin {
                let _ = pipe.write_all(input.as_bytes()).await;
            }
        };
        let mut extend = interval(Duration::from_secs(u64::from(self.work.lease_seconds)) / 3);
        extend.set_missed_tick_behavior(MissedTickBehavior::Delay);
        extend.tick().await;
        let waited = {
            // A process that the program left behind may hold its input open.
            let wait = async {
                tokio::select! {
                    () = feed => child.wait().await,
                    status = child.wait() => status,
                }
            };
            tokio::pin!(wait);
            loop {
                tokio::select! {
                    ended = &mut wait => break Some(ended),
                    _ = self.stop.changed() => break None,
                    _ = extend.tick() => if !self.extend(claim).await { break None },
                }
            }
        };
        let status = match waited {
            Some(status) => status,
            None => {
                let is_lost = !*self.stop.borrow();
                let status = end(&mut child).await;
                if is_lost {
                    return Ok(Ended::LeaseLost);
                }
                status
            }
        };
        let status =
            status.map_err(|error| ClientError::Failed(format!("the program can't be waited for: {error}")))?;
        Ok(if status.success() { Ended::Success } else { Ended::Failure(status.to_string()) })
    }

    fn start(&self, claim: &Value) -> Result<Child, ClientError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let message = &claim["message"];
        Command::new("sh")
            .args(["-c", &self.work.command])
            .env("POSTHOUSE_MESSAGE_ID", text(&message["id"]))
            .env("POSTHOUSE_THREAD_ID", text(&message["thread_id"]))
            .env("POSTHOUSE_INBOX_ID", &self.inbox.id)
            .env("POSTHOUSE_DELIVERY_COUNT", claim["delivery_count"].to_string())
            .stdin(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| ClientError::Failed(format!("cannot run sh for --exec: {error}")))
    }

    /// Extends the lease. Returns whether this worker still has the message.
    async fn extend(&self, claim: &Value) -> bool {
        let body = json!({ "lease_id": claim["lease_id"], "lease_seconds": self.work.lease_seconds });
        match self.api.json(Call::post(path(claim, "extend")).body(body)).await {
            Ok(answer) => answer["gone"].as_bool() != Some(true),
            Err(error) => error.code() != "lease_expired",
        }
    }

    /// Acks or nacks the message.
    async fn settle(&self, claim: &Value, ended: Ended) -> Result<(), ClientError> {
        let count = claim["delivery_count"].as_u64().unwrap_or(1);
        let (action, body, what) = match ended {
            Ended::Success => ("ack", json!({ "lease_id": claim["lease_id"], "mark_read": true }), "acked".to_owned()),
            Ended::Failure(why) => {
                let delay = 5_u64.saturating_mul(1 << count.clamp(1, 10).saturating_sub(1)).min(DELAY_SECONDS_MAX);
                let body = json!({ "lease_id": claim["lease_id"], "delay_seconds": delay });
                ("nack", body, format!("returned to the queue for {delay} s ({why})"))
            }
            Ended::LeaseLost => return self.report(claim, "lost", "the lease ended; the program was stopped"),
        };
        // A server that is restarted comes back. Once the lease has ended, another worker may get the message.
        let deadline = Deadline::after(Duration::from_secs(u64::from(self.work.lease_seconds)));
        let answer = loop {
            match self.api.json(Call::post(path(claim, action)).body(body.clone())).await {
                Ok(answer) => break answer,
                // Another worker may have it already, which is what a lease allows.
                Err(error) if error.code() == "lease_expired" => {
                    return self.report(claim, "lost", "the lease ended before the result was stored");
                }
                Err(error) => match retry_after(&error) {
                    Some(wait) if wait < deadline.remaining() => sleep(wait).await,
                    Some(_) => return self.report(claim, "lost", "the lease ended before the server answered"),
                    None => return Err(error),
                },
            }
        };
        let is_dead = answer["dead_letter"].as_bool() == Some(true);
        let what = if is_dead { "failed ten times: it is a dead letter now".to_owned() } else { what };
        self.report(claim, if is_dead { "dead_letter" } else { action }, &what)
    }

    fn report(&self, claim: &Value, result: &str, what: &str) -> Result<(), ClientError> {
        let id = claim["message"]["id"].as_str().unwrap_or_default();
        let count = &claim["delivery_count"];
        let line = json!({ "message_id": id, "result": result, "delivery_count": count, "detail": what });
        self.session.output.sentence(&format!("{id}  {what}"), &line)
    }
}

fn path(claim: &Value, action: &str) -> String {
    format!("/v1/messages/{}/{action}", segment(claim["message"]["id"].as_str().unwrap_or_default()))
}

/// Returns what the program reads: the message in the form of its event, and the claim.
fn event(claim: &Value, inbox: &InboxRef) -> Value {
    let message = &claim["message"];
    json!({
        "type": "message.received",
        "created_at": message["created_at"],
        "data": {
            "inbox": { "id": inbox.id, "address": inbox.address.as_deref().unwrap_or_default() },
            "thread_id": message["thread_id"],
            "message": message,
        },
        "claim": {
            "lease_id": claim["lease_id"],
            "lease_until": claim["lease_until"],
            "delivery_count": claim["delivery_count"],
        },
    })
}

/// Returns after which time a failed request may be repeated, or `None` if it never succeeds.
fn retry_after(error: &ClientError) -> Option<Duration> {
    match error {
        ClientError::Unreachable(_) | ClientError::Failed(_) => Some(PAUSE),
        ClientError::Api(error) if matches!(error.status, 429 | 500..=599) => {
            Some(error.retry_after_s.map_or(PAUSE, Duration::from_secs).min(PAUSE))
        }
        _ => None,
    }
}

/// Ends a program and everything it started.
async fn end(child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let send = |signal| group.map(|group| kill_process_group(group, signal));
    send(Signal::TERM);
    if let Ok(status) = timeout(GRACE, child.wait()).await {
        return status;
    }
    send(Signal::KILL);
    child.wait().await
}

#[cfg(test)]
mod tests;
