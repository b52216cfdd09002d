//! Deliveries of sent messages: the state at each recipient, and the attempts.

use posthouse_domain::{
    delivery::{AttemptResultName, KeptAttempt},
    message::{Channel, DeliveryStatus, RecipientDelivery, TlsParameters},
};
use posthouse_mail::bounce::BounceClass;
use schemars::JsonSchema;
use serde::Serialize;

use super::{TimestampView, name_of};

/// The delivery state of a sent message at one recipient.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryView<'a> {
    /// Recipient's address.
    address: &'a str,
    /// `email` or `agent`.
    #[schemars(schema_with = "name_of::<Channel>")]
    channel: &'static str,
    /// `queued`, `sent`, `delivered`, `bounced`, `complained` or `failed`.
    #[schemars(schema_with = "name_of::<DeliveryStatus>")]
    status: &'static str,
    /// SMTP reply code of the remote server.
    smtp_code: Option<u16>,
    /// Enhanced status code of the remote server (RFC 3463).
    enhanced_code: Option<&'a str>,
    /// Host name and IP address of the remote server.
    remote: Option<&'a str>,
    /// Reply text of the remote server, or why the delivery waits.
    detail: Option<&'a str>,
    /// Reason for the failure of the last attempt, as one word: `unknown_user`, `inactive_user`, `unknown_domain`,
    /// `mailbox_full`, `rate_limited`, `greylisted`, `reputation`, `authentication`, `spam`, `content`, `too_large`,
    /// `policy`, `network`, `expired`, `smtputf8`, `system` or `other`. Null if it succeeded.
    class: Option<&'static str>,
    /// Encryption of the last attempt; null if it wasn't encrypted or reached no server.
    tls: Option<TlsView<'a>>,
    /// Number of delivery attempts so far.
    attempts: u32,
    /// Time of the last change of this entry.
    updated_at: TimestampView,
}

/// A delivery attempt of a sent message for one recipient.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryAttempt")]
pub struct DeliveryAttemptView<'a> {
    /// Recipient's address.
    address: &'a str,
    /// Number of the attempt, from 1.
    attempt: u32,
    /// `delivered`, `sent` (to a relay), `captured`, `retried`, `bounced` or `failed`.
    #[schemars(schema_with = "name_of::<AttemptResultName>")]
    outcome: &'static str,
    /// SMTP reply code of the remote server.
    smtp_code: Option<u16>,
    /// Enhanced status code of the remote server (RFC 3463).
    enhanced_code: Option<&'a str>,
    /// Host name and IP address of the remote server.
    remote: Option<&'a str>,
    /// Reply text of the remote server, or a local explanation.
    detail: Option<&'a str>,
    /// Reason for the failure, as in `delivery` of the message; null if the attempt succeeded.
    class: Option<&'static str>,
    /// Encryption of the session; null if it wasn't encrypted or reached no server.
    tls: Option<TlsView<'a>>,
    /// Time of the next attempt; null after the last one.
    next_attempt_at: Option<TimestampView>,
    /// Time at which the attempt ended.
    at: TimestampView,
}

/// The encryption of an SMTP session.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DeliveryTls")]
pub struct TlsView<'a> {
    /// `TLSv1.3` or `TLSv1.2`.
    version: &'a str,
    /// IANA name of the cipher suite.
    cipher: &'a str,
    /// Whether the server's certificate was valid for its host name. Mail exchangers need no valid certificate.
    verified: bool,
}

impl<'a> DeliveryView<'a> {
    /// Returns the view of a delivery entry.
    #[must_use]
    pub fn of(entry: &'a RecipientDelivery) -> Self {
        Self {
            address: &entry.address,
            channel: entry.channel.text(),
            status: entry.status.text(),
            smtp_code: entry.smtp_code,
            enhanced_code: entry.enhanced_code.as_deref(),
            remote: entry.remote.as_deref(),
            detail: entry.detail.as_deref(),
            class: entry.class.map(BounceClass::text),
            tls: entry.tls.as_ref().map(TlsView::of),
            attempts: entry.attempts,
            updated_at: entry.updated_at.into(),
        }
    }
}

impl<'a> DeliveryAttemptView<'a> {
    /// Returns the view of a delivery attempt.
    #[must_use]
    pub fn of(attempt: &'a KeptAttempt) -> Self {
        Self {
            address: &attempt.address,
            attempt: attempt.attempt,
            outcome: attempt.outcome.text(),
            smtp_code: attempt.smtp_code,
            enhanced_code: attempt.enhanced_code.as_deref(),
            remote: attempt.remote.as_deref(),
            detail: attempt.detail.as_deref(),
            class: attempt.class.map(BounceClass::text),
            tls: attempt.tls.as_ref().map(TlsView::of),
            next_attempt_at: attempt.next_at.map(Into::into),
            at: attempt.at.into(),
        }
    }
}

impl<'a> TlsView<'a> {
    fn of(tls: &'a TlsParameters) -> Self {
        Self { version: &tls.version, cipher: &tls.cipher, verified: tls.verified }
    }
}
