//! `/platform/rules`: the rules of the owner about received mail.

use posthouse_api::views::rule::{RulePreviewView, RuleView, RulesView};
use posthouse_api::wire::{BoundedInt, Patch, Replacement};
use posthouse_app::mailbox::rules::manage::{self as rules, RuleChange};
use posthouse_call::prelude::*;
use posthouse_domain::rule::{ACTIONS_MAX, CONDITIONS_MAX, PREVIEW_DAYS, TEXT_CHARS_MAX};
use posthouse_domain::{
    FieldProblem, Role, RuleAction, RuleActionKind, RuleActions, RuleCondition, RuleConditions, RuleField, RuleId,
};
use uuid::Uuid;

/// Path of all rules.
const ALL: &str = "/platform/rules";
/// Path of one rule.
const ONE: &str = "/platform/rules/{id}";
/// Largest place of a rule.
const POSITION_MAX: i64 = 1_000_000;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::session(Method::Get, ALL, "listRules", Role::Member)
            .summary("Lists the rules about received mail in their order, without pages.")
            .responds::<RulesView<'_>>(200)
            .handle(list),
        Operation::session(Method::Post, ALL, "createRule", Role::Owner)
            .summary("Creates a rule about received mail. It applies to mail that arrives from now on.")
            .responds::<RuleView<'_>>(201)
            .errors(&[ErrorCode::Forbidden])
            .handle(create),
        Operation::session(Method::Post, "/platform/rules/preview", "previewRule", Role::Member)
            .summary("Returns how many messages of the last 30 days a rule applies to. Changes nothing.")
            .responds::<RulePreviewView>(200)
            .handle(preview),
        Operation::session(Method::Patch, ONE, "updateRule", Role::Owner)
            .summary("Changes a rule. Mail that it acted on stays as it is.")
            .responds::<RuleView<'_>>(200)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(update),
        Operation::session(Method::Delete, ONE, "deleteRule", Role::Owner)
            .summary("Deletes a rule. Mail that it acted on stays as it is.")
            .responds_with(204, None)
            .errors(&[ErrorCode::Forbidden, ErrorCode::NotFound])
            .handle(delete),
    ]
}

object! {
    /// A condition of a rule.
    pub struct RuleConditionBody {
        /// What is compared.
        field: RuleField,
        /// What it is compared with: an address, a domain, a label that the service gives received mail, a category, the
        /// least score from 0 to 1, the least size in bytes; `true`, `false` or the end of a file name for attachments;
        /// `allow`, `block` or `none` for the receive lists.
        value: BoundedLine<1, TEXT_CHARS_MAX>,
    }
}

object! {
    /// An action of a rule.
    pub struct RuleActionBody {
        /// What happens. Of all rules that apply, the first one with `hold`, `block` or `route` decides about these.
        action: RuleActionKind,
        /// The label, or the id of the inbox; omitted for other actions.
        value: Option<BoundedLine<0, TEXT_CHARS_MAX>>,
    }
}

object! {
    /// A rule to create. All conditions must hold.
    struct CreateRuleBody {
        /// The name.
        name: BoundedLine<1, TEXT_CHARS_MAX>,
        /// The inbox that the rule applies to. Default: every inbox.
        inbox_id: Option<Uuid>,
        /// The place in the order. Default: behind the others.
        position: Option<BoundedInt<0, POSITION_MAX>>,
        /// Whether it applies. Default: true.
        enabled: Option<bool>,
        /// The conditions.
        conditions: BoundedList<RuleConditionBody, 1, CONDITIONS_MAX>,
        /// The actions.
        actions: BoundedList<RuleActionBody, 1, ACTIONS_MAX>,
    }
}

object! {
    /// Changes of a rule. Omitted members stay unchanged.
    struct UpdateRuleBody {
        /// The name.
        name: Replacement<BoundedLine<1, TEXT_CHARS_MAX>>,
        /// The inbox that the rule applies to; null for every inbox.
        inbox_id: Patch<Uuid>,
        /// The place in the order.
        position: Replacement<BoundedInt<0, POSITION_MAX>>,
        /// Whether it applies.
        enabled: Replacement<bool>,
        /// The conditions.
        conditions: Replacement<BoundedList<RuleConditionBody, 1, CONDITIONS_MAX>>,
        /// The actions.
        actions: Replacement<BoundedList<RuleActionBody, 1, ACTIONS_MAX>>,
    }
}

