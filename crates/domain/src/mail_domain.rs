//! Custom domains: the DNS records to publish, the records DNS returns, and the resulting domain status.
//!
//! Pure: DNS answers are passed in. A check returns the DNS questions that are still unanswered and is run again with
//! their answers.

mod evaluate;
mod problem;
mod provider;
mod reader;
mod spf;
#[cfg(test)]
mod tests;
mod zone_file;

use crate::{
    id::{DomainId, WorkspaceId},
    time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Time},
};

pub use evaluate::{DnsHosting, DomainCheck, DomainCheckStep, check};
pub use problem::{RecordProblem, RecordProblemKind};
pub use provider::{DnsProvider, provider_of};
pub use zone_file::zone_file;

/// The shortest time between two checks that the owner requests, in milliseconds.
pub const VERIFY_INTERVAL_MS: i64 = 10 * SECOND_MS;
/// How long the record of a previous DKIM key must stay published for mail in transit, in milliseconds.
pub const KEY_RETIREMENT_MS: i64 = 7 * DAY_MS;
/// How long a DKIM key signs before a rotation is due, in milliseconds.
pub const ROTATION_DUE_AFTER_MS: i64 = 365 * DAY_MS;
/// The maximum number of rounds of "check, look up DNS, check again".
pub const CHECK_ROUNDS_MAX: usize = 14;
/// The time between automatic checks of a verified domain, in milliseconds.
const VERIFIED_GAP_MS: i64 = DAY_MS;
/// The times between automatic checks of an unverified domain, in milliseconds, indexed by the number of checks so far.
const UNVERIFIED_GAPS_MS: [i64; 8] =
    [MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

/// How long after a requested check the owner is assumed to be working on the records, in milliseconds.
const WATCHED_MS: i64 = HOUR_MS;
/// The longest time between checks while the owner is working on the records, in milliseconds.
const WATCHED_GAP_MS: i64 = 5 * MINUTE_MS;

/// The status of a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DomainStatus {
    /// The required records have never been complete.
    Pending,
    /// The required records are complete.
    Verified,
    /// The required records were complete and no longer are.
    Failed,
    /// The operator disabled the domain.
    Disabled,
}

/// One of the two DKIM selectors, used alternately.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DkimSelector {
    /// `s1`
    One,
    /// `s2`
    Two,
}

/// The purpose of a DNS record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DnsRecordKey {
    /// Proves that the workspace owns the domain.
    Verification,
    /// Names the host that receives the domain's mail.
    Mx,
    /// Names the hosts that may send for the domain.
    Spf,
    /// The public key that signs now.
    Dkim,
    /// The policy for receivers of unauthenticated mail.
    Dmarc,
    /// The public key that will sign next.
    DkimNext,
    /// The public key that signed before.
    DkimPrevious,
    /// The Ed25519 key published alongside the key that signs now.
    DkimEd25519,
    /// The Ed25519 key published alongside the key that will sign next.
    DkimNextEd25519,
    /// The Ed25519 key published alongside the key that signed before.
    DkimPreviousEd25519,
}

/// The properties of this server that a domain's records contain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerDnsSettings {
    /// The server's host name.
    pub host: String,
    /// Whether mail is also signed with Ed25519 (RFC 8463), which adds a record per DKIM key.
    pub ed25519: bool,
}

/// How a record in DNS compares with the expected one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordStatus {
    /// DNS has the expected value.
    Ok,
    /// DNS has no record of this kind.
    Missing,
    /// DNS has another value.
    Mismatch,
}

/// A record to publish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedRecord {
    /// Its purpose.
    pub key: DnsRecordKey,
    /// The full name.
    pub name: String,
    pub value: String,
    /// Whether the domain can't be verified without the record.
    pub required: bool,
}

