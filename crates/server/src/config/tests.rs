//! Tests of every key with valid and invalid values, and of the precedence of sources.

mod declarations;

use std::{collections::HashSet, net::SocketAddr, path::PathBuf};

use posthouse_app::settings::{problem::ConfigError, *};

use super::*;

/// Every key with a valid and an invalid value, as TOML.
const TABLE: &[(&str, &str, &str)] = &[
    ("base_url", "'https://mail.example.com'", "'mail.example.com'"),
    ("data_dir", "'/tmp/x'", "5"),
    ("database_url", "'postgres://u:p@db/x'", "'mysql://db'"),
    ("blob_url", "'s3://bucket/prefix'", "'ftp://x'"),
    ("instance_key", "'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='", "'AAAA'"),
    ("http.listen", "'[::1]:8081'", "'8081'"),
    ("http.listen_tls", "['0.0.0.0:443']", "'0.0.0.0:443'"),
    ("http.redirect_to_https", "false", "'yes'"),
    ("http.allowed_hosts", "['posthouse', 'Bücher.example', 'mail_1.example']", "['mail.example:80']"),
    ("http.allowed_origins", "['https://inspector.example.com', 'http://10.0.0.1:3000']", "['inspector.example.com']"),
    ("http.trusted_proxies", "['10.0.0.0/8', '::1']", "['10.0.0.0/99']"),
    ("http.metrics_token", "'secret'", "''"),
    ("smtp.listen", "['0.0.0.0:25', '[::]:25']", "'0.0.0.0:25'"),
    ("smtp.hostname", "'mx.example.com'", "'-bad-'"),
    ("smtp.max_message_bytes", "'25MiB'", "'25'"),
    ("smtp.tls_cert", "'/etc/cert.pem'", "[]"),
    ("smtp.tls_key", "'/etc/key.pem'", "1"),
    ("smtp.acme", "false", "'yes'"),
    ("acme.directory", "'https://ca.example/dir'", "'http://ca.example/dir'"),
    ("acme.names", "['mx.example.com', 'mail.example.com']", "['not a domain']"),
    ("acme.email", "'ops@example.com'", "'ops'"),
    ("acme.listen", "['0.0.0.0:80']", "[80]"),
    ("acme.root", "'/etc/ca.pem'", "[]"),
    ("acme.eab_key_id", "'kid'", "''"),
    ("acme.eab_key", "'c2VjcmV0'", "''"),
    ("smtp.proxy_protocol_from", "['192.0.2.1']", "['proxy']"),
    ("smtp.max_connections", "500", "0"),
    ("smtp.max_connections_per_client", "5", "-1"),
    ("smtp.first_command_timeout", "'10s'", "10"),
    ("smtp.idle_timeout", "'10m'", "600"),
    ("smtp.reject_dmarc_fail", "true", "1"),
    ("smtp.dnsbl", "['zen.spamhaus.org']", "['not a domain']"),
    ("smtp.dnsbl_timeout", "'500ms'", "'soon'"),
    ("smtp.greylisting", "true", "'sometimes'"),
    ("smtp.greylisting_delay", "'5m'", "5"),
    ("smtp.max_connections_per_client_per_minute", "30", "-1"),
    ("smtp.max_messages_per_client_per_minute", "'unlimited'", "'many'"),
    ("smtp.max_recipients_per_client_per_minute", "100", "1.5"),
    ("smtp.trusted_clients", "['192.0.2.0/24']", "['friends']"),
    ("submission.listen", "['127.0.0.1:587']", "[587]"),
    ("submission.listen_tls", "['127.0.0.1:465']", "['x']"),
    ("submission.proxy_protocol_from", "['192.0.2.1']", "['proxy']"),
    ("mail.default_domain", "'Agents.Example.com'", "'a b'"),
    ("mail.temporary_domain", "'t.example.com'", "'t..x'"),
    ("mail.reserved_names", "['acme']", "['']"),
    ("mail.postmaster", "'Ops@example.com'", "'ops'"),
    ("delivery.mode", "'direct'", "'drect'"),
    ("delivery.relay_url", "'smtp://u:p@relay.example:587'", "'relay.example'"),
    ("delivery.sign", "false", "'no'"),
    ("delivery.port", "2526", "70000"),
    ("delivery.retry_schedule", "['1m', '2h', '1d']", "['soon']"),
    ("delivery.allow_private_networks", "true", "'maybe'"),
    ("delivery.max_connections", "50", "0"),
    ("delivery.max_connections_per_destination", "4", "0"),
    ("delivery.greylist_schedule", "['1m', '5m']", "['1']"),
    ("delivery.ip_preference", "'ipv6_only'", "'ipv5'"),
    ("delivery.source_addresses", "['192.0.2.7', '192.0.2.8 out8.example.com']", "['eth0']"),
    ("delivery.helo_name", "'out.example.com'", "'-bad-'"),
    ("dkim.ed25519", "'all'", "'some'"),
    ("webhooks.allow_private_networks", "true", "2"),
    ("webhooks.allow_http", "true", "2"),
    ("webhooks.backoff_start", "'500ms'", "'fast'"),
    ("webhooks.timeout", "'10s'", "'0s'"),
    ("mcp.events.message_ids", "true", "2"),
    ("feedback.sources", "['fbl.example', 'Abuse@x.example']", "['not a domain']"),
    ("dns.blocklists", "['bl.example']", "['not a domain']"),
    ("dns.nameservers", "['127.0.0.1:5300', '::1']", "['dns.example']"),
    ("signup.enabled", "true", "'maybe'"),
    ("signup.difficulty", "24", "41"),
    ("signup.per_address_per_day", "'unlimited'", "'many'"),
    ("signup.terms_url", "'https://mail.example.com/terms'", "'terms'"),
    ("agents.messaging", "false", "'maybe'"),
    ("agents.directory", "false", "2"),
    ("agents.agent_keys", "false", "2"),
    ("agents.public_directory", "true", "2"),
    ("identity.issuer", "'https://id.example.com'", "'id'"),
    ("identity.claims_namespace", "'https://example.com/claims'", "'claims'"),
    ("ai.categoriser", "'off'", "'gpt'"),
    ("ai.drafting", "'off'", "'builtin'"),
    ("ai.base_url", "'https://api.example.com/v1'", "'api'"),
    ("ai.model", "'small'", "3"),
    ("ai.api_key", "'k'", "''"),
    ("files.extraction", "false", "'never'"),
    ("files.concurrency", "2", "0"),
    ("files.ocr_command", "'/opt/tesseract'", "3"),
    ("files.ocr_languages", "'eng+deu'", "3"),
    ("limits.smtp_content_bytes", "'2GiB'", "'1KiB'"),
    ("limits.smtp_content_bytes_per_client", "'64MiB'", "'many'"),
    ("limits.smtp_content_bytes_per_second", "'4KiB'", "0"),
    ("limits.unknown_recipients_per_minute", "'unlimited'", "-1"),
    ("limits.statement_time", "'30s'", "'soon'"),
    ("limits.reads_per_workspace", "4", "0"),
    ("log.format", "'json'", "'xml'"),
    ("log.level", "'debug'", "'loud'"),
    ("limits.request_body_bytes", "'2GiB'", "'1MiB'"),
    ("limits.request_body_bytes_per_workspace", "'100MiB'", "0"),
    ("limits.response_bytes", "'2GiB'", "'1MiB'"),
    ("limits.response_bytes_per_workspace", "'100MiB'", "0"),
    ("limits.response_write_timeout", "'10s'", "10"),
    ("limits.json_values", "1000", "10"),
    ("limits.json_depth", "127", "128"),
    ("limits.page_bytes", "'1MiB'", "'1B'"),
    ("limits.unauthenticated_connections_per_address", "'unlimited'", "'many'"),
    ("limits.stream_frames_per_minute", "100", "-1"),
    ("limits.unknown_keys_per_minute", "0", "1.5"),
    ("limits.identity_tokens_per_agent", "600", "-1"),
    ("limits.identity_tokens_per_workspace", "'unlimited'", "1.5"),
    ("limits.sign_ins_per_address", "3000", "'many'"),
    ("limits.member_mails_per_day", "100", "'many'"),
    ("limits.member_mails_per_party", "100", "'many'"),
    ("limits.member_mails_per_network", "100", "'many'"),
    ("limits.invited_mails_per_day", "100", "'many'"),
    ("limits.invited_mails_per_party", "100", "'many'"),
    ("limits.invited_mails_per_network", "100", "'many'"),
    ("limits.stranger_mails_per_day", "100", "'many'"),
    ("limits.stranger_mails_per_party", "100", "'many'"),
    ("limits.stranger_mails_per_network", "100", "'many'"),
];

