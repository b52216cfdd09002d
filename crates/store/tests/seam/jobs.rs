//! The job table: leases, fencing tokens, attempts and fairness.

use std::{collections::HashMap, sync::Arc};

use posthouse_domain::{
    id::{JobId, WorkspaceId},
    job::{JobKind, JobReason},
    time::Time,
};
use posthouse_store::{
    DatabaseUrl, Error, Result, Store, StoreConfig,
    jobs::{
        self, JobLease, JobOutcome, LeasedJob, NewJob,
        due::{self, CapacityShare, DueJobsCursor, DueJobsQuery, GroupCapacities, GroupCapacity},
    },
};
use uuid::Uuid;

use crate::support::Dir;

const KIND: JobKind = JobKind::Outbound;
const NOW: Time = Time::from_millis(1_800_000_000_000);

/// Runs a test with the real schema on both engines.
async fn on_both(test: impl AsyncFn(Store)) {
    let dir = Dir::new();
    let postgres = crate::postgres::Cluster::shared().create_database().parse().unwrap();
    for url in [DatabaseUrl::Sqlite(dir.path().join("jobs.db")), postgres] {
        let store = Store::open(StoreConfig::new(url)).unwrap();
        test(store.clone()).await;
        store.close();
    }
}

fn job(n: u128, workspace: u128, group: &str) -> NewJob {
    NewJob::new(
        KIND,
        JobReason::Queued,
        WorkspaceId(Uuid::from_u128(workspace)),
        Uuid::from_u128(1_000_000 + n),
        JobId(Uuid::from_u128(n)),
        NOW,
    )
    .in_group(group.to_owned())
    .with_attempts(2)
}

async fn enqueue(store: &Store, new: Vec<NewJob>) {
    store.write(move |tx| -> Result<()> { new.iter().try_for_each(|job| jobs::enqueue(tx, job)) }).await.unwrap();
}

async fn claim(store: &Store, now: Time, limit: usize) -> Vec<LeasedJob> {
    let token = Uuid::from_u128(u128::try_from(now.millis()).unwrap() << 8 | limit as u128);
    let [rest, ..] = GroupCapacity::UNLIMITED.shares;
    let capacity = move |_, group: &str| GroupCapacity {
        shares: [CapacityShare { of: group.len() as u64, free: 10 }, rest, rest, rest],
    };
    let (capacities, from): (GroupCapacities, _) = (Arc::new(capacity), DueJobsCursor::default());
    let wanted = DueJobsQuery { kind: KIND, now, limit, free: 1_000, running: HashMap::new(), capacities, from };
    let lease = JobLease { token, now, until: now.plus_ms(60_000) };
    let found = store.read(move |tx| due::find(tx, &wanted)).await.unwrap();
    store.write(move |tx| jobs::claim(tx, KIND, &found.ids, lease)).await.unwrap()
}

async fn settle(store: &Store, job: &LeasedJob, outcome: JobOutcome) -> bool {
    let job = job.clone();
    store.write(move |tx| jobs::settle(tx, &job, &outcome)).await.unwrap()
}

async fn states(store: &Store) -> Vec<(String, u64)> {
    let counts = store.read(jobs::counts).await.unwrap();
    counts.into_iter().map(|count| (count.state, count.jobs)).collect()
}

#[tokio::test]
async fn a_claimed_job_is_exclusive_until_its_lease_expires() {
    on_both(async |store| {
        enqueue(&store, vec![job(1, 1, "a.example")]).await;
        let first = claim(&store, NOW, 5).await;
        assert_eq!((first.len(), first[0].attempt), (1, 1));
        assert_eq!(claim(&store, NOW.plus_ms(59_999), 5).await, []);
        let later = NOW.plus_ms(60_000);
        let freed = store.write(move |tx| jobs::release_expired(tx, later)).await.unwrap();
        assert_eq!(freed, 1);
        let second = claim(&store, later, 5).await;
        assert_eq!((second.len(), second[0].attempt), (1, 2));
        assert!(!settle(&store, &first[0], JobOutcome::Done).await, "the first lease is over");
        assert!(settle(&store, &second[0], JobOutcome::Done).await);
        assert_eq!(states(&store).await, []);
    })
    .await;
}

#[tokio::test]
async fn a_job_that_crashes_its_process_runs_out_of_attempts() {
    on_both(async |store| {
        enqueue(&store, vec![job(1, 1, "")]).await;
        let mut now = NOW;
        for _ in 0..2 {
            assert_eq!(claim(&store, now, 1).await.len(), 1);
            now = now.plus_ms(60_000);
            store.write(move |tx| jobs::release_expired(tx, now)).await.unwrap();
        }
        assert_eq!(claim(&store, now, 1).await, []);
        let dead = store.read(|tx| jobs::dead(tx, 10)).await.unwrap();
        assert_eq!((dead.len(), dead[0].why.as_str(), dead[0].attempt), (1, "lease_expired", 2));
    })
    .await;
}

