//! What a message stores as JSON: a verification, and the signatures of the author and of a copy.

use posthouse_domain::{
    Actor, ActorKind, AgentDelivery, Analysis, Assurance, AttachmentId, AuthorProblem, AuthorSignature,
    DeliverySignature, Feedback, FileReason, LocalCheck, MessageRelease, MessageVerification, SkipReason, TextRange,
    Time, UnsignedReason, Verdict,
};
use posthouse_mail::verification::VerificationReason;
use posthouse_screen::{Code, LocalScreen, Part, Place, Reason};
use serde::{Deserialize, Serialize};

use crate::{Result, values::stored_columns, workspaces::named};

stored_columns!(MessageVerification as StoredVerification, |stored| Ok(stored.into()));
stored_columns!(LocalCheck as StoredLocalCheck, StoredLocalCheck::check);
stored_columns!(AgentDelivery as StoredAgentDelivery, StoredAgentDelivery::delivery);
stored_columns!(AuthorSignature as StoredAuthorSignature, StoredAuthorSignature::signature);

stored_columns!(Analysis as StoredAnalysis, StoredAnalysis::analysis);
stored_columns!(MessageRelease as StoredRelease, StoredRelease::release);

/// The stored form of an analysis.
#[derive(Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum StoredAnalysis {
    Pending,
    Completed(StoredVerdict),
    Skipped { reason: String },
    Failed { error: String },
}

#[derive(Serialize, Deserialize)]
struct StoredVerdict {
    category: [f64; 8],
    injection: f64,
    phishing: f64,
    needs_human: f64,
    urgency: [f64; 4],
    auto_reply: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    injection_at: Option<(usize, usize)>,
    complete: bool,
    model: String,
    at: i64,
}

impl From<&Analysis> for StoredAnalysis {
    fn from(analysis: &Analysis) -> Self {
        match analysis {
            Analysis::Pending => Self::Pending,
            Analysis::Completed(v) => Self::Completed(StoredVerdict {
                category: v.category,
                injection: v.injection,
                phishing: v.phishing,
                needs_human: v.needs_human,
                urgency: v.urgency,
                auto_reply: v.auto_reply,
                injection_at: v.injection_at.map(|range| (range.start, range.end)),
                complete: v.is_complete,
                model: v.model.clone(),
                at: v.at.millis(),
            }),
            Analysis::Skipped(reason) => Self::Skipped { reason: reason.text().to_owned() },
            Analysis::Failed(error) => Self::Failed { error: error.clone() },
        }
    }
}

impl StoredAnalysis {
    fn analysis(self) -> Result<Analysis> {
        Ok(match self {
            Self::Pending => Analysis::Pending,
            Self::Completed(v) => Analysis::Completed(Verdict {
                category: v.category,
                injection: v.injection,
                phishing: v.phishing,
                needs_human: v.needs_human,
                urgency: v.urgency,
                auto_reply: v.auto_reply,
                injection_at: v.injection_at.map(|(start, end)| TextRange { start, end }),
                is_complete: v.complete,
                model: v.model,
                at: Time::from_millis(v.at),
            }),
            Self::Skipped { reason } => Analysis::Skipped(named(&reason, SkipReason::parse)?),
            Self::Failed { error } => Analysis::Failed(error),
        })
    }
}

/// The stored form of a release.
#[derive(Serialize, Deserialize)]
struct StoredRelease {
    #[serde(flatten)]
    by: Option<StoredReleaser>,
    feedback: Option<String>,
}

/// The stored form of who released a message.
#[derive(Serialize, Deserialize)]
struct StoredReleaser {
    by_type: String,
    by_id: Option<String>,
    by_label: String,
}

impl From<&MessageRelease> for StoredRelease {
    fn from(release: &MessageRelease) -> Self {
        Self {
            by: release.by.as_ref().map(|by| StoredReleaser {
                by_type: by.kind.text().to_owned(),
                by_id: by.id.clone(),
                by_label: by.label.clone(),
            }),
            feedback: release.feedback.map(|feedback| feedback.text().to_owned()),
        }
    }
}

impl StoredRelease {
    fn release(self) -> Result<MessageRelease> {
        let actor = |by: StoredReleaser| -> Result<Actor> {
            let kind = named(&by.by_type, ActorKind::parse)?;
            Ok(Actor { kind, id: by.by_id, label: by.by_label })
        };
        let feedback = self.feedback.map(|text| named(&text, Feedback::parse)).transpose()?;
        Ok(MessageRelease { by: self.by.map(actor).transpose()?, feedback })
    }
}

/// The stored form of a verification.
#[derive(Serialize, Deserialize)]
struct StoredVerification {
    code: Option<String>,
    link: Option<String>,
    confidence: f64,
    #[serde(default)]
    reason: Option<String>,
    auth_failed: bool,
}

impl From<&MessageVerification> for StoredVerification {
    fn from(v: &MessageVerification) -> Self {
        Self {
            code: v.code.clone(),
            link: v.link.clone(),
            confidence: v.confidence,
            reason: v.reason.map(|reason| reason.text().to_owned()),
            auth_failed: v.auth_failed,
        }
    }
}

