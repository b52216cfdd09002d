//! What a client hears about a login, a recipient or a message: the refusals of the use-cases in SMTP's words (RFC 5321
//! §4.2, RFC 3463, RFC 4954 §6, decisions 16 and 17).
//!
//! The mail exchanger is bland, for anybody may ask it; submission talks to somebody who has a key and says why.

use std::net::IpAddr;

use posthouse_domain::error::{Code, Refusal};
use posthouse_mail::{
    address::Address,
    smtp::reply::{EnhancedCode, Reply},
};

use crate::{app::REASON_MALFORMED, shortage::REASON_STORAGE_FULL};

/// Value of `details.reason` in a refusal because a domain owner's DMARC policy asks for it (decision 26).
pub(super) const REASON_DMARC: &str = "dmarc";

/// Nobody of that name, deleted or expired.
pub(super) const UNKNOWN_RECIPIENT: Reply = Reply::fixed(550, EnhancedCode(5, 1, 1), "No such mailbox here");
/// A sender whose address no reply could go to.
pub(super) const BAD_SENDER: Reply = Reply::fixed(553, EnhancedCode(5, 1, 7), "Sender address not understood");
/// A client that begins too many messages.
pub(super) const TOO_MANY_MESSAGES: Reply =
    Reply::fixed(450, EnhancedCode(4, 7, 1), "Too many messages from your address, try again in a minute");
/// A client that names too many recipients.
pub(super) const TOO_MANY_RECIPIENTS: Reply =
    Reply::fixed(450, EnhancedCode(4, 7, 1), "Too many recipients from your address, try again in a minute");
/// A client, sender and recipient that were never seen together (RFC 6647).
pub(super) const GREYLISTED: Reply = Reply::fixed(
    451,
    EnhancedCode(4, 7, 1),
    "Greylisted: your server is not known here yet, try again in a few minutes",
);
/// Mail to a role address travels alone where the whole of a message may be refused for its recipients' sake.
pub(super) const ROLE_APART: Reply =
    Reply::fixed(452, EnhancedCode(4, 5, 3), "Send mail to postmaster or abuse apart from mail to others");
/// This door has no AUTH.
pub(super) const NO_AUTH: Reply = Reply::fixed(502, EnhancedCode(5, 5, 1), "AUTH not available");

/// A recipient that no mail could go to.
pub(super) const BAD_RECIPIENT: Reply = Reply::fixed(553, EnhancedCode(5, 1, 3), "Recipient address not understood");
/// Nobody logged in.
pub(super) const LOGIN_NEEDED: Reply = Reply::fixed(530, EnhancedCode(5, 7, 0), "Authentication required");
/// A client that failed too often.
pub(super) const TOO_MANY_LOGINS: Reply =
    Reply::fixed(454, EnhancedCode(4, 7, 0), "Too many failed logins, try again in some minutes");

const BAD_LOGIN: Reply = Reply::fixed(
    535,
    EnhancedCode(5, 7, 8),
    "Bad user or password: the user is the inbox address, the password an API key that may send from it",
);
const LOGIN_UNAVAILABLE: Reply = Reply::fixed(454, EnhancedCode(4, 7, 0), "Logins cannot be checked, try again later");

/// Nothing can be stored now.
pub(super) const UNAVAILABLE: Reply = Reply::fixed(451, EnhancedCode(4, 3, 0), "Not stored, try again later");
const STORAGE_FULL: Reply = Reply::fixed(451, EnhancedCode(4, 3, 1), "Not stored, no room; try again later");
const TOO_LARGE: Reply = Reply::fixed(552, EnhancedCode(5, 3, 4), "Message too large");
const DMARC: Reply =
    Reply::fixed(550, EnhancedCode(5, 7, 26), "Refused by the DMARC policy of the author's domain (RFC 9989)");

/// A client that is on a blocklist.
pub(super) fn listed(client: IpAddr, list: &str) -> Reply {
    let why = format!(
        "Refused: your address {client} is listed at {list}; postmaster and abuse can be written to all the same"
    );
    Reply::new(550, EnhancedCode(5, 7, 1), why)
}

