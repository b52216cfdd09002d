//! Rules of the owner about received mail: conditions that must all hold, and what happens then. Pure.
//!
//! A rule is judged by facts that a stored message still has, so that a preview over stored mail finds what the rule would
//! have found when the mail arrived.

use posthouse_mail::address::{Address, Mailbox};

use crate::{
    analysis::Category,
    id::{InboxId, RuleId, WorkspaceId},
    label::{self, BLOCKED},
    list::{ListEntryMatches, domain_text, patterns_of},
    message::Message,
    time::{DAY_MS, Time},
};

/// The maximum number of rules of a workspace.
pub const RULES_MAX: usize = 100;
/// The maximum number of conditions of a rule.
pub const CONDITIONS_MAX: usize = 10;
/// The maximum number of actions of a rule.
pub const ACTIONS_MAX: usize = 5;
/// The longest name and the longest value, in characters.
pub const TEXT_CHARS_MAX: usize = 320;
/// How far a preview goes back, in days.
pub const PREVIEW_DAYS: i64 = 30;
/// [`PREVIEW_DAYS`] in milliseconds.
pub const PREVIEW_MS: i64 = PREVIEW_DAYS * DAY_MS;
/// The maximum number of messages that a preview judges.
pub const PREVIEW_MESSAGES_MAX: u64 = 10_000;

named! {
    /// What a condition compares.
    RuleField {
        /// The address of the author.
        Sender = "sender",
        /// The domain of the author, or one above it.
        Domain = "domain",
        /// A system label, such as `dmarc-fail`.
        Label = "label",
        /// The category of the categorizer.
        Category = "category",
        /// The probability of an injection, at least.
        Injection = "injection",
        /// The probability of phishing, at least.
        Phishing = "phishing",
        /// The probability that a person is needed, at least.
        NeedsHuman = "needs_human",
        /// Whether there are attachments: `true`, `false`, or the end of a file name.
        Attachment = "attachment",
        /// The size in bytes, at least.
        Size = "size",
        /// Whether an entry of the receive lists names the author: `allow`, `block` or `none`.
        List = "list",
    }
    /// What a rule does.
    RuleActionKind {
        /// Adds a label.
        Label = "label",
        /// Holds the message until a person releases it.
        Hold = "hold",
        /// Blocks the message, as a receive list does.
        Block = "block",
        /// Files the message in another inbox.
        Route = "route",
        /// Marks the message for a person.
        NeedsHuman = "needs_human",
        /// Lets agents only draft answers.
        DraftOnly = "draft_only",
    }
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleCondition {
    /// What is compared.
    pub field: RuleField,
    /// What it is compared with.
    pub value: String,
}

/// An action.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleAction {
    /// What happens.
    pub kind: RuleActionKind,
    /// The label, or the ID of the inbox; empty for other actions.
    pub value: String,
}

/// A rule as stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub workspace: WorkspaceId,
    pub id: RuleId,
    /// Its place: rules apply in this order, and of two that block, hold or route, the first decides.
    pub position: i64,
    pub name: String,
    /// The inbox it applies to; `None` means all.
    pub inbox: Option<InboxId>,
    /// Whether it applies.
    pub enabled: bool,
    /// All of them must hold.
    pub conditions: RuleConditions,
    /// What happens then.
    pub actions: RuleActions,
    pub created_at: Time,
    /// When it last changed.
    pub updated_at: Time,
}

/// The conditions of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleConditions(pub Vec<RuleCondition>);

/// The actions of a rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleActions(pub Vec<RuleAction>);

/// What the categorizer found, as far as rules depend on it.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleVerdict {
    pub category: String,
    /// The probability of an injection.
    pub injection: f64,
    /// The probability of phishing.
    pub phishing: f64,
    /// The probability that a person is needed.
    pub needs_human: f64,
}

