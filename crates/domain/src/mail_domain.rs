//! A domain of a workspace's own: what must be published for it, what DNS holds of that, and what follows (API document,
//! Domains; contract §13.4).
//!
//! Pure: DNS is a value. A check names the questions it lacks, and is run again with the answers.

mod judge;
mod provider;
mod spf;
#[cfg(test)]
mod tests;
mod zone_file;

use crate::{
    id::{DomainId, WorkspaceId},
    time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, Time},
};

pub use judge::{Check, Hosting, Step, check};
pub use provider::{Provider, provider_of};
pub use zone_file::zone_file;

/// A domain is checked by its owner at most so often, in milliseconds (API document, Limits).
pub const VERIFY_GAP_MS: i64 = 10 * SECOND_MS;
/// How long the record of an old DKIM key must stay for mail that is under way, in milliseconds.
pub const RETIRE_AFTER_MS: i64 = 7 * DAY_MS;
/// How long a DKIM key signs before another is due, in milliseconds (contract §13.4).
pub const ROTATION_DUE_AFTER_MS: i64 = 365 * DAY_MS;
/// Rounds of "check, look up, check again".
pub const ROUNDS_MAX: usize = 14;
/// Time between the checks of a domain that is verified, in milliseconds.
const VERIFIED_GAP_MS: i64 = DAY_MS;
/// Times between the checks of a domain that is not, by the number of checks so far, in milliseconds.
const UNVERIFIED_GAPS_MS: [i64; 8] =
    [MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS];

/// How long somebody who asked for a check is taken to be at work on the records, in milliseconds.
const WATCHED_MS: i64 = HOUR_MS;
/// Time between the checks of a domain that somebody is at work on, at most, in milliseconds.
const WATCHED_GAP_MS: i64 = 5 * MINUTE_MS;

/// How a domain stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Its records were never all there.
    Pending,
    /// They are.
    Verified,
    /// They were, and are not any more.
    Failed,
    /// The operator has switched it off.
    Disabled,
}

/// A DKIM selector: two that take turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selector {
    /// `s1`
    One,
    /// `s2`
    Two,
}

/// What a record is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordKey {
    /// That the workspace owns the domain.
    Verification,
    /// Where its mail goes.
    Mx,
    /// Who may send for it.
    Spf,
    /// The key that signs.
    Dkim,
    /// What receivers are to do with forgeries.
    Dmarc,
    /// The key that will sign.
    DkimNext,
    /// The key that signed until now.
    DkimPrevious,
    /// The Ed25519 key beside the one that signs.
    DkimEd25519,
    /// The Ed25519 key beside the one that will sign.
    DkimNextEd25519,
    /// The Ed25519 key beside the one that signed until now.
    DkimPreviousEd25519,
}

/// What the records of a domain say of this server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Here {
    /// Its name.
    pub host: String,
    /// Whether mail of such domains is signed with Ed25519 too (RFC 8463): a record more for each key.
    pub ed25519: bool,
}

/// What DNS holds of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// What is expected.
    Ok,
    /// Nothing of the kind.
    Missing,
    /// Something else.
    Mismatch,
}

/// A record to be published.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// What it is for.
    pub key: RecordKey,
    /// The full name.
    pub name: String,
    /// The value.
    pub value: String,
    /// Whether the domain is verified only with it.
    pub required: bool,
}

/// A record with what DNS holds of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// What it is for.
    pub key: RecordKey,
    /// What DNS holds.
    pub found: Found,
    /// The values that are there, if others than expected.
    pub values: Vec<String>,
    /// It is published under the doubled name `<name>.<zone>`.
    pub doubled: bool,
}

/// One DKIM key as the records show it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRecord {
    /// Its selector.
    pub selector: Selector,
    /// The text of its record.
    pub record: String,
    /// The text of the record of the Ed25519 key beside it, where there is one.
    pub ed25519: Option<String>,
    /// When it was made, or began to sign.
    pub since: Time,
}

