//! Jobs that run, in all and of each workspace.

use std::collections::HashMap;

use posthouse_domain::id::WorkspaceId;

/// Who fills something gets so many times as much as he leaves free: four fifths of it.
const TIMES_FREE: usize = 4;

#[derive(Clone, Default)]
pub(super) struct Tally {
    all: usize,
    of: HashMap<WorkspaceId, usize>,
}

impl Tally {
    /// How many there are.
    pub(super) const fn all(&self) -> usize {
        self.all
    }

    pub(super) fn add(&mut self, workspace: WorkspaceId, count: usize) {
        self.all += count;
        *self.of.entry(workspace).or_default() += count;
    }

    /// Takes that many off, or as many as there are; how many that were.
    pub(super) fn take(&mut self, workspace: WorkspaceId, count: usize) -> usize {
        let Some(of) = self.of.get_mut(&workspace) else { return 0 };
        let taken = count.min(*of);
        *of -= taken;
        self.all -= taken;
        if *of == 0 {
            self.of.remove(&workspace);
        }
        taken
    }

    /// Counts all of the other one here, and no more there.
    pub(super) fn move_from(&mut self, other: &mut Self, counted: &Self) {
        for (workspace, count) in &counted.of {
            let taken = other.take(*workspace, *count);
            self.add(*workspace, taken);
        }
    }

    /// What is free in all of `most`, and for the workspace.
    pub(super) fn free(&self, most: usize, workspace: WorkspaceId) -> (usize, usize) {
        Self::free_beside(&[self], most, workspace)
    }

    /// The same, of what several share.
    pub(super) fn free_beside(tallies: &[&Self], most: usize, workspace: WorkspaceId) -> (usize, usize) {
        let all: usize = tallies.iter().map(|tally| tally.all).sum();
        let of: usize = tallies.iter().filter_map(|tally| tally.of.get(&workspace)).sum();
        let free = most.saturating_sub(all);
        // As many as leave a quarter of what it then has to others; who has none yet may have the last place.
        let fair = free.saturating_mul(TIMES_FREE).saturating_sub(of) / (TIMES_FREE + 1);
        (free, if of == 0 { fair.max(1) } else { fair })
    }
}
