//! Direct delivery to the mail exchangers of a destination, in order (RFC 5321 §5.1, RFC 7505, RFC 7435).

use std::net::{IpAddr, SocketAddr};

use posthouse_domain::delivery::{aborted_at_host, exchangers, was_greylisted};
use posthouse_domain::{AttemptReport, DestinationLimits, ThrottleSignal, Time, pacing};
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_mail::smtp::client::{
    ClientConfig as SessionConfig, DeliveryResult, OutboundMessage, SmtpStage, TlsPolicy,
};

use super::{not_attempted::NotAttempted, prepare::LoadedEnvelope, source_addresses::SourceAddresses};
use crate::ports::{HostAddresses, Peer, host_addresses};
use crate::service::Service;
use crate::throttle::{DestinationHost, PermitResult};

/// The maximum number of servers contacted per attempt. RFC 5321 §5.1 requires at least two; the next attempt tries
/// others.
const SERVERS_PER_ATTEMPT_MAX: usize = 5;

/// Sends the message to the first server of the destination that accepts it; returns one report per recipient, in
/// order.
pub(super) async fn send(
    service: &Service,
    load: &LoadedEnvelope,
    message: OutboundMessage,
) -> Result<Vec<AttemptReport>, NotAttempted> {
    let count = message.recipients.len();
    match hosts(service, load).await {
        Ok(hosts) => DirectAttempt::new(service, load, message).run(&hosts).await,
        Err(report) => Ok(vec![report; count]),
    }
}

/// Returns the hosts to try in order, or the report for all recipients if there is no host.
async fn hosts(service: &Service, load: &LoadedEnvelope) -> Result<Vec<String>, AttemptReport> {
    let destination = &load.envelope.destination;
    let permanent = |code, text: String| Err(AttemptReport::local(DeliveryResult::Permanent, code, text));
    match service.dns.lookup(DnsQuestion::new(destination, DnsRecordType::Mx)).await {
        DnsAnswer::Records(DnsRecords::Mx(records)) if !records.is_empty() => {
            // Attempts and messages are spread over hosts of equal preference.
            let attempts = load.pending.iter().map(|delivery| u64::from(delivery.attempts)).max().unwrap_or(0);
            let spread = u64::from(load.envelope.id.as_uuid().as_bytes()[15]);
            let mut hosts = exchangers(&records, &service.config.hostname, attempts.wrapping_add(spread))
                .or_else(|none| permanent(none.enhanced_code(), none.text().to_owned()))?;
            // A host that greylisted comes first, because it remembers the earlier attempt. A host whose connection
            // broke comes last.
            let greylisted_at =
                load.pending.iter().find(|entry| was_greylisted(entry)).and_then(|entry| entry.remote.as_deref());
            let greylisted_at = greylisted_at.and_then(|remote| remote.split_once(' ')).map(|(host, _)| host);
            let broken_at = load.pending.iter().find_map(aborted_at_host);
            hosts.sort_by_key(|host| (Some(host.as_str()) != greylisted_at, Some(host.as_str()) == broken_at));
            Ok(hosts)
        }
        DnsAnswer::NoSuchName => permanent("5.1.2", format!("the domain {destination} does not exist")),
        DnsAnswer::Failed => Err(lookup_failure(service, &format!("the mail exchangers of {destination}")).await),
        // A domain without MX records is its own mail exchanger (RFC 5321 §5.1).
        DnsAnswer::Records(_) | DnsAnswer::NoData => Ok(vec![destination.clone()]),
    }
}

/// Returns the report for a failed DNS lookup. It is a local problem if none of the configured nameservers responds.
async fn lookup_failure(service: &Service, what: &str) -> AttemptReport {
    if service.dns.is_served().await {
        return AttemptReport::local(DeliveryResult::Temporary, "4.4.3", format!("{what} cannot be looked up now"));
    }
    tracing::error!("delivery.no_nameserver");
    let text = format!("{what} cannot be looked up: the nameservers of this service don't answer (dns.nameservers)");
    AttemptReport::local_failure("4.4.3", text)
}