impl From<StoredVerification> for MessageVerification {
    fn from(v: StoredVerification) -> Self {
        Self {
            code: v.code,
            link: v.link,
            confidence: v.confidence,
            reason: v.reason.as_deref().and_then(VerificationReason::parse),
            auth_failed: v.auth_failed,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct StoredAgentDelivery {
    from: String,
    assurance: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jws: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

impl From<&AgentDelivery> for StoredAgentDelivery {
    fn from(delivery: &AgentDelivery) -> Self {
        let signed = delivery.signature.as_ref().ok();
        Self {
            from: delivery.from.clone(),
            assurance: delivery.assurance.text().to_owned(),
            kid: signed.map(|signed| signed.kid.clone()),
            signed_at: signed.map(|signed| signed.signed_at.millis()),
            jws: signed.map(|signed| signed.jws.clone()),
            reason: delivery.signature.as_ref().err().map(|reason| reason.text().to_owned()),
        }
    }
}

impl StoredAgentDelivery {
    fn delivery(self) -> Result<AgentDelivery> {
        let signature = match (self.kid, self.signed_at, self.jws) {
            (Some(kid), Some(at), Some(jws)) => Ok(DeliverySignature { kid, signed_at: Time::from_millis(at), jws }),
            _ => Err(named(&self.reason.unwrap_or_default(), UnsignedReason::parse)?),
        };
        Ok(AgentDelivery { from: self.from, assurance: named(&self.assurance, Assurance::parse)?, signature })
    }
}

#[derive(Serialize, Deserialize)]
struct StoredAuthorSignature {
    kid: String,
    alg: String,
    jws: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl From<&AuthorSignature> for StoredAuthorSignature {
    fn from(author: &AuthorSignature) -> Self {
        Self {
            kid: author.kid.clone(),
            alg: author.algorithm.clone(),
            jws: author.jws.clone(),
            problem: author.problem.map(|problem| problem.text().to_owned()),
        }
    }
}

impl StoredAuthorSignature {
    fn signature(self) -> Result<AuthorSignature> {
        let problem = self.problem.map(|text| named(&text, AuthorProblem::parse)).transpose()?;
        Ok(AuthorSignature { kid: self.kid, algorithm: self.alg, jws: self.jws, problem })
    }
}

/// The stored form of a local check. The names are short, because most messages have one.
#[derive(Serialize, Deserialize)]
struct StoredLocalCheck {
    score: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<StoredReason>,
    #[serde(default)]
    hidden: usize,
    complete: bool,
    version: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    spam: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<StoredFileReason>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    was_shown: bool,
}

#[derive(Serialize, Deserialize)]
struct StoredFileReason {
    attachment: uuid::Uuid,
    #[serde(flatten)]
    reason: StoredReason,
}

#[derive(Serialize, Deserialize)]
struct StoredReason {
    code: String,
    weight: f32,
    place: String,
    part: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    detail: String,
    start: usize,
    end: usize,
}

impl From<&Reason> for StoredReason {
    fn from(reason: &Reason) -> Self {
        Self {
            code: reason.code.text().to_owned(),
            weight: reason.weight,
            place: reason.place.text().to_owned(),
            part: reason.part.text().to_owned(),
            detail: reason.detail.clone(),
            start: reason.start,
            end: reason.end,
        }
    }
}

impl StoredReason {
    /// Returns the reason. A version may drop a code; messages that have it are read all the same.
    fn reason(self) -> Option<Result<Reason>> {
        let code = Code::parse(&self.code)?;
        let places = named(&self.place, Place::parse).and_then(|place| Ok((place, named(&self.part, Part::parse)?)));
        Some(places.map(|(place, part)| {
            let Self { weight, detail, start, end, .. } = self;
            Reason { code, weight, place, part, detail, start, end }
        }))
    }
}

impl From<&LocalCheck> for StoredLocalCheck {
    fn from(check: &LocalCheck) -> Self {
        let screen = &check.screen;
        let files = check.files.iter();
        let files =
            files.map(|one| StoredFileReason { attachment: one.attachment.0, reason: StoredReason::from(&one.reason) });
        Self {
            score: screen.score,
            reasons: screen.reasons.iter().map(StoredReason::from).collect(),
            hidden: screen.hidden_chars,
            complete: screen.complete,
            version: screen.version.clone(),
            spam: check.spam.clone(),
            files: files.collect(),
            was_shown: check.was_shown,
        }
    }
}

impl StoredLocalCheck {
    fn check(self) -> Result<LocalCheck> {
        let files = self.files.into_iter().filter_map(|one| {
            let attachment = AttachmentId(one.attachment);
            Some(one.reason.reason()?.map(|reason| FileReason { attachment, reason }))
        });
        let files = files.collect::<Result<_>>()?;
        let screen = LocalScreen {
            score: self.score,
            flagged: self.score >= posthouse_screen::FLAGGED_FROM,
            reasons: self.reasons.into_iter().filter_map(StoredReason::reason).collect::<Result<_>>()?,
            hidden_chars: self.hidden,
            complete: self.complete,
            version: self.version,
        };
        Ok(LocalCheck { screen, files, was_shown: self.was_shown, spam: self.spam })
    }
}
