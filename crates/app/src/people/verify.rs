//! The exchange of a sign-in link, or of the code in its mail, for a session.

use posthouse_domain::{
    daily_limit::DailyLimit,
    error::{LimitName, Refusal},
    id::SignInId,
    time::Time,
    user::{WRONG_CODES_PER_DAY, sign_in_code},
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx,
    sign_ins::{self, SignIn},
    signups, workspaces,
};

use super::{
    sign_in::{SignInClient, SignedIn, begin_session, member_of, new_secret},
    sign_up::SignUp,
};
use crate::{app::App, keyring::sealed_link, limits::counted_subject::counted_subject};

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
/// workspace gets one, where self-signup is on.
///
/// # Errors
/// Returns `signup_rate_limited` if the client made too many workspaces, or an error if the database call fails.
pub async fn verify(app: &App, proof: SignInProof, client: SignInClient) -> Result<Option<SignedIn>, Refusal> {
    let proof = match proof {
        SignInProof::Token(token) => match sealed_link::digest(&token) {
            Some(digest) => ExpectedProof::Token(digest),
            None => return Ok(None),
        },
        SignInProof::Code { email, code } => ExpectedProof::Code(ExpectedCode::load(app, &email, &code).await?),
    };
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let (secret, sign_up) = (new_secret(app), SignUp::prepare(app, client.network)?);
    let work = move |tx: &mut Tx| {
        let sign_in = match &proof {
            ExpectedProof::Token(digest) => sign_ins::consume(tx, digest, now)?,
            ExpectedProof::Code(code) => code.consume(tx, now)?,
        };
        let Some(sign_in) = sign_in else { return Ok::<_, Refusal>(None) };
        let member = match (member_of(tx, &sign_in)?, &sign_up) {
            (None, Some(sign_up)) => sign_up.execute(tx, &sign_in, now)?,
            (found, _) => found,
        };
        let Some(member) = member else { return Ok(None) };
        let Some(workspace) = workspaces::get(tx, member.workspace)? else { return Ok(None) };
        sign_ins::delete_of_email(tx, &sign_in.email, member.workspace)?;
        begin_session(tx, &member, &client, &secret, ids.clone().next(), now)?;
        Ok(Some(SignedIn { member, workspace, secret: secret.clone() }))
    };
    app.store.write(work).await
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
    async fn load(app: &App, email: &Address, code: &str) -> Result<Self, Refusal> {
        let (email, now) = (email.canonical(), app.clock.now());
        let subject = counted_subject(app, &email)?;
        let (of, counted) = (email.clone(), subject.clone());
        let read = move |tx: &mut Tx| {
            Ok::<_, Refusal>((
                sign_ins::newest(tx, &of, now)?,
                signups::used(tx, DailyLimit::WrongCodes, &counted, now)?,
            ))
        };
        let (newest, wrong) = app.store.read(read).await?;
        let is_used_up = wrong >= WRONG_CODES_PER_DAY;
        if is_used_up {
            app.metrics.limit_refused(LimitName::WrongSignInCodes);
        }
        let proven = match newest.and_then(|newest| Some((newest.id, newest.message?))) {
            Some((id, message)) if code == sign_in_code(&sealed_link::token(app, message)?) => Some(id),
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
