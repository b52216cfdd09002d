//! The large providers, known by the names of their mail exchangers, and what they are known to bear.
//!
//! Few publish numbers; what stands here errs on the careful side, and [`super::Pace`] goes lower by itself where a provider
//! pushes back. The sources are named at each line: «published» is the provider's own page for senders, «community» the
//! values that operators of large senders share in `KumoMTA`'s files `policy-extras/shaping.toml` and
//! `community/shaping.toml` (read in November 2026). Connections are counted for all exchangers of a line together, of one
//! process of ours.

use super::Limits;

/// A provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Provider {
    /// Its name in metrics and logs.
    pub name: &'static str,
    /// How the names of its exchangers end, each with its leading dot.
    pub suffixes: &'static [&'static str],
    /// What it gets at most.
    pub limits: Limits,
}

const fn line(
    name: &'static str,
    suffixes: &'static [&'static str],
    (connections_max, messages_per_connection_max): (u32, u32),
    per_minute_max: Option<u32>,
) -> Provider {
    Provider { name, suffixes, limits: Limits { connections_max, messages_per_connection_max, per_minute_max } }
}

/// Every provider that is known, each once: name, exchangers, connections and messages a connection, messages a minute.
pub const PROVIDERS: &[Provider] = &[
    // Gmail and Google Workspace share their exchangers. Published (support.google.com/mail/answer/81126) is no number, but
    // to «reduce the number of connections» on 421. Community: 50 messages; 5 connections, which fits a new sender: a slow
    // start finds what is borne, so twice that is the bound.
    line("google", &[".google.com", ".googlemail.com", ".smtp.goog"], (10, 50), None),
    // Outlook.com, Hotmail, Live. Published are the errors for «too many connections» and «messages per connection» without
    // numbers (sendersupport.olc.protection.outlook.com/pm/Policies). Community: 5 connections, 50 messages.
    line("outlook", &[".olc.protection.outlook.com"], (5, 50), None),
    // Exchange Online, of all its tenants, with the names for DANE. Community: 5 connections of a set of exchangers, 50
    // messages; the tenants' servers are many, so together they get more.
    line("microsoft365", &[".protection.outlook.com", ".mx.microsoft"], (20, 50), None),
    // Yahoo, AOL and whom they host. Published: at most 20 messages a connection, connections «with respect»
    // (help.yahoo.com SLN3433, senders.yahooinc.com/best-practices).
    line("yahoo", &[".yahoodns.net"], (5, 20), None),
    // Yahoo Japan, another company. Community: 2 connections, 20 messages, 10 a second.
    line("yahoo_japan", &[".yahoo.co.jp"], (2, 20), Some(600)),
    // iCloud. Published is no number (support.apple.com/102322). Community: 10 connections, 5 messages.
    line("icloud", &[".icloud.com"], (10, 5), None),
    // GMX, WEB.DE, mail.com (1&1). Published: errors for too many connections (postmaster.gmx.net). Community: 4 and 20.
    line("gmx", &[".gmx.net", ".web.de", ".kundenserver.de", ".mail.com"], (4, 20), None),
    // T-Online. Published: contact before sending much (postmaster.t-online.de), no number; as careful as GMX.
    line("t_online", &[".t-online.de"], (4, 20), None),
    // Mail.ru, VK. Published are a limit of connections and of messages in a connection without numbers
    // (help.mail.ru/developers/mailing_rules/technical); the careful values of this class.
    line("mail_ru", &[".mail.ru"], (5, 20), None),
    // Yandex. As mail.ru: errors, no numbers (yandex.com/support/mail/error-handling).
    line("yandex", &[".yandex.ru", ".yandex.net"], (5, 20), None),
    // QQ, Tencent. Community: 4 connections, 8 messages; «frequency limited» follows quickly.
    line("qq", &[".qq.com"], (4, 8), Some(120)),
    // NetEase: 163.com, 126.com. Community: 4 connections, 7 messages.
    line("netease", &[".netease.com", ".163.com"], (4, 7), Some(120)),
    // Proton. Published is no number; small compared to the others.
    line("proton", &[".protonmail.ch"], (5, 20), None),
    // Comcast, Xfinity. Published: 25 connections, 1,000 messages a connection (spa.xfinity.com/postmaster).
    line("comcast", &[".comcast.net"], (25, 200), None),
    // Orange, Wanadoo. Published: 3 connections (messagerie.orange.fr/postmaster.html). Community: the same.
    line("orange", &[".orange.fr", ".wanadoo.fr"], (3, 100), None),
    // Free, SFR and La Poste are as careful and publish as little.
    line("free_fr", &[".free.fr", ".proxad.net"], (3, 50), None),
    // Proofpoint in front of companies: a reputation of its own decides, and answers 421 or 451. Many customers, so more
    // than for one company.
    line("proofpoint", &[".pphosted.com", ".ppe-hosted.com"], (20, 50), None),
    // Mimecast in front of companies. Community, from Mimecast itself: 10 connections a region, 100 messages.
    line("mimecast", &[".mimecast.com", ".mimecast.co.za", ".mimecast-offshore.com"], (20, 100), None),
    // Barracuda in front of companies. Community: 10 connections, 15 messages.
    line("barracuda", &[".barracudanetworks.com"], (10, 15), None),
    // Cisco (IronPort) in front of companies: no numbers; as Proofpoint.
    line("cisco", &[".iphmx.com"], (20, 50), None),
];

/// The provider of a mail exchanger, by the end of its name; the longest end that fits counts.
#[must_use]
pub fn provider_of(host: &str) -> Option<&'static Provider> {
    let host = host.trim_end_matches('.');
    let fits = |suffix: &str| {
        let start = host.len().checked_sub(suffix.len());
        start.and_then(|start| host.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
    };
    let ends = PROVIDERS.iter().flat_map(|one| one.suffixes.iter().map(move |suffix| (suffix.len(), *suffix, one)));
    ends.filter(|(_, suffix, _)| fits(suffix)).max_by_key(|(length, _, _)| *length).map(|(_, _, provider)| provider)
}