fn of_text(text: &str) -> Result<Configuration, ConfigError> {
    of(text, &[])
}

/// Loads a file with that text, under those variables.
fn of(text: &str, variables: &[(&str, &str)]) -> Result<Configuration, ConfigError> {
    let name = posthouse_mail::address::DOMAIN_BYTES_MAX + text.len();
    let unique = format!("{:?}-{name}-{}", std::thread::current().id(), std::process::id());
    let path = std::env::temp_dir().join(format!("posthouse-config-{}", unique.replace(['(', ')'], "")));
    std::fs::write(&path, text).expect("the temporary directory can be written");
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let loaded = load(&Sources { file: Some(path.clone()), variables, ..Sources::default() });
    let _ = std::fs::remove_file(&path);
    loaded
}

fn of_variables(variables: &[(&str, &str)]) -> Result<Configuration, ConfigError> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    load(&Sources { variables, ..Sources::default() })
}

/// Returns the other keys that a key requires.
fn beside(name: &str) -> &'static str {
    match name {
        "delivery.mode" => "",
        "delivery.relay_url" => "delivery.mode = 'relay'\n",
        "smtp.tls_cert" => "delivery.mode = 'capture'\nsmtp.tls_key = 'k'\n",
        "smtp.tls_key" => "delivery.mode = 'capture'\nsmtp.tls_cert = 'c'\n",
        "acme.eab_key_id" => "delivery.mode = 'capture'\nacme.eab_key = 'c2VjcmV0'\n",
        "acme.eab_key" => "delivery.mode = 'capture'\nacme.eab_key_id = 'kid'\n",
        _ => "delivery.mode = 'capture'\n",
    }
}

