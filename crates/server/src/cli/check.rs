//! `posthouse check`: prints one line per check with the result and what to do (`docs/guides/domain-checks.md`).
//!
//! It changes nothing on disk; only a bucket gets a test object, which is deleted at once. The exit code is 1 if a check
//! failed, and 0 with warnings.

mod instance_key;
mod integrity;
mod names;
mod network;
mod reputation;
mod storage;

use std::{future::Future, sync::Arc, time::Duration};

use clap::Args;
use posthouse_domain::time::{DAY_MS, Time};
use serde_json::{Value, json};

use self::names::DomainOwner;
use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use crate::{boot, config::Configuration};
use posthouse_app::{
    domains::{acme, certificate, reputation::resolve_addresses},
    ports::Dns,
    service::Service,
    settings::{AppConfig, DeliveryMode},
    tls::{self, CertificateFacts},
};

/// A certificate that expires within this many days gets a warning.
const CERTIFICATE_DAYS_LOW: i64 = 14;
/// Time limit of each external check, in milliseconds. External checks run concurrently.
const PART_MS_MAX: u64 = 25_000;

/// The result of a check.
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

/// One line of the output.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    level: Level,
    what: String,
    /// What to do; empty if the check is ok.
    advice: String,
}

impl Finding {
    fn ok(what: impl Into<String>) -> Self {
        Self { level: Level::Ok, what: what.into(), advice: String::new() }
    }

    fn warning(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { level: Level::Warning, what: what.into(), advice: advice.into() }
    }

