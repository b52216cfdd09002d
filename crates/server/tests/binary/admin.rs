//! The operator's commands on a store: workspaces, keys, schema, backup, the doctor.

use serde_json::{Value, json};

use crate::house::House;

fn made(house: &House, config: &str) -> Value {
    house
        .run(&["workspace", "create", "--config", config, "--name", "Acme", "--owner", "Ada@Example.com", "--json"])
        .json()
}

#[test]
fn workspaces_are_made_listed_shown_and_set() {
    let house = House::new("workspaces");
    let config = house.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let first = made(&house, config);
    let id = first["workspace_id"].as_str().unwrap();
    assert!(first["api_key"].as_str().unwrap().starts_with("ph_"));
    assert_eq!(first["sign_in_url"], Value::Null);
    assert_eq!(
        (&first["workspace"]["plan"], &first["workspace"]["owner"]),
        (&json!("team"), &json!("ada@example.com"))
    );
    made(&house, config);
    let list = house.run(&["workspace", "list", "--config", config, "--json"]).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);

    let set = |more: &[&str]| {
        let arguments = [&["workspace", "set", id, "--config", config, "--json"], more].concat();
        house.run(&arguments).json()
    };
    let table: &[(&[&str], &str, Value)] = &[
        (&["--plan", "free"], "plan", json!("free")),
        (&["--status", "suspended"], "status", json!("suspended")),
        (&["--status", "active"], "status", json!("active")),
        (&["--notice", "Maintenance at noon"], "notice", json!("Maintenance at noon")),
        (&["--clear-notice"], "notice", Value::Null),
        (&["--ai-processing", "full"], "ai_processing", json!("full")),
        (&["--daily-send-limit", "7"], "daily_send_limit", json!(7)),
        (&["--daily-send-limit", "plan"], "daily_send_limit", Value::Null),
        (&["--retention-days", "30"], "retention_days", json!(30)),
        (&["--retention-days", "off"], "retention_days", Value::Null),
        (&["--resume"], "emergency_stopped_at", Value::Null),
    ];
    for (arguments, member, expected) in table {
        assert_eq!(set(arguments)[member], *expected, "{arguments:?}");
        let shown = house.run(&["workspace", "show", id, "--config", config, "--json"]).json();
        assert_eq!(shown[member], *expected, "{arguments:?}");
    }
    let missing = house.run(&["workspace", "show", "01890a5d-ac96-774b-bcce-b302099a8057", "--config", config]);
    assert_eq!((missing.code, missing.out.as_str()), (1, ""));
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let house = House::new("keys");
    let config = house.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let workspace = made(&house, config)["workspace_id"].as_str().unwrap().to_owned();
    let create = ["key", "create", "--config", config, "--workspace", &workspace, "--json"];
    let key =
        house.run(&[&create[..], &["--name", "robot", "--permissions", "send_only,messages:read"]].concat()).json();
    assert_eq!(key["scope"], "workspace");
    assert_eq!(key["permissions"], json!(["messages:read", "messages:send", "drafts:write"]));
    let shown = key["prefix"].as_str().unwrap();
    assert!(key["api_key"].as_str().unwrap().starts_with(shown));

    let list = ["key", "list", "--config", config, "--workspace", &workspace, "--json"];
    let listed = house.run(&list).json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(key["api_key"].as_str().unwrap()), "the secret is shown once");

    let nowhere = ["--scope", "inbox", "--inbox", "01890a5d-ac96-774b-bcce-b302099a8057"];
    let refused = house.run(&[&create[..], &nowhere].concat());
    assert_eq!((refused.code, refused.out.as_str()), (1, ""), "an inbox that the workspace does not have");

    let id = key["id"].as_str().unwrap();
    house.run(&["key", "revoke", id, "--config", config, "--json"]).json();
    let again = house.run(&["key", "revoke", id, "--config", config]);
    assert_eq!(again.code, 1, "{}", again.err);
    let absent = house.run(&["key", "list", "--config", config, "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"]);
    assert_eq!(absent.code, 1);
}

