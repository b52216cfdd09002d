//! The workspace and actor objects of events and of the emergency stop.

use posthouse_domain::{
    actor::{Actor, ActorKind},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// A workspace and the state of its emergency stop.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Org")]
pub struct OrgView {
    id: Uuid,
    /// Name of the workspace.
    name: String,
    /// Time of the emergency stop; null if the workspace is not stopped.
    emergency_stopped_at: Option<TimestampView>,
    /// Reason for the emergency stop, for people.
    emergency_stop_reason: Option<String>,
}

/// The principal behind an action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Actor")]
pub struct ActorView {
    /// `user`, `api_key`, `connector` or `operator`.
    #[schemars(schema_with = "name_of::<ActorKind>")]
    r#type: &'static str,
    /// Id of the user or key; null for the operator.
    id: Option<String>,
    /// Address of a user, or name of a key.
    label: String,
}

impl OrgView {
    /// Returns the view of a workspace.
    #[must_use]
    pub fn of(workspace: &Workspace) -> Self {
        let w = workspace;
        Self {
            id: w.id.into(),
            name: w.name.clone(),
            emergency_stopped_at: w.stopped_at.map(Into::into),
            emergency_stop_reason: w.stop_reason.clone(),
        }
    }
}

impl ActorView {
    /// Returns the view of an actor.
    #[must_use]
    pub fn of(actor: &Actor) -> Self {
        Self { r#type: actor.kind.text(), id: actor.id.clone(), label: actor.label.clone() }
    }
}
