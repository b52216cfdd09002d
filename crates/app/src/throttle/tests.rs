//! Tests of permits, capacity and fairness.

use std::{future::poll_fn, ops::Range, pin::Pin, task::Poll};

use posthouse_domain::{ThrottleSignal, Time};
use uuid::Uuid;

use super::*;
use crate::settings::fixture;

const PUSHED: ThrottleSignal = ThrottleSignal::PushedBack { too_fast: false };

fn at(ms: i64) -> Time {
    Time::from_millis(1_800_000_000_000 + ms)
}

fn workspace(n: u128) -> WorkspaceId {
    WorkspaceId(Uuid::from_u128(n))
}

fn limiter(connections_max: usize) -> DestinationLimiter {
    let mut delivery = fixture::delivery();
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_max = connections_max;
    DestinationLimiter::new(&delivery)
}

/// Starts as many jobs as the capacity allows; returns their number.
fn fill(limiter: &DestinationLimiter, of: WorkspaceId, domain: &str, now: i64) -> usize {
    let mut count = 0;
    while limiter.available(of, domain, at(now)).free() > 0 && count < 1_000 {
        limiter.record_start(of, domain, at(now));
        count += 1;
    }
    count
}

async fn permit(limiter: &DestinationLimiter, domain: &str, host: &str, now: i64) -> DeliveryPermit {
    match limiter.acquire(DestinationHost { domain, host }, false, at(now)).await {
        PermitResult::Granted(permit) => permit,
        PermitResult::NotBefore(time) => panic!("not before {time}"),
    }
}

/// Polls the future once; returns whether it is pending.
async fn waits<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await
}

/// Runs a job from its start to its result.
async fn run(limiter: &DestinationLimiter, domain: &str, host: &str, time: Range<i64>, signal: ThrottleSignal) {
    limiter.record_start(workspace(1), domain, at(time.start));
    permit(limiter, domain, host, time.start).await.end(signal, at(time.end));
    limiter.release(workspace(1), domain);
}

#[tokio::test]
async fn capacity_grows_with_accepted_messages() {
    let limiter = limiter(100);
    assert_eq!(fill(&limiter, workspace(1), "a.example", 0), 1, "one job is left for another workspace");
    assert_eq!(fill(&limiter, workspace(2), "a.example", 0), 1);
    for of in [1, 2] {
        limiter.release(workspace(of), "a.example");
    }
    for n in 0..20 {
        run(&limiter, "a.example", "mx.a.example", n * 10..n * 10 + 5, ThrottleSignal::Accepted).await;
    }
    assert_eq!(fill(&limiter, workspace(1), "a.example", 500), 48, "80% of six jobs for each of ten connections");
    assert!(fill(&limiter, workspace(2), "a.example", 500) >= 9);
}

#[tokio::test]
async fn domains_of_one_provider_share_its_connections() {
    let limiter = limiter(100);
    for n in 0..30 {
        run(&limiter, "gmail.com", "gmail-smtp-in.l.google.com", n * 10..n * 10 + 5, ThrottleSignal::Accepted).await;
    }
    run(&limiter, "shop.example", "aspmx.l.google.com", 400..405, ThrottleSignal::Accepted).await;
    let first = fill(&limiter, workspace(1), "gmail.com", 500);
    assert_eq!((first, fill(&limiter, workspace(1), "shop.example", 500)), (48, 0));
    let mut permits = Vec::new();
    for n in 0..10 {
        permits.push(
            permit(&limiter, "shop.example", ["alt1.aspmx.l.google.com", "aspmx.l.google.com"][n % 2], 500).await,
        );
    }
    assert_eq!(permits[0].limits().messages_per_connection_max, 50);
    let (waits, ends) = tokio::join!(
        async {
            matches!(
                limiter
                    .acquire(
                        DestinationHost { domain: "gmail.com", host: "gmail-smtp-in.l.google.com" },
                        false,
                        at(501)
                    )
                    .await,
                PermitResult::Granted(_)
            )
        },
        async { permits.pop().map(|permit| permit.end(ThrottleSignal::Accepted, at(502))) },
    );
    assert!(waits && ends.is_some(), "the eleventh permit waits until one of the ten ends");
}

#[tokio::test]
async fn configured_maximum_caps_provider_limits() {
    let mut delivery = fixture::delivery();
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_per_destination_max = Some(3);
    let limiter = DestinationLimiter::new(&delivery);
    for host in ["mx.a.example", "gmail-smtp-in.l.google.com"] {
        assert_eq!(permit(&limiter, host, host, 0).await.limits().connections_max, 3);
    }
    assert_eq!(permit(&limiter, "qq.com", "mx3.qq.com", 0).await.limits().per_minute_max, Some(120));
}

