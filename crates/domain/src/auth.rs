//! API keys, permissions, presets and scopes (API document, Authentication; decision 8; contract §1.5).
//!
//! Never stores or compares key secrets: it makes them from given random bytes and names what is kept of them.

use sha2::{Digest, Sha256};

use crate::id::{InboxId, KeyId, WorkspaceId};

macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What a key may do (contract §1.5).
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Permission { $($(#[$doc])* $name,)* }

        impl Permission {
            /// Every permission, in the order of the contract.
            pub const ALL: &[Permission] = &[$(Permission::$name,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $(Permission::$name => $text,)* } }
        }
    };
}

permissions! {
    /// Account and inbox reads.
    InboxesRead = "inboxes:read",
    /// Inbox create, update, delete, pause and resume.
    InboxesWrite = "inboxes:write",
    /// Message, thread, attachment and event reads, long-polls.
    MessagesRead = "messages:read",
    /// Labels, read state, thread changes, the work queue.
    MessagesWrite = "messages:write",
    /// Send, reply, forward.
    MessagesSend = "messages:send",
    /// Release of held mail.
    MessagesRelease = "messages:release",
    /// Draft reads.
    DraftsRead = "drafts:read",
    /// Draft changes.
    DraftsWrite = "drafts:write",
    /// Structured extraction from attachments.
    AttachmentsExtract = "attachments:extract",
    /// Contact and suppression reads.
    ContactsRead = "contacts:read",
    /// Contact and suppression changes.
    ContactsWrite = "contacts:write",
    /// Knowledge reads.
    KnowledgeRead = "knowledge:read",
    /// Knowledge changes.
    KnowledgeWrite = "knowledge:write",
    /// Webhooks.
    WebhooksManage = "webhooks:manage",
    /// Allow and block lists.
    ListsManage = "lists:manage",
    /// Custom domains.
    DomainsManage = "domains:manage",
    /// Metrics and deliverability.
    MetricsRead = "metrics:read",
    /// Directory reads.
    DirectoryRead = "directory:read",
    /// Agent cards and handles.
    DirectoryWrite = "directory:write",
    /// Identity tokens.
    IdentitySign = "identity:sign",
    /// Sign-in apps and agent keys.
    IdentityManage = "identity:manage",
    /// The human on call.
    EscalationManage = "escalation:manage",
    /// Emergency stop.
    WorkspaceEmergency = "workspace:emergency",
}

impl Permission {
    /// The permission of that name.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.text() == text)
    }
}

/// A set of permissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Permissions(u32);

impl Permissions {
    /// The set of these permissions.
    #[must_use]
    pub fn of(list: &[Permission]) -> Self {
        Self(list.iter().fold(0, |bits, permission| bits | 1 << *permission as u8))
    }

    /// The set of all permissions: the preset `full`.
    #[must_use]
    pub fn full() -> Self {
        Self::of(Permission::ALL)
    }

    /// The presets of decision 8: `full`, `agent`, `send_only`, `read_only`.
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
            "read_only" => {
                let reads: Vec<Permission> =
                    Permission::ALL.iter().copied().filter(|p| p.text().ends_with(":read")).collect();
                Some(Self::of(&reads))
            }
            _ => None,
        }
    }

    /// Reads a comma-separated list of permission or preset names.
    ///
    /// # Errors
    /// The first name that is neither.
    pub fn parse(list: &str) -> Result<Self, String> {
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).try_fold(Self::default(), |set, name| {
            let more = Self::preset(name).or_else(|| Permission::parse(name).map(|p| Self::of(&[p])));
            more.map(|more| Self(set.0 | more.0)).ok_or_else(|| name.to_owned())
        })
    }

    /// Whether the permission is in the set.
    #[must_use]
    pub fn has(self, permission: Permission) -> bool {
        self.0 & (1 << permission as u8) != 0
    }

    /// The names in the set, in the order of the contract.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Permission::ALL.iter().copied().filter(move |p| self.has(*p)).map(Permission::text)
    }
}

/// How far a key reaches (contract §1.5, decision 8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Everything of the workspace, emergency stop and handle changes too.
    Org,
    /// Everything of the workspace that is not for org-wide keys.
    Workspace,
    /// One inbox.
    Inbox(InboxId),
}

impl Scope {
    /// The name on the wire: `org`, `workspace` or `inbox`.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Scope::Org => "org",
            Scope::Workspace => "workspace",
            Scope::Inbox(_) => "inbox",
        }
    }

    /// The only inbox this scope can see, if it is narrowed to one.
    #[must_use]
    pub const fn inbox(self) -> Option<InboxId> {
        match self {
            Scope::Inbox(id) => Some(id),
            Scope::Org | Scope::Workspace => None,
        }
    }

    /// Whether records of that inbox are visible.
    #[must_use]
    pub fn sees(self, inbox: InboxId) -> bool {
        self.inbox().is_none_or(|own| own == inbox)
    }
}

