//! `/v1/directory`: handles, look-ups, searches and reports. See `docs/reference/directory.md`.

use posthouse_api::views::agent::{
    CardResultView, CardView, PreviousHandleView, ReportReceiptView, VerificationView, WorkspaceHandleView,
};
use posthouse_api::wire::{
    AddressQuery, AddressText, CapabilityText, CardQueryText, FullHandleText, HandleText, PageLimit, SignatureText,
    has_member, member,
};
use posthouse_app::agents::report::{self, NewReport};
use posthouse_app::agents::resolve::{self, AgentName};
use posthouse_app::agents::verify::{self, VerifiedThing};
use posthouse_app::agents::{handles, search, switches};
use posthouse_app::limits::client_network;
use posthouse_app::limits::{directory::DirectoryLimit, requests::RateLimitStatus};
use posthouse_call::prelude::*;
use posthouse_domain::agent::report::{DETAILS_CHARS_MAX, REPORTS_PER_DAY, until_next_day_s};
use posthouse_domain::agent::search::{LIMIT_DEFAULT, LIMIT_MAX};
use posthouse_domain::{
    CardQuery, FieldProblem, LimitName, MessageId, MessageKind, PageParameters, ReportReason, SearchedCards,
    WorkspaceHandles,
};
use posthouse_mail::address::Address;
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// Path of the handle of the workspace.
const HANDLE: &str = "/v1/directory/handle";

/// A number of cards per page.
pub(crate) type CardLimit = PageLimit<LIMIT_MAX, LIMIT_DEFAULT>;

/// Creates an operation of the directory.
fn route(method: Method, path: &'static str, name: &'static str, permission: Permission) -> Operation {
    Operation::new(method, path, name, permission).behind_switch(switches::check)
}

/// Errors of claiming a handle.
const CLAIM_ERRORS: &[ErrorCode] = &[
    ErrorCode::InvalidHandle,
    ErrorCode::HandleTaken,
    ErrorCode::HandleReserved,
    ErrorCode::HandleLimit,
    ErrorCode::UnclaimedWorkspace,
    ErrorCode::DirectoryDisabled,
];

pub(crate) fn operations() -> Vec<Operation> {
    use Permission::{DirectoryRead, DirectoryWrite};
    const DISABLED: &[ErrorCode] = &[ErrorCode::DirectoryDisabled];
    vec![
        route(Method::Get, HANDLE, "getWorkspaceHandle", DirectoryRead)
            .summary("Returns the handle of the workspace, and those that still redirect to it.")
            .responds::<WorkspaceHandleView>(200)
            .errors(DISABLED)
            .handle(read_handle),
        route(Method::Put, HANDLE, "claimWorkspaceHandle", DirectoryWrite)
            .org_wide()
            .summary("Claims a handle for the workspace, or renames it. The previous handle redirects for 90 days.")
            .responds::<WorkspaceHandleView>(200)
            .errors(CLAIM_ERRORS)
            .handle(claim_handle),
        route(Method::Delete, HANDLE, "releaseWorkspaceHandle", DirectoryWrite)
            .org_wide()
            .summary("Releases the handle of the workspace. Nobody can claim it again, and it doesn't redirect.")
            .responds::<WorkspaceHandleView>(200)
            .errors(DISABLED)
            .handle(release_handle),
        route(Method::Get, "/v1/directory/resolve", "resolveAgent", DirectoryRead)
            .summary("Returns the card of an agent by its address or handle.")
            .responds::<CardResultView>(200)
            .errors(&[
                ErrorCode::InvalidHandle,
                ErrorCode::AgentNotFound,
                ErrorCode::RateLimited,
                ErrorCode::DirectoryDisabled,
            ])
            .counted_for(DirectoryLimit::Resolves)
            .handle(resolve),
        route(Method::Get, "/v1/directory/search", "searchAgents", DirectoryRead)
            .summary("Searches the cards of the workspace or of the public directory, newest first.")
            .responds::<PageView<CardView>>(200)
            .errors(&[
                ErrorCode::InvalidCursor,
                ErrorCode::RateLimited,
                ErrorCode::DirectoryDisabled,
                ErrorCode::PublicDirectoryDisabled,
            ])
            .counted_for(DirectoryLimit::Searches)
            .handle(search),
        route(Method::Post, "/v1/directory/reports", "reportAgent", DirectoryRead)
            .summary("Reports an agent to the operator. Its owner learns the reason, and nothing about the reporter.")
            .responds::<ReportReceiptView>(202)
            .errors(&[
                ErrorCode::AgentNotFound,
                ErrorCode::NotFound,
                ErrorCode::RateLimited,
                ErrorCode::DirectoryDisabled,
            ])
            .handle(report),
        route(Method::Post, "/v1/directory/verify", "verifyAgent", DirectoryRead)
            .reads()
            .summary(
                "Checks a signature of an agent message and the standing of its sender, or the standing of an address. The \
                 content of the message is not checked.",
            )
            .responds::<VerificationView>(200)
            .errors(&[ErrorCode::RateLimited, ErrorCode::DirectoryDisabled])
            .counted_for(DirectoryLimit::Verifications)
            .handle(verify),
    ]
}

