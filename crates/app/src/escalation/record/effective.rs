//! The settings and contacts that apply to an inbox, or to the workspace.

use posthouse_domain::{EscalationSettings, InboxEscalation, InboxId, OnCallContact, TriggerSet, WorkspaceId};
use posthouse_store::{Result, Tx, escalations, on_call};

/// What applies to an inbox, or to the workspace.
pub(crate) struct EffectiveEscalation {
    /// The settings of the workspace.
    pub(crate) settings: EscalationSettings,
    /// What escalates.
    pub(crate) triggers: TriggerSet,
    /// The contacts, also those that are pending.
    pub(crate) contacts: Vec<OnCallContact>,
}

/// Loads what applies to an inbox; `None` stands for the workspace.
pub(crate) fn load(tx: &mut Tx, workspace: WorkspaceId, inbox: Option<InboxId>) -> Result<EffectiveEscalation> {
    let settings = escalations::settings(tx, workspace)?;
    let own = match inbox {
        Some(inbox) => escalations::settings_of_inbox(tx, workspace, inbox)?,
        None => InboxEscalation::default(),
    };
    let contacts = on_call::contacts(tx, workspace, inbox.filter(|_| own.overrides))?;
    Ok(EffectiveEscalation { triggers: own.triggers.unwrap_or(settings.triggers), settings, contacts })
}
