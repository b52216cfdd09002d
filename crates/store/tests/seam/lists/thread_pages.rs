//! Pages of threads.

use super::*;
use posthouse_domain::page::CursorPosition;
use posthouse_store::thread_list::{self, ThreadFilter};

const LABELS: [&str; 3] = ["a", "b", "rare"];

fn random_thread(n: u128, numbers: &mut Numbers) -> Thread {
    let labels = LABELS.iter().zip([2, 3, 15]).filter(|(_, weight)| numbers.below(*weight) == 0);
    let labels = labels.map(|(label, _)| (*label).to_owned()).collect();
    // Only a few distinct times, so that IDs often decide the order.
    let inbox = InboxId(Uuid::from_u128(10 + u128::from(numbers.below(2))));
    Thread { labels, ..thread(1_000 - n, inbox, numbers.below(30) as i64) }
}

fn random_filter(numbers: &mut Numbers) -> ThreadFilter {
    ThreadFilter {
        inbox: numbers.maybe(|_| INBOX),
        labels: (0..numbers.below(3)).map(|_| LABELS[numbers.below(3) as usize].to_owned()).collect(),
        before: numbers.maybe(|n| at(n.below(30) as i64)),
        after: numbers.maybe(|n| at(n.below(30) as i64)),
        participant: numbers.maybe(|n| format!("S9{}", n.below(10))),
        subject: numbers.maybe(|n| ["über 100% t", "THREAD_99", "x_9", "10%0"][n.below(4) as usize].to_owned()),
        ascending: numbers.below(2) == 0,
    }
}

fn passes(thread: &Thread, filter: &ThreadFilter) -> bool {
    let contains = |text: &str, part: &str| text.to_lowercase().contains(&part.to_lowercase());
    filter.inbox.is_none_or(|inbox| thread.inbox == inbox)
        && filter.labels.iter().all(|label| thread.labels.contains(label))
        && filter.before.is_none_or(|before| thread.last_message_at < before)
        && filter.after.is_none_or(|after| thread.last_message_at > after)
        && filter.participant.as_ref().is_none_or(|part| thread.participants.iter().any(|p| contains(p, part)))
        && filter.subject.as_ref().is_none_or(|part| contains(thread.subject.as_deref().unwrap(), part))
}

fn all_pages(tx: &mut Tx, filter: &ThreadFilter, limit: u32) -> Result<Vec<ThreadId>> {
    let (mut ids, mut position) = (Vec::new(), None);
    loop {
        let page = thread_list::page(tx, WORKSPACE, filter, position, limit)?;
        ids.extend(page.iter().map(|thread| thread.id));
        match page.last() {
            Some(last) if page.len() == limit as usize => {
                position = Some(CursorPosition { sort: last.last_message_at.millis(), id: last.id.0 });
            }
            _ => return Ok(ids),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thread_pages_match_the_model_under_every_filter() {
    on_both(async |store| {
        let mut numbers = Numbers(11);
        let mut all: Vec<Thread> = (1..=120).map(|n| random_thread(n, &mut numbers)).collect();
        let stored = all.clone();
        store.write(move |tx| stored.iter().try_for_each(|thread| put_thread(tx, thread))).await.unwrap();
        all.sort_by_key(|thread| (thread.last_message_at, thread.id));
        for _ in 0..150 {
            let (filter, limit) = (random_filter(&mut numbers), 1 + numbers.below(40) as u32);
            let mut expected: Vec<ThreadId> = all.iter().filter(|t| passes(t, &filter)).map(|t| t.id).collect();
            if !filter.ascending {
                expected.reverse();
            }
            let query = filter.clone();
            let found = store.read(move |tx| all_pages(tx, &query, limit)).await.unwrap();
            assert_eq!(found, expected, "{filter:?} by {limit}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_on_very_many_threads_is_checked_per_row() {
    on_both(async |store| {
        let threads = |n| Thread { labels: vec!["a".into()], ..thread(n, INBOX, n as i64) };
        store.write(move |tx| (1..=1_100).try_for_each(|n| put_thread(tx, &threads(n)))).await.unwrap();
        let filter = ThreadFilter { labels: vec!["a".into()], ..ThreadFilter::default() };
        let page = store.read(move |tx| thread_list::page(tx, WORKSPACE, &filter, None, 2)).await.unwrap();
        assert_eq!(page.iter().map(|t| t.id.0.as_u128()).collect::<Vec<_>>(), [1_100, 1_099]);
    })
    .await;
}
