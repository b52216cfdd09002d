//! `GET /v1/metrics`.

use jiff::tz::TimeZone;
use posthouse_api::views::metrics::{MetricsParameters, MetricsView};
use posthouse_app::workspaces::report;
use posthouse_call::prelude::*;
use posthouse_domain::metrics::SPAN_DAYS_MAX;
use posthouse_domain::{MetricsBound, MetricsBucket, MetricsSpan, MetricsSpanError, NamedTimeZone, Time};
use uuid::Uuid;

pub(crate) fn operations() -> Vec<Operation> {
    vec![
        Operation::new(Method::Get, "/v1/metrics", "getMetrics", Permission::MetricsRead)
            .summary("Returns counts of sent and received mail per hour or day, and what is stored now.")
            .responds::<MetricsView>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(read),
    ]
}

query! {
    /// Period and filters of the report.
    struct MetricsQuery {
        /// The start: a time, or a date (midnight in `tz`). Default: 30 days before the end.
        from: Option<MetricsBound>,
        /// The end: a time, or a date (included). Default: now. Must be after `from`, by at most 90 days.
        to: Option<MetricsBound>,
        /// The IANA time zone of dates, hours and days. Default: UTC.
        tz: Option<NamedTimeZone>,
        /// Only this inbox.
        inbox_id: Option<Uuid>,
        /// Length of one step of the series. Default: `day`.
        bucket: Option<MetricsBucket>,
    }
}

async fn read(service: Arc<Service>, input: Input<MetricsQuery>) -> Result<Outcome, Refusal> {
    let parameters = parameters(&input.caller, input.query, service.clock.now())?;
    let report = report::report(&service, input.caller, parameters.clone()).await?;
    Outcome::json(200, &MetricsView::of(&parameters, &report))
}

fn parameters(caller: &Caller, query: MetricsQuery, now: Time) -> Result<MetricsParameters, Refusal> {
    let (tz, zone) = query.tz.map_or_else(|| ("UTC".to_owned(), TimeZone::UTC), |zone| (zone.name, zone.zone));
    let span = MetricsSpan::new(query.from, query.to, zone, now).map_err(|problem| {
        let problem = match problem {
            MetricsSpanError::Empty => "must be after `from`".to_owned(),
            MetricsSpanError::TooLong => format!("must be at most {SPAN_DAYS_MAX} days after `from`"),
        };
        Refusal::invalid_field("to", problem)
    })?;
    let inbox = caller.scope().narrow(query.inbox_id.map(InboxId))?;
    Ok(MetricsParameters { span, tz, inbox, bucket: query.bucket.unwrap_or(MetricsBucket::Day) })
}
