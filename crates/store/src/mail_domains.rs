//! Domains of the workspaces' own with their DKIM keys (contract §13.4). The private keys are sealed before they come here.

use posthouse_domain::{
    id::{DomainId, InboxId, WorkspaceId},
    mail_domain::{Checked, Found, Hosting, KeyRecord, MailDomain, RecordKey, Selector, Status},
    page::Page,
    time::Time,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{Error, FromRow, Json, Result, Row, Tx, p, statements, workspaces::named};

/// The columns of a domain, in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT d.workspace_id, d.id, d.name, d.status, d.receiving, d.token, d.active_selector, d.active_since, d.next_selector, ",
            "d.next_started_at, d.previous_selector, d.previous_retire_at, d.checked, d.hosting, d.hosting_at, d.verified_at, ",
            "d.last_checked_at, d.asked_at, d.checks, d.rotation_told, d.created_at FROM mail_domains d ",
            $rest
        )
    };
}

statements! {
    INSERT = "INSERT INTO mail_domains (workspace_id, id, name, status, owned, receiving, token, active_selector, active_since, checked,
        checks, rotation_told, created_at) VALUES ($1, $2, $3, 'pending', 0, $4, $5, $6, $7, '[]', 0, 0, $7)
        ON CONFLICT (workspace_id, name) DO NOTHING";
    GET = select!("WHERE d.workspace_id = $1 AND d.id = $2");
    TAKE = select!("WHERE d.workspace_id = $1 AND d.id = $2 {FOR_UPDATE}");
    BY_NAME = select!("WHERE d.workspace_id = $1 AND d.name = $2");
    PAGE = select!("WHERE d.workspace_id = $1 AND (d.created_at, d.id) < ($2, $3) ORDER BY d.created_at DESC, d.id DESC LIMIT $4");
    OWNER = select!("WHERE d.name = $1 AND d.owned = 1");
    COUNT = "SELECT count(*) FROM mail_domains WHERE workspace_id = $1";
    UPDATE = "UPDATE mail_domains SET status = $3, owned = $4, receiving = $5, active_selector = $6, active_since = $7,
        next_selector = $8, next_started_at = $9, previous_selector = $10, previous_retire_at = $11, checked = $12, hosting = $13,
        hosting_at = $14, verified_at = $15, last_checked_at = $16, asked_at = $17, checks = $18, rotation_told = $19
        WHERE workspace_id = $1 AND id = $2";
    DELETE = "DELETE FROM mail_domains WHERE workspace_id = $1 AND id = $2";
    DELETE_KEYS = "DELETE FROM domain_keys WHERE workspace_id = $1 AND domain_id = $2";
    DELETE_KEY = "DELETE FROM domain_keys WHERE workspace_id = $1 AND domain_id = $2 AND selector IN ($3, $4)";
    INSERT_KEY = "INSERT INTO domain_keys (workspace_id, domain_id, selector, private_key, record, created_at)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, domain_id, selector) DO NOTHING";
    KEYS = "SELECT selector, record FROM domain_keys WHERE workspace_id = $1 AND domain_id = $2 ORDER BY selector";
    SIGNING = "SELECT d.id, d.active_selector, d.checked, k.selector, k.private_key FROM mail_domains d JOIN domain_keys k
        ON k.workspace_id = d.workspace_id AND k.domain_id = d.id AND k.selector IN (d.active_selector, d.active_selector || 'e')
        WHERE d.workspace_id = $1 AND d.name = $2 ORDER BY k.selector LIMIT 2";
    INBOXES = "SELECT id FROM inboxes WHERE workspace_id = $1 AND domain = $2 AND deleted_at IS NULL LIMIT $3";
    LOST = select!("WHERE d.status <> 'disabled' AND NOT EXISTS
        (SELECT 1 FROM jobs j WHERE j.kind = 'domain_check' AND j.subject_id = d.id AND j.state <> 'dead') LIMIT $1");
}

/// A sealed key.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedKey {
    /// Its selector.
    pub selector: Selector,
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the record to publish.
    pub record: String,
    /// The Ed25519 key beside it.
    pub ed25519: Option<SecondKey>,
}

/// A sealed Ed25519 key, beside an RSA key.
#[derive(Clone, PartialEq, Eq)]
pub struct SecondKey {
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the record to publish.
    pub record: String,
}

/// The keys that sign for a domain, sealed.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKeys {
    /// The domain.
    pub id: DomainId,
    /// The selector of the RSA key.
    pub selector: Selector,
    /// The RSA key.
    pub rsa: Vec<u8>,
    /// The Ed25519 key beside it, where the last check has seen its record.
    pub ed25519: Option<Vec<u8>>,
}

/// Stores a new domain with its first key; says whether the workspace did not have it yet.
///
/// # Errors
/// The store's own.
pub fn insert(tx: &mut Tx, domain: &MailDomain, key: &SealedKey) -> Result<bool> {
    let d = domain;
    let made =
        tx.exec(&INSERT, p![d.workspace, d.id, d.name, d.receiving, d.token, d.active.selector.text(), d.created_at])?;
    if made == 0 {
        return Ok(false);
    }
    insert_key(tx, (d.workspace, d.id), key, d.created_at)?;
    Ok(true)
}