/// Who is asking: the proof that a request was authenticated. A use-case without one cannot name a workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The workspace that the key belongs to.
    pub workspace: WorkspaceId,
    /// The key itself.
    pub key: KeyId,
    /// How far it reaches.
    pub scope: Scope,
    /// What it may do.
    pub permissions: Permissions,
}

impl Caller {
    /// The service itself, at the time that somebody chose: it acts for one inbox, by no key and no permission.
    #[must_use]
    pub fn service(workspace: WorkspaceId, inbox: InboxId) -> Self {
        let key = KeyId(uuid::Uuid::nil());
        Self { workspace, key, scope: Scope::Inbox(inbox), permissions: Permissions::default() }
    }

    /// Who runs the service, at its command line, in one workspace.
    #[must_use]
    pub fn operator(workspace: WorkspaceId) -> Self {
        Self { workspace, key: KeyId(uuid::Uuid::nil()), scope: Scope::Org, permissions: Permissions::default() }
    }
}

/// Text in front of every key (decision 8).
pub const KEY_PREFIX: &str = "ph_";
/// Characters behind the prefix; the last six are the checksum.
pub const KEY_CHARS: usize = 40;
const CHECKSUM_CHARS: usize = 6;
/// Random characters of a key.
pub const KEY_RANDOM_CHARS: usize = KEY_CHARS - CHECKSUM_CHARS;
/// Characters of a key that lists show, the prefix included.
pub const KEY_SHOWN_CHARS: usize = 10;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret text of an API key. Shown once; only its [`SecretKey::digest`] is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct SecretKey(String);

impl SecretKey {
    /// A key from random bytes: two bytes a character, so that the bias of the alphabet is below 0.1 %.
    #[must_use]
    pub fn from_random(random: &[u8; 2 * KEY_RANDOM_CHARS]) -> Self {
        let body = letters(random);
        Self(format!("{KEY_PREFIX}{body}{}", checksum(&body)))
    }

    /// Takes a text that has the form of a key and a right checksum: typing errors fail before the store is asked.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.strip_prefix(KEY_PREFIX)?;
        if body.len() != KEY_CHARS || !body.bytes().all(|b| b.is_ascii_alphanumeric()) {
            return None;
        }
        let (random, sum) = body.split_at(KEY_RANDOM_CHARS);
        (checksum(random) == sum).then(|| Self(text.to_owned()))
    }

    /// SHA-256 of the whole text: what is stored. The secret has over 200 random bits, so no slow hash is needed.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The part that lists show.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.0[..KEY_SHOWN_CHARS]
    }

    /// The whole secret, for the one answer that shows it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({}…)", self.shown())
    }
}

/// Letters and digits from random bytes, two bytes a character.
pub(crate) fn letters(random: &[u8]) -> String {
    random
        .chunks_exact(2)
        .map(|pair| char::from(ALPHABET[usize::from(u16::from_be_bytes([pair[0], pair[1]])) % ALPHABET.len()]))
        .collect()
}

/// CRC-32 of the random part in base 62, padded to six characters.
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
    fn a_key_has_its_form_and_typing_errors_are_seen() {
        let key = SecretKey::from_random(&[200; 2 * KEY_RANDOM_CHARS]);
        let text = key.reveal();
        assert_eq!(text.len(), 3 + 40);
        assert_eq!(SecretKey::parse(text).as_ref(), Some(&key));
        for at in 3..text.len() {
            let mut broken = text.as_bytes().to_vec();
            broken[at] = if broken[at] == b'x' { b'y' } else { b'x' };
            let broken = String::from_utf8(broken).expect("ASCII");
            assert_eq!(SecretKey::parse(&broken), None, "{broken}");
        }
        assert!(!format!("{key:?}").contains(&text[10..]));
    }

    #[test]
    fn presets_are_those_of_decision_8() {
        let send_only: Vec<_> = Permissions::preset("send_only").expect("known").names().collect();
        assert_eq!(send_only, ["messages:send", "drafts:write"]);
        let read_only = Permissions::preset("read_only").expect("known");
        assert!(read_only.has(Permission::MetricsRead) && !read_only.has(Permission::MessagesWrite));
        assert!(!Permissions::preset("agent").expect("known").has(Permission::InboxesWrite));
        assert_eq!(Permissions::parse("messages:read, bogus"), Err("bogus".to_owned()));
        assert_eq!(Permissions::parse("full"), Ok(Permissions::full()));
    }
}
