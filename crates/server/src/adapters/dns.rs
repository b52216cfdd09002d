//! Names, looked up through the configured nameservers (`dns.nameservers`) or the system's.
//!
//! Knows the difference between "no such name", "no such record" and "no answer" (RFC 1035 §4.1.1, RFC 2308). Names below
//! `localhost` are answered here and never leave the machine (RFC 6761 §6.3). Never reads the hosts file.

mod health;
mod zones;

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};

use hickory_resolver::{
    ResolverBuilder, TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    lookup::Lookup,
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::{
        op::ResponseCode,
        rr::{Name, RData, Record, RecordType},
    },
};
use posthouse_domain::time::Time;
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};

use self::{
    health::{Admission, Health, PROBE_MS},
    zones::Zones,
};
use crate::ports::{Clock, Dns, Pending};

/// Time limit of one attempt, in milliseconds.
const ATTEMPT_MS: u64 = 1_500;
/// Attempts of one question, the first included.
const ATTEMPTS: usize = 2;
/// Answers kept, for as long as their TTL says: three for each destination of mail, and what is asked about incoming mail.
const CACHE_ENTRIES_MAX: u64 = 16_384;
/// Questions under way at one nameserver.
const QUESTIONS_ACTIVE_MAX: usize = 1_024;
/// Longest time an answer is kept, in seconds, whatever its TTL.
const CACHE_SECONDS_MAX: u64 = 3_600;
/// Longest time a negative answer is kept, in seconds: somebody may just be setting up the name.
const CACHE_NEGATIVE_SECONDS_MAX: u64 = 60;
/// Time after which a question without an answer makes us ask whether the nameservers are there, in milliseconds: longer than
/// most answers take, and short enough that a mail learns of an outage while it still waits.
const OVERDUE_MS: i64 = 400;
/// How long the nameservers have for an answer to our own questions, in milliseconds.
const OWN_QUESTIONS_MS: i64 = 1_000;
/// Most records of one answer that are handed on.
const RECORDS_MAX: usize = 200;

/// The resolver of the process.
pub struct Resolver {
    resolver: TokioResolver,
    clock: Arc<dyn Clock>,
    /// What is asked to learn whether the nameservers are there.
    own: Vec<(Name, RecordType)>,
    /// What they last answered, whatever it was: one that knows nothing of our own questions may know this.
    lately: Mutex<Option<(Name, RecordType)>>,
    health: Mutex<Health>,
    zones: Mutex<Zones>,
    /// What the servers said to our own questions, and when they were asked. Locked while they are being asked: one asks for
    /// all.
    probed: tokio::sync::Mutex<Option<(Time, Probed)>>,
}

/// What came of our own questions.
#[derive(Clone, Copy, Debug)]
struct Probed {
    /// A nameserver said something.
    answered: bool,
    /// It was of use.
    resolved: bool,
}

