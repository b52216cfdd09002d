//! The texts of mails that escalate something. Pure.
//!
//! Strangers choose subjects and names. So a mail is plain text, every text of others is one bounded line or quoted, and
//! content that is withheld from agents is left out.

use posthouse_domain::{DraftId, EscalationTrigger, InboxId, MessageId, ThreadId, Time, escalation::EXCERPT_CHARS};

/// The maximum number of escalations that a digest describes; it counts the others.
pub(super) const ITEMS_DESCRIBED_MAX: usize = 50;
/// The maximum number of characters of a subject or an author.
const LINE_CHARS_MAX: usize = 200;

/// What an escalation is about, as far as the mail shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EscalationItem {
    pub(super) trigger: EscalationTrigger,
    pub(super) at: Time,
    pub(super) link_to: LinkTarget,
    pub(super) details: ItemDetails,
}

/// Where a person finds the subject of an escalation in the dashboard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LinkTarget {
    /// A message.
    Message { inbox: InboxId, thread: ThreadId, message: MessageId },
    /// A draft.
    Draft { inbox: InboxId, draft: DraftId },
    /// The workspace.
    Workspace,
}

/// What the mail says about the subject of an escalation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct ItemDetails {
    /// The author of a message.
    pub(super) from: Option<String>,
    /// The recipients of a draft.
    pub(super) to: Option<String>,
    pub(super) subject: Option<String>,
    /// Why it happened: of a stop, or of a failed draft.
    pub(super) reason: Option<String>,
    /// The start of the text.
    pub(super) excerpt: Option<String>,
}

/// A mail to people on call.
pub(super) struct EscalationText<'a> {
    pub(super) base_url: &'a str,
    /// The inbox that it is about, or that it is sent from.
    pub(super) inbox: &'a str,
    /// What it is about; only the first [`ITEMS_DESCRIBED_MAX`] are described.
    pub(super) items: &'a [EscalationItem],
    /// The number of escalations.
    pub(super) count: usize,
}

impl EscalationText<'_> {
    /// Returns the subject.
    pub(super) fn subject(&self) -> String {
        match self.items {
            [item] if self.count == 1 => match &item.details.subject {
                Some(subject) => format!("{}: {}", title(item.trigger), line(subject)),
                None => format!("{}: {}", title(item.trigger), self.inbox),
            },
            _ => format!("{} escalations: {}", self.count, self.inbox),
        }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> String {
        let items: Vec<String> =
            self.items.iter().take(ITEMS_DESCRIBED_MAX).map(|item| described(item, self.base_url)).collect();
        let mut text = items.join("\n");
        if let Some(more @ 1..) = self.count.checked_sub(items.len()) {
            text.push_str(&format!("\nAnd {more} more: {}/\n", self.base_url));
        }
        text.push_str(&format!(
            "\n-- \nYou get this because you confirmed to be on call for {}. Only a person who manages its settings can \
             change that. Nobody reads replies to this mail.\n",
            self.inbox
        ));
        text
    }
}

/// Returns what happened, as the start of a subject.
const fn title(trigger: EscalationTrigger) -> &'static str {
    match trigger {
        EscalationTrigger::NeedsHuman => "Needs a person",
        EscalationTrigger::Phishing => "Possible phishing",
        EscalationTrigger::Blocked => "Message blocked",
        EscalationTrigger::DraftFailed => "Scheduled draft failed",
        EscalationTrigger::EmergencyStop => "Emergency stop",
        EscalationTrigger::Held => "Message held",
        EscalationTrigger::DraftCreated => "Draft waiting",
    }
}

/// Returns what happened, as a sentence.
const fn sentence(trigger: EscalationTrigger) -> &'static str {
    match trigger {
        EscalationTrigger::NeedsHuman => "A message needs a person.",
        EscalationTrigger::Phishing => "A message is probably phishing.",
        EscalationTrigger::Blocked => "A receive list blocked a message.",
        EscalationTrigger::DraftFailed => "A scheduled draft was not sent.",
        EscalationTrigger::EmergencyStop => "The emergency stop is active: nothing is sent until an owner resumes it.",
        EscalationTrigger::Held => "A message is held for review.",
        EscalationTrigger::DraftCreated => "A draft waits for a person.",
    }
}

fn described(item: &EscalationItem, base_url: &str) -> String {
    let details = &item.details;
    let mut text = format!("{}\n\n", sentence(item.trigger));
    for (name, value) in
        [("From", &details.from), ("To", &details.to), ("Subject", &details.subject), ("Reason", &details.reason)]
    {
        if let Some(value) = value {
            text.push_str(&format!("{name}: {}\n", line(value)));
        }
    }
    text.push_str(&format!("Time: {}\n{}\n", item.at, link(item.link_to, base_url)));
    if let Some(excerpt) = &details.excerpt {
        text.push('\n');
        text.extend(excerpt_of(excerpt).lines().map(|line| format!("> {line}\n")));
    }
    text
}