#[tokio::test]
async fn outcomes_count_or_return_attempts() {
    on_both(async |store| {
        enqueue(&store, vec![job(1, 1, "")]).await;
        let held = claim(&store, NOW, 1).await.remove(0);
        let at = NOW.plus_ms(10);
        assert!(settle(&store, &held, JobOutcome::Hold { at, why: JobReason::WorkspaceStopped }).await);
        assert_eq!(claim(&store, NOW.plus_ms(9), 1).await, [], "not due yet");
        let first = claim(&store, at, 1).await.remove(0);
        assert_eq!((first.attempt, first.why.as_str()), (1, "workspace_stopped"));
        assert!(settle(&store, &first, JobOutcome::Retry { at, why: JobReason::TemporaryFailure }).await);
        let second = claim(&store, at.plus_ms(1), 1).await.remove(0);
        assert_eq!(second.attempt, 2);
        assert!(settle(&store, &second, JobOutcome::Retry { at, why: JobReason::TemporaryFailure }).await);
        assert_eq!(states(&store).await, [("dead".to_owned(), 1)]);
        enqueue(&store, vec![job(2, 1, "")]).await;
        let released = claim(&store, NOW, 1).await;
        store.write(move |tx| jobs::release(tx, &released)).await.unwrap();
        assert_eq!(claim(&store, NOW.plus_ms(1), 1).await[0].attempt, 1, "a released lease costs no attempt");
    })
    .await;
}

#[tokio::test]
async fn enqueuing_again_reschedules_the_job_and_ends_its_lease() {
    on_both(async |store| {
        enqueue(&store, vec![job(1, 1, "")]).await;
        let leased = claim(&store, NOW, 1).await.remove(0);
        let mut moved = job(1, 1, "").due_at(NOW.plus_ms(5_000));
        moved.id = JobId(Uuid::from_u128(9));
        enqueue(&store, vec![moved]).await;
        assert!(!settle(&store, &leased, JobOutcome::Done).await);
        assert_eq!(claim(&store, NOW.plus_ms(4_999), 1).await, []);
        let next = store.read(|tx| jobs::next_at(tx, &[KIND], NOW)).await.unwrap();
        assert_eq!(next, Some(NOW.plus_ms(5_000)));
        assert_eq!(claim(&store, NOW.plus_ms(5_000), 1).await[0].id, leased.id, "a subject has one job");
    })
    .await;
}

#[tokio::test]
async fn a_small_workspace_does_not_wait_behind_a_large_backlog() {
    on_both(async |store| {
        let backlog: Vec<NewJob> = (1..=700).map(|n| job(n, 1, "slow.example")).collect();
        enqueue(&store, backlog).await;
        enqueue(&store, vec![job(1_000, 2, "quick.example").due_at(NOW.plus_ms(1))]).await;
        let claimed = claim(&store, NOW.plus_ms(1), 20).await;
        assert!(claimed.iter().any(|job| job.group == "quick.example"));
        assert_eq!(claimed.iter().filter(|job| job.group == "slow.example").count(), 10, "the limit of the group");
    })
    .await;
}

#[tokio::test]
async fn concurrent_claims_never_get_the_same_job() {
    on_both(async |store| {
        enqueue(&store, (1..=40).map(|n| job(n, n % 3, "")).collect()).await;
        let mut claims = tokio::task::JoinSet::new();
        for worker in 0..8_u32 {
            let store = store.clone();
            claims.spawn(async move {
                let lease = JobLease { token: Uuid::from_u128(worker.into()), now: NOW, until: NOW.plus_ms(1_000) };
                let ids: Vec<JobId> = (1..=40).map(|n| JobId(Uuid::from_u128(n))).collect();
                store.write(move |tx| -> Result<_, Error> { jobs::claim(tx, KIND, &ids, lease) }).await.unwrap()
            });
        }
        let mut ids: Vec<JobId> = claims.join_all().await.into_iter().flatten().map(|job| job.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!((count, ids.len()), (40, 40));
    })
    .await;
}

#[tokio::test]
async fn a_backlog_over_many_lanes_never_starves_a_workspace_or_lane() {
    on_both(async |store| {
        let group = |n: u128| format!("{n:04}.example");
        let mut backlog: Vec<NewJob> = (1..=2_000).map(|n| job(n, 1, &group(n % 500))).collect();
        // In every second group, all jobs are due later; they are neither selected nor block others.
        backlog.iter_mut().filter(|job| job.group < group(250)).for_each(|job| job.run_at = NOW.plus_ms(60_000));
        enqueue(&store, backlog).await;
        let later = (3_000..3_040).map(|n| job(n, n, "one.example").due_at(NOW.plus_ms(1)));
        enqueue(&store, later.collect()).await;
        let exhausted = CapacityShare { of: 1, free: 0 };
        let [free, ..] = GroupCapacity::UNLIMITED.shares;
        // Only the last groups of the backlog and the jobs of the other workspaces have capacity.
        let capacity = move |_, group: &str| {
            let own = if group >= "0490" { free } else { exhausted };
            GroupCapacity { shares: [own, free, free, free] }
        };
        let (mut from, mut found, mut scans) = (DueJobsCursor::default(), Vec::new(), 0);
        while found.len() < 80 {
            let wanted = DueJobsQuery {
                kind: KIND,
                now: NOW.plus_ms(1),
                limit: 100,
                free: 1_000,
                running: HashMap::new(),
                capacities: Arc::new(capacity),
                from: from.clone(),
            };
            let one = store.read(move |tx| due::find(tx, &wanted)).await.unwrap();
            from = one.next;
            found.extend(one.ids.into_iter().filter(|id| !found.contains(id)).collect::<Vec<_>>());
            scans += 1;
            assert!(one.is_partial || found.len() == 80, "an incomplete scan must be marked as partial");
            assert!(scans < 200, "{} of 80 found", found.len());
        }
        let others = found.iter().filter(|id| id.0.as_u128() >= 3_000).count();
        assert_eq!(others, 40, "one job each of forty other workspaces, and four each of ten groups of the backlog");
    })
    .await;
}
