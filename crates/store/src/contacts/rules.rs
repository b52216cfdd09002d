//! Rules of the owner about received mail.

use posthouse_domain::{
    Rule, RuleAction, RuleActionKind, RuleActions, RuleCondition, RuleConditions, RuleField, RuleId, Time, WorkspaceId,
};
use serde::{Deserialize, Serialize};

use crate::{Result, statements, values::stored_columns, workspaces::named};

statements! {
    /// Stores a rule.
    pub fn insert(rule: row &Rule) = "{insert rules}";
    /// Returns the rules of a workspace, in their order. Their number is limited on creation.
    pub fn all(workspace: WorkspaceId) -> Vec<Rule> =
        "SELECT {rules} FROM rules WHERE workspace_id = :workspace ORDER BY position, id";
    /// Returns the rule with that ID.
    pub fn get(workspace: WorkspaceId, id: RuleId) -> Option<Rule> =
        "SELECT {rules} FROM rules WHERE workspace_id = :workspace AND id = :id";
    /// Writes a changed rule.
    pub fn update(rule: row &Rule) = "UPDATE rules {set rules} WHERE workspace_id = :workspace_id AND id = :id";
    /// Deletes a rule; returns whether it existed.
    pub fn delete(workspace: WorkspaceId, id: RuleId) -> bool =
        "DELETE FROM rules WHERE workspace_id = :workspace AND id = :id";
    /// Deletes the rules of an inbox.
    pub fn delete_of_inbox(workspace: WorkspaceId, inbox: posthouse_domain::InboxId) =
        "DELETE FROM rules WHERE workspace_id = :workspace AND inbox_id = :inbox";
    /// Returns received messages of an inbox after a time, newest first.
    pub fn received(
        workspace: WorkspaceId, inbox: posthouse_domain::InboxId, since: Time, before: Time, limit: u32,
    ) -> Vec<posthouse_domain::Message> =
        "SELECT {m.messages} FROM messages m WHERE m.workspace_id = :workspace AND m.inbox_id = :inbox AND m.direction = 'inbound'
        AND m.created_at > :since AND m.created_at < :before ORDER BY m.created_at DESC LIMIT :limit";
}

stored_columns!(RuleConditions as StoredConditions, StoredConditions::conditions);
stored_columns!(RuleActions as StoredActions, StoredActions::actions);

/// A condition or action as stored: its name and its value.
#[derive(Serialize, Deserialize)]
struct NamedValue {
    name: String,
    value: String,
}

#[derive(Serialize, Deserialize)]
struct StoredConditions(Vec<NamedValue>);

#[derive(Serialize, Deserialize)]
struct StoredActions(Vec<NamedValue>);

impl From<&RuleConditions> for StoredConditions {
    fn from(all: &RuleConditions) -> Self {
        let stored = |one: &RuleCondition| NamedValue { name: one.field.text().to_owned(), value: one.value.clone() };
        Self(all.0.iter().map(stored).collect())
    }
}

impl StoredConditions {
    fn conditions(self) -> Result<RuleConditions> {
        let read = |one: NamedValue| Ok(RuleCondition { field: named(&one.name, RuleField::parse)?, value: one.value });
        self.0.into_iter().map(read).collect::<Result<_>>().map(RuleConditions)
    }
}

impl From<&RuleActions> for StoredActions {
    fn from(all: &RuleActions) -> Self {
        let stored = |one: &RuleAction| NamedValue { name: one.kind.text().to_owned(), value: one.value.clone() };
        Self(all.0.iter().map(stored).collect())
    }
}

impl StoredActions {
    fn actions(self) -> Result<RuleActions> {
        let read =
            |one: NamedValue| Ok(RuleAction { kind: named(&one.name, RuleActionKind::parse)?, value: one.value });
        self.0.into_iter().map(read).collect::<Result<_>>().map(RuleActions)
    }
}
