//! Greylisting by remote servers (RFC 6647): recognizes it and determines when to retry.

use posthouse_mail::smtp::client::{DeliveryResult, SmtpStage};

use super::AttemptReport;
use crate::{
    message::RecipientDelivery,
    time::{HOUR_MS, MINUTE_MS, SECOND_MS},
};

/// Phrases that only greylisting uses.
const GREYLIST_PHRASES: &[&str] = &["greylist", "graylist", "grey list", "gray list", "grey-list", "gray-list"];
/// Phrases of servers that greylist without naming it.
const RETRY_PHRASES: &[&str] = &[
    "try again later",
    "please try again",
    "please retry",
    "come back later",
    "temporarily rejected",
    "temporary rejected",
    "not yet authorized",
    "first contact",
    "retry timeout",
];
/// Phrases that refer to the rate or the server's state, which rule out greylisting.
const RATE_PHRASES: &[&str] = &[
    "too many",
    " rate",
    "ratelimit",
    "throttl",
    "busy",
    "overload",
    "exceeded",
    "frequency",
    "unusual",
    "reputation",
];
/// The longest wait that a server may request, in milliseconds.
const REQUESTED_WAIT_MS_MAX: i64 = HOUR_MS;

/// Returns whether a temporary rejection looks like greylisting: it says so, or a 450 or 451 reply during the mail
/// transaction has the policy code 4.7.1 and a typical phrase.
#[must_use]
pub fn looks_greylisted(report: &AttemptReport) -> bool {
    let in_mail =
        matches!(report.stage, SmtpStage::MailFrom | SmtpStage::RcptTo | SmtpStage::Data | SmtpStage::EndOfData);
    report.result == DeliveryResult::Temporary
        && in_mail
        && is_greylisting_reply(report.smtp_code, report.enhanced_code.as_deref(), &report.text)
}

/// Returns whether the last attempt was greylisted. The next one then goes to the same exchanger, which has recorded
/// the first.
#[must_use]
pub fn was_greylisted(entry: &RecipientDelivery) -> bool {
    entry.attempts > 0
        && is_greylisting_reply(
            entry.smtp_code,
            entry.enhanced_code.as_deref(),
            entry.detail.as_deref().unwrap_or_default(),
        )
}

fn is_greylisting_reply(code: Option<u16>, enhanced_code: Option<&str>, text: &str) -> bool {
    if !matches!(code, Some(450 | 451 | 421 | 452)) {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(GREYLIST_PHRASES) {
        return true;
    }
    matches!(code, Some(450 | 451)) && enhanced_code == Some("4.7.1") && has(RETRY_PHRASES) && !has(RATE_PHRASES)
}

/// Returns the interval before the next attempt, in milliseconds, at most `usual` (the regular schedule's). After
/// greylisting, it is the time that the server named, or else the next step of `greylist_schedule_ms`.
#[must_use]
pub fn gap_ms(report: &AttemptReport, attempts: u32, usual: i64, greylist_schedule_ms: &[i64]) -> i64 {
    if !looks_greylisted(report) {
        return usual;
    }
    let done = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let step = greylist_schedule_ms.get(done).copied().unwrap_or(usual);
    requested_wait_ms(&report.text).unwrap_or(step).min(usual)
}

/// Parses a wait that a reply names: "in 300 seconds", "for 5 minutes", "00:04:52".
fn requested_wait_ms(text: &str) -> Option<i64> {
    let lower = text.to_ascii_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_ascii_alphanumeric() || c == ':')).filter(|word| !word.is_empty()).collect();
    let found = words.iter().enumerate().find_map(|(at, word)| {
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = word.split_at(digits);
        if number.is_empty() || number.len() > 6 {
            return None;
        }
        if rest.starts_with(':') {
            return clock_ms(word);
        }
        let unit = if rest.is_empty() { words.get(at + 1).copied().unwrap_or_default() } else { rest };
        Some(number.parse::<i64>().ok()? * unit_ms(unit)?)
    })?;
    (SECOND_MS..=REQUESTED_WAIT_MS_MAX).contains(&found).then_some(found)
}

