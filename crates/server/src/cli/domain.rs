//! `posthouse domain add | list | show | check | set`: custom domains and the records to publish.

mod table;

use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use posthouse_domain::{
    auth::Caller,
    error::{ErrorCode, Refusal},
    id::{DomainId, WorkspaceId},
    mail_domain::{self, DomainStatus, MailDomain},
    page::PageRange,
    workspace::Workspace,
};
use posthouse_store::{Store, mail_domains};
use serde_json::{Value, json};

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::workspace;
use crate::boot;
use posthouse_api::views::domain::DomainView;
use posthouse_app::{
    domains::{add, change, check},
    service::Service,
};

/// Maximum number of domains that are read per workspace.
const DOMAINS_MAX: u32 = 10_000;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Add a domain to a workspace; prints the records to publish.
    Add(Add),
    /// List the domains of one workspace or of all workspaces.
    List {
        /// Id of the workspace.
        #[arg(long, value_name = "ID")]
        workspace: Option<String>,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Show a domain and its records, as of the last check.
    Show {
        #[command(flatten)]
        which: Which,
        /// Print the records in zone file format.
        #[arg(long, conflicts_with = "json")]
        zone_file: bool,
    },
    /// Check the records of a domain now; exit code 1 if a required record is missing or wrong.
    Check(Which),
    /// Disable a domain, so that it neither sends nor receives, or enable it and check its records.
    Set {
        #[command(flatten)]
        which: Which,
        /// The new status.
        #[arg(long, value_enum)]
        status: Switch,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Switch {
    Active,
    Disabled,
}

/// Shown below the options.
const ADD_EXAMPLES: &str = "\
Examples:
  Send from and receive at a domain:
    posthouse domain add mail.example.com
  Print its records as a zone file, then check them:
    posthouse domain show mail.example.com --zone-file
    posthouse domain check mail.example.com";

#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub(super) struct Add {
    /// The domain, such as mail.example.com.
    domain: String,
    /// Id of the workspace; optional if there is only one.
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// Only send from this domain: no mail is accepted for it, and no MX record is required.
    #[arg(long)]
    no_receiving: bool,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Args, Debug)]
pub(super) struct Which {
    /// The domain or its id.
    domain: String,
    /// Id of the workspace; required if several have this domain.
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    match command {
        Command::Add(given) => DomainCommands::open(options, Use::Seals)?.add(&given),
        Command::List { workspace, output } => {
            DomainCommands::open(options, Use::Reads)?.list(workspace.as_deref(), &output)
        }
        Command::Show { which, zone_file } => DomainCommands::open(options, Use::Reads)?.show(&which, zone_file),
        Command::Check(which) => DomainCommands::open(options, Use::Seals)?.check(&which),
        Command::Set { which, status } => DomainCommands::open(options, Use::Seals)?.set(&which, status),
    }
}

impl CommandError {
    /// Converts an error of the API: an invalid request is a usage error.
    fn refused(refusal: Refusal) -> Self {
        match refusal.code {
            ErrorCode::InvalidRequest => Self::Usage(refusal.message),
            _ => Self::Failed(refusal.message),
        }
    }
}

/// Whether a command uses the instance key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// The command may create DKIM keys, which are encrypted with it.
    Seals,
    /// The command only reads.
    Reads,
}

/// The application and the runtime that commands block on.
struct DomainCommands {
    runtime: tokio::runtime::Runtime,
    service: Arc<Service>,
}

impl Drop for DomainCommands {
    fn drop(&mut self) {
        self.service.store.close();
    }
}

impl DomainCommands {
    fn open(options: &GlobalOptions, how: Use) -> Result<Self, CommandError> {
        let config = options.load_with_store()?;
        let runtime = super::runtime()?;
        let service = match how {
            Use::Seals => runtime.block_on(boot::program(&config))?,
            Use::Reads => runtime.block_on(async { boot::bare_program(&config) })?,
        };
        Ok(Self { runtime, service })
    }

    fn add(&self, given: &Add) -> Result<(), CommandError> {
        let owner = self.workspace(given.workspace.as_deref())?;
        let adding = add::add(&self.service, Caller::operator(owner), &given.domain, !given.no_receiving);
        let domain = self.runtime.block_on(adding).map_err(CommandError::refused)?;
        let view = self.view(&domain)?;
        let check = self.service.config.command(&format!("domain check {}", domain.name));
        let next = format!("Publish these records, then run:\n\n  {check}");
        let text = format!("{}\n\n{next}", table::domain(&view, table::Values::All));
        let done = format!("{0} was added: run posthouse domain show {0}", domain.name);
        print(&given.output, &view, &text, &CommandEffect::This(done))
    }

    fn list(&self, workspace: Option<&str>, output: &OutputOptions) -> Result<(), CommandError> {
        let owners = match workspace {
            Some(id) => vec![workspace::find(&self.service.store, workspace::workspace_id(id)?)?],
            None => workspace::all(&self.service.store)?,
        };
        let (mut views, mut lines) = (Vec::new(), Vec::new());
        for owner in owners {
            let found = of_workspace(&self.service.store, owner.id)?;
            if found.is_empty() {
                continue;
            }
            lines.push(heading(&owner));
            for domain in &found {
                lines.push(format!("  {}  {:<8}  {}", domain.id, domain.status.text(), domain.name));
                views.push(self.view(domain)?);
            }
        }
        let text = if lines.is_empty() { "There are no domains yet.".to_owned() } else { lines.join("\n") };
        print(output, &json!({ "data": views }), &text, &CommandEffect::Nothing)
    }

