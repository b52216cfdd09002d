//! Tests of the declarations: every default, example, error and source of every key, and the reference page.

use super::*;
use crate::config::key::DefaultValue;

/// The published keys, each with its default as TOML, or `None` if the default depends on other keys.
const PUBLISHED: &[(&str, Option<&str>)] = &[
    ("base_url", None),
    ("data_dir", Some("'./data'")),
    ("database_url", None),
    ("blob_url", None),
    ("http.listen", Some("'127.0.0.1:8080'")),
    ("http.trusted_proxies", Some("[]")),
    ("http.allowed_hosts", Some("[]")),
    ("http.metrics_token", None),
    ("smtp.listen", Some("['127.0.0.1:2525']")),
    ("smtp.hostname", None),
    ("smtp.max_message_bytes", Some("26214400")),
    ("smtp.tls_cert", None),
    ("smtp.tls_key", None),
    ("smtp.acme", Some("false")),
    ("smtp.proxy_protocol_from", Some("[]")),
    ("submission.listen", Some("['127.0.0.1:2587']")),
    ("submission.listen_tls", Some("[]")),
    ("mail.default_domain", Some("'agents.localhost'")),
    ("mail.temporary_domain", None),
    ("delivery.mode", None),
    ("delivery.relay_url", None),
    ("delivery.port", Some("25")),
    (
        "delivery.retry_schedule",
        Some(
            "['1m', '4m', '10m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '12h', '12h', '12h', '12h', '12h', \
             '12h', '12h']",
        ),
    ),
    ("delivery.allow_private_networks", None),
    ("webhooks.allow_private_networks", None),
    ("webhooks.allow_http", None),
    ("webhooks.backoff_start", Some("'680s'")),
    ("webhooks.timeout", Some("'10s'")),
    ("dns.nameservers", None),
    ("feedback.sources", None),
    ("signup.enabled", None),
    ("signup.difficulty", Some("20")),
    ("signup.per_address_per_day", Some("5")),
    ("signup.terms_url", None),
    ("agents.messaging", Some("true")),
    ("agents.directory", Some("true")),
    ("agents.agent_keys", Some("true")),
    ("agents.public_directory", None),
    ("identity.issuer", None),
    ("ai.categoriser", Some("'builtin'")),
    ("ai.drafting", Some("'off'")),
    ("ai.base_url", None),
    ("ai.model", None),
    ("ai.api_key", None),
    ("log.format", Some("'text'")),
    ("log.level", Some("'info'")),
    ("limits.smtp_content_bytes", Some("'1GiB'")),
    ("limits.smtp_content_bytes_per_client", None),
    ("limits.smtp_content_bytes_per_second", Some("'1KiB'")),
    ("limits.unknown_recipients_per_minute", Some("60")),
    ("limits.statement_time", Some("'10s'")),
    ("limits.reads_per_workspace", None),
    ("plans.free.inboxes", Some("3")),
    ("plans.free.identities", Some("3")),
    ("plans.free.domains", Some("1")),
    ("plans.free.emails_per_month", Some("3000")),
    ("plans.free.daily_sends_per_inbox", Some("100")),
    ("plans.free.daily_sends", Some("500")),
    ("plans.free.sends_per_5_minutes", Some("20")),
    ("plans.free.requests_per_minute", Some("120")),
    ("plans.free.connections", Some("200")),
    ("plans.free.streams", Some("20")),
    ("plans.free.storage_bytes", Some("'1GiB'")),
    ("plans.builder.inboxes", Some("100")),
    ("plans.builder.identities", Some("100")),
    ("plans.builder.domains", Some("10")),
    ("plans.builder.emails_per_month", Some("50000")),
    ("plans.builder.daily_sends_per_inbox", Some("1000")),
    ("plans.builder.daily_sends", Some("5000")),
    ("plans.builder.sends_per_5_minutes", Some("200")),
    ("plans.builder.requests_per_minute", Some("600")),
    ("plans.builder.connections", Some("2000")),
    ("plans.builder.streams", Some("1000")),
    ("plans.builder.storage_bytes", Some("'50GiB'")),
    ("plans.team.inboxes", Some("'unlimited'")),
    ("plans.team.identities", Some("'unlimited'")),
    ("plans.team.domains", Some("50")),
    ("plans.team.emails_per_month", Some("500000")),
    ("plans.team.daily_sends_per_inbox", Some("5000")),
    ("plans.team.daily_sends", Some("50000")),
    ("plans.team.sends_per_5_minutes", Some("2000")),
    ("plans.team.requests_per_minute", Some("3000")),
    ("plans.team.connections", Some("20000")),
    ("plans.team.streams", Some("10000")),
    ("limits.request_body_bytes", Some("1073741824")),
    ("limits.request_body_bytes_per_workspace", Some("209715200")),
    ("limits.response_bytes", Some("1073741824")),
    ("limits.response_bytes_per_workspace", Some("209715200")),
    ("limits.response_write_timeout", Some("'30s'")),
    ("limits.json_values", Some("100000")),
    ("limits.json_depth", Some("64")),
    ("limits.page_bytes", Some("8388608")),
    ("limits.unauthenticated_connections_per_address", Some("1000")),
    ("limits.stream_frames_per_minute", Some("60")),
    ("limits.unknown_keys_per_minute", Some("60")),
    ("limits.identity_tokens_per_agent", Some("60")),
    ("limits.identity_tokens_per_workspace", Some("600")),
    ("limits.sign_ins_per_address", Some("300")),
    ("limits.member_mails_per_day", Some("'unlimited'")),
    ("limits.member_mails_per_party", Some("'unlimited'")),
    ("limits.member_mails_per_network", Some("200")),
    ("limits.invited_mails_per_day", Some("2000")),
    ("limits.invited_mails_per_party", Some("50")),
    ("limits.invited_mails_per_network", Some("200")),
    ("limits.stranger_mails_per_day", Some("1000")),
    ("limits.stranger_mails_per_party", Some("20")),
    ("limits.stranger_mails_per_network", Some("20")),
    ("plans.team.storage_bytes", Some("'500GiB'")),
];

