//! The header of the PROXY protocol, versions 1 and 2 (haproxy.org/download/3.0/doc/proxy-protocol.txt).
//!
//! Parses bytes into the client's address. The listener decides which peers must send a header; data of other peers is
//! never parsed as one. A malformed header is an error.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Maximum length of a version 1 header, with CRLF.
const V1_BYTES_MAX: usize = 107;
/// The first bytes of a version 2 header.
const V2_SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";
/// Length of signature, version and command, family and transport, and length field.
const V2_FIXED_BYTES: usize = 16;
/// Maximum length of the variable part of version 2, addresses and TLVs, in bytes.
const V2_VARIABLE_BYTES_MAX: usize = 4_096;

/// Maximum length of a header in bytes.
pub(super) const HEADER_BYTES_MAX: usize = V2_FIXED_BYTES + V2_VARIABLE_BYTES_MAX;

/// The result of parsing the first bytes of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    /// More bytes are needed.
    Partial,
    /// A complete header.
    Whole {
        /// The length of the header. The client's data follows.
        bytes: usize,
        /// The client's address. `None` if the proxy connects for itself or doesn't know it; then the peer is the
        /// client.
        client: Option<IpAddr>,
    },
    /// Not a valid header; the connection must be closed without a reply.
    Malformed,
}

/// Parses the header at the start of `bytes`.
pub(super) fn parse(bytes: &[u8]) -> Header {
    let compared = bytes.len().min(V2_SIGNATURE.len());
    if bytes[..compared] == V2_SIGNATURE[..compared] {
        return if bytes.len() < V2_FIXED_BYTES { Header::Partial } else { version_2(bytes) };
    }
    version_1(bytes)
}

fn version_1(bytes: &[u8]) -> Header {
    const WORD: &[u8] = b"PROXY ";
    let compared = bytes.len().min(WORD.len());
    if bytes[..compared] != WORD[..compared] {
        return Header::Malformed;
    }
    let window = &bytes[..bytes.len().min(V1_BYTES_MAX)];
    let Some(end) = window.windows(2).position(|two| two == b"\r\n") else {
        return if bytes.len() < V1_BYTES_MAX { Header::Partial } else { Header::Malformed };
    };
    match std::str::from_utf8(&bytes[WORD.len()..end]).ok().and_then(line) {
        Some(client) => Header::Whole { bytes: end + 2, client },
        None => Header::Malformed,
    }
}

/// Parses a version 1 header after its first word. Returns `None` if it is malformed, otherwise the client if it is
/// known.
fn line(text: &str) -> Option<Option<IpAddr>> {
    if text == "UNKNOWN" || text.starts_with("UNKNOWN ") {
        return Some(None);
    }
    let words: Vec<&str> = text.split(' ').collect();
    let [family, from, to, from_port, to_port] = words[..] else {
        return None;
    };
    let client = match family {
        "TCP4" => {
            to.parse::<Ipv4Addr>().ok()?;
            IpAddr::V4(from.parse().ok()?)
        }
        "TCP6" => {
            to.parse::<Ipv6Addr>().ok()?;
            IpAddr::V6(from.parse().ok()?)
        }
        _ => return None,
    };
    for port in [from_port, to_port] {
        if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.parse::<u16>().is_err() {
            return None;
        }
    }
    Some(Some(client.to_canonical()))
}

fn version_2(bytes: &[u8]) -> Header {
    let length = usize::from(u16::from_be_bytes([bytes[14], bytes[15]]));
    let (version, command) = (bytes[12] >> 4, bytes[12] & 0x0f);
    if version != 2 || command > 1 || length > V2_VARIABLE_BYTES_MAX {
        return Header::Malformed;
    }
    let total = V2_FIXED_BYTES + length;
    let Some(variable) = bytes.get(V2_FIXED_BYTES..total) else {
        return Header::Partial;
    };
    let client = match (command, bytes[13]) {
        // LOCAL: a health check of the proxy. Addresses must be ignored.
        (0, _) => None,
        // An unknown family or a Unix socket isn't a network client.
        (_, 0x00 | 0x31) => None,
        (_, 0x11) if length >= 12 => prefix::<4>(variable).map(IpAddr::from),
        (_, 0x21) if length >= 36 => prefix::<16>(variable).map(IpAddr::from),
        _ => return Header::Malformed,
    };
    Header::Whole { bytes: total, client: client.map(|ip| ip.to_canonical()) }
}

