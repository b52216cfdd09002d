//! Agents: cards in their full, public and minimal form, the bundle of an agent of the caller's workspace, and handles.

pub mod a2a;
mod bundle;
pub mod oasf;
mod verification;

use posthouse_domain::{
    agent::{
        Agent, Assurance, Standing,
        card::{Card, CardVisibility, OasfClass, Skill},
        listing::{Listing, ListingProblem, ListingReason, ListingState},
    },
    agent_key::{AgentKey, AgentKeyStatus},
    inbox::InboxKind,
    time::Time,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

pub use bundle::{AgentBundleView, AgentSanctionView, BundleIdentityView, BundleKeysView, BundleParts, ServerKeyView};
pub use verification::{CompleteVerification, Signer, VerificationView};

use super::{TimestampView, name_of};

/// The version of the form of cards.
const FORMAT_VERSION: &str = "1";

/// The addresses that views of agents link to.
#[derive(Clone, Debug)]
pub struct AgentUrls {
    /// The public address of the service, without a trailing slash.
    pub base: String,
    /// The issuer of signatures.
    pub issuer: String,
    /// Whether the public directory is switched on.
    pub is_public: bool,
}

impl AgentUrls {
    /// Returns the address of the keys that verify signatures of the service.
    #[must_use]
    pub fn server_keys(&self) -> String {
        format!("{}/.well-known/agent-keys.json", self.issuer)
    }

    /// Returns the address of the public page of an agent.
    #[must_use]
    pub fn page(&self, address: &str) -> String {
        format!("{}/directory/{}", self.base, encoded(address))
    }

    /// Returns the address of a public document of an agent.
    #[must_use]
    pub fn document(&self, address: &str, name: &str) -> String {
        format!("{}/v1/public/agents/{}/{name}", self.base, encoded(address))
    }
}

/// Encodes an address for a path. Addresses of agents are ASCII, with few characters beyond letters and digits.
fn encoded(address: &str) -> String {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~@".contains(&b);
    address.bytes().map(|b| if is_plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

/// A key that an agent holds: its public part as a JSON Web Key (RFC 7517), and when it was valid.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublishedAgentKey")]
pub struct PublishedKey {
    /// `Ed25519` or `P-256`
    crv: String,
    /// `OKP` or `EC`
    kty: String,
    x: String,
    /// Absent for `Ed25519`.
    #[serde(skip_serializing_if = "Option::is_none")]
    y: Option<String>,
    /// SHA-256 thumbprint of the key (RFC 7638).
    kid: String,
    /// `EdDSA` or `ES256`.
    alg: &'static str,
    /// `sig`
    r#use: &'static str,
    /// `active`, `retired` (no longer signs; its signatures stay valid) or `revoked`.
    #[schemars(schema_with = "name_of::<AgentKeyStatus>")]
    status: &'static str,
    created_at: TimestampView,
    retired_at: Option<TimestampView>,
    /// Time from which signatures of the key are invalid.
    revoked_at: Option<TimestampView>,
}

impl PublishedKey {
    /// Returns the published form of a key.
    #[must_use]
    pub fn of(key: &AgentKey) -> Self {
        let json = key.public.to_json();
        let member = |name: &str| json[name].as_str().map(str::to_owned);
        Self {
            crv: member("crv").unwrap_or_default(),
            kty: member("kty").unwrap_or_default(),
            x: member("x").unwrap_or_default(),
            y: member("y"),
            kid: key.kid.clone(),
            alg: key.public.algorithm().text(),
            r#use: "sig",
            status: key.status().text(),
            created_at: key.created_at.into(),
            retired_at: key.retired_at.map(Into::into),
            revoked_at: key.revoked_at.map(Into::into),
        }
    }
}

/// Everything that a card view shows.
#[derive(Clone, Copy)]
pub struct ShownAgent<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// Its card.
    pub card: &'a Card,
    /// The keys that it published.
    pub keys: &'a [PublishedKey],
    /// The addresses to link to.
    pub urls: &'a AgentUrls,
    /// The time at which it is shown.
    pub now: Time,
}

/// The card of an agent. Its own workspace sees all members, and so does everyone if the card is listed; others see the
/// minimal form.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentCard")]
pub struct CardView {
    /// Version of this form.
    format_version: &'static str,
    /// Address of the agent.
    address: String,
    /// Name.
    name: String,
    /// Standing: `active`, `revoked` or `suspended`.
    #[schemars(schema_with = "name_of::<Standing>")]
    status: &'static str,
    /// What is known about who is behind the agent.
    #[schemars(schema_with = "name_of::<Assurance>")]
    assurance: &'static str,
    /// `domain_verified`, if the address is at a domain that the workspace verified.
    badges: Vec<&'static str>,
    /// Time at which the owner revoked the card.
    revoked_at: Option<TimestampView>,
    accepts: AcceptsView,
    keys: CardKeysView,
    /// Whether this is the minimal form.
    minimal: bool,
    #[serde(flatten)]
    details: Option<CardDetailsView>,
    /// Listing in the public directory; null unless the card is public. Only its own workspace sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<NullableListing>,
    /// Public documents about the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    urls: Option<CardUrlsView>,
}

/// The members of a card that its minimal form leaves out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentCardDetails")]
struct CardDetailsView {
    /// What the agent does.
    description: Option<String>,
    #[schemars(schema_with = "name_of::<CardVisibility>")]
    visibility: &'static str,
    channels: ChannelsView,
    /// How messages reach the agent: always `relay`.
    routing: &'static str,
    skills: Vec<SkillView>,
    documentation_url: Option<String>,
    /// Handle, such as `@acme/support`.
    handle: Option<String>,
    /// Domain that the workspace verified.
    domain: Option<String>,
    /// Whether search engines may index the public page.
    indexable: bool,
    updated_at: TimestampView,
}

/// What an agent accepts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentAccepts")]
struct AcceptsView {
    /// Types of messages.
    types: Vec<&'static str>,
    /// Languages (BCP 47).
    #[serde(skip_serializing_if = "Option::is_none")]
    languages: Option<Vec<String>>,
    /// Media types.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_modes: Option<Vec<String>>,
}

/// The keys behind the signatures of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentCardKeys")]
struct CardKeysView {
    /// URL of the keys that verify signatures of the service.
    server: String,
    /// Keys that the agent holds.
    agent: Vec<PublishedKey>,
}

/// How an agent can be reached.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentChannels")]
struct ChannelsView {
    /// Mail through this service; null for an identity, which has no mail.
    relay: Option<RelayView>,
    /// URL of the A2A card; null unless the card is listed.
    a2a: Option<String>,
}

/// Mail through this service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentRelay")]
struct RelayView {
    address: String,
}

/// A skill of an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentSkill")]
pub struct SkillView {
    id: String,
    name: String,
    description: Option<String>,
    tags: Vec<String>,
    /// Class in the Open Agentic Schema Framework.
    #[schemars(schema_with = "oasf_class")]
    oasf: Option<OasfClass>,
}

fn oasf_class(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["integer", "string", "null"] })
}

