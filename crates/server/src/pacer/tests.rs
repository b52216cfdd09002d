//! Who gets a place, and who waits.

use std::{future::poll_fn, pin::Pin, task::Poll};

use posthouse_domain::{pacing::News, time::Time};
use uuid::Uuid;

use super::*;
use crate::config::Config;

const PUSHED: News = News::PushedBack { too_fast: false };

fn at(ms: i64) -> Time {
    Time::from_millis(1_800_000_000_000 + ms)
}

fn workspace(n: u128) -> WorkspaceId {
    WorkspaceId(Uuid::from_u128(n))
}

fn pacer(connections_max: usize) -> Pacer {
    let mut delivery = Config::loopback().delivery;
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_max = connections_max;
    Pacer::new(&delivery)
}

/// Begins as many jobs as there is room for; how many.
fn fill(pacer: &Pacer, of: WorkspaceId, lane: &str, now: i64) -> usize {
    let mut count = 0;
    while pacer.room(of, lane, at(now)).free() > 0 && count < 1_000 {
        pacer.began(of, lane, at(now));
        count += 1;
    }
    count
}

async fn turn(pacer: &Pacer, lane: &str, host: &str, now: i64) -> Turn {
    match pacer.turn((lane, host), false, at(now)).await {
        Entered::Turn(turn) => turn,
        Entered::NotBefore(time) => panic!("not before {time}"),
    }
}

/// Looks once whether it is still waiting.
async fn waits<F: Future + Unpin>(future: &mut F) -> bool {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_pending())).await
}

/// A job from its beginning to what was heard.
async fn run(pacer: &Pacer, lane: &str, host: &str, (from, to): (i64, i64), news: News) {
    pacer.began(workspace(1), lane, at(from));
    turn(pacer, lane, host, from).await.end(news, at(to));
    pacer.ended(workspace(1), lane);
}

#[tokio::test]
async fn an_unknown_domain_gets_little_and_a_quick_one_more_and_more() {
    let pacer = pacer(100);
    assert_eq!(fill(&pacer, workspace(1), "a.example", 0), 1, "and a place is left for another's");
    assert_eq!(fill(&pacer, workspace(2), "a.example", 0), 1);
    for of in [1, 2] {
        pacer.ended(workspace(of), "a.example");
    }
    for n in 0..20 {
        run(&pacer, "a.example", "mx.a.example", (n * 10, n * 10 + 5), News::Took).await;
    }
    assert_eq!(fill(&pacer, workspace(1), "a.example", 500), 48, "four fifths of six for each of ten connections");
    assert!(fill(&pacer, workspace(2), "a.example", 500) >= 9);
}

#[tokio::test]
async fn lanes_of_one_provider_share_its_connections() {
    let pacer = pacer(100);
    for n in 0..30 {
        run(&pacer, "gmail.com", "gmail-smtp-in.l.google.com", (n * 10, n * 10 + 5), News::Took).await;
    }
    run(&pacer, "shop.example", "aspmx.l.google.com", (400, 405), News::Took).await;
    let first = fill(&pacer, workspace(1), "gmail.com", 500);
    assert_eq!((first, fill(&pacer, workspace(1), "shop.example", 500)), (48, 0));
    let mut turns = Vec::new();
    for n in 0..10 {
        turns.push(turn(&pacer, "shop.example", ["alt1.aspmx.l.google.com", "aspmx.l.google.com"][n % 2], 500).await);
    }
    assert_eq!(turns[0].limits().messages_per_connection_max, 50);
    let (waits, ends) = tokio::join!(
        async {
            matches!(pacer.turn(("gmail.com", "gmail-smtp-in.l.google.com"), false, at(501)).await, Entered::Turn(_))
        },
        async { turns.pop().map(|turn| turn.end(News::Took, at(502))) },
    );
    assert!(waits && ends.is_some(), "the eleventh waits for the end of one of the ten");
}

#[tokio::test]
async fn the_operators_number_bounds_the_table() {
    let mut delivery = Config::loopback().delivery;
    delivery.mode = DeliveryMode::Direct;
    delivery.connections_per_destination_max = Some(3);
    let pacer = Pacer::new(&delivery);
    for host in ["mx.a.example", "gmail-smtp-in.l.google.com"] {
        assert_eq!(turn(&pacer, host, host, 0).await.limits().connections_max, 3);
    }
    assert_eq!(turn(&pacer, "qq.com", "mx3.qq.com", 0).await.limits().per_minute_max, Some(120));
}

#[tokio::test]
async fn who_pushes_back_is_left_alone_but_for_a_last_attempt() {
    let pacer = pacer(100);
    for n in 0..4 {
        run(&pacer, "a.example", "mx.a.example", (n * 100, n * 100 + 5), PUSHED).await;
    }
    let Entered::NotBefore(until) = pacer.turn(("a.example", "mx.a.example"), false, at(400)).await else {
        panic!("it rests");
    };
    assert_eq!(until, at(1_305));
    assert!(matches!(pacer.turn(("a.example", "mx.a.example"), true, at(400)).await, Entered::Turn(_)));
    assert!(fill(&pacer, workspace(1), "a.example", 400) > 10, "its mail is put off at once, it takes no place");
    assert!(matches!(pacer.turn(("a.example", "mx2.a.example"), false, at(400)).await, Entered::Turn(_)));
    let standings = pacer.standings(at(400));
    assert_eq!(standings, [(Standing::Open, 1), (Standing::Narrowed, 0), (Standing::Resting, 1)]);
    assert!(matches!(pacer.turn(("a.example", "mx.a.example"), false, until).await, Entered::Turn(_)));
}

