//! Three names in a row whose own nameservers were silent, as strangers can choose them, made the resolver call its nameservers
//! out of order: nobody's mail was checked for ten seconds. And nameservers that were out of order cost each mail two seconds.

use std::{net::SocketAddr, sync::Arc};

use posthouse_mail::auth::{Answer, Question, QuestionKind, Records};
use posthouse_server::{adapters::dns::Resolver, ports::Dns as _};
use posthouse_tests::{clock::ManualClock, dns::FakeDns, name_server};
use tokio::net::UdpSocket;

/// Time after which a resolver asks its own questions, in milliseconds, and after which it gives them up.
const OVERDUE_MS: i64 = 400;
const OWN_QUESTIONS_MS: i64 = 1_000;

async fn ask(resolver: &Resolver, name: &str) -> Answer {
    resolver.lookup(Question::new(name, QuestionKind::Txt)).await
}

fn text() -> Answer {
    Answer::Records(Records::Txt(vec![b"v=spf1 -all".to_vec()]))
}

/// A name server that says nothing of names below `dead.example`, on UDP alone.
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

#[tokio::test(flavor = "multi_thread")]
async fn silent_names_of_strangers_say_nothing_of_our_nameservers() {
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[server_with_a_dead_zone().await], Arc::new(clock.clone())).unwrap());
    let mut dead = tokio::task::JoinSet::new();
    for n in 0..20 {
        let resolver = Arc::clone(&resolver);
        dead.spawn(async move { ask(&resolver, &format!("x{n}.dead.example")).await });
    }
    clock.waiting(20).await;
    clock.advance(OVERDUE_MS);
    assert_eq!(ask(&resolver, "alive.example").await, text(), "while they are under way");
    while let Some(answer) = dead.join_next().await {
        assert_eq!(answer.unwrap(), Answer::Failed);
    }
    assert!(resolver.is_served().await);
    resolver.forget();
    assert_eq!(ask(&resolver, "alive.example").await, text(), "and after them");
    clock.advance(60_000);
    assert!(resolver.is_served().await);
}

/// One that answers for its own names and drops every other question, about the root too.
#[tokio::test(flavor = "multi_thread")]
async fn a_private_nameserver_is_known_by_what_it_answered() {
    let clock = ManualClock::new(1);
    let server = server_that_drops(|query| !has_label(query, b"\x05alive")).await;
    let resolver = Arc::new(Resolver::new(&[server], Arc::new(clock.clone())).unwrap());
    assert_eq!(ask(&resolver, "alive.example").await, text());
    let asking = Arc::clone(&resolver);
    let dead = tokio::spawn(async move { ask(&asking, "x.dead.example").await });
    clock.waiting(1).await;
    clock.advance(OVERDUE_MS);
    assert_eq!(dead.await.unwrap(), Answer::Failed);
    resolver.forget();
    assert_eq!(ask(&resolver, "alive.example").await, text());
}

/// A zone that is silent is left alone after a few questions: it must not use up what other mail needs.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_zone_is_soon_left_alone() {
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[server_with_a_dead_zone().await], Arc::new(clock.clone())).unwrap());
    let mut dead = tokio::task::JoinSet::new();
    for n in 0..20 {
        let resolver = Arc::clone(&resolver);
        dead.spawn(async move { ask(&resolver, &format!("x{n}.dead.example")).await });
    }
    clock.waiting(20).await;
    clock.advance(OVERDUE_MS);
    while let Some(answer) = dead.join_next().await {
        assert_eq!(answer.unwrap(), Answer::Failed);
    }
    let next = ask(&resolver, "another.dead.example");
    tokio::select! {
        biased;
        answer = next => assert_eq!(answer, Answer::Failed, "at once"),
        () = clock.waiting(1) => panic!("the zone was asked"),
    }
    assert_eq!(ask(&resolver, "alive.example").await, text());
}

#[tokio::test(flavor = "multi_thread")]
async fn nameservers_that_are_away_are_noticed_while_the_first_question_waits() {
    let away = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let clock = ManualClock::new(1);
    let resolver = Arc::new(Resolver::new(&[away.local_addr().unwrap()], Arc::new(clock.clone())).unwrap());
    let began = posthouse_server::ports::Clock::now(&clock);
    let first = clock.go_on(OVERDUE_MS + OWN_QUESTIONS_MS, ask(&resolver, "first.example")).await;
    assert_eq!(first, Answer::Failed);
    let waited = posthouse_server::ports::Clock::now(&clock).since_ms(began);
    assert!(waited <= OVERDUE_MS + OWN_QUESTIONS_MS, "{waited} ms");
    while away.try_recv(&mut [0; 512]).is_ok() {}
    for n in 0..5 {
        assert_eq!(ask(&resolver, &format!("{n}.example")).await, Answer::Failed, "at once");
    }
    assert!(away.try_recv(&mut [0; 512]).is_err(), "nobody was asked");
    assert!(!resolver.is_served().await);
}
