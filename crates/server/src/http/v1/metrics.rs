//! `GET /v1/metrics` (contract §13.2).

use std::sync::Arc;

use axum::http::Method;
use jiff::tz::TimeZone;
use posthouse_domain::{
    auth::{Caller, Permission},
    error::{Code, Refusal},
    id::InboxId,
    metrics::{Bucket, Edge, SPAN_DAYS_MAX, Span, SpanProblem},
    time::Time,
};
use posthouse_store::Tx;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    app::{
        App,
        report_metrics::{self, Report},
        visible,
    },
    http::{
        route::{Answer, Input, Route},
        wire::{QueryValue, query},
    },
    views::metrics::{Asked, MetricsView},
};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/v1/metrics", "getMetrics", Permission::MetricsRead)
            .summary("What was sent and received, by hours or days of a time zone, and what is stored now.")
            .answers::<MetricsView>(200)
            .errors(&[Code::NotFound])
            .handle(read),
    ]
}

query! {
    /// What the report is about.
    struct MetricsQuery {
        /// Its beginning: a time, or a date whose midnight in tz it is. Left out, 30 days before the end.
        from: Option<Edge>,
        /// Its end: a time, or a date that is part of it. Left out, now. At most 90 days behind the beginning.
        to: Option<Edge>,
        /// IANA time zone of the dates, hours and days; UTC when left out.
        tz: Option<Zone>,
        /// That inbox alone.
        inbox_id: Option<Uuid>,
        /// Length of the steps of the series; day when left out.
        bucket: Option<Bucket>,
    }
}

/// A time zone by its IANA name.
#[derive(Debug)]
struct Zone {
    name: String,
    zone: TimeZone,
}

impl QueryValue for Edge {
    fn schema() -> Value {
        json!({ "type": "string", "description": "An ISO 8601 time, or a date such as 2026-01-31." })
    }
    fn read(text: &str) -> Result<Self, String> {
        // A '+' of an offset that the client did not encode arrives as a space.
        Edge::parse(&text.replace(' ', "+"))
    }
}

impl QueryValue for Zone {
    fn schema() -> Value {
        json!({ "type": "string", "default": "UTC", "examples": ["Europe/Berlin"] })
    }
    fn read(text: &str) -> Result<Self, String> {
        let problem = || "must be an IANA time zone, such as UTC or Europe/Berlin".to_owned();
        let zone = TimeZone::get(text).map_err(|_| problem())?;
        Ok(Self { name: zone.iana_name().unwrap_or(text).to_owned(), zone })
    }
}

impl QueryValue for Bucket {
    fn schema() -> Value {
        json!({ "type": "string", "enum": ["hour", "day"], "default": "day" })
    }
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "hour" => Ok(Bucket::Hour),
            "day" => Ok(Bucket::Day),
            _ => Err("must be hour or day".to_owned()),
        }
    }
}

async fn read(app: Arc<App>, input: Input<MetricsQuery>) -> Result<Answer, Refusal> {
    let asked = asked(&input.caller, input.query, app.clock.now())?;
    let caller = input.caller;
    let span = asked.clone();
    let now = app.clock.now();
    let report = app.store.read(move |tx| load(tx, &caller, &span, now)).await?;
    Answer::json(200, &MetricsView::of(&asked, &report))
}

fn asked(caller: &Caller, query: MetricsQuery, now: Time) -> Result<Asked, Refusal> {
    let (tz, zone) = query.tz.map_or_else(|| ("UTC".to_owned(), TimeZone::UTC), |zone| (zone.name, zone.zone));
    let span = Span::new(query.from, query.to, zone, now).map_err(|problem| {
        let problem = match problem {
            SpanProblem::Empty => "must be behind from".to_owned(),
            SpanProblem::TooLong => format!("must be at most {SPAN_DAYS_MAX} days behind from"),
        };
        Refusal::invalid_field("to", problem)
    })?;
    let inbox = query.inbox_id.map(InboxId).or(caller.scope.inbox());
    Ok(Asked { span, tz, inbox, bucket: query.bucket.unwrap_or(Bucket::Day) })
}

fn load(tx: &mut Tx, caller: &Caller, asked: &Asked, now: Time) -> Result<Report, Refusal> {
    if let Some(inbox) = asked.inbox {
        visible::inbox(tx, caller, inbox)?;
    }
    Ok(report_metrics::report(tx, (caller.workspace, asked.inbox), &asked.span, (asked.bucket, now))?)
}
