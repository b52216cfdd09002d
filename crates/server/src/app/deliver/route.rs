//! Direct delivery: the destination's mail exchangers in their order (RFC 5321 §5.1, RFC 7505, RFC 7435).

use std::net::{IpAddr, SocketAddr};

use posthouse_domain::{
    delivery::{IpChoice, Report, addresses_in_order, broke_off_at, exchangers, is_special_purpose, was_greylisted},
    pacing::{self, Limits, News},
    time::Time,
};
use posthouse_mail::{
    auth::{Answer, Question, QuestionKind, Records},
    smtp::client::{Config as SessionConfig, DeliveryResult, Message, Stage, Tls},
};

use super::{call::CannotSend, origin::Origin, prepare::Load};
use crate::{app::App, pacer::Entered, ports::Peer};

/// Most addresses of one host that are tried.
const ADDRESSES_PER_HOST_MAX: usize = 4;
/// Most servers that one attempt speaks to; the others have their turn in the next (RFC 5321 §5.1 asks for at least two).
const SERVERS_PER_ATTEMPT_MAX: usize = 5;

/// The host is not one, or not one that we may connect to.
pub(in crate::app) enum Addresses {
    /// Where it listens.
    Found(Vec<IpAddr>),
    /// Nowhere: the name does not exist or has no address.
    None {
        /// The name itself does not exist.
        no_such_name: bool,
    },
    /// Only in networks that are not connected to.
    Guarded,
    /// Only of the kind that is not used here (IPv4 or IPv6).
    OtherKind,
    /// DNS did not say.
    Failed,
}

/// Hands the message to the first server of the destination that takes it; one report per recipient, in their order.
pub(super) async fn hand_over(app: &App, load: &Load, message: Message) -> Result<Vec<Report>, CannotSend> {
    let count = message.recipients.len();
    match hosts(app, load).await {
        Ok(hosts) => Round::new(app, load, message).run(&hosts).await,
        Err(report) => Ok(vec![report; count]),
    }
}

/// The hosts to try, or what DNS says against all of them.
async fn hosts(app: &App, load: &Load) -> Result<Vec<String>, Report> {
    let destination = &load.envelope.destination;
    let permanent = |code, text: String| Err(Report::local(DeliveryResult::Permanent, code, text));
    match app.dns.lookup(Question::new(destination, QuestionKind::Mx)).await {
        Answer::Records(Records::Mx(records)) if !records.is_empty() => {
            // Attempts of one mail and several mails start at different hosts of equal preference.
            let attempts = load.pending.iter().map(|delivery| u64::from(delivery.attempts)).max().unwrap_or(0);
            let spread = u64::from(load.envelope.id.as_uuid().as_bytes()[15]);
            let mut hosts = exchangers(&records, &app.config.smtp.hostname, attempts.wrapping_add(spread))
                .or_else(|none| permanent(none.enhanced_code(), none.text().to_owned()))?;
            // Who greylisted is asked again: that host knows us by now.
            let known =
                load.pending.iter().find(|entry| was_greylisted(entry)).and_then(|entry| entry.remote.as_deref());
            let known = known.and_then(|remote| remote.split_once(' ')).map(|(host, _)| host);
            let broke_off = load.pending.iter().find_map(broke_off_at);
            hosts.sort_by_key(|host| (Some(host.as_str()) != known, Some(host.as_str()) == broke_off));
            Ok(hosts)
        }
        Answer::NoSuchName => permanent("5.1.2", format!("the domain {destination} does not exist")),
        Answer::Failed => Err(not_looked_up(app, &format!("the mail exchangers of {destination}")).await),
        // Without MX records the domain's own addresses count (RFC 5321 §5.1).
        Answer::Records(_) | Answer::NoData => Ok(vec![destination.clone()]),
    }
}

/// DNS did not say: by its own fault, or that of the name servers of this machine.
async fn not_looked_up(app: &App, what: &str) -> Report {
    if app.dns.is_served().await {
        return Report::local(DeliveryResult::Temporary, "4.4.3", format!("{what} cannot be looked up now"));
    }
    tracing::error!("delivery.no_name_server");
    let text = format!("{what} cannot be looked up: the name servers of this service do not answer (dns.nameservers)");
    Report::own_trouble("4.4.3", text)
}

