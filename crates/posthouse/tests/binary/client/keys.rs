//! Stored keys: login, profiles, file mode, and that no command prints or passes on a key.

use std::{net::TcpListener, os::unix::fs::PermissionsExt};

use super::ClientFixture;

#[test]
fn a_new_shell_goes_from_login_to_a_code_in_three_commands() {
    let client = ClientFixture::start("client-first");
    let login = client.run_with_input(&["login", "--base-url", &client.base_url()], format!("{}\n", client.key));
    assert_eq!(login.code, 0, "{}", login.stderr);
    let address = client.text(&["inboxes", "create"]);
    assert!(address.contains('@') && !address.contains(char::is_whitespace), "the address alone: {address}");
    client.receive(&address, &["--subject", "Your code", "--text", "Your code is 482913."]);
    assert_eq!(client.text(&["wait-code", &address, "--since", "10m"]), "482913");
    let found = client.object(&["wait-code", &address.to_uppercase(), "--since", "10m", "--json"]);
    assert_eq!(found["code"], "482913");
}

#[test]
fn the_key_is_in_a_private_file_and_printed_nowhere() {
    let client = ClientFixture::logged_in("client-key");
    let file = client.sandbox.path("home/.config/posthouse/config.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&file).unwrap().contains(&client.key));
    for arguments in [
        &["whoami"][..],
        &["whoami", "--table"],
        &["inboxes", "list"],
        &["doctor"],
        &["keys", "list"],
        &["login"],
        &["messages", "get", "none"],
        &["whoami", "--base-url", "http://127.0.0.1:1"],
        &["agents", "setup", "cursor", "--print"],
        &["open"],
        &["logout"],
    ] {
        let output = client.run(arguments);
        let secret = &client.key[..20];
        assert!(!output.stdout.contains(secret) && !output.stderr.contains(secret), "{arguments:?}");
    }
    assert!(!file.exists(), "logout removes the file with its last key");
    let output = client.run(&["whoami"]);
    assert_eq!(output.code, 1);
    assert!(
        output.stderr.contains("posthouse login") && output.stderr.contains("POSTHOUSE_API_KEY"),
        "{}",
        output.stderr
    );
}

/// `keys` refused every key and named no command that works.
#[test]
fn the_operator_manages_keys_on_the_machine_of_the_server() {
    let client = ClientFixture::logged_in("client-local-keys");
    let refused = client.run(&["keys", "create", "--name", "bot", "--json"]);
    let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
    let fix = error["error"]["fix"].as_str().unwrap();
    assert!(refused.code == 1 && fix.contains("--data-dir") && fix.contains("/keys in the dashboard"), "{fix}");

    let config = client.sandbox.path("posthouse.toml");
    let on_store = ["--config", config.to_str().unwrap()];
    let address = client.inbox("scout");
    let secret = client.text(&[&["keys"][..], &["create", "--name", "bot", "--inbox", &address], &on_store].concat());
    assert!(secret.starts_with("ph_") && secret.len() > 40, "the key alone");
    let whoami =
        client.command(&["whoami", "--base-url", &client.base_url()]).env("POSTHOUSE_API_KEY", &secret).output();
    assert!(whoami.unwrap().status.success());
    let created = client.object(
        &[&["keys"][..], &["create", "--name", "second", "--preset", "read_only", "--json"], &on_store].concat(),
    );
    let (id, key) = (created["api_key"]["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    assert!(key.starts_with("ph_") && created["api_key"]["name"] == "second", "{created}");
    let listed = client.lines(&[&on_store[..], &["keys", "list"]].concat());
    let names: Vec<&str> = listed.iter().map(|key| key["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"bot") && names.contains(&"second"), "{names:?}");
    assert!(!listed.iter().any(|key| key.to_string().contains(&secret)), "the list has no secret");
    assert_eq!(client.object(&[&["keys"][..], &["revoke", id], &on_store].concat())["revoked"], true);
    let again = client.run(&[&["keys"][..], &["revoke", id], &on_store].concat());
    assert!(again.code == 1 && again.stderr.contains("already revoked"), "{}", again.stderr);
    let output = client.command(&["whoami", "--base-url", &client.base_url()]).env("POSTHOUSE_API_KEY", key).output();
    assert!(!output.unwrap().status.success(), "the revoked key is refused");
    let misused = client.run(&["keys", "list", "--workspace", "x"]);
    assert!(misused.code == 2 && misused.stderr.contains("--data-dir"), "{}", misused.stderr);
}

#[test]
fn a_wrong_key_is_refused_and_not_stored() {
    let client = ClientFixture::start("client-wrong-key");
    let wrong = format!("ph_{}", "a".repeat(40));
    for (input, code) in [(wrong.as_str(), 1), ("", 2), ("two words", 2)] {
        let output = client.run_with_input(&["login", "--base-url", &client.base_url()], input);
        assert_eq!(output.code, code, "{input}: {}", output.stderr);
        assert!(input.is_empty() || !output.stderr.contains(input));
    }
    assert!(!client.sandbox.path("home/.config/posthouse/config.json").exists());
    for wrong in ["two\u{1}", "line\nbreak", "a\u{7f}b"] {
        let output =
            client.command(&["whoami", "--base-url", &client.base_url()]).env("POSTHOUSE_API_KEY", wrong).output();
        let stderr = String::from_utf8(output.unwrap().stderr).unwrap();
        assert!(stderr.contains("the API key has characters") && !stderr.contains(wrong), "{stderr}");
    }
}

#[test]
fn profiles_keep_servers_apart_and_a_key_goes_to_its_own_server_only() {
    let client = ClientFixture::logged_in("client-profiles");
    let base = client.base_url();
    let done = client.run_with_input(&["login", "--base-url", &base, "--profile", "work"], &client.key);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(client.object(&["--profile", "work", "whoami"])["key"]["scope"], "org");
    let other = client.run(&["whoami", "--profile", "other"]);
    assert!(other.code == 1 && other.stderr.contains("login --profile other"), "{}", other.stderr);

    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let url = format!("http://{}", stranger.local_addr().unwrap());
    let output = client.run(&["whoami", "--base-url", &url]);
    assert!(output.code == 1 && output.stderr.contains("the stored key is for"), "{}", output.stderr);
    assert!(stranger.accept().is_err(), "the other server is not even connected to");

    let given = client.command(&["whoami"]).env("POSTHOUSE_API_KEY", "x").output().unwrap();
    assert_eq!(given.status.code(), Some(1), "the environment wins over the file");
    let chosen = client.command(&["whoami", "--profile", "work"]).env("POSTHOUSE_API_KEY", "x").output().unwrap();
    assert!(chosen.status.success(), "and an option wins over the environment");
    let mistyped =
        client.command(&["whoami", "--profile", "wrok"]).env("POSTHOUSE_API_KEY", &client.key).output().unwrap();
    let stderr = String::from_utf8_lossy(&mistyped.stderr);
    assert!(!mistyped.status.success() && stderr.contains("no profile is named wrok"), "{stderr}");
}