impl Resolver {
    /// A resolver that asks these nameservers, or the system's when there are none.
    ///
    /// # Errors
    /// When the resolver cannot be set up.
    pub fn new(nameservers: &[SocketAddr], clock: Arc<dyn Clock>) -> io::Result<Self> {
        let mut builder = match TokioResolver::builder_tokio() {
            Ok(builder) if nameservers.is_empty() => builder,
            // Without any configuration the C library asks this machine, too (resolv.conf(5)).
            Err(_) if nameservers.is_empty() => builder_for(&[SocketAddr::from((Ipv4Addr::LOCALHOST, 53))]),
            _ => builder_for(nameservers),
        };
        set_options(builder.options_mut());
        let resolver = builder.build().map_err(io::Error::other)?;
        // Whoever resolves names at all knows the root, and has it at hand. Two questions, for a datagram may be lost.
        let own = vec![(Name::root(), RecordType::NS), (Name::root(), RecordType::SOA)];
        let (lately, health, zones) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self { resolver, clock, own, lately, health, zones, probed: tokio::sync::Mutex::default() })
    }

    /// Also asks about that domain, which is this server's own, to learn whether the nameservers are there: a private one may
    /// know nothing of the root.
    #[must_use]
    pub fn knowing(mut self, domain: &str) -> Self {
        let is_local = local_answer(&Question::new(domain, QuestionKind::Ns)).is_some();
        self.own.extend(name(domain).filter(|_| !is_local).map(|name| (name, RecordType::NS)));
        self
    }

    async fn ask(&self, question: Question) -> Answer {
        if let Some(answer) = local_answer(&question) {
            return answer;
        }
        let Some(name) = name(&question.name) else {
            return Answer::NoSuchName;
        };
        let began = self.clock.now();
        let admission = self.health().admit(began);
        let may_ask = match admission {
            Admission::Ask => true,
            Admission::Refuse => false,
            Admission::Probe => self.are_there(began).await,
        };
        if !may_ask || !self.zones().may_ask(&question.name, began) {
            return Answer::Failed;
        }
        let mut lookup: Pending<'_, Heard> = Box::pin(self.resolver.lookup(name, record_type(question.kind)));
        // An answer that is there at once was kept from before, and says nothing of the nameservers.
        if let Poll::Ready(kept) = futures_util::poll!(&mut lookup) {
            return answer(question.kind, kept);
        }
        self.hear(&question, lookup).await
    }

    /// Waits for the answer of a question that was asked; not for long where the nameservers turn out to be away.
    async fn hear(&self, question: &Question, mut lookup: Pending<'_, Heard>) -> Answer {
        let in_time = tokio::select! {
            biased;
            heard = &mut lookup => Some(heard),
            () = self.clock.sleep_until(self.clock.now().plus_ms(OVERDUE_MS)) => None,
        };
        let heard = match in_time {
            Some(heard) if !is_silence(&heard) => heard,
            early => {
                let now = self.clock.now();
                self.zones().slow(&question.name, now);
                let away = async {
                    if self.are_there(now).await {
                        std::future::pending::<()>().await;
                    }
                };
                let late = async {
                    match early {
                        Some(silence) => silence,
                        None => lookup.await,
                    }
                };
                tokio::select! {
                    biased;
                    heard = late => heard,
                    () = away => return Answer::Failed,
                }
            }
        };
        if !is_silence(&heard) {
            let answer = answer(question.kind, heard);
            let resolved = answer != Answer::Failed;
            self.health().answered(self.clock.now(), resolved);
            if resolved {
                self.zones().answered(&question.name);
                *self.lately() = name(&question.name).map(|name| (name, record_type(question.kind)));
            }
            return answer;
        }
        answer(question.kind, heard)
    }

    /// Whether the nameservers are there, as our own questions find out; that they are not begins an outage.
    async fn are_there(&self, now: Time) -> bool {
        self.probe(now).await.answered
    }

    /// Asks our own questions, unless that was just done.
    async fn probe(&self, now: Time) -> Probed {
        let mut last = self.probed.lock().await;
        if let Some((_, probed)) = last.filter(|(at, _)| now < at.plus_ms(PROBE_MS)) {
            return probed;
        }
        let began = self.clock.now();
        let mut probed = self.ask_own().await;
        let now = self.clock.now();
        if probed.answered {
            self.health().answered(now, probed.resolved);
        } else {
            probed.answered = !self.health().unanswered(began, now);
        }
        *last = Some((now, probed));
        probed
    }

    async fn ask_own(&self) -> Probed {
        let lately = self.lately().clone();
        let mut asked: FuturesUnordered<_> = self
            .own
            .iter()
            .chain(&lately)
            .map(|(name, kind)| {
                self.resolver.clear_lookup_cache(name.clone(), *kind);
                self.resolver.lookup(name.clone(), *kind)
            })
            .collect();
        let mut end = self.clock.sleep_until(self.clock.now().plus_ms(OWN_QUESTIONS_MS));
        let mut probed = Probed { answered: false, resolved: false };
        while !probed.resolved {
            let heard = tokio::select! {
                biased;
                heard = asked.next() => heard,
                () = &mut end => None,
            };
            let Some(heard) = heard else { break };
            probed.answered |= !is_silence(&heard);
            probed.resolved |= !is_silence(&heard) && answer(QuestionKind::Ns, heard) != Answer::Failed;
        }
        probed
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lately(&self) -> MutexGuard<'_, Option<(Name, RecordType)>> {
        self.lately.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn zones(&self) -> MutexGuard<'_, Zones> {
        self.zones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the nameservers resolve anything now: our own questions, or whatever was asked lately.
    async fn resolves(&self) -> bool {
        let now = self.clock.now();
        let probed = self.probe(now).await;
        probed.resolved || self.health().resolved_since(now.plus_ms(-PROBE_MS))
    }
}

