//! Invitations (RFC 5545, RFC 5546): their fields, and the reply to one.

use std::sync::Arc;

/// Events of a calendar that are kept.
pub const EVENTS_MAX: usize = 200;
/// Zones of a calendar that are kept.
const ZONES_MAX: usize = 16;
/// Lines of a zone; a longer one is left out.
const ZONE_LINES_MAX: usize = 500;
/// Attendees of an event that are kept.
const ATTENDEES_MAX: usize = 500;
/// Octets of a line of a reply, without its end (RFC 5545 §3.1).
const LINE_BYTES_MAX: usize = 75;

/// A calendar.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Calendar {
    /// What the sender asks for, such as `REQUEST` or `CANCEL`.
    pub method: Option<String>,
    /// Its events.
    pub events: Vec<CalendarEvent>,
}

/// An event.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CalendarEvent {
    /// Its id, the same in every calendar.
    pub uid: String,
    /// Its title.
    pub summary: Option<String>,
    /// When it starts: a date, or a time with its zone.
    pub start: String,
    /// When it ends, or how long it takes.
    pub end: Option<String>,
    /// Where it is.
    pub location: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// The address of the organizer.
    pub organizer: Option<String>,
    /// Who is invited.
    pub attendees: Vec<Attendee>,
    /// `CONFIRMED`, `TENTATIVE` or `CANCELLED`.
    pub status: Option<String>,
    /// The rule by which it repeats.
    pub rule: Option<String>,
    /// The revision of the invitation.
    pub sequence: u32,
    /// The lines that a reply repeats: `DTSTART`, `DTEND` and `RECURRENCE-ID`.
    repeated: Vec<String>,
    /// The zones that these lines name.
    zones: Vec<Arc<str>>,
    /// The line of the organizer.
    organizer_line: Option<String>,
}

/// A person who is invited.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attendee {
    /// The address.
    pub address: String,
    /// The name.
    pub name: Option<String>,
    /// The answer so far, such as `NEEDS-ACTION`.
    pub answer: Option<String>,
}

impl Attendee {
    /// Returns name, address and answer.
    #[must_use]
    pub fn shown(&self) -> String {
        let name = self.name.as_deref().map(|name| format!("{name} ")).unwrap_or_default();
        let answer = self.answer.as_deref().map(|answer| format!(" ({answer})")).unwrap_or_default();
        format!("{name}<{}>{answer}", self.address)
    }
}

/// The answer to an invitation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CalendarAnswer {
    /// The attendee comes.
    Accepted,
    /// The attendee may come.
    Tentative,
    /// The attendee doesn't come.
    Declined,
}

impl CalendarAnswer {
    /// Returns the value of `PARTSTAT`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Accepted => "ACCEPTED",
            Self::Tentative => "TENTATIVE",
            Self::Declined => "DECLINED",
        }
    }
}

/// A line of content: a name with parameters, and a value.
struct ContentLine<'a> {
    name: String,
    parameters: Vec<(String, String)>,
    value: &'a str,
}

impl<'a> ContentLine<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let mut is_quoted = false;
        let is_end = |c: char| {
            is_quoted ^= c == '"';
            c == ':' && !is_quoted
        };
        let at = line.find(is_end)?;
        let (head, value) = (&line[..at], &line[at + 1..]);
        let mut parts = Vec::new();
        let (mut start, mut is_quoted) = (0, false);
        for (at, c) in head.char_indices() {
            is_quoted ^= c == '"';
            if c == ';' && !is_quoted {
                parts.push(&head[start..at]);
                start = at + 1;
            }
        }
        parts.push(&head[start..]);
        let mut parts = parts.into_iter();
        let name = parts.next()?.trim().to_ascii_uppercase();
        let parameter = |part: &str| {
            let (name, value) = part.split_once('=')?;
            Some((name.trim().to_ascii_uppercase(), value.trim().trim_matches('"').to_owned()))
        };
        Some(Self { name, parameters: parts.filter_map(parameter).collect(), value })
    }

    fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns a time with its zone, in the form of ISO 8601.
    fn time(&self) -> String {
        let value = self.value.trim();
        let digits =
            |from: usize, to: usize| value.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
        let (Some(year), Some(month), Some(day)) = (digits(0, 4), digits(4, 6), digits(6, 8)) else {
            return value.to_owned();
        };
        let date = format!("{year}-{month}-{day}");
        let (Some(hour), Some(minute), Some(second)) = (digits(9, 11), digits(11, 13), digits(13, 15)) else {
            return date;
        };
        let zone = if value.ends_with('Z') {
            " UTC".to_owned()
        } else {
            self.parameter("TZID").map(|zone| format!(" {zone}")).unwrap_or_default()
        };
        format!("{date} {hour}:{minute}:{second}{zone}")
    }
}

