//! `posthouse workspace create | list | show | set`.

mod view;

use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use posthouse_domain::{
    actor::Actor,
    analysis::{DEADLINE_S_MAX, DEADLINE_S_MIN, ScreeningMode, ScreeningTimeout},
    id::WorkspaceId,
    job::ScreeningChange,
    outbound_policy::OutboundPolicy,
    plan::Plan,
    suspension::{Suspension, SuspensionReason},
    time::Time,
    workspace::{AiProcessing, Workspace, WorkspaceNotice},
};
use posthouse_mail::address::Address;
use posthouse_store::{Store, inboxes, jobs, storage, workspaces};
use serde_json::{Value, json};
use uuid::Uuid;

use super::checked_name;
use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use crate::{
    boot::{self, BootError, new_store::NewStore},
    config::Configuration,
};
use posthouse_app::{
    people::new_workspace::{CreatedWorkspace, NewWorkspace, create},
    ports::Clock,
    workspaces::{stop, suspension},
};
use view::{line, print_one, print_view, workspace_view};

/// Maximum retention, in days.
const RETENTION_DAYS_MAX: u32 = 36_500;
/// Workspaces per query of `list`.
const PAGE: u32 = 500;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Create a workspace; prints its id, an org-wide API key and a sign-in link, once.
    Create(Create),
    /// List the workspaces.
    List(OutputOptions),
    /// Show one workspace.
    Show {
        /// Id of the workspace.
        id: String,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Change a workspace.
    Set(Box<Set>),
}

/// Shown below the options.
const CREATE_EXAMPLES: &str = "\
Example:
  posthouse workspace create --name \"My workspace\" --owner you@example.com";

#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(super) struct Create {
    /// Name of the workspace.
    #[arg(long)]
    name: String,
    /// Email address of the owner.
    #[arg(long, value_name = "EMAIL")]
    owner: String,
    /// Plan, which sets the limits.
    #[arg(long, value_parser = plan(), default_value = Plan::Team.text())]
    plan: Plan,
    #[command(flatten)]
    output: OutputOptions,
}

/// Shown below the options.
const SET_EXAMPLES: &str = "\
Examples:
  posthouse workspace set ID --plan builder
  posthouse workspace set ID --daily-send-limit 1000 --retention-days 90
  posthouse workspace set ID --resume";

#[derive(Args, Debug)]
#[command(after_help = SET_EXAMPLES, override_usage = "posthouse workspace set <ID> <CHANGES>")]
#[group(id = "changes", required = true, multiple = true,
    args = ["plan", "status", "notice", "clear_notice", "ai_processing", "screening", "screening_deadline",
        "screening_on_timeout", "outbound_policy", "daily_send_limit", "retention_days", "resume"])]
pub(super) struct Set {
    /// Id of the workspace.
    id: String,
    /// Plan, which sets the limits.
    #[arg(long, value_parser = plan())]
    plan: Option<Plan>,
    /// Suspend sending, or allow it again.
    #[arg(long, value_enum)]
    status: Option<Status>,
    /// Notice in every API response to keys of this workspace.
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_notice")]
    notice: Option<String>,
    /// Remove the notice.
    #[arg(long)]
    clear_notice: bool,
    /// How much of the mail AI features may process.
    #[arg(long, value_name = "LEVEL", value_parser = ai_processing())]
    ai_processing: Option<AiProcessing>,
    /// What happens to risky mail: agents don't get it (hold), it is labeled (monitor), or nothing (off).
    #[arg(long, value_name = "MODE", value_parser = screening())]
    screening: Option<ScreeningMode>,
    /// Longest time of a check, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(DEADLINE_S_MIN..=DEADLINE_S_MAX))]
    screening_deadline: Option<i64>,
    /// What happens to mail whose check takes longer.
    #[arg(long, value_name = "ACTION", value_parser = screening_on_timeout())]
    screening_on_timeout: Option<ScreeningTimeout>,
    /// What happens to a message to an address that only received mail named, or with a secret.
    #[arg(long, value_name = "POLICY", value_parser = outbound_policy())]
    outbound_policy: Option<OutboundPolicy>,
    /// Maximum messages per day; `plan` restores the limit of the plan.
    #[arg(long, value_name = "N", value_parser = daily_send_limit)]
    daily_send_limit: Option<DailyLimit>,
    /// Delete mail that is older than N days; `off` keeps it forever.
    #[arg(long, value_name = "N", value_parser = retention_days)]
    retention_days: Option<RetentionDays>,
    /// End the emergency stop.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Status {
    Active,
    Suspended,
}

