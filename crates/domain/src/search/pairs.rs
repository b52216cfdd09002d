//! A Bloom filter of the adjacent word pairs of a message, with three hashes.
//!
//! It lets an index without word positions rule out most messages that don't contain a phrase, without reading their
//! text. There are no false negatives. The false positive rate is about 1 in 30 for messages of up to 1,000 words, and
//! higher for longer ones.

use super::{IndexedText, SearchExpression};

/// The fewest bits per pair, until the filter reaches its largest size.
const BITS_PER_PAIR: usize = 8;
/// The number of hashes per pair, each of which sets one bit.
pub const HASHES_PER_PAIR: usize = 3;
/// The smallest and largest filter in bytes; small enough to be stored in the message's row.
const BYTES: std::ops::RangeInclusive<usize> = 16..=1024;

/// Returns the filter of a message. Bit `n` has the value `1 << (n % 8)` in byte `n / 8`.
#[must_use]
pub fn pairs(tokens: &IndexedText) -> Vec<u8> {
    let words: Vec<&str> = tokens.words().collect();
    let bytes = (words.len() * BITS_PER_PAIR / 8).clamp(*BYTES.start(), *BYTES.end());
    let mut filter = vec![0; bytes];
    for two in words.windows(2).filter(|two| !two.iter().any(|word| IndexedText::is_separator(word))) {
        for number in numbers(two[0], two[1]) {
            let bit = number as usize % (bytes * 8);
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter
}

/// Returns the hashes of a pair; each sets the bit at its value modulo the number of bits. They must never change,
/// because stored filters depend on them.
fn numbers(first: &str, second: &str) -> [u32; HASHES_PER_PAIR] {
    let mut hasher = crc32fast::Hasher::new();
    for part in [first, " ", second] {
        hasher.update(part.as_bytes());
    }
    let mut number = hasher.finalize();
    std::array::from_fn(|_| {
        number = mix(number);
        number
    })
}

/// Scrambles a number so that every bit of the result depends on every bit of the input: the final step of MurmurHash3,
/// which maps zero to zero.
fn mix(number: u32) -> u32 {
    let number = (number ^ (number >> 16)).wrapping_mul(0x85eb_ca6b);
    let number = (number ^ (number >> 13)).wrapping_mul(0xc2b2_ae35);
    number ^ (number >> 16)
}

/// Returns the hashes of up to `pairs_max` pairs that every message matching the expression contains.
#[must_use]
pub fn needed_pairs(expression: &SearchExpression, pairs_max: usize) -> Vec<[u32; HASHES_PER_PAIR]> {
    let mut pairs = Vec::new();
    collect(expression, &mut pairs);
    pairs.truncate(pairs_max);
    pairs
}

fn collect(expression: &SearchExpression, pairs: &mut Vec<[u32; HASHES_PER_PAIR]>) {
    match expression {
        SearchExpression::All(all) => all.iter().for_each(|each| collect(each, pairs)),
        SearchExpression::Any(any) => {
            if let [only] = any.as_slice() {
                collect(only, pairs);
            }
        }
        SearchExpression::Without(yes, _) => collect(yes, pairs),
        SearchExpression::Phrase(words) => {
            for two in words.windows(2) {
                let numbers = numbers(&two[0], &two[1]);
                if !pairs.contains(&numbers) {
                    pairs.push(numbers);
                }
            }
        }
        SearchExpression::Prefix(_) => {}
        SearchExpression::Both(few, all) => {
            collect(few, pairs);
            collect(all, pairs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_have(filter: &[u8], first: &str, second: &str) -> bool {
        numbers(first, second).into_iter().all(|number| {
            let bit = number as usize % (filter.len() * 8);
            filter[bit / 8] & (1 << (bit % 8)) != 0
        })
    }

    fn tokens(words: impl IntoIterator<Item = String>) -> IndexedText {
        IndexedText(words.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn no_present_pair_is_missed_and_most_others_are_ruled_out() {
        for (count, wrong_max) in
            [(0, 0), (1, 0), (2, 0), (40, 60), (300, 60), (1_000, 60), (1_500, 120), (6_000, 1_000)]
        {
            let all = tokens((0..count).map(|n| format!("w{n}")));
            let filter = pairs(&all);
            assert!((16..=1024).contains(&filter.len()));
            let has = |first: usize, second: usize| may_have(&filter, &format!("w{first}"), &format!("w{second}"));
            assert!((1..count).all(|n| has(n - 1, n)), "{count}");
            let wrong = (0..1_000).filter(|n| has(*n, n + 2)).count();
            assert!(wrong <= wrong_max, "{wrong} of 1,000 among {count}");
        }
    }

    #[test]
    fn pairs_do_not_cross_separators() {
        let filter = pairs(&tokens(["red", "fox", "\u{E00F}", "blue"].map(str::to_owned)));
        assert!(may_have(&filter, "red", "fox"));
        assert!(!may_have(&filter, "fox", "blue"));
    }

    #[test]
    fn hashes_of_a_pair_never_change() {
        assert_eq!(numbers("red", "fox"), [649_676_116, 4_291_603_633, 3_641_577_033]);
    }

    #[test]
    fn only_pairs_that_every_hit_contains_are_needed() {
        let phrase = |text: &str| SearchExpression::Phrase(text.split(' ').map(str::to_owned).collect());
        let [ab, bc] = [numbers("a", "b"), numbers("b", "c")];
        let any = SearchExpression::Any(vec![phrase("a b"), phrase("b c")]);
        let without = SearchExpression::Without(Box::new(phrase("b c")), Box::new(phrase("a b")));
        let twice = SearchExpression::Both(Box::new(phrase("a b")), Box::new(phrase("a b c")));
        for (expression, wanted) in [
            (phrase("a"), vec![]),
            (phrase("a b c"), vec![ab, bc]),
            (phrase("a b c d e"), vec![ab, bc]),
            (SearchExpression::Any(vec![phrase("a b")]), vec![ab]),
            (any.clone(), vec![]),
            (without.clone(), vec![bc]),
            (twice, vec![ab, bc]),
            (
                SearchExpression::All(vec![any, without, phrase("a b"), SearchExpression::Prefix("a".to_owned())]),
                vec![bc, ab],
            ),
        ] {
            assert_eq!(needed_pairs(&expression, 2), wanted, "{expression:?}");
        }
    }
}
