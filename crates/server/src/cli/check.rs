//! `posthouse check`, the doctor: one line a check, what it found and what to do (operations.md).
//!
//! Changes nothing that a start would not change; exit code 1 when a check failed, 0 with warnings.

mod instance_key;
mod integrity;
mod names;
mod network;
mod reputation;
mod store;

use std::{future::Future, sync::Arc, time::Duration};

use clap::Args;
use posthouse_domain::time::{DAY_MS, Time};
use serde_json::{Value, json};

use super::{Common, Done, Failure, print};
use crate::{
    app::{App, check_reputation::look_up, keep_certificate, obtain_certificate},
    boot,
    config::{Config, DeliveryMode},
    ports::Dns,
    tls::{self, CertificateFacts},
};

/// Days before its end from which a certificate is worth a warning.
const CERTIFICATE_DAYS_LOW: i64 = 14;
/// How long each part of the look at the outside world may take, in milliseconds. They go on beside each other.
const PART_MS_MAX: u64 = 25_000;

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Ok,
    Warning,
    Failed,
}

impl Level {
    const fn text(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warning => "warning",
            Level::Failed => "failed",
        }
    }
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    level: Level,
    what: String,
    /// What to do; empty when all is well.
    advice: String,
}

impl Finding {
    fn ok(what: impl Into<String>) -> Self {
        Self { level: Level::Ok, what: what.into(), advice: String::new() }
    }

    fn warning(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { level: Level::Warning, what: what.into(), advice: advice.into() }
    }

    /// A failure of something that not everybody uses.
    fn at_most_a_warning(mut self) -> Self {
        if matches!(self.level, Level::Failed) {
            self.level = Level::Warning;
        }
        self
    }

    fn failed(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { level: Level::Failed, what: what.into(), advice: advice.into() }
    }

    fn line(&self) -> String {
        let line = format!("{:<8} {}", self.level.text(), self.what);
        if self.advice.is_empty() { line } else { format!("{line}: {}", self.advice) }
    }

    fn view(&self) -> Value {
        let advice = (!self.advice.is_empty()).then_some(self.advice.as_str());
        json!({ "status": self.level.text(), "check": self.what, "advice": advice })
    }
}

/// `posthouse check`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Leave out what reads all that is stored: the integrity check of the database, and the bytes of the blobs.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(options: &Options) -> Result<(), Failure> {
    let common = &options.common;
    let config = common.load()?;
    let findings = super::runtime()?.block_on(look(&config, options.quick));
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let (failed, warnings) = (count(Level::Failed), count(Level::Warning));
    let lines: Vec<String> = findings.iter().map(Finding::line).collect();
    let json = json!({
        "ok": failed == 0, "failed": failed, "warnings": warnings,
        "checks": findings.iter().map(Finding::view).collect::<Vec<Value>>(),
    });
    print(common, &json, &lines.join("\n"), &Done::Nothing)?;
    if failed > 0 {
        return Err(Failure::Failed(format!("{failed} of {} checks failed", findings.len())));
    }
    Ok(())
}

async fn look(config: &Config, quick: bool) -> Vec<Finding> {
    let mut findings = vec![configuration(config)];
    findings.extend(store::check(config, quick).await);
    // The line about the database says why there is none.
    let app = boot::bare_program(config).ok();
    if let Some(app) = &app {
        findings.extend(integrity::blobs(config, &app.store, quick).await);
        findings.push(instance_key::check(app).await);
    }
    findings.extend(network::ports(config).await);
    if !config.smtp.acme {
        findings.extend(certificate(config, boot::clock().now()));
    }
    match boot::resolver(config) {
        Ok(dns) => findings.extend(outside(config, dns, app.as_ref()).await),
        Err(error) => findings.push(Finding::failed(format!("DNS: {error}"), "correct dns.nameservers")),
    }
    if let Some(app) = app {
        boot::close(app.store.clone()).await;
    }
    findings
}

/// What the outside world sees of us: domains, this host, the ways in and out, blocklists. Each part has its time. Without
/// the program, which is without its store, what needs that is left out, and said.
async fn outside(config: &Config, dns: Arc<dyn Dns>, app: Option<&Arc<App>>) -> Vec<Finding> {
    let dns = app.map_or(dns.as_ref(), |app| app.dns.as_ref());
    let is_asked = names::is_asked(config, &config.smtp.hostname);
    let own = if is_asked { look_up(dns, &config.smtp.hostname).await } else { Some(Vec::new()) };
    let host = async { if is_asked { names::host(dns, config, own.as_deref()).await } else { Vec::new() } };
    let addresses = own.clone().unwrap_or_default();
    let (host, ways) =
        (in_time("name of this host", host), in_time("ways in and out", network::ways(dns, config, &addresses)));
    let Some(app) = app else {
        let (host, ways) = tokio::join!(host, ways);
        return [host, ways, vec![left_out(config)]].concat();
    };
    let parts = tokio::join!(
        in_time("records of the domains here", names::served(app)),
        in_time("records of workspaces' domains", names::own(app)),
        host,
        ways,
        in_time("blocklists", reputation::check(app, own.is_some())),
        in_time("TLS certificate", issued(app)),
    );
    [parts.0, parts.1, parts.2, parts.3, parts.4, parts.5].concat()
}

/// What cannot be looked at without the store.
fn left_out(config: &Config) -> Finding {
    let certificate = if config.smtp.acme { ", the certificate by ACME" } else { "" };
    let what = format!(
        "not looked at without the database: the instance key, DNS records of the domains here and of workspaces' domains, \
         blocklists{certificate}"
    );
    Finding::warning(what, "mend the database first, then check again")
}

