//! Texts of files: never more than their limits, no control characters, and the same after the pipe.

use posthouse_files::{FileHints, limits::CHARS_MAX, read, worker};
use posthouse_mail::calendar::{self, CalendarAnswer};

/// Names of the kinds that are our own code.
const NAMES: [&str; 8] = ["a.txt", "a.csv", "a.html", "a.rtf", "a.ics", "a.eml", "a.docx", "a.tsv"];

/// Reads a file whose kind the first byte chooses.
pub fn run(data: &[u8]) {
    let Some((choice, bytes)) = data.split_first() else { return };
    // Libraries read these, in a process of their own.
    if bytes.starts_with(b"%PDF") || bytes.starts_with(b"\xd0\xcf") || bytes.starts_with(b"PK") {
        return;
    }
    let filename = Some(NAMES[usize::from(*choice) % NAMES.len()].to_owned());
    let hints = FileHints { filename, content_type: String::new(), rasterizes: false, wanted_page: None };
    let result = read(&hints, bytes);
    if let Ok(text) = &result {
        let chars: usize = text.pages.iter().map(|page| page.chars().count()).sum();
        assert!(chars <= CHARS_MAX);
        let is_kept = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
        assert!(text.pages.iter().all(|page| page.chars().all(is_kept)));
    }
    assert_eq!(worker::parse_output(&worker::output(result.clone())), Some(result));
    if let Some(found) = std::str::from_utf8(bytes).ok().and_then(calendar::parse) {
        for event in &found.events {
            let address = event.attendees.first().map_or("", |attendee| attendee.address.as_str());
            let events = calendar::invited(&found, address);
            if let Some(reply) = calendar::reply(&events, address, CalendarAnswer::Accepted, "20270115T080000Z") {
                assert!(reply.split_terminator("\r\n").all(|line| line.len() <= 76 && !line.contains(['\r', '\n'])));
                let parsed = calendar::parse(&reply).expect("a reply is a calendar");
                assert_eq!(parsed.method.as_deref(), Some("REPLY"));
            }
        }
    }
}
