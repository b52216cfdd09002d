//! Delivery of sent mail to its recipients: routes, results, retries, expiry and suppression (RFC 5321 §4.5.4, §5).
//!
//! Pure: responses of DNS and remote servers, the time and the schedule are passed in.

mod envelope;
mod greylist;
mod guard;
mod route;
mod schedule;

#[cfg(test)]
mod tests;

pub use self::envelope::{DkimSignatures, MessageDelivery, OutboundEnvelope};
use posthouse_mail::{
    bounce::{self, BounceClass, BounceReply, BounceSeverity, BounceVerdict},
    smtp::client::{ConnectionFailure, DeliveryResult, RecipientOutcome, SmtpStage},
};

use crate::{
    InboxId, MessageId, MessageStatus, ThreadId,
    message::{DeliveryStatus, RecipientDelivery, TlsParameters},
    time::Time,
};

pub use greylist::{gap_ms, looks_greylisted, was_greylisted};
pub use guard::is_special_purpose;
pub use route::{HOSTS_MAX, IpPreference, MxRouteError, addresses_in_order, exchangers};
pub use schedule::{RetryDeadline, gap_after, next_attempt};

/// The maximum number of characters of a server's response that a delivery entry keeps.
pub const DETAIL_CHARS_MAX: usize = 1_000;

/// The `detail` of a captured delivery.
pub const CAPTURED: &str = "captured: stored on this server, not sent";

/// The number of attempts that are kept for each recipient. The retry schedule allows fewer; a destination that pauses
/// mail for days may need more.
pub const ATTEMPTS_KEPT_MAX: u32 = 50;

named! {
    /// What a delivery attempt led to.
    AttemptResultName {
        /// The recipient's server accepted the message.
        Delivered = "delivered",
        /// The relay accepted the message.
        Sent = "sent",
        /// The message was stored instead of sent.
        Captured = "captured",
        /// It is tried again later.
        Retried = "retried",
        /// Delivery failed for good.
        Bounced = "bounced",
        /// A problem of this server ended the delivery.
        Failed = "failed",
    }
}

/// A finished delivery attempt for one recipient, as it is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptAttempt {
    /// The recipient's position among the recipients.
    pub position: u32,
    /// The recipient's address.
    pub address: String,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// What it led to.
    pub outcome: AttemptResultName,
    /// The remote server's reply code.
    pub smtp_code: Option<u16>,
    /// The remote server's enhanced code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The remote server.
    pub remote: Option<String>,
    /// The remote server's text, or a local explanation.
    pub detail: Option<String>,
    /// Why it failed; `None` if it didn't.
    pub class: Option<BounceClass>,
    /// The encryption of the session.
    pub tls: Option<TlsParameters>,
    /// The time of the next attempt, if there is one.
    pub next_at: Option<Time>,
    /// When it ended.
    pub at: Time,
}

/// How mail is sent (`delivery.mode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutboundMode {
    /// To the mail exchangers of the destination. Their 250 means delivered.
    Direct,
    /// To a relay. Its 250 means sent, not delivered.
    Relay,
    /// Not sent; stored for inspection.
    Capture,
}

/// Returns the host at which the last attempt ended without a reply, because it was unreachable or the connection was
/// lost. If the connection was lost during the message data, no other host is tried at once, because the message may
/// have been accepted; the next attempt starts with other hosts.
#[must_use]
pub fn aborted_at_host(entry: &RecipientDelivery) -> Option<&str> {
    let remote = entry.remote.as_deref().filter(|_| entry.attempts > 0 && entry.smtp_code.is_none())?;
    remote.split_once(' ').map(|(host, _)| host)
}

/// The result of a delivery attempt for one recipient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttemptReport {
    /// Whether the message was accepted, and otherwise whether to retry.
    pub result: DeliveryResult,
    /// The decisive reply code; `None` if there was no reply.
    pub smtp_code: Option<u16>,
    /// The enhanced status code (RFC 3463).
    pub enhanced_code: Option<String>,
    /// The server's response, or a local explanation.
    pub text: String,
    /// The stage of the session at which the result was decided.
    pub stage: SmtpStage,
    /// The remote server.
    pub remote: Option<String>,
    /// The TLS parameters of the session.
    pub tls: Option<TlsParameters>,
    /// Whether the cause is local and says nothing about the recipient or its server: this server's resolver, its relay
    /// or login there, a key, or the blob store.
    pub is_ours: bool,
}