/// A record as a check saw it in DNS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedRecord {
    /// Its purpose.
    pub key: DnsRecordKey,
    /// How it compares with the expected record.
    pub found: RecordStatus,
    /// The values in DNS, if they differ from the expected one.
    pub values: Vec<String>,
    /// The mistake, if it was found.
    pub problem: Option<RecordProblem>,
}

/// The DNS records of one DKIM key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DkimKeyRecord {
    pub selector: DkimSelector,
    /// The text of its record.
    pub record: String,
    /// The text of its Ed25519 record, if it has an Ed25519 key.
    pub ed25519: Option<String>,
    /// When the key was created, or when it began to sign.
    pub since: Time,
}

/// A custom domain of a workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailDomain {
    /// The workspace that owns the domain.
    pub workspace: WorkspaceId,
    pub id: DomainId,
    /// The domain name, in A-label form.
    pub name: String,
    pub status: DomainStatus,
    /// Whether it accepts mail.
    pub receiving: bool,
    /// The token in the verification record.
    pub token: String,
    /// The DKIM key that signs; `since` is when it began to sign.
    pub active: DkimKeyRecord,
    /// The DKIM key that will sign once its record is found in DNS; `since` is when it was created.
    pub next: Option<DkimKeyRecord>,
    /// The DKIM key that signed before.
    pub previous: Option<RetiringKey>,
    /// The records as the last check saw them.
    pub checked: Vec<CheckedRecord>,
    /// Where the domain's DNS is hosted.
    pub hosting: Option<DnsHosting>,
    /// When `hosting` was determined.
    pub hosting_at: Option<Time>,
    /// When it was first verified.
    pub verified_at: Option<Time>,
    pub last_checked_at: Option<Time>,
    /// When the owner last requested a check.
    pub asked_at: Option<Time>,
    /// The number of checks since the status last changed.
    pub checks: u32,
    /// Whether the owner was notified that a key rotation is due.
    pub rotation_announced: bool,
    pub created_at: Time,
}

/// A DKIM key that no longer signs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RetiringKey {
    pub key: DkimKeyRecord,
    /// The time until which its record must stay published.
    pub retire_at: Time,
}

/// What a check changed, besides the records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DomainChanges {
    /// The domain became verified.
    pub verified: bool,
    /// The domain is no longer verified.
    pub failed: bool,
    /// Another DKIM key signs now.
    pub rotated: bool,
    /// A key rotation became due.
    pub rotation_due: bool,
}

impl DomainStatus {
    /// Returns the name on the wire and in the database.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            DomainStatus::Pending => "pending",
            DomainStatus::Verified => "verified",
            DomainStatus::Failed => "failed",
            DomainStatus::Disabled => "disabled",
        }
    }

    /// Parses the name that [`DomainStatus::text`] returns.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [DomainStatus::Pending, DomainStatus::Verified, DomainStatus::Failed, DomainStatus::Disabled]
            .into_iter()
            .find(|s| s.text() == text)
    }
}

impl DkimSelector {
    /// Returns the label below `_domainkey`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            DkimSelector::One => "s1",
            DkimSelector::Two => "s2",
        }
    }

    /// Returns the label of the Ed25519 key. It differs from [`DkimSelector::text`] because verifiers that don't know
    /// Ed25519 may fail on a second record with the same name.
    #[must_use]
    pub const fn ed25519_text(self) -> &'static str {
        match self {
            DkimSelector::One => "s1e",
            DkimSelector::Two => "s2e",
        }
    }

    /// Parses the label that [`DkimSelector::text`] returns.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [DkimSelector::One, DkimSelector::Two].into_iter().find(|selector| selector.text() == text)
    }

    /// Returns the selector to use for the next key.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            DkimSelector::One => DkimSelector::Two,
            DkimSelector::Two => DkimSelector::One,
        }
    }
}

