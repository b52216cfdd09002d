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
        hidden: "\u{e9}".to_owned(),
        images: vec![PageImage { page: 1, bytes: vec![1, 10, 2] }],
    };
    assert_eq!(worker::parse_output(&worker::output(Ok(text.clone()))), Some(Ok(text)));
    let error = FileError::parse("no");
    assert_eq!(worker::parse_output(&worker::output(Err(error.clone()))), Some(Err(error)));
    let hints = named("a\nb", "text/plain");
    assert_eq!(worker::parse_input(&worker::input(&hints, b"x\ny")), Some((hints, &b"x\ny"[..])));
    assert_eq!(worker::parse_output(b"{}\nrest"), None);
}

pub(crate) fn read_named(filename: &str, bytes: &[u8]) -> FileText {
    read(&named(filename, "application/octet-stream"), bytes).expect("readable")
}

#[test]
fn the_delimiter_of_a_table_splits_its_rows_evenly() {
    let table = [
        (
            "Betrag;Datum;Text\n1.234,50;01.03.2026;Miete, warm, Mai\n",
            "Betrag\tDatum\tText\n1.234,50\t01.03.2026\tMiete, warm, Mai",
        ),
        ("a;b\n1,50;x\n2,50;y", "a\tb\n1,50\tx\n2,50\ty"),
        ("1,50;2,50\n3,50;4,50", "1,50\t2,50\n3,50\t4,50"),
        ("1,2,3\n4,5,6", "1\t2\t3\n4\t5\t6"),
        ("a,b,c; d", "a\tb\tc; d"),
        ("a,b\n\"x;y;z\",2\n\"u;v;w\",3", "a\tb\nx;y;z\t2\nu;v;w\t3"),
        ("a\tb\n1,5\t2,5", "a\tb\n1,5\t2,5"),
        ("a|b\nx, y, z|2", "a\tb\nx, y, z\t2"),
        ("a;b;c\n1,5;2\n3,5;4;5;6", "a\tb\tc\n1,5\t2\n3,5\t4\t5\t6"),
        ("Name, first\nA, b\nC, d", "Name\tfirst\nA\tb\nC\td"),
        ("sep=;\na;b,c\n1,5;2,5", "a\tb,c\n1,5\t2,5"),
        ("sep=,\na;x,b\n1;x,2", "a;x\tb\n1;x\t2"),
        ("\"sep=|\"\na|b;c,d", "a\tb;c,d"),
        ("sep=\na,b", "sep=\na\tb"),
        ("sep=ab\na,b", "sep=ab\na\tb"),
        ("separator,b\n1,2", "separator\tb\n1\t2"),
        ("one\ntwo", "one\ntwo"),
        ("", ""),
    ];
    for (source, expected) in table {
        for end in ["\n", "\r\n", "\r"] {
            assert_eq!(text_of("a.csv", source.replace('\n', end).as_bytes()), expected, "{source:?} {end:?}");
        }
    }
}

#[test]
fn line_ends_within_a_cell_are_spaces() {
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(text_of("a.csv", format!("a,b{end}\"x{end}y\",2{end}").as_bytes()), "a\tb\nx y\t2");
    }
}

#[test]
fn a_long_row_loses_only_its_own_rest() {
    let row = |cells: usize| vec!["x"; cells].join(",");
    for (cells, is_cut) in [(1, false), (1_023, false), (1_024, false), (1_025, true), (5_000, true)] {
        let text = read_named("a.csv", format!("a,b\n{}\nlast,row\n", row(cells)).as_bytes());
        assert_eq!(text.is_truncated, is_cut, "{cells}");
        assert!(text.pages[0].ends_with("x\nlast\trow"), "{cells}");
    }
}

#[test]
fn a_wide_sheet_says_that_it_is_cut() {
    for (column, is_cut) in [("B", false), ("AMJ", false), ("AMK", true), ("XFD", true)] {
        let rows = format!(
            r#"<row><c r="A1"><v>1</v></c><c r="{column}1"><v>2</v></c></row><row><c r="A2"><v>3</v></c></row>"#
        );
        let text = read_named("a.xlsx", &workbook(rows, "<sst/>".to_owned()));
        assert_eq!(text.is_truncated, is_cut, "{column}");
        assert!(text.pages[0].ends_with("\n3"), "{column}");
    }
}

