//! Invitations (RFC 5545, RFC 5546): their fields, and the reply to one.

mod duration;

use std::sync::Arc;

/// Events of a calendar that are kept.
pub const EVENTS_MAX: usize = 200;
/// Zones of a calendar that are kept.
const ZONES_MAX: usize = 16;
/// Lines of a zone; a longer one is left out.
const ZONE_LINES_MAX: usize = 500;
/// Attendees of an event that are kept.
const ATTENDEES_MAX: usize = 500;
/// Details of an event that are kept.
const DETAILS_MAX: usize = 200;
/// Octets of a line of a reply, without its end (RFC 5545 §3.1).
const LINE_BYTES_MAX: usize = 75;

/// A calendar.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Calendar {
    /// What the sender asks for, such as `REQUEST` or `CANCEL`.
    pub method: Option<String>,
    /// Its events.
    pub events: Vec<CalendarEvent>,
    /// Its tasks and journal entries.
    pub entries: Vec<CalendarEntry>,
}

/// A task or a journal entry: nobody is invited to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalendarEntry {
    /// What it is.
    pub kind: CalendarKind,
    /// Its fields.
    pub fields: CalendarEvent,
}

/// What a component of a calendar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CalendarKind {
    /// `VEVENT`
    #[default]
    Event,
    /// `VTODO`
    Task,
    /// `VJOURNAL`
    Journal,
}

impl CalendarKind {
    fn named(name: &str) -> Option<Self> {
        let kinds = [("VEVENT", Self::Event), ("VTODO", Self::Task), ("VJOURNAL", Self::Journal)];
        kinds.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| kind)
    }
}