/// Where a host listens, as far as it may be connected to there; IPv4 first.
pub(in crate::app) async fn addresses(app: &App, host: &str, guarded: bool) -> Addresses {
    addresses_by(app, host, guarded, IpChoice::PreferV4).await
}

/// Where a host listens, as far as it may be connected to there, in the order that the choice says.
pub(super) async fn addresses_by(app: &App, host: &str, guarded: bool, choice: IpChoice) -> Addresses {
    let (v4, v6) = tokio::join!(
        app.dns.lookup(Question::new(host, QuestionKind::A)),
        app.dns.lookup(Question::new(host, QuestionKind::Aaaa)),
    );
    let failed = v4 == Answer::Failed || v6 == Answer::Failed;
    let no_such_name = v4 == Answer::NoSuchName && v6 == Answer::NoSuchName;
    let mut v4 = if let Answer::Records(Records::A(list)) = v4 { list } else { Vec::new() };
    let mut v6 = if let Answer::Records(Records::Aaaa(list)) = v6 { list } else { Vec::new() };
    if v4.is_empty() && v6.is_empty() {
        return if failed { Addresses::Failed } else { Addresses::None { no_such_name } };
    }
    if guarded {
        v4.retain(|address| !is_special_purpose((*address).into()));
        v6.retain(|address| !is_special_purpose((*address).into()));
    }
    let found = addresses_in_order(&v4, &v6, choice, ADDRESSES_PER_HOST_MAX);
    match (found.is_empty(), v4.is_empty() && v6.is_empty(), failed) {
        (false, _, _) => Addresses::Found(found),
        (true, true, _) => Addresses::Guarded,
        (true, false, true) => Addresses::Failed,
        (true, false, false) => Addresses::OtherKind,
    }
}

/// One attempt at all hosts for all recipients.
struct Round<'a> {
    app: &'a App,
    message: Message,
    origin: Origin<'a>,
    lane: &'a str,
    /// The time of the mail is over: also at hosts that are left alone.
    at_any_rate: bool,
    reports: Vec<Option<Report>>,
    /// What to say about recipients that no server decided about.
    last: Option<Report>,
    spoken_to: usize,
    /// The first host that may be spoken to later only, and when.
    not_before: Option<(Time, String)>,
}

impl<'a> Round<'a> {
    fn new(app: &'a App, load: &'a Load, message: Message) -> Self {
        let reports = vec![None; message.recipients.len()];
        Self {
            app,
            message,
            origin: Origin::of(app, &load.envelope.destination),
            lane: &load.envelope.destination,
            at_any_rate: app.clock.now() >= load.envelope.expires_at,
            reports,
            last: None,
            spoken_to: 0,
            not_before: None,
        }
    }

    async fn run(mut self, hosts: &[String]) -> Result<Vec<Report>, CannotSend> {
        let guarded = !self.app.config.delivery.allow_private_networks;
        for host in hosts {
            match addresses_by(self.app, host, guarded, self.origin.choice()).await {
                Addresses::Found(addresses) => self.speak_to(host, &addresses).await,
                Addresses::Failed => {
                    let report = not_looked_up(self.app, &format!("the addresses of {host}")).await;
                    self.note(report);
                }
                nowhere => self.note(unreachable(host, &nowhere)),
            }
            if self.is_done() || self.spoken_to >= SERVERS_PER_ATTEMPT_MAX {
                break;
            }
        }
        match self.not_before {
            Some((at, host)) if self.spoken_to == 0 => Err(CannotSend::NotBefore(at, host)),
            _ => Ok(self.into_reports()),
        }
    }

    /// Takes a turn at a host, and tries its addresses until everything is decided.
    async fn speak_to(&mut self, host: &str, addresses: &[IpAddr]) {
        let now = self.app.clock.now();
        let turn = match self.app.pacer.turn((self.lane, host), self.at_any_rate, now).await {
            Entered::Turn(turn) => turn,
            Entered::NotBefore(at) => {
                // What other hosts say is not the last word while this one may take it later.
                let text = format!("{host} takes no more now");
                self.note(Report::local(DeliveryResult::Temporary, "4.4.5", text));
                if self.not_before.as_ref().is_none_or(|(first, _)| at < *first) {
                    self.not_before = Some((at, host.to_owned()));
                }
                return;
            }
        };
        let mut news = News::Unreachable;
        for address in addresses {
            let to = SocketAddr::new(*address, self.app.config.delivery.port);
            news = self.offer(host, to, turn.limits()).await;
            if self.is_done() || self.spoken_to >= SERVERS_PER_ATTEMPT_MAX {
                break;
            }
        }
        self.app.metrics.destination(host, news);
        turn.end(news, self.app.clock.now());
    }

