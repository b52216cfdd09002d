//! `posthouse domain add | list | show | check | set`: the domains of workspaces, with the records to publish.

mod table;

use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use posthouse_domain::{
    auth::Caller,
    error::{Code, Refusal},
    id::{DomainId, WorkspaceId},
    mail_domain::{self, MailDomain, Status},
    page::Page,
    workspace::Workspace,
};
use posthouse_store::{Store, mail_domains};
use serde_json::{Value, json};

use super::{Common, Done, Failure, print, workspace};
use crate::{
    app::{App, add_domain, change_domain, check_domain},
    boot,
    views::domain::DomainView,
};

/// Most domains of a workspace that are looked at.
const DOMAINS_MAX: u32 = 10_000;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Add a domain to a workspace; prints the records to publish.
    Add(Add),
    /// List the domains of a workspace, or of all.
    List {
        /// The workspace.
        #[arg(long, value_name = "ID")]
        workspace: Option<String>,
        #[command(flatten)]
        common: Common,
    },
    /// Show a domain with its records, as of the last check.
    Show {
        #[command(flatten)]
        which: Which,
        /// Print the records as lines of a zone file.
        #[arg(long, conflicts_with = "json")]
        zone_file: bool,
    },
    /// Look its records up now; exit code 1 where a required one is missing or wrong.
    Check(Which),
    /// Switch it off: nothing is sent from it or taken for it. Or on again, which looks its records up.
    Set {
        #[command(flatten)]
        which: Which,
        #[arg(long, value_enum)]
        status: Switch,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Switch {
    Active,
    Disabled,
}

#[derive(Args, Debug)]
pub(super) struct Add {
    /// The domain, such as mail.example.com.
    domain: String,
    /// The workspace; may be left out where there is only one.
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    /// It only sends: no mail is taken for it, and no MX record is needed.
    #[arg(long)]
    no_receiving: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
pub(super) struct Which {
    /// The domain, or its id.
    domain: String,
    /// The workspace, where several have the domain.
    #[arg(long, value_name = "ID")]
    workspace: Option<String>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Add(given) => Desk::open(&given.common, Use::Seals)?.add(&given),
        Command::List { workspace, common } => Desk::open(&common, Use::Reads)?.list(workspace.as_deref(), &common),
        Command::Show { which, zone_file } => Desk::open(&which.common, Use::Reads)?.show(&which, zone_file),
        Command::Check(which) => Desk::open(&which.common, Use::Seals)?.check(&which),
        Command::Set { which, status } => Desk::open(&which.common, Use::Seals)?.set(&which, status),
    }
}

impl Failure {
    /// What the API would refuse.
    fn refused(refusal: Refusal) -> Self {
        match refusal.code {
            Code::InvalidRequest => Self::Usage(refusal.message),
            _ => Self::Failed(refusal.message),
        }
    }
}

/// What a command does with the instance key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It may make keys of a domain.
    Seals,
    /// Nothing.
    Reads,
}

/// The program and a runtime for what it waits for.
struct Desk {
    runtime: tokio::runtime::Runtime,
    app: Arc<App>,
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.app.store.close();
    }
}

impl Desk {
    fn open(common: &Common, how: Use) -> Result<Self, Failure> {
        let config = common.load()?;
        let runtime = super::runtime()?;
        let app = match how {
            Use::Seals => runtime.block_on(boot::program(&config))?,
            Use::Reads => runtime.block_on(async { boot::bare_program(&config) })?,
        };
        Ok(Self { runtime, app })
    }

    fn add(&self, given: &Add) -> Result<(), Failure> {
        let owner = self.workspace(given.workspace.as_deref())?;
        let adding = add_domain::add(&self.app, Caller::operator(owner), &given.domain, !given.no_receiving);
        let domain = self.runtime.block_on(adding).map_err(Failure::refused)?;
        let view = self.view(&domain)?;
        let next = format!("Publish them, then look with: posthouse domain check {}", domain.name);
        let text = format!("{}\n\n{next}", table::domain(&view, table::Values::All));
        let done = format!("{0} was added: posthouse domain show {0}", domain.name);
        print(&given.common, &view, &text, &Done::This(done))
    }