impl DnsRecordKey {
    /// Every record key.
    pub const ALL: [DnsRecordKey; 10] = [
        DnsRecordKey::Verification,
        DnsRecordKey::Mx,
        DnsRecordKey::Spf,
        DnsRecordKey::Dkim,
        DnsRecordKey::Dmarc,
        DnsRecordKey::DkimNext,
        DnsRecordKey::DkimPrevious,
        DnsRecordKey::DkimEd25519,
        DnsRecordKey::DkimNextEd25519,
        DnsRecordKey::DkimPreviousEd25519,
    ];

    /// Returns the name on the wire. An Ed25519 key has the same name as the RSA key it accompanies.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            DnsRecordKey::Verification => "verification",
            DnsRecordKey::Mx => "mx",
            DnsRecordKey::Spf => "spf",
            DnsRecordKey::Dkim | DnsRecordKey::DkimEd25519 => "dkim",
            DnsRecordKey::Dmarc => "dmarc",
            DnsRecordKey::DkimNext | DnsRecordKey::DkimNextEd25519 => "dkim_next",
            DnsRecordKey::DkimPrevious | DnsRecordKey::DkimPreviousEd25519 => "dkim_previous",
        }
    }

    /// Returns the name in the database, which is unique per record.
    #[must_use]
    pub const fn stored(self) -> &'static str {
        match self {
            DnsRecordKey::DkimEd25519 => "dkim_ed25519",
            DnsRecordKey::DkimNextEd25519 => "dkim_next_ed25519",
            DnsRecordKey::DkimPreviousEd25519 => "dkim_previous_ed25519",
            other => other.text(),
        }
    }

    /// Returns the purpose of the record after the next DKIM key begins to sign.
    const fn after_switch(self) -> Self {
        match self {
            DnsRecordKey::Dkim => DnsRecordKey::DkimPrevious,
            DnsRecordKey::DkimNext => DnsRecordKey::Dkim,
            DnsRecordKey::DkimEd25519 => DnsRecordKey::DkimPreviousEd25519,
            DnsRecordKey::DkimNextEd25519 => DnsRecordKey::DkimEd25519,
            other => other,
        }
    }

    /// Returns the DNS record type.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            DnsRecordKey::Mx => "MX",
            _ => "TXT",
        }
    }
}

impl RecordStatus {
    /// Returns the name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            RecordStatus::Ok => "ok",
            RecordStatus::Missing => "missing",
            RecordStatus::Mismatch => "mismatch",
        }
    }

    /// Parses the name that [`RecordStatus::text`] returns.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [RecordStatus::Ok, RecordStatus::Missing, RecordStatus::Mismatch].into_iter().find(|found| found.text() == text)
    }
}

impl MailDomain {
    /// Creates a pending domain with receiving enabled. Its DKIM key has no record text yet.
    #[must_use]
    pub fn new(workspace: WorkspaceId, id: DomainId, name: String, token: String, now: Time) -> Self {
        Self {
            workspace,
            id,
            name,
            status: DomainStatus::Pending,
            receiving: true,
            token,
            active: DkimKeyRecord { selector: DkimSelector::One, record: String::new(), ed25519: None, since: now },
            next: None,
            previous: None,
            checked: Vec::new(),
            hosting: None,
            hosting_at: None,
            verified_at: None,
            last_checked_at: None,
            asked_at: None,
            checks: 0,
            rotation_announced: false,
            created_at: now,
        }
    }

