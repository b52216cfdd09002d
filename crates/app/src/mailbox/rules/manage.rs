//! Creates, changes and deletes the rules of the owner, and previews one on stored mail.

use posthouse_domain::rule::{PREVIEW_MESSAGES_MAX, PREVIEW_MS, RULES_MAX};
use posthouse_domain::{
    Caller, InboxId, InboxKind, MessageId, Refusal, Rule, RuleActionKind, RuleActions, RuleConditions, RuleId, Time,
};
use posthouse_store::{Tx, inboxes, rules};

use super::{facts, file_names, stored_verdict};
use crate::service::Service;

/// Messages read per step of a preview.
const STEP: u32 = 100;
/// The maximum number of inboxes that a preview reads.
const PREVIEW_INBOXES_MAX: u32 = 1_000;
/// The maximum number of messages that a preview names.
const PREVIEW_SHOWN_MAX: usize = 20;

/// A change of a rule. `None` keeps a field.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleChange {
    pub name: Option<String>,
    /// The inbox; `Some(None)` for all.
    pub inbox: Option<Option<InboxId>>,
    /// The place.
    pub position: Option<i64>,
    /// Whether it applies.
    pub enabled: Option<bool>,
    pub conditions: Option<RuleConditions>,
    pub actions: Option<RuleActions>,
}

/// What a rule would have done to stored mail.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RulePreview {
    /// The number of received messages that were judged.
    pub checked: u64,
    /// The number that it applies to.
    pub matched: u64,
    /// The newest messages that it applies to.
    pub messages: Vec<MessageId>,
    /// Whether all messages of the period were judged.
    pub is_complete: bool,
}

/// Returns the rules in their order.
///
/// # Errors
/// Returns an error if a store call fails.
pub async fn all(service: &Service, caller: Caller) -> Result<Vec<Rule>, Refusal> {
    Ok(service.read(caller.workspace, move |tx| rules::all(tx, caller.workspace)).await?)
}

/// Creates a rule, behind the others unless the change names a place.
///
/// # Errors
/// Returns `invalid_request` for too many rules, or an inbox that isn't one of the workspace.
pub async fn create(service: &Service, caller: Caller, change: RuleChange) -> Result<Rule, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        inboxes::take_workspace(tx, caller.workspace)?;
        let known = rules::all(tx, caller.workspace)?;
        if known.len() >= RULES_MAX {
            let problem = format!("would exceed the limit of {RULES_MAX} rules; delete one first");
            return Err(Refusal::invalid_field("name", problem));
        }
        let position = known.last().map_or(0, |last| last.position + 1);
        let mut rule = new(&caller, ids.clone().next(), now);
        rule.position = position;
        apply(&mut rule, change.clone(), now);
        check(tx, &rule)?;
        rules::insert(tx, &rule)?;
        Ok(rule)
    };
    service.write(work).await
}

/// Changes a rule.
///
/// # Errors
/// Returns `not_found`, or the errors of [`create`].
pub async fn change(service: &Service, caller: Caller, id: RuleId, change: RuleChange) -> Result<Rule, Refusal> {
    let now = service.clock.now();
    let work = move |tx: &mut Tx| {
        inboxes::take_workspace(tx, caller.workspace)?;
        let mut rule = rules::get(tx, caller.workspace, id)?.ok_or_else(|| Refusal::not_found("rule"))?;
        apply(&mut rule, change.clone(), now);
        check(tx, &rule)?;
        rules::update(tx, &rule)?;
        Ok(rule)
    };
    service.write(work).await
}

/// Deletes a rule. Mail that it held or blocked stays so.
///
/// # Errors
/// Returns `not_found`.
pub async fn delete(service: &Service, caller: Caller, id: RuleId) -> Result<(), Refusal> {
    let work = move |tx: &mut Tx| {
        let existed = rules::delete(tx, caller.workspace, id)?;
        if existed { Ok(()) } else { Err(Refusal::not_found("rule")) }
    };
    service.write(work).await
}