    fn show(&self, which: &Which, zone_file: bool) -> Result<(), CommandError> {
        let domain = self.find(which)?;
        let view = self.view(&domain)?;
        let text = if zone_file {
            mail_domain::zone_file(&domain.expected(&self.service.config.server_dns())).trim_end().to_owned()
        } else {
            table::domain(&view, table::Values::All)
        };
        print(&which.output, &view, &text, &CommandEffect::Nothing)
    }

    fn check(&self, which: &Which) -> Result<(), CommandError> {
        let found = self.find(which)?;
        let checking = check::check(&self.service, found.workspace, found.id);
        let outcome = self.runtime.block_on(checking).map_err(CommandError::refused)?;
        let view = self.view(&outcome.domain)?;
        let name = &outcome.domain.name;
        let done = CommandEffect::This(format!("{name} was checked: run posthouse domain show {name}"));
        print(&which.output, &view, &table::domain(&view, table::Values::NotOk), &done)?;
        if outcome.taken {
            return Err(CommandError::Failed(format!("another workspace has verified {name}")));
        }
        if outcome.domain.status == DomainStatus::Verified {
            return Ok(());
        }
        let missing = table::count_wrong(&view);
        let why = match (missing, outcome.domain.status) {
            (0, status) => format!("{name} is {}", status.text()),
            (1, _) => "1 required record is missing or wrong".to_owned(),
            (count, _) => format!("{count} required records are missing or wrong"),
        };
        Err(CommandError::Failed(why))
    }

    fn set(&self, which: &Which, status: Switch) -> Result<(), CommandError> {
        let found = self.find(which)?;
        let enabled = status == Switch::Active;
        let setting = change::set_enabled(&self.service, Caller::operator(found.workspace), found.id, enabled);
        let domain = self.runtime.block_on(setting).map_err(CommandError::refused)?;
        if enabled {
            return self.check(which);
        }
        let view = self.view(&domain)?;
        let done = CommandEffect::This(format!("{} was disabled", domain.name));
        print(&which.output, &view, &table::title(&view), &done)
    }

    /// Returns the workspace with this id or, without an id, the only workspace.
    fn workspace(&self, given: Option<&str>) -> Result<WorkspaceId, CommandError> {
        if let Some(id) = given {
            return Ok(workspace::find(&self.service.store, workspace::workspace_id(id)?)?.id);
        }
        match workspace::all(&self.service.store)?.as_slice() {
            [one] => Ok(one.id),
            [] => Err(CommandError::Failed(
                "there are no workspaces yet; create one with posthouse workspace create".to_owned(),
            )),
            _ => Err(CommandError::Usage("there are several workspaces; choose one with --workspace ID".to_owned())),
        }
    }

    /// Finds a domain by name or id.
    fn find(&self, which: &Which) -> Result<MailDomain, CommandError> {
        let owners: Vec<WorkspaceId> = match &which.workspace {
            Some(id) => vec![workspace::workspace_id(id)?],
            None => workspace::all(&self.service.store)?.into_iter().map(|owner| owner.id).collect(),
        };
        let id = which.domain.parse::<DomainId>().ok();
        let name = add::canonical(&which.domain).unwrap_or_default();
        let found = self.service.store.read_blocking(move |tx| {
            let mut found = Vec::new();
            for owner in &owners {
                let id = match id {
                    Some(id) => Some(id),
                    None => mail_domains::by_name(tx, *owner, &name)?.map(|domain| domain.id),
                };
                if let Some(id) = id {
                    found.extend(mail_domains::get(tx, *owner, id)?);
                }
            }
            Ok::<_, posthouse_store::Error>(found)
        })?;
        match found.len() {
            1 => found.into_iter().next().ok_or_else(|| missing(&which.domain)),
            0 => Err(missing(&which.domain)),
            _ => Err(CommandError::Usage(format!(
                "several workspaces have {}; choose one with --workspace ID",
                which.domain
            ))),
        }
    }

    fn view(&self, domain: &MailDomain) -> Result<Value, CommandError> {
        let view = DomainView::of(domain, &self.service.config.server_dns(), self.service.clock.now());
        let mut view = serde_json::to_value(view).map_err(CommandError::failed)?;
        view["workspace_id"] = domain.workspace.to_string().into();
        Ok(view)
    }
}

fn heading(owner: &Workspace) -> String {
    format!("{}  {}", owner.id, owner.name)
}

fn missing(domain: &str) -> CommandError {
    CommandError::Failed(format!("there is no domain {domain}; see posthouse domain list"))
}

fn of_workspace(store: &Store, id: WorkspaceId) -> posthouse_store::Result<Vec<MailDomain>> {
    store.read_blocking(move |tx| mail_domains::page(tx, id, &PageRange { after: None, limit: DOMAINS_MAX }))
}