    /// Returns the records to publish.
    #[must_use]
    pub fn expected(&self, server: &ServerDnsSettings) -> Vec<ExpectedRecord> {
        let (domain, host) = (&self.name, &server.host);
        let record = |key, name: String, value: String, required| ExpectedRecord { key, name, value, required };
        let key_name = |key: &DkimKeyRecord| format!("{}._domainkey.{domain}", key.selector.text());
        let mut all = vec![
            record(
                DnsRecordKey::Verification,
                format!("_service-verify.{domain}"),
                format!("service-verify={}", self.token),
                true,
            ),
            record(DnsRecordKey::Mx, domain.clone(), format!("10 {host}"), self.receiving),
            record(DnsRecordKey::Spf, domain.clone(), format!("v=spf1 a:{host} ~all"), true),
            record(DnsRecordKey::Dkim, key_name(&self.active), self.active.record.clone(), true),
            record(DnsRecordKey::Dmarc, format!("_dmarc.{domain}"), "v=DMARC1; p=none".to_owned(), false),
        ];
        if let Some(next) = &self.next {
            all.push(record(DnsRecordKey::DkimNext, key_name(next), next.record.clone(), false));
        }
        if let Some(RetiringKey { key: previous, .. }) = &self.previous {
            all.push(record(DnsRecordKey::DkimPrevious, key_name(previous), previous.record.clone(), false));
        }
        if server.ed25519 {
            all.extend(self.ed25519_records());
        }
        all
    }

    /// Returns the records of the Ed25519 keys. None of them is required, because mail is always signed with RSA too.
    fn ed25519_records(&self) -> Vec<ExpectedRecord> {
        let keys = [
            (DnsRecordKey::DkimEd25519, Some(&self.active)),
            (DnsRecordKey::DkimNextEd25519, self.next.as_ref()),
            (DnsRecordKey::DkimPreviousEd25519, self.previous.as_ref().map(|previous| &previous.key)),
        ];
        let record = |(key, of): (DnsRecordKey, Option<&DkimKeyRecord>)| {
            let of = of?;
            let name = format!("{}._domainkey.{}", of.selector.ed25519_text(), self.name);
            Some(ExpectedRecord { key, name, value: of.ed25519.clone()?, required: false })
        };
        keys.into_iter().filter_map(record).collect()
    }

    /// Returns the record as the last check saw it.
    #[must_use]
    pub fn found(&self, key: DnsRecordKey) -> Option<&CheckedRecord> {
        self.checked.iter().find(|checked| checked.key == key)
    }

    /// Returns whether the last check found every required record.
    #[must_use]
    pub fn is_complete(&self, server: &ServerDnsSettings) -> bool {
        let is_there = |key| self.found(key).is_some_and(|checked| checked.found == RecordStatus::Ok);
        self.expected(server).iter().filter(|record| record.required).all(|record| is_there(record.key))
    }

    /// Returns whether the domain may send mail.
    #[must_use]
    pub fn may_send(&self) -> bool {
        self.status == DomainStatus::Verified
    }

    /// Returns whether the domain accepts mail. It does so even while its records are broken, because some senders may
    /// still have the old records.
    #[must_use]
    pub fn accepts_mail(&self) -> bool {
        self.receiving && matches!(self.status, DomainStatus::Verified | DomainStatus::Failed)
    }

    /// Returns whether the workspace that verified the domain can no longer prove that it owns it. Another workspace
    /// may then verify the domain.
    #[must_use]
    pub fn is_expired_claim(&self) -> bool {
        self.status == DomainStatus::Failed
            && self.found(DnsRecordKey::Verification).is_some_and(|checked| checked.found != RecordStatus::Ok)
    }

    /// Resets the domain to pending, because another workspace verified it.
    pub fn reset_to_pending(&mut self) {
        (self.status, self.verified_at, self.checks) = (DomainStatus::Pending, None, 0);
    }

    /// Returns whether the DKIM key has signed for [`ROTATION_DUE_AFTER_MS`] and no next key exists.
    #[must_use]
    pub fn is_rotation_due(&self, now: Time) -> bool {
        self.next.is_none() && now.since_ms(self.active.since) >= ROTATION_DUE_AFTER_MS
    }

