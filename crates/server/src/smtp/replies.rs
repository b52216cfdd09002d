//! Maps errors to SMTP replies for logins, recipients and messages (RFC 5321 §4.2, RFC 3463, RFC 4954 §6).
//!
//! The mail exchanger gives few details, because anyone can connect to it. Submission gives the reason, because its
//! clients are authenticated.

use std::net::IpAddr;

use posthouse_domain::error::{ErrorCode, Refusal, RefusalReason};
use posthouse_mail::{
    address::Address,
    smtp::reply::{EnhancedStatusCode, ServerReply},
};

use super::client_limits::ReachedRate;

/// The reply to a recipient without an inbox, or whose inbox is deleted or expired.
pub(super) const UNKNOWN_RECIPIENT: ServerReply =
    ServerReply::fixed(550, EnhancedStatusCode(5, 1, 1), "No such mailbox here");
/// The reply to mail for the address that the service writes from.
pub(super) const UNREAD_RECIPIENT: ServerReply =
    ServerReply::fixed(550, EnhancedStatusCode(5, 7, 1), "Nobody reads mail to this address; it only sends");
/// The reply to a sender that isn't a valid address.
pub(super) const BAD_SENDER: ServerReply =
    ServerReply::fixed(553, EnhancedStatusCode(5, 1, 7), "Sender address not understood");
/// The reply to a new combination of client, sender and recipient (RFC 6647).
pub(super) const GREYLISTED: ServerReply = ServerReply::fixed(
    451,
    EnhancedStatusCode(4, 7, 1),
    "Greylisted: your server is not known here yet, try again in a few minutes",
);
/// The reply to a transaction that mixes role addresses and others, with `smtp.reject_dmarc_fail`. Mail to a role
/// address must never be refused, and a message can only be refused as a whole.
pub(super) const SEPARATE_ROLE_MAIL: ServerReply = ServerReply::fixed(
    452,
    EnhancedStatusCode(4, 5, 3),
    "Send mail to postmaster or abuse separately from mail to others",
);
/// The reply to a recipient whose workspace has little storage left, in a transaction with recipients of another
/// workspace and without a declared size. Sent separately, a refusal of the message concerns only that workspace.
pub(super) const SEPARATE_WORKSPACE_MAIL: ServerReply =
    ServerReply::fixed(452, EnhancedStatusCode(4, 5, 3), "Send mail to this recipient separately, or declare SIZE");
/// The reply to AUTH on a listener without logins.
pub(super) const NO_AUTH: ServerReply =
    ServerReply::fixed(502, EnhancedStatusCode(5, 5, 1), "AUTH not available on this port");

/// The reply to a recipient that isn't a valid address.
pub(super) const BAD_RECIPIENT: ServerReply =
    ServerReply::fixed(553, EnhancedStatusCode(5, 1, 3), "Recipient address not understood");
/// The reply to MAIL before a login.
pub(super) const LOGIN_NEEDED: ServerReply =
    ServerReply::fixed(530, EnhancedStatusCode(5, 7, 0), "Authentication required");
/// The reply to a client with too many failed logins.
pub(super) const TOO_MANY_LOGINS: ServerReply = ServerReply::fixed(
    454,
    EnhancedStatusCode(4, 7, 0),
    "Too many failed logins (30 in 10 minutes), try again in 600 seconds",
);

/// The reply to a login whose user isn't an inbox, or whose password isn't a valid API key for it.
const BAD_LOGIN: ServerReply = ServerReply::fixed(
    535,
    EnhancedStatusCode(5, 7, 8),
    "Bad user or password: use the inbox address as user and an API key that may send from it as password",
);
/// The reply to a login while the store is unavailable.
const LOGIN_UNAVAILABLE: ServerReply =
    ServerReply::fixed(454, EnhancedStatusCode(4, 7, 0), "Logins can't be checked now, try again later");

/// The reply to a recipient or message while the store is unavailable, or after an internal error.
pub(super) const UNAVAILABLE: ServerReply =
    ServerReply::fixed(451, EnhancedStatusCode(4, 3, 0), "Not stored, try again later");
