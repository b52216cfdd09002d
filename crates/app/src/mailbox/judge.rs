//! What the categoriser says about a parsed mail before it is stored, and what follows for its copy in an inbox.
//!
//! The local model answers in less than a millisecond, so it is asked before the transaction: the copy is stored with its
//! answers, and nobody waits for a check (`docs/decisions/receiving.md#0140-the-local-model-answers-before-the-mail-is-stored`). A model server is asked by a job.

use std::panic::{AssertUnwindSafe, catch_unwind};

use posthouse_categoriser::{Answers, Authentication, Facts, Mail};
use posthouse_domain::{
    AnalysisFacts, AnalysisPlan, HoldReason, Inbox, Judged, LocalCheck, MessageBodies, Plans, Record, TextRange, Time,
    Verdict, label::DMARC_FAIL, label::SPF_FAIL, send::BOUNCE_LABEL,
};
use posthouse_mail::auth::DmarcAlignment;
use posthouse_screen::Code;
use posthouse_store::{Result, Tx, screening, workspaces};

use super::{Visibility, parse::ParsedMail};
use crate::{local_model::LocalModel, service::Service, settings::Categoriser};

/// Score of the local screen from which the model's answer about an injection counts in full.
const SIGN_MIN: f32 = 0.2;
/// Largest risk that the model alone can give a mail: below the threshold of labels.
const UNPROVEN_MAX: f64 = 0.79;
/// Decimals of a stored probability.
const PRECISION: f64 = 10_000.0;

/// Judges mail before it is stored.
#[derive(Clone)]
pub struct Judge {
    engine: Categoriser,
    model: LocalModel,
    now: Time,
}

impl Judge {
    /// Returns the judge of a service.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Self { engine: service.config.ai.categoriser, model: service.local_model.clone(), now: service.clock.now() }
    }

    /// Judges a parsed mail. Takes as long as the local model; call it where the mail is parsed.
    #[must_use]
    pub fn judge(&self, mail: &ParsedMail) -> Judged {
        match self.engine {
            Categoriser::Off => Judged::Unavailable,
            Categoriser::OpenAi => Judged::Later,
            Categoriser::Builtin => self.judge_parsed(mail),
        }
    }

    /// Judges a stored message with the engine of the configuration.
    #[must_use]
    pub fn judge_stored_or_later(&self, record: &Record) -> Judged {
        match self.engine {
            Categoriser::Off => Judged::Unavailable,
            Categoriser::OpenAi => Judged::Later,
            Categoriser::Builtin => self.judge_stored(record),
        }
    }

    fn judge_stored(&self, record: &Record) -> Judged {
        let message = &record.message;
        let names: Vec<&str> = record.attachments.iter().filter_map(|file| file.filename.as_deref()).collect();
        let proven = if message.author_proven { Authentication::Pass } else { Authentication::None };
        let of_labels = facts_of_labels(&message.labels);
        let facts = Facts {
            dmarc: if of_labels.dmarc == Authentication::None { proven } else { of_labels.dmarc },
            automatic_header: message.auto_reply,
            list_header: has_list_header(&record.bodies),
            ..of_labels
        };
        let asked = Mail {
            from: &message.from,
            subject: message.subject.as_deref().unwrap_or_default(),
            text: record.bodies.text.as_deref().unwrap_or_default(),
            attachment_names: &names,
            facts,
        };
        self.ask_model(&asked, message.local_check.as_ref())
    }

    fn judge_parsed(&self, mail: &ParsedMail) -> Judged {
        let names: Vec<&str> = mail.files.iter().filter_map(|file| file.filename.as_deref()).collect();
        let asked = Mail {
            from: &mail.from,
            subject: mail.subject.as_deref().unwrap_or_default(),
            text: mail.bodies.text.as_deref().unwrap_or_default(),
            attachment_names: &names,
            facts: facts(mail),
        };
        self.ask_model(&asked, mail.local_check.as_ref())
    }

    fn ask_model(&self, asked: &Mail<'_>, check: Option<&LocalCheck>) -> Judged {
        let model = self.model.get();
        // A mail that breaks the model is held, not refused.
        let answered = catch_unwind(AssertUnwindSafe(|| model.answer(asked)));
        answered.map_or(Judged::Failed, |answers| {
            let verdict = verdict(&answers, model.version(), self.now);
            Judged::Now(with_evidence(verdict, &asked.facts, check))
        })
    }
}

fn facts(mail: &ParsedMail) -> Facts {
    let or_pass = |result: Authentication, passed: bool| match result {
        Authentication::None if passed => Authentication::Pass,
        result => result,
    };
    let proven = mail.proven_author.as_ref();
    let of_labels = facts_of_labels(&mail.labels);
    Facts {
        spf: or_pass(of_labels.spf, proven.is_some_and(|author| author.spf_aligned)),
        dkim: or_pass(Authentication::None, proven.is_some_and(|author| !author.signers.is_empty())),
        dmarc: or_pass(of_labels.dmarc, mail.alignment == Some(DmarcAlignment::Pass)),
        automatic_header: mail.auto_reply,
        list_header: has_list_header(&mail.bodies),
        ..Facts::default()
    }
}