/// The listing of a public card, or null.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
struct NullableListing(Option<ListingView>);

view! {
    /// The listing of a public card.
    #[derive(Clone, Debug, Serialize, JsonSchema)]
    #[schemars(rename = "AgentListing")]
    struct ListingView of listing: &Listing {
        #[schemars(schema_with = "name_of::<ListingState>")]
        state: &'static str = listing.state.text(),
        /// Why it is hidden: `listing_check`, `reports`, `operator` or `revoked`; null otherwise.
        #[schemars(schema_with = "listing_reason")]
        reason: Option<&'static str> = listing.reason.map(ListingReason::text),
        /// What the listing check found.
        #[schemars(schema_with = "listing_problems")]
        problems: Vec<&'static str> = listing.problems.iter().map(|problem| problem.text()).collect(),
        /// Time at which it was listed.
        listed_at: Option<TimestampView> = listing.listed_at.map(Into::into),
    }
}

fn listing_reason(_: &mut SchemaGenerator) -> Schema {
    let mut names: Vec<Option<&str>> = ListingReason::ALL.iter().map(|reason| Some(reason.text())).collect();
    names.push(None);
    json_schema!({ "type": ["string", "null"], "enum": names })
}

fn listing_problems(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<&str> = ListingProblem::ALL.iter().map(|problem| problem.text()).collect();
    json_schema!({ "type": "array", "items": { "type": "string", "enum": names } })
}

/// Public documents about an agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentUrls")]
struct CardUrlsView {
    /// Page for people.
    page: String,
    /// A2A agent card.
    a2a: String,
    /// OASF record.
    oasf: String,
    /// Keys that the agent holds.
    keys: String,
}

/// A card that a request asked for.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentCardResult")]
pub struct CardResultView {
    /// Card.
    pub card: CardView,
    /// Handle that was renamed and led to this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirected_from: Option<String>,
}