/// Parses a calendar; `None` if it isn't one.
#[must_use]
pub fn parse(text: &str) -> Option<Calendar> {
    let unfolded = text.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    let (mut calendar, mut event, mut inner) = (Calendar::default(), None::<CalendarEvent>, 0_usize);
    let mut is_calendar = false;
    let (mut zones, mut zone) = (Vec::<Zone>::new(), None::<Zone>);
    for line in unfolded.lines() {
        let Some(content) = ContentLine::parse(line.trim_start_matches('\u{feff}')) else { continue };
        let value = content.value.trim();
        if let Some(open) = &mut zone {
            open.add(&content, line);
            if content.name == "END" && value.eq_ignore_ascii_case("VTIMEZONE") {
                zones.extend(zone.take().filter(|zone| zone.lines <= ZONE_LINES_MAX));
            }
            continue;
        }
        match (&*content.name, event.as_mut()) {
            ("BEGIN", None) if value.eq_ignore_ascii_case("VCALENDAR") => is_calendar = true,
            ("BEGIN", None) if value.eq_ignore_ascii_case("VEVENT") => event = Some(CalendarEvent::default()),
            ("BEGIN", None) if value.eq_ignore_ascii_case("VTIMEZONE") && zones.len() < ZONES_MAX => {
                let mut open = Zone::default();
                open.add(&content, line);
                zone = Some(open);
            }
            ("BEGIN", Some(_)) => inner += 1,
            ("END", Some(_)) if inner > 0 => inner -= 1,
            ("END", Some(_)) if value.eq_ignore_ascii_case("VEVENT") => {
                calendar.events.extend(event.take());
                if calendar.events.len() >= EVENTS_MAX {
                    break;
                }
            }
            ("METHOD", None) => calendar.method = Some(value.to_ascii_uppercase()),
            // An alarm inside of the event.
            (_, Some(_)) if inner > 0 => {}
            (_, Some(event)) => event.add(&content, line),
            _ => {}
        }
    }
    for event in &mut calendar.events {
        let is_named = |zone: &&Zone| {
            let names = event.repeated.iter().filter_map(|line| ContentLine::parse(line));
            names.into_iter().any(|line| line.parameter("TZID").is_some_and(|name| name == zone.id))
        };
        event.zones = zones.iter().filter(is_named).map(|zone| Arc::from(zone.text.as_str())).collect();
    }
    is_calendar.then_some(calendar)
}

/// A time zone that a calendar defines.
#[derive(Default)]
struct Zone {
    id: String,
    text: String,
    lines: usize,
}

impl Zone {
    fn add(&mut self, content: &ContentLine<'_>, line: &str) {
        self.lines += 1;
        if self.lines > ZONE_LINES_MAX {
            return;
        }
        if content.name == "TZID" {
            content.value.trim().clone_into(&mut self.id);
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

impl CalendarEvent {
    fn add(&mut self, content: &ContentLine<'_>, line: &str) {
        let value = content.value.trim();
        match &*content.name {
            "UID" => self.uid = value.to_owned(),
            "SUMMARY" => self.summary = Some(unescaped(value)),
            "LOCATION" => self.location = Some(unescaped(value)),
            "DESCRIPTION" => self.description = Some(unescaped(value)),
            "STATUS" => self.status = Some(value.to_ascii_uppercase()),
            "RRULE" => self.rule = Some(value.to_owned()),
            "SEQUENCE" => self.sequence = value.parse().unwrap_or_default(),
            "DTSTART" => {
                self.start = content.time();
                self.repeated.push(line.to_owned());
            }
            "DTEND" => {
                self.end = Some(content.time());
                self.repeated.push(line.to_owned());
            }
            "DURATION" => self.end = Some(value.to_owned()),
            "RECURRENCE-ID" => self.repeated.push(line.to_owned()),
            "ORGANIZER" => {
                self.organizer = Some(address(value));
                self.organizer_line = Some(line.to_owned());
            }
            "ATTENDEE" if self.attendees.len() < ATTENDEES_MAX => self.attendees.push(Attendee {
                address: address(value),
                name: content.parameter("CN").map(str::to_owned),
                answer: content.parameter("PARTSTAT").map(str::to_owned),
            }),
            _ => {}
        }
    }
}

fn address(value: &str) -> String {
    let is_mailto = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("mailto:"));
    if is_mailto { value[7..].to_owned() } else { value.to_owned() }
}

/// Removes the backslashes of a text (RFC 5545 §3.3.11).
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => text.push('\n'),
                Some(c) => text.push(c),
                None => {}
            },
            c => text.push(c),
        }
    }
    text
}

