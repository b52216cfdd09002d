//! Reads what shows how well the mail of a workspace is delivered.

use std::sync::Arc;

use posthouse_api::views::deliverability::DeliverabilityInput;
use posthouse_domain::{Caller, DAY_MS, PageRange, Refusal};
use posthouse_store::{Tx, contacts, mail_domains, metrics, metrics::MetricsScope};

use super::reputation;
use crate::service::Service;

/// Largest number of domains that are shown.
const DOMAINS_MAX: u32 = 100;

/// Returns the counters of the last days, the domains of the workspace, and the findings about the server's addresses.
pub async fn read(service: &Arc<Service>, caller: Caller) -> Result<DeliverabilityInput, Refusal> {
    let (workspace, now) = (caller.workspace, service.clock.now());
    let finding = reputation::check(service).await?;
    let sending_domain = service.config.mail.default_domain.clone();
    let work = move |tx: &mut Tx| {
        let mut last = |days: i64| {
            let from = now.plus_ms(-days * DAY_MS);
            metrics::totals(tx, &MetricsScope { workspace, inbox: None, from, to: now.plus_ms(1) })
        };
        let (week, month) = (last(7)?, last(30)?);
        let domains = mail_domains::page(tx, workspace, &PageRange { after: None, limit: DOMAINS_MAX })?;
        let suppressed = contacts::suppressed(tx, workspace)?;
        let (sending_domain, finding) = (sending_domain.clone(), finding.clone());
        Ok::<_, Refusal>(DeliverabilityInput { week, month, suppressed, domains, sending_domain, finding, now })
    };
    service.read(workspace, work).await
}