#[test]
fn keys_accept_valid_values_and_reject_invalid_ones() {
    for (name, good, bad) in TABLE {
        let loaded = of_text(&format!("{}{name} = {good}\n", beside(name)));
        assert!(loaded.is_ok(), "{name} = {good}: {loaded:?}");
        let ConfigError(problems) = of_text(&format!("{}{name} = {bad}\n", beside(name))).expect_err(name);
        assert_eq!(problems.len(), 1, "{name} = {bad}: {problems:?}");
        assert_eq!(problems[0].key, *name);
        assert!(problems[0].problem.contains("must"), "{name}: {}", problems[0].problem);
    }
}

#[test]
fn the_table_of_tests_has_every_key() {
    let tested: HashSet<&str> = TABLE.iter().map(|(name, ..)| *name).collect();
    for key in keys().filter(|key| key.section() != "plans") {
        assert!(tested.contains(key.name), "{} has no test", key.name);
    }
    let all: HashSet<&str> = keys().map(|key| key.name).collect();
    assert_eq!(all.len(), keys::declared().count(), "a key is declared twice, or its section is missing");
}

#[test]
fn every_limit_of_every_plan_is_a_number_or_unlimited() {
    for key in keys().filter(|key| key.section() == "plans") {
        for (value, fine) in
            [("7", true), ("'unlimited'", true), ("0", true), ("-1", false), ("'7'", false), ("'no'", false)]
        {
            // A size may be text.
            let fine = fine || (value == "'7'" && key.name.ends_with("_bytes"));
            let loaded = of_text(&format!("delivery.mode = 'capture'\n{} = {value}\n", key.name));
            assert_eq!(loaded.is_ok(), fine, "{} = {value}: {loaded:?}", key.name);
        }
    }
    let config = of_text("delivery.mode = 'capture'\nplans.team.domains = 'unlimited'\nplans.free.inboxes = 9\n");
    let plans = config.expect("fine").plans;
    assert_eq!((plans.team.domains, plans.free.inboxes, plans.free.domains), (None, Some(9), Some(1)));
}

