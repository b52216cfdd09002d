//! How a workbook shows numbers: dates, percentages and decimals.

mod currency;

use std::{borrow::Cow, collections::HashMap};

use currency::Currency;

use crate::{
    FileError,
    kinds::numbers::{DECIMALS_MAX, general},
    xml::{XmlStep, XmlSteps},
};

/// Days from 1899-12-30, from which Excel counts, to 1970-01-01.
const DAYS_TO_1970: i64 = 25_569;
/// The number of 1900-02-29, a day that only Excel knows (ECMA-376 Part 1, §18.17.4.1).
const LEAP_DAY_OF_1900: i64 = 60;
/// Days from 1899-12-30 to 1904-01-01.
const DAYS_TO_1904: f64 = 1_462.0;
/// The last day that Excel knows: 9999-12-31.
const DAYS_MAX: f64 = 2_958_465.0;

/// The number formats of cells by their style.
#[derive(Default)]
pub(super) struct CellFormats {
    styles: Vec<CellFormat>,
}

/// How a cell shows a number.
#[derive(Clone, PartialEq, Eq, Debug)]
struct CellFormat {
    number: NumberFormat,
    currency: Option<Currency>,
}

impl From<NumberFormat> for CellFormat {
    fn from(number: NumberFormat) -> Self {
        Self { number, currency: None }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NumberFormat {
    General,
    Date {
        has_day: bool,
        has_time: bool,
    },
    /// Elapsed time, such as `[h]:mm`: its hours go beyond a day.
    Elapsed,
    Percent(usize),
    Decimals(usize),
    /// A number with this many digits, such as `00000` for postal codes.
    Digits(usize),
}

impl CellFormats {
    pub(super) fn parse(source: &str) -> Result<Self, FileError> {
        let (mut steps, mut codes) = (XmlSteps::new(source), HashMap::new());
        let (mut styles, mut is_of_cells) = (Vec::new(), false);
        while let Some(step) = steps.next()? {
            match step {
                XmlStep::Open(tag) => match &*tag.name() {
                    "numFmt" => {
                        let id = tag.attribute("numFmtId").and_then(|id| id.parse::<u32>().ok());
                        codes.extend(id.zip(tag.attribute("formatCode")));
                    }
                    "cellXfs" => is_of_cells = true,
                    "xf" if is_of_cells => {
                        let id = tag.attribute("numFmtId").and_then(|id| id.parse().ok()).unwrap_or_default();
                        styles.push(codes.get(&id).map_or_else(|| built_in(id).into(), |code| CellFormat::of(code)));
                    }
                    _ => {}
                },
                XmlStep::Close(name) if name == "cellXfs" => is_of_cells = false,
                XmlStep::Close(_) | XmlStep::Text(_) => {}
            }
        }
        Ok(Self { styles })
    }

    /// Returns a number as the workbook shows it, or unchanged.
    pub(super) fn shown<'v>(&self, value: &'v str, style: usize, is_1904: bool) -> Cow<'v, str> {
        let (Some(format), Ok(number)) = (self.styles.get(style), value.trim().parse::<f64>()) else {
            return value.into();
        };
        if let (Some(currency), NumberFormat::Decimals(decimals)) = (&format.currency, format.number) {
            return currency.shown(number, decimals).into();
        }
        match format.number {
            NumberFormat::Date { has_day, has_time } => {
                let days = if is_1904 { number + DAYS_TO_1904 } else { number };
                date(days, has_day, has_time).map_or(value.into(), Cow::Owned)
            }
            NumberFormat::Elapsed => elapsed(number).map_or(value.into(), Cow::Owned),
            NumberFormat::Percent(decimals) => format!("{}%", decimal(number * 100.0, decimals)).into(),
            NumberFormat::Decimals(decimals) => decimal(number, decimals).into(),
            NumberFormat::Digits(digits) => {
                let sign = if number < 0.0 { "-" } else { "" };
                format!("{sign}{:0>digits$}", decimal(number.abs(), 0)).into()
            }
            NumberFormat::General => general(value, number),
        }
    }
}

/// Returns a number with these decimals. A half is rounded away from zero, as in the decimal form of the number.
pub(super) fn decimal(number: f64, decimals: usize) -> String {
    let factor = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
    let scaled: f64 = format!("{:.14e}", number * factor).parse().unwrap_or(number);
    if scaled.is_finite() { format!("{:.decimals$}", scaled.round() / factor) } else { number.to_string() }
}

