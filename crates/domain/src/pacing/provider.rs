//! The large mailbox providers, identified by the names of their mail exchangers, and their limits.
//!
//! Few providers publish numbers, so these err on the careful side; [`super::ThrottleState`] lowers them further when a provider
//! pushes back. Each line names its source: "published" is the provider's own page for senders; "community" is the
//! values that operators of large senders share in `KumoMTA`'s `policy-extras/shaping.toml` and
//! `community/shaping.toml` (read in November 2026). Connections are counted over all exchangers of a line together,
//! per process.

use super::DestinationLimits;

/// A mailbox provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MailboxProvider {
    /// Its name in metrics and logs.
    pub name: &'static str,
    /// The suffixes of its exchangers' names, each with a leading dot.
    pub suffixes: &'static [&'static str],
    /// The upper bounds.
    pub limits: DestinationLimits,
}

const fn line(
    name: &'static str,
    suffixes: &'static [&'static str],
    connections_max: u32,
    messages_per_connection_max: u32,
    per_minute_max: Option<u32>,
) -> MailboxProvider {
    MailboxProvider {
        name,
        suffixes,
        limits: DestinationLimits { connections_max, messages_per_connection_max, per_minute_max },
    }
}

/// Every known provider.
pub const MAILBOX_PROVIDERS: &[MailboxProvider] = &[
    // Gmail and Google Workspace share exchangers. Published (support.google.com/mail/answer/81126): no number, only to
    // "reduce the number of connections" on 421. Community: 50 messages, 5 connections. That suits a new sender;
    // because of the slow start, the upper bound can be twice as high.
    line("google", &[".google.com", ".googlemail.com", ".smtp.goog"], 10, 50, None),
    // Outlook.com, Hotmail, Live. Published (sendersupport.olc.protection.outlook.com/pm/Policies): errors for "too
    // many connections" and "messages per connection", no numbers. Community: 5 connections, 50 messages.
    line("outlook", &[".olc.protection.outlook.com"], 5, 50, None),
    // Exchange Online, all tenants, including the exchangers with DANE. Community: 5 connections per set of exchangers,
    // 50 messages. The tenants use many servers, so they get more in total.
    line("microsoft365", &[".protection.outlook.com", ".mx.microsoft"], 20, 50, None),
    // Yahoo, AOL and domains hosted by them. Published: at most 20 messages per connection, and few connections
    // (help.yahoo.com SLN3433, senders.yahooinc.com/best-practices).
    line("yahoo", &[".yahoodns.net"], 5, 20, None),
    // Yahoo Japan, a separate company. Community: 2 connections, 20 messages, 10 per second.
    line("yahoo_japan", &[".yahoo.co.jp"], 2, 20, Some(600)),
    // iCloud. Published (support.apple.com/102322): no number. Community: 10 connections, 5 messages.
    line("icloud", &[".icloud.com"], 10, 5, None),
    // GMX, WEB.DE, mail.com (1&1). Published (postmaster.gmx.net): errors for too many connections. Community: 4 and
    // 20.
    line("gmx", &[".gmx.net", ".web.de", ".kundenserver.de", ".mail.com"], 4, 20, None),
    // T-Online. Published (postmaster.t-online.de): contact them before sending much, no number. Same as GMX.
    line("t_online", &[".t-online.de"], 4, 20, None),
    // Mail.ru, VK. Published (help.mail.ru/developers/mailing_rules/technical): limits of connections and of messages
    // per connection, no numbers. Careful defaults.
    line("mail_ru", &[".mail.ru"], 5, 20, None),
    // Yandex. Published (yandex.com/support/mail/error-handling): errors, no numbers. Same as Mail.ru.
    line("yandex", &[".yandex.ru", ".yandex.net"], 5, 20, None),
    // QQ, Tencent. Community: 4 connections, 8 messages; "frequency limited" follows quickly.
    line("qq", &[".qq.com"], 4, 8, Some(120)),
    // NetEase: 163.com, 126.com. Community: 4 connections, 7 messages.
    line("netease", &[".netease.com", ".163.com"], 4, 7, Some(120)),
    // Proton. Published: no number. Smaller than the others.
    line("proton", &[".protonmail.ch"], 5, 20, None),
    // Comcast, Xfinity. Published (spa.xfinity.com/postmaster): 25 connections, 1,000 messages per connection.
    line("comcast", &[".comcast.net"], 25, 200, None),
    // Orange, Wanadoo. Published (messagerie.orange.fr/postmaster.html): 3 connections. Community: the same.
    line("orange", &[".orange.fr", ".wanadoo.fr"], 3, 100, None),
    // Free, SFR, La Poste: as strict as Orange, nothing published.
    line("free_fr", &[".free.fr", ".proxad.net"], 3, 50, None),
    // Proofpoint, a gateway for companies. Decides by its own reputation data and responds with 421 or 451. It serves
    // many customers, so it gets more than a single company.
    line("proofpoint", &[".pphosted.com", ".ppe-hosted.com"], 20, 50, None),
    // Mimecast, a gateway for companies. Community, from Mimecast itself: 10 connections per region, 100 messages.
    line("mimecast", &[".mimecast.com", ".mimecast.co.za", ".mimecast-offshore.com"], 20, 100, None),
    // Barracuda, a gateway for companies. Community: 10 connections, 15 messages.
    line("barracuda", &[".barracudanetworks.com"], 10, 15, None),
    // Cisco (IronPort), a gateway for companies. No numbers; same as Proofpoint.
    line("cisco", &[".iphmx.com"], 20, 50, None),
];

/// Returns the provider of a mail exchanger. The longest matching suffix wins.
#[must_use]
pub fn provider_of(host: &str) -> Option<&'static MailboxProvider> {
    let host = host.trim_end_matches('.');
    let matches = |suffix: &str| {
        let start = host.len().checked_sub(suffix.len());
        start.and_then(|start| host.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
    };
    let ends =
        MAILBOX_PROVIDERS.iter().flat_map(|one| one.suffixes.iter().map(move |suffix| (suffix.len(), *suffix, one)));
    ends.filter(|(_, suffix, _)| matches(suffix)).max_by_key(|(length, _, _)| *length).map(|(_, _, provider)| provider)
}
