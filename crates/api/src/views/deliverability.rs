//! The deliverability report: rates, suspension thresholds, domains and IP reputation.

use posthouse_domain::{
    mail_domain::{DnsRecordKey, MailDomain},
    metrics::Counters,
    reputation::{BlocklistCheck, ReputationStatus},
    suspension::{BOUNCE_RATE_MAX, COMPLAINANTS_MIN, COMPLAINT_RATE_MAX, HARD_BOUNCES_MIN, SENT_MIN},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, domain};

/// The input of [`DeliverabilityView::of`].
pub struct DeliverabilityInput {
    /// Counters of the last 7 days.
    pub week: Counters,
    /// Counters of the last 30 days.
    pub month: Counters,
    /// Number of suppressed addresses.
    pub suppressed: u64,
    /// Custom domains of the workspace.
    pub domains: Vec<MailDomain>,
    /// Default domain, shared by all workspaces.
    pub sending_domain: String,
    /// Results of the last blocklist check.
    pub finding: Option<BlocklistCheck>,
    /// Time of the request.
    pub now: Time,
}

/// The deliverability of the workspace's mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Deliverability")]
pub struct DeliverabilityView {
    /// Rates of the last 7 and 30 days.
    rates: WindowsView,
    /// Thresholds above which sending is suspended.
    thresholds: ThresholdsView,
    /// Number of contacts suppressed because they bounced or complained.
    suppressed_contacts: u64,
    /// Custom domains of the workspace.
    domains: Vec<DomainStatusView>,
    /// Resources shared with other workspaces.
    shared: SharedView,
}

/// Rates of two time windows.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliverabilityWindows")]
struct WindowsView {
    /// Rates of the last 7 days.
    last_7_days: WindowView,
    /// Rates of the last 30 days.
    last_30_days: WindowView,
}

view! {
    /// Counts and rates of one time window.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "WindowRates")]
    struct WindowView of c: &Counters {
        /// Number of messages accepted for sending.
        sent: u64 = c.sent,
        /// Number of sent messages that bounced.
        bounced: u64 = c.bounced,
        /// Number of sent messages that drew a complaint.
        complained: u64 = c.complained,
        /// Bounced share of sent messages, from 0 to 1.
        bounce_rate: f64 = c.share_of_sent(c.bounced),
        /// Share of sent messages that drew a complaint, from 0 to 1.
        complaint_rate: f64 = c.share_of_sent(c.complained),
    }
}

/// The thresholds above which sending is suspended.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SuspensionThresholds")]
struct ThresholdsView {
    /// Bounce rate of the last 7 days, from 0 to 1.
    bounce_rate: f64,
    /// Complaint rate of the last 7 days, from 0 to 1.
    complaint_rate: f64,
    /// Minimum number of messages sent in 7 days.
    min_sent: u64,
    /// Minimum number of distinct recipients with a hard bounce in 7 days, in addition to `bounce_rate`.
    min_hard_bounces: u64,
    /// Minimum number of distinct recipients that complained in 7 days, in addition to `complaint_rate`.
    min_complainants: u64,
}

/// The DNS status of a custom domain.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DomainStatus")]
struct DomainStatusView {
    id: Uuid,
    /// Domain name.
    domain: String,
    /// `pending`, `verified`, `failed` or `disabled`.
    status: &'static str,
    /// SPF record: `ok`, `missing` or `mismatch`.
    spf: &'static str,
    /// DKIM record: `ok`, `missing` or `mismatch`.
    dkim: &'static str,
    /// DMARC record: `ok`, `missing` or `mismatch`.
    dmarc: &'static str,
    /// Whether the DKIM key has signed for a year.
    dkim_rotation_due: bool,
}

/// Resources shared with other workspaces.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SharedResources")]
struct SharedView {
    /// Default domain for inboxes.
    sending_domain: String,
    /// Reputation of the sending IP address.
    ip_reputation: ReputationView,
}

/// The reputation of this server's IP address on DNS blocklists.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "IpReputation")]
struct ReputationView {
    /// `clean`, `listed`, `partial`, `unknown`, `stale` or `not_checked`.
    status: &'static str,
    /// Time of the last check.
    checked_at: Option<TimestampView>,
    /// Result of each blocklist.
    lists: Vec<BlocklistView>,
}

/// The result of one DNS blocklist.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "BlocklistResult")]
struct BlocklistView {
    /// DNS zone of the blocklist.
    name: String,
    /// `clean`, `listed`, `unknown` or `skipped`.
    status: &'static str,
    /// Return codes of the blocklist, which state the reason of the listing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    codes: Vec<String>,
}

impl DeliverabilityView {
    /// Returns the view of the report.
    #[must_use]
    pub fn of(facts: &DeliverabilityInput) -> Self {
        let finding = facts.finding.as_ref();
        let lists = finding.into_iter().flat_map(|finding| &finding.lists).map(|list| BlocklistView {
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
            domains: facts.domains.iter().map(|domain| DomainStatusView::of(domain, facts.now)).collect(),
            shared: SharedView {
                sending_domain: facts.sending_domain.clone(),
                ip_reputation: ReputationView {
                    status: finding
                        .map_or(ReputationStatus::NotChecked, |finding| finding.overall_status(facts.now))
                        .text(),
                    checked_at: finding.map(|finding| finding.checked_at().into()),
                    lists: lists.collect(),
                },
            },
        }
    }
}

impl DomainStatusView {
    fn of(domain: &MailDomain, now: Time) -> Self {
        let status = |key| domain::status(domain.found(key)).text();
        Self {
            id: domain.id.into(),
            domain: domain.name.clone(),
            status: domain.status.text(),
            spf: status(DnsRecordKey::Spf),
            dkim: status(DnsRecordKey::Dkim),
            dmarc: status(DnsRecordKey::Dmarc),
            dkim_rotation_due: domain.is_rotation_due(now),
        }
    }
}