#[test]
fn a_client_may_always_send_one_message_of_the_largest_size() {
    let of = |text: &str| of_text(&format!("delivery.mode = 'capture'\n{text}\n"));
    for (text, all, client) in [
        ("", 1 << 30, (1 << 30) / 10),
        ("smtp.max_message_bytes = '500MiB'", 1 << 30, 500 << 20),
        ("limits.smtp_content_bytes_per_client = '30MiB'", 1 << 30, 30 << 20),
    ] {
        let limits = of(text).expect(text).limits.clone();
        assert_eq!((limits.smtp_content_bytes, limits.smtp_content_bytes_per_client), (all, client), "{text}");
    }
    for key in ["limits.smtp_content_bytes", "limits.smtp_content_bytes_per_client"] {
        let ConfigError(problems) = of(&format!("{key} = '10MiB'")).expect_err(key);
        assert_eq!(problems.iter().map(|problem| problem.key.as_str()).collect::<Vec<_>>(), [key]);
    }
}

#[test]
fn the_default_is_the_loopback_profile() {
    let config = of_variables(&[("PATH", "/bin"), ("POSTHOUSE_CORPORA", "/x")]).expect("fine");
    assert!(config.is_loopback_profile() && config.base_url_follows_listener);
    assert_eq!(config.delivery.mode, DeliveryMode::Capture);
    assert!(
        config.delivery.allow_private_networks && config.webhooks.allow_private_networks && config.webhooks.allow_http
    );
    assert!(config.signup.enabled);
    assert_eq!(config.hostname, "localhost");
    assert_eq!(config.mail.temporary_domain, "tmp.agents.localhost");
}

#[test]
fn other_keys_do_not_end_the_loopback_profile() {
    let permits = |config: &Configuration| {
        let all = [
            config.delivery.allow_private_networks,
            config.webhooks.allow_private_networks,
            config.webhooks.allow_http,
            config.signup.enabled,
        ];
        assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
        all[0]
    };
    for text in [
        "",
        "log.level = 'debug'",
        "delivery.mode = 'capture'",
        "base_url = 'https://mail.example.com'\nmail.default_domain = 'agents.example.com'",
        "http.listen = '[::1]:80'\nsmtp.listen = ['127.8.9.1:25', '[::ffff:127.0.0.1]:26']",
        "smtp.listen = []\nsubmission.listen = []",
    ] {
        let config = of_text(text).expect(text);
        assert!(config.is_loopback_profile() && permits(&config), "{text}");
        assert_eq!(config.delivery.mode, DeliveryMode::Capture);
    }
    for text in ["delivery.mode = 'direct'", "delivery.mode = 'relay'\ndelivery.relay_url = 'smtp://relay.example'"] {
        let config = of_text(text).expect(text);
        assert!(!config.is_loopback_profile() && !permits(&config), "{text}");
    }
    for listener in [
        "http.listen = '0.0.0.0:80'",
        "http.listen_tls = ['127.0.0.1:443', '192.0.2.1:443']",
        "acme.listen = ['[::]:80']",
        "smtp.listen = ['127.0.0.1:25', '[::ffff:192.0.2.1]:25']",
        "submission.listen = ['10.0.0.1:587']",
        "submission.listen_tls = ['[2001:db8::1]:465']",
    ] {
        let config = of_text(&format!("delivery.mode = 'capture'\n{listener}")).expect(listener);
        assert!(!config.is_loopback_profile() && !permits(&config), "{listener}");
        let ConfigError(problems) = of_text(listener).expect_err(listener);
        assert!(
            problems[0].key == "delivery.mode" && problems[0].problem.contains("required"),
            "{listener}: {problems:?}"
        );
    }
    let text = "webhooks.allow_private_networks = false\nwebhooks.allow_http = false\ndelivery.allow_private_networks = false\n\
         signup.enabled = false";
    assert!(!permits(&of_text(text).expect("fine")));
    let text = format!("delivery.mode = 'direct'\n{}", text.replace("false", "true"));
    assert!(permits(&of_text(&text).expect("fine")));
}