/// One delivery attempt for all recipients at the hosts of a destination.
struct DirectAttempt<'a> {
    service: &'a Service,
    message: OutboundMessage,
    origin: SourceAddresses<'a>,
    /// The destination domain.
    domain: &'a str,
    /// Whether the message has expired: the last attempt ignores pauses.
    is_last: bool,
    /// The decided reports, by recipient.
    reports: Vec<Option<AttemptReport>>,
    /// The report for recipients without a decision.
    fallback: Option<AttemptReport>,
    servers_contacted: usize,
    /// The throttled host that accepts a connection first, with the time.
    not_before: Option<(Time, String)>,
}

impl<'a> DirectAttempt<'a> {
    fn new(service: &'a Service, load: &'a LoadedEnvelope, message: OutboundMessage) -> Self {
        let reports = vec![None; message.recipients.len()];
        Self {
            service,
            message,
            origin: SourceAddresses::of(service, &load.envelope.destination),
            domain: &load.envelope.destination,
            is_last: service.clock.now() >= load.envelope.expires_at,
            reports,
            fallback: None,
            servers_contacted: 0,
            not_before: None,
        }
    }

    async fn run(mut self, hosts: &[String]) -> Result<Vec<AttemptReport>, NotAttempted> {
        let guarded = !self.service.config.delivery.allow_private_networks;
        for host in hosts {
            match host_addresses(&*self.service.dns, host, guarded, self.origin.choice()).await {
                HostAddresses::Found(addresses) => self.try_host(host, &addresses).await,
                HostAddresses::Failed => {
                    let report = lookup_failure(self.service, &format!("the addresses of {host}")).await;
                    self.record(report);
                }
                unusable => self.record(unreachable(host, &unusable)),
            }
            if self.is_done() || self.servers_contacted >= SERVERS_PER_ATTEMPT_MAX {
                break;
            }
        }
        match self.not_before {
            Some((at, host)) if self.servers_contacted == 0 => Err(NotAttempted::NotBefore(at, host)),
            _ => Ok(self.into_reports()),
        }
    }

    /// Waits for a permit for a host, then tries its addresses until all recipients are decided.
    async fn try_host(&mut self, host: &str, addresses: &[IpAddr]) {
        let now = self.service.clock.now();
        let to = DestinationHost { domain: self.domain, host };
        let permit = match self.service.capacity.limiter.acquire(to, self.is_last, now).await {
            PermitResult::Granted(permit) => permit,
            PermitResult::NotBefore(at) => {
                // Temporary, so that a permanent failure at another host isn't final while this one may accept the
                // message.
                let text = format!("{host} accepts no more mail now");
                self.record(AttemptReport::local(DeliveryResult::Temporary, "4.4.5", text));
                if self.not_before.as_ref().is_none_or(|(first, _)| at < *first) {
                    self.not_before = Some((at, host.to_owned()));
                }
                return;
            }
        };
        let mut signal = ThrottleSignal::Unreachable;
        for address in addresses {
            let to = SocketAddr::new(*address, self.service.config.delivery.port);
            signal = self.offer(host, to, permit.limits()).await;
            if self.is_done() || self.servers_contacted >= SERVERS_PER_ATTEMPT_MAX {
                break;
            }
        }
        self.service.metrics.destination(host, signal);
        permit.end(signal, self.service.clock.now());
    }

