//! Points in time as whole milliseconds since 1970, formatted as `2026-01-01T00:00:00.000Z`.
//!
//! Never reads a clock: the current time is always passed in.

use std::fmt;

/// One second in milliseconds.
pub const SECOND_MS: i64 = 1_000;
/// One minute in milliseconds.
pub const MINUTE_MS: i64 = 60 * SECOND_MS;
/// One hour in milliseconds.
pub const HOUR_MS: i64 = 60 * MINUTE_MS;
/// One day in milliseconds.
pub const DAY_MS: i64 = 24 * HOUR_MS;

/// The last year that ISO 8601 can write with four digits.
const LAST_YEAR: i16 = 9999;

/// A point in time, in milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Time(i64);

impl Time {
    /// Creates a time from milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Returns the milliseconds since 1970 (UTC).
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Returns the whole seconds since 1970 (UTC), rounded down.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND_MS)
    }

    /// Returns this time moved by `millis`, which may be negative.
    #[must_use]
    pub const fn plus_ms(self, millis: i64) -> Self {
        Self(self.0.saturating_add(millis))
    }

    /// Returns the milliseconds from `earlier` to this time; negative if `earlier` is later.
    #[must_use]
    pub const fn since_ms(self, earlier: Time) -> i64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the days since 1970 in UTC: the bucket of daily counters, which reset at 00:00 UTC.
    #[must_use]
    pub const fn day(self) -> i64 {
        self.0.div_euclid(DAY_MS)
    }

    /// Returns the first 00:00 UTC after this time.
    #[must_use]
    pub const fn next_day(self) -> Self {
        Self((self.day() + 1) * DAY_MS)
    }

    /// Returns the months since year 0 in UTC (`year * 12 + month - 1`): the bucket of monthly counters.
    #[must_use]
    pub fn month(self) -> i64 {
        let date = self.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date();
        i64::from(date.year()) * 12 + i64::from(date.month()) - 1
    }

    /// Parses ISO 8601 with `Z` or an offset. A bare `YYYY-MM-DD` is midnight UTC.
    ///
    /// # Errors
    /// Describes the problem if the text isn't a time.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(time) = text.parse::<jiff::Timestamp>() {
            return Ok(Self(time.as_millisecond()));
        }
        let bare_date = text.parse::<jiff::civil::Date>().ok().filter(|_| text.len() == 10);
        let in_utc = text.strip_suffix(['Z', 'z']).and_then(|civil| civil.parse::<jiff::civil::DateTime>().ok());
        let Some(civil) = bare_date.map(|date| date.at(0, 0, 0, 0)).or(in_utc) else { return Err(Self::problem()) };
        match civil.to_zoned(jiff::tz::TimeZone::UTC) {
            Ok(zoned) => Ok(Self(zoned.timestamp().as_millisecond())),
            // The end of the last year exceeds the range of `jiff`; clients send it to mean "never".
            Err(_) if civil.year() == LAST_YEAR => Ok(Self(jiff::Timestamp::MAX.as_millisecond())),
            Err(_) => Err(Self::problem()),
        }
    }

    fn problem() -> String {
        "must be an ISO 8601 time with Z or an offset, such as 2026-01-01T00:00:00.000Z".to_owned()
    }

    fn timestamp(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.timestamp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_formatted_with_milliseconds_and_z() {
        assert_eq!(Time::from_millis(1_767_225_600_000).to_string(), "2026-01-01T00:00:00.000Z");
        assert_eq!(Time::from_millis(1_767_225_600_007).to_string(), "2026-01-01T00:00:00.007Z");
    }

    #[test]
    fn common_formats_are_parsed() {
        let table = [
            ("2026-01-01T00:00:00Z", Some(1_767_225_600_000)),
            ("2026-01-01T01:00:00+01:00", Some(1_767_225_600_000)),
            ("2026-01-01T00:00:00.1234567Z", Some(1_767_225_600_123)),
            ("2026-01-01", Some(1_767_225_600_000)),
            ("9999-12-31T23:59:59Z", Some(jiff::Timestamp::MAX.as_millisecond())),
            ("9999-12-31", Some(jiff::Timestamp::MAX.as_millisecond())),
            ("9999-12-32T00:00:00Z", None),
            ("10000-01-01T00:00:00Z", None),
            ("2026-01-01T00:00:00", None),
            ("yesterday", None),
            ("", None),
            ("1767225600", None),
        ];
        for (text, expected) in table {
            assert_eq!(Time::parse(text).ok().map(Time::millis), expected, "{text}");
        }
    }

    #[test]
    fn buckets_are_utc() {
        let time = Time::parse("2026-02-28T23:59:59.999Z").expect("valid");
        assert_eq!(time.month(), 2026 * 12 + 1);
        assert_eq!(time.next_day().to_string(), "2026-03-01T00:00:00.000Z");
        assert_eq!(time.plus_ms(1).month(), 2026 * 12 + 2);
    }
}