#[derive(Clone, Copy, Debug)]
struct DailyLimit(Option<u64>);

#[derive(Clone, Copy, Debug)]
struct RetentionDays(Option<u32>);

fn retention_days(text: &str) -> Result<RetentionDays, String> {
    if text == "off" {
        return Ok(RetentionDays(None));
    }
    let days = text.parse().ok().filter(|days| (1..=RETENTION_DAYS_MAX).contains(days));
    days.map(|days| RetentionDays(Some(days)))
        .ok_or_else(|| format!("must be a whole number of days from 1 to {RETENTION_DAYS_MAX}, or off"))
}

fn daily_send_limit(text: &str) -> Result<DailyLimit, String> {
    if text == "plan" {
        return Ok(DailyLimit(None));
    }
    let number = text.parse().ok().filter(|number| i64::try_from(*number).is_ok());
    number.map(|number| DailyLimit(Some(number))).ok_or_else(|| "must be a whole number, or plan".to_owned())
}

fn plan() -> impl TypedValueParser<Value = Plan> {
    let names = PossibleValuesParser::new(Plan::ALL.iter().map(|plan| plan.text()));
    names.map(|name| Plan::parse(&name).expect("the parser accepts only plan names"))
}

fn screening() -> impl TypedValueParser<Value = ScreeningMode> {
    PossibleValuesParser::new(ScreeningMode::ALL.iter().map(|mode| mode.text()))
        .map(|text| ScreeningMode::parse(&text).unwrap_or(ScreeningMode::Hold))
}

fn screening_on_timeout() -> impl TypedValueParser<Value = ScreeningTimeout> {
    PossibleValuesParser::new(ScreeningTimeout::ALL.iter().map(|action| action.text()))
        .map(|text| ScreeningTimeout::parse(&text).unwrap_or(ScreeningTimeout::Hold))
}

fn ai_processing() -> impl TypedValueParser<Value = AiProcessing> {
    let names = PossibleValuesParser::new(AiProcessing::ALL.iter().map(|setting| setting.text()));
    names.map(|name| AiProcessing::parse(&name).expect("the parser accepts only setting names"))
}

fn outbound_policy() -> impl TypedValueParser<Value = OutboundPolicy> {
    let names = PossibleValuesParser::new(OutboundPolicy::ALL.iter().map(|policy| policy.text()));
    names.map(|name| OutboundPolicy::parse(&name).expect("the parser accepts only policy names"))
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    match command {
        Command::Create(given) => create_one(&given, options),
        Command::List(output) => list(&output, options),
        Command::Show { id, output } => show(&id, &output, options),
        Command::Set(given) => set(&given, options),
    }
}

/// Returns the sign-in link. A service on a free port has no address before it starts: then the link is a path of it.
fn sign_in_url(made: &CreatedWorkspace, config: &Configuration) -> String {
    let is_unknown = config.base_url_follows_listener && config.listen.http.port() == 0;
    made.link.url(if is_unknown { "" } else { &config.app.base_url })
}

