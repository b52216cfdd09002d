//! API keys, permissions, presets and scopes; principals and callers.
//!
//! Never stores or compares secrets: it derives them from random bytes that the caller passes in, and hashes them for
//! storage.

mod api_key;
mod inbox_set;
mod owner;
mod principal;

pub use self::api_key::{ApiKey, KeyClient};
pub use self::inbox_set::{InboxSet, SET_INBOXES_MAX};
use sha2::{Digest, Sha256};

pub use owner::{KeyOwner, KeyOwnerKind, MemberKeys, may_create_key};
pub use principal::{Caller, ConnectorPrincipal, Credential, KeyPrincipal, Principal, UserPrincipal};

use crate::{error::Refusal, id::InboxId};

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A permission of an API key.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Permission { $($(#[$doc])* $name,)* }

        impl Permission {
            /// Every permission, in a fixed order.
            pub const ALL: &[Permission] = &[$(Permission::$name,)*];

            /// Returns the name on the wire.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(Permission::$name => $text,)* } }
        }
    };
}

permissions! {
    /// Read the account and inboxes.
    InboxesRead = "inboxes:read",
    /// Create, update, delete, pause and resume inboxes.
    InboxesWrite = "inboxes:write",
    /// Read messages, threads, attachments and events; long-poll.
    MessagesRead = "messages:read",
    /// Change labels, read state and threads; use the work queue.
    MessagesWrite = "messages:write",
    /// Send, reply and forward.
    MessagesSend = "messages:send",
    /// Release held messages.
    MessagesRelease = "messages:release",
    /// Read drafts.
    DraftsRead = "drafts:read",
    /// Change drafts.
    DraftsWrite = "drafts:write",
    /// Approve drafts, which sends them, and send them back.
    DraftsApprove = "drafts:approve",
    /// Extract structured data from attachments.
    AttachmentsExtract = "attachments:extract",
    /// Read contacts and suppressions.
    ContactsRead = "contacts:read",
    /// Change contacts and suppressions.
    ContactsWrite = "contacts:write",
    /// Read knowledge.
    KnowledgeRead = "knowledge:read",
    /// Change knowledge.
    KnowledgeWrite = "knowledge:write",
    /// Manage webhooks.
    WebhooksManage = "webhooks:manage",
    /// Manage allow and block lists.
    ListsManage = "lists:manage",
    /// Manage custom domains.
    DomainsManage = "domains:manage",
    /// Read metrics and deliverability.
    MetricsRead = "metrics:read",
    /// Read the directory.
    DirectoryRead = "directory:read",
    /// Change agent cards and handles.
    DirectoryWrite = "directory:write",
    /// Sign identity tokens.
    IdentitySign = "identity:sign",
    /// Manage sign-in apps and agent keys.
    IdentityManage = "identity:manage",
    /// Manage escalation to people on call.
    EscalationManage = "escalation:manage",
    /// Use the emergency stop.
    WorkspaceEmergency = "workspace:emergency",
}

impl Permission {
    /// Parses the name of a permission.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.text() == text)
    }
}

/// A set of permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Permissions(u32);

impl Permissions {
    /// Creates a set of the given permissions.
    #[must_use]
    pub fn of(list: &[Permission]) -> Self {
        Self(list.iter().fold(0, |bits, permission| bits | 1 << *permission as u8))
    }

    /// Returns all permissions: the preset `full`.
    #[must_use]
    pub fn full() -> Self {
        Self::of(Permission::ALL)
    }