/// The reply that says a use-case refused.
pub(super) fn refusal(refusal: &Refusal) -> Reply {
    let reason = refusal.details.get("reason").and_then(|reason| reason.as_str());
    match (refusal.code, reason) {
        (_, Some(REASON_STORAGE_FULL)) => STORAGE_FULL,
        (_, Some(REASON_DMARC)) => DMARC,
        (_, Some(REASON_MALFORMED)) => Reply::new(550, EnhancedCode(5, 6, 0), refusal.message.trim_end_matches('.')),
        (Code::MessageTooLarge | Code::BodyTooLarge, _) => TOO_LARGE,
        (Code::NotFound, _) => UNKNOWN_RECIPIENT,
        (code, _) if code.status() >= 500 || code.status() == 429 => UNAVAILABLE,
        (code, _) => Reply::new(550, EnhancedCode(5, 7, 1), code.text()),
    }
}

/// The reply to a login that was refused.
pub(super) fn login_refused(refusal: &Refusal) -> Reply {
    match refusal.code {
        code if code.status() >= 500 || code.status() == 429 => LOGIN_UNAVAILABLE,
        // Who has a key may know what it lacks.
        Code::InsufficientPermissions => Reply::new(535, EnhancedCode(5, 7, 8), &refusal.message),
        _ => BAD_LOGIN,
    }
}

/// The reply to a sender that is not the inbox that logged in.
pub(super) fn foreign_sender(own: &Address) -> Reply {
    let why = format!("{}: the sender must be {own}, for which this session logged in", Code::Forbidden.text());
    Reply::new(550, EnhancedCode(5, 7, 1), why)
}

/// The reply to a submitted message that was refused: the code of the API, so that both doors say the same word.
pub(super) fn submission_refused(refusal: &Refusal) -> Reply {
    let code = refusal.code;
    let why = || {
        let list = refusal.details.get("addresses").and_then(|list| list.as_array());
        let named: Vec<&str> = list.into_iter().flatten().filter_map(|address| address.as_str()).collect();
        let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        format!("{}: {}{named}", code.text(), refusal.message)
    };
    match code {
        Code::WorkspaceStopped | Code::InboxPaused => Reply::new(423, EnhancedCode(4, 7, 1), code.text()),
        Code::MessageTooLarge | Code::BodyTooLarge => TOO_LARGE,
        _ if refusal.details.get("reason").is_some_and(|reason| reason == REASON_MALFORMED) => self::refusal(refusal),
        // What a later attempt gets over is told as temporary: mail programs try again by themselves.
        _ if code.status() == 429 => Reply::new(452, EnhancedCode(4, 7, 1), why()),
        _ if code.status() >= 500 => self::refusal(refusal),
        _ => Reply::new(550, EnhancedCode(5, 7, 1), why()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_hears_the_word_of_the_api() {
        let told = |code| submission_refused(&Refusal::new(code, "So it is.")).to_string();
        assert_eq!(told(Code::WorkspaceStopped), "423 4.7.1 workspace_stopped");
        assert_eq!(told(Code::InboxPaused), "423 4.7.1 inbox_paused");
        assert_eq!(told(Code::OrgSuspended), "550 5.7.1 org_suspended: So it is.");
        assert_eq!(told(Code::DailySendLimitExceeded), "452 4.7.1 daily_send_limit_exceeded: So it is.");
        assert_eq!(told(Code::Unavailable), "451 4.3.0 Not stored, try again later");
        let full = Refusal::new(Code::Unavailable, "x").detail("reason", REASON_STORAGE_FULL);
        assert!(submission_refused(&full).to_string().starts_with("451 4.3.1 "));
        assert_eq!(told(Code::MessageTooLarge), "552 5.3.4 Message too large");
        let suppressed = Refusal::new(Code::RecipientSuppressed, "No.").detail("addresses", vec!["a@b.example"]);
        assert_eq!(submission_refused(&suppressed).to_string(), "550 5.7.1 recipient_suppressed: No. (a@b.example)");
        for code in Code::ALL {
            assert!(told(*code).starts_with(['4', '5']));
        }
    }

    #[test]
    fn a_login_hears_no_more_than_it_may() {
        let told = |code| login_refused(&Refusal::new(code, "No permission.")).to_string();
        assert!(told(Code::Unauthorized).starts_with("535 5.7.8 Bad user or password"));
        assert_eq!(told(Code::NotFound), told(Code::Unauthorized));
        assert_eq!(told(Code::InsufficientPermissions), "535 5.7.8 No permission.");
        assert!(told(Code::Unavailable).starts_with("454 4.7.0 "));
    }

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
