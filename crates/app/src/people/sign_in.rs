//! Sign-in: a person asks for a link, and exchanges its token, or the code in the same mail, for a session.
//!
//! A request is stored for any address, and a job decides whether somebody gets a mail. Requests for known and unknown
//! addresses therefore take equally long and answer the same (`docs/decisions/0063-sign-in-by-mail.md`).

use std::net::IpAddr;

use posthouse_domain::{
    auth::KEY_RANDOM_CHARS,
    error::{LimitName, Refusal},
    id::{IdGenerator, SessionId, SignInId, WorkspaceId},
    job::{JobKind, JobReason},
    link_token,
    time::{MINUTE_MS, Time},
    user::{
        CODE_TRIES, LINKS_PER_ADDRESS_MAX, Member, OPERATOR_LINK_MS, SESSION_MS, SESSIONS_MAX, SIGN_IN_LINK_MS,
        SIGN_IN_PATH, Session, SessionSecret, SignInPurpose,
    },
    workspace::Workspace,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx,
    jobs::{self, NewJob},
    sessions,
    sign_ins::{self, SignIn},
    users,
};

use crate::{
    access::authenticate::session_cutoff, app::App, keyring::sealed_link, limits::counted_subject::counted_subject,
    ports::Clock,
};

/// The time in which the links of one address are counted, in milliseconds.
const LINKS_WINDOW_MS: i64 = 15 * MINUTE_MS;
/// Longest `User-Agent` that a session shows, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// Asks for a sign-in link. The mail follows if the address belongs to a member of a workspace, or if self-signup is on.
/// Above the limit of an address, nothing is sent. `network` is the one that counts as one client.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn request_link(app: &App, address: &Address, network: IpAddr) -> Result<(), Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let link = request(&ids, address.canonical(), SignInPurpose::SignIn, None, now.plus_ms(SIGN_IN_LINK_MS));
    let sign_in = SignIn { network: Some(counted_subject(app, &network.to_string())?), ..link };
    let work = move |tx: &mut Tx| -> StoreResult<bool> {
        let since = now.plus_ms(-LINKS_WINDOW_MS);
        if sign_ins::count_since(tx, &sign_in.email, SignInPurpose::SignIn, since)? >= LINKS_PER_ADDRESS_MAX {
            return Ok(false);
        }
        store_for_mail(tx, &sign_in, &ids.clone())?;
        Ok(true)
    };
    if !app.store.write(work).await? {
        app.metrics.limit_refused(LimitName::SignInLinksPerAddress);
    }
    Ok(())
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
        &NewJob {
            id: ids.next(),
            kind,
            workspace: WorkspaceId::SERVICE,
            subject: sign_in.id.0,
            group: String::new(),
            run_at: sign_in.created_at,
            attempt_max: kind.attempts_max(),
            why: JobReason::SignInRequested,
            created_at: sign_in.created_at,
        },
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
    ///
    /// # Errors
    /// Returns an error if the database call fails.
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

/// A person with a new session.
#[derive(Clone, Debug)]
pub struct SignedIn {
    /// The person.
    pub member: Member,
    /// The workspace.
    pub workspace: Workspace,
    /// The secret of the new session.
    pub secret: SessionSecret,
}

/// Returns the secret of a new session.
pub(super) fn new_secret(app: &App) -> SessionSecret {
    let mut random = [0; 2 * KEY_RANDOM_CHARS];
    app.clock.random(&mut random);
    SessionSecret::from_random(&random)
}

/// Begins a session of a member, and ends the one that the browser has.
pub(super) fn begin_session(
    tx: &mut Tx,
    member: &Member,
    client: &SignInClient,
    secret: &SessionSecret,
    id: SessionId,
    now: Time,
) -> StoreResult<()> {
    users::join(tx, member.workspace, member.user.id, now)?;
    if let Some(before) = &client.session {
        sessions::delete_by_digest(tx, &before.digest())?;
    }
    let session = Session {
        workspace: member.workspace,
        id,
        user: member.user.id,
        user_agent: client.user_agent.as_deref().map(|text| text.chars().take(USER_AGENT_CHARS_MAX).collect()),
        ip: client.ip.to_string(),
        created_at: now,
        last_used_at: now,
        expires_at: now.plus_ms(SESSION_MS),
    };
    sessions::insert(tx, &session, &secret.digest(), session_cutoff(now), SESSIONS_MAX)
}

/// Returns the membership that a link signs in to.
pub(super) fn member_of(tx: &mut Tx, sign_in: &SignIn) -> StoreResult<Option<Member>> {
    let mut memberships = users::memberships(tx, &sign_in.email)?.into_iter();
    Ok(match sign_in.workspace {
        Some(workspace) => memberships.find(|member| member.workspace == workspace),
        None => memberships.next(),
    })
}