/// What a nameserver said, if it did.
type Heard = Result<Lookup, NetError>;

fn answer(kind: QuestionKind, heard: Heard) -> Answer {
    match heard {
        Ok(lookup) => records(kind, lookup.answers()),
        Err(error) => negative(&error),
    }
}

impl Dns for Resolver {
    fn lookup(&self, question: Question) -> Pending<'_, Answer> {
        Box::pin(self.ask(question))
    }

    fn is_served(&self) -> Pending<'_, bool> {
        Box::pin(self.resolves())
    }

    fn forget(&self) {
        self.resolver.clear_cache();
    }
}

fn builder_for(nameservers: &[SocketAddr]) -> ResolverBuilder<TokioRuntimeProvider> {
    let servers = nameservers.iter().copied().map(name_server).collect();
    TokioResolver::builder_with_config(
        ResolverConfig::from_parts(None, Vec::new(), servers),
        TokioRuntimeProvider::default(),
    )
}

fn name_server(address: SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    NameServerConfig::new(address.ip(), true, connections.into())
}

fn set_options(options: &mut ResolverOpts) {
    options.timeout = Duration::from_millis(ATTEMPT_MS);
    options.attempts = ATTEMPTS;
    options.cache_size = CACHE_ENTRIES_MAX;
    options.max_active_requests = QUESTIONS_ACTIVE_MAX;
    options.positive_max_ttl = Some(Duration::from_secs(CACHE_SECONDS_MAX));
    options.negative_max_ttl = Some(Duration::from_secs(CACHE_NEGATIVE_SECONDS_MAX));
    options.use_hosts_file = ResolveHosts::Never;
    options.edns0 = true;
}

/// `localhost` and everything below it is this machine, and has nothing but its addresses.
fn local_answer(question: &Question) -> Option<Answer> {
    let name = question.name.strip_suffix('.').unwrap_or(&question.name);
    if name != "localhost" && !name.ends_with(".localhost") {
        return None;
    }
    Some(match question.kind {
        QuestionKind::A => Answer::Records(Records::A(vec![Ipv4Addr::LOCALHOST])),
        QuestionKind::Aaaa => Answer::Records(Records::Aaaa(vec![Ipv6Addr::LOCALHOST])),
        QuestionKind::Txt | QuestionKind::Mx | QuestionKind::Ptr | QuestionKind::Ns => Answer::NoData,
    })
}

/// The name as DNS carries it; none when it cannot. Its labels may hold any octet, as they came from mail.
fn name(text: &str) -> Option<Name> {
    let text = text.strip_suffix('.').unwrap_or(text);
    Name::from_labels(text.split('.').map(str::as_bytes)).ok()
}

fn record_type(kind: QuestionKind) -> RecordType {
    match kind {
        QuestionKind::Txt => RecordType::TXT,
        QuestionKind::Mx => RecordType::MX,
        QuestionKind::A => RecordType::A,
        QuestionKind::Aaaa => RecordType::AAAA,
        QuestionKind::Ptr => RecordType::PTR,
        QuestionKind::Ns => RecordType::NS,
    }
}

