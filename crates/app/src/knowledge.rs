//! Knowledge documents: change, read and search (`docs/reference/knowledge.md`).

pub mod files;
pub mod read;
pub mod search;
pub mod write;

use posthouse_domain::knowledge::{KnowledgeReach, PassageVector};
use posthouse_domain::{Caller, ErrorCode, InboxId, KnowledgeDocument, KnowledgeId, Refusal};
use posthouse_store::{Tx, knowledge};

use crate::{
    access::{
        authorize::{WiderScope, holder, too_narrow},
        visible,
    },
    local_model::LocalModel,
    service::Service,
};

/// Turns a text into its meaning, with the local model.
#[derive(Clone)]
pub(crate) struct Embedder(LocalModel);

impl Embedder {
    pub(crate) fn of(service: &Service) -> Self {
        Self(service.local_model.clone())
    }

    /// Returns the version of the model. Vectors of different versions can't be compared.
    pub(crate) fn version(&self) -> &str {
        self.0.get().version()
    }

    /// Returns the meaning of a text; `None` if it has no words.
    pub(crate) fn embed(&self, text: &str) -> Option<PassageVector> {
        PassageVector::of(&self.0.get().embed(text))
    }
}

/// Returns the documents that a caller may read: with an inbox, those for it and those for every inbox.
///
/// # Errors
/// Returns `not_found` if the inbox is missing or invisible.
pub(crate) fn reach(tx: &mut Tx, caller: &Caller, inbox: Option<InboxId>) -> Result<KnowledgeReach, Refusal> {
    match (inbox, caller.scope().inboxes()) {
        (Some(inbox), _) => {
            visible::inbox(tx, caller, inbox)?;
            Ok(KnowledgeReach::Inboxes(vec![inbox]))
        }
        (None, Some(own)) => Ok(KnowledgeReach::Inboxes(own.to_vec())),
        (None, None) => Ok(KnowledgeReach::All),
    }
}

/// Returns a document that the caller may read.
///
/// # Errors
/// Returns `not_found` if it is missing or invisible.
pub(crate) fn visible_document(tx: &mut Tx, caller: &Caller, id: KnowledgeId) -> Result<KnowledgeDocument, Refusal> {
    let found = knowledge::get(tx, caller.workspace, id)?;
    let is_visible =
        |document: &KnowledgeDocument| document.inbox.is_none_or(|inbox| caller.scope().allows_inbox(inbox));
    found.filter(is_visible).ok_or_else(|| Refusal::not_found("knowledge document"))
}

/// Checks that the caller may change documents for this inbox.
///
/// # Errors
/// Returns `forbidden` if a key of one inbox changes documents for every inbox, or `not_found` if the inbox is missing
/// or invisible.
fn check_scope(tx: &mut Tx, caller: &Caller, inbox: Option<InboxId>) -> Result<(), Refusal> {
    match inbox {
        Some(inbox) => visible::inbox(tx, caller, inbox).map(drop),
        None if caller.scope().is_limited() => {
            let message = format!(
                "This {} can't change knowledge of the whole workspace: its scope is narrower.",
                holder(caller)
            );
            Err(too_narrow(caller, WiderScope::WorkspaceOrInbox, Refusal::new(ErrorCode::Forbidden, message)))
        }
        None => Ok(()),
    }
}
