//! The stream of events: its one-time tokens, its bounds and how it ends (contract §12).

use sha2::{Digest, Sha256};

use crate::{
    auth::{KEY_RANDOM_CHARS, letters},
    time::{HOUR_MS, MINUTE_MS},
};

/// Text in front of every token.
pub const TOKEN_PREFIX: &str = "st_";
/// How long a token can be used, in milliseconds.
pub const TOKEN_MS: i64 = MINUTE_MS;
/// The time between two signs of life, in seconds.
pub const HEARTBEAT_S: u64 = 30;
/// Most events that are replayed.
pub const REPLAY_EVENTS_MAX: usize = 1_000;
/// How far back a replay goes, in milliseconds.
pub const REPLAY_MS: i64 = HOUR_MS;
/// Largest frame of a client, in bytes.
pub const FRAME_BYTES_MAX: usize = 64 * 1024;
/// Frames of a client that are answered with an error before the stream ends.
pub const ERRORS_MAX: u32 = 20;

/// A token: it stands for a key, once, where no header can be sent. Only its [`StreamToken::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct StreamToken(String);

impl StreamToken {
    /// A token from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        Self(format!("{TOKEN_PREFIX}{}", letters(random)))
    }

    /// Takes a text that has the form of a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(TOKEN_PREFIX)?;
        (body.len() == KEY_RANDOM_CHARS && body.bytes().all(|b| b.is_ascii_alphanumeric()))
            .then(|| Self(text.to_owned()))
    }

    /// SHA-256 of the whole text: what is stored.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The whole secret, for the one answer that shows it.
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

/// Why a stream ends, with the close code that says so (RFC 6455 §7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The client said goodbye.
    Normal,
    /// This server stops; reconnect and resume.
    Restarting,
    /// A frame that is none.
    Protocol,
    /// A text frame that is no UTF-8.
    Encoding,
    /// Too many frames that could not be understood.
    Refused,
    /// A frame above [`FRAME_BYTES_MAX`].
    TooLarge,
    /// The client read too slowly; reconnect and resume.
    Slow,
    /// Nothing was heard for two heartbeats.
    Silent,
    /// The token or key is wrong, used, expired or revoked.
    Credential,
    /// The key lacks `messages:read`.
    Permission,
}

impl Ending {
    /// The close code.
    #[must_use]
    pub const fn code(self) -> u16 {
        match self {
            Self::Normal => 1000,
            Self::Restarting => 1001,
            Self::Protocol => 1002,
            Self::Encoding => 1007,
            Self::Refused => 1008,
            Self::TooLarge => 1009,
            Self::Slow => 1013,
            Self::Silent => 4000,
            Self::Credential => 4001,
            Self::Permission => 4003,
        }
    }

    /// The reason in the close frame.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Normal => "",
            Self::Restarting => "the server restarts; reconnect and resume",
            Self::Protocol => "not a WebSocket frame",
            Self::Encoding => "a text frame is not UTF-8",
            Self::Refused => "too many frames that could not be understood",
            Self::TooLarge => "frame too large",
            Self::Slow => "read too slowly; reconnect and resume",
            Self::Silent => "nothing was heard for two heartbeats",
            Self::Credential => "the credential is invalid, used, expired or revoked",
            Self::Permission => "the key lacks messages:read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_has_its_form() {
        let token = StreamToken::from_random(&[7; 2 * KEY_RANDOM_CHARS]);
        assert_eq!(StreamToken::parse(token.reveal()), Some(token.clone()));
        assert!(!format!("{token:?}").contains(&token.reveal()[3..]));
        for wrong in ["", "st_", "ph_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "st_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-"] {
            assert_eq!(StreamToken::parse(wrong), None, "{wrong}");
        }
    }
}
