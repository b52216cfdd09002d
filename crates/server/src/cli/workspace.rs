//! `posthouse workspace create | list | show | set`.

use clap::{
    Args, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};
use posthouse_domain::{
    actor::{Actor, ActorKind},
    id::WorkspaceId,
    plan::Plan,
    workspace::{AiProcessing, Notice, Workspace},
};
use posthouse_mail::address::Address;
use posthouse_store::{Store, deliveries, inboxes, workspaces};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Common, Done, Failure, checked_name, print};
use crate::{
    app::{
        create_workspace::{NewWorkspace, create},
        judge_sending, stop_workspace,
    },
    boot,
    ports::Clock,
};

/// Longest retention that can be set, in days.
const RETENTION_DAYS_MAX: u32 = 36_500;
/// Workspaces of one query of `list`.
const PAGE: u32 = 500;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Make a workspace with an owner; prints its id and an org-wide API key, once.
    Create(Create),
    /// List the workspaces.
    List(Common),
    /// Show one workspace.
    Show {
        /// The workspace.
        id: String,
        #[command(flatten)]
        common: Common,
    },
    /// Change a workspace.
    Set(Box<Set>),
}

#[derive(Args, Debug)]
pub(super) struct Create {
    /// What it is called.
    #[arg(long)]
    name: String,
    /// The owner's address.
    #[arg(long, value_name = "EMAIL")]
    owner: String,
    #[arg(long, value_parser = plan(), default_value = Plan::Team.text())]
    plan: Plan,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
#[group(id = "changes", required = true, multiple = true,
    args = ["plan", "status", "notice", "clear_notice", "ai_processing", "daily_send_limit", "retention_days", "resume"])]
pub(super) struct Set {
    /// The workspace.
    id: String,
    #[arg(long, value_parser = plan())]
    plan: Option<Plan>,
    #[arg(long, value_enum)]
    status: Option<Status>,
    /// What every answer to this workspace's keys carries.
    #[arg(long, value_name = "TEXT", conflicts_with = "clear_notice")]
    notice: Option<String>,
    /// Take the notice away.
    #[arg(long)]
    clear_notice: bool,
    #[arg(long, value_parser = ai_processing())]
    ai_processing: Option<AiProcessing>,
    /// Messages a day, instead of the plan's; `plan` goes back to the plan's.
    #[arg(long, value_name = "N", value_parser = daily_send_limit)]
    daily_send_limit: Option<DailyLimit>,
    /// Delete mail that is older than so many days; `off` keeps it for ever.
    #[arg(long, value_name = "N", value_parser = retention_days)]
    retention_days: Option<RetentionDays>,
    /// End the emergency stop.
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    common: Common,
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
    names.map(|name| Plan::parse(&name).expect("only names of plans come through"))
}

fn ai_processing() -> impl TypedValueParser<Value = AiProcessing> {
    let names = PossibleValuesParser::new(AiProcessing::ALL.iter().map(|setting| setting.text()));
    names.map(|name| AiProcessing::parse(&name).expect("only names of settings come through"))
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(given) => create_one(&given),
        Command::List(common) => list(&common),
        Command::Show { id, common } => show(&id, &common),
        Command::Set(given) => set(&given),
    }
}

fn create_one(given: &Create) -> Result<(), Failure> {
    let owner = Address::parse(&given.owner)
        .map_err(|error| Failure::Usage(format!("--owner {}: {error}", given.owner)))?
        .canonical();
    let name = checked_name(&given.name)?;
    let store = boot::open_store(&given.common.load()?)?;
    let clock = boot::clock();
    let made = create(clock.as_ref(), &NewWorkspace { name, owner, plan: given.plan });
    let stored = made.clone();
    store.write_blocking(move |tx| stored.insert(tx))?;
    let json = json!({
        "workspace_id": made.workspace.id.to_string(),
        "api_key": made.secret.reveal(),
        "sign_in_url": Value::Null,
        "workspace": view(&made.workspace),
    });
    let text = format!(
        "Workspace  {}  {}\nAPI key    {}  (org-wide, shown only now)",
        made.workspace.id,
        made.workspace.name,
        made.secret.reveal()
    );
    store.close();
    let id = made.workspace.id;
    let done = format!(
        "workspace {id} was made and nobody knows its API key: make another with posthouse key create --workspace {id} \
         --scope org"
    );
    print(&given.common, &json, &text, &Done::This(done))
}

