//! `/v1/contacts`: the addresses that mail was exchanged with.

use posthouse_api::views::contact::{ContactDomainView, ContactView, FullContactView};
use posthouse_api::wire::{
    CommaList, Label, Metadata, MetadataFilters, PageLimit, Patch, Replacement, has_member, label_change, member,
    no_label_both_ways,
};
use posthouse_app::contacts::change::{self, ContactBulkFilter, ContactChange};
use posthouse_app::contacts::read::{self, ContactFilter};
use posthouse_call::prelude::*;
use posthouse_domain::contact::{BULK_DELETE_MAX, NAME_CHARS_MAX};
use posthouse_domain::list::{domain_text, searched_text};
use posthouse_domain::{ContactId, ContactKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Longest notes in characters.
const NOTES_CHARS_MAX: usize = 10_000;
/// Default number of domains in a list.
const DOMAINS_DEFAULT: u32 = 50;

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{ContactsRead, ContactsWrite};
    vec![
        Operation::new(Method::Get, "/v1/contacts", "listContacts", ContactsRead)
            .summary("Lists contacts, most recently seen first.")
            .responds::<PageView<ContactView<'_>>>(200)
            .errors(&[ErrorCode::InvalidCursor])
            .handle(list),
        Operation::new(Method::Get, "/v1/contacts/domains", "listContactDomains", ContactsRead)
            .summary("Lists the domains of contacts except free mail providers, most contacts first, without pages.")
            .responds::<DomainsView<'_>>(200)
            .handle(domains),
        Operation::new(Method::Post, "/v1/contacts/delete", "deleteContacts", ContactsWrite)
            .workspace_wide()
            .destructive()
            .summary("Deletes up to 1,000 contacts by kind, by domain or both. With dry_run, only counts them.")
            .responds::<DeletedContactsView>(200)
            .handle(delete_many),
        Operation::new(Method::Get, "/v1/contacts/by-address/{address}", "getContactByAddress", ContactsRead)
            .summary("Returns the contact with this percent-encoded address, with up to 10 threads.")
            .responds::<FullContactView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(by_address),
        Operation::new(Method::Get, "/v1/contacts/{id}", "getContact", ContactsRead)
            .summary("Returns one contact, with up to 10 threads.")
            .responds::<FullContactView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(get),
        Operation::new(Method::Patch, "/v1/contacts/{id}", "updateContact", ContactsWrite)
            .summary("Updates a contact. Mail never changes a name or kind that was set here.")
            .responds::<ContactView<'_>>(200)
            .errors(&[ErrorCode::NotFound])
            .handle(update),
        Operation::new(Method::Delete, "/v1/contacts/{id}", "deleteContact", ContactsWrite)
            .workspace_wide()
            .summary("Deletes a contact but not its messages. With forget, later mail does not recreate it.")
            .responds_with(204, None)
            .errors(&[ErrorCode::NotFound])
            .handle(delete),
    ]
}

query! {
    /// Filters and page of a list of contacts.
    struct ContactListQuery {
        /// Part of the address or name.
        q: Option<BoundedLine<1, 200>>,
        /// A label the contact must have.
        label: Option<Label>,
        /// Kinds, separated by commas: `person`, `automated`, `sales`, `unknown`. If omitted, all kinds.
        kind: CommaList<ContactKind, 4>,
        /// The part of the address after the @.
        domain: Option<BoundedLine<1, 253>>,
        /// Only contacts whose metadata has this value, compared as text. With several values, all must match.
        metadata: MetadataFilters,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of contacts per page. Default: 25.
        limit: Limit,
    }
}

query! {
    /// Filters of a list of domains.
    struct ContactDomainsQuery {
        /// Kinds, separated by commas: `person`, `automated`, `sales`, `unknown`. If omitted, all kinds.
        kind: CommaList<ContactKind, 4>,
        /// Maximum number of domains. Default: 50.
        limit: PageLimit<200, DOMAINS_DEFAULT>,
    }
}

query! {
    /// How to delete a contact.
    struct DeleteContactQuery {
        /// Whether to keep a keyed hash of the address, so that later mail does not recreate the contact.
        forget: bool,
    }
}

object! {
    /// Changes to a contact. Omitted members stay unchanged.
    struct UpdateContactBody {
        /// The name. Null clears it.
        name: Patch<BoundedLine<0, NAME_CHARS_MAX>>,
        /// Notes. Null clears them.
        notes: Patch<BoundedText<0, NOTES_CHARS_MAX>>,
        /// Merged into the existing metadata. A null value deletes its key.
        metadata: Replacement<Metadata>,
        /// Labels to add, after the existing ones.
        add_labels: Replacement<BoundedList<Label, 0, 50>>,
        /// Labels to remove.
        remove_labels: Replacement<BoundedList<Label, 0, 50>>,
        /// What kind of sender the contact is.
        kind: Replacement<ContactKind>,
    }
    check no_label_both_ways;
}

object! {
    /// Which contacts to delete: by kind, by domain or both.
    struct DeleteContactsBody {
        /// Kinds of contacts.
        kind: Option<BoundedList<ContactKind, 1, 4>>,
        /// The part of the address after the @.
        domain: Option<BoundedLine<1, 253>>,
        /// Whether to keep keyed hashes of the addresses, so that later mail does not recreate the contacts.
        forget: Option<bool>,
        /// Whether to count the contacts without deleting them.
        dry_run: Option<bool>,
    }
    check kind_or_domain, schema has_kind_or_domain;
}

