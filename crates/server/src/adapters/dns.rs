//! Names, looked up through the configured nameservers (`dns.nameservers`) or the system's.
//!
//! Knows the difference between "no such name", "no such record" and "no answer" (RFC 1035 §4.1.1, RFC 2308). Names below
//! `localhost` are answered here and never leave the machine (RFC 6761 §6.3). Never reads the hosts file.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use hickory_resolver::{
    ResolverBuilder, TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    net::{DnsError, NetError, runtime::TokioRuntimeProvider},
    proto::{
        op::ResponseCode,
        rr::{Name, RData, Record, RecordType},
    },
};
use posthouse_domain::time::Time;
use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};

use crate::ports::{Clock, Dns, Pending};

/// Time limit of one attempt, in milliseconds.
const ATTEMPT_MS: u64 = 1_500;
/// Attempts of one question, the first included.
const ATTEMPTS: usize = 2;
/// Answers kept, for as long as their TTL says: three for each destination of mail, and what is asked about incoming mail.
const CACHE_ENTRIES_MAX: u64 = 16_384;
/// Questions under way at one nameserver.
const QUESTIONS_ACTIVE_MAX: usize = 256;
/// Longest time an answer is kept, in seconds, whatever its TTL.
const CACHE_SECONDS_MAX: u64 = 3_600;
/// Longest time a negative answer is kept, in seconds: somebody may just be setting up the name.
const CACHE_NEGATIVE_SECONDS_MAX: u64 = 60;
/// Questions in a row without any answer after which the nameservers count as out of order.
const SILENCES_MAX: u32 = 3;
/// How long nobody is asked after that, in milliseconds.
const OUTAGE_MS: i64 = 10_000;
/// How long the first question after that may take, in milliseconds, before another one is asked.
const PROBE_MS: i64 = 3_000;
/// Most records of one answer that are handed on.
const RECORDS_MAX: usize = 200;

/// The resolver of the process.
pub struct Resolver {
    resolver: TokioResolver,
    clock: Arc<dyn Clock>,
    health: Mutex<Health>,
    /// Whether the servers knew the root, and when they were asked. Locked while they are being asked: one asks for all.
    root: tokio::sync::Mutex<Option<(Time, bool)>>,
}

/// What is known about the nameservers as a whole.
#[derive(Debug, Default)]
struct Health {
    silences: u32,
    answered_at: Option<Time>,
    silent_until: Option<Time>,
}

impl Health {
    /// Whether to ask now. After an outage one asks for all: the others go on without until it has an answer.
    fn may_ask(&mut self, now: Time) -> bool {
        match self.silent_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                self.silent_until = Some(now.plus_ms(PROBE_MS));
                true
            }
        }
    }

    fn answered(&mut self, now: Time) {
        *self = Health { answered_at: Some(now), ..Health::default() };
    }

    /// A question that began at `began` got no answer. One dead domain does not stop the mail of all others: only
    /// silence about everything asked since then counts.
    fn unanswered(&mut self, began: Time, now: Time) {
        if self.answered_at.is_some_and(|at| at >= began) {
            return;
        }
        self.silences += 1;
        if self.silences >= SILENCES_MAX {
            self.silent_until = Some(now.plus_ms(OUTAGE_MS));
            // One more silence after the pause is enough for the next.
            self.silences = SILENCES_MAX - 1;
        }
    }
}

/// A question under way. One that is given up by its asker counts as unanswered too.
struct Flight<'a> {
    resolver: &'a Resolver,
    began: Time,
    answered: bool,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        let now = self.resolver.clock.now();
        let mut health = self.resolver.health.lock().unwrap_or_else(PoisonError::into_inner);
        match self.answered {
            true => health.answered(now),
            false => health.unanswered(self.began, now),
        }
    }
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
        Ok(Self { resolver, clock, health: Mutex::default(), root: tokio::sync::Mutex::default() })
    }

    async fn ask(&self, question: Question) -> Answer {
        if let Some(answer) = local_answer(&question) {
            return answer;
        }
        let Some(name) = name(&question.name) else {
            return Answer::NoSuchName;
        };
        let began = self.clock.now();
        if !self.health.lock().unwrap_or_else(PoisonError::into_inner).may_ask(began) {
            return Answer::Failed;
        }
        self.ask_servers(name, question.kind, began).await
    }

    async fn ask_servers(&self, name: Name, kind: QuestionKind, began: Time) -> Answer {
        let mut flight = Flight { resolver: self, began, answered: false };
        let result = self.resolver.lookup(name, record_type(kind)).await;
        flight.answered = !matches!(&result, Err(error) if is_silence(error));
        match result {
            Ok(lookup) => records(kind, lookup.answers()),
            Err(error) => negative(&error),
        }
    }

    /// Asks for the servers of the root: whoever resolves names at all knows them, and has them at hand. It is asked also
    /// in what looks like an outage, for that may be no more than a few names in a row whose own servers are silent.
    async fn knows_the_root(&self) -> bool {
        let mut last = self.root.lock().await;
        let began = self.clock.now();
        if let Some((_, knows)) = last.filter(|(at, _)| began < at.plus_ms(PROBE_MS)) {
            return knows;
        }
        self.resolver.clear_lookup_cache(Name::root(), RecordType::NS);
        let knows = self.ask_servers(Name::root(), QuestionKind::Ns, began).await != Answer::Failed;
        *last = Some((self.clock.now(), knows));
        knows
    }
}

impl Dns for Resolver {
    fn lookup(&self, question: Question) -> Pending<'_, Answer> {
        Box::pin(self.ask(question))
    }

    fn is_served(&self) -> Pending<'_, bool> {
        Box::pin(self.knows_the_root())
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
fn is_silence(error: &NetError) -> bool {
    matches!(error, NetError::Timeout | NetError::NoConnections | NetError::Io(_) | NetError::Busy)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Time {
        Time::from_millis(ms)
    }

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
    fn silence_about_everything_is_an_outage_and_passes() {
        let mut health = Health::default();
        for n in 0..SILENCES_MAX {
            assert!(health.may_ask(at(3_000)), "after {n} silences");
            health.unanswered(at(0), at(3_000));
        }
        assert!(!health.may_ask(at(3_000)));
        assert!(!health.may_ask(at(3_000 + OUTAGE_MS - 1)));
        assert!(health.may_ask(at(20_000)), "one asks after the pause");
        assert!(!health.may_ask(at(20_001)), "and only one");
        health.unanswered(at(20_000), at(22_000));
        assert!(!health.may_ask(at(22_000)), "one more silence is enough while nothing was answered");
        assert!(health.may_ask(at(22_000 + OUTAGE_MS)));
        assert!(health.may_ask(at(22_000 + OUTAGE_MS + PROBE_MS)), "an asker that is lost holds nobody up for ever");
        health.answered(at(40_000));
        assert!(health.may_ask(at(40_000)) && health.may_ask(at(40_000)), "an answer ends the outage");
        health.unanswered(at(40_500), at(43_500));
        assert!(health.may_ask(at(43_500)));
    }

    #[test]
    fn one_dead_domain_among_living_ones_is_no_outage() {
        let mut health = Health::default();
        health.answered(at(50));
        for _ in 0..100 {
            health.unanswered(at(0), at(3_000));
        }
        assert!(health.may_ask(at(3_000)));
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
