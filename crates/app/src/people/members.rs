//! The members of a workspace: invitations, roles and removal. A workspace always keeps an owner that joined.

use std::net::IpAddr;

use posthouse_domain::{
    Caller, ConnectorEnd, DAY_MS, DailyLimit, Detail, ErrorCode, Invitation, LimitName, MailClass, Member, MemberKeys,
    Party, Refusal, Role, ServiceMailKind, SignInPurpose, Time, UserId, WorkspaceId, user::INVITATION_MS,
    user::MEMBERS_MAX,
};
use posthouse_mail::address::Address;
use posthouse_store::keys::{self, KeysOfMember};
use posthouse_store::{Result as StoreResult, Tx, inboxes, sessions, sign_ins, signups, users, workspaces};

use super::{sessions as sessions_of, sign_in};
use crate::access::{actor, authorize::require_owner, connectors::ConnectorEnding};
use crate::limits::service_mails::{CountedMail, ServiceMailCounter};
use crate::mailbox::recipient::{is_own_address, served_domains};
use crate::{keyring::counted_subject::counted_network, keyring::counted_subject::counted_subject, service::Service};

/// Invitations that a workspace sends in a day.
const INVITATIONS_PER_DAY: u64 = 50;
/// Invitations that one mailbox gets in a UTC day, from all workspaces.
const INVITATIONS_PER_RECIPIENT: u64 = 3;
/// Keys of a member that a refused removal names at most.
const KEYS_SHOWN_MAX: u32 = 100;
/// How long a workspace that invited too many people waits, in seconds.
const RETRY_S: u64 = 3_600;

/// Returns the members of a workspace, invited ones included, oldest first.
pub async fn list(service: &Service, caller: Caller) -> Result<Vec<Member>, Refusal> {
    service.read(caller.workspace, move |tx| Ok(users::of_workspace(tx, caller.workspace)?)).await
}

/// Makes a person an owner of a new workspace; returns the person. A new address gets the id `user`.
pub fn found(tx: &mut Tx, workspace: WorkspaceId, email: &str, user: UserId, now: Time) -> StoreResult<UserId> {
    let user = users::of_email(tx, email, user, now)?;
    users::add(tx, workspace, user, Role::Owner, now)?;
    Ok(user)
}

