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

/// A cell is a number of a string, so a row of a few bytes can stand for gigabytes.
#[test]
fn a_row_of_one_long_string_needs_no_memory_beyond_its_text() {
    let strings = format!("<sst><si><t>{}</t></si></sst>", "s".repeat(1 << 20));
    let row = format!("<row>{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(1_000));
    let parts = [
        ("xl/workbook.xml", r#"<sheet name="a" r:id="s"/>"#.to_owned()),
        ("xl/_rels/workbook.xml.rels", r#"<Relationship Id="s" Type="x/worksheet" Target="s.xml"/>"#.to_owned()),
        ("xl/s.xml", row),
        ("xl/sharedStrings.xml", strings),
    ];
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in &parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
        std::io::Write::write_all(&mut zip, text.as_bytes()).expect("written");
    }
    let bytes = zip.finish().expect("an archive").into_inner();
    let read = read(&named("a.xlsx", "application/octet-stream"), &bytes).expect("readable");
    assert!(read.is_truncated);
    assert_eq!(read.pages[0].chars().count(), limits::CHARS_MAX);
}
