//! The row of a custom domain.

use posthouse_domain::{
    DkimKeyRecord, DkimSelector, DomainStatus, MailDomain, RetiringKey, Time,
    mail_domain::{CheckedRecord, DnsHosting, DnsRecordKey, RecordProblem, RecordProblemKind, RecordStatus},
};
use serde::{Deserialize, Serialize};

use crate::{Error, Json, Result, workspaces::named};

/// The stored form of a checked record.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredCheck {
    pub(super) key: String,
    pub(super) found: String,
    values: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    problem: Option<StoredProblem>,
}

/// The stored form of a mistake in a published record.
#[derive(Serialize, Deserialize)]
struct StoredProblem {
    kind: String,
    message: String,
    fix: String,
}

/// The stored form of the DNS hosting.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredHosting {
    zone: String,
    nameservers: Vec<String>,
}

impl From<&CheckedRecord> for StoredCheck {
    fn from(checked: &CheckedRecord) -> Self {
        let c = checked;
        Self {
            key: c.key.stored().into(),
            found: c.found.text().into(),
            values: c.values.clone(),
            problem: c.problem.as_ref().map(|problem| StoredProblem {
                kind: problem.kind.text().into(),
                message: problem.message.clone(),
                fix: problem.fix.clone(),
            }),
        }
    }
}

impl StoredCheck {
    fn into_checked(self) -> Result<CheckedRecord> {
        let key = DnsRecordKey::ALL.into_iter().find(|key| key.stored() == self.key);
        Ok(CheckedRecord {
            key: key.ok_or_else(|| Error::Inconsistent(format!("unknown record key {}", self.key).into()))?,
            found: named(&self.found, RecordStatus::parse)?,
            values: self.values,
            problem: self.problem.map(StoredProblem::into_problem).transpose()?,
        })
    }
}

impl StoredProblem {
    fn into_problem(self) -> Result<RecordProblem> {
        let kind = named(&self.kind, RecordProblemKind::parse)?;
        Ok(RecordProblem { kind, message: self.message, fix: self.fix })
    }
}

impl From<&DnsHosting> for StoredHosting {
    fn from(hosting: &DnsHosting) -> Self {
        Self { zone: hosting.zone.clone(), nameservers: hosting.nameservers.clone() }
    }
}

crate::from_row!(MailDomain {
    workspace = workspace_id, id, name,
    status: String => named(&status, DomainStatus::parse)?,
    receiving, token,
    active(active_selector: String, active_since: Time) => key_record(&active_selector, active_since)?,
    next(next_selector: Option<String>, next_started_at: Option<Time>) =>
        next_selector.zip(next_started_at).map(|(selector, since)| key_record(&selector, since)).transpose()?,
    // The start of its use isn't needed anymore.
    previous(previous_selector: Option<String>, previous_retire_at: Option<Time>) =>
        previous_selector.zip(previous_retire_at).map(|(selector, retire_at)| retiring(&selector, retire_at)).transpose()?,
    checked: Json<Vec<StoredCheck>> => checked.0.into_iter().map(StoredCheck::into_checked).collect::<Result<_>>()?,
    hosting: Option<Json<StoredHosting>> => hosting.map(|Json(h)| DnsHosting { zone: h.zone, nameservers: h.nameservers }),
    hosting_at, verified_at, last_checked_at, asked_at = check_requested_at, checks, rotation_announced, created_at,
});

fn retiring(selector: &str, retire_at: Time) -> Result<RetiringKey> {
    Ok(RetiringKey { key: key_record(selector, retire_at)?, retire_at })
}

fn key_record(selector: &str, since: Time) -> Result<DkimKeyRecord> {
    Ok(DkimKeyRecord { selector: named(selector, DkimSelector::parse)?, record: String::new(), ed25519: None, since })
}
