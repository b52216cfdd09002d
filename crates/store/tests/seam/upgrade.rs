//! Upgrades of databases that an older version made, and databases that can't be upgraded.

use posthouse_domain::{
    id::WorkspaceId,
    plan::Plan,
    time::Time,
    workspace::{AiProcessing, ClaimStatus, Workspace, WorkspaceOrigin},
};
use posthouse_store::{Migration, Store, StoreConfig, migrate, migrate::MIGRATIONS, p, statements, workspaces};
use uuid::Uuid;

use crate::support::{Dir, config, sqlite_config};

/// What a later version might change.
const LATER: Migration = Migration {
    name: "0900_later",
    text: "ALTER TABLE workspaces ADD COLUMN region {TEXT};
           UPDATE workspaces SET claim_status = 'not_applicable', claimed_at = NULL WHERE claim_status = 'claimed';
           CREATE INDEX workspaces_region ON workspaces (region) WHERE region IS NOT NULL;",
};

/// The start of the schema of a development build.
const DEVELOPMENT: &[Migration] = &[Migration {
    name: "0001_initial",
    text: "CREATE TABLE instance (name {TEXT} NOT NULL PRIMARY KEY, value {TEXT} NOT NULL) {STRICT};",
}];

statements! {
    REGIONS = "SELECT count(*) FROM workspaces WHERE region IS NULL";
}

fn workspace(number: u128, claim: ClaimStatus) -> Workspace {
    let at = Time::from_millis(1_800_000_000_000);
    Workspace {
        id: WorkspaceId(Uuid::from_u128(number)),
        name: "w".into(),
        owner_email: "o@x.example".into(),
        plan: Plan::Team,
        suspended: false,
        suspension: None,
        origin: WorkspaceOrigin::Agent,
        claim,
        claimed_at: (claim == ClaimStatus::Claimed).then_some(at),
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Off,
        outbound_policy: posthouse_domain::OutboundPolicy::Off,
        screening: posthouse_domain::ScreeningSettings::DEFAULT,
        daily_send_limit: None,
        ai_disclosure: posthouse_domain::workspace::AiDisclosure::NONE,
        retention_days: None,
        created_at: at,
    }
}

fn both_engines(dir: &Dir) -> [StoreConfig; 2] {
    [sqlite_config(dir), config(crate::postgres::Cluster::shared().create_database().parse().unwrap())]
}

fn with_later() -> &'static [Migration] {
    let mut all = MIGRATIONS.to_vec();
    all.push(LATER);
    all.leak()
}

#[tokio::test]
async fn a_later_migration_keeps_and_changes_the_rows_of_this_version() {
    let dir = Dir::new();
    for mut config in both_engines(&dir) {
        config.migrations = MIGRATIONS;
        let old = Store::open(config.clone()).unwrap();
        let rows = [workspace(1, ClaimStatus::Claimed), workspace(2, ClaimStatus::Unclaimed)];
        old.write(move |tx| rows.iter().try_for_each(|row| workspaces::insert(tx, row))).await.unwrap();
        old.close();
        config.migrations = with_later();
        let new = Store::open(config.clone()).unwrap();
        let all = new.read(|tx| workspaces::list(tx, WorkspaceId(Uuid::nil()), 10)).await.unwrap();
        assert_eq!(all, [workspace(1, ClaimStatus::NotApplicable), workspace(2, ClaimStatus::Unclaimed)]);
        assert_eq!(new.read(|tx| tx.value::<i64>(&REGIONS, p![])).await.unwrap(), Some(2));
        new.close();
        assert_eq!(migrate::apply(&config.database, with_later()).unwrap(), Vec::<&str>::new(), "applied once");
    }
}

#[tokio::test]
async fn a_database_of_a_later_version_is_refused_unchanged() {
    let dir = Dir::new();
    for mut config in both_engines(&dir) {
        config.migrations = with_later();
        Store::open(config.clone()).unwrap().close();
        let before = migrate::schema(&config.database).unwrap();
        config.migrations = MIGRATIONS;
        let error = Store::open(config.clone()).err().unwrap().to_string();
        assert!(error.contains("newer than this version of posthouse: it has migration 0900_later"), "{error}");
        assert_eq!(migrate::schema(&config.database).unwrap(), before);
    }
}

#[tokio::test]
async fn a_database_of_a_development_build_is_refused_with_the_next_step() {
    let dir = Dir::new();
    for mut config in both_engines(&dir) {
        config.migrations = DEVELOPMENT;
        Store::open(config.clone()).unwrap().close();
        let before = migrate::schema(&config.database).unwrap();
        config.migrations = MIGRATIONS;
        let error = Store::open(config.clone()).err().unwrap().to_string();
        assert!(error.contains("a development build made this database"), "{error}");
        assert!(error.contains("start with an empty one"), "{error}");
        assert_eq!(migrate::schema(&config.database).unwrap(), before, "nothing is changed");
    }
}
