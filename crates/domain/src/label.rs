//! Labels of messages and threads: the system labels, and changes by callers.

use crate::error::Refusal;

/// The maximum number of labels of a message or a thread.
pub const LABELS_MAX: usize = 50;
/// On messages whose SPF result is `fail`, without an aligned DKIM pass.
pub const SPF_FAIL: &str = "spf-fail";
/// On messages whose DMARC result is `fail`, and on messages without an author.
pub const DMARC_FAIL: &str = "dmarc-fail";
/// On messages whose DMARC result is unknown: DNS failed, or the policy is invalid.
pub const AUTH_UNKNOWN: &str = "auth-unknown";
/// Labels of messages whose author may be forged. An author is trusted only if none of them is present.
pub const UNAUTHENTICATED: [&str; 3] = [SPF_FAIL, DMARC_FAIL, AUTH_UNKNOWN];
/// On messages that a receive list blocked.
pub const BLOCKED: &str = "blocked";
/// On a report about sent mail from a source that isn't authorized to report. It is handled as ordinary mail.
pub const UNVERIFIED_REPORT: &str = "unverified-report";
/// On messages that need a person. The categorizer adds it, and so may an agent.
pub const NEEDS_HUMAN: &str = "ai:needs-human";
/// On received messages that are probably phishing.
pub const PHISHING: &str = "ai:phishing";
/// On received messages that are probably automatic.
pub const AUTO_REPLY: &str = "ai:auto-reply";
/// On received messages in which the local screen found instructions to an agent, or hidden text.
pub const LOCAL_INJECTION_RISK: &str = "local:injection-risk";
/// On received messages that are probably spam.
pub const LOCAL_SPAM: &str = "local:spam";
/// The prefix of the labels that the rules of the owner and the outbound policy set.
pub const GUARD_PREFIX: &str = "guard:";
/// On messages that agents answer only with a draft, because a rule of the owner says so.
pub const DRAFT_ONLY: &str = "guard:draft-only";
/// Labels that hide a message in an inbox that filters promotions.
pub const PROMOTIONS: [&str; 2] = ["ai:sales", LOCAL_SPAM];

/// The system labels that are full names.
pub const SYSTEM: [&str; 6] = [SPF_FAIL, DMARC_FAIL, AUTH_UNKNOWN, "bounce-report", UNVERIFIED_REPORT, BLOCKED];
/// The prefixes of system labels.
pub const SYSTEM_PREFIXES: [&str; 4] = ["ai:", "local:", "queue:", GUARD_PREFIX];

/// Returns whether the labels say that the author failed authentication or couldn't be checked.
#[must_use]
pub fn has_failed_authentication(labels: &[String]) -> bool {
    labels.iter().any(|label| UNAUTHENTICATED.contains(&label.as_str()))
}

/// The longest label, in characters.
pub const LABEL_CHARS_MAX: usize = 64;

/// Returns whether a text can be a label: lists of labels are separated by commas.
#[must_use]
pub fn is_label(text: &str) -> bool {
    let is_part = |c: char| !c.is_whitespace() && !c.is_control() && c != ',';
    (1..=LABEL_CHARS_MAX).contains(&text.chars().count()) && text.chars().all(is_part)
}

/// Returns whether only the system may add and remove the label.
#[must_use]
pub fn is_system(label: &str) -> bool {
    SYSTEM.contains(&label) || SYSTEM_PREFIXES.iter().any(|prefix| label.starts_with(prefix))
}

/// Returns whether the service may give the label to received mail by itself, when it is stored and analyzed. What callers,
/// queues and rules add comes later.
#[must_use]
pub fn is_of_receipt(label: &str) -> bool {
    let has_prefix = |prefix: &&str| label.len() > prefix.len() && label.starts_with(*prefix);
    SYSTEM.contains(&label) || ["ai:", "local:"].iter().any(has_prefix)
}