    /// Returns a preset: `full`, `agent`, `send_only`, `read_only` or `approve`.
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        use Permission::*;
        match name {
            "full" => Some(Self::full()),
            "agent" => Some(Self::of(&[
                InboxesRead,
                MessagesRead,
                MessagesWrite,
                MessagesSend,
                DraftsRead,
                DraftsWrite,
                ContactsRead,
                ContactsWrite,
                KnowledgeRead,
                DirectoryRead,
                AttachmentsExtract,
            ])),
            "send_only" => Some(Self::of(&[MessagesSend, DraftsWrite])),
            "approve" => Some(Self::of(&[DraftsRead, DraftsApprove, MessagesRead])),
            "read_only" => {
                let reads: Vec<Permission> =
                    Permission::ALL.iter().copied().filter(|p| p.text().ends_with(":read")).collect();
                Some(Self::of(&reads))
            }
            _ => None,
        }
    }

    /// Parses a comma-separated list of permission and preset names.
    ///
    /// # Errors
    /// Returns the first unknown name.
    pub fn parse(list: &str) -> Result<Self, String> {
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).try_fold(Self::default(), |set, name| {
            let more = Self::preset(name).or_else(|| Permission::parse(name).map(|p| Self::of(&[p])));
            more.map(|more| Self(set.0 | more.0)).ok_or_else(|| name.to_owned())
        })
    }

    /// Returns whether the set contains a permission.
    #[must_use]
    pub fn has(self, permission: Permission) -> bool {
        self.0 & (1 << permission as u8) != 0
    }

    /// Iterates over the names in the set, in the order of [`Permission::ALL`].
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Permission::ALL.iter().copied().filter(move |p| self.has(*p)).map(Permission::text)
    }
}

/// The records that a key or connector can access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The whole workspace, including the emergency stop and changes of handles.
    Org,
    /// The whole workspace, except what requires [`Scope::Org`].
    Workspace,
    /// One inbox.
    Inbox(InboxId),
    /// Several inboxes.
    Inboxes(InboxSet),
}

impl Scope {
    /// Returns the scope of a list of inboxes; `None` if there is no inbox, or more than [`SET_INBOXES_MAX`].
    #[must_use]
    pub fn of_inboxes(inboxes: &[InboxId]) -> Option<Self> {
        match InboxSet::of(inboxes)?.ids() {
            [] => None,
            [one] => Some(Self::Inbox(*one)),
            several => InboxSet::of(several).map(Self::Inboxes),
        }
    }

    /// Returns the name on the wire: `org`, `workspace`, `inbox` or `inboxes`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Scope::Org => "org",
            Scope::Workspace => "workspace",
            Scope::Inbox(_) => "inbox",
            Scope::Inboxes(_) => "inboxes",
        }
    }

    /// Returns the inbox of a key. A key has one inbox or the whole workspace.
    #[must_use]
    pub const fn key_inbox(self) -> Option<InboxId> {
        match self {
            Scope::Inbox(id) => Some(id),
            Scope::Org | Scope::Workspace | Scope::Inboxes(_) => None,
        }
    }

    /// Returns the inboxes that the scope is limited to; `None` for the whole workspace.
    #[must_use]
    pub fn inboxes(&self) -> Option<&[InboxId]> {
        match self {
            Scope::Inbox(id) => Some(std::slice::from_ref(id)),
            Scope::Inboxes(set) => Some(set.ids()),
            Scope::Org | Scope::Workspace => None,
        }
    }

    /// Returns whether the scope is limited to inboxes.
    #[must_use]
    pub fn is_limited(self) -> bool {
        self.inboxes().is_some()
    }

    /// Returns whether records of the inbox are visible.
    #[must_use]
    pub fn allows_inbox(self, inbox: InboxId) -> bool {
        self.inboxes().is_none_or(|own| own.contains(&inbox))
    }

    /// Returns the inbox that a list is limited to: the requested one, or else the only one of the scope. `None` for the
    /// whole workspace. The caller checks that a requested inbox is visible.
    ///
    /// # Errors
    /// Returns `invalid_request` if the scope has several inboxes and none is requested.
    pub fn narrow(self, requested: Option<InboxId>) -> Result<Option<InboxId>, Refusal> {
        match (requested, self.inboxes()) {
            (Some(inbox), _) => Ok(Some(inbox)),
            (None, None) => Ok(None),
            (None, Some([only])) => Ok(Some(*only)),
            (None, Some(several)) => {
                let named = several.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                Err(Refusal::invalid_field(
                    "inbox_id",
                    format!("must be one of the inboxes of this connector: {named}"),
                )
                .with_fix("Name one inbox at a time."))
            }
        }
    }
}