/// A domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailDomain {
    /// The tenant.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: DomainId,
    /// The domain, in A-label form.
    pub name: String,
    /// How it stands.
    pub status: Status,
    /// Whether it takes mail.
    pub receiving: bool,
    /// What proves that the workspace owns it.
    pub token: String,
    /// The key that signs; `since` is when it began to.
    pub active: KeyRecord,
    /// The key that will sign once its record is seen; `since` is when it was made.
    pub next: Option<KeyRecord>,
    /// The key that signed before, and until when its record must stay.
    pub previous: Option<(KeyRecord, Time)>,
    /// What the last check found.
    pub checked: Vec<Checked>,
    /// Where the domain is hosted.
    pub hosting: Option<Hosting>,
    /// When that was found.
    pub hosting_at: Option<Time>,
    /// When it was first verified.
    pub verified_at: Option<Time>,
    /// When it was last checked.
    pub last_checked_at: Option<Time>,
    /// When its owner last asked for a check.
    pub asked_at: Option<Time>,
    /// Checks since its status last changed.
    pub checks: u32,
    /// Whether its owner was told that another key is due.
    pub rotation_told: bool,
    /// When it was made.
    pub created_at: Time,
}

/// What a check changes at a domain beside its records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    /// It became verified.
    pub verified: bool,
    /// It stopped being so.
    pub failed: bool,
    /// Another key signs.
    pub rotated: bool,
    /// Another key is due.
    pub rotation_due: bool,
}

impl Status {
    /// The name on the wire and in the store.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::Verified => "verified",
            Status::Failed => "failed",
            Status::Disabled => "disabled",
        }
    }

    /// The status of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Status::Pending, Status::Verified, Status::Failed, Status::Disabled].into_iter().find(|s| s.text() == text)
    }
}

impl Selector {
    /// The label below `_domainkey`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Selector::One => "s1",
            Selector::Two => "s2",
        }
    }

    /// The label of the Ed25519 key beside it: one of its own, because servers that do not know the algorithm would
    /// stumble over a second record under one name.
    #[must_use]
    pub const fn ed25519_text(self) -> &'static str {
        match self {
            Selector::One => "s1e",
            Selector::Two => "s2e",
        }
    }

    /// The selector of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Selector::One, Selector::Two].into_iter().find(|selector| selector.text() == text)
    }

    /// The one whose turn is next.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Selector::One => Selector::Two,
            Selector::Two => Selector::One,
        }
    }
}

impl RecordKey {
    /// Every key.
    pub const ALL: [RecordKey; 10] = [
        RecordKey::Verification,
        RecordKey::Mx,
        RecordKey::Spf,
        RecordKey::Dkim,
        RecordKey::Dmarc,
        RecordKey::DkimNext,
        RecordKey::DkimPrevious,
        RecordKey::DkimEd25519,
        RecordKey::DkimNextEd25519,
        RecordKey::DkimPreviousEd25519,
    ];

    /// The name on the wire. An Ed25519 key is a key like the one that it stands beside.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            RecordKey::Verification => "verification",
            RecordKey::Mx => "mx",
            RecordKey::Spf => "spf",
            RecordKey::Dkim | RecordKey::DkimEd25519 => "dkim",
            RecordKey::Dmarc => "dmarc",
            RecordKey::DkimNext | RecordKey::DkimNextEd25519 => "dkim_next",
            RecordKey::DkimPrevious | RecordKey::DkimPreviousEd25519 => "dkim_previous",
        }
    }

    /// The name in the store: each has its own.
    #[must_use]
    pub const fn stored(self) -> &'static str {
        match self {
            RecordKey::DkimEd25519 => "dkim_ed25519",
            RecordKey::DkimNextEd25519 => "dkim_next_ed25519",
            RecordKey::DkimPreviousEd25519 => "dkim_previous_ed25519",
            other => other.text(),
        }
    }

    /// What a record is called once its key begins to sign.
    const fn after_switch(self) -> Self {
        match self {
            RecordKey::Dkim => RecordKey::DkimPrevious,
            RecordKey::DkimNext => RecordKey::Dkim,
            RecordKey::DkimEd25519 => RecordKey::DkimPreviousEd25519,
            RecordKey::DkimNextEd25519 => RecordKey::DkimEd25519,
            other => other,
        }
    }

    /// The type of the record.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            RecordKey::Mx => "MX",
            _ => "TXT",
        }
    }
}

