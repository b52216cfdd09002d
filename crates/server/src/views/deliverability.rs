//! Deliverability as it is shown (contract §13.3).

use posthouse_domain::{
    mail_domain::{MailDomain, RecordKey},
    metrics::Counters,
    reputation::{Finding, Standing},
    suspension::{BOUNCE_RATE_MAX, COMPLAINANTS_MIN, COMPLAINT_RATE_MAX, HARD_BOUNCES_MIN, SENT_MIN},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, domain};

/// What the view is made of.
pub struct Facts {
    /// Counters of the last 7 days.
    pub week: Counters,
    /// Counters of the last 30 days.
    pub month: Counters,
    /// Addresses that nothing is sent to.
    pub suppressed: u64,
    /// The workspace's own domains.
    pub domains: Vec<MailDomain>,
    /// The domain of shared addresses.
    pub sending_domain: String,
    /// What blocklists say.
    pub finding: Option<Finding>,
    /// The time of the request.
    pub now: Time,
}

/// How well mail of the workspace arrives.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Deliverability")]
pub struct DeliverabilityView {
    rates: WindowsView,
    thresholds: ThresholdsView,
    /// Contacts that nothing is sent to, because they bounced or complained.
    suppressed_contacts: u64,
    /// The workspace's own domains.
    domains: Vec<DomainView>,
    shared: SharedView,
}

/// Rates of two windows.
#[derive(Serialize, JsonSchema)]
struct WindowsView {
    last_7_days: WindowView,
    last_30_days: WindowView,
}

/// What was sent in a window, and what became of it.
#[derive(Serialize, JsonSchema)]
struct WindowView {
    sent: u64,
    bounced: u64,
    complained: u64,
    /// From 0 to 1.
    bounce_rate: f64,
    /// From 0 to 1.
    complaint_rate: f64,
}

/// Over which sending is suspended.
#[derive(Serialize, JsonSchema)]
struct ThresholdsView {
    bounce_rate: f64,
    complaint_rate: f64,
    /// Sends in 7 days below which nothing is suspended.
    min_sent: u64,
    /// Different recipients that must have bounced hard in 7 days, besides `bounce_rate`.
    min_hard_bounces: u64,
    /// Different recipients that must have complained in 7 days, besides `complaint_rate`.
    min_complainants: u64,
}

/// A domain of the workspace.
#[derive(Serialize, JsonSchema)]
struct DomainView {
    id: Uuid,
    domain: String,
    status: &'static str,
    /// `ok`, `missing` or `mismatch`.
    spf: &'static str,
    dkim: &'static str,
    dmarc: &'static str,
    dkim_rotation_due: bool,
}

/// What is shared with other workspaces.
#[derive(Serialize, JsonSchema)]
struct SharedView {
    sending_domain: String,
    ip_reputation: ReputationView,
}

/// What DNS blocklists say of this server.
#[derive(Serialize, JsonSchema)]
struct ReputationView {
    /// `clean`, `listed`, `partial`, `unknown`, `stale` or `not_checked`.
    status: &'static str,
    checked_at: Option<Moment>,
    lists: Vec<ListView>,
}

/// What one blocklist says.
#[derive(Serialize, JsonSchema)]
struct ListView {
    name: String,
    /// `clean`, `listed`, `unknown` or `skipped`.
    status: &'static str,
    /// Why it lists us, in its own codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    codes: Vec<String>,
}

impl DeliverabilityView {
    /// Shows the facts.
    #[must_use]
    pub fn of(facts: &Facts) -> Self {
        let finding = facts.finding.as_ref();
        let lists = finding.into_iter().flat_map(|finding| &finding.lists).map(|list| ListView {
            name: list.name.clone(),
            status: list.status.text(),
            codes: list.codes.iter().map(ToString::to_string).collect(),
        });
        Self {
            rates: WindowsView { last_7_days: WindowView::of(&facts.week), last_30_days: WindowView::of(&facts.month) },
            thresholds: ThresholdsView {
                bounce_rate: BOUNCE_RATE_MAX,
                complaint_rate: COMPLAINT_RATE_MAX,
                min_sent: SENT_MIN,
                min_hard_bounces: HARD_BOUNCES_MIN,
                min_complainants: COMPLAINANTS_MIN,
            },
            suppressed_contacts: facts.suppressed,
            domains: facts.domains.iter().map(|domain| DomainView::of(domain, facts.now)).collect(),
            shared: SharedView {
                sending_domain: facts.sending_domain.clone(),
                ip_reputation: ReputationView {
                    status: finding.map_or(Standing::NotChecked, |finding| finding.standing(facts.now)).text(),
                    checked_at: finding.map(|finding| finding.checked_at().into()),
                    lists: lists.collect(),
                },
            },
        }
    }
}

impl DomainView {
    fn of(domain: &MailDomain, now: Time) -> Self {
        let status = |key| domain::status(domain.found(key)).text();
        Self {
            id: domain.id.into(),
            domain: domain.name.clone(),
            status: domain.status.text(),
            spf: status(RecordKey::Spf),
            dkim: status(RecordKey::Dkim),
            dmarc: status(RecordKey::Dmarc),
            dkim_rotation_due: domain.is_rotation_due(now),
        }
    }
}

impl WindowView {
    fn of(c: &Counters) -> Self {
        Self {
            sent: c.sent,
            bounced: c.bounced,
            complained: c.complained,
            bounce_rate: c.share_of_sent(c.bounced),
            complaint_rate: c.share_of_sent(c.complained),
        }
    }
}
