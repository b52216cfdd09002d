//! Direct delivery: the destination's mail exchangers in their order (RFC 5321 §5.1, RFC 7505, RFC 7435).

use std::net::{IpAddr, SocketAddr};

use posthouse_domain::delivery::{Report, exchangers, is_special_purpose};
use posthouse_mail::{
    auth::{Answer, Question, QuestionKind, Records},
    smtp::client::{Config as SessionConfig, ConnectionFailure, DeliveryResult, Message, Stage, Tls},
};

use super::prepare::Load;
use crate::{app::App, ports::Peer};

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
    /// DNS did not say.
    Failed,
}

/// Hands the message to the first server of the destination that takes it; one report per recipient, in their order.
pub(super) async fn hand_over(app: &App, load: &Load, message: Message) -> Vec<Report> {
    let count = message.recipients.len();
    match hosts(app, load).await {
        Ok(hosts) => Round::new(app, message).run(&hosts).await,
        Err(report) => vec![report; count],
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
            exchangers(&records, &app.config.smtp.hostname, attempts.wrapping_add(spread))
                .or_else(|none| permanent(none.enhanced_code(), none.text().to_owned()))
        }
        Answer::NoSuchName => permanent("5.1.2", format!("the domain {destination} does not exist")),
        Answer::Failed => {
            let text = format!("the mail exchangers of {destination} cannot be looked up now");
            Err(Report::local(DeliveryResult::Temporary, "4.4.3", text))
        }
        // Without MX records the domain's own addresses count (RFC 5321 §5.1).
        Answer::Records(_) | Answer::NoData => Ok(vec![destination.clone()]),
    }
}

/// Where a host listens, as far as it may be connected to there.
pub(in crate::app) async fn addresses(app: &App, host: &str, guarded: bool) -> Addresses {
    let (v4, v6) = tokio::join!(
        app.dns.lookup(Question::new(host, QuestionKind::A)),
        app.dns.lookup(Question::new(host, QuestionKind::Aaaa)),
    );
    let failed = v4 == Answer::Failed || v6 == Answer::Failed;
    let no_such_name = v4 == Answer::NoSuchName && v6 == Answer::NoSuchName;
    let mut found: Vec<IpAddr> = Vec::new();
    // IPv4 first: more receivers refuse IPv6 senders without a reverse name than are reachable by IPv6 alone.
    for answer in [v4, v6] {
        match answer {
            Answer::Records(Records::A(list)) => found.extend(list.into_iter().map(IpAddr::from)),
            Answer::Records(Records::Aaaa(list)) => found.extend(list.into_iter().map(IpAddr::from)),
            _ => {}
        }
    }
    let any = !found.is_empty();
    if guarded {
        found.retain(|address| !is_special_purpose(*address));
    }
    found.truncate(ADDRESSES_PER_HOST_MAX);
    match (found.is_empty(), any, failed) {
        (false, _, _) => Addresses::Found(found),
        (true, true, _) => Addresses::Guarded,
        (true, false, true) => Addresses::Failed,
        (true, false, false) => Addresses::None { no_such_name },
    }
}

/// One attempt at all hosts for all recipients.
struct Round<'a> {
    app: &'a App,
    message: Message,
    reports: Vec<Option<Report>>,
    /// What to say about recipients that no server decided about.
    last: Option<Report>,
    /// Whether every failure so far was for good.
    all_permanent: bool,
    spoken_to: usize,
}

impl<'a> Round<'a> {
    fn new(app: &'a App, message: Message) -> Self {
        let reports = vec![None; message.recipients.len()];
        Self { app, message, reports, last: None, all_permanent: true, spoken_to: 0 }
    }

    async fn run(mut self, hosts: &[String]) -> Vec<Report> {
        let guarded = !self.app.config.delivery.allow_private_networks;
        'hosts: for host in hosts {
            let addresses = match addresses(self.app, host, guarded).await {
                Addresses::Found(addresses) => addresses,
                nowhere => {
                    self.note(unreachable(host, &nowhere));
                    continue;
                }
            };
            for address in addresses {
                self.offer(host, SocketAddr::new(address, self.app.config.delivery.port)).await;
                if self.is_done() || self.spoken_to >= SERVERS_PER_ATTEMPT_MAX {
                    break 'hosts;
                }
            }
        }
        self.into_reports()
    }

    /// Speaks to one server about the recipients that are open.
    async fn offer(&mut self, host: &str, address: SocketAddr) {
        self.spoken_to += 1;
        let open: Vec<usize> = (0..self.reports.len()).filter(|at| self.reports[*at].is_none()).collect();
        let mut message = self.message.clone();
        message.recipients = open.iter().map(|at| self.message.recipients[*at].clone()).collect();
        let remote = format!("{host} [{}]", address.ip());
        let answered = match self.hand(host, address, Tls::Opportunistic, message.clone()).await {
            Err(failure) if failure.retry_without_tls || failure.stage == Stage::StartTls => {
                self.hand(host, address, Tls::Off, message).await
            }
            answered => answered,
        };
        match answered {
            Ok(answered) => {
                for (at, outcome) in open.into_iter().zip(&answered.outcomes) {
                    let report = Report { tls: answered.tls.clone(), ..Report::of_outcome(outcome, &remote) };
                    if outcome.try_next_host {
                        self.note(report);
                    } else {
                        self.reports[at] = Some(report);
                    }
                }
            }
            Err(failure) => self.note(Report::of_failure(&failure, &remote, failure.permanent)),
        }
    }

    async fn hand(
        &self,
        host: &str,
        address: SocketAddr,
        tls: Tls,
        message: Message,
    ) -> Result<crate::ports::Answered, ConnectionFailure> {
        let session = SessionConfig { ehlo_name: self.app.config.smtp.hostname.clone(), tls, auth: None };
        self.app.smtp_out.offer(Peer { host: host.to_owned(), address, session, verify: false }, message).await
    }

    /// Keeps why a host did not help. A temporary failure anywhere makes it worth trying again.
    fn note(&mut self, report: Report) {
        let permanent = report.result == DeliveryResult::Permanent;
        if !permanent || self.all_permanent {
            self.last = Some(report);
        }
        self.all_permanent &= permanent;
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
        Addresses::Failed | Addresses::Found(_) => Report::local(
            DeliveryResult::Temporary,
            "4.4.3",
            format!("the addresses of {host} cannot be looked up now"),
        ),
    }
}
