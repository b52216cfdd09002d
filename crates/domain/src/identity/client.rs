//! Apps that agents sign in to (relying parties).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use super::app_url;
use super::scope::IdentityScopes;
use crate::{
    auth::secret::random_alphanumerics,
    id::{IdentityClientId, InboxId, WorkspaceId},
    time::Time,
};

/// The most apps of a workspace.
pub const CLIENTS_MAX: u64 = 100;
/// The most redirect URIs of an app.
pub const REDIRECT_URIS_MAX: usize = 10;
/// The longest name of an app, in characters.
pub const NAME_CHARS_MAX: usize = 100;
/// The prefix of the public id of an app.
pub const CLIENT_ID_PREFIX: &str = "appc_";
/// The prefix of the secret of an app.
pub const SECRET_PREFIX: &str = "apps_";
/// The random characters of a public id: 140 bits, so that ids never repeat.
const CLIENT_ID_CHARS: usize = 24;
/// The random characters of a secret: over 230 bits.
const SECRET_CHARS: usize = 40;
/// The characters of a secret that lists show, with the prefix.
const SECRET_SHOWN_CHARS: usize = 10;
/// The random bytes of a public id.
pub const CLIENT_ID_RANDOM_BYTES: usize = 2 * CLIENT_ID_CHARS;
/// The random bytes of a secret.
pub const SECRET_RANDOM_BYTES: usize = 2 * SECRET_CHARS;

named! {
    /// How an app authenticates.
    IdentityClientType {
        /// With a secret, from a server.
        Confidential = "confidential",
        /// Without a secret, in a browser or on a device.
        Public = "public",
        /// It only verifies tokens that agents give it, and has no browser flow.
        VerifyOnly = "verify_only",
    }
    /// How an app knows an agent.
    SubjectType {
        /// By an id that no other app knows.
        Pairwise = "pairwise",
        /// By the id of its inbox or identity.
        Public = "public",
    }
}

/// An app that agents sign in to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IdentityClient {
    /// The workspace that registered it.
    pub workspace: WorkspaceId,
    /// Its id in the API.
    pub id: IdentityClientId,
    /// Its public id, the audience of tokens.
    pub client_id: String,
    pub name: String,
    /// How it authenticates.
    pub kind: IdentityClientType,
    /// Where browsers may return to.
    pub redirect_uris: Vec<String>,
    /// What it may learn.
    pub allowed_scopes: IdentityScopes,
    /// How it knows agents.
    pub subject_type: SubjectType,
    /// The random bytes that its pairwise subjects depend on.
    pub subject_salt: [u8; 32],
    /// Its home page.
    pub homepage_url: Option<String>,
    /// The start of its secret.
    pub secret_prefix: Option<String>,
    /// SHA-256 of its secret.
    pub secret_sha256: Option<[u8; 32]>,
    /// Whether agents can sign in to it.
    pub enabled: bool,
    /// When an agent last signed in, to the minute.
    pub last_used_at: Option<Time>,
    pub created_at: Time,
    /// When it was changed.
    pub updated_at: Time,
}

impl IdentityClient {
    /// Returns the id by which the app knows an agent. Ids of inboxes and of apps never repeat, so neither do subjects,
    /// whatever is deleted.
    #[must_use]
    pub fn subject(&self, agent: InboxId) -> String {
        match self.subject_type {
            SubjectType::Public => agent.to_string(),
            SubjectType::Pairwise => {
                let digest = Sha256::new().chain_update(self.subject_salt).chain_update(agent.as_uuid().as_bytes());
                URL_SAFE_NO_PAD.encode(digest.finalize())
            }
        }
    }

    /// Returns whether browsers may return to a URI, compared byte for byte (RFC 9700 §2.1), except for the port of a
    /// loopback address.
    #[must_use]
    pub fn returns_to(&self, uri: &str) -> bool {
        self.redirect_uris.iter().any(|known| known == uri || app_url::differs_in_port(known, uri))
    }

    /// Returns whether a secret is the app's.
    #[must_use]
    pub fn has_secret(&self, secret: &str) -> bool {
        // Comparing digests reveals nothing about the secret by its time.
        self.secret_sha256.is_some_and(|digest| digest == ClientSecret::digest_of(secret))
    }
}

/// Creates the public id of an app from random bytes.
#[must_use]
pub fn client_id(random: &[u8; CLIENT_ID_RANDOM_BYTES]) -> String {
    format!("{CLIENT_ID_PREFIX}{}", random_alphanumerics(random))
}

/// The secret of an app. It is shown once; only its digest is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret(String);

impl ClientSecret {
    /// Creates a secret from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; SECRET_RANDOM_BYTES]) -> Self {
        Self(format!("{SECRET_PREFIX}{}", random_alphanumerics(random)))
    }

    /// Returns the SHA-256 of the secret.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Self::digest_of(&self.0)
    }

    fn digest_of(text: &str) -> [u8; 32] {
        Sha256::digest(text).into()
    }

    /// Returns the part that lists show.
    #[must_use]
    pub fn display_prefix(&self) -> &str {
        &self.0[..SECRET_SHOWN_CHARS]
    }

    /// Returns the whole secret, for the one response that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ClientSecret({}…)", self.display_prefix())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use uuid::Uuid;

    /// Returns an app.
    pub(in crate::identity) fn client(subject_type: SubjectType, salt: u8) -> IdentityClient {
        let secret = ClientSecret::from_random(&[7; SECRET_RANDOM_BYTES]);
        IdentityClient {
            workspace: WorkspaceId(Uuid::from_u128(1)),
            id: IdentityClientId(Uuid::from_u128(2)),
            client_id: client_id(&[9; CLIENT_ID_RANDOM_BYTES]),
            name: "App".to_owned(),
            kind: IdentityClientType::Confidential,
            redirect_uris: vec!["https://app.example/cb".to_owned()],
            allowed_scopes: IdentityScopes::CLIENT_DEFAULT,
            subject_type,
            subject_salt: [salt; 32],
            homepage_url: None,
            secret_prefix: Some(secret.display_prefix().to_owned()),
            secret_sha256: Some(secret.digest()),
            enabled: true,
            last_used_at: None,
            created_at: Time::from_millis(0),
            updated_at: Time::from_millis(0),
        }
    }

    #[test]
    fn subjects_differ_by_app_and_agent() {
        let agents = [1, 2].map(|n| InboxId(Uuid::from_u128(n)));
        let pairwise = [1, 2].map(|salt| client(SubjectType::Pairwise, salt));
        let all: std::collections::HashSet<String> =
            pairwise.iter().flat_map(|client| agents.map(|agent| client.subject(agent))).collect();
        assert_eq!(all.len(), 4);
        assert_eq!(pairwise[0].subject(agents[0]), pairwise[0].subject(agents[0]));
        assert!(all.iter().all(|subject| subject.len() == 43 && !subject.contains(&agents[0].to_string())));
        assert_eq!(client(SubjectType::Public, 1).subject(agents[0]), agents[0].to_string());
    }

    #[test]
    fn a_secret_is_compared_and_not_printed() {
        let (client, secret) = (client(SubjectType::Pairwise, 1), ClientSecret::from_random(&[7; SECRET_RANDOM_BYTES]));
        assert!(client.has_secret(secret.reveal()) && !client.has_secret("") && !client.has_secret("apps_x"));
        assert!(!format!("{secret:?}").contains(&secret.reveal()[12..]));
        assert!(!IdentityClient { secret_sha256: None, ..client }.has_secret(secret.reveal()));
    }
}
