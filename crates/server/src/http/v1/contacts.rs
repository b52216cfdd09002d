//! `/v1/contacts`: everybody mail was exchanged with (API document, Contacts; contract §8; decision 22).

use std::sync::Arc;

use axum::http::Method;
use posthouse_domain::{
    auth::{Caller, Permission},
    contact::{BULK_MAX, Contact, ContactKind, NAME_CHARS_MAX, THREADS_MAX},
    error::{Code, Refusal},
    id::ContactId,
    list::{domain_text, searched_text},
    page::Position,
    thread::Thread,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx,
    contact_list::{self, Bulk, DomainCount, Filter},
    contacts,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::messages::{label_change, no_label_both_ways};
use crate::{
    app::{
        App,
        change_contact::{self, ContactChange},
    },
    http::{
        route::{Answer, Input, Route},
        wire::{
            CommaList, Cursor, Empty, Int, Label, Limit, Line, List, Metadata, MetadataFilters, Patch, Problems, Text,
            member, object, paging, query,
        },
    },
    views::{
        PageView,
        contact::{ContactView, DomainView, FullContactView},
    },
};

/// Longest notes in characters (API document, Limits).
const NOTES_CHARS_MAX: usize = 10_000;
/// Domains that are listed when the caller does not say how many.
const DOMAINS_DEFAULT: i64 = 50;

pub(crate) fn routes() -> Vec<Route> {
    use Permission::{ContactsRead, ContactsWrite};
    vec![
        Route::new(Method::GET, "/v1/contacts", "listContacts", ContactsRead)
            .summary("Everybody mail was exchanged with, most recently seen first.")
            .answers::<PageView<ContactView<'_>>>(200)
            .errors(&[Code::InvalidCursor])
            .handle(list),
        Route::new(Method::GET, "/v1/contacts/domains", "listContactDomains", ContactsRead)
            .summary("The domains of the contacts, most contacts first, without those of free mail; no pages.")
            .answers::<DomainsView<'_>>(200)
            .handle(domains),
        Route::new(Method::POST, "/v1/contacts/delete", "deleteContacts", ContactsWrite)
            .workspace_wide()
            .summary("Deletes up to 1,000 contacts of a kind, a domain or both; with dry_run it only counts.")
            .answers::<DeletedView>(200)
            .handle(delete_many),
        Route::new(Method::GET, "/v1/contacts/by-address/{address}", "getContactByAddress", ContactsRead)
            .summary("The contact of an address, percent-encoded, with up to 10 threads.")
            .answers::<FullContactView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(by_address),
        Route::new(Method::GET, "/v1/contacts/{id}", "getContact", ContactsRead)
            .summary("One contact with up to 10 threads.")
            .answers::<FullContactView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(get),
        Route::new(Method::PATCH, "/v1/contacts/{id}", "updateContact", ContactsWrite)
            .summary("Changes a contact; a name or kind that is set here is never changed by mail again.")
            .answers::<ContactView<'_>>(200)
            .errors(&[Code::NotFound])
            .handle(update),
        Route::new(Method::DELETE, "/v1/contacts/{id}", "deleteContact", ContactsWrite)
            .workspace_wide()
            .summary("Deletes a contact; its messages stay. With forget, mail from the address does not make it again.")
            .answers_with(204, None)
            .errors(&[Code::NotFound])
            .handle(delete),
    ]
}

query! {
    /// What the list is narrowed to.
    struct ListQuery {
        /// A part of address or name.
        q: Option<Line<1, 200>>,
        /// A label that must be there.
        label: Option<Label>,
        /// Kinds joined by commas: person, automated, sales, unknown; every kind when left out.
        kind: CommaList<ContactKind, 4>,
        /// The part of the address behind the @.
        domain: Option<Line<1, 253>>,
        /// Only contacts whose metadata has that value, compared as text; several must all match.
        metadata: MetadataFilters,
        /// The next_cursor of the page before.
        cursor: Option<Cursor>,
        /// Most contacts of the page; 25 when left out.
        limit: Option<Limit>,
    }
}

query! {
    /// Which domains are wanted.
    struct DomainsQuery {
        /// Kinds joined by commas: person, automated, sales, unknown; every kind when left out.
        kind: CommaList<ContactKind, 4>,
        /// Most domains; 50 when left out.
        limit: Option<Int<1, 200>>,
    }
}

query! {
    /// How a contact is deleted.
    struct DeleteQuery {
        /// Keeps a keyed hash of the address, by which mail from it does not make the contact again.
        forget: bool,
    }
}

object! {
    /// A change of a contact. What is left out stays.
    struct Update {
        /// The name; null clears it.
        name: Patch<Line<0, NAME_CHARS_MAX>>,
        /// Notes; null clears them.
        notes: Patch<Text<0, NOTES_CHARS_MAX>>,
        /// Merged into the metadata that is there; a null value deletes its key.
        metadata: Option<Metadata>,
        /// Labels to add behind those that are there.
        add_labels: Option<List<Label, 0, 50>>,
        /// Labels to remove.
        remove_labels: Option<List<Label, 0, 50>>,
        /// Who it is.
        kind: Option<ContactKind>,
    }
    check no_label_both_ways;
}

object! {
    /// Which contacts are deleted together: by kind, by domain or by both.
    struct DeleteMany {
        /// Kinds.
        kind: Option<List<ContactKind, 1, 4>>,
        /// The part of the address behind the @.
        domain: Option<Line<1, 253>>,
        /// Keeps keyed hashes of the addresses, by which mail from them does not make the contacts again.
        forget: Option<bool>,
        /// Only counts.
        dry_run: Option<bool>,
    }
    check kind_or_domain;
}

/// What became of contacts that were deleted together.
#[derive(Serialize, JsonSchema)]
struct DeletedView {
    /// How many there were.
    matched: u64,
    /// How many were deleted; at most 1,000.
    deleted: u64,
    /// How many of them mail does not make again.
    forgotten: u64,
    /// There are more than one call deletes: call again.
    has_more: bool,
    dry_run: bool,
}

/// The domains; there are no pages.
#[derive(Serialize, JsonSchema)]
struct DomainsView<'a> {
    /// The domains, most contacts first.
    data: Vec<DomainView<'a>>,
}

