//! Numbers with a unit: durations and sizes.

use posthouse_domain::time::{DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS};

/// Longest duration that can be configured: one year, in milliseconds.
const DURATION_MS_MAX: i64 = 365 * DAY_MS;

/// Splits text into a number and its unit.
fn scaled(text: &str) -> Option<(u64, &str)> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim_start()))
}

/// Parses a duration such as `15m`; returns milliseconds.
pub(super) fn duration_ms(text: &str) -> Option<i64> {
    let (number, unit) = scaled(text)?;
    let unit_ms = match unit {
        "ms" => 1,
        "s" => SECOND_MS,
        "m" => MINUTE_MS,
        "h" => HOUR_MS,
        "d" => DAY_MS,
        _ => return None,
    };
    i64::try_from(number).ok()?.checked_mul(unit_ms).filter(|ms| (1..=DURATION_MS_MAX).contains(ms))
}

/// Parses a size such as `25MiB`; returns bytes.
pub(super) fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = scaled(text)?;
    let unit_bytes = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes() {
        let table = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("15m", Some(900_000)),
            ("24h", Some(86_400_000)),
            ("5d", Some(432_000_000)),
            ("0s", None),
            ("10", None),
            ("s", None),
            ("-1s", None),
            ("366d", None),
            ("9999999999999999999d", None),
        ];
        for (text, expected) in table {
            assert_eq!(duration_ms(text), expected, "{text}");
        }
        let table = [
            ("26214400", Some(26_214_400)),
            ("25MiB", Some(26_214_400)),
            ("25 MB", Some(25_000_000)),
            ("25mb", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(size_bytes(text), expected, "{text}");
        }
    }
}
