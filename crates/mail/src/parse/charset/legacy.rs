//! Character sets in mail that `encoding_rs` and `mail_parser` don't decode, and alternative labels for those they do.
//!
//! The 7-bit sets are converted to the corresponding 8-bit sets, which have the same tables with the high bit set.
//! Never fails. The output is at most four times the input.

use encoding_rs::{EUC_KR, GBK};

/// Maximum length of a label, in bytes.
const LABEL_BYTES_MAX: usize = 64;

/// Windows and DOS code pages with the label of the corresponding character set.
const CODE_PAGES: &[(&str, &str)] = &[
    ("437", IBM437),
    ("850", "cp850"),
    ("866", "ibm866"),
    ("874", "windows-874"),
    ("932", "shift_jis"),
    ("936", "gbk"),
    ("949", "euc-kr"),
    ("950", "big5"),
    ("1250", "windows-1250"),
    ("1251", "windows-1251"),
    ("1252", "windows-1252"),
    ("1253", "windows-1253"),
    ("1254", "windows-1254"),
    ("1255", "windows-1255"),
    ("1256", "windows-1256"),
    ("1257", "windows-1257"),
    ("1258", "windows-1258"),
    ("65001", "utf-8"),
];

/// Prefixes of code page numbers in labels.
const CODE_PAGE_PREFIXES: &[&str] = &["cp", "ms", "win", "windows", "windows-cp", "ibm"];

pub(super) const ISO_2022_KR: &str = "iso-2022-kr";
const HZ: &str = "hz-gb-2312";
const IBM437: &str = "ibm437";
const UNREADABLE: &str = "replacement";

/// The upper half of the DOS code page 437.
const IBM437_UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
                            αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Returns the label that the decoders know this character set by, if it differs or if only [`decode`] supports it.
pub(super) fn known_as(label: &str) -> Option<&'static str> {
    if label.len() > LABEL_BYTES_MAX {
        return None;
    }
    let label = label.to_ascii_lowercase().replace('_', "-");
    let label = label.strip_prefix("x-").unwrap_or(&label);
    match label {
        "iso-2022-kr" | "csiso2022kr" => Some(ISO_2022_KR),
        "hz-gb-2312" | "hz-gb2312" | "hz" => Some(HZ),
        // Their tables and shift sequences aren't supported; only their ASCII text is kept.
        "iso-2022-cn" | "iso-2022-cn-ext" | "csiso2022cn" | "replacement" => Some(UNREADABLE),
        "utf-32" | "utf32" | "ucs-4" | "iso-10646-ucs-4" | "csucs4" => Some("utf-32"),
        "utf-32be" | "utf32be" | "ucs-4be" => Some("utf-32be"),
        "utf-32le" | "utf32le" | "ucs-4le" => Some("utf-32le"),
        "uhc" | "ksx1001" | "ks-x-1001" => Some("euc-kr"),
        _ if label.starts_with("ks") && label.contains("5601") => Some("euc-kr"),
        _ => code_page(label),
    }
}

fn code_page(label: &str) -> Option<&'static str> {
    let (prefix, number) = label.split_at(label.find(|c: char| c.is_ascii_digit())?);
    let prefix = prefix.strip_suffix('-').unwrap_or(prefix);
    let (_, name) = CODE_PAGES.iter().find(|(known, _)| *known == number)?;
    CODE_PAGE_PREFIXES.contains(&prefix).then_some(*name)
}

