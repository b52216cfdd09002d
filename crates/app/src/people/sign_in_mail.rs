//! The mail with a sign-in link or an invitation.

use std::sync::Arc;

use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    id::{IdGenerator, MessageId, SignInId, WorkspaceId},
    time::{DAY_MS, MINUTE_MS, Time},
    user::{INVITATION_MS, Member, SIGN_IN_LINK_MS, SignInPurpose, sign_in_code},
    workspace::Workspace,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Tx, service_mails,
    sign_ins::{self, SignIn},
    workspaces,
};

use super::sign_in;
use crate::{
    app::App,
    keyring::sealed_link::{self, CODE_PLACEHOLDER, TOKEN_PLACEHOLDER},
    outbound::{
        queue::QueueHook,
        service_mail::{self, ServiceMail},
    },
};

/// Records the mail with the link in the transaction that stores it.
struct LinkRecord {
    sign_in: SignInId,
    workspace: WorkspaceId,
    digest: [u8; 32],
    expires_at: Time,
}

impl QueueHook for LinkRecord {
    fn check_unchanged(&self, _: &mut Tx) -> Result<(), Refusal> {
        Ok(())
    }

    fn settle(&self, tx: &mut Tx, message: MessageId, _: &Caller, _: &IdGenerator, now: Time) -> Result<(), Refusal> {
        if !sign_ins::set_mailed(tx, self.sign_in, message, &self.digest, self.expires_at)? {
            return Err(Refusal::not_found("sign-in"));
        }
        Ok(service_mails::insert(tx, self.workspace, message, now)?)
    }
}

/// Mails the link of a request, unless it was mailed, expired, or its address belongs to nobody.
///
/// # Errors
/// Returns a refusal of the gate, or an error if the database call fails.
pub(crate) async fn send(app: &Arc<App>, id: SignInId) -> Result<(), Refusal> {
    let now = app.clock.now();
    let found = app.store.write(move |tx| addressee(tx, id, now)).await?;
    let Some((sign_in, member, workspace)) = found else { return Ok(()) };
    let Ok(to) = Address::parse(&sign_in.email) else { return Ok(()) };
    let message: MessageId = app.clock.ids().next();
    let token = sealed_link::token(app, message)?;
    let broken = || Refusal::new(ErrorCode::Internal, "The sign-in mail couldn't be composed.");
    let digest = sealed_link::digest(&token).ok_or_else(broken)?;
    let code = sign_in_code(&token);
    // In capture mode nothing leaves, so developers read the link in the stored mail and in the log.
    let (shown, shown_code) =
        if app.captures() { (token.as_str(), code.as_str()) } else { (TOKEN_PLACEHOLDER, CODE_PLACEHOLDER) };
    let base_url = &app.config.base_url;
    let link = match sign_in.purpose {
        SignInPurpose::Invitation => sign_in::invitation_url(base_url, shown),
        SignInPurpose::SignIn | SignInPurpose::Operator => sign_in::url(base_url, shown),
    };
    let (subject, text, valid_ms) = match sign_in.purpose {
        SignInPurpose::Invitation => {
            ("Join a workspace on Posthouse", invitation(&workspace, &member, &link), INVITATION_MS)
        }
        SignInPurpose::SignIn | SignInPurpose::Operator => {
            ("Sign in to Posthouse", sign_in_text(&sign_in, &link, shown_code), SIGN_IN_LINK_MS)
        }
    };
    let record = LinkRecord { sign_in: id, workspace: workspace.id, digest, expires_at: now.plus_ms(valid_ms) };
    let mail = ServiceMail { message, to, subject, text, token: Some(token.clone()) };
    service_mail::send(app, mail, Box::new(record)).await?;
    if app.captures() {
        tracing::info!(link, email = sign_in.email, "sign_in.captured");
    }
    Ok(())
}

/// Returns a request that is still to be mailed, with the person and workspace that it is for. Deletes a request that
/// is for nobody.
fn addressee(tx: &mut Tx, id: SignInId, now: Time) -> Result<Option<(SignIn, Member, Workspace)>, Refusal> {
    let found = sign_ins::get(tx, id)?;
    let Some(found) = found.filter(|found| found.message.is_none() && now < found.expires_at) else { return Ok(None) };
    let member = sign_in::member_of(tx, &found)?;
    let workspace = match &member {
        Some(member) => workspaces::get(tx, member.workspace)?,
        None => None,
    };
    Ok(member.zip(workspace).map(|(member, workspace)| (found, member, workspace)))
}

fn sign_in_text(sign_in: &SignIn, link: &str, code: &str) -> String {
    let (email, minutes) = (&sign_in.email, SIGN_IN_LINK_MS / MINUTE_MS);
    format!(
        "Somebody, hopefully you, wants to sign in as {email}.\n\n\
         Open this page and press the button. The link works once and expires after {minutes} minutes:\n\n\
         {link}\n\n\
         On another device, enter this code instead:\n\n\
         {code}\n\n\
         If you did not ask for this, ignore this message: nobody can sign in without it.\n"
    )
}

fn invitation(workspace: &Workspace, member: &Member, link: &str) -> String {
    let (name, role, days) = (&workspace.name, member.role.text(), INVITATION_MS / DAY_MS);
    format!(
        "You are invited to the workspace {name} as {role}.\n\n\
         To join, open this page and press the button. The link works once and expires after {days} days:\n\n\
         {link}\n\n\
         If you do not want to join, ignore this message.\n"
    )
}