/// Returns whether a caller may add the label to a message.
#[must_use]
pub fn is_addable(label: &str) -> bool {
    label == NEEDS_HUMAN || !is_system(label)
}

/// The labels that a caller adds and removes. Each is valid and none is in both lists. Only [`NEEDS_HUMAN`] may be a
/// system label, and it can only be added.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelChange {
    /// `add_labels`
    pub add: Vec<String>,
    /// `remove_labels`
    pub remove: Vec<String>,
}

impl LabelChange {
    /// Returns the labels after the change: the old ones in their order, followed by the new ones.
    ///
    /// # Errors
    /// Returns `invalid_request` if the result has more than [`LABELS_MAX`] labels. A change that doesn't add labels
    /// always succeeds.
    pub fn applied(&self, labels: &[String]) -> Result<Vec<String>, Refusal> {
        self.applied_up_to(labels, LABELS_MAX)
    }

    /// Applies the change like [`Self::applied`], with another maximum.
    ///
    /// # Errors
    /// Returns `invalid_request` if the result has more than `max` labels.
    pub fn applied_up_to(&self, labels: &[String], max: usize) -> Result<Vec<String>, Refusal> {
        let mut after: Vec<String> = labels.iter().filter(|label| !self.remove.contains(label)).cloned().collect();
        for label in &self.add {
            if !after.contains(label) {
                after.push(label.clone());
            }
        }
        if after.len() > max && after.len() > labels.len() {
            let problem = format!("would result in {} labels; the limit is {max}", after.len());
            return Err(Refusal::invalid_field("add_labels", problem));
        }
        Ok(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(labels: &[&str]) -> Vec<String> {
        labels.iter().map(|&label| label.to_owned()).collect()
    }

    fn change(add: &[&str], remove: &[&str]) -> LabelChange {
        LabelChange { add: texts(add), remove: texts(remove) }
    }

    #[test]
    fn labels_keep_their_order_without_duplicates() {
        let after = change(&["c", "a", "c"], &["b", "x"]).applied(&texts(&["a", "b", "ai:sales"]));
        assert_eq!(after, Ok(texts(&["a", "ai:sales", "c"])));
    }

    #[test]
    fn system_labels_are_names_and_prefixes() {
        for label in ["ai:sales", "ai:", "local:spam", "queue:dead-letter", "spf-fail", "dmarc-fail", "blocked"] {
            assert!(is_system(label), "{label}");
        }
        for label in ["ai", "aid:x", "spf-failed", "local", "blocked:x"] {
            assert!(!is_system(label), "{label}");
        }
    }

    #[test]
    fn labels_of_receipt_are_those_that_the_service_sets_by_itself() {
        for label in
            [SYSTEM.as_slice(), &PROMOTIONS, &[PHISHING, AUTO_REPLY, NEEDS_HUMAN, LOCAL_INJECTION_RISK]].concat()
        {
            assert!(is_of_receipt(label) && is_system(label), "{label}");
        }
        let others =
            ["", "risky", "vip", "AI:phishing", "ai", "ai:", "local", "local:", "dmarc", "dmarc-failed", "spf"];
        let later = ["queue:dead-letter", "guard:", DRAFT_ONLY, "guard:hold", "blocked ", " blocked", "x:ai:phishing"];
        for label in others.into_iter().chain(later) {
            assert!(!is_of_receipt(label), "{label}");
        }
    }

    #[test]
    fn labels_are_limited_and_removing_always_works() {
        let full: Vec<String> = (0..LABELS_MAX).map(|n| format!("l{n}")).collect();
        assert!(change(&["new"], &[]).applied(&full).is_err());
        assert!(change(&["new"], &["l0"]).applied(&full).is_ok());
        let over: Vec<String> = (0..LABELS_MAX + 3).map(|n| format!("l{n}")).collect();
        assert_eq!(change(&[], &["l0"]).applied(&over).map(|l| l.len()), Ok(LABELS_MAX + 2));
    }
}