    /// Turns a failure into a warning, for features that aren't always used.
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

/// Shown below the options.
const EXAMPLES: &str = "\
Each line begins with ok, warning or failed, and ends with what to do. The exit
code is 1 if a check failed. Nothing on disk is changed.

Examples:
  Check everything a configuration names, before the first start or later:
    posthouse check --config /etc/posthouse/posthouse.toml
  Check a store that exists:
    posthouse check --data-dir /var/lib/posthouse
  Without reading all stored data:
    posthouse check --quick";

/// Options of `posthouse check`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Options {
    /// Skip the checks that read all stored data: database integrity and blob contents.
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(given: &Options, options: &GlobalOptions) -> Result<(), CommandError> {
    let config = options.load()?;
    let findings = super::runtime()?.block_on(all(&config, given.quick));
    let count = |level| findings.iter().filter(|finding| finding.level == level).count();
    let (failed, warnings) = (count(Level::Failed), count(Level::Warning));
    let lines: Vec<String> = findings.iter().map(Finding::line).collect();
    let json = json!({
        "ok": failed == 0, "failed": failed, "warnings": warnings,
        "checks": findings.iter().map(Finding::view).collect::<Vec<Value>>(),
    });
    print(&given.output, &json, &lines.join("\n"), &CommandEffect::Nothing)?;
    if failed > 0 {
        return Err(CommandError::Failed(format!("{failed} of {} checks failed", findings.len())));
    }
    Ok(())
}

async fn all(config: &Configuration, quick: bool) -> Vec<Finding> {
    let mut findings = vec![configuration(config), set_keys(config)];
    let storage = storage::check(config, quick).await;
    findings.extend(storage.findings);
    // If the blob store can't be opened, its line has the reason.
    let service = storage.store.and_then(|store| boot::inspect::program(config, store).ok());
    if let Some(service) = &service {
        findings.extend(integrity::blobs(config, &service.store, quick).await);
        findings.push(instance_key::check(service).await);
    }
    let running = network::Running::of(config, service.as_ref());
    findings.extend(network::ports(config, &running).await);
    if !config.acme.enabled {
        findings.extend(certificate(config, boot::clock().now()));
    }
    match boot::resolver(config) {
        Ok(dns) => findings.extend(outside(config, dns, service.as_ref(), storage.missing_advice).await),
        Err(error) => findings.push(Finding::failed(format!("DNS: {error}"), "correct dns.nameservers")),
    }
    if let Some(service) = service {
        boot::close(service.store.clone()).await;
    }
    findings
}

/// Runs the external checks: domains, host name, inbound and outbound connections, blocklists. Each has its own time
/// limit. Without a store, the checks that need it are skipped and listed.
async fn outside(
    config: &Configuration,
    dns: Arc<dyn Dns>,
    service: Option<&Arc<Service>>,
    advice: &'static str,
) -> Vec<Finding> {
    let dns = service.map_or(dns.as_ref(), |service| service.dns.as_ref());
    let is_looked_up = names::is_looked_up(config, &config.hostname);
    let own = if is_looked_up { resolve_addresses(dns, &config.hostname).await } else { Some(Vec::new()) };
    let host = async { if is_looked_up { names::host(dns, config, own.as_deref()).await } else { Vec::new() } };
    let addresses = own.clone().unwrap_or_default();
    let (host, connections) = (
        in_time("host name", host),
        in_time("inbound and outbound connections", network::connections(dns, config, &addresses)),
    );
    let Some(service) = service else {
        let (host, connections) = tokio::join!(host, connections);
        return [host, connections, vec![skipped(config, advice)]].concat();
    };
    let domains = names::custom_domains(service).await;
    let parts = tokio::join!(
        in_time("records of the default and temporary domain", names::served(service)),
        in_time("records of custom domains", domains.check(service, DomainOwner::Operator)),
        // Apart, because names of strangers may have nameservers that never answer.
        in_time("records of the domains of tenants", domains.check(service, DomainOwner::Tenant)),
        host,
        connections,
        in_time("blocklists", reputation::check(service, own.is_some())),
        in_time("TLS certificate", acme_certificate(service)),
    );
    [parts.0, parts.1, parts.2, parts.3, parts.4, parts.5, parts.6].concat()
}

/// Lists the checks that were skipped because they need the store.
fn skipped(config: &Configuration, advice: &str) -> Finding {
    let certificate = if config.acme.enabled { ", the ACME certificate" } else { "" };
    let what = format!(
        "skipped without the database: the instance key, DNS records of the default, temporary and custom domains, \
        blocklists{certificate}"
    );
    Finding::warning(what, advice)
}

async fn in_time(what: &str, part: impl Future<Output = Vec<Finding>>) -> Vec<Finding> {
    let done = tokio::time::timeout(Duration::from_millis(PART_MS_MAX), part).await;
    done.unwrap_or_else(|_| {
        let what = format!("{what}: no answer within {} seconds", PART_MS_MAX / 1_000);
        vec![Finding::warning(what, "try again; check dns.nameservers and the network")]
    })
}

fn configuration(config: &Configuration) -> Finding {
    if config.is_loopback_profile() {
        let advice = "to serve other machines, set delivery.mode and the listeners";
        let url = &config.base_url;
        return Finding::ok(format!("config: loopback profile at {url}, nothing leaves this machine ({advice})"));
    }
    let public = config.delivery.mode != DeliveryMode::Capture;
    if public && config.base_url.starts_with("http://") {
        return Finding::warning(
            "config: base_url is not https",
            "set http.listen_tls or use a TLS proxy, and set base_url to the https URL",
        );
    }
    let mode = match config.delivery.mode {
        DeliveryMode::Direct => "direct",
        DeliveryMode::Relay(_) => "relay",
        DeliveryMode::Capture => "capture",
    };
    Finding::ok(format!("config: delivery.mode is {mode}, base_url is {}", config.base_url))
}

/// Lists the keys that have a value, and where it comes from.
fn set_keys(config: &Configuration) -> Finding {
    let keys: Vec<String> = config.set_keys.iter().map(|set| format!("{} ({})", set.name, set.source.text())).collect();
    let keys = if keys.is_empty() { "no keys are set".to_owned() } else { keys.join(", ") };
    Finding::ok(format!("config: {keys}; other keys have their defaults"))
}

fn certificate(config: &Configuration, now: Time) -> Vec<Finding> {
    if !tls::has_certificate(config) {
        return vec![Finding::ok("TLS certificate: none yet; the first start creates a self-signed one")];
    }
    let facts = match tls::facts(config) {
        Ok(facts) => facts,
        Err(error) => {
            let advice = "check smtp.tls_cert and smtp.tls_key";
            return vec![Finding::failed(format!("TLS certificate: {error}"), advice)];
        }
    };
    if let Err(error) = tls::server_config(config) {
        let advice = "set smtp.tls_key to the key of this certificate";
        return vec![Finding::failed(format!("TLS certificate: {error}"), advice)];
    }
    certificate_findings(config, &facts, now)
}

/// Checks the ACME certificate, which is in the store.
async fn acme_certificate(service: &Service) -> Vec<Finding> {
    if !service.config.acme.enabled {
        return Vec::new();
    }
    let last_error = acme::last_error(service).await.ok().flatten();
    let found = match certificate::stored_facts(service).await {
        Ok(Some(facts)) => certificate_findings(&service.config, &facts, service.clock.now()),
        Ok(None) => {
            let advice = "start the service, and search its log for acme.refused; port 80 of each name must reach it";
            vec![Finding::warning("TLS certificate: no ACME certificate yet", advice)]
        }
        Err(error) => {
            vec![Finding::failed(format!("TLS certificate: {error}"), "restore the instance key of this store")]
        }
    };
    let last = last_error
        .map(|why| Finding::warning(format!("ACME: the last attempt failed: {why}"), "the service retries it"));
    found.into_iter().chain(last).collect()
}

/// Returns one finding per problem, because a certificate that expires soon may also have the wrong name.
fn certificate_findings(config: &AppConfig, facts: &CertificateFacts, now: Time) -> Vec<Finding> {
    let days = facts.expires_at.since_ms(now).div_euclid(DAY_MS);
    let what = format!("TLS certificate: valid until {} ({days} days)", facts.expires_at);
    let mut found = Vec::new();
    if facts.expires_at <= now {
        found.push(Finding::failed(format!("TLS certificate: expired at {}", facts.expires_at), "renew it"));
    } else if days < CERTIFICATE_DAYS_LOW {
        found.push(Finding::warning(&*what, "renew it soon"));
    }
    if facts.begins_at > now {
        let what = format!("TLS certificate: not valid before {}", facts.begins_at);
        found.push(Finding::warning(what, "check the clock of this machine, or use the certificate later"));
    }
    if !facts.covers(&config.hostname) {
        let what = format!("{what}, for {}", facts.names.join(", "));
        found.push(Finding::warning(what, format!("it should be for {}", config.hostname)));
    }
    if facts.self_signed() && config.delivery.mode != DeliveryMode::Capture {
        found.push(Finding::warning(
            format!("{what}, self-signed"),
            "set smtp.acme, or smtp.tls_cert and smtp.tls_key with a certificate of a public authority",
        ));
    }
    if found.is_empty() { vec![Finding::ok(what)] } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posthouse_app::tls::CertificateSource;

    #[test]
    fn each_certificate_problem_is_a_finding() {
        let mut config = Configuration::loopback();
        config.hostname = "mx.example.com".to_owned();
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
            let facts = CertificateFacts {
                begins_at: day(begins),
                expires_at: day(ends),
                names,
                source: CertificateSource::Files,
            };
            let found = certificate_findings(&config, &facts, now);
            let lines: Vec<String> = found.iter().map(Finding::line).collect();
            assert_eq!(found.len(), expected.len(), "{lines:?}");
            for (finding, (level, text)) in found.iter().zip(expected) {
                assert!(finding.level == level && finding.line().contains(text), "{text}: {lines:?}");
            }
        }
    }
}
