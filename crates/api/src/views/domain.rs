//! The domain object, with the DNS records to publish.

use posthouse_domain::{
    mail_domain::{
        CheckedRecord, DnsRecordKey, ExpectedRecord, MailDomain, RecordProblemKind, RecordStatus, RetiringKey,
        ServerDnsSettings, provider_of,
    },
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// Second-level labels under country-code domains below which registries register names, as in `acme.co.uk`.
const REGISTRIES: &[&str] =
    &["ac", "co", "com", "edu", "go", "gob", "gov", "ltd", "ne", "net", "nom", "or", "org", "plc"];

/// A custom domain of the workspace.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "Domain")]
pub struct DomainView {
    id: Uuid,
    /// Domain name in lower case, with A-labels.
    domain: String,
    /// `pending`, `verified`, `failed` or `disabled`.
    status: &'static str,
    /// Whether inboxes of the domain receive mail.
    receiving: bool,
    /// DNS records to publish, each with the result of the last check.
    records: Vec<RecordView>,
    /// DKIM keys of the domain.
    dkim: DkimView,
    /// DNS hosting of the domain; null until it is known.
    dns: Option<DnsView>,
    /// Time at which the domain was first verified.
    verified_at: Option<TimestampView>,
    /// Time of the last check.
    last_checked_at: Option<TimestampView>,
    created_at: TimestampView,
}

/// A DNS record to publish.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "DnsRecord")]
struct RecordView {
    /// Purpose of the record: `verification`, `mx`, `spf`, `dkim`, `dmarc`, `dkim_next` or `dkim_previous`.
    key: &'static str,
    /// Same as `key`.
    kind: &'static str,
    /// `TXT` or `MX`.
    r#type: &'static str,
    /// Full name of the record.
    name: String,
    /// Value of the record.
    value: String,
    /// Whether verification requires the record.
    required: bool,
    /// Result of the last check: `ok`, `missing` or `mismatch`.
    status: &'static str,
    /// Values published instead of the expected one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<String>,
    /// Name relative to the zone, for DNS providers that append the zone; `@` is the zone itself.
    host: String,
    /// Mistake in the published record, for programs; `full_name_in_host` if the zone is repeated in its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "name_of::<RecordProblemKind>", default)]
    hint: Option<&'static str>,
    /// What was found, if there is a `hint`. May contain text from DNS.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What to change at the DNS provider, if there is a `hint`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

/// The DKIM keys of a domain.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "DomainDkim")]
struct DkimView {
    /// Selector of the signing key.
    selector: &'static str,
    /// Time since which the key signs.
    active_since: TimestampView,
    /// Whether the key has signed for a year.
    rotation_due: bool,
    /// Key that signs once its record is published.
    next: Option<NextDkimKeyView>,
    /// Key that signed before the last rotation.
    previous: Option<PreviousDkimKeyView>,
}

/// The DKIM key of a rotation in progress.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "NextDkimKey")]
struct NextDkimKeyView {
    /// Selector of the key.
    selector: &'static str,
    /// Result of the last check of its record: `ok`, `missing` or `mismatch`.
    status: &'static str,
    /// Start of the rotation.
    started_at: TimestampView,
}

/// The DKIM key before the last rotation.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "PreviousDkimKey")]
struct PreviousDkimKeyView {
    /// Selector of the key.
    selector: &'static str,
    /// Time until which its record must stay published.
    retire_at: TimestampView,
}

/// The DNS hosting of a domain.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "DomainDns")]
struct DnsView {
    /// Zone that contains the domain.
    zone: String,
    /// Host names of the zone's nameservers.
    nameservers: Vec<String>,
    /// DNS provider; null if its nameservers are not recognized.
    provider: Option<ProviderView>,
    /// Time at which the hosting was last looked up.
    checked_at: Option<TimestampView>,
}

/// A DNS provider.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "DnsProvider")]
struct ProviderView {
    /// Name for programs.
    id: &'static str,
    /// Name for people.
    name: &'static str,
}

/// The records of a domain as a BIND zone file.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ZoneFile")]
pub struct ZoneFileView {
    /// File name: `<domain>.zone.txt`.
    pub filename: String,
    /// Content of the file: one record per line, with full names.
    pub content: String,
}

impl DomainView {
    /// Returns the view of a domain, with the records expected by this instance.
    #[must_use]
    pub fn of(domain: &MailDomain, here: &ServerDnsSettings, now: Time) -> Self {
        let d = domain;
        let zone = d.hosting.as_ref().map(|hosting| hosting.zone.as_str());
        let record = |expected: ExpectedRecord| RecordView::of(expected, zone, d);
        Self {
            id: d.id.into(),
            domain: d.name.clone(),
            status: d.status.text(),
            receiving: d.receiving,
            records: d.expected(here).into_iter().map(record).collect(),
            dkim: DkimView {
                selector: d.active.selector.text(),
                active_since: d.active.since.into(),
                rotation_due: d.is_rotation_due(now),
                next: d.next.as_ref().map(|next| NextDkimKeyView {
                    selector: next.selector.text(),
                    status: status(d.found(DnsRecordKey::DkimNext)).text(),
                    started_at: next.since.into(),
                }),
                previous: d.previous.as_ref().map(|RetiringKey { key, retire_at }| PreviousDkimKeyView {
                    selector: key.selector.text(),
                    retire_at: (*retire_at).into(),
                }),
            },
            dns: d.hosting.as_ref().map(|hosting| DnsView {
                zone: hosting.zone.clone(),
                nameservers: hosting.nameservers.clone(),
                provider: provider_of(&hosting.nameservers).map(|p| ProviderView { id: p.id, name: p.name }),
                checked_at: d.hosting_at.map(Into::into),
            }),
            verified_at: d.verified_at.map(Into::into),
            last_checked_at: d.last_checked_at.map(Into::into),
            created_at: d.created_at.into(),
        }
    }
}

impl RecordView {
    fn of(expected: ExpectedRecord, zone: Option<&str>, domain: &MailDomain) -> Self {
        let checked = domain.found(expected.key);
        let found = status(checked);
        let problem = checked.and_then(|checked| checked.problem.as_ref());
        Self {
            key: expected.key.text(),
            kind: expected.key.text(),
            r#type: expected.key.kind(),
            host: host_in(&expected.name, zone.unwrap_or_else(|| likely_zone(&domain.name))),
            name: expected.name,
            value: expected.value,
            required: expected.required,
            status: found.text(),
            found: checked
                .filter(|_| found != RecordStatus::Ok)
                .map(|checked| checked.values.clone())
                .unwrap_or_default(),
            hint: problem.map(|problem| problem.kind.text()),
            message: problem.map(|problem| problem.message.clone()),
            fix: problem.map(|problem| problem.fix.clone()),
        }
    }
}

/// Returns the result of the last check, or missing if there was no check.
#[must_use]
pub fn status(checked: Option<&CheckedRecord>) -> RecordStatus {
    checked.map_or(RecordStatus::Missing, |checked| checked.found)
}

/// Returns the name relative to the zone.
fn host_in(name: &str, zone: &str) -> String {
    if name == zone {
        return "@".to_owned();
    }
    name.strip_suffix(zone).and_then(|rest| rest.strip_suffix('.')).unwrap_or(name).to_owned()
}

/// Guesses the zone until its nameservers are known: the last two labels, or three below a second level from
/// [`REGISTRIES`].
fn likely_zone(domain: &str) -> &str {
    let mut labels = domain.rsplit('.');
    let (top, second) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let dots_kept = if top.len() == 2 && REGISTRIES.contains(&second) { 2 } else { 1 };
    let before = domain.rmatch_indices('.').nth(dots_kept);
    before.map_or(domain, |(at, _)| &domain[at + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_are_relative_to_the_zone() {
        let table = [
            ("_service-verify.mail.acme.example", "acme.example", "_service-verify.mail"),
            ("acme.example", "acme.example", "@"),
            ("mail.acme.example", "acme.example", "mail"),
            ("badacme.example", "acme.example", "badacme.example"),
        ];
        for (name, zone, expected) in table {
            assert_eq!(host_in(name, zone), expected, "{name}");
        }
        assert_eq!(likely_zone("mail.acme.example"), "acme.example");
        assert_eq!(likely_zone("acme.example"), "acme.example");
        assert_eq!(likely_zone("mail.acme.co.uk"), "acme.co.uk");
        assert_eq!(likely_zone("acme.com.au"), "acme.com.au");
        assert_eq!(likely_zone("co.uk"), "co.uk");
        assert_eq!(likely_zone("mail.co.example"), "co.example");
    }
}
