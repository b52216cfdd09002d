//! What the categoriser says about a parsed mail before it is stored, and what follows for its copy in an inbox.
//!
//! The local model answers in less than a millisecond, so it is asked before the transaction: the copy is stored with its
//! answers, and nobody waits for a check (`docs/decisions/receiving.md#0140-the-local-model-answers-before-the-mail-is-stored`). A model server is asked by a job.

use std::{panic::AssertUnwindSafe, panic::catch_unwind, sync::Arc};

use posthouse_categoriser::{Answers, Authentication, Facts, Mail};
use posthouse_domain::{
    AnalysisFacts, AnalysisPlan, HoldReason, Inbox, Judged, LocalCheck, MessageBodies, Plans, Record, TextRange, Time,
    Verdict, WorkspaceId, label::DMARC_FAIL, label::SPF_FAIL, send::BOUNCE_LABEL,
};
use posthouse_screen::{Code, KnownDomains};
use posthouse_store::{Result, Tx, screening, workspaces};

use super::{Visibility, local_check, parse::ParsedMail};
use crate::metrics::{Check, CheckMetrics};
use crate::{local_model::LocalModel, ports::Clock, service::Service, settings::Categoriser};

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
    metrics: CheckMetrics,
    clock: Arc<dyn Clock>,
    now: Time,
}

/// The domains that a workspace exchanged mail with.
pub struct KnownOf {
    pub workspace: WorkspaceId,
    pub domains: Arc<KnownDomains>,
}

/// What the checks say to a workspace whose contact the author of a mail imitates. Other recipients don't learn whom the
/// workspace knows.
pub struct Imitation {
    pub workspace: WorkspaceId,
    /// What the local screen says.
    pub check: LocalCheck,
    /// What the categoriser says.
    pub judged: Judged,
}

impl Judge {
    /// Returns the judge of a service.
    #[must_use]
    pub fn of(service: &Service) -> Self {
        Self {
            engine: service.config.ai.categoriser,
            model: service.local_model.clone(),
            metrics: service.metrics.checks.clone(),
            clock: service.clock.clone(),
            now: service.clock.now(),
        }
    }

    /// Scans a parsed mail that was received with the local screen. Call it before the mail is judged.
    pub fn screen(&self, mail: &mut ParsedMail) {
        let Some(received) = mail.received else { return };
        let began = self.clock.elapsed_us();
        let check = local_check::check(mail, received);
        self.metrics.took(Check::Screen, self.clock.elapsed_us() - began);
        self.metrics.screened(&check);
        mail.local_check = Some(check);
    }

    /// Returns what the checks say to workspaces whose contacts the author of a judged mail imitates.
    #[must_use]
    pub fn imitations(&self, mail: &ParsedMail, known: &[KnownOf]) -> Vec<Imitation> {
        let Some((domain, check)) = mail.author_domain().zip(mail.local_check.as_ref()) else { return Vec::new() };
        let imitated = known.iter().filter_map(|of| Some((of.workspace, of.domains.imitated_by(domain)?)));
        let seen = imitated.map(|(workspace, contact)| {
            let mut check = check.clone();
            check.screen.add_look_alike(contact);
            let judged = match mail.judged {
                Judged::Now(_) => self.judge_parsed(mail, Some(&check)).0,
                ref judged => judged.clone(),
            };
            Imitation { workspace, check, judged }
        });
        seen.collect()
    }

    /// Judges a parsed mail. Takes as long as the local model; call it where the mail is parsed.
    #[must_use]
    pub fn judge(&self, mail: &ParsedMail) -> Judged {
        match self.engine {
            Categoriser::Off => Judged::Unavailable,
            Categoriser::OpenAi => Judged::Later,
            Categoriser::Builtin => {
                let began = self.clock.elapsed_us();
                let (judged, injection) = self.judge_parsed(mail, mail.local_check.as_ref());
                self.metrics.took(Check::Model, self.clock.elapsed_us() - began);
                if let Judged::Now(verdict) = &judged {
                    self.metrics.judged(verdict, injection, mail.local_check.as_ref());
                }
                judged
            }
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
        let check = message.local_check.as_ref();
        let facts = facts_of_stored(record, check);
        let asked = Mail {
            from: &message.from,
            subject: message.subject.as_deref().unwrap_or_default(),
            text: record.bodies.text.as_deref().unwrap_or_default(),
            attachment_names: &names,
            facts,
        };
        self.ask_model(&asked, check).0
    }

    /// Returns the verdict, and the risk of an injection before it is limited.
    fn judge_parsed(&self, mail: &ParsedMail, check: Option<&LocalCheck>) -> (Judged, f64) {
        let names: Vec<&str> = mail.files.iter().filter_map(|file| file.filename.as_deref()).collect();
        let asked = Mail {
            from: &mail.from,
            subject: mail.subject.as_deref().unwrap_or_default(),
            text: mail.bodies.text.as_deref().unwrap_or_default(),
            attachment_names: &names,
            facts: facts_of_parsed(mail, check),
        };
        self.ask_model(&asked, check)
    }

    fn ask_model(&self, asked: &Mail<'_>, check: Option<&LocalCheck>) -> (Judged, f64) {
        let model = self.model.get();
        // A mail that breaks the model is held, not refused.
        let answered = catch_unwind(AssertUnwindSafe(|| model.answer(asked)));
        answered.map_or((Judged::Failed, 0.0), |answers| {
            let verdict = verdict(&answers, model.version(), self.now);
            let injection = verdict.injection;
            (Judged::Now(with_evidence(verdict, &asked.facts, check)), injection)
        })
    }
}

fn facts_of_parsed(mail: &ParsedMail, check: Option<&LocalCheck>) -> Facts {
    let of_receipt = mail.received.map_or_else(Facts::default, |received| Facts {
        spf: received.spf,
        dkim: received.dkim,
        dmarc: received.dmarc,
        ..Facts::default()
    });
    Facts {
        automatic_header: mail.auto_reply,
        list_header: has_list_header(&mail.bodies),
        link_mismatch: has_reason(check, Code::LinkMismatch),
        lookalike_domain: has_reason(check, Code::LookAlikeDomain),
        ..of_receipt
    }
}

/// Returns the facts about a stored message. Its labels and its author say what its authentication showed.
fn facts_of_stored(record: &Record, check: Option<&LocalCheck>) -> Facts {
    let message = &record.message;
    let of_labels = facts_of_labels(&message.labels);
    let proven = if message.author_proven { Authentication::Pass } else { Authentication::None };
    Facts {
        dmarc: if of_labels.dmarc == Authentication::None { proven } else { of_labels.dmarc },
        automatic_header: message.auto_reply,
        list_header: has_list_header(&record.bodies),
        link_mismatch: has_reason(check, Code::LinkMismatch),
        lookalike_domain: has_reason(check, Code::LookAlikeDomain),
        ..of_labels
    }
}

fn has_reason(check: Option<&LocalCheck>, code: Code) -> bool {
    check.is_some_and(|check| check.screen.reasons.iter().any(|reason| reason.code == code))
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
    let is_screened = check.is_some_and(|check| check.screen.score >= SIGN_MIN);
    let has_failed = [facts.spf, facts.dmarc].contains(&Authentication::Fail);
    let is_imitation = facts.link_mismatch || facts.lookalike_domain;
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
    /// What the categoriser says about the mail.
    pub(super) judged: &'a Judged,
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
        judged: copy.judged,
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
