//! Classifies the result of an attempt: whether the destination is working, pushing back or unreachable.

use posthouse_mail::smtp::client::{ConnectionFailure, DeliveryResult, SmtpStage};

use crate::delivery::{AttemptReport, looks_greylisted};

/// What a result says about the destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrottleSignal {
    /// It accepted a message.
    Accepted,
    /// It responded, and the response concerns this message or recipient only, such as greylisting or a full mailbox.
    Responded,
    /// It pushed back: 421, or a temporary failure that concerns the destination or this server.
    PushedBack {
        /// Whether the text refers to the sending rate.
        too_fast: bool,
    },
    /// No connection, no response, or a response that isn't SMTP.
    Unreachable,
}

/// Phrases in a pushback that refer to rate or volume.
const RATE_PHRASES: &[&str] = &[
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

/// Prefixes of enhanced status codes that concern one mailbox, address or message (RFC 3463).
const ONE_MESSAGE_CODES: &[&str] = &["4.1.", "4.2.", "4.6."];

/// Classifies a failed connection.
#[must_use]
pub fn of_failure(failure: &ConnectionFailure) -> ThrottleSignal {
    match failure.code {
        None => ThrottleSignal::Unreachable,
        Some(_) => ThrottleSignal::PushedBack { too_fast: mentions_rate(&failure.text) },
    }
}

/// Classifies the results of one message for all of its recipients. If one was accepted, the destination works.
#[must_use]
pub fn of_reports(reports: &[AttemptReport]) -> ThrottleSignal {
    let each = || reports.iter().map(of_report);
    let pushed = each().find(|signal| matches!(signal, ThrottleSignal::PushedBack { .. }));
    if each().any(|signal| signal == ThrottleSignal::Accepted) {
        ThrottleSignal::Accepted
    } else if let Some(pushed) = pushed {
        pushed
    } else if each().any(|signal| signal == ThrottleSignal::Unreachable) {
        ThrottleSignal::Unreachable
    } else {
        ThrottleSignal::Responded
    }
}

fn of_report(report: &AttemptReport) -> ThrottleSignal {
    match (report.result, report.smtp_code) {
        (DeliveryResult::Delivered, _) => ThrottleSignal::Accepted,
        (DeliveryResult::Permanent, _) => ThrottleSignal::Responded,
        (DeliveryResult::Temporary, None) if report.stage == SmtpStage::Local => ThrottleSignal::Responded,
        (DeliveryResult::Temporary, None) => ThrottleSignal::Unreachable,
        (DeliveryResult::Temporary, Some(421)) => ThrottleSignal::PushedBack { too_fast: mentions_rate(&report.text) },
        (DeliveryResult::Temporary, Some(_)) if concerns_one_message(report) => ThrottleSignal::Responded,
        (DeliveryResult::Temporary, Some(_)) => ThrottleSignal::PushedBack { too_fast: mentions_rate(&report.text) },
    }
}

fn concerns_one_message(report: &AttemptReport) -> bool {
    let code = report.enhanced_code.as_deref().unwrap_or_default();
    looks_greylisted(report) || ONE_MESSAGE_CODES.iter().any(|start| code.starts_with(start))
}

fn mentions_rate(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    RATE_PHRASES.iter().any(|word| text.contains(word))
}
