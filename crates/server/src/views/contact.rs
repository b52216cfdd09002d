//! The contact object (API document, Contact; contract §8).

use posthouse_domain::{
    auth::Scope,
    contact::{Contact, ContactKind, Source},
    thread::Thread,
};
use posthouse_store::contact_list::DomainCount;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Moment, json_text, name_of, thread::ThreadView};

/// Somebody mail was exchanged with.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactView<'a> {
    id: Uuid,
    /// Lower-case bare address.
    address: &'a str,
    /// The part of the address behind the @.
    domain: &'a str,
    name: Option<&'a str>,
    /// auto: from mail; manual: set by a caller, and never changed by mail again.
    #[schemars(schema_with = "name_of::<Source>")]
    name_source: &'static str,
    /// person, automated, sales or unknown.
    #[schemars(schema_with = "name_of::<ContactKind>")]
    kind: &'static str,
    /// auto or manual, as for the name.
    #[schemars(schema_with = "name_of::<Source>")]
    kind_source: &'static str,
    notes: Option<&'a str>,
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    metadata: &'a RawValue,
    labels: &'a [String],
    /// Messages from it, or to it.
    message_count: u64,
    /// The newest subject, without Re: and Fwd:; null for a key that cannot see the inbox it belongs to.
    last_subject: Option<&'a str>,
    first_seen_at: Moment,
    last_seen_at: Moment,
    created_at: Moment,
}

/// A contact with its threads.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContactWithThreads")]
pub struct FullContactView<'a> {
    #[serde(flatten)]
    contact: ContactView<'a>,
    /// Up to 10 threads that the key can see, newest activity first.
    recent_threads: Vec<ThreadView<'a>>,
}

/// How many contacts a domain has.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ContactDomain")]
pub struct DomainView<'a> {
    domain: &'a str,
    contacts: i64,
    last_seen_at: Moment,
}

impl<'a> ContactView<'a> {
    /// Shows the contact to a key of that scope.
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
            last_subject: contact.last_subject.as_ref().and_then(|subject| subject.seen_by(scope)),
            first_seen_at: contact.first_seen_at.into(),
            last_seen_at: contact.last_seen_at.into(),
            created_at: contact.created_at.into(),
        }
    }
}

impl<'a> FullContactView<'a> {
    /// Shows the contact with threads to a key of that scope.
    #[must_use]
    pub fn of(contact: &'a Contact, threads: &'a [Thread], scope: Scope) -> Self {
        Self { contact: ContactView::of(contact, scope), recent_threads: threads.iter().map(ThreadView::of).collect() }
    }
}

impl<'a> DomainView<'a> {
    /// Shows the domain.
    #[must_use]
    pub fn of(count: &'a DomainCount) -> Self {
        Self { domain: &count.domain, contacts: count.contacts, last_seen_at: count.last_seen_at.into() }
    }
}
