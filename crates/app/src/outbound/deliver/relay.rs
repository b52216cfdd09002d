//! Delivery through a relay (`delivery.relay_url`), whose URL sets login and TLS (RFC 4954, RFC 8314).
//!
//! If the relay is unreachable, or refuses the connection, the login or the right to relay, the operator must fix it:
//! mail waits and doesn't bounce. A password is sent without TLS only to a loopback address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use posthouse_domain::{
    AttemptReport, DestinationLimits, IpPreference, ThrottleSignal, delivery::is_relay_misconfigured, pacing,
};
use posthouse_mail::smtp::client::{
    ClientConfig as SessionConfig, ClientCredentials, ConnectionFailure, DeliveryResult, OutboundMessage,
    RecipientOutcome, SmtpStage, TlsPolicy,
};

use super::{not_attempted::NotAttempted, prepare::LoadedEnvelope, source_addresses::SourceAddresses};
use crate::ports::{HostAddresses, Peer, SmtpResponse, host_addresses};
use crate::service::Service;
use crate::settings::{DeliveryMode, Relay};
use crate::throttle::{DestinationHost, PermitResult};

/// Sends the message to the relay and returns one report per recipient, in order.
pub(super) async fn send(
    service: &Service,
    load: &LoadedEnvelope,
    message: OutboundMessage,
) -> Result<Vec<AttemptReport>, NotAttempted> {
    let count = message.recipients.len();
    let DeliveryMode::Relay(relay) = &service.config.delivery.mode else {
        return Ok(vec![AttemptReport::local_failure("4.3.5", "no relay is configured"); count]);
    };
    let origin = SourceAddresses::of(service, &relay.host);
    let hosts = match find(service, &relay.host, origin.choice()).await {
        Ok(hosts) => hosts,
        Err(text) => {
            tracing::error!(relay = %relay.host, reason = text, "delivery.relay_not_found");
            return Ok(vec![AttemptReport::local_failure("4.4.3", text); count]);
        }
    };
    let (now, ignores_limits) = (service.clock.now(), service.clock.now() >= load.envelope.expires_at);
    let to = DestinationHost { domain: &load.envelope.destination, host: &relay.host };
    let permit = match service.capacity.limiter.acquire(to, ignores_limits, now).await {
        PermitResult::Granted(permit) => permit,
        PermitResult::NotBefore(at) => return Err(NotAttempted::NotBefore(at, relay.host.clone())),
    };
    let (mut reports, mut signal) = (None, ThrottleSignal::Unreachable);
    for ip in hosts {
        let remote = format!("{} [{ip}]", relay.host);
        match offer(service, relay, ip, &origin, permit.limits(), &message).await {
            Ok(answered) => {
                let converted: Vec<_> =
                    answered.outcomes.iter().map(|outcome| report_of(outcome, &answered, &remote)).collect();
                signal = pacing::of_reports(&converted);
                reports = Some(converted);
                break;
            }
            Err(failure) => {
                signal = pacing::of_failure(&failure);
                reports = Some(vec![connection_failure(&failure, &remote); count]);
            }
        }
    }
    permit.end(signal, service.clock.now());
    let nothing = || vec![AttemptReport::local_failure("4.4.1", "the relay has no address"); count];
    Ok(reports.unwrap_or_else(nothing))
}

/// Resolves the addresses of the relay. Private networks are allowed, because the operator chose the relay.
async fn find(service: &Service, host: &str, choice: IpPreference) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    match host_addresses(&*service.dns, host, false, choice).await {
        HostAddresses::Found(addresses) => Ok(addresses),
        HostAddresses::Failed => Err(format!("the address of the relay {host} cannot be looked up now")),
        HostAddresses::None { .. } | HostAddresses::Guarded | HostAddresses::OtherKind => {
            Err(format!("the relay {host} has no usable address in DNS"))
        }
    }
}

/// Sends the message to one address of the relay.
async fn offer(
    service: &Service,
    relay: &Relay,
    ip: IpAddr,
    origin: &SourceAddresses<'_>,
    limits: DestinationLimits,
    message: &OutboundMessage,
) -> Result<SmtpResponse, ConnectionFailure> {
    let auth = relay
        .credentials
        .as_ref()
        .map(|(username, password)| ClientCredentials { username: username.clone(), password: password.clone() });
    let loopback = ip.is_loopback();
    let tls = match (relay.implicit_tls, auth.is_some() && !loopback) {
        (true, _) => TlsPolicy::Implicit,
        (false, true) => TlsPolicy::Required,
        (false, false) => TlsPolicy::Opportunistic,
    };
    let (source, ehlo_name) = origin.for_peer(ip);
    let peer = |tls| Peer {
        host: relay.host.clone(),
        address: SocketAddr::new(ip, relay.port),
        session: SessionConfig { ehlo_name: ehlo_name.clone(), tls, auth: auth.clone() },
        verify: !loopback && (auth.is_some() || relay.implicit_tls),
        source,
        connections_max: limits.connections_max,
        messages_max: limits.messages_per_connection_max,
    };
    let answered = service.smtp_out.offer(peer(tls), message.clone()).await;
    match answered {
        Err(failure) if tls == TlsPolicy::Opportunistic && may_retry_in_plaintext(&failure, loopback) => {
            service.smtp_out.offer(peer(TlsPolicy::Off), message.clone()).await
        }
        answered => answered,
    }
}

/// Returns whether the same address may be retried without TLS: TLS failed and there is no password, or the relay is
/// on this machine.
fn may_retry_in_plaintext(failure: &ConnectionFailure, loopback: bool) -> bool {
    let undecided = failure.code.is_none() && matches!(failure.stage, SmtpStage::Auth | SmtpStage::StartTls);
    failure.retry_without_tls || (loopback && undecided)
}

/// Converts the relay's response for a recipient. A rejection caused by the relay configuration becomes temporary.
fn report_of(outcome: &RecipientOutcome, answered: &SmtpResponse, remote: &str) -> AttemptReport {
    let mut report = AttemptReport { tls: answered.tls.clone(), ..AttemptReport::of_outcome(outcome, remote) };
    if report.result == DeliveryResult::Permanent && is_relay_misconfigured(outcome) {
        tracing::error!(relay = remote, code = outcome.smtp_code, reply = outcome.text, "delivery.relay_refused");
        (report.result, report.is_ours) = (DeliveryResult::Temporary, true);
        report.text = format!("the relay refuses this service, not the recipient: {}", outcome.text);
    }
    report
}

/// Converts a failed connection to a temporary result, whatever the relay's code: the response is about this service,
/// not about a recipient.
fn connection_failure(failure: &ConnectionFailure, remote: &str) -> AttemptReport {
    let mut report = AttemptReport { is_ours: true, ..AttemptReport::of_failure(failure, remote, false) };
    if failure.stage == SmtpStage::Auth {
        tracing::error!(relay = remote, code = failure.code, reply = failure.text, "delivery.relay_login_failed");
        report.text = format!("the relay does not accept the login of delivery.relay_url: {}", failure.text);
    } else {
        tracing::warn!(relay = remote, stage = failure.stage.as_str(), reply = failure.text, "delivery.relay_failed");
    }
    report
}
