//! The end of an event that has a duration.

/// The largest number within a duration.
const DURATION_MAX: i64 = 100_000_000;

/// Returns the time after a duration (RFC 5545 §3.3.6), in the form of `start`. A time in a zone counts by its clock.
pub(super) fn end_of(start: &str, duration: &str) -> Option<String> {
    let (mut days, mut seconds, mut number) = (0_i64, 0_i64, String::new());
    let text = duration.trim().strip_prefix('+').unwrap_or(duration.trim());
    for c in text.strip_prefix(['P', 'p'])?.chars() {
        if c.is_ascii_digit() {
            number.push(c);
            continue;
        }
        let upper = c.to_ascii_uppercase();
        if upper == 'T' && number.is_empty() {
            continue;
        }
        let count: i64 = std::mem::take(&mut number).parse().ok().filter(|count| *count <= DURATION_MAX)?;
        match upper {
            'W' => days += 7 * count,
            'D' => days += count,
            'H' => seconds += 3_600 * count,
            'M' => seconds += 60 * count,
            'S' => seconds += count,
            _ => return None,
        }
    }
    let part = |from: usize, to: usize| start.get(from..to)?.parse::<i64>().ok();
    let mut day = days_of(part(0, 4)?, part(5, 7)?, part(8, 10)?) + days;
    let Some(rest) = start.get(10..).filter(|rest| !rest.is_empty()) else {
        return (seconds == 0).then(|| date_of(day));
    };
    seconds += part(11, 13)? * 3_600 + part(14, 16)? * 60 + part(17, 19)?;
    day += seconds.div_euclid(86_400);
    let second = seconds.rem_euclid(86_400);
    let zone = rest.get(9..).unwrap_or_default();
    Some(format!("{} {:02}:{:02}:{:02}{zone}", date_of(day), second / 3_600, second / 60 % 60, second % 60))
}

/// Returns the number of a day (Howard Hinnant, `days_from_civil`, without the shift to 1970).
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
}

/// Returns the date of a number of [`days_of`].
fn date_of(days: i64) -> String {
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn a_duration_gives_the_end() {
        for (start, duration, end) in [
            ("20270115T120000Z", "PT1H30M", "2027-01-15 13:30:00 UTC"),
            ("20270115T120000Z", "PT45M", "2027-01-15 12:45:00 UTC"),
            ("20270115T120000", "PT90S", "2027-01-15 12:01:30"),
            ("20270115T120000", "+PT2H", "2027-01-15 14:00:00"),
            ("20270115T233000", "PT1H", "2027-01-16 00:30:00"),
            ("20271231T233000Z", "PT30M", "2028-01-01 00:00:00 UTC"),
            ("20280228T120000Z", "P1D", "2028-02-29 12:00:00 UTC"),
            ("20270228T120000Z", "P1D", "2027-03-01 12:00:00 UTC"),
            ("20000228T120000Z", "P2D", "2000-03-01 12:00:00 UTC"),
            ("20270115T120000Z", "P1W", "2027-01-22 12:00:00 UTC"),
            ("20270115T120000Z", "P1DT12H", "2027-01-17 00:00:00 UTC"),
            ("20270115T120000Z", "PT0S", "2027-01-15 12:00:00 UTC"),
            ("20270115T120000Z", "PT1500M", "2027-01-16 13:00:00 UTC"),
            ("20270115", "P1D", "2027-01-16"),
            ("20270131", "P2W", "2027-02-14"),
            ("20271231", "P1D", "2028-01-01"),
            ("20270115", "PT1H", "PT1H"),
            ("20270115T120000Z", "soon", "soon"),
            ("20270115T120000Z", "-PT1H", "-PT1H"),
            ("20270115T120000Z", "P99999999999999999999D", "P99999999999999999999D"),
            ("tomorrow", "PT1H", "PT1H"),
        ] {
            for lines in
                [format!("DTSTART:{start}\nDURATION:{duration}"), format!("DURATION:{duration}\nDTSTART:{start}")]
            {
                let text = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{lines}\nEND:VEVENT\nEND:VCALENDAR");
                assert_eq!(parse(&text).unwrap().events[0].end.as_deref(), Some(end), "{start} {duration}");
            }
        }
    }
}