/// The kinds, each once.
fn distinct(mut kinds: Vec<ContactKind>) -> Vec<ContactKind> {
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// A domain as contacts have it; what is none matches nobody.
fn domain(given: &Line<1, 253>) -> String {
    let text = given.0.trim().trim_start_matches('@');
    domain_text(text).unwrap_or_else(|| text.to_lowercase())
}

impl ListQuery {
    fn filter(&self) -> Filter {
        let mut metadata = self.metadata.0.clone();
        metadata.sort();
        Filter {
            q: self.q.as_ref().map(|q| searched_text(&q.0)),
            label: self.label.as_ref().map(|label| label.0.clone()),
            kinds: distinct(self.kind.0.clone()),
            domain: self.domain.as_ref().map(domain),
            metadata,
        }
    }
}

async fn list(app: Arc<App>, input: Input<ListQuery>) -> Result<Answer, Refusal> {
    let (caller, query) = (input.caller, input.query);
    let scope = caller.scope;
    let (found, next_cursor) = app.store.read(move |tx| read_page(tx, &caller, &query)).await?;
    Answer::json(200, &PageView { data: found.iter().map(|one| ContactView::of(one, scope)).collect(), next_cursor })
}

fn read_page(tx: &mut Tx, caller: &Caller, query: &ListQuery) -> Result<(Vec<Contact>, Option<String>), Refusal> {
    let filter = query.filter();
    let named = format!("contacts of {}: {filter:?}", caller.workspace);
    let paging = paging(named, query.cursor.as_ref(), query.limit)?;
    let mut found = contact_list::page(tx, caller.workspace, &filter, paging.after, paging.fetched())?;
    let next = paging.cut(&mut found, |c| Position { sort: c.last_seen_at.millis(), id: c.id.0 });
    Ok((found, next))
}

async fn domains(app: Arc<App>, input: Input<DomainsQuery>) -> Result<Answer, Refusal> {
    let (workspace, kinds) = (input.caller.workspace, distinct(input.query.kind.0));
    let limit = input.query.limit.map_or(DOMAINS_DEFAULT, |limit| limit.0) as usize;
    let found: Vec<DomainCount> = app.store.read(move |tx| contact_list::domains(tx, workspace, &kinds, limit)).await?;
    Answer::json(200, &DomainsView { data: found.iter().map(DomainView::of).collect() })
}

async fn get(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let id: ContactId = input.path.id("id", "contact")?;
    one(&app, input.caller, move |tx, caller| contacts::get(tx, caller.workspace, id)).await
}

async fn by_address(app: Arc<App>, input: Input) -> Result<Answer, Refusal> {
    let missing = |_| Refusal::not_found("contact");
    let address = Address::parse(input.path.text("address").trim()).map_err(missing)?.canonical();
    one(&app, input.caller, move |tx, caller| contacts::by_address(tx, caller.workspace, &address)).await
}

/// The contact with its threads; a key of one inbox sees those of that inbox.
async fn one(
    app: &App,
    caller: Caller,
    find: impl Fn(&mut Tx, &Caller) -> posthouse_store::Result<Option<Contact>> + Send + Sync + 'static,
) -> Result<Answer, Refusal> {
    let scope = caller.scope;
    let read = move |tx: &mut Tx| -> Result<(Contact, Vec<Thread>), Refusal> {
        let contact = find(tx, &caller)?.ok_or_else(|| Refusal::not_found("contact"))?;
        let threads = contacts::threads(tx, &contact, caller.scope.inbox(), THREADS_MAX)?;
        Ok((contact, threads))
    };
    let (contact, threads) = app.store.read(read).await?;
    Answer::json(200, &FullContactView::of(&contact, &threads, scope))
}

async fn update(app: Arc<App>, input: Input<Empty, Update>) -> Result<Answer, Refusal> {
    let id: ContactId = input.path.id("id", "contact")?;
    let scope = input.caller.scope;
    let changed = change_contact::change(&app, input.caller, id, input.body.parse()).await?;
    Answer::json(200, &ContactView::of(&changed, scope))
}

async fn delete(app: Arc<App>, input: Input<DeleteQuery>) -> Result<Answer, Refusal> {
    let id: ContactId = input.path.id("id", "contact")?;
    change_contact::delete(&app, input.caller, id, input.query.forget).await?;
    Ok(Answer::empty())
}

async fn delete_many(app: Arc<App>, input: Input<Empty, DeleteMany>) -> Result<Answer, Refusal> {
    let (bulk, forget, dry_run) = input.body.parse();
    let done = change_contact::delete_many(&app, input.caller, bulk, forget, dry_run).await?;
    let view = DeletedView {
        matched: done.matched,
        deleted: done.deleted,
        forgotten: if forget { done.deleted } else { 0 },
        has_more: done.matched > u64::from(BULK_MAX),
        dry_run,
    };
    Answer::json(200, &view)
}

impl Update {
    fn parse(self) -> ContactChange {
        let filled = |text: String| Some(text).filter(|text| !text.trim().is_empty());
        ContactChange {
            name: match self.name {
                Patch::Keep => None,
                Patch::Clear => Some(None),
                Patch::Set(name) => Some(filled(name.0)),
            },
            notes: match self.notes {
                Patch::Keep => None,
                Patch::Clear => Some(None),
                Patch::Set(notes) => Some(filled(notes.0)),
            },
            metadata: self.metadata.map_or_else(Default::default, |metadata| metadata.0),
            labels: label_change(self.add_labels, self.remove_labels),
            kind: self.kind,
        }
    }
}

impl DeleteMany {
    fn parse(self) -> (Bulk, bool, bool) {
        let bulk = Bulk {
            kinds: distinct(self.kind.map_or(Vec::new(), |kinds| kinds.0)),
            domain: self.domain.as_ref().map(domain),
        };
        (bulk, self.forget.unwrap_or_default(), self.dry_run.unwrap_or_default())
    }
}

/// Nobody deletes every contact by leaving something out.
fn kind_or_domain(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    if ["kind", "domain"].iter().all(|name| given.get(*name).is_none_or(Value::is_null)) {
        let problem = "is required when there is no domain: name one of them or both";
        problems.add::<()>(&member(path, "kind"), problem);
    }
}