object! {
    /// The handle to claim.
    struct ClaimHandleBody {
        /// Letters a to z, digits and hyphens, without the `@`. Capitals become small letters.
        handle: HandleText,
    }
}

query! {
    /// What an agent is looked up by: exactly one of the two.
    struct ResolveQuery {
        /// The exact address. Send either `address` or `handle`.
        address: Option<AddressQuery>,
        /// The handle, such as `@acme/support`. Send either `address` or `handle`.
        handle: Option<FullHandleText>,
    }
}

choice! {
    /// The cards that a search covers.
    enum CardScope {
        /// Those of the workspace with the visibility `workspace` or `public`.
        Workspace = "workspace",
        /// Those in the public directory.
        Public = "public",
    }
}

query! {
    /// The conditions and page of a search.
    struct AgentSearchQuery {
        /// A part of the name, the description, or the name or tag of a skill. Case is ignored.
        q: Option<CardQueryText>,
        /// A skill id, tag or OASF class, exactly.
        capability: Option<CapabilityText>,
        /// A type of message that the agent accepts.
        kind = "type": Option<MessageKind>,
        /// The cards to search. Default: `workspace`.
        scope: Option<CardScope>,
        /// The `next_cursor` of the previous page.
        cursor: Option<Cursor>,
        /// Maximum number of cards per page. Default: 20.
        limit: CardLimit,
    }
}

object! {
    /// A report about an agent.
    struct ReportBody {
        /// The address of the agent.
        address: AddressText,
        /// Why you report it.
        reason: ReportReason,
        /// Details for the operator, as plain text.
        details: Option<BoundedText<0, DETAILS_CHARS_MAX>>,
        /// A message of your workspace that shows the problem.
        message_id: Option<Uuid>,
    }
}

object! {
    /// What to verify: exactly one of the two.
    struct VerifyBody {
        /// The `agent.signature` or `author.signature` of a message.
        signature: Option<SignatureText>,
        /// The address of an agent.
        address: Option<AddressText>,
    }
    check one_thing, schema has_one_thing;
}

fn one_thing(given: &Map<String, Value>, path: &str, problems: &mut Problems) {
    let [signature, address] =
        ["signature", "address"].map(|name| given.get(name).is_some_and(|value| !value.is_null()));
    if signature == address {
        problems.add::<()>(&member(path, "signature"), exactly_one("address", address));
    }
}

/// [`one_thing`] as a condition of JSON Schema.
fn has_one_thing() -> Value {
    json!({ "oneOf": [has_member("signature", "string"), has_member("address", "string")] })
}

impl VerifyBody {
    fn parse(self) -> Option<VerifiedThing> {
        let signature = self.signature.map(|signature| VerifiedThing::Signature(signature.0));
        signature.or_else(|| self.address.map(|address| VerifiedThing::Address(address.0)))
    }
}

