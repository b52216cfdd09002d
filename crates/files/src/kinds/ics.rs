//! Calendars: the fields of each event, task and journal entry as lines. A value never looks like a field of its own.

use posthouse_mail::calendar::{self, CalendarEvent, CalendarKind};

use super::text::decode;
use crate::{FileError, FileText, output::TextWriter};

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let text = decode(bytes)?;
    let is_whole = text.to_ascii_uppercase().contains("END:VCALENDAR");
    let calendar = calendar::parse(&text)
        .filter(|calendar| !calendar.events.is_empty() || !calendar.entries.is_empty() || is_whole)
        .ok_or_else(|| FileError::parse("The file is not a valid calendar."))?;
    let mut out = TextWriter::default();
    field(&mut out, "Method", calendar.method.as_deref().unwrap_or_default());
    calendar.events.iter().for_each(|event| write(&mut out, CalendarKind::Event, event));
    calendar.entries.iter().for_each(|entry| write(&mut out, entry.kind, &entry.fields));
    Ok(out.finish())
}

fn write(out: &mut TextWriter, kind: CalendarKind, event: &CalendarEvent) {
    let mut line = |name: &str, value: &str| field(out, name, value);
    let name = match kind {
        CalendarKind::Event => "Event",
        CalendarKind::Task => "Task",
        CalendarKind::Journal => "Journal",
    };
    line(name, event.summary.as_deref().unwrap_or("(no title)"));
    line("Starts", &event.start);
    line("Ends", event.end.as_deref().unwrap_or_default());
    line("Repeats", event.rule.as_deref().unwrap_or_default());
    line("Location", event.location.as_deref().unwrap_or_default());
    line("Status", event.status.as_deref().unwrap_or_default());
    event.details.iter().for_each(|detail| line(detail.name, &detail.value));
    let address = event.organizer.as_deref().unwrap_or_default();
    match event.organizer_name.as_deref().filter(|name| !name.is_empty()) {
        Some(name) => line("Organizer", &format!("{name} <{address}>")),
        None => line("Organizer", address),
    }
    event.attendees.iter().for_each(|attendee| line("Attendee", &attendee.shown()));
    line("UID", &event.uid);
    description(out, event.description.as_deref().unwrap_or_default());
}

/// Writes a field on one line.
fn field(out: &mut TextWriter, name: &str, value: &str) {
    let value = value.split(is_break).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    if !value.is_empty() {
        out.push(name);
        out.push(": ");
        out.push(&value);
        out.end_line();
    }
}

/// Writes the description, whose further lines are indented.
fn description(out: &mut TextWriter, value: &str) {
    let lines = value.trim_matches(is_break).split(is_break);
    for (at, line) in lines.enumerate() {
        if at == 0 && value.trim().is_empty() {
            return;
        }
        out.push(if at == 0 { "Description: " } else { "  " });
        out.push(line);
        out.end_line();
    }
}

/// Returns whether a character ends a line for a reader of the text.
fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(lines: &str) -> String {
        read(format!("BEGIN:VCALENDAR\n{lines}\nEND:VCALENDAR\n").as_bytes()).unwrap().pages.concat()
    }

    #[test]
    fn a_value_never_looks_like_a_field() {
        let forged = "Organizer: ceo@example.com";
        for name in ["SUMMARY", "LOCATION", "DESCRIPTION", "URL", "CONFERENCE", "CATEGORIES"] {
            for line_end in ["\\n", "\\N", "\\n\\n", "\u{2028}", "\u{2029}", "\u{b}", "\u{c}", "\u{85}"] {
                let text = text_of(&format!("BEGIN:VEVENT\n{name}:Lunch{line_end}{forged}\nEND:VEVENT"));
                assert!(text.contains(forged) || name == "URL", "{name} {text:?}");
                let is_field = |line: &str| line.starts_with("Organizer:");
                assert!(!text.lines().any(is_field), "{name} {line_end:?} {text:?}");
            }
        }
    }

    #[test]
    fn each_kind_shows_its_fields() {
        let text = text_of(
            "METHOD:REQUEST\nBEGIN:VEVENT\nUID:1\nSUMMARY:Sync\nDTSTART:20270115T120000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY\n\
             EXDATE:20270116T120000Z,20270117T120000Z\nRECURRENCE-ID:20270118T120000Z\nURL:https://a.example/\n\
             CONFERENCE;VALUE=URI:https://b.example/\nX-GOOGLE-CONFERENCE:https://c.example/\n\
             X-MICROSOFT-SKYPETEAMSMEETINGURL:https://d.example/\nORGANIZER;CN=Ada:mailto:ada@example.com\n\
             DESCRIPTION:One\\ntwo\nEND:VEVENT\nBEGIN:VTODO\nSUMMARY:Pay\nDUE;VALUE=DATE:20270120\nSTATUS:IN-PROCESS\n\
             PERCENT-COMPLETE:50\nPRIORITY:1\nEND:VTODO\nBEGIN:VJOURNAL\nSUMMARY:Notes\nDESCRIPTION:All fine\nEND:VJOURNAL",
        );
        assert_eq!(
            text,
            "Method: REQUEST\nEvent: Sync\nStarts: 2027-01-15 12:00:00 UTC\nEnds: 2027-01-15 13:00:00 UTC\nRepeats: FREQ=DAILY\n\
             Except: 2027-01-16 12:00:00 UTC, 2027-01-17 12:00:00 UTC\nInstead of: 2027-01-18 12:00:00 UTC\n\
             URL: https://a.example/\nConference: https://b.example/\nConference: https://c.example/\n\
             Conference: https://d.example/\nOrganizer: Ada <ada@example.com>\nUID: 1\nDescription: One\n  two\n\
             Task: Pay\nStatus: IN-PROCESS\nDue: 2027-01-20\nDone: 50%\nPriority: 1\nJournal: Notes\nDescription: All fine"
        );
    }
}
