//! Indexes of knowledge documents in memory: those of the workspaces that searched last, within a budget.
//!
//! An index has the number of the last change that it contains. A search compares it with the number in the store and
//! reads what is missing, so that processes need not inform each other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use posthouse_domain::WorkspaceId;
use posthouse_domain::knowledge::KnowledgeIndex;

/// The bytes of all indexes together. Beyond it, those of the workspaces go that searched longest ago.
const BYTES_MAX: usize = 512 * 1024 * 1024;

/// The index of a workspace, shared by its searches.
pub type SharedIndex = Arc<RwLock<KnowledgeIndex>>;

/// The indexes in memory.
#[derive(Default, Debug)]
pub struct KnowledgeIndexes {
    held: Mutex<HeldIndexes>,
    /// Held while an index is read from the store: one at a time, so that a search finds the work of another one done.
    pub reading: tokio::sync::Mutex<()>,
}

#[derive(Default, Debug)]
struct HeldIndexes {
    all: HashMap<WorkspaceId, HeldIndex>,
    uses: u64,
}

#[derive(Debug)]
struct HeldIndex {
    index: SharedIndex,
    bytes: usize,
    used: u64,
}

impl KnowledgeIndexes {
    /// Returns the index of a workspace, empty at first.
    pub fn of(&self, workspace: WorkspaceId) -> SharedIndex {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.uses += 1;
        let used = held.uses;
        let entry = held.all.entry(workspace);
        let entry = entry.or_insert_with(|| HeldIndex { index: SharedIndex::default(), bytes: 0, used });
        entry.used = used;
        Arc::clone(&entry.index)
    }

    /// Notes the size of an index after a change, and forgets others if all together are too large.
    pub fn grown(&self, workspace: WorkspaceId, bytes: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = held.all.get_mut(&workspace) {
            entry.bytes = bytes;
        }
        while held.all.values().map(|entry| entry.bytes).sum::<usize>() > BYTES_MAX && held.all.len() > 1 {
            let others = held.all.iter().filter(|(id, _)| **id != workspace);
            let Some(oldest) = others.min_by_key(|(_, entry)| entry.used).map(|(id, _)| *id) else { return };
            held.all.remove(&oldest);
        }
    }

    /// Forgets the index of a workspace.
    pub fn forget(&self, workspace: WorkspaceId) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).all.remove(&workspace);
    }
}
