//! The mail with a sign-in link or an invitation.

use std::sync::Arc;

use posthouse_domain::user::{INVITATION_MS, SIGN_IN_LINK_MS, sign_in_code};
use posthouse_domain::{
    Caller, DAY_MS, ErrorCode, IdGenerator, MINUTE_MS, MailClass, Member, MessageId, Refusal, ServiceMailKind, SignIn,
    SignInId, SignInPurpose, Time, Workspace, WorkspaceId, agent::card_text, link_token::CODE_OFFER,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, sign_ins, users, workspaces};

use super::{sign_in, sign_up::SignUpMail};
use crate::keyring::sealed_link::{self, CODE_PLACEHOLDER, TOKEN_PLACEHOLDER};
use crate::limits::service_mails::{CountedMail, ServiceMailCounter};
use crate::outbound::{accept::AcceptHook, service_mail, service_mail::ServiceMail, written_mail::WrittenMail};
use crate::service::{ReadScope, Service};

/// The recipient of a mail.
enum Addressee {
    /// A member or an invited person, and the workspace.
    Member(Box<(Member, Workspace)>),
    /// An invited person who is in no workspace.
    Invited,
    /// A person who is in no workspace and may sign up.
    NewPerson,
}

impl Addressee {
    fn kind(&self, sign_in: &SignIn) -> ServiceMailKind {
        match (self, sign_in.purpose) {
            (Self::NewPerson, _) => ServiceMailKind::SignUp,
            (Self::Member(_), SignInPurpose::Invitation) => ServiceMailKind::Invitation,
            (Self::Member(_), _) | (Self::Invited, _) => ServiceMailKind::SignIn,
        }
    }

    /// Returns what the link of the mail is for: only one that offers a workspace makes one.
    fn purpose(&self, sign_in: &SignIn) -> SignInPurpose {
        match self {
            Self::NewPerson => SignInPurpose::SignUp,
            Self::Member(_) | Self::Invited => sign_in.purpose,
        }
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        match self {
            Self::Member(found) => Some(found.1.id),
            Self::Invited | Self::NewPerson => None,
        }
    }
}

/// What a mail says.
struct SignInText {
    subject: &'static str,
    text: String,
    link: String,
    valid_ms: i64,
}

/// The token and the code as the stored mail shows them.
struct LinkSecrets<'a> {
    token: &'a str,
    code: &'a str,
}

/// Records the mail with the link in the transaction that stores it.
struct LinkRecord {
    sign_in: SignInId,
    purpose: SignInPurpose,
    digest: [u8; 32],
    expires_at: Time,
}

impl AcceptHook for LinkRecord {
    fn check_unchanged(&self, _: &mut Tx) -> Result<(), Refusal> {
        Ok(())
    }

    fn settle(&self, tx: &mut Tx, message: MessageId, _: &Caller, _: &IdGenerator, _: Time) -> Result<(), Refusal> {
        if !sign_ins::set_mailed(tx, self.sign_in, self.purpose, message, &self.digest, self.expires_at)? {
            return Err(Refusal::not_found("sign-in"));
        }
        Ok(())
    }
}

/// Mails the link of a request, unless it was mailed, has expired, or its address has no member and can't sign up.
///
/// # Errors
/// Returns a refusal of the gate.
pub(crate) async fn send(service: &Arc<Service>, id: SignInId) -> Result<(), Refusal> {
    let now = service.clock.now();
    let Some((sign_in, to, addressee)) = addressee(service, id, now).await? else { return Ok(()) };
    let message: MessageId = service.clock.ids().next();
    let token = sealed_link::token(service, message)?;
    let broken = || Refusal::new(ErrorCode::Internal, "The sign-in mail couldn't be composed.");
    let digest = sealed_link::digest(&token).ok_or_else(broken)?;
    let code = sign_in_code(&token);
    // In capture mode nothing leaves, so developers read the link in the stored mail and in the log.
    let (shown, shown_code) =
        if service.captures() { (token.as_str(), code.as_str()) } else { (TOKEN_PLACEHOLDER, CODE_PLACEHOLDER) };
    let SignInText { subject, text, link, valid_ms } =
        write_text(&service.config.base_url, &sign_in, &addressee, &LinkSecrets { token: shown, code: shown_code });
    let (purpose, expires_at) = (addressee.purpose(&sign_in), now.plus_ms(valid_ms));
    let record = LinkRecord { sign_in: id, purpose, digest, expires_at };
    let mail = WrittenMail::new(message, vec![to], subject, text).with_token(token.clone());
    let mail = ServiceMail { kind: addressee.kind(&sign_in), workspace: addressee.workspace(), mail };
    service_mail::send(service, mail, Box::new(record)).await?;
    if service.captures() {
        tracing::info!(link, email = sign_in.email, "sign_in.captured");
    }
    Ok(())
}

