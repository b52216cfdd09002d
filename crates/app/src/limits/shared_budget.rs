//! A budget that all holders share, with a share for each key: bytes in memory, connections, streams.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{collections::HashMap, hash::Hash};

use posthouse_domain::Limit;

/// A budget of the process. Clones share it.
#[derive(Debug)]
pub struct SharedBudget<K> {
    max: Limit,
    uses: Arc<Mutex<BudgetUses<K>>>,
}

#[derive(Debug)]
struct BudgetUses<K> {
    total: u64,
    peak: u64,
    /// What each key holds. A key that holds nothing has no entry.
    by_key: HashMap<K, u64>,
}

/// Why a budget has nothing left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BudgetExceeded {
    /// The key holds its whole share, which is this many.
    Share(u64),
    /// All keys together hold the whole budget, which is this many.
    Total(u64),
}

impl BudgetExceeded {
    /// Returns the value of the limit.
    #[must_use]
    pub const fn max(self) -> u64 {
        match self {
            BudgetExceeded::Share(max) | BudgetExceeded::Total(max) => max,
        }
    }
}

/// What one holder has of a budget. Dropping it returns all of it.
#[derive(Debug)]
pub struct BudgetShare<K: Copy + Eq + Hash> {
    budget: SharedBudget<K>,
    key: K,
    key_max: Limit,
    held: u64,
}

impl<K> Clone for SharedBudget<K> {
    fn clone(&self) -> Self {
        Self { max: self.max, uses: Arc::clone(&self.uses) }
    }
}

impl<K: Copy + Eq + Hash> SharedBudget<K> {
    /// Creates a budget for all keys together.
    #[must_use]
    pub fn new(max: Limit) -> Self {
        let uses = BudgetUses { total: 0, peak: 0, by_key: HashMap::new() };
        Self { max, uses: Arc::new(Mutex::new(uses)) }
    }

    /// Returns an empty share for a key. All shares of the key together hold at most `key_max`.
    #[must_use]
    pub fn share(&self, key: K, key_max: Limit) -> BudgetShare<K> {
        BudgetShare { budget: self.clone(), key, key_max, held: 0 }
    }

    /// Returns a share of one.
    ///
    /// # Errors
    /// Returns which limit is reached.
    pub fn take_one(&self, key: K, key_max: Limit) -> Result<BudgetShare<K>, BudgetExceeded> {
        let mut share = self.share(key, key_max);
        share.grow(1).map(|()| share)
    }

    /// Checks that neither the share of a key nor the whole budget is used up.
    ///
    /// # Errors
    /// Returns which limit is reached.
    pub fn check(&self, key: K, key_max: Limit) -> Result<(), BudgetExceeded> {
        let uses = self.uses();
        let by_key = uses.by_key.get(&key).copied().unwrap_or(0);
        if let Some(max) = key_max.filter(|max| by_key >= *max) {
            return Err(BudgetExceeded::Share(max));
        }
        match self.max.filter(|max| uses.total >= *max) {
            Some(max) => Err(BudgetExceeded::Total(max)),
            None => Ok(()),
        }
    }

    /// Returns what all keys hold.
    pub fn used(&self) -> u64 {
        self.uses().total
    }

    /// Returns the most that all keys ever held.
    pub fn peak(&self) -> u64 {
        self.uses().peak
    }

    fn uses(&self) -> MutexGuard<'_, BudgetUses<K>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> BudgetShare<K> {
    /// Adds to the share.
    ///
    /// # Errors
    /// Returns which limit is reached; the share is then unchanged.
    pub fn grow(&mut self, amount: u64) -> Result<(), BudgetExceeded> {
        self.grow_within(amount, self.key_max)
    }

    /// Adds to the share like [`BudgetShare::grow`], but over the limit of the key if the key holds nothing yet.
    ///
    /// # Errors
    /// Returns which limit is reached; the share is then unchanged.
    pub fn grow_or_first(&mut self, amount: u64) -> Result<(), BudgetExceeded> {
        self.grow_within(amount, self.key_max.map(|max| max.max(amount)))
    }

    fn grow_within(&mut self, amount: u64, key_max: Limit) -> Result<(), BudgetExceeded> {
        let mut uses = self.budget.uses();
        let by_key = uses.by_key.get(&self.key).copied().unwrap_or(0).saturating_add(amount);
        let total = uses.total.saturating_add(amount);
        if key_max.is_some_and(|max| by_key > max) {
            return Err(BudgetExceeded::Share(self.key_max.unwrap_or(u64::MAX)));
        }
        if let Some(max) = self.budget.max.filter(|max| total > *max) {
            return Err(BudgetExceeded::Total(max));
        }
        if amount > 0 {
            uses.by_key.insert(self.key, by_key);
        }
        uses.total = total;
        uses.peak = uses.peak.max(total);
        drop(uses);
        self.held += amount;
        Ok(())
    }

    /// Changes the share to what it turned out to need, over the limits if need be.
    pub fn set(&mut self, amount: u64) {
        let added = amount.saturating_sub(self.held);
        self.shrink(self.held.saturating_sub(amount));
        if added > 0 {
            let mut uses = self.budget.uses();
            *uses.by_key.entry(self.key).or_default() += added;
            uses.total += added;
            uses.peak = uses.peak.max(uses.total);
            drop(uses);
            self.held += added;
        }
    }

    /// Returns part of the share, at most all of it.
    pub fn shrink(&mut self, amount: u64) {
        let amount = amount.min(self.held);
        self.held -= amount;
        let mut uses = self.budget.uses();
        uses.total -= amount;
        if let Some(by_key) = uses.by_key.get_mut(&self.key) {
            *by_key -= amount;
            if *by_key == 0 {
                uses.by_key.remove(&self.key);
            }
        }
    }

    /// Returns what the share holds.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> K {
        self.key
    }
}

impl<K: Copy + Eq + Hash> Drop for BudgetShare<K> {
    fn drop(&mut self) {
        self.shrink(self.held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<K: Copy + Eq + Hash> SharedBudget<K> {
        fn used_by(&self, key: K) -> u64 {
            self.uses().by_key.get(&key).copied().unwrap_or(0)
        }
    }

    #[test]
    fn a_key_holds_at_most_its_share_and_all_keys_at_most_the_budget() {
        let budget: SharedBudget<u8> = SharedBudget::new(Some(10));
        let (mut first, mut second) = (budget.share(1, Some(6)), budget.share(1, Some(6)));
        assert_eq!(first.grow(4), Ok(()));
        assert_eq!(second.grow(3), Err(BudgetExceeded::Share(6)));
        assert_eq!(second.grow(2), Ok(()));
        let mut other = budget.share(2, Some(6));
        assert_eq!(other.grow(5), Err(BudgetExceeded::Total(10)));
        assert_eq!(other.grow(4), Ok(()));
        assert_eq!((budget.used(), budget.peak(), budget.used_by(1), budget.used_by(2)), (10, 10, 6, 4));
    }

    #[test]
    fn what_a_share_held_is_returned_once() {
        let budget: SharedBudget<u8> = SharedBudget::new(None);
        let mut share = budget.take_one(1, None).expect("unlimited");
        share.grow(4).expect("unlimited");
        share.shrink(2);
        assert_eq!((budget.used(), budget.used_by(1)), (3, 3));
        share.shrink(100);
        assert_eq!(budget.used(), 0);
        share.grow(7).expect("unlimited");
        drop(share);
        assert_eq!((budget.used(), budget.used_by(1), budget.peak()), (0, 0, 7));
    }
}
