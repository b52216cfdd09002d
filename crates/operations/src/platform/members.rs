//! `/platform/members`: the people of the workspace.

use posthouse_api::{views::user::ListView, views::user::MemberView, wire::AddressText};
use posthouse_app::{limits::client_network, people::members, people::members::RoleChange};
use posthouse_call::prelude::*;
use posthouse_domain::{MemberKeys, Role};

/// Path of all members.
const ALL: &str = "/platform/members";
/// Path of one member.
const ONE: &str = "/platform/members/{id}";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, ALL, "listMembers", Role::Member)
            .summary("Lists the members, invited ones included, oldest first, without pages.")
            .responds::<ListView<MemberView<'_>>>(200)
            .handle(list),
        Operation::session(Method::Post, ALL, "inviteMember", Role::Owner)
            .summary("Invites a person by mail. A person who was invited before gets a new link.")
            .responds::<MemberView<'_>>(202)
            .errors(&[ErrorCode::Forbidden])
            .handle(invite),
        Operation::session(Method::Patch, ONE, "updateMember", Role::Owner)
            .summary(
                "Changes the role of a member. The last owner can't give up the role. `keys` says what happens to org-wide API keys of an owner who becomes a member.",
            )
            .responds::<MemberView<'_>>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::MemberHasKeys])
            .handle(update),
        Operation::session(Method::Delete, ONE, "removeMember", Role::Member)
            .summary(
                "Removes a member, whose sessions, streams and open invitations end. `keys` says what happens to the member's API keys. Members can only remove themselves. The last owner can't be removed.",
            )
            .responds_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound, ErrorCode::MemberHasKeys])
            .handle(remove),
    ]
}

choice! {
    /// What happens to API keys that a member may not keep.
    enum KeysChoice {
        /// They are revoked.
        Revoke = "revoke",
        /// They are yours from then on.
        TakeOver = "take_over",
    }
}

query! {
    /// How a member is removed.
    struct RemovalQuery {
        /// What happens to the member's API keys. Required if the member has any.
        keys: Option<KeysChoice>,
    }
}

query! {
    /// How a role changes.
    struct RoleQuery {
        /// What happens to the member's org-wide API keys. Required if an owner who becomes a member has any.
        keys: Option<KeysChoice>,
    }
}

object! {
    /// A person to invite.
    struct InviteBody {
        /// The address.
        email: AddressText,
        /// What the person may do. Default: `member`.
        role: Option<Role>,
    }
}

object! {
    /// A change of a member.
    struct MemberBody {
        /// What the person may do.
        role: Role,
    }
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let all = members::list(&service, input.caller).await?;
    Outcome::json(200, &ListView { data: all.iter().map(MemberView::of).collect() })
}

async fn invite(service: Arc<Service>, input: Input<EmptyInput, InviteBody>) -> Result<Outcome, Refusal> {
    let role = input.body.role.unwrap_or(Role::Member);
    let member =
        members::invite(&service, input.caller, &input.body.email.0, role, client_network(input.request.client_ip))
            .await?;
    Outcome::json(202, &MemberView::of(&member))
}

async fn update(service: Arc<Service>, input: Input<RoleQuery, MemberBody>) -> Result<Outcome, Refusal> {
    let user = input.path.id("id", "member")?;
    let keys = input.query.keys.and_then(|keys| MemberKeys::parse(keys.text()));
    let change = RoleChange { role: input.body.role, keys };
    let member = members::set_role(&service, input.caller, user, change).await?;
    Outcome::json(200, &MemberView::of(&member))
}

async fn remove(service: Arc<Service>, input: Input<RemovalQuery>) -> Result<Outcome, Refusal> {
    let keys = input.query.keys.and_then(|keys| MemberKeys::parse(keys.text()));
    members::remove(&service, input.caller, input.path.id("id", "member")?, keys).await?;
    Ok(Outcome::empty())
}