/// Returns the calendar that answers an invitation (RFC 5546 §3.2.3), to be sent to the organizer as `text/calendar;
/// method=REPLY`. Returns `None` if the event has no id or no organizer, or doesn't invite this address.
///
/// `stamp` is the time of the answer, such as `20270115T080000Z`.
#[must_use]
pub fn reply(event: &CalendarEvent, attendee: &str, answer: CalendarAnswer, stamp: &str) -> Option<String> {
    let invited = event.attendees.iter().find(|one| one.address.eq_ignore_ascii_case(attendee))?;
    let organizer = event.organizer_line.as_deref()?;
    if event.uid.is_empty() || !stamp.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "PRODID:-//Posthouse//Posthouse//EN".to_owned(),
        "VERSION:2.0".to_owned(),
        "METHOD:REPLY".to_owned(),
    ];
    // A time in a zone needs its definition (RFC 5545 §3.2.19).
    lines.extend(event.zones.iter().flat_map(|zone| zone.lines()).map(str::to_owned));
    lines.extend([
        "BEGIN:VEVENT".to_owned(),
        format!("UID:{}", event.uid),
        format!("SEQUENCE:{}", event.sequence),
        format!("DTSTAMP:{stamp}"),
    ]);
    lines.extend(event.repeated.iter().cloned());
    lines.push(organizer.to_owned());
    lines.push(format!("ATTENDEE;PARTSTAT={}:mailto:{}", answer.text(), invited.address));
    lines.push("END:VEVENT".to_owned());
    lines.push("END:VCALENDAR".to_owned());
    let mut text = String::new();
    lines.iter().for_each(|line| fold(&mut text, line));
    Some(text)
}

/// Adds a line in pieces of at most 75 octets.
fn fold(text: &mut String, line: &str) {
    let mut bytes = 0;
    for c in line.chars().filter(|c| !c.is_control()) {
        if bytes + c.len_utf8() > LINE_BYTES_MAX {
            text.push_str("\r\n ");
            bytes = 1;
        }
        text.push(c);
        bytes += c.len_utf8();
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVITATION: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n\
        BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\n\
        END:VTIMEZONE\r\nBEGIN:VTIMEZONE\r\nTZID:Unused\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:42@example.com\r\nSEQUENCE:3\r\n\
        DTSTAMP:20270101T000000Z\r\nDTSTART;TZID=Europe/Berlin:20270115T120000\r\nSUMMARY:Lunch\\, early\r\n\
        ORGANIZER;CN=\"Ada; Countess\":mailto:ada@example.com\r\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bot@agents.example\r\n\
        ATTENDEE:mailto:eve@example.com\r\nBEGIN:VALARM\r\nUID:alarm\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

    #[test]
    fn a_reply_has_what_the_organizer_needs_and_one_attendee() {
        let calendar = parse(INVITATION).unwrap();
        assert_eq!((calendar.method.as_deref(), calendar.events.len()), (Some("REQUEST"), 1));
        let event = &calendar.events[0];
        assert_eq!((event.uid.as_str(), event.summary.as_deref()), ("42@example.com", Some("Lunch, early")));
        let text = reply(event, "Bot@agents.example", CalendarAnswer::Tentative, "20270102T080000Z").unwrap();
        for line in [
            "METHOD:REPLY",
            "TZID:Europe/Berlin",
            "UID:42@example.com",
            "SEQUENCE:3",
            "DTSTAMP:20270102T080000Z",
            "DTSTART;TZID=Europe/Berlin:20270115T120000",
            "ORGANIZER;CN=\"Ada; Countess\":mailto:ada@example.com",
            "ATTENDEE;PARTSTAT=TENTATIVE:mailto:bot@agents.example",
        ] {
            assert_eq!(text.matches(&format!("{line}\r\n")).count(), 1, "{line} in {text}");
        }
        assert!(!text.contains("eve@") && !text.contains("Unused") && !text.contains("alarm"), "{text}");
        let parsed = parse(&text).unwrap();
        assert_eq!(parsed.events[0].attendees[0].answer.as_deref(), Some("TENTATIVE"));
        assert_eq!(reply(event, "other@agents.example", CalendarAnswer::Accepted, "20270102T080000Z"), None);
    }
}