#[test]
fn command_line_listeners_override_other_sources() {
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    let of = |listeners: Listeners| {
        let variables = [("POSTHOUSE__HTTP__LISTEN", "0.0.0.0:1"), ("POSTHOUSE__SMTP__LISTEN", "0.0.0.0:2,0.0.0.0:3")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        load(&Sources { variables, ..Sources::default() }.with_listeners(listeners))
    };
    let http = Some(address("127.0.0.1:8090"));
    let smtp = vec![address("127.0.0.1:2526"), address("[::1]:2526")];
    let config = of(Listeners { http, smtp: smtp.clone(), submission: Vec::new() }).expect("all are on loopback");
    assert!(config.listen.http == address("127.0.0.1:8090") && config.listen.smtp == smtp);
    assert_eq!(config.listen.submission, [address("127.0.0.1:2587")], "a listener that is not set keeps its default");
    let error =
        of(Listeners { submission: vec![address("192.0.2.1:587")], ..Listeners::default() }).expect_err("no mode");
    assert_eq!(error.0[0].key, "delivery.mode");
}

#[test]
fn the_environment_overrides_the_file() {
    let text = "delivery.mode = 'capture'\n[smtp]\nlisten = ['127.0.0.1:1']\nmax_message_bytes = 2048\n";
    let variables = [
        ("POSTHOUSE__SMTP__LISTEN", "127.0.0.1:2,[::1]:3"),
        ("POSTHOUSE__SMTP__MAX_MESSAGE_BYTES", "1MiB"),
        ("POSTHOUSE__SMTP__MAX_CONNECTIONS", "7"),
        ("POSTHOUSE__SMTP__REJECT_DMARC_FAIL", "true"),
        ("POSTHOUSE__PLANS__FREE__INBOXES", "unlimited"),
        ("POSTHOUSE__PLANS__FREE__DOMAINS", "4"),
        ("POSTHOUSE__BASE_URL", "https://mail.example.com/"),
        ("POSTHOUSE__LOG__LEVEL", ""),
    ];
    let config = of(text, &variables).expect("fine");
    assert_eq!(config.listen.smtp.len(), 2);
    assert_eq!((config.message_bytes_max, config.smtp.connections_max), (1 << 20, 7));
    assert!(config.inbound.reject_dmarc_fail);
    assert_eq!((config.plans.free.inboxes, config.plans.free.domains), (None, Some(4)));
    assert_eq!((config.base_url.as_str(), config.hostname.as_str()), ("https://mail.example.com", "mail.example.com"));
    assert_eq!(config.log.level, "info");
}

#[test]
fn unknown_keys_name_the_nearest_one() {
    let table = [
        ("delivery.mod = 'direct'", "delivery.mode"),
        ("smtp.hostnam = 'x.example'", "smtp.hostname"),
        ("htpp.listen = '127.0.0.1:1'", "http.listen"),
        ("smtp.colour = 'blue'", "smtp.listen"),
        ("plans.free.inbox = 4", "plans.free.inboxes"),
        ("colour = 'blue'", "base_url"),
        ("delivery.relay_url_fil = '/x'", "delivery.relay_url_file"),
        ("base_url_file = '/x'", "base_url"),
    ];
    for (text, near) in table {
        let error = of_text(&format!("delivery.mode = 'capture'\n{text}")).expect_err(text);
        assert!(error.0.len() == 1 && error.0[0].problem.contains(near), "{text}: {error}");
    }
    let error = of_variables(&[("POSTHOUSE__DELIVERY__MODUS", "direct")]).expect_err("unknown");
    assert!(error.to_string().contains("delivery.modus: is not a key; did you mean delivery.mode?"), "{error}");
}

#[test]
fn a_secret_with_a_mistyped_key_is_not_shown() {
    let url = "smtp://u:sekrit@h.example";
    let texts = [
        format!("delivery.relay_ulr = '{url}'"),
        format!("relay = '{url}'"),
        format!("delivery = '{url}'"),
        format!("delivery.relay_url = '{url}\n"),
        format!("delivery.relay_url = '{url}'\ndelivery.relay_url = '{url}'"),
        format!("delivery.relay_url = {url}"),
        format!("delivery.relay_url_file = '{url}'"),
        format!("base_url = '{url}'"),
        format!("data_dir = ['{url}']"),
        format!("smtp.dnsbl = ['{url}']"),
        "blob_url = 's3://user:sekrit@bucket/p'".to_owned(),
        "instance_kee = 'sekrit'".to_owned(),
    ];
    for text in texts {
        let said = of_text(&format!("delivery.mode = 'capture'\n{text}\n")).expect_err(&text).to_string();
        assert!(!said.contains("sekrit"), "{said}");
    }
    let error = of_variables(&[("POSTHOUSE__DELIVERY__RELAY_ULR", url)]).expect_err("unknown");
    assert!(!error.to_string().contains("sekrit"), "{error}");
}

#[test]
fn a_value_for_a_section_is_an_error() {
    let table = [
        ("smtp", "smtp.listen = [\"127.0.0.1:2525\"]"),
        ("http", "http.listen = \"127.0.0.1:8080\""),
        ("delivery", "delivery.sign = true"),
        ("plans.free", "plans.free.inboxes = 3"),
    ];
    for (section, example) in table {
        let expected =
            format!("{section}: is a section and has no value of its own; set keys in it, such as {example}");
        let error = of_text(
            &format!("delivery.mode = 'capture'\n{section} = 'x'\n")
                .replace("delivery.mode = 'capture'\ndelivery =", "delivery ="),
        );
        let said = error.expect_err(section).to_string();
        assert!(said.contains(&expected), "{said}");
    }
    let said = of_variables(&[("POSTHOUSE__SMTP", "x")]).expect_err("a section").to_string();
    assert!(said.contains("config: smtp: is a section"), "{said}");
}

#[test]
fn all_problems_are_reported_with_key_and_value() {
    let error = of_text("delivery.mode = 'x'\nhttp.listen = 'y'\nnope = 1\n").expect_err("three");
    let text = error.to_string();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("delivery.mode = \"x\": must be one of direct, relay, capture"), "{text}");
}