async fn in_time(what: &str, part: impl Future<Output = Vec<Finding>>) -> Vec<Finding> {
    let done = tokio::time::timeout(Duration::from_millis(PART_MS_MAX), part).await;
    done.unwrap_or_else(|_| {
        let what = format!("{what}: no answer within {} seconds", PART_MS_MAX / 1_000);
        vec![Finding::warning(what, "try again; check dns.nameservers and the network")]
    })
}

fn configuration(config: &Config) -> Finding {
    if config.is_loopback_profile() {
        let advice = "to serve other machines, set delivery.mode and the listeners";
        let url = &config.base_url;
        return Finding::ok(format!("config: loopback profile at {url}, everything stays on this machine ({advice})"));
    }
    let public = config.delivery.mode != DeliveryMode::Capture;
    if public && config.base_url.starts_with("http://") {
        return Finding::warning(
            "config: base_url is not https",
            "put a TLS proxy in front and set base_url to its URL",
        );
    }
    let mode = match config.delivery.mode {
        DeliveryMode::Direct => "direct",
        DeliveryMode::Relay(_) => "relay",
        DeliveryMode::Capture => "capture",
    };
    Finding::ok(format!("config: delivery.mode is {mode}, base_url is {}", config.base_url))
}

fn certificate(config: &Config, now: Time) -> Vec<Finding> {
    let facts = match tls::facts(config) {
        Ok(facts) => facts,
        Err(error) => {
            let advice = "check smtp.tls_cert and smtp.tls_key";
            return vec![Finding::failed(format!("TLS certificate: {error}"), advice)];
        }
    };
    if let Err(error) = tls::server_config(config) {
        let advice = "give the key that belongs to the certificate";
        return vec![Finding::failed(format!("TLS certificate: {error}"), advice)];
    }
    judged(config, &facts, now)
}

/// The certificate by ACME, which is in the store.
async fn issued(app: &App) -> Vec<Finding> {
    if !app.config.smtp.acme {
        return Vec::new();
    }
    let trouble = obtain_certificate::trouble(app).await.ok().flatten();
    let found = match keep_certificate::stored_facts(app).await {
        Ok(Some(facts)) => judged(&app.config, &facts, app.clock.now()),
        Ok(None) => {
            let advice =
                "start the service, and look for acme.refused in its log; port 80 of each name must lead to it";
            vec![Finding::warning("TLS certificate: none by ACME yet", advice)]
        }
        Err(error) => {
            vec![Finding::failed(format!("TLS certificate: {error}"), "bring back the instance key of this store")]
        }
    };
    let last =
        trouble.map(|why| Finding::warning(format!("ACME: the last attempt failed: {why}"), "it is tried again"));
    found.into_iter().chain(last).collect()
}

/// One line for each thing that is wrong with it: what ends soon may be for another name too.
fn judged(config: &Config, facts: &CertificateFacts, now: Time) -> Vec<Finding> {
    let days = facts.expires_at.since_ms(now).div_euclid(DAY_MS);
    let what = format!("TLS certificate: until {} ({days} days)", facts.expires_at);
    let mut found = Vec::new();
    if facts.expires_at <= now {
        found.push(Finding::failed(format!("TLS certificate: expired at {}", facts.expires_at), "renew it"));
    } else if days < CERTIFICATE_DAYS_LOW {
        found.push(Finding::warning(&*what, "renew it soon"));
    }
    if facts.begins_at > now {
        let what = format!("TLS certificate: not valid before {}", facts.begins_at);
        found.push(Finding::warning(what, "check the clock of this machine, or wait until then with using it"));
    }
    if !facts.covers(&config.smtp.hostname) {
        let what = format!("{what}, for {}", facts.names.join(", "));
        found.push(Finding::warning(what, format!("it should be for {}", config.smtp.hostname)));
    }
    if facts.self_signed() && config.delivery.mode != DeliveryMode::Capture {
        found.push(Finding::warning(
            format!("{what}, self-signed"),
            "set smtp.acme, or give smtp.tls_cert and smtp.tls_key of a public authority",
        ));
    }
    if found.is_empty() { vec![Finding::ok(what)] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::Source;

    #[test]
    fn a_certificate_has_a_line_for_each_thing_that_is_wrong_with_it() {
        let mut config = Config::loopback();
        config.smtp.hostname = "mx.example.com".to_owned();
        let now = Time::parse("2026-09-15T12:00:00.000Z").expect("a time");
        let day = |days: i64| now.plus_ms(days * DAY_MS);
        let (ok, warning, failed) = (Level::Ok, Level::Warning, Level::Failed);
        for (begins, ends, name, expected) in [
            (-1, 90, "mx.example.com", vec![(ok, "until ")]),
            (-1, 90, "*.example.com", vec![(ok, "until ")]),
            (-1, 90, "www.example.com", vec![(warning, "it should be for mx.example.com")]),
            (-1, 3, "mx.example.com", vec![(warning, "renew it soon")]),
            (-1, 3, "www.example.com", vec![(warning, "renew it soon"), (warning, "it should be for mx.example.com")]),
            (-9, 0, "mx.example.com", vec![(failed, "expired at ")]),
            (-9, -1, "www.example.com", vec![(failed, "expired at "), (warning, "it should be for mx.example.com")]),
            (1, 90, "mx.example.com", vec![(warning, "not valid before 2026-09-16")]),
        ] {
            let names = vec![name.to_owned()];
            let facts =
                CertificateFacts { begins_at: day(begins), expires_at: day(ends), names, source: Source::Files };
            let found = judged(&config, &facts, now);
            let lines: Vec<String> = found.iter().map(Finding::line).collect();
            assert_eq!(found.len(), expected.len(), "{lines:?}");
            for (finding, (level, text)) in found.iter().zip(expected) {
                assert!(finding.level == level && finding.line().contains(text), "{text}: {lines:?}");
            }
        }
    }
}