fn prefix<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.first_chunk::<N>().copied()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn v2(command: u8, family: u8, variable: &[u8]) -> Vec<u8> {
        let length = u16::try_from(variable.len()).unwrap().to_be_bytes();
        [V2_SIGNATURE.as_slice(), &[command, family], &length, variable].concat()
    }

    fn client(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn version_1_has_the_client() {
        for (header, expected) in [
            ("PROXY TCP4 192.0.2.7 198.51.100.1 56324 25\r\n", client("192.0.2.7")),
            ("PROXY TCP6 2001:db8::7 2001:db8::1 56324 25\r\n", client("2001:db8::7")),
            ("PROXY TCP6 ::ffff:192.0.2.7 ::1 56324 25\r\n", client("192.0.2.7")),
            ("PROXY UNKNOWN\r\n", None),
            ("PROXY UNKNOWN ffff::1 ffff::1 1 2\r\n", None),
        ] {
            let whole = Header::Whole { bytes: header.len(), client: expected };
            assert_eq!(parse(format!("{header}EHLO x\r\n").as_bytes()), whole, "{header}");
            for cut in 0..header.len() {
                assert_eq!(parse(&header.as_bytes()[..cut]), Header::Partial, "{header} cut at {cut}");
            }
        }
    }

    #[test]
    fn version_2_has_the_client() {
        let v4 = [192, 0, 2, 7, 198, 51, 100, 1, 0xdc, 4, 0, 25];
        let mut v6 = [0; 36];
        v6[..16].copy_from_slice(&"2001:db8::7".parse::<Ipv6Addr>().unwrap().octets());
        let with_tlv = [v4.as_slice(), &[0x04, 0, 3, 1, 2, 3]].concat();
        for (header, expected) in [
            (v2(0x21, 0x11, &v4), client("192.0.2.7")),
            (v2(0x21, 0x11, &with_tlv), client("192.0.2.7")),
            (v2(0x21, 0x21, &v6), client("2001:db8::7")),
            (v2(0x20, 0x11, &v4), None),
            (v2(0x20, 0x00, &[]), None),
            (v2(0x21, 0x00, &[]), None),
        ] {
            let whole = Header::Whole { bytes: header.len(), client: expected };
            assert_eq!(parse(&[header.as_slice(), b"EHLO"].concat()), whole);
            for cut in 0..header.len() {
                assert_eq!(parse(&header[..cut]), Header::Partial, "cut at {cut}");
            }
        }
    }

    #[test]
    fn anything_else_is_malformed() {
        let long = format!("PROXY UNKNOWN {}\r\n", "x".repeat(V1_BYTES_MAX));
        for text in [
            "EHLO x\r\n",
            "proxy TCP4 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1 65536\r\n",
            "PROXY TCP4 192.0.2.7 198.51.100.1 1 +2\r\n",
            "PROXY TCP4 192.0.2.007 198.51.100.1 1 2\r\n",
            "PROXY TCP4 ::1 ::1 1 2\r\n",
            "PROXY TCP6 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY  TCP4 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY UDP4 192.0.2.7 198.51.100.1 1 2\r\n",
            "PROXY \r\n",
            long.as_str(),
        ] {
            assert_eq!(parse(text.as_bytes()), Header::Malformed, "{text}");
        }
        let v4 = [192, 0, 2, 7, 198, 51, 100, 1, 0xdc, 4, 0, 25];
        for header in [
            v2(0x11, 0x11, &v4),
            v2(0x22, 0x11, &v4),
            v2(0x21, 0x12, &v4),
            v2(0x21, 0x11, &v4[..11]),
            v2(0x21, 0x21, &v4),
            v2(0x21, 0x11, &[0; V2_VARIABLE_BYTES_MAX + 1]),
        ] {
            assert_eq!(parse(&header), Header::Malformed);
        }
    }

    proptest! {
        #[test]
        fn never_reads_past_its_limit(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), front in 0..3) {
            let front: &[u8] = match front { 0 => V2_SIGNATURE, 1 => b"PROXY ", _ => b"" };
            bytes.splice(0..0, front.iter().copied());
            if let Header::Whole { bytes: length, .. } = parse(&bytes) {
                prop_assert!(length <= bytes.len() && length <= HEADER_BYTES_MAX);
            }
        }
    }
}
