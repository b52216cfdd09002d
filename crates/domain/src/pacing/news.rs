//! What an attempt says about its destination: whether it goes well, or went too fast.

use posthouse_mail::smtp::client::{ConnectionFailure, DeliveryResult, Stage};

use crate::delivery::{Report, looks_greylisted};

/// What was heard of a destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// It took a message.
    Took,
    /// It answered, and what it said was about this mail or this recipient alone: greylisting and full mailboxes too.
    Answered,
    /// It pushed back: 421, or a temporary refusal that is about us or itself.
    PushedBack {
        /// In words that mean our speed.
        too_fast: bool,
    },
    /// No connection, no answer, or one that is no SMTP.
    Unreachable,
}

/// Words of a push back that mean how fast or how much.
const TOO_FAST: &[&str] = &[
    " rate",
    "ratelimit",
    "too many",
    "too fast",
    "too much",
    "throttl",
    "unusual",
    "frequency",
    "exceeded",
    "slow down",
    "concurrent",
    "volume",
    "quota of",
    "limit",
];

/// Beginnings of enhanced codes that are about one mailbox, one address or one message (RFC 3463).
const OF_ONE_MAIL: &[&str] = &["4.1.", "4.2.", "4.6."];

/// What the failure of a connection says.
#[must_use]
pub fn of_failure(failure: &ConnectionFailure) -> News {
    match failure.code {
        None => News::Unreachable,
        Some(_) => News::PushedBack { too_fast: says_too_fast(&failure.text) },
    }
}

/// What the answers to one message say, taken together: one that was taken says that the destination works.
#[must_use]
pub fn of_reports(reports: &[Report]) -> News {
    let each = || reports.iter().map(of_report);
    let pushed = each().find(|news| matches!(news, News::PushedBack { .. }));
    if each().any(|news| news == News::Took) {
        News::Took
    } else if let Some(pushed) = pushed {
        pushed
    } else if each().any(|news| news == News::Unreachable) {
        News::Unreachable
    } else {
        News::Answered
    }
}

fn of_report(report: &Report) -> News {
    match (report.result, report.smtp_code) {
        (DeliveryResult::Delivered, _) => News::Took,
        (DeliveryResult::Permanent, _) => News::Answered,
        (DeliveryResult::Temporary, None) if report.stage == Stage::Local => News::Answered,
        (DeliveryResult::Temporary, None) => News::Unreachable,
        (DeliveryResult::Temporary, Some(421)) => News::PushedBack { too_fast: says_too_fast(&report.text) },
        (DeliveryResult::Temporary, Some(_)) if is_of_one_mail(report) => News::Answered,
        (DeliveryResult::Temporary, Some(_)) => News::PushedBack { too_fast: says_too_fast(&report.text) },
    }
}

fn is_of_one_mail(report: &Report) -> bool {
    let code = report.enhanced_code.as_deref().unwrap_or_default();
    looks_greylisted(report) || OF_ONE_MAIL.iter().any(|start| code.starts_with(start))
}

fn says_too_fast(text: &str) -> bool {
    let says = text.to_ascii_lowercase();
    TOO_FAST.iter().any(|word| says.contains(word))
}
