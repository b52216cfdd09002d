//! Decides the class and severity of a failure in a report. Uses the reply of the server that decided, and the
//! human-readable text, which often explains more than the reply.

use crate::{
    bounce::{self, BounceClass, BounceReply, BounceSeverity, BounceVerdict},
    smtp::client::SmtpStage,
};

/// Most bytes of human-readable text that are evaluated.
const PROSE_BYTES_MAX: usize = 16 * 1024;

/// The evidence about a failure.
pub(super) struct FailureEvidence<'f> {
    /// Whether the server is still retrying.
    pub(super) is_delayed: bool,
    /// The enhanced status code.
    pub(super) status: Option<&'f str>,
    /// The reply of the server that made the decision.
    pub(super) words: &'f str,
    /// The human-readable text about this recipient.
    pub(super) prose: &'f str,
}

/// Returns the verdict on a failure.
pub(super) fn of(facts: &FailureEvidence<'_>) -> BounceVerdict {
    let code = reply_code(facts.words);
    let reply = BounceReply { code, enhanced: facts.status, words: facts.words, stage: stage(facts.words) };
    let verdict = bounce::judge(&reply);
    // With these codes the reason is known; the mailer's own explanation beside them is generic.
    let is_clear = facts.status.is_some_and(|code| ["5.1.", "5.7."].iter().any(|class| code.starts_with(class)));
    let is_unspecific = matches!(verdict.class, BounceClass::Other | BounceClass::System | BounceClass::Network);
    let prose = &facts.prose[..facts.prose.floor_char_boundary(PROSE_BYTES_MAX)];
    let unclear_prose = Some(prose).filter(|_| is_unspecific && !is_clear);
    if facts.is_delayed {
        let by_prose = unclear_prose.and_then(bounce::by_prose_of_delay);
        // The server goes on trying, whatever the reason.
        return BounceVerdict { class: by_prose.unwrap_or(verdict.class), severity: BounceSeverity::Soft };
    }
    let Some(class) = unclear_prose.and_then(bounce::by_prose) else {
        return given_up(facts, code, agreed(verdict, prose));
    };
    let code = code.or_else(|| reply_code(prose));
    let severity = bounce::judge(&BounceReply { code, words: prose, ..reply }).severity.min(class.severity());
    given_up(facts, code, BounceVerdict { class, severity })
}

/// Softens a verdict that the mailer's own explanation contradicts, such as a full disk.
fn agreed(verdict: BounceVerdict, prose: &str) -> BounceVerdict {
    let is_contradicted = verdict.severity == BounceSeverity::DeadAddress
        && bounce::stated_by(prose).is_some_and(BounceClass::is_passing);
    let severity = if is_contradicted { BounceSeverity::Hard } else { verdict.severity };
    BounceVerdict { severity, ..verdict }
}

/// A failure with a temporary code means that retries were given up.
fn given_up(facts: &FailureEvidence<'_>, code: Option<u16>, verdict: BounceVerdict) -> BounceVerdict {
    let is_temporary = match facts.status {
        Some(code) => code.starts_with('4'),
        None => code.or_else(|| reply_code(facts.prose)).is_some_and(|code| code < 500),
    };
    match verdict.class {
        BounceClass::Other | BounceClass::Policy if is_temporary => {
            BounceVerdict { class: BounceClass::Expired, severity: BounceSeverity::Soft }
        }
        _ => verdict,
    }
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
pub(super) fn reply_code(text: &str) -> Option<u16> {
    let is_code = |digits: &&str| {
        digits.len() == 3 && matches!(digits.as_bytes()[0], b'4' | b'5') && digits.bytes().all(|b| b.is_ascii_digit())
    };
    // The hyphen belongs to replies of several lines: `550-5.1.1 …`.
    let words = text.split_whitespace().map(|word| match word.get(3..4) {
        Some("-") => &word[..3],
        _ => word.trim_matches(['-', ':', ',', ';', '(', ')', '[', ']', '"', '\'', '#', '<', '>', '.']),
    });
    words.into_iter().find(is_code).and_then(|digits| digits.parse().ok())
}