/// Returns a request whose link is still to be mailed, with its address and recipient; `None` without a recipient.
async fn addressee(
    service: &Arc<Service>,
    id: SignInId,
    now: Time,
) -> Result<Option<(SignIn, Address, Addressee)>, Refusal> {
    let unsent = move |tx: &mut Tx| Ok::<_, Refusal>(sign_ins::get(tx, id)?);
    let Some(sign_in) = service.read(ReadScope::Service, unsent).await? else { return Ok(None) };
    if sign_in.message.is_some() || sign_in.expires_at <= now {
        return Ok(None);
    }
    let Ok(to) = Address::parse(&sign_in.email) else { return Ok(None) };
    let (sign_up, asked, address) = (SignUpMail::of(service, &sign_in)?, sign_in.clone(), to.clone());
    let counter = ServiceMailCounter::of(service)?;
    let work = move |tx: &mut Tx| {
        let member = match (asked.purpose, asked.workspace) {
            (SignInPurpose::Invitation, Some(workspace)) => invited(tx, &asked, workspace)?,
            _ => sign_in::member_of(tx, &asked)?,
        };
        let Some(member) = member else {
            return match &sign_up {
                Some(sign_up) if sign_up.is_allowed(tx, &address)? => {
                    sign_up.count(tx, &counter, &asked, now)?;
                    Ok(Some(Addressee::NewPerson))
                }
                None if sign_in::invited_person(tx, &asked.email, now)?.is_some() => {
                    count_sign_in(tx, &counter, MailClass::Invited, &asked, now)?;
                    Ok(Some(Addressee::Invited))
                }
                _ => Ok::<_, Refusal>(None),
            };
        };
        // An invitation was counted with its request.
        if asked.purpose != SignInPurpose::Invitation {
            count_sign_in(tx, &counter, MailClass::Members, &asked, now)?;
        }
        let workspace = workspaces::get(tx, member.workspace)?;
        Ok(workspace.map(|workspace| Addressee::Member(Box::new((member, workspace)))))
    };
    match service.write(work).await {
        // The response to the request must not tell whether the address is known, so nothing is sent.
        Err(refusal) if refusal.limit().is_some() => {
            service.metrics.refused(&refusal);
            Ok(None)
        }
        found => Ok(found?.map(|addressee| (sign_in, to, addressee))),
    }
}

fn count_sign_in(
    tx: &mut Tx,
    counter: &ServiceMailCounter,
    class: MailClass,
    asked: &SignIn,
    now: Time,
) -> Result<(), Refusal> {
    let (kind, network) = (ServiceMailKind::SignIn, asked.network.as_deref());
    counter.count(tx, &CountedMail { class, kind, to: &asked.email, network }, now)
}

/// Returns the person whom the mail invites to a workspace; `None` if the invitation was withdrawn.
fn invited(tx: &mut Tx, sign_in: &SignIn, workspace: WorkspaceId) -> StoreResult<Option<Member>> {
    let Some(user) = users::by_email(tx, &sign_in.email)? else { return Ok(None) };
    users::member(tx, workspace, user)
}

/// Writes the mail.
fn write_text(base_url: &str, sign_in: &SignIn, addressee: &Addressee, secrets: &LinkSecrets<'_>) -> SignInText {
    let LinkSecrets { token, code } = *secrets;
    match (addressee, sign_in.purpose) {
        (Addressee::NewPerson, _) => {
            let link = sign_in::sign_up_url(base_url, token);
            let text = sign_up_text(&sign_in.email, base_url, &link, code);
            SignInText { subject: "Create your workspace on Posthouse", text, link, valid_ms: SIGN_IN_LINK_MS }
        }
        (Addressee::Member(found), SignInPurpose::Invitation) => {
            let link = sign_in::invitation_url(base_url, token);
            let text = invitation(base_url, &found.1, &found.0, &link);
            SignInText { subject: "Join a workspace on Posthouse", text, link, valid_ms: INVITATION_MS }
        }
        (Addressee::Member(_) | Addressee::Invited, _) => {
            let link = sign_in::url(base_url, token);
            let text = sign_in_text(sign_in, &link, code);
            SignInText { subject: "Sign in to Posthouse", text, link, valid_ms: SIGN_IN_LINK_MS }
        }
    }
}

fn sign_up_text(email: &str, base_url: &str, link: &str, code: &str) -> String {
    let minutes = SIGN_IN_LINK_MS / MINUTE_MS;
    format!(
        "Somebody, hopefully you, wants to sign in to {base_url} as {email}. This address is in no workspace there. \
         If you continue, you get a workspace of your own.\n\n\
         Open this page and press the button. The link works once and expires after {minutes} minutes:\n\n\
         {link}\n\n\
         {CODE_OFFER}:\n\n\
         {code}\n\n\
         If you did not ask for this, ignore this message: nothing is created without it.\n"
    )
}

fn sign_in_text(sign_in: &SignIn, link: &str, code: &str) -> String {
    let (email, minutes) = (&sign_in.email, SIGN_IN_LINK_MS / MINUTE_MS);
    format!(
        "Somebody, hopefully you, wants to sign in as {email}.\n\n\
         Open this page and press the button. The link works once and expires after {minutes} minutes:\n\n\
         {link}\n\n\
         {CODE_OFFER}:\n\n\
         {code}\n\n\
         If you did not ask for this, ignore this message: nobody can sign in without it.\n"
    )
}

fn invitation(base_url: &str, workspace: &Workspace, member: &Member, link: &str) -> String {
    let (role, days) = (member.role.text(), INVITATION_MS / DAY_MS);
    let name = shown_name(workspace).map_or_else(|| "a workspace".to_owned(), |name| format!("the workspace {name}"));
    format!(
        "You are invited to {name} on {base_url} as {role}.\n\n\
         To see who invited you and to join, open this page. The link works once and expires after {days} days:\n\n\
         {link}\n\n\
         If you do not want to join, ignore this message.\n"
    )
}

/// Returns the name of a workspace for mail to strangers; `None` if it has links or addresses, because anybody can name a
/// workspace and invite people. The address of the owner is the name that a person's workspace has at first.
fn shown_name(workspace: &Workspace) -> Option<&str> {
    let is_shown = workspace.name == workspace.owner_email || card_text::check(&workspace.name).is_ok();
    is_shown.then_some(workspace.name.as_str())
}
