//! Three lookups in a row with silent nameservers, which any sender can cause, made the resolver consider its own name
//! servers down: no message was checked for ten seconds. And nameservers that were down delayed each message by two
//! seconds.

use std::{net::SocketAddr, sync::Arc};

use posthouse_app::ports::Dns as _;
use posthouse_mail::auth::{DnsAnswer, DnsQuestion, DnsRecordType, DnsRecords};
use posthouse_server::adapters::dns::Resolver;
use posthouse_tests::{clock::ManualClock, dns::FakeDns, name_server};
use tokio::net::UdpSocket;

/// The time until a resolver sends its own probes, and the timeout of the probes, in milliseconds.
const OVERDUE_MS: i64 = 400;
const PROBE_MS: i64 = 1_000;

async fn ask(resolver: &Resolver, name: &str) -> DnsAnswer {
    resolver.lookup(DnsQuestion::new(name, DnsRecordType::Txt)).await
}

fn text() -> DnsAnswer {
    DnsAnswer::Records(DnsRecords::Txt(vec![b"v=spf1 -all".to_vec()]))
}

/// A nameserver that doesn't answer for names below `dead.example`, over UDP only.
async fn server_with_a_dead_zone() -> SocketAddr {
    server_that_drops(|query| has_label(query, b"\x04dead")).await
}

fn has_label(query: &[u8], label: &[u8]) -> bool {
    query.windows(label.len()).any(|bytes| bytes.eq_ignore_ascii_case(label))
}

async fn server_that_drops(drops: impl Fn(&[u8]) -> bool + Send + 'static) -> SocketAddr {
    let dns = FakeDns::default();
    dns.txt("alive.example", "v=spf1 -all");
    dns.name_server("", "a.root.example");
    let upstream = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    upstream.connect(name_server::serve_records(&dns)).await.unwrap();
    let front = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = front.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut query, mut answer) = ([0; 4_096], [0; 4_096]);
        while let Ok((bytes, from)) = front.recv_from(&mut query).await {
            if drops(&query[..bytes]) {
                continue;
            }
            upstream.send(&query[..bytes]).await.unwrap();
            let bytes = upstream.recv(&mut answer).await.unwrap();
            front.send_to(&answer[..bytes], from).await.unwrap();
        }
    });
    address
}

/// Begins twenty lookups in the dead zone, and moves the clock to when they are overdue.
async fn begin_overdue(resolver: &Arc<Resolver>, clock: &ManualClock) -> tokio::task::JoinSet<DnsAnswer> {
    let mut dead = tokio::task::JoinSet::new();
    for n in 0..20 {
        let resolver = Arc::clone(resolver);
        dead.spawn(async move { ask(&resolver, &format!("x{n}.dead.example")).await });
    }
    clock.wait_for_sleepers(20).await;
    clock.advance(OVERDUE_MS);
    dead
}

#[tokio::test(flavor = "multi_thread")]
async fn silent_zones_do_not_affect_the_own_name_servers() {
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[server_with_a_dead_zone().await], Arc::new(clock.clone())).unwrap());
    let dead = begin_overdue(&resolver, &clock).await;
    assert_eq!(ask(&resolver, "alive.example").await, text(), "while they are pending");
    assert!(dead.join_all().await.iter().all(|answer| *answer == DnsAnswer::Failed));
    assert!(resolver.is_served().await);
    resolver.clear_cache();
    assert_eq!(ask(&resolver, "alive.example").await, text(), "after them");
    clock.advance(60_000);
    assert!(resolver.is_served().await);
}

/// A nameserver that answers for its own names and drops all other queries, including those for the root.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_name_server_counts_as_alive_by_its_own_answers() {
    let clock = ManualClock::new(1);
    let server = server_that_drops(|query| !has_label(query, b"\x05alive")).await;
    let resolver = Arc::new(Resolver::new(&[server], Arc::new(clock.clone())).unwrap());
    assert_eq!(ask(&resolver, "alive.example").await, text());
    let shared = Arc::clone(&resolver);
    let dead = tokio::spawn(async move { ask(&shared, "x.dead.example").await });
    clock.wait_for_sleepers(1).await;
    clock.advance(OVERDUE_MS);
    assert_eq!(dead.await.unwrap(), DnsAnswer::Failed);
    resolver.clear_cache();
    assert_eq!(ask(&resolver, "alive.example").await, text());
}

/// After a few queries a silent zone is skipped, so that it can't use up resources of other messages.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_zone_is_soon_skipped() {
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[server_with_a_dead_zone().await], Arc::new(clock.clone())).unwrap());
    let dead = begin_overdue(&resolver, &clock).await;
    assert!(dead.join_all().await.iter().all(|answer| *answer == DnsAnswer::Failed));
    let next = ask(&resolver, "another.dead.example");
    tokio::select! {
        biased;
        answer = next => assert_eq!(answer, DnsAnswer::Failed, "at once"),
        () = clock.wait_for_sleepers(1) => panic!("the zone was queried"),
    }
    assert_eq!(ask(&resolver, "alive.example").await, text());
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_name_servers_are_detected_during_the_first_lookup() {
    let away = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[away.local_addr().unwrap()], Arc::new(clock.clone())).unwrap());
    let started = posthouse_app::ports::Clock::now(&clock);
    let first = clock.advance_until(OVERDUE_MS + PROBE_MS, ask(&resolver, "first.example")).await;
    assert_eq!(first, DnsAnswer::Failed);
    let waited = posthouse_app::ports::Clock::now(&clock).since_ms(started);
    assert!(waited <= OVERDUE_MS + PROBE_MS, "{waited} ms");
    while away.try_recv(&mut [0; 512]).is_ok() {}
    for n in 0..5 {
        assert_eq!(ask(&resolver, &format!("{n}.example")).await, DnsAnswer::Failed, "at once");
    }
    assert!(away.try_recv(&mut [0; 512]).is_err(), "no query was sent");
    assert!(!resolver.is_served().await);
}
