//! The signature of a copy that an inbox of this service gets from another one.

use posthouse_domain::{
    AgentDelivery, AuthorProblem, AuthorSignature, CopyClaims, DeliverySignature, IdGenerator, Inbox, InboxId,
    SECOND_MS, SignedAuthor, SignedContent, SigningPurpose, Time, WorkspaceId, agent_message::DELIVERY_TYPE,
    agent_message::content::bare,
};
use posthouse_store::{
    Error, Result as StoreResult, Tx, agent_keys, agent_keys::AgentKeyRef, senders, senders::Sender,
};

use super::sign::{self, ServiceSigner};
use crate::{keyring::signer::SigningError, service::Service};

/// The key and the issuer of signatures, fetched before the transaction that signs.
#[derive(Clone, Debug)]
pub struct CopyKey {
    signer: ServiceSigner,
    issuer: String,
}

/// Returns the key that signs copies now.
///
/// # Errors
/// Returns [`SigningError`] if the key cannot be read or opened.
pub async fn key(service: &Service) -> Result<CopyKey, SigningError> {
    let signer = sign::signer(service, SigningPurpose::AgentMessages).await?;
    Ok(CopyKey { signer, issuer: service.config.issuer() })
}

/// Signs the copies of one message.
#[derive(Clone, Debug)]
pub struct CopySigner {
    key: CopyKey,
    content: SignedContent,
    early: Vec<EarlySignature>,
}

/// A signature made before the transaction, with the facts that it states.
#[derive(Clone, Debug)]
struct EarlySignature {
    sender: Sender,
    recipient: String,
    delivery: AgentDelivery,
}

impl CopySigner {
    /// Returns a signer of this content.
    #[must_use]
    pub const fn new(key: CopyKey, content: SignedContent) -> Self {
        Self { key, content, early: Vec::new() }
    }

    /// Returns what the signatures cover.
    #[must_use]
    pub const fn content(&self) -> &SignedContent {
        &self.content
    }

    /// Signs the copies in advance, for the sender as read now. The transaction that stores a copy takes the signature if
    /// the sender is still the same, and signs itself if not: transactions on SQLite wait for each other, and a signature
    /// takes a fifth of the time of one.
    ///
    /// # Errors
    /// Returns an error if the cryptographic library fails.
    pub fn sign_early(
        &mut self,
        sender: Sender,
        recipients: Vec<String>,
        ids: &IdGenerator,
        now: Time,
    ) -> StoreResult<()> {
        for recipient in recipients {
            // Several addresses can reach one inbox, which gets one copy.
            if self.early.iter().any(|early| early.recipient == recipient) {
                continue;
            }
            let delivery = self.sign(sender, &recipient, ids, now)?;
            self.early.push(EarlySignature { sender, recipient, delivery });
        }
        Ok(())
    }

    fn sign(&self, sender: Sender, recipient: &str, ids: &IdGenerator, now: Time) -> StoreResult<AgentDelivery> {
        let Sender { assurance, problem, has_card } = sender;
        let from = bare(&self.content.from);
        if let Some(reason) = problem {
            return Ok(AgentDelivery { from, assurance, signature: Err(reason) });
        }
        let (jti, nonce) = (ids.next::<uuid::Uuid>().to_string(), ids.next::<uuid::Uuid>().simple().to_string());
        let claims = self.content.claims(&CopyClaims {
            issuer: &self.key.issuer,
            jti: &jti,
            nonce: &nonce,
            at: now,
            recipient,
            assurance,
            has_card,
        });
        let signer = &self.key.signer;
        let jws = signer.sign(DELIVERY_TYPE, &claims).map_err(|error| Error::Internal(error.to_string().into()))?;
        let signed_at = Time::from_millis(now.seconds() * SECOND_MS);
        let signature = Ok(DeliverySignature { kid: signer.kid().to_owned(), signed_at, jws });
        Ok(AgentDelivery { from, assurance, signature })
    }
}

/// What all copies of a message get: the content that is signed, and what is known about the sender.
#[derive(Clone, Copy, Debug)]
pub struct AgentCopy<'a> {
    pub sender: &'a CheckedSender,
    /// Signs.
    pub signer: &'a CopySigner,
}

/// The sender of a message at its delivery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedSender {
    standing: Sender,
    author: Option<AuthorSignature>,
}

impl CheckedSender {
    /// Reads what is known about the sender now, and checks the key of the author again.
    pub fn read(tx: &mut Tx, workspace: WorkspaceId, inbox: InboxId, content: &SignedContent) -> StoreResult<Self> {
        let author = match &content.author {
            Some(author) => Some(checked_author(tx, workspace, inbox, author)?),
            None => None,
        };
        Ok(Self { standing: senders::get(tx, workspace, inbox)?, author })
    }
}

fn checked_author(
    tx: &mut Tx,
    workspace: WorkspaceId,
    inbox: InboxId,
    author: &SignedAuthor,
) -> StoreResult<AuthorSignature> {
    let key = agent_keys::get(tx, AgentKeyRef { workspace, inbox, kid: &author.kid })?;
    let problem = match key {
        Some(key) if key.verifies(author.iat) => None,
        Some(_) => Some(AuthorProblem::KeyRevoked),
        None => Some(AuthorProblem::KeyUnknown),
    };
    Ok(AuthorSignature { kid: author.kid.clone(), algorithm: author.alg.clone(), jws: author.jws.clone(), problem })
}

impl AgentCopy<'_> {
    /// Returns the author's signature as the copy shows it.
    #[must_use]
    pub fn author(&self) -> Option<AuthorSignature> {
        self.sender.author.clone()
    }

    /// Returns whether the sender is a verified agent ([`Sender::is_verified`]).
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.sender.standing.is_verified()
    }

    /// Signs the copy of an inbox. A sender that was revoked or suspended is no longer signed; its mail flows.
    ///
    /// # Errors
    /// Returns an error if the cryptographic library fails.
    pub fn delivery(&self, inbox: &Inbox, ids: &IdGenerator, now: Time) -> StoreResult<AgentDelivery> {
        let sender = self.sender.standing;
        let still_holds = |early: &&EarlySignature| early.sender == sender && early.recipient == inbox.address;
        match self.signer.early.iter().find(still_holds) {
            Some(early) => Ok(early.delivery.clone()),
            None => self.signer.sign(sender, &inbox.address, ids, now),
        }
    }
}