    /// Offers the message for the undecided recipients to one server; returns the throttle signal.
    async fn offer(&mut self, host: &str, address: SocketAddr, limits: DestinationLimits) -> ThrottleSignal {
        self.servers_contacted += 1;
        let open: Vec<usize> = (0..self.reports.len()).filter(|at| self.reports[*at].is_none()).collect();
        let mut message = self.message.clone();
        message.recipients = open.iter().map(|at| self.message.recipients[*at].clone()).collect();
        let remote = format!("{host} [{}]", address.ip());
        let peer = |tls| self.peer(host, address, tls, limits);
        let answered = match self.service.smtp_out.offer(peer(TlsPolicy::Opportunistic), message.clone()).await {
            Err(failure) if failure.retry_without_tls || failure.stage == SmtpStage::StartTls => {
                self.service.smtp_out.offer(peer(TlsPolicy::Off), message).await
            }
            answered => answered,
        };
        match answered {
            Ok(answered) => {
                let report = |outcome| AttemptReport {
                    tls: answered.tls.clone(),
                    ..AttemptReport::of_outcome(outcome, &remote)
                };
                let reports: Vec<AttemptReport> = answered.outcomes.iter().map(report).collect();
                let signal = pacing::of_reports(&reports);
                for (at, (outcome, report)) in open.into_iter().zip(answered.outcomes.iter().zip(reports)) {
                    if outcome.try_next_host {
                        self.record(report);
                    } else {
                        self.reports[at] = Some(report);
                    }
                }
                signal
            }
            Err(failure) => {
                self.record(AttemptReport::of_failure(&failure, &remote, failure.permanent));
                pacing::of_failure(&failure)
            }
        }
    }

    fn peer(&self, host: &str, address: SocketAddr, tls: TlsPolicy, limits: DestinationLimits) -> Peer {
        let (source, ehlo_name) = self.origin.for_peer(address.ip());
        Peer {
            host: host.to_owned(),
            address,
            session: SessionConfig { ehlo_name, tls, auth: None },
            verify: false,
            source,
            connections_max: limits.connections_max,
            messages_max: limits.messages_per_connection_max,
        }
    }

    /// Keeps the most significant failure as the fallback. A temporary failure outweighs a permanent one, because a
    /// retry may succeed, and a server's response outweighs a local problem.
    fn record(&mut self, report: AttemptReport) {
        let weight = |report: &AttemptReport| match report.result {
            DeliveryResult::Permanent => 0,
            _ if report.is_ours => 1,
            _ => 2,
        };
        if self.fallback.as_ref().is_none_or(|fallback| weight(&report) >= weight(fallback)) {
            self.fallback = Some(report);
        }
    }

    fn is_done(&self) -> bool {
        self.reports.iter().all(Option::is_some)
    }

    fn into_reports(self) -> Vec<AttemptReport> {
        let default = || AttemptReport::local(DeliveryResult::Temporary, "4.4.1", "no mail exchanger could be reached");
        let fallback = self.fallback.unwrap_or_else(default);
        self.reports.into_iter().map(|report| report.unwrap_or_else(|| fallback.clone())).collect()
    }
}

/// Returns the report for a host without a usable address.
fn unreachable(host: &str, addresses: &HostAddresses) -> AttemptReport {
    let permanent = DeliveryResult::Permanent;
    match addresses {
        HostAddresses::Guarded => {
            let text =
                format!("{host} is in a private or special-purpose network (delivery.allow_private_networks is off)");
            AttemptReport::local(permanent, "5.4.4", text)
        }
        HostAddresses::None { no_such_name: true } => {
            AttemptReport::local(permanent, "5.4.4", format!("the mail exchanger {host} does not exist"))
        }
        HostAddresses::None { .. } => AttemptReport::local(permanent, "5.4.4", format!("{host} has no address")),
        HostAddresses::OtherKind => {
            let text = format!(
                "{host} has no address of an allowed family (delivery.ip_preference, delivery.source_addresses)"
            );
            AttemptReport::local_failure("4.4.1", text)
        }
        HostAddresses::Failed | HostAddresses::Found(_) => {
            AttemptReport::local(DeliveryResult::Temporary, "4.4.3", format!("{host} cannot be reached now"))
        }
    }
}
