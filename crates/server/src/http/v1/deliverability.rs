//! `GET /v1/deliverability` (contract §13.3).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::Permission,
    error::Refusal,
    id::WorkspaceId,
    mail_domain::MailDomain,
    metrics::Counters,
    page::Page,
    time::{DAY_MS, Time},
};
use posthouse_store::{
    Result as Stored, Tx, contacts, mail_domains,
    metrics::{self, Scope},
};

use crate::{
    app::{App, check_reputation},
    http::route::{Answer, Input, Route},
    views::deliverability::{DeliverabilityView, Facts},
};

/// Domains that are shown.
const DOMAINS_MAX: u32 = 100;

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
    let (week, month, suppressed, domains) = app.store.read(move |tx| load(tx, workspace, now)).await?;
    let sending_domain = app.config.mail.default_domain.clone();
    Answer::json(
        200,
        &DeliverabilityView::of(&Facts { week, month, suppressed, domains, sending_domain, finding, now }),
    )
}

fn load(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Stored<(Counters, Counters, u64, Vec<MailDomain>)> {
    let mut last = |days: i64| {
        let from = now.plus_ms(-days * DAY_MS);
        metrics::totals(tx, &Scope { workspace, inbox: None, from, to: now.plus_ms(1) })
    };
    let (week, month) = (last(7)?, last(30)?);
    let domains = mail_domains::page(tx, workspace, &Page { after: None, limit: DOMAINS_MAX })?;
    Ok((week, month, contacts::suppressed(tx, workspace)?, domains))
}
