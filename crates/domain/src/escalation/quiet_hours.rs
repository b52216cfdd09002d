//! Quiet hours: a daily period of the wall clock in a time zone. It may contain midnight.

use jiff::{Timestamp, Zoned, civil::Time as CivilTime, tz::TimeZone};

use crate::{time::Time, time_zone::NamedTimeZone};

/// A time of day with minutes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ClockTime(u16);

impl ClockTime {
    /// Parses `HH:MM`.
    ///
    /// # Errors
    /// Describes the problem if the text is not a time of day.
    pub fn parse(text: &str) -> Result<Self, String> {
        let number = |part: &str, end: u16| {
            let is_number = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u16>().ok().filter(|number| is_number && *number < end)
        };
        let parts = text.split_once(':').and_then(|(hour, minute)| Some((number(hour, 24)?, number(minute, 60)?)));
        let (hour, minute) = parts.ok_or_else(|| "must be a time of day from 00:00 to 23:59".to_owned())?;
        Ok(Self(hour * 60 + minute))
    }

    /// Returns the time of day after that many minutes since midnight, modulo a day.
    #[must_use]
    pub const fn from_minutes(minutes: u16) -> Self {
        Self(minutes % (24 * 60))
    }

    /// Returns the minutes since midnight.
    #[must_use]
    pub const fn minutes(self) -> u16 {
        self.0
    }

    fn civil(self) -> CivilTime {
        // The fields are in range, so the default is never used.
        let part = |value: u16| i8::try_from(value).unwrap_or_default();
        CivilTime::new(part(self.0 / 60), part(self.0 % 60), 0, 0).unwrap_or_default()
    }
}

impl std::fmt::Display for ClockTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

/// The daily period in which no escalation is sent, by the wall clock of a time zone. The start is included, the end
/// is not. If the end is not after the start, it is on the next day. If both are equal, the period is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuietHours {
    pub start: ClockTime,
    pub end: ClockTime,
    pub timezone: NamedTimeZone,
}

impl QuietHours {
    /// Returns whether the wall clock is within quiet hours.
    #[must_use]
    pub fn contains(&self, at: Time) -> bool {
        self.is_quiet(zoned(at, &self.timezone.zone).time())
    }

    fn is_quiet(&self, wall: CivilTime) -> bool {
        let (start, end) = (self.start.civil(), self.end.civil());
        if start <= end { start <= wall && wall < end } else { start <= wall || wall < end }
    }

    /// Returns when the quiet hours that contain `at` end: the first time after it that is not quiet. Returns `None` if
    /// `at` is not within quiet hours.
    ///
    /// The wall clock reaches the end of quiet hours as usual, twice, or never, if the clocks change. In the last case
    /// the quiet hours end with the change.
    #[must_use]
    pub fn end_after(&self, at: Time) -> Option<Time> {
        if !self.contains(at) {
            return None;
        }
        let now = zoned(at, &self.timezone.zone);
        let days = (0..3).filter_map(|days| now.date().checked_add(jiff::Span::new().days(days)).ok());
        let ends = days.flat_map(|day| {
            let end = self.timezone.zone.to_ambiguous_zoned(day.to_datetime(self.end.civil()));
            [end.clone().earlier(), end.later()].into_iter().flatten().map(|zoned| zoned.timestamp())
        });
        let changes = self.timezone.zone.following(now.timestamp()).take(4).map(|change| change.timestamp());
        let candidates = ends.chain(changes).map(|at| Time::from_millis(at.as_millisecond()));
        candidates.filter(|end| *end > at && !self.contains(*end)).min()
    }
}