/// Judges stored mail of the last 30 days by a rule, and changes nothing.
///
/// # Errors
/// Returns `invalid_request` for an inbox that isn't one of the workspace.
pub async fn preview(service: &Service, caller: Caller, change: RuleChange) -> Result<RulePreview, Refusal> {
    let (ids, now) = (service.clock.ids(), service.clock.now());
    let work = move |tx: &mut Tx| {
        let mut rule = new(&caller, ids.clone().next(), now);
        apply(&mut rule, change.clone(), now);
        rule.enabled = true;
        check(tx, &rule)?;
        judge_stored(tx, &rule, now)
    };
    service.read(caller.workspace, work).await
}

fn judge_stored(tx: &mut Tx, rule: &Rule, now: Time) -> Result<RulePreview, Refusal> {
    let of: Vec<InboxId> = match rule.inbox {
        Some(inbox) => vec![inbox],
        None => inboxes::ids(tx, rule.workspace, PREVIEW_INBOXES_MAX)?,
    };
    let mut preview = RulePreview { is_complete: of.len() < PREVIEW_INBOXES_MAX as usize, ..RulePreview::default() };
    let since = now.plus_ms(-PREVIEW_MS);
    for inbox in of {
        let mut before = now.plus_ms(1);
        loop {
            let page = rules::received(tx, rule.workspace, inbox, since, before, STEP)?;
            for message in &page {
                let files = file_names(tx, message)?;
                let facts = facts(tx, message, files, stored_verdict(message))?;
                preview.checked += 1;
                if rule.applies(&facts) {
                    preview.matched += 1;
                    preview.messages.push(message.id);
                }
            }
            let Some(last) = page.last().filter(|_| page.len() == STEP as usize) else { break };
            before = last.created_at;
            if preview.checked >= PREVIEW_MESSAGES_MAX {
                preview.is_complete = false;
                break;
            }
        }
    }
    preview.messages.sort_unstable_by(|one, other| other.cmp(one));
    preview.messages.truncate(PREVIEW_SHOWN_MAX);
    Ok(preview)
}

fn new(caller: &Caller, id: RuleId, now: Time) -> Rule {
    Rule {
        workspace: caller.workspace,
        id,
        position: 0,
        name: String::new(),
        inbox: None,
        enabled: true,
        conditions: RuleConditions::default(),
        actions: RuleActions::default(),
        created_at: now,
        updated_at: now,
    }
}

fn apply(rule: &mut Rule, change: RuleChange, now: Time) {
    rule.name = change.name.unwrap_or_else(|| std::mem::take(&mut rule.name));
    rule.inbox = change.inbox.unwrap_or(rule.inbox);
    rule.position = change.position.unwrap_or(rule.position);
    rule.enabled = change.enabled.unwrap_or(rule.enabled);
    rule.conditions = change.conditions.unwrap_or_else(|| std::mem::take(&mut rule.conditions));
    rule.actions = change.actions.unwrap_or_else(|| std::mem::take(&mut rule.actions));
    rule.updated_at = now;
}

/// Checks that the inboxes that a rule names receive mail in its workspace.
fn check(tx: &mut Tx, rule: &Rule) -> Result<(), Refusal> {
    let routes = rule.actions.0.iter().enumerate().filter(|(_, action)| action.kind == RuleActionKind::Route);
    let routes = routes.filter_map(|(at, action)| Some((format!("actions[{at}].value"), action.value.parse().ok()?)));
    let named = rule.inbox.map(|inbox| ("inbox_id".to_owned(), inbox)).into_iter().chain(routes);
    for (path, inbox) in named.collect::<Vec<(String, InboxId)>>() {
        let found = inboxes::get(tx, rule.workspace, inbox)?;
        if !found.is_some_and(|found| found.deleted_at.is_none() && found.kind == InboxKind::Mailbox) {
            return Err(Refusal::invalid_field(path, "must be an inbox of this workspace"));
        }
    }
    Ok(())
}
