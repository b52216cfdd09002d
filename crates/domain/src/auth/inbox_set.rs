//! A small set of inboxes that is copied with the caller.

use uuid::Uuid;

use crate::id::InboxId;

/// The most inboxes of a set.
pub const SET_INBOXES_MAX: usize = 10;

/// Up to [`SET_INBOXES_MAX`] inboxes, in ascending order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InboxSet {
    ids: [InboxId; SET_INBOXES_MAX],
    count: u8,
}

impl InboxSet {
    /// Creates a set; `None` if there are more inboxes than it can have.
    #[must_use]
    pub fn of(inboxes: &[InboxId]) -> Option<Self> {
        let mut distinct = inboxes.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut ids = [InboxId(Uuid::nil()); SET_INBOXES_MAX];
        ids.get_mut(..distinct.len())?.copy_from_slice(&distinct);
        Some(Self { ids, count: u8::try_from(distinct.len()).ok()? })
    }

    /// Returns the inboxes.
    #[must_use]
    pub fn ids(&self) -> &[InboxId] {
        &self.ids[..usize::from(self.count)]
    }
}

impl std::fmt::Debug for InboxSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.ids()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_each_inbox_once_and_at_most_ten() {
        let id = |number| InboxId(Uuid::from_u128(number));
        for count in 0..=12_u128 {
            let listed: Vec<InboxId> = (1..=count).rev().chain(1..=count).map(id).collect();
            let expected: Vec<InboxId> = (1..=count).map(id).collect();
            match InboxSet::of(&listed) {
                Some(set) => assert_eq!((set.ids(), count <= 10), (&expected[..], true)),
                None => assert!(count > 10, "{count}"),
            }
        }
    }
}
