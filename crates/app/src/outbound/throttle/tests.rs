//! Tests of permits, capacity and fairness.

use std::{future::poll_fn, ops::Range, pin::Pin, task::Poll};

use posthouse_domain::{pacing::ThrottleSignal, time::Time};
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

fn pacer(connections_max: usize) -> DestinationLimiter {
    let mut delivery = fixture::delivery();
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_max = connections_max;
    DestinationLimiter::new(&delivery)
}

/// Starts as many jobs as the capacity allows; returns their number.
fn fill(pacer: &DestinationLimiter, of: WorkspaceId, lane: &str, now: i64) -> usize {
    let mut count = 0;
    while pacer.available(of, lane, at(now)).free() > 0 && count < 1_000 {
        pacer.began(of, lane, at(now));
        count += 1;
    }
    count
}

async fn turn(pacer: &DestinationLimiter, lane: &str, host: &str, now: i64) -> DeliveryPermit {
    match pacer.acquire(DestinationHost { domain: lane, host }, false, at(now)).await {
        PermitResult::Granted(turn) => turn,
        PermitResult::NotBefore(time) => panic!("not before {time}"),
    }
}

/// Polls the future once; returns whether it is pending.
async fn waits<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await
}

/// Runs a job from its start to its result.
async fn run(pacer: &DestinationLimiter, lane: &str, host: &str, time: Range<i64>, news: ThrottleSignal) {
    pacer.began(workspace(1), lane, at(time.start));
    turn(pacer, lane, host, time.start).await.end(news, at(time.end));
    pacer.release(workspace(1), lane);
}

#[tokio::test]
async fn capacity_grows_with_accepted_messages() {
    let pacer = pacer(100);
    assert_eq!(fill(&pacer, workspace(1), "a.example", 0), 1, "one job is left for another workspace");
    assert_eq!(fill(&pacer, workspace(2), "a.example", 0), 1);
    for of in [1, 2] {
        pacer.release(workspace(of), "a.example");
    }
    for n in 0..20 {
        run(&pacer, "a.example", "mx.a.example", n * 10..n * 10 + 5, ThrottleSignal::Accepted).await;
    }
    assert_eq!(fill(&pacer, workspace(1), "a.example", 500), 48, "80% of six jobs for each of ten connections");
    assert!(fill(&pacer, workspace(2), "a.example", 500) >= 9);
}

#[tokio::test]
async fn domains_of_one_provider_share_its_connections() {
    let pacer = pacer(100);
    for n in 0..30 {
        run(&pacer, "gmail.com", "gmail-smtp-in.l.google.com", n * 10..n * 10 + 5, ThrottleSignal::Accepted).await;
    }
    run(&pacer, "shop.example", "aspmx.l.google.com", 400..405, ThrottleSignal::Accepted).await;
    let first = fill(&pacer, workspace(1), "gmail.com", 500);
    assert_eq!((first, fill(&pacer, workspace(1), "shop.example", 500)), (48, 0));
    let mut turns = Vec::new();
    for n in 0..10 {
        turns.push(turn(&pacer, "shop.example", ["alt1.aspmx.l.google.com", "aspmx.l.google.com"][n % 2], 500).await);
    }
    assert_eq!(turns[0].limits().messages_per_connection_max, 50);
    let (waits, ends) = tokio::join!(
        async {
            matches!(
                pacer
                    .acquire(
                        DestinationHost { domain: "gmail.com", host: "gmail-smtp-in.l.google.com" },
                        false,
                        at(501)
                    )
                    .await,
                PermitResult::Granted(_)
            )
        },
        async { turns.pop().map(|turn| turn.end(ThrottleSignal::Accepted, at(502))) },
    );
    assert!(waits && ends.is_some(), "the eleventh permit waits until one of the ten ends");
}

#[tokio::test]
async fn configured_maximum_caps_provider_limits() {
    let mut delivery = fixture::delivery();
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_per_destination_max = Some(3);
    let pacer = DestinationLimiter::new(&delivery);
    for host in ["mx.a.example", "gmail-smtp-in.l.google.com"] {
        assert_eq!(turn(&pacer, host, host, 0).await.limits().connections_max, 3);
    }
    assert_eq!(turn(&pacer, "qq.com", "mx3.qq.com", 0).await.limits().per_minute_max, Some(120));
}