    fn list(&self, workspace: Option<&str>, common: &Common) -> Result<(), Failure> {
        let owners = match workspace {
            Some(id) => vec![workspace::find(&self.app.store, workspace::workspace_id(id)?)?],
            None => workspace::all(&self.app.store)?,
        };
        let (mut views, mut lines) = (Vec::new(), Vec::new());
        for owner in owners {
            let found = of_workspace(&self.app.store, owner.id)?;
            if found.is_empty() {
                continue;
            }
            lines.push(heading(&owner));
            for domain in &found {
                lines.push(format!("  {}  {:<8}  {}", domain.id, domain.status.text(), domain.name));
                views.push(self.view(domain)?);
            }
        }
        let text = if lines.is_empty() { "There is no domain yet.".to_owned() } else { lines.join("\n") };
        print(common, &json!({ "data": views }), &text, &Done::Nothing)
    }

    fn show(&self, which: &Which, zone_file: bool) -> Result<(), Failure> {
        let domain = self.find(which)?;
        let view = self.view(&domain)?;
        let text = if zone_file {
            mail_domain::zone_file(&domain.expected(&self.app.config.here())).trim_end().to_owned()
        } else {
            table::domain(&view, table::Values::All)
        };
        print(&which.common, &view, &text, &Done::Nothing)
    }

    fn check(&self, which: &Which) -> Result<(), Failure> {
        let found = self.find(which)?;
        let checking = check_domain::check(&self.app, found.workspace, found.id);
        let outcome = self.runtime.block_on(checking).map_err(Failure::refused)?;
        let view = self.view(&outcome.domain)?;
        let name = &outcome.domain.name;
        let done = Done::This(format!("{name} was checked: posthouse domain show {name}"));
        print(&which.common, &view, &table::domain(&view, table::Values::NotOk), &done)?;
        if outcome.taken {
            return Err(Failure::Failed(format!("another workspace has verified {name}")));
        }
        if outcome.domain.status == Status::Verified {
            return Ok(());
        }
        let missing = table::wrong(&view);
        let why = match (missing, outcome.domain.status) {
            (0, status) => format!("{name} is {}", status.text()),
            (1, _) => "1 required record is missing or wrong".to_owned(),
            (count, _) => format!("{count} required records are missing or wrong"),
        };
        Err(Failure::Failed(why))
    }

    fn set(&self, which: &Which, status: Switch) -> Result<(), Failure> {
        let found = self.find(which)?;
        let enabled = status == Switch::Active;
        let setting = change_domain::set_enabled(&self.app, Caller::operator(found.workspace), found.id, enabled);
        let domain = self.runtime.block_on(setting).map_err(Failure::refused)?;
        if enabled {
            return self.check(which);
        }
        let view = self.view(&domain)?;
        let done = Done::This(format!("{} is switched off", domain.name));
        print(&which.common, &view, &table::title(&view), &done)
    }

    /// The workspace of that id, or the only one.
    fn workspace(&self, given: Option<&str>) -> Result<WorkspaceId, Failure> {
        if let Some(id) = given {
            return Ok(workspace::find(&self.app.store, workspace::workspace_id(id)?)?.id);
        }
        match workspace::all(&self.app.store)?.as_slice() {
            [one] => Ok(one.id),
            [] => Err(Failure::Failed("there is no workspace yet; see posthouse workspace create".to_owned())),
            _ => Err(Failure::Usage("there are several workspaces: name one with --workspace ID".to_owned())),
        }
    }

    /// The domain of that name or id.
    fn find(&self, which: &Which) -> Result<MailDomain, Failure> {
        let owners: Vec<WorkspaceId> = match &which.workspace {
            Some(id) => vec![workspace::workspace_id(id)?],
            None => workspace::all(&self.app.store)?.into_iter().map(|owner| owner.id).collect(),
        };
        let id = which.domain.parse::<DomainId>().ok();
        let name = add_domain::canonical(&which.domain).unwrap_or_default();
        let found = self.app.store.read_blocking(move |tx| {
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
            _ => Err(Failure::Usage(format!("several workspaces have {}: name one with --workspace ID", which.domain))),
        }
    }

    fn view(&self, domain: &MailDomain) -> Result<Value, Failure> {
        let view = DomainView::of(domain, &self.app.config.here(), self.app.clock.now());
        let mut view = serde_json::to_value(view).map_err(Failure::failed)?;
        view["workspace_id"] = domain.workspace.to_string().into();
        Ok(view)
    }
}

fn heading(owner: &Workspace) -> String {
    format!("{}  {}", owner.id, owner.name)
}

fn missing(domain: &str) -> Failure {
    Failure::Failed(format!("there is no domain {domain}; see posthouse domain list"))
}

fn of_workspace(store: &Store, id: WorkspaceId) -> posthouse_store::Result<Vec<MailDomain>> {
    store.read_blocking(move |tx| mail_domains::page(tx, id, &Page { after: None, limit: DOMAINS_MAX }))
}