#[tokio::test]
async fn pushback_pauses_all_but_the_last_attempt() {
    let limiter = limiter(100);
    for n in 0..4 {
        run(&limiter, "a.example", "mx.a.example", n * 100..n * 100 + 5, PUSHED).await;
    }
    let PermitResult::NotBefore(until) =
        limiter.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, false, at(400)).await
    else {
        panic!("the destination must be paused");
    };
    assert_eq!(until, at(1_305));
    assert!(matches!(
        limiter.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, true, at(400)).await,
        PermitResult::Granted(_)
    ));
    assert!(fill(&limiter, workspace(1), "a.example", 400) > 10, "jobs of a paused destination end immediately");
    assert!(matches!(
        limiter.acquire(DestinationHost { domain: "a.example", host: "mx2.a.example" }, false, at(400)).await,
        PermitResult::Granted(_)
    ));
    let counts = limiter.count_by_status(at(400));
    assert_eq!(counts, [(ThrottleStatus::Open, 1), (ThrottleStatus::Limited, 0), (ThrottleStatus::Paused, 1)]);
    assert!(matches!(
        limiter.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, false, until).await,
        PermitResult::Granted(_)
    ));
}

#[tokio::test]
async fn unresponsive_servers_leave_a_quarter_of_the_connections() {
    let limiter = limiter(100);
    run(&limiter, "quick.example", "mx.quick.example", 0..5, ThrottleSignal::Accepted).await;
    let mut silent = Vec::new();
    for n in 0..200 {
        let (domain, host) = (format!("s{n}.example"), format!("mx.s{n}.example"));
        if fill(&limiter, workspace(1), &domain, 10) > 0 {
            silent.push(permit(&limiter, &domain, &host, 10).await);
        }
    }
    assert_eq!(silent.len(), 60, "80% of three quarters");
    assert!(fill(&limiter, workspace(1), "quick.example", 20) > 0, "a fast destination is not delayed");
    assert!(fill(&limiter, workspace(2), "new.example", 20) > 0, "the first mail of another workspace is not delayed");
    assert_eq!(
        fill(&limiter, workspace(1), "s300.example", 2_000),
        0,
        "overdue destinations are slow and exceed their share"
    );
    drop(silent);
    for n in 0..200 {
        limiter.release(workspace(1), &format!("s{n}.example"));
    }
    assert!(fill(&limiter, workspace(1), "s300.example", 2_100) > 0);
}

#[tokio::test]
async fn slow_destinations_share_half_of_the_connections() {
    let limiter = limiter(40);
    for n in 0..40 {
        run(&limiter, &format!("s{n}.example"), &format!("mx.s{n}.example"), n..n + 3_000, ThrottleSignal::Accepted)
            .await;
    }
    let count: usize = (0..40).map(|n| fill(&limiter, workspace(1), &format!("s{n}.example"), 10_000)).sum();
    assert_eq!(count, 16, "80% of half");
    let count: usize = (0..40).map(|n| fill(&limiter, workspace(2), &format!("s{n}.example"), 10_000)).sum();
    assert!((1..=4).contains(&count), "{count}");
}

#[tokio::test]
async fn permit_of_a_dropped_waiter_goes_to_the_next() {
    let limiter = limiter(100);
    let held = [permit(&limiter, "a.example", "mx", 0).await, permit(&limiter, "a.example", "mx", 0).await];
    let mut first = Box::pin(limiter.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(1)));
    let mut second = Box::pin(limiter.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(1)));
    for waiting in [&mut first, &mut second] {
        assert!(waits(waiting).await);
    }
    drop(first);
    drop(held);
    assert!(matches!(second.await, PermitResult::Granted(_)));
    assert!(
        matches!(
            limiter.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(2)).await,
            PermitResult::Granted(_)
        ),
        "no permit was lost"
    );
}

#[tokio::test]
async fn free_connections_rotate_between_destinations() {
    let limiter = limiter(2);
    let mut held = vec![permit(&limiter, "a.example", "mx.a", 0).await, permit(&limiter, "a.example", "mx.a", 0).await];
    let wait = |domain: &'static str, host: &'static str| {
        Box::pin(limiter.acquire(DestinationHost { domain, host }, false, at(1)))
    };
    let mut queue = [wait("a.example", "mx.a"), wait("a.example", "mx.a"), wait("b.example", "mx.b")];
    for waiting in &mut queue {
        assert!(waits(waiting).await);
    }
    let [first, second, other] = &mut queue;
    held.pop().unwrap().end(ThrottleSignal::Accepted, at(5));
    let PermitResult::Granted(_kept) = other.await else { panic!("the destination without a connection comes first") };
    assert!(waits(first).await);
    held.pop().unwrap().end(ThrottleSignal::Accepted, at(6));
    let PermitResult::Granted(last) = first.await else { panic!("the busy destination comes next") };
    assert!(waits(second).await);
    drop(last);
    assert!(matches!(second.await, PermitResult::Granted(_)));
}

#[tokio::test]
async fn relay_is_one_destination_without_a_class() {
    let mut delivery = fixture::delivery();
    delivery.mode = DeliveryMode::Capture;
    delivery.connections_max = 10;
    let limiter = DestinationLimiter::new(&delivery);
    let count: usize = (0..50).map(|n| fill(&limiter, workspace(1), &format!("s{n}.example"), 0)).sum();
    assert!(count >= 1_000, "{count}: the relay has no history and no class limit");
    for n in 0..20 {
        permit(&limiter, "a.example", "smart.host", n * 10).await.end(ThrottleSignal::Accepted, at(n * 10 + 5));
    }
    assert_eq!(
        limiter.available(workspace(2), "other.example", at(500)).free(),
        0,
        "all domains share the relay's limit"
    );
    assert_eq!(permit(&limiter, "a.example", "smart.host", 500).await.limits().connections_max, CONNECTIONS_TO_RELAY);
}
