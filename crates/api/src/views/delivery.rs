//! Deliveries of sent messages: the state at each recipient, and the attempts.

use posthouse_domain::{
    delivery::{AttemptResultName, KeptAttempt},
    message::{Channel, DeliveryStatus, RecipientDelivery, TlsParameters},
};
use posthouse_mail::bounce::BounceClass;
use schemars::JsonSchema;
use serde::Serialize;

use super::{TimestampView, name_of};

view! {
    /// The delivery state of a sent message at one recipient.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "Delivery")]
    pub struct DeliveryView<'a> of entry: &'a RecipientDelivery {
        /// Recipient's address.
        address: &'a str = &entry.address,
        /// `email` or `agent`.
        #[schemars(schema_with = "name_of::<Channel>")]
        channel: &'static str = entry.channel.text(),
        /// `queued`, `sent`, `delivered`, `bounced`, `complained` or `failed`.
        #[schemars(schema_with = "name_of::<DeliveryStatus>")]
        status: &'static str = entry.status.text(),
        /// SMTP reply code of the remote server.
        smtp_code: Option<u16> = entry.smtp_code,
        /// Enhanced status code of the remote server (RFC 3463).
        enhanced_code: Option<&'a str> = entry.enhanced_code.as_deref(),
        /// Host name and IP address of the remote server.
        remote: Option<&'a str> = entry.remote.as_deref(),
        /// Reply text of the remote server, or why the delivery waits.
        detail: Option<&'a str> = entry.detail.as_deref(),
        /// Reason for the failure of the last attempt, as one word: `unknown_user`, `inactive_user`, `unknown_domain`,
        /// `mailbox_full`, `rate_limited`, `greylisted`, `reputation`, `authentication`, `spam`, `content`,
        /// `too_large`, `policy`, `network`, `expired`, `smtputf8`, `system` or `other`. Null if it succeeded.
        class: Option<&'static str> = entry.class.map(BounceClass::text),
        /// Encryption of the last attempt; null if it wasn't encrypted or reached no server.
        tls: Option<TlsView<'a>> = entry.tls.as_ref().map(TlsView::of),
        /// Number of delivery attempts so far.
        attempts: u32 = entry.attempts,
        /// Time of the last change of this entry.
        updated_at: TimestampView = entry.updated_at.into(),
    }
}

view! {
    /// A delivery attempt of a sent message for one recipient.
    #[derive(Serialize, JsonSchema)]
    #[schemars(rename = "DeliveryAttempt")]
    pub struct DeliveryAttemptView<'a> of attempt: &'a KeptAttempt {
        /// Recipient's address.
        address: &'a str = &attempt.address,
        /// Number of the attempt, from 1.
        attempt: u32 = attempt.attempt,
        /// `delivered`, `sent` (to a relay), `captured`, `retried`, `bounced` or `failed`.
        #[schemars(schema_with = "name_of::<AttemptResultName>")]
        outcome: &'static str = attempt.outcome.text(),
        /// SMTP reply code of the remote server.
        smtp_code: Option<u16> = attempt.smtp_code,
        /// Enhanced status code of the remote server (RFC 3463).
        enhanced_code: Option<&'a str> = attempt.enhanced_code.as_deref(),
        /// Host name and IP address of the remote server.
        remote: Option<&'a str> = attempt.remote.as_deref(),
        /// Reply text of the remote server, or a local explanation.
        detail: Option<&'a str> = attempt.detail.as_deref(),
        /// Reason for the failure, as in `delivery` of the message; null if the attempt succeeded.
        class: Option<&'static str> = attempt.class.map(BounceClass::text),
        /// Encryption of the session; null if it wasn't encrypted or reached no server.
        tls: Option<TlsView<'a>> = attempt.tls.as_ref().map(TlsView::of),
        /// Time of the next attempt; null after the last one.
        next_attempt_at: Option<TimestampView> = attempt.next_at.map(Into::into),
        /// Time at which the attempt ended.
        at: TimestampView = attempt.at.into(),
    }
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

impl<'a> TlsView<'a> {
    fn of(tls: &'a TlsParameters) -> Self {
        Self { version: &tls.version, cipher: &tls.cipher, verified: tls.verified }
    }
}