/// An inbox or identity that a request created.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Created{T}")]
pub struct CreatedAgentView<T> {
    /// The inbox or identity.
    #[serde(flatten)]
    pub created: T,
    /// Card; only if the request had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<CardView>,
}

/// The public agent behind a handle.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentOfHandle")]
pub struct HandleResultView {
    /// Current handle.
    pub handle: String,
    /// Address of the agent.
    pub address: String,
    /// Card.
    pub card: CardView,
    /// Handle that was renamed and led to this agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirected_from: Option<String>,
}

/// The keys that an agent published.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PublishedAgentKeys")]
pub struct PublishedKeysView {
    /// Keys.
    pub keys: Vec<PublishedKey>,
}

/// The handle of a workspace.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "WorkspaceHandle")]
pub struct WorkspaceHandleView {
    /// Current handle, with the `@`; null without one.
    pub handle: Option<String>,
    /// Renamed handles that still lead to the workspace, latest first.
    pub previous: Vec<PreviousHandleView>,
}

/// A renamed handle.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "PreviousHandle")]
pub struct PreviousHandleView {
    /// Handle, with the `@`.
    pub handle: String,
    /// Time until which it leads to the workspace.
    pub redirect_until: TimestampView,
}

/// An accepted report.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReportReceipt")]
pub struct ReportReceiptView {
    /// Always true.
    pub received: bool,
}

impl SkillView {
    fn of(skill: &Skill) -> Self {
        Self {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            oasf: skill.oasf.clone(),
        }
    }
}

impl<'a> ShownAgent<'a> {
    /// Returns the view for the agent's own workspace.
    #[must_use]
    pub fn full(&self) -> CardView {
        let listing = NullableListing(self.agent.listing(self.urls.is_public).as_ref().map(ListingView::of));
        CardView { listing: Some(listing), ..self.detailed() }
    }

    /// Returns the view of a listed card for everyone.
    #[must_use]
    pub fn public(&self) -> CardView {
        let document = |name| self.urls.document(&self.agent.address, name);
        let urls = CardUrlsView {
            page: self.urls.page(&self.agent.address),
            a2a: document("agent-card.json"),
            oasf: document("oasf.json"),
            keys: document("keys.json"),
        };
        CardView { urls: Some(urls), ..self.detailed() }
    }

    /// Returns the view of a card that isn't listed, for other workspaces.
    #[must_use]
    pub fn minimal(&self) -> CardView {
        let (agent, card) = (self.agent, self.card);
        CardView {
            format_version: FORMAT_VERSION,
            address: agent.address.clone(),
            name: card.name.clone(),
            status: agent.standing(self.now).text(),
            assurance: agent.assurance().text(),
            badges: agent.badges(),
            revoked_at: card.revoked_at.map(Into::into),
            accepts: AcceptsView { types: self.types(), languages: None, input_modes: None },
            keys: CardKeysView { server: self.urls.server_keys(), agent: self.keys.to_vec() },
            minimal: true,
            details: None,
            listing: None,
            urls: None,
        }
    }

    fn detailed(&self) -> CardView {
        let (agent, card) = (self.agent, self.card);
        let capabilities = &card.capabilities;
        let input_modes = capabilities.effective_input_modes().into_iter().map(str::to_owned).collect();
        let accepts = AcceptsView {
            types: self.types(),
            languages: Some(capabilities.languages.clone()),
            input_modes: Some(input_modes),
        };
        let details = CardDetailsView {
            description: card.description.clone(),
            visibility: card.visibility.text(),
            channels: self.channels(),
            routing: "relay",
            skills: capabilities.skills.iter().map(SkillView::of).collect(),
            documentation_url: card.documentation_url.clone(),
            handle: agent.handle(),
            domain: agent.verified_domain().map(str::to_owned),
            indexable: card.is_indexable,
            updated_at: card.updated_at.into(),
        };
        CardView { accepts, minimal: false, details: Some(details), ..self.minimal() }
    }

    fn channels(&self) -> ChannelsView {
        let agent = self.agent;
        let is_shown = self.urls.is_public && agent.is_listed(self.now);
        ChannelsView {
            relay: (agent.kind == InboxKind::Mailbox).then(|| RelayView { address: agent.address.clone() }),
            a2a: is_shown.then(|| self.urls.document(&agent.address, "agent-card.json")),
        }
    }

    fn types(&self) -> Vec<&'static str> {
        self.card.capabilities.accepts_types.iter().map(|kind| kind.text()).collect()
    }
}
