//! Counts running jobs, in total and per workspace.

use std::collections::HashMap;

use posthouse_domain::WorkspaceId;

/// A workspace may use this many times the capacity that it leaves free, which is 80% of the total.
const TIMES_FREE: usize = 4;

/// The free part of a limit.
#[derive(Clone, Copy)]
pub(super) struct FreeCapacity {
    pub(super) total: usize,
    pub(super) of_workspace: usize,
}

#[derive(Clone, Default)]
pub(super) struct JobCounts {
    all: usize,
    of: HashMap<WorkspaceId, usize>,
}

impl JobCounts {
    /// Returns the total.
    pub(super) const fn all(&self) -> usize {
        self.all
    }

    pub(super) fn add(&mut self, workspace: WorkspaceId, count: usize) {
        self.all += count;
        *self.of.entry(workspace).or_default() += count;
    }

    /// Subtracts up to `count` from a workspace; returns the number subtracted.
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

    /// Moves the counts in `counted` from `other` to these counts.
    pub(super) fn move_from(&mut self, other: &mut Self, counted: &Self) {
        for (workspace, count) in &counted.of {
            let taken = other.take(*workspace, *count);
            self.add(*workspace, taken);
        }
    }

    /// Returns the free part of `max` in total, and for the workspace.
    pub(super) fn free(&self, max: usize, workspace: WorkspaceId) -> FreeCapacity {
        Self::free_share(&[self], max, workspace)
    }

    /// Returns the free part of `max` that several tallies share, in total and for the workspace.
    pub(super) fn free_share(all_counts: &[&Self], max: usize, workspace: WorkspaceId) -> FreeCapacity {
        let all: usize = all_counts.iter().map(|counts| counts.all).sum();
        let of: usize = all_counts.iter().filter_map(|counts| counts.of.get(&workspace)).sum();
        let free = max.saturating_sub(all);
        // The workspace must leave a quarter of its use free. A workspace without jobs may use the last free unit.
        let fair = free.saturating_mul(TIMES_FREE).saturating_sub(of) / (TIMES_FREE + 1);
        FreeCapacity { total: free, of_workspace: if of == 0 { fair.max(1) } else { fair } }
    }
}
