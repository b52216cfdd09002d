//! Pages of messages, message summaries for long-polls, and erasing.

use super::*;
use posthouse_domain::message::{HoldReason, MessageVerification};
use posthouse_store::{
    arrivals::{self, ArrivalFilter, ArrivalTimeRange},
    erase,
    message_list::{self, MessageFilter, ScreeningFilter},
};

const LABELS: [&str; 5] = ["a", "b", "rare", "blocked", "ai:sales"];

fn random_message(n: u128, numbers: &mut Numbers) -> Message {
    let weights = [2, 3, 20, 8, 6];
    let labels: Vec<&str> =
        LABELS.iter().zip(weights).filter(|(_, weight)| numbers.below(*weight) == 0).map(|(label, _)| *label).collect();
    let mut message = message(n, &labels);
    message.is_read = numbers.below(2) == 0;
    if numbers.below(3) == 0 {
        message.direction = Direction::Outbound;
        message.status =
            [MessageStatus::Queued, MessageStatus::Sent, MessageStatus::Bounced][numbers.below(3) as usize];
    }
    message.channel = [Channel::Email, Channel::Agent][numbers.below(2) as usize];
    message.kind = [MessageKind::Message, MessageKind::Task][numbers.below(2) as usize];
    message.held = numbers.maybe(|_| HoldReason::Phishing);
    message.released_at = message.held.and_then(|_| numbers.maybe(|_| message.created_at));
    message
}

fn random_filter(numbers: &mut Numbers) -> MessageFilter {
    let labels = (0..numbers.below(4)).map(|_| LABELS[numbers.below(5) as usize].to_owned()).collect();
    MessageFilter {
        labels,
        any_label: numbers.maybe(|_| vec!["ai:sales", "local:spam"]).unwrap_or_default(),
        hidden_labels: numbers
            .maybe(|n| if n.below(2) == 0 { vec!["blocked"] } else { vec!["blocked", "ai:sales", "b"] })
            .unwrap_or_default(),
        is_read: numbers.maybe(|n| n.below(2) == 0),
        direction: numbers.maybe(|n| [Direction::Inbound, Direction::Outbound][n.below(2) as usize]),
        status: numbers.maybe(|n| [MessageStatus::Received, MessageStatus::Bounced][n.below(2) as usize]),
        channel: numbers.maybe(|_| Channel::Email),
        kind: numbers.maybe(|_| MessageKind::Task),
        screening: numbers.maybe(|n| {
            [ScreeningFilter::Passed, ScreeningFilter::Held, ScreeningFilter::Released][n.below(3) as usize]
        }),
    }
}

fn passes(message: &Message, filter: &MessageFilter) -> bool {
    let has = |label: &str| message.labels.iter().any(|l| l == label);
    filter.labels.iter().all(|label| has(label))
        && (filter.any_label.is_empty() || filter.any_label.iter().any(|label| has(label)))
        && !filter.hidden_labels.iter().any(|label| has(label))
        && filter.is_read.is_none_or(|is_read| message.is_read == is_read)
        && filter.direction.is_none_or(|direction| message.direction == direction)
        && filter.status.is_none_or(|status| message.status == status)
        && filter.channel.is_none_or(|channel| message.channel == channel)
        && filter.kind.is_none_or(|kind| message.kind == kind)
        && filter.screening.is_none_or(|screening| match screening {
            ScreeningFilter::Pending => message.held == Some(posthouse_domain::HoldReason::Pending),
            ScreeningFilter::Passed => message.held.is_none(),
            ScreeningFilter::Held => message.is_held(),
            ScreeningFilter::Released => message.released_at.is_some(),
        })
}

