//! Creates, lists and deletes the entries of allow and block lists, at a caller's request.

use posthouse_domain::{
    Caller, ErrorCode, InboxId, ListDirection, ListEntry, ListEntryId, ListKind, ListPattern, Refusal,
    list::ENTRIES_MAX,
};
use posthouse_store::{Tx, lists};

pub use posthouse_store::lists::ListEntryFilter;

use crate::{
    access::{
        authorize::{WiderScope, holder, too_narrow},
        visible,
    },
    service::Service,
};

/// A list entry to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewListEntry {
    /// The inbox that the entry applies to; `None` for every inbox of the workspace.
    pub inbox: Option<InboxId>,
    /// The direction of mail that the entry applies to.
    pub direction: ListDirection,
    /// Allow or block.
    pub kind: ListKind,
    /// The addresses that match.
    pub pattern: ListPattern,
    /// Whether it matches only authenticated authors.
    pub require_auth: bool,
}

/// Creates an entry.
///
/// # Errors
/// Returns `forbidden` if a key of one inbox names no inbox, `not_found` if the inbox is missing, `list_entry_exists`
/// for a duplicate, or `invalid_request` if there are too many entries.
pub async fn add(service: &Service, caller: Caller, new: NewListEntry) -> Result<ListEntry, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        check(tx, &caller, new.inbox)?;
        let entry = ListEntry {
            workspace: caller.workspace,
            id: ids.clone().next(),
            inbox: new.inbox,
            direction: new.direction,
            kind: new.kind,
            pattern: new.pattern.clone(),
            require_auth: new.require_auth,
            created_at: now,
        };
        if !lists::insert(tx, &entry)? {
            let (direction, kind, text) = (entry.direction.text(), entry.kind.text(), &entry.pattern.text);
            let message =
                format!("An entry with direction `{direction}`, kind `{kind}` and pattern `{text}` already exists.");
            return Err(Refusal::new(ErrorCode::ListEntryExists, message));
        }
        if lists::count(tx, caller.workspace, new.inbox)? > ENTRIES_MAX as u64 {
            let problem = format!("would exceed the limit of {ENTRIES_MAX} list entries; list a domain instead");
            return Err(Refusal::invalid_field("pattern", problem));
        }
        Ok(entry)
    };
    service.write(work).await
}

/// Returns the entries that a caller may see, oldest first.
///
/// # Errors
/// Returns `forbidden` if a key of one inbox names no inbox or `not_found` if the inbox is missing.
pub async fn all(service: &Service, caller: Caller, filter: ListEntryFilter) -> Result<Vec<ListEntry>, Refusal> {
    let work = move |tx: &mut Tx| {
        check(tx, &caller, filter.inbox)?;
        Ok::<_, Refusal>(lists::all(tx, caller.workspace, filter)?)
    };
    service.read(caller.workspace, work).await
}

/// Deletes an entry.
///
/// # Errors
/// Returns `not_found` if the entry is missing or invisible.
pub async fn delete(service: &Service, caller: Caller, id: ListEntryId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let missing = || Refusal::not_found("list entry");
        let entry = lists::get(tx, caller.workspace, id)?.ok_or_else(missing)?;
        let scope = caller.scope();
        let is_seen = !scope.is_limited() || entry.inbox.is_some_and(|inbox| scope.allows_inbox(inbox));
        if !is_seen {
            return Err(missing());
        }
        lists::delete(tx, caller.workspace, id)?;
        Ok::<_, Refusal>(())
    };
    service.write(work).await
}

/// Checks that a key of one inbox names an inbox, and that the caller may see the named inbox.
fn check(tx: &mut Tx, caller: &Caller, inbox: Option<InboxId>) -> Result<(), Refusal> {
    match inbox {
        Some(inbox) => visible::inbox(tx, caller, inbox).map(drop),
        None if caller.scope().is_limited() => {
            let message =
                format!("This {} can't use the lists of the whole workspace: its scope is narrower.", holder(caller));
            Err(too_narrow(caller, WiderScope::WorkspaceOrInbox, Refusal::new(ErrorCode::Forbidden, message)))
        }
        None => Ok(()),
    }
}
