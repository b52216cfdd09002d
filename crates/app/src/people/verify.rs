//! The exchange of a sign-in link, or of the code in its mail, for a session.

use posthouse_domain::{error::Refusal, id::SignInId, time::Time, user::sign_in_code};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx,
    sign_ins::{self, SignIn},
    workspaces,
};

use super::{
    sign_in::{SignInClient, SignedIn, begin_session, member_of, new_secret},
    sign_up::SignUp,
};
use crate::{app::App, keyring::sealed_link};

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
        SignInProof::Code { email, code } => match expected_code(app, &email).await? {
            Some((newest, expected)) => ExpectedProof::Code { newest, email, is_right: code == expected },
            None => return Ok(None),
        },
    };
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let (secret, sign_up) = (new_secret(app), SignUp::prepare(app, client.network)?);
    let work = move |tx: &mut Tx| {
        let Some(sign_in) = proof.consume(tx, now)? else { return Ok::<_, Refusal>(None) };
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
    Code { newest: SignInId, email: Address, is_right: bool },
}

impl ExpectedProof {
    /// Uses up the link that the proof is for. A wrong code is counted, and so is one for a link that was replaced.
    fn consume(&self, tx: &mut Tx, now: Time) -> StoreResult<Option<SignIn>> {
        match self {
            Self::Token(digest) => sign_ins::consume(tx, digest, now),
            Self::Code { newest, email, is_right } => {
                let found = sign_ins::lock_newest(tx, &email.canonical(), now)?;
                let Some(found) = found.filter(|found| found.tries_left > 0) else { return Ok(None) };
                if !is_right || found.id != *newest {
                    sign_ins::count_try(tx, found.id)?;
                    return Ok(None);
                }
                sign_ins::delete(tx, found.id)?;
                Ok(Some(found))
            }
        }
    }
}

/// Returns the newest link of an address and its code.
async fn expected_code(app: &App, email: &Address) -> Result<Option<(SignInId, String)>, Refusal> {
    let (email, now) = (email.canonical(), app.clock.now());
    let newest = app.store.read(move |tx| sign_ins::newest(tx, &email, now)).await?;
    let Some((id, message)) = newest.and_then(|newest| Some((newest.id, newest.message?))) else { return Ok(None) };
    Ok(Some((id, sign_in_code(&sealed_link::token(app, message)?))))
}
