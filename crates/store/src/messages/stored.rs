//! What a message stores as JSON: a verification, and the signatures of the author and of a copy.

use posthouse_domain::{
    AgentDelivery, Assurance, AuthorProblem, AuthorSignature, DeliverySignature, MessageVerification, Time,
    UnsignedReason,
};
use posthouse_mail::verification::VerificationReason;
use serde::{Deserialize, Serialize};

use crate::{Result, values::stored_columns, workspaces::named};

stored_columns!(MessageVerification as StoredVerification, |stored| Ok(stored.into()));
stored_columns!(AgentDelivery as StoredAgentDelivery, StoredAgentDelivery::delivery);
stored_columns!(AuthorSignature as StoredAuthorSignature, StoredAuthorSignature::signature);

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
