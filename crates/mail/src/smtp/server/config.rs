//! Settings of server sessions. Contains no secrets.

use crate::limits::{MESSAGE_BYTES_MAX_DEFAULT, RECIPIENTS_MAX};

/// The TLS mode of a listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsMode {
    /// No TLS, because there is no certificate.
    Unavailable,
    /// STARTTLS is announced (RFC 3207).
    StartTls,
    /// The connection is TLS from its first byte (RFC 8314 §3.3).
    Active,
}

/// The authentication mode of a listener (RFC 4954).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMode {
    /// Never offered: mail exchange.
    Never,
    /// Offered only under TLS, and required before MAIL: submission.
    OverTls,
    /// Like `OverTls`, but also without TLS: submission on a loopback address.
    Always,
}

/// Settings shared by all sessions of a listener.
#[derive(Debug, Clone)]
pub struct SmtpServerConfig {
    /// Name of this server in the greeting, the EHLO reply and the closing reply.
    pub hostname: String,
    /// Public name of the instance, for the reply to HELP.
    pub instance: Option<String>,
    /// Largest message in bytes, announced as SIZE.
    pub message_bytes_max: u64,
    /// Most recipients of one message, announced as LIMITS RCPTMAX (RFC 9422).
    pub recipients_max: usize,
    /// Errors of the client, including refused recipients, after which the session ends.
    pub errors_max: u32,
    /// Commands since the last message after which the session ends. RCPT and DATA don't count.
    pub commands_idle_max: u32,
    /// Most messages in one session.
    pub messages_max: u32,
    /// Most failed logins in one session.
    pub logins_failed_max: u32,
    /// The TLS mode.
    pub tls: TlsMode,
    /// The authentication mode. Anything but `Never` requires authentication before MAIL.
    pub auth: AuthMode,
}

impl SmtpServerConfig {
    /// Returns the defaults of a mail exchanger with the name `hostname`.
    pub fn mail_exchanger(hostname: impl Into<String>) -> SmtpServerConfig {
        SmtpServerConfig {
            hostname: hostname.into(),
            instance: None,
            message_bytes_max: MESSAGE_BYTES_MAX_DEFAULT,
            recipients_max: RECIPIENTS_MAX,
            errors_max: 20,
            commands_idle_max: 100,
            messages_max: 1000,
            logins_failed_max: 3,
            tls: TlsMode::StartTls,
            auth: AuthMode::Never,
        }
    }

    /// Returns the defaults of a submission server with the name `hostname` (RFC 6409).
    pub fn submission(hostname: impl Into<String>) -> SmtpServerConfig {
        SmtpServerConfig { auth: AuthMode::OverTls, ..SmtpServerConfig::mail_exchanger(hostname) }
    }
}