/// Invites a person by mail; a person who was invited before gets a new link.
///
/// # Errors
/// Returns `invalid_request` if the person is a member or the address is one of this service or `rate_limited` if too many people were invited.
pub async fn invite(
    service: &Service,
    caller: Caller,
    address: &Address,
    role: Role,
    network: IpAddr,
) -> Result<Member, Refusal> {
    let (ids, now, workspace) = (service.clock.ids(), service.clock.now(), caller.workspace);
    let (address, email, served) = (address.clone(), address.canonical(), served_domains(service));
    let mailbox = counted_subject(service, Party::mailbox(&email).as_str())?;
    let (counter, network) = (ServiceMailCounter::of(service)?, counted_network(service, network)?);
    let work = move |tx: &mut Tx| {
        let ids = ids.clone();
        // An agent that reads the link could sign in as a person.
        if is_own_address(tx, &address, &served)? {
            let problem = "is an address of this service; a member needs a mailbox elsewhere";
            return Err(Refusal::invalid_field("email", problem));
        }
        let members = users::lock(tx, workspace)?;
        let inviter = still_owner(&members, &caller)?;
        let known = members.iter().find(|member| member.user.email == email);
        if known.is_some_and(|known| known.joined_at.is_some()) {
            return Err(Refusal::invalid_field("email", "belongs to a member of the workspace"));
        }
        if known.is_none() && members.len() >= MEMBERS_MAX {
            let message = format!("The workspace already has {MEMBERS_MAX} members, the maximum.");
            return Err(Refusal::new(ErrorCode::Forbidden, message)
                .detail(Detail::Limit(LimitName::Members))
                .with_fix("Remove a member first."));
        }
        let since = now.plus_ms(-DAY_MS);
        if sign_ins::count_invitations(tx, workspace, since)? >= INVITATIONS_PER_DAY {
            let refusal = Refusal::new(
                ErrorCode::RateLimited,
                format!("The workspace has sent {INVITATIONS_PER_DAY} invitations in a day, which is the limit."),
            );
            return Err(refusal.at_limit(LimitName::InvitationsPerDay, INVITATIONS_PER_DAY, RETRY_S));
        }
        let (limit, max) = (DailyLimit::InvitationsPerRecipient, INVITATIONS_PER_RECIPIENT);
        if !signups::count(tx, limit, &mailbox, max, now)? {
            return Err(limit.refusal(max, now));
        }
        let (class, kind) = (MailClass::Invited, ServiceMailKind::Invitation);
        counter.count(tx, &CountedMail { class, kind, to: &email, network: Some(&network) }, now)?;
        let user = users::of_email(tx, &email, ids.next(), now)?;
        let expires_at = now.plus_ms(INVITATION_MS);
        let invitation = Invitation {
            id: ids.next(),
            workspace,
            workspace_name: workspaces::get(tx, workspace)?.map(|found| found.name).unwrap_or_default(),
            invited_by: actor::of(tx, &caller)?.label,
            inviter,
            role,
            sent_at: now,
            expires_at,
        };
        users::invite(tx, user, &invitation)?;
        let link = sign_in::request(&ids, email.clone(), SignInPurpose::Invitation, Some(workspace), expires_at);
        sign_in::store_for_mail(tx, &link, &ids)?;
        users::member(tx, workspace, user)?.ok_or_else(|| Refusal::not_found("member"))
    };
    service.write(work).await
}

/// A new role of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoleChange {
    pub role: Role,
    /// What happens to org-wide keys of a person who is no owner any more.
    pub keys: Option<MemberKeys>,
}

/// Changes the role of a member. A person who is no owner any more knows the secrets of the own org-wide keys, so the
/// request says what happens to them, and the open invitations of other owners that the person sent end.
///
/// # Errors
/// Returns `not_found` if there is no such member, `member_has_keys` if the person has org-wide keys and the request
/// doesn't say what happens to them, or `forbidden` for the last owner or for taking over the own keys.
pub async fn set_role(service: &Service, caller: Caller, user: UserId, change: RoleChange) -> Result<Member, Refusal> {
    let (workspace, now, RoleChange { role, keys }) = (caller.workspace, service.clock.now(), change);
    let work = move |tx: &mut Tx| {
        let members = users::lock(tx, workspace)?;
        still_owner(&members, &caller)?;
        if role == Role::Member {
            keeps_an_owner(&members, user)?;
            settle_keys(tx, &caller, &KeysOfMember { workspace, member: user, only_org: true }, keys, now)?;
            users::end_invitations(tx, workspace, user, Some(Role::Owner))?;
        }
        users::set_role(tx, workspace, user, role)?;
        notify_an_owner(tx, workspace)?;
        users::member(tx, workspace, user)?.ok_or_else(|| Refusal::not_found("member"))
    };
    service.write(work).await
}

