//! `posthouse key create | list | revoke`.

use clap::{Args, Subcommand, ValueEnum};
use posthouse_domain::{
    auth::{Permission, Permissions, Scope},
    id::{InboxId, KeyId, WorkspaceId},
};
use posthouse_store::{
    inboxes,
    keys::{self, Key},
};
use serde_json::{Value, json};

use super::{Common, Done, Failure, checked_name, print, workspace};
use crate::{
    app::create_workspace::{NewKey, new_key},
    boot,
};

/// Most keys that `list` shows.
const KEYS_MAX: u32 = 10_000;

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Make a key; prints it once.
    Create(Create),
    /// List the keys of a workspace.
    List {
        /// The workspace.
        #[arg(long, value_name = "ID")]
        workspace: String,
        #[command(flatten)]
        common: Common,
    },
    /// Revoke a key for good.
    Revoke {
        /// The key's id.
        id: String,
        #[command(flatten)]
        common: Common,
    },
}

#[derive(Args, Debug)]
pub(super) struct Create {
    /// The workspace.
    #[arg(long, value_name = "ID")]
    workspace: String,
    /// What it is called.
    #[arg(long, default_value = "cli")]
    name: String,
    /// How far it reaches.
    #[arg(long, value_enum, default_value_t = ScopeName::Workspace)]
    scope: ScopeName,
    /// The inbox of a key with `--scope inbox`.
    #[arg(long, value_name = "ID")]
    inbox: Option<String>,
    /// Permissions and presets (full, agent, send_only, read_only), joined by commas.
    #[arg(long, value_name = "LIST", default_value = "full")]
    permissions: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ScopeName {
    Org,
    Workspace,
    Inbox,
}

pub(super) fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(given) => create(&given),
        Command::List { workspace, common } => list(&workspace, &common),
        Command::Revoke { id, common } => revoke(&id, &common),
    }
}

fn create(given: &Create) -> Result<(), Failure> {
    let id = workspace_id(&given.workspace)?;
    let scope = scope(given)?;
    let permissions = Permissions::parse(&given.permissions).map_err(|name| {
        let known: Vec<&str> = Permission::ALL.iter().map(|permission| permission.text()).collect();
        Failure::Usage(format!(
            "--permissions: {name} is none; there are full, agent, send_only, read_only, {}",
            known.join(", ")
        ))
    })?;
    if permissions == Permissions::default() {
        return Err(Failure::Usage("--permissions must name at least one".to_owned()));
    }
    let name = checked_name(&given.name)?;
    let store = boot::open_store(&given.common.load()?)?;
    workspace::find(&store, id)?;
    if let Scope::Inbox(inbox) = scope
        && store.read_blocking(move |tx| inboxes::get(tx, id, inbox))?.is_none_or(|found| found.deleted_at.is_some())
    {
        return Err(Failure::Failed(format!("the workspace has no inbox {inbox}")));
    }
    let clock = boot::clock();
    let made = new_key(clock.as_ref(), &clock.ids(), NewKey { workspace: id, name, scope, permissions });
    let stored = made.clone();
    store.write_blocking(move |tx| stored.insert(tx))?;
    let mut json = view(&made.key);
    json["api_key"] = made.secret.reveal().into();
    let text = format!("Key      {}\nAPI key  {}  (shown only now)", made.key.id, made.secret.reveal());
    store.close();
    let id = made.key.id;
    let done = format!("key {id} was made and nobody knows it: posthouse key revoke {id}, then make another");
    print(&given.common, &json, &text, &Done::This(done))
}

fn scope(given: &Create) -> Result<Scope, Failure> {
    match (given.scope, given.inbox.as_deref()) {
        (ScopeName::Org, None) => Ok(Scope::Org),
        (ScopeName::Workspace, None) => Ok(Scope::Workspace),
        (ScopeName::Inbox, Some(id)) => {
            let id: InboxId =
                id.parse().map_err(|_| Failure::Usage(format!("--inbox {id} is not the id of an inbox")))?;
            Ok(Scope::Inbox(id))
        }
        (ScopeName::Inbox, None) => Err(Failure::Usage("--scope inbox needs --inbox ID".to_owned())),
        (_, Some(_)) => Err(Failure::Usage("--inbox is only for --scope inbox".to_owned())),
    }
}

fn list(workspace: &str, common: &Common) -> Result<(), Failure> {
    let id = workspace_id(workspace)?;
    let store = boot::open_store(&common.load()?)?;
    workspace::find(&store, id)?;
    let found = store.read_blocking(move |tx| keys::list(tx, id, KEYS_MAX))?;
    let text: Vec<String> = found.iter().map(line).collect();
    let text = if text.is_empty() { "The workspace has no key.".to_owned() } else { text.join("\n") };
    store.close();
    let json = json!({ "data": found.iter().map(view).collect::<Vec<Value>>() });
    print(common, &json, &text, &Done::Nothing)
}

fn revoke(id: &str, common: &Common) -> Result<(), Failure> {
    let key: KeyId = id.parse().map_err(|_| Failure::Usage(format!("{id} is not the id of a key")))?;
    let store = boot::open_store(&common.load()?)?;
    let now = boot::clock().now();
    if !store.write_blocking(move |tx| keys::revoke(tx, key, now))? {
        return Err(Failure::Failed(format!("there is no key {key} that is not revoked yet")));
    }
    store.close();
    let json = json!({ "id": key.to_string(), "revoked_at": now.to_string() });
    print(common, &json, &format!("Revoked {key}."), &Done::This(format!("key {key} is revoked")))
}

fn workspace_id(text: &str) -> Result<WorkspaceId, Failure> {
    text.parse().map_err(|_| Failure::Usage(format!("--workspace {text} is not the id of a workspace")))
}

fn line(key: &Key) -> String {
    let state = key.revoked_at.map_or_else(|| "active".to_owned(), |at| format!("revoked {at}"));
    format!("{}  {}…  {:<9} {state}  {}", key.id, key.shown, key.scope.text(), key.name)
}

fn view(key: &Key) -> Value {
    json!({
        "id": key.id.to_string(),
        "workspace_id": key.workspace.to_string(),
        "name": key.name,
        "prefix": key.shown,
        "scope": key.scope.text(),
        "inbox_id": key.scope.inbox().map(|id| id.to_string()),
        "permissions": key.permissions.names().collect::<Vec<&str>>(),
        "created_at": key.created_at.to_string(),
        "last_used_at": key.last_used_at.map(|at| at.to_string()),
        "revoked_at": key.revoked_at.map(|at| at.to_string()),
    })
}
