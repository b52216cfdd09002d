//! `posthouse keys` on the machine of the server: the client's commands for keys, on the store.

use posthouse_app::access::new_key::NewKey;
use posthouse_client::{LocalKeys, LocalKeysError, LocalStore};
use posthouse_domain::{
    Scope, WorkspaceId,
    auth::Permissions,
    id::{InboxId, KeyId},
};
use posthouse_store::{Store, inboxes, keys};
use serde_json::{Value, json};

use super::options::GlobalOptions;
use super::outcome::CommandError;
use super::{checked_name, key, workspace};
use crate::{boot, config::Configuration};

/// The keys in the store that the options name.
pub(super) struct StoredKeys;

impl LocalKeys for StoredKeys {
    fn list(&self, given: &LocalStore) -> Result<Vec<Value>, LocalKeysError> {
        let (_, store, workspace) = open(given)?;
        let found = key::all(&store, workspace)?;
        store.close();
        Ok(found.iter().map(key::view).collect())
    }

    fn create(
        &self,
        given: &LocalStore,
        name: &str,
        preset: &str,
        inbox: Option<&str>,
    ) -> Result<Value, LocalKeysError> {
        let name = checked_name(name)?;
        let permissions = Permissions::parse(preset)
            .map_err(|unknown| CommandError::Usage(format!("there is no preset {unknown}")))?;
        let (config, store, workspace) = open(given)?;
        let scope = match inbox {
            Some(inbox) => Scope::Inbox(find_inbox(&store, inbox)?),
            None => Scope::Workspace,
        };
        let new = NewKey { workspace, name, scope, permissions, member: None };
        let made = key::insert(&store, config.app.plans, new)?;
        store.close();
        Ok(json!({ "api_key": key::view(&made.key), "key": made.secret.reveal() }))
    }

    fn revoke(&self, given: &LocalStore, id: &str) -> Result<(), LocalKeysError> {
        let unknown = |_| CommandError::Usage(format!("{id} is not the id of a key; posthouse keys list shows them"));
        let id: KeyId = id.parse().map_err(unknown)?;
        let (_, store, workspace) = open(given)?;
        // A key of another workspace isn't revoked if the options name one.
        let is_own = key::all(&store, workspace)?.iter().any(|key| key.id == id);
        let now = boot::clock().now();
        if !is_own || !store.write_blocking(move |tx| keys::revoke(tx, id, now)).map_err(CommandError::from)? {
            return Err(key::no_key(id).into());
        }
        store.close();
        Ok(())
    }
}

impl From<CommandError> for LocalKeysError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Failed(text) => Self::Failed(text),
            CommandError::Usage(text) => Self::Usage(text),
        }
    }
}

/// Opens the store and finds the workspace: the one that is named, or the only one.
fn open(given: &LocalStore) -> Result<(Configuration, Store, WorkspaceId), CommandError> {
    let options = GlobalOptions { config: given.config.clone(), data_dir: given.data_dir.clone(), clock_start: None };
    let config = options.load_with_store()?;
    let store = boot::open_store(&config)?;
    let workspace = match &given.workspace {
        Some(id) => workspace::find(&store, key::workspace_id(id)?)?.id,
        None => match workspace::all(&store)?.as_slice() {
            [only] => only.id,
            [] => {
                return Err(CommandError::Failed(
                    "the server has no workspace; run posthouse admin workspace create".to_owned(),
                ));
            }
            many => {
                let ids: Vec<String> = many.iter().map(|one| format!("{} ({})", one.id, one.name)).collect();
                let text =
                    format!("the server has several workspaces; pass --workspace with one of {}", ids.join(", "));
                return Err(CommandError::Usage(text));
            }
        },
    };
    Ok((config, store, workspace))
}

/// Finds an inbox by its id or address.
fn find_inbox(store: &Store, text: &str) -> Result<InboxId, CommandError> {
    if !text.contains('@') {
        return text.parse().map_err(|_| CommandError::Usage(format!("--inbox {text} is no id and no address")));
    }
    let address = text.trim().to_lowercase();
    let found = store.read_blocking(move |tx| inboxes::by_address(tx, &address))?;
    found.map(|inbox| inbox.id).ok_or_else(|| CommandError::Failed(format!("no inbox has the address {text}")))
}
