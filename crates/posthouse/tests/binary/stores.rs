//! Commands and the store that they work on: none is created by accident, and suggestions name it.

use std::net::TcpListener;

use crate::harness::Sandbox;

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

/// Commands that work on an existing store.
const COMMANDS: &[&[&str]] = &[
    &["workspace", "list"],
    &["workspace", "show", ID],
    &["workspace", "set", ID, "--resume"],
    &["key", "list", "--workspace", ID],
    &["key", "create", "--workspace", ID],
    &["key", "revoke", ID],
    &["domain", "add", "a.example"],
    &["domain", "list"],
    &["domain", "show", "a.example"],
    &["domain", "check", "a.example"],
    &["domain", "set", "a.example", "--status", "disabled"],
    &["directory", "list"],
    &["directory", "suspend", "a@b.example", "--reason", "Spam."],
    &["directory", "restore", "a@b.example"],
    &["signing-key", "list"],
    &["signing-key", "rotate"],
    &["signing-key", "revoke", "kid"],
    &["secret", "rotate"],
    &["admin", "relabel"],
    &["admin", "analyze"],
    &["migrate"],
    &["backup", "b.tar"],
];

#[test]
fn a_command_in_the_wrong_directory_says_so_and_creates_nothing() {
    let sandbox = Sandbox::new("no-store");
    for command in COMMANDS {
        let arguments = [command, &["--data-dir", "mistyped"][..]].concat();
        let output = sandbox.run(&arguments);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{command:?}: {}", output.stderr);
        // A relative path says little to a person in the wrong directory.
        let directory = sandbox.path("mistyped");
        let named = output.stderr.contains(&format!("there is no store in the directory {}:", directory.display()));
        assert!(named && output.stderr.contains("--data-dir"), "{command:?}: {}", output.stderr);
        assert!(std::fs::read_dir(sandbox.path("")).unwrap().next().is_none(), "{command:?} created something");
    }
}

#[test]
fn suggested_commands_have_the_options_that_were_given() {
    let sandbox = Sandbox::new("suggestions");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let config = config.to_str().unwrap();
    let made =
        sandbox.run(&["workspace", "create", "--name", "A", "--owner", "a@b.example", "--json", "--config", config]);
    assert!(made.stderr.contains("a new store begins in the directory"), "{}", made.stderr);
    made.json();
    let added = sandbox.run(&["domain", "add", "mail.example.com", "--config", config]);
    let expected = format!("posthouse domain check mail.example.com --config {config}");
    assert!(added.stdout.contains(&expected), "{}{}", added.stdout, added.stderr);
    for arguments in
        [&["workspace", "show", ID][..], &["domain", "show", "b.example"], &["key", "create", "--workspace", ID]]
    {
        let output = sandbox.run(&[arguments, &["--config", config]].concat());
        assert!(output.stderr.contains(&format!(" list --config {config}")), "{arguments:?}: {}", output.stderr);
    }
}

#[test]
fn a_backup_and_a_restore_say_what_they_hold() {
    let sandbox = Sandbox::new("holds");
    let store = ["--data-dir", "data"];
    sandbox.run(&[&["workspace", "create", "--name", "A", "--owner", "a@b.example"][..], &store].concat());
    let saved = sandbox.run(&[&["backup", "b.tar"][..], &store].concat());
    assert!(saved.stdout.contains("1 workspaces, 0 inboxes, 0 messages"), "{}", saved.stdout);
    let restored = sandbox.run(&["restore", "b.tar", "--data-dir", "other", "--json"]).json();
    assert_eq!((&restored["workspaces"], &restored["messages"]), (&1.into(), &0.into()));
}

#[test]
fn a_later_start_names_the_owner_and_the_way_to_a_key() {
    let sandbox = Sandbox::new("later-start");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    sandbox.serve(&config, &[]).stop();
    let output = sandbox.serve(&config, &[]).stop();
    assert!(output.stdout.contains("sign in as owner@localhost"), "{}", output.stdout);
    let create = output.stdout.lines().find(|line| line.contains("posthouse key create")).expect("a command");
    let words: Vec<&str> = create.split_whitespace().skip(1).collect();
    let made = sandbox.run(&[&words[..], &["--json"]].concat()).json();
    assert!(made["api_key"].as_str().unwrap().starts_with("ph_"), "{made}");
}

#[test]
fn the_check_knows_its_own_service_from_that_of_another_store() {
    let sandbox = Sandbox::new("check-ports");
    let free = |count: usize| {
        let held: Vec<TcpListener> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        held.iter().map(|listener| listener.local_addr().unwrap()).collect::<Vec<_>>()
    };
    let ports = free(5);
    let listeners = format!(
        "http.listen = '{}'\nhttp.listen_tls = ['{}']\nsmtp.listen = ['{}']\nsubmission.listen = ['{}']\n\
         submission.listen_tls = ['{}']\ndelivery.mode = 'capture'\n",
        ports[0], ports[1], ports[2], ports[3], ports[4]
    );
    let write = |name: &str| {
        let path = sandbox.path(&format!("{name}.toml"));
        std::fs::write(&path, format!("data_dir = '{}'\n{listeners}", sandbox.path(name).display())).unwrap();
        path
    };
    let (own, other) = (write("own"), write("other"));
    let lines = |config: &std::path::Path| {
        let output = sandbox.run(&["check", "--quick", "--json", "--config", config.to_str().unwrap()]);
        let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let all = report["checks"].as_array().unwrap().clone();
        let ports = all.into_iter().filter(|check| check["check"].as_str().unwrap().starts_with("port:"));
        ports
            .map(|check| format!("{} {}", check["status"].as_str().unwrap(), check["check"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    assert!(lines(&own).iter().all(|line| line.starts_with("ok") && line.ends_with("is free")), "{:?}", lines(&own));
    let service = sandbox.serve(&own, &[]);
    let running = lines(&own);
    assert_eq!(running.len(), 5);
    assert!(running.iter().all(|line| line.starts_with("ok") && line.contains("running service")), "{running:?}");
    let foreign = lines(&other);
    assert!(foreign.iter().all(|line| line.starts_with("failed") && line.contains("another store")), "{foreign:?}");
    service.stop();
}