fn create_one(given: &Create, options: &GlobalOptions) -> Result<(), CommandError> {
    let owner = Address::parse(&given.owner)
        .map_err(|error| CommandError::Usage(format!("--owner {}: {error}", given.owner)))?
        .canonical();
    let name = checked_name(&given.name)?;
    let config = options.load()?;
    let begun = match boot::require_store(&config) {
        Err(BootError::NoStore { location }) => {
            super::say(&format!("posthouse: a new store begins in {location}"));
            NewStore::begin(&config)?
        }
        _ => None,
    };
    let stored = store_new(&config, &NewWorkspace { name, owner, plan: given.plan });
    if let (Err(_), Some(begun)) = (&stored, begun) {
        begun.discard();
    }
    let made = stored?;
    let sign_in_url = sign_in_url(&made, &config);
    let json = json!({
        "workspace_id": made.workspace.id.to_string(),
        "api_key": made.secret.reveal(),
        "sign_in_url": sign_in_url,
        "workspace": workspace_view(&made.workspace),
    });
    let place = if sign_in_url.starts_with('/') { ", at the address that posthouse serve prints" } else { "" };
    let text = format!(
        "Workspace  {}  {}\nAPI key    {}  (org-wide, shown only now)\nSign in    {sign_in_url}  (once, within a \
         day{place})",
        made.workspace.id,
        made.workspace.name,
        made.secret.reveal()
    );
    let id = made.workspace.id;
    let done = format!(
        "workspace {id} was created but its API key was not shown: create another with posthouse key \
         create --workspace {id} --scope org"
    );
    print(&given.output, &json, &text, &CommandEffect::This(done))
}

/// Creates and stores a workspace.
fn store_new(config: &Configuration, new: &NewWorkspace) -> Result<CreatedWorkspace, CommandError> {
    let store = boot::open_store(config)?;
    let made = create(boot::clock().as_ref(), new);
    let stored = made.clone();
    let written = store.write_blocking(move |tx| stored.insert(tx));
    store.close();
    Ok(written.map(|_| made)?)
}

/// Returns every workspace.
pub(super) fn all(store: &Store) -> Result<Vec<Workspace>, CommandError> {
    let mut all: Vec<Workspace> = Vec::new();
    loop {
        let after = all.last().map_or(WorkspaceId(Uuid::nil()), |last| last.id);
        let page = store.read_blocking(move |tx| workspaces::list(tx, after, PAGE))?;
        let last = page.len() < PAGE as usize;
        all.extend(page);
        if last {
            return Ok(all);
        }
    }
}

fn list(output: &OutputOptions, options: &GlobalOptions) -> Result<(), CommandError> {
    let store = boot::open_store(&options.load_with_store()?)?;
    let all = all(&store)?;
    let text: Vec<String> = all.iter().map(line).collect();
    let text = if text.is_empty() { "There are no workspaces yet.".to_owned() } else { text.join("\n") };
    store.close();
    print(
        output,
        &json!({ "data": all.iter().map(workspace_view).collect::<Vec<_>>() }),
        &text,
        &CommandEffect::Nothing,
    )
}

fn show(id: &str, output: &OutputOptions, options: &GlobalOptions) -> Result<(), CommandError> {
    let id = workspace_id(id)?;
    let config = options.load_with_store()?;
    let store = boot::open_store(&config)?;
    let workspace = find(&store, id)?;
    let usage = store.read_blocking(move |tx| storage::usage(tx, id))?;
    store.close();
    let mut view = workspace_view(&workspace);
    view["stored_bytes"] = usage.map_or(0, |usage| usage.bytes).into();
    view["storage_bytes_max"] = config.plans.of(workspace.plan).storage_bytes.map_or("unlimited".into(), Value::from);
    print_view(output, &view, &CommandEffect::Nothing)
}

fn set(given: &Set, options: &GlobalOptions) -> Result<(), CommandError> {
    let id = workspace_id(&given.id)?;
    if given.notice.as_ref().is_some_and(|text| text.trim().is_empty() || text.chars().count() > 1_000) {
        return Err(CommandError::Usage("--notice must have 1 to 1000 characters".to_owned()));
    }
    let config = options.load_with_store()?;
    let store = boot::open_store(&config)?;
    let clock = boot::clock_of(&config);
    let (changes, ids, now) = (Changes::of(given, clock.as_ref()), clock.ids(), clock.now());
    let changed = store.write_blocking(move |tx| -> posthouse_store::Result<_> {
        // Locks the workspace, so that a concurrent stop or suspension isn't overwritten.
        inboxes::take_workspace(tx, id)?;
        let Some(mut workspace) = workspaces::get(tx, id)? else { return Ok(None) };
        let (was_suspended, mode) = (workspace.suspended, workspace.screening.mode);
        changes.apply(&mut workspace);
        if was_suspended && !workspace.suspended {
            suspension::recover(tx, id, now)?;
        }
        workspaces::update(tx, &workspace)?;
        let change = ScreeningChange { workspace: id, before: mode, after: workspace.screening.mode };
        if let Some(job) = change.job(ids.next(), now) {
            jobs::enqueue(tx, &job)?;
        }
        jobs::recovery::release_held(tx, id, now)?;
        tx.wake(id.0);
        if changes.resume {
            stop::resume(tx, id, &Actor::operator(RESUME_LABEL), &ids, now)?;
        }
        workspaces::get(tx, id)
    })?;
    store.close();
    let done = CommandEffect::This(format!("workspace {id} was changed: run posthouse workspace show {id}"));
    print_one(&given.output, &changed.ok_or_else(|| missing(id))?, &done)
}

