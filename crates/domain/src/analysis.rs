//! What the categoriser found out about a received message, and what follows: labels, and whether agents get it.

use crate::{label, time::Time};

/// The probability of a category from which it becomes a label.
pub const CATEGORY_MIN: f64 = 0.6;
/// The risk of an injection or of phishing from which it becomes a label, and mail is held.
pub const RISK_MIN: f64 = 0.8;
/// The probability from which a message has the label `ai:needs-human`.
pub const NEEDS_HUMAN_MIN: f64 = 0.7;
/// The probability from which a message has the label `ai:auto-reply`.
pub const AUTO_REPLY_MIN: f64 = 0.8;

/// On messages without a likely category.
const UNCERTAIN: &str = "ai:uncertain";
/// On messages that probably instruct an agent.
const INJECTION_RISK: &str = "ai:injection-risk";
/// On messages that are urgent.
const URGENT: &str = "ai:urgent";

named! {
    /// Why received mail is held back from agents.
    HoldReason {
        /// It may instruct an agent.
        InjectionRisk = "injection_risk",
        /// It may be phishing.
        Phishing = "phishing",
        /// The check failed.
        CheckFailed = "check_failed",
        /// The quota of checks is used up.
        Quota = "quota",
        /// The check took too long.
        CheckTimedOut = "check_timed_out",
        /// A rule of the owner holds it.
        Rule = "rule",
        /// A receive list stopped it.
        Blocked = "blocked",
        /// A check hasn't ended yet. The mail is shown as if it arrived when the check passes it.
        Pending = "pending",
    }
}

named! {
    /// How much AI may process a workspace's mail.
    AiProcessing {
        /// Not at all.
        Off = "off",
        /// Categorize received mail.
        Categorize = "categorize",
        /// Categorize, draft and extract.
        Full = "full",
    }
}

named! {
    /// The state of the analysis of a received message.
    AnalysisState {
        /// It runs or waits.
        Pending = "pending",
        /// Its results are stored.
        Completed = "completed",
        /// It isn't done.
        Skipped = "skipped",
        /// It was given up.
        Failed = "failed",
    }
    /// Why a message is not analyzed.
    SkipReason {
        /// The plan's checks of the day are used up.
        Quota = "quota",
        /// The workspace's `ai_processing` is `off`.
        AiOff = "ai_off",
        /// The service has no categoriser, or had none when the message arrived.
        NotAvailable = "not_available",
        /// A receive list stopped the message.
        Blocked = "blocked",
        /// It is a report about sent mail, or mail of the service.
        NotApplicable = "not_applicable",
    }
    /// What a message is about.
    Category {
        /// A question or a problem of a customer.
        Support = "support",
        /// An offer or advertising.
        Sales = "sales",
        /// Invoices and payments.
        Billing = "billing",
        /// Codes and links that confirm an address or a sign-in.
        Verification = "verification",
        /// An automatic message about something that happened.
        Notification = "notification",
        /// A regular mail to many readers.
        Newsletter = "newsletter",
        /// From one person to another.
        Personal = "personal",
        /// Anything else.
        Other = "other",
    }
    /// How soon a message needs an answer.
    Urgency {
        /// Whenever.
        Low = "low",
        /// As usual.
        Normal = "normal",
        /// Soon.
        High = "high",
        /// At once.
        Critical = "critical",
    }
    /// How a workspace or an inbox screens mail for agents.
    ScreeningMode {
        /// Risky mail is held until a person releases it.
        Hold = "hold",
        /// Risky mail has labels, and agents get it.
        Monitor = "monitor",
        /// Agents get all mail, also held mail.
        Off = "off",
    }
    /// What happens to mail whose check takes longer than the deadline.
    ScreeningTimeout {
        /// It is held.
        Hold = "hold",
        /// Agents get it.
        Release = "release",
    }
    /// What a person says about held mail when releasing it.
    Feedback {
        /// It was rightly held.
        Right = "right",
        /// It was wrongly held.
        Wrong = "wrong",
        /// The person doesn't know.
        Unsure = "unsure",
        /// It is spam.
        Spam = "spam",
        /// It is a test.
        Test = "test",
    }
}

impl Category {
    /// Returns the label of the category.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Support => "ai:support",
            Self::Sales => "ai:sales",
            Self::Billing => "ai:billing",
            Self::Verification => "ai:verification",
            Self::Notification => "ai:notification",
            Self::Newsletter => "ai:newsletter",
            Self::Personal => "ai:personal",
            Self::Other => "ai:other",
        }
    }
}