/// Describes a configuration, with the secret that its debug output hides.
fn described(config: &Configuration) -> String {
    let mut config = Configuration { set_keys: Vec::new(), ..config.clone() };
    // They name the file.
    config.app.command_options.clear();
    config.app.command_options_absolute.clear();
    let api_key = config.ai.endpoint.as_ref().and_then(|endpoint| endpoint.api_key.clone());
    format!("{config:#?} {api_key:?}")
}

/// Returns lines that make the example of a key valid and effective.
fn required(name: &str) -> &'static str {
    match name {
        "http.redirect_to_https" => "base_url = 'https://mail.example.com'\n",
        "smtp.acme" => "smtp.hostname = 'mx.example.com'\n",
        "smtp.tls_cert" => "smtp.tls_key = '/k'\n",
        "smtp.tls_key" => "smtp.tls_cert = '/c'\n",
        "acme.eab_key" => "acme.eab_key_id = 'kid'\n",
        "acme.eab_key_id" => "acme.eab_key = 'c2VjcmV0'\n",
        "delivery.relay_url" => "delivery.mode = 'relay'\n",
        // In the loopback profile they are true already.
        "delivery.allow_private_networks"
        | "webhooks.allow_private_networks"
        | "webhooks.allow_http"
        | "signup.enabled"
        | "agents.public_directory" => "delivery.mode = 'direct'\n",
        "ai.drafting" | "ai.api_key" => "ai.base_url = 'https://a.example'\nai.model = 'm'\n",
        "ai.base_url" => "ai.model = 'm'\n",
        "ai.model" => "ai.base_url = 'https://a.example'\n",
        _ => "",
    }
}

#[test]
fn published_keys_have_their_published_defaults() {
    for (name, default) in PUBLISHED {
        let key = keys::find(name).unwrap_or_else(|| panic!("{name} is not declared"));
        if let Some(default) = default {
            let table: toml::Table = format!("a = {default}").parse().expect("the test has TOML");
            let DefaultValue::Value(value) = key.default() else { panic!("{name} has no value") };
            assert_eq!(value, table["a"], "{name}");
        }
    }
}

#[test]
fn every_default_has_the_effect_of_no_value() {
    let mut count = 0;
    for key in keys() {
        let DefaultValue::Value(value) = key.default() else { continue };
        let without = of_text(required(key.name)).expect(key.name);
        let with = of_text(&format!("{}{}\n", required(key.name), key.line(&value))).expect(key.name);
        assert_eq!(described(&with), described(&without), "{}", key.name);
        count += 1;
    }
    assert!(count > 50, "too few keys have a default value: {count}");
}

