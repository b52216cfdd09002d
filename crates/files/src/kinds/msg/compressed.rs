//! Compressed RTF ([MS-OXRTFCP]).

use crate::limits::STREAM_BYTES_MAX;

/// Bytes before the data.
const HEADER_BYTES: usize = 16;
const WINDOW_BYTES: usize = 4_096;
/// The shortest sequence that is repeated, in bytes.
const REPEATED_BYTES_MIN: usize = 2;
/// What the window has at first.
const WINDOW_START: &[u8] =
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \
    \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \
    \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Returns the RTF; `None` if the bytes have another form.
pub(super) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (header, data) = packed.split_at_checked(HEADER_BYTES)?;
    match &header[8..12] {
        b"MELA" => Some(data.to_owned()),
        b"LZFu" => Some(decompress(data)),
        _ => None,
    }
}

fn decompress(data: &[u8]) -> Vec<u8> {
    let mut window = [0_u8; WINDOW_BYTES];
    window[..WINDOW_START.len()].copy_from_slice(WINDOW_START);
    let mut at = WINDOW_START.len();
    let mut out = Vec::new();
    let mut put = |byte: u8, window: &mut [u8; WINDOW_BYTES], at: &mut usize| {
        window[*at] = byte;
        *at = (*at + 1) % WINDOW_BYTES;
        out.push(byte);
        out.len() as u64 >= STREAM_BYTES_MAX
    };
    let mut bytes = data.iter().copied();
    'all: while let Some(control) = bytes.next() {
        for bit in 0..8 {
            if control >> bit & 1 == 0 {
                let Some(byte) = bytes.next() else { break 'all };
                if put(byte, &mut window, &mut at) {
                    break 'all;
                }
                continue;
            }
            let (Some(high), Some(low)) = (bytes.next(), bytes.next()) else { break 'all };
            let reference = u16::from_be_bytes([high, low]);
            let (start, length) = (usize::from(reference >> 4), usize::from(reference & 0xf) + REPEATED_BYTES_MIN);
            // The end refers to what comes next.
            if start == at {
                break 'all;
            }
            for step in 0..length {
                if put(window[(start + step) % WINDOW_BYTES], &mut window, &mut at) {
                    break 'all;
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of [MS-OXRTFCP] §4.1.
    #[test]
    fn the_published_example_is_unpacked() {
        assert_eq!(WINDOW_START.len(), 207);
        let packed = [
            0x2d, 0x00, 0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x4c, 0x5a, 0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 0x03, 0x00,
            0x0a, 0x00, 0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a, 0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09,
            0x00, 0x20, 0x62, 0x77, 0x05, 0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0,
        ];
        let rtf = unpack(&packed).expect("of this form");
        assert_eq!(rtf, b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
        assert_eq!(unpack(b"too short"), None);
    }
}
