//! Sample knowledge documents for the examples of the event catalog.

use posthouse_domain::{event::EventKind, knowledge::KnowledgeDocument, time::Time};

use super::{NOW_MS, id};

/// Returns the example document for an event type.
pub(super) fn document(kind: EventKind) -> KnowledgeDocument {
    let now = Time::from_millis(NOW_MS);
    let version = if kind == EventKind::KnowledgeCreated { 1 } else { 2 };
    KnowledgeDocument {
        workspace: id(1),
        id: id(7),
        inbox: None,
        source_id: Some("help/returns.md".to_owned()),
        title: "Returns".to_owned(),
        excerpt: "You can return an order within 30 days.".to_owned(),
        chars: 1_840,
        version,
        revision: version,
        created_at: now,
        updated_at: now,
    }
}
