//! Names that are made of the words of roles only.

use crate::agent::lookalike::Reading;

/// The words of roles, as skeletons.
pub(super) struct RoleParts<'a> {
    /// Names of roles.
    pub(super) roles: Vec<&'a str>,
    /// Words beside a role.
    pub(super) beside: Vec<&'a str>,
    /// Words that name a role with another of them or a region.
    pub(super) words: Vec<&'a str>,
    /// Regions, as words of their own.
    pub(super) regions: Vec<&'a str>,
}

/// What the parts of a name are, in the ways to divide it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct PartCounts {
    has_role: bool,
    /// Counted up to 2.
    words: u8,
}

impl PartCounts {
    fn and(self, other: Self) -> Self {
        Self { has_role: self.has_role || other.has_role, words: (self.words + other.words).min(2) }
    }

    /// Returns what names a role best.
    fn best(self, other: Self) -> Self {
        if (self.has_role, self.words) >= (other.has_role, other.words) { self } else { other }
    }

    fn name_a_role(self, has_region: bool) -> bool {
        self.has_role || self.words + u8::from(has_region) >= 2
    }
}

impl RoleParts<'_> {
    /// Returns whether a name has no other words, and names a role.
    pub(super) fn name_a_role(&self, reading: &Reading) -> bool {
        if self.divide(reading.joined()).is_some_and(|parts| parts.name_a_role(false)) {
            return true;
        }
        let (mut all, mut has_region) = (PartCounts::default(), false);
        for word in reading.words() {
            match self.divide(word) {
                _ if self.regions.iter().any(|region| *region == word) => has_region = true,
                Some(parts) => all = all.and(parts),
                None => return false,
            }
        }
        all.name_a_role(has_region)
    }

    /// Divides a text without breaks into parts; `None` if something else is left.
    fn divide(&self, text: &str) -> Option<PartCounts> {
        let text = fold(text);
        let role = PartCounts { has_role: true, words: 0 };
        let word = PartCounts { has_role: false, words: 1 };
        let of =
            |all: &[&str], counts: PartCounts| all.iter().map(move |part| (fold(part), counts)).collect::<Vec<_>>();
        let parts = [of(&self.roles, role), of(&self.words, word), of(&self.beside, PartCounts::default())].concat();
        // The ends of the runs of parts from the start.
        let mut ends = vec![None; text.len() + 1];
        ends[0] = Some(PartCounts::default());
        for at in 0..text.len() {
            let (Some(before), Some(rest)) = (ends[at], text.get(at..)) else { continue };
            for (part, counts) in parts.iter().filter(|(part, _)| rest.starts_with(part.as_str())) {
                let found: PartCounts = PartCounts::and(before, *counts);
                let end = &mut ends[at + part.len()];
                *end = Some(end.map_or(found, |other: PartCounts| other.best(found)));
            }
        }
        ends[text.len()]
    }
}

/// Folds an `i` into the `l` that it looks like beside other letters, as in `billlng`.
fn fold(text: &str) -> String {
    text.replace('i', "l")
}