/// A link or another detail of an event, beside those that have a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CalendarDetail {
    /// What it is, such as `Conference`.
    pub name: &'static str,
    /// Its value.
    pub value: String,
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
    /// The name of the organizer.
    pub organizer_name: Option<String>,
    /// Who is invited.
    pub attendees: Vec<Attendee>,
    /// `CONFIRMED`, `TENTATIVE` or `CANCELLED`.
    pub status: Option<String>,
    /// The rule by which it repeats.
    pub rule: Option<String>,
    /// Links, exceptions and what only tasks have, in the order of the calendar.
    pub details: Vec<CalendarDetail>,
    /// The revision of the invitation.
    pub sequence: u32,
    /// How long it takes, until the end is known.
    duration: Option<String>,
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

    /// Returns times with their zone.
    fn times(&self) -> String {
        let times = self.value.split(',').take(DETAILS_MAX).map(|value| self.time_of(value));
        times.collect::<Vec<_>>().join(", ")
    }

    fn time(&self) -> String {
        self.time_of(self.value)
    }

    /// Returns a time with its zone, in the form of ISO 8601.
    fn time_of(&self, value: &str) -> String {
        let value = value.trim();
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
    let (mut zones, mut zone, mut kind) = (Vec::<Zone>::new(), None::<Zone>, CalendarKind::Event);
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
            ("BEGIN", None) if CalendarKind::named(value).is_some() => {
                kind = CalendarKind::named(value).unwrap_or_default();
                event = Some(CalendarEvent::default());
            }
            ("BEGIN", None) if value.eq_ignore_ascii_case("VTIMEZONE") && zones.len() < ZONES_MAX => {
                let mut open = Zone::default();
                open.add(&content, line);
                zone = Some(open);
            }
            ("BEGIN", Some(_)) => inner += 1,
            ("END", Some(_)) if inner > 0 => inner -= 1,
            ("END", Some(_)) if CalendarKind::named(value) == Some(kind) => {
                calendar.add(kind, event.take());
                if calendar.events.len() + calendar.entries.len() >= EVENTS_MAX {
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
    calendar.set_zones(&zones);
    is_calendar.then_some(calendar)
}

impl Calendar {
    fn add(&mut self, kind: CalendarKind, fields: Option<CalendarEvent>) {
        let Some(mut fields) = fields else { return };
        fields.set_end();
        match kind {
            CalendarKind::Event => self.events.push(fields),
            CalendarKind::Task | CalendarKind::Journal => self.entries.push(CalendarEntry { kind, fields }),
        }
    }

    /// Gives each event the zones that its lines name.
    fn set_zones(&mut self, zones: &[Zone]) {
        for event in &mut self.events {
            let is_named = |zone: &&Zone| {
                let names = event.repeated.iter().filter_map(|line| ContentLine::parse(line));
                names.into_iter().any(|line| line.parameter("TZID").is_some_and(|name| name == zone.id))
            };
            event.zones = zones.iter().filter(is_named).map(|zone| Arc::from(zone.text.as_str())).collect();
        }
    }
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
            "DURATION" => self.duration = Some(value.to_owned()),
            "RECURRENCE-ID" => {
                self.repeated.push(line.to_owned());
                self.detail("Instead of", content.time());
            }
            "ORGANIZER" => {
                self.organizer = Some(address(value));
                self.organizer_name = content.parameter("CN").map(str::to_owned);
                self.organizer_line = Some(line.to_owned());
            }
            "ATTENDEE" if self.attendees.len() < ATTENDEES_MAX => self.attendees.push(Attendee {
                address: address(value),
                name: content.parameter("CN").map(str::to_owned),
                answer: content.parameter("PARTSTAT").map(str::to_owned),
            }),
            name => self.add_detail(name, content),
        }
    }

    fn add_detail(&mut self, name: &str, content: &ContentLine<'_>) {
        let value = content.value.trim();
        match name {
            "URL" => self.detail("URL", value.to_owned()),
            "DUE" => self.detail("Due", content.time()),
            "COMPLETED" => self.detail("Completed", content.time()),
            "PERCENT-COMPLETE" => self.detail("Done", format!("{value}%")),
            "PRIORITY" => self.detail("Priority", value.to_owned()),
            "CATEGORIES" => self.detail("Categories", unescaped(value)),
            "EXDATE" => self.detail("Except", content.times()),
            "RDATE" => self.detail("Also", content.times()),
            "CONFERENCE" => self.detail("Conference", unescaped(value)),
            // Google, Microsoft and others: `X-GOOGLE-CONFERENCE`, `X-MICROSOFT-SKYPETEAMSMEETINGURL`, `X-ZOOM-JOIN-URL`.
            name if name.starts_with("X-")
                && ["CONFERENCE", "MEETINGURL", "JOIN-URL", "JOINURL", "ONLINEMEETING"]
                    .iter()
                    .any(|part| name.contains(part)) =>
            {
                self.detail("Conference", unescaped(value));
            }
            _ => {}
        }
    }

    fn detail(&mut self, name: &'static str, value: String) {
        if self.details.len() < DETAILS_MAX && !value.is_empty() {
            self.details.push(CalendarDetail { name, value });
        }
    }

    /// Returns the attendee with an address.
    fn attendee(&self, address: &str) -> Option<&Attendee> {
        self.attendees.iter().find(|one| one.address.eq_ignore_ascii_case(address))
    }

    /// Sets the end by the duration, if the event has no other.
    fn set_end(&mut self) {
        let Some(duration) = self.duration.take().filter(|_| self.end.is_none()) else { return };
        self.end = Some(duration::end_of(&self.start, &duration).unwrap_or(duration));
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

/// Returns the events that an answer of an attendee is about: all of the first id that has an event which names the attendee. A
/// series and each of its exceptions are events of one id.
#[must_use]
pub fn invited<'c>(calendar: &'c Calendar, attendee: &str) -> Vec<&'c CalendarEvent> {
    let is_invited = |event: &&CalendarEvent| event.attendee(attendee).is_some();
    let Some(first) = calendar.events.iter().find(is_invited) else { return Vec::new() };
    calendar.events.iter().filter(|event| event.uid == first.uid).filter(is_invited).collect()
}

