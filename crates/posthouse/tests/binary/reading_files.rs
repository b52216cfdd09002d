//! The process that reads one file: what it returns for ordinary files, and what hostile ones can't do.

mod hostile;
mod office;
mod pdf;
mod served;

use std::{
    io::{Read, Write},
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
    let mut child = Command::new(env!("CARGO_BIN_EXE_posthouse"))
        .arg("read-file")
        .env_clear()
        .env("_RJEM_MALLOC_CONF", "background_thread:false,narenas:2")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let hints = json!({ "filename": name, "content_type": "application/octet-stream", "rasterizes": true });
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

#[test]
fn a_scan_is_returned_as_an_image() {
    let result = read("scan.pdf", &pdf::of_image(64, 64));
    let header = result.header.expect("the process ends well");
    assert_eq!(header["images"].as_array().map(Vec::len), Some(1), "{header}");
    assert_eq!(header["images"][0]["page"], 0);
}

#[test]
fn hostile_files_cost_no_more_than_their_limits() {
    let files = hostile::all();
    assert!(files.len() >= 200, "{} files", files.len());
    thread::scope(|scope| {
        for half in files.chunks(files.len().div_ceil(2)) {
            scope.spawn(move || half.iter().for_each(check));
        }
    });
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
