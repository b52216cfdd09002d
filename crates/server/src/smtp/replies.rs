//! What a client hears about a recipient or a message: the refusals of the use-cases in SMTP's words (RFC 5321 §4.2,
//! RFC 3463, decision 17).

use posthouse_domain::error::{Code, Refusal};
use posthouse_mail::smtp::reply::{EnhancedCode, Reply};

use crate::shortage::REASON_STORAGE_FULL;

/// Value of `details.reason` in a refusal because a domain owner's DMARC policy asks for it (decision 26).
pub(super) const REASON_DMARC: &str = "dmarc";

/// Nobody of that name, deleted or expired.
pub(super) const UNKNOWN_RECIPIENT: Reply = Reply::fixed(550, EnhancedCode(5, 1, 1), "No such mailbox here");
/// A sender whose address no reply could go to.
pub(super) const BAD_SENDER: Reply = Reply::fixed(553, EnhancedCode(5, 1, 7), "Sender address not understood");
/// This door has no AUTH.
pub(super) const NO_AUTH: Reply = Reply::fixed(502, EnhancedCode(5, 5, 1), "AUTH not available");

const UNAVAILABLE: Reply = Reply::fixed(451, EnhancedCode(4, 3, 0), "Not stored, try again later");
const STORAGE_FULL: Reply = Reply::fixed(451, EnhancedCode(4, 3, 1), "Not stored, no room; try again later");
const TOO_LARGE: Reply = Reply::fixed(552, EnhancedCode(5, 3, 4), "Message too large");
const DMARC: Reply =
    Reply::fixed(550, EnhancedCode(5, 7, 26), "Refused by the DMARC policy of the author's domain (RFC 9989)");

/// The reply that says a use-case refused.
pub(super) fn refusal(refusal: &Refusal) -> Reply {
    let reason = refusal.details.get("reason").and_then(|reason| reason.as_str());
    match (refusal.code, reason) {
        (_, Some(REASON_STORAGE_FULL)) => STORAGE_FULL,
        (_, Some(REASON_DMARC)) => DMARC,
        (Code::MessageTooLarge | Code::BodyTooLarge, _) => TOO_LARGE,
        (Code::NotFound, _) => UNKNOWN_RECIPIENT,
        (code, _) if code.status() >= 500 || code.status() == 429 => UNAVAILABLE,
        (code, _) => Reply::new(550, EnhancedCode(5, 7, 1), code.text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(code: Code, reason: Option<&str>) -> String {
        let refused = Refusal::new(code, "inner words");
        let refused = reason.into_iter().fold(refused, |refusal, reason| refusal.detail("reason", reason));
        refusal(&refused).to_string()
    }

    #[test]
    fn refusals_become_replies() {
        assert_eq!(told(Code::Unavailable, None), "451 4.3.0 Not stored, try again later");
        assert_eq!(told(Code::Internal, None), "451 4.3.0 Not stored, try again later");
        assert_eq!(told(Code::RateLimited, None), "451 4.3.0 Not stored, try again later");
        assert!(told(Code::Unavailable, Some(REASON_STORAGE_FULL)).starts_with("451 4.3.1 "));
        assert!(told(Code::MessageTooLarge, None).starts_with("552 5.3.4 "));
        assert!(told(Code::Forbidden, Some(REASON_DMARC)).starts_with("550 5.7.26 "));
        assert_eq!(told(Code::NotFound, None), "550 5.1.1 No such mailbox here");
        assert_eq!(told(Code::InvalidRequest, None), "550 5.7.1 invalid_request");
    }

    #[test]
    fn every_code_has_a_reply_that_is_a_refusal_without_inner_words() {
        for code in Code::ALL {
            let reply = told(*code, None);
            assert!(reply.starts_with(['4', '5']) && !reply.contains("inner"), "{reply}");
        }
    }
}
