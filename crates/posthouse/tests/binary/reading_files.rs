//! The process that reads one file: what it returns for ordinary files, and what hostile ones can't do.

mod hostile;
mod loops;
mod office;
mod pdf;
mod served;
mod stated_text;

use std::{
    io::{Read, Write},
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    thread,
};

use serde_json::{Value, json};

/// Largest output, in bytes: the longest text in UTF-8, and a header.
const OUTPUT_BYTES_MAX: usize = 9 * 1024 * 1024;

/// What a process made of a file.
#[derive(Debug)]
pub(crate) struct ReadResult {
    /// The first line of its output; `None` if it died.
    header: Option<Value>,
    /// The text.
    text: String,
}

impl ReadResult {
    /// Returns the code of the error, `died`, or `done`.
    pub(crate) fn outcome(&self) -> String {
        match &self.header {
            None => "died".to_owned(),
            Some(header) => header["error"]["code"].as_str().unwrap_or("done").to_owned(),
        }
    }
}

/// Reads a file in a process.
pub(crate) fn read(name: &str, bytes: &[u8]) -> ReadResult {
    read_with(&json!({ "filename": name, "content_type": "application/octet-stream", "rasterizes": true }), bytes)
}

/// Reads a file about which this is known.
fn read_with(hints: &Value, bytes: &[u8]) -> ReadResult {
    let mut child = Command::new(env!("CARGO_BIN_EXE_posthouse"))
        .arg("read-file")
        .env_clear()
        .env("_RJEM_MALLOC_CONF", "background_thread:false,narenas:2")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let input = [format!("{hints}\n").as_bytes(), bytes].concat();
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let mut output = Vec::new();
    stdout.read_to_end(&mut output).expect("the output ends");
    writer.join().expect("writing doesn't panic");
    let status = child.wait().expect("the process ends");
    let line = output.iter().position(|byte| *byte == b'\n');
    let header = line.filter(|_| status.success()).map(|end| serde_json::from_slice(&output[..end]).expect("JSON"));
    let text_bytes: usize = header
        .iter()
        .flat_map(|header: &Value| header["pages"].as_array().cloned().unwrap_or_default())
        .filter_map(|bytes| usize::try_from(bytes.as_u64()?).ok())
        .sum();
    let start = line.map_or(0, |end| end + 1);
    let text = output.get(start..start + text_bytes).unwrap_or_default();
    ReadResult { header, text: String::from_utf8(text.to_vec()).expect("UTF-8") }
}

