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

view! {
    /// An address that mail was exchanged with.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Contact")]
    pub struct ContactView<'a> of contact: &'a Contact, scope: Scope {
        id: Uuid = contact.id.into(),
        /// Address in lower case, without a display name.
        address: &'a str = &contact.address,
        /// Domain of the address.
        domain: &'a str = &contact.domain,
        /// Display name.
        name: Option<&'a str> = contact.name.as_deref(),
        /// Source of `name`: `auto` if taken from mail; `manual` if set by a caller, and then not changed by mail.
        #[schemars(schema_with = "name_of::<ContactFieldSource>")]
        name_source: &'static str = contact.name_source.text(),
        /// `person`, `automated`, `sales` or `unknown`.
        #[schemars(schema_with = "name_of::<ContactKind>")]
        kind: &'static str = contact.kind.text(),
        /// Source of `kind`: `auto` or `manual`, as for `name_source`.
        #[schemars(schema_with = "name_of::<ContactFieldSource>")]
        kind_source: &'static str = contact.kind_source.text(),
        /// Caller's notes.
        notes: Option<&'a str> = contact.notes.as_deref(),
        /// Caller's own keys and values.
        #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
        metadata: &'a RawValue = json_text(&contact.metadata_json),
        /// Labels of the contact.
        labels: &'a [String] = &contact.labels,
        /// Number of messages from or to the contact.
        message_count: u64 = contact.message_count,
        /// Subject of the newest message, without `Re:` and `Fwd:`; null if the key's scope excludes its inbox.
        last_subject: Option<&'a str> = contact.last_subject.as_ref().and_then(|subject| subject.visible_to(scope)),
        /// Time of the first message.
        first_seen_at: TimestampView = contact.first_seen_at.into(),
        /// Time of the newest message.
        last_seen_at: TimestampView = contact.last_seen_at.into(),
        created_at: TimestampView = contact.created_at.into(),
    }
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