/// The shortest deadline of a check, in seconds.
pub const DEADLINE_S_MIN: i64 = 2;
/// The longest deadline of a check, in seconds.
pub const DEADLINE_S_MAX: i64 = 3_600;

/// How a workspace screens mail for agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScreeningSettings {
    pub mode: ScreeningMode,
    /// How long a check may take, in seconds.
    pub deadline_s: i64,
    /// What happens then.
    pub on_timeout: ScreeningTimeout,
}

impl ScreeningSettings {
    /// The settings of a new workspace.
    pub const DEFAULT: Self = Self { mode: ScreeningMode::Hold, deadline_s: 120, on_timeout: ScreeningTimeout::Hold };
}

/// The answers of a categoriser about one message. Probabilities are from 0 to 1.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The probability of each category, in the order of [`Category::ALL`].
    pub category: [f64; 8],
    /// That it tries to instruct an agent.
    pub injection: f64,
    pub phishing: f64,
    /// That a person should handle it.
    pub needs_human: f64,
    /// The probability of each urgency, in the order of [`Urgency::ALL`].
    pub urgency: [f64; 4],
    /// That it is an automatic message.
    pub auto_reply: f64,
    /// Bytes of the text that look most like an instruction to an agent.
    pub injection_at: Option<TextRange>,
    /// Whether the whole text was read.
    pub is_complete: bool,
    /// The engine's label.
    pub model: String,
    /// When the answers were stored.
    pub at: Time,
}

/// A part of a text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRange {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

impl Verdict {
    /// Returns the most likely category and its probability.
    #[must_use]
    pub fn best_category(&self) -> (Category, f64) {
        best(Category::ALL, &self.category).unwrap_or((Category::Other, 0.0))
    }

    /// Returns the most likely urgency and its probability.
    #[must_use]
    pub fn best_urgency(&self) -> (Urgency, f64) {
        best(Urgency::ALL, &self.urgency).unwrap_or((Urgency::Normal, 0.0))
    }

    /// Returns the expected urgency, from 0 to 3.
    #[must_use]
    pub fn urgency_score(&self) -> f64 {
        self.urgency.iter().zip([0.0, 1.0, 2.0, 3.0]).map(|(share, level)| share * level).sum()
    }

    /// Returns the probability that the message is about a verification.
    #[must_use]
    pub const fn verification(&self) -> f64 {
        self.category[3]
    }

    /// Returns the labels that the answers give the message.
    #[must_use]
    pub fn labels(&self) -> Vec<&'static str> {
        let (category, share) = self.best_category();
        let urgency = self.best_urgency().0;
        let all = [
            (true, if share >= CATEGORY_MIN { category.label() } else { UNCERTAIN }),
            (self.injection >= RISK_MIN, INJECTION_RISK),
            (self.phishing >= RISK_MIN, label::PHISHING),
            (self.needs_human >= NEEDS_HUMAN_MIN, label::NEEDS_HUMAN),
            (self.auto_reply >= AUTO_REPLY_MIN, label::AUTO_REPLY),
            (matches!(urgency, Urgency::High | Urgency::Critical), URGENT),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, label)| label).collect()
    }

    /// Returns the risk that holds the message, if there is one.
    #[must_use]
    pub fn risk(&self) -> Option<HoldReason> {
        if self.injection >= RISK_MIN {
            return Some(HoldReason::InjectionRisk);
        }
        (self.phishing >= RISK_MIN).then_some(HoldReason::Phishing)
    }
}

fn best<T: Copy>(all: &[T], shares: &[f64]) -> Option<(T, f64)> {
    all.iter().copied().zip(shares.iter().copied()).reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// Returns the risk that holds a message with these labels, if there is one. The local screen sets its label before the
/// categoriser answers, and no answer removes it.
#[must_use]
pub fn risk_of_labels(labels: &[String]) -> Option<HoldReason> {
    let has = |name: &str| labels.iter().any(|label| label == name);
    if has(INJECTION_RISK) || has(label::LOCAL_INJECTION_RISK) {
        return Some(HoldReason::InjectionRisk);
    }
    has(label::PHISHING).then_some(HoldReason::Phishing)
}

/// Returns whether a risk that shows after a message was stored holds it: where its analysis would have, if it had known.
#[must_use]
pub fn holds_late(analysis: Option<&Analysis>, mode: ScreeningMode) -> bool {
    let is_checked = analysis.is_some_and(|analysis| !matches!(analysis, Analysis::Skipped(_)));
    is_checked && mode == ScreeningMode::Hold
}

/// Which withheld content a caller asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OptIns {
    /// Of mail whose check hasn't ended.
    pub unscreened: bool,
    /// Of held mail; needs `messages:release`.
    pub held: bool,
}

