//! The declarations of all configuration keys, by section. They are the only list of keys.

pub(super) mod agents;
pub(super) mod delivery;
pub(super) mod general;
pub(super) mod http;
pub(super) mod limits;
pub(super) mod plans;
pub(super) mod services;
pub(super) mod signup;
pub(super) mod smtp;

use super::key::ConfigKey;

/// The keys that an operator needs first, in this order.
pub(super) const FIRST_KEYS: [&str; 3] = ["base_url", "mail.default_domain", "delivery.mode"];

/// A section of the configuration file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// The name, which is empty for keys outside a section.
    pub(super) name: &'static str,
    /// The heading in the reference.
    pub(super) title: &'static str,
    /// What the keys of the section are for.
    pub(super) intro: &'static str,
}

/// All sections, in the order of the reference.
pub(super) const SECTIONS: &[Section] = &[
    Section { name: "", title: "General", intro: "Write these keys before the first section of the file." },
    Section { name: "mail", title: "Domains of inboxes", intro: "" },
    Section { name: "http", title: "API", intro: "" },
    Section {
        name: "smtp",
        title: "Mail exchanger",
        intro: "Settings of the listener that receives mail from other servers, and the certificate of all listeners.",
    },
    Section { name: "acme", title: "Certificates by ACME", intro: "These keys apply if `smtp.acme` is `true`." },
    Section { name: "submission", title: "Submission", intro: "Mail programs send through these listeners." },
    Section { name: "delivery", title: "Delivery", intro: "How mail to other domains leaves this server." },
    Section { name: "dkim", title: "DKIM", intro: "" },
    Section { name: "webhooks", title: "Webhooks", intro: "" },
    Section { name: "mcp", title: "MCP", intro: "" },
    Section { name: "feedback", title: "Feedback reports", intro: "" },
    Section { name: "dns", title: "DNS", intro: "" },
    Section {
        name: "signup",
        title: "Self-signup",
        intro: "Agents and people that create their own workspace. [Self-signup](signup.md) describes it.",
    },
    Section { name: "agents", title: "Agents", intro: "Messages between agents, their keys and their directory." },
    Section { name: "identity", title: "Identity", intro: "" },
    Section {
        name: "ai",
        title: "AI",
        intro: "What reads received mail. [Screening](../guides/screening.md) describes it.",
    },
    Section {
        name: "files",
        title: "Text of attachments",
        intro: "[Files](files.md) describes which files are read, and with which limits.",
    },
    Section { name: "log", title: "Logging", intro: "" },
    Section {
        name: "limits",
        title: "Budgets",
        intro: "What all clients share, and how much of it one workspace or one address can use. Each limit holds for \
            one process. [Limits](limits.md) describes what happens at a limit.",
    },
    Section {
        name: "plans",
        title: "Limits of plans",
        intro: "Each key limits the workspaces of one plan. [Limits](limits.md) describes what happens at a limit.",
    },
];

/// Returns every key, in the order of the declarations.
pub(super) fn declared() -> impl Iterator<Item = &'static ConfigKey> + Clone {
    let plans = [plans::free::KEYS, plans::builder::KEYS, plans::team::KEYS];
    let others = [
        general::KEYS,
        http::KEYS,
        smtp::KEYS,
        delivery::KEYS,
        services::KEYS,
        signup::KEYS,
        agents::KEYS,
        limits::KEYS,
    ];
    others.into_iter().chain(plans).flatten()
}

/// Returns every key, in the order of the reference.
pub fn keys() -> impl Iterator<Item = &'static ConfigKey> + Clone {
    SECTIONS.iter().flat_map(|section| declared().filter(|key| key.section() == section.name))
}

/// Returns the key with this name.
pub(super) fn find(name: &str) -> Option<&'static ConfigKey> {
    keys().find(|key| key.name == name)
}