/// Returns a built-in format (ECMA-376 Part 1, §18.8.30).
fn built_in(id: u32) -> NumberFormat {
    match id {
        1 | 3 | 37 | 38 => NumberFormat::Decimals(0),
        2 | 4 | 39 | 40 => NumberFormat::Decimals(2),
        9 => NumberFormat::Percent(0),
        10 => NumberFormat::Percent(2),
        14..=17 => NumberFormat::Date { has_day: true, has_time: false },
        46 => NumberFormat::Elapsed,
        18..=21 | 45 | 47 => NumberFormat::Date { has_day: false, has_time: true },
        22 => NumberFormat::Date { has_day: true, has_time: true },
        _ => NumberFormat::General,
    }
}

impl CellFormat {
    /// Reads the code of a format, such as `#,##0.00 "€"`.
    fn of(code: &str) -> Self {
        Self { number: of_code(code), currency: Currency::of(code) }
    }
}

fn of_code(code: &str) -> NumberFormat {
    let section = code.split(';').next().unwrap_or_default();
    let (mut letters, mut is_quoted, mut is_elapsed) = (String::new(), false, false);
    let mut chars = section.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => is_quoted = !is_quoted,
            '\\' | '_' | '*' if !is_quoted => drop(chars.next()),
            // Colors, currencies and conditions are in brackets, too.
            '[' if !is_quoted => {
                let inside = chars.by_ref().take_while(|c| *c != ']').collect::<String>().to_ascii_lowercase();
                is_elapsed |=
                    ["h", "m", "s"].iter().any(|unit| !inside.is_empty() && inside.replace(unit, "").is_empty());
            }
            c if !is_quoted => letters.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    let has_time = letters.contains(['h', 's']);
    let has_day = letters.contains(['y', 'd']) || (letters.contains('m') && !has_time);
    let decimals = || {
        let after = letters.split_once('.').map_or("", |(_, after)| after);
        after.chars().take_while(|c| matches!(c, '0' | '#' | '?')).count().min(DECIMALS_MAX)
    };
    if letters.contains("general") || letters.contains('@') {
        NumberFormat::General
    } else if is_elapsed {
        NumberFormat::Elapsed
    } else if has_day || has_time {
        NumberFormat::Date { has_day, has_time }
    } else if letters.contains('%') {
        NumberFormat::Percent(decimals())
    } else if letters.starts_with("00") && letters.chars().all(|c| c == '0') {
        NumberFormat::Digits(letters.len().min(DECIMALS_MAX))
    } else if letters.contains(['0', '#']) && !letters.contains(['e', '/', '?']) {
        NumberFormat::Decimals(decimals())
    } else {
        NumberFormat::General
    }
}

