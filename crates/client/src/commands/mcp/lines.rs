//! The lines of standard input, as bytes: whether one is text is for its reader.

use bytes::{Bytes, BytesMut};
use tokio::io::AsyncRead;
use tokio_util::codec::{AnyDelimiterCodec, AnyDelimiterCodecError, Decoder, FramedRead};

/// A line without its end, or that it was longer than the limit.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum InputLine {
    /// The line.
    Whole(Bytes),
    /// A line over the limit. It was skipped up to its end.
    TooLong,
}

/// Splits bytes into lines. A line that is too long is an item and no error, because a reader ends with its first error.
pub(super) struct LineDecoder(AnyDelimiterCodec);

/// Reads lines of at most `bytes_max` bytes.
pub(super) fn read_lines<R: AsyncRead>(reader: R, bytes_max: usize) -> FramedRead<R, LineDecoder> {
    let codec = AnyDelimiterCodec::new_with_max_length(b"\n".to_vec(), Vec::new(), bytes_max);
    FramedRead::new(reader, LineDecoder(codec))
}

impl LineDecoder {
    fn line(found: Result<Option<Bytes>, AnyDelimiterCodecError>) -> std::io::Result<Option<InputLine>> {
        match found {
            Ok(line) => Ok(line.map(InputLine::Whole)),
            Err(AnyDelimiterCodecError::MaxChunkLengthExceeded) => Ok(Some(InputLine::TooLong)),
            Err(AnyDelimiterCodecError::Io(error)) => Err(error),
        }
    }
}

impl Decoder for LineDecoder {
    type Item = InputLine;
    type Error = std::io::Error;

    fn decode(&mut self, bytes: &mut BytesMut) -> std::io::Result<Option<InputLine>> {
        Self::line(self.0.decode(bytes))
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> std::io::Result<Option<InputLine>> {
        Self::line(self.0.decode_eof(bytes))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt, StreamExt};
    use proptest::prelude::*;

    use super::*;

    const BYTES_MAX: usize = 8;

    fn read(input: &[u8]) -> Vec<InputLine> {
        let lines = read_lines(input, BYTES_MAX).map(|line| line.unwrap());
        lines.collect().now_or_never().unwrap()
    }

    proptest! {
        /// Whatever a line contains, those after it are read. The last needs no end.
        #[test]
        fn every_line_is_read(
            lines in prop::collection::vec(prop::collection::vec(any::<u8>().prop_filter("an end", |byte| *byte != b'\n'), 0..3 * BYTES_MAX), 0..8),
            is_closed in any::<bool>(),
        ) {
            let mut input = lines.join(&b'\n');
            if is_closed && !lines.is_empty() {
                input.push(b'\n');
            }
            let mut wanted: Vec<InputLine> = lines.into_iter().map(|line| match line.len() > BYTES_MAX {
                true => InputLine::TooLong,
                false => InputLine::Whole(line.into()),
            }).collect();
            if !is_closed && wanted.last() == Some(&InputLine::Whole(Bytes::new())) {
                wanted.pop();
            }
            prop_assert_eq!(read(&input), wanted);
        }
    }
}
