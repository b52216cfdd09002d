//! Metrics of what the local screen, the categoriser and people say about received mail.

use posthouse_domain::{Feedback, HoldReason, LocalCheck, Verdict, analysis::RISK_MIN};
use prometheus_client::metrics::{counter::Counter, family::Family, histogram::Histogram};
use prometheus_client::registry::Registry;

use super::{Labels, family};

/// Upper bounds of the durations that are counted apart, in seconds.
const BOUNDS_S: [f64; 9] = [0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25];
const US_PER_S: f64 = 1_000_000.0;

/// What is timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// The local screen.
    Screen,
    /// The local model.
    Model,
}

/// The metrics. Clones share them.
#[derive(Clone, Debug)]
pub struct CheckMetrics {
    labels: Family<Labels<1>, Counter>,
    seconds: Family<Labels<1>, Histogram, fn() -> Histogram>,
    agreement: Family<Labels<2>, Counter>,
    feedback: Family<Labels<2>, Counter>,
}

impl CheckMetrics {
    pub(super) fn register(to: &mut Registry) -> Self {
        let seconds: Family<Labels<1>, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BOUNDS_S));
        to.register("mail_check_seconds", "Time of a check of received mail, by check", seconds.clone());
        Self {
            labels: family(to, "mail_labels", "Received mail, by the labels of its checks"),
            seconds,
            agreement: family(
                to,
                "injection_verdicts",
                "Received mail, by whether the local screen and the model see an injection",
            ),
            feedback: family(
                to,
                "screening_feedback",
                "Answers that people gave about held mail, each change again, by reason of the hold",
            ),
        }
    }

    /// Counts the duration of a check, in microseconds.
    pub fn took(&self, check: Check, us: i64) {
        let check = match check {
            Check::Screen => "screen",
            Check::Model => "model",
        };
        self.seconds.get_or_create(&[("check", check)]).observe(us.max(0) as f64 / US_PER_S);
    }

    /// Counts the labels of the local screen.
    pub fn screened(&self, check: &LocalCheck) {
        self.labeled(check.labels());
    }

    /// Counts the labels of a verdict, and whether the model sees an injection (`injection`, before its risk is limited)
    /// where the local screen does.
    pub fn judged(&self, verdict: &Verdict, injection: f64, check: Option<&LocalCheck>) {
        self.labeled(verdict.labels());
        let Some(check) = check else { return };
        let said = |is_flagged: bool| if is_flagged { "flagged" } else { "clear" };
        let pair = [("screen", said(check.screen.flagged)), ("model", said(injection >= RISK_MIN))];
        self.agreement.get_or_create(&pair).inc();
    }

    /// Counts an answer that a person gave about held mail. One that replaces another counts too.
    pub fn feedback(&self, reason: HoldReason, feedback: Feedback) {
        self.feedback.get_or_create(&[("reason", reason.text()), ("feedback", feedback.text())]).inc();
    }

    fn labeled(&self, labels: impl IntoIterator<Item = &'static str>) {
        labels.into_iter().for_each(|label| {
            self.labels.get_or_create(&[("label", label)]).inc();
        });
    }
}