fn facts_of_labels(labels: &[String]) -> Facts {
    let result = |name: &str| {
        let has_failed = labels.iter().any(|label| label == name);
        if has_failed { Authentication::Fail } else { Authentication::None }
    };
    Facts { spf: result(SPF_FAIL), dmarc: result(DMARC_FAIL), ..Facts::default() }
}

fn has_list_header(bodies: &MessageBodies) -> bool {
    ["\"list-id\":", "\"list-unsubscribe\":"].iter().any(|name| bodies.headers_json.contains(name))
}

fn verdict(answers: &Answers, version: &str, now: Time) -> Verdict {
    let rounded = |share: f32| (f64::from(share).clamp(0.0, 1.0) * PRECISION).round() / PRECISION;
    Verdict {
        category: answers.category.map(rounded),
        injection: rounded(answers.injection),
        phishing: rounded(answers.phishing),
        needs_human: rounded(answers.needs_human),
        urgency: answers.urgency.map(rounded),
        auto_reply: rounded(answers.auto_reply),
        injection_at: answers.injection_at.map(|(start, end)| TextRange { start, end }),
        is_complete: answers.complete,
        model: version.to_owned(),
        at: now,
    }
}

/// Limits the risks that nothing but the model sees. It is wrong about one ordinary mail in a hundred, and mail that is held
/// for nothing costs more than a label that is missing: the local screen, the authentication or the links must show
/// something, too.
fn with_evidence(verdict: Verdict, facts: &Facts, check: Option<&LocalCheck>) -> Verdict {
    let reasons = check.map_or(&[][..], |check| &check.screen.reasons);
    let is_screened = check.is_some_and(|check| check.screen.score >= SIGN_MIN);
    let has_failed = [facts.spf, facts.dmarc].contains(&Authentication::Fail);
    let is_imitation = reasons.iter().any(|one| matches!(one.code, Code::LinkMismatch | Code::LookAlikeDomain));
    let limited = |risk: f64, has_evidence: bool| if has_evidence { risk } else { risk.min(UNPROVEN_MAX) };
    Verdict {
        injection: limited(verdict.injection, is_screened),
        phishing: limited(verdict.phishing, has_failed || is_imitation),
        ..verdict
    }
}

/// A copy of a mail whose analysis is planned.
#[derive(Clone, Copy)]
pub(super) struct PlannedCopy<'a> {
    /// The mail.
    pub(super) mail: &'a ParsedMail,
    /// Whether a receive list stopped it.
    pub(super) is_stopped: bool,
    /// Its labels so far.
    pub(super) labels: &'a [String],
    /// The limits of plans.
    pub(super) plans: &'a Plans,
}

/// How a copy is analyzed and shown.
pub(super) struct CopyPlan {
    /// The analysis, and why the copy is held.
    pub(super) plan: AnalysisPlan,
    /// Whether agents get it at once.
    pub(super) visibility: Visibility,
    /// When a pending analysis times out.
    pub(super) due: Option<Time>,
}

/// Decides how a copy is analyzed and screened in its inbox.
pub(super) fn plan(tx: &mut Tx, copy: PlannedCopy<'_>, inbox: &Inbox, now: Time) -> Result<CopyPlan> {
    let workspace = workspaces::get(tx, inbox.workspace)?
        .ok_or_else(|| posthouse_store::Error::Inconsistent("an inbox has no workspace".into()))?;
    let settings = workspace.screening;
    let facts = AnalysisFacts {
        judged: &copy.mail.judged,
        is_blocked: copy.is_stopped,
        is_report: copy.labels.iter().any(|label| label == BOUNCE_LABEL),
        processing: workspace.ai_processing,
        has_quota: true,
        mode: inbox.screening.unwrap_or(settings.mode),
        labels: copy.labels,
    };
    let mut plan = facts.plan();
    let is_checked = plan.analysis.skip_reason().is_none();
    let max = workspace.limits(copy.plans).ai_checks_per_day;
    if is_checked && !screening::take_check(tx, inbox.workspace, max, now)? {
        plan = AnalysisFacts { has_quota: false, ..facts }.plan();
    }
    let due = now.plus_ms(settings.deadline_s * 1_000);
    let visibility = match plan.held {
        None => Visibility::Shown,
        Some(HoldReason::Pending) => Visibility::Pending(due),
        Some(reason) => Visibility::Held(reason),
    };
    let is_pending = plan.analysis == posthouse_domain::Analysis::Pending;
    Ok(CopyPlan { plan, visibility, due: is_pending.then_some(due) })
}