impl AttemptReport {
    /// Creates a local result, decided without contacting a server.
    #[must_use]
    pub fn local(result: DeliveryResult, enhanced_code: &str, text: impl Into<String>) -> Self {
        Self {
            result,
            smtp_code: None,
            enhanced_code: Some(enhanced_code.to_owned()),
            text: text.into(),
            stage: SmtpStage::Local,
            remote: None,
            tls: None,
            is_ours: false,
        }
    }

    /// Creates a temporary result with a local cause that the operator can fix; the mail waits.
    #[must_use]
    pub fn local_failure(enhanced_code: &str, text: impl Into<String>) -> Self {
        Self { is_ours: true, ..Self::local(DeliveryResult::Temporary, enhanced_code, text) }
    }

    /// Converts a server's response for the recipient.
    #[must_use]
    pub fn of_outcome(outcome: &RecipientOutcome, remote: &str) -> Self {
        Self {
            result: outcome.result,
            smtp_code: outcome.smtp_code,
            enhanced_code: outcome.enhanced_code.clone(),
            text: outcome.text.clone(),
            stage: outcome.stage,
            remote: Some(remote.to_owned()),
            tls: None,
            is_ours: false,
        }
    }

    /// Converts a failed connection. Set `permanent` if every server of the destination responded 5yz.
    #[must_use]
    pub fn of_failure(failure: &ConnectionFailure, remote: &str, permanent: bool) -> Self {
        Self {
            result: if permanent { DeliveryResult::Permanent } else { DeliveryResult::Temporary },
            smtp_code: failure.code,
            enhanced_code: failure.enhanced_code.clone(),
            text: failure.text.clone(),
            stage: failure.stage,
            remote: Some(remote.to_owned()),
            tls: None,
            // The session did not even start, so the cause is local.
            is_ours: failure.stage == SmtpStage::Local,
        }
    }
}

impl AttemptReport {
    /// Classifies why the message wasn't accepted, and how final that is.
    #[must_use]
    pub fn verdict(&self) -> BounceVerdict {
        let enhanced = self.enhanced_code.as_deref();
        bounce::judge(&BounceReply { code: self.smtp_code, enhanced, words: &self.text, stage: Some(self.stage) })
    }

    /// Classifies why the message wasn't accepted.
    #[must_use]
    pub fn class(&self) -> BounceClass {
        self.verdict().class
    }
}

named! {
    /// How far the delivery of a message to another workspace of this service is.
    LocalDeliveryState {
        /// No copy is stored yet.
        Pending = "pending",
        /// The copies are stored.
        Stored = "stored",
        /// No copy will be stored.
        Failed = "failed",
    }
}

/// Whether a bounce is final.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BounceKind {
    /// The server or DNS reported a permanent failure.
    Hard,
    /// Delivery did not succeed before the schedule ended, or may succeed another day: a full mailbox, a rate limit.
    Soft,
}

impl BounceKind {
    /// Returns the `type` of a bounce on the wire.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Hard => "hard",
            Self::Soft => "soft",
        }
    }
}

/// The consequence of a result for a recipient.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttemptOutcome {
    /// Sent or delivered.
    Done,
    /// Retry later.
    Retry,
    /// Given up because of a local problem; says nothing about the recipient.
    Failed,
    /// Failed permanently.
    Bounced {
        /// Whether the failure is hard or soft.
        kind: BounceKind,
        /// Whether to suppress the address because it doesn't work.
        suppress: bool,
    },
}

/// The conditions of a delivery attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttemptContext {
    /// The current time.
    pub now: Time,
    pub end: RetryDeadline,
    /// How the mail is sent.
    pub mode: OutboundMode,
}