/// Returns all pages of a filter, concatenated.
fn all_pages(tx: &mut Tx, filter: &MessageFilter, limit: u32) -> Result<Vec<MessageId>> {
    let (mut ids, mut before) = (Vec::new(), None);
    loop {
        let page = message_list::page(tx, PLACE, filter, before, limit)?;
        ids.extend(page.iter().map(|message| message.id));
        match page.last() {
            Some(last) if page.len() == limit as usize => before = Some(last.created_at),
            _ => return Ok(ids),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn message_pages_match_the_model_under_every_filter() {
    on_both(async |store| {
        let mut numbers = Numbers(7);
        let all: Vec<Message> = (1..=300).map(|n| random_message(n, &mut numbers)).collect();
        let stored = all.clone();
        store.write(move |tx| stored.iter().try_for_each(|message| put(tx, message))).await.unwrap();
        for _ in 0..150 {
            let (filter, limit) = (random_filter(&mut numbers), 1 + numbers.below(40) as u32);
            let expected: Vec<MessageId> = all.iter().rev().filter(|m| passes(m, &filter)).map(|m| m.id).collect();
            let query = filter.clone();
            let found = store.read(move |tx| all_pages(tx, &query, limit)).await.unwrap();
            assert_eq!(found, expected, "{filter:?} by {limit}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_insert_between_pages_neither_repeats_nor_hides_a_message() {
    on_both(async |store| {
        store.write(|tx| (1..=10).try_for_each(|n| put(tx, &message(n, &["a"])))).await.unwrap();
        let filter = MessageFilter { labels: vec!["a".into()], ..MessageFilter::default() };
        let first = {
            let f = filter.clone();
            store.read(move |tx| message_list::page(tx, PLACE, &f, None, 4)).await.unwrap()
        };
        store.write(|tx| put(tx, &message(11, &["a"]))).await.unwrap();
        let before = first.last().map(|m| m.created_at);
        let rest = store.read(move |tx| message_list::page(tx, PLACE, &filter, before, 100)).await.unwrap();
        let numbers: Vec<u128> = first.iter().chain(&rest).map(|m| m.id.0.as_u128()).collect();
        assert_eq!(numbers, (1..=10).rev().collect::<Vec<u128>>());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_labels_take_effect_immediately() {
    on_both(async |store| {
        store.write(|tx| put(tx, &message(1, &["a"]))).await.unwrap();
        store
            .write(|tx| {
                let before = message(1, &["a"]);
                let after = Message { labels: vec!["b".into()], is_read: true, ..before.clone() };
                messages::set_labels(tx, &before, &after)
            })
            .await
            .unwrap();
        for (label, found) in [("a", 0), ("b", 1)] {
            let filter = MessageFilter { labels: vec![label.into()], is_read: Some(true), ..MessageFilter::default() };
            let page = store.read(move |tx| message_list::page(tx, PLACE, &filter, None, 5)).await.unwrap();
            assert_eq!(page.len(), found, "{label}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_poll_reads_are_ordered_and_skip_blocked_messages() {
    on_both(async |store| {
        store
            .write(|tx| {
                for n in 1..=6 {
                    let mut message = message(n, if n == 3 { &["blocked"] } else { &[] });
                    message.held = (n == 3).then_some(HoldReason::Blocked);
                    if n != 2 {
                        let code = Some(format!("{n}"));
                        message.verification = Some(MessageVerification {
                            code,
                            link: None,
                            confidence: 0.5,
                            reason: None,
                            auth_failed: n == 5,
                        });
                    }
                    put(tx, &message)?;
                }
                Ok::<_, posthouse_store::Error>(())
            })
            .await
            .unwrap();
        let sort = ArrivalFilter {
            direction: Direction::Inbound,
            channel: None,
            kind: Some(MessageKind::Message),
            opt_ins: posthouse_domain::OptIns::default(),
        };
        let numbers = |found: Vec<arrivals::ArrivalSummary>| found.iter().map(|g| g.id.0.as_u128()).collect::<Vec<_>>();
        let after = store.read(move |tx| arrivals::after(tx, PLACE, sort, at(1), 3)).await.unwrap();
        assert_eq!(numbers(after), [2, 4, 5]);
        let between = ArrivalTimeRange { since: at(1), until: at(6) };
        let found = store.read(move |tx| arrivals::verifications(tx, PLACE, between, 9)).await.unwrap();
        assert!(found[0].verification.as_ref().unwrap().auth_failed);
        assert_eq!(numbers(found), [5, 4]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn erasing_a_thread_deletes_its_dependent_rows_and_nothing_else() {
    on_both(async |store| {
        let in_thread = |n| Message { thread: ThreadId(Uuid::from_u128(77)), ..message(n, &["a"]) };
        store
            .write(move |tx| {
                put_thread(tx, &thread(77, INBOX, 1))?;
                (1..=3).try_for_each(|n| put(tx, &in_thread(n)))?;
                put_file(tx, in_thread(1).id, 501)?;
                put_file(tx, in_thread(2).id, 502)?;
                // Another copy of the second message's content.
                messages::insert(tx, &Message { content: in_thread(2).content, ..message(9, &["a"]) })
            })
            .await
            .unwrap();
        let thread_id = ThreadId(Uuid::from_u128(77));
        let erased = store.write(move |tx| {
            let erased = erase::messages_of_thread(tx, PLACE, thread_id)?;
            stored_threads::delete(tx, WORKSPACE, thread_id)?;
            Ok::<_, posthouse_store::Error>(erased)
        });
        let erased = erased.await.unwrap();
        assert_eq!((erased.messages, erased.attachments), (3, 2));
        store
            .read(move |tx| {
                assert_eq!(stored_threads::get(tx, WORKSPACE, thread_id)?, None);
                let filter = MessageFilter { labels: vec!["a".into()], ..MessageFilter::default() };
                let left = message_list::page(tx, PLACE, &filter, None, 10)?;
                assert_eq!(left.iter().map(|m| m.id).collect::<Vec<_>>(), [message(9, &[]).id]);
                for (n, there) in [(1, false), (2, true), (3, false)] {
                    let raw = contents::raw(tx, WORKSPACE, ContentId(Uuid::from_u128(n)))?;
                    assert_eq!(raw.is_some(), there, "content {n}");
                }
                Ok::<_, posthouse_store::Error>(())
            })
            .await
            .unwrap();
    })
    .await;
}