#[test]
fn ordinary_files_have_their_text() {
    let table = [
        ("a.pdf", pdf::of_lines(&["Invoice 4711", "Total: 12.50 EUR"]), "Invoice 4711\nTotal: 12.50 EUR"),
        ("a.docx", office::docx("<w:p><w:r><w:t>One</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"), "One\na\tb"),
        ("a.xlsx", office::xlsx(r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>12.5</v></c></row><row r="2"><c r="A2" s="1"><v>45292</v></c></row>"#), "Sums\nName\t\t12.5\n2024-01-01"),
        ("a.pptx", office::pptx(&["First", "Second"]), "FirstSecond"),
        ("a.odt", office::odt("<text:p>One<text:tab/>two</text:p>"), "One\ttwo"),
        ("a.ods", office::ods(r#"<table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell></table:table-row>"#), "T\nx\tx"),
        ("a.epub", office::epub(&["<p>Chapter one</p>", "<p>Chapter two</p>"]), "Chapter oneChapter two"),
        ("a.eml", b"From: ada@example.com\r\nSubject: Hi\r\n\r\nBody\r\n".to_vec(), "From: ada@example.com\nSubject: Hi\n\nBody"),
        (
            "a.ics",
            b"BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Lunch\\, early\r\nDTSTART:20270115T120000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n".to_vec(),
            "Method: REQUEST\nEvent: Lunch, early\nStarts: 2027-01-15 12:00:00 UTC\nUID: 1",
        ),
    ];
    for (name, bytes, expected) in table {
        let result = read(name, &bytes);
        assert_eq!(result.outcome(), "done", "{name}");
        assert_eq!(result.text.trim(), expected, "{name}");
    }
}

/// Programs count the numbers of lists, and keep charts, comments and dates apart from the text.
#[test]
fn what_a_program_shows_beside_the_text_is_read() {
    for (name, bytes, expected) in office::shown_beside_the_text() {
        let result = read(name, &bytes);
        assert_eq!(result.outcome(), "done", "{name}");
        assert_eq!(result.text.trim(), expected, "{name}");
    }
    let table: [(&str, &[u8], &str); 5] = [
        ("star.rtf", br"{\rtf1 {\b0\*\cs7 shown}{\*\other hidden}}", "shown"),
        (
            "font.rtf",
            br"{\rtf1\ansi{\fonttbl{\f0 Arial;}{\f1\fcharset128 Mincho;}}\f1 \'93\'8c\'8b\'9e\f0  caf\'e9}",
            "東京 café",
        ),
        ("pair.rtf", br"{\rtf1\uc0 a\u-10179\u-8704 b\u-10179 c\u-8704 d}", "a\u{1f600}bcd"),
        ("note.rtf", br"{\rtf1 Text{\*\footnote {\chftn} A note.} goes on}", "Text goes on\n[1] A note."),
        ("html.rtf", br"{\rtf1\fromhtml1 {\*\htmltag <p>}one\htmlrtf \par two\htmlrtf0 three}", "onethree"),
    ];
    for (name, bytes, expected) in table {
        assert_eq!(read(name, bytes).text.trim(), expected, "{name}");
    }
}

#[test]
fn a_broken_document_was_called_a_kind_that_nothing_reads() {
    let whole = office::docx("<w:p><w:r><w:t>One</w:t></w:r></w:p>");
    let cut = &whole[..whole.len() / 2];
    let other = office::archive(&[("readme.txt", b"x")]);
    let noise: Vec<u8> = (0..200_u8).map(|at| at.wrapping_mul(37)).collect();
    let binary = ["docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "pdf", "msg", "png", "jpg", "gif"];
    for ending in binary {
        for (kind, bytes) in
            [("cut", cut), ("other", &other), ("noise", &noise), ("words", b"just words"), ("empty", b"")]
        {
            assert_eq!(read(&format!("a.{ending}"), bytes).outcome(), "parse_error", "{kind} {ending}");
        }
    }
    for ending in ["txt", "csv", "html", "eml", "ics", "rtf"] {
        assert_eq!(read(&format!("a.{ending}"), &noise).outcome(), "parse_error", "{ending}");
    }
    for (name, bytes) in [("a.zip", &other[..]), ("a.bin", &noise), ("a", &noise)] {
        assert_eq!(read(name, bytes).outcome(), "unsupported_type", "{name}");
    }
    let typed = json!({ "filename": "file", "content_type": "application/pdf", "rasterizes": false });
    assert_eq!(read_with(&typed, &noise).outcome(), "parse_error");
}

/// What begins like a known kind and can't be read is damaged, whatever it is called.
#[test]
fn a_cut_archive_was_read_as_text() {
    let whole = office::docx("<w:p><w:r><w:t>One</w:t></w:r></w:p>");
    let cut: [(&str, &[u8]); 16] = [
        ("zip", b"PK\x03\x04"),
        ("zip of one part", &whole[..60]),
        ("half a document", &whole[..whole.len() / 2]),
        ("end of an archive", b"PK\x05\x06"),
        ("part of a divided archive", b"PK\x07\x08PK\x03\x04"),
        ("compound file", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        ("pdf", b"%PDF-"),
        ("pdf with a version", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"),
        ("rtf", b"{\\rtf"),
        ("rtf with fonts", b"{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}"),
        ("png", b"\x89PNG\r\n\x1a\n"),
        ("jpeg", b"\xff\xd8\xff\xe0"),
        ("gif", b"GIF89a"),
        ("tiff", b"II*\0"),
        ("webp", b"RIFF\x10\0\0\0WEBPVP8 "),
        ("calendar", b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n"),
    ];
    for (kind, bytes) in cut {
        for name in ["a.txt", "a.md", "a.html", "a.csv", "a.docx", "a.bin", "a.zip", "a"] {
            assert_eq!(read(name, bytes).outcome(), "parse_error", "{kind} as {name}");
        }
    }
}

/// The content says what a file is.
#[test]
fn files_are_read_whatever_they_are_called() {
    let files: [(&str, Vec<u8>); 5] = [
        ("pdf", pdf::of_lines(&["One"])),
        ("docx", office::docx("<w:p><w:r><w:t>One</w:t></w:r></w:p>")),
        ("rtf", br"{\rtf1 One}".to_vec()),
        ("html", b"<html><p>One</p></html>".to_vec()),
        ("pdf behind something", [b"\r\n\r\n".as_slice(), &pdf::of_lines(&["One"])].concat()),
    ];
    for (kind, bytes) in &files {
        for name in ["a.docx", "a.pdf", "a.txt", "a.png", "a.csv", "a.xls", "a"] {
            let result = read(name, bytes);
            assert_eq!((result.outcome().as_str(), result.text.trim()), ("done", "One"), "{kind} as {name}");
        }
    }
    let about = "A PDF begins with %PDF-1.7 and has objects.";
    for name in ["a.txt", "a.md", "a.json", "a"] {
        assert_eq!(read(name, about.as_bytes()).text.trim(), about, "{name}");
    }
}

#[test]
fn a_page_of_a_pdf_is_drawn() {
    let pdf = pdf::of_lines(&["Invoice 4711"]);
    let images = |name: &str, bytes: &[u8], page: usize| {
        let hints = json!({ "filename": name, "content_type": "", "rasterizes": false, "wanted_page": page });
        let result = read_with(&hints, bytes);
        let outcome = result.outcome();
        result
            .header
            .and_then(|header| header["images"].as_array().map(Vec::len))
            .filter(|_| outcome == "done")
            .ok_or(outcome)
    };
    assert_eq!(images("a.pdf", &pdf, 0), Ok(1));
    assert_eq!(images("a.pdf", &pdf, 1), Ok(0));
    assert_eq!(images("a.pdf", &pdf, usize::MAX), Ok(0));
    assert_eq!(images("a.docx", &office::docx("<w:p/>"), 0), Err("unsupported_type".to_owned()));
}

#[test]
fn a_scan_is_returned_as_an_image() {
    let result = read("scan.pdf", &pdf::of_image(64, 64));
    let header = result.header.expect("the process ends well");
    assert_eq!(header["images"].as_array().map(Vec::len), Some(1), "{header}");
    assert_eq!(header["images"][0]["page"], 0);
}

/// Only an image that covers a third of its page was taken for a scan.
#[test]
fn a_small_or_cut_scan_had_no_text() {
    let strip = |at: usize| format!("q 595 0 0 20 0 {} cm /X Do Q ", 700 - 20 * at);
    for (content, images) in [
        ("q 300 0 0 200 50 500 cm /X Do Q".to_owned(), 1),
        ((0..6).map(strip).collect(), 1),
        ("q 40 0 0 40 50 500 cm /X Do Q".to_owned(), 0),
        ("q 300 0 0 200 50 500 cm /X Do Q BT /F1 12 Tf (A page with words) Tj ET".to_owned(), 0),
        ("q 300 0 0 200 50 500 cm /X Do Q BT /F1 12 Tf (7) Tj ET".to_owned(), 1),
    ] {
        let header = read("scan.pdf", &pdf::of_drawn_image(8, 8, &content)).header.expect("the process ends well");
        assert_eq!(header["images"].as_array().map(Vec::len), Some(images), "{content}");
    }
}

/// Phones and scanners store pages turned.
#[test]
fn ocr_turns_pages_upright() {
    let folder = std::env::temp_dir().join(format!("posthouse-ocr-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let command = folder.join("tesseract");
    std::fs::write(&command, "#!/bin/sh\necho \"$@\"\n").expect("a program");
    std::fs::set_permissions(&command, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let output = Command::new(env!("CARGO_BIN_EXE_posthouse")).arg("read-image").arg(&command).arg("eng+deu").output();
    let output = String::from_utf8(output.expect("the binary starts").stdout).expect("UTF-8");
    std::fs::remove_dir_all(&folder).expect("removed");
    assert_eq!(output.trim(), "stdin stdout -l eng+deu --psm 1");
}

/// Hostile files of one sort, and how many there are at least.
type HostileFamily = (fn() -> Vec<hostile::HostileFile>, usize);

const ARCHIVES: [HostileFamily; 3] = [(hostile::bombs, 15), (loops::overlaps, 10), (hostile::entities, 20)];
const STRUCTURES: [HostileFamily; 3] = [(hostile::nesting, 35), (loops::lists, 5), (loops::calendars, 7)];
const TABLES: [HostileFamily; 3] = [(hostile::tables, 25), (loops::sheets, 20), (hostile::images_and_mail, 20)];
const PDFS: [HostileFamily; 3] = [(hostile::pdf_structure, 25), (hostile::pdf_content, 18), (loops::fonts, 4)];
const CHANGED: [HostileFamily; 1] = [(hostile::mutations, 60)];

#[test]
fn there_are_hostile_files_of_each_sort() {
    let families = [&ARCHIVES[..], &STRUCTURES, &TABLES, &PDFS, &CHANGED];
    assert!(families.into_iter().flatten().map(|(_, count)| count).sum::<usize>() >= 200);
}

#[test]
fn hostile_archives_cost_no_more_than_their_limits() {
    check_all(&ARCHIVES);
}

#[test]
fn hostile_structures_cost_no_more_than_their_limits() {
    check_all(&STRUCTURES);
}

#[test]
fn hostile_tables_cost_no_more_than_their_limits() {
    check_all(&TABLES);
}

#[test]
fn hostile_pdfs_cost_no_more_than_their_limits() {
    check_all(&PDFS);
}

#[test]
fn changed_files_cost_no_more_than_their_limits() {
    check_all(&CHANGED);
}

fn check_all(families: &[HostileFamily]) {
    for (family, least) in families {
        let files = family();
        assert!(files.len() >= *least, "{} files", files.len());
        files.iter().for_each(check);
    }
}

/// Reads a hostile file. The process ends, because its limits end it.
fn check(file: &hostile::HostileFile) {
    let result = read(&file.name, &file.bytes);
    assert!(result.text.len() < OUTPUT_BYTES_MAX, "{}: {} bytes", file.name, result.text.len());
    for secret in ["root:x:0", "PWNED", "/bin/sh"] {
        assert!(!result.text.contains(secret), "{}: has {secret}", file.name);
    }
    println!("{:>16} {:>9} {}", result.outcome(), result.text.len(), file.name);
}
