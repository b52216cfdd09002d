//! Commands for operators: workspaces, keys, migrations, backup and `check`.

use serde_json::{Value, json};

use crate::harness::Sandbox;

fn made(sandbox: &Sandbox, config: &str) -> Value {
    sandbox
        .run(&["workspace", "create", "--config", config, "--name", "Acme", "--owner", "Ada@Example.com", "--json"])
        .json()
}

#[test]
fn workspaces_are_created_listed_shown_and_changed() {
    let sandbox = Sandbox::new("workspaces");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let first = made(&sandbox, config);
    let id = first["workspace_id"].as_str().unwrap();
    assert!(first["api_key"].as_str().unwrap().starts_with("ph_"));
    // The port isn't known before the service starts.
    assert!(first["sign_in_url"].as_str().unwrap().starts_with("/sign-in#token="), "{first}");
    assert_eq!(
        (&first["workspace"]["plan"], &first["workspace"]["owner"]),
        (&json!("team"), &json!("ada@example.com"))
    );
    made(&sandbox, config);
    let list = sandbox.run(&["workspace", "list", "--config", config, "--json"]).json();
    assert_eq!(list["data"].as_array().unwrap().len(), 2);

    let set = |more: &[&str]| {
        let arguments = [&["workspace", "set", id, "--config", config, "--json"], more].concat();
        sandbox.run(&arguments).json()
    };
    let table: &[(&[&str], &str, Value)] = &[
        (&["--plan", "free"], "plan", json!("free")),
        (&["--status", "suspended"], "status", json!("suspended")),
        (&["--status", "active"], "status", json!("active")),
        (&["--notice", "Maintenance at noon"], "notice", json!("Maintenance at noon")),
        (&["--clear-notice"], "notice", Value::Null),
        (&["--ai-processing", "full"], "ai_processing", json!("full")),
        (&["--screening", "monitor"], "screening", json!("monitor")),
        (&["--screening-deadline", "30"], "screening_deadline", json!(30)),
        (&["--screening-on-timeout", "release"], "screening_on_timeout", json!("release")),
        (&["--daily-send-limit", "7"], "daily_send_limit", json!(7)),
        (&["--daily-send-limit", "plan"], "daily_send_limit", Value::Null),
        (&["--retention-days", "30"], "retention_days", json!(30)),
        (&["--retention-days", "off"], "retention_days", Value::Null),
        (&["--resume"], "emergency_stopped_at", Value::Null),
    ];
    for (arguments, member, expected) in table {
        assert_eq!(set(arguments)[member], *expected, "{arguments:?}");
        let shown = sandbox.run(&["workspace", "show", id, "--config", config, "--json"]).json();
        assert_eq!(shown[member], *expected, "{arguments:?}");
    }
    let shown = sandbox.run(&["workspace", "show", id, "--config", config, "--json"]).json();
    assert_eq!((&shown["stored_bytes"], &shown["storage_bytes_max"]), (&json!(0), &json!(1_u64 << 30)));
    let missing = sandbox.run(&["workspace", "show", "01890a5d-ac96-774b-bcce-b302099a8057", "--config", config]);
    assert_eq!((missing.code, missing.stdout.as_str()), (1, ""));
}

#[test]
fn a_suspension_of_an_agent_has_a_reason_that_its_owner_can_read() {
    let sandbox = Sandbox::new("directory");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    made(&sandbox, config);
    let suspend = |address: &str, reason: &str| {
        sandbox.run(&["directory", "suspend", address, "--config", config, "--reason", reason])
    };
    let long = "x".repeat(501);
    for (reason, problem) in [("", "empty"), (long.as_str(), "500"), ("bell \u{7}", "U+0007")] {
        let refused = suspend("bot@agents.example", reason);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
        assert!(refused.stderr.contains("--reason ") && refused.stderr.contains(problem), "{}", refused.stderr);
    }
    let unknown = suspend("bot@agents.example", "Impersonates a bank.");
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("No inbox or identity of this server has or had the address bot@agents.example."),
        "{}",
        unknown.stderr
    );
}

#[test]
fn keys_are_created_listed_and_revoked() {
    let sandbox = Sandbox::new("keys");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let workspace = made(&sandbox, config)["workspace_id"].as_str().unwrap().to_owned();
    let create = ["key", "create", "--config", config, "--workspace", &workspace, "--json"];
    let key =
        sandbox.run(&[&create[..], &["--name", "robot", "--permissions", "send_only,messages:read"]].concat()).json();
    assert_eq!(key["scope"], "workspace");
    assert_eq!(key["permissions"], json!(["messages:read", "messages:send", "drafts:write"]));
    let shown = key["prefix"].as_str().unwrap();
    assert!(key["api_key"].as_str().unwrap().starts_with(shown));

    let list = ["key", "list", "--config", config, "--workspace", &workspace, "--json"];
    let listed = sandbox.run(&list).json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    assert!(!listed.to_string().contains(key["api_key"].as_str().unwrap()), "the secret is shown once");

    let nowhere = ["--scope", "inbox", "--inbox", "01890a5d-ac96-774b-bcce-b302099a8057"];
    let refused = sandbox.run(&[&create[..], &nowhere].concat());
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "an inbox that the workspace does not have");

    let id = key["id"].as_str().unwrap();
    sandbox.run(&["key", "revoke", id, "--config", config, "--json"]).json();
    let again = sandbox.run(&["key", "revoke", id, "--config", config]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    let absent =
        sandbox.run(&["key", "list", "--config", config, "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"]);
    assert_eq!(absent.code, 1);
}

