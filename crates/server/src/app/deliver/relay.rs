//! Delivery by one relay (`delivery.relay_url`): login and TLS as the URL says (RFC 4954, RFC 8314).
//!
//! A relay that refuses us, our login or our right to relay is for the operator to mend: mail waits, and nobody's mail is
//! given up for it. A password goes over plaintext to this machine itself only.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use posthouse_domain::delivery::{Report, blames_relay_settings};
use posthouse_mail::smtp::client::{
    Config as SessionConfig, ConnectionFailure, Credentials, DeliveryResult, Message, RecipientOutcome, Stage, Tls,
};

use super::route::{Addresses, addresses};
use crate::{
    app::App,
    config::{DeliveryMode, Relay},
    ports::{Answered, Peer},
};

/// Hands the message to the relay; one report per recipient, in their order.
pub(super) async fn hand_over(app: &App, message: Message) -> Vec<Report> {
    let count = message.recipients.len();
    let DeliveryMode::Relay(relay) = &app.config.delivery.mode else {
        return vec![Report::local(DeliveryResult::Temporary, "4.3.5", "no relay is configured"); count];
    };
    let hosts = match find(app, &relay.host).await {
        Ok(hosts) => hosts,
        Err(text) => {
            tracing::error!(relay = %relay.host, why = text, "delivery.relay_not_found");
            return vec![Report::local(DeliveryResult::Temporary, "4.4.3", text); count];
        }
    };
    let mut last = None;
    for ip in hosts {
        let remote = format!("{} [{ip}]", relay.host);
        match offer(app, relay, ip, &message).await {
            Ok(answered) => return answered.outcomes.iter().map(|one| judge(one, &answered, &remote)).collect(),
            Err(failure) => last = Some(refused(&failure, &remote)),
        }
    }
    let nothing = || Report::local(DeliveryResult::Temporary, "4.4.1", "the relay has no address");
    vec![last.unwrap_or_else(nothing); count]
}

/// Where the relay listens. It is the operator's choice, so every network will do.
async fn find(app: &App, host: &str) -> Result<Vec<IpAddr>, String> {
    if let Ok(address) = host.parse() {
        return Ok(vec![address]);
    }
    if host.eq_ignore_ascii_case("localhost") {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    match addresses(app, host, false).await {
        Addresses::Found(addresses) => Ok(addresses),
        Addresses::Failed => Err(format!("the address of the relay {host} cannot be looked up now")),
        Addresses::None { .. } | Addresses::Guarded => Err(format!("the relay {host} has no address in DNS")),
    }
}

async fn offer(app: &App, relay: &Relay, ip: IpAddr, message: &Message) -> Result<Answered, ConnectionFailure> {
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
    let peer = |tls| Peer {
        host: relay.host.clone(),
        address: SocketAddr::new(ip, relay.port),
        session: SessionConfig { ehlo_name: app.config.smtp.hostname.clone(), tls, auth: auth.clone() },
        verify: !loopback && (auth.is_some() || relay.implicit_tls),
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
        report.result = DeliveryResult::Temporary;
        report.text = format!("the relay refuses this service, not the recipient: {}", outcome.text);
    }
    report
}

/// A failed connection never ends the mail, whatever the relay's code.
fn refused(failure: &ConnectionFailure, remote: &str) -> Report {
    let mut report = Report::of_failure(failure, remote, false);
    if failure.stage == Stage::Auth {
        tracing::error!(relay = remote, code = failure.code, says = failure.text, "delivery.relay_login_failed");
        report.text = format!("the relay does not accept the login of delivery.relay_url: {}", failure.text);
    } else {
        tracing::warn!(relay = remote, stage = failure.stage.as_str(), says = failure.text, "delivery.relay_failed");
    }
    report
}