/// The records of the type asked for; what stands beside them, such as aliases, has done its work.
fn records(kind: QuestionKind, answers: &[Record]) -> Answer {
    let data = || answers.iter().map(|record| &record.data).take(RECORDS_MAX);
    let records = match kind {
        QuestionKind::Txt => Records::Txt(
            data()
                .filter_map(|data| if let RData::TXT(txt) = data { Some(txt.txt_data.concat()) } else { None })
                .collect(),
        ),
        QuestionKind::Mx => Records::Mx(
            data()
                .filter_map(
                    |data| if let RData::MX(mx) = data { Some((mx.preference, text(&mx.exchange))) } else { None },
                )
                .collect(),
        ),
        QuestionKind::A => {
            Records::A(data().filter_map(|data| if let RData::A(a) = data { Some(a.0) } else { None }).collect())
        }
        QuestionKind::Aaaa => {
            Records::Aaaa(data().filter_map(|data| if let RData::AAAA(a) = data { Some(a.0) } else { None }).collect())
        }
        QuestionKind::Ptr => Records::Ptr(
            data().filter_map(|data| if let RData::PTR(ptr) = data { Some(text(&ptr.0)) } else { None }).collect(),
        ),
        QuestionKind::Ns => Records::Ns(
            data().filter_map(|data| if let RData::NS(ns) = data { Some(text(&ns.0)) } else { None }).collect(),
        ),
    };
    if is_empty(&records) { Answer::NoData } else { Answer::Records(records) }
}

fn is_empty(records: &Records) -> bool {
    match records {
        Records::Txt(list) => list.is_empty(),
        Records::Mx(list) => list.is_empty(),
        Records::A(list) => list.is_empty(),
        Records::Aaaa(list) => list.is_empty(),
        Records::Ptr(list) | Records::Ns(list) => list.is_empty(),
    }
}

/// A host name in lower case without the root's dot; the root itself is `.` (null MX, RFC 7505).
fn text(name: &Name) -> String {
    if name.is_root() {
        return ".".to_owned();
    }
    let mut text = name.to_ascii().to_ascii_lowercase();
    if text.ends_with('.') {
        text.pop();
    }
    text
}

fn negative(error: &NetError) -> Answer {
    match error {
        NetError::Dns(DnsError::NoRecordsFound(none)) => match none.response_code {
            ResponseCode::NXDomain => Answer::NoSuchName,
            ResponseCode::NoError => Answer::NoData,
            _ => Answer::Failed,
        },
        _ => Answer::Failed,
    }
}

/// Whether no nameserver said anything at all; a nameserver that says it failed is there.
fn is_silence(heard: &Heard) -> bool {
    matches!(heard, Err(NetError::Timeout | NetError::NoConnections | NetError::Io(_) | NetError::Busy))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_below_localhost_are_answered_here() {
        let ask = |name: &str, kind| local_answer(&Question::new(name, kind));
        let v4 = Answer::Records(Records::A(vec![Ipv4Addr::LOCALHOST]));
        let v6 = Answer::Records(Records::Aaaa(vec![Ipv6Addr::LOCALHOST]));
        assert_eq!(ask("localhost", QuestionKind::A), Some(v4.clone()));
        assert_eq!(ask("Agents.LOCALHOST.", QuestionKind::A), Some(v4));
        assert_eq!(ask("agents.localhost", QuestionKind::Aaaa), Some(v6));
        assert_eq!(ask("_dmarc.agents.localhost", QuestionKind::Txt), Some(Answer::NoData));
        assert_eq!(ask("notlocalhost", QuestionKind::A), None);
        assert_eq!(ask("localhost.example.org", QuestionKind::A), None);
    }

    #[test]
    fn any_label_can_be_asked_and_too_long_ones_cannot() {
        assert!(name("a b%.example").is_some());
        assert!(name("_dmarc.example.").is_some());
        assert!(name(&format!("{}.example", "a".repeat(64))).is_none());
        assert_eq!(text(&Name::root()), ".");
        assert_eq!(text(&name("MX.Example.ORG").unwrap()), "mx.example.org");
    }
}
