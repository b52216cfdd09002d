//! Custom domains of workspaces with their DKIM keys. Callers seal private keys before storing them.

mod row;

use posthouse_domain::{
    DkimSelector, DomainId, DomainStatus, InboxId, MailDomain, PageRange, Time, WorkspaceId,
    mail_domain::{DnsRecordKey, RecordStatus},
};

use self::row::{StoredCheck, StoredHosting};
use crate::{Json, Result, Tx, statements, workspaces::named};

/// The columns of a domain in the order that rows are read.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT d.workspace_id, d.id, d.name, d.status, d.receiving, d.token, d.active_selector, d.active_since, d.next_selector, ",
            "d.next_started_at, d.previous_selector, d.previous_retire_at, d.checked, d.hosting, d.hosting_at, d.verified_at, ",
            "d.last_checked_at, d.check_requested_at, d.checks, d.rotation_announced, d.created_at FROM mail_domains d ",
            $rest
        )
    };
}

statements! {
    fn insert_row(
        domain: &MailDomain {
            workspace, id, name, receiving, token, selector: domain.active.selector.text(), created_at,
        },
    ) -> bool =
        "INSERT INTO mail_domains (workspace_id, id, name, status, owned, receiving, token, active_selector, active_since, checked,
        checks, rotation_announced, created_at)
        VALUES (:workspace, :id, :name, 'pending', 0, :receiving, :token, :selector, :created_at, '[]', 0, 0, :created_at)
        ON CONFLICT (workspace_id, name) DO NOTHING";
    fn row(workspace: WorkspaceId, id: DomainId) -> Option<MailDomain> =
        select!("WHERE d.workspace_id = :workspace AND d.id = :id");
    fn lock_row(workspace: WorkspaceId, id: DomainId) -> Option<MailDomain> =
        select!("WHERE d.workspace_id = :workspace AND d.id = :id {FOR_UPDATE}");
    /// Returns the domain with that name, verified or not, without its keys.
    pub fn by_name(workspace: WorkspaceId, name: &str) -> Option<MailDomain> =
        select!("WHERE d.workspace_id = :workspace AND d.name = :name");
    fn rows(workspace: WorkspaceId, page: &PageRange { sort: page.sort(), id: page.id(), limit }) -> Vec<MailDomain> =
        select!("WHERE d.workspace_id = :workspace AND (d.created_at, d.id) < (:sort, :id) ORDER BY d.created_at DESC, d.id DESC LIMIT :limit");
    /// Returns the domain with that name from the workspace that verified it, whichever that is. Without its keys.
    pub fn owner(name: &str) -> Option<MailDomain> = select!("WHERE d.name = :name AND d.owned = 1");
    /// Returns the number of domains of a workspace.
    pub fn count(workspace: WorkspaceId) -> u64 = "SELECT count(*) FROM mail_domains WHERE workspace_id = :workspace";
    fn update_row(
        domain: &MailDomain {
            workspace, id, status: domain.status.text(),
            owned: domain.verified_at.is_some() && domain.status != DomainStatus::Pending, receiving,
            active_selector: domain.active.selector.text(), active_since: domain.active.since,
            next_selector: domain.next.as_ref().map(|next| next.selector.text()),
            next_started_at: domain.next.as_ref().map(|next| next.since),
            previous_selector: domain.previous.as_ref().map(|previous| previous.key.selector.text()),
            previous_retire_at: domain.previous.as_ref().map(|previous| previous.retire_at),
            checked: Json(domain.checked.iter().map(StoredCheck::from).collect::<Vec<_>>()),
            hosting: domain.hosting.as_ref().map(|hosting| Json(StoredHosting::from(hosting))), hosting_at, verified_at,
            last_checked_at, asked_at, checks, rotation_announced,
        },
    ) =
        "UPDATE mail_domains SET (status, owned, receiving, active_selector, active_since, next_selector, next_started_at,
        previous_selector, previous_retire_at, checked, hosting, hosting_at, verified_at, last_checked_at, check_requested_at,
        checks, rotation_announced)
        = (:status, :owned, :receiving, :active_selector, :active_since, :next_selector, :next_started_at,
        :previous_selector, :previous_retire_at, :checked, :hosting, :hosting_at, :verified_at, :last_checked_at, :asked_at,
        :checks, :rotation_announced) WHERE workspace_id = :workspace AND id = :id";
    fn delete_row(workspace: WorkspaceId, id: DomainId) =
        "DELETE FROM mail_domains WHERE workspace_id = :workspace AND id = :id";
    fn delete_keys(workspace: WorkspaceId, domain: DomainId) =
        "DELETE FROM domain_keys WHERE workspace_id = :workspace AND domain_id = :domain";
    fn delete_key(
        workspace: WorkspaceId,
        domain: DomainId,
        selector: DkimSelector { rsa: selector.text(), ed25519: selector.ed25519_text() },
    ) =
        "DELETE FROM domain_keys WHERE workspace_id = :workspace AND domain_id = :domain AND selector IN (:rsa, :ed25519)";
    fn write_key(
        workspace: WorkspaceId, domain: DomainId, selector: &str, private_key: &[u8], record: &str, now: Time,
    ) = "INSERT INTO domain_keys (workspace_id, domain_id, selector, private_key, record, created_at)
        VALUES ({PARAMETERS}) ON CONFLICT (workspace_id, domain_id, selector) DO NOTHING";
    fn key_records(domain: &MailDomain { workspace, id }) -> Vec<KeyRecordRow> =
        "SELECT selector, record FROM domain_keys WHERE workspace_id = :workspace AND domain_id = :id ORDER BY selector";
    fn signing_rows(workspace: WorkspaceId, name: &str) -> Vec<SigningRow> =
        "SELECT d.id, d.active_selector, d.checked, k.private_key FROM mail_domains d JOIN domain_keys k
        ON k.workspace_id = d.workspace_id AND k.domain_id = d.id AND k.selector IN (d.active_selector, d.active_selector || 'e')
        WHERE d.workspace_id = :workspace AND d.name = :name ORDER BY k.selector LIMIT 2";
    /// Returns up to `limit` inboxes of a domain that aren't deleted.
    pub fn inboxes(workspace: WorkspaceId, name: &str, limit: u32) -> Vec<InboxId> =
        "SELECT id FROM inboxes WHERE workspace_id = :workspace AND domain = :name AND deleted_at IS NULL LIMIT :limit";
}

