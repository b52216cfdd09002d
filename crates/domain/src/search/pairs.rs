//! Which pairs of words may stand one behind the other in a message: a Bloom filter with three hashes.
//!
//! For an index that knows words but not their order: whether a phrase may be there is seen without reading the whole text.
//! A pair that is there is always said to be; one that is not, in one case of thirty of messages up to a thousand words, and
//! more often of longer ones.

use super::{Expression, Tokens};

/// Bits for each pair at least, while the filter may grow.
const BITS_PER_PAIR: usize = 8;
/// Numbers of a pair, each of which sets a bit.
pub const NUMBERS_PER_PAIR: usize = 3;
/// Bytes of the smallest and of the largest filter: it stays in the row of the message.
const BYTES: std::ops::RangeInclusive<usize> = 16..=1024;

/// The filter of a message. Bit `n` is the one of value `1 << (n % 8)` of byte `n / 8`.
#[must_use]
pub fn pairs(tokens: &Tokens) -> Vec<u8> {
    let words: Vec<&str> = tokens.words().collect();
    let bytes = (words.len() * BITS_PER_PAIR / 8).clamp(*BYTES.start(), *BYTES.end());
    let mut filter = vec![0; bytes];
    for two in words.windows(2).filter(|two| !two.iter().any(|word| Tokens::is_gap(word))) {
        for number in numbers(two[0], two[1]) {
            let bit = number as usize % (bytes * 8);
            filter[bit / 8] |= 1 << (bit % 8);
        }
    }
    filter
}

/// The numbers of a pair, of each of which a filter has the bit modulo its bits. Stored filters depend on them: they never change.
fn numbers(first: &str, second: &str) -> [u32; NUMBERS_PER_PAIR] {
    let mut hasher = crc32fast::Hasher::new();
    for part in [first, " ", second] {
        hasher.update(part.as_bytes());
    }
    let mut number = hasher.finalize();
    std::array::from_fn(|_| {
        number = mixed(number);
        number
    })
}

/// Another number for each, all of whose bits depend on all of the first one's: the last step of MurmurHash3, which leaves zero
/// alone.
fn mixed(number: u32) -> u32 {
    let number = (number ^ (number >> 16)).wrapping_mul(0x85eb_ca6b);
    let number = (number ^ (number >> 13)).wrapping_mul(0xc2b2_ae35);
    number ^ (number >> 16)
}

/// The numbers of up to `pairs_max` pairs that every message has which fits the expression.
#[must_use]
pub fn needed_pairs(expression: &Expression, pairs_max: usize) -> Vec<[u32; NUMBERS_PER_PAIR]> {
    let mut pairs = Vec::new();
    collect(expression, &mut pairs);
    pairs.truncate(pairs_max);
    pairs
}

fn collect(expression: &Expression, pairs: &mut Vec<[u32; NUMBERS_PER_PAIR]>) {
    match expression {
        Expression::All(all) => all.iter().for_each(|each| collect(each, pairs)),
        Expression::Any(any) => {
            if let [only] = any.as_slice() {
                collect(only, pairs);
            }
        }
        Expression::Without(yes, _) => collect(yes, pairs),
        Expression::Phrase(words) => {
            for two in words.windows(2) {
                let numbers = numbers(&two[0], &two[1]);
                if !pairs.contains(&numbers) {
                    pairs.push(numbers);
                }
            }
        }
        Expression::Beginning(_) => {}
        Expression::Narrowed(few, all) => {
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

    fn tokens(words: impl IntoIterator<Item = String>) -> Tokens {
        Tokens(words.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn no_pair_that_is_there_is_missed_and_most_others_are_ruled_out() {
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
    fn pairs_end_at_gaps() {
        let filter = pairs(&tokens(["red", "fox", "\u{E00F}", "blue"].map(str::to_owned)));
        assert!(may_have(&filter, "red", "fox"));
        assert!(!may_have(&filter, "fox", "blue"));
    }

    #[test]
    fn the_numbers_of_a_pair_are_the_stored_ones() {
        assert_eq!(numbers("red", "fox"), [649_676_116, 4_291_603_633, 3_641_577_033]);
    }

    #[test]
    fn only_what_every_hit_has_is_needed() {
        let phrase = |text: &str| Expression::Phrase(text.split(' ').map(str::to_owned).collect());
        let [ab, bc] = [numbers("a", "b"), numbers("b", "c")];
        let any = Expression::Any(vec![phrase("a b"), phrase("b c")]);
        let without = Expression::Without(Box::new(phrase("b c")), Box::new(phrase("a b")));
        let twice = Expression::Narrowed(Box::new(phrase("a b")), Box::new(phrase("a b c")));
        for (expression, wanted) in [
            (phrase("a"), vec![]),
            (phrase("a b c"), vec![ab, bc]),
            (phrase("a b c d e"), vec![ab, bc]),
            (Expression::Any(vec![phrase("a b")]), vec![ab]),
            (any.clone(), vec![]),
            (without.clone(), vec![bc]),
            (twice, vec![ab, bc]),
            (Expression::All(vec![any, without, phrase("a b"), Expression::Beginning("a".to_owned())]), vec![bc, ab]),
        ] {
            assert_eq!(needed_pairs(&expression, 2), wanted, "{expression:?}");
        }
    }
}
