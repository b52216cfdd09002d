//! `posthouse doctor`: whether this machine and this key can use the server. Changes nothing.

use std::time::Duration;

use clap::Args;
use hyper::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    api::{Api, ApiResponse, Call},
    clock,
    error::ClientError,
    http::{Http, HttpRequest},
    output::{Column, column},
    profiles::ConfigFile,
    session::Session,
    stream::{EventStream, Subscription},
};

/// The largest difference between the clocks, in seconds, at which signatures are still accepted.
const CLOCK_SECONDS_MAX: i64 = 300;
/// A difference that is worth a warning.
const CLOCK_SECONDS_WARN: i64 = 30;
/// How long the stream may take to open.
const STREAM_TIMEOUT: Duration = Duration::from_secs(15);

/// Options of `posthouse doctor`.
#[derive(Args, Debug)]
pub struct Doctor {}

/// The result of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Ok,
    Warning,
    Failed,
}

/// Results of the checks so far.
#[derive(Default)]
struct Checks(Vec<Value>, bool);

const COLUMNS: &[Column] = &[column("Check", "check"), column("Result", "result"), column("What", "detail")];

impl Checks {
    fn add(&mut self, check: &str, outcome: Outcome, detail: impl Into<String>) {
        let result = match outcome {
            Outcome::Ok => "ok",
            Outcome::Warning => "warning",
            Outcome::Failed => "failed",
        };
        self.1 |= outcome == Outcome::Failed;
        self.0.push(json!({ "check": check, "result": result, "detail": detail.into() }));
    }
}

/// Checks the stored key, the server, the key and the stream.
pub(crate) async fn run(session: &Session, _: Doctor) -> Result<(), ClientError> {
    let mut checks = Checks::default();
    stored_key(session, &mut checks);
    server(session, &mut checks).await?;
    session.output.items(&checks.0, COLUMNS)?;
    if checks.1 { Err(ClientError::Failed("a check failed; do what it says and try again".to_owned())) } else { Ok(()) }
}

fn stored_key(session: &Session, checks: &mut Checks) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(file) = ConfigFile::read(&session.environment) else {
        return checks.add("stored key", Outcome::Failed, "the configuration file can't be read; run posthouse login");
    };
    let path = file.path().display().to_string();
    match std::fs::metadata(file.path()).map(|found| found.permissions().mode() & 0o077) {
        Err(_) => checks.add("stored key", Outcome::Ok, "none is stored"),
        Ok(0) => checks.add("stored key", Outcome::Ok, format!("only you can read {path}")),
        Ok(_) => {
            checks.add("stored key", Outcome::Failed, format!("others can read {path}; run chmod 600 on it"));
        }
    }
}

async fn server(session: &Session, checks: &mut Checks) -> Result<(), ClientError> {
    let (credentials, no_key) = session.credentials_or_reason()?;
    let base = credentials.base.as_str().trim_end_matches('/').to_owned();
    let http = Http::new(credentials.base)?;
    match http.send(HttpRequest::new(Method::GET, "/healthz")).await {
        Ok(response) if response.status == 200 => checks.add("server", Outcome::Ok, format!("{base} answers")),
        Ok(response) => {
            let text = format!("{base} answered /healthz with {}; check the address", response.status);
            checks.add("server", Outcome::Failed, text);
            return Ok(());
        }
        Err(error) => {
            checks.add("server", Outcome::Failed, error.to_string());
            return Ok(());
        }
    }
    match http.send(HttpRequest::new(Method::GET, "/readyz")).await {
        Ok(response) if response.status == 200 => checks.add("ready", Outcome::Ok, "store and listeners work"),
        _ => checks.add("ready", Outcome::Failed, "the server is not ready; its operator runs posthouse admin check"),
    }
    encryption(http.base(), checks);
    let Some(key) = credentials.key else {
        checks.add("key", Outcome::Failed, no_key);
        return Ok(());
    };
    let api = Api::new(http, Some(key));
    if let Some(account) = key_works(&api, checks).await {
        clocks(&account, checks);
        stream(&api, checks).await;
        own_address(&api, checks).await;
    }
    Ok(())
}

fn encryption(base: &url::Url, checks: &mut Checks) {
    let is_loopback = match base.host() {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match (base.scheme(), is_loopback) {
        ("https", _) => checks.add("encryption", Outcome::Ok, "TLS with a certificate that this machine trusts"),
        (_, true) => checks.add("encryption", Outcome::Ok, "none is needed on this machine"),
        _ => checks.add("encryption", Outcome::Failed, "others can read the key on its way; use https://"),
    }
}

async fn key_works(api: &Api, checks: &mut Checks) -> Option<ApiResponse> {
    match api.call(Call::get("/v1/account")).await {
        Ok(account) => {
            let name = account.body["workspace"]["name"].as_str().unwrap_or_default();
            let scope = account.body["key"]["scope"].as_str().unwrap_or_default();
            checks.add("key", Outcome::Ok, format!("works for {name}, scope {scope}"));
            Some(account)
        }
        Err(error) if error.has_status(403) => {
            checks.add("key", Outcome::Warning, "works, but lacks inboxes:read, which most commands need");
            None
        }
        Err(error) => {
            checks.add("key", Outcome::Failed, error.to_string());
            None
        }
    }
}

fn clocks(account: &ApiResponse, checks: &mut Checks) {
    let Some(date) = account.date else { return };
    let seconds = (clock::unix_seconds() - date.as_second()).abs();
    let outcome = match seconds {
        0..=CLOCK_SECONDS_WARN => Outcome::Ok,
        _ if seconds <= CLOCK_SECONDS_MAX => Outcome::Warning,
        _ => Outcome::Failed,
    };
    let advice = if outcome == Outcome::Ok { "" } else { "; set the clock of this machine, or signatures fail" };
    checks.add("clock", outcome, format!("{seconds} s from the server's{advice}"));
}

async fn stream(api: &Api, checks: &mut Checks) {
    let mut stream = EventStream::new(api, Subscription::default());
    match timeout(STREAM_TIMEOUT, stream.connect()).await {
        Ok(Ok(())) => checks.add("stream", Outcome::Ok, "events arrive over WebSocket"),
        Ok(Err(error)) => checks.add("stream", Outcome::Failed, error.to_string()),
        Err(_) => checks.add("stream", Outcome::Failed, "no answer; a proxy between may not let WebSockets through"),
    }
}

/// Compares the address that the server puts into links with the one that is used.
async fn own_address(api: &Api, checks: &mut Checks) {
    let Ok(token) = api.json(Call::post("/v1/stream/token")).await else { return };
    let own = token["url"].as_str().and_then(|url| url.split_once("/v1/stream")).map(|(base, _)| base.to_owned());
    let Some(own) = own.and_then(|own| own.strip_prefix("ws").map(|rest| format!("http{rest}"))) else { return };
    if own == api.base() {
        checks.add("base_url", Outcome::Ok, "the server knows its address");
    } else {
        let text = format!("the server calls itself {own}, so links in mail lead there; its operator sets base_url");
        checks.add("base_url", Outcome::Warning, text);
    }
}
