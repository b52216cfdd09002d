//! The rule object, and the preview of a rule.

use posthouse_domain::rule::{Rule, RuleActionKind, RuleField};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::{TimestampView, name_of};

/// A rule of the owner about received mail.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rule")]
pub struct RuleView<'a> {
    id: Uuid,
    name: &'a str,
    /// Rules apply in this order.
    position: i64,
    /// Inbox that the rule applies to; null for every inbox of the workspace.
    inbox_id: Option<Uuid>,
    enabled: bool,
    /// All of them must hold.
    conditions: Vec<RuleConditionView<'a>>,
    /// What happens then.
    actions: Vec<RuleActionView<'a>>,
    created_at: TimestampView,
    updated_at: TimestampView,
}

/// A condition of a rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RuleCondition")]
pub struct RuleConditionView<'a> {
    #[schemars(schema_with = "name_of::<RuleField>")]
    field: &'static str,
    value: &'a str,
}

/// An action of a rule.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RuleAction")]
pub struct RuleActionView<'a> {
    #[schemars(schema_with = "name_of::<RuleActionKind>")]
    action: &'static str,
    /// Label, or id of the inbox; null for other actions.
    value: Option<&'a str>,
}

/// All rules, without pagination.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rules")]
pub struct RulesView<'a> {
    /// Rules in their order.
    pub data: Vec<RuleView<'a>>,
}

/// What a rule would have done to mail of the last 30 days.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RulePreview")]
pub struct RulePreviewView {
    /// Number of days.
    pub days: i64,
    /// Number of received messages that were judged.
    pub checked: u64,
    /// Number of messages that the rule applies to.
    pub matched: u64,
    /// Newest messages that it applies to, at most 20.
    pub message_ids: Vec<Uuid>,
    /// Whether all messages of these days were judged; a preview judges 10,000 at most.
    pub complete: bool,
}

impl<'a> RuleView<'a> {
    /// Returns the view of a rule.
    #[must_use]
    pub fn of(rule: &'a Rule) -> Self {
        let conditions = rule.conditions.0.iter();
        let actions = rule.actions.0.iter();
        Self {
            id: rule.id.into(),
            name: &rule.name,
            position: rule.position,
            inbox_id: rule.inbox.map(Into::into),
            enabled: rule.enabled,
            conditions: conditions
                .map(|one| RuleConditionView { field: one.field.text(), value: &one.value })
                .collect(),
            actions: actions
                .map(|one| RuleActionView {
                    action: one.kind.text(),
                    value: Some(one.value.as_str()).filter(|value| !value.is_empty()),
                })
                .collect(),
            created_at: rule.created_at.into(),
            updated_at: rule.updated_at.into(),
        }
    }
}