/// Records the result of an attempt in the recipient's entry.
#[must_use]
pub fn settle(
    before: &RecipientDelivery,
    report: &AttemptReport,
    moment: &AttemptContext,
) -> (RecipientDelivery, AttemptOutcome) {
    let mut after = before.clone();
    after.attempts += 1;
    after.updated_at = moment.now;
    after.smtp_code = report.smtp_code;
    after.enhanced_code.clone_from(&report.enhanced_code);
    after.remote.clone_from(&report.remote);
    after.tls.clone_from(&report.tls);
    after.detail = Some(report.text.chars().take(DETAIL_CHARS_MAX).collect::<String>()).filter(|text| !text.is_empty());
    after.class = None;
    let is_last = moment.end.is_exhausted(after.attempts, moment.now);
    let outcome = match report.result {
        DeliveryResult::Delivered => {
            after.status =
                if moment.mode == OutboundMode::Direct { DeliveryStatus::Delivered } else { DeliveryStatus::Sent };
            AttemptOutcome::Done
        }
        DeliveryResult::Permanent => {
            let verdict = report.verdict();
            after.status = DeliveryStatus::Bounced;
            after.class = Some(verdict.class);
            let is_soft = verdict.severity == BounceSeverity::Soft && report.stage != SmtpStage::Local;
            let kind = if is_soft { BounceKind::Soft } else { BounceKind::Hard };
            AttemptOutcome::Bounced { kind, suppress: suppresses_address(report, verdict) }
        }
        DeliveryResult::Temporary if is_last && report.is_ours => {
            after.status = DeliveryStatus::Failed;
            after.detail = Some(attempts_detail("not sent: given up after", after.attempts, &report.text));
            after.class = Some(BounceClass::System);
            AttemptOutcome::Failed
        }
        DeliveryResult::Temporary if is_last => {
            after.status = DeliveryStatus::Bounced;
            after.enhanced_code = Some("5.4.7".to_owned());
            after.detail = Some(attempts_detail("expired: not delivered after", after.attempts, &report.text));
            after.class = Some(BounceClass::Expired);
            AttemptOutcome::Bounced { kind: BounceKind::Soft, suppress: false }
        }
        DeliveryResult::Temporary => {
            after.status = DeliveryStatus::Queued;
            after.class = Some(report.class());
            AttemptOutcome::Retry
        }
    };
    (after, outcome)
}

fn attempts_detail(what: &str, attempts: u32, last_error: &str) -> String {
    let attempts = if attempts == 1 { "1 attempt".to_owned() } else { format!("{attempts} attempts") };
    let text = format!("{what} {attempts}; last error: {last_error}");
    text.chars().take(DETAIL_CHARS_MAX).collect()
}

/// Returns whether a permanent failure means that the address doesn't work, so that it should be suppressed. Rejections
/// of the sender, the content or the size never do, because the recipient is still reachable. Without an enhanced code,
/// a rejection after the message data may concern the content.
fn suppresses_address(report: &AttemptReport, verdict: BounceVerdict) -> bool {
    let about_recipient = report.enhanced_code.is_some() || report.stage == SmtpStage::RcptTo;
    about_recipient && verdict.severity == BounceSeverity::DeadAddress
}

/// Returns whether a relay rejects this server's own login or permissions. The operator must fix that, so the mail is
/// kept.
#[must_use]
pub fn is_relay_misconfigured(outcome: &RecipientOutcome) -> bool {
    let text = outcome.text.to_ascii_lowercase();
    let early = matches!(outcome.stage, SmtpStage::MailFrom | SmtpStage::RcptTo | SmtpStage::Data);
    let login = matches!(outcome.smtp_code, Some(530 | 534 | 535 | 538));
    early && (login || (matches!(outcome.smtp_code, Some(550 | 551 | 553 | 554)) && text.contains("relay")))
}

/// The locked state of a message whose recipients are being settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockedMessage {
    /// The inbox it was sent from.
    pub inbox: InboxId,
    pub thread: ThreadId,
    /// Its current status.
    pub status: MessageStatus,
    /// When it was first sent.
    pub sent_at: Option<Time>,
}

/// The new status of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MessageStatusUpdate {
    pub status: MessageStatus,
    /// When it was first sent.
    pub sent_at: Option<Time>,
    /// When the status changed.
    pub at: Time,
}

/// An entry in the list of captured messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedMessage {
    pub message: MessageId,
    /// When it was stored.
    pub created_at: Time,
}