/// Result of deleting several contacts.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeletedContacts")]
struct DeletedContactsView {
    /// Number of contacts that matched.
    matched: u64,
    /// Number of contacts that were deleted; at most 1,000.
    deleted: u64,
    /// Number of deleted contacts that later mail does not recreate.
    forgotten: u64,
    /// Whether more contacts match than one request deletes. If true, repeat the request.
    has_more: bool,
    dry_run: bool,
}

/// The domains of contacts, without pages.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContactDomains")]
struct DomainsView<'a> {
    /// The domains, most contacts first.
    data: Vec<ContactDomainView<'a>>,
}

/// Returns each kind once.
fn distinct(mut kinds: Vec<ContactKind>) -> Vec<ContactKind> {
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Returns a domain in the form in which contacts store it. Text that is not a domain matches nothing.
fn domain(given: &BoundedLine<1, 253>) -> String {
    let text = given.0.trim().trim_start_matches('@');
    domain_text(text).unwrap_or_else(|| text.to_lowercase())
}

impl ContactListQuery {
    fn filter(&self) -> ContactFilter {
        let mut metadata = self.metadata.0.clone();
        metadata.sort();
        ContactFilter {
            q: self.q.as_ref().map(|q| searched_text(&q.0)),
            label: self.label.as_ref().map(|label| label.0.clone()),
            kinds: distinct(self.kind.0.clone()),
            domain: self.domain.as_ref().map(domain),
            metadata,
        }
    }
}

async fn list(service: Arc<Service>, input: Input<ContactListQuery>) -> Result<Outcome, Refusal> {
    let (filter, page) = (input.query.filter(), paging(input.query.cursor, input.query.limit));
    let page = read::page(&service, input.caller, filter, page).await?;
    let scope = input.caller.scope();
    Outcome::page(&service, &page, |one| ContactView::of(one, scope))
}

async fn domains(service: Arc<Service>, input: Input<ContactDomainsQuery>) -> Result<Outcome, Refusal> {
    let limit = input.query.limit.0 as usize;
    let found = read::domains(&service, input.caller, distinct(input.query.kind.0), limit).await?;
    Outcome::json(200, &DomainsView { data: found.iter().map(ContactDomainView::of).collect() })
}

async fn get(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = read::get(&service, input.caller, input.path.id("id", "contact")?).await?;
    Outcome::json(200, &FullContactView::of(&found.contact, &found.threads, input.caller.scope()))
}

async fn by_address(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = read::by_address(&service, input.caller, input.path.text("address")).await?;
    Outcome::json(200, &FullContactView::of(&found.contact, &found.threads, input.caller.scope()))
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateContactBody>) -> Result<Outcome, Refusal> {
    let id: ContactId = input.path.id("id", "contact")?;
    let scope = input.caller.scope();
    let changed = change::change(&service, input.caller, id, input.body.parse()).await?;
    Outcome::json(200, &ContactView::of(&changed, scope))
}

async fn delete(service: Arc<Service>, input: Input<DeleteContactQuery>) -> Result<Outcome, Refusal> {
    let id: ContactId = input.path.id("id", "contact")?;
    change::delete(&service, input.caller, id, input.query.forget).await?;
    Ok(Outcome::empty())
}

async fn delete_many(service: Arc<Service>, input: Input<EmptyInput, DeleteContactsBody>) -> Result<Outcome, Refusal> {
    let forget = input.body.forget.unwrap_or_default();
    let dry_run = input.body.dry_run.unwrap_or_default();
    let done = change::delete_many(&service, input.caller, input.body.parse(), forget, dry_run).await?;
    let view = DeletedContactsView {
        matched: done.matched,
        deleted: done.deleted,
        forgotten: if forget { done.deleted } else { 0 },
        has_more: done.matched > u64::from(BULK_DELETE_MAX),
        dry_run,
    };
    Outcome::json(200, &view)
}

impl UpdateContactBody {
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
            metadata: self.metadata.0.map_or_else(Default::default, |metadata| metadata.0),
            labels: label_change(self.add_labels.0, self.remove_labels.0),
            kind: self.kind.0,
        }
    }
}

impl DeleteContactsBody {
    fn parse(self) -> ContactBulkFilter {
        ContactBulkFilter {
            kinds: distinct(self.kind.map_or(Vec::new(), |kinds| kinds.0)),
            domain: self.domain.as_ref().map(domain),
        }
    }
}

/// Requires a kind or a domain, so that an omission cannot delete every contact.
fn kind_or_domain(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    if ["kind", "domain"].iter().all(|name| given.get(*name).is_none_or(Value::is_null)) {
        let problem = "is required unless `domain` is set";
        problems.add::<()>(&member(path, "kind"), problem);
    }
}

/// [`kind_or_domain`] as a condition of JSON Schema.
fn has_kind_or_domain() -> Value {
    json!({ "anyOf": [has_member("kind", "array"), has_member("domain", "string")] })
}
