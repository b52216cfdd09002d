//! Raw mail as it is kept: zstd (RFC 8878), with a bound on what comes out again.

use crate::{Error, Result};
use std::io::Read as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zstd::bulk::{Compressor, Decompressor};

/// The fast end of zstd: mail is mostly text and base64, where higher levels gain little and cost much.
const LEVEL: i32 = 1;

/// Tables of compressors and decompressors that are free now: making and clearing them takes about as long as working on
/// a short mail.
#[derive(Default)]
pub(super) struct Packers {
    packing: Mutex<Vec<Compressor<'static>>>,
    unpacking: Mutex<Vec<Decompressor<'static>>>,
}

fn free<T>(kept: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep<T>(kept: &Mutex<Vec<T>>, used: T) {
    let mut free = free(kept);
    if free.len() < Packers::KEPT_MAX {
        free.push(used);
    }
}

/// One whose frames end with a checksum, so that an altered byte is seen.
fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

impl Packers {
    /// How many of each are kept, and the longest mail they have worked on, in bytes: their memory is some hundred KiB each.
    const KEPT_MAX: usize = 4;
    const RAW_BYTES_MAX: usize = 64 * 1024;

    /// Compresses; the length is kept in the frame.
    pub(super) fn compress(&self, raw: &[u8]) -> Result<Vec<u8>> {
        if raw.len() > Self::RAW_BYTES_MAX {
            return compressor().and_then(|mut compressor| compressor.compress(raw)).map_err(no_memory);
        }
        let kept = free(&self.packing).pop();
        let mut compressor = kept.map_or_else(compressor, Ok).map_err(no_memory)?;
        let packed = compressor.compress(raw).map_err(no_memory);
        keep(&self.packing, compressor);
        packed
    }

    /// As [`decompress`].
    pub(super) fn decompress(&self, compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
        if len_max > Self::RAW_BYTES_MAX {
            return decompress(compressed, len_max);
        }
        let kept = free(&self.unpacking).pop();
        let mut decompressor = kept.map_or_else(Decompressor::new, Ok).map_err(no_memory)?;
        let raw = decompressor.decompress(compressed, len_max).map_err(corrupt);
        keep(&self.unpacking, decompressor);
        raw
    }
}

fn no_memory(error: std::io::Error) -> Error {
    Error::Panicked(format!("zstd: {error}").into())
}

fn corrupt(error: std::io::Error) -> Error {
    Error::bad_content(format_args!("stored raw mail: {error}"))
}

/// Decompresses to at most `len_max` bytes, whatever the frame says of itself.
///
/// # Errors
/// [`Error::BadContent`] where the bytes are no whole zstd frame or hold more than `len_max`.
pub fn decompress(compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    let decoder = zstd::stream::read::Decoder::new(compressed).map_err(corrupt)?;
    decoder.take(len_max as u64 + 1).read_to_end(&mut raw).map_err(corrupt)?;
    if raw.len() > len_max {
        return Err(Error::bad_content(format_args!("stored raw mail holds more than {len_max} bytes")));
    }
    Ok(raw)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compress(raw: &[u8]) -> Result<Vec<u8>> {
        Packers::default().compress(raw)
    }

    #[test]
    fn a_compressor_that_is_used_again_remembers_nothing() {
        let packers = Packers::default();
        let mails = [b"Subject: a\r\n\r\nbody\r\n".repeat(100), b"x".to_vec(), vec![7; 200_000], Vec::new()];
        for mail in mails.iter().chain(&mails) {
            let packed = packers.compress(mail).unwrap();
            assert_eq!(packed, compressor().unwrap().compress(mail).unwrap());
            assert_eq!(&packers.decompress(&packed, mail.len()).unwrap(), mail);
            let less = packers.decompress(&packed, mail.len().saturating_sub(1));
            assert!(mail.is_empty() || matches!(less, Err(Error::BadContent(_))));
        }
    }

    proptest! {
        #[test]
        fn raw_mail_comes_back_identical(raw in proptest::collection::vec(any::<u8>(), 0..5000)) {
            prop_assert_eq!(decompress(&compress(&raw).unwrap(), raw.len()).unwrap(), raw);
        }
    }

    #[test]
    fn a_bomb_stops_at_the_bound() {
        let bomb = compress(&vec![0; 10_000_000]).unwrap();
        assert!(bomb.len() < 2000);
        assert!(matches!(decompress(&bomb, 9_999_999), Err(Error::BadContent(_))));
        assert_eq!(decompress(&bomb, 10_000_000).unwrap().len(), 10_000_000);
    }

    #[test]
    fn an_altered_byte_never_gives_other_mail() {
        let mail = b"Subject: a\r\n\r\nThe code is 482913, and nothing else in this mail repeats.\r\n";
        let whole = compress(mail).unwrap();
        let refused = |at: usize| {
            let mut altered = whole.clone();
            altered[at] ^= 0x20;
            // Some bits of the head of a frame change nothing of what is in it.
            decompress(&altered, 1000).map_or(true, |out| {
                assert_eq!(out, mail, "byte {at}");
                false
            })
        };
        let seen = (0..whole.len()).filter(|at| refused(*at)).count();
        assert!(seen >= whole.len() - 2, "{seen} of {}", whole.len());
    }

    #[test]
    fn broken_frames_are_refused() {
        let whole = compress(b"Subject: a\r\n\r\nbody\r\n").unwrap();
        assert!(decompress(&whole[..whole.len() - 1], 1000).is_err());
        assert!(decompress(b"no frame", 1000).is_err());
    }
}