impl Found {
    /// The name on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Found::Ok => "ok",
            Found::Missing => "missing",
            Found::Mismatch => "mismatch",
        }
    }

    /// What that name says.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Found::Ok, Found::Missing, Found::Mismatch].into_iter().find(|found| found.text() == text)
    }
}

impl MailDomain {
    /// One that was just added: it receives once it is verified, and its first key has no record yet.
    #[must_use]
    pub fn new(workspace: WorkspaceId, id: DomainId, name: String, token: String, now: Time) -> Self {
        Self {
            workspace,
            id,
            name,
            status: Status::Pending,
            receiving: true,
            token,
            active: KeyRecord { selector: Selector::One, record: String::new(), ed25519: None, since: now },
            next: None,
            previous: None,
            checked: Vec::new(),
            hosting: None,
            hosting_at: None,
            verified_at: None,
            last_checked_at: None,
            asked_at: None,
            checks: 0,
            rotation_told: false,
            created_at: now,
        }
    }

    /// The records to be published.
    #[must_use]
    pub fn expected(&self, here: &Here) -> Vec<Expected> {
        let (domain, host) = (&self.name, &here.host);
        let record = |key, name: String, value: String, required| Expected { key, name, value, required };
        let key_name = |key: &KeyRecord| format!("{}._domainkey.{domain}", key.selector.text());
        let mut all = vec![
            record(
                RecordKey::Verification,
                format!("_service-verify.{domain}"),
                format!("service-verify={}", self.token),
                true,
            ),
            record(RecordKey::Mx, domain.clone(), format!("10 {host}"), self.receiving),
            record(RecordKey::Spf, domain.clone(), format!("v=spf1 a:{host} ~all"), true),
            record(RecordKey::Dkim, key_name(&self.active), self.active.record.clone(), true),
            record(RecordKey::Dmarc, format!("_dmarc.{domain}"), "v=DMARC1; p=none".to_owned(), false),
        ];
        if let Some(next) = &self.next {
            all.push(record(RecordKey::DkimNext, key_name(next), next.record.clone(), false));
        }
        if let Some((previous, _)) = &self.previous {
            all.push(record(RecordKey::DkimPrevious, key_name(previous), previous.record.clone(), false));
        }
        if here.ed25519 {
            all.extend(self.second_keys());
        }
        all
    }

    /// The records of the Ed25519 keys. None is required: mail is signed with RSA whatever becomes of them.
    fn second_keys(&self) -> Vec<Expected> {
        let keys = [
            (RecordKey::DkimEd25519, Some(&self.active)),
            (RecordKey::DkimNextEd25519, self.next.as_ref()),
            (RecordKey::DkimPreviousEd25519, self.previous.as_ref().map(|(key, _)| key)),
        ];
        let record = |(key, of): (RecordKey, Option<&KeyRecord>)| {
            let of = of?;
            let name = format!("{}._domainkey.{}", of.selector.ed25519_text(), self.name);
            Some(Expected { key, name, value: of.ed25519.clone()?, required: false })
        };
        keys.into_iter().filter_map(record).collect()
    }

    /// What the last check found of a record.
    #[must_use]
    pub fn found(&self, key: RecordKey) -> Option<&Checked> {
        self.checked.iter().find(|checked| checked.key == key)
    }

    /// Whether every required record was found.
    #[must_use]
    pub fn is_complete(&self, here: &Here) -> bool {
        let is_there = |key| self.found(key).is_some_and(|checked| checked.found == Found::Ok);
        self.expected(here).iter().filter(|record| record.required).all(|record| is_there(record.key))
    }

    /// Whether mail may be sent for it.
    #[must_use]
    pub fn may_send(&self) -> bool {
        self.status == Status::Verified
    }

    /// Whether mail for it is taken: also while its records are broken, for somebody still finds the way here.
    #[must_use]
    pub fn takes_mail(&self) -> bool {
        self.receiving && matches!(self.status, Status::Verified | Status::Failed)
    }