/// Stores a key of a domain, instead of an old one with the same selector.
///
/// # Errors
/// The store's own.
pub fn insert_key(tx: &mut Tx, place: (WorkspaceId, DomainId), key: &SealedKey, now: Time) -> Result<()> {
    tx.exec(&DELETE_KEY, p![place.0, place.1, key.selector.text(), key.selector.ed25519_text()])?;
    tx.exec(&INSERT_KEY, p![place.0, place.1, key.selector.text(), key.private_key, key.record, now])?;
    key.ed25519.as_ref().map_or(Ok(()), |second| insert_second_key(tx, place, key.selector, second, now))
}

/// Stores an Ed25519 key beside the key of that selector, unless there is one.
///
/// # Errors
/// The store's own.
pub fn insert_second_key(
    tx: &mut Tx,
    place: (WorkspaceId, DomainId),
    beside: Selector,
    key: &SecondKey,
    now: Time,
) -> Result<()> {
    tx.exec(&INSERT_KEY, p![place.0, place.1, beside.ed25519_text(), key.private_key, key.record, now])?;
    Ok(())
}

/// The domain of that id.
///
/// # Errors
/// The store's own.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<Option<MailDomain>> {
    let found = tx.one(&GET, p![workspace, id])?;
    with_keys(tx, found)
}

/// The domain of that id, kept from others until this transaction ends.
///
/// # Errors
/// The store's own.
pub fn take(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<Option<MailDomain>> {
    let found = tx.one(&TAKE, p![workspace, id])?;
    with_keys(tx, found)
}

/// The domain of that name, verified or not.
///
/// # Errors
/// The store's own.
pub fn by_name(tx: &mut Tx, workspace: WorkspaceId, name: &str) -> Result<Option<MailDomain>> {
    tx.one(&BY_NAME, p![workspace, name])
}

/// The domain of that name as its owner has it: the workspace that verified it, whichever that is. Without its keys.
///
/// # Errors
/// The store's own.
pub fn owner(tx: &mut Tx, name: &str) -> Result<Option<MailDomain>> {
    tx.one(&OWNER, p![name])
}

/// A page of a workspace's domains, newest first.
///
/// # Errors
/// The store's own.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: &Page) -> Result<Vec<MailDomain>> {
    let (at, id) = page.after.map_or((i64::MAX, Uuid::max()), |after| (after.sort, after.id));
    let found: Vec<MailDomain> = tx.rows(&PAGE, p![workspace, at, id, page.limit])?;
    found.into_iter().map(|domain| with_keys(tx, Some(domain))).filter_map(Result::transpose).collect()
}

/// How many domains a workspace has.
///
/// # Errors
/// The store's own.
pub fn count(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64> {
    Ok(tx.value(&COUNT, p![workspace])?.unwrap_or(0))
}

/// Writes everything that changes at a domain. Keys that are in no use any more go.
///
/// # Errors
/// The store's own.
pub fn update(tx: &mut Tx, domain: &MailDomain) -> Result<()> {
    let d = domain;
    let owned = d.verified_at.is_some() && d.status != Status::Pending;
    let hosting = d.hosting.as_ref().map(|hosting| Json(StoredHosting::from(hosting)));
    let checked: Vec<StoredCheck> = d.checked.iter().map(StoredCheck::from).collect();
    let previous = d.previous.as_ref();
    tx.exec(
        &UPDATE,
        p![
            d.workspace,
            d.id,
            d.status.text(),
            owned,
            d.receiving,
            d.active.selector.text(),
            d.active.since,
            d.next.as_ref().map(|next| next.selector.text()),
            d.next.as_ref().map(|next| next.since),
            previous.map(|(key, _)| key.selector.text()),
            previous.map(|(_, at)| *at),
            Json(&checked),
            hosting,
            d.hosting_at,
            d.verified_at,
            d.last_checked_at,
            d.asked_at,
            d.checks,
            d.rotation_told
        ],
    )?;
    let other = d.active.selector.other();
    if d.next.is_none() && d.previous.is_none() {
        tx.exec(&DELETE_KEY, p![d.workspace, d.id, other.text(), other.ed25519_text()])?;
    }
    Ok(())
}

/// Deletes a domain with its keys.
///
/// # Errors
/// The store's own.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<()> {
    tx.exec(&DELETE_KEYS, p![workspace, id])?;
    tx.exec(&DELETE, p![workspace, id])?;
    Ok(())
}

