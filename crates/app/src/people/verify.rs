//! The exchange of a sign-in link, or of the code in its mail, for a session.

use posthouse_domain::user::{WRONG_CODES_PER_DAY, sign_in_code};
use posthouse_domain::{DailyLimit, LimitName, Refusal, SignIn, SignInId, SignInPurpose, Time, WorkspaceId};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, sign_ins, signups};

use super::sign_in::{NewSession, SignInClient, SignedIn, begin_session, invited_person, member_of, new_secret};
use super::sign_up::SignUp;
use crate::{keyring::counted_subject::counted_subject, keyring::sealed_link, service::ReadScope, service::Service};

/// What proves that a person reads the mail of an address.
#[derive(Clone, Debug)]
pub enum SignInProof {
    /// The token of a link.
    Token(String),
    /// The code in the newest mail to an address.
    Code {
        /// The address.
        email: Address,
        /// The six digits.
        code: String,
    },
}

/// Exchanges a proof for a session; `None` if the link or code is wrong, used or expired. A person who is in no
/// workspace gets one if the mail offered it, where self-signup is on: a workspace is a choice. The session of an invited
/// person without a workspace has none: joining is a decision of its own (`docs/decisions/people.md#0098-joining-is-a-decision`).
///
/// # Errors
/// Returns `signup_rate_limited` if the client made too many workspaces.
pub async fn verify(service: &Service, proof: SignInProof, client: SignInClient) -> Result<Option<SignedIn>, Refusal> {
    let proof = match proof {
        SignInProof::Token(token) => match sealed_link::digest(&token) {
            Some(digest) => ExpectedProof::Token(digest),
            None => return Ok(None),
        },
        SignInProof::Code { email, code } => ExpectedProof::Code(ExpectedCode::load(service, &email, &code).await?),
    };
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let (secret, sign_up) = (new_secret(service), SignUp::prepare(service, client.network)?);
    let work = move |tx: &mut Tx| {
        let sign_in = match &proof {
            ExpectedProof::Token(digest) => sign_ins::consume(tx, digest, now)?,
            ExpectedProof::Code(code) => code.consume(tx, now)?,
        };
        let Some(sign_in) = sign_in else { return Ok::<_, Refusal>(None) };
        let new = NewSession { client: &client, secret: &secret, id: ids.clone().next(), now };
        let (user, workspace) = match (member_of(tx, &sign_in)?, &sign_up) {
            (Some(member), _) => (member.user.id, member.workspace),
            (None, Some(sign_up)) if sign_in.purpose == SignInPurpose::SignUp => sign_up.execute(tx, &sign_in, now)?,
            (None, _) => match (sign_in.purpose, invited_person(tx, &sign_in.email, now)?) {
                (SignInPurpose::SignIn | SignInPurpose::SignUp | SignInPurpose::Invitation, Some(user)) => {
                    (user, WorkspaceId::SERVICE)
                }
                _ => return Ok(None),
            },
        };
        sign_ins::delete_of_email(tx, &sign_in.email, sign_in.workspace.unwrap_or(workspace))?;
        Ok(begin_session(tx, user, workspace, &new)?)
    };
    service.write(work).await
}

/// A proof with what the store needs to check it.
enum ExpectedProof {
    Token([u8; 32]),
    Code(ExpectedCode),
}

/// A code that was given for an address.
struct ExpectedCode {
    email: String,
    /// The newest link of the address, if the code is that of its mail.
    proven: Option<SignInId>,
    /// What [`DailyLimit::WrongCodes`] counts.
    subject: Vec<u8>,
}

impl ExpectedCode {
    /// Compares the code with that of the newest mail to the address.
    async fn load(service: &Service, email: &Address, code: &str) -> Result<Self, Refusal> {
        let (email, now) = (email.canonical(), service.clock.now());
        let subject = counted_subject(service, &email)?;
        let (of, counted) = (email.clone(), subject.clone());
        let read = move |tx: &mut Tx| {
            Ok::<_, Refusal>((
                sign_ins::newest(tx, &of, now)?,
                signups::used(tx, DailyLimit::WrongCodes, &counted, now)?,
            ))
        };
        let (newest, wrong) = service.read(ReadScope::Service, read).await?;
        let is_used_up = wrong >= WRONG_CODES_PER_DAY;
        if is_used_up {
            service.metrics.limit_refused(LimitName::WrongSignInCodes);
        }
        let proven = match newest.and_then(|newest| Some((newest.id, newest.message?))) {
            Some((id, message)) if code == sign_in_code(&sealed_link::token(service, message)?) => Some(id),
            _ => None,
        };
        Ok(Self { email, proven: proven.filter(|_| !is_used_up), subject })
    }

    /// Uses up the link if the code is right. A wrong code is counted for the newest link, and for any address, known or
    /// not, so that both take equally long.
    fn consume(&self, tx: &mut Tx, now: Time) -> StoreResult<Option<SignIn>> {
        let newest = sign_ins::lock_newest(tx, &self.email, now)?;
        if let Some(found) = newest {
            if found.tries_left > 0 && self.proven == Some(found.id) {
                sign_ins::delete(tx, found.id)?;
                return Ok(Some(found));
            }
            if found.tries_left > 0 {
                sign_ins::count_try(tx, found.id)?;
            }
        }
        signups::count(tx, DailyLimit::WrongCodes, &self.subject, WRONG_CODES_PER_DAY, now)?;
        Ok(None)
    }
}