/// Decodes the character sets that only this module supports, by a label from [`known_as`].
pub(super) fn decode(name: &str, bytes: &[u8]) -> Option<String> {
    match name {
        ISO_2022_KR => Some(EUC_KR.decode_without_bom_handling(&iso_2022_kr(bytes)).0.into_owned()),
        HZ => Some(GBK.decode_without_bom_handling(&hz(bytes)).0.into_owned()),
        IBM437 => Some(ibm437(bytes)),
        "utf-32" | "utf-32be" => Some(utf_32(bytes, u32::from_be_bytes)),
        "utf-32le" => Some(utf_32(bytes, u32::from_le_bytes)),
        UNREADABLE => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// Converts ISO-2022-KR to EUC-KR (RFC 1557): SO begins Korean, SI or the end of the line ends it. The designator is
/// skipped.
fn iso_2022_kr(bytes: &[u8]) -> Vec<u8> {
    const DESIGNATOR: &[u8] = b"\x1b$)C";
    let mut out = Vec::with_capacity(bytes.len());
    let mut is_korean = false;
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        if let Some(after) = rest.strip_prefix(DESIGNATOR) {
            rest = after;
            continue;
        }
        rest = tail;
        match byte {
            0x0e => is_korean = true,
            0x0f => is_korean = false,
            0x21..=0x7e if is_korean => out.push(byte | 0x80),
            _ => {
                is_korean &= *byte != b'\n';
                out.push(*byte);
            }
        }
    }
    out
}

/// Converts HZ to GBK (RFC 1843): `~{` begins Chinese, `~}` or the end of the line ends it, `~~` is a `~`, and a `~` at
/// the end of a line joins it with the next line.
fn hz(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut is_chinese = false;
    let mut rest = bytes;
    loop {
        rest = match rest {
            [b'~', b'}', tail @ ..] if is_chinese => {
                is_chinese = false;
                tail
            }
            [first @ 0x21..=0x77, second @ 0x21..=0x7e, tail @ ..] if is_chinese => {
                out.extend_from_slice(&[first | 0x80, second | 0x80]);
                tail
            }
            [b'~', b'{', tail @ ..] => {
                is_chinese = true;
                tail
            }
            [b'~', b'~', tail @ ..] => {
                out.push(b'~');
                tail
            }
            [b'~', b'\r', b'\n', tail @ ..] | [b'~', b'\n', tail @ ..] => tail,
            [byte, tail @ ..] => {
                is_chinese &= *byte != b'\n';
                out.push(*byte);
                tail
            }
            [] => return out,
        };
    }
}

fn ibm437(bytes: &[u8]) -> String {
    let upper: Vec<char> = IBM437_UPPER.chars().collect();
    let read = |&byte: &u8| match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(index) => upper.get(usize::from(index)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    bytes.iter().map(read).collect()
}

/// Decodes UTF-32 in the byte order of its byte order mark, or else with `default_order`.
fn utf_32(bytes: &[u8], default_order: fn([u8; 4]) -> u32) -> String {
    let (mut units, surplus) = bytes.as_chunks::<4>();
    let mut read = default_order;
    if let [mark @ ([0, 0, 0xfe, 0xff] | [0xff, 0xfe, 0, 0]), rest @ ..] = units {
        read = if mark[0] == 0 { u32::from_be_bytes } else { u32::from_le_bytes };
        units = rest;
    }
    let mut text: String =
        units.iter().map(|unit| char::from_u32(read(*unit)).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !surplus.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::parse::charset;

    #[test]
    fn seven_bit_and_utf_32_sets_are_decoded() {
        let table: &[(&str, &[u8], &str)] = &[
            ("iso-2022-kr", b"Hello", "Hello"),
            ("ISO-2022-KR", b"\x1b$)C\r\n\x0eGQ1[\x0f a\r\n\x0eGQ\r\nb\x0f", "\r\n한글 a\r\n한\r\nb"),
            ("csISO2022KR", b"\xc7\xd1\x0e \xff", "한 \u{fffd}"),
            ("hz-gb-2312", b"~{<:Ky2;S{~} ~~ ~\r\na~{Dc\nb~{~}", "己所不欲 ~ a你\nb"),
            ("HZ", b"~{D~", "宁"),
            ("iso-2022-cn", "a\u{1b}$)Aé".as_bytes(), "a\u{1b}$)Aé"),
            ("iso-2022-cn-ext", b"a\xff", "a\u{fffd}"),
            ("replacement", b"abc", "abc"),
            ("utf-32", b"\xff\xfe\0\0\xac\x20\0\0a\0\0\0", "€a"),
            ("UTF-32", b"\0\0\x20\xac\0\x01\xf6\x00\0\x11\0\0\0", "€\u{1f600}\u{fffd}\u{fffd}"),
            ("utf-32le", b"a\0\0\0", "a"),
        ];
        for (label, bytes, text) in table {
            assert_eq!(charset::decode(Some(label), bytes), *text, "{label}");
        }
    }

    #[test]
    fn code_pages_are_decoded_by_their_alternative_labels() {
        let table: &[(&[&str], &[u8], &str)] = &[
            (
                &[
                    "cp949",
                    "ms949",
                    "x-windows-949",
                    "ks_c_5601-1987",
                    "KS_C_5601",
                    "ksc5601-1987",
                    "ksc_5601",
                    "x-cp949",
                ],
                b"\xc7\xd1\xb1\xdb",
                "한글",
            ),
            (&["cp932", "MS932", "windows-932", "cp-932"], b"\x83n", "ハ"),
            (&["cp936", "ms936", "windows-936"], b"\xc4\xe3", "你"),
            (&["cp950", "ms950", "x-windows-950"], b"\xa7\x41", "你"),
            (&["win-1251", "win1251", "cp-1251", "cp1251", "windows1251", "windows-cp1251", "x-cp1251"], b"\xcf", "П"),
            (&["win-1252", "CP_1252", "ms-1252"], b"\x80", "€"),
            (&["cp437", "IBM-437"], b"a\x80\xe1\xff", "aÇß\u{a0}"),
            (&["cp850", "cp-850"], b"\x81", "ü"),
            (&["cp65001"], "é".as_bytes(), "é"),
            (&["cp9999", "1251x", "win-"], b"\xe9", "é"),
        ];
        for (labels, bytes, text) in table {
            for label in *labels {
                assert_eq!(charset::decode(Some(label), bytes), *text, "{label}");
            }
        }
    }
}