/// Returns a time of any number of hours.
fn elapsed(days: f64) -> Option<String> {
    if !(-DAYS_MAX..=DAYS_MAX).contains(&days) {
        return None;
    }
    let seconds = (days * 86_400.0).round() as i64;
    let (sign, seconds) = (if seconds < 0 { "-" } else { "" }, seconds.abs());
    Some(format!("{sign}{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

/// Returns a date in the form of ISO 8601.
fn date(days: f64, has_day: bool, has_time: bool) -> Option<String> {
    if !(0.0..=DAYS_MAX).contains(&days) {
        return None;
    }
    let seconds = (days * 86_400.0).round() as i64;
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let time = format!("{:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60);
    if !has_day {
        return Some(time);
    }
    let (year, month, day) = match day {
        LEAP_DAY_OF_1900 => (1900, 2, 29),
        // A day later than the count from 1899-12-30, which has no such day.
        ..LEAP_DAY_OF_1900 => civil(day + 1 - DAYS_TO_1970),
        _ => civil(day - DAYS_TO_1970),
    };
    let date = format!("{year:04}-{month:02}-{day:02}");
    Some(if has_time { format!("{date} {time}") } else { date })
}

/// Returns a time in the form of ISO 8601, without its zone.
pub(in crate::kinds) fn civil_time(seconds_since_1970: i64) -> String {
    let (year, month, day) = civil(seconds_since_1970.div_euclid(86_400));
    let second = seconds_since_1970.rem_euclid(86_400);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
}

/// Returns year, month and day of a number of days since 1970 (Howard Hinnant, `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_by_their_format() {
        let table = [
            ("General", "0.1", "0.1"),
            ("General", "0.30000000000000004", "0.3"),
            ("yyyy\\-mm\\-dd", "45292", "2024-01-01"),
            ("m/d/yy h:mm", "45292.5", "2024-01-01 12:00:00"),
            ("[h]:mm", "0.25", "06:00:00"),
            ("[h]:mm", "1.3958333333333333", "33:30:00"),
            ("[hh]:mm:ss;@", "4.5", "108:00:00"),
            ("[mm]:ss", "1", "24:00:00"),
            ("[h]:mm", "-0.0625", "-01:30:00"),
            ("h:mm", "1.5", "12:00:00"),
            ("[White]0.00", "1.5", "1.50"),
            ("0.00\\ [$Ft-hu]", "1.5", "1.50 Ft"),
            ("[$-409]h:mm", "0.5", "12:00:00"),
            ("[Red][<1]0%", "0.5", "50%"),
            ("0.0%", "0.125", "12.5%"),
            ("@", "17", "17"),
            ("General", "1000.0", "1000"),
            ("General", "1200", "1200"),
            ("General", "1.50", "1.5"),
            ("General", "1E-07", "1E-07"),
            ("0%", "0.025", "3%"),
            ("0.00", "1.005", "1.01"),
            ("0", "-2.5", "-3"),
            ("00000", "1067", "01067"),
            ("000", "7", "007"),
            ("000", "-7", "-007"),
            ("00", "1234", "1234"),
            ("00", "7.5", "08"),
            ("\"No. \"0000", "42", "0042"),
            ("[Red]000;(000)", "42", "042"),
            ("0,000", "42", "42"),
            ("00.0", "7", "7.0"),
            ("00%", "0.5", "50%"),
            ("d", "-1", "-1"),
        ];
        for (code, value, expected) in table {
            let formats = CellFormats { styles: vec![CellFormat::of(code)] };
            assert_eq!(formats.shown(value, 0, false), expected, "{code}");
        }
    }

    #[test]
    fn an_amount_has_its_currency() {
        let table = [
            ("#,##0.00\\ \"EUR\"", "1234.5", "1234.50 EUR"),
            ("#,##0.00\\ \"€\"", "1234.5", "1234.50 €"),
            ("#,##0.00 €", "-5", "-5.00 €"),
            ("\"¥\"#,##0", "1540", "¥1540"),
            ("[$¥-411]#,##0", "12800", "¥12800"),
            ("$#,##0.00_);($#,##0.00)", "-7.5", "-$7.50"),
            ("_-\"£\"* #,##0.00_-;-\"£\"* #,##0.00_-", "3", "£3.00"),
            ("[$CHF] #,##0.00", "9", "CHF 9.00"),
            ("_-* #,##0.00 [$zł-415]_-", "9", "9.00 zł"),
            ("\\$0", "9", "$9"),
            ("[$-409]#,##0.00", "9", "9.00"),
            ("0.00 \"kg\"", "9", "9.00"),
            ("0.00 \"pcs.\"", "9", "9.00"),
            ("[$€-2] 0%", "0.5", "50%"),
        ];
        for (code, value, expected) in table {
            let formats = CellFormats { styles: vec![CellFormat::of(code)] };
            assert_eq!(formats.shown(value, 0, false), expected, "{code}");
        }
    }

    #[test]
    fn days_are_counted_as_excel_does() {
        for (days, expected) in [
            (0.0, "1899-12-31"),
            (1.0, "1900-01-01"),
            (2.0, "1900-01-02"),
            (31.0, "1900-01-31"),
            (32.0, "1900-02-01"),
            (58.0, "1900-02-27"),
            (59.0, "1900-02-28"),
            (60.0, "1900-02-29"),
            (61.0, "1900-03-01"),
            (62.0, "1900-03-02"),
            (366.0, "1900-12-31"),
            (1_462.0, "1904-01-01"),
            (25_569.0, "1970-01-01"),
            (2_958_465.0, "9999-12-31"),
        ] {
            assert_eq!(date(days, true, false).as_deref(), Some(expected), "{days}");
        }
    }
}
