//! Workspaces and actors as events and the emergency stop show them (contract §11.5, §17.2).

use posthouse_domain::{
    actor::{Actor, ActorKind},
    workspace::Workspace,
};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{Moment, name_of};

/// A workspace and whether it is stopped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Org")]
pub struct OrgView {
    id: Uuid,
    name: String,
    /// Since when the emergency stop is in force; null while the workspace runs.
    emergency_stopped_at: Option<Moment>,
    emergency_stop_reason: Option<String>,
}

/// Who did something.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Actor")]
pub struct ActorView {
    /// user, api_key, connector or operator.
    #[schemars(schema_with = "name_of::<ActorKind>")]
    r#type: &'static str,
    /// The id of the person or the key; null for the operator.
    id: Option<String>,
    /// The address of a person, the name of a key.
    label: String,
}

impl OrgView {
    /// Shows the workspace.
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
    /// Shows the actor.
    #[must_use]
    pub fn of(actor: &Actor) -> Self {
        Self { r#type: actor.kind.text(), id: actor.id.clone(), label: actor.label.clone() }
    }
}