fn zoned(at: Time, zone: &TimeZone) -> Zoned {
    Timestamp::from_millisecond(at.millis()).unwrap_or_default().to_zoned(zone.clone())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::time::{DAY_MS, MINUTE_MS};

    fn hours(start: &str, end: &str, zone: &str) -> QuietHours {
        QuietHours {
            start: ClockTime::parse(start).expect("a time of day"),
            end: ClockTime::parse(end).expect("a time of day"),
            timezone: NamedTimeZone::parse(zone).expect("a zone"),
        }
    }

    fn time(text: &str) -> Time {
        Time::parse(text).expect("a time")
    }

    #[test]
    fn times_of_day_are_hours_and_minutes() {
        for text in ["00:00", "09:05", "23:59"] {
            assert_eq!(ClockTime::parse(text).map(|time| time.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "9:05", "24:00", "12:60", "12:5", "12:00:00", "+1:00", "ab:cd", "12.00", " 12:00", "１２:00"]
        {
            assert!(ClockTime::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn quiet_hours_end_by_the_wall_clock() {
        let cases = [
            // Within a day, and over midnight.
            ("12:00", "13:30", "UTC", "2026-01-10T12:00:00Z", Some("2026-01-10T13:30:00Z")),
            ("12:00", "13:30", "UTC", "2026-01-10T13:30:00Z", None),
            ("22:00", "07:00", "UTC", "2026-01-10T21:59:59Z", None),
            ("22:00", "07:00", "UTC", "2026-01-10T22:00:00Z", Some("2026-01-11T07:00:00Z")),
            ("22:00", "07:00", "UTC", "2026-01-11T06:59:59Z", Some("2026-01-11T07:00:00Z")),
            ("00:00", "00:00", "UTC", "2026-01-11T00:00:00Z", None),
            // Berlin: the clocks go from 2:00 to 3:00 on 29 March and from 3:00 to 2:00 on 25 October.
            ("22:00", "07:00", "Europe/Berlin", "2026-03-28T23:00:00Z", Some("2026-03-29T05:00:00Z")),
            ("22:00", "07:00", "Europe/Berlin", "2026-10-24T23:00:00Z", Some("2026-10-25T06:00:00Z")),
            // The end is in the gap: quiet hours end with it.
            ("22:00", "02:30", "Europe/Berlin", "2026-03-29T00:30:00Z", Some("2026-03-29T01:00:00Z")),
            // The wall clock shows the end twice: quiet hours end at the first, and the repeated minutes are quiet.
            ("22:00", "02:30", "Europe/Berlin", "2026-10-25T00:00:00Z", Some("2026-10-25T00:30:00Z")),
            ("22:00", "02:30", "Europe/Berlin", "2026-10-25T01:10:00Z", Some("2026-10-25T01:30:00Z")),
            // Odd offsets, and a change of half an hour.
            ("22:00", "06:00", "Asia/Kathmandu", "2026-01-10T20:00:00Z", Some("2026-01-11T00:15:00Z")),
            ("22:00", "06:00", "Australia/Lord_Howe", "2026-04-04T14:00:00Z", Some("2026-04-04T19:30:00Z")),
            ("22:00", "12:00", "Pacific/Kiritimati", "2026-01-10T09:00:00Z", Some("2026-01-10T22:00:00Z")),
            // A day that Samoa left out.
            ("22:00", "07:00", "Pacific/Apia", "2011-12-30T09:00:00Z", Some("2011-12-30T17:00:00Z")),
        ];
        for (start, end, zone, at, expected) in cases {
            let found = hours(start, end, zone).end_after(time(at));
            assert_eq!(found, expected.map(time), "{start} to {end} in {zone} at {at}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn quiet_hours_end_at_the_first_minute_that_is_not_quiet(
            start in 0u16..1_440, end in 0u16..1_440, day in 0i64..3_650, minute in 0i64..1_440,
            zone in prop::sample::select(vec![
                "UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns",
                "Pacific/Apia", "Africa/Casablanca", "Pacific/Chatham", "America/Asuncion", "Antarctica/Troll",
            ]),
        ) {
            let (start, end) = (ClockTime::from_minutes(start), ClockTime::from_minutes(end));
            let quiet = QuietHours { start, end, timezone: NamedTimeZone::parse(zone).expect("a zone") };
            let at = Time::from_millis(1_700_000_000_000 - 1_700_000_000_000 % DAY_MS + day * DAY_MS + minute * MINUTE_MS);
            let mut brute = at;
            while quiet.contains(brute) {
                brute = brute.plus_ms(MINUTE_MS);
            }
            prop_assert_eq!(quiet.end_after(at), (brute > at).then_some(brute));
        }
    }
}
