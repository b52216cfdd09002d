//! Delivery by one relay (`delivery.relay_url`): login and TLS as the URL says (RFC 4954, RFC 8314).
//!
//! A relay that is not there or refuses us, our login or our right to relay is for the operator to mend: mail waits, and none
//! bounces for it. A password goes over plaintext to this machine itself only.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use posthouse_domain::{
    delivery::{IpChoice, Report, blames_relay_settings},
    pacing::{self, Limits, News},
};
use posthouse_mail::smtp::client::{
    Config as SessionConfig, ConnectionFailure, Credentials, DeliveryResult, Message, RecipientOutcome, Stage, Tls,
};

use super::{
    call::CannotSend,
    origin::Origin,
    prepare::Load,
    route::{Addresses, addresses_by},
};
use crate::{
    app::App,
    config::{DeliveryMode, Relay},
    pacer::Entered,
    ports::{Answered, Peer},
};

/// Hands the message to the relay; one report per recipient, in their order.
pub(super) async fn hand_over(app: &App, load: &Load, message: Message) -> Result<Vec<Report>, CannotSend> {
    let count = message.recipients.len();
    let DeliveryMode::Relay(relay) = &app.config.delivery.mode else {
        return Ok(vec![Report::own_trouble("4.3.5", "no relay is configured"); count]);
    };
    let origin = Origin::of(app, &relay.host);
    let hosts = match find(app, &relay.host, origin.choice()).await {
        Ok(hosts) => hosts,
        Err(text) => {
            tracing::error!(relay = %relay.host, why = text, "delivery.relay_not_found");
            return Ok(vec![Report::own_trouble("4.4.3", text); count]);
        }
    };
    let (now, at_any_rate) = (app.clock.now(), app.clock.now() >= load.envelope.expires_at);
    let turn = match app.pacer.turn((&load.envelope.destination, &relay.host), at_any_rate, now).await {
        Entered::Turn(turn) => turn,
        Entered::NotBefore(at) => return Err(CannotSend::NotBefore(at, relay.host.clone())),
    };
    let (mut reports, mut news) = (None, News::Unreachable);
    for ip in hosts {
        let remote = format!("{} [{ip}]", relay.host);
        match offer(app, relay, (ip, &origin, turn.limits()), &message).await {
            Ok(answered) => {
                let judged: Vec<_> = answered.outcomes.iter().map(|one| judge(one, &answered, &remote)).collect();
                news = pacing::of_reports(&judged);
                reports = Some(judged);
                break;
            }
            Err(failure) => {
                news = pacing::of_failure(&failure);
                reports = Some(vec![refused(&failure, &remote); count]);
            }
        }
    }
    turn.end(news, app.clock.now());
    let nothing = || vec![Report::own_trouble("4.4.1", "the relay has no address"); count];
    Ok(reports.unwrap_or_else(nothing))
}

/// Where the relay listens. It is the operator's choice, so every network will do.
async fn find(app: &App, host: &str, choice: IpChoice) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    match addresses_by(app, host, false, choice).await {
        Addresses::Found(addresses) => Ok(addresses),
        Addresses::Failed => Err(format!("the address of the relay {host} cannot be looked up now")),
        Addresses::None { .. } | Addresses::Guarded | Addresses::OtherKind => {
            Err(format!("the relay {host} has no address in DNS that can be used"))
        }
    }
}

async fn offer(
    app: &App,
    relay: &Relay,
    (ip, origin, limits): (IpAddr, &Origin<'_>, Limits),
    message: &Message,
) -> Result<Answered, ConnectionFailure> {
    let auth = relay
        .credentials
        .as_ref()
        .map(|(username, password)| Credentials { username: username.clone(), password: password.clone() });
    let loopback = ip.is_loopback();
    let tls = match (relay.implicit_tls, auth.is_some() && !loopback) {
        (true, _) => Tls::Implicit,
        (false, true) => Tls::Required,
        (false, false) => Tls::Opportunistic,
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
    let answered = app.smtp_out.offer(peer(tls), message.clone()).await;
    match answered {
        Err(failure) if tls == Tls::Opportunistic && wants_plaintext(&failure, loopback) => {
            app.smtp_out.offer(peer(Tls::Off), message.clone()).await
        }
        answered => answered,
    }
}

/// Whether the same relay may be tried in plaintext: TLS failed and there is no password, or the relay is on this machine.
fn wants_plaintext(failure: &ConnectionFailure, loopback: bool) -> bool {
    let undecided = failure.code.is_none() && matches!(failure.stage, Stage::Auth | Stage::StartTls);
    failure.retry_without_tls || (loopback && undecided)
}

fn judge(outcome: &RecipientOutcome, answered: &Answered, remote: &str) -> Report {
    let mut report = Report { tls: answered.tls.clone(), ..Report::of_outcome(outcome, remote) };
    if report.result == DeliveryResult::Permanent && blames_relay_settings(outcome) {
        tracing::error!(relay = remote, code = outcome.smtp_code, says = outcome.text, "delivery.relay_refuses_us");
        (report.result, report.is_ours) = (DeliveryResult::Temporary, true);
        report.text = format!("the relay refuses this service, not the recipient: {}", outcome.text);
    }
    report
}

/// A failed connection never ends the mail, whatever the relay's code: nothing was said of a recipient, and the relay is ours.
fn refused(failure: &ConnectionFailure, remote: &str) -> Report {
    let mut report = Report { is_ours: true, ..Report::of_failure(failure, remote, false) };
    if failure.stage == Stage::Auth {
        tracing::error!(relay = remote, code = failure.code, says = failure.text, "delivery.relay_login_failed");
        report.text = format!("the relay does not accept the login of delivery.relay_url: {}", failure.text);
    } else {
        tracing::warn!(relay = remote, stage = failure.stage.as_str(), says = failure.text, "delivery.relay_failed");
    }
    report
}