/// The label of the operator in the event of a resumed workspace.
const RESUME_LABEL: &str = "posthouse workspace set --resume";

/// The changes of `posthouse workspace set`.
struct Changes {
    plan: Option<Plan>,
    suspended: Option<bool>,
    notice: Option<Option<WorkspaceNotice>>,
    ai_processing: Option<AiProcessing>,
    screening: Option<ScreeningMode>,
    screening_deadline: Option<i64>,
    screening_on_timeout: Option<ScreeningTimeout>,
    outbound_policy: Option<OutboundPolicy>,
    daily_send_limit: Option<Option<u64>>,
    retention_days: Option<Option<u32>>,
    resume: bool,
    now: Time,
}

impl Changes {
    fn of(given: &Set, clock: &dyn Clock) -> Self {
        let notice = given
            .notice
            .as_ref()
            .map(|message| WorkspaceNotice { message: message.trim().to_owned(), created_at: clock.now() });
        Self {
            plan: given.plan,
            suspended: given.status.map(|status| status == Status::Suspended),
            notice: notice.map(Some).or(given.clear_notice.then_some(None)),
            ai_processing: given.ai_processing,
            screening: given.screening,
            screening_deadline: given.screening_deadline,
            screening_on_timeout: given.screening_on_timeout,
            outbound_policy: given.outbound_policy,
            daily_send_limit: given.daily_send_limit.map(|limit| limit.0),
            retention_days: given.retention_days.map(|days| days.0),
            resume: given.resume,
            now: clock.now(),
        }
    }

    fn apply(&self, workspace: &mut Workspace) {
        workspace.plan = self.plan.unwrap_or(workspace.plan);
        if let Some(suspended) = self.suspended.filter(|suspended| *suspended != workspace.suspended) {
            workspace.suspended = suspended;
            workspace.suspension = suspended.then(|| Suspension::new(SuspensionReason::Operator, self.now, Vec::new()));
        }
        workspace.ai_processing = self.ai_processing.unwrap_or(workspace.ai_processing);
        let screening = &mut workspace.screening;
        screening.mode = self.screening.unwrap_or(screening.mode);
        screening.deadline_s = self.screening_deadline.unwrap_or(screening.deadline_s);
        screening.on_timeout = self.screening_on_timeout.unwrap_or(screening.on_timeout);
        workspace.outbound_policy = self.outbound_policy.unwrap_or(workspace.outbound_policy);
        if let Some(notice) = &self.notice {
            workspace.notice.clone_from(notice);
        }
        if let Some(limit) = self.daily_send_limit {
            workspace.daily_send_limit = limit;
        }
        if let Some(days) = self.retention_days {
            workspace.retention_days = days;
        }
    }
}

pub(super) fn workspace_id(text: &str) -> Result<WorkspaceId, CommandError> {
    text.parse().map_err(|_| CommandError::Usage(format!("{text} is not a workspace id; see posthouse workspace list")))
}

fn missing(id: WorkspaceId) -> CommandError {
    CommandError::Failed(format!("there is no workspace {id}; see posthouse workspace list"))
}

/// Returns the workspace, or an error that names the id.
pub(super) fn find(store: &Store, id: WorkspaceId) -> Result<Workspace, CommandError> {
    store.read_blocking(move |tx| workspaces::get(tx, id))?.ok_or_else(|| missing(id))
}