#[test]
fn every_example_is_valid_and_changes_the_configuration() {
    for key in keys() {
        let without = described(&Configuration::loopback());
        let listens = key.name.contains("listen") || key.name == "delivery.mode";
        let mode = if listens && key.name != "delivery.mode" { "delivery.mode = 'capture'\n" } else { "" };
        let line = key.line(&key.example());
        let text = format!("{mode}{}{line}\n", required(key.name));
        let with = of_text(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_ne!(described(&with), without, "{line} has no effect");
        let other = of_text(&format!("{mode}{}", required(key.name)));
        // Without the key, its companions may be invalid.
        if let Ok(other) = other {
            assert_ne!(described(&with), described(&other), "{line} has no effect");
        }
    }
}

#[test]
fn every_example_is_valid_in_the_environment() {
    for key in keys() {
        let value = match key.example() {
            toml::Value::String(text) => text,
            other => other.to_string(),
        };
        let text = format!("delivery.mode = 'capture'\n{}", required(key.name));
        let text = if required(key.name).contains("mode") || key.name == "delivery.mode" {
            required(key.name).to_owned()
        } else {
            text
        };
        let config = of(&text, &[(&key.variable(), &value)]).unwrap_or_else(|error| panic!("{}: {error}", key.name));
        let set = SetKey { name: key.name.to_owned(), source: ValueSource::Environment };
        assert!(config.set_keys.contains(&set), "{}: {:?}", key.name, config.set_keys);
    }
}

#[test]
fn every_wrong_type_is_an_error_with_key_and_example() {
    for key in keys() {
        // No key accepts a date.
        let ConfigError(problems) = of_text(&format!("{} = 1979-05-27\n", key.name)).expect_err(key.name);
        assert_eq!(problems.len(), 1, "{}: {problems:?}", key.name);
        let (problem, error) = (&problems[0], ConfigError(problems.clone()).to_string());
        assert_eq!(problem.key, key.name);
        assert_eq!(problem.value.is_none(), key.is_secret, "{error}");
        let expected = format!("must be {}; for example: {}", key.expected(), key.line(&key.example()));
        assert!(problem.problem.ends_with(&expected), "{error}");
        assert!(error.starts_with(&format!("config: {}", key.name)), "{error}");
    }
}

#[test]
fn every_value_out_of_range_is_an_error_with_key_and_example() {
    let many = format!("[{}]", "'x.example',".repeat(1_001));
    let table = [
        ("smtp.max_connections", "0"),
        ("smtp.max_connections", "1000001"),
        ("delivery.max_connections_per_destination", "-1"),
        ("delivery.port", "0"),
        ("delivery.port", "65536"),
        ("smtp.max_message_bytes", "1023"),
        ("smtp.max_message_bytes", "'1025MiB'"),
        ("smtp.idle_timeout", "'0s'"),
        ("smtp.idle_timeout", "'366d'"),
        ("plans.free.inboxes", "-1"),
        ("delivery.retry_schedule", "[]"),
        ("delivery.greylist_schedule", "['1m', '366d']"),
        ("smtp.dnsbl", &many),
        ("log.level", "''"),
        ("delivery.source_addresses", "['0.0.0.0']"),
    ];
    for (name, value) in table {
        let error = of_text(&format!("{name} = {value}\n")).expect_err(name).to_string();
        let key = keys::find(name).expect("the test has keys that exist");
        let example = format!("for example: {}", key.line(&key.example()));
        assert!(error.contains(name) && error.ends_with(&example) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn unknown_keys_are_errors_at_every_level() {
    for name in ["colour", "smtp.colour", "colours.red", "plans.gold.inboxes", "plans.free.colour", "log.level.colour"]
    {
        let error = of_text(&format!("{name} = 1\n")).expect_err(name).to_string();
        assert!(error.contains(&format!("config: {name}: is not a key")), "{error}");
        let variable = format!("POSTHOUSE__{}", name.replace('.', "__").to_uppercase());
        let error = of_variables(&[(&variable, "1")]).expect_err(name).to_string();
        assert!(error.contains(&format!("config: {name}: is not a key")), "{error}");
    }
}

#[test]
fn each_source_overrides_the_next() {
    let path = std::env::temp_dir().join(format!("posthouse-precedence-{}", std::process::id()));
    std::fs::write(&path, "data_dir = '/file'\nhttp.listen = '127.0.0.1:1'\nlog.level = 'warn'\n").expect("written");
    let variable = |name: &str, value: &str| (format!("POSTHOUSE__{name}"), value.to_owned());
    let listeners = Listeners { http: Some(([127, 0, 0, 1], 3).into()), smtp: Vec::new(), submission: Vec::new() };
    let file = Sources { file: Some(path.clone()), ..Sources::default() };
    let environment = Sources {
        variables: vec![variable("DATA_DIR", "/environment"), variable("HTTP__LISTEN", "127.0.0.1:2")],
        ..file.clone()
    };
    let option = Sources { data_dir: Some(PathBuf::from("/option")), listeners, ..environment.clone() };
    let table = [
        (Sources::default(), "./data", 8080, None),
        (file, "/file", 1, Some(ValueSource::File)),
        (environment, "/environment", 2, Some(ValueSource::Environment)),
        (option, "/option", 3, Some(ValueSource::CommandLine)),
    ];
    for (sources, data_dir, port, source) in table {
        let config = load(&sources).expect(data_dir);
        assert_eq!((config.data_dir.as_path(), config.listen.http.port()), (std::path::Path::new(data_dir), port));
        let names = source.map(|source| ["data_dir", "http.listen"].map(|name| (name, source)));
        let level = source.map(|_| ("log.level", ValueSource::File));
        let expected: Vec<SetKey> = names
            .into_iter()
            .flatten()
            .chain(level)
            .collect::<Vec<_>>()
            .iter()
            .map(|(name, source)| SetKey { name: (*name).to_owned(), source: *source })
            .collect();
        assert_eq!(config.set_keys, expected, "{data_dir}");
    }
    let _ = std::fs::remove_file(&path);
}

#[test]
fn keys_with_an_option_can_be_set_by_the_command() {
    let address = SocketAddr::from(([127, 0, 0, 1], 9));
    let sources = Sources {
        data_dir: Some(PathBuf::from("/d")),
        listeners: Listeners { http: Some(address), smtp: vec![address], submission: vec![address] },
        ..Sources::default()
    };
    let error = load(&sources).expect_err("one address for two listeners");
    assert_eq!(error.0[0].key, "smtp.listen");
    let sources = Sources { listeners: Listeners { smtp: Vec::new(), ..sources.listeners }, ..sources };
    let mut set: Vec<String> = load(&sources).expect("valid").set_keys.into_iter().map(|set| set.name).collect();
    set.push("smtp.listen".to_owned());
    let mut flagged: Vec<&str> = keys().filter(|key| key.flag.is_some()).map(|key| key.name).collect();
    flagged.sort_unstable();
    set.sort_unstable();
    assert_eq!(flagged, set);
}

#[test]
fn every_key_is_documented() {
    for key in keys() {
        assert!(key.help.ends_with('.') && key.help.len() > 10, "{}: {}", key.name, key.help);
        assert!(!key.help.contains("  "), "{}: {}", key.name, key.help);
    }
    for name in keys::FIRST_KEYS {
        assert!(keys::find(name).is_some(), "{name} is not declared");
    }
}

#[test]
fn every_key_is_listed_once() {
    let mut listed: Vec<&str> = keys().map(|key| key.name).collect();
    let mut declared: Vec<&str> = keys::declared().map(|key| key.name).collect();
    listed.sort_unstable();
    declared.sort_unstable();
    assert_eq!(listed, declared);
    declared.dedup();
    assert_eq!(listed, declared);
}

#[test]
fn the_reference_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/configuration.md");
    let written = std::fs::read_to_string(path).unwrap_or_default();
    if written != reference() {
        let expected = std::env::temp_dir().join("posthouse-configuration.md");
        std::fs::write(&expected, reference()).expect("the temporary directory can be written");
        panic!(
            "docs/reference/configuration.md is not current; at the root of the repository run: \
             cp {} docs/reference/configuration.md",
            expected.display()
        );
    }
}
