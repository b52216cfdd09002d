//! Permissions of API keys, and presets of them.

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

#[cfg(test)]
mod tests {
    use super::*;

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
