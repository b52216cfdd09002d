//! What an operator may choose about receiving sessions. Holds no secrets.

use crate::limits::{MESSAGE_BYTES_MAX_DEFAULT, RECIPIENTS_MAX};

/// Whether sessions can be encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsOffer {
    /// There is no certificate.
    Unavailable,
    /// STARTTLS is announced (RFC 3207).
    StartTls,
    /// The connection is TLS from its first byte (RFC 8314 §3.3).
    Active,
}

/// Whether clients can authenticate (RFC 4954).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthOffer {
    /// Never: the mail exchanger.
    Never,
    /// Under TLS, and nothing is accepted without it: submission.
    OverTls,
    /// As `OverTls`, but also in clear: submission on loopback (decision 16).
    Always,
}

/// Settings of receiving sessions; shared by all sessions of a listener.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Our name in greeting, EHLO and farewell.
    pub hostname: String,
    /// Most bytes of one message, announced as SIZE (decision 13).
    pub message_bytes_max: u64,
    /// Most recipients of one message, announced as LIMITS RCPTMAX (decision 13, RFC 9422).
    pub recipients_max: usize,
    /// Errors of a client, refused recipients included, at which its session ends.
    pub errors_max: u32,
    /// Commands a client may give since the last message before its session ends; RCPT and DATA do not count.
    pub commands_idle_max: u32,
    /// Messages of one session.
    pub messages_max: u32,
    /// Failed logins of one session.
    pub logins_failed_max: u32,
    /// Encryption.
    pub tls: TlsOffer,
    /// Authentication; anything but `Never` makes it mandatory before MAIL.
    pub auth: AuthOffer,
}

impl ServerConfig {
    /// Defaults of a mail exchanger that calls itself `hostname`.
    pub fn mail_exchanger(hostname: impl Into<String>) -> ServerConfig {
        ServerConfig {
            hostname: hostname.into(),
            message_bytes_max: MESSAGE_BYTES_MAX_DEFAULT,
            recipients_max: RECIPIENTS_MAX,
            errors_max: 20,
            commands_idle_max: 100,
            messages_max: 1000,
            logins_failed_max: 3,
            tls: TlsOffer::StartTls,
            auth: AuthOffer::Never,
        }
    }

    /// Defaults of a submission server that calls itself `hostname` (RFC 6409).
    pub fn submission(hostname: impl Into<String>) -> ServerConfig {
        ServerConfig { auth: AuthOffer::OverTls, ..ServerConfig::mail_exchanger(hostname) }
    }
}
