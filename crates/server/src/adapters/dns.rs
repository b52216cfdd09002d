//! The DNS resolver, which uses the configured nameservers (`dns.nameservers`) or the system's.
//!
//! It distinguishes "no such name", "no such record" and "no answer" (RFC 1035 §4.1.1, RFC 2308). Names below
//! `localhost` are resolved locally (RFC 6761 §6.3). The hosts file isn't used.

mod answers;
mod health;
mod zones;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};

use hickory_resolver::{
    ResolverBuilder, TokioResolver,
    config::{ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts},
    lookup::Lookup,
    net::{NetError, runtime::TokioRuntimeProvider},
    proto::rr::{Name, RecordType},
};
use posthouse_domain::time::Time;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType};

use crate::adapters::dns::{
    answers::{answer, local_answer, name, record_type},
    health::{Admission, Health, PROBE_MS},
    zones::Zones,
};
use posthouse_app::ports::{BoxFuture, Clock, Dns};

/// Time limit of one attempt, in milliseconds.
const ATTEMPT_MS: u64 = 1_500;
/// Attempts of a query, including the first.
const ATTEMPTS: usize = 2;
/// Maximum cached answers: about three for each mail destination, and those for incoming mail.
const CACHE_ENTRIES_MAX: u64 = 16_384;
/// Maximum concurrent queries to one nameserver.
const QUESTIONS_ACTIVE_MAX: usize = 1_024;
/// Maximum time an answer is cached, in seconds.
const CACHE_SECONDS_MAX: u64 = 3_600;
/// Maximum time a negative answer is cached, in seconds. It is short because the record may just be being published.
const CACHE_NEGATIVE_SECONDS_MAX: u64 = 60;
/// Time without an answer after which the nameservers are probed, in milliseconds: longer than most answers take, and
/// short enough to detect an outage before the query times out.
const OVERDUE_MS: i64 = 400;
/// Time limit of a probe, in milliseconds.
const PROBE_TIMEOUT_MS: i64 = 1_000;

/// The resolver of the process.
pub struct Resolver {
    resolver: TokioResolver,
    clock: Arc<dyn Clock>,
    /// The queries of a probe.
    probe_queries: Vec<(Name, RecordType)>,
    /// The last query that was answered. A nameserver that drops the probe's queries may answer this one.
    last_answered: Mutex<Option<(Name, RecordType)>>,
    health: Mutex<Health>,
    zones: Mutex<Zones>,
    /// Time and result of the last probe. Locked during a probe, so that one task probes for all.
    probed: tokio::sync::Mutex<Option<(Time, Probed)>>,
}

/// The result of a probe.
#[derive(Clone, Copy, Debug)]
struct Probed {
    /// Whether a nameserver answered.
    answered: bool,
    /// Whether an answer was usable.
    resolved: bool,
}

impl Resolver {
    /// Creates a resolver that uses these nameservers, or the system's if there are none.
    ///
    /// # Errors
    /// Returns an error if the resolver can't be set up.
    pub fn new(nameservers: &[SocketAddr], clock: Arc<dyn Clock>) -> io::Result<Self> {
        let mut builder = match TokioResolver::builder_tokio() {
            Ok(builder) if nameservers.is_empty() => builder,
            // Without configuration the C library queries localhost too (resolv.conf(5)).
            Err(_) if nameservers.is_empty() => builder_for(&[SocketAddr::from((Ipv4Addr::LOCALHOST, 53))]),
            _ => builder_for(nameservers),
        };
        set_options(builder.options_mut());
        let resolver = builder.build().map_err(io::Error::other)?;
        // Every recursive resolver knows the root. Two queries, because a datagram may be lost.
        let probe_queries = vec![(Name::root(), RecordType::NS), (Name::root(), RecordType::SOA)];
        let (last_answered, health, zones) = (Mutex::default(), Mutex::default(), Mutex::default());
        Ok(Self { resolver, clock, probe_queries, last_answered, health, zones, probed: tokio::sync::Mutex::default() })
    }

    /// Adds this server's own domain to the probe, because a private nameserver may not resolve the root.
    #[must_use]
    pub fn with_probe_domain(mut self, domain: &str) -> Self {
        let is_local = local_answer(&DnsQuestion::new(domain, DnsRecordType::Ns)).is_some();
        self.probe_queries.extend(name(domain).filter(|_| !is_local).map(|name| (name, RecordType::NS)));
        self
    }

