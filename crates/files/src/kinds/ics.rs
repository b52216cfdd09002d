//! Calendars: the fields of each event as lines.

use posthouse_mail::calendar;

use super::text::decode;
use crate::{FileError, FileText, output::TextWriter};

pub(crate) fn read(bytes: &[u8]) -> Result<FileText, FileError> {
    let text = decode(bytes)?;
    let is_whole = text.to_ascii_uppercase().contains("END:VCALENDAR");
    let calendar = calendar::parse(&text)
        .filter(|calendar| !calendar.events.is_empty() || is_whole)
        .ok_or_else(|| FileError::parse("The file is not a valid calendar."))?;
    let mut out = TextWriter::default();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push(name);
            out.push(": ");
            out.push(value);
            out.end_line();
        }
    };
    line("Method", calendar.method.as_deref().unwrap_or_default());
    for event in &calendar.events {
        line("Event", event.summary.as_deref().unwrap_or("(no title)"));
        line("Starts", &event.start);
        line("Ends", event.end.as_deref().unwrap_or_default());
        line("Repeats", event.rule.as_deref().unwrap_or_default());
        line("Location", event.location.as_deref().unwrap_or_default());
        line("Status", event.status.as_deref().unwrap_or_default());
        line("Organizer", event.organizer.as_deref().unwrap_or_default());
        event.attendees.iter().for_each(|attendee| line("Attendee", &attendee.shown()));
        line("UID", &event.uid);
        line("Description", event.description.as_deref().unwrap_or_default());
    }
    Ok(out.finish())
}
