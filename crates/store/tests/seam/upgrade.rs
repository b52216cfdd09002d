//! What migrations make of rows that an older binary wrote.

use posthouse_domain::{
    id::WorkspaceId,
    plan::Plan,
    time::Time,
    workspace::{AiProcessing, Claim, Workspace},
};
use posthouse_store::{Store, migrate::MIGRATIONS, workspaces};
use uuid::Uuid;

use crate::support::{Dir, config, sqlite_config};

fn workspace(number: u128, claim: Claim) -> Workspace {
    let at = Time::from_millis(1_800_000_000_000);
    Workspace {
        id: WorkspaceId(Uuid::from_u128(number)),
        name: "w".into(),
        owner_email: "o@x.example".into(),
        plan: Plan::Team,
        suspended: false,
        claim,
        claimed_at: (claim == Claim::Claimed).then_some(at),
        notice: None,
        stopped_at: None,
        stop_reason: None,
        ai_processing: AiProcessing::Off,
        screening: true,
        daily_send_limit: None,
        retention_days: None,
        created_at: at,
    }
}

#[tokio::test]
async fn workspaces_that_nobody_had_to_claim_are_not_claimed() {
    let dir = Dir::new();
    let postgres = config(crate::postgres::Cluster::shared().create_database().parse().unwrap());
    let before = MIGRATIONS.iter().position(|migration| migration.name == "0034_origins").unwrap();
    for mut config in [sqlite_config(&dir), postgres] {
        config.migrations = &MIGRATIONS[..before];
        let old = Store::open(config.clone()).unwrap();
        let rows = [workspace(1, Claim::Claimed), workspace(2, Claim::Unclaimed)];
        old.write(move |tx| rows.iter().try_for_each(|row| workspaces::insert(tx, row))).await.unwrap();
        old.close();
        config.migrations = MIGRATIONS;
        let new = Store::open(config).unwrap();
        let all = new.read(|tx| workspaces::list(tx, WorkspaceId(Uuid::nil()), 10)).await.unwrap();
        assert_eq!(all, [workspace(1, Claim::NotApplicable), workspace(2, Claim::Unclaimed)]);
        new.close();
    }
}
