//! Reads inboxes and identities, at a caller's request.

use posthouse_api::views::inbox::InboxView;
use posthouse_domain::{
    Caller, CursorPosition, Inbox, InboxId, InboxKind, Page, PageParameters, PageRange, PageRequest, Plans, Refusal,
    Time, metadata,
};
use posthouse_store::{Tx, inboxes, inboxes::list, workspaces};

pub use posthouse_store::inboxes::list::InboxLifetime;

use super::view;
use crate::{access::visible, service::Service};

/// A list of inboxes or identities that a caller requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InboxListRequest {
    /// Permanent, temporary or both. Identities are permanent.
    pub lives: InboxLifetime,
    /// Metadata keys with their required values.
    pub metadata: Vec<(String, String)>,
    pub page: PageParameters,
}

impl InboxListRequest {
    /// Returns the page, bound to the filters.
    fn list(&self, caller: &Caller, kind: InboxKind) -> Result<PageRequest, Refusal> {
        let (workspace, scope) = (caller.workspace, caller.scope());
        let mut metadata = self.metadata.clone();
        metadata.sort();
        self.page.of_list(match kind {
            InboxKind::Mailbox => format!("inboxes {workspace} {scope:?} {:?} {metadata:?}", self.lives),
            InboxKind::Identity => format!("identities {workspace} {scope:?} {metadata:?}"),
        })
    }

    /// Reads the part of the list that the caller can access: a key of one inbox sees only that inbox, a connector those that
    /// were chosen.
    fn read(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        kind: InboxKind,
        list: &PageRequest,
        now: Time,
    ) -> Result<Page<Inbox>, Refusal> {
        let found = match caller.scope().inboxes() {
            Some(own) => page_of_few(self.own(tx, caller, own, kind, now)?, &list.page()),
            None => {
                let (lives, metadata, page) = (self.lives, self.metadata.clone(), list.page());
                let query = list::InboxListQuery { workspace: caller.workspace, kind, lives, page, metadata, now };
                list::page(tx, &query)?
            }
        };
        Ok(list.page_of(found, |inbox| CursorPosition::of(inbox.created_at, inbox.id.0)))
    }

    /// Returns those of the caller's own inboxes that match.
    fn own(
        &self,
        tx: &mut Tx,
        caller: &Caller,
        own: &[InboxId],
        kind: InboxKind,
        now: Time,
    ) -> Result<Vec<Inbox>, Refusal> {
        let is_wanted = |inbox: &Inbox| match (kind, self.lives) {
            (InboxKind::Identity, _) => inbox.kind == kind && inbox.deleted_at.is_none(),
            (InboxKind::Mailbox, InboxLifetime::Permanent) => inbox.receives(now) && !inbox.temporary,
            (InboxKind::Mailbox, InboxLifetime::Temporary) => inbox.receives(now) && inbox.temporary,
            (InboxKind::Mailbox, InboxLifetime::Any) => inbox.receives(now),
        };
        let matches = |inbox: &Inbox| metadata::matches(&metadata::read(&inbox.metadata_json), &self.metadata);
        let mut found = Vec::with_capacity(own.len());
        for id in own {
            found.extend(inboxes::get(tx, caller.workspace, *id)?);
        }
        found.retain(|inbox| is_wanted(inbox) && matches(inbox));
        Ok(found)
    }
}

/// Returns a page of few inboxes or identities, newest first.
fn page_of_few(mut few: Vec<Inbox>, page: &PageRange) -> Vec<Inbox> {
    let position = |inbox: &Inbox| (inbox.created_at.millis(), inbox.id.0);
    few.retain(|inbox| position(inbox) < (page.sort(), page.id()));
    few.sort_by_key(|inbox| std::cmp::Reverse(position(inbox)));
    few.truncate(page.limit as usize);
    few
}

/// Returns a page of the inboxes that the caller can access, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn page(service: &Service, caller: Caller, request: InboxListRequest) -> Result<Page<InboxView>, Refusal> {
    let (list, plans, now) = (request.list(&caller, InboxKind::Mailbox)?, service.config.plans, service.clock.now());
    let work = move |tx: &mut Tx| {
        let page = request.read(tx, &caller, InboxKind::Mailbox, &list, now)?;
        page.try_map(|found| Ok(views(tx, &caller, &found, &plans, now)?.into_iter().map(Some).collect()))
    };
    service.read(caller.workspace, work).await
}

/// Returns a page of the identities that the caller can access, newest first.
///
/// # Errors
/// Returns `invalid_cursor`.
pub async fn identities(service: &Service, caller: Caller, request: InboxListRequest) -> Result<Page<Inbox>, Refusal> {
    let (list, now) = (request.list(&caller, InboxKind::Identity)?, service.clock.now());
    let work = move |tx: &mut Tx| request.read(tx, &caller, InboxKind::Identity, &list, now);
    service.read(caller.workspace, work).await
}

/// Returns an inbox or identity.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub async fn get(service: &Service, caller: Caller, id: InboxId) -> Result<InboxView, Refusal> {
    let (plans, now) = (service.config.plans, service.clock.now());
    let work = move |tx: &mut Tx| {
        let inbox = visible::inbox_or_identity(tx, &caller, id)?;
        views(tx, &caller, &[inbox], &plans, now)?.pop().ok_or_else(|| Refusal::not_found("inbox"))
    };
    service.read(caller.workspace, work).await
}

/// Returns an identity.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub async fn identity(service: &Service, caller: Caller, id: InboxId) -> Result<Inbox, Refusal> {
    service.read(caller.workspace, move |tx| visible::identity(tx, &caller, id)).await
}

fn views(tx: &mut Tx, caller: &Caller, inboxes: &[Inbox], plans: &Plans, now: Time) -> Result<Vec<InboxView>, Refusal> {
    let tenant = workspaces::get(tx, caller.workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
    Ok(view::load_all(tx, inboxes, plans.of(tenant.plan), now)?)
}