/// The reply to a message while the storage is full.
const STORAGE_FULL: ServerReply =
    ServerReply::fixed(451, EnhancedStatusCode(4, 3, 1), "Not stored, storage is full; try again later");
/// The reply to a message larger than the limit.
const TOO_LARGE: ServerReply = ServerReply::fixed(552, EnhancedStatusCode(5, 3, 4), "Message too large");
/// The reply to a message that fails the DMARC policy of its author's domain.
const DMARC: ServerReply = ServerReply::fixed(
    550,
    EnhancedStatusCode(5, 7, 26),
    "Refused by the DMARC policy of the author's domain (RFC 9989)",
);

/// After how many seconds a client may try again that found all connections or all memory for content in use.
const BUSY_WAIT_S: u64 = 60;

/// After how many seconds a client may try again whose recipient has no storage left.
const STORAGE_WAIT_S: u64 = 3_600;

/// Returns the reply to a client while all connections are in use.
pub(super) fn too_many_connections(max: usize) -> ServerReply {
    let why = format!("Too many connections (smtp.max_connections is {max}), try again in {BUSY_WAIT_S} seconds");
    ServerReply::new(421, EnhancedStatusCode(4, 3, 2), why)
}

/// Returns the reply to an idle connection of the client with the most, whose place another client gets.
pub(super) fn dropped_for_another_client(max: usize) -> ServerReply {
    let why = format!(
        "All connections are in use (smtp.max_connections is {max}), and of your many this one was idle the longest; \
        connect again when you have mail"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 3, 2), why)
}