/// The prefix of every key.
pub const KEY_PREFIX: &str = "ph_";
/// The number of characters after the prefix; the last six are the checksum.
pub const KEY_CHARS: usize = 40;
const CHECKSUM_CHARS: usize = 6;
/// The number of random characters in a key.
pub const KEY_RANDOM_CHARS: usize = KEY_CHARS - CHECKSUM_CHARS;
/// The number of characters shown in lists, including the prefix.
pub const KEY_SHOWN_CHARS: usize = 10;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret of an API key. It is shown once; only its [`ApiKeySecret::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeySecret(String);

impl ApiKeySecret {
    /// Creates a key from random bytes: two bytes per character keep the bias of the alphabet below 0.1 %.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        let body = random_alphanumerics(random);
        Self(format!("{KEY_PREFIX}{body}{}", checksum(&body)))
    }

    /// Parses a key and verifies its checksum, so that typing errors are rejected without a database lookup.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(KEY_PREFIX)?;
        if body.len() != KEY_CHARS || !body.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let (random, sum) = body.split_at(KEY_RANDOM_CHARS);
        (checksum(random) == sum).then(|| Self(text.to_owned()))
    }

    /// Returns the SHA-256 of the key, which is stored. A key has over 200 random bits, so a slow hash isn't needed.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// Returns the part shown in lists.
    #[must_use]
    pub fn display_prefix(&self) -> &str {
        &self.0[..KEY_SHOWN_CHARS]
    }

    /// Returns the whole secret, for the one response that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for ApiKeySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({}…)", self.display_prefix())
    }
}

/// Converts random bytes into letters and digits, two bytes per character.
pub(crate) fn random_alphanumerics(random: &[u8]) -> String {
    random
        .chunks_exact(2)
        .map(|pair| char::from(ALPHABET[usize::from(u16::from_be_bytes([pair[0], pair[1]])) % ALPHABET.len()]))
        .collect()
}

/// Returns the CRC-32 of the random part in base 62, padded to six characters.
fn checksum(random: &str) -> String {
    let mut rest = crc32fast::hash(random.as_bytes()) as usize;
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    digits.iter().map(|b| char::from(*b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_round_trips_and_typing_errors_are_rejected() {
        let key = ApiKeySecret::from_random(&[200; 2 * KEY_RANDOM_CHARS]);
        let text = key.reveal();
        assert_eq!(text.len(), 3 + 40);
        assert_eq!(ApiKeySecret::parse(text).as_ref(), Some(&key));
        for at in 3..text.len() {
            let mut broken = text.as_bytes().to_vec();
            broken[at] = if broken[at] == b'x' { b'y' } else { b'x' };
            let broken = String::from_utf8(broken).expect("ASCII");
            assert_eq!(ApiKeySecret::parse(&broken), None, "{broken}");
        }
        assert!(!format!("{key:?}").contains(&text[10..]));
    }

    #[test]
    fn presets_have_their_documented_permissions() {
        let send_only: Vec<_> = Permissions::preset("send_only").expect("known").names().collect();
        assert_eq!(send_only, ["messages:send", "drafts:write"]);
        let approve: Vec<_> = Permissions::preset("approve").expect("known").names().collect();
        assert_eq!(approve, ["messages:read", "drafts:read", "drafts:approve"]);
        assert!(!Permissions::preset("agent").expect("known").has(Permission::DraftsApprove));
        let read_only = Permissions::preset("read_only").expect("known");
        assert!(read_only.has(Permission::MetricsRead) && !read_only.has(Permission::MessagesWrite));
        assert!(!Permissions::preset("agent").expect("known").has(Permission::InboxesWrite));
        assert_eq!(Permissions::parse("messages:read, bogus"), Err("bogus".to_owned()));
        assert_eq!(Permissions::parse("full"), Ok(Permissions::full()));
    }
}
