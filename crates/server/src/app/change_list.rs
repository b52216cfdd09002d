//! Entries of the allow and block lists, made and deleted by callers (contract §13.1).

use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::{InboxId, ListEntryId},
    list::{ENTRIES_MAX, ListDirection, ListEntry, ListKind, Pattern},
};
use posthouse_store::{Tx, lists};

use super::{App, visible};

/// An entry to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewEntry {
    /// The inbox it is for; none: every inbox of the workspace.
    pub inbox: Option<InboxId>,
    /// What it decides about.
    pub direction: ListDirection,
    /// What it does.
    pub kind: ListKind,
    /// What it matches.
    pub pattern: Pattern,
    /// Whether it matches only authenticated authors.
    pub require_auth: bool,
}

/// Makes an entry.
///
/// # Errors
/// `forbidden` for a key of one inbox that names none, `not_found` for the inbox, `list_entry_exists`, `invalid_request`
/// when there are too many; the store's own.
pub async fn add(app: &App, caller: Caller, new: NewEntry) -> Result<ListEntry, Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
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
            let message = format!("There is an entry already to {kind} {text} for the direction {direction}.");
            return Err(Refusal::new(Code::ListEntryExists, message));
        }
        if lists::count(tx, caller.workspace, new.inbox)? > ENTRIES_MAX as u64 {
            let problem = format!("would be one entry more than the {ENTRIES_MAX} there may be; list a domain instead");
            return Err(Refusal::invalid_field("pattern", problem));
        }
        Ok(entry)
    };
    app.store.write(work).await
}

/// The entries that a caller may see, oldest first.
///
/// # Errors
/// `forbidden` for a key of one inbox that names none, `not_found` for the inbox; the store's own.
pub async fn all(app: &App, caller: Caller, filter: lists::Filter) -> Result<Vec<ListEntry>, Refusal> {
    let work = move |tx: &mut Tx| {
        check(tx, &caller, filter.inbox)?;
        Ok::<_, Refusal>(lists::all(tx, caller.workspace, filter)?)
    };
    app.store.read(work).await
}

/// Deletes an entry.
///
/// # Errors
/// `not_found`, or the store's own.
pub async fn delete(app: &App, caller: Caller, id: ListEntryId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let missing = || Refusal::not_found("entry of the lists");
        let entry = lists::get(tx, caller.workspace, id)?.ok_or_else(missing)?;
        let is_seen = match (caller.scope.inbox(), entry.inbox) {
            (None, _) => true,
            (Some(own), Some(inbox)) => own == inbox,
            (Some(_), None) => false,
        };
        if !is_seen {
            return Err(missing());
        }
        lists::delete(tx, caller.workspace, id)?;
        Ok::<_, Refusal>(())
    };
    app.store.write(work).await
}

/// A key of one inbox has to name it; whoever names one has to see it (contract §28).
fn check(tx: &mut Tx, caller: &Caller, inbox: Option<InboxId>) -> Result<(), Refusal> {
    match inbox {
        Some(inbox) => visible::inbox(tx, caller, inbox).map(drop),
        None if caller.scope.inbox().is_some() => {
            let refusal =
                Refusal::new(Code::Forbidden, "The lists of the whole workspace need a key of the workspace.");
            Err(refusal.with_fix("Name the key's own inbox in inbox_id, or use a workspace-wide key."))
        }
        None => Ok(()),
    }
}