#[test]
fn dependent_keys_are_checked() {
    let table = [
        ("delivery.mode = 'relay'", "delivery.relay_url"),
        ("delivery.mode = 'direct'\ndelivery.relay_url = 'smtp://r.example'", "delivery.relay_url"),
        ("delivery.mode = 'capture'\nsmtp.tls_cert = 'c'", "smtp.tls_key"),
        ("delivery.mode = 'capture'\nsmtp.tls_key = 'k'", "smtp.tls_cert"),
        ("delivery.mode = 'capture'\nsmtp.tls_cert = 'c'\nsmtp.tls_key = 'k'\nsmtp.acme = true", "smtp.acme"),
        ("delivery.mode = 'capture'\nai.categoriser = 'openai'\nai.model = 'm'", "ai.base_url"),
        ("delivery.mode = 'capture'\nai.drafting = 'openai'\nai.base_url = 'http://l'", "ai.model"),
        (
            "delivery.mode = 'capture'\nmail.default_domain = 'a.example'\nmail.temporary_domain = 'a.example'",
            "mail.temporary_domain",
        ),
        ("delivery.mode = 'capture'\nhttp.listen = '127.0.0.1:2525'", "smtp.listen"),
        ("delivery.mode = 'capture'\nsmtp.acme = true", "smtp.acme"),
        ("delivery.mode = 'capture'\nacme.eab_key_id = 'k'", "acme.eab_key"),
        ("delivery.mode = 'capture'\nacme.eab_key = 'c2VjcmV0'", "acme.eab_key_id"),
        ("delivery.mode = 'capture'\nacme.eab_key = '!'\nacme.eab_key_id = 'k'", "acme.eab_key"),
        ("delivery.mode = 'capture'\nhttp.redirect_to_https = true", "base_url"),
        ("delivery.mode = 'capture'\nhttp.listen_tls = ['127.0.0.1:8080']", "http.listen_tls"),
        ("delivery.mode = 'capture'\nacme.listen = ['127.0.0.1:8080']", "acme.listen"),
    ];
    for (text, key) in table {
        let error = of_text(text).expect_err(text);
        assert_eq!(error.0.iter().map(|problem| problem.key.as_str()).collect::<Vec<_>>(), [key], "{text}: {error}");
    }
    let config = of_text("delivery.mode = 'capture'\nmail.default_domain = 'A.example'").expect("fine");
    assert_eq!(config.mail.default_domain, "a.example");
    assert_eq!(config.mail.temporary_domain, "tmp.a.example");
}