/// Returns the reply to a client that has too many open connections.
pub(super) fn too_many_connections_of_client(max: usize) -> ServerReply {
    let why = format!(
        "Too many connections from your address (smtp.max_connections_per_client is {max}), try again in \
        {BUSY_WAIT_S} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 7, 0), why)
}

/// Returns the reply to a client that connects too often.
pub(super) fn too_many_new_connections(ReachedRate { max, wait_s }: ReachedRate) -> ServerReply {
    let why = format!(
        "Too many new connections from your address (smtp.max_connections_per_client_per_minute is {max}), try again \
        in {wait_s} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 7, 0), why)
}

/// Returns the reply to a client that exceeds its messages per minute.
pub(super) fn too_many_messages(ReachedRate { max, wait_s }: ReachedRate) -> ServerReply {
    let why = format!(
        "Too many messages from your address (smtp.max_messages_per_client_per_minute is {max}), try again in \
        {wait_s} seconds"
    );
    ServerReply::new(450, EnhancedStatusCode(4, 7, 1), why)
}

/// Returns the reply to a client that exceeds its recipients per minute.
pub(super) fn too_many_recipients(ReachedRate { max, wait_s }: ReachedRate) -> ServerReply {
    let why = format!(
        "Too many recipients from your address (smtp.max_recipients_per_client_per_minute is {max}), try again in \
        {wait_s} seconds"
    );
    ServerReply::new(450, EnhancedStatusCode(4, 7, 1), why)
}

/// Returns the reply to a client that names too many recipients without an inbox. The connection is closed.
pub(super) fn too_many_unknown_recipients(ReachedRate { max, wait_s }: ReachedRate) -> ServerReply {
    let why = format!(
        "Too many unknown recipients from your address (limits.unknown_recipients_per_minute is {max}), try again in \
        {wait_s} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 7, 0), why)
}

/// Returns the reply to content beyond what all sessions may keep in memory. The connection is closed.
pub(super) fn too_much_content(bytes_max: u64) -> ServerReply {
    let why = format!(
        "Too many large messages at once (limits.smtp_content_bytes is {bytes_max}), try again in {BUSY_WAIT_S} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 3, 2), why)
}

/// Returns the reply to content beyond what the sessions of one client may keep in memory. The connection is closed.
pub(super) fn too_much_content_of_client(bytes_max: u64) -> ServerReply {
    let why = format!(
        "Too many large messages at once from your address (limits.smtp_content_bytes_per_client is {bytes_max}), try \
        again in {BUSY_WAIT_S} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 7, 0), why)
}

/// Returns the reply to content that arrives too slowly. The connection is closed.
pub(super) fn slow_content(bytes_per_s_min: u64) -> ServerReply {
    let why = format!(
        "Timeout, the message arrived too slowly (limits.smtp_content_bytes_per_second is {bytes_per_s_min}), try again \
        in {BUSY_WAIT_S} seconds"
    );
    ServerReply::new(421, EnhancedStatusCode(4, 4, 2), why)
}

/// Returns the reply to a client that is on a blocklist.
pub(super) fn listed(client: IpAddr, list: &str) -> ServerReply {
    let why =
        format!("Refused: your address {client} is listed at {list}; mail to postmaster and abuse is still accepted");
    ServerReply::new(550, EnhancedStatusCode(5, 7, 1), why)
}

/// Returns the reply to a recipient or message that the server refuses.
pub(super) fn refusal(refusal: &Refusal) -> ServerReply {
    match (refusal.code, refusal.reason()) {
        (_, Some(RefusalReason::StorageFull)) => STORAGE_FULL,
        (_, Some(RefusalReason::Dmarc)) => DMARC,
        (_, Some(RefusalReason::MalformedHeader)) => {
            ServerReply::new(550, EnhancedStatusCode(5, 6, 0), refusal.message.trim_end_matches('.'))
        }
        (ErrorCode::MessageTooLarge | ErrorCode::BodyTooLarge, _) => TOO_LARGE,
        (ErrorCode::NotFound, _) => UNKNOWN_RECIPIENT,
        (ErrorCode::PlanLimitStorage, _) => storage_full(refusal.max().unwrap_or_default()),
        (code, _) if code.status() >= 500 || code.status() == 429 => UNAVAILABLE,
        (code, _) => ServerReply::new(550, EnhancedStatusCode(5, 7, 1), code.text()),
    }
}

/// Returns the reply to a recipient or message of a workspace that stores as much as its plan allows.
fn storage_full(bytes_max: u64) -> ServerReply {
    let why = format!(
        "Mailbox full (plans.*.storage_bytes of the recipient is {bytes_max}), try again in {STORAGE_WAIT_S} seconds"
    );
    ServerReply::new(452, EnhancedStatusCode(4, 2, 2), why)
}

/// Returns the reply to a failed login. The owner of a valid key learns which permission it lacks.
pub(super) fn login_refused(refusal: &Refusal) -> ServerReply {
    match refusal.code {
        code if code.status() >= 500 || code.status() == 429 => LOGIN_UNAVAILABLE,
        // The client has a valid key, so it may learn which permission is missing.
        ErrorCode::InsufficientPermissions => ServerReply::new(535, EnhancedStatusCode(5, 7, 8), &refusal.message),
        _ => BAD_LOGIN,
    }
}

/// Returns the reply to a sender that isn't the inbox of the session's login.
pub(super) fn foreign_sender(own: &Address) -> ServerReply {
    let why = format!("{}: the sender must be {own}, the inbox of this session's login", ErrorCode::Forbidden.text());
    ServerReply::new(550, EnhancedStatusCode(5, 7, 1), why)
}

/// Messages that a reply names: a line has room for a few.
const NAMED_MAX: usize = 3;

/// Returns the reply to a submitted message that was refused. The text begins with the error code of the API.
pub(super) fn submission_refused(refusal: &Refusal) -> ServerReply {
    let code = refusal.code;
    let why = || {
        let addresses = refusal.addresses();
        let named = if addresses.is_empty() { String::new() } else { format!(" ({})", addresses.join(", ")) };
        let messages: Vec<String> = refusal.naming_messages().iter().take(NAMED_MAX).map(ToString::to_string).collect();
        let source = if messages.is_empty() { String::new() } else { format!(" (message {})", messages.join(", ")) };
        format!("{}: {}{named}{source}", code.text(), refusal.message)
    };
    match code {
        ErrorCode::WorkspaceStopped | ErrorCode::InboxPaused => {
            ServerReply::new(423, EnhancedStatusCode(4, 7, 1), code.text())
        }
        ErrorCode::MessageTooLarge | ErrorCode::BodyTooLarge => TOO_LARGE,
        _ if refusal.reason() == Some(RefusalReason::MalformedHeader) => self::refusal(refusal),
        ErrorCode::PlanLimitStorage => ServerReply::new(452, EnhancedStatusCode(4, 2, 2), why()),
        // Rate limits are temporary, and mail programs retry temporary errors.
        _ if code.status() == 429 => ServerReply::new(452, EnhancedStatusCode(4, 7, 1), why()),
        _ if code.status() >= 500 => self::refusal(refusal),
        _ => ServerReply::new(550, EnhancedStatusCode(5, 7, 1), why()),
    }
}

#[cfg(test)]
mod tests {
    use posthouse_domain::error::Detail;

    use super::*;

    #[test]
    fn submission_replies_have_the_error_code_of_the_api() {
        let reply = |code| submission_refused(&Refusal::new(code, "No more.")).to_string();
        assert_eq!(reply(ErrorCode::WorkspaceStopped), "423 4.7.1 workspace_stopped");
        assert_eq!(reply(ErrorCode::InboxPaused), "423 4.7.1 inbox_paused");
        assert_eq!(reply(ErrorCode::OrgSuspended), "550 5.7.1 org_suspended: No more.");
        assert_eq!(reply(ErrorCode::DailySendLimitExceeded), "452 4.7.1 daily_send_limit_exceeded: No more.");
        assert_eq!(reply(ErrorCode::Unavailable), "451 4.3.0 Not stored, try again later");
        let full = Refusal::new(ErrorCode::Unavailable, "x").detail(Detail::Reason(RefusalReason::StorageFull));
        assert!(submission_refused(&full).to_string().starts_with("451 4.3.1 "));
        assert_eq!(reply(ErrorCode::MessageTooLarge), "552 5.3.4 Message too large");
        let suppressed = Refusal::new(ErrorCode::RecipientSuppressed, "No.")
            .detail(Detail::Addresses(vec!["a@b.example".to_owned()]));
        assert_eq!(submission_refused(&suppressed).to_string(), "550 5.7.1 recipient_suppressed: No. (a@b.example)");
        for code in ErrorCode::ALL {
            assert!(reply(*code).starts_with(['4', '5']));
        }
    }

    #[test]
    fn login_replies_do_not_reveal_whether_an_inbox_exists() {
        let reply = |code| login_refused(&Refusal::new(code, "No permission.")).to_string();
        assert!(reply(ErrorCode::Unauthorized).starts_with("535 5.7.8 Bad user or password"));
        assert_eq!(reply(ErrorCode::NotFound), reply(ErrorCode::Unauthorized));
        assert_eq!(reply(ErrorCode::InsufficientPermissions), "535 5.7.8 No permission.");
        assert!(reply(ErrorCode::Unavailable).starts_with("454 4.7.0 "));
    }

    fn reply_to(code: ErrorCode, reason: Option<RefusalReason>) -> String {
        let refused = Refusal::new(code, "internal text");
        let refused = reason.into_iter().fold(refused, |refusal, reason| refusal.detail(Detail::Reason(reason)));
        refusal(&refused).to_string()
    }

    #[test]
    fn refusals_become_replies() {
        assert_eq!(reply_to(ErrorCode::Unavailable, None), "451 4.3.0 Not stored, try again later");
        assert_eq!(reply_to(ErrorCode::Internal, None), "451 4.3.0 Not stored, try again later");
        assert_eq!(reply_to(ErrorCode::RateLimited, None), "451 4.3.0 Not stored, try again later");
        assert!(reply_to(ErrorCode::Unavailable, Some(RefusalReason::StorageFull)).starts_with("451 4.3.1 "));
        assert!(reply_to(ErrorCode::MessageTooLarge, None).starts_with("552 5.3.4 "));
        assert!(reply_to(ErrorCode::Forbidden, Some(RefusalReason::Dmarc)).starts_with("550 5.7.26 "));
        assert_eq!(reply_to(ErrorCode::NotFound, None), "550 5.1.1 No such mailbox here");
        assert_eq!(reply_to(ErrorCode::InvalidRequest, None), "550 5.7.1 invalid_request");
    }

    #[test]
    fn every_code_is_refused_without_internal_text() {
        for code in ErrorCode::ALL {
            let reply = reply_to(*code, None);
            assert!(reply.starts_with(['4', '5']) && !reply.contains("internal text"), "{reply}");
        }
    }
}
