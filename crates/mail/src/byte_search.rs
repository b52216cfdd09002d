//! Searches for bytes that are usually near.

use memchr::memchr;

/// Bytes that are compared one by one. In HTML and in lists of short lines the next sign is mostly among them, and a search by
/// vector instructions takes longer to begin.
const NEAR_BYTES: usize = 8;

/// Returns the place of the first such byte, as [`memchr`] does.
#[inline]
pub(crate) fn find_byte(wanted: u8, bytes: &[u8]) -> Option<usize> {
    let near = bytes.iter().take(NEAR_BYTES).position(|byte| *byte == wanted);
    near.or_else(|| Some(memchr(wanted, bytes.get(NEAR_BYTES..)?)? + NEAR_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_that_of_memchr() {
        for length in 0..40 {
            for places in [vec![], vec![0], vec![7], vec![8], vec![9, 3], vec![39, 20]] {
                let mut bytes = vec![b'x'; length];
                places.iter().filter(|at| **at < length).for_each(|at| bytes[*at] = b'<');
                assert_eq!(find_byte(b'<', &bytes), memchr(b'<', &bytes), "{length} {places:?}");
            }
        }
    }
}