async fn verify(service: Arc<Service>, input: Input<EmptyInput, VerifyBody>) -> Result<Outcome, Refusal> {
    let thing = input.body.parse().ok_or_else(|| not_exactly_one("signature", "address", false))?;
    let view = verify::verify(&service, input.caller, thing).await?;
    Ok(Outcome::json(200, &view)?.with("cache-control", "no-store"))
}

fn handle_view(found: &WorkspaceHandles) -> Result<Outcome, Refusal> {
    let previous = found.previous.iter().map(|one| PreviousHandleView {
        handle: format!("@{}", one.handle),
        redirect_until: one.redirect_until.into(),
    });
    let handle = found.current.as_ref().map(|handle| format!("@{handle}"));
    Outcome::json(200, &WorkspaceHandleView { handle, previous: previous.collect() })
}

async fn read_handle(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    handle_view(&handles::read(&service, input.caller).await?)
}

async fn claim_handle(service: Arc<Service>, input: Input<EmptyInput, ClaimHandleBody>) -> Result<Outcome, Refusal> {
    handle_view(&handles::claim(&service, input.caller, &input.body.handle.0).await?)
}

async fn release_handle(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    handle_view(&handles::release(&service, input.caller).await?)
}

async fn resolve(service: Arc<Service>, input: Input<ResolveQuery>) -> Result<Outcome, Refusal> {
    let name = input.query.name()?;
    let found = resolve::resolve(&service, input.caller, name).await?;
    Outcome::json(200, &CardResultView { card: found.card, redirected_from: found.redirected_from })
}

impl ResolveQuery {
    fn name(self) -> Result<AgentName, Refusal> {
        match (self.address, self.handle) {
            (Some(address), None) => {
                Address::parse(&address.0).map(AgentName::Address).map_err(|_| resolve::not_found())
            }
            (None, Some(handle)) => Ok(AgentName::Handle(handle.0)),
            (given, _) => Err(not_exactly_one("address", "handle", given.is_some())),
        }
    }
}

/// Returns the refusal of a request that has both or none of two members and needs exactly one.
fn not_exactly_one(first: &str, second: &str, has_both: bool) -> Refusal {
    Refusal::invalid(&[FieldProblem { path: first.to_owned(), problem: exactly_one(second, has_both) }])
}

/// Returns the problem of a member that is given with another or missing without it.
fn exactly_one(other: &str, has_both: bool) -> String {
    if has_both {
        format!("can't be combined with `{other}`: send exactly one of them")
    } else {
        format!("is required unless `{other}` is sent")
    }
}

async fn search(service: Arc<Service>, input: Input<AgentSearchQuery>) -> Result<Outcome, Refusal> {
    let (query, page) = input.query.parse(&input.caller);
    let page = search::search(&service, Some(input.caller), query, page).await?;
    Outcome::page(&service, &page, |card| card)
}

impl AgentSearchQuery {
    fn parse(self, caller: &Caller) -> (CardQuery, PageParameters) {
        let scope = match self.scope {
            None | Some(CardScope::Workspace) => SearchedCards::Workspace(caller.workspace),
            Some(CardScope::Public) => SearchedCards::Public,
        };
        let query = CardQuery {
            scope,
            text: self.q.map(|text| text.0),
            capability: self.capability.map(|text| text.0),
            accepts: self.kind,
        };
        (query, paging(self.cursor, self.limit))
    }
}

async fn report(service: Arc<Service>, input: Input<EmptyInput, ReportBody>) -> Result<Outcome, Refusal> {
    let body = input.body;
    let new = NewReport {
        address: body.address.0,
        reason: body.reason,
        details: body.details.map(|text| text.0).filter(|text| !text.is_empty()),
        message: body.message_id.map(MessageId),
        network: Some(input.request.client_ip).filter(|ip| !ip.is_loopback()).map(client_network),
    };
    let made = report::report(&service, input.caller, new).await?;
    let limit =
        RateLimitStatus::used(LimitName::ReportsPerDay, REPORTS_PER_DAY, made, until_next_day_s(service.clock.now()));
    Ok(Outcome::json(202, &ReportReceiptView { received: true })?.with_limits(limit))
}