#[tokio::test]
async fn pushback_pauses_all_but_the_last_attempt() {
    let pacer = pacer(100);
    for n in 0..4 {
        run(&pacer, "a.example", "mx.a.example", n * 100..n * 100 + 5, PUSHED).await;
    }
    let PermitResult::NotBefore(until) =
        pacer.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, false, at(400)).await
    else {
        panic!("the destination must be paused");
    };
    assert_eq!(until, at(1_305));
    assert!(matches!(
        pacer.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, true, at(400)).await,
        PermitResult::Granted(_)
    ));
    assert!(fill(&pacer, workspace(1), "a.example", 400) > 10, "jobs of a paused destination end immediately");
    assert!(matches!(
        pacer.acquire(DestinationHost { domain: "a.example", host: "mx2.a.example" }, false, at(400)).await,
        PermitResult::Granted(_)
    ));
    let counts = pacer.count_by_status(at(400));
    assert_eq!(counts, [(ThrottleStatus::Open, 1), (ThrottleStatus::Limited, 0), (ThrottleStatus::Paused, 1)]);
    assert!(matches!(
        pacer.acquire(DestinationHost { domain: "a.example", host: "mx.a.example" }, false, until).await,
        PermitResult::Granted(_)
    ));
}

#[tokio::test]
async fn unresponsive_servers_leave_a_quarter_of_the_connections() {
    let pacer = pacer(100);
    run(&pacer, "quick.example", "mx.quick.example", 0..5, ThrottleSignal::Accepted).await;
    let mut silent = Vec::new();
    for n in 0..200 {
        let (lane, host) = (format!("s{n}.example"), format!("mx.s{n}.example"));
        if fill(&pacer, workspace(1), &lane, 10) > 0 {
            silent.push(turn(&pacer, &lane, &host, 10).await);
        }
    }
    assert_eq!(silent.len(), 60, "80% of three quarters");
    assert!(fill(&pacer, workspace(1), "quick.example", 20) > 0, "a fast destination is not delayed");
    assert!(fill(&pacer, workspace(2), "new.example", 20) > 0, "the first mail of another workspace is not delayed");
    assert_eq!(
        fill(&pacer, workspace(1), "s300.example", 2_000),
        0,
        "overdue destinations are slow and exceed their share"
    );
    drop(silent);
    for n in 0..200 {
        pacer.release(workspace(1), &format!("s{n}.example"));
    }
    assert!(fill(&pacer, workspace(1), "s300.example", 2_100) > 0);
}

#[tokio::test]
async fn slow_destinations_share_half_of_the_connections() {
    let pacer = pacer(40);
    for n in 0..40 {
        run(&pacer, &format!("s{n}.example"), &format!("mx.s{n}.example"), n..n + 3_000, ThrottleSignal::Accepted)
            .await;
    }
    let count: usize = (0..40).map(|n| fill(&pacer, workspace(1), &format!("s{n}.example"), 10_000)).sum();
    assert_eq!(count, 16, "80% of half");
    let count: usize = (0..40).map(|n| fill(&pacer, workspace(2), &format!("s{n}.example"), 10_000)).sum();
    assert!((1..=4).contains(&count), "{count}");
}

#[tokio::test]
async fn permit_of_a_dropped_waiter_goes_to_the_next() {
    let pacer = pacer(100);
    let held = [turn(&pacer, "a.example", "mx", 0).await, turn(&pacer, "a.example", "mx", 0).await];
    let mut first = Box::pin(pacer.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(1)));
    let mut second = Box::pin(pacer.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(1)));
    for waiting in [&mut first, &mut second] {
        assert!(waits(waiting).await);
    }
    drop(first);
    drop(held);
    assert!(matches!(second.await, PermitResult::Granted(_)));
    assert!(
        matches!(
            pacer.acquire(DestinationHost { domain: "a.example", host: "mx" }, false, at(2)).await,
            PermitResult::Granted(_)
        ),
        "no permit was lost"
    );
}

#[tokio::test]
async fn free_connections_rotate_between_destinations() {
    let pacer = pacer(2);
    let mut held = vec![turn(&pacer, "a.example", "mx.a", 0).await, turn(&pacer, "a.example", "mx.a", 0).await];
    let wait = |lane: &'static str, host: &'static str| {
        Box::pin(pacer.acquire(DestinationHost { domain: lane, host }, false, at(1)))
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
    let pacer = DestinationLimiter::new(&delivery);
    let count: usize = (0..50).map(|n| fill(&pacer, workspace(1), &format!("s{n}.example"), 0)).sum();
    assert!(count >= 1_000, "{count}: the relay has no history and no class limit");
    for n in 0..20 {
        turn(&pacer, "a.example", "smart.host", n * 10).await.end(ThrottleSignal::Accepted, at(n * 10 + 5));
    }
    assert_eq!(
        pacer.available(workspace(2), "other.example", at(500)).free(),
        0,
        "all domains share the relay's limit"
    );
    assert_eq!(turn(&pacer, "a.example", "smart.host", 500).await.limits().connections_max, CONNECTIONS_TO_RELAY);
}