/// A DKIM key with its sealed private key.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedDkimKey {
    pub selector: DkimSelector,
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the DNS record to publish.
    pub record: String,
    /// The additional Ed25519 key.
    pub ed25519: Option<SealedEd25519Key>,
}

/// The Ed25519 key that accompanies an RSA key, with its sealed private key.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedEd25519Key {
    /// The sealed private key.
    pub private_key: Vec<u8>,
    /// The text of the DNS record to publish.
    pub record: String,
}

/// The sealed keys that sign for a domain.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSigningKeys {
    pub id: DomainId,
    /// The selector of the RSA key.
    pub selector: DkimSelector,
    /// The sealed RSA key.
    pub rsa: Vec<u8>,
    /// The sealed Ed25519 key, if the last check found its DNS record.
    pub ed25519: Option<Vec<u8>>,
}

/// Stores a new domain with its first key; returns `false` if the workspace already has the domain.
pub fn insert(tx: &mut Tx, domain: &MailDomain, key: &SealedDkimKey) -> Result<bool> {
    let is_new = insert_row(tx, domain)?;
    if is_new {
        insert_key(tx, domain.workspace, domain.id, key, domain.created_at)?;
    }
    Ok(is_new)
}

/// Stores a key of a domain, replacing an old one with the same selector.
pub fn insert_key(tx: &mut Tx, workspace: WorkspaceId, domain: DomainId, key: &SealedDkimKey, now: Time) -> Result<()> {
    delete_key(tx, workspace, domain, key.selector)?;
    write_key(tx, workspace, domain, key.selector.text(), &key.private_key, &key.record, now)?;
    key.ed25519.as_ref().map_or(Ok(()), |second| insert_second_key(tx, workspace, domain, key.selector, second, now))
}