fn unit_ms(unit: &str) -> Option<i64> {
    match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(SECOND_MS),
        "m" | "min" | "mins" | "minute" | "minutes" => Some(MINUTE_MS),
        "h" | "hour" | "hours" => Some(HOUR_MS),
        _ => None,
    }
}

/// Parses `mm:ss` or `hh:mm:ss`.
fn clock_ms(word: &str) -> Option<i64> {
    let parts: Vec<i64> = word.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let seconds = match parts[..] {
        [minutes, seconds] => minutes * 60 + seconds,
        [hours, minutes, seconds] => (hours * 60 + minutes) * 60 + seconds,
        _ => return None,
    };
    Some(seconds * SECOND_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: u16, enhanced: &str, text: &str) -> AttemptReport {
        AttemptReport {
            smtp_code: Some(code),
            enhanced_code: Some(enhanced.to_owned()).filter(|code| !code.is_empty()),
            stage: SmtpStage::RcptTo,
            ..AttemptReport::local(DeliveryResult::Temporary, "", text)
        }
    }

    #[test]
    fn greylisting_is_recognized() {
        let table = [
            (450, "4.2.0", "<a@b>: Recipient address rejected: Greylisted, see http://postgrey.example/help", true),
            (451, "4.7.1", "Greylisting in action, please come back in 00:04:52", true),
            (451, "", "4.7.1 Graylisted, try again in 5 minutes", true),
            (421, "4.7.0", "Greylisted, please try later", true),
            (451, "4.7.1", "Service unavailable - try again later", true),
            (450, "4.7.1", "Please try again in a few minutes: you are not yet authorized", true),
            (451, "4.3.0", "Service unavailable - try again later", false),
            (451, "4.7.1", "Too many messages, please try again later", false),
            (451, "4.7.1", "temporarily rejected, IP rate exceeded, try again later", false),
            (421, "4.7.1", "try again later", false),
            (452, "4.2.2", "mailbox full", false),
            (550, "5.7.1", "greylisted", false),
            (450, "4.7.1", "Client host rejected: cannot find your hostname", false),
        ];
        for (code, enhanced, text, expected) in table {
            assert_eq!(looks_greylisted(&refused(code, enhanced, text)), expected, "{code} {enhanced} {text}");
        }
        let greeting = AttemptReport { stage: SmtpStage::Greeting, ..refused(421, "", "greylisted") };
        assert!(!looks_greylisted(&greeting), "a server can't greylist before the envelope");
    }

    #[test]
    fn requested_wait_is_parsed() {
        let table = [
            ("Greylisted for 300 seconds", Some(300_000)),
            ("try again in 5 minutes", Some(300_000)),
            ("come back in 00:04:52.", Some(292_000)),
            ("retry in 04:52", Some(292_000)),
            ("wait 90s", Some(90_000)),
            ("4.7.1 Greylisted (60 sec)", Some(60_000)),
            ("come back in 1 hour", Some(3_600_000)),
            ("come back in 2 hours", None),
            ("greylisted, see RFC 6647", None),
            ("greylisted 0 seconds", None),
            ("greylisted", None),
        ];
        for (text, expected) in table {
            assert_eq!(requested_wait_ms(text), expected, "{text}");
        }
    }

    #[test]
    fn greylisted_mail_retries_by_its_own_schedule_and_never_later_than_usual() {
        let schedule = [60_000, 120_000, 180_000];
        let grey = |text: &str| refused(450, "4.2.0", text);
        let table = [
            (grey("greylisted"), 1, 60_000, 60_000),
            (grey("greylisted"), 2, 240_000, 120_000),
            (grey("greylisted"), 3, 600_000, 180_000),
            (grey("greylisted"), 4, 900_000, 900_000),
            (grey("greylisted"), 3, 1_000, 1_000),
            (grey("greylisted for 30 seconds"), 1, 60_000, 30_000),
            (grey("greylisted for 300 seconds"), 2, 240_000, 240_000),
            (refused(451, "4.3.0", "out of disk"), 2, 240_000, 240_000),
        ];
        for (report, attempts, usual, expected) in table {
            assert_eq!(gap_ms(&report, attempts, usual, &schedule), expected, "{} {attempts}", report.text);
        }
    }
}
