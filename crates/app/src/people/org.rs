//! The settings of a workspace, as its owners change them.

use posthouse_domain::{
    AiProcessing, Caller, DisclosureLine, OutboundPolicy, Refusal, ScreeningChange, ScreeningMode, ScreeningTimeout,
    Workspace,
};
use posthouse_store::{Tx, inboxes, jobs, workspaces};

use crate::{inboxes::names::NameRules, service::Service};

/// Changes of the disclosure. `None` leaves a setting unchanged.
#[derive(Clone, Debug)]
pub struct DisclosureChange {
    pub visible_line: Option<DisclosureLine>,
    /// Its text; `Some(None)` for the default.
    pub text: Option<Option<String>>,
    /// Whether the name of the workspace is disclosed too.
    pub shares_name: Option<bool>,
}

/// Changes of a workspace. `None` leaves a setting unchanged.
#[derive(Clone, Debug)]
pub struct OrgChange {
    pub name: Option<String>,
    /// How much AI may process the mail.
    pub ai_processing: Option<AiProcessing>,
    /// How mail is screened for agents.
    pub screening: Option<ScreeningMode>,
    /// The longest time of a check, in seconds.
    pub screening_deadline_s: Option<i64>,
    /// What happens to mail whose check takes longer.
    pub screening_on_timeout: Option<ScreeningTimeout>,
    /// What happens to a message to an address that only received mail named, or with a secret.
    pub outbound_policy: Option<OutboundPolicy>,
    /// The number of days that mail is kept; `Some(None)` for ever.
    pub retention_days: Option<Option<u32>>,
    pub disclosure: Option<DisclosureChange>,
}

/// Changes settings of the caller's workspace and returns it.
///
/// # Errors
/// Returns `not_found` if the workspace is missing.
pub async fn change(service: &Service, caller: Caller, change: OrgChange) -> Result<Workspace, Refusal> {
    let (rules, ids, now) = (NameRules::of(&service.config), service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let change = change.clone();
        inboxes::take_workspace(tx, caller.workspace)?;
        if let Some(name) = &change.name {
            rules.check_display_name(tx, caller.workspace, "name", name)?;
        }
        let found = workspaces::get(tx, caller.workspace)?;
        let mut workspace = found.ok_or_else(|| Refusal::not_found("workspace"))?;
        workspace.name = change.name.unwrap_or(workspace.name);
        workspace.ai_processing = change.ai_processing.unwrap_or(workspace.ai_processing);
        let before = workspace.screening.mode;
        let screening = &mut workspace.screening;
        screening.mode = change.screening.unwrap_or(screening.mode);
        screening.deadline_s = change.screening_deadline_s.unwrap_or(screening.deadline_s);
        screening.on_timeout = change.screening_on_timeout.unwrap_or(screening.on_timeout);
        workspace.outbound_policy = change.outbound_policy.unwrap_or(workspace.outbound_policy);
        workspace.retention_days = change.retention_days.unwrap_or(workspace.retention_days);
        if let Some(disclosure) = change.disclosure {
            let to = &mut workspace.ai_disclosure;
            to.visible_line = disclosure.visible_line.unwrap_or(to.visible_line);
            to.text = disclosure.text.unwrap_or_else(|| to.text.take());
            to.shares_name = disclosure.shares_name.unwrap_or(to.shares_name);
        }
        workspaces::update(tx, &workspace)?;
        let change = ScreeningChange { workspace: workspace.id, before, after: workspace.screening.mode };
        if let Some(job) = change.job(ids.clone().next(), now) {
            jobs::enqueue(tx, &job)?;
        }
        Ok(workspace)
    };
    service.write(work).await
}
