//! Fuzzes the decision about character sets: any bytes in any stated set give bounded text, and what is UTF-8 stays it.

use posthouse_mail::parse::{parse, text_of_file};

/// Stated character sets, by the first byte of the input.
const LABELS: [&str; 16] = [
    "",
    "us-ascii",
    "utf-8",
    "iso-8859-1",
    "windows-1251",
    "koi8-r",
    "shift_jis",
    "iso-2022-jp",
    "iso-2022-kr",
    "euc-kr",
    "gb18030",
    "big5",
    "utf-7",
    "hz-gb-2312",
    "utf-16",
    "x-unknown",
];
/// The most bytes of text for each byte of a message.
const TEXT_PER_BYTE_MAX: usize = 6;

/// The first byte selects the stated character set and whether the text is HTML. The others are a name, a subject and
/// a text at once.
pub fn run(data: &[u8]) {
    let Some((first, bytes)) = data.split_first() else { return };
    let label = LABELS[usize::from(first % 16)];
    let kind = if first & 16 == 0 { "plain" } else { "html" };
    let line: Vec<u8> = bytes.iter().copied().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let charset = if label.is_empty() { String::new() } else { format!("; charset={label}") };
    let raw = [
        b"From: \"",
        &line[..],
        b"\" <ann@a.example>\r\nSubject: ",
        &line,
        format!("\r\nContent-Type: text/{kind}{charset}\r\n\r\n").as_bytes(),
        bytes,
    ]
    .concat();
    let parsed = parse(&raw);
    let again = parse(&raw);
    assert_eq!((&parsed.subject, &parsed.text, &parsed.author), (&again.subject, &again.text, &again.author));
    for text in [&parsed.subject, &parsed.text, &parsed.html].into_iter().flatten() {
        assert!(text.len() <= TEXT_PER_BYTE_MAX * raw.len(), "{} bytes of {}", text.len(), raw.len());
    }
    let is_plain = |text: &str| !text.contains(['\u{1b}', '\0', '\r']) && !text.starts_with('\u{feff}');
    if let Ok(text) = std::str::from_utf8(bytes)
        && kind == "plain"
        && matches!(label, "" | "us-ascii" | "utf-8" | "x-unknown")
        && is_plain(text)
    {
        assert_eq!(parsed.text.as_deref().unwrap_or_default(), text, "UTF-8 was changed");
    }
    if let Some(text) = text_of_file(bytes) {
        assert!(text.len() <= TEXT_PER_BYTE_MAX * bytes.len());
    }
}