/// Returns the calendar that answers an invitation (RFC 5546 §3.2.3), to be sent to the organizer as `text/calendar;
/// method=REPLY`. `events` are those of [`invited`]. Returns `None` if there are none, or the first one has no id or no organizer.
///
/// `stamp` is the time of the answer, such as `20270115T080000Z`.
#[must_use]
pub fn reply(events: &[&CalendarEvent], attendee: &str, answer: CalendarAnswer, stamp: &str) -> Option<String> {
    let first = events.first()?;
    let organizer = first.organizer_line.as_deref()?;
    if first.uid.is_empty() || !stamp.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let mut lines = vec![
        "BEGIN:VCALENDAR".to_owned(),
        "PRODID:-//Posthouse//Posthouse//EN".to_owned(),
        "VERSION:2.0".to_owned(),
        "METHOD:REPLY".to_owned(),
    ];
    // A time in a zone needs its definition (RFC 5545 §3.2.19).
    let mut zones: Vec<&Arc<str>> = Vec::new();
    for zone in events.iter().flat_map(|event| &event.zones) {
        if !zones.contains(&zone) {
            zones.push(zone);
        }
    }
    lines.extend(zones.iter().flat_map(|zone| zone.lines()).map(str::to_owned));
    for event in events.iter().filter(|event| event.uid == first.uid) {
        let invited = event.attendee(attendee)?;
        lines.extend([
            "BEGIN:VEVENT".to_owned(),
            format!("UID:{}", event.uid),
            format!("SEQUENCE:{}", event.sequence),
            format!("DTSTAMP:{stamp}"),
        ]);
        lines.extend(event.repeated.iter().cloned());
        lines.push(event.organizer_line.as_deref().unwrap_or(organizer).to_owned());
        lines.push(format!("ATTENDEE;PARTSTAT={}:mailto:{}", answer.text(), invited.address));
        lines.push("END:VEVENT".to_owned());
    }
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
        let text = reply(
            &invited(&calendar, "Bot@agents.example"),
            "Bot@agents.example",
            CalendarAnswer::Tentative,
            "20270102T080000Z",
        )
        .unwrap();
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
        assert_eq!(invited(&calendar, "other@agents.example"), Vec::<&CalendarEvent>::new());
        assert_eq!(reply(&[], "other@agents.example", CalendarAnswer::Accepted, "20270102T080000Z"), None);
    }

    fn event_of(uid: &str, attendee: &str, lines: &str) -> String {
        format!(
            "BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTART:20270115T120000Z\r\n{lines}ORGANIZER:mailto:ada@example.com\r\n\
             ATTENDEE:mailto:{attendee}\r\nEND:VEVENT\r\n"
        )
    }

    /// Each order of a series, its exception and another event, of which each names the inbox or doesn't.
    #[test]
    fn a_reply_covers_each_event_of_the_id_that_names_the_attendee() {
        let exception = "RECURRENCE-ID:20270122T120000Z\r\n";
        for named in 0..8_u32 {
            for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
                let who = |at: u32| if named & (1 << at) == 0 { "eve@example.com" } else { "bot@agents.example" };
                let events = [
                    event_of("series", who(0), "RRULE:FREQ=WEEKLY\r\n"),
                    event_of("series", who(1), exception),
                    event_of("other", who(2), ""),
                ];
                let text: String = order.iter().map(|at| events[*at].as_str()).collect();
                let calendar = parse(&format!("BEGIN:VCALENDAR\r\n{text}END:VCALENDAR\r\n")).unwrap();
                let invited = invited(&calendar, "bot@agents.example");
                let answer = reply(&invited, "bot@agents.example", CalendarAnswer::Accepted, "20270102T080000Z");
                let first = order.into_iter().find(|at| named & (1 << at) != 0);
                let Some(first) = first else {
                    assert_eq!(answer, None);
                    continue;
                };
                let answer = answer.unwrap();
                let expected = if first == 2 { 1 } else { (named & 3).count_ones() as usize };
                let uid = if first == 2 { "UID:other\r\n" } else { "UID:series\r\n" };
                assert_eq!(answer.matches(uid).count(), expected, "{named} {order:?}");
                assert_eq!(answer.matches("BEGIN:VEVENT").count(), expected, "{named} {order:?}");
                let has_exception = first != 2 && named & 2 != 0;
                assert_eq!(answer.contains(exception), has_exception, "{named} {order:?}");
            }
        }
    }
}
