//! Tests of fields, folds, encoded words and the map form.

use proptest::prelude::*;

use super::*;

#[test]
fn encoded_words_of_real_mailers_are_decoded() {
    let table: &[(&str, &str)] = &[
        ("plain", "plain"),
        (" spaced \t", "spaced"),
        ("two\r\n\t lines", "two lines"),
        ("=?iso-8859-1?Q?Gr=FC=DFe_an_alle?=", "Grüße an alle"),
        ("=?utf-8?B?R3LDvA==?= =?utf-8?B?w59l?=", "Grüße"),
        ("=?utf-8?q?a?=\r\n =?utf-8?q?_b?= c", "a b c"),
        // One character split between two words, as several mailers do.
        ("=?UTF-8?B?w7w=?= =?utf-8?B?4oI=?= =?utf-8?B?rA==?=", "ü€"),
        ("=?utf-8*en?q?lang?=", "lang"),
        ("a=?utf-8?q?b?=c", "abc"),
        ("=?utf-8?q?with blanks inside?=", "with blanks inside"),
        ("=?utf-8?q??=", ""),
        ("=?utf-8?q?=41?=", "A"),
        ("=?broken", "=?broken"),
        ("=?utf-8?x?abc?=", "=?utf-8?x?abc?="),
        ("=?unknown-8bit?q?=E9?=", "é"),
        ("=?utf-8?q?a=0D=0ABcc:_x?=", "a  Bcc: x"),
        ("=?utf-8?B?!!!R3LDvA==?=", "Grü"),
        ("=?iso-2022-kr?Q?Hello?=", "Hello"),
        ("=?iso-2022-kr?B?GyQpQw5HUTFbDw==?= x", "한글 x"),
        ("=?hz-gb-2312?Q?=7E{Dc:C=7E}?=", "你好"),
        ("=?cp949?Q?=C7=D1?= =?CP949?Q?=B1=DB?=", "한글"),
        ("=?win-1251?Q?=CF?=", "П"),
    ];
    for (value, decoded) in table {
        assert_eq!(decode(value.as_bytes()), *decoded, "{value}");
    }
    assert_eq!(decode(b"caf\xe9"), "café");
    // Raw bytes inside a word, as old mailers produce them.
    assert_eq!(decode(b"=?iso-8859-1?Q?Fr\xf6sche_=FC?="), "Frösche ü");
    assert_eq!(decode("=?utf-8?Q?Frösche_=C3=BC?=".as_bytes()), "Frösche ü");
}

#[test]
fn fields_are_parsed_among_malformed_lines() {
    let raw =
        b"From x Mon Jan 1 00:00:00\r\nA: 1\r\nno colon here\r\n folded on\r\nb : 2\n\tmore\nC:\r\n\r\nD: body\r\n";
    let found: Vec<(&str, String)> = fields(raw).map(|field| (field.name, field.decoded())).collect();
    let expected = [("A", "1".to_owned()), ("b", "2 more".to_owned()), ("C", String::new())];
    assert_eq!(found, expected);
    assert_eq!(&raw[body_offset(raw)..], b"D: body\r\n");
    assert!(section(raw).ends_with(b"C:\r\n"));
    assert_eq!(first_field(raw, "B").map(|field| &raw[field.range]), Some(&b"b : 2\n\tmore\n"[..]));
}

#[test]
fn map_groups_repeated_names_in_order() {
    let headers = DecodedHeaders::from_raw(b"Received: 2\r\nTo: a\r\nRECEIVED: 1\r\n\r\n");
    assert_eq!(headers.map(), [("received", HeaderValues::Many(vec!["2", "1"])), ("to", HeaderValues::One("a"))]);
    assert_eq!(headers.first("Received"), Some("2"));
    assert_eq!(headers.all("received").count(), 2);
    assert_eq!((headers.len(), headers.first("cc")), (3, None));
}

#[test]
fn header_sections_over_the_limits_are_truncated() {
    let many = "A: b\r\n".repeat(HEADER_FIELDS_MAX + 10);
    assert_eq!(DecodedHeaders::from_raw(many.as_bytes()).len(), HEADER_FIELDS_MAX);
    let opens = format!("Subject: {}?=", "=?utf-8?q?x ".repeat(20_000));
    assert_eq!(DecodedHeaders::from_raw(opens.as_bytes()).len(), 1);
    let spread = format!("Subject: {}{}?=", "=? ".repeat(40_000), " ".repeat(100_000));
    assert_eq!(DecodedHeaders::from_raw(spread.as_bytes()).len(), 1);
}

proptest! {
    #[test]
    fn a_decoded_value_is_one_clean_line(value in proptest::collection::vec(any::<u8>(), 0..300)) {
        let decoded = decode(&value);
        prop_assert!(!decoded.chars().any(|c| c.is_control() && c != '\t'), "{:?}", decoded);
        prop_assert!(decoded.len() <= 4 * value.len());
    }
}