/// What conditions compare.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleFacts {
    pub inbox: InboxId,
    pub author: Option<Address>,
    /// The system labels that it got when it arrived.
    pub labels: Vec<String>,
    pub size_bytes: u64,
    /// The names of the attachments; an empty one stands for a file without a name.
    pub files: Vec<String>,
    /// The receive lists that name the author.
    pub lists: ListEntryMatches,
    /// What the categorizer found, once it has run.
    pub verdict: Option<RuleVerdict>,
}

impl RuleFacts {
    /// Returns the facts about a message. Labels that rules, lists or callers added don't count.
    #[must_use]
    pub fn of(message: &Message, files: Vec<String>, lists: ListEntryMatches, verdict: Option<RuleVerdict>) -> Self {
        let counts =
            |label: &&String| label::is_system(label) && *label != BLOCKED && !label.starts_with(label::GUARD_PREFIX);
        Self {
            inbox: message.inbox,
            author: Mailbox::parse(&message.from).ok().map(Mailbox::into_address),
            labels: message.labels.iter().filter(counts).cloned().collect(),
            size_bytes: message.size_bytes,
            files,
            lists,
            verdict,
        }
    }
}

/// What the rules do to a message.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleOutcome {
    /// The rules that apply.
    pub rules: Vec<RuleId>,
    /// Labels to add.
    pub labels: Vec<String>,
    pub is_held: bool,
    pub is_blocked: bool,
    /// The inbox that gets it instead.
    pub route: Option<InboxId>,
}

impl RuleCondition {
    /// Reports what is wrong with the value.
    ///
    /// # Errors
    /// Describes the allowed values.
    pub fn check(&self) -> Result<(), String> {
        let value = self.value.as_str();
        let is_valid = match self.field {
            RuleField::Sender => Address::parse(value).is_ok(),
            RuleField::Domain => domain_text(value.trim_start_matches('@')).is_some(),
            RuleField::Label => label::is_label(value) && label::is_of_receipt(value),
            RuleField::Category => Category::parse(value).is_some(),
            RuleField::Attachment => !value.is_empty(),
            RuleField::Injection | RuleField::Phishing | RuleField::NeedsHuman => {
                value.parse().is_ok_and(|score: f64| (0.0..=1.0).contains(&score))
            }
            RuleField::Size => value.parse::<u64>().is_ok(),
            RuleField::List => ["allow", "block", "none"].contains(&value),
        };
        let expected = match self.field {
            RuleField::Sender => "must be an address",
            RuleField::Domain => "must be a domain",
            RuleField::Label => {
                "must be a label that the service gives received mail, such as `dmarc-fail` or `local:spam`"
            }
            RuleField::Category => "must be a category, such as `support`",
            RuleField::Attachment => "must be true, false or the end of a file name",
            RuleField::Injection | RuleField::Phishing | RuleField::NeedsHuman => "must be a number from 0 to 1",
            RuleField::Size => "must be a number of bytes",
            RuleField::List => "must be allow, block or none",
        };
        if is_valid { Ok(()) } else { Err(expected.to_owned()) }
    }

    /// Returns whether it depends on the categorizer.
    #[must_use]
    pub fn needs_verdict(&self) -> bool {
        match self.field {
            RuleField::Category | RuleField::Injection | RuleField::Phishing | RuleField::NeedsHuman => true,
            RuleField::Label => self.value.starts_with("ai:"),
            RuleField::Sender | RuleField::Domain | RuleField::Attachment | RuleField::Size | RuleField::List => false,
        }
    }