    async fn query(&self, question: DnsQuestion) -> DnsAnswer {
        if let Some(answer) = local_answer(&question) {
            return answer;
        }
        let Some(name) = name(&question.name) else {
            return DnsAnswer::NoSuchName;
        };
        let began = self.clock.now();
        let admission = self.health().admit(began);
        let may_ask = match admission {
            Admission::Query => true,
            Admission::Refuse => false,
            Admission::Probe => self.is_any_responding(began).await,
        };
        if !may_ask || !self.zones().may_query(&question.name, began) {
            return DnsAnswer::Failed;
        }
        let mut lookup: BoxFuture<'_, LookupResult> = Box::pin(self.resolver.lookup(name, record_type(question.kind)));
        // An immediate answer is from the cache and doesn't show that the nameservers work.
        if let Poll::Ready(kept) = futures_util::poll!(&mut lookup) {
            return answer(question.kind, kept);
        }
        self.await_answer(&question, lookup).await
    }

    /// Waits for the answer to a query, but not if a probe shows that the nameservers don't answer.
    async fn await_answer(&self, question: &DnsQuestion, mut lookup: BoxFuture<'_, LookupResult>) -> DnsAnswer {
        let in_time = tokio::select! {
            biased;
            result = &mut lookup => Some(result),
            () = self.clock.sleep_until(self.clock.now().plus_ms(OVERDUE_MS)) => None,
        };
        let result = match in_time {
            Some(result) if !is_no_answer(&result) => result,
            early => {
                let now = self.clock.now();
                self.zones().slow(&question.name, now);
                let away = async {
                    if self.is_any_responding(now).await {
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
                    result = late => result,
                    () = away => return DnsAnswer::Failed,
                }
            }
        };
        if !is_no_answer(&result) {
            let answer = answer(question.kind, result);
            let resolved = answer != DnsAnswer::Failed;
            self.health().answered(self.clock.now(), resolved);
            if resolved {
                self.zones().answered(&question.name);
                *self.recent_answer() = name(&question.name).map(|name| (name, record_type(question.kind)));
            }
            return answer;
        }
        answer(question.kind, result)
    }

    /// Returns whether the nameservers answer a probe. Without an answer an outage begins.
    async fn is_any_responding(&self, now: Time) -> bool {
        self.probe(now).await.answered
    }

    /// Probes the nameservers, unless that was done recently.
    async fn probe(&self, now: Time) -> Probed {
        let mut last = self.probed.lock().await;
        if let Some((_, probed)) = last.filter(|(at, _)| now < at.plus_ms(PROBE_MS)) {
            return probed;
        }
        let began = self.clock.now();
        let mut probed = self.probe_own_domain().await;
        let now = self.clock.now();
        if probed.answered {
            self.health().answered(now, probed.resolved);
        } else {
            probed.answered = !self.health().record_unanswered(began, now);
        }
        *last = Some((now, probed));
        probed
    }

    async fn probe_own_domain(&self) -> Probed {
        let last_answered = self.recent_answer().clone();
        let mut asked: FuturesUnordered<_> = self
            .probe_queries
            .iter()
            .chain(&last_answered)
            .map(|(name, kind)| {
                self.resolver.clear_lookup_cache(name.clone(), *kind);
                self.resolver.lookup(name.clone(), *kind)
            })
            .collect();
        let mut end = self.clock.sleep_until(self.clock.now().plus_ms(PROBE_TIMEOUT_MS));
        let mut probed = Probed { answered: false, resolved: false };
        while !probed.resolved {
            let result = tokio::select! {
                biased;
                result = asked.next() => result,
                () = &mut end => None,
            };
            let Some(result) = result else { break };
            probed.answered |= !is_no_answer(&result);
            probed.resolved |= !is_no_answer(&result) && answer(DnsRecordType::Ns, result) != DnsAnswer::Failed;
        }
        probed
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn recent_answer(&self) -> MutexGuard<'_, Option<(Name, RecordType)>> {
        self.last_answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn zones(&self) -> MutexGuard<'_, Zones> {
        self.zones.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the nameservers resolve anything now, in a probe or in recent queries.
    async fn resolves(&self) -> bool {
        let now = self.clock.now();
        let probed = self.probe(now).await;
        probed.resolved || self.health().resolved_since(now.plus_ms(-PROBE_MS))
    }
}

/// The result of a lookup.
type LookupResult = Result<Lookup, NetError>;

impl Dns for Resolver {
    fn lookup(&self, question: DnsQuestion) -> BoxFuture<'_, DnsAnswer> {
        Box::pin(self.query(question))
    }

    fn is_served(&self) -> BoxFuture<'_, bool> {
        Box::pin(self.resolves())
    }

    fn clear_cache(&self) {
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

/// Returns whether no nameserver responded. A response that reports a failure counts as a response.
fn is_no_answer(result: &LookupResult) -> bool {
    matches!(result, Err(NetError::Timeout | NetError::NoConnections | NetError::Io(_) | NetError::Busy))
}