#[test]
fn mail_that_is_nested_too_deeply_says_that_it_is_cut() {
    for depth in 0..7 {
        let mut mail = "Subject: inner\r\n\r\ninnermost\r\n".to_owned();
        for level in 0..depth {
            let open = format!(
                "Subject: level\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b{level}\r\n\r\n--b{level}\r\n\r\ntext\r\n"
            );
            let part = format!(
                "--b{level}\r\nContent-Type: message/rfc822\r\nContent-Disposition: attachment; filename=a.eml\r\n\r\n"
            );
            mail = format!("{open}{part}{mail}\r\n--b{level}--\r\n");
        }
        let text = read_named("a.eml", mail.as_bytes());
        assert_eq!(text.is_truncated, !text.pages[0].contains("innermost"), "{depth}");
        assert_eq!(text.is_truncated, depth > limits::MAIL_DEPTH_MAX, "{depth}");
    }
}

#[test]
fn text_that_html_hides_is_kept_for_the_screen() {
    let html = "<p>seen</p><div style='display:none'>unseen words</div>";
    let mail = format!(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: text/html\r\nContent-Disposition: attachment; filename=a.html\r\n\r\n{html}\r\n--b--\r\n"
    );
    for (filename, bytes) in [("a.html", html), ("a.eml", &*mail)] {
        let text = read_named(filename, bytes.as_bytes());
        assert_eq!(text.hidden.trim(), "unseen words", "{filename}");
        assert!(text.pages[0].contains("seen") && !text.pages[0].contains("unseen"), "{filename}");
    }
    assert_eq!(read_named("a.html", b"<p>seen</p>").hidden, "");
}

#[test]
fn deleted_text_of_rtf_is_left_out() {
    let table = [
        (r"{\rtf1 kept {\deleted gone}kept}", "kept kept"),
        (r"{\rtf1 a\deleted b\deleted0 c}", "ac"),
        (r"{\rtf1 a{\deleted b{\b c}\'e9\u8364?\par}d}", "ad"),
        (r"{\rtf1 a{\deleted1 b\plain c}d}", "acd"),
        (r"{\rtf1 a{\revised b}c}", "abc"),
    ];
    for (source, expected) in table {
        assert_eq!(text_of("a.rtf", source.as_bytes()), expected, "{source}");
    }
}