    fn holds(&self, facts: &RuleFacts) -> bool {
        let value = self.value.as_str();
        let author = facts.author.as_ref();
        let reaches = |score: fn(&RuleVerdict) -> f64| {
            facts
                .verdict
                .as_ref()
                .zip(value.parse().ok())
                .is_some_and(|(verdict, least): (_, f64)| score(verdict) >= least)
        };
        match self.field {
            RuleField::Sender => author.is_some_and(|author| {
                Address::parse(value).is_ok_and(|wanted| wanted == *author || wanted == author.without_tag())
            }),
            RuleField::Domain => author.is_some_and(|author| {
                let wanted = domain_text(value.trim_start_matches('@'));
                wanted.is_some_and(|wanted| patterns_of(author)[1..].contains(&wanted))
            }),
            RuleField::Label => facts.labels.iter().any(|label| label == value),
            RuleField::Category => facts.verdict.as_ref().is_some_and(|verdict| verdict.category == value),
            RuleField::Injection => reaches(|verdict| verdict.injection),
            RuleField::Phishing => reaches(|verdict| verdict.phishing),
            RuleField::NeedsHuman => reaches(|verdict| verdict.needs_human),
            RuleField::Attachment => match value {
                "true" => !facts.files.is_empty(),
                "false" => facts.files.is_empty(),
                end => facts.files.iter().any(|name| name.to_lowercase().ends_with(&end.to_lowercase())),
            },
            RuleField::Size => value.parse().is_ok_and(|least: u64| facts.size_bytes >= least),
            RuleField::List => match value {
                "allow" => facts.lists.allowed,
                "block" => facts.lists.blocked,
                _ => !facts.lists.allowed && !facts.lists.blocked,
            },
        }
    }
}

impl RuleAction {
    /// Reports what is wrong with the value.
    ///
    /// # Errors
    /// Describes the allowed values.
    pub fn check(&self) -> Result<(), String> {
        match self.kind {
            RuleActionKind::Label if !label::is_label(&self.value) || label::is_system(&self.value) => {
                Err("must be a label of 1 to 64 characters without whitespace and commas, but no system label"
                    .to_owned())
            }
            RuleActionKind::Route if self.value.parse::<InboxId>().is_err() => {
                Err("must be the ID of an inbox".to_owned())
            }
            RuleActionKind::Label | RuleActionKind::Route => Ok(()),
            _ if self.value.is_empty() => Ok(()),
            _ => Err("must be left out for this action".to_owned()),
        }
    }
}

impl Rule {
    /// Returns whether a condition depends on the categorizer, so that the rule applies once that has run.
    #[must_use]
    pub fn needs_verdict(&self) -> bool {
        self.conditions.0.iter().any(RuleCondition::needs_verdict)
    }

    /// Returns whether the rule applies to a message.
    #[must_use]
    pub fn applies(&self, facts: &RuleFacts) -> bool {
        let is_of_inbox = self.inbox.is_none_or(|inbox| inbox == facts.inbox);
        self.enabled && is_of_inbox && self.conditions.0.iter().all(|condition| condition.holds(facts))
    }
}

/// Applies rules, which are sorted by position.
#[must_use]
pub fn apply<'r>(rules: impl IntoIterator<Item = &'r Rule>, facts: &RuleFacts) -> RuleOutcome {
    let mut outcome = RuleOutcome::default();
    for rule in rules.into_iter().filter(|rule| rule.applies(facts)) {
        outcome.rules.push(rule.id);
        // The first rule that decides where the message goes wins.
        let is_decided = outcome.is_held || outcome.is_blocked || outcome.route.is_some();
        for action in &rule.actions.0 {
            match action.kind {
                RuleActionKind::Label => outcome.add_label(&action.value),
                RuleActionKind::NeedsHuman => outcome.add_label(label::NEEDS_HUMAN),
                RuleActionKind::DraftOnly => outcome.add_label(label::DRAFT_ONLY),
                RuleActionKind::Hold if !is_decided => outcome.is_held = true,
                RuleActionKind::Block if !is_decided => outcome.is_blocked = true,
                RuleActionKind::Route if !is_decided => outcome.route = action.value.parse().ok(),
                RuleActionKind::Hold | RuleActionKind::Block | RuleActionKind::Route => {}
            }
        }
    }
    outcome
}