/// The keys that sign for a domain of a workspace.
///
/// # Errors
/// The store's own.
pub fn signing(tx: &mut Tx, workspace: WorkspaceId, name: &str) -> Result<Option<SigningKeys>> {
    type Keyed = (DomainId, String, Json<Vec<StoredCheck>>, String, Vec<u8>);
    let mut found: Vec<Keyed> = tx.rows(&SIGNING, p![workspace, name])?;
    // The longer name is that of the Ed25519 key.
    let second = if found.len() > 1 { found.pop() } else { None };
    let Some((id, active, Json(checked), _, rsa)) = found.pop() else { return Ok(None) };
    let is_published =
        |check: &StoredCheck| check.key == RecordKey::DkimEd25519.stored() && check.found == Found::Ok.text();
    let ed25519 = second.map(|(.., key)| key).filter(|_| checked.iter().any(is_published));
    Ok(Some(SigningKeys { id, selector: named(&active, Selector::parse)?, rsa, ed25519 }))
}

/// Up to `limit` live inboxes of a domain.
///
/// # Errors
/// The store's own.
pub fn inboxes(tx: &mut Tx, workspace: WorkspaceId, name: &str, limit: u32) -> Result<Vec<InboxId>> {
    let found: Vec<(InboxId,)> = tx.rows(&INBOXES, p![workspace, name, limit])?;
    Ok(found.into_iter().map(|(id,)| id).collect())
}

/// Domains that nothing will check again.
///
/// # Errors
/// The store's own.
pub fn lost(tx: &mut Tx, limit: u32) -> Result<Vec<MailDomain>> {
    tx.rows(&LOST, p![limit])
}

/// Puts the texts of the keys' records in.
fn with_keys(tx: &mut Tx, found: Option<MailDomain>) -> Result<Option<MailDomain>> {
    let Some(mut domain) = found else { return Ok(None) };
    let keys: Vec<(String, String)> = tx.rows(&KEYS, p![domain.workspace, domain.id])?;
    let record = |name: &str| keys.iter().find(|(selector, _)| selector == name).map(|(_, record)| record.clone());
    let previous = domain.previous.as_mut().map(|(key, _)| key);
    for key in [Some(&mut domain.active), domain.next.as_mut(), previous].into_iter().flatten() {
        key.record = record(key.selector.text()).unwrap_or_default();
        key.ed25519 = record(key.selector.ed25519_text());
    }
    Ok(Some(domain))
}

/// A checked record as it is kept.
#[derive(Serialize, Deserialize)]
struct StoredCheck {
    key: String,
    found: String,
    values: Vec<String>,
    doubled: bool,
}

/// A hosting as it is kept.
#[derive(Serialize, Deserialize)]
struct StoredHosting {
    zone: String,
    nameservers: Vec<String>,
}

impl From<&Checked> for StoredCheck {
    fn from(checked: &Checked) -> Self {
        let c = checked;
        Self { key: c.key.stored().into(), found: c.found.text().into(), values: c.values.clone(), doubled: c.doubled }
    }
}

impl StoredCheck {
    fn read(self) -> Result<Checked> {
        let key = RecordKey::ALL.into_iter().find(|key| key.stored() == self.key);
        Ok(Checked {
            key: key.ok_or_else(|| Error::Corrupt(format!("unknown record {}", self.key).into()))?,
            found: named(&self.found, Found::parse)?,
            values: self.values,
            doubled: self.doubled,
        })
    }
}

impl From<&Hosting> for StoredHosting {
    fn from(hosting: &Hosting) -> Self {
        Self { zone: hosting.zone.clone(), nameservers: hosting.nameservers.clone() }
    }
}

impl FromRow for MailDomain {
    const COLUMNS: usize = 21;

    fn from_row(row: &mut Row<'_>) -> Result<Self> {
        let key = |selector: &str, since: Time| -> Result<KeyRecord> {
            Ok(KeyRecord { selector: named(selector, Selector::parse)?, record: String::new(), ed25519: None, since })
        };
        let (workspace, id, name) = (row.take()?, row.take()?, row.take()?);
        let status = named(&row.take::<String>()?, Status::parse)?;
        let (receiving, token) = (row.take()?, row.take()?);
        let active = key(&row.take::<String>()?, row.take()?)?;
        let next: (Option<String>, Option<Time>) = (row.take()?, row.take()?);
        let previous: (Option<String>, Option<Time>) = (row.take()?, row.take()?);
        let next = next.0.zip(next.1).map(|(selector, at)| key(&selector, at)).transpose()?;
        let previous = match previous.0.zip(previous.1) {
            // When it began to sign is not needed any more.
            Some((selector, retire_at)) => Some((key(&selector, retire_at)?, retire_at)),
            None => None,
        };
        let checked =
            row.take::<Json<Vec<StoredCheck>>>()?.0.into_iter().map(StoredCheck::read).collect::<Result<_>>()?;
        let hosting = row.take::<Option<Json<StoredHosting>>>()?;
        Ok(Self {
            workspace,
            id,
            name,
            status,
            receiving,
            token,
            active,
            next,
            previous,
            checked,
            hosting: hosting.map(|Json(h)| Hosting { zone: h.zone, nameservers: h.nameservers }),
            hosting_at: row.take()?,
            verified_at: row.take()?,
            last_checked_at: row.take()?,
            asked_at: row.take()?,
            checks: u32::try_from(row.take::<i64>()?).unwrap_or(u32::MAX),
            rotation_told: row.take()?,
            created_at: row.take()?,
        })
    }
}
