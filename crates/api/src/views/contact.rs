//! The contact object, and contact counts by domain.

use posthouse_domain::{
    auth::Scope,
    contact::{Contact, ContactFieldSource, ContactKind, DomainCount},
    thread::Thread,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{TimestampView, json_text, name_of, thread::ThreadView};

/// An address that mail was exchanged with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactView<'a> {
    id: Uuid,
    /// Address in lower case, without a display name.
    address: &'a str,
    /// Domain of the address.
    domain: &'a str,
    /// Display name.
    name: Option<&'a str>,
    /// Source of `name`: `auto` if taken from mail; `manual` if set by a caller, and then not changed by mail.
    #[schemars(schema_with = "name_of::<ContactFieldSource>")]
    name_source: &'static str,
    /// `person`, `automated`, `sales` or `unknown`.
    #[schemars(schema_with = "name_of::<ContactKind>")]
    kind: &'static str,
    /// Source of `kind`: `auto` or `manual`, as for `name_source`.
    #[schemars(schema_with = "name_of::<ContactFieldSource>")]
    kind_source: &'static str,
    /// Caller's notes.
    notes: Option<&'a str>,
    /// Caller's own keys and values.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: &'a RawValue,
    /// Labels of the contact.
    labels: &'a [String],
    /// Number of messages from or to the contact.
    message_count: u64,
    /// Subject of the newest message, without `Re:` and `Fwd:`; null if the key's scope excludes its inbox.
    last_subject: Option<&'a str>,
    /// Time of the first message.
    first_seen_at: TimestampView,
    /// Time of the newest message.
    last_seen_at: TimestampView,
    created_at: TimestampView,
}

/// A contact with its recent threads.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContactWithThreads")]
pub struct FullContactView<'a> {
    #[serde(flatten)]
    contact: ContactView<'a>,
    /// Up to 10 threads within the key's scope, most recent activity first.
    recent_threads: Vec<ThreadView<'a>>,
}

/// The contacts of one domain, counted.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContactDomain")]
pub struct ContactDomainView<'a> {
    /// Domain of the addresses.
    domain: &'a str,
    /// Number of contacts.
    contacts: i64,
    /// Time of the newest message of these contacts.
    last_seen_at: TimestampView,
}

impl<'a> ContactView<'a> {
    /// Returns the view of a contact for a key with this scope.
    #[must_use]
    pub fn of(contact: &'a Contact, scope: Scope) -> Self {
        Self {
            id: contact.id.into(),
            address: &contact.address,
            domain: &contact.domain,
            name: contact.name.as_deref(),
            name_source: contact.name_source.text(),
            kind: contact.kind.text(),
            kind_source: contact.kind_source.text(),
            notes: contact.notes.as_deref(),
            metadata: json_text(&contact.metadata_json),
            labels: &contact.labels,
            message_count: contact.message_count,
            last_subject: contact.last_subject.as_ref().and_then(|subject| subject.visible_to(scope)),
            first_seen_at: contact.first_seen_at.into(),
            last_seen_at: contact.last_seen_at.into(),
            created_at: contact.created_at.into(),
        }
    }
}

impl<'a> FullContactView<'a> {
    /// Returns the view of a contact and its threads for a key with this scope.
    #[must_use]
    pub fn of(contact: &'a Contact, threads: &'a [Thread], scope: Scope) -> Self {
        Self { contact: ContactView::of(contact, scope), recent_threads: threads.iter().map(ThreadView::of).collect() }
    }
}

impl<'a> ContactDomainView<'a> {
    /// Returns the view of a count.
    #[must_use]
    pub fn of(count: &'a DomainCount) -> Self {
        Self { domain: &count.domain, contacts: count.contacts, last_seen_at: count.last_seen_at.into() }
    }
}
