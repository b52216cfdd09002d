//! `GET /v1/deliverability`.

use posthouse_api::views::deliverability::{DeliverabilityInput, DeliverabilityView};
use posthouse_app::domains::reputation;
use posthouse_call::prelude::*;
use posthouse_domain::{Counters, DAY_MS, MailDomain, PageRange, Time, WorkspaceId};
use posthouse_store::{Result as StoreResult, Tx, contacts, mail_domains, metrics, metrics::MetricsScope};

/// Largest number of domains in the response.
const DOMAINS_MAX: u32 = 100;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/deliverability", "getDeliverability", Permission::MetricsRead)
            .summary("Returns delivery rates, thresholds, domains and blocklist results of the workspace.")
            .workspace_wide()
            .responds::<DeliverabilityView>(200)
            .handle(read),
    ]
}

async fn read(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let (workspace, now) = (input.caller.workspace, service.clock.now());
    let finding = reputation::check(&service).await?;
    let SendingRecord { week, month, suppressed, domains } =
        service.read(workspace, move |tx| load(tx, workspace, now)).await?;
    let sending_domain = service.config.mail.default_domain.clone();
    let input = DeliverabilityInput { week, month, suppressed, domains, sending_domain, finding, now };
    Outcome::json(200, &DeliverabilityView::of(&input))
}

/// What the store has about the mail of a workspace.
struct SendingRecord {
    week: Counters,
    month: Counters,
    suppressed: u64,
    domains: Vec<MailDomain>,
}

fn load(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> StoreResult<SendingRecord> {
    let mut last = |days: i64| {
        let from = now.plus_ms(-days * DAY_MS);
        metrics::totals(tx, &MetricsScope { workspace, inbox: None, from, to: now.plus_ms(1) })
    };
    let (week, month) = (last(7)?, last(30)?);
    let domains = mail_domains::page(tx, workspace, &PageRange { after: None, limit: DOMAINS_MAX })?;
    Ok(SendingRecord { week, month, suppressed: contacts::suppressed(tx, workspace)?, domains })
}