impl OptIns {
    /// All withheld content.
    pub const ALL: Self = Self { unscreened: true, held: true };

    /// Returns whether the content of a message that is held for this reason is shown.
    #[must_use]
    pub fn opens(self, held: Option<HoldReason>) -> bool {
        match held {
            None => true,
            Some(HoldReason::Pending) => self.unscreened,
            Some(_) => self.held,
        }
    }
}

/// The analysis of a received message.
#[derive(Clone, PartialEq, Debug)]
pub enum Analysis {
    /// It runs or waits.
    Pending,
    /// Its results.
    Completed(Verdict),
    /// It isn't done.
    Skipped(SkipReason),
    /// It was given up, for this reason.
    Failed(String),
}

impl Analysis {
    /// Returns the state.
    #[must_use]
    pub const fn state(&self) -> AnalysisState {
        match self {
            Self::Pending => AnalysisState::Pending,
            Self::Completed(_) => AnalysisState::Completed,
            Self::Skipped(_) => AnalysisState::Skipped,
            Self::Failed(_) => AnalysisState::Failed,
        }
    }

    /// Returns the answers.
    #[must_use]
    pub const fn verdict(&self) -> Option<&Verdict> {
        match self {
            Self::Completed(verdict) => Some(verdict),
            Self::Pending | Self::Skipped(_) | Self::Failed(_) => None,
        }
    }

    /// Returns why it isn't done.
    #[must_use]
    pub const fn skip_reason(&self) -> Option<SkipReason> {
        match self {
            Self::Skipped(reason) => Some(*reason),
            Self::Pending | Self::Completed(_) | Self::Failed(_) => None,
        }
    }
}

/// What the service can say about a mail before it is stored.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Judged {
    /// Nothing, and nothing later.
    #[default]
    Unavailable,
    /// Nothing yet: a model server is asked after the mail is stored.
    Later,
    /// The answers.
    Now(Verdict),
    /// The categoriser broke.
    Failed,
}

/// The facts that decide how a received message is analyzed and screened.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisFacts<'a> {
    /// What is known about the mail.
    pub judged: &'a Judged,
    /// Whether a receive list stopped it.
    pub is_blocked: bool,
    /// Whether it counts as a report about sent mail.
    pub is_report: bool,
    /// How much AI may process the workspace's mail.
    pub processing: AiProcessing,
    /// Whether the plan has a check left.
    pub has_quota: bool,
    /// The mode that holds for its inbox.
    pub mode: ScreeningMode,
    /// Its labels so far.
    pub labels: &'a [String],
}

/// How a received message is analyzed and screened.
#[derive(Clone, PartialEq, Debug)]
pub struct AnalysisPlan {
    pub analysis: Analysis,
    /// Why agents don't get it; [`HoldReason::Pending`] until its check has ended.
    pub held: Option<HoldReason>,
}

