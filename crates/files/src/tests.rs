//! Small files of each kind.

use super::*;

fn named(filename: &str, content_type: &str) -> FileHints {
    FileHints { filename: Some(filename.to_owned()), content_type: content_type.to_owned(), ..FileHints::default() }
}

fn text_of(filename: &str, bytes: &[u8]) -> String {
    read(&named(filename, "application/octet-stream"), bytes).expect("readable").pages.join("\u{c}")
}

#[test]
fn words_and_tables_are_read() {
    assert_eq!(text_of("a.txt", b"One\r\ntwo\n"), "One\ntwo");
    assert_eq!(text_of("a.csv", b"name;sum\n\"a; \"\"b\"\"\";3,50\n"), "name\tsum\na; \"b\"\t3,50");
    assert_eq!(text_of("a.html", b"<html lang=de><p>Gr\xc3\xbc\xc3\x9fe</p><script>x</script>"), "Gr\u{fc}\u{df}e");
    let rtf = br"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 Caf\'e9 \u8364?\par two\line three}";
    assert_eq!(text_of("a.rtf", rtf), "Caf\u{e9} \u{20ac}\ntwo\nthree");
    let error = read(&named("a.bin", "application/octet-stream"), &[0, 159, 146, 150, 0, 1]).unwrap_err();
    assert_eq!(error.code, FileErrorCode::UnsupportedType);
}

#[test]
fn a_result_survives_the_pipe() {
    let text = FileText {
        pages: vec!["a".to_owned(), "\u{e9}\n".to_owned()],
        is_paged: true,
        is_truncated: true,
        language: Some("de".to_owned()),
        images: vec![PageImage { page: 1, bytes: vec![1, 10, 2] }],
    };
    assert_eq!(worker::parse_output(&worker::output(Ok(text.clone()))), Some(Ok(text)));
    let error = FileError::parse("no");
    assert_eq!(worker::parse_output(&worker::output(Err(error.clone()))), Some(Err(error)));
    let hints = named("a\nb", "text/plain");
    assert_eq!(worker::parse_input(&worker::input(&hints, b"x\ny")), Some((hints, &b"x\ny"[..])));
    assert_eq!(worker::parse_output(b"{}\nrest"), None);
}
