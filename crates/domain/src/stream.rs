//! The event stream: one-time tokens, limits and close codes.

use sha2::{Digest, Sha256};

use crate::{
    auth::secret::{KEY_RANDOM_CHARS, random_alphanumerics},
    time::{HOUR_MS, MINUTE_MS},
};

/// The prefix of every token.
pub const TOKEN_PREFIX: &str = "st_";
/// How long a token is valid, in milliseconds.
pub const TOKEN_VALID_MS: i64 = MINUTE_MS;
/// The interval between heartbeats, in seconds.
pub const HEARTBEAT_S: u64 = 30;
/// The maximum number of events that are replayed.
pub const REPLAY_EVENTS_MAX: usize = 1_000;
/// How far back a replay reaches, in milliseconds.
pub const REPLAY_MS: i64 = HOUR_MS;
/// The largest frame that a client may send, in bytes.
pub const FRAME_BYTES_MAX: usize = 64 * 1024;
/// The number of invalid frames that are answered with an error before the stream is closed.
pub const ERRORS_MAX: u32 = 20;

/// A one-time token that replaces an API key where headers can't be sent. Only its [`StreamToken::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct StreamToken(String);

impl StreamToken {
    /// Creates a token from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        Self(format!("{TOKEN_PREFIX}{}", random_alphanumerics(random)))
    }

    /// Parses a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(TOKEN_PREFIX)?;
        (body.len() == KEY_RANDOM_CHARS && body.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 of the token, which is stored.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the whole token, for the one response that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for StreamToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StreamToken")
    }
}

/// Why a stream is closed, with its close code (RFC 6455 §7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamClose {
    /// The client closed the stream.
    Normal,
    /// This server is shutting down; the client should reconnect and resume.
    Restarting,
    /// The client sent an invalid frame.
    Protocol,
    /// The client sent a text frame that isn't UTF-8.
    Encoding,
    /// The client sent too many frames that couldn't be parsed.
    Refused,
    /// The client sent more frames in a minute than the limit.
    TooMany,
    /// The client sent a frame larger than [`FRAME_BYTES_MAX`].
    TooLarge,
    /// The client read too slowly; it should reconnect and resume.
    Slow,
    /// The client sent nothing for two heartbeats.
    Idle,
    /// The token or key is invalid, used, expired or revoked.
    Credential,
    /// The key lacks `messages:read`.
    Permission,
}

impl StreamClose {
    /// Returns the close code.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Normal => 1000,
            Self::Restarting => 1001,
            Self::Protocol => 1002,
            Self::Encoding => 1007,
            Self::Refused | Self::TooMany => 1008,
            Self::TooLarge => 1009,
            Self::Slow => 1013,
            Self::Idle => 4000,
            Self::Credential => 4001,
            Self::Permission => 4003,
        }
    }

    /// Returns the reason in the close frame.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Restarting => "the server is restarting; reconnect and resume",
            Self::Protocol => "not a WebSocket frame",
            Self::Encoding => "a text frame is not UTF-8",
            Self::Refused => "too many frames that could not be parsed",
            Self::TooMany => "too many frames in a minute",
            Self::TooLarge => "frame too large",
            Self::Slow => "read too slowly; reconnect and resume",
            Self::Idle => "no frame was received for two heartbeats",
            Self::Credential => "the credential is invalid, used, expired or revoked",
            Self::Permission => "the key lacks messages:read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_round_trips_and_is_not_logged() {
        let token = StreamToken::from_random(&[7; 2 * KEY_RANDOM_CHARS]);
        assert_eq!(StreamToken::parse(token.reveal()), Some(token.clone()));
        assert!(!format!("{token:?}").contains(&token.reveal()[3..]));
        for wrong in ["", "st_", "ph_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "st_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-"] {
            assert_eq!(StreamToken::parse(wrong), None, "{wrong}");
        }
    }
}