/// Removes a member; the sessions, streams, connectors and open invitations of that person end. Owners can remove anyone, other
/// members themselves. A removed person knows the secrets of the own keys, so the request says what happens to them.
///
/// # Errors
/// Returns `not_found` if there is no such member, `member_has_keys` if the person has keys and the request doesn't say
/// what happens to them, or `forbidden` for the last owner or if a member removes another one or takes over the own keys.
pub async fn remove(service: &Service, caller: Caller, user: UserId, keys: Option<MemberKeys>) -> Result<(), Refusal> {
    let (workspace, person) = (caller.workspace, sessions_of::user(&caller)?);
    let now = service.clock.now();
    let ending = ConnectorEnding { reason: ConnectorEnd::MemberRemoved, ids: service.clock.ids(), now };
    let work = move |tx: &mut Tx| {
        let members = users::lock(tx, workspace)?;
        if !members.iter().any(|member| member.user.id == user) {
            return Err(Refusal::not_found("member"));
        }
        if person.user != user && still_owner(&members, &caller).is_err() {
            return Err(Refusal::new(ErrorCode::Forbidden, "Only owners remove other members.")
                .with_fix("Ask an owner to remove the member."));
        }
        keeps_an_owner(&members, user)?;
        settle_keys(tx, &caller, &KeysOfMember { workspace, member: user, only_org: false }, keys, now)?;
        users::end_invitations(tx, workspace, user, None)?;
        sessions::delete_of_user(tx, workspace, user)?;
        ending.clone().end_of_member(tx, workspace, user)?;
        users::remove(tx, workspace, user)?;
        Ok(notify_an_owner(tx, workspace)?)
    };
    service.write(work).await
}

/// Revokes keys that a member may not have any more, or gives them to the caller.
fn settle_keys(
    tx: &mut Tx,
    caller: &Caller,
    ending: &KeysOfMember,
    wanted: Option<MemberKeys>,
    now: Time,
) -> Result<(), Refusal> {
    let person = sessions_of::user(caller)?;
    // Nobody creates a key for the person meanwhile.
    inboxes::take_workspace(tx, ending.workspace)?;
    let found = keys::of_member(tx, ending, KEYS_SHOWN_MAX)?;
    match wanted {
        _ if found.is_empty() => Ok(()),
        Some(MemberKeys::Revoke) => Ok(keys::revoke_of_member(tx, ending, now)?),
        Some(MemberKeys::TakeOver) if person.user != ending.member => Ok(keys::take_over(tx, ending, person.user)?),
        Some(MemberKeys::TakeOver) => {
            let message = "You can't take over your own keys.";
            Err(Refusal::new(ErrorCode::Forbidden, message).with_fix("Use `?keys=revoke`, or ask an owner."))
        }
        None => {
            let message = "The member has API keys, which would keep working.";
            let named = found.iter().map(|key| format!("{}… {}", key.shown, key.name)).collect();
            Err(Refusal::new(ErrorCode::MemberHasKeys, message).detail(Detail::ApiKeys(named)))
        }
    }
}

/// Returns the caller, if it is still an owner: it may have lost the role since the request began.
fn still_owner(members: &[Member], caller: &Caller) -> Result<UserId, Refusal> {
    let user = sessions_of::user(caller)?.user;
    let current = members.iter().find(|member| member.user.id == user);
    require_owner(current.map_or(Role::Member, |member| member.role)).map(|()| user)
}

/// Checks that the workspace has another owner that joined.
fn keeps_an_owner(members: &[Member], without: UserId) -> Result<(), Refusal> {
    let is_owner = |member: &&Member| member.role == Role::Owner && member.joined_at.is_some();
    let leaves_owner = members.iter().filter(is_owner).any(|member| member.user.id != without);
    let was_owner = members.iter().filter(is_owner).any(|member| member.user.id == without);
    if leaves_owner || !was_owner {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::Forbidden, "The last owner can't leave the workspace or give up the role.")
        .with_fix("Make another member an owner first."))
}

/// Lets notices to the owner go to an owner.
fn notify_an_owner(tx: &mut Tx, workspace: WorkspaceId) -> StoreResult<()> {
    let owners: Vec<Member> = users::of_workspace(tx, workspace)?
        .into_iter()
        .filter(|member| member.role == Role::Owner && member.joined_at.is_some())
        .collect();
    let Some(current) = workspaces::get(tx, workspace)? else { return Ok(()) };
    match owners.first() {
        Some(first) if !owners.iter().any(|owner| owner.user.email == current.owner_email) => {
            workspaces::set_owner(tx, workspace, &first.user.email)
        }
        _ => Ok(()),
    }
}