#[test]
fn a_backup_comes_back_whole_and_only_into_an_empty_directory() {
    let house = House::new("backup");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    let workspace = service.ready["first_run"]["workspace_id"].clone();
    let config = config.to_str().unwrap();
    let archive = house.path("copy.tar");
    let archive = archive.to_str().unwrap();
    house.run(&["backup", archive, "--config", config, "--json"]).json();
    assert_eq!(service.stop().code, 0);
    let other = house.path("other");
    let other = other.to_str().unwrap();
    let restore = ["restore", archive, "--config", config, "--data-dir", other, "--json"];
    house.run(&restore).json();
    let list = house.run(&["workspace", "list", "--config", config, "--data-dir", other, "--json"]).json();
    assert_eq!(list["data"][0]["id"], workspace);
    for file in ["instance.key", "tls/smtp.key"] {
        let read = |dir: &str| std::fs::read(house.path(dir).join(file)).unwrap();
        assert_eq!(read("data"), read("other"), "{file}");
    }
    let again = house.run(&restore);
    assert_eq!((again.code, again.out.as_str()), (1, ""), "{}", again.err);
}

/// A key that was made and lost looked like a success.
#[test]
fn an_answer_that_cannot_be_written_is_a_failure_that_says_what_was_done() {
    let house = House::new("full-output");
    let config = house.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let id = made(&house, config)["workspace_id"].as_str().unwrap().to_owned();
    let key = house.run(&["key", "create", "--config", config, "--workspace", &id, "--json"]).json();
    let key = key["id"].as_str().unwrap();
    let archive = house.path("copy.tar");
    let table: &[(&[&str], &str)] = &[
        (&["workspace", "create", "--name", "A", "--owner", "a@b.example", "--json"], "key create --workspace "),
        (&["workspace", "list"], "nothing was changed"),
        (&["workspace", "show", &id], "nothing was changed"),
        (&["workspace", "set", &id, "--plan", "free"], "was changed"),
        (&["key", "create", "--workspace", &id], "then make another"),
        (&["key", "list", "--workspace", &id], "nothing was changed"),
        (&["key", "revoke", key], "is revoked"),
        (&["domain", "add", "mail.acme.example", "--workspace", &id], "mail.acme.example was added"),
        (&["domain", "list"], "nothing was changed"),
        (&["domain", "set", "mail.acme.example", "--status", "disabled"], "is switched off"),
        (&["migrate"], "the schema is up to date"),
        (&["backup", archive.to_str().unwrap()], "Saved the database"),
        (&["secret", "rotate"], "new instance key"),
        (&["check"], "nothing was changed"),
    ];
    for (arguments, done) in table {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = house.command();
        let ran = command.args(*arguments).args(["--config", config]).stdout(full).output().unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert_eq!(ran.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("standard output cannot be written") && said.contains(done), "{arguments:?}: {said}");
        assert!(!said.contains("ph_"), "{said}");
    }
}

#[test]
fn migrate_says_what_it_did() {
    let house = House::new("migrate");
    let config = house.configure("delivery.mode = 'capture'\n");
    let arguments = ["migrate", "--config", config.to_str().unwrap(), "--json"];
    assert!(!house.run(&arguments).json()["applied"].as_array().unwrap().is_empty());
    assert_eq!(house.run(&arguments).json()["applied"], json!([]));
}

#[test]
fn the_doctor_has_one_line_a_check_and_fails_on_a_failure() {
    let house = House::new("check");
    let config = house.configure("delivery.mode = 'capture'\n");
    let ran = house.run(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    for what in [
        "config",
        "database",
        "blob store",
        "port: http.listen",
        "port: smtp.listen",
        "port: submission",
        "TLS certificate",
        "outbound",
    ] {
        let line = ran.out.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{what}: {}", ran.out));
        assert!(["ok ", "warning ", "failed "].iter().any(|level| line.starts_with(level)), "{line}");
    }
    let config = house.configure("delivery.mode = 'capture'\nsmtp.tls_cert = '/absent'\nsmtp.tls_key = '/absent'\n");
    let ran = house.run(&["check", "--config", config.to_str().unwrap(), "--json"]);
    assert_eq!(ran.code, 1);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((&report["ok"], &report["failed"]), (&json!(false), &json!(1)));
}

#[test]
fn a_damaged_database_was_called_a_want_of_space() {
    let house = House::new("damaged");
    let config = house.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    house.run(&["migrate", "--config", config, "--json"]).json();
    std::fs::write(house.path("data/posthouse.db"), [b'x'; 8192]).unwrap();
    let ran = house.run(&["check", "--config", config]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    let line = ran.out.lines().find(|line| line.contains("database")).unwrap();
    assert!(line.starts_with("failed ") && line.contains("is damaged") && line.contains("restore a backup"), "{line}");
    assert!(!line.contains("free space"), "{line}");
    let ran = house.run(&["serve", "--config", config]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("the database is damaged (") && ran.err.contains("restore a backup"), "{}", ran.err);
}