object! {
    /// A rule to try on stored mail.
    struct PreviewRuleBody {
        /// The inbox. Default: every inbox.
        inbox_id: Option<Uuid>,
        /// The conditions.
        conditions: BoundedList<RuleConditionBody, 1, CONDITIONS_MAX>,
    }
}

async fn list(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let found = rules::all(&service, input.caller).await?;
    Outcome::json(200, &RulesView { data: found.iter().map(RuleView::of).collect() })
}

async fn create(service: Arc<Service>, input: Input<EmptyInput, CreateRuleBody>) -> Result<Outcome, Refusal> {
    let made = rules::create(&service, input.caller, input.body.parse()?).await?;
    Outcome::json(201, &RuleView::of(&made))
}

async fn preview(service: Arc<Service>, input: Input<EmptyInput, PreviewRuleBody>) -> Result<Outcome, Refusal> {
    let (inbox, conditions) = (input.body.inbox_id.map(InboxId), conditions(input.body.conditions)?);
    let change = RuleChange { inbox: Some(inbox), conditions: Some(conditions), ..RuleChange::default() };
    let found = rules::preview(&service, input.caller, change).await?;
    let message_ids = found.messages.into_iter().map(Into::into).collect();
    let (checked, matched, complete) = (found.checked, found.matched, found.is_complete);
    Outcome::json(200, &RulePreviewView { days: PREVIEW_DAYS, checked, matched, message_ids, complete })
}

async fn update(service: Arc<Service>, input: Input<EmptyInput, UpdateRuleBody>) -> Result<Outcome, Refusal> {
    let id: RuleId = input.path.id("id", "rule")?;
    let changed = rules::change(&service, input.caller, id, input.body.parse()?).await?;
    Outcome::json(200, &RuleView::of(&changed))
}

async fn delete(service: Arc<Service>, input: Input) -> Result<Outcome, Refusal> {
    let id: RuleId = input.path.id("id", "rule")?;
    rules::delete(&service, input.caller, id).await?;
    Ok(Outcome::empty())
}

impl CreateRuleBody {
    fn parse(self) -> Result<RuleChange, Refusal> {
        Ok(RuleChange {
            name: Some(self.name.0),
            inbox: Some(self.inbox_id.map(InboxId)),
            position: self.position.map(|position| position.0),
            enabled: self.enabled,
            conditions: Some(conditions(self.conditions)?),
            actions: Some(actions(self.actions)?),
        })
    }
}

impl UpdateRuleBody {
    fn parse(self) -> Result<RuleChange, Refusal> {
        Ok(RuleChange {
            name: self.name.0.map(|name| name.0),
            inbox: self.inbox_id.change().map(|inbox| inbox.map(InboxId)),
            position: self.position.0.map(|position| position.0),
            enabled: self.enabled.0,
            conditions: self.conditions.0.map(conditions).transpose()?,
            actions: self.actions.0.map(actions).transpose()?,
        })
    }
}

fn conditions(given: BoundedList<RuleConditionBody, 1, CONDITIONS_MAX>) -> Result<RuleConditions, Refusal> {
    let all: Vec<RuleCondition> =
        given.0.into_iter().map(|one| RuleCondition { field: one.field, value: one.value.0 }).collect();
    check("conditions", all.iter().map(RuleCondition::check))?;
    Ok(RuleConditions(all))
}

fn actions(given: BoundedList<RuleActionBody, 1, ACTIONS_MAX>) -> Result<RuleActions, Refusal> {
    let value = |one: Option<BoundedLine<0, TEXT_CHARS_MAX>>| one.map(|line| line.0).unwrap_or_default();
    let all: Vec<RuleAction> =
        given.0.into_iter().map(|one| RuleAction { kind: one.action, value: value(one.value) }).collect();
    check("actions", all.iter().map(RuleAction::check))?;
    Ok(RuleActions(all))
}

/// Reports every value that isn't allowed.
fn check(list: &str, results: impl Iterator<Item = Result<(), String>>) -> Result<(), Refusal> {
    let problems = results
        .enumerate()
        .filter_map(|(at, result)| Some(FieldProblem { path: format!("{list}[{at}].value"), problem: result.err()? }));
    let problems: Vec<FieldProblem> = problems.collect();
    if problems.is_empty() { Ok(()) } else { Err(Refusal::invalid(&problems)) }
}
