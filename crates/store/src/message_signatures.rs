//! The stored form of signatures of messages: JSON in columns of `messages`.

use posthouse_domain::{
    agent_message::{AgentDelivery, Assurance, AuthorProblem, AuthorSignature, DeliverySignature, UnsignedReason},
    time::Time,
};
use serde::{Deserialize, Serialize};

use crate::{Result, workspaces::named};

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredAgentDelivery {
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
    pub(crate) fn delivery(self) -> Result<AgentDelivery> {
        let signature = match (self.kid, self.signed_at, self.jws) {
            (Some(kid), Some(at), Some(jws)) => Ok(DeliverySignature { kid, signed_at: Time::from_millis(at), jws }),
            _ => Err(named(&self.reason.unwrap_or_default(), UnsignedReason::parse)?),
        };
        Ok(AgentDelivery { from: self.from, assurance: named(&self.assurance, Assurance::parse)?, signature })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredAuthorSignature {
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
    pub(crate) fn signature(self) -> Result<AuthorSignature> {
        let problem = self.problem.map(|text| named(&text, AuthorProblem::parse)).transpose()?;
        Ok(AuthorSignature { kid: self.kid, algorithm: self.alg, jws: self.jws, problem })
    }
}