impl RuleOutcome {
    fn add_label(&mut self, label: &str) {
        if !self.labels.iter().any(|other| other == label) {
            self.labels.push(label.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::IdGenerator;

    fn facts() -> RuleFacts {
        RuleFacts {
            inbox: InboxId(uuid::Uuid::nil()),
            author: Some(Address::parse("ada+x@mail.good.example").expect("an address")),
            labels: vec!["dmarc-fail".to_owned()],
            size_bytes: 1_000,
            files: vec!["Report.PDF".to_owned()],
            lists: ListEntryMatches { allowed: true, blocked: false },
            verdict: Some(RuleVerdict {
                category: "sales".to_owned(),
                injection: 0.7,
                phishing: 0.1,
                needs_human: 0.0,
            }),
        }
    }

    fn rule(conditions: &[(RuleField, &str)], actions: &[(RuleActionKind, &str)]) -> Rule {
        let now = Time::from_millis(0);
        let conditions =
            conditions.iter().map(|(field, value)| RuleCondition { field: *field, value: (*value).into() });
        let actions = actions.iter().map(|(kind, value)| RuleAction { kind: *kind, value: (*value).into() });
        Rule {
            workspace: WorkspaceId(uuid::Uuid::nil()),
            id: IdGenerator::new(now, [0; 8]).next(),
            position: 0,
            name: String::new(),
            inbox: None,
            enabled: true,
            conditions: RuleConditions(conditions.collect()),
            actions: RuleActions(actions.collect()),
            created_at: now,
            updated_at: now,
        }
    }

    #[test]
    fn each_condition_compares_its_fact() {
        use RuleField::*;
        let table = [
            (Sender, "ada@mail.good.example", "bob@mail.good.example"),
            (Domain, "good.example", "evil.example"),
            (Domain, "@mail.good.example", "ood.example"),
            (Label, "dmarc-fail", "spf-fail"),
            (Category, "sales", "other"),
            (Injection, "0.7", "0.71"),
            (Phishing, "0", "0.2"),
            (Attachment, "true", "false"),
            (Attachment, ".pdf", ".zip"),
            (Size, "1000", "1001"),
            (List, "allow", "none"),
        ];
        for (field, matching, other) in table {
            for (value, expected) in [(matching, true), (other, false)] {
                let rule = rule(&[(field, value)], &[]);
                assert_eq!(rule.conditions.0[0].check(), Ok(()), "{field:?} {value}");
                assert_eq!(rule.applies(&facts()), expected, "{field:?} {value}");
            }
        }
        for (field, bad) in [
            (Label, "risky"),
            (Label, "vip,dmarc-fail"),
            (Label, "guard:draft-only"),
            (Sender, "x"),
            (Domain, ""),
            (Injection, "2"),
            (Size, "-1"),
            (List, "x"),
            (Label, ""),
        ] {
            assert!(RuleCondition { field, value: bad.to_owned() }.check().is_err(), "{field:?}");
        }
    }

    #[test]
    fn the_first_rule_decides_and_labels_add_up() {
        use RuleActionKind::*;
        let inbox = InboxId(uuid::Uuid::from_u128(9)).to_string();
        let all = [
            rule(&[(RuleField::Domain, "good.example")], &[(Label, "a"), (DraftOnly, "")]),
            rule(&[(RuleField::Domain, "evil.example")], &[(Block, "")]),
            rule(&[], &[(Hold, ""), (NeedsHuman, "")]),
            rule(&[], &[(Route, &inbox), (Label, "a")]),
        ];
        let outcome = apply(&all, &facts());
        assert_eq!((outcome.is_held, outcome.is_blocked, outcome.route), (true, false, None));
        assert_eq!(outcome.labels, ["a", "guard:draft-only", "ai:needs-human"]);
        assert_eq!(outcome.rules.len(), 3);
        let routed = apply(&all[3..], &facts());
        assert_eq!(routed.route.map(|inbox| inbox.to_string()), Some(inbox));
    }
}
