//! Domains as they are shown (API document, Domain; contract §13.4).

use posthouse_domain::{
    mail_domain::{Checked, Expected, Found, Here, MailDomain, RecordKey, provider_of},
    time::Time,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::Moment;

/// Labels right below a country's, below which names are registered there, as in `acme.co.uk`.
const REGISTRIES: &[&str] =
    &["ac", "co", "com", "edu", "go", "gob", "gov", "ltd", "ne", "net", "nom", "or", "org", "plc"];

/// A domain of the workspace.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "Domain")]
pub struct DomainView {
    id: Uuid,
    domain: String,
    /// pending, verified, failed or disabled.
    status: &'static str,
    /// Whether it takes mail.
    receiving: bool,
    /// The records to publish, each with what the last check found.
    records: Vec<RecordView>,
    dkim: DkimView,
    /// Where the domain is hosted; null until that is found.
    dns: Option<DnsView>,
    verified_at: Option<Moment>,
    last_checked_at: Option<Moment>,
    created_at: Moment,
}

/// A record to publish.
#[derive(Clone, Serialize, JsonSchema)]
struct RecordView {
    /// verification, mx, spf, dkim, dmarc, `dkim_next` or `dkim_previous`.
    key: &'static str,
    /// The same as key.
    kind: &'static str,
    /// TXT or MX.
    r#type: &'static str,
    /// The full name.
    name: String,
    value: String,
    /// Whether the domain is verified only with it.
    required: bool,
    /// ok, missing or mismatch, as of the last check.
    status: &'static str,
    /// What is published instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<String>,
    /// What to type where the provider adds the zone by itself; @ is the zone.
    host: String,
    /// `full_name_in_host`: it is published under the doubled name.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
}

/// The DKIM keys.
#[derive(Clone, Serialize, JsonSchema)]
struct DkimView {
    /// Of the key that signs.
    selector: &'static str,
    active_since: Moment,
    /// Whether it has signed for a year.
    rotation_due: bool,
    /// The key that will sign once its record is seen.
    next: Option<NextView>,
    /// The key that signed before.
    previous: Option<PreviousView>,
}

/// The key that will sign.
#[derive(Clone, Serialize, JsonSchema)]
struct NextView {
    selector: &'static str,
    /// ok, missing or mismatch.
    status: &'static str,
    started_at: Moment,
}

/// The key that signed before.
#[derive(Clone, Serialize, JsonSchema)]
struct PreviousView {
    selector: &'static str,
    /// Until when its record must stay.
    retire_at: Moment,
}

/// Where a domain is hosted.
#[derive(Clone, Serialize, JsonSchema)]
struct DnsView {
    zone: String,
    nameservers: Vec<String>,
    provider: Option<ProviderView>,
    checked_at: Option<Moment>,
}

/// Who hosts it.
#[derive(Clone, Serialize, JsonSchema)]
struct ProviderView {
    id: &'static str,
    name: &'static str,
}

/// The records as a BIND zone file.
#[derive(Serialize, JsonSchema)]
pub struct ZoneFileView {
    /// `<domain>.zone.txt`
    pub filename: String,
    /// One record a line, names in full.
    pub content: String,
}

impl DomainView {
    /// Shows a domain.
    #[must_use]
    pub fn of(domain: &MailDomain, here: &Here, now: Time) -> Self {
        let d = domain;
        let zone = d.hosting.as_ref().map(|hosting| hosting.zone.as_str());
        let record = |expected: Expected| RecordView::of(expected, &d.name, zone, d);
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
                next: d.next.as_ref().map(|next| NextView {
                    selector: next.selector.text(),
                    status: status(d.found(RecordKey::DkimNext)).text(),
                    started_at: next.since.into(),
                }),
                previous: d.previous.as_ref().map(|(key, retire_at)| PreviousView {
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
    fn of(expected: Expected, domain: &str, zone: Option<&str>, of: &MailDomain) -> Self {
        let checked = of.found(expected.key);
        let found = status(checked);
        Self {
            key: expected.key.text(),
            kind: expected.key.text(),
            r#type: expected.key.kind(),
            host: host_in(&expected.name, zone.unwrap_or_else(|| likely_zone(domain))),
            name: expected.name,
            value: expected.value,
            required: expected.required,
            status: found.text(),
            found: checked.filter(|_| found != Found::Ok).map(|checked| checked.values.clone()).unwrap_or_default(),
            hint: checked.filter(|checked| checked.doubled).map(|_| "full_name_in_host"),
        }
    }
}

/// What the last check found; nothing was found of what was not checked.
#[must_use]
pub fn status(checked: Option<&Checked>) -> Found {
    checked.map_or(Found::Missing, |checked| checked.found)
}

/// A name relative to its zone.
fn host_in(name: &str, zone: &str) -> String {
    if name == zone {
        return "@".to_owned();
    }
    name.strip_suffix(zone).and_then(|rest| rest.strip_suffix('.')).unwrap_or(name).to_owned()
}

/// The zone as long as nobody has seen its name servers: the last two labels, or three where a country's registry has its
/// names one label lower.
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
    fn hosts_are_relative_to_the_zone() {
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
