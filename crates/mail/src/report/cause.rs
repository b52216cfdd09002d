//! Classifies a failure from a report. Uses the reply of the server that decided, and the human-readable text, which
//! often explains more than the reply.

use crate::{
    bounce::{self, BounceClass, BounceReply},
    smtp::client::SmtpStage,
};

/// The evidence about a failure.
pub(super) struct FailureEvidence<'f> {
    /// Whether the server is still retrying.
    pub(super) is_delayed: bool,
    /// The enhanced status code.
    pub(super) status: Option<&'f str>,
    /// The reply of the server that made the decision.
    pub(super) words: &'f str,
    /// The human-readable text of the report.
    pub(super) prose: &'f str,
}

/// Returns the class of a failure.
pub(super) fn of(facts: &FailureEvidence<'_>) -> BounceClass {
    let code = reply_code(facts.words);
    let reply = BounceReply { code, enhanced: facts.status, words: facts.words, stage: stage(facts.words) };
    let class = bounce::classify(&reply);
    if facts.is_delayed {
        return class;
    }
    // With these codes the reason is known; the mailer's own explanation beside them is generic.
    let is_clear = facts.status.is_some_and(|code| ["5.1.", "5.7."].iter().any(|class| code.starts_with(class)));
    let is_unspecific = matches!(class, BounceClass::Other | BounceClass::System | BounceClass::Network);
    let class = match bounce::by_prose(facts.prose) {
        Some(prose) if is_unspecific && !is_clear => prose,
        _ => class,
    };
    // A failure with a temporary code means that retries were given up.
    let is_temporary = match facts.status {
        Some(code) => code.starts_with('4'),
        None => code.or_else(|| reply_code(facts.prose)).is_some_and(|code| code < 500),
    };
    if is_temporary && matches!(class, BounceClass::Other | BounceClass::Policy) { BounceClass::Expired } else { class }
}

/// Returns the command that was refused, as exim and Postfix report it. A refusal of the content is not evaluated,
/// because it does not show the reason.
fn stage(words: &str) -> Option<SmtpStage> {
    let lower = words.to_ascii_lowercase();
    let to =
        |command: &str| lower.contains(&format!("after {command}")) || lower.contains(&format!("reply to {command}"));
    [("mail from", SmtpStage::MailFrom), ("ehlo", SmtpStage::Ehlo), ("helo", SmtpStage::Ehlo)]
        .into_iter()
        .find_map(|(command, stage)| to(command).then_some(stage))
}

/// Returns the first reply code: a word of three digits, from 400 to 599.
fn reply_code(text: &str) -> Option<u16> {
    let bare = |word: &'_ str| word.trim_matches(['-', ':', ',', ';', '(', ')', '[', ']', '"', '\'']).to_owned();
    let is_code = |digits: &String| {
        digits.len() == 3 && matches!(digits.as_bytes()[0], b'4' | b'5') && digits.bytes().all(|b| b.is_ascii_digit())
    };
    text.split_whitespace().map(bare).find(is_code).and_then(|digits| digits.parse().ok())
}
