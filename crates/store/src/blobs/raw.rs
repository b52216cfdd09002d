//! Compression of raw messages with zstd (RFC 8878), with a limit on the decompressed size.

use crate::{Error, Result};
use std::io::Read as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use zstd::bulk::{Compressor, Decompressor};

/// The fastest level: mail is mostly text and base64, where higher levels gain little and cost much.
const LEVEL: i32 = 1;

/// Idle compressors and decompressors for reuse: creating and clearing their tables takes about as long as processing a
/// short message.
#[derive(Default)]
pub(super) struct ZstdPool {
    compressors: Mutex<Vec<Compressor<'static>>>,
    decompressors: Mutex<Vec<Decompressor<'static>>>,
}

fn free<T>(kept: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn keep<T>(kept: &Mutex<Vec<T>>, used: T) {
    let mut free = free(kept);
    if free.len() < ZstdPool::KEPT_MAX {
        free.push(used);
    }
}

/// Creates a compressor whose frames end with a checksum, so that altered bytes are detected.
fn compressor() -> std::io::Result<Compressor<'static>> {
    let mut compressor = Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

impl ZstdPool {
    /// Most idle compressors and decompressors that are kept; each holds a few hundred KiB.
    const KEPT_MAX: usize = 4;
    /// Longest message processed with a pooled one, in bytes.
    const RAW_BYTES_MAX: usize = 64 * 1024;

    /// Compresses; the frame records the length.
    pub(super) fn compress(&self, raw: &[u8]) -> Result<Vec<u8>> {
        if raw.len() > Self::RAW_BYTES_MAX {
            return compressor().and_then(|mut compressor| compressor.compress(raw)).map_err(no_memory);
        }
        let kept = free(&self.compressors).pop();
        let mut compressor = kept.map_or_else(compressor, Ok).map_err(no_memory)?;
        let compressed = compressor.compress(raw).map_err(no_memory);
        keep(&self.compressors, compressor);
        compressed
    }

    /// The same as [`decompress`], with a reused decompressor.
    pub(super) fn decompress(&self, compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
        if len_max > Self::RAW_BYTES_MAX {
            return decompress(compressed, len_max);
        }
        let kept = free(&self.decompressors).pop();
        let mut decompressor = kept.map_or_else(Decompressor::new, Ok).map_err(no_memory)?;
        let raw = decompressor.decompress(compressed, len_max).map_err(corrupt);
        keep(&self.decompressors, decompressor);
        raw
    }
}

pub(super) fn no_memory(error: std::io::Error) -> Error {
    Error::Internal(format!("zstd: {error}").into())
}

pub(super) fn corrupt(error: std::io::Error) -> Error {
    Error::bad_content(format_args!("stored raw message: {error}"))
}

/// Bytes of the result between two questions whether the work should end.
const STEP_BYTES: u64 = 1024 * 1024;

/// Decompresses to at most `len_max` bytes, whatever length the frame declares.
///
/// # Errors
/// Returns [`Error::ContentDamaged`] if the bytes aren't a complete zstd frame or decompress to more than `len_max`.
pub fn decompress(compressed: &[u8], len_max: usize) -> Result<Vec<u8>> {
    decompress_until(compressed, len_max, &|| false)
}

/// Decompresses as [`decompress`]. Once `is_stopped` returns true, which is asked every `STEP_BYTES` of the result, it returns
/// the bytes so far.
///
/// # Errors
/// Returns the errors of [`decompress`].
pub fn decompress_until(compressed: &[u8], len_max: usize, is_stopped: &dyn Fn() -> bool) -> Result<Vec<u8>> {
    let mut raw = Vec::new();
    let mut decoder = zstd::stream::read::Decoder::new(compressed).map_err(corrupt)?.take(len_max as u64 + 1);
    while !is_stopped() && decoder.by_ref().take(STEP_BYTES).read_to_end(&mut raw).map_err(corrupt)? > 0 {}
    if raw.len() > len_max {
        return Err(Error::bad_content(format_args!("stored raw message decompresses to more than {len_max} bytes")));
    }
    Ok(raw)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn compress(raw: &[u8]) -> Result<Vec<u8>> {
        ZstdPool::default().compress(raw)
    }

    #[test]
    fn stopped_work_ends_after_one_step() {
        let step = usize::try_from(STEP_BYTES).unwrap();
        let packed = compress(&vec![7; 10 * step]).unwrap();
        for steps in 0_usize..12 {
            let left = std::cell::Cell::new(steps);
            let is_stopped = || left.replace(left.get().saturating_sub(1)) == 0;
            let raw = decompress_until(&packed, 10 * step, &is_stopped).unwrap();
            assert_eq!(raw.len(), steps.min(10) * step);
        }
    }

    #[test]
    fn a_reused_compressor_keeps_no_state() {
        let zstd_pool = ZstdPool::default();
        let mails = [b"Subject: a\r\n\r\nbody\r\n".repeat(100), b"x".to_vec(), vec![7; 200_000], Vec::new()];
        for mail in mails.iter().chain(&mails) {
            let compressed = zstd_pool.compress(mail).unwrap();
            assert_eq!(compressed, compressor().unwrap().compress(mail).unwrap());
            assert_eq!(&zstd_pool.decompress(&compressed, mail.len()).unwrap(), mail);
            let less = zstd_pool.decompress(&compressed, mail.len().saturating_sub(1));
            assert!(mail.is_empty() || matches!(less, Err(Error::ContentDamaged(_))));
        }
    }

    proptest! {
        #[test]
        fn raw_mail_round_trips(raw in proptest::collection::vec(any::<u8>(), 0..5000)) {
            prop_assert_eq!(decompress(&compress(&raw).unwrap(), raw.len()).unwrap(), raw);
        }
    }

    #[test]
    fn a_decompression_bomb_stops_at_the_limit() {
        let bomb = compress(&vec![0; 10_000_000]).unwrap();
        assert!(bomb.len() < 2000);
        assert!(matches!(decompress(&bomb, 9_999_999), Err(Error::ContentDamaged(_))));
        assert_eq!(decompress(&bomb, 10_000_000).unwrap().len(), 10_000_000);
    }

    #[test]
    fn an_altered_byte_never_decompresses_to_other_mail() {
        let mail = b"Subject: a\r\n\r\nThe code is 482913, and nothing else in this mail repeats.\r\n";
        let whole = compress(mail).unwrap();
        let is_rejected = |at: usize| {
            let mut altered = whole.clone();
            altered[at] ^= 0x20;
            // Some bits of the frame header don't affect the content.
            decompress(&altered, 1000).map_or(true, |out| {
                assert_eq!(out, mail, "byte {at}");
                false
            })
        };
        let detected = (0..whole.len()).filter(|at| is_rejected(*at)).count();
        assert!(detected >= whole.len() - 2, "{detected} of {}", whole.len());
    }

    #[test]
    fn broken_frames_are_rejected() {
        let whole = compress(b"Subject: a\r\n\r\nbody\r\n").unwrap();
        assert!(decompress(&whole[..whole.len() - 1], 1000).is_err());
        assert!(decompress(b"no frame", 1000).is_err());
    }
}
