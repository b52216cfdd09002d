//! Ids of tasks, which hold what a task waits for and until when. The code in an id proves that this service made it, for
//! one workspace: a client can't choose the end of its task.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use posthouse_domain::{Refusal, WorkspaceId};

use crate::{keyring::instance_key::InstanceKey, service::Service};

/// Returns the id of a task of a workspace: `<base64url of the content>.<base64url of a code>`.
///
/// # Errors
/// Returns `internal_error` if the instance key can't be read.
pub fn issue(service: &Service, workspace: WorkspaceId, content: &str) -> Result<String, Refusal> {
    let code = service.instance_key()?.task_code(&signed(workspace, content.as_bytes()));
    Ok(format!("{}.{}", URL_SAFE_NO_PAD.encode(content), URL_SAFE_NO_PAD.encode(code)))
}

/// Returns the content of an id; `None` if it isn't the id of a task of the workspace.
///
/// # Errors
/// Returns `internal_error` if the instance key can't be read.
pub fn read(service: &Service, workspace: WorkspaceId, id: &str) -> Result<Option<Vec<u8>>, Refusal> {
    let key = service.instance_key()?;
    Ok(id.split_once('.').and_then(|(content, code)| {
        let content = URL_SAFE_NO_PAD.decode(content).ok()?;
        let code = URL_SAFE_NO_PAD.decode(code).ok()?;
        is_own(key, workspace, &content, &code).then_some(content)
    }))
}

fn is_own(key: &InstanceKey, workspace: WorkspaceId, content: &[u8], code: &[u8]) -> bool {
    key.has_task_code(&signed(workspace, content), code)
}

fn signed(workspace: WorkspaceId, content: &[u8]) -> Vec<u8> {
    [workspace.as_uuid().as_bytes(), content].concat()
}
