//! `posthouse key create | list | revoke`.

use clap::{Args, Subcommand, ValueEnum};
use posthouse_domain::{Plans, auth::ApiKey};
use posthouse_domain::{
    auth::{Permission, Permissions, Scope},
    error::Refusal,
    id::{InboxId, KeyId, WorkspaceId},
    page::PageRange,
};
use posthouse_store::{Store, inboxes, keys};
use serde_json::{Value, json};

use super::options::GlobalOptions;
use super::outcome::{CommandEffect, CommandError, OutputOptions, print};
use super::{checked_name, workspace};
use crate::boot;
use posthouse_app::access::new_key::{CreatedKey, NewKey, new_key};

/// Maximum number of keys that `list` shows.
const KEYS_MAX: u32 = 10_000;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Create a key; prints it once.
    Create(Create),
    /// List the keys of a workspace.
    List {
        /// Id of the workspace.
        #[arg(long, value_name = "ID")]
        workspace: String,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Revoke a key for good.
    Revoke {
        /// Id of the key.
        id: String,
        #[command(flatten)]
        output: OutputOptions,
    },
}

/// Shown below the options.
const CREATE_EXAMPLES: &str = "\
Examples:
  A key for one agent, which can read, send and wait in one inbox:
    posthouse key create --workspace ID --scope inbox --inbox ID \\
      --permissions agent
  A key that can only send:
    posthouse key create --workspace ID --name mailer --permissions send_only

`posthouse workspace list` shows the ids of workspaces.";