#[test]
fn certificate_names_default_to_those_of_the_service() {
    let names = |more: &str| {
        let text = format!(
            "delivery.mode = 'capture'\nbase_url = 'https://Api.example.com'\nsmtp.hostname = 'mx.example.com'\n\
             smtp.acme = true\n{more}"
        );
        of_text(&text).expect("fine").app.acme.names
    };
    assert_eq!(names(""), ["mx.example.com"], "without http.listen_tls a proxy has the certificate of base_url");
    assert_eq!(names("http.listen_tls = ['0.0.0.0:443']"), ["mx.example.com", "api.example.com"]);
    assert_eq!(names("acme.names = ['A.example.com']"), ["a.example.com"]);
}

#[test]
fn secrets_come_from_files_and_are_never_shown() {
    let path = std::env::temp_dir().join(format!("posthouse-secret-{}", std::process::id()));
    std::fs::write(&path, "smtp://u:hunter2@relay.example\n").expect("written");
    let shown = path.display().to_string();
    let config = of(
        "delivery.mode = 'relay'\ndelivery.relay_url = 'smtp://old.example'",
        &[("POSTHOUSE__DELIVERY__RELAY_URL_FILE", &shown)],
    );
    let config = config.expect("the variable wins over the file's own key");
    assert!(matches!(&config.delivery.mode, DeliveryMode::Relay(relay) if relay.host == "relay.example"));
    assert!(!format!("{config:?}").contains("hunter2"));
    let both = format!(
        "delivery.mode = 'relay'\ndelivery.relay_url = 'smtp://a.example'\ndelivery.relay_url_file = '{shown}'"
    );
    assert!(of_text(&both).expect_err("both").to_string().contains("together"));
    let _ = std::fs::remove_file(&path);
    let error = of_text(&format!("delivery.mode = 'relay'\ndelivery.relay_url_file = '{shown}'")).expect_err("gone");
    assert!(error.to_string().contains("cannot be read"), "{error}");
    let error = of_text("delivery.mode = 'relay'\ndelivery.relay_url = 'smtp:/u:hunter2@x'").expect_err("bad");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn errors_name_malformed_and_missing_files() {
    let said = of_text("# é\nabé = = 1").expect_err("broken").to_string();
    assert!(said.contains("is not valid TOML at line 2, column 7: "), "{said}");
    let sources = Sources { file: Some(PathBuf::from("/nonexistent/posthouse.toml")), ..Sources::default() };
    assert!(load(&sources).expect_err("missing").to_string().contains("/nonexistent/posthouse.toml"));
}