    /// Applies the result of a check. Records that DNS didn't answer for keep their previous result. `may_verify` is
    /// false if another workspace has verified the domain.
    #[must_use]
    pub fn apply(
        &mut self,
        check: &DomainCheck,
        server: &ServerDnsSettings,
        may_verify: bool,
        now: Time,
    ) -> DomainChanges {
        let expected = self.expected(server);
        let known = |key| expected.iter().any(|record| record.key == key);
        let kept = self.checked.iter().filter(|old| known(old.key) && !check.records.iter().any(|c| c.key == old.key));
        self.checked = check.records.iter().chain(kept).cloned().collect();
        if let Some(hosting) = &check.hosting {
            (self.hosting, self.hosting_at) = (Some(hosting.clone()), Some(now));
        }
        (self.last_checked_at, self.checks) = (Some(now), self.checks.saturating_add(1));
        let mut changes = DomainChanges { rotated: self.switch_keys(now), ..DomainChanges::default() };
        match (self.status, self.is_complete(server)) {
            (DomainStatus::Pending | DomainStatus::Failed, true) if may_verify => {
                (self.status, self.checks, changes.verified) = (DomainStatus::Verified, 0, true);
                self.verified_at = self.verified_at.or(Some(now));
            }
            (DomainStatus::Verified, false) => {
                (self.status, self.checks, changes.failed) = (DomainStatus::Failed, 0, true)
            }
            _ => {}
        }
        if self.is_rotation_due(now) && !self.rotation_announced {
            (self.rotation_announced, changes.rotation_due) = (true, true);
        }
        changes
    }

    /// Enables or disables the domain for the operator. After it is enabled, the next check decides its status.
    #[must_use]
    pub fn set_enabled(&mut self, on: bool) -> DomainChanges {
        let before = self.status;
        self.status = match (on, before) {
            (false, _) => DomainStatus::Disabled,
            (true, DomainStatus::Disabled) if self.verified_at.is_some() => DomainStatus::Failed,
            (true, DomainStatus::Disabled) => DomainStatus::Pending,
            (true, other) => other,
        };
        if self.status != before {
            self.checks = 0;
        }
        DomainChanges { failed: before == DomainStatus::Verified && !on, ..DomainChanges::default() }
    }

    /// Activates the next DKIM key once its record is found, and drops the previous one when it may be retired.
    fn switch_keys(&mut self, now: Time) -> bool {
        if self.previous.as_ref().is_some_and(|previous| now >= previous.retire_at) {
            self.previous = None;
            let is_previous = |key| matches!(key, DnsRecordKey::DkimPrevious | DnsRecordKey::DkimPreviousEd25519);
            self.checked.retain(|checked| !is_previous(checked.key));
        }
        let is_seen = self.found(DnsRecordKey::DkimNext).is_some_and(|checked| checked.found == RecordStatus::Ok);
        let Some(next) = self.next.take_if(|_| is_seen) else { return false };
        let old = std::mem::replace(&mut self.active, DkimKeyRecord { since: now, ..next });
        self.previous = Some(RetiringKey { key: old, retire_at: now.plus_ms(KEY_RETIREMENT_MS) });
        self.rotation_announced = false;
        for checked in &mut self.checked {
            checked.key = checked.key.after_switch();
        }
        true
    }

    /// Returns when the next automatic check is due.
    #[must_use]
    pub fn next_check_at(&self, now: Time) -> Time {
        let regular = match self.status {
            DomainStatus::Verified => VERIFIED_GAP_MS,
            _ => {
                let last = UNVERIFIED_GAPS_MS.len() - 1;
                UNVERIFIED_GAPS_MS[usize::try_from(self.checks).map_or(last, |checks| checks.min(last))]
            }
        };
        // The owner is waiting for the next key to be activated.
        let gap = if self.next.is_some() { regular.min(HOUR_MS) } else { regular };
        let is_watched = self.asked_at.is_some_and(|at| now.since_ms(at) < WATCHED_MS);
        let is_awaited = self.next.is_some() || self.status != DomainStatus::Verified;
        now.plus_ms(if is_watched && is_awaited { gap.min(WATCHED_GAP_MS) } else { gap })
    }
}