    /// Whether the workspace that verified it no longer proves that it is its own: who proves it now may have it.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.status == Status::Failed
            && self.found(RecordKey::Verification).is_some_and(|checked| checked.found != Found::Ok)
    }

    /// Gives it to whoever has verified it since: it begins again.
    pub fn give_up(&mut self) {
        (self.status, self.verified_at, self.checks) = (Status::Pending, None, 0);
    }

    /// Whether its key has signed for a year.
    #[must_use]
    pub fn is_rotation_due(&self, now: Time) -> bool {
        self.next.is_none() && now.since_ms(self.active.since) >= ROTATION_DUE_AFTER_MS
    }

    /// Notes what a check found. What DNS did not answer stays as it was found before. `may_verify` is false where
    /// another workspace has verified the domain.
    #[must_use]
    pub fn apply(&mut self, check: &Check, here: &Here, may_verify: bool, now: Time) -> Changes {
        let expected = self.expected(here);
        let known = |key| expected.iter().any(|record| record.key == key);
        let kept = self.checked.iter().filter(|old| known(old.key) && !check.records.iter().any(|c| c.key == old.key));
        self.checked = check.records.iter().chain(kept).cloned().collect();
        if let Some(hosting) = &check.hosting {
            (self.hosting, self.hosting_at) = (Some(hosting.clone()), Some(now));
        }
        (self.last_checked_at, self.checks) = (Some(now), self.checks.saturating_add(1));
        let mut changes = Changes { rotated: self.switch_keys(now), ..Changes::default() };
        match (self.status, self.is_complete(here)) {
            (Status::Pending | Status::Failed, true) if may_verify => {
                (self.status, self.checks, changes.verified) = (Status::Verified, 0, true);
                self.verified_at = self.verified_at.or(Some(now));
            }
            (Status::Verified, false) => (self.status, self.checks, changes.failed) = (Status::Failed, 0, true),
            _ => {}
        }
        if self.is_rotation_due(now) && !self.rotation_told {
            (self.rotation_told, changes.rotation_due) = (true, true);
        }
        changes
    }

    /// Switches it off for its operator, or on again: how it stands then, the next check says.
    #[must_use]
    pub fn switch(&mut self, on: bool) -> Changes {
        let before = self.status;
        self.status = match (on, before) {
            (false, _) => Status::Disabled,
            (true, Status::Disabled) if self.verified_at.is_some() => Status::Failed,
            (true, Status::Disabled) => Status::Pending,
            (true, other) => other,
        };
        if self.status != before {
            self.checks = 0;
        }
        Changes { failed: before == Status::Verified && !on, ..Changes::default() }
    }

    /// Lets the next key sign once its record was seen, and the one before go when its time has come.
    fn switch_keys(&mut self, now: Time) -> bool {
        if self.previous.as_ref().is_some_and(|(_, retire_at)| now >= *retire_at) {
            self.previous = None;
            let is_previous = |key| matches!(key, RecordKey::DkimPrevious | RecordKey::DkimPreviousEd25519);
            self.checked.retain(|checked| !is_previous(checked.key));
        }
        let is_seen = self.found(RecordKey::DkimNext).is_some_and(|checked| checked.found == Found::Ok);
        let Some(next) = self.next.take_if(|_| is_seen) else { return false };
        let old = std::mem::replace(&mut self.active, KeyRecord { since: now, ..next });
        self.previous = Some((old, now.plus_ms(RETIRE_AFTER_MS)));
        self.rotation_told = false;
        for checked in &mut self.checked {
            checked.key = checked.key.after_switch();
        }
        true
    }

    /// When it is to be checked next by itself.
    #[must_use]
    pub fn next_check_at(&self, now: Time) -> Time {
        let regular = match self.status {
            Status::Verified => VERIFIED_GAP_MS,
            _ => {
                let last = UNVERIFIED_GAPS_MS.len() - 1;
                UNVERIFIED_GAPS_MS[usize::try_from(self.checks).map_or(last, |checks| checks.min(last))]
            }
        };
        // Somebody waits for a new key's record to be seen.
        let gap = if self.next.is_some() { regular.min(HOUR_MS) } else { regular };
        let is_watched = self.asked_at.is_some_and(|at| now.since_ms(at) < WATCHED_MS);
        let is_awaited = self.next.is_some() || self.status != Status::Verified;
        now.plus_ms(if is_watched && is_awaited { gap.min(WATCHED_GAP_MS) } else { gap })
    }
}
