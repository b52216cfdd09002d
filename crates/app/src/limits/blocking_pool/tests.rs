//! Each class: the share of a workspace, the queue, the deadline, and the end of work that nobody waits for.

use std::sync::mpsc::{Receiver, Sender, channel};

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::*;

fn owner(class: WorkClass, number: u128) -> WorkOwner {
    WorkOwner { class, workspace: uuid::Uuid::from_u128(number).into() }
}

/// Returns the classes, with the limits of a workspace.
fn shared() -> impl Iterator<Item = (WorkClass, WorkShare)> {
    WorkClass::ALL.into_iter().map(|class| (class, class.limits().share))
}

type Held<'p> = BoxFuture<'p, Result<(), Refusal>>;

/// Starts work that ends with the sender.
fn hold(pool: &BlockingPool, owner: WorkOwner) -> (Sender<()>, Held<'_>) {
    hold_until(pool, owner, std::future::pending())
}

fn hold_until(
    pool: &BlockingPool,
    owner: WorkOwner,
    deadline: impl Future<Output = ()> + Send + 'static,
) -> (Sender<()>, Held<'_>) {
    let (end, until): (_, Receiver<()>) = channel();
    let work = move |_: &WorkStop| until.recv().unwrap_or_default();
    let mut task: Held<'_> = Box::pin(pool.run_until(owner, usize::MAX, work, deadline));
    assert!(futures_util::FutureExt::now_or_never(&mut task).is_none());
    (end, task)
}

#[test]
fn a_workspace_has_half_of_the_threads() {
    for class in WorkClass::ALL {
        let share = class.threads_per_workspace();
        assert!(share >= 1 && share * 2 <= class.threads(), "{class:?}: {share}");
    }
}

#[tokio::test]
async fn a_workspace_delays_no_other_in_any_class() {
    let pool = BlockingPool::default();
    for (class, share) in shared() {
        let tasks = share.tasks_max.min(100);
        let held: Vec<_> = (0..tasks).map(|_| hold(&pool, owner(class, 1))).collect();
        assert_eq!(pool.tasks(owner(class, 1)), tasks);
        for other in WorkClass::ALL {
            pool.run_for(owner(other, 2), usize::MAX, |_| ()).await.expect("another workspace has a thread");
        }
        pool.run_receipt(usize::MAX, || ()).await.expect("mail from outside has a thread");
        if tasks == share.tasks_max {
            let refused = pool.run_for(owner(class, 1), usize::MAX, |_| ()).await.expect_err("the queue is full");
            assert_eq!(
                (refused.code, refused.limit(), refused.max()),
                (ErrorCode::RateLimited, Some(LimitName::ContentWorkPerWorkspace), Some(share.tasks_max))
            );
        }
        let (ends, tasks): (Vec<_>, Vec<_>) = held.into_iter().unzip();
        drop(ends);
        for task in tasks {
            task.await.expect("the work ends");
        }
        assert_eq!(pool.tasks(owner(class, 1)), 0);
        pool.run_for(owner(class, 1), usize::MAX, |_| ()).await.expect("the queue is empty again");
    }
}

#[tokio::test]
async fn the_deadline_of_each_class_counts_the_wait_and_the_work() {
    for (class, share) in shared().filter(|(_, share)| share.deadline_ms < u64::MAX) {
        let pool = BlockingPool::default();
        let threads = class.threads_per_workspace();
        // The first run, the others wait for them.
        let started = (0..2 * threads).map(|_| {
            let (pass, passed) = oneshot::channel();
            let (end, task) = hold_until(&pool, owner(class, 1), async { passed.await.expect("the deadline") });
            (pass, end, task)
        });
        let mut ends = Vec::new();
        for (pass, end, mut task) in started.collect::<Vec<_>>() {
            assert!(futures_util::poll!(&mut task).is_pending(), "{class:?}");
            pass.send(()).expect("the task waits");
            let late = task.await.expect_err("the deadline");
            assert_eq!(
                (late.code, late.limit(), late.max()),
                (ErrorCode::Unavailable, Some(LimitName::ContentWorkTime), Some(share.deadline_ms))
            );
            ends.push(end);
        }
        // Work that doesn't look at its stop keeps its thread, and its share, until it ends.
        assert_eq!(pool.free_threads(class), class.threads() - threads, "{class:?}");
        assert_eq!(pool.tasks(owner(class, 1)), threads as u64, "{class:?}: those that waited are gone");
        pool.run_for(owner(class, 2), usize::MAX, |_| ()).await.expect("another workspace has a thread");
        drop(ends);
        pool.run_for(owner(class, 1), usize::MAX, |_| ()).await.expect("the share is free again");
    }
}

#[tokio::test]
async fn a_dropped_caller_stops_the_work_and_the_permit_is_free_after_it() {
    for (class, _) in shared() {
        let pool = BlockingPool::default();
        let (started, is_started) = channel();
        let (seen, is_seen) = channel();
        let (end, until) = channel::<()>();
        let work = move |stop: &WorkStop| {
            started.send(()).expect("the test waits");
            while !stop.is_stopped() {
                std::thread::yield_now();
            }
            seen.send(stop.check()).expect("the test waits");
            let _ = until.recv();
        };
        let mut task = Box::pin(pool.run_for(owner(class, 1), usize::MAX, work));
        assert!(futures_util::poll!(&mut task).is_pending());
        is_started.recv().expect("the work starts");
        drop(task);
        assert_eq!(is_seen.recv(), Ok(Err(WorkStopped)), "{class:?}");
        assert_eq!(pool.free_threads(class), class.threads() - 1, "{class:?}: the thread still runs");
        drop(end);
        while pool.free_threads(class) < class.threads() {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn html_never_runs_inline() {
    let caller = std::thread::current().id();
    let view = owner(WorkClass::View, 1);
    let ran_on = BlockingPool::default().run_for(view, 1, |_| std::thread::current().id()).await;
    assert_ne!(ran_on.expect("the work ends"), caller);
}