/// The text of these parts stands within the document, but is shown elsewhere.
#[test]
fn parts_of_rtf_are_read_in_their_place() {
    let table = [
        (r"{\rtf1{\header Firm\par}{\footer Page 1\par}Text\par}", "Firm\nText\nPage 1"),
        (r"{\rtf1{\headerl Left\par}{\headerr Right\par}{\headerl Left\par}Text}", "Left\nRight\nText"),
        (r"{\rtf1 One{\super\chftn}{\footnote{\super\chftn} Note.} two\par}", "One[1] two\n[1] Note."),
        (
            r"{\rtf1 A{\chftn}{\*\footnote\ftnalt\chftn  x\par} B{\chftn}{\footnote\chftn  y}}",
            "A[1] B[2]\n[1] x\n[2] y",
        ),
        (r"{\rtf1 One{\*\atnid AB}{\*\atnauthor A. B.}\chatn{\*\annotation\pard Really?} two}", "One two\nReally?"),
        (
            r"{\rtf1 One {\shp{\*\shpinst{\sp{\sn name}{\sv Box}}{\shptxt In the box\par}}{\shprslt In the box}}two\par three}",
            "One two\nIn the box\nthree",
        ),
        (r"{\rtf1 One{\*\do\dobxpage{\dptxbxtext box}}\par two}", "One\nbox\ntwo"),
        (r"{\rtf1 a{\object{\*\objclass X}{\*\objdata 00ff}{\result shown}}b}", "ashownb"),
        (r#"{\rtf1 a {\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}} b}"#, "a link b"),
        (r#"{\rtf1 a {\field{\*\fldinst SYMBOL 254 \\f "Wingdings" \\s 10}{\fldrslt}} b}"#, "a \u{2611} b"),
        (
            r"{\rtf1{\fonttbl{\f0 Arial;}{\f7\fnil\fcharset2 Wingdings;}}{\f7 \'fe}{\f7\u-3844?} done {\f0 \'fc}}",
            "\u{2611}\u{2713} done \u{fc}",
        ),
        (
            r"{\rtf1{\fonttbl{\f3\fcharset2 Symbol;}}{\listtext\f3\'b7\tab}one\par{\pntext 2.\tab}two}",
            "\u{2022} one\n2. two",
        ),
        (r"{\rtf1{\listtext\pard\plain \u61623\'3f\tab}one}", "\u{2022} one"),
        (
            r"{\rtf1\intbl a\par\pard\intbl\itap2 b\nestcell c\nestcell{\*\nesttableprops\nestrow}{\nonesttables\par}\pard\intbl\cell d\cell\row}",
            "a b c\td",
        ),
        (r"{\rtf1\intbl a\line b\tab c\cell d\cell\row e}", "a b c\td\ne"),
        (r"{\rtf1\intbl a{\footnote\pard x\par y}b\par c\cell\row}", "ab c\nx\ny"),
        (r"{\rtf1 a{\header b", "b\na"),
        (r"{\rtf1{\stylesheet{\s1{\header no}}}a}", "a"),
        (r"\header a}b", "ab"),
    ];
    for (source, expected) in table {
        let source = if source.starts_with('{') { source.to_owned() } else { format!("{{\\rtf1}}{source}") };
        assert_eq!(text_of("a.rtf", source.as_bytes()), expected, "{source}");
    }
}

#[test]
fn text_that_rtf_hides_is_kept_for_the_screen() {
    let table = [
        (r"{\rtf1 seen {\v unseen words}too}", "seen too", "unseen words"),
        (r"{\rtf1 seen \v unseen \'e4\u8364?\v0 too}", "seen too", "unseen \u{e4}\u{20ac}"),
        (r"{\rtf1 a\v b\plain c\v1 d}", "ac", "b\nd"),
        (r"{\rtf1{\v b{\b c}\par d}}", "", "bc\nd"),
        (r"{\rtf1 a{\header\v b}{\footnote{\v c}d}}", "a\nd", "b\nc"),
        (r"{\rtf1 a\par{\v b\par}c\v\par\v0 d}", "a\nc\nd", "b"),
        (r"{\rtf1\intbl a{\v b}\cell c\cell\row}", "a\tc", "b"),
    ];
    for (source, expected, hidden) in table {
        let text = read_named("a.rtf", source.as_bytes());
        assert_eq!((&*text.pages.concat(), text.hidden.trim()), (expected, hidden), "{source}");
    }
}

/// A cell is a number of a string, so a row of a few bytes can stand for gigabytes.
#[test]
fn a_row_of_one_long_string_needs_no_memory_beyond_its_text() {
    let strings = format!("<sst><si><t>{}</t></si></sst>", "s".repeat(1 << 20));
    let row = format!("<row>{}</row>", r#"<c t="s"><v>0</v></c>"#.repeat(1_000));
    let read = read_named("a.xlsx", &workbook(row, strings));
    assert!(read.is_truncated);
    assert_eq!(read.pages[0].chars().count(), limits::CHARS_MAX);
}

/// Returns a workbook of one sheet with these rows.
fn workbook(rows: String, strings: String) -> Vec<u8> {
    workbook_of(&[("xl/s.xml", rows.as_bytes()), ("xl/sharedStrings.xml", strings.as_bytes())])
}

/// Returns a workbook of one sheet with one cell, and these parts.
pub(crate) fn workbook_of(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let sheet = br#"<row><c t="inlineStr"><is><t>cell</t></is></c></row>"#;
    let relation = br#"<Relationship Id="s" Type="x/worksheet" Target="s.xml"/>"#;
    let mut all: Vec<(&str, &[u8])> =
        vec![("xl/workbook.xml", br#"<sheet name="a" r:id="s"/>"#), ("xl/_rels/workbook.xml.rels", relation)];
    if parts.iter().all(|(name, _)| *name != "xl/s.xml") {
        all.push(("xl/s.xml", sheet));
    }
    all.extend(parts);
    archive(&all)
}

/// Returns an archive of parts.
pub(crate) fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a part");
        std::io::Write::write_all(&mut zip, bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}
