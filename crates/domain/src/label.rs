//! Labels of messages and threads: which are the system's, and what a change by a caller makes of a list (API document,
//! System labels; contract §4.2).

use crate::error::Refusal;

/// Most labels of a message or a thread.
pub const LABELS_MAX: usize = 50;
/// On mail whose SPF result is `fail`, without an aligned DKIM pass.
pub const SPF_FAIL: &str = "spf-fail";
/// On mail whose DMARC result is `fail`, and on mail without an author.
pub const DMARC_FAIL: &str = "dmarc-fail";
/// On mail whose DMARC result cannot be had: DNS failed, or the policy cannot be read.
pub const AUTH_UNKNOWN: &str = "auth-unknown";
/// Labels of mail whose author may be forged. Trust in an author depends on none of them.
pub const UNAUTHENTICATED: [&str; 3] = [SPF_FAIL, DMARC_FAIL, AUTH_UNKNOWN];
/// On mail that a receive list stopped.
pub const BLOCKED: &str = "blocked";
/// On a report about sent mail whose source is not entitled to report: ordinary mail that changes nothing.
pub const UNVERIFIED_REPORT: &str = "unverified-report";
/// On mail that is kept apart where an inbox filters promotions (contract §3.1).
pub const PROMOTIONS: [&str; 2] = ["ai:sales", "local:spam"];

/// Labels of the system that are whole names.
const SYSTEM: [&str; 6] = [SPF_FAIL, DMARC_FAIL, AUTH_UNKNOWN, "bounce-report", UNVERIFIED_REPORT, BLOCKED];
/// Labels of the system that share a beginning.
const SYSTEM_PREFIXES: [&str; 3] = ["ai:", "local:", "queue:"];

/// Whether labels say that the author of a message failed authentication, or could not be checked.
#[must_use]
pub fn tells_of_failed_authentication(labels: &[String]) -> bool {
    labels.iter().any(|label| UNAUTHENTICATED.contains(&label.as_str()))
}

/// Whether only the system gives and takes this label.
#[must_use]
pub fn is_system(label: &str) -> bool {
    SYSTEM.contains(&label) || SYSTEM_PREFIXES.iter().any(|prefix| label.starts_with(prefix))
}

/// Labels that a caller adds and removes. Each has the form of a label and is one that the caller may change; none is in both.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LabelChange {
    /// `add_labels`
    pub add: Vec<String>,
    /// `remove_labels`
    pub remove: Vec<String>,
}

impl LabelChange {
    /// The labels after the change, the old ones in their order, the new ones behind them.
    ///
    /// # Errors
    /// `invalid_request` when they would be more than [`LABELS_MAX`]. A list that does not grow is never refused.
    pub fn applied(&self, labels: &[String]) -> Result<Vec<String>, Refusal> {
        self.applied_up_to(labels, LABELS_MAX)
    }

    /// Like [`Self::applied`] with another most of labels.
    ///
    /// # Errors
    /// `invalid_request` when they would be more than `max`.
    pub fn applied_up_to(&self, labels: &[String], max: usize) -> Result<Vec<String>, Refusal> {
        let mut after: Vec<String> = labels.iter().filter(|label| !self.remove.contains(label)).cloned().collect();
        for label in &self.add {
            if !after.contains(label) {
                after.push(label.clone());
            }
        }
        if after.len() > max && after.len() > labels.len() {
            let problem = format!("would make {} labels; {max} are the most", after.len());
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
    fn order_is_kept_and_nothing_is_there_twice() {
        let after = change(&["c", "a", "c"], &["b", "x"]).applied(&texts(&["a", "b", "ai:sales"]));
        assert_eq!(after, Ok(texts(&["a", "ai:sales", "c"])));
    }

    #[test]
    fn labels_of_the_system_are_names_and_beginnings() {
        for label in ["ai:sales", "ai:", "local:spam", "queue:dead-letter", "spf-fail", "dmarc-fail", "blocked"] {
            assert!(is_system(label), "{label}");
        }
        for label in ["ai", "aid:x", "spf-failed", "local", "blocked:x"] {
            assert!(!is_system(label), "{label}");
        }
    }

    #[test]
    fn fifty_labels_are_the_most_but_removing_always_works() {
        let full: Vec<String> = (0..LABELS_MAX).map(|n| format!("l{n}")).collect();
        assert!(change(&["new"], &[]).applied(&full).is_err());
        assert!(change(&["new"], &["l0"]).applied(&full).is_ok());
        let over: Vec<String> = (0..LABELS_MAX + 3).map(|n| format!("l{n}")).collect();
        assert_eq!(change(&[], &["l0"]).applied(&over).map(|l| l.len()), Ok(LABELS_MAX + 2));
    }
}