#[test]
fn a_backup_is_restored_completely_and_only_into_an_empty_directory() {
    let sandbox = Sandbox::new("backup");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let workspace = service.ready["first_run"]["workspace_id"].clone();
    let config = config.to_str().unwrap();
    let archive = sandbox.path("copy.tar");
    let archive = archive.to_str().unwrap();
    sandbox.run(&["backup", archive, "--config", config, "--json"]).json();
    assert_eq!(service.stop().code, 0);
    let other = sandbox.path("other");
    let other = other.to_str().unwrap();
    let restore = ["restore", archive, "--config", config, "--data-dir", other, "--json"];
    sandbox.run(&restore).json();
    let list = sandbox.run(&["workspace", "list", "--config", config, "--data-dir", other, "--json"]).json();
    assert_eq!(list["data"][0]["id"], workspace);
    for file in ["instance.key", "tls/smtp.key"] {
        let read = |dir: &str| std::fs::read(sandbox.path(dir).join(file)).unwrap();
        assert_eq!(read("data"), read("other"), "{file}");
    }
    let again = sandbox.run(&restore);
    assert_eq!((again.code, again.stdout.as_str()), (1, ""), "{}", again.stderr);
}

/// A key whose output was lost looked like a success.
#[test]
fn a_result_that_cannot_be_written_is_an_error_that_states_what_changed() {
    let sandbox = Sandbox::new("full-output");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let id = made(&sandbox, config)["workspace_id"].as_str().unwrap().to_owned();
    let key = sandbox.run(&["key", "create", "--config", config, "--workspace", &id, "--json"]).json();
    let key = key["id"].as_str().unwrap();
    let archive = sandbox.path("copy.tar");
    let table: &[(&[&str], &str)] = &[
        (&["workspace", "create", "--name", "A", "--owner", "a@b.example", "--json"], "key create --config "),
        (&["workspace", "list"], "nothing was changed"),
        (&["workspace", "show", &id], "nothing was changed"),
        (&["workspace", "set", &id, "--plan", "free"], "was changed"),
        (&["key", "create", "--workspace", &id], "then create another"),
        (&["key", "list", "--workspace", &id], "nothing was changed"),
        (&["key", "revoke", key], "was revoked"),
        (&["domain", "add", "mail.acme.example", "--workspace", &id], "mail.acme.example was added"),
        (&["domain", "list"], "nothing was changed"),
        (&["domain", "set", "mail.acme.example", "--status", "disabled"], "was disabled"),
        (&["migrate"], "the schema is up to date"),
        (&["backup", archive.to_str().unwrap()], "Saved the database"),
        (&["secret", "rotate"], "new instance key"),
        (&["check"], "nothing was changed"),
    ];
    for (arguments, done) in table {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = sandbox.command();
        let output = command.args(*arguments).args(["--config", config]).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert!(said.contains("cannot write to standard output") && said.contains(done), "{arguments:?}: {said}");
        assert!(!said.contains("ph_"), "{said}");
    }
}

#[test]
fn migrate_prints_what_it_applied() {
    let sandbox = Sandbox::new("migrate");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    sandbox.make_store();
    let arguments = ["migrate", "--config", config.to_str().unwrap(), "--json"];
    assert_eq!(sandbox.run(&arguments).json()["applied"], json!([]));
    assert!(sandbox.path("data/store.id").exists(), "it names a store that has no name yet");
}

#[test]
fn check_prints_one_line_per_check_and_fails_if_one_fails() {
    let sandbox = Sandbox::new("check");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let output = sandbox.run(&["check", "--config", config.to_str().unwrap()]);
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
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
        let line = output
            .stdout
            .lines()
            .find(|line| line.contains(what))
            .unwrap_or_else(|| panic!("{what}: {}", output.stdout));
        assert!(["ok ", "warning ", "failed "].iter().any(|level| line.starts_with(level)), "{line}");
    }
    let config = sandbox.configure("delivery.mode = 'capture'\nsmtp.tls_cert = '/absent'\nsmtp.tls_key = '/absent'\n");
    let output = sandbox.run(&["check", "--config", config.to_str().unwrap(), "--json"]);
    assert_eq!(output.code, 1);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&report["ok"], &report["failed"]), (&json!(false), &json!(1)));
}

#[test]
fn a_damaged_database_is_not_reported_as_a_full_disk() {
    let sandbox = Sandbox::new("damaged");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    sandbox.make_store();
    std::fs::write(sandbox.path("data/posthouse.db"), [b'x'; 8192]).unwrap();
    let output = sandbox.run(&["check", "--config", config]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    let line = output.stdout.lines().find(|line| line.contains("database")).unwrap();
    assert!(line.starts_with("failed ") && line.contains("is damaged") && line.contains("restore a backup"), "{line}");
    assert!(!line.contains("free space"), "{line}");
    let output = sandbox.run(&["serve", "--config", config]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(
        output.stderr.contains("the database is damaged (") && output.stderr.contains("restore a backup"),
        "{}",
        output.stderr
    );
}