#[tokio::test]
async fn silent_servers_never_take_the_last_quarter_of_the_connections() {
    let pacer = pacer(100);
    run(&pacer, "quick.example", "mx.quick.example", (0, 5), News::Took).await;
    let mut silent = Vec::new();
    for n in 0..200 {
        let (lane, host) = (format!("s{n}.example"), format!("mx.s{n}.example"));
        if fill(&pacer, workspace(1), &lane, 10) > 0 {
            silent.push(turn(&pacer, &lane, &host, 10).await);
        }
    }
    assert_eq!(silent.len(), 60, "four fifths of three quarters");
    assert!(fill(&pacer, workspace(1), "quick.example", 20) > 0, "who is known to be quick is not held up");
    assert!(fill(&pacer, workspace(2), "new.example", 20) > 0, "nor is another workspace's first mail");
    assert_eq!(fill(&pacer, workspace(1), "s300.example", 2_000), 0, "overdue, they are slow now, and there are many");
    drop(silent);
    for n in 0..200 {
        pacer.ended(workspace(1), &format!("s{n}.example"));
    }
    assert!(fill(&pacer, workspace(1), "s300.example", 2_100) > 0);
}

#[tokio::test]
async fn slow_destinations_share_half() {
    let pacer = pacer(40);
    for n in 0..40 {
        run(&pacer, &format!("s{n}.example"), &format!("mx.s{n}.example"), (n, n + 3_000), News::Took).await;
    }
    let count: usize = (0..40).map(|n| fill(&pacer, workspace(1), &format!("s{n}.example"), 10_000)).sum();
    assert_eq!(count, 16, "four fifths of half");
    let count: usize = (0..40).map(|n| fill(&pacer, workspace(2), &format!("s{n}.example"), 10_000)).sum();
    assert!((1..=4).contains(&count), "{count}");
}

#[tokio::test]
async fn a_turn_that_nobody_takes_up_goes_on_to_the_next() {
    let pacer = pacer(100);
    let held = [turn(&pacer, "a.example", "mx", 0).await, turn(&pacer, "a.example", "mx", 0).await];
    let mut first = Box::pin(pacer.turn(("a.example", "mx"), false, at(1)));
    let mut second = Box::pin(pacer.turn(("a.example", "mx"), false, at(1)));
    for waiting in [&mut first, &mut second] {
        assert!(waits(waiting).await);
    }
    drop(first);
    drop(held);
    assert!(matches!(second.await, Entered::Turn(_)));
    assert!(matches!(pacer.turn(("a.example", "mx"), false, at(2)).await, Entered::Turn(_)), "nothing was lost");
}

#[tokio::test]
async fn where_connections_are_short_destinations_take_turns() {
    let pacer = pacer(2);
    let mut held = vec![turn(&pacer, "a.example", "mx.a", 0).await, turn(&pacer, "a.example", "mx.a", 0).await];
    let wait = |lane: &'static str, host: &'static str| Box::pin(pacer.turn((lane, host), false, at(1)));
    let mut queue = [wait("a.example", "mx.a"), wait("a.example", "mx.a"), wait("b.example", "mx.b")];
    for waiting in &mut queue {
        assert!(waits(waiting).await);
    }
    let [first, second, other] = &mut queue;
    held.pop().unwrap().end(News::Took, at(5));
    let Entered::Turn(_kept) = other.await else { panic!("who has none goes first") };
    assert!(waits(first).await);
    held.pop().unwrap().end(News::Took, at(6));
    let Entered::Turn(last) = first.await else { panic!("then the others") };
    assert!(waits(second).await);
    drop(last);
    assert!(matches!(second.await, Entered::Turn(_)));
}

#[tokio::test]
async fn a_relay_is_one_destination_that_has_no_class() {
    let mut delivery = Config::loopback().delivery;
    delivery.mode = DeliveryMode::Capture;
    delivery.connections_max = 10;
    let pacer = Pacer::new(&delivery);
    let count: usize = (0..50).map(|n| fill(&pacer, workspace(1), &format!("s{n}.example"), 0)).sum();
    assert!(count >= 1_000, "{count}: nothing is known of it yet, and nothing else is held up");
    for n in 0..20 {
        turn(&pacer, "a.example", "smart.host", n * 10).await.end(News::Took, at(n * 10 + 5));
    }
    assert_eq!(pacer.room(workspace(2), "other.example", at(500)).free(), 0, "all lanes are the relay's");
    assert_eq!(turn(&pacer, "a.example", "smart.host", 500).await.limits().connections_max, CONNECTIONS_TO_RELAY);
}