fn link(link_to: LinkTarget, base_url: &str) -> String {
    match link_to {
        LinkTarget::Message { inbox, thread, message } => {
            format!("{base_url}/inbox/{inbox}/{thread}#message-{message}")
        }
        LinkTarget::Draft { inbox, draft } => format!("{base_url}/approvals/{inbox}/{draft}"),
        LinkTarget::Workspace => format!("{base_url}/"),
    }
}

/// Returns a text as one line without control characters.
fn line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(LINE_CHARS_MAX).collect()
}

/// Returns the first characters of a text, without control characters except line breaks.
fn excerpt_of(text: &str) -> String {
    let is_shown = |c: &char| *c == '\n' || !c.is_control();
    text.trim_start().replace("\r\n", "\n").chars().filter(is_shown).take(EXCERPT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn item(trigger: EscalationTrigger, details: ItemDetails) -> EscalationItem {
        let (inbox, thread) = (InboxId(Uuid::from_u128(1)), ThreadId(Uuid::from_u128(2)));
        let link_to = LinkTarget::Message { inbox, thread, message: MessageId(Uuid::from_u128(3)) };
        EscalationItem { trigger, at: Time::from_millis(0), link_to, details }
    }

    fn text(items: &[EscalationItem], count: usize) -> EscalationText<'_> {
        EscalationText { base_url: "https://x.example", inbox: "bot@agents.example", items, count }
    }

    #[test]
    fn strangers_cannot_add_lines() {
        let details = ItemDetails {
            from: Some("Eve\r\nReason: none <eve@x.example>".to_owned()),
            subject: Some(format!("Hi\u{0}\u{2028}\nBcc: all@x.example {}", "x".repeat(400))),
            ..ItemDetails::default()
        };
        let items = [item(EscalationTrigger::NeedsHuman, details)];
        let mail = text(&items, 1);
        assert!(mail.subject().starts_with("Needs a person: Hi Bcc: all@x.example xxx"));
        assert!(mail.subject().chars().count() < 230);
        assert!(mail.text().contains("From: Eve Reason: none <eve@x.example>\nSubject: Hi Bcc:"), "{}", mail.text());
        let link = "https://x.example/inbox/00000000-0000-0000-0000-000000000001/\
                    00000000-0000-0000-0000-000000000002#message-00000000-0000-0000-0000-000000000003\n";
        assert!(mail.text().contains(link), "{}", mail.text());
    }

    #[test]
    fn links_lead_to_screens_of_the_dashboard() {
        let screens = include_str!("../../../../web/src/screens/routes.ts");
        let (inbox, thread, draft) =
            (InboxId(Uuid::from_u128(1)), ThreadId(Uuid::from_u128(2)), DraftId(Uuid::from_u128(3)));
        let message = MessageId(Uuid::from_u128(4));
        for (link_to, pattern) in [
            (LinkTarget::Message { inbox, thread, message }, "/inbox/:inbox/:thread"),
            (LinkTarget::Draft { inbox, draft }, "/approvals/:inbox/:draft"),
            (LinkTarget::Workspace, "/"),
        ] {
            let path = pattern
                .replace(":inbox", &inbox.to_string())
                .replace(":thread", &thread.to_string())
                .replace(":draft", &draft.to_string());
            assert_eq!(link(link_to, "").split('#').next(), Some(path.as_str()));
            assert!(screens.contains(&format!("pattern: '{pattern}' }}")), "{pattern}");
        }
    }

    #[test]
    fn excerpts_have_500_characters_in_quoted_lines() {
        let details =
            ItemDetails { excerpt: Some(format!("\r\nä\r\n\u{7}{}", "ö".repeat(600))), ..ItemDetails::default() };
        let items = [item(EscalationTrigger::Phishing, details)];
        let shown = text(&items, 1).text();
        assert!(shown.contains(&format!("\n> ä\n> {}\n", "ö".repeat(498))), "{shown}");
    }

    #[test]
    fn digests_count_what_they_do_not_describe() {
        let items = vec![item(EscalationTrigger::Blocked, ItemDetails::default()); ITEMS_DESCRIBED_MAX];
        let mail = text(&items, 60);
        assert_eq!(mail.subject(), "60 escalations: bot@agents.example");
        assert!(mail.text().contains("And 10 more: https://x.example/\n"));
        assert!(!text(&items, ITEMS_DESCRIBED_MAX).text().contains("more:"));
    }
}
