//! Sign-in: a person asks for a link, and exchanges its token, or the code in the same mail, for a session.
//!
//! A request is stored for any address, and a job decides whether somebody gets a mail. Requests for known and unknown
//! addresses therefore take equally long and answer the same (`docs/decisions/people.md#0063-sign-in-by-mail`).

use std::net::IpAddr;

use posthouse_domain::user::{
    CODE_TRIES, LINKS_PER_ADDRESS_MAX, OPERATOR_LINK_MS, SESSION_MS, SESSIONS_MAX, SIGN_IN_LINK_MS, SIGN_IN_PATH,
};
use posthouse_domain::{
    IdGenerator, Invitation, JobKind, JobReason, LimitName, MINUTE_MS, Member, Refusal, Role, Session, SessionId,
    SessionSecret, SignIn, SignInId, SignInPurpose, Time, User, UserId, Workspace, WorkspaceId, auth::KEY_RANDOM_CHARS,
    link_token,
};
use posthouse_mail::address::Address;
use posthouse_store::{Result as StoreResult, Tx, jobs, jobs::NewJob, sessions, sign_ins, users, workspaces};

use crate::keyring::{counted_subject::counted_network, sealed_link};
use crate::{access::authenticate::session_cutoff, ports::Clock, service::Service};

/// The time in which the links of one address are counted, in milliseconds.
const LINKS_WINDOW_MS: i64 = 15 * MINUTE_MS;
/// Longest `User-Agent` that a session shows, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// The network that asks for a sign-in link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkClient {
    /// The network that counts as one client.
    pub network: IpAddr,
    /// Whether it asked so often that only members and invited people get mail: neighbors must not make theirs vanish.
    pub only_known_people: bool,
}

/// Asks for a sign-in link. The mail follows if the address belongs to a member of a workspace, or if self-signup is on.
/// Above the limit of an address, nothing is sent.
pub async fn request_link(service: &Service, address: &Address, client: LinkClient) -> Result<(), Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let link = request(&ids, address.canonical(), SignInPurpose::SignIn, None, now.plus_ms(SIGN_IN_LINK_MS));
    let sign_in = SignIn { network: Some(counted_network(service, client.network)?), ..link };
    let work = move |tx: &mut Tx| -> StoreResult<Option<LimitName>> {
        let since = now.plus_ms(-LINKS_WINDOW_MS);
        if sign_ins::count_since(tx, &sign_in.email, since)? >= LINKS_PER_ADDRESS_MAX {
            return Ok(Some(LimitName::SignInLinksPerAddress));
        }
        if client.only_known_people && !is_known(tx, &sign_in, now)? {
            // As much work as for a known address, so that the time doesn't show which ones are.
            sign_ins::insert(tx, &sign_in, None)?;
            sign_ins::delete(tx, sign_in.id)?;
            return Ok(Some(LimitName::SignInsPerClient));
        }
        store_for_mail(tx, &sign_in, &ids.clone())?;
        Ok(None)
    };
    if let Some(limit) = service.write(work).await? {
        service.metrics.limit_refused(limit);
    }
    Ok(())
}

/// Returns whether the address of a request is that of a member or of an invited person.
fn is_known(tx: &mut Tx, sign_in: &SignIn, now: Time) -> StoreResult<bool> {
    Ok(member_of(tx, sign_in)?.is_some() || invited_person(tx, &sign_in.email, now)?.is_some())
}

/// Creates a request for a link.
pub(super) fn request(
    ids: &IdGenerator,
    email: String,
    purpose: SignInPurpose,
    workspace: Option<WorkspaceId>,
    expires_at: Time,
) -> SignIn {
    let id: SignInId = ids.next();
    let created_at = ids.time();
    SignIn {
        id,
        email,
        purpose,
        workspace,
        message: None,
        network: None,
        tries_left: CODE_TRIES,
        expires_at,
        created_at,
    }
}

/// Stores a request, with the job that mails its link.
pub(super) fn store_for_mail(tx: &mut Tx, sign_in: &SignIn, ids: &IdGenerator) -> StoreResult<()> {
    sign_ins::insert(tx, sign_in, None)?;
    let kind = JobKind::SignInMail;
    jobs::enqueue(
        tx,
        &NewJob::new(
            kind,
            JobReason::SignInRequested,
            WorkspaceId::SERVICE,
            sign_in.id.0,
            ids.next(),
            sign_in.created_at,
        ),
    )
}

/// A link that the operator is shown instead of a mail.
#[derive(Clone, Debug)]
pub struct OperatorLink {
    sign_in: SignIn,
    token: String,
}

impl OperatorLink {
    /// Creates a link that signs the person with this canonical address in to a workspace.
    #[must_use]
    pub fn new(clock: &dyn Clock, email: &str, workspace: WorkspaceId) -> Self {
        let mut random = [0_u8; 16];
        clock.random(&mut random);
        let expires_at = clock.now().plus_ms(OPERATOR_LINK_MS);
        let sign_in = request(&clock.ids(), email.to_owned(), SignInPurpose::Operator, Some(workspace), expires_at);
        let secret: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { sign_in, token: link_token::of_secret(&secret) }
    }