impl AnalysisFacts<'_> {
    /// Decides about a message that is being stored.
    #[must_use]
    pub fn plan(self) -> AnalysisPlan {
        let skip = |reason, held| AnalysisPlan { analysis: Analysis::Skipped(reason), held };
        let holds = self.mode == ScreeningMode::Hold;
        if self.is_blocked {
            return skip(SkipReason::Blocked, Some(HoldReason::Blocked));
        }
        if self.is_report {
            return skip(SkipReason::NotApplicable, None);
        }
        if self.processing == AiProcessing::Off {
            return skip(SkipReason::AiOff, None);
        }
        if *self.judged == Judged::Unavailable {
            return skip(SkipReason::NotAvailable, None);
        }
        if !self.has_quota {
            return skip(SkipReason::Quota, holds.then_some(HoldReason::Quota));
        }
        let local = risk_of_labels(self.labels);
        match self.judged {
            Judged::Now(verdict) => {
                let risk = verdict.risk().or(local);
                AnalysisPlan { analysis: Analysis::Completed(verdict.clone()), held: risk.filter(|_| holds) }
            }
            Judged::Failed => AnalysisPlan {
                analysis: Analysis::Failed("the categoriser failed".to_owned()),
                held: holds.then_some(local.unwrap_or(HoldReason::CheckFailed)),
            },
            Judged::Later | Judged::Unavailable => {
                AnalysisPlan { analysis: Analysis::Pending, held: holds.then_some(HoldReason::Pending) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict() -> Verdict {
        Verdict {
            category: [0.1, 0.1, 0.6, 0.05, 0.05, 0.05, 0.03, 0.02],
            injection: 0.1,
            phishing: 0.1,
            needs_human: 0.1,
            urgency: [0.1, 0.7, 0.1, 0.1],
            auto_reply: 0.1,
            injection_at: None,
            is_complete: true,
            model: "test".to_owned(),
            at: Time::from_millis(0),
        }
    }

    #[test]
    fn labels_follow_the_thresholds() {
        let base = verdict();
        assert_eq!(base.labels(), ["ai:billing"]);
        assert!((base.urgency_score() - 1.2).abs() < 1e-9);
        let unsure = Verdict { category: [0.2, 0.1, 0.59, 0.05, 0.02, 0.02, 0.01, 0.01], ..base.clone() };
        assert_eq!(unsure.labels(), ["ai:uncertain"]);
        let worst = Verdict {
            injection: 0.8,
            phishing: 0.8,
            needs_human: 0.7,
            auto_reply: 0.8,
            urgency: [0.0, 0.3, 0.4, 0.3],
            ..base.clone()
        };
        assert_eq!(
            worst.labels(),
            ["ai:billing", "ai:injection-risk", "ai:phishing", "ai:needs-human", "ai:auto-reply", "ai:urgent"]
        );
        let below =
            Verdict { injection: 0.799, phishing: 0.799, needs_human: 0.699, auto_reply: 0.799, ..base.clone() };
        assert_eq!(below.labels(), ["ai:billing"]);
        assert_eq!(Category::ALL.iter().position(|one| *one == Category::Verification), Some(3));
    }

    /// Returns the state, the reason to skip and the reason to hold.
    fn decided(facts: AnalysisFacts<'_>) -> (&'static str, Option<&'static str>, Option<&'static str>) {
        let plan = facts.plan();
        let skipped = plan.analysis.skip_reason().map(SkipReason::text);
        (plan.analysis.state().text(), skipped, plan.held.map(HoldReason::text))
    }

    #[test]
    fn the_first_reason_decides() {
        let (clean, risky) = (Judged::Now(verdict()), Judged::Now(Verdict { phishing: 0.9, ..verdict() }));
        let local = [label::LOCAL_INJECTION_RISK.to_owned()];
        let base = AnalysisFacts {
            judged: &clean,
            is_blocked: false,
            is_report: false,
            processing: AiProcessing::Categorize,
            has_quota: true,
            mode: ScreeningMode::Hold,
            labels: &[],
        };
        let off = AiProcessing::Off;
        let monitor = ScreeningMode::Monitor;
        let cases = [
            (base, ("completed", None, None)),
            (AnalysisFacts { judged: &risky, ..base }, ("completed", None, Some("phishing"))),
            (AnalysisFacts { judged: &risky, mode: monitor, ..base }, ("completed", None, None)),
            (AnalysisFacts { judged: &risky, mode: ScreeningMode::Off, ..base }, ("completed", None, None)),
            (AnalysisFacts { labels: &local, ..base }, ("completed", None, Some("injection_risk"))),
            (AnalysisFacts { labels: &local, processing: off, ..base }, ("skipped", Some("ai_off"), None)),
            (AnalysisFacts { judged: &risky, is_blocked: true, ..base }, ("skipped", Some("blocked"), Some("blocked"))),
            (AnalysisFacts { judged: &risky, is_report: true, ..base }, ("skipped", Some("not_applicable"), None)),
            (AnalysisFacts { judged: &Judged::Unavailable, ..base }, ("skipped", Some("not_available"), None)),
            (AnalysisFacts { has_quota: false, ..base }, ("skipped", Some("quota"), Some("quota"))),
            (AnalysisFacts { has_quota: false, mode: monitor, ..base }, ("skipped", Some("quota"), None)),
            (AnalysisFacts { judged: &Judged::Later, ..base }, ("pending", None, Some("pending"))),
            (AnalysisFacts { judged: &Judged::Later, mode: monitor, ..base }, ("pending", None, None)),
        ];
        for (facts, expected) in cases {
            assert_eq!(decided(facts), expected, "{facts:?}");
        }
    }
}