#[derive(Args, Debug)]
#[command(after_help = CREATE_EXAMPLES)]
pub(super) struct Create {
    /// Id of the workspace.
    #[arg(long, value_name = "ID")]
    workspace: String,
    /// Name of the key.
    #[arg(long, default_value = "cli")]
    name: String,
    /// What the key can access.
    #[arg(long, value_enum, default_value_t = ScopeName::Workspace)]
    scope: ScopeName,
    /// Id of the inbox; requires --scope inbox.
    #[arg(long, value_name = "ID")]
    inbox: Option<String>,
    /// Permissions and presets (full, agent, send_only, read_only, approve), separated by commas.
    #[arg(long, value_name = "LIST", default_value = "full")]
    permissions: String,
    #[command(flatten)]
    output: OutputOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ScopeName {
    Org,
    Workspace,
    Inbox,
}

pub(super) fn run(command: Command, options: &GlobalOptions) -> Result<(), CommandError> {
    match command {
        Command::Create(given) => create(&given, options),
        Command::List { workspace, output } => list(&workspace, &output, options),
        Command::Revoke { id, output } => revoke(&id, &output, options),
    }
}

fn create(given: &Create, options: &GlobalOptions) -> Result<(), CommandError> {
    let workspace = workspace_id(&given.workspace)?;
    let scope = scope(given)?;
    let permissions = Permissions::parse(&given.permissions).map_err(|name| {
        let known: Vec<&str> = Permission::ALL.iter().map(|permission| permission.text()).collect();
        CommandError::Usage(format!(
            "--permissions: unknown permission {name}; use full, agent, send_only, read_only, approve, {}",
            known.join(", ")
        ))
    })?;
    if permissions == Permissions::default() {
        return Err(CommandError::Usage("--permissions must name at least one permission".to_owned()));
    }
    let new = NewKey { workspace, name: checked_name(&given.name)?, scope, permissions, member: None };
    let config = options.load_with_store()?;
    let store = boot::open_store(&config)?;
    workspace::find(&store, workspace)?;
    let made = insert(&store, config.app.plans, new)?;
    store.close();
    let mut json = view(&made.key);
    json["api_key"] = made.secret.reveal().into();
    let text = format!("Key      {}\nAPI key  {}  (shown only now)", made.key.id, made.secret.reveal());
    let id = made.key.id;
    let done = format!("key {id} was created but not shown: run posthouse key revoke {id}, then create another");
    print(&given.output, &json, &text, &CommandEffect::This(done))
}

/// Stores a new key, after a check of its inbox.
pub(super) fn insert(store: &Store, plans: Plans, new: NewKey) -> Result<CreatedKey, CommandError> {
    let workspace = new.workspace;
    if let Scope::Inbox(inbox) = new.scope
        && store
            .read_blocking(move |tx| inboxes::get(tx, workspace, inbox))?
            .is_none_or(|found| found.deleted_at.is_some())
    {
        return Err(CommandError::Failed(format!(
            "the workspace has no inbox {inbox}; use the id of one of its inboxes"
        )));
    }
    let clock = boot::clock();
    let made = new_key(clock.as_ref(), &clock.ids(), new);
    let made = store.write_blocking(move |tx| {
        let mut stored = made.clone();
        stored.insert(tx, &plans)?;
        Ok::<_, Refusal>(stored)
    });
    made.map_err(|refusal| CommandError::Failed(refusal.to_string()))
}

fn scope(given: &Create) -> Result<Scope, CommandError> {
    match (given.scope, given.inbox.as_deref()) {
        (ScopeName::Org, None) => Ok(Scope::Org),
        (ScopeName::Workspace, None) => Ok(Scope::Workspace),
        (ScopeName::Inbox, Some(id)) => {
            let id: InboxId =
                id.parse().map_err(|_| CommandError::Usage(format!("--inbox {id} is not an inbox id")))?;
            Ok(Scope::Inbox(id))
        }
        (ScopeName::Inbox, None) => Err(CommandError::Usage("--scope inbox requires --inbox ID".to_owned())),
        (_, Some(_)) => Err(CommandError::Usage("--inbox requires --scope inbox".to_owned())),
    }
}

fn list(workspace: &str, output: &OutputOptions, options: &GlobalOptions) -> Result<(), CommandError> {
    let id = workspace_id(workspace)?;
    let store = boot::open_store(&options.load_with_store()?)?;
    workspace::find(&store, id)?;
    let found = all(&store, id)?;
    let text: Vec<String> = found.iter().map(line).collect();
    let text = if text.is_empty() { "The workspace has no keys.".to_owned() } else { text.join("\n") };
    store.close();
    let json = json!({ "data": found.iter().map(view).collect::<Vec<Value>>() });
    print(output, &json, &text, &CommandEffect::Nothing)
}

/// Returns the keys of a workspace.
pub(super) fn all(store: &Store, workspace: WorkspaceId) -> Result<Vec<ApiKey>, CommandError> {
    let all = PageRange { after: None, limit: KEYS_MAX };
    Ok(store.read_blocking(move |tx| keys::page(tx, workspace, &all))?)
}

fn revoke(id: &str, output: &OutputOptions, options: &GlobalOptions) -> Result<(), CommandError> {
    let key: KeyId =
        id.parse().map_err(|_| CommandError::Usage(format!("{id} is not a key id; see posthouse key list")))?;
    let store = boot::open_store(&options.load_with_store()?)?;
    let now = boot::clock().now();
    if !store.write_blocking(move |tx| keys::revoke(tx, key, now))? {
        return Err(no_key(key));
    }
    store.close();
    let json = json!({ "id": key.to_string(), "revoked_at": now.to_string() });
    print(output, &json, &format!("Revoked {key}."), &CommandEffect::This(format!("key {key} was revoked")))
}

pub(super) fn no_key(key: KeyId) -> CommandError {
    CommandError::Failed(format!("key {key} does not exist or is already revoked"))
}

pub(super) fn workspace_id(text: &str) -> Result<WorkspaceId, CommandError> {
    text.parse().map_err(|_| {
        CommandError::Usage(format!("--workspace {text} is not a workspace id; see posthouse workspace list"))
    })
}

fn line(key: &ApiKey) -> String {
    let state = key.revoked_at.map_or_else(|| "active".to_owned(), |at| format!("revoked {at}"));
    format!("{}  {}…  {:<9} {state}  {}", key.id, key.shown, key.scope.text(), key.name)
}

pub(super) fn view(key: &ApiKey) -> Value {
    json!({
        "id": key.id.to_string(),
        "workspace_id": key.workspace.to_string(),
        "name": key.name,
        "prefix": key.shown,
        "scope": key.scope.text(),
        "inbox_id": key.scope.key_inbox().map(|id| id.to_string()),
        "owner": { "kind": key.owner().kind().text(), "id": key.owner().id().to_string() },
        "permissions": key.permissions.names().collect::<Vec<&str>>(),
        "created_at": key.created_at.to_string(),
        "last_used_at": key.last_used_at.map(|at| at.to_string()),
        "last_used_ip": key.last_client.ip,
        "last_used_user_agent": key.last_client.user_agent,
        "revoked_at": key.revoked_at.map(|at| at.to_string()),
    })
}