/// Every workspace.
pub(super) fn all(store: &Store) -> Result<Vec<Workspace>, Failure> {
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

fn list(common: &Common) -> Result<(), Failure> {
    let store = boot::open_store(&common.load()?)?;
    let all = all(&store)?;
    let text: Vec<String> = all.iter().map(line).collect();
    let text = if text.is_empty() { "There is no workspace yet.".to_owned() } else { text.join("\n") };
    store.close();
    print(common, &json!({ "data": all.iter().map(view).collect::<Vec<Value>>() }), &text, &Done::Nothing)
}

fn show(id: &str, common: &Common) -> Result<(), Failure> {
    let id = workspace_id(id)?;
    let store = boot::open_store(&common.load()?)?;
    let workspace = find(&store, id)?;
    store.close();
    print_one(common, &workspace, &Done::Nothing)
}

fn set(given: &Set) -> Result<(), Failure> {
    let id = workspace_id(&given.id)?;
    if given.notice.as_ref().is_some_and(|text| text.trim().is_empty() || text.chars().count() > 1_000) {
        return Err(Failure::Usage("--notice must have 1 to 1000 characters".to_owned()));
    }
    let store = boot::open_store(&given.common.load()?)?;
    let clock = boot::clock();
    let (changes, ids, now) = (Changes::of(given, clock.as_ref()), clock.ids(), clock.now());
    let changed = store.write_blocking(move |tx| -> posthouse_store::Result<_> {
        // Whoever stops or suspends it meanwhile waits, so that nothing is written back that changed.
        inboxes::take_workspace(tx, id)?;
        let Some(mut workspace) = workspaces::get(tx, id)? else { return Ok(None) };
        let was_suspended = workspace.suspended;
        changes.apply(&mut workspace);
        if was_suspended && !workspace.suspended {
            judge_sending::recover(tx, id, now)?;
        }
        workspaces::update(tx, &workspace)?;
        deliveries::release_held(tx, id, now)?;
        tx.wake(id.0);
        if changes.resume {
            stop_workspace::resume(tx, id, &operator(), &ids, now)?;
        }
        workspaces::get(tx, id)
    })?;
    store.close();
    let done = Done::This(format!("workspace {id} was changed: posthouse workspace show {id}"));
    print_one(&given.common, &changed.ok_or_else(|| missing(id))?, &done)
}

/// Who uses the command.
fn operator() -> Actor {
    Actor { kind: ActorKind::Operator, id: None, label: "posthouse workspace set --resume".to_owned() }
}

/// What `set` changes.
struct Changes {
    plan: Option<Plan>,
    suspended: Option<bool>,
    notice: Option<Option<Notice>>,
    ai_processing: Option<AiProcessing>,
    daily_send_limit: Option<Option<u64>>,
    retention_days: Option<Option<u32>>,
    resume: bool,
}

impl Changes {
    fn of(given: &Set, clock: &dyn Clock) -> Self {
        let notice =
            given.notice.as_ref().map(|message| Notice { message: message.trim().to_owned(), created_at: clock.now() });
        Self {
            plan: given.plan,
            suspended: given.status.map(|status| status == Status::Suspended),
            notice: notice.map(Some).or(given.clear_notice.then_some(None)),
            ai_processing: given.ai_processing,
            daily_send_limit: given.daily_send_limit.map(|limit| limit.0),
            retention_days: given.retention_days.map(|days| days.0),
            resume: given.resume,
        }
    }

    fn apply(&self, workspace: &mut Workspace) {
        workspace.plan = self.plan.unwrap_or(workspace.plan);
        workspace.suspended = self.suspended.unwrap_or(workspace.suspended);
        workspace.ai_processing = self.ai_processing.unwrap_or(workspace.ai_processing);
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

pub(super) fn workspace_id(text: &str) -> Result<WorkspaceId, Failure> {
    text.parse()
        .map_err(|_| Failure::Usage(format!("{text} is not the id of a workspace; see posthouse workspace list")))
}

fn missing(id: WorkspaceId) -> Failure {
    Failure::Failed(format!("there is no workspace {id}; see posthouse workspace list"))
}

/// The workspace, or the failure that names the id.
pub(super) fn find(store: &Store, id: WorkspaceId) -> Result<Workspace, Failure> {
    store.read_blocking(move |tx| workspaces::get(tx, id))?.ok_or_else(|| missing(id))
}

fn print_one(common: &Common, workspace: &Workspace, done: &Done) -> Result<(), Failure> {
    let view = view(workspace);
    let rows = view.as_object().into_iter().flatten();
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let text: Vec<String> = rows.map(|(name, value)| format!("{name:<22} {}", shown(value))).collect();
    print(common, &view, &text.join("\n"), done)
}

fn status(workspace: &Workspace) -> &'static str {
    if workspace.suspended { "suspended" } else { "active" }
}

fn line(workspace: &Workspace) -> String {
    format!("{}  {:<8} {:<10} {}", workspace.id, workspace.plan.text(), status(workspace), workspace.name)
}

fn view(workspace: &Workspace) -> Value {
    let w = workspace;
    json!({
        "id": w.id.to_string(),
        "name": w.name,
        "owner": w.owner_email,
        "plan": w.plan.text(),
        "status": status(w),
        "claim_status": w.claim.text(),
        "claimed_at": w.claimed_at.map(|at| at.to_string()),
        "notice": w.notice.as_ref().map(|notice| notice.message.as_str()),
        "emergency_stopped_at": w.stopped_at.map(|at| at.to_string()),
        "emergency_stop_reason": w.stop_reason,
        "ai_processing": w.ai_processing.text(),
        "daily_send_limit": w.daily_send_limit,
        "retention_days": w.retention_days,
        "created_at": w.created_at.to_string(),
    })
}
