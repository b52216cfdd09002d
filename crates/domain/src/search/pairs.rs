//! Which pairs of words may stand one behind the other in a message: a Bloom filter with one hash.
//!
//! For an index that knows words but not their order: whether a phrase may be there is seen without reading the whole text.
//! A pair that is there is always said to be; one that is not, in one case of eight to five of messages up to two thousand
//! words, and more often of longer ones.

use super::{Expression, Tokens};

/// Bits for each pair at least.
const BITS_PER_PAIR: usize = 4;
/// Bytes of the smallest and of the largest filter: it stays in the row of the message.
const BYTES: std::ops::RangeInclusive<usize> = 16..=1024;

/// The filter of a message. Bit `n` is the one of value `1 << (n % 8)` of byte `n / 8`; the number of bits is a power of two.
#[must_use]
pub fn pairs(tokens: &Tokens) -> Vec<u8> {
    let words: Vec<&str> = tokens.words().collect();
    let bytes = (words.len() * BITS_PER_PAIR / 8).next_power_of_two().clamp(*BYTES.start(), *BYTES.end());
    let mut filter = vec![0; bytes];
    for two in words.windows(2).filter(|two| !two.iter().any(|word| Tokens::is_gap(word))) {
        let bit = pair(two[0], two[1]) as usize % (bytes * 8);
        filter[bit / 8] |= 1 << (bit % 8);
    }
    filter
}

/// The number of a pair, of which a filter has the bit modulo its bits. Stored filters depend on it: it never changes.
fn pair(first: &str, second: &str) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for part in [first, " ", second] {
        hasher.update(part.as_bytes());
    }
    hasher.finalize()
}

/// The numbers of pairs that every message has which fits the expression.
#[must_use]
pub fn needed_pairs(expression: &Expression) -> Vec<u32> {
    match expression {
        Expression::All(all) => all.iter().flat_map(needed_pairs).collect(),
        Expression::Any(any) => match any.as_slice() {
            [only] => needed_pairs(only),
            _ => Vec::new(),
        },
        Expression::Without(yes, _) => needed_pairs(yes),
        Expression::Phrase(words) => words.windows(2).map(|two| pair(&two[0], &two[1])).collect(),
        Expression::Beginning(_) => Vec::new(),
        Expression::Narrowed(few, all) => [needed_pairs(few), needed_pairs(all)].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_have(filter: &[u8], number: u32) -> bool {
        let bit = number as usize % (filter.len() * 8);
        filter[bit / 8] & (1 << (bit % 8)) != 0
    }

    fn tokens(words: impl IntoIterator<Item = String>) -> Tokens {
        Tokens(words.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn no_pair_that_is_there_is_missed_and_most_others_are_ruled_out() {
        for count in [0, 1, 2, 40, 300, 1_500, 6_000] {
            let all = tokens((0..count).map(|n| format!("w{n}")));
            let filter = pairs(&all);
            assert!((16..=1024).contains(&filter.len()) && filter.len().is_power_of_two());
            let has =
                |first: usize, second: usize| may_have(&filter, pair(&format!("w{first}"), &format!("w{second}")));
            assert!((1..count).all(|n| has(n - 1, n)), "{count}");
            let wrong = (0..1_000).filter(|n| has(*n, n + 2)).count();
            assert!(wrong < 300 || count > 2_000, "{wrong} of 1,000 among {count}");
        }
    }

    #[test]
    fn pairs_end_at_gaps() {
        let filter = pairs(&tokens(["red", "fox", "\u{E00F}", "blue"].map(str::to_owned)));
        assert!(may_have(&filter, pair("red", "fox")));
        assert!(!may_have(&filter, pair("fox", "blue")));
    }

    #[test]
    fn the_number_of_a_pair_is_the_stored_one() {
        assert_eq!(pair("red", "fox"), 2_193_868_754);
    }

    #[test]
    fn only_what_every_hit_has_is_needed() {
        let phrase = |text: &str| Expression::Phrase(text.split(' ').map(str::to_owned).collect());
        let [ab, bc] = [pair("a", "b"), pair("b", "c")];
        let any = Expression::Any(vec![phrase("a b"), phrase("b c")]);
        let without = Expression::Without(Box::new(phrase("b c")), Box::new(phrase("a b")));
        for (expression, wanted) in [
            (phrase("a"), vec![]),
            (phrase("a b c"), vec![ab, bc]),
            (Expression::Any(vec![phrase("a b")]), vec![ab]),
            (any.clone(), vec![]),
            (without.clone(), vec![bc]),
            (Expression::All(vec![any, without, phrase("a b"), Expression::Beginning("a".to_owned())]), vec![bc, ab]),
        ] {
            assert_eq!(needed_pairs(&expression), wanted, "{expression:?}");
        }
    }
}