/// Stores an Ed25519 key for a selector unless there is one.
pub fn insert_second_key(
    tx: &mut Tx,
    workspace: WorkspaceId,
    domain: DomainId,
    selector: DkimSelector,
    key: &SealedEd25519Key,
    now: Time,
) -> Result<()> {
    write_key(tx, workspace, domain, selector.ed25519_text(), &key.private_key, &key.record, now)
}

/// Returns the domain with that ID.
pub fn get(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<Option<MailDomain>> {
    let found = row(tx, workspace, id)?;
    with_keys(tx, found)
}

/// Returns the domain with that ID and locks its row until the end of the transaction.
pub fn lock(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<Option<MailDomain>> {
    let found = lock_row(tx, workspace, id)?;
    with_keys(tx, found)
}

/// Returns a page of a workspace's domains, newest first.
pub fn page(tx: &mut Tx, workspace: WorkspaceId, page: &PageRange) -> Result<Vec<MailDomain>> {
    let found = rows(tx, workspace, page)?;
    found.into_iter().map(|domain| with_keys(tx, Some(domain))).filter_map(Result::transpose).collect()
}

/// Writes all mutable fields of a domain. Deletes keys that are no longer used.
pub fn update(tx: &mut Tx, domain: &MailDomain) -> Result<()> {
    update_row(tx, domain)?;
    if domain.next.is_none() && domain.previous.is_none() {
        delete_key(tx, domain.workspace, domain.id, domain.active.selector.other())?;
    }
    Ok(())
}

/// Deletes a domain with its keys.
pub fn delete(tx: &mut Tx, workspace: WorkspaceId, id: DomainId) -> Result<()> {
    delete_keys(tx, workspace, id)?;
    delete_row(tx, workspace, id)
}

/// Returns the keys that sign for a domain of a workspace.
pub fn signing(tx: &mut Tx, workspace: WorkspaceId, name: &str) -> Result<Option<SealedSigningKeys>> {
    let mut found = signing_rows(tx, workspace, name)?;
    // Sorted by selector: the Ed25519 key has the longer one.
    let second = if found.len() > 1 { found.pop() } else { None };
    let Some(first) = found.pop() else { return Ok(None) };
    let is_published =
        |check: &StoredCheck| check.key == DnsRecordKey::DkimEd25519.stored() && check.found == RecordStatus::Ok.text();
    let ed25519 = second.map(|row| row.private_key).filter(|_| first.checked.0.iter().any(is_published));
    let selector = named(&first.active_selector, DkimSelector::parse)?;
    Ok(Some(SealedSigningKeys { id: first.id, selector, rsa: first.private_key, ed25519 }))
}

/// Fills in the DNS record texts of the keys.
fn with_keys(tx: &mut Tx, found: Option<MailDomain>) -> Result<Option<MailDomain>> {
    let Some(mut domain) = found else { return Ok(None) };
    let keys = key_records(tx, &domain)?;
    let record = |name: &str| keys.iter().find(|key| key.selector == name).map(|key| key.record.clone());
    let previous = domain.previous.as_mut().map(|previous| &mut previous.key);
    for key in [Some(&mut domain.active), domain.next.as_mut(), previous].into_iter().flatten() {
        key.record = record(key.selector.text()).unwrap_or_default();
        key.ed25519 = record(key.selector.ed25519_text());
    }
    Ok(Some(domain))
}

crate::row_struct!(KeyRecordRow { selector: String, record: String });
crate::row_struct!(SigningRow { id: DomainId, active_selector: String, checked: Json<Vec<StoredCheck>>, private_key: Vec<u8> });
