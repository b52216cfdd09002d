//! `GET /v1/deliverability`.

use posthouse_api::views::deliverability::DeliverabilityView;
use posthouse_app::domains::deliverability;
use posthouse_call::prelude::*;

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
    Outcome::json(200, &DeliverabilityView::of(&deliverability::read(&service, input.caller).await?))
}