    /// Stores the link.
    pub fn insert(&self, tx: &mut Tx) -> StoreResult<()> {
        sign_ins::insert(tx, &self.sign_in, sealed_link::digest(&self.token).as_ref())
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self, base_url: &str) -> String {
        url(base_url, &self.token)
    }
}

/// Returns the URL of a link. The token is in the fragment, which browsers don't send to servers and their logs.
pub(super) fn url(base_url: &str, token: &str) -> String {
    format!("{base_url}{SIGN_IN_PATH}#token={token}")
}

/// Returns the URL of the link of an invitation, whose page says so.
pub(super) fn invitation_url(base_url: &str, token: &str) -> String {
    format!("{base_url}{SIGN_IN_PATH}?invitation#token={token}")
}

/// Returns the URL of a link that makes a workspace, whose page says so.
pub(super) fn sign_up_url(base_url: &str, token: &str) -> String {
    format!("{base_url}{SIGN_IN_PATH}?new#token={token}")
}

/// The browser that signs in.
#[derive(Clone, Debug)]
pub struct SignInClient {
    /// Its `User-Agent`.
    pub user_agent: Option<String>,
    /// Its address.
    pub ip: IpAddr,
    /// The network that counts as one client.
    pub network: IpAddr,
    /// The session that it has; it ends.
    pub session: Option<SessionSecret>,
}

/// A person, with the workspace of the session and the open invitations.
#[derive(Clone, Debug)]
pub struct Person {
    /// The person.
    pub user: User,
    /// The workspace of the session; `None` for a person who is in no workspace.
    pub membership: Option<Membership>,
    /// The invitations that haven't been accepted, newest first.
    pub invitations: Vec<Invitation>,
}

/// The workspace of a session.
#[derive(Clone, Debug)]
pub struct Membership {
    /// What the person may do in the workspace.
    pub role: Role,
    pub workspace: Workspace,
}

impl Person {
    /// Loads a person and the workspace of the session; `None` if the person is not a member of the workspace.
    pub(super) fn load(tx: &mut Tx, user: UserId, workspace: WorkspaceId, now: Time) -> StoreResult<Option<Self>> {
        let Some(found) = users::get(tx, user)? else { return Ok(None) };
        let invitations = users::invitations(tx, user, now)?;
        if workspace == WorkspaceId::SERVICE {
            return Ok(Some(Self { user: found, membership: None, invitations }));
        }
        let Some(member) = users::member(tx, workspace, user)?.filter(|member| member.joined_at.is_some()) else {
            return Ok(None);
        };
        let Some(workspace) = workspaces::get(tx, workspace)? else { return Ok(None) };
        let membership = Some(Membership { role: member.role, workspace });
        Ok(Some(Self { user: found, membership, invitations }))
    }
}

/// A person with a new session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    pub person: Person,
    /// The secret of the new session.
    pub secret: SessionSecret,
}

/// A session that begins.
#[derive(Debug)]
pub(super) struct NewSession<'a> {
    pub client: &'a SignInClient,
    pub secret: &'a SessionSecret,
    pub id: SessionId,
    pub now: Time,
}

/// Returns the secret of a new session.
pub(super) fn new_secret(service: &Service) -> SessionSecret {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    service.clock.random(&mut random);
    SessionSecret::from_random(&random)
}

/// Begins a session of a person in a workspace, and ends the one that the browser has. `None` if the person is not a
/// member of the workspace. The workspace of the service stands for none.
pub(super) fn begin_session(
    tx: &mut Tx,
    user: UserId,
    workspace: WorkspaceId,
    new: &NewSession<'_>,
) -> StoreResult<Option<SignedIn>> {
    let NewSession { client, secret, id, now } = *new;
    let Some(person) = Person::load(tx, user, workspace, now)? else { return Ok(None) };
    if let Some(before) = &client.session {
        sessions::delete_by_digest(tx, &before.digest())?;
    }
    let session = Session {
        workspace,
        id,
        user,
        user_agent: client.user_agent.as_deref().map(|text| text.chars().take(USER_AGENT_CHARS_MAX).collect()),
        ip: client.ip.to_string(),
        created_at: now,
        last_used_at: now,
        expires_at: now.plus_ms(SESSION_MS),
    };
    sessions::insert(tx, &session, &secret.digest(), session_cutoff(now), SESSIONS_MAX)?;
    Ok(Some(SignedIn { person, secret: secret.clone() }))
}

/// Returns the membership that a link signs in to. An invitation and a plain link sign in to the workspace that was used
/// last; the link of the operator, to its workspace only.
pub(super) fn member_of(tx: &mut Tx, sign_in: &SignIn) -> StoreResult<Option<Member>> {
    let Some(user) = users::by_email(tx, &sign_in.email)? else { return Ok(None) };
    let mut memberships = users::memberships(tx, user)?.into_iter();
    Ok(match (sign_in.purpose, sign_in.workspace) {
        (SignInPurpose::Operator, Some(workspace)) => memberships.find(|member| member.workspace == workspace),
        _ => memberships.next(),
    })
}

/// Returns the person with open invitations at an address; `None` without any.
pub(super) fn invited_person(tx: &mut Tx, email: &str, now: Time) -> StoreResult<Option<UserId>> {
    let Some(user) = users::by_email(tx, email)? else { return Ok(None) };
    Ok((!users::invitations(tx, user, now)?.is_empty()).then_some(user))
}