    /// Speaks to one server about the recipients that are open; what that says of its pace.
    async fn offer(&mut self, host: &str, address: SocketAddr, limits: Limits) -> News {
        self.spoken_to += 1;
        let open: Vec<usize> = (0..self.reports.len()).filter(|at| self.reports[*at].is_none()).collect();
        let mut message = self.message.clone();
        message.recipients = open.iter().map(|at| self.message.recipients[*at].clone()).collect();
        let remote = format!("{host} [{}]", address.ip());
        let peer = |tls| self.peer(host, address, tls, limits);
        let answered = match self.app.smtp_out.offer(peer(Tls::Opportunistic), message.clone()).await {
            Err(failure) if failure.retry_without_tls || failure.stage == Stage::StartTls => {
                self.app.smtp_out.offer(peer(Tls::Off), message).await
            }
            answered => answered,
        };
        match answered {
            Ok(answered) => {
                let report = |outcome| Report { tls: answered.tls.clone(), ..Report::of_outcome(outcome, &remote) };
                let reports: Vec<Report> = answered.outcomes.iter().map(report).collect();
                let news = pacing::of_reports(&reports);
                for (at, (outcome, report)) in open.into_iter().zip(answered.outcomes.iter().zip(reports)) {
                    if outcome.try_next_host {
                        self.note(report);
                    } else {
                        self.reports[at] = Some(report);
                    }
                }
                news
            }
            Err(failure) => {
                self.note(Report::of_failure(&failure, &remote, failure.permanent));
                pacing::of_failure(&failure)
            }
        }
    }

    fn peer(&self, host: &str, address: SocketAddr, tls: Tls, limits: Limits) -> Peer {
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

    /// Keeps why a host did not help. A temporary failure anywhere makes it worth trying again, and what a server said or did
    /// counts for more than a trouble of ours on the way to another.
    fn note(&mut self, report: Report) {
        let weight = |report: &Report| match report.result {
            DeliveryResult::Permanent => 0,
            _ if report.is_ours => 1,
            _ => 2,
        };
        if self.last.as_ref().is_none_or(|last| weight(&report) >= weight(last)) {
            self.last = Some(report);
        }
    }

    fn is_done(&self) -> bool {
        self.reports.iter().all(Option::is_some)
    }

    fn into_reports(self) -> Vec<Report> {
        let nothing = || Report::local(DeliveryResult::Temporary, "4.4.1", "no mail exchanger could be reached");
        let rest = self.last.unwrap_or_else(nothing);
        self.reports.into_iter().map(|report| report.unwrap_or_else(|| rest.clone())).collect()
    }
}

/// Why a host has no address to try.
fn unreachable(host: &str, nowhere: &Addresses) -> Report {
    let permanent = DeliveryResult::Permanent;
    match nowhere {
        Addresses::Guarded => {
            let text = format!(
                "{host} is in a private or special-purpose network, where mail does not go (delivery.allow_private_networks)"
            );
            Report::local(permanent, "5.4.4", text)
        }
        Addresses::None { no_such_name: true } => {
            Report::local(permanent, "5.4.4", format!("the mail exchanger {host} does not exist"))
        }
        Addresses::None { .. } => Report::local(permanent, "5.4.4", format!("{host} has no address")),
        Addresses::OtherKind => {
            let text = format!(
                "{host} has no address of the kind that is used here (delivery.ip_preference, delivery.source_addresses)"
            );
            Report::own_trouble("4.4.1", text)
        }
        Addresses::Failed | Addresses::Found(_) => {
            Report::local(DeliveryResult::Temporary, "4.4.3", format!("{host} cannot be reached now"))
        }
    }
}
