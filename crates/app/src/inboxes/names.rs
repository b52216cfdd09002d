//! Checks the names of inboxes, identities and senders against the reserved names of the service
//! (`docs/decisions/agents.md#0100-reserved-names`).

use posthouse_domain::{LocalPartHolder, Refusal, ReservedNames, Username, Workspace, WorkspaceId, WorkspaceOrigin};
use posthouse_mail::author;
use posthouse_store::{Tx, workspaces};

use crate::{service::ReadScope, service::Service, settings::AppConfig};

/// The reserved names, and who may have those of the operator.
#[derive(Clone, Debug)]
pub struct NameRules {
    names: ReservedNames,
    default_domain: String,
    /// Whether people and agents that the operator doesn't know can make workspaces.
    strangers_join: bool,
}

impl NameRules {
    /// Returns the rules of a configuration.
    #[must_use]
    pub fn of(config: &AppConfig) -> Self {
        Self {
            names: reserved_names(config),
            default_domain: config.mail.default_domain.clone(),
            strangers_join: config.signup.enabled && !config.is_loopback_profile(),
        }
    }

    /// Checks a local part at the default domain, which all workspaces share.
    ///
    /// # Errors
    /// Returns `invalid_request` for a reserved name.
    pub fn check_username(&self, tx: &mut Tx, tenant: &Workspace, name: &Username) -> Result<(), Refusal> {
        let whose = match self.names.local_part(name.as_str()) {
            LocalPartHolder::Anyone => return Ok(()),
            LocalPartHolder::Operator if self.is_operator(tx, tenant)? => return Ok(()),
            LocalPartHolder::FirstWorkspace if is_first(tx, tenant)? => return Ok(()),
            _ if tenant.id == WorkspaceId::SERVICE => return Ok(()),
            LocalPartHolder::FirstWorkspace => "the owner of this server",
            LocalPartHolder::Operator => "the operator of this server",
            LocalPartHolder::Service => "this service",
        };
        let address = name.at(&self.default_domain);
        let problem = format!("{address} is reserved for {whose}; the name is available at your own domain");
        let fix = "Choose another `username`, or use a verified domain of your own (`POST /v1/domains`).";
        Err(Refusal::invalid_field("username", problem).with_fix(fix))
    }

    /// Checks the display name of a sender. `field` is its name in the request.
    ///
    /// # Errors
    /// Returns `invalid_request` for a name that names the service, its operator or a mail system.
    pub fn check_display_name(
        &self,
        tx: &mut Tx,
        workspace: WorkspaceId,
        field: &'static str,
        name: &str,
    ) -> Result<(), Refusal> {
        if !self.names.is_display_name(name) {
            return Ok(());
        }
        let tenant = workspaces::get(tx, workspace)?.ok_or_else(|| Refusal::not_found("workspace"))?;
        if self.is_operator(tx, &tenant)? { Ok(()) } else { self.check_stranger(field, name) }
    }

    /// Checks the display name of an inbox or identity.
    ///
    /// # Errors
    /// Returns `invalid_request` like [`Self::check_display_name`], and for a name that isn't shown and sent as it is given.
    pub fn check_sender_name(&self, tx: &mut Tx, workspace: WorkspaceId, name: &str) -> Result<(), Refusal> {
        self.check_display_name(tx, workspace, "display_name", name)?;
        let shown = author::own_name(name).unwrap_or_default();
        if shown.split_whitespace().eq(name.split_whitespace()) {
            return Ok(());
        }
        let problem = "would be shown without its email address, encoded word (`=?…?=`) or invisible character";
        let fix = "Write only the name, as plain text: recipients see the address of the inbox next to it.";
        Err(Refusal::invalid_field("display_name", problem).with_fix(fix))
    }

    /// Checks the name that a new workspace is known by, which no operator made. `field` is its name in the request.
    ///
    /// # Errors
    /// Returns `invalid_request` for a name that names the service, its operator or a mail system.
    pub fn check_stranger(&self, field: &'static str, name: &str) -> Result<(), Refusal> {
        if !self.names.is_display_name(name) {
            return Ok(());
        }
        let problem = "reads like the name of this service, of its operator or of a mail system";
        let fix = "Choose a name that says whose agent it is, without the name of this service.";
        Err(Refusal::invalid_field(field, problem).with_fix(fix))
    }

    /// Returns whether a workspace speaks for the operator: the first one and, on a server where nobody else can make
    /// workspaces, every one that the operator made. On other servers the operator makes those of customers too.
    pub fn is_operator(&self, tx: &mut Tx, tenant: &Workspace) -> Result<bool, Refusal> {
        let is_made_here = !self.strangers_join && tenant.origin == WorkspaceOrigin::Operator;
        Ok(is_made_here || tenant.id == WorkspaceId::SERVICE || is_first(tx, tenant)?)
    }
}

/// Returns whether a workspace speaks for the operator; see [`NameRules::is_operator`].
pub async fn is_operator(service: &Service, workspace: WorkspaceId) -> Result<bool, Refusal> {
    let rules = NameRules::of(&service.config);
    let work = move |tx: &mut Tx| {
        let tenant = workspaces::get(tx, workspace)?;
        tenant.map_or(Ok(false), |tenant| rules.is_operator(tx, &tenant))
    };
    service.read(ReadScope::Service, work).await
}

/// Returns the reserved names of a configuration: with the labels of its host names and domains, and `mail.reserved_names`.
#[must_use]
pub fn reserved_names(config: &AppConfig) -> ReservedNames {
    let base_url = config.base_url.split_once("://").map_or(config.base_url.as_str(), |(_, rest)| rest);
    let host = base_url.split(['/', ':']).next().unwrap_or_default();
    let mail = &config.mail;
    let hosts = [&*mail.default_domain, &*mail.temporary_domain, &*config.hostname, host];
    ReservedNames::new(hosts, &mail.reserved_names)
}

/// Returns whether a workspace represents the owner of the server. One that a person or agent made never does.
fn is_first(tx: &mut Tx, tenant: &Workspace) -> Result<bool, Refusal> {
    Ok(tenant.origin == WorkspaceOrigin::Operator && workspaces::first(tx)? == Some(tenant.id))
}
