//! Sign-in: a person asks for a link, and exchanges its token, or the code in the same mail, for a session.
//!
//! A request is stored for any address, and a job decides whether somebody gets a mail. Requests for known and unknown
//! addresses therefore take equally long and answer the same (`docs/decisions/0063-sign-in-by-mail.md`).

use posthouse_domain::{
    auth::KEY_RANDOM_CHARS,
    error::{LimitName, Refusal},
    id::{IdGenerator, SessionId, SignInId, WorkspaceId},
    job::{JobKind, JobReason},
    time::{MINUTE_MS, Time},
    user::{
        CODE_TRIES, LINKS_PER_ADDRESS_MAX, Member, OPERATOR_LINK_MS, SESSION_MS, SESSIONS_MAX, SIGN_IN_LINK_MS,
        SIGN_IN_PATH, Session, SessionSecret, SignInPurpose, sign_in_code,
    },
    workspace::Workspace,
};
use posthouse_mail::address::Address;
use posthouse_store::{
    Result as StoreResult, Tx,
    jobs::{self, NewJob},
    sessions,
    sign_ins::{self, SignIn},
    users, workspaces,
};

use crate::{access::authenticate::session_cutoff, app::App, keyring::sealed_link, ports::Clock};

/// The time in which the links of one address are counted, in milliseconds.
const LINKS_WINDOW_MS: i64 = 15 * MINUTE_MS;
/// Longest `User-Agent` that a session shows, in characters.
const USER_AGENT_CHARS_MAX: usize = 200;

/// Asks for a sign-in link. The mail follows if the address belongs to a member of a workspace. Above the limit of
/// an address, nothing is sent.
///
/// # Errors
/// Returns an error if the database call fails.
pub async fn request_link(app: &App, address: &Address) -> Result<(), Refusal> {
    let (ids, now) = (app.clock.ids(), app.clock.now());
    let sign_in = request(&ids, address.canonical(), SignInPurpose::SignIn, None, now.plus_ms(SIGN_IN_LINK_MS));
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
    SignIn { id, email, purpose, workspace, message: None, tries_left: CODE_TRIES, expires_at, created_at }
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
        Self { sign_in, token: random.iter().map(|byte| format!("{byte:02x}")).collect() }
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

/// The browser that signs in.
#[derive(Clone, Debug)]
pub struct SignInClient {
    /// Its `User-Agent`.
    pub user_agent: Option<String>,
    /// Its address.
    pub ip: String,
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

/// Exchanges a proof for a session; `None` if the link or code is wrong, used or expired.
///
/// # Errors
/// Returns an error if the database call fails.
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
    let secret = new_secret(app);
    let work = move |tx: &mut Tx| {
        let Some(sign_in) = proof.consume(tx, now)? else { return Ok::<_, Refusal>(None) };
        let Some(member) = member_of(tx, &sign_in)? else { return Ok(None) };
        let Some(workspace) = workspaces::get(tx, member.workspace)? else { return Ok(None) };
        sign_ins::delete_of_email(tx, &sign_in.email, member.workspace)?;
        begin_session(tx, &member, &client, &secret, ids.clone().next(), now)?;
        Ok(Some(SignedIn { member, workspace, secret: secret.clone() }))
    };
    app.store.write(work).await
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
        ip: client.ip.clone(),
        created_at: now,
        last_used_at: now,
        expires_at: now.plus_ms(SESSION_MS),
    };
    sessions::insert(tx, &session, &secret.digest(), session_cutoff(now), SESSIONS_MAX)
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

/// Returns whom a link signs in, and where.
pub(super) fn member_of(tx: &mut Tx, sign_in: &SignIn) -> StoreResult<Option<Member>> {
    let mut memberships = users::memberships(tx, &sign_in.email)?.into_iter();
    Ok(match sign_in.workspace {
        Some(workspace) => memberships.find(|member| member.workspace == workspace),
        None => memberships.next(),
    })
}
