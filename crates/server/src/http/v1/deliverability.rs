//! `GET /v1/deliverability` (contract §13.3).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::Refusal,
    id::WorkspaceId,
    metrics::Counters,
    time::{DAY_MS, Time},
};
use posthouse_store::{
    Result as Stored, Tx, contacts,
    metrics::{self, Scope},
};

use crate::{
    app::{App, check_reputation},
    http::route::{Answer, Input, Route},
    views::deliverability::{DeliverabilityView, Facts},
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/deliverability", "getDeliverability", Permission::MetricsRead)
            .summary("How well mail of the workspace arrives: rates, thresholds, domains and what blocklists say.")
            .workspace_wide()
            .answers::<DeliverabilityView>(200)
            .handle(read),
    ]
}

async fn read(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let (workspace, now) = (input.caller.workspace, app.clock.now());
    let finding = check_reputation::check(&app).await?;
    let (week, month, suppressed) = app.store.read(move |tx| load(tx, workspace, now)).await?;
    let sending_domain = app.config.mail.default_domain.clone();
    Answer::json(200, &DeliverabilityView::of(&Facts { week, month, suppressed, sending_domain, finding, now }))
}

fn load(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Stored<(Counters, Counters, u64)> {
    let mut last = |days: i64| {
        let from = now.plus_ms(-days * DAY_MS);
        metrics::totals(tx, &Scope { workspace, inbox: None, from, to: now.plus_ms(1) })
    };
    let (week, month) = (last(7)?, last(30)?);
    Ok((week, month, contacts::suppressed(tx, workspace)?))
}
